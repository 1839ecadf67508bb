"""Python functions for what types do inside PostgreSQL: send functions (the binary format) and hashes.

float8send(1.5)      \\x3ff8000000000000
hashtext('a')        1075015857, and hashtextextended('a', seed) in 64 bits
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Final

from planner.abc import TypeRef
from planner.types import log_places, text_input
from planner.types.datetimes import DATE_INFINITY, TIMESTAMP_INFINITY
from planner.types.hashing import hash_bytes, hash_long, hash_word, signed
from planner.types.macaddrs import octets
from planner.types.networks import to_binary
from planner.types.texts import number_of_byte
from planner.types.value_hashes import float_hash, interval_hash, moment_hash, record_hash, value_hash

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V = "VARCHAR"
_EPOCH_DAYS: Final = 10_957  # 2000-01-01, from where PostgreSQL counts
_DAY_US: Final = 86_400_000_000


def _days(days: int) -> int:
    """A date as PostgreSQL counts it."""
    if abs(days) >= DATE_INFINITY:
        return (1 << 31) - 1 if days > 0 else -(1 << 31)
    return days - _EPOCH_DAYS


def _micros(micros: int) -> int:
    if abs(micros) >= TIMESTAMP_INFINITY:
        return (1 << 63) - 1 if micros > 0 else -(1 << 63)
    return micros - _EPOCH_DAYS * _DAY_US


def _packed(form: str) -> Callable[[Any], bytes]:
    return struct.Struct(form).pack


def _interval_send(value: tuple[int, int, int]) -> bytes:
    months, days, micros = value
    return struct.pack("!qii", micros, days, months)


_SENDS: Final[dict[str, tuple[Callable[[Any], bytes], str]]] = {
    "bool": (_packed("!?"), "BOOLEAN"),
    "int2": (_packed("!h"), "SMALLINT"),
    "int4": (_packed("!i"), "INTEGER"),
    "int8": (_packed("!q"), "BIGINT"),
    "oid": (_packed("!I"), "BIGINT"),
    "float4": (_packed("!f"), "FLOAT"),
    "float8": (_packed("!d"), "DOUBLE"),
    "text": (str.encode, _V),
    "char": (lambda v: bytes((number_of_byte(v) & 0xFF,)), _V),
    "uuid": (lambda v: bytes.fromhex(v.replace("-", "")), _V),
    "date": (lambda v: struct.pack("!i", _days(v)), "DATE"),
    "time": (_packed("!q"), "TIME"),
    "timestamp": (lambda v: struct.pack("!q", _micros(v)), "TIMESTAMP"),
    "timestamptz": (lambda v: struct.pack("!q", _micros(v)), "TIMESTAMP WITH TIME ZONE"),
    "interval": (_interval_send, "INTERVAL"),
    "jsonb": (lambda v: b"\x01" + v.encode(), _V),
    "inet": (lambda v: to_binary(v, False), _V),
    "cidr": (lambda v: to_binary(v, True), _V),
    "macaddr": (octets, _V),
    "pg_lsn": (log_places.to_binary, "BIGINT"),
}

Hash = Callable[..., int]
_HASHES: Final[dict[str, tuple[Hash, str]]] = {
    "int2": (hash_word, "SMALLINT"),
    "int4": (hash_word, "INTEGER"),
    "int8": (hash_long, "BIGINT"),
    "oid": (hash_word, "BIGINT"),
    "float8": (float_hash, "DOUBLE"),
    "text": (lambda v, *seed: hash_bytes(v.encode(), *seed), _V),
    "bpchar": (lambda v, *seed: hash_bytes(v.rstrip(" ").encode(), *seed), _V),
    "char": (lambda v, *seed: hash_word(number_of_byte(v), *seed), _V),
    "uuid": (lambda v, *seed: hash_bytes(bytes.fromhex(v.replace("-", "")), *seed), _V),
    "macaddr": (lambda v, *seed: hash_bytes(octets(v), *seed), _V),
    "pg_lsn": (lambda v, *seed: hash_long(signed(v + (1 << 63), 64), *seed), "BIGINT"),
    "time": (hash_long, "TIME"),
    "timestamp": (moment_hash, "TIMESTAMP"),
    "interval": (interval_hash, "INTERVAL"),
}


def _hash_entries(name: str, made: Hash, duck: str) -> list[Entry]:
    return [
        (f"tw_hash_{name}", lambda v: signed(made(v), 32), (duck,), "INTEGER"),
        (f"tw_hash_{name}_extended", lambda v, seed: signed(made(v, seed), 64), (duck, "BIGINT"), "BIGINT"),
    ]


def _value_hash(oid: int, text: str, *seed: int) -> int:
    """Of any type, whose text is at hand."""
    value = text_input(TypeRef(oid))(text)
    return signed(value_hash(oid, value, *seed), 64 if seed else 32)


def _record_hash(fields: str, text: str, *seed: int) -> int:
    """Of a record whose fields are of the types with these OIDs."""
    return signed(record_hash([int(oid) for oid in fields.split()], text, *seed), 64 if seed else 32)


FUNCTIONS: list[Entry] = [
    ("tw_hash_record", _record_hash, (_V, _V), "INTEGER"),
    ("tw_hash_record_extended", _record_hash, (_V, _V, "BIGINT"), "BIGINT"),
    ("tw_hash_value", _value_hash, ("BIGINT", _V), "INTEGER"),
    ("tw_hash_value_extended", _value_hash, ("BIGINT", _V, "BIGINT"), "BIGINT"),
    *((f"tw_send_{name}", made, (duck,), "BLOB") for name, (made, duck) in _SENDS.items()),
    *(entry for name, (made, duck) in _HASHES.items() for entry in _hash_entries(name, made, duck)),
]
