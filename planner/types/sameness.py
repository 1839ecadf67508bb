"""One value for all that SQL calls equal: what keys are made of, while rows keep what was written.

    alike(numeric)('1.00') == alike(numeric)('1.0') == '1'         alike(int4) is None: equal values are equal datums

Whoever compares keys compares datums: in dicts, in sorted runs, in marks for conflicts. Of the types here a value has
several datums: a numeric is kept with its scale, an interval with its months, days and hours apart, and what is made of
such values (arrays, ranges, composites, jsonb) is kept as text that shows them. What is returned is a datum of the type
as well, equal to the one given, and returned for itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from planner.abc import SqlError, TypeRef
from planner.textsearch.rewriting import bare
from planner.types import oids, registry
from planner.types.array_values import ArrayValue, parse, write
from planner.types.arrays import ArrayType
from planner.types.arrow_columns import from_datums, to_datums
from planner.types.composites import CompositeSqlType, join_record, split_record
from planner.types.declared import base_of
from planner.types.letter_case import lowered
from planner.types.ranges import RangeType, Span
from planner.types.settings import DEFAULT_SETTINGS
from storage.abc import Datum

Alike = Callable[[Any], Any]

_DAY_US: Final = 86_400_000_000
_MONTH_DAYS: Final = 30
_JSON_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|-?[0-9][0-9.eE+-]*')
NAN_IN_KEY: Final = "NaN in a key of floating-point numbers is not supported"
_FLOATS: Final = (oids.FLOAT4, oids.FLOAT8)


def alike(ref: TypeRef) -> Alike | None:
    """What makes one datum of all that are equal; None where equal values are equal datums."""
    ref = base_of(ref)
    if ref.oid in _FLOATS:
        return _float
    return _alike(ref)


def alike_column(ref: TypeRef) -> Callable[[pa.Array], pa.Array] | None:
    """The same for a column in canonical Arrow."""
    one = alike(ref)
    if one is None:
        return None
    if base_of(ref).oid == oids.NUMERIC:
        return _numerics
    if base_of(ref).oid in _FLOATS:
        return _floats

    def column(values: pa.Array) -> pa.Array:
        made = [None if v is None else one(v) for v in to_datums(values, ref)]
        out = from_datums(made, ref)
        return out if out.type == values.type else out.cast(values.type)

    return column


def _alike(ref: TypeRef) -> Alike | None:
    """Of values by themselves and of those in others."""
    ref = base_of(ref)
    if ref.oid == oids.NUMERIC:
        return _numeric if pa.types.is_string(registry.arrow_type(ref)) else None
    if ref.oid == oids.INTERVAL:
        return _interval
    if ref.oid == oids.BPCHAR:
        return _unpadded if ref.typmod < 0 else None
    if ref.oid == oids.CITEXT:
        return lowered
    if ref.oid == oids.JSONB:
        return _jsonb
    if ref.oid == oids.TSQUERY:
        return bare
    kind = registry.sql_type(ref.oid) if registry.is_known(ref.oid) else None
    if isinstance(kind, RangeType):
        bound = _in_others(TypeRef(kind.kind.subtype.oid))
        return None if bound is None else _spans(kind, bound)
    if isinstance(kind, ArrayType):
        return _array(kind, ref.typmod)
    return _record(kind) if isinstance(kind, CompositeSqlType) else None


def _in_others(ref: TypeRef) -> Alike | None:
    """Of a value that is part of another's text, where NaN is a word like any other."""
    return (lambda v: v + 0.0) if base_of(ref).oid in _FLOATS else _alike(ref)


def _numeric(value: Datum) -> str:
    text = value if isinstance(value, str) else format(value, "f")  # of numeric(p, s) in an expression
    if "." not in text:
        return text
    short = text.rstrip("0").rstrip(".")
    return "0" if short == "-0" else short


def _numerics(values: pa.Array) -> pa.Array:
    short = pc.replace_substring_regex(values, r"^(-?[0-9]+)(?:\.0*|(\.[0-9]*[1-9])0*)$", r"\1\2")
    return pc.if_else(pc.equal(short, pa.scalar("-0", short.type)), pa.scalar("0", short.type), short)


def _float(value: Datum) -> float:
    if value != value:
        raise _no_nan()
    return float(value + 0.0)  # there are two zeros


def _floats(values: pa.Array) -> pa.Array:
    return pc.add(values, pa.scalar(0.0, values.type))


def refuse_nan(values: pa.Array) -> None:
    """Raises 0A000 for what nobody finds again by a key, in a column of floating-point numbers."""
    if pa.types.is_floating(values.type) and pc.any(pc.is_nan(values)).as_py():
        raise _no_nan()


def _no_nan() -> SqlError:
    return SqlError("0A000", NAN_IN_KEY)


def _interval(value: Datum) -> tuple[int, int, int]:
    months, days, micros = value
    days += months * _MONTH_DAYS + micros // _DAY_US
    return days // _MONTH_DAYS, days % _MONTH_DAYS, micros % _DAY_US


def _unpadded(text: Datum) -> str:
    return str(text.rstrip(" "))


def _jsonb(text: Datum) -> str:
    return _JSON_TOKEN.sub(lambda m: m[0] if m[0][0] == '"' else _numeric(m[0]), text)


def _array(kind: ArrayType, typmod: int) -> Alike | None:
    element = TypeRef(kind.element.oid, typmod)
    item = _in_text(element)
    if item is None:
        return None

    def array(text: Datum) -> str:
        value = parse(text)
        items = [None if i is None else item(i) for i in value.items]
        return write(ArrayValue(value.dims, value.lows, items))

    return array


def _in_text(ref: TypeRef) -> Callable[[str], str] | None:
    """From the text of a part to that of the part alike."""
    one = _in_others(ref)
    if one is None:
        return None
    plain = TypeRef(base_of(ref).oid)
    read, show = registry.text_input(plain), registry.text_output(plain, DEFAULT_SETTINGS)
    return lambda text: show(one(read(text)))


def _spans(kind: RangeType, bound: Alike) -> Alike:
    def spans(text: Datum) -> str:
        made = []
        for span in kind.spans(text):
            low, high = (e if e.value is None else e._replace(value=bound(e.value)) for e in span)
            made.append(Span(low, high))
        return kind.text(tuple(made))

    return spans


def _record(kind: CompositeSqlType) -> Alike:
    """Looks at the fields each time: ALTER TYPE changes them."""

    def record(text: Datum) -> str:
        items = split_record(text)
        if len(items) != len(kind.fields):
            return str(text)
        made: list[str | None] = []
        for item, (_, ref) in zip(items, kind.fields, strict=True):
            one = _in_text(ref) if item is not None else None
            made.append(item if one is None or item is None else one(item))
        return join_record(made)

    return record
