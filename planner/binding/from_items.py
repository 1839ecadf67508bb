"""What an item of FROM has become: its text, what names see of it, and its relations.

    t AS x (a)    Source(frag: SLOT AS r1, relations: [x], columns: [x.a, ...], steps: how the keyed engine would look it up)
    (a JOIN b)    one Source of the two: the text of the join, both relations, the columns as `*` lists them

A query of WITH is kept as a `CommonTable` until FROM names it, once or several times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from planner.abc import Slot
from planner.binding.fragments import Form, Frag
from planner.binding.scope import FromStep, Relation, RelationColumn, StarColumn

if TYPE_CHECKING:
    from planner.binding.keyed.selects import BoundSelect


@dataclass(slots=True)
class CommonTable:
    """A WITH query: the DuckDB name (or slot) of it, and its columns. A write may return none (None)."""

    sql_name: str | Slot
    columns: list[RelationColumn] | None
    forms: list[Form]
    by_key: BoundSelect | None = None
    locked: tuple[tuple[int, int] | None, ...] = ()
    """Of a locking query: (table, attribute number) of its columns of locked rows."""
    iterated: int = 0
    """Within the step of a recursion its number: the rows that the step before has made."""


@dataclass(slots=True)
class Source:
    """A FROM item or a join of some: its text, what names see of it, and its relations."""

    frag: Frag
    relations: list[Relation]
    columns: list[StarColumn]
    steps: tuple[FromStep, ...] = ()
    """The same as relations that are looked up one after another; none if it is more than plain joins."""
    padded: Frag | None = None
    """Of a function's rows: the text that has a row of NULLs where `frag` has none (`planner.binding.ordinality`)."""


def star_of(relation: Relation) -> list[StarColumn]:
    return [
        StarColumn(c.name, c.value(relation.number, i), c)
        for i, c in enumerate(relation.columns)
        if not c.hidden
    ]


__all__ = ["CommonTable", "Source", "star_of"]
