"""Rows of wide relations from the few columns that have something to say.

A column that is left out is false, zero, an empty name or NULL: what PostgreSQL has there for an
object to which the column does not apply.

Whoever makes rows says the same columns in the same order for each. So where each goes is found out once, and a row is one pick from what was
said and what is usual.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import itemgetter

from planner.catalog.system.relations import SystemRelation, relation
from storage.abc import Datum, Row

_DEFAULTS: dict[int, Datum] = {16: False, 18: "", 19: "", 20: 0, 21: 0, 23: 0, 24: 0, 26: 0, 28: 0, 700: 0.0}
_Pick = Callable[[Row], Row]


class RowMaker:
    """Makes rows of one relation from keyword arguments. Unknown column names raise KeyError.

    `usual`: what columns have that are left out, where that is not the least there is.
    """

    __slots__ = ("_blank", "_picks", "relation")

    def __init__(self, name: str, schema: str = "pg_catalog", *, nulls: bool = False, **usual: Datum) -> None:
        found = relation(schema, name)
        assert found is not None, f"{schema}.{name} is no system relation"
        self.relation: SystemRelation = found
        self._picks = _picks(schema, name)
        self._blank: Row = tuple(None if nulls else _DEFAULTS.get(c.type.oid) for c in found.columns)
        if usual:
            self._blank = self(**usual)

    def __call__(self, **values: Datum) -> Row:
        said = tuple(values)
        pick = self._picks.get(said)
        if pick is None:
            pick = self._picks[said] = _pick(self.relation, said)
        return pick((*values.values(), *self._blank))


@cache
def _picks(_schema: str, _name: str) -> dict[tuple[str, ...], _Pick]:
    """Of a relation, by the columns that are said: as many as there are places in the code that make its rows."""
    return {}


def _pick(target: SystemRelation, said: tuple[str, ...]) -> _Pick:
    places = {c.name: len(said) + i for i, c in enumerate(target.columns)}
    for i, name in enumerate(said):
        if name not in places:
            raise KeyError(name)
        places[name] = i
    if len(places) == 1:
        (place,) = places.values()
        return lambda row: (row[place],)
    return itemgetter(*places.values())


def of_information_schema(name: str) -> RowMaker:
    """A maker of one of its relations' rows, in which what is not said is NULL."""
    return RowMaker(name, "information_schema", nulls=True)
