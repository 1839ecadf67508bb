"""Arithmetic on integers, floats and numerics, exactly PostgreSQL's.

Integers overflow with 22003, divide towards zero, and keep the dividend's sign in a remainder.
Floats raise when a finite input gives infinity or a non-zero product vanishes. What numerics come to, and with how many
digits, is said in `planner.binding.numerics`, for both engines.

A `numeric` without a modifier is a string (it carries its display scale), one with a modifier a
Decimal: `number` takes either, `numerics.text` gives the string back.
"""

from __future__ import annotations

import decimal
import math
import struct
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from executor.abc import ExecutionError
from executor.keyed.registry import STRICT, division_by_zero, out_of_range, scalar
from planner.binding import numerics
from planner.binding.numerics import text

INT_BOUNDS = {
    "int2": (-(1 << 15), (1 << 15) - 1, "smallint"),
    "int4": (-(1 << 31), (1 << 31) - 1, "integer"),
    "int8": (-(1 << 63), (1 << 63) - 1, "bigint"),
}
_RANK = {"int2": 0, "int4": 1, "int8": 2}

_EXACT = decimal.Context(prec=140_000, rounding=decimal.ROUND_HALF_UP, Emin=-200_000, Emax=200_000, traps=[])


def checked_integer(kind: str) -> Callable[[int], int]:
    """A function that returns its integer or raises 22003."""
    low, high, word = INT_BOUNDS[kind]

    def check(v: int) -> int:
        if low <= v <= high:
            return v
        raise out_of_range(word)

    return check


def _shifts(kind: str) -> tuple[Callable[[int, int], int], Callable[[int, int], int]]:
    """As the processor shifts: by the count modulo the register's width (int2 is in one of int4), dropping what goes out."""
    bits = {"int2": 16, "int4": 32, "int8": 64}[kind]
    register, sign = max(bits, 32) - 1, 1 << (bits - 1)

    def left(a: int, count: int) -> int:
        return ((a << (count & register)) + sign) % (2 * sign) - sign

    def right(a: int, count: int) -> int:
        return a >> (count & register)

    return left, right


def _integer_operators() -> None:
    def make(kind: str) -> dict[str, Callable[[int, int], int]]:
        low, high, word = INT_BOUNDS[kind]

        def add(a: int, b: int) -> int:
            v = a + b
            if low <= v <= high:
                return v
            raise out_of_range(word)

        def sub(a: int, b: int) -> int:
            v = a - b
            if low <= v <= high:
                return v
            raise out_of_range(word)

        def mul(a: int, b: int) -> int:
            v = a * b
            if low <= v <= high:
                return v
            raise out_of_range(word)

        def div(a: int, b: int) -> int:
            if b == 0:
                raise division_by_zero()
            v = a // b if (a < 0) == (b < 0) else -(-a // b)
            if v <= high:
                return v
            raise out_of_range(word)

        def mod(a: int, b: int) -> int:
            if b == 0:
                raise division_by_zero()
            v = abs(a) % abs(b)
            return -v if a < 0 else v

        return {"+": add, "-": sub, "*": mul, "/": div, "%": mod}

    made = {kind: make(kind) for kind in INT_BOUNDS}
    for left in INT_BOUNDS:
        for right in INT_BOUNDS:
            wider = left if _RANK[left] >= _RANK[right] else right
            for symbol, function in made[wider].items():
                if symbol == "%" and left != right:
                    continue  # PostgreSQL has % for equal types only
                STRICT[f"{left} {symbol} {right}"] = function
    for kind, functions in made.items():
        check = checked_integer(kind)
        STRICT[f"mod({kind}, {kind})"] = functions["%"]
        STRICT[f"- {kind}"] = lambda a, check=check: check(-a)
        STRICT[f"+ {kind}"] = lambda a: a
        STRICT[f"abs({kind})"] = STRICT[f"@ {kind}"] = lambda a, check=check: check(abs(a))
        STRICT[f"{kind} & {kind}"] = lambda a, b: a & b
        STRICT[f"{kind} | {kind}"] = lambda a, b: a | b
        STRICT[f"{kind} # {kind}"] = lambda a, b: a ^ b
        STRICT[f"~ {kind}"] = lambda a: ~a
        STRICT[f"{kind} << int4"], STRICT[f"{kind} >> int4"] = _shifts(kind)


_integer_operators()


# --- floats --------------------------------------------------------------------------------------

_F4 = struct.Struct("f")


def float4(v: float) -> float:
    """Rounded to single precision; infinity if it does not fit."""
    try:
        return float(_F4.unpack(_F4.pack(v))[0])
    except OverflowError:
        return math.copysign(math.inf, v)


def _overflow(v: float, *inputs: float) -> float:
    if math.isinf(v) and not any(map(math.isinf, inputs)):
        raise ExecutionError("22003", "value out of range: overflow")
    return v


def _underflow(v: float, *inputs: float) -> float:
    if v == 0.0 and 0.0 not in inputs:
        raise ExecutionError("22003", "value out of range: underflow")
    return v


def _float_operators() -> None:
    def make(single: bool) -> dict[str, Callable[[float, float], float]]:
        fit = float4 if single else float

        def add(a: float, b: float) -> float:
            return _overflow(fit(a + b), a, b)

        def sub(a: float, b: float) -> float:
            return _overflow(fit(a - b), a, b)

        def mul(a: float, b: float) -> float:
            return _underflow(_overflow(fit(a * b), a, b), a, b)

        def div(a: float, b: float) -> float:
            if b == 0.0:
                if math.isnan(a):
                    return a
                raise division_by_zero()
            v = fit(a / b)
            if v == 0.0 and (a == 0.0 or math.isinf(b)):
                return v
            return _underflow(_overflow(v, a, b), a)

        return {"+": add, "-": sub, "*": mul, "/": div}

    for left in ("float4", "float8"):
        for right in ("float4", "float8"):
            for symbol, function in make(left == right == "float4").items():
                STRICT[f"{left} {symbol} {right}"] = function
    for kind in ("float4", "float8"):
        STRICT[f"- {kind}"] = lambda a: -a
        STRICT[f"+ {kind}"] = lambda a: a
        STRICT[f"abs({kind})"] = STRICT[f"@ {kind}"] = abs


_float_operators()


@scalar("floor(float8)")
def _floor8(a: float) -> float:
    return a if math.isinf(a) or math.isnan(a) else math.copysign(float(math.floor(a)), a)


@scalar("ceil(float8)", "ceiling(float8)")
def _ceil8(a: float) -> float:
    return a if math.isinf(a) or math.isnan(a) else math.copysign(float(math.ceil(a)), a)


@scalar("round(float8)")
def _round8(a: float) -> float:
    return a if math.isinf(a) or math.isnan(a) else math.copysign(float(round(a)), a)


@scalar("trunc(float8)")
def _trunc8(a: float) -> float:
    return a if math.isinf(a) or math.isnan(a) else math.copysign(float(math.trunc(a)), a)


@scalar("cbrt(float8)")
def _cbrt8(a: float) -> float:
    return math.cbrt(a)


@scalar("sqrt(float8)")
def _sqrt8(a: float) -> float:
    if a < 0:
        raise ExecutionError("2201F", "cannot take square root of a negative number")
    return math.sqrt(a)


# --- numerics ------------------------------------------------------------------------------------


def number(datum: Any) -> Decimal:
    """A numeric datum of either representation as a Decimal; its exponent is the display scale."""
    if type(datum) is Decimal:
        return datum
    return Decimal(datum)


def add(a: Decimal, b: Decimal) -> Decimal:
    return _EXACT.add(a, b)


def _numeric_operators() -> None:
    def as_text(function: Callable[[Decimal, Decimal], Decimal]) -> Callable[[Any, Any], str]:
        return lambda a, b: text(function(number(a), number(b)))

    STRICT["numeric + numeric"] = as_text(add)
    STRICT["numeric - numeric"] = as_text(_EXACT.subtract)
    STRICT["numeric * numeric"] = as_text(numerics.multiply)
    STRICT["numeric / numeric"] = as_text(numerics.divide)
    STRICT["numeric % numeric"] = STRICT["mod(numeric, numeric)"] = as_text(numerics.remainder)
    STRICT["- numeric"] = lambda a: text(number(a).copy_negate())
    STRICT["+ numeric"] = lambda a: text(number(a))
    STRICT["abs(numeric)"] = STRICT["@ numeric"] = lambda a: text(number(a).copy_abs())


_numeric_operators()


def _clamp(scale: int) -> int:
    return max(-131_073, min(scale, numerics.SCALE_MAX))


@scalar("round(numeric, int4)")
def _round_to(a: Any, scale: int) -> str:
    return text(numerics.rounded(number(a), _clamp(scale)))


@scalar("round(numeric)")
def _round0(a: Any) -> str:
    return text(numerics.rounded(number(a), 0))


@scalar("trunc(numeric)", "trunc(numeric, int4)")
def _trunc(a: Any, scale: int = 0) -> str:
    return text(numerics.truncated(number(a), _clamp(scale)))


@scalar("floor(numeric)")
def _floor(a: Any) -> str:
    v = number(a)
    return text(v.quantize(Decimal(1), decimal.ROUND_FLOOR, _EXACT) if v.is_finite() else v)


@scalar("ceil(numeric)", "ceiling(numeric)")
def _ceil(a: Any) -> str:
    v = number(a)
    return text(v.quantize(Decimal(1), decimal.ROUND_CEILING, _EXACT) if v.is_finite() else v)
