"""Clients that bring the same keys at once, in every way and at every level: no key comes twice, nobody waits for ever, and
nothing stays held."""

from __future__ import annotations

import asyncio
import random

import pytest

from tests.executor.sql import BLOCKED_S, Client, Failed, Server
from txn.log_entry import Entry

KEYS, CLIENTS, ROUNDS = 6, 5, 15
REFUSED = ("40001", "40P01", "23505", "25P02")
LEVELS = ("read committed", "repeatable read", "serializable", "strict serializable")


def statements(rng: random.Random) -> list[str]:
    k, u, other = rng.randrange(KEYS), rng.randrange(KEYS), rng.randrange(KEYS)
    return [
        f"insert into t values ({k}, {u}, 0)",
        f"insert into t values ({k}, {u}, 0), ({other}, {k}, 0)",
        f"insert into t select {k}, {u}, 0",
        f"insert into t values ({k}, {u}, 0) on conflict do nothing",
        f"insert into t values ({k}, {u}, 0) on conflict (k) do update set v = t.v + 1",
        f"insert into t select {k}, {u}, 0 on conflict (u) do update set v = t.v + 1",
        f"delete from t where k = {k}",
        f"delete from t where u + 0 = {u}",
        f"update t set k = {k} where k = {other}",
        f"update t set u = {u} where u + 0 = {other}",
        f"update t set v = v + 1 where k = {k}",
        f"merge into t using (values ({k})) n(k) on t.k = n.k when matched then delete "
        f"when not matched then insert values (n.k, {u}, 0)",
    ]


async def work(client: Client, rng: random.Random) -> None:
    for _ in range(ROUNDS):
        try:
            if rng.random() < 0.4:
                await client.query(rng.choice(statements(rng)))
                continue
            await client.query(f"begin isolation level {rng.choice(LEVELS)}")
            for _ in range(rng.randrange(1, 4)):
                await client.query("savepoint s")
                try:
                    await client.query(rng.choice(statements(rng)))
                except Failed as failed:
                    assert failed.sqlstate in REFUSED, failed
                    await client.query("rollback to s")
                if rng.random() < 0.2:
                    await client.query("rollback to s")
                await asyncio.sleep(0)
            await client.query("rollback" if rng.random() < 0.2 else "commit")
        except Failed as failed:
            assert failed.sqlstate in REFUSED, failed
            await client.query("rollback")


@pytest.mark.parametrize("seed", range(3))
def test_no_key_comes_twice_and_none_stays_held(seed: int) -> None:
    async def run() -> None:
        async with Server() as server:
            await server.client("setup").query("create table t (k int primary key, u int unique, v int)")
            clients = (work(server.client(f"c{n}"), random.Random(seed * 100 + n)) for n in range(CLIENTS))
            await asyncio.gather(*clients)
            rows = await server.client("setup").rows("select k + 0, u + 0 from t")
            assert len({k for k, _ in rows}) == len({u for _, u in rows}) == len(rows)
            env = server.executor.env
            assert env.held_keys.spaces == {} and len(env.locks) == 0

    asyncio.run(run())


@pytest.mark.parametrize("begin", ["", "BEGIN ISOLATION LEVEL READ COMMITTED", "BEGIN"])
@pytest.mark.parametrize("key", ["k int UNIQUE", "k int PRIMARY KEY"])
@pytest.mark.parametrize("rest", ["", " RETURNING no", " ON CONFLICT (k) DO NOTHING"])
def test_who_waits_for_a_key_draws_one_number(begin: str, key: str, rest: str) -> None:
    async def run() -> None:
        async with Server() as server:
            a, b = server.client("a"), server.client("b")
            await a.query(f"CREATE TABLE t (no serial, {key})")
            await a.query("INSERT INTO t (k) VALUES (0)")
            for number in (3, 5):
                await a.query(f"BEGIN; INSERT INTO t (k) VALUES ({number})")
                if begin:
                    await b.query(begin)
                    await b.query("SELECT 1")
                waiting = asyncio.ensure_future(b.query(f"INSERT INTO t (k) VALUES ({number}){rest}"))
                await asyncio.sleep(BLOCKED_S)
                assert not waiting.done()
                await a.query("ROLLBACK")
                await waiting
                if begin:
                    await b.query("COMMIT")
                assert await a.rows(f"SELECT no FROM t WHERE k = {number}") == [(number,)]

    asyncio.run(run())


async def _slow_disk(server: Server) -> None:
    """Every append takes its time beside the loop, and others find meanwhile what it brings."""
    committer, shard = server.env.committer, server.env.committer.shard
    append = shard.append

    async def late(entry: Entry, data: bytes) -> None:
        await asyncio.sleep(BLOCKED_S)
        await append(entry, data)

    shard.append = late  # type: ignore[method-assign]
    committer._slow, committer.loop_append_limit_s = True, 0.0


@pytest.mark.parametrize("begin", ["", "BEGIN ISOLATION LEVEL READ COMMITTED", "BEGIN"])
@pytest.mark.parametrize("key", ["UNIQUE", "PRIMARY KEY"])
@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO t (k) VALUES (1)",
        "INSERT INTO t (k) VALUES (1), (2) RETURNING no",
        "INSERT INTO t (k) SELECT 1",
        "UPDATE t SET k = 1 WHERE k = 0",
        "SELECT bring(1)",
    ],
)
def test_who_is_told_that_a_key_is_taken_finds_the_row(begin: str, key: str, statement: str) -> None:
    """`get_or_create`: the error comes when the other's row is there for everybody, not while it is on its way to the disk."""

    async def run() -> None:
        async with Server() as server:
            a, b = server.client("a"), server.client("b")
            await a.query(f"CREATE TABLE t (no serial, k int {key})")
            await a.query(
                "CREATE FUNCTION bring(int) RETURNS void LANGUAGE plpgsql AS $$ BEGIN INSERT INTO t (k) VALUES ($1); END $$"
            )
            await a.query("INSERT INTO t (k) VALUES (0)")
            await _slow_disk(server)
            await a.query("BEGIN; INSERT INTO t (k) VALUES (1)")
            if begin:
                await b.query(begin)
            waiting = asyncio.ensure_future(b.query(statement))
            await asyncio.sleep(BLOCKED_S)
            assert not waiting.done()
            committing = asyncio.ensure_future(a.query("COMMIT"))
            with pytest.raises(Failed) as refused:
                await waiting
            assert refused.value.sqlstate in ("23505", "40001")
            if begin:
                await b.query("ROLLBACK")
            assert await b.rows("SELECT k FROM t WHERE k = 1") == [(1,)]
            await committing

    asyncio.run(run())


def test_an_error_about_a_row_in_flight_waits_for_it() -> None:
    async def run() -> None:
        async with Server() as server:
            a, b = server.client("a"), server.client("b")
            await a.query(
                "CREATE TABLE t (k int PRIMARY KEY, v int CHECK (v < 2)); INSERT INTO t VALUES (1, 0)"
            )
            await _slow_disk(server)
            for client in (a, b):
                await client.query("BEGIN ISOLATION LEVEL READ COMMITTED")
            await a.query("UPDATE t SET v = v + 1 WHERE k = 1")
            waiting = asyncio.ensure_future(b.query("UPDATE t SET v = v + 1 WHERE k = 1"))
            await asyncio.sleep(BLOCKED_S)
            committing = asyncio.ensure_future(a.query("COMMIT"))
            with pytest.raises(Failed) as refused:
                await waiting
            assert refused.value.sqlstate == "23514"
            await b.query("ROLLBACK")
            assert await b.rows("SELECT v FROM t") == [(1,)]
            await committing

    asyncio.run(run())


def test_who_is_refused_in_a_group_is_told_when_it_has_landed() -> None:
    async def run() -> None:
        async with Server() as server:
            a, b = server.client("a"), server.client("b")
            await a.query("CREATE TABLE t (k int PRIMARY KEY)")
            await _slow_disk(server)
            first = asyncio.ensure_future(a.query("INSERT INTO t VALUES (1)"))
            second = asyncio.ensure_future(b.query("INSERT INTO t VALUES (1)"))
            with pytest.raises(Failed) as refused:
                await second
            assert refused.value.sqlstate == "23505"
            assert await b.rows("SELECT k FROM t WHERE k = 1") == [(1,)]
            await first

    asyncio.run(run())
