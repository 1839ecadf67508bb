"""to_char of intervals: the pieces of a template (`date_templates`) as PostgreSQL shows what is no date.

    to_char('-1 mon 5 days', 'MM DD')      -01 05      a sign takes a place of its own, but among the digits of DD
    to_char('1 year 2 mons', 'DDD')        420         days in all, of months of thirty days
    to_char('-04:00', 'HH12 AM')           -04 AM

Years, months and days are taken for a date where a piece asks for the week or the Julian day. What names something of
the calendar (Day, Mon, BC, TZ) is refused.

Source: PostgreSQL's formatting.c (DCH_to_char with is_interval) and timestamp.c (date2isoweek and its kin).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

from planner.abc import SqlError
from planner.binding.templates.date_templates import Piece, pieces
from planner.binding.templates.number_formats import ordinal

_ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]
_FRACTIONS = {"MS": 3, "US": 6, **{f"FF{n}": n for n in range(1, 7)}}
_HALVES = ("AM", "PM", "A.M.", "P.M.")


@dataclass(frozen=True, slots=True)
class _Parts:
    year: int
    month: int
    day: int
    hour: int
    minute: int
    second: int
    micros: int


def interval_text(i: tuple[int, int, int], template: str) -> str:
    """to_char(interval, template). Raises 22007 for a piece that is a calendar's."""
    months, days, micros = i
    sign = -1 if micros < 0 else 1
    seconds, fraction = divmod(abs(micros), 1_000_000)
    parts = _Parts(
        _whole(months, 12),
        _rest(months, 12),
        days,
        sign * (seconds // 3600),
        sign * (seconds // 60 % 60),
        sign * (seconds % 60),
        sign * fraction,
    )
    return "".join(_shown(p, parts) if p.pattern else p.text for p in pieces(template))


def _whole(a: int, b: int) -> int:
    """Division as C has it, towards zero."""
    return a // b if a >= 0 else -(-a // b)


def _rest(a: int, b: int) -> int:
    return int(math.fmod(a, b))


def _shown(p: Piece, i: _Parts) -> str:
    name = p.pattern.upper()
    if name == "FX":
        return ""
    if name in _HALVES:
        half = ("PM" if _rest(i.hour, 24) >= 12 else "AM") if len(name) == 2 else ""
        half = half or ("P.M." if _rest(i.hour, 24) >= 12 else "A.M.")
        return half.lower() if p.pattern.islower() else half
    if name == "RM":
        return _roman_month(i, p)
    digits = _digits(name, i, p.fill)
    if digits is None:
        raise SqlError(
            "22007",
            "invalid format specification for an interval value",
            hint="Intervals are not tied to specific calendar dates.",
        )
    return digits + ordinal(int(digits.rpartition(",")[2]), p.suffix) if digits else ""


def _digits(name: str, i: _Parts, fill: bool) -> str | None:
    """None: not for intervals."""
    if name in _FRACTIONS:
        places = _FRACTIONS[name]
        return f"{_whole(i.micros, 10 ** (6 - places)):0{places}d}"
    shown = _SHOWN.get(name)
    return shown(i, fill) if shown is not None else None


def _signed(value: int, width: int, fill: bool, of: int | None = None) -> str:
    """A sign takes a place of its own; `of`: whose sign that is, if not the value's."""
    return f"{value:0{width + ((value if of is None else of) < 0)}d}" if fill else str(value)


def _within(value: int, width: int, fill: bool) -> str:
    return f"{value:0{width}d}" if fill else str(value)


def _century(i: _Parts, fill: bool) -> str:
    century = _whole(i.year, 100)
    return _signed(century, 2, fill) if abs(century) <= 99 else str(century)


def _days_in_all(i: _Parts) -> int:
    return (i.year * 12 + i.month) * 30 + i.day


def _since_first_monday(i: _Parts) -> int:
    return _julian(i.year, i.month, i.day) - _first_monday(_iso_year(i))


def _last_digits(digits: int, i: _Parts, fill: bool) -> str:
    return _signed(_rest(i.year, 10**digits), digits, fill, i.year)


def _last_iso_digits(digits: int, i: _Parts, fill: bool) -> str:
    return _signed(_rest(_iso_year(i), 10**digits), digits, fill, i.year)


def _second_of_all(i: _Parts, fill: bool) -> str:
    return str(i.hour * 3600 + i.minute * 60 + i.second)


def _of_twelve(i: _Parts, fill: bool) -> str:
    shown = _rest(i.hour, 12) or 12
    return f"{shown:0{2 if i.hour >= 0 else 3}d}" if fill else str(shown)


_SHOWN: Final[dict[str, Callable[[_Parts, bool], str]]] = {
    "YYYY": lambda i, fill: _signed(i.year, 4, fill),
    "YYY": partial(_last_digits, 3),
    "YY": partial(_last_digits, 2),
    "Y": lambda i, fill: str(_rest(i.year, 10)),
    "IYYY": lambda i, fill: _signed(_iso_year(i), 4, fill, i.year),
    "IYY": partial(_last_iso_digits, 3),
    "IY": partial(_last_iso_digits, 2),
    "I": lambda i, fill: str(_rest(_iso_year(i), 10)),
    "Y,YYY": lambda i, fill: f"{_whole(i.year, 1000)},{_rest(i.year, 1000):03d}",
    "Q": lambda i, fill: str(_whole(i.month - 1, 3) + 1) if i.month else "",
    "CC": _century,
    "MM": lambda i, fill: _signed(i.month, 2, fill),
    "DD": lambda i, fill: _within(i.day, 2, fill),
    "DDD": lambda i, fill: _within(_days_in_all(i), 3, fill),
    "HH24": lambda i, fill: _signed(i.hour, 2, fill),
    "HH12": _of_twelve,
    "HH": _of_twelve,
    "MI": lambda i, fill: _signed(i.minute, 2, fill),
    "SS": lambda i, fill: _signed(i.second, 2, fill),
    "SSSS": _second_of_all,
    "SSSSS": _second_of_all,
    "WW": lambda i, fill: _within(_whole(_days_in_all(i) - 1, 7) + 1, 2, fill),
    "W": lambda i, fill: str(_whole(i.day - 1, 7) + 1),
    "J": lambda i, fill: str(_julian(i.year, i.month, i.day)),
    "IW": lambda i, fill: _within(_whole(_since_first_monday(i), 7) + 1, 2, fill),
    "IDDD": lambda i, fill: _within(_since_first_monday(i) + 1, 3, fill),
}
"""What patterns show, filled up with zeros or not."""


def _roman_month(i: _Parts, p: Piece) -> str:
    """The month of an interval; those of negative ones are counted back from December."""
    if not i.month and not i.year:
        return ""
    month = i.month
    if month == 0:
        month = 12 if i.year > 0 else 1
    elif month < 0:
        month += 13
    word = _ROMAN[month - 1]
    word = word.lower() if p.pattern.islower() else word
    return word.ljust(4) if p.fill else word


def _julian(year: int, month: int, day: int) -> int:
    month, year = (month + 1, year + 4800) if month > 2 else (month + 13, year + 4799)
    century = _whole(year, 100)
    days = year * 365 - 32167 + _whole(year, 4) - century + _whole(century, 4)
    return days + _whole(7834 * month, 256) + day


def _first_monday(year: int) -> int:
    """The Julian day with which the first ISO week of a year begins."""
    fourth = _julian(year, 1, 4)
    return fourth - fourth % 7


def _iso_year(i: _Parts) -> int:
    day = _julian(i.year, i.month, i.day)
    if day < _first_monday(i.year):
        return i.year - 1
    return i.year + 1 if day >= _first_monday(i.year + 1) else i.year


__all__ = ["interval_text"]
