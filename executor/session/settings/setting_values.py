"""What a setting may be set to: the text of a SET becomes the one text that is kept, or an error that says what may be.

    bool     on, yes, TRUE, 1, o-n ...      on          what begins one of the words, and only one
    int      1h, '2 MB', 0x10, 1e3          in the setting's unit, within its range
    enum     any case                       as PostgreSQL spells it
    lists of words, time zones, encodings, DateStyle and so on: each by a function of its own

Nothing here knows a session: what is set already comes as an argument where it matters (DateStyle has two halves).
"""

from __future__ import annotations

import re
import zoneinfo
from collections.abc import Callable
from math import isfinite
from typing import Final

from executor.abc import ExecutionError
from executor.session.settings.guc_table import UNSUPPORTED, Guc
from planner.abc import SqlError, TypeRef
from planner.catalog.names import split_name
from planner.catalog.text_search import CONFIGURATION
from planner.types import INTERVAL, input_text
from planner.types.encodings import encoding_named
from planner.types.timezones import find_zone

_TIME_UNITS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "min": 60_000.0, "h": 3_600_000.0, "d": 86_400_000.0}
_MEMORY_UNITS = {"B": 1.0, "kB": 1024.0, "MB": 1024.0**2, "GB": 1024.0**3, "TB": 1024.0**4}
_BASE = {"ms": 1.0, "s": 1000.0, "min": 60_000.0, "B": 1.0, "kB": 1024.0, "8kB": 8192.0, "MB": 1024.0**2}
_NUMBER = re.compile(r"\s*([+-]?(?:\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+|0[xX][0-9a-fA-F]+))\s*([A-Za-z]*)\s*\Z")
_DIGITS_MAX = 200
_TRUE = ("true", "yes", "on", "1")
_FALSE = ("false", "no", "off", "0")


def unknown_setting(name: str) -> ExecutionError:
    return ExecutionError("42704", f'unrecognized configuration parameter "{name}"')


def invalid(guc: Guc, value: str, hint: str = "") -> ExecutionError:
    return ExecutionError("22023", f'invalid value for parameter "{guc.name}": "{value}"', hint=hint)


def _parse_bool(guc: Guc, value: str) -> str:
    meaning = truth(value)
    if meaning is None:
        raise ExecutionError("22023", f'parameter "{guc.name}" requires a Boolean value')
    return "on" if meaning else "off"


def _parse_choice(guc: Guc, value: str) -> str:
    choice = value.strip().lower()
    if choice not in guc.choices:
        # Words that PostgreSQL takes and does not tell of.
        other = {
            "true": "on",
            "yes": "on",
            "1": "on",
            "false": "off",
            "no": "off",
            "0": "off",
            "debug": "debug2",
        }
        choice = other.get(choice, "")
        if choice not in guc.choices:
            raise invalid(guc, value, f"Available values: {', '.join(guc.choices)}.")
    return choice


def _supported(key: str, value: str) -> str:
    """Raises 0A000 for a value that PostgreSQL would heed, and that is not heeded here."""
    if value == UNSUPPORTED.get(key):
        raise ExecutionError("0A000", f"{key} = {value} is not supported")
    return value


def _parse_number(guc: Guc, value: str) -> str:
    m = _NUMBER.match(value)
    if m is None:
        raise invalid(guc, value)
    digits, unit = m.groups()
    if len(digits) > _DIGITS_MAX:
        raise invalid(guc, value)
    number = float(int(digits, 16)) if digits.lower().lstrip("+-").startswith("0x") else float(digits)
    if unit:
        units = _TIME_UNITS if guc.unit in ("ms", "s", "min") else _MEMORY_UNITS if guc.unit else {}
        if unit not in units:
            *most, last = (f'"{u}"' for u in units) if units else ("",)
            raise invalid(
                guc,
                value,
                f"Valid units for this parameter are {', '.join(most)}, and {last}." if units else "",
            )
        number = number * units[unit] / _BASE[guc.unit]
    if not isfinite(number):
        raise invalid(guc, value)
    if guc.kind == "int":
        number = round(number)
        if not -(2**31) <= number < 2**31:
            raise invalid(guc, value, "Value exceeds integer range.")
    if not guc.low <= number <= guc.high:
        suffix = f" {guc.unit}" if guc.unit else ""
        shown, low, high = (f"{n:.15g}" for n in (number, guc.low, guc.high))
        raise ExecutionError(
            "22023",
            f'{shown}{suffix} is outside the valid range for parameter "{guc.name}" ({low} .. {high})',
        )
    return str(int(number)) if guc.kind == "int" else f"{number:.15g}"


def shown(guc: Guc, value: str) -> str:
    """As SHOW prints it: a number with the largest unit that divides it, a fraction with the smallest unit."""
    if guc.kind not in ("int", "real") or not guc.unit:
        return value
    number = int(value) if guc.kind == "int" else float(value)
    if number <= 0:
        return value
    units = _TIME_UNITS if guc.unit in ("ms", "s", "min") else _MEMORY_UNITS
    total = number * _BASE[guc.unit]
    for unit, size in sorted(units.items(), key=lambda u: -u[1]):
        if total >= size and total % size == 0:
            return f"{int(total // size)}{unit}"
    if guc.kind != "real":
        return value
    unit, size = min(units.items(), key=lambda u: u[1])
    return f"{total / size:g}{unit}"


def _parse_date_style(guc: Guc, value: str, current: str) -> str:
    style, order = (part.strip() for part in current.split(","))
    for word in value.replace('"', "").split(","):
        w = word.strip().lower()
        if w == "iso":
            style = "ISO"
        elif w == "sql":
            style = "SQL"
        elif w.startswith("postgres"):
            style = "Postgres"
        elif w == "german":
            style, order = "German", "DMY"
        elif w == "ymd":
            order = "YMD"
        elif w == "dmy" or w.startswith("euro"):
            order = "DMY"
        elif w in ("mdy", "us", "noneuro", "noneuropean"):
            order = "MDY"
        elif w == "default":
            style, order = "ISO", "MDY"
        else:
            raise invalid(guc, value)
    return f"{style}, {order}"


_ZONES: dict[str, str] = {}


def _displacement(guc: Guc, value: str) -> re.Match[str] | None:
    """`interval -7h` as hours and minutes east. Raises 22023 for months and days."""
    months, days, micros = input_text(value[len("interval ") :], TypeRef(INTERVAL))
    if months or days:
        raise ExecutionError(
            "22023",
            f'invalid value for parameter "{guc.name}": "{value}"',
            detail=f"Cannot specify {'months' if months else 'days'} in time zone interval.",
        )
    minutes = abs(micros) // 60_000_000
    hours = f"{'-' if micros < 0 else '+'}{minutes / 60:.6f}"
    return re.fullmatch(r"([+-])(\d+)\.(\d+)", hours)


def _parse_time_zone(guc: Guc, value: str) -> str:
    v = value.strip().strip("'")
    if v.lower() in ("local", "default"):
        return "UTC"
    if not _ZONES:
        _ZONES.update({z.lower(): z for z in zoneinfo.available_timezones()})
        _ZONES.update({"utc": "UTC", "gmt": "GMT", "z": "UTC"})
    known = _ZONES.get(v.lower())
    if known is not None:
        return known
    m = re.fullmatch(r"([+-]?)(\d{1,3})(?:\.(\d+))?", v)
    if v.lower().startswith("interval "):
        m = _displacement(guc, v)
    if m and int(m[2]) <= 167:
        sign, hours = m[1] or "+", int(m[2])
        minutes = round(float(f".{m[3] or 0}") * 60)
        shown = f"{sign}{hours:02d}" + (f":{minutes:02d}" if minutes else "")
        inverse = ("-" if sign == "+" else "+") + shown[1:]
        return f"<{shown}>{inverse}"
    # What is no number of hours is POSIX's: `XYZ+4`, `<+07>-7`, and `+03:30`, which is west of Greenwich.
    if find_zone(v) is None:
        raise invalid(guc, value)
    return v


def _parse_text_search(guc: Guc, value: str) -> str:
    """A name. Whether there is one the session knows (`session.text_search`), and at its start nobody asks."""
    try:
        schema, name = split_name(value)
    except SqlError:
        raise invalid(guc, value) from None
    return f"pg_catalog.{name}" if not schema and name in CONFIGURATION.own else value


def _parse_encoding(guc: Guc, value: str) -> str:
    found = encoding_named(value)
    if found is None:
        raise invalid(guc, value)
    if not found.codec:
        raise ExecutionError(
            "0A000",
            f'invalid value for parameter "{guc.name}": "{value}"',
            detail=f"Conversion between {found.name} and UTF8 is not supported.",
        )
    return found.name


def canonical_value(guc: Guc, value: str, date_style: str) -> str:
    """What is kept of a value. `date_style` is the one that a word for one of its halves leaves as it is. Raises 22023, 0A000."""
    key = guc.name.lower()
    by_itself = _BY_THEMSELVES.get(key)
    if by_itself is not None:
        return by_itself(guc, value)
    if key == "datestyle":
        return _parse_date_style(guc, value, date_style)
    if guc.kind == "bool":
        said = _supported(key, _parse_bool(guc, value))
        if key == "default_with_oids" and said == "on":
            raise ExecutionError("0A000", "tables declared WITH OIDS are not supported")
        return said
    if guc.kind in ("int", "real"):
        return _parse_number(guc, value)
    if guc.kind == "enum":
        return _supported(key, _parse_choice(guc, value))
    return value


_BY_THEMSELVES: Final[dict[str, Callable[[Guc, str], str]]] = {
    "timezone": _parse_time_zone,
    "client_encoding": _parse_encoding,
    "default_text_search_config": _parse_text_search,
}


def truth(value: str) -> bool | None:
    """Of a word for a truth value, or its beginning. None for what is none, "o" among it: it could be on or off."""
    word = value.strip().lower()
    if word not in ("", "o"):
        for words, meaning in ((_TRUE, True), (_FALSE, False)):
            if any(full.startswith(word) for full in words):
                return meaning
    return None
