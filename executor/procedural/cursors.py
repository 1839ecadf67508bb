"""Cursors of a program: a variable's value is the name of what is open, whose rows come one by one.

They are the program's own: when it ends they are closed, and no FETCH of SQL reads them.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Any

from executor.abc import ExecutionError
from executor.procedural.assigning import AssignSteps
from executor.procedural.texts import columns_of, kept, rows_of
from planner.abc import TypeRef
from planner.statements import plpgsql as pl


@dataclass(slots=True)
class Open:
    """A cursor that is open."""

    names: Sequence[str]
    types: Sequence[TypeRef]
    rows: AsyncGenerator[Any, None]


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
            name = self.code.names[step.slot] if bound else f"<unnamed portal {len(self.cursors) + 1}>"
        if name in self.cursors:
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
        self.cursors[name] = Open([c.name for c in columns], [c.type for c in columns], rows)
        self.frame.values[step.slot] = name
        return None

    def _named(self, slot: int) -> str:
        name = self.frame.values[slot]
        if name is None:
            raise ExecutionError("22004", f'cursor variable "{self.code.names[slot]}" is null')
        if name not in self.cursors:
            raise ExecutionError("34000", f'cursor "{name}" does not exist')
        return str(name)

    async def fetch_cursor(self, step: pl.FetchCursor) -> str | None:
        self.line, self.what = step.line, "FETCH" if step.into is not None else "MOVE"
        cursor = self.cursors[self._named(step.slot)]
        row = await anext(cursor.rows, None)
        self.frame.values[self.found] = row is not None
        if step.into is not None:
            await self.put_into(step.into.targets, cursor.names, cursor.types, row)
        return None

    async def close_cursor(self, step: pl.CloseCursor) -> str | None:
        self.line, self.what = step.line, "CLOSE"
        await self.cursors.pop(self._named(step.slot)).rows.aclose()
        return None

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
