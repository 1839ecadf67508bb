"""interval: months, days and microseconds, kept apart because none is a fixed number of the next.

The four output styles of IntervalStyle, and input in any of them: verbose (`1 day 2:03`), SQL
(`1-2 3 4:05:06`), ISO 8601 (`P1Y2M3DT4H5M6S`). The string is read from its right end, as units stand to the
right of their numbers. Reading lives in `interval_input`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa

from planner.abc import SqlError
from planner.types import oids
from planner.types.base import Coercion, SqlType, TextInput, TextOutput
from planner.types.interval_input import interval_in
from planner.types.settings import TypeSettings
from planner.types.timezones import US_PER_S
from storage.abc import Datum

INTERVAL_ARROW: Final = pa.struct([("months", pa.int32()), ("days", pa.int32()), ("micros", pa.int64())])
FULL_RANGE: Final = 0x7FFF
FULL_PRECISION: Final = 0xFFFF
_MONTH, _YEAR, _DAY, _HOUR, _MINUTE, _SECOND = 1 << 1, 1 << 2, 1 << 3, 1 << 10, 1 << 11, 1 << 12
_RANGES: Final = {
    "year": _YEAR,
    "month": _MONTH,
    "day": _DAY,
    "hour": _HOUR,
    "minute": _MINUTE,
    "second": _SECOND,
    "year to month": _YEAR | _MONTH,
    "day to hour": _DAY | _HOUR,
    "day to minute": _DAY | _HOUR | _MINUTE,
    "day to second": _DAY | _HOUR | _MINUTE | _SECOND,
    "hour to minute": _HOUR | _MINUTE,
    "hour to second": _HOUR | _MINUTE | _SECOND,
    "minute to second": _MINUTE | _SECOND,
}
_RANGE_NAMES: Final = {mask: name for name, mask in _RANGES.items()}
_FIELDS: Final = re.compile(r"([a-z]+(?: to [a-z]+)?)?\s*(?:\(?(\d+)\)?)?")


def _parts(datum: Datum) -> tuple[int, int, int, int, int, int, int]:
    """years, months, days, hours, minutes, seconds, microseconds; each with its own sign."""
    months, days, micros = datum
    years, months = _trunc(months, 12)
    seconds, fraction = _trunc(micros, US_PER_S)
    minutes, seconds = _trunc(seconds, 60)
    hours, minutes = _trunc(minutes, 60)
    return years, months, days, hours, minutes, seconds, fraction


def _trunc(value: int, by: int) -> tuple[int, int]:
    q, r = divmod(abs(value), by)
    return (-q, -r) if value < 0 else (q, r)


def _seconds(seconds: int, fraction: int, fill: bool) -> str:
    text = f"{abs(seconds):02d}" if fill else str(abs(seconds))
    return f"{text}.{abs(fraction):06d}".rstrip("0") if fraction else text


def postgres_out(datum: Datum) -> str:
    years, months, days, hours, minutes, seconds, fraction = _parts(datum)
    out: list[str] = []
    before = False
    for value, unit in ((years, "year"), (months, "mon"), (days, "day")):
        if value:
            out.append(f"{'+' if before and value > 0 else ''}{value} {unit}{'' if value == 1 else 's'}")
            before = value < 0
    if datum[2] or not out:
        sign = "-" if datum[2] < 0 else "+" if before else ""
        out.append(f"{sign}{abs(hours):02d}:{abs(minutes):02d}:{_seconds(seconds, fraction, True)}")
    return " ".join(out)


def verbose_out(datum: Datum) -> str:
    years, months, days, hours, minutes, seconds, fraction = _parts(datum)
    text = "@"
    zero, before = True, False
    for value, unit in ((years, "year"), (months, "mon"), (days, "day"), (hours, "hour"), (minutes, "min")):
        if value:
            if zero:
                before, value = value < 0, abs(value)
            elif before:
                value = -value
            text += f" {value} {unit}{'' if value == 1 else 's'}"
            zero = False
    if seconds or fraction:
        text += " "
        if seconds < 0 or fraction < 0:
            if zero:
                before = True
            elif not before:
                text += "-"
        elif before:
            text += "-"
        plural = abs(seconds) != 1 or fraction
        text += f"{_seconds(seconds, fraction, False)} sec{'s' if plural else ''}"
        zero = False
    if zero:
        text += " 0"
    return text + " ago" if before else text


def sql_standard_out(datum: Datum) -> str:
    parts = _parts(datum)
    negative, positive = any(p < 0 for p in parts), any(p > 0 for p in parts)
    if not negative and not positive:
        return "0"
    year_month, day_time = any(parts[:2]), any(parts[2:])
    standard = not (negative and positive) and not (year_month and day_time)
    prefix = "-" if negative and standard else ""
    years, months, days, hours, minutes, seconds, fraction = (abs(p) for p in parts)
    tail = f"{hours}:{minutes:02d}:{_seconds(seconds, fraction, True)}"
    if not standard:
        signs = ["-" if any(p < 0 for p in group) else "+" for group in (parts[:2], parts[2:3], parts[3:])]
        return f"{signs[0]}{years}-{months} {signs[1]}{days} {signs[2]}{tail}"
    if year_month:
        return f"{prefix}{years}-{months}"
    return f"{prefix}{days} {tail}" if days else prefix + tail


def iso_8601_out(datum: Datum) -> str:
    years, months, days, hours, minutes, seconds, fraction = _parts(datum)
    text = "P" + "".join(f"{v}{u}" for v, u in ((years, "Y"), (months, "M"), (days, "D")) if v)
    if datum[2]:
        text += "T" + "".join(f"{v}{u}" for v, u in ((hours, "H"), (minutes, "M")) if v)
        if seconds or fraction:
            text += f"{'-' if seconds < 0 or fraction < 0 else ''}{_seconds(seconds, fraction, False)}S"
    return text if len(text) > 1 else "PT0S"


STYLES: Final[dict[str, TextOutput]] = {
    "postgres": postgres_out,
    "postgres_verbose": verbose_out,
    "sql_standard": sql_standard_out,
    "iso_8601": iso_8601_out,
}


def _fit(typmod: int) -> Coercion:
    fields, places = typmod >> 16 & FULL_RANGE, typmod & FULL_PRECISION

    def cut(micros: int, unit_us: int) -> int:
        return _trunc(micros, unit_us)[0] * unit_us

    def fit(datum: Datum) -> tuple[int, int, int]:
        months, days, micros = datum
        if fields == _YEAR:
            return _trunc(months, 12)[0] * 12, 0, 0
        if fields in (_MONTH, _YEAR | _MONTH):
            return months, 0, 0
        if fields == _DAY:
            return months, days, 0
        if fields in (_HOUR, _DAY | _HOUR):
            return months, days, cut(micros, 3600 * US_PER_S)
        if fields in (_MINUTE, _HOUR | _MINUTE, _DAY | _HOUR | _MINUTE):
            return months, days, cut(micros, 60 * US_PER_S)
        if places < 6:
            unit = int(10 ** (6 - places))
            half = unit // 2
            micros = cut(micros + (half if micros >= 0 else -half), unit)
        return months, days, micros

    return fit


_COLUMN: Final = re.compile(r'(?:(?:\w+|"[^"]*")\.)*(?:\w+|"[^"]*")')
"""A column's name, which may be repeated in an expression without being computed again."""


def _as_struct(i: str) -> str:
    return (
        f"CASE WHEN {i} IS NULL THEN NULL ELSE struct_pack("
        f"months := CAST(date_part('year', {i}) * 12 + date_part('month', {i}) AS INTEGER), "
        f"days := CAST(date_part('day', {i}) AS INTEGER), "
        f"micros := CAST(date_part('hour', {i}) * 3600000000 + date_part('minute', {i}) * 60000000"
        f" + date_part('microsecond', {i}) AS BIGINT)) END"
    )


class IntervalType(SqlType):
    def __init__(self) -> None:
        super().__init__(oids.INTERVAL, INTERVAL_ARROW, "INTERVAL")

    def text_input(self, typmod: int, settings: TypeSettings) -> TextInput:
        fields = typmod >> 16 & FULL_RANGE if typmod >= 0 else FULL_RANGE
        parse = interval_in(settings.interval_style, _RANGE_NAMES.get(fields, ""))
        if typmod < 0:
            return parse
        fit = _fit(typmod)
        return lambda text: fit(parse(text))

    def text_output(self, typmod: int, settings: TypeSettings) -> TextOutput:
        return STYLES[settings.interval_style]

    def coercion(self, typmod: int, explicit: bool) -> Coercion | None:
        return _fit(typmod) if typmod >= 0 else None

    def literal(self, datum: Datum, typmod: int) -> str:
        months, days, micros = datum
        return (
            f"(to_months(CAST({months} AS INTEGER)) + to_days(CAST({days} AS INTEGER))"
            f" + to_microseconds(CAST('{micros}' AS BIGINT)))"
        )

    def typmod_in(self, args: Sequence[str]) -> int:
        """`("3",)` precision alone; `("day to second", "3")` or `("day",)` fields, then precision."""
        fields, places = FULL_RANGE, FULL_PRECISION
        for arg in args:
            if arg.strip().isdigit():
                places = min(int(arg), 6)
            else:
                mask = _RANGES.get(" ".join(arg.lower().split()))
                if mask is None:
                    raise SqlError("22023", "invalid INTERVAL type modifier")
                fields = mask
        return fields << 16 | places

    def typmod_out(self, typmod: int) -> str:
        if typmod < 0:
            return ""
        fields, places = typmod >> 16 & FULL_RANGE, typmod & FULL_PRECISION
        text = " " + _RANGE_NAMES[fields] if fields in _RANGE_NAMES else ""
        return text if places == FULL_PRECISION else f"{text}({places})"

    def select_sql(self, expr: str, typmod: int) -> str:
        """As a struct: DuckDB's Arrow interval counts nanoseconds, which overflow silently after 292 years."""
        if _COLUMN.fullmatch(expr):
            return _as_struct(expr)
        return f"list_transform([CAST({expr} AS INTERVAL)], lambda i: {_as_struct('i')})[1]"  # once, not six times

    def store_sql(self, expr: str, typmod: int) -> str:
        return (
            f"(to_months(struct_extract({expr}, 'months')) + to_days(struct_extract({expr}, 'days'))"
            f" + to_microseconds(struct_extract({expr}, 'micros')))"
        )

    def to_canonical(self, array: Any, typmod: int) -> Any:
        """month_day_nano -> struct (right while the microseconds fit in nanoseconds)."""
        if isinstance(array, pa.ChunkedArray):
            chunks = [self.to_canonical(c, typmod) for c in array.chunks]
            return pa.chunked_array(chunks, INTERVAL_ARROW)
        if array.type == INTERVAL_ARROW:
            return array
        assert array.type == pa.month_day_nano_interval(), array.type
        raw = np.frombuffer(array.buffers()[1] or b"", np.dtype([("m", "<i4"), ("d", "<i4"), ("n", "<i8")]))
        raw = raw[array.offset : array.offset + len(array)]
        return pa.StructArray.from_arrays(
            [pa.array(raw["m"].copy()), pa.array(raw["d"].copy()), pa.array(raw["n"] // 1000)],
            fields=list(INTERVAL_ARROW),
            mask=array.is_null() if array.null_count else None,
        )
