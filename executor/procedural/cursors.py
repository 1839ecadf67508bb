"""Cursors of a program: a variable's value is the name of what is open, whose rows come one by one."""

from __future__ import annotations

from typing import Any

from executor.abc import ExecutionError
from executor.procedural.texts import Texts, columns_of, rows_of
from planner.abc import TypeRef
from planner.statements import plpgsql as pl


class CursorSteps(Texts):
    """What a `Walk` does of OPEN, FETCH and CLOSE."""

    def _refuse(self, step: pl.Step, what: str) -> None:
        raise ExecutionError("0A000", f"{what} in PL/pgSQL is not supported")

    async def open_cursor(self, step: pl.OpenCursor) -> str | None:
        self._refuse(step, "OPEN")
        return None

    async def fetch_cursor(self, step: pl.FetchCursor) -> str | None:
        self._refuse(step, "FETCH" if step.into is not None else "MOVE")
        return None

    async def close_cursor(self, step: pl.CloseCursor) -> str | None:
        self._refuse(step, "CLOSE")
        return None

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


__all__ = ["CursorSteps", "columns_of", "rows_of"]
