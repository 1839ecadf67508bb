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
from dataclasses import dataclass

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

    def signed(value: int, width: int, of: int | None = None) -> str:
        return f"{value:0{width + ((value if of is None else of) < 0)}d}" if fill else str(value)

    def within(value: int, width: int) -> str:
        return f"{value:0{width}d}" if fill else str(value)

    if name in _FRACTIONS:
        places = _FRACTIONS[name]
        return f"{_whole(i.micros, 10 ** (6 - places)):0{places}d}"
    if name in ("Y", "I"):
        return str(_rest(i.year if name == "Y" else _iso_year(i), 10))
    if name in ("YYYY", "YYY", "YY"):
        return signed(_rest(i.year, 10 ** len(name)) if len(name) < 4 else i.year, len(name), i.year)
    if name in ("IYYY", "IYY", "IY"):
        year = _iso_year(i)
        return signed(_rest(year, 10 ** len(name)) if len(name) < 4 else year, len(name), i.year)
    if name == "Y,YYY":
        return f"{_whole(i.year, 1000)},{_rest(i.year, 1000):03d}"
    if name == "Q":
        return str(_whole(i.month - 1, 3) + 1) if i.month else ""
    if name == "CC":
        century = _whole(i.year, 100)
        return signed(century, 2) if abs(century) <= 99 else str(century)
    span = (i.year * 12 + i.month) * 30 + i.day
    made: dict[str, str] = {
        "MM": signed(i.month, 2),
        "DD": within(i.day, 2),
        "DDD": within(span, 3),
        "HH24": signed(i.hour, 2),
        "HH12": _of_twelve(i.hour, fill),
        "HH": _of_twelve(i.hour, fill),
        "MI": signed(i.minute, 2),
        "SS": signed(i.second, 2),
        "SSSS": str(i.hour * 3600 + i.minute * 60 + i.second),
        "SSSSS": str(i.hour * 3600 + i.minute * 60 + i.second),
        "WW": within(_whole(span - 1, 7) + 1, 2),
        "W": str(_whole(i.day - 1, 7) + 1),
        "J": str(_julian(i.year, i.month, i.day)),
    }
    if name in ("IW", "IDDD"):
        first = _first_monday(_iso_year(i))
        passed = _julian(i.year, i.month, i.day) - first
        return within(_whole(passed, 7) + 1, 2) if name == "IW" else within(passed + 1, 3)
    return made.get(name)


def _of_twelve(hour: int, fill: bool) -> str:
    shown = _rest(hour, 12) or 12
    return f"{shown:0{2 if hour >= 0 else 3}d}" if fill else str(shown)


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
