"""A snapshot from before an ALTER that has put a table's rows elsewhere: it moves to where they are, or the transaction is refused.
That there are no rows is never said."""

from __future__ import annotations

import asyncio

import pytest

from tests.executor.shared import Servers
from tests.executor.sql import Client, Failed, Server

ALTERED = "alter table t add column c int default 7"
ASKED = ("select c from t where id = 1", "select sum(c) from t where id = 1", "select c from t where v = 10")


async def begun(server: Server, level: str) -> tuple[Client, Client]:
    a, b = server.client("a"), server.client("b")
    for text in (
        "create table t (id int primary key, v int)",
        "insert into t values (1, 10), (2, 20)",
        "create table other (id int primary key, v int)",
        "insert into other values (1, 1)",
    ):
        await b.query(text)
    await a.query(f"begin isolation level {level}")
    assert await a.rows("select v from other where id = 1") == [(1,)]
    return a, b


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
@pytest.mark.parametrize("asked", ASKED)
def test_the_snapshot_moves_if_nothing_has_changed_that_was_read(level: str, asked: str) -> None:
    async def run() -> None:
        async with Server() as server:
            a, b = await begun(server, level)
            await b.query(ALTERED)
            assert await a.rows(asked) == [(7,)]
            await a.query("update t set c = 8 where id = 2")
            await a.query("commit")
            assert await b.rows("select id, c from t order by id") == [(1, 7), (2, 8)]

    asyncio.run(run())


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
@pytest.mark.parametrize("asked", [*ASKED, "update t set c = 1 where id = 1", "delete from t where v = 10"])
def test_the_transaction_is_refused_if_something_has(level: str, asked: str) -> None:
    async def run() -> None:
        async with Server() as server:
            a, b = await begun(server, level)
            await b.query(ALTERED)
            await b.query("update other set v = 2")
            with pytest.raises(Failed) as failed:
                await a.rows(asked)
            assert failed.value.sqlstate == "40001"

    asyncio.run(run())


@pytest.mark.parametrize("asked", ASKED)
def test_it_is_another_servers_alter(asked: str) -> None:
    async def run() -> None:
        async with Servers(synchronous=True) as servers:
            for text in (
                "create table t (id int primary key, v int); create table other (v int)",
                "insert into t values (1, 10), (2, 20)",
            ):
                await servers.run("a", text)
            await servers.run("b", "select * from t where v = 20")
            await servers.run("b", "begin isolation level repeatable read")
            await servers.run("b", "select * from other")
            await servers.run("a", ALTERED)
            assert "7" in await servers.run("b", asked)
            await servers.run("b", "commit")

    asyncio.run(run())
