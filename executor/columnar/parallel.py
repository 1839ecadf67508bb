"""How many threads DuckDB works with: one, and one for each core while a query runs that has much to read.

    query over few rows      --------------------------------------------------->   one thread: its own
    query over many rows     raised: SET threads = cores   [a worker a core]  ... closed, lingering, lowered
    nextval() over many rows lowered, and nobody raises it meanwhile

DuckDB knows one number of threads for the whole database. With more than one, a query over a handful of rows pays for
waking workers that find nothing to do (0.2 ms of 0.7), and most statements that come this way are such; with one, a
scan of millions uses one core of many. So the number follows what runs.

**Workers yield.** A thread inherits the niceness of the one that starts it: the workers are started by a thread that
has stepped back (`executor.niceness`), so whoever answers clients gets a core at once and the scan what is left.

**Nobody waits for a worker to leave.** DuckDB ends workers when their tasks are over, and until then no query begins or
ends. Any query's tasks may be with them, however little it reads. So the number goes down only while no query is at work,
and what would begin just then waits until it has gone down.

**Order.** Rows of a scan come in their order however many threads read it, but a function that has an effect is called in any
order by several. What counts (`nextval`), tells a session or draws random numbers runs on one thread, as in PostgreSQL,
whose planner calls such functions parallel unsafe or restricted; and so does what puts rows into a list or a string, in
which they are as they come. Whose order nobody sees is a `LIST`, written so. (If there are workers, and somebody else's query is running already, the numbers are as unique
as ever, but rows and numbers are not in the same order.)
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import duckdb

from executor.niceness import step_back

WIDE_ROWS = 245_760
"""Rows of all relations of a query that make it worth it: two row groups, DuckDB's unit of parallel work."""
LINGER_S = 1.0
"""For how long the workers stay after the last large query: the next one often follows."""

_IN_ORDER = re.compile(
    r"\btw_(nextval|currval|lastval|setval|set_config|notify|advisory|routine\w*)\("
    r"|\b(random|setseed|list|array_agg|string_agg)\("
)


def has_effect(sql: str) -> bool:
    """Whether it matters when rows are made, and by which thread."""
    return _IN_ORDER.search(sql) is not None


def usable_cores() -> int:
    """The cores that this process may run on."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Parallelism:
    """See the module. Everything is called on the event loop; `threads` 1 turns it off."""

    def __init__(
        self, open_cursor: Callable[[], duckdb.DuckDBPyConnection], threads: int, at_rest: Callable[[], bool]
    ) -> None:
        """`at_rest`: whether no query is at work. When that becomes so, `rested` is to be called."""
        self.threads = threads
        self._at_rest = at_rest
        self.lowered: asyncio.Future[None] | None = None
        """When the number goes down: done when it has. Wait for it before anything is set to work."""
        self._lower_at_rest = False
        self._wide = self._in_order = 0
        self._now = 1
        self._lowering: asyncio.TimerHandle | None = None
        self._cursor = open_cursor() if threads > 1 else None
        self._starter = (
            ThreadPoolExecutor(1, "duckdb-threads", initializer=step_back) if threads > 1 else None
        )

    async def begin(self, sql: str, rows: int) -> Callable[[], None] | None:
        """Before a query over so many rows is started. Returns what is to be called when it is closed, if anything is."""
        if self._starter is None or rows < WIDE_ROWS:
            return None
        if has_effect(sql):
            self._in_order += 1
            ended = self._ended_in_order
            threads = 1 if not self._wide and self._at_rest() else self._now
        else:
            self._wide += 1
            self._lower_at_rest = False
            ended = self._ended_wide
            threads = self._now if self._in_order else self.threads
        try:
            await self._set(threads)
        except BaseException:
            ended()
            raise
        return ended

    async def steady(self) -> Callable[[], None] | None:
        """All threads, and nobody changes their number before what this returns is called. None: somebody needs it low just now."""
        ended = await self.begin("", WIDE_ROWS)
        if ended is None:  # the number never changes
            return _nothing
        if self._now != self.threads:
            ended()
            return None
        return ended

    def rested(self) -> None:
        """No query is at work any more."""
        if self._lower_at_rest and not self._wide:
            self._lower_at_rest = False
            self._change(1)

    def _ended_in_order(self) -> None:
        self._in_order -= 1

    def _ended_wide(self) -> None:
        self._wide -= 1
        if not self._wide and self._lowering is None:
            self._lowering = asyncio.get_running_loop().call_later(LINGER_S, self._lower)

    def _lower(self) -> None:
        self._lowering = None
        self._lower_at_rest = not self._wide
        if self._at_rest():
            self.rested()

    async def _set(self, threads: int) -> None:
        changed = self._change(threads)
        if changed is not None:
            await asyncio.shield(changed)  # who is cancelled leaves it to be finished

    def _change(self, threads: int) -> asyncio.Future[None] | None:
        """Begins to change the number, unless it is that already."""
        if threads == self._now or self._starter is None:
            return None
        changed = asyncio.wrap_future(self._starter.submit(self._execute, threads))
        if threads < self._now:
            self.lowered = changed
        self._now = threads
        return changed

    def _execute(self, threads: int) -> None:
        if self._cursor is not None:
            self._cursor.execute(f"SET threads = {threads}")

    def close(self) -> None:
        """Idempotent. Blocks for as long as a change of the number takes."""
        if self._lowering is not None:
            self._lowering.cancel()
            self._lowering = None
        starter, self._starter = self._starter, None
        if starter is not None:
            starter.shutdown(wait=True, cancel_futures=True)
        if self._cursor is not None:
            self._cursor.close()
            self._cursor = None


def _nothing() -> None:
    """There is nothing to let go of."""
