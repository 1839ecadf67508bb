"""Python functions on numbers: numeric in text form, and the conversions whose rounding is PostgreSQL's."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Any

from planner import types as t
from planner.abc import SqlError, TypeRef
from planner.binding import numerics as n
from planner.types.floats import float4_in, float4_out, float8_in, float8_out
from planner.types.numeric import numeric_in

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V = "VARCHAR"


def _binary(function: Callable[[Decimal, Decimal], Decimal]) -> Callable[[str, str], str]:
    return lambda a, b: n.text(function(Decimal(a), Decimal(b)))


def _unary(function: Callable[[Decimal], Decimal]) -> Callable[[str], str]:
    return lambda a: n.text(function(Decimal(a)))


@cache
def _shown(kind: str, digits: str) -> Callable[[Any], str]:
    """A type's output function under `extra_float_digits`."""
    return t.text_output(TypeRef(t.BY_NAME[kind].oid), t.TypeSettings(extra_float_digits=int(digits)))


_INTEGERS = {
    2: (-(1 << 15), (1 << 15) - 1, "smallint"),
    4: (-(1 << 31), (1 << 31) - 1, "integer"),
    8: (-(1 << 63), (1 << 63) - 1, "bigint"),
}


def _extreme(which: Callable[..., Any]) -> Callable[[list[str | None]], str | None]:
    def pick(values: list[str | None]) -> str | None:
        present = [v for v in values if v is not None]
        return which(present, key=lambda v: n.sort_key(Decimal(v)), default=None)  # type: ignore[no-any-return]

    return pick


def _distinct(values: list[str | None]) -> list[str | None]:
    """Each value once, in order, NULL last; of equal ones the first text."""
    first: dict[bytes, str] = {}
    for v in values:
        if v is not None:
            first.setdefault(n.sort_key(Decimal(v)), v)
    return [first[k] for k in sorted(first)] + ([None] if None in values else [])


def _series(start: str, stop: str, step: str, asked: int) -> list[str]:
    a, b, s = Decimal(start), Decimal(stop), Decimal(step)
    for v, word in ((a, "start"), (b, "stop"), (s, "step size")):
        if not v.is_finite():
            raise SqlError(
                "22023",
                f"{word}{' value' if word != 'step size' else ''} cannot be {'NaN' if v.is_nan() else 'infinity'}",
            )
    if not s:
        raise SqlError("22023", "step size cannot equal zero")
    out: list[str] = []
    while len(out) < asked and ((a <= b) if s > 0 else (a >= b)):
        if len(out) >= 10_000_000:
            raise SqlError("54000", "generate_series of more than 10000000 numerics is not supported")
        out.append(n.text(a))
        a = n.ADD(a, s)
    return out


def _exact(text: str) -> float | Fraction:
    """A numeric as a number to reckon with: NaN and the infinities are floats."""
    value = Decimal(text)
    return Fraction(value) if value.is_finite() else float(value)


def _num_width_bucket(value: str, low: str, high: str, count: int) -> int:
    return _width_bucket(_exact(value), _exact(low), _exact(high), count)


def _width_bucket(value: float | Fraction, low: float | Fraction, high: float | Fraction, count: int) -> int:
    """Which of `count` equal parts of low..high, counted from one, the value is in. Raises 2201G, 22003."""
    if count <= 0:
        raise SqlError("2201G", "count must be greater than zero")
    floats = [v for v in (value, low, high) if isinstance(v, float)]
    if any(map(math.isnan, floats)):
        raise SqlError("2201G", "operand, lower bound, and upper bound cannot be NaN")
    if any(isinstance(v, float) and math.isinf(v) for v in (low, high)):
        raise SqlError("2201G", "lower and upper bounds must be finite")
    if low == high:
        raise SqlError("2201G", "lower bound cannot equal upper bound")
    if low > high:
        value, low, high = -value, -low, -high
    if value < low:
        found = 0
    elif value >= high:
        found = count + 1
    else:
        # A quotient that was rounded up must not be beyond the last part.
        found = min(int((value - low) * count / (high - low)), count - 1) + 1
    if found >= 1 << 31:
        raise SqlError("22003", "integer out of range")
    return found


def _power(a: float, b: float) -> float:
    if a == 0 and b < 0:
        raise SqlError("2201F", "zero raised to a negative power is undefined")
    if a < 0 and math.isfinite(b) and b != math.floor(b):
        raise SqlError("2201F", "a negative number raised to a non-integer power yields a complex result")
    try:
        v = math.pow(a, b)
    except OverflowError:
        raise SqlError("22003", "value out of range: overflow") from None
    except ValueError:
        return math.nan
    if v == 0 and a != 0 and math.isfinite(b) and math.isfinite(a):
        raise SqlError("22003", "value out of range: underflow")
    return v


FUNCTIONS: list[Entry] = [
    ("tw_num_add", _binary(n.ADD), (_V, _V), _V),
    ("tw_num_sub", _binary(n.SUBTRACT), (_V, _V), _V),
    ("tw_num_mul", _binary(n.multiply), (_V, _V), _V),
    ("tw_num_div", _binary(n.divide), (_V, _V), _V),
    ("tw_num_div_trunc", _binary(n.divide_truncated), (_V, _V), _V),
    ("tw_num_mod", _binary(n.remainder), (_V, _V), _V),
    ("tw_num_power", _binary(n.power), (_V, _V), _V),
    ("tw_num_log", _binary(n.logarithm), (_V, _V), _V),
    ("tw_num_neg", _unary(lambda v: v.copy_negate()), (_V,), _V),
    ("tw_num_abs", _unary(lambda v: v.copy_abs()), (_V,), _V),
    ("tw_num_floor", _unary(n.floor), (_V,), _V),
    ("tw_num_ceil", _unary(n.ceiling), (_V,), _V),
    ("tw_num_sign", _unary(n.sign), (_V,), _V),
    ("tw_num_sqrt", _unary(n.square_root), (_V,), _V),
    ("tw_num_exp", _unary(n.exponential), (_V,), _V),
    ("tw_num_ln", _unary(n.natural_log), (_V,), _V),
    ("tw_num_trim_scale", _unary(n.trimmed), (_V,), _V),
    (
        "tw_num_round",
        lambda a, s: n.text(n.rounded(Decimal(a), max(-131_073, min(s, 16_383)))),
        (_V, "INTEGER"),
        _V,
    ),
    (
        "tw_num_trunc",
        lambda a, s: n.text(n.truncated(Decimal(a), max(-131_073, min(s, 16_383)))),
        (_V, "INTEGER"),
        _V,
    ),
    ("tw_num_scale", lambda a: n.scale_of(Decimal(a)) if Decimal(a).is_finite() else None, (_V,), "INTEGER"),
    (
        "tw_num_min_scale",
        lambda a: n.least_scale(Decimal(a)) if Decimal(a).is_finite() else None,
        (_V,),
        "INTEGER",
    ),
    ("tw_num_factorial", lambda v: n.text(n.factorial(v)), ("BIGINT",), _V),
    ("tw_num_cmp", lambda a, b: n.compare(Decimal(a), Decimal(b)), (_V, _V), "INTEGER"),
    ("tw_num_key", lambda a: n.sort_key(Decimal(a)), (_V,), "BLOB"),
    (
        "tw_num_avg",
        lambda a, c: None if c == 0 else n.text(n.divide(Decimal(a), Decimal(c))),
        (_V, "BIGINT"),
        _V,
    ),
    ("tw_num_sum", n.total, ("VARCHAR[]",), _V),
    ("tw_num_total", n.totalled, (_V, "INTEGER", "VARCHAR[]"), _V),
    ("tw_num_distinct", _distinct, ("VARCHAR[]",), "VARCHAR[]"),
    ("tw_num_series", _series, (_V, _V, _V, "BIGINT"), "VARCHAR[]"),
    ("tw_num_greatest", _extreme(max), ("VARCHAR[]",), _V),
    ("tw_num_least", _extreme(min), ("VARCHAR[]",), _V),
    ("tw_num_fit", n.fitted, (_V, "INTEGER", "INTEGER"), _V),
    ("tw_num_fit_decimal", n.fitted_decimal, (_V, "INTEGER", "INTEGER"), _V),
    ("tw_num_from_float8", lambda v: n.from_float(v, 15), ("DOUBLE",), _V),
    ("tw_num_from_float4", lambda v: n.from_float(v, 6), ("FLOAT",), _V),
    ("tw_num_float8", lambda v: n.to_float(Decimal(v), False), (_V,), "DOUBLE"),
    ("tw_num_float4", lambda v: n.to_float(Decimal(v), True), (_V,), "FLOAT"),
    ("tw_in_numeric", numeric_in, (_V,), _V),
    ("tw_in_float8", float8_in, (_V,), "DOUBLE"),
    ("tw_in_float4", float4_in, (_V,), "FLOAT"),
    ("tw_out_float8", float8_out, ("DOUBLE",), _V),
    ("tw_out_float4", float4_out, ("FLOAT",), _V),
    ("tw_shown_float8", lambda v, digits: _shown("float8", digits)(v), ("DOUBLE", _V), _V),
    ("tw_shown_float4", lambda v, digits: _shown("float4", digits)(v), ("FLOAT", _V), _V),
    ("tw_shown_geometry", lambda v, kind, digits: _shown(kind, digits)(v), (_V, _V, _V), _V),
    ("tw_power", _power, ("DOUBLE", "DOUBLE"), "DOUBLE"),
    ("tw_num_width_bucket", _num_width_bucket, (_V, _V, _V, "INTEGER"), "INTEGER"),
    ("tw_width_bucket", _width_bucket, ("DOUBLE", "DOUBLE", "DOUBLE", "INTEGER"), "INTEGER"),
]
for _size, (_low, _high, _word) in _INTEGERS.items():
    FUNCTIONS.append(
        (
            f"tw_num_int{_size}",
            lambda v, low=_low, high=_high, word=_word: n.to_integer(Decimal(v), low, high, word),
            (_V,),
            "BIGINT",
        )
    )
for _name, _sample, _root in (
    ("stddev_samp", True, True), ("stddev_pop", False, True), ("var_samp", True, False), ("var_pop", False, False),
):  # fmt: skip
    FUNCTIONS.append(
        (
            f"tw_num_{_name}",
            lambda v, s=_sample, r=_root: n.deviation(v, sample=s, root=r),
            ("VARCHAR[]",),
            _V,
        )
    )
    FUNCTIONS.append(
        (
            f"tw_num_{_name}_of",
            lambda c, t, q, v, s=_sample, r=_root: n.deviation_of(c, t, q, v, sample=s, root=r),
            ("BIGINT", _V, _V, "VARCHAR[]"),
            _V,
        )
    )
