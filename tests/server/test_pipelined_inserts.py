"""Pipelines of INSERTs, as drivers send their batches: the same replies and the same rows as PostgreSQL, message by message.

    Parse | Bind Describe Execute | Bind Describe Execute | ... | Sync

Rows that come so are taken as batches. Nobody may notice: an error comes after as many CommandCompletes, what was
written before in the transaction is seen, and whatever stands between the rows finds them in their place.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import pytest

from tests.pgwire.live import Client
from tests.pgwire.script import cstr, decode, fields, frame
from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess

pytestmark = pytest.mark.postgres

Address = tuple[str, int, str, str]
Row = Sequence[bytes | None]

SYNC, FLUSH = frame("S"), frame("H")
DESCRIBE = frame("D", b"P\0")
ROW_COUNT = 24


def execute(limit: int = 1) -> bytes:
    return frame("E", b"\0" + struct.pack(">i", limit))


def query(text: str) -> bytes:
    return frame("Q", cstr(text))


def parse(text: str, types: Sequence[int] = (), name: str = "i") -> bytes:
    return frame("P", cstr(name) + cstr(text) + struct.pack(f">H{len(types)}I", len(types), *types))


def bind(row: Row, forms: Sequence[int] = (), name: str = "i", portal: str = "") -> bytes:
    body = (
        cstr(portal)
        + cstr(name)
        + struct.pack(f">H{len(forms)}H", len(forms), *forms)
        + struct.pack(">H", len(row))
    )
    for value in row:
        body += struct.pack(">i", -1) if value is None else struct.pack(">i", len(value)) + value
    return frame("B", body + struct.pack(">H", 0))


def run(rows: Sequence[Row], forms: Sequence[int] = (), *, described: bool = True) -> bytes:
    between = DESCRIBE + execute() if described else execute(0)
    return b"".join(bind(row, forms) + between for row in rows)


@dataclass
class Case:
    """`steps` are packets; each but the last of them ends with Sync or is a query."""

    table: str
    steps: list[bytes]
    look: str = "SELECT * FROM p ORDER BY 1"
    before: list[str] = field(default_factory=list)


TWO = "CREATE TABLE p (id int PRIMARY KEY, v text)"
INSERT = "INSERT INTO p VALUES ($1, $2)"


def two(i: int, value: bytes | None = b"v") -> Row:
    return (b"%d" % i, value)


def rows_of(count: int = ROW_COUNT, first: int = 1) -> list[Row]:
    return [two(i, None if i % 5 == 0 else b"value %d" % i) for i in range(first, first + count)]


def with_row(k: int, row: Row) -> list[Row]:
    rows = rows_of()
    rows[k] = row
    return rows


def simple(table: str, insert: str, rows: Sequence[Row], **more: Any) -> Case:
    types, forms = more.pop("types", ()), more.pop("forms", ())
    return Case(table, [parse(insert, types) + run(rows, forms) + SYNC], **more)


def wide_text(i: int) -> Row:
    return [
        b"%d" % i, b"%d" % (i % 100), b"%d" % (i * 10**12), b"%d.25" % i, b"%de-3" % i, b"-%d.%02d" % (i, i % 100),
        b"%d.0%d" % (i, i), b"name %d \xc3\xa4" % i, b"v%d" % i, b"c%d" % i, b"TRUE" if i % 2 else b"f", b"\\x%02x" % i,
        b"2024-01-%02d +00" % (i + 1), b"12:34:%02d" % i, b"2024-02-29 12:34:%02d.5+00" % i,
        b"2024-02-29 12:34:%02d+02" % i, b"a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a%02d" % i, b'{"a": %d}' % i,
        b'{"b": [%d]}' % i, b"%d days" % i, b"{%d,NULL}" % i, b'{a,"b c"}', b"[1,%d)" % (i + 2), b"10.0.0.%d" % i,
    ]  # fmt: skip


WIDE = (
    "CREATE TABLE p (id int PRIMARY KEY, s int2, b int8, f4 float4, f8 float8, n numeric(12,2), nn numeric, t text, v varchar(20),"
    " c char(6), bo bool, by bytea, d date, ti time, ts timestamp, tz timestamptz, u uuid, j json, jb jsonb, iv interval, ia int[],"
    " ta text[], r int4range, ip inet)"
)
WIDE_INSERT = f"INSERT INTO p VALUES ({', '.join(f'${i}' for i in range(1, 25))})"


def fixed_binary(i: int) -> Row:
    return [
        struct.pack(">i", i), struct.pack(">h", i), struct.pack(">q", i << 40), struct.pack(">f", i / 4),
        struct.pack(">d", i / 8), bytes([i % 2]), bytes([i, 0, 255]), struct.pack(">i", i * 100),
        struct.pack(">q", i * 10**12), struct.pack(">q", -i * 10**12), bytes(range(i, i + 16)), b"t%d" % i, b"\x01{}",
        struct.pack(">q", i * 10**9), struct.pack(">HhHHHH", 2, 0, 0x4000 * (i % 2), 2, i, 2500),
    ]  # fmt: skip


BINARY = (
    "CREATE TABLE p (id int PRIMARY KEY, s int2, b int8, f4 float4, f8 float8, bo bool, by bytea, d date, ts timestamp,"
    " tz timestamptz, u uuid, t varchar(9), jb jsonb, ti time, n numeric(9,2))"
)
BINARY_INSERT = f"INSERT INTO p VALUES ({', '.join(f'${i}' for i in range(1, 16))})"


def nulls_between(rows: Sequence[Row]) -> list[Row]:
    """Every third row has NULLs from its second value on."""
    return [row if i % 3 else [row[0], *[None] * (len(row) - 1)] for i, row in enumerate(rows)]


def values_text(count: int) -> str:
    return "INSERT INTO p VALUES " + ", ".join(f"(${2 * i + 1}, ${2 * i + 2})" for i in range(count))


def flat(rows: Sequence[Row]) -> Row:
    return [value for row in rows for value in row]


CASES: dict[str, Case] = {
    "rows": simple(TWO, INSERT, rows_of()),
    "without Describe": Case(TWO, [parse(INSERT) + run(rows_of(), described=False) + SYNC]),
    "no key": simple("CREATE TABLE p (id int, v text)", INSERT, rows_of()),
    "every type in text": simple(WIDE, WIDE_INSERT, nulls_between([wide_text(i) for i in range(1, 25)])),
    "types as JDBC says them": simple(
        WIDE, WIDE_INSERT, [wide_text(i) for i in range(1, 25)],
        types=[23, 23, 20, 700, 701, 1700, 1700, 1043, 1043, 1043, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    ),
    "binary": simple(BINARY, BINARY_INSERT, nulls_between([fixed_binary(i) for i in range(1, 25)]), forms=[1]),
    "both formats": simple(
        "CREATE TABLE p (id int, v text, n numeric(6,1))", "INSERT INTO p VALUES ($1, $2, $3)",
        [(struct.pack(">i", i), b"x%d" % i, b"%d.5" % i) for i in range(20)], types=[23, 1043, 1700], forms=[1, 0, 0],
    ),
    "widened": simple(
        "CREATE TABLE p (id bigint PRIMARY KEY, s smallint, f float8)", "INSERT INTO p VALUES ($1, $2, $3)",
        [(struct.pack(">i", i), struct.pack(">i", i), struct.pack(">f", i / 4)) for i in range(20)],
        types=[23, 23, 700], forms=[1],
    ),
    "out of range when assigned": simple(
        "CREATE TABLE p (id smallint)", "INSERT INTO p VALUES ($1)", [(b"%d" % (32757 + i),) for i in range(20)], types=[23]
    ),
    "rounded and padded": simple(
        "CREATE TABLE p (n numeric(6,2), c char(4), v varchar(3), ts timestamp(0))", "INSERT INTO p VALUES ($1, $2, $3, $4)",
        [(b"%d.005" % i, b"a%d" % i, b"abc   "[: 3 + i % 3], b"2024-01-01 00:00:%02d.7" % i) for i in range(20)],
    ),
    "computed": simple(
        "CREATE TABLE p (a int, b text, c numeric, d int DEFAULT 7, e text)",
        "INSERT INTO p (a, b, c, e) VALUES ($1 * 2, upper($2), $3::int + 1, 'x')",
        [(b"%d" % i, b"ab%d" % i, b"%d" % i) for i in range(20)],
    ),
    "cut by a cast": simple(
        "CREATE TABLE p (a text)", "INSERT INTO p VALUES ($1::varchar(2))", [(b"abc%d" % i,) for i in range(12)]
    ),
    "defaults and identity": simple(
        "CREATE TABLE p (id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY, v text, w int DEFAULT 3, s serial)",
        "INSERT INTO p (v) VALUES ($1)", [(b"v%d" % i,) for i in range(20)],
    ),
    "generated": simple(
        "CREATE TABLE p (a int, b int GENERATED ALWAYS AS (a * 2) STORED)", "INSERT INTO p VALUES ($1)",
        [(b"%d" % i,) for i in range(20)],
    ),
    "a key that is there": simple(TWO, INSERT, rows_of(), before=["INSERT INTO p VALUES (17, 'there')"]),
    "a key twice": simple(TWO, INSERT, with_row(15, two(3))),
    "a unique key twice": simple(
        "CREATE TABLE p (id int PRIMARY KEY, v text UNIQUE)", INSERT, [two(i, None if i % 2 else b"%d" % (i % 18)) for i in range(24)]
    ),
    "not null": simple("CREATE TABLE p (id int, v text NOT NULL)", INSERT, rows_of()),
    "check": simple("CREATE TABLE p (id int CHECK (id <> 19), v text)", INSERT, rows_of()),
    "check by a function": simple(
        "CREATE TABLE p (id int, v text CHECK (v !~ '1[34]'))", INSERT, rows_of()
    ),
    "domain": Case(
        "CREATE DOMAIN small AS int CHECK (VALUE < 20); CREATE TABLE p (id small, v text)",
        [parse(INSERT, [23, 25]) + run(rows_of()) + SYNC],
    ),
    "bad text": simple(TWO, INSERT, with_row(11, (b"twelve", b"x"))),
    "hexadecimal": simple(TWO, INSERT, with_row(11, (b"0x1F", b"x"))),
    "bad date": simple("CREATE TABLE p (d date)", "INSERT INTO p VALUES ($1)", [(b"2024-02-%02d" % i,) for i in range(20, 34)]),
    "not UTF-8": simple(TWO, INSERT, with_row(11, two(12, b"\xff\xfe"))),
    "a zero byte": simple(TWO, INSERT, with_row(11, two(12, b"a\0b"))),
    "too long": simple("CREATE TABLE p (id int, v varchar(8))", INSERT, rows_of()),
    "malformed binary": simple(
        "CREATE TABLE p (id int)", "INSERT INTO p VALUES ($1)", [*[(struct.pack(">i", i),) for i in range(12)], (b"abc",)], forms=[1]
    ),
    "a parameter too few": Case(TWO, [parse(INSERT) + run([*rows_of(12), (b"1",), *rows_of(3, 40)]) + SYNC]),
    "foreign key": simple(
        "CREATE TABLE q (k int PRIMARY KEY); INSERT INTO q SELECT generate_series(1, 15);"
        " CREATE TABLE p (id int REFERENCES q, v text)",
        INSERT, rows_of(),
    ),
    "foreign key in a block": Case(
        "CREATE TABLE q (k int PRIMARY KEY); CREATE TABLE p (id int REFERENCES q, v text)",
        [query("BEGIN"), query("INSERT INTO q SELECT generate_series(1, 30)"), parse(INSERT) + run(rows_of()) + SYNC, query("COMMIT")],
    ),
    "in a block": Case(
        TWO,
        [
            query("BEGIN"), parse(INSERT) + run(rows_of()) + SYNC, query("SELECT count(*), max(v) FROM p"),
            run(rows_of(first=100)) + SYNC, query("UPDATE p SET v = 'new' WHERE id IN (3, 103)"),
            query("DELETE FROM p WHERE id = 4"), run(rows_of(first=200)) + SYNC, query("COMMIT"),
        ],
    ),
    "a block that fails": Case(
        TWO,
        [
            query("BEGIN"), parse(INSERT) + run(rows_of()) + SYNC, run(with_row(9, two(2))) + SYNC, run(rows_of(first=50)) + SYNC,
            query("SELECT 1"), query("COMMIT"),
        ],
    ),
    "a block rolled back": Case(TWO, [query("BEGIN"), parse(INSERT) + run(rows_of()) + SYNC, query("ROLLBACK")]),
    "the same key in two batches": Case(
        TWO, [query("BEGIN"), parse(INSERT) + run(rows_of()) + SYNC, run([two(i) for i in range(60, 10, -1)]) + SYNC, query("ROLLBACK")]
    ),
    "savepoints": Case(
        TWO,
        [
            query("BEGIN"), parse(INSERT) + run(rows_of()) + SYNC, query("SAVEPOINT s"), run(rows_of(first=100)) + SYNC,
            query("ROLLBACK TO s"), run(rows_of(first=200)) + SYNC, query("SAVEPOINT s2"), run(rows_of(first=200)) + SYNC,
            query("ROLLBACK TO s2"), run(rows_of(12, first=300)) + SYNC, query("COMMIT"),
        ],
    ),
    "keys deleted before": Case(
        TWO, [query("BEGIN"), query("DELETE FROM p"), parse(INSERT) + run(rows_of()) + SYNC, query("COMMIT")],
        before=["INSERT INTO p SELECT i, 'old' FROM generate_series(1, 12) AS i"],
    ),
    "read only": Case(TWO, [query("BEGIN READ ONLY"), parse(INSERT) + run(rows_of()) + SYNC, query("ROLLBACK")]),
    "serializable": Case(
        TWO,
        [query("BEGIN ISOLATION LEVEL SERIALIZABLE"), query("SELECT count(*) FROM p"), parse(INSERT) + run(rows_of()) + SYNC, query("COMMIT")],
    ),
    "a table of this very block": Case(
        "CREATE TABLE other (x int)",
        [query("BEGIN"), query(TWO), parse(INSERT) + run(rows_of()) + SYNC, query("COMMIT")],
    ),
    "two tables": Case(
        "CREATE TABLE p (id int PRIMARY KEY, v text); CREATE TABLE q (id int PRIMARY KEY, v text)",
        [
            query("BEGIN"),
            parse(INSERT) + parse("INSERT INTO q VALUES ($1, $2)", name="j") + run(rows_of())
            + b"".join(bind(row, name="j") + execute() for row in rows_of()) + run(rows_of(first=70)) + SYNC,
            query("COMMIT"),
        ],
        look="SELECT count(*), sum(id), (SELECT count(*) FROM q) FROM p",
    ),
    "other statements between": Case(
        TWO,
        [
            parse(INSERT) + parse("SELECT count(*) FROM p", name="c") + run(rows_of()) + bind((), name="c") + execute(0)
            + run(rows_of(first=50)) + parse("DELETE FROM p WHERE id = $1", name="d") + bind((b"50",), name="d") + execute(0)
            + run(rows_of(first=80)) + SYNC,
        ],
    ),
    "an error after them": Case(TWO, [parse(INSERT) + run(rows_of()) + parse("SELEC", name="e") + run(rows_of(first=60)) + SYNC]),
    "Flush between": Case(TWO, [parse(INSERT) + run(rows_of()) + FLUSH + run(rows_of(first=50)) + FLUSH + SYNC]),
    "a named portal between": Case(
        TWO,
        [
            parse(INSERT) + run(rows_of(10)) + bind(two(40), portal="n") + frame("D", b"Pn\0") + frame("E", b"n\0" + struct.pack(">i", 1))
            + run(rows_of(10, first=50)) + SYNC,
        ],
    ),
    "executed again": Case(TWO, [query("BEGIN"), parse(INSERT) + run(rows_of(10)) + execute(0) + DESCRIBE + SYNC, query("ROLLBACK")]),
    "described otherwise at the end": Case(TWO, [parse(INSERT) + run(rows_of(10)) + bind(two(70)) + execute(0) + SYNC]),
    "formats that change": Case(
        "CREATE TABLE p (id int)",
        [
            parse("INSERT INTO p VALUES ($1)") + run([(b"%d" % i,) for i in range(10)])
            + run([(struct.pack(">i", i),) for i in range(20, 30)], [1]) + SYNC,
        ],
    ),
    "returning": simple(TWO, INSERT + " RETURNING id", rows_of()),
    "on conflict": simple(TWO, INSERT + " ON CONFLICT (id) DO UPDATE SET v = 'again'", with_row(15, two(3))),
    "no such statement": Case(TWO, [run(rows_of()) + SYNC]),
    "VALUES of many": Case(TWO, [parse(values_text(20)) + bind(flat(rows_of(20))) + DESCRIBE + execute() + SYNC]),
    "VALUES of many, many times": Case(
        TWO,
        [
            query("BEGIN"),
            parse(values_text(20)) + b"".join(bind(flat(rows_of(20, i * 20))) + DESCRIBE + execute() for i in range(5)) + SYNC,
            query("SELECT count(*) FROM p"), query("COMMIT"),
        ],
    ),
    "VALUES of many, a key twice": Case(TWO, [parse(values_text(20)) + bind(flat([*rows_of(19), two(7)])) + DESCRIBE + execute() + SYNC]),
    "VALUES of many, different": Case(
        TWO,
        [
            parse("INSERT INTO p VALUES " + ", ".join(f"(${2 * i + 1}, ${2 * i + 2})" for i in range(10)) + ", ($21, upper($22))")
            + bind(flat(rows_of(11))) + DESCRIBE + execute() + SYNC,
        ],
    ),
}  # fmt: skip


def _said(kind: str, payload: bytes) -> str:
    """A reply as a line; of errors everything that clients go by."""
    if kind == "E":
        found = fields(payload)
        return "Error " + " ".join(f"{k}={found[k]!r}" for k in "SVCMDHPstcnd" if k in found)
    return decode(kind, payload)


def _talk(address: Address, case: Case) -> list[str]:
    host, port, user, database = address
    seen: list[str] = []
    with Client(port, host) as client:
        client.socket.settimeout(300)
        client.startup(user=user, database=database)
        client.until_ready()
        for text in [
            "SET client_min_messages = error",
            "DROP TABLE IF EXISTS p, q, other; DROP DOMAIN IF EXISTS small",
            case.table,
            *case.before,
        ]:
            client.send(query(text))
            client.until_ready()
        for step in [*case.steps, query(case.look)]:
            client.send(step)
            while True:
                found = client.frame()
                assert found is not None, "the server has closed"
                seen.append(_said(*found))
                if found[0] == "Z":
                    break
    return seen


@pytest.fixture(scope="module")
def postgres() -> Iterator[Address]:
    try:
        with running_postgres({"fsync": "off"}) as url:
            parts = urlsplit(url)
            yield (
                parts.hostname or "127.0.0.1",
                parts.port or 5432,
                parts.username or "postgres",
                "postgres",
            )
    except NoPostgres as reason:
        pytest.skip(str(reason))


@pytest.mark.parametrize("name", CASES)
def test_the_same_replies_and_rows(postgres: Address, server: ServerProcess, name: str) -> None:
    case = CASES[name]
    assert _talk((server.host, server.port, "tidewire", "tidewire"), case) == _talk(postgres, case)
