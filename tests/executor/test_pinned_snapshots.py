"""Many sessions, one snapshot: `tidewire.as_of`, and snapshots that one session exports to others."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from tests.executor.sql import Client, Failed, Server


def run(story: Callable[[Server, Client, int], Awaitable[None]]) -> None:
    """A story that begins when (1, 'old') has become (1, 'new'), (2, 'new')."""

    async def tell() -> None:
        async with Server() as server:
            client = server.client()
            await client.query("create table t (id int primary key, v text)")
            await client.query("insert into t values (1, 'old')")
            then = client.session.executor.read_ts()
            await client.query("insert into t values (2, 'new')")
            await client.query("update t set v = 'new'")
            await story(server, client, then)

    asyncio.run(tell())


async def refused(client: Client, text: str) -> str:
    with pytest.raises(Failed) as failed:
        await client.query(text)
    return failed.value.sqlstate


def test_a_pinned_session_sees_the_past_by_key_by_query_and_in_blocks() -> None:
    async def story(server: Server, _: Client, then: int) -> None:
        client = server.client("other")
        await client.query(f"set tidewire.as_of = '{then}'")
        for _ in range(2):
            assert await client.rows("select * from t") == [(1, "old")]
            assert await client.rows("select v from t where id = 1") == [("old",)]
            assert await client.rows("select v from t where id = 2") == []
            await client.query("begin")
            assert await client.rows("select count(*) from t") == [(1,)]
            await client.query("commit")
        await client.query("reset tidewire.as_of")
        assert await client.rows("select v from t where id = 1") == [("new",)]
        await client.query(f"set tidewire.as_of = '{then:016X}-1'")
        assert await client.rows("show tidewire.as_of") == [(str(then),)]
        assert await client.rows("select v from t where id = 1") == [("old",)]

    run(story)


def test_a_pinned_session_changes_nothing() -> None:
    async def story(server: Server, client: Client, then: int) -> None:
        pinned = server.client("other")
        await pinned.query(f"set tidewire.as_of = '{then}'")
        for text in (
            "insert into t values (3, 'x')",
            "update t set v = 'x' where id = 1",
            "delete from t",
            "create table u (x int)",
            "drop table t",
            "truncate t",
        ):
            assert await refused(pinned, text) == "25006", text
        assert await client.rows("select * from t order by id") == [(1, "new"), (2, "new")]

    run(story)


def test_it_can_be_set_for_the_block_that_has_read_nothing_yet() -> None:
    async def story(_: Server, client: Client, then: int) -> None:
        await client.query("begin")
        await client.query(f"set local tidewire.as_of = '{then}'")
        assert await client.rows("select count(*) from t") == [(1,)]
        await client.query("commit")
        assert await client.rows("select count(*) from t") == [(2,)]

    run(story)


@pytest.mark.parametrize(
    ("value", "sqlstate"),
    [("2200-01-01", "22023"), ("infinity", "22023"), ("soon", "22007")],
)
def test_a_time_that_cannot_be_read_is_refused_and_can_be_taken_back(value: str, sqlstate: str) -> None:
    async def story(_: Server, client: Client, then: int) -> None:
        with pytest.raises(Failed) as failed:
            await client.query(f"set tidewire.as_of = '{value}'")
            await client.rows("select * from t")
        assert failed.value.sqlstate == sqlstate
        await client.query("reset tidewire.as_of")
        assert await client.rows("select count(*) from t") == [(2,)]

    run(story)


def test_an_exported_snapshot_is_seen_by_who_imports_it() -> None:
    async def story(server: Server, client: Client, then: int) -> None:
        other = server.client("other")
        await client.query("begin isolation level repeatable read")
        [(name,)] = await client.rows("select pg_export_snapshot()")
        await other.query("delete from t")
        await other.query("begin isolation level repeatable read")
        await other.query(f"set transaction snapshot '{name}'")
        expected = [(1, "new"), (2, "new")]
        assert await other.rows("select * from t order by id") == expected
        assert await client.rows("select * from t order by id") == expected
        assert await refused(other, "insert into t values (3, 'x')") == "25006"

    run(story)


@pytest.mark.parametrize(
    ("begin", "name", "sqlstate"),
    [
        ("begin isolation level read committed", "0000000000000001-1", "0A000"),
        ("begin isolation level serializable", "rubbish", "22023"),
    ],
)
def test_what_is_no_snapshot_is_not_imported(begin: str, name: str, sqlstate: str) -> None:
    async def story(_: Server, client: Client, then: int) -> None:
        await client.query(begin)
        assert await refused(client, f"set transaction snapshot '{name}'") == sqlstate

    run(story)


def test_an_import_comes_before_the_first_query() -> None:
    async def story(_: Server, client: Client, then: int) -> None:
        await client.query("begin isolation level serializable")
        await client.rows("select * from t")
        assert await refused(client, f"set transaction snapshot '{then:016X}-1'") == "25001"

    run(story)
