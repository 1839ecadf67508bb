"""What `planner.binding.keyed.calls` names: the prelude's functions, called with datums, and those that DuckDB has itself.

The first are the very functions that DuckDB's queries call. The second are written here after PostgreSQL's; `tests/executor` compares both
doors, and both with PostgreSQL.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Sequence
from typing import Any, Final

from executor.abc import ExecutionError
from executor.keyed.numbers import number
from executor.keyed.registry import lax, scalar
from executor.keyed.times import DAY_US, date_to_timestamp, to_wall_clock
from planner import types as t
from planner.binding import numerics
from planner.binding.keyed.calls import prelude_functions
from planner.binding.prelude.arrays import single
from planner.binding.prelude.dates import FUNCTIONS as DATES
from planner.binding.prelude.format import FUNCTIONS as FORMATS
from planner.binding.prelude.instants import FUNCTIONS as INSTANTS
from planner.binding.prelude.instants import date_part_zoned, interval_part
from planner.binding.prelude.json import members_of, shown
from planner.binding.prelude.text import FUNCTIONS as TEXTS
from planner.binding.templates.date_parts import date_part, julian, unit_named
from planner.types.array_values import parse
from planner.types.calendar_days import civil_from_days, month_days
from planner.types.datetimes import TIMESTAMP_END, TIMESTAMP_MIN

MOMENTS_MAX: Final = 5_000
"""A longer series of moments is DuckDB's (`system_steps.SPREAD_MAX`)."""
INFINITY: Final = (1 << 63) - 1
DATE_INFINITY: Final = (1 << 31) - 1
_CALENDAR_DAYS: Final = 5 * 146_097
_YEARS_OF: Final = {"year": 1, "isoyear": 1, "decade": 10, "century": 100, "millennium": 1_000}
Interval = tuple[int, int, int]


def function_of(name: str) -> Callable[..., Any] | None:
    """The prelude's function of that name; strict."""
    found = prelude_functions().get(name) if name.startswith("tw_") else None
    return found[0] if found is not None else None


# --- values on their way in and out --------------------------------------------------------------------


@scalar("items of")
def items_of(array: str) -> list[str | None]:
    """An array's elements as texts, row by row."""
    return list(parse(array).items)


@scalar("items of one dimension")
def single_items_of(array: str) -> list[str | None]:
    """The same of an array that may have one dimension. Raises 2202E where it has more."""
    return single(array)


@scalar("array of")
def array_of(oid: int, items: Sequence[Any]) -> Any:
    return t.array_datum(list(items), oid)


@scalar("digits of number")
def as_numeric_text(value: Any) -> str:
    return value if isinstance(value, str) else numerics.text(number(value))


@scalar("tw_texts_shown")
def _texts_shown(texts: Sequence[str]) -> list[str | None]:
    return [shown(x) for x in texts]


def _pairs(kind: str, *, text: bool) -> Callable[[str], list[tuple[str, str | None]]]:
    name = f"{kind}_each{'_text' if text else ''}"

    def pairs(document: str) -> list[tuple[str, str | None]]:
        found = members_of(document, name)
        return [(k, shown(v) if text else v) for k, v in found]

    return pairs


for _kind in ("json", "jsonb"):
    scalar(f"tw_{_kind}_each")(_pairs(_kind, text=False))
    scalar(f"tw_{_kind}_each_text")(_pairs(_kind, text=True))


@lax("tw_delimiter")
def _delimiter(text: str | None) -> str:
    """What string_to_array() is to divide at; NULL: between all characters."""
    return "\0" if text is None else text


@scalar("tw_midnight")
def _midnight(day: int) -> int:
    return date_to_timestamp(day)


# --- text ----------------------------------------------------------------------------------------------


_formatted: Final = next(f for name, f, *_ in FORMATS if name == "tw_format")


@lax("concat of texts")
def _concat(*texts: str | None) -> str:
    return "".join([x for x in texts if x is not None])


@lax("concat_ws of texts")
def _concat_ws(separator: str | None, *texts: str | None) -> str | None:
    return None if separator is None else separator.join([x for x in texts if x is not None])


@lax("format of texts")
def _format(template: str | None, *texts: str | None) -> str | None:
    return None if template is None else _formatted(template, list(texts))


@scalar("tw_split_part")
def _split_part(text: str, delimiter: str, n: int) -> str:
    if n == 0:
        raise ExecutionError("22023", "field position must not be zero")
    if not delimiter:
        return text if n in (1, -1) else ""
    parts = text.split(delimiter)
    at = n - 1 if n > 0 else len(parts) + n
    return parts[at] if 0 <= at < len(parts) else ""


@scalar("tw_chr")
def _chr(n: int) -> str:
    if n == 0:
        raise ExecutionError("54000", "null character not permitted")
    if n < 0:
        raise ExecutionError("22023", "character number must be positive")
    if n > 0x10FFFF:
        raise ExecutionError("54000", f"requested character too large for encoding: {n}")
    if 0xD800 <= n <= 0xDFFF:
        raise ExecutionError("54000", f"requested character not valid for encoding: {n}")
    return chr(n)


@scalar("tw_translate")
def _translate(text: str, old: str, new: str) -> str:
    table: dict[int, str | None] = {}
    for i, c in enumerate(old):
        table.setdefault(ord(c), new[i] if i < len(new) else None)
    return text.translate(table)


@scalar("tw_ascii")
def _ascii(text: str) -> int:
    return ord(text[0]) if text else 0


@scalar("tw_md5")
def _md5(text: str) -> str:
    return hashlib.md5(text.encode(), usedforsecurity=False).hexdigest()


@scalar("tw_sha256")
def _sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


@scalar("tw_bits")
def _bits(text: str) -> int:
    return len(text.encode()) * 8


@scalar("tw_to_hex_of")
def _to_hex(n: int) -> str:
    return f"{n & 0xFFFFFFFF:x}"


_overlaid: Final = next(f for name, f, *_ in TEXTS if name == "tw_overlay")


@scalar("tw_overlay_all")
def _overlay(text: str, new: str, start: int) -> str:
    """As much is replaced as there is new."""
    found: str = _overlaid(text, new, start, len(new))
    return found


# --- dates and times -----------------------------------------------------------------------------------


@scalar("tw_finite")
def _finite(moment: int) -> int | None:
    return moment if -INFINITY < moment < INFINITY else None


@scalar("tw_today")
def _today(zone: str, now: int) -> int:
    """Midnight of today."""
    return to_wall_clock(now, zone) // DAY_US * DAY_US


@scalar("tw_age")
def _age(a: int, b: int) -> Interval:
    """Years, months and days between two times of the wall clock, by the calendar of the earlier one."""
    if not (-INFINITY < a < INFINITY and -INFINITY < b < INFINITY):
        raise ExecutionError("0A000", "age() of an infinite timestamp is not supported")
    if a < b:
        months, days, micros = _age(b, a)
        return -months, -days, -micros
    (days_a, micros_a), (days_b, micros_b) = divmod(a, DAY_US), divmod(b, DAY_US)
    (year_a, month_a, day_a), (year_b, month_b, day_b) = civil_from_days(days_a), civil_from_days(days_b)
    months, days, micros = (year_a - year_b) * 12 + month_a - month_b, day_a - day_b, micros_a - micros_b
    if micros < 0:
        micros, days = micros + DAY_US, days - 1
    if days < 0:
        days, months = days + month_days(year_b, month_b), months - 1
    return months, days, micros


_zoned_moments = next(f for name, f, *_ in INSTANTS if name == "tw_moments_zoned")


@scalar("moments")
def _moments(start: int, stop: int, step: Interval, zone: str) -> Sequence[int]:
    """generate_series, if it is short; of a longer one only its length, which is too far to look. Raises 22023."""
    weight = (step[0] * 30 + step[1]) * DAY_US + step[2]
    count = (stop - start) // weight + 1 if weight else 0
    if count > MOMENTS_MAX or abs(start) == INFINITY or abs(stop) == INFINITY:
        return range(max(count, MOMENTS_MAX + 1))
    found: Sequence[int] = _zoned_moments(start, stop, step, 2 * MOMENTS_MAX, zone)  # months may be short
    return found


@scalar("tw_epoch_moment")
def _epoch_moment(seconds: float) -> int:
    if seconds != seconds:
        raise ExecutionError("22008", "timestamp cannot be NaN")
    if seconds in (float("inf"), float("-inf")):
        return INFINITY if seconds > 0 else -INFINITY
    near = -210_866_803_200 <= seconds <= 9_223_372_036_854
    if not near or not TIMESTAMP_MIN <= round(seconds * 1_000_000) < TIMESTAMP_END:
        raise ExecutionError("22008", f'timestamp out of range: "{seconds:g}"')
    return round(seconds * 1_000_000)


@scalar("tw_make_interval")
def _make_interval(
    years: int, months: int, weeks: int, days: int, hours: int, minutes: int, seconds: float
) -> Interval:
    if not math.isfinite(seconds):
        raise ExecutionError("22008", "interval out of range")
    scaled = seconds * 1_000_000
    own = (
        round(scaled) if abs(scaled) < 1 << 63 else -(1 << 63)
    )  # what the processor makes of what has no room
    micros = hours * 3_600_000_000 + minutes * 60_000_000 + own
    return _within(years * 12 + months, 32), _within(weeks * 7 + days, 32), _within(micros, 64)


def _within(value: int, bits: int) -> int:
    """What is left of a number in so many bits, which PostgreSQL does not look at here."""
    half = 1 << (bits - 1)
    return (value + half) % (1 << bits) - half


_ENDLESS: Final = frozenset(("epoch", "julian", "year", "isoyear", "decade", "century", "millennium"))
_CLOCK: Final = frozenset(("hour", "minute", "second", "milliseconds", "microseconds"))
_ZONES: Final = frozenset(("timezone", "timezone_hour", "timezone_minute"))
_TIMESTAMP, _TIMESTAMPTZ = "timestamp without time zone", "timestamp with time zone"


def _places(micros: int, places: int) -> str:
    """Microseconds as a number with some decimal places: 1.500000."""
    sign, size = ("-" if micros < 0 else ""), abs(micros)
    whole, part = divmod(size, 10**places)
    return f"{sign}{whole}.{part:0{places}d}"


def _not_for(unit: str, kind: str) -> ExecutionError:
    return ExecutionError("0A000", f'unit "{unit}" not supported for type {kind}')


@scalar("tw_extract")
def extracted(name: str, local: int, kind: str = _TIMESTAMP) -> str | None:
    unit = unit_named(name)
    if unit in _ZONES and kind != _TIMESTAMPTZ:
        raise _not_for(name, kind)
    found = date_part(name, local, kind)  # knows whether it is a unit at all
    if not -INFINITY < local < INFINITY:
        return None if unit not in _ENDLESS else "Infinity" if local > 0 else "-Infinity"
    if unit in ("second", "milliseconds"):
        return _places(local % 60_000_000, 6 if unit == "second" else 3)
    if unit == "epoch":
        return _places(local, 6)
    if unit == "julian":
        return julian(local)
    assert found is not None
    return str(int(found))


@scalar("tw_extract_zoned")
def _extracted_zoned(name: str, moment: int, zone: str) -> str | None:
    unit = unit_named(name)
    if unit in _ZONES:
        found = date_part_zoned(name, moment, zone)
        return None if found is None else str(int(found))
    if unit == "epoch":
        return extracted(name, moment, _TIMESTAMPTZ)
    return extracted(name, to_wall_clock(moment, zone), _TIMESTAMPTZ)


@scalar("tw_extract_date")
def _extracted_of_date(name: str, day: int) -> str | None:
    unit = unit_named(name)
    if unit in _CLOCK or unit in _ZONES:
        raise _not_for(name, "date")
    if abs(day) == DATE_INFINITY:
        extracted(name, INFINITY, "date")
        return None if unit not in _ENDLESS else "Infinity" if day > 0 else "-Infinity"
    if unit == "epoch":
        return str(day * 86_400)
    if unit == "julian":
        return str(day + 2_440_588)
    if day * DAY_US < INFINITY:
        return extracted(name, day * DAY_US, "date")
    # Beyond all moments: the calendar comes again every two thousand years, with its weeks.
    times, day = divmod(day, _CALENDAR_DAYS)
    found = extracted(name, day * DAY_US, "date")
    assert found is not None
    return str(int(found) + times * 2_000 // _YEARS_OF[unit]) if unit in _YEARS_OF else found


_interval_epoch: Final[Callable[[Interval], str]] = next(
    f for name, f, *_ in DATES if name == "tw_interval_epoch"
)


@scalar("tw_extract_interval")
def _extracted_of_interval(name: str, interval: Interval) -> str:
    unit = unit_named(name)
    if unit in _ZONES or unit in ("dow", "isodow", "doy", "week", "isoyear", "julian"):
        raise _not_for(name, "interval")
    if unit == "epoch":
        return _interval_epoch(interval)
    found = interval_part(name, interval)
    if unit in ("second", "milliseconds"):
        micros = interval[2]
        left = abs(micros) % 60_000_000
        return _places(-left if micros < 0 else left, 6 if unit == "second" else 3)
    return str(int(found))


__all__ = ["array_of", "as_numeric_text", "extracted", "function_of", "items_of"]
