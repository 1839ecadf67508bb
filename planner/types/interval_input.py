"""Reading an interval, from its right end to its left.

A unit word says what the number to its left counts; without one, the number left of a time counts
days, and the rightmost counts seconds (or what the type's fields say). Each unit may occur once.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from planner.abc import SqlError
from planner.types import datetime_fields as f
from planner.types.datetime_fields import BadFormat
from planner.types.timezones import US_PER_DAY, US_PER_S

IntervalDatum = tuple[int, int, int]

_SPELLINGS: Final = {
    "microsecond": "us usec usecs usecond useconds microsecon",
    "millisecond": "ms msec msecs msecond mseconds millisecon",
    "second": "s sec secs second seconds",
    "minute": "m min mins minute minutes",
    "hour": "h hr hrs hour hours",
    "day": "d day days",
    "week": "w week weeks",
    "month": "mon mons month months",
    "year": "y yr yrs year years",
    "decade": "dec decs decade decades",
    "century": "c cent century centuries",
    "millennium": "mil mils millennia millennium",
}
_UNITS: Final = {word: unit for unit, words in _SPELLINGS.items() for word in words.split()}
_MICROS: Final = {
    "microsecond": 1,
    "millisecond": 1000,
    "second": US_PER_S,
    "minute": 60 * US_PER_S,
    "hour": 3600 * US_PER_S,
}
_DAYS: Final = {"day": 1, "week": 7}
_MONTHS: Final = {"month": 1, "year": 12, "decade": 120, "century": 1200, "millennium": 12_000}
_NUMBER: Final = re.compile(r"([+-]?)\s*([0-9]*)(?:(\.[0-9]*)|-([0-9]+))?")
_INT32: Final = 1 << 31
_INT64: Final = 1 << 63


class IntervalOverflow(Exception):
    """A field that does not fit (22015)."""


class _Sum:
    """Months, days and microseconds as they add up, fractions passed down."""

    __slots__ = ("days", "micros", "months")

    def __init__(self) -> None:
        self.months = self.days = self.micros = 0

    def add(self, unit: str, value: int, fraction: float) -> None:
        if unit in _MICROS:
            scale = _MICROS[unit]
            self.micros += value * scale + round(fraction * scale)
        elif unit in _DAYS:
            scale = _DAYS[unit]
            self.days += value * scale
            self.add_days(fraction * scale)
        elif unit == "month":
            self.months += value
            self.add_days(fraction * 30)
        else:
            scale = _MONTHS[unit]
            self.months += value * scale + round(fraction * scale)

    def add_days(self, fraction: float) -> None:
        whole = int(fraction)
        self.days += whole
        self.micros += round((fraction - whole) * US_PER_DAY)

    def datum(self, sign: int = 1) -> IntervalDatum:
        months, days, micros = sign * self.months, sign * self.days, sign * self.micros
        if not -_INT32 <= months < _INT32 and abs(months) < _INT32 * 12:
            raise SqlError("22008", "interval out of range")  # each field fits, their sum does not
        if not (-_INT32 <= months < _INT32 and -_INT32 <= days < _INT32 and -_INT64 <= micros < _INT64):
            raise IntervalOverflow
        return months, days, micros


def interval_in(style: str, fields_name: str = "") -> Callable[[str], IntervalDatum]:
    """`fields_name`: the fields of the type's modifier ("day to second"), "" for all."""
    last_unit = fields_name.split(" to ")[-1] if fields_name else "second"
    if fields_name == "minute to second":
        last_unit = "second"

    def parse(text: str) -> IntervalDatum:
        try:
            try:
                return _decode(text, style, last_unit, fields_name)
            except BadFormat:
                return _decode_iso(text)
        except (BadFormat, f.ZoneOverflow):
            raise SqlError("22007", f'invalid input syntax for type interval: "{text}"') from None
        except (IntervalOverflow, f.FieldOverflow):
            raise SqlError("22015", f'interval field value out of range: "{text}"') from None

    return parse


def _int64(digits: str) -> int:
    """Digits (with a sign or none) of at most about 64 bits."""
    if len(digits) > 20:
        raise IntervalOverflow
    return int(digits)


def _clock(field: str, minutes_first: bool) -> int:
    m = re.fullmatch(r"([0-9]+):([0-9]*)(?::([0-9]*))?(\.[0-9]*)?", field)
    if m is None:
        raise BadFormat
    hour, minute, second = _int64(m[1]), f.whole(m[2] or "0"), f.whole(m[3] or "0")
    if m[3] is None and (m[4] or minutes_first):
        hour, minute, second = 0, hour, minute
    if minute > 59 or second > 60:
        raise IntervalOverflow
    return (hour * 3600 + minute * 60 + second) * US_PER_S + (f.fraction_us(m[4]) if m[4] else 0)


def _decode(text: str, style: str, last_unit: str, fields_name: str) -> IntervalDatum:
    fields = f.split_fields(text)
    total, seen = _Sum(), set[str]()
    unit, ago = "", False
    for kind, field in reversed(fields):
        if kind in (f.STRING, f.SPECIAL):
            word = field[:10]
            if word == "ago":
                ago, unit = True, "ago"  # no unit: a number may not stand before it
            elif word in _UNITS:
                unit = _UNITS[word]
            elif word in ("at", "on"):
                continue
            else:
                raise BadFormat
            continue
        if kind == f.TIME or (kind == f.ZONE and ":" in field):
            sign = -1 if field[0] == "-" else 1
            got = {"hour", "minute", "second", "millisecond", "microsecond"}
            total.micros = sign * _clock(field.lstrip("+-"), fields_name == "minute to second")
            unit = "day"
        else:
            m = _NUMBER.fullmatch(field)
            if m is None or not (m[2] or m[3]):
                raise BadFormat
            sign = -1 if m[1] == "-" else 1
            value = _int64(m[2] or "0")
            if value >= _INT64 + (sign < 0):
                raise IntervalOverflow
            if m[4] is not None:
                if f.whole(m[4]) >= 12:
                    raise IntervalOverflow
                unit, value = "month", value * 12 + int(m[4])
                fraction = 0.0
            else:
                fraction = float("0" + m[3]) if m[3] and m[3] != "." else 0.0
            unit = unit or last_unit
            if unit == "ago":
                raise BadFormat
            total.add(unit, sign * value, sign * fraction)
            got = {unit, "millisecond", "microsecond"} if unit == "second" and fraction else {unit}
            if unit == "hour":
                unit = "day"
        if seen & got:
            raise BadFormat
        seen |= got
    if not seen:
        raise BadFormat
    sign = 1
    if style == "sql_standard" and fields[0][1][0] == "-" and not any(x[1][0] in "+-" for x in fields[1:]):
        months, days, micros = -abs(total.months), -abs(total.days), -abs(total.micros)
        total.months, total.days, total.micros = months, days, micros
    if ago:
        sign = -sign
    return total.datum(sign)


_ISO_PART: Final = re.compile(r"(-?[0-9]*)(\.[0-9]*)?([A-Za-z])")
_ISO_DATE_UNITS: Final = {"Y": "year", "M": "month", "W": "week", "D": "day"}
_ISO_TIME_UNITS: Final = {"H": "hour", "M": "minute", "S": "second"}
_ISO_ALTERNATIVE: Final = re.compile(
    r"P(?:(-?\d+)(?:-(-?\d+)(?:-(-?\d+))?)?)?(?:T(-?\d+)(?::(-?\d+)(?::(-?\d+(?:\.\d*)?))?)?)?"
)
_ISO_BASIC: Final = re.compile(r"P(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d))?")


def _decode_iso(text: str) -> IntervalDatum:
    if len(text) < 2 or text[0] != "P":
        raise BadFormat
    total = _Sum()
    basic = _ISO_BASIC.fullmatch(text)
    if basic is not None:
        year, month, day, hour, minute, second = (x or "00" for x in basic.groups())
        text = f"P{year}-{month}-{day}T{hour}:{minute}:{second}"
    alternative = _ISO_ALTERNATIVE.fullmatch(text)
    if alternative is not None and text[-1] not in "PT":
        years, months, days, hours, minutes, seconds = (x or "0" for x in alternative.groups())
        total.months, total.days = _int64(years) * 12 + _int64(months), _int64(days)
        total.micros = (_int64(hours) * 3600 + _int64(minutes) * 60) * US_PER_S + round(
            float(seconds) * US_PER_S
        )
        return total.datum()
    units, i = _ISO_DATE_UNITS, 1
    while i < len(text):
        if text[i] == "T":
            units, i = _ISO_TIME_UNITS, i + 1
            continue
        m = _ISO_PART.match(text, i)
        if m is None or not (m[1].lstrip("-") or m[2]) or m[3] not in units:
            raise BadFormat
        sign = -1 if m[1].startswith("-") else 1
        fraction = float("0" + m[2]) if m[2] and m[2] != "." else 0.0
        total.add(units[m[3]], sign * _int64(m[1].lstrip("-") or "0"), sign * fraction)
        i = m.end()
    return total.datum()
