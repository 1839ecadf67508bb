"""AS OF reads what was, by key and by query, however the present has changed since."""

from __future__ import annotations

import asyncio

import pytest

from executor.snapshot.abc import TooOldForKeyed
from tests.executor.sql import Client, Failed, Server


async def now(client: Client) -> int:
    return client.session.executor.read_ts()


def test_every_past_state_is_still_there() -> None:
    async def run() -> None:
        async with Server() as server:
            client = server.client()
            await client.query("create table t (id int primary key, v int)")
            states: list[tuple[int, list[tuple[int, int]]]] = []
            for i in range(6):
                await client.query(f"insert into t values ({i}, {i * 10})")
                await client.query("update t set v = v + 1 where id = 0")
                if i == 3:
                    await client.query("delete from t where id = 1")
                states.append((await now(client), await client.rows("select * from t order by id")))
            for ts, rows in states:
                assert await client.rows(f"select * from t order by id as of timestamp {ts}") == rows
                first = await client.rows(f"select v from t where id = 0 as of timestamp {ts}")
                assert first == [(dict(rows)[0],)]
                await client.query(f"begin as of timestamp {ts}")
                assert await client.rows("select v from t where id = 0") == first
                assert await client.rows("select count(*) from t") == [(len(rows),)]
                await client.query("commit")

    asyncio.run(run())


def test_a_keyed_read_of_a_forgotten_version_is_answered_by_duckdb(monkeypatch: pytest.MonkeyPatch) -> None:
    async def run() -> None:
        async with Server() as server:
            client = server.client()
            await client.query("create table t (id int primary key, v int)")
            await client.query("insert into t values (1, 10), (2, 20), (3, 30)")
            ts = await now(client)
            await client.query("update t set v = 0 where id < 3")
            await client.query("select count(*) from t")
            image = client.session.executor.store.image(
                client.session.executor.catalog.resolve_table("t").shard
            )
            real = type(image).get

            def forgetful(self: object, key: object, at: int) -> object:
                if at <= ts:
                    raise TooOldForKeyed
                return real(self, key, at)  # type: ignore[arg-type]

            monkeypatch.setattr(type(image), "get", forgetful)
            assert await client.rows(f"select v from t where id in (3, 1) as of timestamp {ts}") == [
                (10,),
                (30,),
            ]
            assert await client.rows("select v from t where id = 1") == [(0,)]

    asyncio.run(run())


def test_a_snapshot_does_not_move_while_others_write() -> None:
    async def run() -> None:
        async with Server() as server:
            reader, writer = server.client("reader"), server.client("writer")
            await writer.query("create table t (id int primary key, v int)")
            await writer.query("insert into t values (1, 1), (2, 2)")
            await reader.query("begin")
            before = await reader.rows("select * from t order by id")
            for _ in range(3):
                await writer.query("update t set v = v + 100")
                await writer.query("select sum(v) from t")
            assert await reader.rows("select * from t order by id") == before
            assert await reader.rows("select v from t where id = 1") == [before[0][1:]]
            await reader.query("commit")
            assert await reader.rows("select v from t where id = 1") == [(301,)]

    asyncio.run(run())


def test_the_future_and_the_forgotten_past_are_refused() -> None:
    async def run() -> None:
        async with Server() as server:
            client = server.client()
            await client.query("create table t (id int primary key)")
            server.env.holds.retention_s = 0.0
            await client.query("insert into t values (1)")
            server.env.holds.advance(server.env.oracle.read_ts())
            for at in ("1", "'1999-01-01'", "'2999-01-01'", "null", "'infinity'"):
                with pytest.raises(Failed) as failed:
                    await client.query(f"select * from t as of timestamp {at}")
                assert failed.value.sqlstate == "22023", at

    asyncio.run(run())


def test_what_a_table_held_before_truncate_is_still_there() -> None:
    async def run() -> None:
        async with Server() as server:
            client = server.client()
            await client.query("create table t (id int primary key)")
            await client.query("insert into t values (1)")
            before = await now(client)
            await client.query("truncate t")
            for statement in (
                "select * from t as of timestamp {}",
                "select * from t where id = 1 as of timestamp {}",
            ):
                assert await client.rows(statement.format(before)) == [(1,)]
            assert await client.rows(f"select * from t as of timestamp {await now(client)}") == []

    asyncio.run(run())
