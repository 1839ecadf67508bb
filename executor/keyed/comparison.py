"""Comparison, exactly PostgreSQL's: NaN is equal to itself and greater than every number, text in
C order (which is the order of code points), char(n) without its trailing blanks, intervals by length.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from executor.keyed.numbers import number
from executor.keyed.registry import LAX, STRICT
from planner.binding.prelude.jsonb_columns import same_text
from planner.types.array_values import parse
from planner.types.letter_case import lowered

Compare = Callable[[Any, Any], Any]
_DAY_US = 86_400_000_000

_PLAIN: dict[str, Compare] = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def interval_length(v: tuple[int, int, int]) -> int:
    """What PostgreSQL orders intervals by: months of 30 days, days of 24 hours."""
    return (v[0] * 30 + v[1]) * _DAY_US + v[2]


def _nan_last(v: Any) -> tuple[bool, Any]:
    """Orders numbers with NaN as the greatest."""
    return (True, 0) if v != v else (False, v)


def _blank_trimmed(v: str) -> str:
    return v.rstrip(" ")


def _date_us(v: int) -> int:
    """When a day begins; of days behind the last moment: before infinity, and after all else."""
    if v == 2147483647:
        return (1 << 63) - 1
    if v == -2147483647:
        return -((1 << 63) - 1)
    return min(v * _DAY_US, (1 << 63) - 2)


def _same(v: Any) -> Any:
    return v


_ORDER: dict[str, Callable[[Any], Any]] = {
    "float4": _nan_last,
    "float8": _nan_last,
    "numeric": lambda v: _nan_last(number(v)) if not number(v).is_nan() else (True, 0),
    "bpchar": _blank_trimmed,
    "citext": lowered,
    "interval": interval_length,
}
_SIMPLE = [
    "bool",
    "int2",
    "int4",
    "int8",
    "oid",
    "text",
    "varchar",
    "name",
    "bytea",
    "date",
    "time",
    "timestamp",
    "timestamptz",
    "uuid",
]  # ordered as Python orders the datum


def _in_array(order: Callable[[str], Any]) -> Callable[[str], Any]:
    """Arrays by their elements, of which NULL is the greatest, then by how many these are, and by their dimensions."""

    def of_array(text: str) -> Any:
        array = parse(text)
        items = tuple([(True, 0) if x is None else (False, order(x)) for x in array.items])
        return items, len(array.dims), array.dims, array.lows

    return of_array


_ARRAYS: dict[str, Callable[[Any], Any]] = {
    **{f"_{kind}": _in_array(int) for kind in ("int2", "int4", "int8")},
    **{f"_{kind}": _in_array(_same) for kind in ("text", "varchar", "uuid", "bool")},
}
"""Of the types of elements whose texts say their order."""


def order_of(type_name: str) -> Callable[[Any], Any] | None:
    """A function whose values Python orders as PostgreSQL orders the type's; None: not in the set."""
    if type_name in _SIMPLE:
        return _same
    return _ORDER.get(type_name) or _ARRAYS.get(type_name)


def normal_form(type_name: str) -> Callable[[Any], Any] | None:
    """A function whose values are equal (and hash alike) where SQL says that the type's are; None: datums are such values.

    Raises KeyError for a type that is not in the set.
    """
    return None if type_name in _SIMPLE else _ORDER.get(type_name) or _ARRAYS[type_name]


def _same_documents(a: str, b: str) -> bool:
    """Of jsonb, whose equal values differ in the zeros behind a point alone."""
    return a == b or (("." in a or "." in b) and same_text(a) == same_text(b))


def _register() -> None:
    pairs = [(t, t) for t in _SIMPLE]
    ints = ("int2", "int4", "int8")
    pairs += [(a, b) for a in ints for b in ints if a != b]
    pairs += [("name", "text"), ("text", "name")]
    for symbol, function in _PLAIN.items():
        if symbol in ("=", "<>"):
            STRICT[f"xid {symbol} xid"] = STRICT[f"xid {symbol} int4"] = function
        for left, right in pairs:
            STRICT[f"{left} {symbol} {right}"] = function
        for kind, order in _ORDER.items():
            STRICT[f"{kind} {symbol} {kind}"] = lambda a, b, f=function, o=order: f(o(a), o(b))
        for left, right in (("float4", "float8"), ("float8", "float4")):
            STRICT[f"{left} {symbol} {right}"] = lambda a, b, f=function: f(_nan_last(a), _nan_last(b))
        STRICT[f"date {symbol} timestamp"] = lambda a, b, f=function: f(_date_us(a), b)
        STRICT[f"timestamp {symbol} date"] = lambda a, b, f=function: f(a, _date_us(b))
    STRICT["jsonb = jsonb"] = _same_documents
    STRICT["jsonb <> jsonb"] = lambda a, b: not _same_documents(a, b)
    for kind in (*_SIMPLE, *_ORDER, "jsonb"):
        equal = STRICT[f"{kind} = {kind}"]

        def distinct(a: Any, b: Any, equal: Compare = equal) -> bool:
            if a is None or b is None:
                return (a is None) != (b is None)
            return not equal(a, b)

        def not_distinct(a: Any, b: Any, distinct: Compare = distinct) -> bool:
            return not distinct(a, b)

        LAX[f"{kind} is distinct from {kind}"] = distinct
        LAX[f"{kind} is not distinct from {kind}"] = not_distinct


_register()
