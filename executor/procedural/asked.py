"""What DuckDB asks in the course of a query: a routine's values for a batch of rows, one after the other.

    SELECT f(x) FROM t       tw_routine(f, x) of 2,048 rows, on a thread of DuckDB's
                               the event loop: what the calls have in common is looked up once, and then  x -> datum -> f -> text

All come from one query and never overlap, whichever threads they come from. What they have in common holds for as long as nothing of it has
changed: a routine may make another one of its own name, or say another DateStyle.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pyarrow as pa

from executor.abc import ExecutionError
from executor.procedural import routines
from executor.procedural.calls import Asking, routine
from executor.procedural.folds import Folds
from executor.procedural.inside import INSIDE, RENEWS
from planner import types as t
from planner.abc import SqlError, TypeRef
from planner.binding.routines.own_aggregates import OVER
from planner.types.arrays import join_array
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.executor import Executor
    from executor.session.session import Session

INSIDE_MAX: Final = 12
_NESTED_MAX: Final = 200
"""Queries of all sessions that wait for routines, at most."""
Texts = Sequence[str | None]


class Calls:
    """Calls of one routine that a batch asks for. `declared`: what its caller says of its columns' types."""

    def __init__(self, session: Session, oid: int, declared: str) -> None:
        self.session, self.oid, self.declared = session, oid, declared
        self._look()

    def _look(self) -> None:
        session = self.session
        self._catalog, self._settings = session.catalog, session.type_settings
        self.f = f = routine(session, self.oid)
        refs = [p.type if p.type.oid == t.RECORD else TypeRef(p.type.oid) for p in f.inputs]
        self._read = [t.text_input(ref, self._settings) for ref in refs]
        self._described = None
        if self.declared and self.declared != OVER:
            self._described = [("", TypeRef(int(oid))) for oid in self.declared.split(", ")]
        fields = routines.columns(f, session.catalog)
        self.is_row = fields is not None
        columns = self._described or fields or [("", TypeRef(f.result.oid))]
        self._types = [ref for _, ref in columns]
        self._write = [t.text_output(ref, self._settings.exact) for ref in self._types]

    def meet(self) -> None:
        """Before a call. Raises 57014."""
        session = self.session
        if session.interrupted:
            raise ExecutionError("57014", "canceling statement due to user request")
        if session.catalog is not self._catalog or session.type_settings is not self._settings:
            self._look()

    async def rows(self, texts: Texts) -> list[Any]:
        given = [None if x is None else read(x) for read, x in zip(self._read, texts, strict=True)]
        return await routines.run(self.session, self.f, given, self._described)

    def _shown(self, row: Sequence[Datum]) -> list[str | None]:
        settings = self.session.type_settings
        if settings is not self._settings:  # the routine has changed them
            self._look()
        return [None if x is None else write(x) for x, write in zip(row, self._write, strict=True)]

    def text(self, row: Sequence[Datum]) -> str | None:
        """Of a single value."""
        return self._shown(row)[0]

    def record(self, row: Sequence[Datum] | None) -> str:
        return t.join_record(self._shown(row if row is not None else [None] * len(self._types)))


async def _value(calls: Calls, texts: Texts) -> str | None:
    (row,) = await calls.rows(texts)
    if row is None:
        return None
    if calls.f.result.oid == t.VOID:
        (value,) = row
        return None if value is None else str(value)
    return calls.record(row) if calls.is_row else calls.text(row)


async def _array(calls: Calls, texts: Texts) -> str:
    rows = await calls.rows(texts)
    return join_array([calls.record(row) if calls.is_row else calls.text(row) for row in rows])


async def _rows(calls: Calls, texts: Texts) -> list[str]:
    rows = await calls.rows(texts)
    if calls.f.result.oid == t.VOID:
        return ["()" if calls.f.language == "sql" else '("")']
    return [calls.record(row) for row in rows]


def _folded(folds: Folds) -> Callable[[Calls, Any], Awaitable[Any]]:
    return lambda calls, rows: folds.folded(calls.session, calls.f, calls.declared, rows)


@asynccontextmanager
async def _asking(session: Session, number: int) -> AsyncGenerator[None, None]:
    """While a call is run that a statement's query has asked for. Raises 57014 where that has ended, 0A000 where it is of
    a kind that waits for no calls (a negative number), and somebody else's function runs."""
    task = asyncio.current_task()
    assert task is not None
    asking = session.askings.get(number)
    if asking is None and number < 0:
        asking = Asking(session, number)
        asking.own = None
    if asking is None:
        raise ExecutionError("57014", "canceling statement due to user request")
    asking.tasks.add(task)
    try:
        async with asking.lock:
            RENEWS.set(asking.renews)
            if asking.own is not session.own:
                raise ExecutionError(
                    "0A000", "functions that run are not supported in such a statement of a function"
                )
            yield
    finally:
        asking.tasks.discard(task)


async def _one_after_another(
    executor: Executor, ask: Callable[..., Awaitable[Any]], asked: Iterable[tuple[Any, ...]]
) -> list[Any]:
    """The values of a batch of rows."""
    found: list[Any] = []
    for (number, pid), rows in groupby(asked, key=itemgetter(3, 4)):
        session = executor.sessions[pid]
        INSIDE.set(session.pid)
        async with _asking(session, number), _within(executor, session):
            for (oid, declared), same in groupby(rows, key=itemgetter(0, 1)):
                calls = Calls(session, int(oid), declared)
                for _, _, texts, *_ in same:
                    calls.meet()
                    found.append(await ask(calls, texts))
    return found


@asynccontextmanager
async def _within(executor: Executor, session: Session) -> AsyncGenerator[None, None]:
    """While a query waits for calls. Raises 0A000, 54001."""
    if session.block is None:
        raise ExecutionError(
            "0A000",
            "functions that run are not supported in such a statement outside of a transaction block",
        )
    if session.routines_inside >= INSIDE_MAX or executor.routines_inside >= _NESTED_MAX:
        raise ExecutionError(
            "54001",
            "stack depth limit exceeded",
            detail=f"Queries may wait for each other's functions {INSIDE_MAX} deep.",
        )
    session.routines_inside += 1
    executor.routines_inside += 1
    try:
        yield
    except Exception as e:  # conflicts and deadlocks as well, which are no words of SQL's yet
        if session.routine_error is None:
            session.routine_error = e
        raise
    finally:
        session.routines_inside -= 1
        executor.routines_inside -= 1


def install(executor: Executor, connection: duckdb.DuckDBPyConnection) -> None:
    """Makes tw_routine and its kin known to the database. Called on the loop."""
    loop = asyncio.get_running_loop()

    def vectorised(ask: Callable[..., Any] | None, result: pa.DataType) -> Callable[..., Any]:
        def run(oid: Any, declared: Any, texts: Any, number: Any, pid: Any) -> Any:
            columns = [c.to_pylist() for c in (oid, declared, number, pid)]
            if ask is None and OVER in columns[1]:  # what comes again is not to be made anew each time
                columns.insert(2, [x.values if x.is_valid else None for x in texts])
            else:
                columns.insert(2, texts.to_pylist())
            asked = list(zip(*columns, strict=True))
            work = _one_after_another(executor, ask or _folded(Folds()), asked)
            done = asyncio.run_coroutine_threadsafe(work, loop)
            try:
                return pa.array(done.result(), result)
            except SqlError as e:
                raise ValueError(f"[{e.sqlstate}] {e.message}") from e
            except CancelledError as e:
                raise ValueError("[57014] canceling statement due to user request") from e

        return run

    one, several = "VARCHAR[]", "VARCHAR[][]"
    for name, ask, given, result, arrow in (
        ("tw_routine", _value, one, "VARCHAR", pa.string()),
        ("tw_routine_array", _array, one, "VARCHAR", pa.string()),
        ("tw_routine_rows", _rows, one, "VARCHAR[]", pa.list_(pa.string())),
        ("tw_routine_fold", None, several, "VARCHAR", pa.string()),
    ):
        connection.create_function(
            name,
            vectorised(ask, arrow),
            ["VARCHAR", "VARCHAR", given, "BIGINT", "INTEGER"],
            result,
            type="arrow",
            null_handling="special",
            side_effects=True,
        )


__all__ = ["install"]
