"""A binary COPY is read by columns, and value by value where that is in doubt: the two must never differ.

Rows come from every sample of every type, from PostgreSQL's own COPY TO and from psycopg's dumpers; then bytes are broken.
"""

from __future__ import annotations

import datetime as dt
import random
import struct
import uuid
from decimal import Decimal

import psycopg
import pyarrow as pa
import pytest
from psycopg.adapt import PyFormat, Transformer

from executor.abc import CopyOptions
from pgwire.encoding.copy_binary import HEADER, TRAILER, BinaryDecoder
from pgwire.encoding.copy_tuples import find_tuples
from planner.abc import SqlError
from planner.types import TypeSettings, to_datums
from tests.encoding.test_copy import Rows, columns_of, decode, encode, load, ours
from tests.types.samples import DATUMS

BINARY = CopyOptions(format="binary")
NAMES = list(DATUMS)


def outcome(names: list[str], data: bytes, *, by_columns: bool, block_bytes: int = 1 << 20) -> object:
    """The rows and the error that ended them, if one did."""
    columns = columns_of(names)
    decoder = BinaryDecoder(columns, BINARY, TypeSettings(), "t", block_bytes)
    decoder._fast_enabled = by_columns
    rows: list[str] = []
    try:
        for batch in decoder.feed(data) + decoder.finish():
            assert batch.schema.equals(decoder.schema)
            for array in batch.columns:
                array.validate(full=array.type != pa.time64("us"))  # Arrow knows no 24:00:00
            lists = [to_datums(array, c.type) for array, c in zip(batch.columns, columns, strict=True)]
            rows += map(repr, zip(*lists, strict=True))
    except SqlError as e:
        return e.sqlstate, e.message, e.detail, e.context
    return rows


def rows_of(names: list[str], rng: random.Random, count: int, nulls: float) -> Rows:
    return [
        tuple(None if rng.random() < nulls else rng.choice(DATUMS[name]) for name in names)
        for _ in range(count)
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_type_alone_and_beside_others(name: str) -> None:
    rng = random.Random(name)
    for nulls in (0.0, 0.3, 1.0):
        for others in ([], ["int4"], ["text", "int8"]):
            names = [name, *others]
            rows = rows_of(names, rng, 40, nulls)
            data = encode(columns_of(names), rows, BINARY)
            wanted = outcome(names, data, by_columns=False)
            assert wanted == [repr(row) for row in rows]
            for block_bytes in (1, 300, 1 << 20):
                assert outcome(names, data, by_columns=True, block_bytes=block_bytes) == wanted


ORDINARY = [
    "bool",
    "int2",
    "int4",
    "int8",
    "float4",
    "float8",
    "numeric(12,2)",
    "numeric",
    "text",
    "varchar(5)",
]
ORDINARY += ["char(5)", "bytea", "date", "time", "timestamp", "timestamptz", "interval", "uuid", "oid"]


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_values_are_read_by_columns_alone(name: str) -> None:
    def refuse(data: bytes) -> object:
        raise AssertionError("read value by value")

    samples: list[object] = ["0", "1.10", "-12345.678"] if name == "numeric" else DATUMS[name]
    rows: Rows = [(value,) for value in [*samples, None, *samples]]
    decoder = BinaryDecoder(columns_of([name]), BINARY)
    decoder._by_value = [refuse]
    batches = decoder.feed(encode(columns_of([name]), rows, BINARY)) + decoder.finish()
    assert sum(batch.num_rows for batch in batches) == len(rows)


@pytest.mark.parametrize("seed", range(12))
def test_broken_bytes(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(15):
        names = rng.choices(NAMES, k=rng.randint(1, 5))
        data = bytearray(encode(columns_of(names), rows_of(names, rng, 12, 0.2), BINARY))
        for _ in range(rng.randint(1, 3)):
            data[rng.randrange(len(HEADER), len(data))] = rng.choice(
                [0, 1, 2, 4, 8, 0x7F, 0xFF, rng.randrange(256)]
            )
        if rng.random() < 0.2:
            del data[rng.randrange(len(HEADER), len(data)) :]
        broken = bytes(data)
        assert outcome(names, broken, by_columns=True) == outcome(names, broken, by_columns=False), names


def test_numerics_of_every_scale_and_size() -> None:
    rng = random.Random(5)
    values = []
    for _ in range(600):
        places, digits = rng.randint(0, 12), rng.randint(1, 22)
        values.append(str(Decimal(rng.randrange(-(10**digits), 10**digits)).scaleb(-places)))
    values = [format(Decimal(v), "f") for v in values]
    for few in (values, [v for v in values if len(v) < 12], [v for v in values if "." not in v]):
        data = encode(columns_of(["numeric"]), [(v,) for v in few], BINARY)
        assert outcome(["numeric"], data, by_columns=True) == [repr((v,)) for v in few]
    for name in ("numeric(12,4)", "numeric(18,3)", "numeric(30,6)", "numeric(40,2)", "numeric(6,-2)"):
        data = encode(columns_of(["numeric"]), [(v,) for v in values if abs(Decimal(v)) < 10**7], BINARY)
        assert outcome([name], data, by_columns=True) == outcome([name], data, by_columns=False), name


def test_a_value_that_looks_like_tuples_is_a_value() -> None:
    names = ["bytea", "int4"]
    columns = columns_of(names)
    inner = encode(columns, [(b"x", 1), (b"\0\2" * 9, 2), (None, None)], BINARY)[len(HEADER) :]
    rng = random.Random(3)
    rows: Rows = [(inner * rng.randint(0, 3), i) for i in range(200)]
    data = encode(columns, rows, BINARY)
    assert decode(columns, data, BINARY) == rows
    found = find_tuples(data, len(HEADER), len(data), [0, 4])
    assert found is not None and (found.count, found.end) == (len(rows), len(data) - len(TRAILER))


def test_what_looks_like_tuples_does_not_hide_an_error() -> None:
    """The first tuple is wrong, and whole ones stand in a value behind it."""
    names = ["int4", "bytea"]
    whole = encode(columns_of(names), [(7, b"")] * 50, BINARY)[len(HEADER) :]
    value = struct.pack("!i", len(whole)) + whole
    data = HEADER + b"\0\2" + struct.pack("!ih", 2, 1) + value + TRAILER
    wanted = ("08P01", "insufficient data left in message", "", "COPY t, line 1, column a")
    assert outcome(names, data, by_columns=False) == outcome(names, data, by_columns=True) == wanted


ONE = struct.pack("!hii", 2, 4, 7) + struct.pack("!i", 1) + b"x"
BROKEN = {
    "too short": ONE + b"\0\2" + struct.pack("!ih", 2, 1),
    "too long": ONE + b"\0\2" + struct.pack("!iq", 8, 1) + struct.pack("!i", -1),
    "a negative size": ONE + b"\0\2" + struct.pack("!ii", 4, 1) + struct.pack("!i", -2),
    "three fields": ONE + struct.pack("!hiii", 3, -1, -1, -1),
    "no field": ONE + struct.pack("!h", 0),
    "an end within a value": ONE + ONE[:-3],
    "an end within a size": ONE + ONE[:4],
    "an end after a count": ONE + ONE[:2],
    "no trailer": ONE,
    "an end within a count": ONE + b"\0",
    "more after the trailer": ONE + TRAILER + b"x",
    "not UTF-8": ONE + ONE[:-1] + b"\xff" + TRAILER,
    "a zero byte in text": ONE + ONE[:-1] + b"\0" + TRAILER,
}


@pytest.mark.parametrize("body", BROKEN.values(), ids=BROKEN)
def test_errors_are_those_of_postgres(postgres: psycopg.Connection, body: bytes) -> None:
    types = ["int4", "text"]
    theirs = load(postgres, types, HEADER + body, "format binary")
    assert ours(types, HEADER + body, BINARY) == theirs


def test_postgres_writes_what_we_read(postgres: psycopg.Connection) -> None:
    """Every type with NULLs, as PostgreSQL's COPY TO writes it in binary and in text: the same rows."""
    rng = random.Random(11)
    names = [n for n in NAMES if n != "name"]
    columns = columns_of(names)
    rows = rows_of(names, rng, 300, 0.15)
    postgres.execute("set timezone = 'UTC'; drop table if exists t")
    postgres.execute(f"create table t ({', '.join(f'c{i} {n}' for i, n in enumerate(names))})")
    with postgres.cursor().copy("copy t from stdin (format binary)") as copy:
        copy.write(encode(columns, rows, BINARY))
    with postgres.cursor().copy("copy t to stdout (format binary)") as copy:
        theirs = b"".join(bytes(piece) for piece in copy)
    with postgres.cursor().copy("copy t to stdout") as copy:
        texts = b"".join(bytes(piece) for piece in copy)
    got = decode(columns, theirs, BINARY)
    assert repr(got) == repr(decode(columns, texts, CopyOptions()))
    assert outcome(names, theirs, by_columns=True) == outcome(names, theirs, by_columns=False)


def test_psycopg_dumps_what_we_read() -> None:
    rng = random.Random(17)
    names = [
        "int8",
        "float8",
        "text",
        "bytea",
        "date",
        "timestamp",
        "timestamptz",
        "time",
        "interval",
        "uuid",
    ]
    names += ["numeric", "bool"]
    day = dt.datetime(2000, 1, 1)
    seconds = [rng.randrange(-(10**9), 10**9) for _ in range(100)]
    rows = [
        (
            1 << 40 | s if s >= 0 else None,
            s / 8,
            f"text {s} é" if s % 3 else "",
            str(s).encode(),
            (day + dt.timedelta(seconds=s)).date(),
            day + dt.timedelta(seconds=s, microseconds=7),
            (day + dt.timedelta(seconds=s)).replace(tzinfo=dt.UTC),
            (day + dt.timedelta(seconds=s)).time(),
            dt.timedelta(seconds=s),
            uuid.UUID(int=s * s),
            Decimal(s).scaleb(-rng.randint(0, 5)),
            s % 2 == 0,
        )
        for s in seconds
    ]
    transformer = Transformer()

    def field(value: object) -> bytes:
        if value is None:
            return b"\xff\xff\xff\xff"
        dumped = bytes(transformer.get_dumper(value, PyFormat.BINARY).dump(value) or b"")
        if isinstance(value, int) and not isinstance(value, bool):
            dumped = struct.pack("!q", value)  # psycopg takes the smallest type, COPY the column's
        return struct.pack("!i", len(dumped)) + dumped

    body = b"".join(struct.pack("!h", len(names)) + b"".join(map(field, row)) for row in rows)
    got = decode(columns_of(names), HEADER + body + TRAILER, BINARY)
    epoch, micro = dt.datetime(1970, 1, 1), dt.timedelta(microseconds=1)
    for found, given in zip(got, rows, strict=True):
        number, real, text, raw, date, stamp, instant, time, span, key, exact, flag = given
        assert found == (
            number,
            real,
            text,
            raw,
            (date - epoch.date()).days,
            (stamp - epoch) // micro,
            (instant.replace(tzinfo=None) - epoch) // micro,
            (dt.datetime.combine(epoch, time) - epoch) // micro,
            (0, span.days, (span - dt.timedelta(days=span.days)) // micro),
            str(key),
            format(exact, "f"),
            flag,
        )
