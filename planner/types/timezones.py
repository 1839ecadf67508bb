"""Time zones: names, abbreviations, fixed offsets; and the offset in force at a moment.

    "Europe/Berlin"        zoneinfo                        rules, by name in any capitals
    "+03:30", "-8"         a fixed displacement            (SET TIME ZONE: hours east, POSIX in names)
    "CST7CDT,M4.1.0,M10.5.0"  rules as POSIX writes them    zoneinfo, which reads them behind every zone's last change
    "CEST"                 the table of abbreviations      in input only

Local times that a clock change skips are read with the offset before the change, ambiguous ones
with the one after it: in both cases the smaller offset.

Python's zoneinfo knows the years 1 to 9999. The Gregorian calendar repeats every 400 years, so later
years are moved into that range; earlier ones have the zone's first (local mean) time anyway.
"""

from __future__ import annotations

import bisect
import io
import re
import struct
import zoneinfo
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta, timezone, tzinfo
from functools import cache, lru_cache
from importlib import resources
from typing import Final

import numpy as np
import numpy.typing as npt

from planner.abc import SqlError

US_PER_S: Final = 1_000_000
US_PER_DAY: Final = 86_400 * US_PER_S
_CYCLE_US: Final = 146_097 * US_PER_DAY
_LOW_US: Final = -719_000 * US_PER_DAY
_HIGH_US: Final = 2_932_000 * US_PER_DAY
_EPOCH: Final = datetime(1970, 1, 1)
_SAMPLE_US: Final = US_PER_DAY
"""No zone has ever changed its offset twice within a day."""
_SAMPLE: Final = timedelta(microseconds=_SAMPLE_US)

_OFFSET: Final = re.compile(r"([+-])(\d{1,2})(?::?(\d{2}))?(?::?(\d{2}))?")
_POSIX: Final = re.compile(
    r"(?:<([A-Za-z]{3,}|[+-]\d+(?::\d{2})*)>|([A-Za-z]{3,})|(?=[+-]|\d+:))([+-]?)(\d{1,2})(?::(\d{2}))?(?::(\d{2}))?"
)


_NAME: Final = r"(?:<[A-Za-z0-9+-]{3,}>|[A-Za-z]{3,})"
_TIME: Final = r"\d{1,3}(?::\d{1,2}){0,2}"
_DAY: Final = r"(?:J?\d{1,3}|M\d{1,2}\.\d\.\d)"
_BY_RULES: Final = re.compile(
    rf"{_NAME}[+-]?{_TIME}{_NAME}(?:[+-]?{_TIME})?(?:,{_DAY}(?:/[+-]?{_TIME})?,{_DAY}(?:/[+-]?{_TIME})?)?"
)
_USUAL_RULES: Final = ",M3.2.0,M11.1.0"
"""When summer time is where a zone has one and does not say: as in the United States."""


def _read_abbreviations() -> tuple[dict[str, tuple[int, bool]], dict[str, str]]:
    text = (resources.files(__package__) / "timezone_abbreviations.tsv").read_text("utf-8")
    fixed, places = {}, {}
    for line in text.splitlines()[1:]:
        name, offset_s, dst, place = line.split("\t")
        fixed[name.lower()] = (int(offset_s), dst == "1")
        if place:
            places[name.lower()] = place
    return fixed, places


_READ: Final = _read_abbreviations()
_PLACES: Final = _READ[1]
ABBREVIATIONS: Final = _READ[0]
"""Lower-case abbreviation -> (seconds east of Greenwich, whether it is summer time). `_PLACES`: where one has meant several offsets."""


@cache
def _names() -> dict[str, str]:
    return {name.lower(): name for name in zoneinfo.available_timezones()}


@lru_cache(maxsize=1024)
def find_zone(name: str) -> tzinfo | None:
    """The zone of this name, in any capitals; also POSIX-like `XYZ+3`, `<+03>-3`, `03:30` (west); None: unknown."""
    if name.lower() in ("utc", "gmt", "z", "zulu", "etc/utc"):
        return UTC
    exact = _names().get(name.lower())
    if exact is not None:
        return zoneinfo.ZoneInfo(exact)
    m = _POSIX.fullmatch(name)
    if m is not None:
        west = int(m[4]) * 3600 + int(m[5] or 0) * 60 + int(m[6] or 0)
        if west < 168 * 3600:
            return _fixed(west if m[3] == "-" else -west, m[1] or m[2] or "")
    return _by_rules(name) if _BY_RULES.fullmatch(name) else None


def _by_rules(name: str) -> tzinfo | None:
    """A zone that its own name describes (POSIX's TZ), as the end of a file of RFC 8536 that says nothing else; None: no such day or hour."""
    header = struct.pack(">4sc15x6l", b"TZif", b"2", 0, 0, 0, 0, 1, 4)
    nothing = header + struct.pack(">lbb", 0, 0, 0) + b"LMT\0"
    rules = name if "," in name else name + _USUAL_RULES
    try:
        return zoneinfo.ZoneInfo.from_file(io.BytesIO(nothing * 2 + f"\n{rules}\n".encode()), key=name)
    except ValueError:
        return None


def _fixed(east_s: int, name: str = "") -> tzinfo | None:
    if abs(east_s) >= 86_400:
        return None
    return timezone(timedelta(seconds=east_s), name)


@lru_cache(maxsize=256)
def session_zone(setting: str) -> tzinfo:
    """The zone that the TimeZone setting names. Raises 22023 for an unknown one."""
    zone = find_zone(setting)
    if zone is None:
        raise SqlError("22023", f'invalid value for parameter "TimeZone": "{setting}"')
    return zone


class Abbreviation(tzinfo):
    """What an abbreviation has meant at a place, from time to time: MSK was +03, and +04 from 2011 to 2014."""

    def __init__(self, name: str, place: str) -> None:
        self._name, self._place = name.upper(), zoneinfo.ZoneInfo(place)

    def east(self, moment: int) -> int:
        """By the last use of it before the moment, else by the first one after; by the place's clocks if they never had it."""
        year = min(max(_naive(moment).year, _NAMED_YEARS.start), _NAMED_YEARS.stop - 1)
        for at in range(
            year, _NAMED_YEARS.start - 1, -1
        ):  # its last use is rarely long ago, and a year is a thousandth of a second
            uses = _uses(self._name, self._place, at)
            before = bisect.bisect_right(uses, (moment, 86_400))
            if before:
                return uses[before - 1][1]
        for at in range(year, _NAMED_YEARS.stop):
            if uses := _uses(self._name, self._place, at):
                return uses[0][1]
        return offset_at(moment, self._place)

    def utcoffset(self, dt: datetime | None) -> timedelta:
        assert dt is not None
        local = (dt.replace(tzinfo=None) - _EPOCH) // timedelta(microseconds=1)
        return timedelta(seconds=self.east(local - offset_of_local(local, self._place) * US_PER_S))

    def fromutc(self, dt: datetime) -> datetime:
        moment = (dt.replace(tzinfo=None) - _EPOCH) // timedelta(microseconds=1)
        return dt + timedelta(seconds=self.east(moment))

    def dst(self, dt: datetime | None) -> None:
        return None

    def tzname(self, dt: datetime | None) -> str:
        return self._name


@lru_cache(maxsize=64)
def abbreviation(name: str) -> Abbreviation | None:
    """An abbreviation that does not always mean the same offset."""
    place = _PLACES.get(name.lower())
    return Abbreviation(name, place) if place is not None else None


_NAMED_YEARS: Final = range(1900, 2038)
"""Those in which clocks are looked at for what they were called."""


@lru_cache(maxsize=8_192)
def _uses(name: str, place: tzinfo, year: int) -> list[tuple[int, int]]:
    """(moment, seconds east) from when on the place's clocks were called that, or already were as the year began."""
    return [use for use in _changes(place, year) if abbreviation_at(use[0], place) == name]


def _naive(micros: int) -> datetime:
    """A datetime with the same place in the 400-year cycle, within Python's years."""
    if micros >= _HIGH_US:
        micros -= ((micros - _HIGH_US) // _CYCLE_US + 1) * _CYCLE_US
    elif micros < _LOW_US:
        micros = _LOW_US
    return _EPOCH + timedelta(microseconds=micros)


def offset_of_local(micros: int, zone: tzinfo) -> int:
    """Seconds east for a local time (microseconds since 1970 as if it were UTC)."""
    if zone is UTC:
        return 0
    local = _naive(micros)
    first = zone.utcoffset(local.replace(tzinfo=zone))
    second = zone.utcoffset(local.replace(tzinfo=zone, fold=1))
    assert first is not None and second is not None
    least = min(first, second)
    return least.days * 86_400 + least.seconds


def _at(micros: int, zone: tzinfo) -> datetime:
    return _naive(micros).replace(tzinfo=UTC).astimezone(zone)


def offset_at(micros: int, zone: tzinfo) -> int:
    """Seconds east that are in force at a moment (microseconds since 1970 UTC)."""
    if zone is UTC:
        return 0
    if isinstance(zone, Abbreviation):
        return zone.east(micros)  # of a local time that comes twice it would be told nothing but the time
    offset = _at(micros, zone).utcoffset()
    assert offset is not None
    return offset.days * 86_400 + offset.seconds


def abbreviation_at(micros: int, zone: tzinfo) -> str:
    return _at(micros, zone).tzname() or ""


_ODD_CHANGES_END_US: Final = 1100 * US_PER_DAY
_YEARS_MAX: Final = 65_536
_years_asked: set[tuple[tzinfo, int]] = set()


def _known_years(zone: tzinfo, first: int, last: int) -> int:
    return sum((zone, year) in _years_asked for year in range(first, last + 1))


@lru_cache(maxsize=_YEARS_MAX)
def _changes(zone: tzinfo, year: int) -> tuple[tuple[int, int], ...]:
    """(moment, seconds east from then on) at each change within one UTC year, its start included."""
    if len(_years_asked) >= _YEARS_MAX:
        _years_asked.clear()
    _years_asked.add((zone, year))
    start = (datetime(year, 1, 1) - _EPOCH) // timedelta(microseconds=1)
    end = start + (366 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 365) * US_PER_DAY
    last = offset_at(start, zone)
    out = [(start, last)]
    # zoneinfo itself is asked about each of the days, which costs a fifth: an abbreviation that is first met may ask about 138 years.
    quick = zone.fromutc if isinstance(zone, zoneinfo.ZoneInfo) and MINYEAR < year < MAXYEAR else None
    midnight = datetime(year, 1, 1, tzinfo=zone)
    shown = quick(midnight).utcoffset() if quick is not None else None
    low = start
    while low < end:
        high = min(low + _SAMPLE_US, end)
        if quick is not None:
            midnight += _SAMPLE
            now = quick(midnight).utcoffset()
            if now == shown:
                low = high
                continue
            shown = now
        offset = offset_at(high, zone)
        if offset != last:
            left, right = low, high
            while right - left > US_PER_S:
                middle = (left + right) // 2 // US_PER_S * US_PER_S
                if offset_at(middle, zone) == last:
                    left = middle
                else:
                    right = middle
            if right < end:
                out.append((right, offset))
            last = offset
        low = high
    return tuple(out)


def offsets_at(micros: npt.NDArray[np.int64], zone: tzinfo) -> npt.NDArray[np.int64]:
    """`offset_at` of a whole column: one binary search over the changes between its ends."""
    if zone is UTC or not len(micros):
        return np.zeros(len(micros), np.int64)
    low, high = int(micros.min()), int(micros.max())
    if isinstance(zone, timezone):
        return np.full(len(micros), offset_at(0, zone), np.int64)
    first = _naive(max(low, _LOW_US)).year if low < _HIGH_US else 9999
    last = _naive(high).year if high < _HIGH_US else 9999
    far = high >= _HIGH_US or low < _LOW_US
    if far or len(micros) < 366 * (last - first + 1 - _known_years(zone, first, last)):
        # Fewer values than the years have days: ask per quarter of an hour, where changes happen
        # (local mean times end at odd seconds, but those lie before 1973, where each value is asked for).
        grain = US_PER_S if low < _ODD_CHANGES_END_US else 900 * US_PER_S
        moments_asked, inverse = np.unique(micros // grain, return_inverse=True)
        known = [offset_at(int(m) * grain, zone) for m in moments_asked]
        return np.array(known, np.int64)[inverse]
    moments: list[int] = []
    offsets: list[int] = []
    for year in range(first, last + 1):
        for moment, offset in _changes(zone, year):
            if not offsets or offsets[-1] != offset:
                moments.append(moment)
                offsets.append(offset)
    if len(offsets) == 1:
        return np.full(len(micros), offsets[0], np.int64)
    where = np.searchsorted(np.array(moments, np.int64), micros, side="right") - 1
    return np.array(offsets, np.int64)[np.maximum(where, 0)]


def named_zone(name: str) -> tzinfo:
    """The zone of AT TIME ZONE: an abbreviation, a name, or a displacement in hours west. Raises 22023.

    Some names are both: EST, MST, HST, CET, EET, MET and WET are the abbreviations, whose offset never changes.
    """
    if (moving := abbreviation(name)) is not None:
        return moving
    known = ABBREVIATIONS.get(name.lower())
    if known is not None:
        return (_fixed(known[0], name) if known[0] else None) or UTC
    zone = find_zone(name)
    if zone is None:
        m = _OFFSET.fullmatch(name)
        if m is not None:
            west = int(m[2]) * 3600 + int(m[3] or 0) * 60 + int(m[4] or 0)
            zone = _fixed(west if m[1] == "-" else -west)
    if zone is None:
        raise SqlError("22023", f'time zone "{name}" not recognized')
    return zone


def describes_itself(zone: tzinfo) -> bool:
    """Whether a zone's name is its rules, which nobody else knows."""
    return isinstance(zone, zoneinfo.ZoneInfo) and zone.key.lower() not in _names()


def icu_name(zone: tzinfo) -> str:
    """What ICU, and so DuckDB, calls a zone: by name, or `GMT-07:30`, where positive is east. Seconds are cut off.

    Raises 0A000 for one with rules of its own, of which ICU does not know.
    """
    if zone is UTC:
        return "UTC"
    if isinstance(zone, zoneinfo.ZoneInfo):
        if describes_itself(zone):
            raise SqlError(
                "0A000",
                f'time zone "{zone.key}", which has rules of its own, is not supported in such a query',
            )
        return zone.key
    east_s = offset_at(0, zone)
    minutes = abs(east_s) // 60
    return f"GMT{'-' if east_s < 0 else '+'}{minutes // 60:02d}:{minutes % 60:02d}"
