"""The change feed: exactly what was committed, at the timestamps of the commits."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.executor.sql import Failed, Server


def session(body: Callable[[Server], Awaitable[None]]) -> None:
    async def run() -> None:
        async with Server() as server:
            await body(server)

    asyncio.run(run())


def now(server: Server) -> int:
    return server.env.oracle.read_ts()


async def feed(
    server: Server, after: int, upto: int | None = None, table: str = "t"
) -> list[tuple[Any, ...]]:
    """(transaction's number among those of the feed, change, columns...)"""
    last = "NULL" if upto is None else str(upto)
    rows = await server.client().rows(
        f"SELECT dense_rank() OVER (ORDER BY _commit_ts), f.* FROM tidewire_changes('{table}', {after}, {last}) f"
        " ORDER BY _commit_ts, _change, k"
    )
    return [(n, change, *columns) for n, change, _ts, *columns in rows]


def test_every_kind_of_change_in_the_order_of_commits() -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query("CREATE TABLE t (k int PRIMARY KEY, v text)")
        start = now(server)
        await client.query("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
        await client.query("UPDATE t SET v = 'A' WHERE k = 1")
        middle = now(server)
        await client.query("BEGIN")
        await client.query("DELETE FROM t WHERE k = 2")
        await client.query("INSERT INTO t VALUES (3, 'c')")
        assert await feed(server, middle) == [], "what is not committed is not in the feed"
        await client.query("COMMIT")
        await client.query("BEGIN")
        await client.query("INSERT INTO t VALUES (4, 'never')")
        await client.query("ROLLBACK")
        first = [(1, "insert", 1, "a"), (1, "insert", 2, "b"), (2, "delete", 1, "a"), (2, "insert", 1, "A")]
        assert await feed(server, start, middle) == first
        assert await feed(server, middle) == [(1, "delete", 2, "b"), (1, "insert", 3, "c")]
        assert await feed(server, start) == [*first, (3, "delete", 2, "b"), (3, "insert", 3, "c")]
        assert await feed(server, now(server)) == []
        await server.restart()
        assert await feed(server, start, middle) == first, "history outlives the process"

    session(body)


def test_changes_put_together_are_the_table() -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query("CREATE TABLE t (k int, v int)")
        start = now(server)
        for n in range(12):
            await client.query(f"INSERT INTO t SELECT i, {n} FROM generate_series(1, 40) i")
            await client.query(f"UPDATE t SET v = v + 100 WHERE k % 5 = {n % 5}")
            await client.query(f"DELETE FROM t WHERE k % 7 = {n % 7}")
        rows = await client.rows(
            f"SELECT k, v FROM tidewire_changes('t', {start}, NULL) GROUP BY k, v"
            " HAVING sum(CASE _change WHEN 'insert' THEN 1 ELSE -1 END) <> 0 ORDER BY k, v"
        )
        assert rows == await client.rows("SELECT k, v FROM t GROUP BY k, v ORDER BY k, v")

    session(body)


def test_a_feed_is_a_relation_like_any_other() -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query("CREATE SCHEMA s; CREATE TABLE s.t (k int, v numeric(6,2), d date)")
        start = now(server)
        await client.query("INSERT INTO s.t VALUES (1, 1.5, '2024-01-01'), (2, 2.25, NULL)")
        text = f"tidewire_changes('s.t', {start}, NULL)"
        assert await client.rows(f"SELECT sum(v)::text, count(d) FROM {text} WHERE _change = 'insert'") == [
            ("3.75", 1)
        ]
        assert await client.rows(f"SELECT x.k FROM {text} AS x JOIN s.t USING (k, v) ORDER BY 1") == [
            (1,),
            (2,),
        ]
        found = await client.rows(f"SELECT _commit_ts FROM {text} LIMIT 1")
        assert start < found[0][0] <= now(server)
        await client.query(f"CREATE TABLE kept AS SELECT * FROM {text}")
        assert await client.rows("SELECT count(*) FROM kept") == [(2,)]

    session(body)


WRONG: list[tuple[str, str]] = [
    ("tidewire_changes('t')", "42883"),
    ("tidewire_changes(1, 2, 3)", "42883"),
    ("tidewire_changes('t', 2, 1)", "22023"),
    ("tidewire_changes('t', 'x', NULL)", "22023"),
    ("tidewire_changes('t', NULL, NULL)", "22023"),
    ("tidewire_changes('nobody', 1, 2)", "42P01"),
    ("tidewire_changes('t', {now}, 9000000000000000)", "22023"),
    ("tidewire_changes('t', {before}, NULL)", "0A000"),
]


def test_what_cannot_be_told_is_an_error_and_never_an_empty_feed() -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query("CREATE TABLE other (k int)")
        before = now(server)
        await client.query("CREATE TABLE t (k int); CREATE ROLE ann")
        for text, code in WRONG:
            with pytest.raises(Failed) as failed:
                await client.query(f"SELECT * FROM {text.format(now=now(server), before=before)}")
            assert failed.value.sqlstate == code, text
        start = now(server)
        await client.query("SET SESSION AUTHORIZATION ann")
        with pytest.raises(Failed) as failed:
            await client.query(f"SELECT * FROM tidewire_changes('t', {start}, NULL)")
        assert failed.value.sqlstate == "42501"
        await client.query("RESET SESSION AUTHORIZATION; TRUNCATE t")
        with pytest.raises(Failed) as failed:
            await client.query(f"SELECT * FROM tidewire_changes('t', {start}, NULL)")
        assert failed.value.sqlstate == "0A000"

    session(body)


def test_history_that_is_gone_is_an_error_that_says_from_when_it_is_kept() -> None:
    async def body(server: Server) -> None:
        client = server.client()
        await client.query("CREATE TABLE t (k int)")
        start = now(server)
        await client.query("INSERT INTO t VALUES (1)")
        server.env.holds.since = now(server)
        with pytest.raises(Failed) as failed:
            await client.query(f"SELECT * FROM tidewire_changes('t', {start}, NULL)")
        assert failed.value.sqlstate == "22023"
        assert "History is kept from" in getattr(failed.value.error, "detail", "")

    session(body)
