"""Rows that only DuckDB remembers, and locks that move a snapshot on: what is locked is read as it is now."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.executor.sql import Failed, Server, sqlstate
from tests.executor.test_staged import session

LEVELS = ("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE")


async def forget_versions(server: Server, table: str) -> None:
    """Memory is short: of each row only the newest version is kept where keys find it."""
    store = server.executor.store
    shard = server.executor.catalogs.of("tidewire").resolve_table(table, "", ("public",)).shard
    store.limits = replace(store.limits, memory_bytes_max=0)
    store.grown(store.image(shard))
    await store.settled()


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("statement", "answer"),
    [
        ("SELECT k, v FROM t WHERE k = 1 FOR UPDATE", [(1, 10)]),
        ("SELECT k, v FROM t WHERE k BETWEEN 0 AND 1 FOR UPDATE", [(1, 10)]),
        ("UPDATE t SET v = v + 1 WHERE k = 1 RETURNING k, v", [(1, 11)]),
        ("UPDATE t SET v = v + 1 WHERE k BETWEEN 0 AND 1 RETURNING k, v", [(1, 11)]),
        ("UPDATE t SET v = v + 1 WHERE g = 1 RETURNING k, v", [(1, 11)]),
        ("UPDATE t SET v = t.v + 1 FROM other o WHERE t.k = o.k RETURNING t.k, t.v", [(1, 11)]),
        ("DELETE FROM t WHERE k = 1 RETURNING k, v", [(1, 10)]),
    ],
)
def test_what_is_locked_is_as_it_is_now(level: str, statement: str, answer: list[tuple[int, int]]) -> None:
    async def body(server: Server) -> None:
        a, b = server.client("a"), server.client("b")
        await a.query("CREATE TABLE t (k int PRIMARY KEY, g int, v int); CREATE INDEX ON t (g)")
        await a.query("CREATE TABLE other (k int PRIMARY KEY)")
        await a.query("INSERT INTO t VALUES (1, 1, 0), (2, 2, 0); INSERT INTO other VALUES (1)")
        await a.query(f"BEGIN ISOLATION LEVEL {level}")
        await a.query("SELECT count(*) FROM other")
        await b.query("UPDATE t SET v = 10 WHERE k = 1")
        await forget_versions(server, "t")
        assert await a.rows(statement) == answer
        await a.query("COMMIT")

    session(body)


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize(
    ("statement", "refused"),
    [
        ("INSERT INTO t SELECT g, g, g FROM generate_series(3, 9) g", False),
        ("UPDATE t SET k = k + 10 WHERE k = 2", False),
        ("INSERT INTO t SELECT g, g, g FROM generate_series(1, 9) g", True),
    ],
)
def test_new_keys_are_compared_with_what_is_there_now(
    few: bool, level: str, statement: str, refused: bool
) -> None:
    async def body(server: Server) -> None:
        if not few:
            server.executor.limits = replace(server.executor.limits, stage_rows=1)
        a, b = server.client("a"), server.client("b")
        await a.query("CREATE TABLE t (k int PRIMARY KEY, g int, v int); CREATE TABLE other (k int)")
        await a.query("INSERT INTO t VALUES (1, 1, 0), (2, 2, 0)")
        await a.query(f"BEGIN ISOLATION LEVEL {level}")
        await a.query("SELECT count(*) FROM other")
        await b.query("UPDATE t SET v = 10 WHERE k = 1")
        await forget_versions(server, "t")
        if refused:
            with pytest.raises(Failed) as error:
                await a.query(statement)
            assert sqlstate(error.value.error) in ("23505", "40001")
            return
        await a.query(statement)
        await a.query("COMMIT")

    session(body)
