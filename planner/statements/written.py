"""What statements are made of: names, slices of text, types, as they were written.

Nothing here is looked up: the grammar knows no catalog.
"""

from __future__ import annotations

from planner.records import dataclass


@dataclass(frozen=True, slots=True)
class Name:
    """A possibly qualified name: `schema` is "" where none was given."""

    name: str
    schema: str = ""
    position: int = 0
    database: str = ""

    def __str__(self) -> str:
        return ".".join(p for p in (self.database, self.schema, self.name) if p)


@dataclass(frozen=True, slots=True)
class Sql:
    """A slice of the statement's text that holds an expression or a query; `offset` is where it begins."""

    text: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type as written: `character varying(10)[]` is (("varchar",), (10,), 1)."""

    names: tuple[str, ...]  # canonical words of the type's name, the schema before it if given
    modifiers: tuple[int | str, ...] = ()
    dimensions: int = 0
    position: int = 0
    setof: bool = False
    interval_fields: str = ""  # "day to second"
    copied: bool = False  # the names are a column's: `table.column%TYPE`

    def __str__(self) -> str:
        mods = "(" + ",".join(str(m) for m in self.modifiers) + ")" if self.modifiers else ""
        return ".".join(self.names) + mods + "[]" * self.dimensions
