"""Runs DuckDB SQL in a few threads and hands over Arrow, with backpressure and cancellation.

    run(sql)                  event loop                     thread
      wait for a thread    -> [queue, bounded: 53300] ->     cursor.sql(text)
                                                             first batches
      small: all of it     <- list of batches
      large: Stream        <- reader
        next batch wanted  -> ------------------------>      reader.read_next_batch()
        close              -> interrupt, cursor returned

A stream pulls: no thread runs far ahead of the client (`read_ahead`), so a slow reader costs a cursor and some batches, not
memory. Cursors share DuckDB's one database, have their own transaction and temporary names, and are
reused; a cursor serves one result at a time.

The functions that queries call may be made known to DuckDB while the server answers by key already (`install`): queries
wait for them, on the loop.
"""

from __future__ import annotations

import asyncio
import functools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from contextvars import copy_context
from threading import Lock, get_ident
from typing import TypeVar

import duckdb
import pyarrow as pa

from executor.abc import ExecutionError
from executor.columnar.errors import canceled, sql_error
from executor.columnar.parallel import Parallelism
from executor.columnar.read_ahead import ReadAhead
from executor.columnar.running import FAILURES, RunningQuery
from executor.columnar.unaided import Unaided, Unplanned
from executor.limits import ExecutorLimits
from executor.procedural.inside import INSIDE
from executor.snapshot.spill import Spill, spilled_table
from planner.binding.prelude.stoppable import stop

T = TypeVar("T")

_IDLE_CURSORS_MAX = 16
INNER_THREADS = 200
"""For queries that wait for routines, and for those of these routines: more than may run so (`executor.procedural.asked`). Fewer would be
taken by who waits for a lock, and its holder would have none to go on with."""
_ASKS = "tw_routine"
"""In the text of a query that waits for routines."""
STREAMS_AHEAD_MAX = 64
"""Results that may be read ahead at a time, each for some megabytes; others are read as they are asked for."""


class ColumnarEngine:
    """DuckDB as a coroutine."""

    def __init__(
        self,
        open_cursor: Callable[[], duckdb.DuckDBPyConnection],
        limits: ExecutorLimits,
        spill: Spill | None = None,
    ) -> None:
        """`spill`: where whole results go that are too large for memory."""
        self._spill = spill
        self._open_cursor = open_cursor
        self.limits = limits
        self._pool = ThreadPoolExecutor(limits.columnar_threads, thread_name_prefix="duckdb")
        self._asking_pool = ThreadPoolExecutor(INNER_THREADS, thread_name_prefix="duckdb-asking")
        self._inner_pool = ThreadPoolExecutor(INNER_THREADS, thread_name_prefix="duckdb-inner")
        self._idle: list[duckdb.DuckDBPyConnection] = []
        self._working: dict[duckdb.DuckDBPyConnection, _Work] = {}
        self._parallelism = Parallelism(open_cursor, limits.duckdb_threads, lambda: not self._working)
        self._unaided = Unaided(open_cursor)
        self._waiting = 0
        self._streams = 0
        self._closed = False
        self._installer: duckdb.DuckDBPyConnection | None = None
        self._installing: asyncio.Future[None] | None = None

    # --- running ---------------------------------------------------------------------------

    async def start(
        self,
        sql: str,
        bindings: Mapping[str, pa.Table] | None = None,
        *,
        zone: str = "",
        rows: int = 0,
        bound: Callable[[], None] | None = None,
        unaided: bool = False,
    ) -> tuple[RunningQuery, list[pa.RecordBatch], bool]:
        """Starts a query. Returns it, the first batches, and whether they are all there are.

        `rows`: about how many it has to read. `bound`: called on the loop, see `RunningQuery.start`. `unaided`: planned without
        statistics. A result that is complete has already been closed. Raises SqlError, 57014 if cancelled, Unplanned.
        """
        query = await self._query(sql, rows)
        small = self.limits.small_result_rows
        told = _on_loop(bound)

        def work() -> tuple[list[pa.RecordBatch], bool]:
            self._start(query, sql, bindings or {}, self.limits.stream_step_rows, zone, told, unaided)
            query.batch_rows = self.limits.stream_batch_rows
            first: list[pa.RecordBatch] = []
            count = 0
            while count <= small:
                batch = query.step()
                if batch is None:
                    query.over()
                    return first, True
                first.append(batch)
                count += batch.num_rows
            return first, False

        try:
            batches, complete = await self.on_thread(query.cursor, work, asks=_ASKS in sql)
        except BaseException:
            query.cancelled = query.cancelled or "it failed"
            query.close()
            raise
        if complete:
            query.close()
        return query, batches, complete

    async def table(
        self,
        sql: str,
        bindings: Mapping[str, pa.Table] | None = None,
        *,
        zone: str = "",
        bytes_max: int = 0,
        rows: int = 0,
        bound: Callable[[], None] | None = None,
        unaided: bool = False,
    ) -> pa.Table:
        """A whole result, in mapped files where it is large. `rows`: about how many are to be read. `bound`, `unaided`: as of `start`.

        Raises 54000 when it is larger than `bytes_max` (0: the limit for transactions), Unplanned.
        """
        query = await self._query(sql, rows)
        bytes_max = bytes_max or self.limits.transaction_bytes_max
        told = _on_loop(bound)

        def work() -> pa.Table:
            self._start(query, sql, bindings or {}, self.limits.bulk_chunk_rows, zone, told, unaided)
            batches: list[pa.RecordBatch] = []
            mapped: list[pa.Table] = []
            size = held = 0
            while (batch := query.read()) is not None:
                batches.append(batch)
                size += batch.nbytes
                held += batch.nbytes
                if size > bytes_max:
                    raise ExecutionError(
                        "54000", f"the statement writes more than {bytes_max} bytes in one transaction"
                    )
                if self._spill is not None and held >= self._spill.size_bytes_min:
                    mapped.append(spilled_table(pa.Table.from_batches(batches), self._spill))
                    batches, held = [], 0
            rest = pa.Table.from_batches(batches, schema=query.schema)
            query.over()
            return pa.concat_tables([*mapped, rest]) if mapped else rest

        try:
            return await self.on_thread(query.cursor, work, asks=_ASKS in sql)
        except BaseException:
            query.cancelled = "it failed"
            raise
        finally:
            query.close()

    def _start(
        self, query: RunningQuery, sql: str, bindings: Mapping[str, pa.Table], batch_rows: int, zone: str,
        bound: Callable[[], None] | None, unaided: bool,
    ) -> None:  # fmt: skip
        """On a thread. Raises Unplanned."""
        with self._unaided if unaided else nullcontext():
            try:
                query.start(sql, bindings, batch_rows, zone, bound)
            except duckdb.Error as error:
                if unaided or not query.failed_in_a_branch(error):
                    raise
                said = sql_error(error)
                raise Unplanned(said.sqlstate, said.message, detail=said.detail, hint=said.hint) from error

    def stream(self, query: RunningQuery, first: Sequence[pa.RecordBatch]) -> ReadAhead:
        """The batches of a started query, the first ones again."""

        pure = not query.has_effect

        def at_leisure() -> bool:
            few = self._waiting < self.limits.columnar_threads and self._streams <= STREAMS_AHEAD_MAX
            return pure and few

        self._streams += 1
        query.on_close(self._streamed)
        on_thread = functools.partial(self.on_thread, query.cursor, asks=_ASKS in query.sql)
        query.ahead = ReadAhead(query, first, on_thread, ahead=at_leisure)
        return query.ahead

    def _streamed(self) -> None:
        self._streams -= 1

    async def on_thread(
        self, cursor: duckdb.DuckDBPyConnection, work: Callable[[], T], *, asks: bool = False
    ) -> T:
        """Runs `work` on a thread; a cancelled caller interrupts the cursor and waits for the thread.

        `asks`: it waits for routines, which may wait for a flush, and that for readers who hold a pin: these must not
        wait for its thread.
        """
        while (lowered := self._parallelism.lowered) is not None and not lowered.done():
            await asyncio.wait([lowered])
        if self._closed:
            raise ExecutionError("57P01", "terminating connection due to administrator command")
        if self._waiting >= self.limits.columnar_queue_max + self.limits.columnar_threads:
            raise ExecutionError(
                "53300",
                "too many queries are waiting",
                detail=f"More than {self.limits.columnar_queue_max} queries wait for a thread.",
            )
        self._waiting += 1
        given = self._working[cursor] = _Work()
        # What a query waits for must not wait for the thread that the query is on.
        pool = self._inner_pool if INSIDE.get() else self._asking_pool if asks else self._pool
        future = asyncio.get_running_loop().run_in_executor(
            pool, functools.partial(copy_context().run, given.run, work)
        )
        try:
            return await asyncio.shield(future)
        except asyncio.CancelledError:
            given.given_up = True
            self.interrupt(cursor)
            while not future.done():
                await asyncio.wait([future], timeout=0.05)
                self.interrupt(cursor)
            if not future.cancelled():
                future.exception()
            raise
        finally:
            self._waiting -= 1
            self._working.pop(cursor, None)
            if not self._working:
                self._parallelism.rested()
            del future  # its error's traceback knows this frame, and those around it their tables

    def interrupt(self, cursor: duckdb.DuckDBPyConnection) -> None:
        """Ends what is under way on a cursor: DuckDB's part of it, and a Python function that DuckDB has called."""
        cursor.interrupt()
        given = self._working.get(cursor)
        if given is not None:
            given.stop()

    def steady(self) -> Awaitable[Callable[[], None] | None]:
        """See `Parallelism.steady`."""
        return self._parallelism.steady()

    # --- cursors ---------------------------------------------------------------------------

    def install(self, work: Callable[[duckdb.DuckDBPyConnection], None]) -> None:
        """Does `work` on a thread, and before any query begins. What it raises, all queries raise. Called once."""
        assert self._installer is None, "functions are installed once"
        self._installer = self._open_cursor()  # stays open: what it has created belongs to it
        self._installing = asyncio.wrap_future(self._pool.submit(work, self._installer))
        self._installing.add_done_callback(self._installed)

    def _installed(self, done: asyncio.Future[None]) -> None:
        if not done.cancelled() and done.exception() is None:
            self._installing = None

    async def installed(self) -> None:
        """Returns when queries can begin."""
        if self._installing is not None:
            await asyncio.shield(self._installing)  # one query's cancellation is none of the others'

    async def _query(self, sql: str, rows: int) -> RunningQuery:
        if self._installing is not None:
            await self.installed()
        ended = await self._parallelism.begin(sql, rows)
        try:
            query = RunningQuery(self, self._cursor())
        except BaseException:
            if ended is not None:
                ended()
            raise
        if ended is not None:
            query.on_close(ended)
        return query

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        return self._idle.pop() if self._idle else self._open_cursor()

    def give_back(self, cursor: duckdb.DuckDBPyConnection, *, clean: bool) -> None:
        if self._closed:
            return
        if not clean or len(self._idle) >= _IDLE_CURSORS_MAX:
            # Unregistering costs more than a new cursor.
            cursor.close()
        else:
            self._idle.append(cursor)

    async def close(self) -> None:
        """Interrupts what runs and waits for its threads. Idempotent."""
        self._closed = True
        for cursor in self._working:
            self.interrupt(cursor)
        for pool in (self._inner_pool, self._asking_pool, self._pool):
            await asyncio.to_thread(pool.shutdown, wait=True, cancel_futures=True)
        await asyncio.to_thread(self._parallelism.close)
        for cursor in self._idle:
            cursor.close()
        self._idle.clear()
        if self._installer is not None:
            self._installer.close()
            self._installer = None


def _on_loop(call: Callable[[], None] | None) -> Callable[[], None] | None:
    """The same call, from a thread."""
    if call is None:
        return None
    loop = asyncio.get_running_loop()

    def told() -> None:
        loop.call_soon_threadsafe(call)

    return told


class _Work:
    """What one thread does for a caller, who may give it up."""

    __slots__ = ("_lock", "_thread", "given_up")

    def __init__(self) -> None:
        self.given_up = False
        self._lock = Lock()
        self._thread = 0

    def run(self, work: Callable[[], T]) -> T:
        """On the thread: nothing starts for a caller who has gone, and DuckDB's errors become SQL's."""
        if self.given_up:
            raise canceled()
        self._thread = get_ident()
        try:
            return work()
        except FAILURES as e:
            raise sql_error(e) from e
        finally:
            with self._lock:  # from here on the thread is somebody else's
                self._thread = 0

    def stop(self) -> None:
        """Ends a Python function that DuckDB has called on the thread, if that is where the work is."""
        with self._lock:
            if self._thread:
                stop(self._thread)
