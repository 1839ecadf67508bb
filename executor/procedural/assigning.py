"""Assignment: a value goes into a variable, a field of a record or an element of an array; a row into what takes it.

A value is never changed in place: a record is given a new tuple, an array a new value. So what was assigned from it stays what it was.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from executor.abc import ExecutionError
from executor.procedural import diagnostics
from executor.procedural.domains import DomainSteps
from executor.procedural.whole_rows import whole_row
from planner import types as t
from planner.abc import TypeRef
from planner.binding.routines.variables import Shape
from planner.parse.plpgsql.names import looked_up
from planner.statements import plpgsql as pl
from planner.types.composites import split_record

TEXT = TypeRef(t.TEXT)
_LITERAL = re.compile(r"\s*'(?:[^']|'')*'\s*")
"""A string that is read as what it is assigned to."""
LONG_STEP_CHARACTERS: Final = 1 << 16
"""Who makes so long a text looks before the next step whether others want the loop."""


class AssignSteps(DomainSteps):
    """What a `Walk` does of assignments."""

    line: int
    what: str
    left: int

    async def assign(self, step: pl.Assign) -> str | None:
        self.line, self.what = step.line, "assignment"
        target = step.target
        slot, kinds = target.slot, self.frame.kinds
        kind = kinds[slot]
        if type(kind) is TypeRef and not target.field and target.part is None:
            value = await self.value(step.value, kind)
            if value is None:
                self.refuse_null(slot)
            elif type(value) is str and len(value) > LONG_STEP_CHARACTERS:
                self.left = 1  # sixty-four of these would be a second
            if self.code.domains:
                await self.give(slot, value)
            else:
                self.frame.values[slot] = value
            return None
        if target.field or target.part is not None:
            await self._assign_part(target, step.value)
        else:
            await self.assign_record(slot, step.value)
            if self.frame.values[slot] is None:
                self.refuse_null(slot)
        return None

    def refuse_null(self, slot: int) -> None:
        """Raises 22004 for a variable that is NOT NULL."""
        v = self.code.declared.get(slot)
        if v is not None and v.not_null:
            raise ExecutionError(
                "22004", f'null value cannot be assigned to variable "{v.name}" declared NOT NULL'
            )

    def field(self, target: pl.Target) -> tuple[int, TypeRef]:
        """Where a field is in its record. Raises 55000, 42703."""
        kind, name = self.frame.kinds[target.slot], self.code.names[target.slot]
        if kind is None:
            raise ExecutionError(
                "55000",
                f'record "{name}" is not assigned yet',
                detail="The tuple structure of a not-yet-assigned record is indeterminate.",
            )
        if not isinstance(kind, Shape) or target.field not in kind.names:
            raise ExecutionError("42703", f'record "{name}" has no field "{target.field}"')
        place = kind.names.index(target.field)
        return place, kind.types[place]

    async def put(self, slot: int, place: int, value: Any) -> None:
        """A record with another value in one of its fields."""
        old, kind = self.frame.values[slot], self.frame.kinds[slot]
        assert isinstance(kind, Shape)
        if kind.domains and kind.domains[place]:
            await self.obey(value, kind.domains[place])
        row = list(old) if old is not None else [None] * len(kind.names)
        row[place] = value
        self.frame.values[slot] = tuple(row)

    async def _assign_part(self, target: pl.Target, value: pl.Text) -> None:
        """To a field of a record, to an element, or to what is within one of these."""
        part = target.part.text if target.part is not None else ""
        if not target.field:
            await self.give(target.slot, await self.value(value, None, part))
            return
        try:
            place, ref = self.field(target)
        except ExecutionError as error:
            raise self.located(error, value, 7) from None
        await self.put(target.slot, place, await self.value(value, None if part else ref, part))

    async def assign_record(self, slot: int, value: pl.Text, *, first: bool = False) -> None:
        """A record variable is given a whole row, or NULL; one of a composite type what looks like a row of it as well.

        `first`: by its declaration, which takes rows alone. Raises 42804, 0A000.
        """
        words = value.text.strip().lower().split(".")
        at = looked_up(value.names, words, value.seen)
        if at is not None and not at[1] and not isinstance(self.frame.kinds[at[0]], TypeRef):
            kind = self.frame.kinds[at[0]]
            if kind is None:
                self.frame.values[slot] = None
                return
            assert isinstance(kind, Shape)
            await self.put_row(slot, kind.names, kind.types, self.frame.values[at[0]], kind)
            return
        if value.text.strip().lower() == "null":
            self.frame.values[slot] = None
            return
        kind = self.frame.kinds[slot]
        if kind is None and slot not in self.code.dynamic:
            raise ExecutionError("55000", f'record "{self.code.names[slot]}" is not assigned yet')
        named = isinstance(kind, Shape) and bool(kind.rows)
        if named and (_LITERAL.fullmatch(value.text) or value.number in self.code.as_values):
            assert isinstance(kind, Shape)
            whole = await self.value(value, TypeRef(kind.rows))
            if whole is None:
                self.frame.values[slot] = None
                return
            await self.put_row(slot, kind.names, kind.types, self.fields_of(whole, kind), kind)
            return
        found = await whole_row(self, value)
        if found is not None:
            if not found.names:
                self.frame.values[slot] = None
            else:
                await self.put_row(slot, found.names, found.types, found.row)
            return
        if first or not named:
            await self.value(value)  # its own errors come first
        if first:
            raise ExecutionError("42804", "cannot assign non-composite value to a record variable")
        if not named:
            raise ExecutionError("0A000", "input of anonymous composite types is not implemented")
        self.code.as_values.add(value.number)
        await self.assign_record(slot, value)

    async def put_row(
        self,
        slot: int,
        names: Sequence[str],
        types: Sequence[TypeRef],
        row: Sequence[Any] | None,
        shape: Shape | None = None,
    ) -> None:
        """A row goes into a record variable; a RECORD takes the row's columns for its fields."""
        frame, kind = self.frame, self.frame.kinds[slot]
        if slot in self.code.dynamic:
            frame.kinds[slot] = shape or Shape(tuple(names), tuple(types))
            frame.values[slot] = tuple(row) if row is not None else None
            return
        assert isinstance(kind, Shape)
        if row is None:
            frame.values[slot] = None
            return
        if len(types) == 1 and kind.rows and types[0].oid == kind.rows and len(kind.types) != 1:
            row, types = self.fields_of(row[0], kind), kind.types
        made = []
        for i, ref in enumerate(kind.types):
            made.append(await self.converted(row[i], types[i], ref) if i < len(row) else None)
        if kind.domains:
            await self.obey_row(tuple(made), kind)
        frame.values[slot] = tuple(made)

    def fields_of(self, value: Any, kind: Shape) -> Sequence[Any]:
        """The fields of a composite value."""
        if value is None:
            return [None] * len(kind.types)
        texts = split_record(str(value)) if kind.types else []
        settings = self.session.type_settings
        return [
            None if x is None else t.input_text(x, ref, settings)
            for x, ref in zip(texts, kind.types, strict=True)
        ]

    async def put_into(
        self, targets: Sequence[pl.Target], names: Sequence[str], types: Sequence[TypeRef], row: Sequence[Any] | None
    ) -> None:  # fmt: skip
        """A row goes into variables: one record takes it whole, scalars take a column each."""
        if len(targets) == 1 and not targets[0].field:
            slot = targets[0].slot
            if slot in self.code.dynamic or not isinstance(self.frame.kinds[slot], TypeRef):
                kind = self.frame.kinds[slot]
                if (
                    slot not in self.code.dynamic
                    and isinstance(kind, Shape)
                    and len(types) not in (1, len(kind.types))
                ):
                    diagnostics.uneven(self.session)
                # Where there is no row the record is a row of nulls, and not NULL.
                await self.put_row(slot, names, types, (None,) * len(types) if row is None else row)
                return
        if len(types) != len(targets):
            diagnostics.uneven(self.session)
        for i, target in enumerate(targets):
            value = row[i] if row is not None and i < len(row) else None
            ref = types[i] if i < len(types) else TEXT
            if target.field:
                place, wanted = self.field(target)
                await self.put(target.slot, place, await self.converted(value, ref, wanted))
                continue
            kind = self.frame.kinds[target.slot]
            if isinstance(kind, Shape):
                inner = self.fields_of(value, kind) if value is not None else None
                self.frame.values[target.slot] = tuple(inner) if inner is not None else None
                continue
            if kind is None:
                raise ExecutionError("0A000", "a record as one of several targets is not supported")
            value = await self.converted(value, ref, kind)
            if value is None:
                self.refuse_null(target.slot)
            await self.give(target.slot, value)


__all__ = ["AssignSteps"]
