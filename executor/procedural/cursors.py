"""Cursors of a program: a variable's value is the name of what is open, whose rows come one by one.

They are the program's own: when it ends they are closed, and no FETCH of SQL reads them; routines that it calls may be given
their names. Those of a function that returns a `refcursor`
become the session's, as if DECLARE had made them, and stay open until the transaction ends:

    SELECT f()  ->  <unnamed portal 1>          FETCH ALL IN "<unnamed portal 1>"
"""

from __future__ import annotations

import dataclasses
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from executor.abc import ExecutionError, Prepared, Rows, Stream
from executor.procedural.assigning import AssignSteps
from executor.procedural.inside import INSIDE
from executor.procedural.result_rows import columns_of, kept, rows_of
from executor.session import positioned
from executor.session.acting import is_apart
from executor.session.cursors import CursorPortal, CursorRows, advance, move, moved, shown_columns
from executor.session.locks.fetched_rows import LockingStream
from planner import types as t
from planner.abc import Plan, Query, TypeRef
from planner.statements import TypeName
from planner.statements import plpgsql as pl

_INT4 = TypeRef(t.INT4)


@dataclass(slots=True)
class Open:
    """A cursor that is open."""

    names: Sequence[str]
    types: Sequence[TypeRef]
    rows: Drawn
    plan: Plan
    result: Rows | Stream
    scroll: bool | None
    keeps: bool
    """Whether rows that are drawn can be asked for again."""
    failed: bool = False
    """An error is the last thing that a cursor says."""
    pinned: bool = False
    """A loop goes through it, which closes it in the end."""


class Drawn(CursorRows):
    """The rows of a function's cursor, drawn as they are needed; kept if anybody may ask for them again."""

    def __init__(
        self, rows: AsyncGenerator[Any, None], result: Rows | Stream, rows_max: int, shown: int | None
    ) -> None:
        super().__init__(Rows(""), (), rows_max, shown)
        self._from: AsyncGenerator[Any, None] | None = rows
        self._result = result
        self._last: Sequence[Any] | None = None

    async def next(self, *, keeping: bool) -> Sequence[Any] | None:
        """The next row."""
        if keeping:
            found = await self.fetch("forward", 1)
            return found[0] if found else None
        self._last = await anext(self._from, None) if self._from is not None else None
        return self._last if self._last is None or self._shown is None else self._last[: self._shown]

    @property
    def current(self) -> Sequence[Any] | None:
        """The row on which the cursor stands."""
        if self.position:
            return self.rows[self.position - 1] if self.position <= len(self.rows) else None
        return self._last

    def replace(self, row: tuple[Any, ...]) -> None:
        if self.position:
            super().replace(row)
        else:
            self._last = row

    async def aclose(self) -> None:
        rows, self._from = self._from, None
        if rows is not None:
            await rows.aclose()

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


def _is_cursor(variable: pl.Variable | None, kind: Any) -> bool:
    """Whether a slot's value is the name of a cursor; `variable`: None of a parameter's."""
    if variable is None:
        return isinstance(kind, TypeRef) and kind.oid == t.REFCURSOR
    said = variable.kind
    return isinstance(said, TypeName) and said.names[-1] == "refcursor"


class CursorSteps(AssignSteps):
    """What a `Walk` does of OPEN, FETCH, MOVE and CLOSE."""

    line: int
    what: str
    found: int
    atomic: bool
    cursors: dict[str, Open]
    row_count: int
    tells_cursors: bool

    async def dynamically(self, what: pl.Dynamically) -> Any:
        raise NotImplementedError

    async def open_cursor(self, step: pl.OpenCursor, what: str = "OPEN") -> str | None:
        self.line, self.what = step.line, what
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
        if self._open(name) is not None or name in self.session.portals:
            raise ExecutionError("42P03", f'cursor "{name}" already in use')
        if step.query is None:
            plan, result = await self.opened(step)
        elif isinstance(step.query, pl.Dynamically):
            plan, result = await self.dynamically(step.query)
        else:
            placed = self.code.program.at_cursors or self.tells_cursors
            plan, result = await self.statement(step.query, drawn=1, placed=placed)
        columns = columns_of(plan, result)
        if columns is None:
            raise ExecutionError("42P11", f"cannot open {plan.tag} query as cursor")
        if "placed" in plan.extra:
            columns = shown_columns(plan) or ()
        rows = rows_of(result)
        if not self.atomic and self.code.program.ends:
            rows = kept([row async for row in rows])  # a COMMIT is none of theirs
        shown = len(columns) if "placed" in plan.extra else None
        drawn = Drawn(rows, result, self.session.executor.limits.cursor_rows_max, shown)
        names, types = [c.name for c in columns], [c.type for c in columns]
        keeps = self.code.program.scrolls or self.tells_cursors
        self.cursors[name] = Open(names, types, drawn, plan, result, step.scroll, keeps)
        self.session.routine_cursors[name] = self.cursors
        self.frame.values[step.slot] = name
        return None

    def _named(self, slot: int) -> str:
        name = self.frame.values[slot]
        if name is None:
            raise ExecutionError("22004", f'cursor variable "{self.code.names[slot]}" is null')
        if self._open(name) is None and "cursor" not in getattr(self.session.portals.get(name), "extra", ()):
            raise ExecutionError("34000", f'cursor "{name}" does not exist')
        return str(name)

    def _open(self, name: str) -> Open | None:
        """A cursor of this program's, or of one that has called it."""
        return self.cursors.get(name) or self.session.routine_cursors.get(name, {}).get(name)

    def _forget(self, name: str) -> None:
        """It is open no more, or the session's from now on."""
        del self.session.routine_cursors.pop(name)[name]

    async def fetch_cursor(self, step: pl.FetchCursor) -> str | None:
        self.line, self.what = step.line, "FETCH" if step.into is not None else "MOVE"
        name = self._named(step.slot)
        rows = step.rows
        if step.count is not None:
            said = await self.value(step.count, _INT4)
            if said is None:
                raise ExecutionError("22004", "relative or absolute cursor position is null")
            rows = int(said)
        cursor = self._open(name)
        names: Sequence[str]
        types: Sequence[TypeRef]
        found: Sequence[Sequence[Any]]
        if cursor is not None:
            names, types = cursor.names, cursor.types
            if cursor.failed:
                raise ExecutionError("55000", f'portal "{name}" cannot be run')
            cursor.failed = True  # unless this goes well
            if step.direction == "forward" and rows == 1:
                row = await cursor.rows.next(keeping=cursor.keeps)
                found = [] if row is None else [row]
            elif not cursor.keeps:
                raise ExecutionError(
                    "0A000", f'scrolling in cursor "{name}" of another routine is not supported'
                )
            else:
                found = await moved(cursor.rows, cursor.scroll, step.direction, rows)
            cursor.failed = False
        else:  # another function's, or one that DECLARE has made
            portal = self.session.portals[name]
            columns = portal.prepared.plan.columns or ()
            found = await move(portal, step.direction, rows)
            names, types = [c.name for c in columns], [c.type for c in columns]
        self.row_count = len(found)
        self.frame.values[self.found] = bool(found)
        if step.into is not None:
            await self.put_into(step.into.targets, names, types, found[0] if found else None)
        return None

    def standing(self, slot: int, name: str) -> positioned.Standing:
        if slot >= 0 and _is_cursor(self.code.declared.get(slot), self.code.kinds[slot]):
            name = self._named(slot)
        cursor = self._open(name)
        if cursor is not None:
            return positioned.Standing(name, cursor.plan, cursor.rows.current, cursor.rows.replace)
        portal = self.session.portals.get(name)
        if portal is None:
            raise ExecutionError("34000", f'cursor "{name}" does not exist')
        return positioned.standing(portal, name)

    async def close_cursor(self, step: pl.CloseCursor) -> str | None:
        self.line, self.what = step.line, "CLOSE"
        name = self._named(step.slot)
        cursor = self._open(name)
        if cursor is None:
            self.session.portals.pop(name).close()
        elif cursor.pinned:
            raise ExecutionError("24000", f'cannot drop pinned portal "{name}"')
        else:
            self._forget(name)
            await cursor.rows.aclose()
        return None

    async def leave_open(self) -> None:
        """The program is over, and tells its caller of its cursors. Raises 54000."""
        session = self.session
        for name in list(self.cursors):
            if len(session.portals) >= session.executor.limits.portals_per_session_max:
                raise ExecutionError("54000", "too many open cursors")
            cursor = self.cursors[name]
            if INSIDE.get() or is_apart(session) or isinstance(cursor.result, LockingStream):
                # Who waits for it has the threads that it would be read by; or it is its owner's, whom only the function acts as;
                # or its rows are newer or not than the statement knows that opened it.
                await cursor.rows.draw(None)
            told = shown_columns(cursor.plan) if "placed" in cursor.plan.extra else None
            plan = dataclasses.replace(
                cursor.plan, columns=tuple(told or columns_of(cursor.plan, cursor.result) or ())
            )
            prepared = Prepared("", plan.text, plan, plan.parameters, True)
            portal = CursorPortal(name, prepared, (), from_sql=True)
            portal.advance = advance
            portal.extra.update(
                cursor=cursor.rows, scroll=cursor.scroll, hold=False, binary=False,
                query=isinstance(plan.body, Query), declared_us=session.statement_began_ns // 1000, failed=cursor.failed,
            )  # fmt: skip
            session.portals[name] = portal
            self._forget(name)

    @asynccontextmanager
    async def pinned(self, step: pl.OpenCursor) -> AsyncIterator[Open]:
        """A bound cursor that is open while a loop goes through it: its steps may fetch from it, too."""
        await self.open_cursor(step, "FOR over cursor")
        name = str(self.frame.values[step.slot])
        cursor = self.cursors[name]
        cursor.pinned = True
        try:
            yield cursor
        finally:
            if self.cursors.get(name) is cursor:
                self._forget(name)
            await cursor.rows.aclose()

    async def close_all(self) -> None:
        """The program is over."""
        for name, cursor in list(self.cursors.items()):
            self._forget(name)
            await cursor.rows.aclose()

    async def opened(self, cursor: pl.OpenCursor) -> Any:
        """The query of a bound cursor, run with its arguments."""
        v = self.code.declared[cursor.slot]
        assert v.query is not None
        for argument, text in zip(v.arguments, cursor.arguments, strict=True):
            kind = self.code.kinds[argument.slot]
            if not isinstance(kind, TypeRef):
                raise ExecutionError("0A000", "records as arguments of cursors are not supported")
            await self.give(argument.slot, await self.value(text, kind))
        placed = self.code.program.at_cursors or self.tells_cursors
        return await self.statement(v.query, drawn=1, placed=placed)


__all__ = ["CursorSteps", "Open"]
