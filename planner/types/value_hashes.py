"""PostgreSQL's hashes of values of any type, as its hash functions and HASH partitions have them, over the words of `hashing`.

    numeric           its digits in base 10000 without zeros at either end, and where they begin: 1.50 and 1.5 are equal
    arrays, records   31 times what there was, and the next one's
    ranges            what kind of bounds, and the bounds
    jsonb             each key and value, turned by one bit
    enums             the label's OID, which a copied database's labels have anew: HASH partitions are not dealt out by it

`value_hash(oid, datum)` has 32 bits; with a seed it is the extended one's, of 64. A type that has no hash function there is 42883.
"""

from __future__ import annotations

import json
import math
import struct
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from typing import Any, Final

from planner.abc import SqlError
from planner.types import oids
from planner.types.arrays import ArrayType, VectorType
from planner.types.composites import CompositeSqlType, split_record
from planner.types.datetimes import DATE_INFINITY, TIMESTAMP_INFINITY, timetz_parts
from planner.types.enums import EnumSqlType
from planner.types.hashing import hash_bytes, hash_long, hash_word, signed
from planner.types.macaddrs import octets
from planner.types.networks import to_binary
from planner.types.ranges import BEGINNING, ENDING, RangeType, Span
from planner.types.registry import element_of, sql_type
from planner.types.settings import DEFAULT_SETTINGS
from planner.types.texts import number_of_byte
from storage.abc import Datum

Seed = int | None
_EPOCH_DAYS: Final = 10_957  # 2000-01-01, from where PostgreSQL counts
_DAY_US: Final = 86_400_000_000
_MONTH_DAYS: Final = 30
_LOW: Final = (1 << 32) - 1
_WIDE: Final = (1 << 64) - 1
_NAN: Final = struct.pack("<d", math.nan)
_BASE: Final = 10_000
_LOWER_IN, _UPPER_IN, _NO_LOWER, _NO_UPPER, _EMPTY = 2, 4, 8, 16, 1
_OF_ARRAY, _OF_OBJECT = 0x40000000, 0x20000000


def _mask(seed: Seed) -> int:
    return _LOW if seed is None else _WIDE


def _turned(value: int, seed: Seed) -> int:
    """By one bit; of 64 each half by itself."""
    if seed is None:
        return (value << 1 | value >> 31) & _LOW
    return (value << 1 & 0xFFFFFFFEFFFFFFFE) | (value >> 31 & 0x100000001)


def _in_a_row(hashes: Iterable[int], start: int, seed: Seed) -> int:
    total = start
    for one in hashes:
        total = (total << 5) - total + one & _mask(seed)
    return total


# --- scalars --------------------------------------------------------------------------------------------


def float_hash(value: float, seed: Seed = None) -> int:
    if not value:  # 0 and -0 are equal
        return 0 if seed is None else seed & _WIDE
    return hash_bytes(_NAN if math.isnan(value) else struct.pack("<d", value), seed)


def interval_hash(value: tuple[int, int, int], seed: Seed = None) -> int:
    months, days, micros = value
    span = (months * _MONTH_DAYS + days) * _DAY_US + micros
    return hash_long(signed(span & _WIDE, 64), seed)


def date_hash(days: int, seed: Seed = None) -> int:
    if abs(days) >= DATE_INFINITY:
        return hash_word((1 << 31) - 1 if days > 0 else -(1 << 31), seed)
    return hash_word(days - _EPOCH_DAYS, seed)


def moment_hash(micros: int, seed: Seed = None) -> int:
    if abs(micros) >= TIMESTAMP_INFINITY:
        return hash_long((1 << 63) - 1 if micros > 0 else -(1 << 63), seed)
    return hash_long(micros - _EPOCH_DAYS * _DAY_US, seed)


def numeric_hash(value: Decimal | str, seed: Seed = None) -> int:
    number = Decimal(value)
    if not number.is_finite():
        return 0 if seed is None else seed & _WIDE
    if not number:
        return _LOW if seed is None else seed - 1 & _WIDE
    _, digits, exponent = number.as_tuple()
    assert isinstance(exponent, int)
    text = "".join(map(str, digits)).lstrip("0") + "0" * (exponent % 4)
    text = "0" * (-len(text) % 4) + text
    weight = len(text) // 4 - 1 + exponent // 4
    groups = [int(text[i : i + 4]) for i in range(0, len(text), 4)]
    while not groups[-1]:
        groups.pop()
    hashed = hash_bytes(struct.pack(f"<{len(groups)}h", *groups), seed)
    return hashed ^ weight & _mask(seed)


def _timetz_hash(text: str, seed: Seed = None) -> int:
    micros, east = timetz_parts(text)
    return hash_long(micros, seed) ^ hash_word(-east, seed)


def _inet_hash(text: str, seed: Seed = None) -> int:
    sent = to_binary(text, False)
    return hash_bytes(sent[:2] + sent[4:], seed)


def _jsonb_hash(text: str, seed: Seed = None) -> int:
    value = json.loads(text, parse_int=Decimal, parse_float=Decimal, object_pairs_hook=_Object)
    if isinstance(value, list) and not value:
        return 0 if seed is None else seed & _WIDE
    found = 0
    todo: list[Any] = [value if isinstance(value, list) else [value]]  # alone it lies in an array of its own
    while todo:
        part = todo.pop()
        if isinstance(part, _Object):
            found ^= _OF_OBJECT if seed is None else _OF_OBJECT << 32 | _OF_OBJECT
            todo += [x for pair in reversed(part) for x in reversed(pair)]
        elif isinstance(part, list):
            found ^= _OF_ARRAY if seed is None else _OF_ARRAY << 32 | _OF_ARRAY
            todo += reversed(part)
        else:
            found = _turned(found, seed) ^ _json_scalar(part, seed)
    return found


class _Object(list[tuple[str, Any]]):
    """The pairs of an object in their order."""


def _json_scalar(value: Any, seed: Seed) -> int:
    if value is None:
        return (1 if seed is None else seed + 1) & _mask(seed)
    if isinstance(value, bool):
        return hash_word(int(value), seed) if seed else (2 if value else 4)
    if isinstance(value, Decimal):
        return numeric_hash(value, seed)
    return hash_bytes(str(value).encode(), seed)


_text: Final[Callable[..., int]] = lambda v, seed=None: hash_bytes(v.encode(), seed)  # noqa: E731
_HASHES: Final[dict[int, Callable[..., int]]] = {
    oids.BOOL: lambda v, seed=None: hash_word(int(v), seed),
    oids.INT2: hash_word,
    oids.INT4: hash_word,
    oids.INT8: hash_long,
    oids.OID: hash_word,
    oids.FLOAT4: float_hash,
    oids.FLOAT8: float_hash,
    oids.NUMERIC: numeric_hash,
    oids.TEXT: _text,
    oids.VARCHAR: _text,
    oids.NAME: _text,
    oids.BPCHAR: lambda v, seed=None: hash_bytes(v.rstrip(" ").encode(), seed),
    oids.CHAR: lambda v, seed=None: hash_word(number_of_byte(v), seed),
    oids.UUID: lambda v, seed=None: hash_bytes(bytes.fromhex(str(v).replace("-", "")), seed),
    oids.MACADDR: lambda v, seed=None: hash_bytes(octets(v), seed),
    oids.MACADDR8: lambda v, seed=None: hash_bytes(octets(v), seed),
    oids.DATE: date_hash,
    oids.TIME: hash_long,
    oids.TIMETZ: _timetz_hash,
    oids.TIMESTAMP: moment_hash,
    oids.TIMESTAMPTZ: moment_hash,
    oids.INTERVAL: interval_hash,
    oids.INET: _inet_hash,
    oids.CIDR: _inet_hash,
    oids.JSONB: _jsonb_hash,
    oids.PG_LSN: lambda v, seed=None: hash_long(signed(v + (1 << 63), 64), seed),
}


# --- values made of others ----------------------------------------------------------------------------------


def value_hash(oid: int, value: Datum, seed: Seed = None) -> int:
    """Unsigned. Raises 42883."""
    found = _HASHES.get(oid)
    if found is not None:
        return found(value, seed)
    kind = sql_type(oid)
    if isinstance(kind, ArrayType):
        element = kind.element.oid
        return _in_a_row((_element(element, x, seed) for x in kind.items(value)), 1, seed)
    if isinstance(kind, CompositeSqlType):
        return record_hash([ref.oid for _, ref in kind.fields], str(value), seed)
    if isinstance(kind, RangeType):
        spans, subtype = kind.spans(value), kind.kind.subtype.oid
        if kind.multi:
            return _in_a_row((_range_hash(subtype, span, seed) for span in spans), 1, seed)
        return _range_hash(subtype, spans[0] if spans else None, seed)
    if isinstance(kind, VectorType) and oid == oids.OIDVECTOR:
        return hash_bytes(struct.pack(f"<{len(value)}I", *value), seed)
    if isinstance(kind, EnumSqlType):
        return hash_word(kind.number_of(str(value)), seed)
    what = "a hash function" if seed is None else "an extended hash function"
    raise SqlError("42883", f"could not identify {what} for type {kind.format(-1)}")


def record_hash(fields: Sequence[int], text: str, seed: Seed = None) -> int:
    """Of a record with fields of these types, as it is shown."""
    items = zip(fields, split_record(text), strict=True)
    return _in_a_row((_field(oid, x, seed) for oid, x in items), 0, seed)


def _element(oid: int, value: Datum, seed: Seed) -> int:
    return 0 if value is None else value_hash(oid, value, seed)


def _field(oid: int, text: str | None, seed: Seed) -> int:
    if text is None:
        _refuse_unhashed(oid, seed)
        return 0
    return value_hash(oid, sql_type(oid).text_input(-1, DEFAULT_SETTINGS)(text), seed)


def _refuse_unhashed(oid: int, seed: Seed) -> None:
    """Raises 42883 for a type without one, of which no value is at hand."""
    kind = sql_type(oid)
    if oid not in _HASHES and not isinstance(kind, ArrayType | CompositeSqlType | RangeType):
        value_hash(oid, (), seed)


def _range_hash(oid: int, span: Span | None, seed: Seed) -> int:
    if span is None:
        return _turned(hash_word(_EMPTY, seed), seed)
    low, high = span
    flags = _NO_LOWER if low is BEGINNING or low.rank else 0 if low.side else _LOWER_IN
    flags |= _NO_UPPER if high is ENDING or high.rank else _UPPER_IN if high.side else 0
    lower = 0 if flags & _NO_LOWER else value_hash(oid, low.value, seed)
    upper = 0 if flags & _NO_UPPER else value_hash(oid, high.value, seed)
    return _turned(hash_word(flags, seed) ^ lower, seed) ^ upper


def can_hash(oid: int) -> bool:
    """Whether values of a type can be dealt out to HASH partitions."""
    if oid in _HASHES:
        return True
    element = element_of(oid)
    return bool(element) and can_hash(element)


__all__ = [
    "can_hash",
    "float_hash",
    "interval_hash",
    "moment_hash",
    "numeric_hash",
    "record_hash",
    "value_hash",
]
