"""Item methods: `.type()`, `.double()`, `.keyvalue()` and so on; and what can go wrong on a path.

`.keyvalue()` gives each object a number: ten thousand million times the number of the value that it came from (0 is the
document, 1 the variables, 2 and up what keyvalue() made itself) plus the place of its bytes in PostgreSQL's jsonb. The
bytes are counted here as they would lie there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, Final

from planner.abc import SqlError
from planner.binding import numerics
from planner.jsonpath import datetimes
from planner.jsonpath.datetimes import Moment
from planner.jsonpath.errors import PathError
from planner.jsonpath.tree import Item
from planner.types.floats import float8_in

_SOURCE: Final = 10_000_000_000


def type_name(value: Any) -> str:
    if value is None:
        return "null"
    if isinstance(value, Moment):
        return value.type_name
    for kind, name in ((bool, "boolean"), (Decimal, "number"), (str, "string"), (list, "array")):
        if isinstance(value, kind):
            return name
    return "object"


def _numeric(function: Callable[[Decimal], Decimal]) -> Callable[[Any, Item], Decimal]:
    def made(value: Any, item: Item) -> Decimal:
        if not isinstance(value, Decimal):
            raise PathError(
                "22036", f"jsonpath item method .{item.kind}() can only be applied to a numeric value"
            )
        return function(value)

    return made


def _double(value: Any, item: Item) -> Decimal:
    if isinstance(value, Decimal):
        try:
            numerics.to_float(value, False)
        except SqlError:
            raise PathError(
                "22036",
                "numeric argument of jsonpath item method .double() is out of range for type double precision",
            ) from None
        return value
    if not isinstance(value, str):
        raise PathError(
            "22036", "jsonpath item method .double() can only be applied to a string or numeric value"
        )
    try:
        number = float8_in(value)
    except SqlError:
        number = math.nan
    if not math.isfinite(number):
        raise PathError(
            "22036",
            "string argument of jsonpath item method .double() is not a valid representation of a double precision number",
        )
    return Decimal(numerics.from_float(number, 15))


def _datetime(value: Any, item: Item) -> Moment:
    if not isinstance(value, str):
        raise PathError("22031", "jsonpath item method .datetime() can only be applied to a string")
    return datetimes.read(value, None if item.value is None else str(item.value))


METHODS: Final[dict[str, Callable[[Any, Item], Any]]] = {
    "abs": _numeric(lambda v: v.copy_abs()),
    "floor": _numeric(numerics.floor),
    "ceiling": _numeric(numerics.ceiling),
    "double": _double,
    "datetime": _datetime,
}


class Ids:
    """The numbers of objects. `of` says which value the objects on the way from here are parts of."""

    def __init__(self, root: Any, variables: Any | None) -> None:
        self._base, self._number = root, 0
        self._made = 2 if variables is not None else 1

    def are_of(self, base: Any, number: int) -> bool:
        return self._base is base and self._number == number

    @contextmanager
    def of(self, base: Any, number: int) -> Iterator[None]:
        before = self._base, self._number
        self._base, self._number = base, number
        try:
            yield
        finally:
            self._base, self._number = before

    def pairs(self, value: Any) -> Iterator[tuple[dict[str, Any], int]]:
        """{key, value, id} of each pair, and the number under which what is in it is counted."""
        if not isinstance(value, dict):
            raise PathError("2203C", "jsonpath item method .keyvalue() can only be applied to an object")
        number = Decimal(self._number * _SOURCE + (_place(self._base, value) or 0))
        for key, inner in value.items():
            made = self._made
            self._made += 1
            yield {"id": number, "key": key, "value": inner}, made


def _place(base: Any, wanted: Any) -> int | None:
    """Where an object's bytes begin among those of the value that it is a part of."""
    places: dict[int, int] = {}
    _laid_out(base, 0, places)
    return places.get(id(wanted))


def _laid_out(value: Any, at: int, places: dict[int, int]) -> int:
    """The end of a value that begins here: strings bare, numbers and containers at multiples of four."""
    if isinstance(value, str):
        return at + len(value.encode())
    if value is None or isinstance(value, bool | Moment):
        return at
    at += -at % 4
    if isinstance(value, Decimal):
        return at + _numeric_bytes(value)
    places[id(value)] = at
    keys = list(value) if isinstance(value, dict) else []
    at += 4 + 4 * (len(keys) + len(value)) + sum(len(k.encode()) for k in keys)
    for v in value.values() if isinstance(value, dict) else value:
        at = _laid_out(v, at, places)
    return at


def _numeric_bytes(value: Decimal) -> int:
    weight, groups = numerics.groups(value)
    short = numerics.scale_of(value) <= 63 and -64 <= weight <= 63
    while groups and not groups[-1]:
        groups.pop()
    return (6 if short else 8) + 2 * len(groups)


__all__ = ["METHODS", "Ids", "PathError", "type_name"]
