"""Records whose columns nobody has said: what a function RETURNS record gives who calls it outside of FROM.

SELECT f()       the columns that it comes to are known when it has run: the value is a record's text, and nobody may ask for a field of it
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from executor.abc import ExecutionError
from executor.procedural.misplaced import Misplaced
from executor.procedural.result_rows import columns_of, rows_of
from executor.procedural.returns import Returns
from executor.procedural.whole_rows import WholeRow, recorded, whole_row
from planner import types as t
from planner.abc import Plan, TypeRef
from planner.binding.routines.variables import Shape
from planner.catalog import Function
from planner.statements import plpgsql as pl
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.procedural.walk import Walk


class UndescribedReturns(Returns):
    """What RETURN means in such a function: one value, the record as it comes."""

    outputs: Sequence[int] = ()

    def __init__(self, f: Function) -> None:
        self.f = f

    async def value(self, walk: Walk, text: pl.Text, whole: int) -> tuple[Datum]:
        if self.f.returns_set:
            self._refuse_set()
        if whole >= 0 and not isinstance(kind := walk.frame.kinds[whole], TypeRef):
            if not isinstance(kind, Shape):
                return (None,)
            return (recorded(walk, WholeRow(kind.names, kind.types, walk.frame.values[whole])),)
        if text.text.strip().lower() == "null":
            return (None,)
        found = await whole_row(walk, text)
        if found is None:
            await walk.value(text)  # its own errors come first
            raise ExecutionError(
                "42804", "cannot return non-composite value from function returning composite type"
            )
        return (recorded(walk, found),)

    def of_outputs(self, walk: Walk) -> Any:
        raise AssertionError("OUT parameters would describe the record")

    async def rows(self, walk: Walk, plan: Plan, result: Any) -> int:
        self._refuse_set()
        raise AssertionError("not reached")

    def _refuse_set(self) -> None:
        raise Misplaced("0A000", "materialize mode required, but it is not allowed in this context")

    async def last(self, walk: Walk, plan: Plan, result: Any) -> None:
        """What the last statement of a function in SQL finds."""
        columns = columns_of(plan, result)
        assert columns is not None, "the body was looked at when the function was made"
        names, types = [c.name for c in columns], [c.type for c in columns]
        whole = len(types) == 1 and _is_row(types[0])
        made: list[tuple[Datum]] = []
        async for row in rows_of(result):
            if self.f.returns_set or not made:
                value = (
                    walk.text_of(row[0], types[0]) if whole else recorded(walk, WholeRow(names, types, row))
                )
                made.append((value,))
        if self.f.returns_set:
            walk.emitted += made
        else:
            walk.result = made[0] if made else (None,)


def _is_row(ref: TypeRef) -> bool:
    return ref.oid == t.RECORD or t.composite_fields(ref.oid) is not None


__all__ = ["UndescribedReturns"]
