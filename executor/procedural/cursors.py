"""Cursors of a program: a variable's value is the name of what is open, whose rows come one by one.

They are the program's own: when it ends they are closed, and no FETCH of SQL reads them. Those of a function that returns a `refcursor`
become the session's, as if DECLARE had made them, and stay open until the transaction ends:

    SELECT f()  ->  <unnamed portal 1>          FETCH ALL IN "<unnamed portal 1>"
"""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from executor.abc import ExecutionError, Prepared, Rows, Stream
from executor.procedural.assigning import AssignSteps
from executor.procedural.inside import INSIDE
from executor.procedural.texts import columns_of, kept, rows_of
from executor.session.cursors import CursorPortal, CursorRows, advance
from planner.abc import Plan, Query, TypeRef
from planner.statements import plpgsql as pl


@dataclass(slots=True)
class Open:
    """A cursor that is open."""

    names: Sequence[str]
    types: Sequence[TypeRef]
    rows: AsyncGenerator[Any, None]
    plan: Plan
    result: Rows | Stream


class LeftOpen(CursorRows):
    """What has not been fetched yet of a function's cursor."""

    def __init__(self, cursor: Open, rows_max: int) -> None:
        super().__init__(Rows(""), (), rows_max)
        self._from: AsyncGenerator[Any, None] | None = cursor.rows
        self._result = cursor.result

    async def draw(self, count: int | None) -> None:
        while self._from is not None and (count is None or len(self.rows) < count):
            row = await anext(self._from, None)
            if row is None:
                self._from = None
                return
            self.rows.append(tuple(row))
            self.refuse_more()

    def close(self) -> None:
        self._from = None
        if isinstance(self._result, Stream):
            self._result.close()


class CursorSteps(AssignSteps):
    """What a `Walk` does of OPEN, FETCH, MOVE and CLOSE."""

    line: int
    what: str
    found: int
    atomic: bool
    cursors: dict[str, Open]

    async def dynamically(self, what: pl.Dynamically) -> Any:
        raise NotImplementedError

    async def open_cursor(self, step: pl.OpenCursor) -> str | None:
        self.line, self.what = step.line, "OPEN"
        name = self.frame.values[step.slot]
        variable = self.code.declared.get(step.slot)
        if name is None:
            bound = variable is not None and variable.query is not None
            if variable is not None and variable.constant and not bound:
                raise ExecutionError("22005", f'variable "{variable.name}" is declared CONSTANT')
            if bound:
                name = self.code.names[step.slot]
            else:
                self.session.unnamed_portals += 1
                name = f"<unnamed portal {self.session.unnamed_portals}>"
        if name in self.cursors or name in self.session.portals:
            raise ExecutionError("42P03", f'cursor "{name}" already in use')
        if step.query is None:
            plan, result = await self.opened(step)
        elif isinstance(step.query, pl.Dynamically):
            plan, result = await self.dynamically(step.query)
        else:
            plan, result = await self.statement(step.query)
        columns = columns_of(plan, result)
        if columns is None:
            raise ExecutionError("42P11", f"cannot open {plan.tag} query as cursor")
        rows = rows_of(result)
        if not self.atomic:
            rows = kept([row async for row in rows])  # a COMMIT is none of theirs
        self.cursors[name] = Open([c.name for c in columns], [c.type for c in columns], rows, plan, result)
        self.frame.values[step.slot] = name
        return None

    def _named(self, slot: int) -> str:
        name = self.frame.values[slot]
        if name is None:
            raise ExecutionError("22004", f'cursor variable "{self.code.names[slot]}" is null')
        if name not in self.cursors and "cursor" not in getattr(self.session.portals.get(name), "extra", ()):
            raise ExecutionError("34000", f'cursor "{name}" does not exist')
        return str(name)

    async def fetch_cursor(self, step: pl.FetchCursor) -> str | None:
        self.line, self.what = step.line, "FETCH" if step.into is not None else "MOVE"
        name = self._named(step.slot)
        cursor = self.cursors.get(name)
        names: Sequence[str]
        types: Sequence[TypeRef]
        if cursor is not None:
            row, names, types = await anext(cursor.rows, None), cursor.names, cursor.types
        else:  # another function's, or one that DECLARE has made
            portal = self.session.portals[name]
            columns = portal.prepared.plan.columns or ()
            found = await advance(portal, 1)
            row, names, types = (
                found[0] if found else None,
                [c.name for c in columns],
                [c.type for c in columns],
            )
        self.frame.values[self.found] = row is not None
        if step.into is not None:
            await self.put_into(step.into.targets, names, types, row)
        return None

    async def close_cursor(self, step: pl.CloseCursor) -> str | None:
        self.line, self.what = step.line, "CLOSE"
        name = self._named(step.slot)
        cursor = self.cursors.pop(name, None)
        if cursor is not None:
            await cursor.rows.aclose()
        else:
            self.session.portals.pop(name).close()
        return None

    async def leave_open(self) -> None:
        """The program is over, and tells its caller of its cursors. Raises 54000."""
        session = self.session
        for name in list(self.cursors):
            if len(session.portals) >= session.executor.limits.portals_per_session_max:
                raise ExecutionError("54000", "too many open cursors")
            cursor = self.cursors[name]
            if INSIDE.get():  # who waits for it has the threads that it would be read by
                cursor.rows = kept([row async for row in cursor.rows])
            plan = dataclasses.replace(
                cursor.plan, columns=tuple(columns_of(cursor.plan, cursor.result) or ())
            )
            prepared = Prepared("", plan.text, plan, plan.parameters, True)
            portal = CursorPortal(name, prepared, (), from_sql=True)
            portal.advance = partial(advance, portal)
            portal.extra.update(
                cursor=LeftOpen(cursor, session.executor.limits.cursor_rows_max), scroll=None, hold=False, binary=False,
                query=isinstance(plan.body, Query), declared_us=session.statement_began_ns // 1000,
            )  # fmt: skip
            session.portals[name] = portal
            del self.cursors[name]

    async def close_all(self) -> None:
        """The program is over."""
        for cursor in self.cursors.values():
            await cursor.rows.aclose()
        self.cursors.clear()

    async def opened(self, cursor: pl.OpenCursor) -> Any:
        """The query of a bound cursor, run with its arguments. Raises 42601."""
        v = self.code.declared[cursor.slot]
        assert v.query is not None
        if len(cursor.arguments) != len(v.arguments):
            name = v.name
            if not v.arguments:
                raise ExecutionError("42601", f'cursor "{name}" has no arguments')
            few = "not enough" if len(cursor.arguments) < len(v.arguments) else "too many"
            raise ExecutionError("42601", f'{few} arguments for cursor "{name}"')
        for argument, text in zip(v.arguments, cursor.arguments, strict=True):
            kind = self.code.kinds[argument.slot]
            if not isinstance(kind, TypeRef):
                raise ExecutionError("0A000", "records as arguments of cursors are not supported")
            self.frame.values[argument.slot] = await self.value(text, kind)
        return await self.statement(v.query)


__all__ = ["CursorSteps", "Open"]
