"""Threads come when a query has much to read and go after it; what is called in order is, however many rows there are."""

from __future__ import annotations

import asyncio
import contextlib
import random
import threading
from typing import Any

import duckdb
import pytest

from executor.columnar import parallel
from executor.columnar.engine import ColumnarEngine
from executor.columnar.parallel import WIDE_ROWS
from executor.limits import ExecutorLimits
from tests.executor.sql import Server

THREADS = 3


@pytest.fixture(autouse=True)
def _no_lingering(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "LINGER_S", 0.0)


def run(work: Any) -> None:
    async def inside() -> None:
        con = duckdb.connect(config={"threads": 1})
        engine = ColumnarEngine(con.cursor, ExecutorLimits(duckdb_threads=THREADS))

        def threads() -> int:
            row = con.cursor().execute("SELECT current_setting('threads')").fetchone()
            assert row is not None
            return int(row[0])

        try:
            await work(engine, threads)
        finally:
            await engine.close()
            con.close()

    asyncio.run(inside())


async def _becomes(threads: Any, count: int) -> None:
    while threads() != count:
        await asyncio.sleep(0.01)


MANY = "SELECT i FROM range(1000000) r(i)"
"""Too many rows to be there with the first batches: the query runs until it is closed."""


def test_only_a_query_with_much_to_read_raises_the_number_of_threads() -> None:
    async def work(engine: ColumnarEngine, threads: Any) -> None:
        few, _, _ = await engine.start(MANY, rows=WIDE_ROWS - 1)
        assert threads() == 1
        one, _, _ = await engine.start(MANY, rows=WIDE_ROWS)
        other, _, _ = await engine.start(MANY, rows=WIDE_ROWS)
        assert threads() == THREADS
        one.close()
        one.close()
        await asyncio.sleep(0.05)
        assert threads() == THREADS, "another one still runs"
        other.close()
        await asyncio.wait_for(_becomes(threads, 1), 60)
        few.close()

    run(work)


def test_a_query_that_fails_or_is_left_leaves_no_threads_behind() -> None:
    async def work(engine: ColumnarEngine, threads: Any) -> None:
        with pytest.raises(Exception, match="nosuch"):
            await engine.start("SELECT nosuch", rows=WIDE_ROWS)
        await asyncio.wait_for(_becomes(threads, 1), 60)
        with pytest.raises(Exception, match="nosuch"):
            await engine.table("SELECT nosuch", rows=WIDE_ROWS)
        await asyncio.wait_for(_becomes(threads, 1), 60)

    run(work)


def test_the_number_goes_down_when_nothing_is_at_work() -> None:
    """DuckDB would let everybody wait for the end of the tasks that workers have."""

    async def work(engine: ColumnarEngine, threads: Any) -> None:
        few, _, _ = await engine.start(MANY, rows=1)
        wide, _, _ = await engine.start(MANY, rows=WIDE_ROWS)
        done = threading.Event()
        at_work = asyncio.ensure_future(engine.on_thread(few.cursor, done.wait))
        await asyncio.sleep(0)
        try:
            wide.close()
            in_order, _, _ = await engine.start("SELECT random() FROM range(1000000) r(i)", rows=WIDE_ROWS)
            in_order.close()
            await asyncio.sleep(0.05)
            assert threads() == THREADS
        finally:
            done.set()
            await at_work
        await asyncio.wait_for(_becomes(threads, 1), 60)
        few.close()

    run(work)


def test_a_query_that_is_cancelled_while_the_number_goes_up_is_counted_no_more() -> None:
    async def work(engine: ColumnarEngine, threads: Any) -> None:
        done = threading.Event()
        starter = engine._parallelism._starter
        assert starter is not None
        starter.submit(done.wait)
        wide = asyncio.ensure_future(engine.start(MANY, rows=WIDE_ROWS))
        await asyncio.sleep(0)
        wide.cancel()
        done.set()
        with contextlib.suppress(asyncio.CancelledError):
            await wide
        in_order, _, _ = await engine.start("SELECT random() FROM range(1000000) r(i)", rows=WIDE_ROWS)
        assert threads() == 1
        in_order.close()

    run(work)


@pytest.mark.parametrize("call", ["random()", "i::VARCHAR || 'tw_nextval('"])
def test_what_must_be_called_in_order_keeps_the_number_at_one(call: str) -> None:
    async def work(engine: ColumnarEngine, threads: Any) -> None:
        wide, _, _ = await engine.start(MANY, rows=WIDE_ROWS)
        wide.close()
        in_order, _, _ = await engine.start(f"SELECT {call} FROM range(1000000) r(i)", rows=WIDE_ROWS)
        assert threads() == 1
        wide, _, _ = await engine.start(MANY, rows=WIDE_ROWS)
        assert threads() == 1, "nor does a query beside it raise it"
        wide.close()
        in_order.close()
        wide, _, _ = await engine.start(MANY, rows=WIDE_ROWS)
        assert threads() == THREADS
        wide.close()

    run(work)


def test_threads_that_come_and_go_change_no_answer() -> None:
    async def client(engine: ColumnarEngine, seed: int) -> None:
        chance = random.Random(seed)
        for _ in range(15):
            n = chance.choice((10, 1_000, 300_000))
            found = await engine.table(f"SELECT count(*) AS n, sum(i) AS s FROM range({n}) r(i)", rows=n)
            assert found.to_pylist() == [{"n": n, "s": n * (n - 1) // 2}]
            await asyncio.sleep(0)

    async def work(engine: ColumnarEngine, threads: Any) -> None:
        await asyncio.gather(*(client(engine, seed) for seed in range(6)))
        await asyncio.wait_for(_becomes(threads, 1), 60)

    run(work)


def test_numbers_are_dealt_in_the_order_of_the_rows() -> None:
    async def inside() -> None:
        async with Server(limits=ExecutorLimits(duckdb_threads=THREADS)) as server:
            await server.run("a", "create sequence s")
            await server.run("a", "create table big as select i, -i as j from generate_series(1, 600000) i")
            told = await server.run("a", "select count(*), sum(i), min(j) from big where i % 2 = 0")
            assert "300000|90000300000|-600000" in told, told
            told = await server.run("a", "select (array_agg(i))[300000] from big")
            assert "300000" in told, told
            told = await server.run("a", "select split_part(string_agg(i::text, ','), ',', 400000) from big")
            assert "400000" in told, told
            await server.run("a", "create table numbered as select nextval('s') n, i from big")
            told = await server.run("a", "select count(*), count(*) filter (where n <> i) from numbered")
            assert "600000|0" in told, told

    asyncio.run(inside())


def test_a_steady_number_is_all_threads_until_it_is_let_go() -> None:
    async def work(engine: ColumnarEngine, threads: Any) -> None:
        release = await engine.steady()
        assert release is not None and threads() == THREADS
        counted, _, _ = await engine.start("SELECT random() FROM range(1000000)", rows=WIDE_ROWS)
        wide, _, _ = await engine.start(MANY, rows=WIDE_ROWS)
        assert threads() == THREADS
        wide.close()
        counted.close()
        await asyncio.sleep(0.05)
        assert threads() == THREADS
        release()
        await asyncio.wait_for(_becomes(threads, 1), 60)

    run(work)


def test_there_is_none_while_somebody_needs_it_low() -> None:
    async def work(engine: ColumnarEngine, threads: Any) -> None:
        counted, _, _ = await engine.start("SELECT random() FROM range(1000000)", rows=WIDE_ROWS)
        assert await engine.steady() is None
        assert threads() == 1
        counted.close()
        release = await engine.steady()
        assert release is not None and threads() == THREADS
        release()

    run(work)
