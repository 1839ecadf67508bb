"""to_char of dates and intervals, to_date, to_timestamp: PostgreSQL's template patterns.

A template is cut once into pieces: patterns (`YYYY`, `Mon`, `HH24`), with their `FM` and `TH` modifiers, and literal text
(anything else, or text in double quotes). Formatting writes each piece; parsing reads each.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import lru_cache

from planner.abc import SqlError
from planner.binding.date_parts import Day, day_of, shown_year
from planner.binding.number_formats import ordinal
from planner.types.calendar_days import JULIAN_OF_EPOCH, days_from_civil, month_days
from planner.types.timezones import abbreviation_at, offset_at, session_zone

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
_ROMAN = ["I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII"]
_PATTERNS = sorted(
    [
        "SSSSS",
        "SSSS",
        "Y,YYY",
        "YYYY",
        "YYY",
        "YY",
        "Y",
        "IYYY",
        "IYY",
        "IY",
        "I",
        "HH24",
        "HH12",
        "HH",
        "MI",
        "SS",
        "MS",
        "US",
        "FF1",
        "FF2",
        "FF3",
        "FF4",
        "FF5",
        "FF6",
        "AM",
        "PM",
        "A.M.",
        "P.M.",
        "am",
        "pm",
        "a.m.",
        "p.m.",
        "BC",
        "AD",
        "B.C.",
        "A.D.",
        "bc",
        "ad",
        "b.c.",
        "a.d.",
        "MONTH",
        "Month",
        "month",
        "MON",
        "Mon",
        "mon",
        "MM",
        "DAY",
        "Day",
        "day",
        "DY",
        "Dy",
        "dy",
        "DDD",
        "DD",
        "D",
        "IDDD",
        "ID",
        "WW",
        "W",
        "IW",
        "CC",
        "J",
        "Q",
        "RM",
        "rm",
        "TZ",
        "tz",
        "TZH",
        "TZM",
        "OF",
    ],
    key=len,
    reverse=True,
)
_ZONES = frozenset(("TZ", "TZH", "TZM", "OF"))
_DAY_US = 86_400_000_000


@dataclass(frozen=True, slots=True)
class Piece:
    pattern: str  # "" for literal text
    text: str = ""
    fill: bool = True
    suffix: str = ""


@lru_cache(maxsize=512)
def pieces(template: str) -> tuple[Piece, ...]:
    out: list[Piece] = []
    i, fill = 0, True
    while i < len(template):
        if template[i] == '"':
            end = template.find('"', i + 1)
            end = len(template) if end < 0 else end
            out.append(Piece("", template[i + 1 : end].replace("\\", "")))
            i = end + 1
            continue
        if template[i : i + 2].upper() == "FM":
            fill, i = False, i + 2
            continue
        if template[i : i + 2].upper() in ("FX", "TM"):
            i += 2
            continue
        found = next((p for p in _PATTERNS if template.startswith(p, i)), None)
        if found is None:
            found = next((p for p in _PATTERNS if template[i : i + len(p)].upper() == p), None)
        if found is None:
            out.append(Piece("", template[i]))
            i += 1
            continue
        i += len(found)
        suffix = template[i : i + 2] if template[i : i + 2] in ("TH", "th") else ""
        i += len(suffix)
        out.append(Piece(found, "", fill, suffix))
        fill = True
    return tuple(out)


def _cased(word: str, pattern: str) -> str:
    if pattern.isupper():
        return word.upper()
    return word.lower() if pattern.islower() else word


def instant_text(micros: int, template: str, time_zone: str) -> str:
    """to_char(timestamptz, template) under a TimeZone setting; `micros` since 1970."""
    zone = session_zone(time_zone)
    east_s = offset_at(micros, zone)
    return timestamp_text(micros + east_s * 1_000_000, template, east_s, abbreviation_at(micros, zone))


def timestamp_text(micros: int, template: str, east_s: int = 0, abbreviation: str = "") -> str:
    """to_char(timestamp, template); `micros` since 1970. A time without a zone has none to show, and no offset."""
    if abs(micros) >= (1 << 63) - 1:
        return "infinity" if micros > 0 else "-infinity"
    days, us = divmod(micros, _DAY_US)
    date = day_of(days)
    out = []
    for p in pieces(template):
        if not p.pattern:
            out.append(p.text)
        elif p.pattern.upper() in _ZONES:
            out.append(_zone_field(p.pattern, east_s, abbreviation))
        else:
            out.append(_field(p, date, us))
    return "".join(out)


def _zone_field(pattern: str, east_s: int, abbreviation: str) -> str:
    minutes = abs(east_s) // 60
    hours = f"{'-' if east_s < 0 else '+'}{minutes // 60:02d}"
    if pattern.upper() == "TZ":
        return abbreviation.upper() if pattern == "TZ" else abbreviation.lower()
    if pattern.upper() == "TZM":
        return f"{minutes % 60:02d}"
    return f"{hours}:{minutes % 60:02d}" if pattern.upper() == "OF" and minutes % 60 else hours


def _field(p: Piece, date: Day, us: int) -> str:
    seconds, fraction = divmod(us, 1_000_000)
    hour, minute, second = seconds // 3600, seconds // 60 % 60, seconds % 60
    name = p.pattern
    upper = name.upper()
    year, iso_year = abs(shown_year(date.year)), abs(shown_year(date.iso_year))
    century = (date.year + 99) // 100 if date.year > 0 else -(-date.year // 100) - 1
    iso_day, dow = date.weekday + 1, (date.weekday + 1) % 7
    numbers: dict[str, tuple[int, int]] = {
        "YYYY": (year, 4), "YYY": (year % 1000, 3), "YY": (year % 100, 2), "Y": (year % 10, 1),
        "IYYY": (iso_year, 4), "IYY": (iso_year % 1000, 3), "IY": (iso_year % 100, 2), "I": (iso_year % 10, 1),
        "HH24": (hour, 2), "HH12": ((hour - 1) % 12 + 1, 2), "HH": ((hour - 1) % 12 + 1, 2), "MI": (minute, 2), "SS": (second, 2),
        "MS": (fraction // 1000, 3), "US": (fraction, 6), "SSSS": (seconds, 1), "SSSSS": (seconds, 1), "MM": (date.month, 2),
        "DDD": (date.yearday, 3), "DD": (date.day, 2), "D": (dow + 1, 1), "ID": (iso_day, 1),
        "IDDD": ((date.iso_week - 1) * 7 + iso_day, 3), "WW": ((date.yearday - 1) // 7 + 1, 2), "W": ((date.day - 1) // 7 + 1, 1),
        "IW": (date.iso_week, 2), "CC": (century, 2), "J": (date.days + JULIAN_OF_EPOCH, 1), "Q": ((date.month - 1) // 3 + 1, 1),
    }  # fmt: skip
    if upper in numbers:
        value, width = numbers[upper]
        sign = "-" if value < 0 else ""
        return (
            sign
            + (str(abs(value)).rjust(width, "0") if p.fill else str(abs(value)))
            + ordinal(value, p.suffix)
        )
    if upper.startswith("FF"):
        return f"{fraction:06d}"[: int(upper[2])]
    if upper == "Y,YYY":
        return f"{year // 1000},{year % 1000:03d}"
    if upper in ("AM", "PM"):
        return _cased("PM" if hour >= 12 else "AM", name)
    if upper in ("A.M.", "P.M."):
        return _cased("P.M." if hour >= 12 else "A.M.", name)
    if upper in ("BC", "AD"):
        return _cased("AD" if date.year > 0 else "BC", name)
    if upper in ("B.C.", "A.D."):
        return _cased("A.D." if date.year > 0 else "B.C.", name)
    if upper in ("MONTH", "DAY"):
        word = _cased(_MONTHS[date.month - 1] if upper == "MONTH" else _DAYS[dow], name)
        return word.ljust(9) if p.fill else word
    if upper in ("MON", "DY"):
        return _cased((_MONTHS[date.month - 1] if upper == "MON" else _DAYS[dow])[:3], name)
    if upper == "RM":
        word = _ROMAN[date.month - 1]
        word = word.lower() if name.islower() else word
        return word.ljust(4) if p.fill else word
    raise AssertionError(name)


def _roman_month(months: int, p: Piece) -> str:
    """The month of an interval; those of negative ones are counted back from December."""
    if not months:
        return ""
    month = int(math.fmod(months, 12))
    if month == 0:
        month = 12 if months > 0 else 1
    elif month < 0:
        month += 13
    word = _ROMAN[month - 1]
    word = word.lower() if p.pattern.islower() else word
    return word.ljust(4) if p.fill else word


def interval_text(i: tuple[int, int, int], template: str) -> str:
    """to_char(interval, template)."""
    months, days, micros = i
    out = []
    seconds, fraction = divmod(abs(micros), 1_000_000)
    sign = -1 if micros < 0 else 1
    hours = sign * (seconds // 3600)
    values: dict[str, tuple[int, int]] = {
        "YYYY": (int(months / 12), 4), "YYY": (int(months / 12) % 1000, 3), "YY": (int(months / 12) % 100, 2), "MM": (months - int(months / 12) * 12, 2),
        "DD": (days, 2), "DDD": (days, 3), "HH24": (hours, 2), "HH12": ((abs(hours) - 1) % 12 + 1, 2), "HH": ((abs(hours) - 1) % 12 + 1, 2),
        "MI": (sign * (seconds // 60 % 60), 2), "SS": (sign * (seconds % 60), 2), "MS": (sign * (fraction // 1000), 3), "US": (sign * fraction, 6),
        "SSSS": (sign * seconds, 1),
    }  # fmt: skip
    for p in pieces(template):
        if not p.pattern:
            out.append(p.text)
            continue
        if p.pattern.upper() == "RM":
            out.append(_roman_month(months, p))
            continue
        found = values.get(p.pattern.upper())
        if found is None:
            raise SqlError(
                "22007",
                "invalid format specification for an interval value",
                hint="Intervals are not tied to specific calendar dates.",
            )
        value, width = found
        shown = str(abs(value)).rjust(width, "0") if p.fill else str(abs(value))
        out.append(("-" if value < 0 else "") + shown)
    return "".join(out)


# --- parsing ------------------------------------------------------------------------------------------

_WIDTHS = {
    "YYYY": 4, "YYY": 3, "YY": 2, "Y": 1, "IYYY": 4, "HH24": 2, "HH12": 2, "HH": 2, "MI": 2, "SS": 2, "MS": 3, "US": 6, "MM": 2, "DD": 2,
    "DDD": 3, "D": 1, "ID": 1, "IW": 2, "WW": 2, "W": 1, "CC": 2, "J": 9, "Q": 1, "SSSS": 5, "SSSSS": 5, "Y,YYY": 5,
    "FF1": 1, "FF2": 2, "FF3": 3, "FF4": 4, "FF5": 5, "FF6": 6,
}  # fmt: skip


def _parsed(text: str, template: str) -> dict[str, int]:
    out: dict[str, int] = {}
    at = 0
    cut = pieces(template)
    for n, p in enumerate(cut):
        if not p.pattern:
            if p.text.isspace() or not p.text.isalnum():
                while at < len(text) and (
                    text[at].isspace() or (not text[at].isalnum() and text[at] not in "+-")
                ):
                    at += 1
                if at < len(text) and text[at] == p.text:
                    at += 1
            elif at < len(text):
                at += len(p.text)
            continue
        while at < len(text) and text[at].isspace():
            at += 1
        if at >= len(text):
            break
        upper = p.pattern.upper()
        if upper in ("MONTH", "MON", "DAY", "DY", "RM"):
            names = _MONTHS if upper in ("MONTH", "MON") else _ROMAN if upper == "RM" else _DAYS
            rest = text[at:].lower()
            if upper in ("MON", "DY"):
                found = [(i, w[:3]) for i, w in enumerate(names) if rest.startswith(w[:3].lower())]
            else:
                found = [(i, w) for i, w in enumerate(names) if rest.startswith(w.lower())]
            if not found:
                raise SqlError(
                    "22007",
                    f'invalid value "{text[at : at + 9].split()[0]}" for "{p.pattern}"',
                    detail="The given value did not match any of the allowed values for this field.",
                )
            i, word = max(found, key=lambda f: len(f[1]))
            at += len(word)
            if names is not _DAYS:
                out["MM"] = i + 1
            continue
        if upper in ("AM", "PM", "A.M.", "P.M.", "BC", "AD", "B.C.", "A.D."):
            mark = text[at : at + len(upper)].upper().replace(".", "")
            out["PM" if mark in ("AM", "PM") else "BC"] = int(mark in ("PM", "BC"))
            at += len(upper)
            continue
        width = _WIDTHS.get(upper)
        if width is None:
            raise SqlError("0A000", f'the template pattern "{p.pattern}" is not supported')
        following = cut[n + 1] if n + 1 < len(cut) else None
        free = following is None or not following.pattern
        m = re.compile(r"[+-]?\d+" if free else rf"[+-]?\d{{1,{width}}}").match(text, at)
        if m is None:
            raise SqlError(
                "22007",
                f'invalid value "{text[at : at + width]}" for "{p.pattern}"',
                detail="Value must be an integer.",
            )
        digits = m[0]
        if upper in ("MS", "US") or upper.startswith("FF"):
            places = {"MS": 3, "US": 6}.get(upper, 6)
            out["US"] = int(digits.ljust(places, "0")[:places]) * (1000 if upper == "MS" else 1)
        elif upper in ("YY", "YYY", "Y") and len(digits) <= 3:
            value = int(digits)
            base = {1: 2020, 2: 2000 if value < 70 else 1900, 3: 2000 if value < 520 else 1000}[len(digits)]
            out["YYYY"] = value + (2000 if len(digits) == 1 else base)
        elif upper in ("YY", "YYY", "Y", "IYYY"):
            out["YYYY"] = int(digits)
        elif upper in ("HH", "HH12"):
            value = int(digits)
            if not 1 <= value <= 12:
                raise SqlError(
                    "22007",
                    f'hour "{value}" is invalid for the 12-hour clock',
                    hint="Use the 24-hour clock, or give an hour between 1 and 12.",
                )
            out["HH12"] = value
        else:
            out[upper] = int(digits)
        at = m.end()
        if p.suffix:
            at += 2
    return out


def _day_number(f: dict[str, int], text: str) -> int:
    if "J" in f:
        return f["J"] - 2_440_588
    year = f.get("YYYY", 1)
    if year < 0 or f.get("BC"):
        year = 1 - abs(year)
    if "DDD" in f and "MM" not in f:
        return days_from_civil(year, 1, 1) + f["DDD"] - 1
    month, day = f.get("MM", 1), f.get("DD", 1)
    if not 1 <= month <= 12 or not 1 <= day <= month_days(year, month):
        raise SqlError("22008", f'date/time field value out of range: "{text}"')
    return days_from_civil(year, month, day)


def to_date(text: str, template: str) -> int:
    return _day_number(_parsed(text, template), text)


def to_timestamp(text: str, template: str) -> int:
    f = _parsed(text, template)
    hour = f.get("HH24", f.get("HH12", 0))
    if "PM" in f and "HH12" in f:
        hour = hour % 12 + 12 * f["PM"]
    minute, second = f.get("MI", 0), f.get("SS", 0)
    if hour > 23 or minute > 59 or second > 59:
        raise SqlError("22008", f'date/time field value out of range: "{text}"')
    seconds = f.get("SSSS", f.get("SSSSS", hour * 3600 + minute * 60 + second))
    return _day_number(f, text) * _DAY_US + seconds * 1_000_000 + f.get("US", 0)
