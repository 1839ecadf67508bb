"""to_date and to_timestamp: a text read by a template.

The template leads. Each of its patterns takes what it can from the text, as many characters as the pattern has unless nothing
that follows could be taken for more of it; spaces and separators match each other, and are forgiven where there are more of
them in the text. What was read lies in `Fields`, of which a moment is made in the end:

    to_timestamp('05 Dec 2000', 'DD Mon YYYY')      dd 5, mm 12, year 2000
    to_timestamp('2005-001-3', 'IYYY-IDDD-ID')      year 2005, ddd 1, d 4, in ISO weeks

The rules are those of DCH_from_char and do_to_timestamp in PostgreSQL's formatting.c.
"""

from __future__ import annotations

import re
from typing import Final

from planner.abc import SqlError
from planner.binding.templates.date_templates import CHARACTER, Piece, is_separator, pieces
from planner.types.calendar_days import JULIAN_OF_EPOCH, civil_from_days, days_from_civil, is_leap, month_days
from planner.types.datetimes import DATE_END, DATE_MIN, TIMESTAMP_END, TIMESTAMP_MIN
from planner.types.timezones import offset_of_local, session_zone

_DAY_US: Final = 86_400_000_000
_EPOCH_US: Final = 10_957 * _DAY_US
_INT_MAX: Final = (1 << 31) - 1
_ZONE_HOURS_MAX: Final = 15
_MONTHS: Final = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_DAYS: Final = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
_ROMAN: Final = ("XII", "XI", "X", "IX", "VIII", "VII", "VI", "V", "IV", "III", "II", "I")
_WORDS: Final[dict[str, tuple[str, ...]]] = {
    "MONTH": _MONTHS, "MON": tuple(m[:3] for m in _MONTHS), "DAY": _DAYS, "DY": tuple(d[:3] for d in _DAYS),
    "RM": _ROMAN, "AM": ("am", "pm"), "PM": ("am", "pm"), "A.M.": ("a.m.", "p.m."), "P.M.": ("a.m.", "p.m."),
    "AD": ("ad", "bc"), "BC": ("ad", "bc"), "A.D.": ("a.d.", "b.c."), "B.C.": ("a.d.", "b.c."),
}  # fmt: skip
_FIELDS: Final = {
    "MI": "mi", "SS": "ss", "SSSS": "ssss", "SSSSS": "ssss", "MM": "mm", "DDD": "ddd", "IDDD": "ddd", "DD": "dd", "D": "d",
    "WW": "ww", "IW": "ww", "W": "w", "CC": "cc", "J": "j", "HH24": "hh", "HH12": "hh", "HH": "hh", "TZH": "tzh", "TZM": "tzm",
    "MS": "ms", "US": "us",
}  # fmt: skip
_WIDTHS: Final = {"HH24": 2, "HH12": 2, "IDDD": 3, "TZH": 2, "TZM": 2, "MS": 3, "US": 6}
"""How many characters a pattern takes, where it is not as many as it has itself."""
_ISO: Final = frozenset(["IDDD", "ID", "IW", "IYYY", "IYY", "IY", "I"])
_GREGORIAN: Final = frozenset(
    ["DDD", "DD", "D", "MM", "MONTH", "MON", "RM", "WW", "W", "Y,YYY", "YYYY", "YYY", "YY", "Y"]
)
_INTEGER: Final = re.compile(r"[ \t\n\r\v\f]*([+-]?[0-9]+)")
_BLANK: Final = re.compile(r"[ \t\n\r\f]")
_THOUSANDS: Final = re.compile(r"[ \t\n\r\v\f]*([+-]?[0-9]+),([+-]?[0-9]{1,3})")


class Fields:
    """What the patterns have read; zero: nothing."""

    def __init__(self) -> None:
        self.values: dict[str, int] = {}
        self.convention = ""  # "iso" or "gregorian"
        self.twelve_hours = False
        self.year_digits = 0
        self.zone_sign = 0
        self.precision = 6  # the digits of seconds that FF asks for

    def __getitem__(self, name: str) -> int:
        return self.values.get(name, 0)

    def put(self, name: str, value: int, pattern: str) -> None:
        if self[name] not in (0, value):
            raise SqlError(
                "22007",
                f'conflicting values for "{pattern}" field in formatting string',
                detail="This value contradicts a previous setting for the same field type.",
            )
        self.values[name] = value


class _Reader:
    def __init__(self, text: str, template: str) -> None:
        self.text, self.at = text, 0
        self.pieces = pieces(template)
        self.fields = Fields()
        self.exact = False  # FX
        self.skipped = 0  # blanks and separators beyond those of the template

    def run(self) -> Fields:
        for i, p in enumerate(self.pieces):
            if self.at >= len(self.text):
                break
            if not self.exact and p.pattern.upper() != "FX" and (p.pattern or i == 0):
                self._skip_blanks()
                if self.at >= len(self.text) and not p.pattern:
                    break
            if p.pattern:
                self._field(p, i)
                if not self.exact:
                    self.skipped = 0
                    self._skip_blanks()
            else:
                self._literal(p)
        return self.fields

    def _skip_blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
            self.skipped += 1

    def _literal(self, p: Piece) -> None:
        if self.exact:
            self.at += 1
        elif p.literal != CHARACTER:
            # A space or separator matches one of either kind, or nothing.
            self.skipped -= 1
            c = self.text[self.at]
            if c.isspace() or is_separator(c):
                self.at += 1
                self.skipped += 1
        elif self.skipped > 0:
            self.skipped -= 1  # what was skipped before may have been meant
        else:
            self.at += 1

    def _field(self, p: Piece, i: int) -> None:
        name, fields = p.pattern.upper(), self.fields
        convention = "iso" if name in _ISO else "gregorian" if name in _GREGORIAN else ""
        if convention:
            if fields.convention not in ("", convention):
                raise SqlError(
                    "22007",
                    "invalid combination of date conventions",
                    hint="Do not mix Gregorian and ISO week date conventions in a formatting template.",
                )
            fields.convention = convention
        if name == "FX":
            self.exact = True
        elif name in ("TZ", "OF"):
            raise SqlError("0A000", f'formatting field "{p.pattern}" is only supported in to_char')
        elif name in _WORDS:
            self._word(p, name)
        elif name in ("Y,YYY", "YYYY", "IYYY", "YYY", "IYY", "YY", "IY", "Y", "I"):
            self._year(p, i, name)
        elif name == "Q":
            self._integer(p, i, 1)  # which date of the quarter would be meant?
        elif name == "ID":
            day, _ = self._integer(p, i, 1)
            fields.put("d", day % 7 + 1 if day < 8 else 1, p.pattern)
        elif name in ("MS", "US") or name.startswith("FF"):
            self._fraction(p, i, name)
        else:
            if name == "TZH":
                self._zone_sign()
            elif name == "TZM":
                fields.zone_sign = fields.zone_sign or 1
            fields.twelve_hours = fields.twelve_hours or name in ("HH", "HH12")
            value, _ = self._integer(p, i, _WIDTHS.get(name, len(name)))
            fields.put(_FIELDS[name], value, p.pattern)
        if p.suffix:
            self.at += 2

    def _zone_sign(self) -> None:
        c = self.text[self.at : self.at + 1]
        if c in ("+", "-", " "):
            self.fields.zone_sign = -1 if c == "-" else 1
            self.at += 1
        else:  # the sign may have been taken for a separator
            self.fields.zone_sign = -1 if self.skipped > 0 and self.text[self.at - 1] == "-" else 1

    def _word(self, p: Piece, name: str) -> None:
        rest = self.text[self.at :].lower()
        words = _WORDS[name]
        found = next((i for i, w in enumerate(words) if rest.startswith(w.lower())), None)
        if found is None:
            shown = _BLANK.split(self.text[self.at :], maxsplit=1)[0]
            raise SqlError(
                "22007",
                f'invalid value "{shown}" for "{p.pattern}"',
                detail="The given value did not match any of the allowed values for this field.",
            )
        self.at += len(words[found])
        if name in ("MONTH", "MON"):
            self.fields.put("mm", found + 1, p.pattern)
        elif name in ("DAY", "DY"):
            self.fields.put("d", found + 1, p.pattern)
        elif name == "RM":
            self.fields.put("mm", 12 - found, p.pattern)
        elif words[0].startswith("ad") or words[0].startswith("a.d"):
            self.fields.put("bc", found, p.pattern)
        else:
            self.fields.put("pm", found, p.pattern)
            self.fields.twelve_hours = True

    def _year(self, p: Piece, i: int, name: str) -> None:
        fields = self.fields
        if name == "Y,YYY":
            m = _THOUSANDS.match(self.text, self.at)
            if m is None:
                raise SqlError("22007", 'invalid input string for "Y,YYY"')
            value, self.at = int(m[1]) * 1000 + int(m[2]), m.end()
            fields.year_digits = 4
        else:
            value, used = self._integer(p, i, len(name))
            fields.year_digits = len(name)
            if len(name) < 4 and used < 4:
                value = _near_2020(value)
        fields.put("year", value, p.pattern)

    def _fraction(self, p: Piece, i: int, name: str) -> None:
        digits = {"MS": 3, "US": 6}.get(name) or int(name[2])
        value, used = self._integer(p, i, digits)
        if name.startswith("FF"):
            self.fields.precision = digits
        places = 3 if name == "MS" else 6
        field = "ms" if name == "MS" else "us"
        self.fields.put(field, value * 10 ** max(places - used, 0), p.pattern)

    def _integer(self, p: Piece, i: int, width: int) -> tuple[int, int]:
        """A number, and how many characters it took."""
        start = self.at
        following = self.pieces[i + 1] if i + 1 < len(self.pieces) else None
        free = not p.fill or bool(p.suffix) or following is None or not following.takes_digits
        if not free:
            while self.at < len(self.text) and self.text[self.at].isspace():
                self.at += 1
        given = self.text[self.at : self.at + width]
        if not free and len(given) < width:
            raise SqlError(
                "22007",
                f'source string too short for "{p.pattern}" formatting field',
                detail=f"Field requires {width} characters, but only {len(given)} remain.",
                hint='If your source string is not fixed-width, try using the "FM" modifier.',
            )
        m = _INTEGER.match(self.text, self.at, len(self.text) if free else self.at + width)
        if m is None:
            shown = self.text[self.at :].lstrip()[:width]
            raise SqlError(
                "22007", f'invalid value "{shown}" for "{p.pattern}"', detail="Value must be an integer."
            )
        used = m.end() - self.at
        if not free and used < width:
            raise SqlError(
                "22007",
                f'invalid value "{given}" for "{p.pattern}"',
                detail=f"Field requires {width} characters, but only {used} could be parsed.",
                hint='If your source string is not fixed-width, try using the "FM" modifier.',
            )
        value, self.at = int(m[1]), m.end()
        if not -_INT_MAX - 1 <= value <= _INT_MAX:
            raise SqlError(
                "22008",
                f'value for "{p.pattern}" in source string is out of range',
                detail=f"Value must be in the range {-_INT_MAX - 1} to {_INT_MAX}.",
            )
        return value, self.at - start


def _near_2020(year: int) -> int:
    """A year of fewer than four digits, as the one of that ending that is nearest to 2020."""
    for below, add in ((70, 2000), (100, 1900), (520, 2000), (1000, 1000)):
        if year < below:
            return year + add
    return year


# --- from fields to a moment ----------------------------------------------------------------------------


def _out_of_range(text: str) -> SqlError:
    return SqlError("22008", f'date/time field value out of range: "{text}"')


def _year_of(f: Fields) -> tuple[int, bool]:
    """The year (0 is 1 BC), and whether anything said it."""
    bc = bool(f["bc"])
    century = -f["cc"] if bc else f["cc"]
    if f["year"]:
        if f["cc"] and f.year_digits <= 2:
            year = f["year"] % 100
            if year:
                return (year + (century - 1) * 100 if century >= 0 else (century + 1) * 100 - year + 1), True
            return century * 100 + (0 if century >= 0 else 1), True
        year = -f["year"] if bc else f["year"]
        return year + (year < 0), True
    if f["cc"]:
        return ((century - 1) if century >= 0 else century) * 100 + 1, True
    return 0, False


def _iso_monday(year: int) -> int:
    """The day, since 1970, on which the first ISO week of a year begins."""
    fourth = days_from_civil(year, 1, 4)
    return fourth - (fourth + 3) % 7


def _day(f: Fields, text: str) -> int:
    """The date as days since 1970. Raises 22007, 22008."""
    year, known = _year_of(f)
    month = day = 1
    ddd, dd = f["ddd"], f["dd"]
    if f["j"]:
        year, month, day = civil_from_days(f["j"] - JULIAN_OF_EPOCH)
    if f["ww"]:
        if f.convention == "iso":
            # Sunday is the first day to `d`, the last one to ISO.
            place = (f["d"] - 2 if f["d"] > 1 else 6) if f["d"] else 0
            year, month, day = civil_from_days(_iso_monday(year) + (f["ww"] - 1) * 7 + place)
        else:
            ddd = (f["ww"] - 1) * 7 + 1
    if f["w"]:
        dd = (f["w"] - 1) * 7 + 1
    day = dd or day
    month = f["mm"] or month
    if ddd and (month <= 1 or day <= 1):
        if not year and not f["bc"]:
            raise SqlError("22007", "cannot calculate day of year without year information")
        if f.convention == "iso":
            year, month, day = civil_from_days(_iso_monday(year) + ddd - 1)
        else:
            if not 1 <= ddd <= 365 + is_leap(year):
                raise _out_of_range(text)
            _, by_month, by_day = civil_from_days(days_from_civil(year, 1, 1) + ddd - 1)
            month = by_month if month <= 1 else month
            day = by_day if day <= 1 else day
    if not 1 <= month <= 12:
        raise _out_of_range(text)
    # Without a year, 30 February is in March.
    if not 1 <= day <= (month_days(year, month) if known or f["j"] else 31):
        raise _out_of_range(text)
    return days_from_civil(year, month, 1) + day - 1


def _time_us(f: Fields, text: str) -> int:
    hour, minute, second = f["ssss"] // 3600, f["ssss"] // 60 % 60, f["ssss"] % 60
    hour, minute, second = f["hh"] or hour, f["mi"] or minute, f["ss"] or second
    if f.twelve_hours:
        if not 1 <= hour <= 12:
            raise SqlError(
                "22007",
                f'hour "{hour}" is invalid for the 12-hour clock',
                hint="Use the 24-hour clock, or give an hour between 1 and 12.",
            )
        hour = hour % 12 + 12 * f["pm"]
    fraction = f["ms"] * 1000 + f["us"]
    if not (0 <= hour < 24 and 0 <= minute < 60 and 0 <= second < 60 and 0 <= fraction < 1_000_000):
        raise _out_of_range(text)
    return (hour * 3600 + minute * 60 + second) * 1_000_000 + fraction


def to_date(text: str, template: str) -> int:
    """Days since 1970. Raises 22007, 22008."""
    f = _Reader(text, template).run()
    days = _day(f, text)
    _time_us(f, text)
    _zone_us(f, text)  # which a date has no use for, but it has to be one
    if not DATE_MIN <= days < DATE_END:
        raise SqlError("22008", f'date out of range: "{text}"')
    return days


def to_timestamp(text: str, template: str, time_zone: str) -> int:
    """Microseconds since 1970, of clocks under a TimeZone setting where the text names no displacement. Raises 22007, 22008."""
    f = _Reader(text, template).run()
    local = _day(f, text) * _DAY_US + _time_us(f, text)
    if not TIMESTAMP_MIN <= local < TIMESTAMP_END:
        raise SqlError("22008", "timestamp out of range")
    east = _zone_us(f, text)
    if east is None:
        east = offset_of_local(local, session_zone(time_zone)) * 1_000_000
    return _rounded(local - east, f.precision)


def _zone_us(f: Fields, text: str) -> int | None:
    """The displacement that the text names, eastwards; None: it names none. Raises 22009."""
    if not f.zone_sign:
        return None
    if not (0 <= f["tzh"] <= _ZONE_HOURS_MAX and 0 <= f["tzm"] < 60):
        raise SqlError("22009", f'time zone displacement out of range: "{text}"')
    return f.zone_sign * (f["tzh"] * 3600 + f["tzm"] * 60) * 1_000_000


def _rounded(moment: int, digits: int) -> int:
    """Half away from zero, counted from 2000."""
    unit: int = 10 ** (6 - digits)
    since = moment - _EPOCH_US
    size = (abs(since) + unit // 2) // unit * unit
    return _EPOCH_US + (size if since >= 0 else -size)
