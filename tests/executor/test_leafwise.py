"""Statements of a partitioned table that one leaf answers: at the fast door, by that leaf's keys, and as DuckDB would."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from executor.abc import PENDING, Rows
from tests.executor.sql import Client, Server

SIDE = 12
MADE = [
    "CREATE TABLE o (a int, b int, c int, t varchar(9), PRIMARY KEY (a, b)) PARTITION BY LIST (a)",
    "CREATE TABLE o_x (t varchar(9), c int, b int, a int, PRIMARY KEY (a, b))",
    "ALTER TABLE o ATTACH PARTITION o_x FOR VALUES IN (12)",
    "CREATE TABLE o_1 PARTITION OF o FOR VALUES IN (1, 2, 3)",
    "CREATE TABLE o_2 PARTITION OF o DEFAULT PARTITION BY HASH (b)",
    "CREATE TABLE o_20 PARTITION OF o_2 FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
    "CREATE TABLE o_21 PARTITION OF o_2 FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
    "CREATE INDEX ON o (c)",
    "CREATE TABLE l (b int, a int, n int, PRIMARY KEY (a, b, n)) PARTITION BY HASH (b)",
    "CREATE TABLE l_0 PARTITION OF l FOR VALUES WITH (MODULUS 2, REMAINDER 0)",
    "CREATE TABLE l_1 PARTITION OF l FOR VALUES WITH (MODULUS 2, REMAINDER 1)",
    f"INSERT INTO o SELECT a, b, nullif((a * b) % 7, 6), 't' || b FROM generate_series(1, {SIDE}) a, generate_series(1, {SIDE}) b",
    "INSERT INTO l SELECT b, a, n FROM o, generate_series(1, 3) n WHERE (a + b) % 4 > 0",
]
READS = [
    ("SELECT t, c FROM o WHERE a = 1 AND b = 3", True),
    ("SELECT * FROM o WHERE b = 3 AND a = 2 AND c IS NULL", True),
    ("SELECT o.* FROM o WHERE a = 7 AND b = 3", True),
    ("SELECT t FROM o WHERE a = 7 AND b IN (1, 2, 3, 4, 5, 6, 7)", False),
    ("SELECT t FROM o WHERE a IN (1, 2) AND b = 4", True),
    ("SELECT t FROM o WHERE a = 12 AND b = 4", False),
    ("SELECT t FROM o WHERE a = NULL AND b = 4", False),
    ("SELECT b FROM o WHERE a = 2 AND b BETWEEN 3 AND 8 ORDER BY b DESC", True),
    ("SELECT b FROM o WHERE a = 3 AND c = 2 ORDER BY b", True),
    ("SELECT count(*), sum(c), max(t) FROM o WHERE a = 3", True),
    ("SELECT b FROM o WHERE a = 3 ORDER BY b LIMIT 3", True),
    ("SELECT b FROM o WHERE a = 9 AND b = 3 ORDER BY b LIMIT 3", True),
    ("SELECT b FROM o WHERE a = 9 ORDER BY b LIMIT 3", False),
    ("SELECT b, tableoid > 0 FROM o WHERE a = 3 AND b = 3", False),
    ("SELECT t, n FROM o JOIN l ON l.a = o.a AND l.b = o.b WHERE o.a = 1 AND o.b = 4 ORDER BY n", True),
    ("SELECT t, n FROM l JOIN o ON l.a = o.a AND l.b = o.b WHERE l.a = 1 AND l.b = 5 ORDER BY n", True),
    (
        "SELECT t, n FROM o, l WHERE l.a = o.a AND l.b = o.b AND o.a = 7 AND o.b = 6 AND n > 1 ORDER BY n",
        True,
    ),
    (
        "SELECT t, n FROM o LEFT JOIN l ON l.a = o.a AND l.b = o.b AND n > 1 WHERE o.a = 1 AND o.b = 3 ORDER BY n",
        True,
    ),
    ("SELECT t, n FROM o LEFT JOIN l ON l.a = o.a AND l.b = o.b WHERE o.a = 1 AND o.b = 4 AND l.n = 2", True),
    (
        "SELECT t, n FROM o LEFT JOIN l ON l.a = o.a AND l.b = o.b WHERE o.a = 1 AND o.b = 3 AND l.n IS NULL",
        True,
    ),
    ("SELECT t, n FROM o JOIN l ON l.a = o.a WHERE o.a = 1 AND o.b = 4 AND l.n = 2 ORDER BY l.b", False),
    ("SELECT o.t, p.t FROM o JOIN o p ON p.a = o.a AND p.b = o.b WHERE o.a = 1 AND o.b = 4", False),
    ("SELECT t FROM o WHERE a = 1 AND b = (SELECT max(b) FROM l WHERE a = 1)", False),
]


async def _filled(server: Server) -> Client:
    client = server.client()
    for text in MADE:
        await client.query(text)
    return client


async def _copied(client: Client) -> None:
    """The same rows in tables of a schema of its own, without partitions."""
    await client.query("CREATE SCHEMA plain")
    await client.query("CREATE TABLE plain.o (a int, b int, c int, t varchar(9), PRIMARY KEY (a, b))")
    await client.query("INSERT INTO plain.o SELECT * FROM o")
    await client.query("CREATE TABLE plain.l (b int, a int, n int, PRIMARY KEY (a, b, n))")
    await client.query("INSERT INTO plain.l SELECT * FROM l")


@pytest.mark.parametrize("block", [False, True], ids=("alone", "in a block"))
@pytest.mark.parametrize(("text", "at_once"), READS, ids=[r[0] for r in READS])
def test_reads(text: str, at_once: bool, block: bool) -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            await _copied(client)
            if block:
                await client.query("BEGIN")
                for schema in ("public", "plain"):
                    await client.query(f"UPDATE {schema}.o SET t = t || '+' WHERE a = 1 AND b = 4")
                    await client.query(f"DELETE FROM {schema}.l WHERE a = 1 AND b = 4 AND n = 1")
                    await client.query(f"INSERT INTO {schema}.o VALUES (3, 99, 2, 'own')")
            session = client.session
            plan = session.executor.plans.prepared(text, session.context(), ())
            now = session.execute_now(plan, (), lambda _: None, autocommit=not block)
            assert isinstance(now, Rows) == at_once
            found = list(now.rows) if isinstance(now, Rows) else []
            again = await client.rows(text)
            await client.query("SET search_path = plain")
            expected = await client.rows(text)
            assert expected or "NULL" in text
            if "ORDER" not in text:
                found, again, expected = sorted(found), sorted(again), sorted(expected)
            assert again == expected
            assert found == expected or not at_once

    asyncio.run(run())


WRITES: list[tuple[str, bool]] = [
    ("UPDATE o SET t = 'x' WHERE a = 1 AND b = 3 RETURNING *", True),
    ("UPDATE o SET t = 'x' WHERE a = 9 AND b = 3 RETURNING *", True),
    ("UPDATE o SET t = 'x' WHERE a = 12 AND b = 3 RETURNING *", False),
    ("UPDATE o SET b = 50 WHERE a = 1 AND b = 3 RETURNING *", False),
    ("UPDATE o SET t = 'x' WHERE a = 9 RETURNING b", False),
    ("DELETE FROM o WHERE a = 1 AND b = 3 RETURNING t", True),
    ("INSERT INTO o VALUES (1, 30, 4, 'new') RETURNING *", True),
    ("INSERT INTO o VALUES (1, 30, 4, 'new'), (2, 30, 4, 'new') RETURNING *", True),
    ("INSERT INTO o VALUES (1, 30, 4, 'new'), (4, 30, 4, 'new') RETURNING *", False),
    (
        "INSERT INTO o VALUES (1, 3, 4, 'new') ON CONFLICT (a, b) DO UPDATE SET t = excluded.t RETURNING *",
        True,
    ),
    ("INSERT INTO o VALUES (1, 3, 4, 'new') ON CONFLICT DO NOTHING RETURNING *", True),
    ("INSERT INTO o VALUES (12, 3, 4, 'new') ON CONFLICT DO NOTHING RETURNING *", False),
]


@pytest.mark.parametrize(("text", "at_once"), WRITES, ids=[w[0] for w in WRITES])
def test_writes(text: str, at_once: bool) -> None:
    """The same with an own copy that has no partitions."""

    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            await _copied(client)
            session = client.session
            plan = session.executor.plans.prepared(text, session.context(), ())
            told: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            now = session.execute_now(plan, (), told.set_result, autocommit=True)
            assert (now is PENDING) == at_once
            done = await told if now is PENDING else await session.execute(plan, (), autocommit=True)
            assert isinstance(done, Rows) or not at_once
            expected = await client.rows(text.replace(" o ", " plain.o ", 1))
            if isinstance(done, Rows):
                assert sorted(done.rows) == sorted(expected)
            rest = "SELECT a, b, c, t FROM {} ORDER BY a, b"
            assert await client.rows(rest.format("o")) == await client.rows(rest.format("plain.o"))

    asyncio.run(run())
