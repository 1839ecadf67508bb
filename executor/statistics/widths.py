"""How many bytes PostgreSQL takes for a value in a row, by its text: what pg_stats calls avg_width.

    int 4      text 'abc' 1 + 3     numeric 12345.678 1 + 2 + 2 * 3 digits of four     {1,2} 1 + 20 + 2 * 4

Types without a length of their own that are not among these count with their text. Nothing is compressed nor kept elsewhere.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from decimal import Decimal
from functools import cache
from typing import Any, Final

from planner import types as t
from planner.catalog.system.static import static_columns
from planner.types import oids
from planner.types.enums import EnumSqlType

_ENUM: Final = 4
_SHORT_MAX: Final = 126
"""The length of a value up to which one byte says it."""


def width(text: str, oid: int) -> int:
    """A value of a type, in bytes."""
    if always := fixed(oid):
        return always
    element = t.element_of(oid)
    body = _array(text, element) if element else _BODIES.get(oid, _text)(text)
    return body + (1 if body <= _SHORT_MAX else 4)


def fixed(oid: int) -> int:
    """What all values of a type take; 0: it varies."""
    known = _lengths().get(oid)
    if known is None and oid in t.TYPES and isinstance(t.sql_type(oid), EnumSqlType):
        return _ENUM
    return max(known or 0, 0)


@cache
def _lengths() -> dict[int, int]:
    return {int(oid): int(length) for oid, length in static_columns("pg_type", ("oid", "typlen"))}


def _text(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode())


def _numeric(text: str) -> int:
    """Two bytes, and two for each group of four digits, which begin at the point."""
    if not text.lstrip("-")[:1].isdigit():
        return 2
    whole, _, part = text.lstrip("-").partition(".")
    whole = whole.zfill(-(-len(whole) // 4) * 4)
    part = part.ljust(-(-len(part) // 4) * 4, "0")
    groups = re.findall("....", whole + part)
    while groups and groups[0] == "0000":
        del groups[0]
    while groups and groups[-1] == "0000":
        del groups[-1]
    return 2 + 2 * len(groups)


def _bytes(text: str) -> int:
    return (len(text) - 2) // 2


def _bits(text: str) -> int:
    return 4 + -(-len(text) // 8)


def _address(text: str) -> int:
    return 18 if ":" in text else 6


def _jsonb(text: str) -> int:
    value = json.loads(text, parse_float=Decimal, parse_int=Decimal)
    return _padded(value, 0) if isinstance(value, dict | list) else _container([value], 1, 0)


def _padded(value: Any, at: int) -> int:
    """What a value within a document takes that begins at a place: numbers and containers begin at a multiple of four."""
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, bool) or value is None:
        return 0
    space = -at % 4
    if isinstance(value, Decimal):
        return space + 4 + _numeric(f"{value:f}")
    parts = list(value.values()) if isinstance(value, dict) else value
    keys = sum(map(_text, value)) if isinstance(value, dict) else 0
    entries = len(parts) * (2 if isinstance(value, dict) else 1)
    return space + _container(parts, entries, keys)


def _container(parts: list[Any], entries: int, keys: int) -> int:
    size = 4 + 4 * entries + keys
    for part in parts:
        size += _padded(part, size)
    return size


_BODIES: Final[dict[int, Callable[[str], int]]] = {
    oids.NUMERIC: _numeric,
    oids.BYTEA: _bytes,
    oids.BIT: _bits,
    oids.VARBIT: _bits,
    oids.INET: _address,
    oids.CIDR: _address,
    oids.JSONB: _jsonb,
}
_ELEMENT: Final = re.compile(r'"((?:[^"\\]|\\.)*)"|([^{},"]+)')
_ESCAPED: Final = re.compile(r"\\(.)")


def _array(text: str, element: int) -> int:
    """Twelve bytes, eight for each dimension, a bit for each element if one is NULL, and the elements at multiples of four (or eight)."""
    shown = text.split("=", 1)[-1] if text.startswith("[") else text
    dimensions = len(shown) - len(shown.lstrip("{"))
    parts = [plain or _ESCAPED.sub(r"\1", quoted) for quoted, plain in _ELEMENT.findall(shown)]
    if not parts:
        return 12
    nulls = parts.count("NULL")
    head = 12 + 8 * dimensions + (-(-len(parts) // 8) if nulls else 0)
    align = 8 if fixed(element) == 8 else 4 if fixed(element) in (0, 4, 16) else fixed(element)
    head += -(head + 4) % 8 if nulls else 0
    size = 0
    for part in parts:
        if part != "NULL":
            taken = fixed(element) or width(part, element) + (3 if _short(part, element) else 0)
            size += taken + -taken % align
    return head + size


def _short(text: str, oid: int) -> bool:
    """Whether the value would have a head of one byte in a row: in an array it has four."""
    return width(text, oid) <= _SHORT_MAX + 1


__all__ = ["fixed", "width"]
