"""to_char of dates: each piece of a template (`date_templates`) shown."""

from __future__ import annotations

from planner.binding.templates.date_parts import Day, day_of, shown_year
from planner.binding.templates.date_templates import Piece, pieces
from planner.binding.templates.number_formats import ordinal
from planner.types.calendar_days import JULIAN_OF_EPOCH
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
_ZONES = frozenset(("TZ", "TZH", "TZM", "OF"))
_DAY_US = 86_400_000_000


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
        elif p.pattern.upper() == "FX":
            continue
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
        fill = p.fill or upper in ("MS", "US")  # of a fraction all digits count
        return (
            sign + (str(abs(value)).rjust(width, "0") if fill else str(abs(value))) + ordinal(value, p.suffix)
        )
    if upper.startswith("FF"):
        digits = f"{fraction:06d}"[: int(upper[2])]
        return digits + ordinal(int(digits), p.suffix)
    if upper == "Y,YYY":
        return f"{year // 1000},{year % 1000:03d}{ordinal(year, p.suffix)}"
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
