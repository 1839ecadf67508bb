"""An error tells of what was read: behind a savepoint the transaction goes on, and what it read counts when it commits."""

from __future__ import annotations

import asyncio

import pytest

from tests.executor.sql import Failed, Server

FAILING = {
    "value": "WITH x AS (SELECT id, v FROM a WHERE id = 1) UPDATE b SET v = x.v + 2147483647 FROM x WHERE b.id = x.id",
    "returning": "WITH x AS (SELECT id, v FROM a WHERE id = 1) UPDATE b SET v = x.v FROM x WHERE b.id = x.id RETURNING 1 / (b.v - 1)",
    "check": "WITH x AS (SELECT id, v FROM a WHERE id = 1) UPDATE b SET v = x.v - 3 FROM x WHERE b.id = x.id",
    "insert": "WITH x AS (SELECT id, v FROM a WHERE id = 1) INSERT INTO b SELECT id + 5, 1 / (v - 1) FROM x",
    "later part": "WITH x AS (SELECT id, v FROM a WHERE id = 1), y AS (DELETE FROM b WHERE id = 2 RETURNING id)"
    " SELECT 1 / (x.v - 1) FROM x, y",
    "join": "SELECT 1 / (a.v - 1) FROM a JOIN b ON b.id = a.id + 1 WHERE a.id = 1",
    "join by an index": "SELECT 1 / (a.v - 1) FROM b JOIN a ON a.v = b.v WHERE b.id = 1",
    "many rows": "SELECT 1 / (v - 1) FROM a WHERE v > 0 ORDER BY v LIMIT 2",
}  # fmt: skip


@pytest.mark.parametrize("failing", FAILING)
def test_what_a_failed_statement_read_is_read(failing: str) -> None:
    async def run() -> None:
        async with Server() as server:
            client, other = server.client(), server.client("other")
            for table in "ab":
                await client.query(f"CREATE TABLE {table} (id int PRIMARY KEY, v int CHECK (v > -2))")
                await client.query(f"INSERT INTO {table} VALUES (1, 1), (2, 2), (3, 3)")
            await client.query("CREATE INDEX ON a (v)")
            for one in (client, other):
                await one.query("BEGIN ISOLATION LEVEL SERIALIZABLE")
            await client.query("SAVEPOINT s")
            with pytest.raises(Failed):
                await client.query(FAILING[failing])
            await client.query("ROLLBACK TO s")
            await client.query("UPDATE b SET v = 7 WHERE id = 3")
            assert await other.rows("SELECT v FROM b WHERE id = 3") == [(3,)]
            await other.query("UPDATE a SET v = 5 WHERE id = 1")
            await other.query("COMMIT")
            with pytest.raises(Failed) as refused:
                await client.query("COMMIT")
            assert refused.value.sqlstate == "40001"

    asyncio.run(run())


REFERENCES = {
    "a child is there": ("DELETE FROM p WHERE id = 1", "DELETE FROM c WHERE id = 10"),
    "a child of another name": ("UPDATE p SET id = 7 WHERE id = 1", "UPDATE c SET p = 2 WHERE id = 10"),
    "a child without a key": ("DELETE FROM p WHERE id = 3", "DELETE FROM k"),
    "children in partitions": ("DELETE FROM p WHERE id = 4", "UPDATE d SET p = NULL"),
    "a parent is missing": ("INSERT INTO c VALUES (11, 9)", "INSERT INTO p VALUES (9, 90)"),
    "a parent is missing by another key": ("INSERT INTO u VALUES (1, 90)", "INSERT INTO p VALUES (9, 90)"),
    "a parent is missing for many": (
        "INSERT INTO c SELECT n, CASE n WHEN 8000 THEN 9 ELSE 1 END FROM generate_series(100, 9000) n",
        "INSERT INTO p VALUES (9, 90)",
    ),
    "partitions have no parent": ("INSERT INTO e VALUES (1)", "INSERT INTO f VALUES (1)"),
}  # fmt: skip
"""Who fails by a foreign key, and what would have let him."""


@pytest.mark.parametrize("case", REFERENCES)
def test_what_a_foreign_key_has_found_is_read(case: str) -> None:
    failing, letting = REFERENCES[case]

    async def run() -> None:
        async with Server() as server:
            client, other = server.client(), server.client("other")
            for text in (
                "CREATE TABLE p (id int PRIMARY KEY, n int UNIQUE)",
                "CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p)",
                "CREATE TABLE k (p int REFERENCES p)",
                "CREATE TABLE u (id int PRIMARY KEY, n int REFERENCES p (n))",
                "CREATE TABLE d (id int, p int REFERENCES p) PARTITION BY RANGE (id)",
                "CREATE TABLE d1 PARTITION OF d DEFAULT",
                "CREATE TABLE f (id int PRIMARY KEY) PARTITION BY RANGE (id)",
                "CREATE TABLE f1 PARTITION OF f DEFAULT",
                "CREATE TABLE e (id int REFERENCES f)",
                "CREATE TABLE b (id int PRIMARY KEY, v int)",
                "INSERT INTO p SELECT n, n * 10 FROM generate_series(1, 5) n",
                "INSERT INTO c VALUES (10, 1)",
                "INSERT INTO k VALUES (3)",
                "INSERT INTO d VALUES (1, 4)",
                "INSERT INTO b VALUES (3, 3)",
            ):
                await client.query(text)
            for one in (client, other):
                await one.query("BEGIN ISOLATION LEVEL SERIALIZABLE")
            await client.query("SAVEPOINT s")
            with pytest.raises(Failed) as failed:
                await client.query(failing)
            assert failed.value.sqlstate == "23503"
            await client.query("ROLLBACK TO s")
            await client.query("UPDATE b SET v = 7 WHERE id = 3")
            assert await other.rows("SELECT v FROM b WHERE id = 3") == [(3,)]
            await other.query(letting)
            await other.query("COMMIT")
            with pytest.raises(Failed) as refused:
                await client.query("COMMIT")
            assert refused.value.sqlstate == "40001"

    asyncio.run(run())
