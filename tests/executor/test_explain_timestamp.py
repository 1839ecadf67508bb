"""EXPLAIN TIMESTAMP says at which moment a statement would read, as AS OF TIMESTAMP takes it."""

from __future__ import annotations

import asyncio

import pytest

from tests.executor.sql import Client, served

SHOWN = "Read Timestamp: "


async def explained(client: Client, statement: str) -> int:
    lines = [str(row[0]) for row in await client.rows(statement)]
    return next(int(line.removeprefix(SHOWN)) for line in lines if line.startswith(SHOWN))


@pytest.mark.parametrize("query", ["SELECT v FROM t WHERE id = 1", "SELECT sum(v) FROM t"])
@pytest.mark.parametrize("explain", ["EXPLAIN TIMESTAMP", "EXPLAIN (TIMESTAMP)"])
def test_the_moment_that_is_shown_can_be_read_again(explain: str, query: str) -> None:
    async def run() -> None:
        async with served() as client:
            await client.query("CREATE TABLE t (id int PRIMARY KEY, v int)")
            await client.query("INSERT INTO t VALUES (1, 10)")
            then = await explained(client, f"{explain} {query}")
            await client.query("UPDATE t SET v = 20")
            assert await explained(client, f"{explain} {query}") > then
            assert await client.rows(f"{query} AS OF TIMESTAMP {then}") == [(10,)]
            assert await client.rows(query) == [(20,)]

    asyncio.run(run())


def test_a_block_goes_on_reading_at_one_moment() -> None:
    async def run() -> None:
        async with served() as client:
            await client.query("CREATE TABLE t (id int PRIMARY KEY, v int)")
            await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            first = await explained(client, "EXPLAIN TIMESTAMP SELECT * FROM t")
            assert await explained(client, "EXPLAIN TIMESTAMP SELECT * FROM t WHERE id = 1") == first
            await client.query("COMMIT")

    asyncio.run(run())
