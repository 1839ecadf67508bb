"""The parts of a wall-clock time, over all years that PostgreSQL has: date_part, date_trunc, and what to_char shows.

Years are astronomical inside (0 is 1 BC); where one is shown, there is no year 0, and those before our era are negative:

    astronomical      1    0   -1  ..  -9  -10        decades, centuries and millennia are counted from the
    year              1   -1   -2  .. -10  -11        year 1 on either side, so 1 BC is in century -1,
    century           1   -1   -1  ..  -1   -1        and no century is 0
    decade            0    0   -1  ..  -1   -1

See timestamp_part_common and timestamp_trunc in PostgreSQL's timestamp.c.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Final

from planner.abc import SqlError
from planner.binding import numerics
from planner.types.calendar_days import JULIAN_OF_EPOCH, civil_from_days, days_from_civil
from planner.types.datetimes import DATE_MIN

_DAY_US: Final = 86_400_000_000
_INFINITY: Final = (1 << 63) - 1

ALIASES: Final = {
    "years": "year", "y": "year", "yr": "year", "yrs": "year", "months": "month", "mon": "month", "mons": "month",
    "days": "day", "d": "day", "hours": "hour", "h": "hour", "hr": "hour", "hrs": "hour", "minutes": "minute",
    "m": "minute", "min": "minute", "mins": "minute", "seconds": "second", "s": "second", "sec": "second",
    "secs": "second", "ms": "milliseconds", "msec": "milliseconds", "millisecond": "milliseconds",
    "msecs": "milliseconds", "us": "microseconds", "usec": "microseconds", "usecs": "microseconds",
    "microsecond": "microseconds", "weeks": "week", "w": "week", "centuries": "century", "cent": "century",
    "c": "century", "decades": "decade", "decs": "decade", "dec": "decade", "millennia": "millennium",
    "mils": "millennium", "mil": "millennium", "qtr": "quarter", "jd": "julian",
    "timezone_h": "timezone_hour", "timezone_m": "timezone_minute",
}  # fmt: skip
"""What else PostgreSQL calls the units."""


def unit_named(name: str) -> str:
    return ALIASES.get(name.lower(), name.lower())


@lru_cache(maxsize=64)
def unrecognized(name: str, kind: str) -> SqlError:
    return SqlError("22023", f'unit "{name}" not recognized for type {kind}')


@dataclass(frozen=True, slots=True)
class Day:
    """A day and its places in the calendars. `weekday`: 0 is Monday; years are astronomical."""

    days: int
    year: int
    month: int
    day: int
    yearday: int
    weekday: int
    iso_year: int
    iso_week: int


@lru_cache(maxsize=4096)
def day_of(days: int) -> Day:
    """The day that is so many days after 1970-01-01."""
    year, month, day = civil_from_days(days)
    weekday = (days + 3) % 7
    thursday = days - weekday + 3  # decides whose week it is
    iso_year = civil_from_days(thursday)[0]
    week = (thursday - days_from_civil(iso_year, 1, 1)) // 7 + 1
    yearday = days - days_from_civil(year, 1, 1) + 1
    return Day(days, year, month, day, yearday, weekday, iso_year, week)


def shown_year(year: int) -> int:
    return year if year > 0 else year - 1


def _counted(year: int, size: int) -> int:
    """Centuries and millennia: from the year 1 up, from 1 BC down."""
    return (year + size - 1) // size if year > 0 else -((size - year) // size)


def not_supported(name: str, kind: str) -> SqlError:
    return SqlError("0A000", f'unit "{name}" not supported for type {kind}')


ZONES: Final = ("timezone", "timezone_hour", "timezone_minute")
_ENDLESS: Final = frozenset(("epoch", "julian", "year", "isoyear", "decade", "century", "millennium"))
_CYCLIC: Final = frozenset(("month", "day", "hour", "minute", "second", "milliseconds", "microseconds", "week")) | {
    "dow", "isodow", "doy", "quarter", "timezone", "timezone_hour", "timezone_minute",
}  # fmt: skip


def date_part(name: str, local: int, kind: str = "timestamp without time zone") -> float | None:
    """A field of a wall-clock time, whose name is known only when the query runs. Raises 22023, 0A000."""
    unit = unit_named(name)
    if abs(local) >= _INFINITY and unit in _ENDLESS | _CYCLIC:
        return math.copysign(math.inf, local) if unit in _ENDLESS else None
    days, micros = divmod(local, _DAY_US)
    second_us = micros % 60_000_000
    at = day_of(days)
    match unit:
        case "year":
            return float(shown_year(at.year))
        case "month" | "day":
            return float(getattr(at, unit))
        case "hour":
            return float(micros // 3_600_000_000)
        case "minute":
            return float(micros // 60_000_000 % 60)
        case "second":
            return second_us / 1_000_000
        case "milliseconds":
            return second_us / 1000
        case "microseconds":
            return float(second_us)
        case "week":
            return float(at.iso_week)
        case "isoyear":
            return float(shown_year(at.iso_year))
        case "dow":
            return float((at.weekday + 1) % 7)
        case "isodow":
            return float(at.weekday + 1)
        case "doy":
            return float(at.yearday)
        case "quarter":
            return float((at.month + 2) // 3)
        case "decade":
            return float(at.year // 10)
        case "century":
            return float(_counted(at.year, 100))
        case "millennium":
            return float(_counted(at.year, 1000))
        case "epoch":
            return float(local) / 1e6  # which is rounded before it is divided, as there
        case "julian":
            return days + JULIAN_OF_EPOCH + micros / _DAY_US
    if unit in ZONES:
        raise not_supported(name, kind)
    raise unrecognized(name, kind)


def julian(local: int) -> str:
    """The Julian day and the part of it that has passed, as PostgreSQL's numeric has them."""
    days, micros = divmod(local, _DAY_US)
    passed = numerics.divide(Decimal(micros), Decimal(_DAY_US))
    return numerics.text(numerics.ADD(Decimal(days + JULIAN_OF_EPOCH), passed))


_STEPS: Final = {
    "microseconds": 1,
    "milliseconds": 1000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": _DAY_US,
}


def date_trunc(name: str, local: int, kind: str = "timestamp without time zone") -> int:
    """A wall-clock time cut down to a unit. Raises 22023, 0A000; 22008 for what begins before the first moment.

    What is infinite stays so whatever the unit is called: as there, nobody looks.
    """
    if abs(local) >= _INFINITY:
        return local
    unit = unit_named(name)
    if unit in _STEPS:
        return local // _STEPS[unit] * _STEPS[unit]
    at = day_of(local // _DAY_US)
    year, month = at.year, 1
    match unit:
        case "week":
            return (at.days - at.weekday) * _DAY_US
        case "month":
            month = at.month
        case "quarter":
            month = (at.month - 1) // 3 * 3 + 1
        case "year":
            pass
        case "decade":
            year = year // 10 * 10
        case "century":
            year = (year - 1) // 100 * 100 + 1
        case "millennium":
            year = (year - 1) // 1000 * 1000 + 1
        case _ if unit in ZONES:
            raise not_supported(name, kind)
        case _:
            raise unrecognized(name, kind)
    begun = days_from_civil(year, month, 1)
    if begun < DATE_MIN:
        raise SqlError("22008", "timestamp out of range")
    return begun * _DAY_US
