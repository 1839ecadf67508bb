"""Dates and times: what the keyed path needs of them, on integers of days and microseconds.

A zone matters only where a timestamptz becomes a wall clock or back; `zone_offset_us` answers that
for a session's TimeZone, at once for UTC.
"""

from __future__ import annotations

import datetime

from executor.abc import ExecutionError
from executor.keyed.registry import scalar
from planner.binding.prelude.dates import divide, multiply
from planner.types.calendar_days import civil_from_days, days_from_civil, month_days
from planner.types.datetimes import DATE_END, DATE_MIN, TIMESTAMP_END, TIMESTAMP_MIN
from planner.types.timezones import session_zone

DAY_US = 86_400_000_000
INFINITY = (1 << 63) - 1
DATE_INFINITY = (1 << 31) - 1

Interval = tuple[int, int, int]


def _finite(v: int) -> bool:
    return -INFINITY < v < INFINITY


def checked_timestamp(v: int) -> int:
    if TIMESTAMP_MIN <= v < TIMESTAMP_END:
        return v
    raise ExecutionError("22008", "timestamp out of range")


def _checked_date(v: int) -> int:
    if DATE_MIN <= v < DATE_END:
        return v
    raise ExecutionError("22008", "date out of range")


def _date_finite(v: int) -> bool:
    return -DATE_INFINITY < v < DATE_INFINITY


@scalar("isfinite(date)")
def _isfinite_date(a: int) -> bool:
    return _date_finite(a)


@scalar("isfinite(timestamp)", "isfinite(timestamptz)")
def _isfinite_timestamp(a: int) -> bool:
    return _finite(a)


@scalar("date + int4")
def _date_plus(a: int, days: int) -> int:
    return _checked_date(a + days) if _date_finite(a) else a


@scalar("int4 + date")
def _plus_date(days: int, a: int) -> int:
    return _date_plus(a, days)


@scalar("date - int4")
def _date_minus(a: int, days: int) -> int:
    return _checked_date(a - days) if _date_finite(a) else a


@scalar("date - date")
def _date_difference(a: int, b: int) -> int:
    if not (_date_finite(a) and _date_finite(b)):
        raise ExecutionError("22008", "cannot subtract infinite dates")
    return a - b


def _add_months(us: int, months: int) -> int:
    days, rest = divmod(us, DAY_US)
    year, month, day = civil_from_days(days)
    year, month = divmod(year * 12 + month - 1 + months, 12)
    month += 1
    return days_from_civil(year, month, min(day, month_days(year, month))) * DAY_US + rest


@scalar("timestamp + interval", "interval + timestamp")
def _timestamp_plus(a: int | Interval, b: int | Interval) -> int:
    stamp, interval = (a, b) if isinstance(a, int) else (b, a)
    assert isinstance(stamp, int) and isinstance(interval, tuple)
    return _shift(stamp, interval, 1)


@scalar("timestamp - interval")
def _timestamp_minus(a: int, b: Interval) -> int:
    return _shift(a, b, -1)


def _shift(stamp: int, interval: Interval, sign: int) -> int:
    if not _finite(stamp):
        return stamp
    months, days, micros = interval
    if months:
        stamp = checked_timestamp(_add_months(stamp, sign * months))
    if days:
        stamp = checked_timestamp(stamp + sign * days * DAY_US)
    return checked_timestamp(stamp + sign * micros)


@scalar("date + interval")
def _date_plus_interval(a: int, b: Interval) -> int:
    return _shift(date_to_timestamp(a), b, 1)


@scalar("date - interval")
def _date_minus_interval(a: int, b: Interval) -> int:
    return _shift(date_to_timestamp(a), b, -1)


@scalar("timestamp - timestamp", "timestamptz - timestamptz")
def _timestamp_difference(a: int, b: int) -> Interval:
    if not (_finite(a) and _finite(b)):
        raise ExecutionError("22008", "cannot subtract infinite timestamps")
    micros = a - b
    days = abs(micros) // DAY_US
    days = -days if micros < 0 else days
    return (0, days, micros - days * DAY_US)


def _checked_interval(months: int, days: int, micros: int) -> Interval:
    if abs(months) < 1 << 31 and abs(days) < 1 << 31 and abs(micros) < 1 << 63:
        return (months, days, micros)
    raise ExecutionError("22008", "interval out of range")


@scalar("interval + interval")
def _interval_plus(a: Interval, b: Interval) -> Interval:
    return _checked_interval(a[0] + b[0], a[1] + b[1], a[2] + b[2])


@scalar("interval - interval")
def _interval_minus(a: Interval, b: Interval) -> Interval:
    return _checked_interval(a[0] - b[0], a[1] - b[1], a[2] - b[2])


@scalar("interval * float8")
def _interval_times(a: Interval, b: float) -> Interval:
    return multiply(a, b)


@scalar("float8 * interval")
def _times_interval(a: float, b: Interval) -> Interval:
    return multiply(b, a)


@scalar("interval / float8")
def _interval_by(a: Interval, b: float) -> Interval:
    return divide(a, b)


@scalar("- interval")
def _interval_negative(a: Interval) -> Interval:
    return _checked_interval(-a[0], -a[1], -a[2])


def date_to_timestamp(v: int) -> int:
    if v == DATE_INFINITY:
        return INFINITY
    if v == -DATE_INFINITY:
        return -INFINITY
    if not TIMESTAMP_MIN <= v * DAY_US < TIMESTAMP_END:
        raise ExecutionError("22008", "date out of range for timestamp")
    return v * DAY_US


def timestamp_to_date(v: int) -> int:
    if v == INFINITY:
        return DATE_INFINITY
    if v == -INFINITY:
        return -DATE_INFINITY
    return v // DAY_US


_EPOCH = datetime.datetime(1970, 1, 1)
_FIRST_S, _LAST_S = -62_135_596_800 + 90_000, 253_402_300_799 - 90_000
_CYCLE_S = 146_097 * 86_400
_UTC_NAMES = ("UTC", "GMT", "Etc/UTC", "Etc/GMT", "Zulu")


@scalar("timestamptz + interval at zone")
def _instant_plus(a: int, b: Interval, zone: str) -> int:
    """By the calendar of `zone`: months first, then days, each at the same time of day; then what is left of the time."""
    months, days, micros = b
    if not _finite(a):
        return a
    if months:
        a = from_wall_clock(_add_months(to_wall_clock(a, zone), months), zone)
    if days:
        a = from_wall_clock(checked_timestamp(to_wall_clock(a, zone) + days * DAY_US), zone)
    return checked_timestamp(a + micros)


@scalar("timestamptz - interval at zone")
def _instant_minus(a: int, b: Interval, zone: str) -> int:
    return _instant_plus(a, (-b[0], -b[1], -b[2]), zone)


@scalar("date at zone")
def _day_compared(v: int, zone: str) -> int:
    """When a day begins in `zone`; a day beyond all moments is before or after them."""
    if abs(v) == DATE_INFINITY:
        return INFINITY if v > 0 else -INFINITY
    return _clock_compared(max(min(v * DAY_US, INFINITY - 1), 1 - INFINITY), zone)


@scalar("timestamp at zone")
def _clock_compared(v: int, zone: str) -> int:
    try:
        return from_wall_clock(v, zone)
    except ExecutionError:
        return INFINITY - 1 if v > 0 else 1 - INFINITY


def day_at_zone(v: int, zone: str) -> int:
    """date -> timestamptz."""
    local = date_to_timestamp(v)
    try:
        return from_wall_clock(local, zone)
    except ExecutionError:
        raise ExecutionError("22008", "date out of range for timestamp") from None


def zone_offset_us(instant_us: int, zone: str) -> int:
    """What to add to an instant to get the wall clock of `zone`."""
    if zone in _UTC_NAMES:
        return 0
    second = _within_calendar(instant_us // 1_000_000)
    moment = datetime.datetime.fromtimestamp(second, datetime.UTC).astimezone(session_zone(zone))
    offset = moment.utcoffset()
    assert offset is not None
    return (offset.days * 86_400 + offset.seconds) * 1_000_000


def to_wall_clock(v: int, zone: str) -> int:
    """timestamptz -> timestamp."""
    if zone in _UTC_NAMES or not _finite(v):
        return v
    return checked_timestamp(v + zone_offset_us(v, zone))


def from_wall_clock(v: int, zone: str) -> int:
    """timestamp -> timestamptz. A time that a change of the clock skips or repeats is read by the
    offset before the change, as PostgreSQL reads it."""
    if zone in _UTC_NAMES or not _finite(v):
        return v
    second, micros = divmod(v, 1_000_000)
    inside = _within_calendar(second)
    wall = (_EPOCH + datetime.timedelta(seconds=inside)).replace(tzinfo=session_zone(zone), fold=0)
    offset = wall.utcoffset()
    later = wall.replace(fold=1).utcoffset()
    assert offset is not None and later is not None
    if offset > later:
        offset = later if _repeats(wall) else offset
    return checked_timestamp((second - int(offset.total_seconds())) * 1_000_000 + micros)


def _within_calendar(second: int) -> int:
    """A moment of a year that datetime has, at which clocks go as they do at this one: they do the same every four hundred years,
    and before our era they knew no zones.
    """
    if second > _LAST_S:
        second -= -(-(second - _LAST_S) // _CYCLE_S) * _CYCLE_S
    return max(second, _FIRST_S)


def _repeats(wall: datetime.datetime) -> bool:
    """Whether this wall clock time happens twice (rather than never): PostgreSQL takes the second."""
    instant = wall.replace(fold=0).astimezone(datetime.UTC)
    return instant.astimezone(wall.tzinfo).replace(fold=0, tzinfo=None) == wall.replace(tzinfo=None)
