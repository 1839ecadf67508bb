"""Loops: over numbers, rows and arrays, and without end."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, cast

from executor.abc import ExecutionError, Stream
from executor.procedural.assigning import AssignSteps
from executor.procedural.result_rows import columns_of, kept, rows_of
from executor.session.cursors import shown_columns
from executor.session.locks.fetched_rows import LockingStream
from planner import types as t
from planner.abc import TypeRef
from planner.binding.routines.variables import Shape, kind_of
from planner.statements import plpgsql as pl

if TYPE_CHECKING:
    from executor.procedural.cursors import Open

Ended = str | None
FIRST_AHEAD, LATER_AHEAD = 10, 50
"""How many rows a loop over a query asks for at once, the first time and from then on, as PostgreSQL's do: so many it locks."""
BOOL, INT4 = TypeRef(t.BOOL), TypeRef(t.INT4)


class LoopSteps(AssignSteps):
    """What a `Walk` does of loops. A loop that ran sets FOUND where PostgreSQL does."""

    label: str
    line: int
    what: str
    atomic: bool
    found: int

    async def steps(self, steps: Sequence[pl.Step]) -> Ended:
        raise NotImplementedError

    async def dynamically(self, what: pl.Dynamically) -> Any:
        raise NotImplementedError

    def pinned(self, step: pl.OpenCursor) -> AbstractAsyncContextManager[Open]:
        raise NotImplementedError

    def _after(self, ended: Ended, label: str) -> tuple[bool, Ended]:
        """After a pass: whether the loop is over, and how it ends."""
        if ended is None:
            return False, None
        if ended == "return":
            return True, ended
        mine = not self.label or self.label == label
        if not mine:
            return True, ended
        self.label = ""
        return ended == "exit", None

    async def loop(self, step: pl.Loop) -> Ended:
        while True:
            if step.condition is not None:
                self.line, self.what = step.line, "WHILE"
                if not await self.value(step.condition, BOOL):
                    return None
            over, ended = self._after(await self.steps(step.steps), step.label)
            if over:
                return ended
            await self.passed()

    async def passed(self) -> None:
        """After a pass without steps nobody has looked whether others want the loop."""
        self.left -= 1
        if self.left <= 0:
            await self.breathe()

    left: int

    async def breathe(self) -> None:
        raise NotImplementedError

    async def for_range(self, step: pl.ForRange) -> Ended:
        self.line, self.what = step.line, "FOR with integer loop variable"
        first = cast("int | None", await self.value(step.first, INT4))
        if first is None:
            raise ExecutionError("22004", "lower bound of FOR loop cannot be null")
        last = cast("int | None", await self.value(step.last, INT4))
        if last is None:
            raise ExecutionError("22004", "upper bound of FOR loop cannot be null")
        by = cast("int | None", await self.value(step.by, INT4)) if step.by is not None else 1
        if by is None:
            raise ExecutionError("22004", "BY value of FOR loop cannot be null")
        if by <= 0:
            raise ExecutionError("22023", "BY value of FOR loop must be greater than zero")
        numbers = range(first, last - 1, -by) if step.reverse else range(first, last + 1, by)
        values, slot, ended = self.frame.values, step.slot, None
        for number in numbers:
            values[slot] = number
            over, ended = self._after(await self.steps(step.steps), step.label)
            if over:
                break
            await self.passed()
        if ended != "return":
            values[self.found] = bool(numbers)
        return ended

    async def for_rows(self, step: pl.ForRows) -> Ended:
        line = step.line
        if isinstance(step.query, pl.OpenCursor):
            return await self.for_cursor(step, step.query)
        if isinstance(step.query, pl.Dynamically):
            self.line, self.what = line, "FOR over EXECUTE statement"
            plan, result = await self.dynamically(step.query)
        else:
            self.line, self.what = line, "FOR over SELECT rows"
            plan, result = await self.statement(step.query, drawn=FIRST_AHEAD if self.atomic else 1)
        columns = columns_of(plan, result)
        if columns is None:
            raise ExecutionError("42P11", f"cannot open {plan.tag} query as cursor")
        if "placed" in plan.extra:
            columns = shown_columns(plan) or ()
        names, types = [c.name for c in columns], [c.type for c in columns]
        if isinstance(result, LockingStream) and self.atomic:
            result.ahead = FIRST_AHEAD
        rows = rows_of(result)
        if not self.atomic and self.code.program.ends and isinstance(result, Stream):
            rows = kept([row async for row in rows])  # a COMMIT in the loop is none of theirs
        with self.session.under_way_with(plan):
            return await self._each(
                step, names, types, rows, result if isinstance(result, LockingStream) else None
            )

    async def for_cursor(self, step: pl.ForRows, query: pl.OpenCursor) -> Ended:
        """Row by row, for what is in the loop may fetch from the cursor itself."""
        async with self.pinned(query) as cursor:
            with self.session.under_way_with(cursor.plan):
                return await self._each(step, cursor.names, cursor.types, self._fetched(cursor))

    async def _fetched(self, cursor: Open) -> AsyncGenerator[Sequence[Any], None]:
        while (row := await cursor.rows.next(keeping=cursor.keeps)) is not None:
            self.what = "FOR over cursor"
            yield row

    async def _each(
        self,
        step: pl.ForRows,
        names: Sequence[str],
        types: Sequence[TypeRef],
        rows: AsyncGenerator[Sequence[Any], None],
        locking: LockingStream | None = None,
    ) -> Ended:
        """A pass for each row. `locking`: what reads the rows, and locks so many at once."""
        line, any_row, ended = step.line, False, None
        slot = self._record_of(step)
        shape = Shape(tuple(names), tuple(types)) if slot >= 0 else None
        try:
            async for row in rows:
                if not any_row and locking is not None and locking.ahead > 1:
                    locking.ahead = LATER_AHEAD
                any_row = True
                self.line = line
                if shape is None:
                    await self.put_into(step.targets, names, types, row)
                else:
                    self.frame.kinds[slot], self.frame.values[slot] = shape, tuple(row)
                over, ended = self._after(await self.steps(step.steps), step.label)
                if over:
                    break
                await self.passed()
            else:
                if not any_row:
                    await self.put_into(step.targets, names, types, None)
        finally:
            await rows.aclose()
        if ended != "return":
            self.frame.values[self.found] = any_row
        return ended

    def _record_of(self, step: pl.ForRows) -> int:
        """The slot of a RECORD that takes each row as it is; -1: rows go elsewhere."""
        first = step.targets[0]
        alone = len(step.targets) == 1 and not first.field and first.part is None
        return first.slot if alone and first.slot in self.code.dynamic else -1

    def _fits(self, step: pl.ForEach) -> None:
        """FOREACH's variable is an array for slices, and none for elements. Raises 42804."""
        first = step.targets[0]
        kind = self.frame.kinds[first.slot]
        whole = len(step.targets) == 1 and not first.field and first.part is None
        if not whole or not isinstance(kind, TypeRef):
            return
        if step.slices and not t.element_of(kind.oid):
            raise ExecutionError("42804", "FOREACH ... SLICE loop variable must be of an array type")
        if not step.slices and t.element_of(kind.oid):
            raise ExecutionError("42804", "FOREACH loop variable must not be of an array type")

    def _takes_fields(self, step: pl.ForEach) -> bool:
        """Whether the fields of a composite value go into the targets, and not the value into one of them."""
        first = step.targets[0]
        slot = first.slot
        return len(step.targets) > 1 or (
            not first.field and (slot in self.code.dynamic or not isinstance(self.frame.kinds[slot], TypeRef))
        )

    async def for_each(self, step: pl.ForEach) -> Ended:
        self.line, self.what = step.line, "FOREACH over array"
        value = await self.value(step.array)
        ref = self.planned(step.array, expression=True).type
        if value is None:
            raise ExecutionError("22004", "FOREACH expression must not be null")
        element = t.element_of(ref.oid)
        if not element:
            shown = t.type_in_words(ref.oid)
            raise ExecutionError("42804", f"FOREACH expression must yield an array, not type {shown}")
        self._fits(step)
        items = t.array_items(value, ref.oid)
        if step.slices:
            items, element = t.array_slices(value, ref.oid, step.slices), ref.oid
        ended: Ended = None
        fields = None if step.slices else t.composite_fields(element)
        shape = kind_of(TypeRef(element)) if fields is not None and self._takes_fields(step) else None
        for item in items:
            if isinstance(shape, Shape) and item is None and len(step.targets) == 1:
                self.frame.values[step.targets[0].slot] = None
            elif isinstance(shape, Shape):
                row = self.fields_of(item, shape) if item is not None else None
                await self.put_into(step.targets, shape.names, shape.types, row)
            else:
                await self.put_into(step.targets, ("",), (TypeRef(element),), (item,))
            over, ended = self._after(await self.steps(step.steps), step.label)
            if over:
                break
            await self.passed()
        if ended != "return":
            self.frame.values[self.found] = bool(items)
        return ended


__all__ = ["LoopSteps"]
