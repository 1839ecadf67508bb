"""What floats come to under sine, tangent and their kin, and what integers have in common: the processor's own functions, PostgreSQL's errors."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from executor.abc import ExecutionError
from executor.keyed.numbers import checked_integer
from executor.keyed.registry import STRICT, scalar

_RADIANS_PER_DEGREE: Final = 0.0174532925199432957692


def _turning(function: Callable[[float], float]) -> Callable[[float], float]:
    """Of an angle, which is finite."""

    def of_angle(angle: float) -> float:
        if math.isinf(angle):
            raise ExecutionError("22003", "input is out of range")
        return function(angle)

    return of_angle


def _cotangent(angle: float) -> float:
    tangent = math.tan(angle)
    return 1.0 / tangent if tangent else math.copysign(math.inf, tangent)


for _name, _function in (("sin", math.sin), ("cos", math.cos), ("tan", math.tan), ("cot", _cotangent)):
    STRICT[f"{_name}(float8)"] = _turning(_function)
STRICT["atan(float8)"] = math.atan
STRICT["atan2(float8, float8)"] = math.atan2
STRICT["tanh(float8)"] = math.tanh
STRICT["asinh(float8)"] = math.asinh


@scalar("sinh(float8)")
def _sinh(a: float) -> float:
    try:
        return math.sinh(a)
    except OverflowError:
        return math.copysign(math.inf, a)


@scalar("cosh(float8)")
def _cosh(a: float) -> float:
    try:
        return math.cosh(a)
    except OverflowError:
        return math.inf


@scalar("radians(float8)")
def _radians(a: float) -> float:
    found: float = STRICT["float8 * float8"](a, _RADIANS_PER_DEGREE)
    return found


@scalar("degrees(float8)")
def _degrees(a: float) -> float:
    found: float = STRICT["float8 / float8"](a, _RADIANS_PER_DEGREE)
    return found


@scalar("pi()")
def _pi() -> float:
    return math.pi


@scalar("sign(float8)")
def _sign(a: float) -> float:
    return float((a > 0) - (a < 0))


def _common() -> None:
    for kind in ("int4", "int8"):
        check = checked_integer(kind)
        STRICT[f"gcd({kind}, {kind})"] = lambda a, b, check=check: check(math.gcd(a, b))
        STRICT[f"lcm({kind}, {kind})"] = lambda a, b, check=check: check(math.lcm(a, b))


_common()
