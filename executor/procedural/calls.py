"""Statements that call routines: SELECT f(x), CALL p(x), and whatever DuckDB asks in the course of a query.

    SELECT f(1) + f(2)     a function of Python's, which raises `Asked` where it needs a value that is not known yet; the routine
                           is run, and it begins anew with one value more
    SELECT f(x) FROM t     DuckDB calls tw_routine on a thread of its own, which waits for the event loop (`asked`)
    CALL p(1)              its arguments are a query; the procedure may end the transaction where CALL is one of its own

Such a statement is always in a block: what its routines write is committed with it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from executor.abc import ExecutionError, Result, Rows, Stream
from executor.keyed.plans import CompiledPlan
from executor.procedural import routines
from executor.procedural.misplaced import Misplaced, refuse
from executor.procedural.result_rows import first_rows, rows_of
from executor.procedural.walk import Walk
from executor.session.blocks.looking_back import around_statement
from executor.session.blocks.own_block import block_at_hand
from executor.session.locks import taking_turns
from planner import statements as st
from planner import types as t
from planner.abc import Body, LockingQuery, Plan, Query, SqlError, Table, TypeRef, WithWrites
from planner.catalog import Function, own_functions, polymorphic
from planner.statements import plpgsql as pl
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session


class Asked(Exception):
    """A routine's value that is not known yet."""

    def __init__(self, oid: int, arguments: tuple[Datum, ...]) -> None:
        self.oid, self.arguments = oid, arguments


class Asking:
    """A statement whose query asks for routines, one at a time; none of them outlives it, and none comes after it."""

    __slots__ = ("depth", "lock", "number", "own", "renews", "tasks")

    def __init__(self, session: Session, number: int, *, renews: bool = False) -> None:
        self.number, self.own, self.depth = number, session.own, session.routine_depth
        self.renews = renews  # what it asks for sees what has been committed meanwhile
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
    fields = routines.columns(f, session.catalog)
    if fields is None:
        return row[0] if row is not None else None
    if row is None:
        return None
    settings = session.type_settings.exact
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
    tables = () if isinstance(body, Query | LockingQuery) else written(body)
    async with asked(session, tables, renews=isinstance(body, Query) and not body.relations):
        with session.under_way_with(compiled.plan):
            result = await session.run_in(session.block, compiled, plan, params)
            if isinstance(result, Stream):
                rows = [tuple(row) async for row in rows_of(result)]
                return Rows(f"{result.tag} {len(rows)}", result.columns, rows)
            return result


@asynccontextmanager
async def asked(session: Session, tables: Sequence[Table], *, renews: bool = False) -> AsyncGenerator[None]:
    """Around queries that may call routines, and a statement that writes these tables. `renews`: it reads nothing of its own.
    Raises what a routine has raised."""
    session.routine_error = None
    around, asking = session.writing, session.asking
    session.askings_begun += 1
    session.asking = Asking(session, session.askings_begun, renews=renews)
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


__all__ = ["Asked", "Asking", "answered", "call", "call_in_body", "routine", "run_statement", "value"]
