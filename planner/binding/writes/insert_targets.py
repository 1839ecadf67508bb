"""What INSERT's values are for: columns, or parts of them.

INSERT INTO t (id, a[1], a[2]) VALUES (1, 'x', 'y')     a is made of NULL and two assignments, from left to right
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from planner.abc import PlanError, Table, TypeRef
from planner.binding import ir
from planner.binding.naming import identifier
from planner.binding.scope import Scope
from planner.binding.writes.assignments import PartBinder, assigned_twice, target_of, type_of_part
from planner.parse import position as first_position

if TYPE_CHECKING:
    from planner.binding.writes.clauses import RowBinder


@dataclass(frozen=True, slots=True)
class InsertTargets:
    """In the order of the values: the row positions of the columns, and of those that are parts the whole target.

    `names` is what the statement calls them; nothing where it does not.
    """

    indexes: Sequence[int]
    parts: Mapping[int, exp.Expression]
    names: Sequence[exp.Expression] = ()
    beyond: PlanError | None = None
    """What more values than these are refused with, if it is not that there are no more columns."""

    def without_value(self, place: int) -> PlanError:
        """A statement that names more columns than it has values: the column at this place has none."""
        position = first_position(self.names[place]) if place < len(self.names) else 0
        return PlanError("42601", "INSERT has more target columns than expressions", position=position)

    def check(self, table: Table) -> None:
        """Raises 42701 for a column that is there twice, unless it is in parts both times.

        Two columns of a view may be one of its table; which of them are given a value shows later.
        """
        names = [identifier(n.this if isinstance(n, exp.Column) else n) for n in self.names]
        for i, index in enumerate(self.indexes):
            for j in range(i):
                if self.indexes[j] != index or names[i] != names[j]:
                    continue
                if not (i in self.parts and j in self.parts):
                    raise PlanError(
                        "42701",
                        f'column "{names[i]}" specified more than once',
                        position=first_position(self.names[i]),
                    )

    def refuse_default(self, place: int) -> None:
        """Raises 0A000: a part of a value has no default."""
        target = self.parts.get(place)
        if target is not None:
            what = "an array element" if isinstance(target, exp.Bracket) else "a subfield"
            raise PlanError("0A000", f"cannot set {what} to DEFAULT", position=first_position(target))

    def expected(self, table: Table) -> list[TypeRef | None]:
        """The types that values of no type of their own are read as."""
        wholes = [table.columns[i].type for i in self.indexes]
        return [
            type_of_part(ref, target_of(self.parts[p])[1]) if p in self.parts else ref
            for p, ref in enumerate(wholes)
        ]

    def take(
        self,
        binder: RowBinder,
        table: Table,
        given: dict[int, ir.Node],
        place: int,
        value: ir.Node,
        position: int,
        assigned: Callable[[], ir.Node],
    ) -> None:
        """Puts a value where it belongs: `assigned` makes it the column's, if it is a whole column's."""
        index = self.indexes[place]
        target = self.parts.get(place)
        if target is None:
            if index in given:  # by another column of the view that is written
                raise assigned_twice(table.columns[index])
            given[index] = assigned()
            return
        column = table.columns[index]
        _, steps = target_of(target)
        parts = PartBinder(
            binder.expressions, binder.coercions, column, Scope(None, 0, clause="VALUES"), position
        )
        base = given.get(index, ir.Lit(TypeRef(column.type.oid), None))
        given[index] = parts.put(base, column.type, steps, value, first_position(target))
