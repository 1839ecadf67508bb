"""Joins whose keys lead from table to table: the keyed engine's answers are DuckDB's, outside of blocks and in them."""

from __future__ import annotations

import asyncio
import random

import pytest

from executor.abc import Rows
from executor.keyed.join import ROWS_MAX, JoinPlan
from executor.session.session import Session
from planner.abc import SqlError
from tests.executor.sql import Client, Server

CUSTOMERS, ORDERS, LINES = 20, 200, 5

JOINS = [
    "SELECT c.name, o.total FROM o JOIN c ON c.id = o.customer WHERE o.id = {x}",
    "SELECT c.name, o.id FROM c, o WHERE o.customer = c.id AND c.id = {y} ORDER BY o.id DESC",
    "SELECT o.id, l.n, p.name FROM o JOIN l ON l.o = o.id JOIN p ON p.id = l.p WHERE o.id = {x} ORDER BY l.n",
    "SELECT o.id, l.n, p.name FROM p JOIN (l JOIN o ON o.id = l.o) ON p.id = l.p WHERE o.id = {x} ORDER BY n LIMIT 2",
    "SELECT o.id, c.name FROM o LEFT JOIN c ON c.id = o.customer WHERE o.id BETWEEN {x} AND {x} + 5 ORDER BY o.id",
    "SELECT o.id, c.name FROM o LEFT JOIN c ON c.id = o.customer AND c.name > 'c1' WHERE o.id = {x}",
    "SELECT o.id, c.name FROM o LEFT JOIN c ON c.id = o.customer WHERE o.id IN ({x}, 3, 7) AND c.id IS NULL",
    "SELECT o.id, c.name FROM o LEFT JOIN c ON c.id = o.customer AND o.total > 5 WHERE o.id BETWEEN 1 AND 20 ORDER BY 1",
    "SELECT o.id, c.id, l.n FROM o LEFT JOIN c ON c.id = o.customer LEFT JOIN l ON l.o = c.id AND l.n < 3"
    " WHERE o.id IN ({x}, {y}, {x}) ORDER BY o.id, l.n",
    "SELECT count(*), count(c.id), count(DISTINCT l.p), sum(l.n), min(p.id), max(o.id) FROM o"
    " JOIN l ON l.o = o.id JOIN p ON p.id = l.p LEFT JOIN c ON c.id = o.customer WHERE o.id BETWEEN {x} AND {x} + 9",
    "SELECT count(*), count(DISTINCT o.customer) FROM o JOIN c USING (id) WHERE id = {y}",
    "SELECT id, c.name, o.total FROM o JOIN c USING (id) WHERE o.id = {y} AND o.total + c.id > 3",
    "SELECT DISTINCT l.p, c.name FROM o JOIN l ON l.o = o.id LEFT JOIN c ON c.id = o.customer"
    " WHERE o.id BETWEEN {x} AND {x} + 9 ORDER BY l.p DESC, c.name OFFSET 1",
    "SELECT o.id, o.total FROM o JOIN c ON c.id = o.customer WHERE o.id IN (3, {x}, {y}, 7, 9) ORDER BY o.total, o.id LIMIT 3 OFFSET 1",
    "SELECT coalesce(sum(o.total), 0) + 1, avg(o.total), max(c.name), max(o.total) FROM o JOIN c ON c.id = o.customer"
    " WHERE o.id BETWEEN {x} AND {x} + 9",
    "SELECT a.id, b.id FROM o a JOIN o b ON b.id = a.id + 1 WHERE a.id = {x}",
    "SELECT a.id, b.id FROM c a JOIN c b ON b.name = a.name WHERE a.id = {y}",
    "SELECT o.id, l.n FROM o JOIN l ON l.o = o.id AND l.n >= o.first WHERE o.id = {x} ORDER BY l.n DESC NULLS LAST",
    "SELECT c.id, o.id FROM c CROSS JOIN o WHERE c.name = 'c{y}' AND o.id = {x}",
    "SELECT o.id FROM o JOIN c ON c.id = o.customer JOIN l ON l.o = o.id AND l.n = c.id WHERE o.id = {x} AND 1 = 1",
    "SELECT l.n, o.id FROM l LEFT JOIN o ON o.id = l.p AND o.customer = l.o JOIN p ON p.id = l.p"
    " WHERE l.o = {x} AND (o.id IS NULL OR o.total > 3) ORDER BY l.n",
    "SELECT o.id, c.name FROM o JOIN c ON c.id = o.customer WHERE o.id = NULL::int",
    "SELECT o.id, c.name FROM c JOIN o ON o.customer = c.id AND o.kind = 'k1' WHERE c.name = 'c{y}' ORDER BY o.id",
    "SELECT count(*) FROM o a JOIN o b ON b.customer = a.customer WHERE a.id = {x} AND b.total > 1",
    "SELECT id, customer FROM o WHERE o.id = {x} OR o.customer = {y} ORDER BY id",
    "SELECT count(*), sum(total) FROM o WHERE (o.id = {x} OR o.customer = {y} AND kind = 'k1' OR o.customer = 3) AND first > 1",
    "SELECT o.id, c.name FROM o JOIN c ON c.id = o.customer WHERE (o.customer, o.kind) IN (({y}, 'k0'), (3, 'k1')) ORDER BY o.id",
    "SELECT c.id, o.id FROM c JOIN o ON o.id = c.id OR o.customer = c.id WHERE c.id = {y} ORDER BY o.id",
    "SELECT o.id FROM o LEFT JOIN l ON l.o = o.id AND (l.n = 1 OR l.n = o.first) WHERE o.id = {x} ORDER BY l.n, o.id",
    "SELECT id FROM o WHERE id = {x} OR id IN ({y}, 3) OR customer IS NULL AND customer = 5 ORDER BY id",
    "SELECT o.id, c.id FROM o JOIN c ON c.id > o.customer WHERE o.id = {x} ORDER BY 2",
    "SELECT o.id, c.name FROM o JOIN c ON c.id = o.customer ORDER BY o.id",
    "SELECT o.id FROM o WHERE o.id = {x} AND EXISTS (SELECT 1 FROM p WHERE p.name = 'p' || o.first)",
    "SELECT o.id, c.name FROM o JOIN (SELECT * FROM c) c ON c.id = o.customer WHERE o.id = {x}",
    "SELECT o.id FROM o WHERE o.id = {x} OR o.total = 2 ORDER BY 1",
    "SELECT o.id, p.name FROM o JOIN p ON p.name = o.kind OR p.id = o.first ORDER BY 1, 2",
    "SELECT o.id, b.id FROM o JOIN o b ON b.total = o.total AND b.first = o.first WHERE o.id = {x} ORDER BY 2",
    "SELECT o.id, q.n FROM o LEFT JOIN (SELECT o, count(*) n FROM l GROUP BY o) q ON q.o = o.id WHERE o.customer = {y} ORDER BY 1",
    "SELECT q.n FROM (SELECT customer, count(*) n FROM o GROUP BY customer) q WHERE q.customer = {y}",
    "SELECT o.id, q.name FROM o JOIN (SELECT id, name FROM c UNION ALL SELECT id, name FROM p) q ON q.id = o.customer WHERE o.id = {x} ORDER BY q.name",
    "SELECT o.id, q.first FROM o JOIN (SELECT DISTINCT customer, first FROM o) q ON q.customer = o.customer WHERE o.id = {x} ORDER BY 2",
    "SELECT o.id, l.n FROM o LEFT JOIN l ON l.o = o.id WHERE l.n IS NOT NULL AND l.o = {x} ORDER BY 2",
    "SELECT o.id, l.n FROM o LEFT JOIN c ON c.id = o.customer LEFT JOIN l ON l.o = c.id WHERE l.o = {y} AND l.n = ANY (ARRAY[1, 2]) ORDER BY 1, 2",
    "SELECT o.id, l.n FROM o LEFT JOIN l ON l.o = o.id AND l.n = 1 WHERE l.n <> ALL (ARRAY[]::int[]) AND o.id = {x}",
    "SELECT kind, count(*) FROM o GROUP BY kind ORDER BY 1",
    "SELECT name FROM p WHERE name > (SELECT min(kind) FROM o WHERE first = 2)",
    "SELECT o.kind, c.name, count(*), sum(o.total) FROM o JOIN c ON c.id = o.customer WHERE o.customer = {y} GROUP BY ROLLUP (o.kind, c.name) ORDER BY 1, 2, 3",
    "SELECT q.id, q.name FROM (SELECT o.id, c.name, o.total + 1 AS more FROM o JOIN c ON c.id = o.customer) q WHERE q.id = {x} AND q.more > 2",
    "SELECT q.id, l.n FROM (SELECT o.id, o.first FROM o WHERE customer = {y}) q LEFT JOIN l ON l.o = q.id AND l.n > q.first ORDER BY 1, 2",
    "SELECT DISTINCT o.* FROM l JOIN o ON o.id = l.o WHERE l.o = {x} AND o.customer < 9 ORDER BY o.id",
]
CHANGES = [
    "UPDATE o SET customer = {y}, total = total + 1 WHERE id = {x}",
    "DELETE FROM c WHERE id = {y}",
    "INSERT INTO c VALUES ({y}, 'own{y}') ON CONFLICT DO NOTHING",
    "DELETE FROM l WHERE o = {x} AND n > 2",
    "INSERT INTO l SELECT {x}, g, g FROM generate_series(7, 9) g ON CONFLICT DO NOTHING",
    "UPDATE o SET id = id + 1000 WHERE id = {x}",
    "UPDATE p SET name = 'new' WHERE id = 2",
    "UPDATE c SET name = 'c{x}x' WHERE id = {y}",
]


async def _filled(server: Server) -> Client:
    client = server.client()
    for text in (
        "CREATE TABLE c (id int PRIMARY KEY, name varchar(9) UNIQUE)",
        "CREATE TABLE o (id bigint PRIMARY KEY, customer int, kind text, total numeric(8, 2), first int)",
        "CREATE TABLE p (name text, id smallint PRIMARY KEY)",
        "CREATE TABLE l (o int, n int, p int, PRIMARY KEY (o, n))",
        "CREATE INDEX ON o (customer, kind)",
        "CREATE SEQUENCE numbers",
        f"INSERT INTO c SELECT i, 'c' || i FROM generate_series(1, {CUSTOMERS}) g(i)",
        f"INSERT INTO o SELECT i, nullif(i % {CUSTOMERS + 2}, 0), 'k' || i % 2, nullif(i % 9, 4) / 2.0, i % 4"
        f" FROM generate_series(1, {ORDERS}) g(i)",
        "INSERT INTO p SELECT 'p' || i, i FROM generate_series(1, 6) g(i)",
        f"INSERT INTO l SELECT i, n, (i + n) % 7 FROM generate_series(1, {ORDERS}) g(i), generate_series(1, {LINES}) h(n)",
    ):
        await client.query(text)
    return client


def _now(session: Session, text: str, *, autocommit: bool) -> Rows | None:
    """What is answered without DuckDB."""
    plan = session.executor.plans.prepared(text, session.context(), ())
    found = session.execute_now(plan, (), lambda _: None, autocommit=autocommit)
    assert found is None or isinstance(found, Rows)
    return found


async def _same(client: Client, text: str, *, autocommit: bool) -> None:
    """The statement by keys, and by DuckDB."""
    found = _now(client.session, text, autocommit=autocommit)
    assert found is not None, text
    wide = await client.by_duckdb(text)
    mine = list(found.rows)
    ordered = "ORDER BY" in text
    assert (mine if ordered else sorted(mine, key=repr)) == (wide if ordered else sorted(wide, key=repr)), (
        text
    )


def _text(template: str, rng: random.Random) -> str:
    return template.format(x=rng.randrange(1, ORDERS), y=rng.randrange(1, CUSTOMERS + 3))


@pytest.mark.parametrize("in_block", [False, True], ids=["autocommit", "in a block"])
@pytest.mark.parametrize("seed", range(3))
def test_joins_by_keys(seed: int, in_block: bool) -> None:
    async def run() -> None:
        rng = random.Random(seed)
        async with Server() as server:
            client = await _filled(server)
            if in_block:
                await client.query("BEGIN")
            for _ in range(4):
                for template in JOINS:
                    await _same(client, _text(template, rng), autocommit=not in_block)
                for template in rng.sample(CHANGES, 4):
                    await client.query(_text(template, rng))
            if in_block:
                await client.query("COMMIT")

    asyncio.run(run())


NOT_BY_KEYS = [
    "SELECT 1 FROM o RIGHT JOIN c ON c.id = o.customer WHERE o.id = 1",
    "SELECT 1 FROM o FULL JOIN c ON c.id = o.customer WHERE o.id = 1",
    "SELECT c.id, grouping(c.id) FROM o JOIN c ON c.id = o.customer WHERE o.id = 1 GROUP BY ROLLUP (c.id)",
    "SELECT 1 FROM o WHERE o.id = 1 AND EXISTS (SELECT 1 FROM c WHERE random() > 2)",
    "SELECT nextval('numbers') FROM o WHERE o.id > 1 AND EXISTS (SELECT 1 FROM c WHERE c.id = o.id)",
    "SELECT o.id FROM o WHERE o.id = 1 AND o.customer > ANY (SELECT c.id FROM c WHERE c.id = 1)",
    "WITH RECURSIVE w AS (SELECT '[1,2]'::jsonb AS a UNION SELECT a FROM w) SELECT a FROM w",
    "SELECT o.id FROM o WHERE o.id = 1 INTERSECT SELECT c.id FROM c WHERE c.id = 1",
    "SELECT c.id, stddev(DISTINCT o.id) FROM o JOIN c ON c.id = o.customer WHERE o.id = 1 GROUP BY c.id",
    "SELECT 1 FROM o JOIN c ON c.id = o.customer WHERE o.id = 1 AND random() > 2",
    "SELECT 1 FROM o JOIN c TABLESAMPLE SYSTEM (100) ON c.id = o.customer WHERE o.id = 1",
    "SELECT 1 FROM o LEFT JOIN (c JOIN p ON p.id = c.id) ON c.id = o.customer WHERE o.id = 1",
    "SELECT 1 FROM o JOIN c ON c.id = o.customer WHERE o.id = 1 ORDER BY c.name COLLATE \"de-x-icu\"",
]  # fmt: skip


@pytest.mark.parametrize("text", NOT_BY_KEYS)
def test_what_keys_do_not_lead_through_goes_to_duckdb(text: str) -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            plan = client.session.executor.plans.prepared(text, client.session.context(), ())
            assert "keyed" not in plan.extra
            await client.rows(text)

    asyncio.run(run())


def test_many_rows_go_to_duckdb_and_errors_are_the_same() -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            await client.query(f"INSERT INTO l SELECT 1, g, 1 FROM generate_series(10, {ROWS_MAX + 10}) g")
            many = "SELECT count(*) FROM o JOIN l ON l.o = o.id WHERE o.id = 1"
            assert _now(client.session, many, autocommit=True) is None
            assert await client.rows(many) == [(ROWS_MAX + 1 + LINES,)]
            for text, sqlstate in (
                ("SELECT o.id / (c.id - c.id) FROM o JOIN c ON c.id = o.customer WHERE o.id = 1", "22012"),
                ("SELECT o.id FROM o JOIN c ON c.id = o.customer WHERE o.id = 1 LIMIT -1", "2201W"),
            ):
                with pytest.raises(SqlError) as error:
                    _now(client.session, text, autocommit=True)
                assert error.value.sqlstate == sqlstate

    asyncio.run(run())


@pytest.mark.parametrize(
    ("theirs", "refused"),
    [
        ("UPDATE c SET name = 'other' WHERE id = 1", True),
        ("DELETE FROM c WHERE id = 1", True),
        ("UPDATE o SET customer = 2 WHERE id = 1", True),
        ("INSERT INTO l VALUES (1, 90, 1)", True),
        ("UPDATE o SET first = 9 WHERE id = 1", False),
        ("UPDATE c SET name = 'other' WHERE id = 2", False),
        ("INSERT INTO l VALUES (2, 90, 1)", False),
        ("UPDATE l SET p = 3 WHERE o = 1", False),
    ],
)
def test_a_transaction_depends_on_what_its_joins_have_read(theirs: str, refused: bool) -> None:
    """The rows of each table that were looked up, present or not, in the columns that the query names; and no others.

    Each of the two has not seen what the other wrote; so if the other wrote what the join read, no order explains both.
    """

    async def run() -> None:
        async with Server() as server:
            client, other = await _filled(server), server.client("b")
            await client.query("CREATE TABLE out (v text)")
            await client.query("BEGIN")
            text = "SELECT c.name, l.n FROM o JOIN c ON c.id = o.customer JOIN l ON l.o = o.id WHERE o.id = 1"
            assert isinstance(client.session.compiled(
                client.session.executor.plans.prepared(text, client.session.context(), ())
            ).shortcut.plan, JoinPlan)  # type: ignore[union-attr]  # fmt: skip
            found = _now(client.session, text, autocommit=False)
            assert found is not None and len(found.rows) == LINES
            await client.query("INSERT INTO out VALUES ('seen')")
            await other.query("BEGIN")
            assert await other.rows("SELECT count(*) FROM out") == [(0,)]
            await other.query(theirs)
            await other.query("COMMIT")
            if refused:
                with pytest.raises(Exception, match=r"(?i)serializ"):
                    await client.query("COMMIT")
            else:
                await client.query("COMMIT")

    asyncio.run(run())
