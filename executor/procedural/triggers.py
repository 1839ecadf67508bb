"""Trigger functions: what whoever fires a trigger calls.

    fire(session, routine, TriggerContext(...))  ->  the row that goes on, or None

`routine` is the catalog's `Function` with `language` "plpgsql" and `result` of type trigger. The session is in a block
(`session.block`), be it an implicit one; what the function does is done in that block. Rows are datums in the order of the
table's columns. Of a row-level trigger the answer is the row that the function returned (BEFORE INSERT OR UPDATE, INSTEAD OF: write
that one; it is OLD's or NEW's tuple itself where the function left it alone), and None for NULL: this row is left alone.
Of AFTER triggers and statement-level ones the answer is to be ignored.

Errors are raised as they are, with their context; nothing is rolled back here.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from executor.abc import ExecutionError
from executor.procedural.frame import Code, Frame, code_of
from executor.procedural.programs import kept
from executor.procedural.result_rows import first_rows
from executor.procedural.routines import DEPTH_MAX, STACK
from executor.procedural.walk import RETURN, Returns, Walk
from executor.session.acting import around
from executor.session.blocks.looking_back import around_routine
from planner import types as t
from planner.abc import Plan, Table, TypeRef
from planner.binding.routines.variables import Kind, Shape
from planner.catalog import Catalog, Function
from planner.ddl.routines import procedural
from planner.ddl.routines.declarations import Declarations, shape_of_table
from planner.parse.plpgsql.program import TRIGGER_NAMES
from planner.statements import plpgsql as pl
from storage.abc import Row

if TYPE_CHECKING:
    from executor.session.session import Session


@dataclass(frozen=True, slots=True)
class TriggerContext:
    """What a trigger function knows of why it was called."""

    name: str
    """TG_NAME"""
    when: str
    """TG_WHEN: BEFORE, AFTER, INSTEAD OF"""
    level: str
    """TG_LEVEL: ROW, STATEMENT"""
    op: str
    """TG_OP: INSERT, UPDATE, DELETE, TRUNCATE"""
    table: Table
    """TG_RELID and TG_TABLE_NAME; NEW and OLD are its rows."""
    schema: str
    """TG_TABLE_SCHEMA"""
    arguments: Sequence[str] = ()
    """TG_ARGV"""
    new: Row | None = None
    old: Row | None = None
    transition: Mapping[str, Sequence[Row]] = field(default_factory=dict)
    """By the names of REFERENCING: rows of the table."""


async def fire(session: Session, routine: Function, context: TriggerContext) -> Row | None:
    """Runs a trigger function. Raises what it raises; 2F005 where it ends without RETURN, 42804 for a row of another shape."""
    if session.routine_depth >= DEPTH_MAX:
        raise ExecutionError("54001", "stack depth limit exceeded")
    session.routine_depth += 1
    try:
        fire = _fire_apart if routine.is_apart else _fire
        if session.earlier is not None:
            fire = partial(_fire_now, fire)
        work = fire(session, routine, context)
        if session.routine_depth % STACK:
            return await work
        return await asyncio.create_task(work)
    finally:
        session.routine_depth -= 1


async def _fire_now(
    fire: Callable[..., Coroutine[Any, Any, Row | None]], session: Session, *given: Any
) -> Row | None:
    """Within a statement that remembers what it saw when it began: a trigger sees what has been written since."""
    with around_routine(session, True):
        return await fire(session, *given)


async def _fire_apart(session: Session, routine: Function, context: TriggerContext) -> Row | None:
    with around(session, routine):
        return await _fire(session, routine, context)


async def _fire(session: Session, routine: Function, context: TriggerContext) -> Row | None:
    code = _code(session, routine, context)
    frame = Frame(code)
    values, first = frame.values, code.program.outer.slots["new"]
    table = context.table
    arguments = list(context.arguments)
    values[first : first + len(TRIGGER_NAMES)] = [
        context.new, context.old, context.name, context.when, context.level, context.op, table.oid, table.name, table.name,
        context.schema, len(arguments), t.array_datum(arguments, t.TEXT_ARRAY) if arguments else None,
    ]  # fmt: skip
    if arguments:  # they count from 0
        shown = t.output_text(values[first + 11], TypeRef(t.TEXT_ARRAY))
        values[first + 11] = t.input_text(f"[0:{len(arguments) - 1}]={shown}", TypeRef(t.TEXT_ARRAY))
    walk = Walk(session, code, frame)
    walk.returns = _TriggerReturns(code, context)
    if await walk.whole() is not RETURN:
        error = ExecutionError("2F005", "control reached end of trigger procedure without RETURN")
        error.context = f"PL/pgSQL function {code.shown}"
        raise error
    return walk.result  # type: ignore[no-any-return]


def _code(session: Session, f: Function, context: TriggerContext) -> Code:
    """The function's program over this table's rows, of which there are both, or one, or none."""
    table = context.table

    def made(seen: Catalog) -> Code:
        path = session.search_path()
        seen.get(table.oid)  # whose rows these are
        shape, text = shape_of_table(table), TypeRef(t.TEXT)
        new, old = (replace(shape, absent=row is None) for row in (context.new, context.old))
        kinds: list[Kind] = [
            TypeRef(t.BOOL), new, old, text, text, text, text, TypeRef(t.OID), text, text, text, TypeRef(t.INT4),
            TypeRef(t.TEXT_ARRAY),
        ]  # fmt: skip
        with procedural.compiling(f):
            found = Declarations(seen, path, procedural.program_of(f), kinds, f.name)
        return code_of(found, procedural.shown(f, seen, path), reads_only=f.volatility != "v")

    return kept(session, (f.oid, table.oid, context.new is None, context.old is None), f, made)


class _TriggerReturns(Returns):
    """RETURN NEW, OLD, NULL, or a row of the same shape."""

    def __init__(self, code: Code, context: TriggerContext) -> None:
        self._context = context
        shape = code.kinds[code.program.outer.slots["new"]]
        assert isinstance(shape, Shape)
        self._types = shape.types

    async def value(self, walk: Walk, text: pl.Text, whole: int) -> Row | None:
        frame = walk.frame
        if self._context.level == "STATEMENT":
            return None
        if whole >= 0:
            kind, row = frame.kinds[whole], frame.values[whole]
            if isinstance(kind, TypeRef):
                raise ExecutionError(
                    "42804", "cannot return non-composite value from function returning composite type"
                )
            if row is None or kind is None:
                return None
            return await self._fitted(walk, kind.types, row)
        if text.text.strip().lower() == "null":
            return None
        query = pl.Text(f"SELECT ({text.text}).*", text.start, text.number, text.names, text.seen)
        plan, result = await walk.statement(query)
        rows = await first_rows(result, 1)
        return await self._fitted(walk, [c.type for c in plan.columns or ()], rows[0]) if rows else None

    async def _fitted(self, walk: Walk, types: Sequence[TypeRef], row: Sequence[Any]) -> Row:
        wanted = self._types
        if len(types) != len(wanted) or any(a.oid != b.oid for a, b in zip(types, wanted, strict=True)):
            detail = ""
            if len(types) != len(wanted):
                detail = f"Number of returned columns ({len(types)}) does not match expected column count ({len(wanted)})."
            message = "returned row structure does not match the structure of the triggering table"
            raise ExecutionError("42804", message, detail=detail)
        return tuple(row)

    def of_outputs(self, walk: Walk) -> Any:
        raise AssertionError("a trigger function has no OUT parameters")

    async def rows(self, walk: Walk, plan: Plan, result: Any) -> int:
        raise AssertionError("the grammar refuses RETURN QUERY")

    async def last(self, walk: Walk, plan: Plan, result: Any) -> None:
        raise AssertionError("a trigger function is not in SQL")


__all__ = ["TriggerContext", "fire"]
