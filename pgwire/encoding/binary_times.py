"""Dates, times and intervals in binary: days and microseconds since 2000-01-01, which is not where they count from here.

date          int4   days; its ends are the infinities
timestamp     int8   microseconds; likewise
timetz        int8 microseconds, int4 seconds west of Greenwich
interval      int8 microseconds, int4 days, int4 months
"""

from __future__ import annotations

import struct
from typing import Final

from pgwire.encoding.binary_ranges import truncated
from planner.abc import SqlError
from planner.errors import BytesLeftOver
from planner.types.datetimes import (
    DATE_END,
    DATE_INFINITY,
    DATE_MIN,
    TIMESTAMP_END,
    TIMESTAMP_INFINITY,
    TIMESTAMP_MIN,
    timetz_parts,
    timetz_text,
)
from planner.types.timezones import US_PER_DAY
from storage.abc import Datum

EPOCH_DAYS: Final = 10_957
"""2000-01-01 in days since 1970."""
EPOCH_US: Final = EPOCH_DAYS * US_PER_DAY
DATE_WIRE_MAX, DATE_WIRE_MIN = (1 << 31) - 1, -(1 << 31)
STAMP_WIRE_MAX, STAMP_WIRE_MIN = (1 << 63) - 1, -(1 << 63)

_I4, _I8 = struct.Struct("!i"), struct.Struct("!q")
_INTERVAL, _TIMETZ = struct.Struct("!qii"), struct.Struct("!qi")


def date_out(days: Datum) -> bytes:
    if days >= DATE_INFINITY:
        return _I4.pack(DATE_WIRE_MAX)
    return _I4.pack(DATE_WIRE_MIN if days <= -DATE_INFINITY else days - EPOCH_DAYS)


def date_in(data: bytes) -> int:
    if len(data) != 4:
        raise truncated() if len(data) < 4 else BytesLeftOver()
    (days,) = _I4.unpack(data)
    if days == DATE_WIRE_MAX:
        return DATE_INFINITY
    if days == DATE_WIRE_MIN:
        return -DATE_INFINITY
    days += EPOCH_DAYS
    if not DATE_MIN <= days < DATE_END:
        raise SqlError("22008", "date out of range")
    return int(days)


def stamp_out(micros: Datum) -> bytes:
    if micros >= TIMESTAMP_INFINITY:
        return _I8.pack(STAMP_WIRE_MAX)
    return _I8.pack(STAMP_WIRE_MIN if micros <= -TIMESTAMP_INFINITY else micros - EPOCH_US)


def stamp_in(data: bytes) -> int:
    if len(data) != 8:
        raise truncated() if len(data) < 8 else BytesLeftOver()
    (micros,) = _I8.unpack(data)
    if micros == STAMP_WIRE_MAX:
        return TIMESTAMP_INFINITY
    if micros == STAMP_WIRE_MIN:
        return -TIMESTAMP_INFINITY
    micros += EPOCH_US
    if not TIMESTAMP_MIN <= micros < TIMESTAMP_END:
        raise SqlError("22008", "timestamp out of range")
    return int(micros)


def time_in(data: bytes) -> int:
    if len(data) != 8:
        raise truncated() if len(data) < 8 else BytesLeftOver()
    (micros,) = _I8.unpack(data)
    if not 0 <= micros <= US_PER_DAY:
        raise SqlError("22008", "time out of range")
    return int(micros)


def timetz_out(text: Datum) -> bytes:
    micros, east = timetz_parts(text)
    return _TIMETZ.pack(micros, -east)


def timetz_in(data: bytes) -> str:
    if len(data) != 12:
        raise truncated() if len(data) < 12 else BytesLeftOver()
    micros, west = _TIMETZ.unpack(data)
    if not 0 <= micros <= US_PER_DAY:
        raise SqlError("22008", "time out of range")
    if abs(west) >= 16 * 3600:
        raise SqlError("22009", "time zone displacement out of range")
    return timetz_text(micros, -west)


def interval_out(datum: Datum) -> bytes:
    months, days, micros = datum
    return _INTERVAL.pack(micros, days, months)


def interval_in(data: bytes) -> tuple[int, int, int]:
    if len(data) != 16:
        raise truncated() if len(data) < 16 else BytesLeftOver()
    micros, days, months = _INTERVAL.unpack(data)
    return months, days, micros
