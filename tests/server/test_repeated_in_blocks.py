"""Prepared statements that come again, in transaction blocks and as writes: the answers are those of the usual way, to the byte.

Two clients do the same, one after the other, each from the same beginning. One sends each statement as drivers do; the other says
Flush before, and is answered message by message (`tests.server.test_repeated_reads`).
"""

from __future__ import annotations

import asyncio
import random
import struct
from collections.abc import Sequence

import pytest

from tests.pgwire.script import cstr, frame
from tests.server.test_repeated_reads import DESCRIBE, EXECUTE, SYNC, Both, Client, between_two, bound

STATEMENTS = {
    "begin": "BEGIN",
    "end": "END",
    "rollback": "ROLLBACK",
    "add": "UPDATE t SET b = b + $1 WHERE a = $2",
    "get": "SELECT b, c FROM t WHERE a = $1",
    "told": "UPDATE t SET c = $2 WHERE a = $1 RETURNING a, c",
    "lock": "SELECT b FROM t WHERE a = $1 FOR UPDATE",
    "put": "INSERT INTO h VALUES ($1, $2, $3)",
    "own": "INSERT INTO t VALUES ($1, $2, $3, $4, 1.5)",
    "drop": "DELETE FROM t WHERE a = $1",
    "range": "SELECT a, b FROM t WHERE a BETWEEN $1 AND $2 ORDER BY a",
    "count": "SELECT count(*), sum(n) FROM h",
    "ratio": "SELECT 100 / b FROM t WHERE a = $1",
}
BEGIN: tuple[str, ...] = ("begin",)
TEXT, BINARY = b"\0\0", b"\0\1\0\1"
SCRIPTS: dict[str, list[tuple[str | None, ...]]] = {
    "as pgbench": [BEGIN, ("add", "-17", "40"), ("get", "40"), ("put", "40", "-17", "x"), ("end",), ("get", "40"), ("count",)],
    "rolled back": [BEGIN, ("add", "5", "3"), ("get", "3"), ("drop", "4"), ("get", "4"), ("rollback",), ("get", "3"), ("get", "4")],
    "own rows": [
        BEGIN, ("own", "7001", "1", "key 7001", None), ("get", "7001"), ("told", "7001", "ä"), ("range", "6999", "7002"),
        ("drop", "7001"), ("get", "7001"), ("end",),
    ],
    "by themselves": [
        ("add", "1", "8"), ("get", "8"), ("put", "1", "2", None), ("put", None, "2", ""), ("drop", "9"), ("drop", "9"), ("count",),
        ("own", "8", "1", "u", "c"), ("told", "8", None), ("get", "8"),
    ],
    "failed": [
        BEGIN, ("add", "1", "8"), ("ratio", "14"), ("get", "8"), ("add", "1", "8"), BEGIN, ("end",), ("get", "8"),
        BEGIN, ("add", "x", "8"), ("get", "8"), ("rollback",), BEGIN, ("own", "1", "1", "u", "c"), ("put", "1", "1", ""), ("end",),
    ],
    "as long, and no number": [
        ("range", "10", "12"), ("range", "15", "17"), ("range", "1x", "17"), ("range", "-1", "17"), ("range", "1-", "17"), ("range", " 7", "17"),
        ("range", "+9", "17"), ("range", "--", "17"), ("range", "\u0663", "17"), ("range", "1_", "17"), ("range", "08", "12"),
        ("range", "1000000000", "12"), ("range", "9999999999", "12"), ("range", "", "12"), ("range", "", ""),
        ("range", "107", "17"), ("range", "1_7", "17"), ("range", "17 ", "17"), ("range", "1 7", "17"), ("get", "1x"), ("get", "12"),
    ],
    "warned": [("end",), ("rollback",), BEGIN, BEGIN, ("add", "1", "1"), ("end",), ("end",), ("get", "1")],
    "savepoints": [
        BEGIN, ("add", "1", "8"), ("SAVEPOINT s",), ("add", "10", "8"), ("drop", "11"), ("get", "8"), ("ROLLBACK TO s",), ("get", "8"),
        ("get", "11"), ("add", "100", "8"), ("ratio", "14"), ("ROLLBACK TO s",), ("get", "8"), ("end",), ("get", "8"),
    ],
    "read committed": [
        ("BEGIN ISOLATION LEVEL READ COMMITTED",), ("lock", "8"), ("add", "1", "8"), ("get", "8"), ("end",), ("get", "8"),
    ],
    "read only": [("BEGIN READ ONLY",), ("get", "8"), ("add", "1", "8"), ("get", "8"), ("end",)],
    "settings": [
        BEGIN, ("get", "8"), ("SET LOCAL client_encoding = 'LATIN1'",), ("get", "8"), ("told", "8", "ä"), ("end",), ("get", "8"),
    ],
    "DDL": [BEGIN, ("get", "8"), ("ALTER TABLE h ADD COLUMN later int",), ("put", "1", "2", "3"), ("get", "8"), ("rollback",), ("count",)],
    "in words": [
        ("BEGIN",), ("add", "1", "8"), ("COMMIT",), ("begin",), ("get", "8"), ("commit work",), ("BEGIN",), ("BEGIN",), ("ratio", "14"),
        ("COMMIT",), ("COMMIT",), ("BEGIN",), ("SET LOCAL application_name = 'a'",), ("end;",), ("BEGIN",), ("get", "8"), ("COMMIT",),
        ("BEGIN",), ("DECLARE k CURSOR WITH HOLD FOR SELECT 1",), ("COMMIT",), ("FETCH k",), ("CLOSE k",), ("BEGIN",),
        ("SET CONSTRAINTS ALL DEFERRED",), ("put", "1", "2", "3"), ("COMMIT",), ("begin; select 1; commit",), ("count",),
    ],
    "cursors": [BEGIN, ("DECLARE k CURSOR FOR SELECT 1",), ("get", "8"), ("add", "1", "8"), ("end",), ("get", "8")],
}  # fmt: skip


async def _prepared(client: Client) -> None:
    for name, text in STATEMENTS.items():
        await client.prepare(name, text)


async def _from_the_beginning(client: Client) -> None:
    await client.run("DROP TABLE IF EXISTS h; CREATE TABLE h (a int, n bigint, c text)")
    await client.run(
        "DELETE FROM t; INSERT INTO t SELECT i, i % 7, 'key ' || i, 'ä' || i, 1 FROM generate_series(1, 50) i"
    )


async def _played(client: Client, script: Sequence[tuple[str | None, ...]], formats: bytes) -> list[bytes]:
    answers = []
    for what, *values in script:
        assert what is not None
        if what in STATEMENTS:
            answers.append(await client.ask(bound(what, values, formats=formats)))
        else:
            answers.append(await client.run(what))
    return answers


@pytest.mark.parametrize("name", SCRIPTS)
def test_the_answers_are_the_same(name: str) -> None:
    _played_by_both(name)


@between_two
async def _played_by_both(both: Both, name: str) -> None:
    await _from_the_beginning(both[0])
    for client in both:
        await _prepared(client)
    answers = []
    for client in both:
        await _from_the_beginning(client)
        answers.append(
            [await _played(client, SCRIPTS[name], formats) for formats in (TEXT, TEXT, BINARY, BINARY)]
        )
    assert answers[0] == answers[1]
    assert both[0].session.statements["get"].express or name == "warned", "it comes as it came before"


@between_two
async def test_values_of_all_lengths_are_read_where_they_are(both: Both) -> None:
    await _from_the_beginning(both[0])
    for client in both:
        await _prepared(client)
    draw = random.Random(11)
    given = []
    for a in range(400):
        n = draw.choice(
            [None, str(draw.randrange(-(10 ** draw.randrange(1, 18)), 10 ** draw.randrange(1, 18)))]
        )
        text = draw.choice([None, "", "1", "é" * draw.randrange(9), "x" * draw.randrange(1, 300)])
        given.append((str(a), n, text))
    for client in both:
        await client.run("DELETE FROM h")
        for values in given:
            assert b"INSERT 0 1" in await client.ask(bound("put", values))
        for a in (0, 200):
            said = await client.run(f"SELECT a, n, c FROM h WHERE a BETWEEN {a} AND {a + 199} ORDER BY a")
            at = 0
            for row in given[a : a + 200]:
                for value in row:
                    field = (
                        b"\xff" * 4
                        if value is None
                        else len(value.encode()).to_bytes(4, "big") + value.encode()
                    )
                    at = said.index(field, at) + len(field)


def _encoded(given: object) -> tuple[int, bytes | None]:
    """(format, value) of a parameter: numbers with their width in binary, everything else as text."""
    match given:
        case None:
            return 0, None
        case (str(form), value):
            return 1, struct.pack(">" + form, value)
        case bytes():
            return 1, given
        case _:
            return 0, str(given).encode()


def _bind(name: str, values: Sequence[object]) -> bytes:
    encoded = [_encoded(value) for value in values]
    body = cstr("") + cstr(name) + struct.pack(">h", len(values))
    body += b"".join(struct.pack(">h", form) for form, _ in encoded) + struct.pack(">h", len(values))
    for _, raw in encoded:
        body += struct.pack(">i", -1) if raw is None else struct.pack(">i", len(raw)) + raw
    return frame("B", body + TEXT) + DESCRIBE + EXECUTE + SYNC


@between_two
async def test_values_in_binary_are_read_beside_those_in_text(both: Both) -> None:
    given: list[Sequence[object]] = [
        *[(("h", a), ("i", -a), ("q", a << 40), ("d", a / 3), a / 4, "x" * (a % 3)) for a in range(12)],
        (("h", 1), ("i", 2), ("i", 3), ("d", 1.0), 1, ""),  # an int8 of four bytes, and an int2 of eight
        (("q", 1), ("i", 2), ("h", 3), ("d", 1.0), 1, ""),
        (("h", 2), None, ("q", 3), None, None, None),
        (("h", 3), ("i", 1), ("q", 3), ("d", 1.0), "x", ""),
        (("h", 4), ("i", 1), ("q", 3), ("d", float("nan")), "1e3", "\0"),
        (("h", 5), b"", ("q", 3), ("d", 1.0), "2", "é"),
        (("h", -1), ("i", -1), ("q", -1), ("d", -1.0), "-1", "ü"),
    ]
    said = []
    await both[0].run("CREATE TABLE kinds (a int2, b int4, c int8, d float8, e numeric(9,2), f text)")
    for client in both:
        await client.run("DELETE FROM kinds")
        await client.prepare("kinds", "INSERT INTO kinds VALUES ($1, $2, $3, $4, $5, $6)")
        said.append([await client.ask(_bind("kinds", values)) for values in given])
        said.append([await client.run("BEGIN")])
        said.append([await client.ask(_bind("kinds", values)) for values in given[:12]])
        said.append([await client.run("COMMIT"), await client.run("SELECT * FROM kinds ORDER BY a, b, c")])
    assert said[:4] == said[4:]
    assert b"INSERT 0 1" in said[0][11] and b"08P01" in said[0][12]


@between_two
async def test_a_statement_that_waits_for_a_row_answers_when_it_is_free(both: Both) -> None:
    one, holder = both
    await _from_the_beginning(one)
    for client in both:
        await _prepared(client)
    get = bound("get", ("8",))
    for _ in range(3):
        for client in both:
            await client.ask(bound("begin", ()))
        await holder.ask(bound("add", ("10", "8")))
        before = await one.ask(bound("get", ("9",)))
        assert before[-1:] == b"T"
        waiting = asyncio.ensure_future(one.ask(bound("add", ("100", "8"))))
        while one.session.lock_wait is None:  # type: ignore[attr-defined]
            await asyncio.sleep(0)
        assert not waiting.done()
        await holder.ask(bound("end", ()))
        assert b"UPDATE 1" in await waiting
        seen = await one.ask(get)
        assert b"COMMIT" in await one.ask(bound("end", ()))
        assert (await holder.ask(get))[:-1] == seen[:-1]
