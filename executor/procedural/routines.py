"""One run of a routine: arguments into slots, the program walked, what it returned.

What a run comes to are rows: tuples of the columns that the routine returns, of one column where that is a single value. A routine
that returns no set has one row; None instead of a row is a NULL of a composite type.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from executor.abc import ExecutionError, Rows, Stream
from executor.procedural.frame import Code, Frame, code_of
from executor.procedural.inside import STEADY
from executor.procedural.misplaced import Misplaced
from executor.procedural.programs import kept
from executor.procedural.result_rows import columns_of, rows_of
from executor.procedural.texts import same
from executor.procedural.undescribed import UndescribedReturns
from executor.procedural.walk import RETURN, Ended, Returns, Walk
from executor.procedural.whole_rows import WholeRow, recorded, whole_row
from executor.replication import functions as replication
from executor.session import large_objects, server_files, tables, xml_documents
from executor.session.acting import around
from executor.session.blocks.looking_back import around_routine
from planner import types as t
from planner.abc import Plan, ResultColumn, SqlError, TypeRef, Utility
from planner.binding.records import told_type
from planner.binding.routines.bodies import unlike
from planner.binding.routines.variables import Kind, Shape, kind_of
from planner.catalog import (
    Catalog,
    Function,
    server_functions,
    slot_functions,
    table_functions,
    xml_functions,
)
from planner.catalog.user_types import shown
from planner.ddl.routines import procedural
from planner.errors import UndescribedRecord
from planner.statements import plpgsql as pl
from planner.statements.tables import CreateTableAs
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session

DEPTH_MAX: Final = 400
"""Routines that run inside of each other."""
NO_QUERY: Final = "Function's final statement must be SELECT or INSERT/UPDATE/DELETE RETURNING."
_CASTING: Final = "while casting return value to function's return type"
STACK: Final = 8
"""So many share a task: Python's stack is as deep as they are."""
Row = tuple[Datum, ...] | None


def columns(f: Function, catalog: Catalog) -> list[tuple[str, TypeRef]] | None:
    """The columns of a routine that returns rows, as this catalog has its type; None for one of single values, and for a record that
    its caller describes."""
    if f.result.oid == t.RECORD:
        return [(p.name, TypeRef(p.type.oid)) for p in f.outputs] or None
    with shown(catalog):
        fields = t.composite_fields(f.result.oid)
    return None if fields is None else list(fields)


def compiled(session: Session, f: Function) -> Code:
    """The routine's program with its types, as this session sees them. Raises what is wrong with it."""
    return kept(session, f.oid, f, lambda catalog: _looked_up(f, catalog, session.search_path()))


def _looked_up(f: Function, catalog: Catalog, path: tuple[str, ...]) -> Code:
    with shown(catalog), procedural.compiling(f):
        found = procedural.declared(f, procedural.program_of(f), catalog, path)
    code = code_of(found, procedural.shown(f, catalog, path), reads_only=f.volatility != "v")
    code.path = f.search_path if f.standard else ()
    if f.language == "plpgsql":  # in SQL there are no parameters of this type
        code.dynamic |= {i for i, p in enumerate(f.parameters) if p.type.oid == t.RECORD and p.mode in "ib"}
    code.inputs = [i for i, p in enumerate(f.parameters) if p.mode in "ibv"]
    code.tells_cursors = f.result.oid == t.REFCURSOR or any(p.type.oid == t.REFCURSOR for p in f.outputs)
    if f.result.oid != t.VOID and (f.result.oid != t.RECORD or columns(f, catalog) is not None):
        code.returns = RoutineReturns(catalog, f, None)
    return code


def _called(plan: Plan) -> str:
    """What a statement is called that returns no rows. A table made of a query says SELECT when it is done, and is none."""
    statement = plan.body.statement if isinstance(plan.body, Utility) else None
    if not isinstance(statement, CreateTableAs) or statement.materialized:
        return plan.tag
    made = plan.text.lstrip()[: len("create")].lower() == "create"
    return "CREATE TABLE AS" if made else "SELECT INTO"


def _kind(walk: Walk, ref: TypeRef) -> Kind:
    with shown(walk.session.catalog):
        return kind_of(ref)


class RoutineReturns(Returns):
    """What RETURN means in a function. `wanted`: the columns that are returned, or the one value's type."""

    def __init__(
        self, catalog: Catalog, f: Function, described: Sequence[tuple[str, TypeRef]] | None
    ) -> None:
        self.f = f
        found = list(described) if described is not None else columns(f, catalog)
        self.is_row = found is not None
        self.wanted = [ref for _, ref in found] if found is not None else [TypeRef(f.result.oid)]
        self.domains = [self.f.domain] if found is None else [p.domain for p in f.outputs]
        """Of the columns; empty for those of a composite type, of a record that its caller describes."""
        if not any(self.domains) or len(self.domains) != len(self.wanted):
            self.domains = []
        for i, domain in enumerate(self.domains):
            self.wanted[i] = procedural.fitting(catalog, self.wanted[i], domain)
        self.outputs = [i for i, p in enumerate(f.parameters) if p.mode not in "iv"]

    async def value(self, walk: Walk, text: pl.Text, whole: int) -> Row:
        frame = walk.frame
        if not self.is_row:
            value = await walk.value(text, self.wanted[0])
            if self.f.domain:
                walk.what = _CASTING
                await walk.obey(value, self.f.domain)
                value = await walk.converted(value, self.wanted[0], TypeRef(self.f.result.oid))
            return (value,)
        if whole >= 0 and not isinstance(frame.kinds[whole], TypeRef):
            kind = frame.kinds[whole]
            if kind is None:
                if frame.values[whole] is None:
                    return None
                raise AssertionError("a record with a value has fields")
            assert isinstance(kind, Shape)
            return await self._fitted(walk, kind.types, frame.values[whole])
        if text.text.strip().lower() == "null":
            return None
        composite = t.composite_fields(self.f.result.oid) is not None
        if composite and text.number not in walk.code.undescribed:
            try:
                value = await walk.value(text, TypeRef(self.f.result.oid))
            except UndescribedRecord:
                pass
            else:
                kind = _kind(walk, TypeRef(self.f.result.oid))
                assert isinstance(kind, Shape)
                return None if value is None else tuple(walk.fields_of(value, kind))
        found = await whole_row(walk, text)
        if found is None:
            await walk.value(text)  # its own errors come first
            raise ExecutionError(
                "42804", "cannot return non-composite value from function returning composite type"
            )
        return await self._fitted(walk, found.types, found.row)

    async def _fitted(self, walk: Walk, types: Sequence[TypeRef], row: Sequence[Any] | None) -> Row:
        if row is None:
            return None
        try:
            self._refuse_other(types, "returned record type does not match expected record type")
        except Misplaced:
            if walk.what == "RETURN":
                walk.what = _CASTING
            raise
        return await self._obedient(walk, row, types)

    async def _obedient(self, walk: Walk, row: Sequence[Any], types: Sequence[TypeRef]) -> tuple[Any, ...]:
        """The row as its columns' domains want it. Raises 22001, 22003, 23502, 23514."""
        made = list(row)
        for i, domain in enumerate(self.domains):
            if domain:
                made[i] = await walk.converted(made[i], types[i], self.wanted[i])
                await walk.obey(made[i], domain)
                made[i] = await walk.converted(made[i], self.wanted[i], TypeRef(self.wanted[i].oid))
        return tuple(made)

    def _refuse_other(self, types: Sequence[TypeRef], message: str) -> None:
        detail = ""
        for i, (a, b) in enumerate(zip(types, self.wanted, strict=False), 1):
            if not detail and a.oid != b.oid:
                shown = t.type_in_words(a.oid), t.type_in_words(b.oid)
                detail = f"Returned type {shown[0]} does not match expected type {shown[1]} in column {i}."
        if not detail and len(types) != len(self.wanted):
            detail = (
                f"Number of returned columns ({len(types)}) does not match expected column count "
                f"({len(self.wanted)})."
            )
        if detail:
            raise Misplaced("42804", message, detail=detail)

    def of_outputs(self, walk: Walk) -> Row:
        """What OUT parameters hold."""
        made = []
        for i in self.outputs:
            value, kind = walk.frame.values[i], walk.frame.kinds[i]
            if isinstance(kind, Shape):
                value = recorded(walk, WholeRow(kind.names, kind.types, value))
            made.append(value)
        return tuple(made)

    async def rows(self, walk: Walk, plan: Plan, result: Any) -> int:
        found = columns_of(plan, result)
        if found is None:
            raise Misplaced("42601", f"{_called(plan)} query does not return tuples")
        try:
            message = "structure of query does not match function result type"
            types = [c.type for c in found]
            self._refuse_other(types, message)
        except SqlError:
            if isinstance(result, Stream):
                result.close()
            raise
        count = 0
        async for row in rows_of(result):
            walk.emitted.append(await self._obedient(walk, row, types) if self.domains else tuple(row))
            count += 1
        return count

    async def last(self, walk: Walk, plan: Plan, result: Any) -> None:
        """What the last statement of a function in SQL finds."""
        found: Sequence[ResultColumn] | None = columns_of(plan, result)
        types = [c.type for c in found or ()]
        rows: list[Row] = []
        if detail := self._unlike(types, walk) if found is not None else NO_QUERY:
            if isinstance(result, Stream):
                result.close()
            declared = t.type_in_words(self.f.result.oid)
            raise ExecutionError(
                "42P13", f"return type mismatch in function declared to return {declared}", detail=detail
            )
        kind = _kind(walk, told_type(types[0])) if self._is_whole(types) else None
        async for row in rows_of(result):
            if self.f.returns_set or not rows:
                if isinstance(kind, Shape):
                    rows.append(None if row[0] is None else tuple(walk.fields_of(row[0], kind)))
                    continue
                made = []
                for value, ref, wanted in zip(row, types, self.wanted, strict=True):
                    made.append(value if same(ref, wanted) else await walk.converted(value, ref, wanted))
                rows.append(await self._obedient(walk, made, self.wanted))
        if self.f.returns_set:
            walk.emitted += rows
        else:
            if not rows and self.f.kind == "p":
                raise ExecutionError("XX000", "procedure returned null record")
            walk.result = rows[0] if rows else (None,) if not self.is_row else None

    def _is_whole(self, types: Sequence[TypeRef]) -> bool:
        """Whether the one column is the row that is returned, as it is."""
        if self.f.kind == "p":  # what it returns is a row of its output parameters, if it is one
            return False
        return self.is_row and len(types) == 1 and told_type(types[0]).oid == self.f.result.oid

    def _unlike(self, types: Sequence[TypeRef], walk: Walk) -> str:
        """In what way the last statement's columns are not what is returned, where nothing has looked at that when the routine
        was made, or its tables are others since; "": they are."""
        if self._is_whole(types):
            return ""
        return unlike(types, self.wanted, walk.session.catalog.casts, is_row=self.is_row)


class SqlWalk(Walk):
    """A function in SQL: statements one after the other."""

    def shown(self, text: pl.Text, shift: int) -> str:
        return ""  # the number of the statement says it

    def at(self, error: SqlError) -> SqlError:
        where = f'SQL function "{self.name}" statement {self.line}'
        error.context = f"{error.context}\n{where}" if error.context else where
        if error.position and not error.query:
            error.position = 0
        return error

    name = ""


async def run(
    session: Session,
    f: Function,
    arguments: Sequence[Datum],
    described: Sequence[tuple[str, TypeRef]] | None = None,
    *,
    atomic: bool = True,
) -> list[Row]:
    """Runs a routine in the session's block. Raises what it raises."""
    if f.strict and any(a is None for a in arguments):
        return [] if f.returns_set else [None if columns(f, session.catalog) is not None else (None,)]
    if session.routine_depth >= DEPTH_MAX:
        raise ExecutionError(
            "54001",
            "stack depth limit exceeded",
            detail=f"Routines may run inside of each other {DEPTH_MAX} deep.",
        )
    around = STEADY.set(_steady(session, f))
    session.routine_depth += 1
    try:
        run = _apart if f.is_apart else _run
        if session.earlier is not None:
            run = partial(_in_time, run)
        work = run(session, f, arguments, described, atomic)
        if session.routine_depth % STACK:
            return await work
        return await asyncio.create_task(work)
    finally:
        STEADY.reset(around)
        session.routine_depth -= 1


def _steady(session: Session, f: Function) -> int:
    """Who keeps the snapshot while this runs: a function that is not volatile has one, as of its call; each statement of any other its
    own (PostgreSQL's manual, 38.7)."""
    if f.volatility == "v":
        return 0
    if STEADY.get() != session.pid and session.block is not None:
        session.block.statement()
    return session.pid


async def _in_time(
    run: Callable[..., Coroutine[Any, Any, list[Row]]], session: Session, f: Function, *given: Any
) -> list[Row]:
    """As the statement that calls it saw the rows when it began, or as they are now."""
    with around_routine(session, f.volatility == "v"):
        return await run(session, f, *given)


async def _apart(
    session: Session, f: Function, arguments: Sequence[Datum], described: Sequence[tuple[str, TypeRef]] | None, atomic: bool
) -> list[Row]:  # fmt: skip
    """As its owner, or under its own settings. It may not end the transaction, as in PostgreSQL."""
    with around(session, f):
        return await _run(session, f, arguments, described, True)


async def _run(
    session: Session, f: Function, arguments: Sequence[Datum], described: Sequence[tuple[str, TypeRef]] | None, atomic: bool
) -> list[Row]:  # fmt: skip
    if f.language == "internal":
        if f.oid in slot_functions.functions():
            return [*await replication.call(session, f, arguments)]
        if f.oid in server_functions.functions():
            return [*await server_files.call(session, f, arguments)]
        if f.oid in xml_functions.functions():
            return [(await xml_documents.call(session, f, arguments),)]
        if f.oid in table_functions.functions():
            return [*await tables.call(session, f, arguments, described or columns(f, session.catalog) or ())]
        return [(await large_objects.call(session, f, arguments),)]
    code = compiled(session, f)
    frame = Frame(code)
    returns = code.returns
    if f.result.oid == t.RECORD and described is None and returns is None:
        returns = UndescribedReturns(f)
    elif f.result.oid != t.VOID and (described is not None or returns is None):
        returns = RoutineReturns(session.catalog, f, described)
    if f.language == "sql":
        walk: Walk = SqlWalk(session, code, frame, atomic=True)
        walk.name = f.name  # type: ignore[attr-defined]
    else:
        walk = Walk(session, code, frame, atomic=atomic)
    walk.tells_cursors = code.tells_cursors
    for i, value in zip(code.inputs, arguments, strict=True):
        kind = code.kinds[i]
        if value is not None and isinstance(kind, Shape):
            value = tuple(walk.fields_of(value, kind))
        elif value is None and kind == TypeRef(t.RECORD):
            frame.kinds[i] = None  # of no fields yet
        frame.values[i] = value
    walk.returns = returns
    ended: Ended = await walk.whole()
    if returns is None:  # of a function in SQL NULL, in PL/pgSQL an empty value
        return [(None if f.language == "sql" else "",)]
    if f.returns_set:
        return walk.emitted
    if f.language == "sql":
        return [walk.result]
    if returns.outputs and (f.kind == "p" or f.result.oid == t.RECORD or len(returns.outputs) == 1):
        return [returns.of_outputs(walk)]
    if ended is not RETURN:
        error = ExecutionError("2F005", "control reached end of function without RETURN")
        error.context = f"PL/pgSQL function {code.shown}"
        raise error
    return [walk.result]


__all__ = ["DEPTH_MAX", "STACK", "RoutineReturns", "Rows", "columns", "compiled", "run"]
