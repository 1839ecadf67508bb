"""Statements that call routines: SELECT f(x), CALL p(x), and whatever DuckDB asks in the course of a query.

    SELECT f(1) + f(2)     a function of Python's, which raises `Asked` where it needs a value that is not known yet; the routine
                           is run, and it begins anew with one value more
    SELECT f(x) FROM t     DuckDB calls tw_routine on a thread of its own, which waits for the event loop
    CALL p(1)              its arguments are a query; the procedure may end the transaction where CALL is one of its own

Such a statement is always in a block: what its routines write is committed with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import CancelledError
from contextlib import asynccontextmanager
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final

import duckdb
import pyarrow as pa

from executor.abc import ExecutionError, Result, Rows, Stream
from executor.keyed.plans import CompiledPlan
from executor.procedural import routines
from executor.procedural.folds import Folds
from executor.procedural.inside import INSIDE
from executor.procedural.misplaced import Misplaced, refuse
from executor.procedural.result_rows import first_rows, rows_of
from executor.procedural.walk import Walk
from executor.session.blocks.looking_back import around_statement
from executor.session.blocks.own_block import block_at_hand
from executor.session.locks import taking_turns
from planner import statements as st
from planner import types as t
from planner.abc import Body, LockingQuery, Plan, Query, SqlError, Table, TypeRef, WithWrites
from planner.binding.routines.own_aggregates import OVER
from planner.catalog import Function, own_functions, polymorphic
from planner.statements import plpgsql as pl
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.executor import Executor
    from executor.session.blocks.block import Block
    from executor.session.session import Session

INSIDE_MAX: Final = 12
_NESTED_MAX: Final = 200
"""Queries of all sessions that wait for routines, at most."""


class Asked(Exception):
    """A routine's value that is not known yet."""

    def __init__(self, oid: int, arguments: tuple[Datum, ...]) -> None:
        self.oid, self.arguments = oid, arguments


class Asking:
    """A statement whose query asks for routines, one at a time; none of them outlives it, and none comes after it."""

    __slots__ = ("depth", "lock", "number", "own", "tasks")

    def __init__(self, session: Session, number: int) -> None:
        self.number, self.own, self.depth = number, session.own, session.routine_depth
        self.lock = asyncio.Lock()
        self.tasks: set[asyncio.Task[Any]] = set()
        session.askings[number] = self

    def cancel(self) -> None:
        for task in self.tasks:
            task.cancel()

    async def end(self, session: Session) -> None:
        """Ends what it has asked for, and waits for that: a cancelled statement leaves nothing that goes on."""
        session.askings.pop(self.number, None)
        while self.tasks:
            self.cancel()
            waiting = asyncio.ensure_future(asyncio.wait(self.tasks))
            try:
                await asyncio.shield(waiting)
            except asyncio.CancelledError:  # cancelled again: what is to be put back is put back first
                await waiting
                raise


async def end_loose(session: Session) -> None:
    """Before a statement begins: what an earlier one that waited for no calls has left."""
    for number in [n for n in session.askings if n < 0]:
        await session.askings[number].end(session)


class Answers:
    """The values so far, in the order in which they are asked for."""

    __slots__ = ("at", "values")

    def __init__(self) -> None:
        self.values: list[Datum] = []
        self.at = 0

    def next(self, oid: int, arguments: tuple[Datum, ...]) -> Datum:
        if self.at == len(self.values):
            raise Asked(oid, arguments)
        self.at += 1
        return self.values[self.at - 1]


async def answered(
    session: Session,
    function: Callable[[Sequence[Any], Any, Any], Any],
    params: Sequence[Datum],
    row: Any = None,
) -> Any:
    """A function of Python's, of a row if there is one, that asks for routines' values."""
    answers = Answers()
    while True:
        before, session.answers, answers.at = session.answers, answers, 0
        try:
            return function(params, row, session)
        except Asked as found:
            asked = found
        finally:
            session.answers = before
        answers.values.append(await value(session, asked.oid, asked.arguments))


def routine(session: Session, oid: int) -> Function:
    found = own_functions.found(oid) or polymorphic.found(oid, session.catalog.get)
    if not isinstance(found, Function):
        raise ExecutionError("42883", f"cache lookup failed for function {oid}")
    return found


async def value(session: Session, oid: int, arguments: Sequence[Datum]) -> Datum:
    """A call's value: a datum of the routine's result type."""
    f = routine(session, oid)
    (row,) = await routines.run(session, f, arguments)
    fields = routines.columns(f)
    if fields is None:
        return row[0] if row is not None else None
    if row is None:
        return None
    settings = session.type_settings
    return t.join_record(
        [
            None if x is None else t.output_text(x, ref, settings)
            for x, (_, ref) in zip(row, fields, strict=True)
        ]
    )


# --- statements ---------------------------------------------------------------------------------------------


async def run_statement(
    session: Session, compiled: CompiledPlan, plan: Plan, params: tuple[Datum, ...], autocommit: bool
) -> Result:
    """A query or DML statement that calls routines. What it finds is complete when it is answered."""
    if session.block is not None or not autocommit:
        if session.block is None:
            session.open_block(implicit=True)
        return await _in_block(session, compiled, plan, params)

    async def run(block: Block) -> Result:
        now = session.compiled(plan) if block.again else compiled
        return await _in_block(session, now, plan, params)

    return await taking_turns.retried(session, run)


async def _in_block(
    session: Session, compiled: CompiledPlan, plan: Plan, params: tuple[Datum, ...]
) -> Result:
    with around_statement(session, compiled.plan):
        return await _called_in_course(session, compiled, plan, params)


async def _called_in_course(
    session: Session, compiled: CompiledPlan, plan: Plan, params: tuple[Datum, ...]
) -> Result:
    if compiled.running is not None:
        row = await answered(session, compiled.running, params)
        return Rows("SELECT 1", plan.columns, (tuple(row),))
    assert session.block is not None
    body = compiled.plan.body
    async with asked(session, () if isinstance(body, Query | LockingQuery) else written(body)):
        result = await session.run_in(session.block, compiled, plan, params)
        if isinstance(result, Stream):
            rows = [tuple(row) async for row in rows_of(result)]
            return Rows(f"{result.tag} {len(rows)}", result.columns, rows)
        return result


@asynccontextmanager
async def asked(session: Session, tables: Sequence[Table]) -> AsyncGenerator[None]:
    """Around queries that may call routines, and a statement that writes these tables. Raises what a routine has raised."""
    session.routine_error = None
    around, asking = session.writing, session.asking
    session.askings_begun += 1
    session.asking = Asking(session, session.askings_begun)
    session.writing = around | {x.oid for x in tables}
    try:
        yield
    except SqlError:
        if session.routine_error is not None:
            raise session.routine_error from None
        raise
    finally:
        ended, session.asking = session.asking, asking
        session.routine_error, session.writing = None, around
        await ended.end(session)


def written(body: Body) -> list[Table]:
    """The tables that a statement writes."""
    parts: list[Any] = [body.body, *(w.body for w in body.writes)] if isinstance(body, WithWrites) else [body]
    return [p.table for p in parts if not isinstance(p, Query | LockingQuery)]


async def call(session: Session, plan: Plan, s: st.Call, params: Sequence[Any], autocommit: bool) -> Rows:
    """CALL as a statement of its own. Raises what the procedure raises."""
    alone = session.block is None and autocommit
    async with block_at_hand(session, autocommit):
        row = await _called(session, plan, tuple(params), atomic=not alone)
    return Rows("CALL", plan.columns, [row] if plan.columns is not None else ())


async def _called(
    session: Session, plan: Plan, params: tuple[Datum, ...], *, atomic: bool
) -> tuple[Datum, ...]:
    inner: Plan = plan.extra["query"]
    f: Function = inner.extra["procedure"]
    rows = await first_rows(await session.run_plan(inner, params, autocommit=False), 1)
    (row,) = await routines.run(session, f, rows[0][: len(f.inputs)], atomic=atomic)
    return row if row is not None else ()


async def call_in_body(walk: Walk, step: pl.Call) -> None:
    """CALL in a body: what INOUT parameters become goes to the variables that were given for them."""
    planned = walk.planned(step.text, expression=False)
    refuse(planned.plan)
    inner: Plan = planned.plan.extra["query"]
    f: Function = inner.extra["procedure"]
    targets: list[tuple[pl.Target, TypeRef, str]] = []
    given: tuple[int, ...] = inner.extra["procedure_given"]
    for i, p in enumerate(f.parameters):
        if p.mode not in "ob":
            continue
        target = step.arguments[given.index(i)] if i in given else None
        if target is None:
            raise Misplaced(
                "42601",
                f'procedure parameter "{p.name}" is an output parameter but corresponding argument is not writable',
            )
        variable = walk.code.declared.get(target.slot)
        if variable is not None and variable.constant:
            raise Misplaced("22005", f'variable "{variable.name}" is declared CONSTANT')
        targets.append((target, TypeRef(p.type.oid), p.name))
    params = walk.given(planned.places)
    try:
        row = await _called(walk.session, planned.plan, params, atomic=walk.atomic or walk.in_subtransaction)
    except SqlError as error:
        raise walk.located(error, step.text, 0) from None
    for (target, ref, name), item in zip(targets, row, strict=False):
        await walk.put_into((target,), (name,), (ref,), (item,))


# --- what DuckDB asks -----------------------------------------------------------------------------------------


async def _texts_of(session: Session, f: Function, declared: str, texts: Sequence[str | None]) -> list[Any]:
    settings = session.type_settings
    given = [
        None if x is None else t.input_text(x, TypeRef(p.type.oid), settings)
        for x, p in zip(texts, f.inputs, strict=True)
    ]
    described = [("", TypeRef(int(oid))) for oid in declared.split(", ")] if declared else None
    return await routines.run(session, f, given, described)


def _output(session: Session, datum: Datum, ref: TypeRef) -> str | None:
    return None if datum is None else t.output_text(datum, ref, session.type_settings)


async def _value(session: Session, f: Function, declared: str, texts: Sequence[str | None]) -> str | None:
    (row,) = await _texts_of(session, f, declared, texts)
    if row is None:
        return None
    if f.result.oid == t.VOID:
        return ""
    fields = routines.columns(f)
    if fields is None:
        return _output(session, row[0], TypeRef(f.result.oid))
    return _record(session, row, fields)


def _record(session: Session, row: Sequence[Datum], fields: Sequence[tuple[str, TypeRef]]) -> str:
    return t.join_record([_output(session, x, ref) for x, (_, ref) in zip(row, fields, strict=True)])


async def _array(session: Session, f: Function, declared: str, texts: Sequence[str | None]) -> str:
    from planner.types.arrays import join_array

    rows = await _texts_of(session, f, declared, texts)
    fields = routines.columns(f)
    if fields is None:
        return join_array([_output(session, row[0], TypeRef(f.result.oid)) for row in rows])
    nothing: Sequence[Datum] = [None] * len(fields)
    return join_array([_record(session, row if row is not None else nothing, fields) for row in rows])


async def _rows(session: Session, f: Function, declared: str, texts: Sequence[str | None]) -> list[str]:
    rows = await _texts_of(session, f, declared, texts)
    if f.result.oid == t.VOID:
        return ['("")']
    types = (
        [TypeRef(int(oid)) for oid in declared.split(", ")]
        if declared
        else [ref for _, ref in routines.columns(f) or [("", TypeRef(f.result.oid))]]
    )
    nothing: Sequence[Datum] = [None] * len(types)
    return [
        t.join_record(
            [
                _output(session, x, ref)
                for x, ref in zip(row if row is not None else nothing, types, strict=True)
            ]
        )
        for row in rows
    ]


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
            if asking.own is not session.own:
                raise ExecutionError(
                    "0A000", "functions that run are not supported in such a statement of a function"
                )
            yield
    finally:
        asking.tasks.discard(task)


async def _one_after_another(
    executor: Executor, ask: Callable[..., Any], asked: Sequence[tuple[Any, ...]]
) -> list[Any]:
    """What DuckDB asks for a batch of rows; calls of one query never overlap, whichever threads they come from."""
    found: list[Any] = []
    for (number, pid), calls in groupby(asked, key=itemgetter(3, 4)):
        session = executor.sessions[pid]
        INSIDE.set(session.pid)
        async with _asking(session, number):
            for oid, declared, texts, *_ in calls:
                found.append(await _asked_for(executor, session, ask, int(oid), declared, texts))
    return found


async def _asked_for(
    executor: Executor, session: Session, ask: Callable[..., Any], oid: int, declared: str, texts: Any
) -> Any:
    if session.block is None:
        raise ExecutionError(
            "0A000",
            "functions that run are not supported in such a statement outside of a transaction block",
        )
    if session.interrupted:
        raise ExecutionError("57014", "canceling statement due to user request")
    if session.routines_inside >= INSIDE_MAX or executor.routines_inside >= _NESTED_MAX:
        raise ExecutionError(
            "54001",
            "stack depth limit exceeded",
            detail=f"Queries may wait for each other's functions {INSIDE_MAX} deep.",
        )
    session.routines_inside += 1
    executor.routines_inside += 1
    try:
        return await ask(session, routine(session, oid), declared, texts)
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
            work = _one_after_another(executor, ask or Folds().folded, asked)
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


__all__ = ["Asked", "answered", "call", "call_in_body", "install", "run_statement", "value"]
