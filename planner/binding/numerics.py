"""numeric on its text form: PostgreSQL's results digit for digit, display scale included.

What scale a result has is PostgreSQL's rule, not mathematics: a quotient gets at least sixteen significant
digits (counted in groups of four, as numeric stores them), a square root and a logarithm follow the same
aim by estimates in double precision. `divide`, `square_root`, `natural_log`, `power`, ... implement the rules of
`numeric.c` over `decimal`; every function here is strict and is called by DuckDB through `prelude`.
"""

from __future__ import annotations

import decimal
import functools
import math
from collections.abc import Callable, Sequence
from decimal import Decimal

from planner.abc import SqlError
from planner.types.floats import float4_in, float8_in
from planner.types.numeric import fit_text, numeric_in

_EXACT = decimal.Context(prec=140_000, rounding=decimal.ROUND_HALF_UP, Emin=-200_000, Emax=200_000, traps=[])
_SQUARES = decimal.Context(prec=600_000, Emin=-999_999, Emax=999_999, traps=[])
"""Holds the square of whatever numeric holds, on both sides of the point."""
SIGNIFICANT_DIGITS = 16
DISPLAY_SCALE_MAX = 1_000
SCALE_MAX = 16_383
_LOG10_E = 0.434294481903252
_LOG_MAX = 6_000
"""Beyond e to this power nothing is computed: it would take minutes, in which no other thread goes on. (`power` allows a little more.)"""
NAN = Decimal("NaN")
_ONE = Decimal(1)


def zero_divide() -> SqlError:
    return SqlError("22012", "division by zero")


def text(v: Decimal) -> str:
    """PostgreSQL's output: no exponent, no negative zero. Raises 22003."""
    if v.is_nan():
        return "NaN"
    if v.is_infinite():
        return "-Infinity" if v < 0 else "Infinity"
    if not v:
        v = v.copy_abs()
    if v.adjusted() >= 131_072:
        raise SqlError("22003", "value overflows numeric format")
    return f"{v:f}"


def _exponent(v: Decimal) -> int:
    e = v.as_tuple().exponent
    return e if isinstance(e, int) else 0


def scale_of(v: Decimal) -> int:
    return max(0, -_exponent(v))


def rounded(v: Decimal, scale: int) -> Decimal:
    """Half away from zero; `scale` may be negative."""
    if not v.is_finite():
        return v
    q = _EXACT.quantize(v, unit(scale))
    return _EXACT.quantize(q, _ONE) if scale < 0 else q


@functools.lru_cache(maxsize=256)
def unit(scale: int) -> Decimal:
    """One at so many places, which a number is rounded to; negative: before the point."""
    return Decimal((0, (1,), -scale))


def shifted(v: Decimal, places: int) -> Decimal:
    """v times ten to the power of `places`, with all of its digits."""
    return _EXACT.scaleb(v, places)


def groups(v: Decimal) -> tuple[int, list[int]]:
    """Weight and base-10000 digits, as numeric stores a number; (0, []) for zero."""
    if not v:
        return 0, []
    _, digits, exponent = v.as_tuple()
    assert isinstance(exponent, int)
    body = "".join(map(str, digits)).lstrip("0")
    top = len(body) + exponent - 1
    weight = top // 4
    body = "0" * (3 - (top - weight * 4)) + body
    body += "0" * (-len(body) % 4)
    return weight, [int(body[i : i + 4]) for i in range(0, len(body), 4)]


def _bounded(scale: int, *values: Decimal) -> int:
    for v in values:
        scale = max(scale, -_exponent(v))
    return min(max(scale, 0), DISPLAY_SCALE_MAX)


def _first_group(v: Decimal) -> tuple[int, int]:
    """Weight and value of the first of `groups`, without the others; (0, 0) for zero."""
    if not v:
        return 0, 0
    top = v.adjusted()
    weight = top // 4
    return weight, abs(int(_EXACT.scaleb(v, -4 * weight)))


def division_scale(a: Decimal, b: Decimal) -> int:
    (wa, first_a), (wb, first_b) = _first_group(a), _first_group(b)
    weight = wa - wb - (1 if first_a <= first_b else 0)
    return _bounded(SIGNIFICANT_DIGITS - weight * 4, a, b)


def _quotient(a: Decimal, b: Decimal, scale: int) -> Decimal:
    context = _rounded_once(max(1, a.adjusted() - b.adjusted() + 2) + scale + 8)
    return rounded(context.divide(a, b), scale)


@functools.lru_cache(maxsize=256)
def _rounded_once(digits: int) -> decimal.Context:
    """For what is rounded afterwards: the last digit is no 0 and no 5 unless it is exact, so that the one rounding that counts is the last."""
    return decimal.Context(prec=digits, rounding=decimal.ROUND_05UP, Emin=-999_999, Emax=999_999, traps=[])


def divide(a: Decimal, b: Decimal) -> Decimal:
    if a.is_nan() or b.is_nan():
        return NAN
    if not b:
        raise zero_divide()
    if b.is_infinite():
        return NAN if a.is_infinite() else Decimal(0)
    if a.is_infinite():
        return a if b > 0 else a.copy_negate()
    return _quotient(a, b, division_scale(a, b))


def divide_truncated(a: Decimal, b: Decimal) -> Decimal:
    if a.is_nan() or b.is_nan():
        return NAN
    if not b:
        raise zero_divide()
    if not (a.is_finite() and b.is_finite()):
        return divide(a, b)
    return truncated(_EXACT.divide_int(a, b), 0)


def multiply(a: Decimal, b: Decimal) -> Decimal:
    v = _EXACT.multiply(a, b)
    return rounded(v, SCALE_MAX) if v.is_finite() and scale_of(v) > SCALE_MAX else v


def remainder(a: Decimal, b: Decimal) -> Decimal:
    if a.is_nan() or b.is_nan():
        return NAN
    if not b:
        raise zero_divide()
    if a.is_infinite():
        return NAN
    return a if b.is_infinite() else rounded(_EXACT.remainder(a, b), max(scale_of(a), scale_of(b)))


def truncated(v: Decimal, scale: int) -> Decimal:
    if not v.is_finite():
        return v
    q = v.quantize(unit(scale), rounding=decimal.ROUND_DOWN, context=_EXACT)
    return _EXACT.quantize(q, _ONE) if scale < 0 else q


def square_root(v: Decimal, scale: int | None = None) -> Decimal:
    if v.is_nan():
        return v
    if v < 0:
        raise SqlError("2201F", "cannot take square root of a negative number")
    if v.is_infinite():
        return v
    if scale is None:
        weight = v.adjusted() // 4 if v else 0
        scale = _bounded(SIGNIFICANT_DIGITS - ((weight + 1) * 4 // 2 - 1), v)
    # Of integers, so that it is rounded once: sqrt(1.000000000000003) is a little less than 1.0000000000000015.
    exponent = _exponent(v)
    places = exponent + 2 * scale
    number = 4 * int(_EXACT.scaleb(v, -exponent))
    doubled = math.isqrt(number * 10**places if places >= 0 else number // 10**-places)
    return _EXACT.scaleb(Decimal((doubled + 1) // 2), -scale)


def _ln_weight(v: Decimal) -> int:
    """The decimal weight of ln(v), estimated as PostgreSQL estimates it."""
    if Decimal("0.9") <= v <= Decimal("1.1"):
        x = _EXACT.subtract(v, Decimal(1))
        if not x:
            return 0
        weight, digits = groups(x.copy_abs())
        return weight * 4 + int(math.log10(digits[0]))
    weight, digits = groups(v)
    if not digits:
        return 0
    first, tens = digits[0], weight * 4
    if len(digits) > 1:
        first, tens = first * 10_000 + digits[1], tens - 4
    value = math.log(first) + tens * math.log(10)
    return int(math.log10(abs(value)))


def _check_log(v: Decimal) -> None:
    if v.is_nan():
        return
    if not v:
        raise SqlError("2201E", "cannot take logarithm of zero")
    if v < 0:
        raise SqlError("2201E", "cannot take logarithm of a negative number")


def natural_log(v: Decimal) -> Decimal:
    _check_log(v)
    if not v.is_finite():
        return v
    scale = _bounded(SIGNIFICANT_DIGITS - _ln_weight(v), v)
    return rounded(_context(scale + 30).ln(v), scale)


def logarithm(base: Decimal, v: Decimal) -> Decimal:
    _check_log(base)
    _check_log(v)
    if base.is_nan() or v.is_nan():
        return NAN
    if base == 1:
        raise zero_divide()
    if base.is_infinite() or v.is_infinite():
        return (
            Decimal(0)
            if not v.is_infinite()
            else NAN
            if base.is_infinite()
            else v
            if base > 1
            else v.copy_negate()
        )
    scale = _bounded(SIGNIFICANT_DIGITS - (_ln_weight(v) - _ln_weight(base)), base, v)
    context = _context(scale + 40)
    return rounded(context.divide(context.ln(v), context.ln(base)), scale)


def exponential(v: Decimal) -> Decimal:
    if v.is_nan():
        return v
    if v.is_infinite():
        return v if v > 0 else Decimal(0)
    estimate = float(v) * _LOG10_E
    estimate = max(-2000.0, min(2000.0, estimate))
    scale = _bounded(SIGNIFICANT_DIGITS - int(estimate), v)
    if abs(float(v)) >= _LOG_MAX:
        if v > 0:
            raise SqlError("22003", "value overflows numeric format")
        return rounded(Decimal(0), scale)
    return rounded(_context(scale + max(0, int(estimate)) + 30).exp(v), scale)


def _context(digits: int) -> decimal.Context:
    return decimal.Context(prec=max(digits, 40), Emin=-999_999, Emax=999_999, traps=[])


def power(base: Decimal, exponent: Decimal) -> Decimal:
    if base.is_nan() or exponent.is_nan():
        if not exponent.is_nan() and not exponent:
            return Decimal(1)
        return Decimal(1) if base == 1 else NAN
    if not base and exponent < 0:
        raise SqlError("2201F", "zero raised to a negative power is undefined")
    if base.is_infinite() or exponent.is_infinite():
        return _infinite_power(base, exponent)
    if not exponent:
        return rounded(Decimal(1), _bounded(SIGNIFICANT_DIGITS, base))
    whole = exponent.is_finite() and exponent == exponent.to_integral_value()
    if base < 0 and not whole:
        raise SqlError("2201F", "a negative number raised to a non-integer power yields a complex result")
    if whole and -(1 << 31) <= exponent < 1 << 31:
        return _whole_power(base, int(exponent))
    if base < 0:
        size = power(base.copy_negate(), exponent)
        return size.copy_negate() if _EXACT.remainder(exponent, Decimal(2)) else size
    if not base:
        return rounded(Decimal(0), SIGNIFICANT_DIGITS)
    # The scale follows from about eight digits of the logarithm, rounded as PostgreSQL rounds them.
    context, places = _context(60), min(max(8 - _ln_weight(base), 0), DISPLAY_SCALE_MAX)
    log = float(rounded(_EXACT.multiply(rounded(context.ln(base), places), exponent), places))
    if abs(log) > _LOG_MAX * 1.00333:
        if log > 0:
            raise SqlError("22003", "value overflows numeric format")
        return rounded(Decimal(0), DISPLAY_SCALE_MAX)
    estimate = log * _LOG10_E
    scale = _bounded(SIGNIFICANT_DIGITS - int(estimate), base, exponent)
    wide = _context(scale + max(0, int(estimate)) + 40)
    return rounded(wide.exp(wide.multiply(wide.ln(base), exponent)), scale)


def _infinite_power(base: Decimal, exponent: Decimal) -> Decimal:
    """As pow() has it: the size of the base against one decides, its sign where the exponent is odd."""
    if not exponent:
        return Decimal(1)
    if exponent.is_infinite():
        if base < 0 and base.is_infinite():
            return Decimal("Infinity") if exponent > 0 else Decimal(0)
        if base < 0 and exponent.is_infinite():
            base = base.copy_abs()
        if base == 1:
            return Decimal(1)
        return Decimal("Infinity") if (base.copy_abs() > 1) == (exponent > 0) else Decimal(0)
    if exponent < 0:
        return Decimal(0)
    if base > 0:
        return base
    if exponent != exponent.to_integral_value():
        raise SqlError("2201F", "a negative number raised to a non-integer power yields a complex result")
    return base if int(exponent) % 2 else base.copy_negate()


def _whole_power(base: Decimal, n: int) -> Decimal:
    estimate = 0.0
    if base:
        estimate = n * (base.adjusted() + math.log10(float(base.copy_abs().scaleb(-base.adjusted()))))
        if estimate > 131_072:
            raise SqlError("22003", "value overflows numeric format")
    scale = _bounded(SIGNIFICANT_DIGITS, base)
    if estimate + 1 < -scale:
        return rounded(Decimal(0), scale)
    context = _context(scale + max(0, int(estimate)) + 40)
    return rounded(context.power(base, Decimal(n)), scale)


def factorial(n: int) -> Decimal:
    if n < 0:
        raise SqlError("22003", "factorial of a negative number is undefined")
    if n > 32_177:
        raise SqlError("22003", "value overflows numeric format")
    return Decimal(math.factorial(n))


def sign(v: Decimal) -> Decimal:
    if v.is_nan():
        return v
    return Decimal((v > 0) - (v < 0))


def compare(a: Decimal, b: Decimal) -> int:
    """NaN is equal to itself and greater than every number."""
    if a.is_nan() or b.is_nan():
        return int(a.is_nan()) - int(b.is_nan())
    return (a > b) - (a < b)


def sort_key(v: Decimal) -> bytes:
    """Bytes whose order is the order of numbers; equal numbers have equal bytes whatever their scale."""
    if v.is_nan():
        return b"\xff"
    if v.is_infinite():
        return b"\xfe" if v > 0 else b"\x00"
    if not v:
        return b"\x80"
    _, digits, _ = v.as_tuple()
    body = "".join(map(str, digits)).strip("0")
    top = v.adjusted() + 0x40000000
    key = top.to_bytes(4, "big") + body.encode()
    if v > 0:
        return b"\xc0" + key
    return b"\x40" + bytes(255 - b for b in key) + b"\xff"


def total(values: Sequence[str | None]) -> str | None:
    """sum(): None for no values."""
    present = [Decimal(v) for v in values if v is not None]
    if not present:
        return None
    out = present[0]
    for v in present[1:]:
        out = _EXACT.add(out, v)
    return text(out)


def totalled(total_text: str, scale: int, others: Sequence[str | None]) -> str | None:
    """`total` of others and of what has been added up already ("" if nothing has), whose scales were not larger than `scale`."""
    if not total_text:
        return total(others)
    return total([format(_EXACT.quantize(Decimal(total_text), unit(scale)), "f"), *others])


def deviation(values: Sequence[str | None], *, sample: bool, root: bool) -> str | None:
    """variance and stddev by PostgreSQL's formula over sums and squares."""
    return deviation_of(0, "0", "0", values, sample=sample, root=root)


def deviation_of(
    count: int, total_text: str, squares_text: str, others: Sequence[str | None], *, sample: bool, root: bool
) -> str | None:
    """`deviation` of so many values whose sum and whose squares' sum are known, and of others."""
    present = [Decimal(v) for v in others if v is not None]
    n = count + len(present)
    if n == 0 or (sample and n == 1):
        return None
    if any(not v.is_finite() for v in present):
        return "NaN"
    s, squares = Decimal(total_text), Decimal(squares_text)
    for v in present:
        s, squares = _SQUARES.add(s, v), _SQUARES.add(squares, _SQUARES.multiply(v, v))
    top = _SQUARES.subtract(_SQUARES.multiply(Decimal(n), squares), _SQUARES.multiply(s, s))
    if top <= 0:
        return "0"
    bottom = Decimal(n * (n - 1) if sample else n * n)
    if top.adjusted() - bottom.adjusted() >= 131_072:
        raise SqlError("22003", "value overflows numeric format")
    result_scale = division_scale(top, bottom)
    v = _quotient(top, bottom, result_scale)
    return text(square_root(v, result_scale) if root else v)


def from_float(v: float, digits: int) -> str:
    if math.isnan(v):
        return "NaN"
    if math.isinf(v):
        return "Infinity" if v > 0 else "-Infinity"
    return numeric_in(f"{v:.{digits}g}")


def fitted(value: str, precision: int, scale: int) -> str:
    return str(fit_text(precision, scale)(value))


def fitted_decimal(value: str, precision: int, scale: int) -> str:
    """`fitted` for what becomes a DECIMAL, which has no NaN. Raises 0A000."""
    if value == "NaN":
        raise SqlError("0A000", f"NaN of type numeric({precision},{scale}) is not supported")
    return fitted(value, precision, scale)


def to_integer(v: Decimal, low: int, high: int, word: str) -> int:
    if not v.is_finite():
        raise SqlError("0A000", f"cannot convert {'NaN' if v.is_nan() else 'infinity'} to {word}")
    n = int(rounded(v, 0))
    if not low <= n <= high:
        raise SqlError("22003", f"{word} out of range")
    return n


def to_float(v: Decimal, single: bool) -> float:
    """Through text, as PostgreSQL does it. Raises 22003 for what is too large, or too small to be told from zero."""
    if single:
        return float4_in(text(v))
    f = float(v)
    return f if f and math.isfinite(f) else float8_in(text(v))


def trimmed(v: Decimal) -> Decimal:
    """Without trailing zeros after the point."""
    if not v.is_finite():
        return v
    return rounded(v, least_scale(v))


def least_scale(v: Decimal) -> int:
    _, digits, _ = v.as_tuple()
    s = scale_of(v)
    for d in reversed(digits):
        if s == 0 or d:
            break
        s -= 1
    return 0 if not v else s


Binary = Callable[[Decimal, Decimal], Decimal]
ADD: Binary = _EXACT.add
SUBTRACT: Binary = _EXACT.subtract


def floor(v: Decimal) -> Decimal:
    return v.quantize(Decimal(1), decimal.ROUND_FLOOR, _EXACT) if v.is_finite() else v


def ceiling(v: Decimal) -> Decimal:
    return v.quantize(Decimal(1), decimal.ROUND_CEILING, _EXACT) if v.is_finite() else v
