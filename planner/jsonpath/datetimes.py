"""Dates and times within a path: what `.datetime()` makes of strings, how they compare, how they become JSON again.

Without a template the forms of ISO 8601 are tried, the date or time decides the type:

    2023-08-15   12:34:56   12:34:56+05:30   2023-08-15T12:34:56   2023-08-15 12:34:56+05:30

A comparison that depends on the session's time zone is an error unless the caller said that it may (`*_tz` functions).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Final

from planner import types as t
from planner.abc import SqlError, TypeRef
from planner.jsonpath.errors import PathError
from planner.jsonpath.templates import Fields, fields_of
from planner.types.settings import TypeSettings

_NAMES: Final = {
    t.DATE: ("date", "date"),
    t.TIME: ("time", "time without time zone"),
    t.TIMETZ: ("timetz", "time with time zone"),
    t.TIMESTAMP: ("timestamp", "timestamp without time zone"),
    t.TIMESTAMPTZ: ("timestamptz", "timestamp with time zone"),
}
_DATE = r"(\d{4,})-(\d{1,2})-(\d{1,2})"
_TIME = r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\.(\d{1,6}))?"
_ZONE = r" ?([+-]\d{1,2})(?::(\d{1,2}))?"
_ISO: Final = re.compile(rf"\s*(?:{_DATE})?(?:(?:[ T]|^\s*){_TIME}(?:{_ZONE})?)?\s*")
_DAY_US: Final = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Moment:
    """A value of one of the five types: `value` is the type's datum, `offset_s` the zone it was written in."""

    oid: int
    value: Any
    offset_s: int = 0

    @property
    def type_name(self) -> str:
        return _NAMES[self.oid][1]

    def json(self) -> str:
        """The string that it is in JSON."""
        if self.oid == t.TIMETZ:
            shown = t.output_text(self.value, TypeRef(self.oid))
            return shown if shown[-3] == ":" and shown[-6] in "+-" else shown + ":00"
        if self.oid != t.TIMESTAMPTZ:
            return t.output_text(self.value, TypeRef(self.oid)).replace(" ", "T")
        local = t.output_text(self.value + self.offset_s * 1_000_000, TypeRef(t.TIMESTAMP)).replace(" ", "T")
        sign = "-" if self.offset_s < 0 else "+"
        hours, rest = divmod(abs(self.offset_s), 3600)
        return f"{local}{sign}{hours:02d}:{rest // 60:02d}"


def read(text: str, template: str | None) -> Moment:
    """Raises PathError: 22031 for no known form, 22007 and 22008 for values that do not fit."""
    if template is not None:
        return _made(fields_of(text, template))
    found = _ISO.fullmatch(text)
    if found is None or not text.strip():
        raise _unknown(text)
    year, month, day, hour, minute, second, fraction, zone_hour, zone_minute = found.groups()
    if year is None and hour is None:
        raise _unknown(text)
    fields = Fields()
    if year is not None:
        fields.year, fields.month, fields.day = int(year), int(month), int(day)
        fields.has_date = True
    if hour is not None:
        fields.hour, fields.minute, fields.second = int(hour), int(minute), int(second)
        fields.fraction_us = int((fraction or "").ljust(6, "0")[:6])
        fields.has_time = True
    if zone_hour is not None:
        sign = -1 if zone_hour.startswith("-") else 1
        fields.offset_s = int(zone_hour) * 3600 + sign * int(zone_minute or 0) * 60
    try:
        return _made(fields)
    except PathError:
        raise _unknown(text) from None


def _unknown(text: str) -> PathError:
    return PathError(
        "22031",
        f'datetime format is not recognized: "{text}"',
        hint="Use a datetime template argument to specify the input data format.",
    )


def _made(fields: Fields) -> Moment:
    """The type that the fields amount to."""
    date = fields.date_text() if fields.has_date else ""
    time = fields.time_text() if fields.has_time else ""
    zone = fields.zone_text()
    if date and time:
        oid = t.TIMESTAMPTZ if zone else t.TIMESTAMP
    elif date:
        if zone:
            raise PathError("22007", "datetime format is zoned but not timed")
        oid = t.DATE
    elif time:
        oid = t.TIMETZ if zone else t.TIME
    else:
        raise PathError("22007", "datetime format is not dated and not timed")
    try:
        value = t.input_text(f"{date} {time}{zone}".strip(), TypeRef(oid))
    except SqlError as e:
        raise PathError(e.sqlstate, e.message, detail=e.detail, hint=e.hint) from None
    return Moment(oid, value, fields.offset_s or 0)


def compare(a: Moment, b: Moment, zone: str | None) -> int | None:
    """-1, 0, 1; None for what cannot be compared. Raises 0A000 where only a time zone could tell."""
    if a.oid != b.oid:
        clocks = (t.TIME, t.TIMETZ)
        if (a.oid in clocks) != (b.oid in clocks):
            return None
        zoned = t.TIMETZ if a.oid in clocks else t.TIMESTAMPTZ
        if zoned in (a.oid, b.oid):
            if zone is None:
                plain = a if b.oid == zoned else b
                raise SqlError(
                    "0A000",
                    f"cannot convert value from {_NAMES[plain.oid][0]} to {_NAMES[zoned][0]} without time zone usage",
                    hint="Use *_tz() function for time zone support.",
                )
            a, b = _zoned(a, zoned, zone), _zoned(b, zoned, zone)
    x, y = _order(a), _order(b)
    return int(x > y) - int(x < y)


def _zoned(moment: Moment, oid: int, zone: str) -> Moment:
    if moment.oid == oid:
        return moment
    text = t.output_text(moment.value, TypeRef(moment.oid))
    return Moment(oid, t.input_text(text, TypeRef(oid), TypeSettings(time_zone=zone)))


def _order(moment: Moment) -> Any:
    """What sorts as the moments of one kind do: microseconds, of dates too."""
    if moment.oid == t.DATE:
        return moment.value * _DAY_US
    if moment.oid == t.TIMETZ:
        return _timetz_order(t.output_text(moment.value, TypeRef(t.TIMETZ)))
    return moment.value


def _timetz_order(text: str) -> tuple[int, int]:
    """By the moment in UTC, then by the zone."""
    from planner.types.datetimes import time_in

    micros, east_s = time_in(TypeSettings(), True)(text)
    return micros - east_s * 1_000_000, -east_s
