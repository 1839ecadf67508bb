"""What a query asks that an index of parts (gin) serves: conditions of one relation, as its plan keeps them.

    doc @> $1 AND (tags && '{a}' OR ts @@ to_tsquery('x'))      Search and (Sought @>, Search or (Sought &&, Sought @@))

Each condition is there for all rows that it is true of, and the query still asks it itself (`planner.terms`).
"""

from __future__ import annotations

from planner.keyed_plans import Const, Param
from planner.records import dataclass
from planner.relations import Oid, TypeRef

JSONB, ARRAY, WORDS, TRIGRAMS = "jsonb", "array", "words", "trigrams"


@dataclass(frozen=True, slots=True)
class TermsIndex:
    """A key of an index, as its terms are made: `text` is DuckDB's of the value, over the columns of `alias`."""

    oid: Oid
    name: str
    key: int
    """Which of its keys it is."""
    kind: str
    alias: str
    text: str
    columns: tuple[int, ...]
    """What the text names, by attribute number."""


@dataclass(frozen=True, slots=True)
class Sought:
    """A condition that an index serves: `how` it compares with the value that is made of `values` by `made`."""

    index: TermsIndex
    how: str
    values: tuple[Const | Param, ...]
    made: str
    """"": the value itself; `array`; a function that makes a tsquery, and by which configuration: `to_tsquery 13172`."""
    type: TypeRef


@dataclass(frozen=True, slots=True)
class Search:
    """Conditions of which all, or some (`op` "or"), are true."""

    op: str
    parts: tuple[Sought | Search, ...]


def leaves(search: Search | Sought) -> list[Sought]:
    """The conditions, from left to right."""
    if isinstance(search, Sought):
        return [search]
    return [leaf for part in search.parts for leaf in leaves(part)]


__all__ = ["ARRAY", "JSONB", "TRIGRAMS", "WORDS", "Search", "Sought", "TermsIndex", "leaves"]
