"""Date and time input, first half: a string falls into fields, fields into numbers.

PostgreSQL reads dates in two steps that know nothing of each other's grammar, and so do we:

    "Jan 8 1999 04:05:06 PST"  --split_fields-->  string number number time string
                               --Decoder------->  year month day hour minute second offset

A field's kind is seen from its characters alone; what a number means (day? year?) from which fields
came before, and from DateStyle's order. `datetimes` turns the result into datums.
"""

from __future__ import annotations

import re
from typing import Final

from planner.abc import SqlError

NUMBER, STRING, DATE, TIME, ZONE, SPECIAL = "number", "string", "date", "time", "zone", "special"
Field = tuple[str, str]

MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FULL_MONTHS: Final = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_DAYS: Final = (
    ("sun", "sunday"),
    ("mon", "monday"),
    ("tue", "tues", "tuesday"),
    ("wed", "weds", "wednesday"),
    ("thu", "thur", "thurs", "thursday"),
    ("fri", "friday"),
    ("sat", "saturday"),
)


def _words() -> dict[str, tuple[str, object]]:
    words: dict[str, tuple[str, object]] = {
        "-infinity": ("reserved", "early"),
        "infinity": ("reserved", "late"),
        "epoch": ("reserved", "epoch"),
        "now": ("reserved", "now"),
        "today": ("reserved", "today"),
        "tomorrow": ("reserved", "tomorrow"),
        "yesterday": ("reserved", "yesterday"),
        "allballs": ("reserved", "zulu"),
        "ad": ("era", False),
        "bc": ("era", True),
        "am": ("meridian", "am"),
        "pm": ("meridian", "pm"),
        "at": ("ignore", None),
        "on": ("ignore", None),
        "dst": ("dst", 3600),
        "t": ("isotime", "time"),
        "j": ("unit", "julian"),
        "jd": ("unit", "julian"),
        "julian": ("unit", "julian"),
        "d": ("unit", "day"),
        "dow": ("unit", "dow"),
        "doy": ("unit", "doy"),
        "h": ("unit", "hour"),
        "isodow": ("unit", "isodow"),
        "isoyear": ("unit", "isoyear"),
        "m": ("unit", "month"),
        "mm": ("unit", "minute"),
        "s": ("unit", "second"),
        "y": ("unit", "year"),
        "sept": ("month", 9),
    }
    for i, (short, full) in enumerate(zip(MONTHS, _FULL_MONTHS, strict=True), 1):
        words[short] = words[full] = ("month", i)
    for i, names in enumerate(_DAYS):
        for name in names:
            words[name] = ("weekday", i)
    return words


WORDS: Final = _words()
"""Lower-case word -> (what kind of field, its value)."""

FIELDS_MAX: Final = 25
LENGTH_MAX: Final = 128 + 25

_NUMERIC: Final = re.compile(r"[0-9]+")
_TIME_REST: Final = re.compile(r"[0-9:.]*")
_ALPHA: Final = re.compile(r"[A-Za-z]+")
_DATE_WORD_REST: Final = re.compile(r"[A-Za-z0-9+\-/_.:]*")
_ZONE_REST: Final = re.compile(r"[0-9:.\-]*")
_SPACES: Final = re.compile(r"[ \t\n\r\v\f]*")


class BadFormat(Exception):
    """Not a date or time (22007)."""


class FieldOverflow(Exception):
    """A field out of its range (22008). The argument says whether a wrong DateStyle may be to blame."""


class ZoneOverflow(Exception):
    """A displacement of sixteen hours or more (22009)."""


def split_fields(text: str) -> list[Field]:
    """Kinds and lower-case texts of the fields. Raises BadFormat."""
    fields: list[Field] = []
    i, n = 0, len(text)
    if not text.isascii():
        raise BadFormat
    while i < n:
        c = text[i]
        if c in " \t\n\r\v\f":
            i += 1
            continue
        if c.isdigit():
            kind, j = _number_field(text, i)
        elif c == ".":
            kind, j = NUMBER, _end(_TIME_REST, text, i + 1)
            j = i + 1 + len(text[i + 1 : j].split(":")[0].split(".")[0])
        elif c.isalpha():
            kind, j = _word_field(text, i)
        elif c in "+-":
            k = _end(_SPACES, text, i + 1)
            rest = text[k : k + 1]
            if rest.isdigit():
                kind, j = ZONE, _end(_ZONE_REST, text, k)
            elif rest.isalpha():
                kind, j = SPECIAL, _end(_ALPHA, text, k)
            else:
                raise BadFormat
            fields.append((kind, c + text[k:j].lower()))
            i = j
            continue
        elif c.isprintable():
            i += 1
            continue
        else:
            raise BadFormat
        fields.append((kind, text[i:j].lower()))
        i = j
        if len(fields) > FIELDS_MAX or n > LENGTH_MAX * 2:
            raise BadFormat
    return fields


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    m = pattern.match(text, start)
    return m.end() if m else start


def _number_field(text: str, i: int) -> tuple[str, int]:
    j = _end(_NUMERIC, text, i)
    c = text[j : j + 1]
    if c == ":":
        return TIME, _end(_TIME_REST, text, j)
    if c not in ("-", "/", "."):
        return NUMBER, j
    j += 1
    if text[j : j + 1].isdigit():
        kind = NUMBER if c == "." else DATE
        j = _end(_NUMERIC, text, j)
        if text[j : j + 1] == c:
            kind = DATE
            while j < len(text) and (text[j].isdigit() or text[j] == c):
                j += 1
        return kind, j
    while j < len(text) and (text[j].isalnum() or text[j] == c):
        j += 1
    return DATE, j


def _word_field(text: str, i: int) -> tuple[str, int]:
    j = _end(_ALPHA, text, i)
    c = text[j : j + 1]
    if c in ("-", "/", ".") and c:
        return DATE, _end(_DATE_WORD_REST, text, j)
    if c and (c == "+" or c.isdigit()) and text[i:j].lower() not in WORDS:
        return DATE, _end(_DATE_WORD_REST, text, j)
    return STRING, j


def fraction_us(text: str) -> int:
    """`.25` -> microseconds, rounded as a double is."""
    if text == ".":
        return 0
    if not _NUMERIC.fullmatch(text, 1):
        raise BadFormat
    return round(float("0" + text) * 1_000_000)


def whole(text: str) -> int:
    """Digits within 32 bits."""
    if len(text) > 10:
        text = text.lstrip("0")
        if len(text) > 10:
            raise FieldOverflow(False)
    value = int(text)
    if value > 0x7FFFFFFF:
        raise FieldOverflow(False)
    return value


_ZONE: Final = re.compile(r"([+-])([0-9]+)(?::([0-9]*)(?::([0-9]*))?)?")


def zone_offset(text: str) -> int:
    """`+05:30`, `-0800`, `+2` -> seconds east."""
    m = _ZONE.match(text)
    if m is None:
        raise BadFormat
    hours = whole(m[2])
    minutes = seconds = 0
    if m[3] is not None:
        minutes = whole(m[3] or "0")
        seconds = whole(m[4] or "0")
    elif len(text) > 3 and m.end() == len(text):
        hours, minutes = divmod(hours, 100)
    if hours > 15 or minutes > 59 or seconds > 59:
        raise ZoneOverflow
    if m.end() != len(text):
        raise BadFormat
    east = (hours * 60 + minutes) * 60 + seconds
    return -east if m[1] == "-" else east


def input_error(error: Exception, type_name: str, text: str) -> SqlError:
    """The error that the client sees for one of this module's."""
    if isinstance(error, FieldOverflow):
        hint = 'Perhaps you need a different "datestyle" setting.' if error.args and error.args[0] else ""
        return SqlError("22008", f'date/time field value out of range: "{text}"', hint=hint)
    if isinstance(error, ZoneOverflow):
        return SqlError("22009", f'time zone displacement out of range: "{text}"')
    return SqlError("22007", f'invalid input syntax for type {type_name}: "{text}"')
