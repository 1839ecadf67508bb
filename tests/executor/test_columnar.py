"""The columnar engine alone: streams pull, cancellation interrupts, bounds hold, errors have codes."""

from __future__ import annotations

import asyncio
import gc
import threading
import weakref
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from executor.abc import ExecutionError
from executor.columnar.engine import ColumnarEngine
from executor.columnar.errors import sql_error, worded
from executor.limits import ExecutorLimits
from planner.abc import SqlError

SLOW = "SELECT count(*) FROM range(100000000) a(x), range(1000000) b(y) WHERE (x * y) % 7 = 3"


def run(work: Any, **limits: int) -> Any:
    async def inside() -> Any:
        con = duckdb.connect()
        engine = ColumnarEngine(con.cursor, ExecutorLimits(**limits))
        try:
            return await work(engine)
        finally:
            await engine.close()
            con.close()

    return asyncio.run(inside())


def test_a_small_result_comes_whole() -> None:
    async def work(engine: ColumnarEngine) -> None:
        query, batches, complete = await engine.start("SELECT 42 AS x")
        assert complete and query.closed
        assert pa.Table.from_batches(batches).to_pydict() == {"x": [42]}

    run(work)


def test_what_a_query_knew_that_failed_is_freed_with_its_error() -> None:
    """Without the cycle collector, which would find batches and tables behind the frames of the error's traceback."""

    async def work(engine: ColumnarEngine) -> None:
        failed: list[weakref.ref[BaseException]] = []
        try:
            await engine.start("SELECT error('no')")
        except SqlError as error:
            failed.append(weakref.ref(error))
        await engine.start("SELECT 42")  # the thread has something else in hand now
        assert [error() for error in failed] == [None]

    gc.disable()
    try:
        run(work, columnar_threads=1)
    finally:
        gc.enable()


def test_queries_wait_for_functions_that_are_made_known_beside_them() -> None:
    async def work(engine: ColumnarEngine) -> None:
        may_go_on = threading.Event()

        def install(con: duckdb.DuckDBPyConnection) -> None:
            assert may_go_on.wait(timeout=300)
            con.create_function("tw_double", lambda x: 2 * x, ["INTEGER"], "INTEGER")

        engine.install(install)
        asked = [asyncio.ensure_future(engine.table(f"SELECT tw_double({i}) AS x")) for i in range(3)]
        await asyncio.sleep(0)
        asked.pop().cancel()  # which is none of the others' business
        await asyncio.sleep(0)
        assert not any(a.done() for a in asked)
        may_go_on.set()
        assert [table.to_pydict() for table in await asyncio.gather(*asked)] == [{"x": [0]}, {"x": [2]}]
        await engine.installed()

    run(work)


def test_functions_that_cannot_be_made_known_are_an_error_of_every_query() -> None:
    async def work(engine: ColumnarEngine) -> None:
        engine.install(lambda con: con.execute("SELECT no_such_function()") and None)
        for _ in range(2):
            with pytest.raises(duckdb.CatalogException, match="no_such_function"):
                await engine.table("SELECT 1")

    run(work)


def test_closing_waits_for_functions_that_are_being_made_known() -> None:
    done = threading.Event()

    async def work(engine: ColumnarEngine) -> None:
        started = threading.Event()

        def install(con: duckdb.DuckDBPyConnection) -> None:
            started.set()
            con.execute("SELECT sum(i) FROM range(1000000) t(i)").fetchall()
            done.set()

        engine.install(install)
        assert await asyncio.to_thread(started.wait, 300)

    run(work)
    assert done.is_set()


def test_a_large_result_is_pulled_batch_by_batch_and_may_be_left_early() -> None:
    async def work(engine: ColumnarEngine) -> None:
        query, first, complete = await engine.start("SELECT * FROM range(100000) t(i)")
        assert not complete
        total = 0
        async for batch in engine.stream(query, first):
            total += batch.num_rows
        assert total == 100_000
        query.close()
        query, first, complete = await engine.start("SELECT * FROM range(100000000) t(i)")
        query.close()
        query.close()

    run(work)


def test_batches_are_of_many_narrow_rows_or_of_few_wide_ones() -> None:
    async def sizes(engine: ColumnarEngine, width: int, rows: int) -> list[int]:
        query, first, complete = await engine.start(
            f"SELECT i, repeat(chr(97 + (i % 26)::INT), {width}) AS s FROM range({rows}) t(i)"
        )
        assert not complete
        batches = [batch async for batch in engine.stream(query, first)]
        table = pa.Table.from_batches(batches)
        assert table.column("i").to_pylist() == list(range(rows))
        assert set(map(len, table.column("s").to_pylist())) == {width}
        query.close()
        return [batch.num_rows for batch in batches]

    async def work(engine: ColumnarEngine) -> None:
        assert await sizes(engine, 10, 20_000) == [1_024, 8_192, 8_192, 2_592]
        assert await sizes(engine, 400, 10_000) == [1_024, 3_072, 3_072, 2_832]
        wide = await sizes(engine, 10_000, 4_500)
        assert max(wide) == 1_024  # and not 80 megabytes at once

    run(work)


def test_an_error_comes_behind_the_rows_before_it() -> None:
    class Failing:
        left = 3

        def read_next_batch(self) -> pa.RecordBatch:
            self.left -= 1
            if self.left < 0:
                raise OSError("no")
            return pa.record_batch({"i": range(1_024)})

    async def work(engine: ColumnarEngine) -> None:
        query, _, _ = await engine.start("SELECT * FROM range(9000)")
        query.reader = Failing()
        batch = query.read()
        assert batch is not None and batch.num_rows == 3 * 1_024
        with pytest.raises(OSError, match="no"):
            query.read()
        query.close()

    run(work)


def test_arrow_tables_are_visible_to_their_own_query_only() -> None:
    async def work(engine: ColumnarEngine) -> None:
        mine = pa.table({"x": [1, 2, 3]})
        assert (await engine.table("SELECT sum(x)::INT AS s FROM mine", {"mine": mine})).to_pydict() == {
            "s": [6]
        }
        with pytest.raises(SqlError):
            await engine.table("SELECT * FROM mine")

    run(work)


def test_a_cancelled_caller_interrupts_its_query_and_the_engine_goes_on() -> None:
    async def work(engine: ColumnarEngine) -> None:
        task = asyncio.create_task(engine.table(SLOW))
        await asyncio.sleep(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await engine.table("SELECT 1 AS x")).num_rows == 1

    run(work)


def test_a_cancelled_stream_raises_at_its_next_batch() -> None:
    async def work(engine: ColumnarEngine) -> None:
        query, first, _ = await engine.start("SELECT * FROM range(10000000) t(i)")
        stream = engine.stream(query, first)
        await anext(stream)
        query.cancel("canceling statement due to statement timeout")
        with pytest.raises(SqlError) as e:
            async for _ in stream:
                pass
        assert e.value.sqlstate == "57014"
        query.close()

    run(work)


def test_more_waiting_queries_than_allowed_are_refused() -> None:
    async def work(engine: ColumnarEngine) -> None:
        running = [asyncio.create_task(engine.table(SLOW)) for _ in range(2)]
        await asyncio.sleep(0.05)
        with pytest.raises(SqlError) as e:
            await engine.table("SELECT 1")
        assert e.value.sqlstate == "53300"
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)

    run(work, columnar_threads=1, columnar_queue_max=1)


def test_a_result_past_the_bound_is_refused() -> None:
    async def work(engine: ColumnarEngine) -> None:
        with pytest.raises(SqlError) as e:
            await engine.table("SELECT * FROM range(1000000) t(i)", bytes_max=10_000)
        assert e.value.sqlstate == "54000"

    run(work)


@pytest.mark.parametrize(
    ("sql", "sqlstate", "message"),
    [
        ("SELECT error('[22012] division by zero')", "22012", "division by zero"),
        ("SELECT error('[42883] no [DETAIL] because [HINT] try')", "42883", "no"),
        ("SELECT 'x'::INT", "22P02", "Could not convert"),
        ("SELECT 9223372036854775807::BIGINT + 1::BIGINT", "22003", "bigint out of range"),
        ("SELECT 2147483647::INT + 1::INT", "22003", "integer out of range"),
        ("SELECT 300::TINYINT", "22003", ""),
        ("SELECT (SELECT x FROM range(2) t(x))", "21000", "more than one row returned"),
        ("SELECT list_transform([1], lambda x: x + (SELECT 1))", "0A000", "subqueries in lambda expressions"),
        ("SELECT nothing", "XX000", "nothing"),
    ],
)
def test_errors_have_codes(sql: str, sqlstate: str, message: str) -> None:
    con = duckdb.connect()
    try:
        con.execute(sql).fetchall()
    except duckdb.Error as e:
        error = sql_error(e)
        assert error.sqlstate == sqlstate, str(e)
        assert message in error.message
    else:
        pytest.fail("DuckDB raised nothing")


@pytest.mark.parametrize("disk", ["0MB", "1MB"])
def test_temporary_files_that_find_no_room_are_a_full_disk(tmp_path: Path, disk: str) -> None:
    con = duckdb.connect(config={"temp_directory": str(tmp_path), "memory_limit": "64MB", "threads": 1})
    con.execute(f"SET max_temp_directory_size = '{disk}'")
    ordered = "SELECT md5(x::VARCHAR) AS m, row_number() OVER (ORDER BY md5(x::VARCHAR)) AS n FROM range(3000000) r(x)"
    with pytest.raises(duckdb.Error) as raised:
        con.execute(f"SELECT max(n), max(m) FROM ({ordered})").fetchall()
    error = sql_error(raised.value)
    assert error.sqlstate == "53100"
    assert error.message == "could not write temporary data: no space left on device"
    assert error.detail and "SET" not in error.detail and "PRAGMA" not in error.detail
    con.close()


def test_an_error_on_its_way_through_duckdb_keeps_what_it_says() -> None:
    said = ExecutionError("22023", "too old", detail="History is kept from 5 on.", hint="Ask for less.")
    read = sql_error(ValueError(f"Invalid Input Error: {worded(said)}"))
    assert (read.sqlstate, read.message, read.detail, read.hint) == (
        "22023", "too old", "History is kept from 5 on.", "Ask for less.",
    )  # fmt: skip
