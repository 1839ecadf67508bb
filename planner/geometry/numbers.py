"""Arithmetic of coordinates: floats that say when they overflow, and comparisons that forgive a millionth.

Comparisons of the second kind know nothing of NaN: all are false of it. Those of the first kind (`less`, `greater`,
`low`, `high`) order NaN after everything, as float8 does.
"""

from __future__ import annotations

import math
from typing import Final

from planner.abc import SqlError

EPSILON: Final = 1e-6


def _overflow() -> SqlError:
    return SqlError("22003", "value out of range: overflow")


def _underflow() -> SqlError:
    return SqlError("22003", "value out of range: underflow")


def add(a: float, b: float) -> float:
    made = a + b
    if math.isinf(made) and not math.isinf(a) and not math.isinf(b):
        raise _overflow()
    return made


def subtract(a: float, b: float) -> float:
    return add(a, -b)


def multiply(a: float, b: float) -> float:
    made = a * b
    if math.isinf(made) and not math.isinf(a) and not math.isinf(b):
        raise _overflow()
    if made == 0.0 and a != 0.0 and b != 0.0:
        raise _underflow()
    return made


def divide(a: float, b: float) -> float:
    """Raises 22012, 22003."""
    if b == 0.0:
        if math.isnan(a):
            return a
        raise SqlError("22012", "division by zero")
    made = a / b
    if math.isinf(made) and not math.isinf(a):
        raise _overflow()
    if made == 0.0 and a != 0.0 and not math.isinf(b):
        raise _underflow()
    return made


def hypotenuse(x: float, y: float) -> float:
    """By the ratio of the two, as there: other formulas differ in the last digit."""
    if math.isinf(x) or math.isinf(y):
        return math.inf
    if math.isnan(x) or math.isnan(y):
        return math.nan
    x, y = abs(x), abs(y)
    if x < y:
        x, y = y, x
    if y == 0.0:
        return x
    ratio = y / x
    made = x * math.sqrt(1.0 + ratio * ratio)
    if math.isinf(made):
        raise _overflow()
    return made


def less(a: float, b: float) -> bool:
    return b != b if a == a and b != b else a < b


def greater(a: float, b: float) -> bool:
    return less(b, a)


def exactly(a: float, b: float) -> bool:
    return b != b if a != a else a == b


def low(a: float, b: float) -> float:
    return a if less(a, b) else b


def high(a: float, b: float) -> float:
    return a if greater(a, b) else b


def zero(a: float) -> bool:
    return abs(a) <= EPSILON


def eq(a: float, b: float) -> bool:
    return a == b or abs(a - b) <= EPSILON


def ne(a: float, b: float) -> bool:
    return a != b and abs(a - b) > EPSILON


def lt(a: float, b: float) -> bool:
    return a + EPSILON < b


def le(a: float, b: float) -> bool:
    return a <= b + EPSILON


def gt(a: float, b: float) -> bool:
    return a > b + EPSILON


def ge(a: float, b: float) -> bool:
    return a + EPSILON >= b
