"""`SELECT ... WHERE 1 = 0`: clients learn of a table's columns so, and need not wait until its rows can be read."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.executor.sql import Server

TABLE = "CREATE TABLE t (k int, name text); INSERT INTO t VALUES (1, 'a'), (2, 'b')"

HUNG_S = 30

NOTHING: dict[str, list[tuple[Any, ...]]] = {
    "SELECT * FROM t WHERE 1 = 0": [],
    "SELECT * FROM t WHERE 1=0": [],
    "SELECT name FROM t x WHERE 0 = 1": [],
    "SELECT * FROM t WHERE false": [],
    "SELECT k + 1 AS n FROM t LIMIT 0": [],
    "SELECT k * 2 AS d, name || name AS n FROM t WHERE 1 = 0": [],
}

SOMETHING: dict[str, list[tuple[Any, ...]]] = {
    "SELECT * FROM t WHERE 1 = 1 ORDER BY k": [(1, "a"), (2, "b")],
    "SELECT k FROM t UNION ALL SELECT 7 WHERE 1 = 0": [(1,), (2,)],
    "SELECT (SELECT max(k) FROM t) AS m": [(2,)],
    "SELECT count(*), max(k) FROM t WHERE 1 = 0": [(0, None)],
    "SELECT count(*), (SELECT max(k) FROM t) FROM t WHERE 1 = 0": [(0, 2)],
    "SELECT * FROM (SELECT k FROM t WHERE 1 = 0) x RIGHT JOIN t ON t.k = x.k ORDER BY t.k": [
        (None, 1, "a"),
        (None, 2, "b"),
    ],
    "SELECT k FROM t WHERE k IN (SELECT k FROM t LIMIT 0)": [],
    "SELECT k, 'FROM' FROM t OFFSET 0 LIMIT 1": [(1, "FROM")],
}


@pytest.mark.parametrize("query", NOTHING)
@pytest.mark.parametrize("block", [False, True], ids=["by itself", "in a block"])
def test_nobody_waits_for_rows_that_he_does_not_want(query: str, block: bool) -> None:
    async def body() -> None:
        async with Server() as server:
            client, store = server.client(), server.executor.store
            await client.query(TABLE)
            shard = server.executor.catalogs.of("tidewire").resolve_table("t", "", ("public",)).shard
            image = store.image(shard)
            if block:
                await client.query("BEGIN")
            async with store._writer._lock:  # whoever waits for rows waits for this
                assert await asyncio.wait_for(client.rows(query), HUNG_S) == NOTHING[query]
                assert image.flushing is not None, "whoever asks so will soon read"
            await store.settled()
            assert not image.waits(store.durable_ts())
            assert await client.rows("SELECT count(*) FROM t") == [(2,)]
            [(_, _, columns)] = await client.query("SELECT * FROM t WHERE 1 = 0")
            assert [c.name for c in columns] == ["k", "name"]

    asyncio.run(body())


@pytest.mark.parametrize("query", SOMETHING)
def test_whoever_wants_rows_gets_them(query: str) -> None:
    async def body() -> None:
        async with Server() as server:
            client = server.client()
            await client.query(TABLE)
            assert await client.rows(query) == SOMETHING[query]

    asyncio.run(body())


@pytest.mark.parametrize("query", NOTHING)
def test_the_blocks_own_tables_columns_and_rows(query: str) -> None:
    async def body() -> None:
        async with Server() as server:
            client = server.client()
            await client.query(f"BEGIN; {TABLE}")
            assert await client.rows(query) == NOTHING[query]
            await client.query("INSERT INTO t VALUES (3, 'c'); ALTER TABLE t ADD COLUMN more int")
            [(_, rows, columns)] = await client.query("SELECT * FROM t WHERE 1 = 0")
            assert (rows, [c.name for c in columns]) == ([], ["k", "name", "more"])
            await client.query("COMMIT")
            await server.restart()
            assert await server.client().rows(query) == NOTHING[query]
            assert await server.client().rows("SELECT count(*) FROM t") == [(3,)]

    asyncio.run(body())
