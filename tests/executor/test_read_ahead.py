"""Batches that are read before they are asked for come once, in order, and errors behind the rows before them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest

from executor.columnar import read_ahead
from executor.columnar.engine import ColumnarEngine
from executor.columnar.read_ahead import ReadAhead
from planner.abc import SqlError
from tests.executor.test_columnar import run


class Numbers:
    """Batches of a thousand numbers each, and how many were read."""

    def __init__(self, count: int, failing: bool = False) -> None:
        self.count, self.failing, self.given = count, failing, 0

    def read(self) -> pa.RecordBatch | None:
        if self.given == self.count:
            if self.failing:
                raise SqlError("22012", "division by zero")
            return None
        self.given += 1
        return numbers(self.given - 1)


def numbers(start: int) -> pa.RecordBatch:
    return pa.record_batch([pa.array(range(start * 1000, start * 1000 + 1000), pa.int64())], names=["n"])


def read(reader: Numbers, *, ahead: bool = True, first: int = 0, patience: int = 3) -> tuple[list[int], str]:
    """The first number of each batch, and the SQLSTATE at the end; `patience`: every so many batches are waited for."""

    async def inside() -> tuple[list[int], str]:
        source = ReadAhead(reader, [numbers(i) for i in range(first)], asyncio.to_thread, ahead=lambda: ahead)
        reader.given = first
        found: list[int] = []
        try:
            while True:
                batch = None
                if len(found) % patience:
                    await asyncio.sleep(0)
                    batch = source.at_hand()
                batch = batch if batch is not None else await source.next()
                if batch is None:
                    return found, ""
                found.append(batch.column(0)[0].as_py() // 1000)
        except SqlError as error:
            return found, error.sqlstate

    return asyncio.run(inside())


@pytest.mark.parametrize("ahead", [True, False])
@pytest.mark.parametrize("first", [0, 1, 3])
@pytest.mark.parametrize("count", [3, 40, 200])
def test_every_batch_comes_once_and_in_order(count: int, first: int, ahead: bool) -> None:
    assert read(Numbers(count), ahead=ahead, first=first) == (list(range(count)), "")


@pytest.mark.parametrize("count", [0, 1, 35, 100])
def test_an_error_is_said_behind_the_rows_before_it(count: int) -> None:
    assert read(Numbers(count, failing=True)) == (list(range(count)), "22012")


def test_nothing_is_read_before_it_is_asked_for_where_that_matters() -> None:
    async def inside() -> None:
        reader = Numbers(100)
        source = ReadAhead(reader, [], asyncio.to_thread, ahead=lambda: False)
        for count in range(1, 5):
            assert await source.next() is not None
            await asyncio.sleep(0.01)
            assert reader.given == count

    asyncio.run(inside())


def test_what_waits_is_bounded() -> None:
    async def inside() -> None:
        reader = Numbers(1000)
        source = ReadAhead(reader, [], asyncio.to_thread, ahead=lambda: True)
        for count in range(1, 100):
            assert await source.next() is not None
            await asyncio.sleep(0.001)
            assert (reader.given - count) * 1000 <= read_ahead.READ_ROWS + read_ahead.LOW_ROWS + 1000

    asyncio.run(inside())


def _engine(work: Callable[[ColumnarEngine], Any]) -> None:
    run(work, columnar_threads=1)


def test_a_result_that_is_left_while_it_is_read_ahead_stops_and_its_cursor_is_closed() -> None:
    async def work(engine: ColumnarEngine) -> None:
        for _ in range(3):
            query, first, complete = await engine.start(
                "SELECT i FROM range(10000000) t(i) WHERE i < 20000 OR i % 9999991 = 3"
            )
            assert not complete
            source = engine.stream(query, first)
            assert await source.next() is not None
            query.close()
            query.close()
            assert (await engine.table("SELECT 1 AS x")).num_rows == 1  # the only thread is free again

    _engine(work)


def test_queries_with_an_effect_are_told_from_others() -> None:
    async def work(engine: ColumnarEngine) -> None:
        for sql, effect in (("SELECT i", False), ("SELECT i, random()", True)):
            query, first, _ = await engine.start(f"{sql} FROM range(100000) t(i)")
            assert query.has_effect is effect
            source = engine.stream(query, first)
            assert sum([batch.num_rows async for batch in source]) == 100_000
            query.close()

    _engine(work)


def test_only_so_many_results_are_read_ahead_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("executor.columnar.engine.STREAMS_AHEAD_MAX", 1)

    async def work(engine: ColumnarEngine) -> None:
        async def opened() -> Any:
            query, first, complete = await engine.start("SELECT i FROM range(1000000) t(i)")
            assert not complete
            return query, engine.stream(query, first[:1])

        one, _ = await opened()
        other, source = await opened()
        for _ in range(3):
            assert await source.next() is not None
        assert source._reading is None, "it is the second"
        one.close()
        assert await source.next() is not None
        assert source._reading is not None
        other.close()

    _engine(work)
