"""A numeric as the DECIMAL that compares with all others of its form as the numeric itself does.

    price > 49.995      price > 49.99      of prices with two digits behind the point
    price = 49.995      price = 10 ^ 8     which no numeric(10, 2) is
    price < 'NaN'       price < 10 ^ 8     it is above them all

A parameter's value is known when the query's text is put together, but nobody knew its digits when it was planned. So nothing
needs numerics as texts to compare a column with one.
"""

from __future__ import annotations

from typing import Final

FLOOR: Final = "floor"
CEIL: Final = "ceil"
EXACT: Final = "exact"
_INFINITE: Final = {"NaN": 1, "Infinity": 1, "-Infinity": -1}


def near(value: str, precision: int, scale: int, towards: str) -> str:
    """Of a numeric, as PostgreSQL shows it, the one with `scale` digits behind the point; of what is beyond those of `precision` digits
    the first that is, which has a digit more."""
    beyond = 10**precision
    if value in _INFINITE:
        return _shown(_INFINITE[value] * beyond, scale)
    whole, _, fraction = value.lstrip("-").partition(".")
    units = int(whole + fraction[:scale].ljust(scale, "0"))
    between = bool(fraction[scale:].strip("0"))
    negative = value.startswith("-")
    if between and towards == EXACT:
        return _shown(beyond, scale)
    if between and (towards == CEIL) != negative:
        units += 1
    units = min(units, beyond)
    return _shown(-units if negative else units, scale)


def _shown(units: int, scale: int) -> str:
    digits = str(abs(units)).rjust(scale + 1, "0")
    sign = "-" if units < 0 else ""
    return f"{sign}{digits[:-scale]}.{digits[-scale:]}" if scale else f"{sign}{digits}"


__all__ = ["CEIL", "EXACT", "FLOOR", "near"]
