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
_YEARS: Final = {"year": 1, "decade": 10, "century": 100, "millennium": 1000}
_YEAR_MONTHS: Final = 12
_NUMBER: Final = re.compile(r"([+-]?)\s*([0-9]*)(?:(\.[0-9]*)|-([0-9]+))?")
_INT32: Final = 1 << 31
_INT64: Final = 1 << 63


class IntervalOverflow(Exception):
    """A field that does not fit (22015)."""


class _Sum:
    """Years, months, days and microseconds as they add up, fractions passed down."""

    __slots__ = ("days", "micros", "months", "years")

    def __init__(self) -> None:
        self.years = self.months = self.days = self.micros = 0

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
            scale = _YEARS[unit]
            self.years += value * scale
            self.months += round(fraction * scale * _YEAR_MONTHS)

    def add_days(self, fraction: float) -> None:
        whole = int(fraction)
        self.days += whole
        self.micros += round((fraction - whole) * US_PER_DAY)

    def datum(self, sign: int = 1) -> IntervalDatum:
        years, months, days = sign * self.years, sign * self.months, sign * self.days
        micros = sign * self.micros
        if any(not -_INT32 <= v < _INT32 for v in (years, months, days)) or not -_INT64 <= micros < _INT64:
            raise IntervalOverflow
        months += years * _YEAR_MONTHS
        if not -_INT32 <= months < _INT32:
            raise SqlError("22008", "interval out of range")  # each field fits, their sum does not
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
    # One sign in front is that of all fields.
    bare = (
        style == "sql_standard"
        and fields[:1]
        and fields[0][1][0] == "-"
        and not any(x[1][0] in "+-" for x in fields[1:])
    )
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
            sign = -1 if bare or field[0] == "-" else 1
            got = {"hour", "minute", "second", "millisecond", "microsecond"}
            total.micros = sign * _clock(field.lstrip("+-"), fields_name == "minute to second")
            unit = "day"
        else:
            m = _NUMBER.fullmatch(field)
            if m is None or not (m[2] or m[3]):
                raise BadFormat
            sign = -1 if bare or m[1] == "-" else 1
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
    if ago:
        sign = -sign
    return total.datum(sign)


_ISO_NUMBER: Final = re.compile(r"-?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_ISO_DATE_UNITS: Final = {"Y": "year", "M": "month", "W": "week", "D": "day"}
_ISO_TIME_UNITS: Final = {"H": "hour", "M": "minute", "S": "second"}
_ISO_MAX: Final = 1e15


class _IsoReader:
    """`P1Y2M3DT4H5M6S`, or the alternative forms `P0001-02-03T04:05:06` and `P00010203T040506`."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 1
        self.total = _Sum()

    def run(self) -> IntervalDatum:
        in_date, begun = True, False
        while self.at < len(self.text):
            if self.text[self.at] == "T":
                in_date, begun = False, False
                self.at += 1
                continue
            start = self.at
            value, fraction = self._number()
            unit = self.text[self.at : self.at + 1]
            units = _ISO_DATE_UNITS if in_date else _ISO_TIME_UNITS
            if unit in units:
                self.total.add(units[unit], value, fraction)
                self.at += 1
                begun = True
            elif begun or unit not in (("", "T", "-") if in_date else ("", ":")):
                raise BadFormat
            elif unit != ("-" if in_date else ":") and self._is_run_together(start, 8 if in_date else 6):
                self._run_together(value, fraction, in_date)
                in_date = False
            else:
                self._separated(value, fraction, in_date)
                in_date = False
        return self.total.datum()

    def _number(self) -> tuple[int, float]:
        found = _ISO_NUMBER.match(self.text, self.at)
        if found is None:
            raise BadFormat
        self.at = found.end()
        value = float(found[0])
        if abs(value) > _ISO_MAX:
            raise IntervalOverflow
        return int(value), value - int(value)

    def _is_run_together(self, start: int, digits: int) -> bool:
        body = self.text[start : self.at].lstrip("-")
        return re.fullmatch(rf"[0-9]{{{digits}}}(\..*)?", body) is not None

    def _run_together(self, value: int, fraction: float, in_date: bool) -> None:
        sign, size = (-1 if value < 0 else 1), abs(value)
        parts = (sign * (size // 10_000), sign * (size // 100 % 100), sign * (size % 100))
        units = ("year", "month", "day") if in_date else ("hour", "minute", "second")
        for unit, part in zip(units, parts, strict=True):
            self.total.add(unit, part, fraction if unit == units[-1] else 0.0)

    def _separated(self, value: int, fraction: float, in_date: bool) -> None:
        """Numbers between dashes or colons; the first one is read already."""
        units = ("year", "month", "day") if in_date else ("hour", "minute", "second")
        separator = "-" if in_date else ":"
        for unit in units:
            self.total.add(unit, value, fraction)
            following = self.text[self.at : self.at + 1]
            if not following or (in_date and following == "T"):
                return
            if following != separator or unit == units[-1]:
                raise BadFormat
            self.at += 1
            value, fraction = self._number()


def _decode_iso(text: str) -> IntervalDatum:
    if len(text) < 2 or text[0] != "P":
        raise BadFormat
    return _IsoReader(text).run()
