"""What must hold whatever happens: money is neither made nor lost, and nothing acknowledged disappears."""

from __future__ import annotations

import asyncio
import dataclasses
import random

import pyarrow as pa
import pytest

from executor.abc import CopyIn
from executor.limits import ExecutorLimits
from tests.executor.sql import Client, Failed, Server

ACCOUNTS = 6
RETRIED = ("40001", "40P01")


async def transfer(client: Client, rng: random.Random) -> bool:
    """Moves money in a block of its own, in one of several ways. False: refused, nothing happened."""
    a, b = rng.sample(range(ACCOUNTS), 2)
    amount = rng.randrange(1, 10)
    try:
        await client.query("begin" if rng.random() < 0.7 else "begin isolation level read committed")
        if rng.random() < 0.5:
            await client.query(f"select v from account where id = {a} for update")
        await client.query(f"update account set v = v - {amount} where id = {a}")
        if rng.random() < 0.3:
            await asyncio.sleep(0)
        if rng.random() < 0.3:
            await client.query("savepoint s")
            await client.query(f"update account set v = v + 1000 where id = {b}")
            await client.query("rollback to s")
        where = f"id = {b}" if rng.random() < 0.7 else f"id + 0 = {b}"
        await client.query(f"update account set v = v + {amount} where {where}")
        await client.query(f"insert into journal values ({a}, {b}, {amount})")
        await client.query("commit" if rng.random() < 0.8 else "rollback")
    except Failed as failed:
        assert failed.sqlstate in RETRIED, failed
        await client.query("rollback")
        return False
    return True


async def total(client: Client) -> int:
    return int((await client.rows("select sum(v) from account"))[0][0])


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_transfers_keep_the_sum_under_contention_and_across_a_crash(seed: int) -> None:
    async def run() -> None:
        async with Server() as server:
            setup = server.client("setup")
            await setup.query("create table account (id int primary key, v int not null)")
            await setup.query("create table journal (source int, target int, amount int)")
            for i in range(ACCOUNTS):
                await setup.query(f"insert into account values ({i}, 100)")

            async def work(number: int) -> int:
                rng = random.Random(seed * 100 + number)
                client = server.client(f"c{number}")
                return sum([await transfer(client, rng) for _ in range(12)])

            async def watch() -> None:
                client = server.client("watch")
                for _ in range(8):
                    assert await total(client) == 100 * ACCOUNTS
                    await asyncio.sleep(0.005)

            *done, _ = await asyncio.gather(*(work(n) for n in range(5)), watch())
            assert sum(filter(None, done)) > 0, "somebody got through"
            before = await setup.rows("select * from account order by id")
            journal = sorted(await setup.rows("select * from journal"))
            for _ in range(2):
                await server.restart()
                client = server.client("after")
                assert await client.rows("select * from account order by id") == before
                assert sorted(await client.rows("select * from journal")) == journal
                assert await total(client) == 100 * ACCOUNTS

    asyncio.run(run())


def test_autocommit_increments_of_one_row_are_never_lost() -> None:
    async def run() -> None:
        async with Server() as server:
            await server.client().query("create table n (id int primary key, v int)")
            await server.client().query("insert into n values (1, 0)")

            async def work(number: int) -> None:
                client = server.client(f"c{number}")
                for _ in range(50):
                    await client.query("update n set v = v + 1 where id = 1")

            await asyncio.gather(*(work(n) for n in range(8)))
            assert await server.client().rows("select v from n where id = 1") == [(400,)]
            assert await server.client().rows("select v from n") == [(400,)]

    asyncio.run(run())


def test_unique_keys_stay_unique_when_everybody_inserts_the_same() -> None:
    async def run() -> None:
        async with Server() as server:
            await server.client().query("create table u (id int primary key, k int unique)")

            async def work(number: int) -> int:
                client, won = server.client(f"c{number}"), 0
                for i in range(30):
                    try:
                        await client.query(f"insert into u values ({number * 1000 + i}, {i})")
                        won += 1
                    except Failed as failed:
                        assert failed.sqlstate == "23505"
                return won

            assert sum(await asyncio.gather(*(work(n) for n in range(4)))) == 30
            rows = await server.client().rows("select count(*), count(distinct k) from u")
            assert rows == [(30, 30)]

    asyncio.run(run())


async def copy_in(client: Client, statement: str, batches: list[pa.RecordBatch]) -> str:
    plan, params = client.session.plan(statement)
    copy = await client.session.execute(plan, params, autocommit=True)
    assert isinstance(copy, CopyIn)
    for batch in batches:
        await copy.write(batch)
    return str((await copy.finish()).tag)


def batch(start: int, count: int) -> pa.RecordBatch:
    ids = pa.array(range(start, start + count), pa.int32())
    return pa.RecordBatch.from_arrays(
        [ids, pa.array([f"row {i}" for i in range(start, start + count)])], ["a", "b"]
    )


@pytest.mark.parametrize("mapped", [False, True], ids=["in memory", "in mapped files"])
@pytest.mark.parametrize("key", ["primary key", ""])
def test_a_large_copy_is_there_by_key_by_query_and_after_a_crash(key: str, mapped: bool) -> None:
    async def run() -> None:
        async with Server(ExecutorLimits(bulk_chunk_rows=10_000)) as server:
            if mapped:
                server.executor.store.spill = dataclasses.replace(
                    server.executor.store.spill, size_bytes_min=1
                )
            client = server.client()
            await client.query(f"create table big (id int {key}, s text, d int default 7)")
            tag = await copy_in(
                client, "copy big (id, s) from stdin", [batch(i, 5_000) for i in range(0, 40_000, 5_000)]
            )
            assert tag == "COPY 40000"
            for _ in range(2):
                counts = await client.rows("select count(*), sum(id), sum(d) from big")
                assert counts == [(40_000, sum(range(40_000)), 280_000)]
                assert await client.rows("select s from big where id = 31234") == [("row 31234",)]
                await server.restart()
                client = server.client()
            if key:
                with pytest.raises(Failed) as failed:
                    await client.query("insert into big values (39999, 'x', 1)")
                assert failed.value.sqlstate == "23505"

    asyncio.run(run())


def test_a_copy_that_breaks_a_key_or_is_aborted_leaves_nothing() -> None:
    async def run() -> None:
        async with Server() as server:
            client = server.client()
            await client.query("create table big (id int primary key, s text)")
            await client.query("insert into big values (7777, 'here')")
            with pytest.raises(Exception, match="duplicate key value"):
                await copy_in(client, "copy big from stdin", [batch(0, 10_000)])
            with pytest.raises(Exception, match="duplicate key value"):
                await copy_in(client, "copy big from stdin", [batch(20_000, 5_000), batch(20_010, 5_000)])
            plan, params = client.session.plan("copy big from stdin")
            copy = await client.session.execute(plan, params, autocommit=True)
            assert isinstance(copy, CopyIn)
            await copy.write(batch(0, 100))
            copy.abort()
            assert await client.rows("select * from big") == [(7777, "here")]

    asyncio.run(run())


def test_bulk_update_and_delete_by_query() -> None:
    async def run() -> None:
        async with Server() as server:
            client = server.client()
            await client.query("create table big (id int primary key, s text)")
            await copy_in(client, "copy big from stdin", [batch(0, 20_000)])
            await client.query("begin")
            await client.query("update big set s = 'even' where id % 2 = 0")
            assert await client.rows("select count(*) from big where s = 'even'") == [(10_000,)]
            assert await client.rows("select s from big where id = 500") == [("even",)]
            await client.query("delete from big where id >= 10000")
            assert await client.rows("select count(*) from big") == [(10_000,)]
            assert await client.rows("select s from big where id = 15000") == []
            await client.query("commit")
            for _ in range(2):
                assert await client.rows("select count(*), max(id) from big") == [(10_000, 9_999)]
                assert await client.rows("select s from big where id = 9998") == [("even",)]
                assert await client.rows("select s from big where id = 15000") == []
                await server.restart()
                client = server.client()

    asyncio.run(run())
