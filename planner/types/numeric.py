"""numeric: exact decimals.

Two representations, told apart by the modifier:

    numeric(p, s), 0 <= s <= p <= 38    Decimal with exactly s places, DECIMAL(p, s) in DuckDB
    all others                          PostgreSQL's own text ("1.10", "NaN"), VARCHAR in DuckDB

so that numeric without modifier keeps its display scale and reaches PostgreSQL's 131,072 digits
before and 16,383 after the point.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Final

import pyarrow as pa

from planner.abc import SqlError
from planner.types import oids
from planner.types.base import (
    WHITESPACE,
    Coercion,
    SqlType,
    TextInput,
    TextOutput,
    integer_args,
    invalid_input,
    quote_literal,
)
from planner.types.settings import TypeSettings
from storage.abc import Datum

PRECISION_MAX: Final = 1000
SCALE_MAX: Final = 1000
DUCKDB_PRECISION_MAX: Final = 38
WEIGHT_MAX: Final = 131_072
DSCALE_MAX: Final = 16_383
_TYPMOD_HEADER: Final = 4

_NUMERIC: Final = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]+))?", re.ASCII)
_CANONICAL: Final = re.compile(r"-?(?:0|[1-9][0-9]{0,37})(?:\.[0-9]{1,38})?", re.ASCII)
"""As nearly all numerics are written that programs send: nothing about them is to be changed, but that zero has no sign."""
_SPECIAL: Final = {
    "nan": "NaN",
    "inf": "Infinity",
    "+inf": "Infinity",
    "-inf": "-Infinity",
    "infinity": "Infinity",
    "+infinity": "Infinity",
    "-infinity": "-Infinity",
}
_WIDE: Final = Context(prec=WEIGHT_MAX + DSCALE_MAX + 1000, rounding=ROUND_HALF_UP)


def overflow() -> SqlError:
    return SqlError("22003", "value overflows numeric format")


def numeric_in(text: str) -> str:
    """PostgreSQL's canonical text of a numeric without modifier."""
    if _CANONICAL.fullmatch(text) is not None and (text[0] != "-" or text.strip("-0.")):
        return text
    body = text.strip(WHITESPACE)
    m = _NUMERIC.fullmatch(body)
    if m is None or not (m[2] or m[3]):
        special = _SPECIAL.get(body.lower())
        if special is None:
            raise invalid_input("numeric", text)
        return special
    sign, whole, part, exponent = m[1], m[2], m[3] or "", m[4]
    if exponent is not None:
        if len(exponent) > 12 or abs(int(exponent)) >= 1 << 30:
            raise overflow()
        shift = int(exponent)
        if shift >= 0:
            if shift > WEIGHT_MAX + len(part) and (whole + part).strip("0"):
                raise overflow()
            moved = part[:shift].ljust(shift if (whole + part).strip("0") else 0, "0")
            whole, part = whole + moved, part[shift:]
        else:
            if -shift + len(part) > DSCALE_MAX + WEIGHT_MAX + len(whole):
                shift = -(DSCALE_MAX + WEIGHT_MAX + len(whole))
            padded = whole.rjust(-shift, "0")
            whole, part = padded[: len(padded) + shift], padded[shift:] + part
    whole = whole.lstrip("0") or "0"
    if len(whole) > WEIGHT_MAX or len(part) > DSCALE_MAX:
        raise overflow()
    out = f"{whole}.{part}" if part else whole
    return "-" + out if sign == "-" and out.strip("0.") else out


def precision_scale(typmod: int) -> tuple[int, int] | None:
    """(p, s) of a modifier; None for numeric alone."""
    if typmod < _TYPMOD_HEADER:
        return None
    bits = typmod - _TYPMOD_HEADER
    scale = bits & 0x7FF
    return bits >> 16 & 0xFFFF, (scale ^ 1024) - 1024


def is_decimal(typmod: int) -> bool:
    """Whether the datum is a Decimal (DuckDB DECIMAL), not text."""
    ps = precision_scale(typmod)
    return ps is not None and ps[0] <= DUCKDB_PRECISION_MAX and 0 <= ps[1] <= ps[0]


def field_overflow(precision: int, scale: int) -> SqlError:
    digits = precision - scale
    bound = f"10^{digits}" if digits else "1"
    return SqlError(
        "22003",
        "numeric field overflow",
        detail=f"A field with precision {precision}, scale {scale} must round to an absolute value less than {bound}.",
    )


def fit_text(precision: int, scale: int) -> Coercion:
    """Text of any numeric -> text rounded to (p, s), for modifiers that DuckDB has no DECIMAL for."""
    bound = Decimal(1).scaleb(precision - scale)
    unit = Decimal(1).scaleb(-scale)

    def fit(text: Datum) -> str:
        if text == "NaN":
            return "NaN"
        if text in ("Infinity", "-Infinity"):
            raise _infinite(precision, scale)
        d = Decimal(text).quantize(unit, context=_WIDE)
        if d.copy_abs() >= bound:
            raise field_overflow(precision, scale)
        if not d:
            d = d.copy_abs()
        return format(d if scale >= 0 else d.quantize(Decimal(1), context=_WIDE), "f")

    return fit


def _infinite(precision: int, scale: int) -> SqlError:
    return SqlError(
        "22003",
        "numeric field overflow",
        detail=f"A field with precision {precision}, scale {scale} cannot hold an infinite value.",
    )


def fit_decimal(precision: int, scale: int) -> Coercion:
    """A Decimal (or text, or int) -> Decimal with exactly `scale` places."""
    bound = Decimal(1).scaleb(precision - scale)
    unit = Decimal(1).scaleb(-scale)

    def fit(value: Datum) -> Decimal:
        d = value if type(value) is Decimal else Decimal(value)
        if not d.is_finite():
            if d.is_infinite():
                raise _infinite(precision, scale)
            raise SqlError("0A000", f"NaN in a column of type numeric({precision},{scale}) is not supported")
        d = d.quantize(unit, context=_WIDE)
        if d.copy_abs() >= bound:
            raise field_overflow(precision, scale)
        return d if d else d.copy_abs()

    return fit


def decimal_out(value: Datum) -> str:
    text = str(value)
    return format(Decimal(text), "f") if "E" in text else text


def typmod_of(precision: int, scale: int) -> int:
    """The modifier of numeric(precision, scale)."""
    return (precision << 16 | scale & 0x7FF) + _TYPMOD_HEADER


class NumericType(SqlType):
    def __init__(self) -> None:
        super().__init__(oids.NUMERIC, pa.string(), "VARCHAR")

    def arrow(self, typmod: int) -> pa.DataType:
        ps = precision_scale(typmod)
        return pa.decimal128(*ps) if ps is not None and is_decimal(typmod) else pa.string()

    def duckdb(self, typmod: int) -> str:
        ps = precision_scale(typmod)
        return f"DECIMAL({ps[0]}, {ps[1]})" if ps is not None and is_decimal(typmod) else "VARCHAR"

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        fit = self.coercion(typmod, False)
        if fit is None:
            return numeric_in
        return lambda text: fit(numeric_in(text))

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return decimal_out  # of any datum: arrays and documents know nothing of their elements' modifiers

    def coercion(self, typmod: int, explicit: bool) -> Coercion | None:
        ps = precision_scale(typmod)
        if ps is None:
            return None
        return fit_decimal(*ps) if is_decimal(typmod) else fit_text(*ps)

    def literal(self, datum: Datum, typmod: int) -> str:
        if is_decimal(typmod):
            return f"CAST('{decimal_out(datum)}' AS {self.duckdb(typmod)})"
        return f"CAST({quote_literal(decimal_out(datum))} AS VARCHAR)"

    def typmod_in(self, args: Sequence[str]) -> int:
        values = integer_args(args, 2, "NUMERIC ")
        precision, scale = values[0], values[1] if len(values) == 2 else 0
        if not 1 <= precision <= PRECISION_MAX:
            raise SqlError("22023", f"NUMERIC precision {precision} must be between 1 and {PRECISION_MAX}")
        if not -SCALE_MAX <= scale <= SCALE_MAX:
            raise SqlError("22023", f"NUMERIC scale {scale} must be between -{SCALE_MAX} and {SCALE_MAX}")
        return typmod_of(precision, scale)

    def typmod_out(self, typmod: int) -> str:
        ps = precision_scale(typmod)
        return "" if ps is None else f"({ps[0]},{ps[1]})"
