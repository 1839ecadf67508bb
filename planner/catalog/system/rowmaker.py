"""Rows of wide relations from the few columns that have something to say.

A column that is left out is false, zero, an empty name or NULL: what PostgreSQL has there for an
object to which the column does not apply.
"""

from __future__ import annotations

from planner.catalog.system.relations import SystemRelation, relation
from storage.abc import Datum, Row

_DEFAULTS: dict[int, Datum] = {16: False, 18: "", 19: "", 20: 0, 21: 0, 23: 0, 24: 0, 26: 0, 28: 0, 700: 0.0}


class RowMaker:
    """Makes rows of one relation from keyword arguments. Unknown column names raise KeyError."""

    __slots__ = ("_blank", "_places", "relation")

    def __init__(self, name: str, schema: str = "pg_catalog", *, nulls: bool = False) -> None:
        found = relation(schema, name)
        assert found is not None, f"{schema}.{name} is no system relation"
        self.relation: SystemRelation = found
        self._places = {c.name: i for i, c in enumerate(found.columns)}
        self._blank: list[Datum] = [None if nulls else _DEFAULTS.get(c.type.oid) for c in found.columns]

    def __call__(self, **values: Datum) -> Row:
        row = list(self._blank)
        for name, value in values.items():
            row[self._places[name]] = value
        return tuple(row)


def of_information_schema(name: str) -> RowMaker:
    """A maker of one of its relations' rows, in which what is not said is NULL."""
    return RowMaker(name, "information_schema", nulls=True)
