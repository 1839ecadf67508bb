"""Trigonometry in degrees, by PostgreSQL's formulas (its float.c): exact where the angle is, and with its last digits elsewhere.

sind(30) = 0.5     each angle is brought into the first quarter turn; there a sine is a multiple of that of 30 degrees,
cosd(60) = 0.5     a cosine of what that of 60 lacks of one; so rounding takes nothing off the round ones
asind(0.5) = 30    the other way round alike
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

from planner.abc import SqlError

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_DEGREE: Final = 0.0174532925199432957692
_SIN_30: Final = math.sin(30.0 * _DEGREE)
_LACKS_60: Final = 1.0 - math.cos(60.0 * _DEGREE)
_ASIN_HALF: Final = math.asin(0.5)
_ACOS_HALF: Final = math.acos(0.5)
_ATAN_1: Final = math.atan(1.0)


def _sine_to_30(x: float) -> float:
    return (math.sin(x * _DEGREE) / _SIN_30) / 2.0


def _cosine_to_60(x: float) -> float:
    return 1.0 - ((1.0 - math.cos(x * _DEGREE)) / _LACKS_60) / 2.0


def _sine(x: float) -> float:
    """Of an angle from 0 to 90."""
    return _sine_to_30(x) if x <= 30.0 else _cosine_to_60(90.0 - x)


def _cosine(x: float) -> float:
    return _cosine_to_60(x) if x <= 60.0 else _sine_to_30(90.0 - x)


def _quotient(a: float, b: float) -> float:
    return a / b if b else math.copysign(math.inf, b)


_TAN_45: Final = _sine(45.0) / _cosine(45.0)
_COT_45: Final = _cosine(45.0) / _sine(45.0)


def _of_angle(
    function: Callable[[float], float], *, negative: int, beyond_180: int, beyond_90: int
) -> Callable[[float], float]:
    """A function of any angle by what it is between 0 and 90; its sign is another for angles that lie elsewhere."""

    def compute(x: float) -> float:
        if math.isnan(x):
            return x
        if math.isinf(x):
            raise SqlError("22003", "input is out of range")
        x, sign = math.fmod(x, 360.0), 1
        if x < 0.0:
            x, sign = -x, sign * negative
        if x > 180.0:
            x, sign = 360.0 - x, sign * beyond_180
        if x > 90.0:
            x, sign = 180.0 - x, sign * beyond_90
        return sign * function(x)

    return compute


def _positive_zero(function: Callable[[float], float]) -> Callable[[float], float]:
    return lambda x: function(x) + 0.0


_tangent = _positive_zero(
    _of_angle(lambda x: _quotient(_sine(x), _cosine(x)) / _TAN_45, negative=-1, beyond_180=-1, beyond_90=-1)
)
_cotangent = _positive_zero(
    _of_angle(lambda x: _quotient(_cosine(x), _sine(x)) / _COT_45, negative=-1, beyond_180=-1, beyond_90=-1)
)


def _arcsine_of_positive(x: float) -> float:
    return (math.asin(x) / _ASIN_HALF) * 30.0 if x <= 0.5 else 90.0 - (math.acos(x) / _ACOS_HALF) * 60.0


def _arccosine_of_positive(x: float) -> float:
    return 90.0 - (math.asin(x) / _ASIN_HALF) * 30.0 if x <= 0.5 else (math.acos(x) / _ACOS_HALF) * 60.0


def _within(x: float) -> None:
    if x < -1.0 or x > 1.0:
        raise SqlError("22003", "input is out of range")


def _arcsine(x: float) -> float:
    if math.isnan(x):
        return x
    _within(x)
    return _arcsine_of_positive(x) if x >= 0.0 else -_arcsine_of_positive(-x)


def _arccosine(x: float) -> float:
    if math.isnan(x):
        return x
    _within(x)
    return _arccosine_of_positive(x) if x >= 0.0 else 90.0 + _arcsine_of_positive(-x)


FUNCTIONS: Final[list[Entry]] = [
    ("tw_sind", _of_angle(_sine, negative=-1, beyond_180=-1, beyond_90=1), ("DOUBLE",), "DOUBLE"),
    ("tw_cosd", _of_angle(_cosine, negative=1, beyond_180=1, beyond_90=-1), ("DOUBLE",), "DOUBLE"),
    ("tw_tand", _tangent, ("DOUBLE",), "DOUBLE"),
    ("tw_cotd", _cotangent, ("DOUBLE",), "DOUBLE"),
    ("tw_asind", _arcsine, ("DOUBLE",), "DOUBLE"),
    ("tw_acosd", _arccosine, ("DOUBLE",), "DOUBLE"),
    ("tw_atand", lambda v: (math.atan(v) / _ATAN_1) * 45.0, ("DOUBLE",), "DOUBLE"),
    ("tw_atan2d", lambda y, x: (math.atan2(y, x) / _ATAN_1) * 45.0, ("DOUBLE", "DOUBLE"), "DOUBLE"),
]
