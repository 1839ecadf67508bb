"""to_char of dates: each piece of a template (`date_templates`) shown.

A template is read once, into what writes it: texts as they stand, and functions of a moment.

    "on" FMDay, HH24:MI      "on ", _day_name, ", ", _number(hour, 2), ":", _number(minute, 2)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Final

from planner.binding.templates.date_parts import Day, day_of, shown_year
from planner.binding.templates.date_templates import Piece, pieces
from planner.binding.templates.number_formats import ordinal
from planner.types.calendar_days import JULIAN_OF_EPOCH
from planner.types.timezones import abbreviation_at, offset_at, session_zone

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
_ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]
_ZONES = frozenset(("TZ", "TZH", "TZM", "OF"))
_DAY_US = 86_400_000_000


def _cased(word: str, pattern: str) -> str:
    if pattern.isupper():
        return word.upper()
    return word.lower() if pattern.islower() else word


@dataclass(slots=True)
class _Moment:
    """A wall-clock time in its parts, and the zone that it is shown in."""

    date: Day
    seconds: int
    hour: int
    minute: int
    second: int
    fraction: int
    east_s: int
    abbreviation: str


_Written = Callable[[_Moment], str]


def instant_text(micros: int, template: str, time_zone: str) -> str:
    """to_char(timestamptz, template) under a TimeZone setting; `micros` since 1970."""
    zone = session_zone(time_zone)
    east_s = offset_at(micros, zone)
    return timestamp_text(micros + east_s * 1_000_000, template, east_s, abbreviation_at(micros, zone))


def timestamp_text(micros: int, template: str, east_s: int = 0, abbreviation: str = "") -> str:
    """to_char(timestamp, template); `micros` since 1970. A time without a zone has none to show, and no offset."""
    if abs(micros) >= (1 << 63) - 1:
        return "infinity" if micros > 0 else "-infinity"
    days, us = divmod(micros, _DAY_US)
    seconds, fraction = divmod(us, 1_000_000)
    minutes, second = divmod(seconds, 60)
    hour, minute = divmod(minutes, 60)
    moment = _Moment(day_of(days), seconds, hour, minute, second, fraction, east_s, abbreviation)
    return "".join([w if type(w) is str else w(moment) for w in _writers(template)])  # type: ignore[operator]


@lru_cache(maxsize=512)
def _writers(template: str) -> tuple[str | _Written, ...]:
    out: list[str | _Written] = []
    for p in pieces(template):
        if p.pattern:
            if p.pattern.upper() != "FX":
                out.append(_writer(p))
        elif out and isinstance(out[-1], str):
            out[-1] += p.text
        else:
            out.append(p.text)
    return tuple(out)


def _hour12(m: _Moment) -> int:
    return (m.hour - 1) % 12 + 1


def _year(m: _Moment) -> int:
    return abs(shown_year(m.date.year))


def _iso_year(m: _Moment) -> int:
    return abs(shown_year(m.date.iso_year))


def _century(m: _Moment) -> int:
    return (m.date.year + 99) // 100 if m.date.year > 0 else -(-m.date.year // 100) - 1


def _weekday(m: _Moment) -> int:
    """0 is Sunday."""
    return (m.date.weekday + 1) % 7


_NUMBERS: Final[dict[str, tuple[Callable[[_Moment], int], int]]] = {
    "YYYY": (_year, 4), "YYY": (lambda m: _year(m) % 1000, 3), "YY": (lambda m: _year(m) % 100, 2), "Y": (lambda m: _year(m) % 10, 1),
    "IYYY": (_iso_year, 4), "IYY": (lambda m: _iso_year(m) % 1000, 3), "IY": (lambda m: _iso_year(m) % 100, 2),
    "I": (lambda m: _iso_year(m) % 10, 1), "HH24": (lambda m: m.hour, 2), "HH12": (_hour12, 2), "HH": (_hour12, 2),
    "MI": (lambda m: m.minute, 2), "SS": (lambda m: m.second, 2), "MS": (lambda m: m.fraction // 1000, 3),
    "US": (lambda m: m.fraction, 6), "SSSS": (lambda m: m.seconds, 1), "SSSSS": (lambda m: m.seconds, 1),
    "MM": (lambda m: m.date.month, 2), "DDD": (lambda m: m.date.yearday, 3), "DD": (lambda m: m.date.day, 2),
    "D": (lambda m: _weekday(m) + 1, 1), "ID": (lambda m: m.date.weekday + 1, 1),
    "IDDD": (lambda m: (m.date.iso_week - 1) * 7 + m.date.weekday + 1, 3), "WW": (lambda m: (m.date.yearday - 1) // 7 + 1, 2),
    "W": (lambda m: (m.date.day - 1) // 7 + 1, 1), "IW": (lambda m: m.date.iso_week, 2), "CC": (_century, 2),
    "J": (lambda m: m.date.days + JULIAN_OF_EPOCH, 1), "Q": (lambda m: (m.date.month - 1) // 3 + 1, 1),
}  # fmt: skip
"""What patterns count, and in how many places."""


def _number(of: Callable[[_Moment], int], width: int, suffix: str, m: _Moment) -> str:
    value = of(m)
    shown = f"{value:0{width}d}" if value >= 0 else f"-{-value:0{width}d}"
    return shown + ordinal(value, suffix) if suffix else shown


def _fraction(digits: int, suffix: str, m: _Moment) -> str:
    shown = f"{m.fraction:06d}"[:digits]
    return shown + ordinal(int(shown), suffix)


def _grouped_year(suffix: str, m: _Moment) -> str:
    year = _year(m)
    return f"{year // 1000},{year % 1000:03d}{ordinal(year, suffix)}"


def _half(halves: tuple[str, str], m: _Moment) -> str:
    return halves[m.hour >= 12]


def _era(eras: tuple[str, str], m: _Moment) -> str:
    return eras[m.date.year > 0]


def _month_name(names: list[str], m: _Moment) -> str:
    return names[m.date.month - 1]


def _day_name(names: list[str], m: _Moment) -> str:
    return names[_weekday(m)]


def _zone_field(pattern: str, fill: bool, m: _Moment) -> str:
    minutes = abs(m.east_s) // 60
    width = 2 if fill or pattern.upper() != "OF" else 1
    hours = f"{'-' if m.east_s < 0 else '+'}{minutes // 60:0{width}d}"
    if pattern.upper() == "TZ":
        return m.abbreviation.upper() if pattern == "TZ" else m.abbreviation.lower()
    if pattern.upper() == "TZM":
        return f"{minutes % 60:02d}"
    return f"{hours}:{minutes % 60:02d}" if pattern.upper() == "OF" and minutes % 60 else hours


def _writer(p: Piece) -> _Written:
    """What writes a pattern."""
    name, suffix = p.pattern, p.suffix
    upper = name.upper()
    if upper in _ZONES:
        return partial(_zone_field, name, p.fill)
    if upper in _NUMBERS:
        of, width = _NUMBERS[upper]
        fill = p.fill or upper in ("MS", "US")  # of a fraction all digits count
        return partial(_number, of, width if fill else 1, suffix)
    if upper.startswith("FF"):
        return partial(_fraction, int(upper[2]), suffix)
    if upper == "Y,YYY":
        return partial(_grouped_year, suffix)
    for two, written in _OF_TWO.items():
        if upper in two:
            return partial(written, (_cased(two[0], name), _cased(two[1], name)))
    if upper == "RM":
        months = [m.lower() if name.islower() else m for m in _ROMAN]
        return partial(_month_name, [m.ljust(4) for m in months] if p.fill else months)
    long = upper in ("MONTH", "DAY")
    names = [_cased(word if long else word[:3], name) for word in (_MONTHS if upper[0] == "M" else _DAYS)]
    return partial(
        _month_name if upper[0] == "M" else _day_name,
        [n.ljust(9) for n in names] if long and p.fill else names,
    )


_OF_TWO: Final[dict[tuple[str, str], Callable[[tuple[str, str], _Moment], str]]] = {
    ("AM", "PM"): _half,
    ("A.M.", "P.M."): _half,
    ("BC", "AD"): _era,
    ("B.C.", "A.D."): _era,
}
