"""Python functions on dates, times and intervals: input and output, fields, formats."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

from planner import types as t
from planner.abc import SqlError, TypeRef
from planner.binding.templates import date_formats as formats
from planner.binding.templates import date_input, interval_formats, number_formats, number_input
from planner.types import TypeSettings

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V = "VARCHAR"
_I = "INTERVAL"
_Z = "TIMESTAMP WITH TIME ZONE"
_ISO = "ISO, MDY"
_DAY_US = 86_400_000_000
Interval = tuple[int, int, int]


def _input(oid: int) -> Callable[[str], Any]:
    read = t.text_input(TypeRef(oid))
    return read


def _output(oid: int) -> Callable[[Any], str]:
    return t.text_output(TypeRef(oid))


@lru_cache(maxsize=256)
def _styled(oid: int, reading: bool, style: str, zone: str = "UTC") -> Callable[[Any], Any]:
    """Input or output under the DateStyle (for intervals: the IntervalStyle) and TimeZone of a session."""
    if oid == t.INTERVAL:
        settings = TypeSettings(interval_style=style)
    else:
        settings = TypeSettings(date_style=style, time_zone=zone)
    return t.text_input(TypeRef(oid), settings) if reading else t.text_output(TypeRef(oid), settings)


def _read_moment(oid: int) -> Callable[..., Any]:
    """Input of a type that knows `today` and its like: the day where the session is, when the transaction began."""
    ref = TypeRef(oid)

    def read(text: str, style: str, zone: str, now_us: int) -> Any:
        if t.is_volatile_input(text, ref):
            settings = TypeSettings(date_style=style, time_zone=zone, now_us=now_us)
            return t.sql_type(oid).text_input(-1, settings)(text)
        return _styled(oid, True, style, zone)(text)

    return read


def _shown_as(oid: int) -> Callable[..., Any]:
    return lambda value, style: _styled(oid, False, style)(value)


@lru_cache(maxsize=4)
def _bytea_settings(form: str) -> TypeSettings:
    return TypeSettings(bytea_output=form)


def _stored_interval(value: Any) -> Interval:
    return (value[0], value[1], value[2])


def _limit(months: float, days: float, micros: float) -> Interval:
    if not (-(2**31) <= months < 2**31 and -(2**31) <= days < 2**31 and -(2**63) <= micros < 2**63):
        raise SqlError("22008", "interval out of range")
    return int(months), int(days), round(micros)


def multiply(i: Interval, factor: float) -> Interval:
    return _of_parts(i[0] * factor, i[1] * factor, i[2] * factor)


def divide(i: Interval, by: float) -> Interval:
    if by == 0:
        raise SqlError("22012", "division by zero")
    return _of_parts(i[0] / by, i[1] / by, i[2] / by)


def _of_parts(months_f: float, days_f: float, micros_f: float) -> Interval:
    """Fractions of months become days, fractions of days become time."""
    if not (abs(months_f) < 2**31 and abs(days_f) < 2**31):
        raise SqlError("22008", "interval out of range")
    months, days = int(months_f), int(days_f)
    month_days = round((months_f - months) * 30, 6)
    rest = (days_f - days) + (month_days - int(month_days))
    seconds = round(rest * 86400, 6)
    if abs(seconds) >= 86400:
        days += int(seconds / 86400)
        seconds -= int(seconds / 86400) * 86400
    days += int(month_days)
    return _limit(months, days, micros_f + seconds * 1_000_000)


def justify_hours(i: Interval) -> Interval:
    months, days, micros = i
    whole = int(micros / _DAY_US)
    days, micros = days + whole, micros - whole * _DAY_US
    if days > 0 and micros < 0:
        days, micros = days - 1, micros + _DAY_US
    elif days < 0 and micros > 0:
        days, micros = days + 1, micros - _DAY_US
    return _limit(months, days, micros)


def justify_days(i: Interval) -> Interval:
    months, days, micros = i
    whole = int(days / 30)
    months, days = months + whole, days - whole * 30
    if months > 0 and days < 0:
        months, days = months - 1, days + 30
    elif months < 0 and days > 0:
        months, days = months + 1, days - 30
    return _limit(months, days, micros)


def justify_interval(i: Interval) -> Interval:
    months, days, micros = i
    whole = int(micros / _DAY_US)
    days, micros = days + whole, micros - whole * _DAY_US
    whole = int(days / 30)
    months, days = months + whole, days - whole * 30
    if months > 0 and (days < 0 or (days == 0 and micros < 0)):
        months, days = months - 1, days + 30
    elif months < 0 and (days > 0 or (days == 0 and micros > 0)):
        months, days = months + 1, days - 30
    if days > 0 and micros < 0:
        days, micros = days - 1, micros + _DAY_US
    elif days < 0 and micros > 0:
        days, micros = days + 1, micros - _DAY_US
    return _limit(months, days, micros)


_fit_cache: dict[int, Any] = {}


def _fit_interval(i: Interval, typmod: int) -> Interval:
    fit = _fit_cache.get(typmod)
    if fit is None:
        fit = _fit_cache[typmod] = t.coercion(TypeRef(t.INTERVAL, typmod), True) or (lambda v: v)
    made = fit(i)
    return (made[0], made[1], made[2])


def _rounded(micros: int, places: int) -> int:
    """Half away from zero; infinities stay."""
    if abs(micros) >= (1 << 63) - 1:
        return micros
    unit = int(10 ** (6 - places))
    half = unit // 2
    return (micros + half) // unit * unit if micros >= 0 else -((-micros + half) // unit * unit)


def _epoch(i: Interval) -> str:
    years, months = divmod(abs(i[0]), 12)
    sign = -1 if i[0] < 0 else 1
    seconds = sign * (years * 31_557_600 + months * 2_592_000) + i[1] * 86_400
    micros = seconds * 1_000_000 + i[2]
    whole, part = divmod(abs(micros), 1_000_000)
    return f"{'-' if micros < 0 else ''}{whole}.{part:06d}"


def _by_template(shown: Callable[..., str]) -> Callable[..., str | None]:
    """to_char of moments: an empty template has no answer."""
    return lambda value, template, *zone: shown(value, template, *zone) if template else None


FUNCTIONS: list[Entry] = [
    ("tw_in_bool", _input(t.BOOL), (_V,), "BOOLEAN"),
    ("tw_in_date", _input(t.DATE), (_V,), "DATE"),
    ("tw_in_time", _input(t.TIME), (_V,), "TIME"),
    ("tw_in_timestamp", _input(t.TIMESTAMP), (_V,), "TIMESTAMP"),
    (
        "tw_in_timestamptz",
        lambda s, zone: _styled(t.TIMESTAMPTZ, True, _ISO, zone)(s),
        (_V, _V),
        "TIMESTAMP WITH TIME ZONE",
    ),
    ("tw_read_date", _read_moment(t.DATE), (_V, _V, _V, _Z), "DATE"),
    ("tw_read_timestamp", _read_moment(t.TIMESTAMP), (_V, _V, _V, _Z), "TIMESTAMP"),
    ("tw_read_time", _read_moment(t.TIME), (_V, _V, _V, _Z), "TIME"),
    ("tw_read_timetz", _read_moment(t.TIMETZ), (_V, _V, _V, _Z), _V),
    ("tw_read_timestamptz", _read_moment(t.TIMESTAMPTZ), (_V, _V, _V, _Z), _Z),
    (
        "tw_read_interval",
        lambda s, style: _stored_interval(_styled(t.INTERVAL, True, style)(s)),
        (_V, _V),
        _I,
    ),
    ("tw_in_interval", lambda s: _stored_interval(t.input_text(s, TypeRef(t.INTERVAL))), (_V,), _I),
    ("tw_in_uuid", _input(t.UUID), (_V,), _V),
    ("tw_in_bytea", _input(t.BYTEA), (_V,), "BLOB"),
    ("tw_out_date", _output(t.DATE), ("DATE",), _V),
    ("tw_out_time", _output(t.TIME), ("TIME",), _V),
    ("tw_out_timestamp", _output(t.TIMESTAMP), ("TIMESTAMP",), _V),
    (
        "tw_out_timestamptz",
        lambda v, zone: _styled(t.TIMESTAMPTZ, False, _ISO, zone)(v),
        ("TIMESTAMP WITH TIME ZONE", _V),
        _V,
    ),
    ("tw_shown_date", _shown_as(t.DATE), ("DATE", _V), _V),
    ("tw_shown_timestamp", _shown_as(t.TIMESTAMP), ("TIMESTAMP", _V), _V),
    (
        "tw_shown_timestamptz",
        lambda v, style, zone: _styled(t.TIMESTAMPTZ, False, style, zone)(v),
        ("TIMESTAMP WITH TIME ZONE", _V, _V),
        _V,
    ),
    ("tw_shown_interval", _shown_as(t.INTERVAL), (_I, _V), _V),
    ("tw_out_interval", _output(t.INTERVAL), (_I,), _V),
    (
        "tw_out_bytea_as",
        lambda v, form: t.text_output(TypeRef(t.BYTEA), _bytea_settings(form))(v),
        ("BLOB", _V),
        _V,
    ),
    ("tw_out_bytea", _output(t.BYTEA), ("BLOB",), _V),
    ("tw_interval_mul", multiply, (_I, "DOUBLE"), _I),
    ("tw_interval_div", divide, (_I, "DOUBLE"), _I),
    ("tw_justify_hours", justify_hours, (_I,), _I),
    ("tw_justify_days", justify_days, (_I,), _I),
    ("tw_justify_interval", justify_interval, (_I,), _I),
    ("tw_interval_fit", _fit_interval, (_I, "INTEGER"), _I),
    ("tw_interval_epoch", _epoch, (_I,), _V),
    ("tw_interval_time", lambda i: i[2] % _DAY_US, (_I,), "TIME"),
    ("tw_round_timestamp", _rounded, ("TIMESTAMP", "INTEGER"), "TIMESTAMP"),
    (
        "tw_round_timestamptz",
        _rounded,
        ("TIMESTAMP WITH TIME ZONE", "INTEGER"),
        "TIMESTAMP WITH TIME ZONE",
    ),
    ("tw_round_time", _rounded, ("TIME", "INTEGER"), "TIME"),
    ("tw_to_char_timestamp", _by_template(formats.timestamp_text), ("TIMESTAMP", _V), _V),
    ("tw_to_char_timestamptz", _by_template(formats.instant_text), ("TIMESTAMP WITH TIME ZONE", _V, _V), _V),
    ("tw_to_char_interval", _by_template(interval_formats.interval_text), (_I, _V), _V),
    ("tw_to_char_numeric", number_formats.number_text, (_V, _V), _V),
    ("tw_to_char_float", number_formats.float_text, ("DOUBLE", _V, "INTEGER"), _V),
    ("tw_to_date", date_input.to_date, (_V, _V), "DATE"),
    ("tw_to_timestamp", date_input.to_timestamp, (_V, _V, _V), "TIMESTAMP WITH TIME ZONE"),
    ("tw_to_number", number_input.to_number, (_V, _V), _V),
]
