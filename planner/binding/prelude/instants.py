"""Python functions on moments, zones and times of day: what DuckDB's own date functions do not give."""

from __future__ import annotations

import math
from collections.abc import Callable
from datetime import tzinfo
from typing import Any

from planner.abc import SqlError
from planner.binding.templates.date_parts import (
    ZONES,
    date_part,
    date_trunc,
    julian,
    not_supported,
    unit_named,
    unrecognized,
)
from planner.types.calendar_days import civil_from_days, days_from_civil, month_days
from planner.types.datetime_fields import BadFormat, FieldOverflow, ZoneOverflow, zone_offset
from planner.types.datetimes import (
    DATE_END,
    DATE_INFINITY,
    DATE_MIN,
    TIMESTAMP_END,
    TIMESTAMP_MIN,
    timetz_parts,
    timetz_rounded,
    timetz_text,
)
from planner.types.floats import float8_out
from planner.types.intervals import postgres_out
from planner.types.timezones import named_zone, offset_at, offset_of_local, session_zone

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
Interval = tuple[int, int, int]
_V = "VARCHAR"
_ZONED = "TIMESTAMP WITH TIME ZONE"
_DAY_US = 86_400_000_000
_INFINITY = (1 << 63) - 1


# --- zones -------------------------------------------------------------------------------------------


def at_zone(name: str, moment: int) -> int:
    """The wall clock's time in a zone at a moment."""
    if abs(moment) >= _INFINITY:
        return moment
    return _within(moment + offset_at(moment, named_zone(name)) * 1_000_000)


def _within(moment: int) -> int:
    """Raises 22008 for one before the first or after the last."""
    if not TIMESTAMP_MIN <= moment < TIMESTAMP_END:
        raise SqlError("22008", "timestamp out of range")
    return moment


def from_zone(name: str, local: int) -> int:
    """The moment at which a zone's wall clock shows this time."""
    if abs(local) >= _INFINITY:
        return local
    return _within(local - offset_of_local(local, named_zone(name)) * 1_000_000)


def from_stated_zone(name: str, local: int) -> int:
    """As `from_zone`, but of make_timestamptz: there +2 is east of Greenwich, as in ISO 8601, and not west."""
    if name[:1].isdigit():
        raise SqlError(
            "22023",
            f'invalid input syntax for type numeric time zone: "{name}"',
            hint='Numeric time zones must have "-" or "+" as first character.',
        )
    if name[:1] not in ("+", "-"):
        return from_zone(name, local)
    try:
        east = zone_offset(name)
    except BadFormat:
        return from_zone(name, local)
    except (FieldOverflow, ZoneOverflow):
        raise SqlError("22023", f'numeric time zone "{name}" out of range') from None
    return local - east * 1_000_000


# --- made from numbers -------------------------------------------------------------------------------


def make_date(year: int, month: int, day: int) -> int:
    """Days since 1970 of a year as it is written: -44 is 44 BC, and there is no year 0."""
    astronomical = year + 1 if year < 0 else year
    if year == 0 or not 1 <= month <= 12 or not 1 <= day <= month_days(astronomical, month):
        raise SqlError("22008", f"date field value out of range: {year}-{month:02d}-{day:02d}")
    if not DATE_MIN <= (made := days_from_civil(astronomical, month, day)) < DATE_END:
        raise SqlError("22008", f"date out of range: {astronomical}-{month:02d}-{day:02d}")
    return made


def make_time(hour: int, minute: int, second: float) -> int:
    whole = hour == 24 and minute == 0 and second == 0
    if not (0 <= hour < 24 or whole) or not 0 <= minute < 60 or not 0 <= second <= 60 or math.isnan(second):
        shown = f"{second:02g}" if math.isfinite(second) else float8_out(second)
        raise SqlError("22008", f"time field value out of range: {hour}:{minute:02d}:{shown}")
    return (hour * 3600 + minute * 60) * 1_000_000 + round(second * 1_000_000)


def make_timestamp(year: int, month: int, day: int, hour: int, minute: int, second: float) -> int:
    astronomical = year + 1 if year < 0 else year
    if (astronomical, month) == (
        -4713,
        11,
    ) and 1 <= day < 24:  # the first month of all is whole, to the error's words
        days = days_from_civil(astronomical, month, day)
    else:
        days = make_date(year, month, day)
    made = days * _DAY_US + make_time(hour, minute, second)
    if not TIMESTAMP_MIN <= made < TIMESTAMP_END:
        said = f"{year}-{month:02d}-{day:02d} {hour}:{minute:02d}:{second:02g}"
        raise SqlError("22008", f"timestamp out of range: {said}")
    return made


# --- bins and fields ---------------------------------------------------------------------------------


def date_bin(stride: Interval, moment: int, origin: int) -> int:
    if abs(moment) >= _INFINITY:
        return moment
    if abs(origin) >= _INFINITY:
        raise SqlError("22008", "origin out of range")
    if stride[0]:
        raise SqlError("0A000", "timestamps cannot be binned into intervals containing months or years")
    width = stride[1] * _DAY_US + stride[2]
    if abs(width) > _INFINITY:
        raise SqlError("22008", "interval out of range")
    if width <= 0:
        raise SqlError("22008", "stride must be greater than zero")
    if abs(moment - origin) > _INFINITY:
        raise SqlError("22008", "interval out of range")
    made = moment - (moment - origin) % width
    if not TIMESTAMP_MIN <= made < TIMESTAMP_END:
        raise SqlError("22008", "timestamp out of range")
    return made


def date_part_zoned(name: str, moment: int, zone: str) -> float | None:
    if unit_named(name) == "epoch" or abs(moment) >= _INFINITY:
        return date_part(name, moment, "timestamp with time zone")
    east = offset_at(moment, session_zone(zone))
    match unit_named(name):
        case "timezone":
            return float(east)
        case "timezone_hour":
            return float(int(east / 3600))
        case "timezone_minute":
            return float(int(math.fmod(east, 3600) / 60))
    return date_part(name, moment + east * 1_000_000, "timestamp with time zone")


def interval_part(name: str, i: Interval) -> float:
    unit = unit_named(name)
    months, days, micros = i
    years, month = int(months / 12), int(math.fmod(months, 12))
    hours, rest = int(micros / 3_600_000_000), int(math.fmod(micros, 3_600_000_000))
    minute, second_us = int(rest / 60_000_000), int(math.fmod(rest, 60_000_000))
    match unit:
        case "year":
            return float(years)
        case "month":
            return float(month)
        case "day":
            return float(days)
        case "hour":
            return float(hours)
        case "minute":
            return float(minute)
        case "second":
            return second_us / 1_000_000
        case "milliseconds":
            return second_us / 1000
        case "microseconds":
            return float(second_us)
        case "quarter":
            return float(int(month / 3) + 1)
        case "decade":
            return float(int(years / 10))
        case "century":
            return float(int(years / 100))
        case "millennium":
            return float(int(years / 1000))
        case "epoch":
            # Step by step as PostgreSQL adds: another order would round otherwise.
            return micros / 1_000_000 + 31_557_600.0 * years + 2_592_000.0 * month + 86_400.0 * days
    if unit in ("week", "dow", "isodow", "doy", "isoyear", "julian", *ZONES):
        raise not_supported(name, "interval")
    raise unrecognized(name, "interval")


def date_trunc_zoned(name: str, moment: int, zone: str) -> int:
    return _truncated(name, moment, session_zone(zone))


_CLOCK_UNITS = frozenset(("microseconds", "milliseconds", "second", "minute", "hour"))
"""What is cut to one of these stays under the offset that is in force: of an hour that comes twice, the one that it is."""


def _truncated(name: str, moment: int, zone: tzinfo) -> int:
    if abs(moment) >= _INFINITY:
        return moment
    offset = offset_at(moment, zone)
    cut = date_trunc(name, moment + offset * 1_000_000, "timestamp with time zone")
    if unit_named(name) not in _CLOCK_UNITS:
        offset = offset_of_local(cut, zone)
    return _within(cut - offset * 1_000_000)


def _plus(local: int, i: Interval) -> int:
    """A wall-clock time and an interval: months first, days of too short months cut to their last."""
    if i[0]:
        day, rest = divmod(local, _DAY_US)
        year, month, day_of_month = civil_from_days(day)
        year, month = divmod(year * 12 + month - 1 + i[0], 12)
        day_of_month = min(day_of_month, month_days(year, month + 1))
        local = days_from_civil(year, month + 1, day_of_month) * _DAY_US + rest
    return local + i[1] * _DAY_US + i[2]


MOMENTS_MAX = 10_000_000


def _moments(
    start: int, stop: int, step: Interval, plus: Callable[[int, Interval], int], asked: int
) -> list[int]:
    """No more than are asked for: a series may go on to infinity, as long as somebody stops it."""
    weight = step[0] * 30 * _DAY_US + step[1] * _DAY_US + step[2]
    if weight == 0:
        raise SqlError("22023", "step size cannot equal zero")
    if abs(start) >= _INFINITY:
        raise SqlError("0A000", "generate_series() from infinity is not supported")
    out: list[int] = []
    while len(out) < asked and (start <= stop if weight > 0 else start >= stop):
        if len(out) >= MOMENTS_MAX:
            raise SqlError("54000", f"generate_series of more than {MOMENTS_MAX} timestamps is not supported")
        out.append(start)
        start = _within(plus(start, step))
    return out


def _moments_local(start: int, stop: int, step: Interval, asked: int) -> list[int]:
    return _moments(start, stop, step, _plus, asked)


def _moments_zoned(start: int, stop: int, step: Interval, asked: int, zone: str) -> list[int]:
    rules = session_zone(zone)

    def plus(moment: int, i: Interval) -> int:
        if not (i[0] or i[1]):
            return moment + i[2]
        local = _plus(moment + offset_at(moment, rules) * 1_000_000, (i[0], i[1], 0))
        return local - offset_of_local(local, rules) * 1_000_000 + i[2]

    return _moments(start, stop, step, plus, asked)


# --- times of day with a zone --------------------------------------------------------------------------


def _date_timetz(day: int, text: str) -> int:
    """The moment of a time of day with its own zone: in UTC it may be of the day before or after."""
    if abs(day) >= DATE_INFINITY:
        return _INFINITY if day > 0 else -_INFINITY
    micros, east = timetz_parts(text)
    moment = day * _DAY_US + micros - east * 1_000_000
    if not TIMESTAMP_MIN <= moment < TIMESTAMP_END:
        raise SqlError("22008", "date out of range for timestamp")
    return moment


def _timetz_key(text: str) -> bytes:
    """Bytes in PostgreSQL's order: the moment in UTC, then the zone from east to west."""
    micros, east = timetz_parts(text)
    return (micros - east * 1_000_000 + _DAY_US).to_bytes(6, "big") + (86_400 * 2 - east).to_bytes(4, "big")


def _timetz_part(name: str, text: str) -> str:
    micros, east = timetz_parts(text)
    unit = unit_named(name)
    match unit:
        case "hour":
            return str(micros // 3_600_000_000)
        case "minute":
            return str(micros // 60_000_000 % 60)
        case "second":
            return f"{micros % 60_000_000 // 1_000_000}.{micros % 1_000_000:06d}"
        case "milliseconds":
            return f"{micros % 60_000_000 // 1000}.{micros % 1000:03d}"
        case "microseconds":
            return str(micros % 60_000_000)
        case "timezone":
            return str(east)
        case "timezone_hour":
            return str(int(east / 3600))
        case "timezone_minute":
            return str(int(math.fmod(east, 3600) / 60))
        case "epoch":
            total = micros - east * 1_000_000
            return f"{'-' if total < 0 else ''}{abs(total) // 1_000_000}.{abs(total) % 1_000_000:06d}"
    if unit in (
        "year",
        "month",
        "day",
        "week",
        "dow",
        "isodow",
        "doy",
        "quarter",
        "decade",
        "century",
        "millennium",
        "isoyear",
        "julian",
    ):
        raise SqlError("0A000", f'unit "{unit}" not supported for type time with time zone')
    raise unrecognized(unit, "time with time zone")


def _timetz_of(moment: int, zone: str) -> str:
    east = offset_at(moment, session_zone(zone))
    return timetz_text((moment + east * 1_000_000) % _DAY_US, east)


def _timetz_plus(text: str, i: Interval) -> str:
    micros, east = timetz_parts(text)
    return timetz_text((micros + i[2]) % _DAY_US, east)


def _timetz_at(text: str, east: int) -> str:
    micros, was = timetz_parts(text)
    return timetz_text((micros + (east - was) * 1_000_000) % _DAY_US, east)


def _timetz_at_zone(name: str, text: str, now: int) -> str:
    return _timetz_at(text, offset_at(now, named_zone(name)))


def _interval_offset(i: Interval) -> int:
    if i[0] or i[1]:
        raise SqlError("22023", f'interval time zone "{postgres_out(i)}" must not include months or days')
    return int(i[2] / 1_000_000)  # towards zero


FUNCTIONS: list[Entry] = [
    ("tw_at_zone", at_zone, (_V, _ZONED), "TIMESTAMP"),
    ("tw_from_stated_zone", from_stated_zone, (_V, "TIMESTAMP"), _ZONED),
    ("tw_from_zone", from_zone, (_V, "TIMESTAMP"), _ZONED),
    (
        "tw_from_session_zone",
        lambda z, x: x if abs(x) >= _INFINITY else x - offset_of_local(x, session_zone(z)) * 1_000_000,
        (_V, "TIMESTAMP"),
        _ZONED,
    ),
    ("tw_make_date_of", make_date, ("INTEGER",) * 3, "DATE"),
    ("tw_make_time", make_time, ("INTEGER", "INTEGER", "DOUBLE"), "TIME"),
    ("tw_make_timestamp", make_timestamp, ("INTEGER",) * 5 + ("DOUBLE",), "TIMESTAMP"),
    ("tw_date_bin", date_bin, ("INTERVAL", "TIMESTAMP", "TIMESTAMP"), "TIMESTAMP"),
    ("tw_date_bin_zoned", date_bin, ("INTERVAL", _ZONED, _ZONED), _ZONED),
    ("tw_moments", _moments_local, ("TIMESTAMP", "TIMESTAMP", "INTERVAL", "BIGINT"), "BIGINT[]"),
    ("tw_moments_zoned", _moments_zoned, (_ZONED, _ZONED, "INTERVAL", "BIGINT", _V), "BIGINT[]"),
    ("tw_date_part", date_part, (_V, "TIMESTAMP"), "DOUBLE"),
    ("tw_julian", julian, ("TIMESTAMP",), _V),
    ("tw_date_part_zoned", date_part_zoned, (_V, _ZONED, _V), "DOUBLE"),
    ("tw_interval_part", interval_part, (_V, "INTERVAL"), "DOUBLE"),
    ("tw_date_trunc", date_trunc, (_V, "TIMESTAMP"), "TIMESTAMP"),
    ("tw_date_trunc_zoned", date_trunc_zoned, (_V, _ZONED, _V), _ZONED),
    (
        "tw_date_trunc_in",
        lambda unit, moment, zone: _truncated(unit, moment, named_zone(zone)),
        (_V, _ZONED, _V),
        _ZONED,
    ),
    ("tw_timetz_key", _timetz_key, (_V,), "BLOB"),
    ("tw_timetz_part", _timetz_part, (_V, _V), _V),
    ("tw_timetz_of", _timetz_of, (_ZONED, _V), _V),
    ("tw_date_timetz", _date_timetz, ("DATE", _V), _ZONED),
    ("tw_round_timetz", timetz_rounded, (_V, "INTEGER"), _V),
    ("tw_timetz_time", lambda s: timetz_parts(s)[0], (_V,), "TIME"),
    (
        "tw_timetz_from_time",
        lambda x, z, now: timetz_text(x, offset_at(now, session_zone(z))),
        ("TIME", _V, _ZONED),
        _V,
    ),
    ("tw_timetz_plus", _timetz_plus, (_V, "INTERVAL"), _V),
    ("tw_timetz_minus", lambda s, i: _timetz_plus(s, (-i[0], -i[1], -i[2])), (_V, "INTERVAL"), _V),
    ("tw_timetz_at", lambda i, s: _timetz_at(s, _interval_offset(i)), ("INTERVAL", _V), _V),
    ("tw_timetz_at_zone", _timetz_at_zone, (_V, _V, _ZONED), _V),
    ("tw_interval_offset", lambda i: (0, 0, _interval_offset(i) * 1_000_000), ("INTERVAL",), "INTERVAL"),
]
