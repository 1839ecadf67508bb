"""Casts between datums.

    cast_function(source, target)   a function of (datum, session); None if this engine has no such cast

A modifier of the target (varchar(n), numeric(p,s), ...) is fitted by the type's own coercion, which for an
assignment is stricter than for an explicit cast. Casts to and from text are the types' input and output.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from typing import Any, Final

from executor.abc import ExecutionError
from executor.keyed import times
from executor.keyed.numbers import (
    INT_BOUNDS,
    checked_integer,
    float4,
    number,
)
from executor.keyed.registry import out_of_range
from planner import types as t
from planner.abc import TypeRef
from planner.binding import numerics
from planner.binding.numerics import to_float
from planner.types.jsons import jsonb_in

Cast = Callable[..., Any]
"""`cast(datum, session)`: the session value gives the settings (`types`) and the zone."""

_INTS = {t.INT2: "int2", t.INT4: "int4", t.INT8: "int8"}
_FLOATS = {t.FLOAT4: 6, t.FLOAT8: 15}  # digits that a cast to numeric keeps
_TEXTS = (t.TEXT, t.VARCHAR, t.BPCHAR, t.NAME, t.CITEXT, t.UNKNOWN)


def _to_integer_from_float(kind: str) -> Cast:
    low, high, word = INT_BOUNDS[kind]

    def cast(v: float, _s: Any) -> int:
        if math.isfinite(v):
            i = round(v)
            if low <= i <= high:
                return i
        raise out_of_range(word)

    return cast


def _to_integer_from_numeric(kind: str) -> Cast:
    check = checked_integer(kind)
    word = INT_BOUNDS[kind][2]

    def cast(v: Any, _s: Any) -> int:
        n = number(v)
        if not n.is_finite():
            raise ExecutionError("0A000", f"cannot convert {'NaN' if n.is_nan() else 'infinity'} to {word}")
        return check(int(numerics.rounded(n, 0)))

    return cast


def _float_from_numeric(single: bool) -> Cast:
    return lambda v, _s: to_float(number(v), single)


def _numeric_from_float(digits: int) -> Cast:
    def cast(v: float, _s: Any) -> str:
        if not math.isfinite(v):
            return "NaN" if math.isnan(v) else "Infinity" if v > 0 else "-Infinity"
        return numerics.text(Decimal(f"{v:.{digits}g}"))

    return cast


def unchanged(v: Any, _s: Any) -> Any:
    """The cast that changes nothing: whoever compiles one leaves it out."""
    return v


def _time_of(v: int) -> int | None:
    return v % times.DAY_US if -times.INFINITY < v < times.INFINITY else None


_TODAY: Final = re.compile("now|today|tomorrow|yesterday", re.IGNORECASE)


def _at(text: str, session: Any) -> Any:
    """The session's settings, and where a time is said by that the transaction's."""
    types = session.types
    return replace(types, now_us=session.transaction_began_us()) if _TODAY.search(text) else types


def _base_cast(source: TypeRef, target: TypeRef) -> Cast | None:
    a, b = source.oid, target.oid
    if a == b:
        if a == t.NUMERIC and (source.typmod < 0) != (target.typmod < 0) and target.typmod < 0:
            return lambda v, _s: numerics.text(number(v))
        return unchanged
    if b in _INTS:
        kind = _INTS[b]
        if a in _INTS:
            if INT_BOUNDS[_INTS[a]][1] <= INT_BOUNDS[kind][1]:
                return unchanged
            check = checked_integer(kind)
            return lambda v, _s: check(v)
        if a in _FLOATS:
            return _to_integer_from_float(kind)
        if a == t.NUMERIC:
            return _to_integer_from_numeric(kind)
        if a == t.BOOL and b == t.INT4:
            return lambda v, _s: int(v)
    if b in _FLOATS:
        if a in _INTS:
            return (lambda v, _s: float4(float(v))) if b == t.FLOAT4 else (lambda v, _s: float(v))
        if a == t.NUMERIC:
            return _float_from_numeric(b == t.FLOAT4)
        if a == t.FLOAT4:
            return unchanged
        if a == t.FLOAT8:

            def narrow(v: float, _s: Any) -> float:
                f = float4(v)
                if math.isinf(f) and not math.isinf(v):
                    raise ExecutionError("22003", "value out of range: overflow")
                if f == 0.0 and v != 0.0:
                    raise ExecutionError("22003", "value out of range: underflow")
                return f

            return narrow
    if b == t.NUMERIC:
        if a in _INTS:
            return lambda v, _s: str(v)
        if a in _FLOATS:
            return _numeric_from_float(_FLOATS[a])
    if b == t.BOOL and a == t.INT4:
        return lambda v, _s: v != 0
    if a == t.BPCHAR and b in (t.TEXT, t.VARCHAR, t.CITEXT):
        return lambda v, _s: v.rstrip(" ")
    if a in _TEXTS and b in _TEXTS:
        if b == t.NAME:
            return lambda v, _s: v.encode()[:63].decode(errors="ignore")
        return unchanged
    if a == t.DATE and b == t.TIMESTAMP:
        return lambda v, _s: times.date_to_timestamp(v)
    if a == t.DATE and b == t.TIMESTAMPTZ:
        return lambda v, s: times.day_at_zone(v, s.types.time_zone)
    if a == t.TIMESTAMP and b == t.DATE:
        return lambda v, _s: times.timestamp_to_date(v)
    if a == t.TIMESTAMPTZ and b == t.TIMESTAMP:
        return lambda v, s: times.to_wall_clock(v, s.types.time_zone)
    if a == t.TIMESTAMP and b == t.TIMESTAMPTZ:
        return lambda v, s: times.from_wall_clock(v, s.types.time_zone)
    if a == t.TIMESTAMPTZ and b == t.DATE:
        return lambda v, s: times.timestamp_to_date(times.to_wall_clock(v, s.types.time_zone))
    if a == t.TIMESTAMP and b == t.TIME:
        return lambda v, _s: _time_of(v)
    if a == t.TIMESTAMPTZ and b == t.TIME:
        return lambda v, s: _time_of(times.to_wall_clock(v, s.types.time_zone))
    if a in (t.JSON, t.JSONB) and (b in _TEXTS or b == t.JSON):
        return unchanged
    if a == t.JSON and b == t.JSONB:
        return lambda v, _s: jsonb_in(v)
    if a == t.BOOL and b in _TEXTS and b != t.NAME:
        return lambda v, _s: "true" if v else "false"
    if b in _TEXTS:
        return lambda v, s: t.output_text(v, source, s.types)
    if a in _TEXTS or a in (t.TEXT_ARRAY, t.VARCHAR_ARRAY):  # an array of texts reads as one of what they say
        plain = TypeRef(b)
        if b in (t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ):
            return lambda v, s: t.input_text(v, plain, _at(v, s))
        return lambda v, s: t.input_text(v, plain, s.types)
    return None


def cast_function(source: TypeRef, target: TypeRef, *, explicit: bool = True) -> Cast | None:
    """A function (datum, session) -> datum of the target type; NULL is never passed to it."""
    base = _base_cast(source, target)
    if base is None:
        return None
    fit = t.coercion(target, explicit)
    if fit is None:
        return base
    if base is unchanged or source.oid == target.oid:
        return lambda v, _s: fit(v)
    return lambda v, s: fit(base(v, s))
