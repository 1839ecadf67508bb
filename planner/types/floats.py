"""float4 and float8: the shortest digits that read back as the same number, in PostgreSQL's dress.

PostgreSQL prints with Ryu, exponent from 1e+15 (float8) or 1e+06 (float4) on and below 1e-04. Its
variant treats the rounding interval as *open*: where the shortest decimal lies exactly halfway to
the neighbouring float (1e23, say), Python and NumPy print it and PostgreSQL one digit more. Such
halfway decimals need magnitudes of at least half of 2**53 (2**24 for float4), so only there is it
looked for.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Final

import numpy as np
import pyarrow as pa

from planner.abc import SqlError
from planner.types import oids
from planner.types.base import WHITESPACE, SqlType, TextInput, TextOutput, invalid_input, quote_literal
from planner.types.settings import TypeSettings
from storage.abc import Datum

_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_HEX: Final = re.compile(
    r"[+-]?0[xX](?:[0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?", re.ASCII
)
_WORDS: Final = {
    "nan": math.nan,
    "+nan": math.nan,
    "-nan": -math.nan,
    "inf": math.inf,
    "+inf": math.inf,
    "-inf": -math.inf,
    "infinity": math.inf,
    "+infinity": math.inf,
    "-infinity": -math.inf,
}


def _overflow(name: str, text: str) -> SqlError:
    return SqlError("22003", f'"{text}" is out of range for type {name}')


def _parse(text: str, name: str) -> float:
    body = text.strip(WHITESPACE)
    if _DECIMAL.fullmatch(body):
        value = float(body)
        mantissa = re.split("[eE]", body, maxsplit=1)[0]
        zero = not mantissa.strip("+-0.")
    elif _HEX.fullmatch(body):
        try:
            value = float.fromhex(body)
        except OverflowError:
            raise _overflow(name, body) from None
        zero = not re.split("[pP]", body, maxsplit=1)[0].lstrip("+-").lstrip("0xX").strip("0.")
    else:
        word = _WORDS.get(body.lower())
        if word is None:
            raise invalid_input(name, text)
        return word
    if value in (math.inf, -math.inf) or (value == 0 and not zero):
        raise _overflow(name, body)
    return value


def float8_in(text: str) -> float:
    return _parse(text, "double precision")


def float4_in(text: str) -> float:
    """Rounded once, from decimal to single precision."""
    value = _parse(text, "real")
    if not math.isfinite(value) or value == 0:
        return value
    body = text.strip(WHITESPACE)
    with np.errstate(over="ignore", under="ignore"):
        single = float(np.float32(value))
        if _DECIMAL.fullmatch(body):
            single = _round_once(body, single)
    if not math.isfinite(single) or single == 0:
        raise _overflow("real", body)
    return single


def _round_once(body: str, single: float) -> float:
    """Mends double rounding: the nearest of `single` and its neighbours to the exact decimal, ties to even."""
    if not math.isfinite(single):
        return single
    value = float(body)
    if value == single:
        return single
    f = np.float32(single)
    other = float(np.nextafter(f, np.float32(math.inf if value > single else -math.inf)))
    if not math.isfinite(other) or (single + other) / 2 != value:
        return single  # the double is not the halfway point, so rounding it was right
    exact, half = Fraction(Decimal(body)), Fraction(value)
    if exact == half:
        return single
    return max(single, other) if exact > half else min(single, other)


def _dress(digits: str, exponent: int, fixed_below: int) -> str:
    """Significant digits and the decimal exponent of the first, as PostgreSQL writes them."""
    if -4 <= exponent < fixed_below:
        if exponent < 0:
            return "0." + "0" * (-exponent - 1) + digits
        if len(digits) <= exponent + 1:
            return digits + "0" * (exponent + 1 - len(digits))
        return digits[: exponent + 1] + "." + digits[exponent + 1 :]
    mantissa = digits if len(digits) == 1 else digits[0] + "." + digits[1:]
    return f"{mantissa}e{'-' if exponent < 0 else '+'}{abs(exponent):02d}"


def _split(text: str) -> tuple[str, int]:
    """A positive decimal in any notation -> (significant digits, exponent of the first)."""
    mantissa, _, e = text.partition("e")
    whole, _, part = mantissa.partition(".")
    exponent = int(e or 0) + len(whole) - 1
    digits = whole + part
    stripped = digits.lstrip("0")
    exponent -= len(digits) - len(stripped)
    return stripped.rstrip("0") or "0", exponent


def _is_halfway(digits: str, exponent: int, value: float, after: Callable[[float, float], float]) -> bool:
    """Whether the decimal lies exactly between `value` and the next float in its direction."""
    decimal = int(digits) * Fraction(10) ** (exponent - len(digits) + 1)
    exact = Fraction(value)
    if decimal == exact:
        return False
    neighbour = after(value, math.inf if decimal > exact else 0.0)
    return math.isfinite(neighbour) and decimal * 2 == exact + Fraction(neighbour)


def _next32(value: float, towards: float) -> float:
    return float(np.nextafter(np.float32(value), np.float32(towards)))


def float8_out(value: Datum) -> str:
    text = repr(value)
    if text[-2:] == ".0" and len(text) < (19 if text[0] == "-" else 18):  # below 1e15
        return text[:-2]
    if "e" not in text and "n" not in text and len(text) < 19:
        magnitude = abs(value)
        if 1e-4 <= magnitude < 1e15:
            return text
    return _float8_out_slow(value)


def _float8_out_slow(value: float) -> str:
    if value != value:
        return "NaN"
    if value in (math.inf, -math.inf):
        return "Infinity" if value > 0 else "-Infinity"
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    magnitude = abs(value)
    if magnitude == 0:
        return sign + "0"
    digits, exponent = _split(repr(magnitude))
    if 4e15 < magnitude < 1e42 and _is_halfway(digits, exponent, magnitude, math.nextafter):
        for places in range(len(digits), 17):
            digits, exponent = _split(f"{magnitude:.{places}e}")
            if float(f"{magnitude:.{places}e}") == magnitude and not _is_halfway(
                digits, exponent, magnitude, math.nextafter
            ):
                break
    return sign + _dress(digits, exponent, 15)


def float4_out(value: Datum) -> str:
    if value != value:
        return "NaN"
    if value in (math.inf, -math.inf):
        return "Infinity" if value > 0 else "-Infinity"
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    magnitude = abs(value)
    if magnitude == 0:
        return sign + "0"
    single = np.float32(magnitude)
    digits, exponent = _split(np.format_float_scientific(single, unique=True))
    if 4e6 < magnitude < 1e21 and _is_halfway(digits, exponent, float(single), _next32):
        for places in range(len(digits), 9):
            text = f"{float(single):.{places}e}"
            digits, exponent = _split(text)
            if np.float32(text) == single and not _is_halfway(digits, exponent, float(single), _next32):
                break
    return sign + _dress(digits, exponent, 6)


def _fixed_digits_out(digits: int) -> TextOutput:
    """extra_float_digits <= 0: printf's %.*g."""

    def show(value: Datum) -> str:
        if not math.isfinite(value):
            return _float8_out_slow(value)
        return f"{value:.{digits}g}"

    return show


def float8_output(settings: TypeSettings) -> TextOutput:
    """How a float8 is shown under the settings."""
    if settings.extra_float_digits > 0:
        return float8_out
    return _fixed_digits_out(max(1, 15 + settings.extra_float_digits))


class FloatType(SqlType):
    def __init__(self, oid: int) -> None:
        single = oid == oids.FLOAT4
        super().__init__(
            oid,
            pa.float32() if single else pa.float64(),
            "FLOAT" if single else "DOUBLE",
            "real" if single else "double precision",
        )
        self._single = single

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return float4_in if self._single else float8_in

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        if not self._single:
            return float8_output(settings)
        if settings.extra_float_digits > 0:
            return float4_out
        return _fixed_digits_out(max(1, 6 + settings.extra_float_digits))

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"CAST({quote_literal(repr(float(datum)))} AS {self._duckdb})"
