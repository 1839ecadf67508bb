"""Packing: what has been written to DuckDB lies as it came until there is a calm moment to compress it.

    flush, hydration    appended as they come      16 bytes and more a text, 8 for each of a row's times
    calm, or CHECKPOINT packed by row groups       dictionaries, runs, as few bits as the values need

A database in memory may keep its tables compressed (`ATTACH ':memory:' ... (COMPRESS)`), but compresses them in
checkpoints alone, which it makes by itself within the commit that brings it past so many bytes of changes (`SnapshotLimits.changed_bytes_max`). TPC-H takes less than a quarter of the memory then, a row's two times next to
nothing, and scans take as long as before or less; so more tables fit under the memory limit before pages go to disk.

A checkpoint is of a whole database. While it lasts readers go on, but nobody can add to a table that it packs, nor create one
beside it. So a table that begins large has **a database of its own** (`attach`), nothing but that is packed, and only when
nobody has written to any of them for a while; a flush to one that is being packed waits (`passed`), and all others do not notice.
The work is done by a thread that has stepped back. DuckDB's number of threads must not change meanwhile, for that would wait
for its end, and everybody else with it: `steady` is asked to see to that.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import duckdb
import pyarrow as pa

from executor.niceness import step_back

ROWS_MIN = 250_000
"""Rows of a first write that make a table large; and written and closed since the last time, that make packing worth while."""
CALM_S = 5.0
GIVE_BACK_S = 1.0
"""After a database was packed: DuckDB lets go of what it was before with the next transactions."""
RETRY_S = 0.2
TRIES_MAX = 50

Steady = Callable[[], Awaitable[Callable[[], None] | None]]
"""Keeps the number of DuckDB's threads as it is until what it returns is called; None: not now."""


def attach(database: str) -> str:
    """The statement that makes a database of compressed tables."""
    return f"ATTACH IF NOT EXISTS ':memory:' AS {database} (COMPRESS)"


def detach(database: str) -> str:
    """The statement after which the memory goes back, once those who still read it have ended."""
    return f"DETACH DATABASE IF EXISTS {database}"


class Packer:
    """See the module. Everything is called on the event loop."""

    def __init__(
        self,
        cursor: duckdb.DuckDBPyConnection,
        spawn: Callable[[Any], asyncio.Task[None]],
        is_writing: Callable[[], bool],
    ) -> None:
        """`spawn` starts a task that nobody awaits, and reports what goes wrong in it."""
        self.steady: Steady = _unguarded
        self.packed = 0
        """How many times a database was."""
        self.unpacked_rows: dict[str, int] = {}
        """By database: rows written and closed since it was packed."""
        self._cursor, self._spawn, self._is_writing = cursor, spawn, is_writing
        self._thread = ThreadPoolExecutor(1, "duckdb-packing", initializer=step_back)
        self._timer: asyncio.TimerHandle | None = None
        self._giving_back: asyncio.TimerHandle | None = None
        self._wrote_s = 0.0
        self._packing: asyncio.Task[None] | None = None
        self._database = ""
        """Which one is being packed, if any is; `_over` tells when it is not any more."""
        self._over = asyncio.Event()
        self._closed = False

    # --- what the writers say, and ask ---------------------------------------------------------------

    async def passed(self, database: str) -> None:
        """Returns when that database is not being packed. To be asked before the writer's turn is taken."""
        while self._database == database and database:
            await self._over.wait()

    def wrote(self, database: str, rows: int) -> None:
        """It has so many rows more, or other ends of them. The empty name is that of the small tables' database."""
        if not database or self._closed:
            return
        unpacked = self.unpacked_rows[database] = self.unpacked_rows.get(database, 0) + rows
        loop = asyncio.get_running_loop()
        self._wrote_s = loop.time()
        if unpacked >= ROWS_MIN and self._timer is None:
            self._timer = loop.call_later(CALM_S, self._look)

    def forgotten(self, database: str) -> None:
        """It is no more."""
        self.unpacked_rows.pop(database, None)

    # --- packing -------------------------------------------------------------------------------------

    def _look(self) -> None:
        """Is it calm now?"""
        loop = asyncio.get_running_loop()
        calm_s = self._wrote_s + CALM_S
        if loop.time() < calm_s:
            self._timer = loop.call_at(calm_s, self._look)
            return
        self._timer = None
        self._begin(ROWS_MIN)

    def _begin(self, rows_min: int) -> asyncio.Task[None]:
        packing = self._packing
        if packing is None or packing.done():
            packing = self._packing = self._spawn(self._pack_all(rows_min))
        return packing

    async def pack(self) -> None:
        """Returns when what had been written is packed, or somebody was in the way at each attempt. Raises what DuckDB raises."""
        while (packing := self._packing) is not None and not packing.done():
            await asyncio.wait([packing])
        if self.unpacked_rows and not self._closed:
            await asyncio.shield(self._begin(1))

    async def pack_between(self, database: str) -> bool:
        """Packs what the caller, its only writer, has committed so far; False if that cannot be now.

        It is not told to anybody else that it is being packed: nobody else writes to it.
        """
        release = await self.steady()
        if release is None:
            return False
        try:
            await asyncio.get_running_loop().run_in_executor(self._thread, self._checkpoint, database)
        except duckdb.TransactionException:
            return False
        finally:
            release()
        self.unpacked_rows.pop(database, None)
        self._has_packed()
        return True

    async def _pack_all(self, rows_min: int) -> None:
        for database in [name for name, rows in self.unpacked_rows.items() if rows >= rows_min]:
            for _ in range(TRIES_MAX):
                if self._closed or database not in self.unpacked_rows or await self._pack(database):
                    break
                await asyncio.sleep(RETRY_S)

    async def _pack(self, database: str) -> bool:
        """One attempt; whether nobody was in its way."""
        release = await self.steady()
        if release is None:
            return False
        try:
            if self._is_writing() or self._closed or database not in self.unpacked_rows:  # dropped meanwhile
                return False
            self._database = database
            self._over.clear()
            rows = self.unpacked_rows.pop(database, 0)
            try:
                await asyncio.get_running_loop().run_in_executor(self._thread, self._checkpoint, database)
            except duckdb.TransactionException:  # somebody writes all the same
                self.unpacked_rows[database] = self.unpacked_rows.get(database, 0) + rows
                return False
            self._has_packed()
            return True
        finally:
            self._database = ""
            self._over.set()
            release()

    def _has_packed(self) -> None:
        self.packed += 1
        if self._giving_back is None and not self._closed:
            self._giving_back = asyncio.get_running_loop().call_later(GIVE_BACK_S, self._give_back)

    def _checkpoint(self, database: str) -> None:
        self._cursor.execute(f"CHECKPOINT {database}")

    def _give_back(self) -> None:
        """What allocators keep of memory that was let go: after a table was read, many times what it takes packed."""
        self._giving_back = None
        pa.default_memory_pool().release_unused()  # Arrow's is this thread's; some milliseconds
        self._thread.submit(_trim)

    # --- the end -------------------------------------------------------------------------------------

    def stop(self) -> None:
        """Nothing begins any more."""
        self._closed = True
        for timer in (self._timer, self._giving_back):
            if timer is not None:
                timer.cancel()
        self._timer = self._giving_back = None

    def close(self) -> None:
        """Blocks until what has begun is over."""
        self.stop()
        self._thread.shutdown()
        self._cursor.close()


def _trim() -> None:
    """The C library's part of it."""
    with contextlib.suppress(OSError, AttributeError):  # another C library, which does as it sees fit
        ctypes.CDLL(None).malloc_trim(0)


def _by_itself() -> None:
    """Nobody changes the number of threads."""


async def _unguarded() -> Callable[[], None] | None:
    return _by_itself
