"""date, time, timetz, timestamp, timestamptz: whole numbers inside, every DateStyle outside.

    date                  days since 1970-01-01          ±infinity at ±2147483647
    time                  microseconds since midnight    24:00:00 included
    timestamp             microseconds since 1970        ±infinity at ±(2**63-1)
    timestamptz           the same, in UTC
    timetz                PostgreSQL's text form (rarely used, and no engine here knows it)

The common ISO spellings take a short way on input (one regular expression); all else goes through
`datetime_decoder`.
"""

from __future__ import annotations

import re
import time as clock
from collections.abc import Callable, Sequence
from datetime import UTC, date
from typing import Final

import pyarrow as pa

from planner.abc import SqlError
from planner.types import oids
from planner.types.base import Coercion, SqlType, TextInput, TextOutput, integer_args, quote_literal
from planner.types.calendar_days import DAYS_IN_MONTH, civil_from_days, days_from_civil, is_leap
from planner.types.datetime_decoder import HMS, YMD, Decoder
from planner.types.datetime_fields import MONTHS, BadFormat, FieldOverflow, ZoneOverflow, input_error
from planner.types.settings import UNSAID_US, MomentUnsaid, TypeSettings
from planner.types.timezones import (
    US_PER_DAY,
    US_PER_S,
    Abbreviation,
    abbreviation_at,
    offset_at,
    offset_of_local,
    session_zone,
)
from storage.abc import Datum

DATE_INFINITY: Final = 2_147_483_647
TIMESTAMP_INFINITY: Final = (1 << 63) - 1
DATE_MIN: Final = days_from_civil(-4713, 11, 24)
DATE_END: Final = days_from_civil(5_874_898, 1, 1)
TIMESTAMP_MIN: Final = DATE_MIN * US_PER_DAY
TIMESTAMP_END: Final = TIMESTAMP_INFINITY
"""Microseconds since 1970 end in 294247; PostgreSQL, counting from 2000, reaches 294276."""
_EPOCH_2000_US: Final = days_from_civil(2000, 1, 1) * US_PER_DAY
_ORDINAL_OF_EPOCH: Final = date(1970, 1, 1).toordinal()
_FAST_LOW: Final = days_from_civil(1, 1, 1)
_FAST_END: Final = days_from_civil(10_000, 1, 1)
_WEEKDAYS: Final = ("Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed")

_ISO_DATE: Final = re.compile(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", re.ASCII)
_ISO_STAMP: Final = re.compile(
    r"([0-9]{4})-([0-9]{2})-([0-9]{2})[ T]([0-9]{2}):([0-9]{2}):([0-9]{2})(\.[0-9]{1,6})?"
    r"(?:([+-])([0-9]{2})(?::?([0-9]{2}))?|Z)?",
    re.ASCII,
)


def style_of(settings: TypeSettings) -> tuple[str, str]:
    """DateStyle -> (iso|sql|postgres|german, order)."""
    style, _, order = settings.date_style.partition(",")
    return style.strip().lower(), order.strip().upper() or "MDY"


def _round_to(micros: int, places: int) -> int:
    """To `places` decimals of a second, halves away from zero (for timestamps: from the year 2000)."""
    if places >= 6:
        return micros
    unit = int(10 ** (6 - places))
    half = unit // 2
    return (micros + half) // unit * unit if micros >= 0 else -((-micros + half) // unit * unit)


# --- output


_HOUR_MINUTE: Final = [f"{m // 60:02d}:{m % 60:02d}:" for m in range(24 * 60 + 1)]
_SECOND: Final = [f"{s:02d}" for s in range(60)]


def time_text(micros: int) -> str:
    """HH:MM:SS and as many decimals as needed."""
    seconds, fraction = divmod(micros, US_PER_S)
    text = _HOUR_MINUTE[seconds // 60] + _SECOND[seconds % 60]
    return f"{text}.{fraction:06d}".rstrip("0") if fraction else text


def offset_text(east_s: int) -> str:
    sign = "-" if east_s < 0 else "+"
    minutes, seconds = divmod(abs(east_s), 60)
    hours, minutes = divmod(minutes, 60)
    text = f"{sign}{hours:02d}"
    if seconds:
        return f"{text}:{minutes:02d}:{seconds:02d}"
    return f"{text}:{minutes:02d}" if minutes else text


def _date_body(days: int, style: str, order: str) -> tuple[str, bool]:
    """The date without era, and whether it is BC."""
    year, month, day = civil_from_days(days)
    bc = year <= 0
    if bc:
        year = 1 - year
    if style == "iso":
        return f"{year:04d}-{month:02d}-{day:02d}", bc
    if style == "german":
        return f"{day:02d}.{month:02d}.{year:04d}", bc
    first, second = (day, month) if order == "DMY" else (month, day)
    separator = "/" if style == "sql" else "-"
    return f"{first:02d}{separator}{second:02d}{separator}{year:04d}", bc


def date_out(settings: TypeSettings) -> TextOutput:
    style, order = style_of(settings)
    iso = style == "iso"

    def show(days: Datum) -> str:
        if iso and _FAST_LOW <= days < _FAST_END:
            return date.fromordinal(days + _ORDINAL_OF_EPOCH).isoformat()
        if days >= DATE_INFINITY:
            return "infinity"
        if days <= -DATE_INFINITY:
            return "-infinity"
        body, bc = _date_body(days, style, order)
        return body + " BC" if bc else body

    return show


def _stamp_body(local: int, style: str, order: str, zone_text: str, spaced: bool) -> str:
    days, micros = divmod(local, US_PER_DAY)
    if style == "postgres":
        year, month, day = civil_from_days(days)
        bc = year <= 0
        if bc:
            year = 1 - year
        name = MONTHS[month - 1].capitalize()
        middle = f"{day:02d} {name}" if order == "DMY" else f"{name} {day:02d}"
        text = f"{_WEEKDAYS[days % 7]} {middle} {time_text(micros)} {year:04d}"
        spaced = True
    else:
        body, bc = _date_body(days, style, order)
        text = f"{body} {time_text(micros)}"
    if zone_text:
        text += (" " if spaced else "") + zone_text
    return text + " BC" if bc else text


def _infinite(micros: int) -> str | None:
    if micros >= TIMESTAMP_INFINITY:
        return "infinity"
    if micros <= -TIMESTAMP_INFINITY:
        return "-infinity"
    return None


def timestamp_out(settings: TypeSettings) -> TextOutput:
    style, order = style_of(settings)
    iso = style == "iso"

    def show(micros: Datum) -> str:
        days, rest = divmod(micros, US_PER_DAY)
        if iso and _FAST_LOW <= days < _FAST_END:
            return date.fromordinal(days + _ORDINAL_OF_EPOCH).isoformat() + " " + time_text(rest)
        return _infinite(micros) or _stamp_body(micros, style, order, "", False)

    return show


def timestamptz_out(settings: TypeSettings) -> TextOutput:
    style, order = style_of(settings)
    zone = session_zone(settings.time_zone)
    iso, utc = style == "iso", zone is UTC

    def show(micros: Datum) -> str:
        if iso and utc:
            days, rest = divmod(micros, US_PER_DAY)
            if _FAST_LOW <= days < _FAST_END:
                return f"{date.fromordinal(days + _ORDINAL_OF_EPOCH).isoformat()} {time_text(rest)}+00"
        infinite = _infinite(micros)
        if infinite is not None:
            return infinite
        east = offset_at(micros, zone)
        local = micros + east * US_PER_S
        if iso:
            return _stamp_body(local, style, order, offset_text(east), False)
        name = abbreviation_at(micros, zone)
        return _stamp_body(local, style, order, name or offset_text(east), True)

    return show


# --- input

_DECODING_ERRORS = (BadFormat, FieldOverflow, ZoneOverflow)


def _today(settings: TypeSettings) -> int:
    now = now_us(settings)
    zone = session_zone(settings.time_zone)
    return (now + offset_at(now, zone) * US_PER_S) // US_PER_DAY


def now_us(settings: TypeSettings) -> int:
    if settings.now_us is None:
        return clock.time_ns() // 1000
    if settings.now_us == UNSAID_US:
        raise MomentUnsaid
    return settings.now_us


_DAY_SHIFT: Final = {"today": 0, "tomorrow": 1, "yesterday": -1}


def _valid(year: int, month: int, day: int) -> bool:
    return (
        year > 0
        and 1 <= month <= 12
        and day >= 1
        and (day <= DAYS_IN_MONTH[month - 1] or (month == 2 and day == 29 and is_leap(year)))
    )


def date_in(settings: TypeSettings) -> Callable[[str], int]:
    _, order = style_of(settings)

    def parse(text: str) -> int:
        m = _ISO_DATE.fullmatch(text)
        if m is not None:
            year, month, day = int(m[1]), int(m[2]), int(m[3])
            if _valid(year, month, day):
                return date(year, month, day).toordinal() - _ORDINAL_OF_EPOCH
        d = Decoder(order)
        try:
            d.read(text)
            if not d.special and not d.seen >= YMD:
                raise BadFormat
        except _DECODING_ERRORS as e:
            raise input_error(e, "date", text) from None
        if d.special in _DAY_SHIFT:
            return _today(settings) + _DAY_SHIFT[d.special]
        if d.special == "now":
            return _today(settings)
        if d.special:
            return {"early": -DATE_INFINITY, "late": DATE_INFINITY, "epoch": 0}[d.special]
        days = d.days()
        if not DATE_MIN <= days < DATE_END:
            raise SqlError("22008", f'date out of range: "{text}"')
        return days

    return parse


def stamp_in(settings: TypeSettings, with_zone: bool) -> Callable[[str], int]:
    """timestamp and timestamptz without modifier."""
    _, order = style_of(settings)
    type_name = "timestamp with time zone" if with_zone else "timestamp"
    zone = session_zone(settings.time_zone)

    def parse(text: str) -> int:
        m = _ISO_STAMP.fullmatch(text)
        if m is not None:
            year, month, day, hour, minute, second = (
                int(m[1]),
                int(m[2]),
                int(m[3]),
                int(m[4]),
                int(m[5]),
                int(m[6]),
            )
            if _valid(year, month, day) and hour < 24 and minute < 60 and second < 60:
                days = date(year, month, day).toordinal() - _ORDINAL_OF_EPOCH
                micros = (days * 86_400 + hour * 3600 + minute * 60 + second) * US_PER_S
                if m[7]:
                    micros += int(m[7][1:].ljust(6, "0"))
                if not with_zone:
                    if m[8] is None or (int(m[9]) < 16 and int(m[10] or 0) < 60):
                        return micros
                elif m[8] is not None:
                    hours, minutes = int(m[9]), int(m[10] or 0)
                    if hours < 16 and minutes < 60:
                        east = hours * 3600 + minutes * 60
                        return micros - (-east if m[8] == "-" else east) * US_PER_S
                elif text[-1] == "Z":
                    return micros
                else:
                    return micros - offset_of_local(micros, zone) * US_PER_S
        return _decode_stamp(text)

    def _decode_stamp(text: str) -> int:
        d = Decoder(order)
        try:
            d.read(text)
            if not d.special and not d.seen >= YMD:
                raise BadFormat
        except _DECODING_ERRORS as e:
            raise input_error(e, type_name, text) from None
        if d.special == "early":
            return -TIMESTAMP_INFINITY
        if d.special == "late":
            return TIMESTAMP_INFINITY
        if d.special == "epoch":
            return 0
        if d.special == "now":
            now = now_us(settings)
            return now if with_zone else now + offset_at(now, zone) * US_PER_S
        days = _today(settings) + _DAY_SHIFT[d.special] if d.special else d.days()
        micros = days * US_PER_DAY + d.micros
        if with_zone:
            if d.zone_s is not None:
                micros -= d.zone_s * US_PER_S
            else:
                micros -= offset_of_local(micros, d.zone or zone) * US_PER_S
        if not TIMESTAMP_MIN <= micros < TIMESTAMP_END:
            raise SqlError("22008", f'timestamp out of range: "{text}"')
        return micros

    return parse


def time_in(settings: TypeSettings, with_zone: bool) -> Callable[[str], tuple[int, int]]:
    """time and timetz: (microseconds since midnight, seconds east)."""
    _, order = style_of(settings)
    type_name = "time with time zone" if with_zone else "time"

    def parse(text: str) -> tuple[int, int]:
        d = Decoder(order)
        try:
            d.read(text, time_only=True)
            if not d.special and not d.seen >= HMS:
                raise BadFormat
            if (
                d.zone is not None
                and not isinstance(d.zone, Abbreviation)
                and not d.seen >= YMD
                and _moves(d)
            ):
                raise BadFormat
        except _DECODING_ERRORS as e:
            raise input_error(e, type_name, text) from None
        zone = session_zone(settings.time_zone)
        if d.special:
            now = now_us(settings)
            east = offset_at(now, zone)
            return (now + east * US_PER_S) % US_PER_DAY, east
        if d.zone_s is not None:
            return d.micros, d.zone_s
        if not with_zone:
            return d.micros, 0
        days = d.days() if d.seen >= YMD else _today(settings)
        return d.micros, offset_of_local(days * US_PER_DAY + d.micros, d.zone or zone)

    return parse


def _moves(d: Decoder) -> bool:
    """Whether the offset of a named zone depends on the date."""
    assert d.zone is not None
    january, july = (offset_at(days * US_PER_DAY, d.zone) for days in (19_700, 19_880))
    return january != july


# --- types


class _Precise(SqlType):
    """Shared by the types whose modifier is the number of decimals of a second."""

    suffix = ""

    def typmod_in(self, args: Sequence[str]) -> int:
        (places,) = integer_args(args, 1)
        if places < 0:
            kind = self.base.upper() + "(%d)%s"
            zone = " WITH TIME ZONE" if self.name.endswith("tz") else ""
            raise SqlError("22023", kind % (places, zone) + " precision must not be negative")
        return min(places, 6)

    @property
    def base(self) -> str:
        return self.name.removesuffix("tz")

    def format(self, typmod: int) -> str:
        precision = f"({typmod})" if typmod >= 0 else ""
        return f"{self.base}{precision} {'with' if self.name.endswith('tz') else 'without'} time zone"


class DateType(SqlType):
    def __init__(self) -> None:
        super().__init__(oids.DATE, pa.date32(), "DATE")

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        return date_in(settings)

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return date_out(settings)

    def literal(self, datum: Datum, typmod: int) -> str:
        if abs(datum) >= DATE_INFINITY:
            return f"CAST('{'-' if datum < 0 else ''}infinity' AS DATE)"
        return f"make_date(CAST({datum} AS INTEGER))"


class TimeType(_Precise):
    def __init__(self) -> None:
        super().__init__(oids.TIME, pa.time64("us"), "TIME", "time without time zone")

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        parse = time_in(settings, False)
        if 0 <= typmod < 6:
            return lambda text: _round_to(parse(text)[0], typmod)
        return lambda text: parse(text)[0]

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return time_text

    def coercion(self, typmod: int, explicit: bool) -> Coercion | None:
        return (lambda micros: _round_to(micros, typmod)) if 0 <= typmod < 6 else None

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"CAST('{time_text(datum)}' AS TIME)"


class TimeTzType(_Precise):
    def __init__(self) -> None:
        super().__init__(oids.TIMETZ, pa.string(), "VARCHAR", "time with time zone")

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        parse = time_in(settings, True)

        def read(text: str) -> str:
            micros, east = parse(text)
            return timetz_text(_round_to(micros, typmod) if typmod >= 0 else micros, east)

        return read

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return str

    def coercion(self, typmod: int, explicit: bool) -> Coercion | None:
        return (lambda text: timetz_rounded(text, typmod)) if 0 <= typmod < 6 else None

    def literal(self, datum: Datum, typmod: int) -> str:
        return f"CAST({quote_literal(datum)} AS VARCHAR)"


def timetz_text(micros: int, east_s: int) -> str:
    return time_text(micros) + offset_text(east_s)


def timetz_parts(text: str) -> tuple[int, int]:
    """A timetz datum -> (microseconds since midnight, seconds east)."""
    at = max(text.rfind("+"), text.rfind("-"))
    numbers = [int(n) for n in text[at + 1 :].split(":")] + [0, 0]
    east = numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
    hour, minute, second = text[:at].split(":")
    whole, _, fraction = second.partition(".")
    micros = (int(hour) * 3600 + int(minute) * 60 + int(whole)) * US_PER_S + int(fraction.ljust(6, "0") or 0)
    return micros, -east if text[at] == "-" else east


def timetz_rounded(text: str, places: int) -> str:
    """A timetz datum with so many decimals of a second."""
    micros, east = timetz_parts(text)
    return timetz_text(_round_to(micros, places), east)


class TimestampType(_Precise):
    def __init__(self, with_zone: bool) -> None:
        self._with_zone = with_zone
        super().__init__(
            oids.TIMESTAMPTZ if with_zone else oids.TIMESTAMP,
            pa.timestamp("us", "UTC") if with_zone else pa.timestamp("us"),
            "TIMESTAMP WITH TIME ZONE" if with_zone else "TIMESTAMP",
            "timestamp with time zone" if with_zone else "timestamp without time zone",
        )

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        parse = stamp_in(settings, self._with_zone)
        fit = self.coercion(typmod, False)
        return parse if fit is None else lambda text: fit(parse(text))

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return timestamptz_out(settings) if self._with_zone else timestamp_out(settings)

    def coercion(self, typmod: int, explicit: bool) -> Coercion | None:
        if not 0 <= typmod < 6:
            return None

        def fit(micros: Datum) -> int:
            if abs(micros) >= TIMESTAMP_INFINITY:
                return int(micros)
            return _round_to(micros - _EPOCH_2000_US, typmod) + _EPOCH_2000_US

        return fit

    def literal(self, datum: Datum, typmod: int) -> str:
        if abs(datum) >= TIMESTAMP_INFINITY:
            return f"CAST('{'-' if datum < 0 else ''}infinity' AS {self._duckdb})"
        return f"make_timestamp{'tz' if self._with_zone else ''}(CAST({datum} AS BIGINT))"
