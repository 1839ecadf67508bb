"""EXCLUDE under concurrency, in bulk and after restarts: no two rows are ever there that exclude each other."""

from __future__ import annotations

import asyncio
import random

import pytest

from executor.limits import ExecutorLimits
from tests.executor.sql import Client, Failed, Server

REFUSED = ("40001", "40P01", "23P01", "25P02")
LEVELS = ("read committed", "repeatable read", "serializable", "strict serializable")
TABLE = "create table stays (id int primary key, room int, d int4range, exclude using gist (room with =, d with &&))"
CLASHES = "select a.id, b.id from stays a join stays b on a.id < b.id and a.room = b.room and a.d && b.d"


async def statements(client: Client, rng: random.Random, row: int) -> None:
    """A row that comes, moves or goes; alone or in a block, at any level."""
    room, at, length = rng.randrange(2), rng.randrange(30), rng.randrange(1, 5)
    span = f"int4range({at}, {at + length})"
    choices = [
        f"insert into stays values ({row}, {room}, {span})",
        f"insert into stays select {row}, {room}, {span}",
        f"update stays set room = {room} where room <> {room} and {at} <@ d",
        f"update stays set d = {span} where id % 7 = {row % 7} and room = {room}",
        f"delete from stays where {at} <@ d",
        f"merge into stays using (values ({row}, {room}, {span})) v (i, r, s) on id = i "
        "when not matched then insert values (i, r, s)",
    ]
    try:
        if rng.random() < 0.4:
            await client.query(rng.choice(choices))
            return
        await client.query(f"begin isolation level {rng.choice(LEVELS)}")
        if rng.random() < 0.3:
            await client.query("set constraints all deferred")
        for text in rng.sample(choices, rng.randrange(1, 3)):
            await client.query(text)
            await asyncio.sleep(0)
        await client.query("rollback" if rng.random() < 0.2 else "commit")
    except Failed as failed:
        if failed.sqlstate != "23505":  # the same row twice in one block
            assert failed.sqlstate in REFUSED, failed
        await client.query("rollback")


@pytest.mark.parametrize("deferrable", ["", " deferrable initially deferred"])
@pytest.mark.parametrize("seed", [1, 2])
def test_no_two_rows_exclude_each_other_whatever_races(deferrable: str, seed: int) -> None:
    async def run() -> None:
        async with Server() as server:
            setup = server.client("setup")
            await setup.query(TABLE[:-1] + deferrable + ")")

            async def work(number: int) -> None:
                rng = random.Random(seed * 100 + number)
                client = server.client(f"c{number}")
                for i in range(12):
                    await statements(client, rng, number * 1000 + i)

            written = 0
            for _ in range(3):
                await asyncio.gather(*(work(n) for n in range(5)))
                assert await setup.rows(CLASHES) == []
                ((count,),) = await setup.rows("select count(*) from stays")
                written += count
                await setup.query("delete from stays")
            assert written

    asyncio.run(run())


def test_a_circle_through_a_constraint_is_a_deadlock() -> None:
    async def run() -> None:
        async with Server() as server:
            a, b = server.client("a"), server.client("b")
            await a.query(TABLE)
            await a.query("create table other (id int primary key, n int)")
            await a.query("insert into other values (1, 0)")
            for client, text in (
                (a, "insert into stays values (1, 1, '[1,2)')"),
                (b, "update other set n = 1"),
            ):
                await client.query("begin")
                await client.query(text)
            waits = asyncio.ensure_future(b.query("insert into stays values (2, 2, '[1,2)')"))
            while not server.executor.env.locks.waiting_count:
                await asyncio.sleep(0)
            with pytest.raises(Failed) as refused:
                await a.query("update other set n = 2 where id = 1")
            assert refused.value.sqlstate == "40P01"
            assert 'constraint "stays_room_d_excl" of table "stays"' in str(
                getattr(refused.value.error, "detail", "")
            )
            await a.query("rollback")
            await waits

    asyncio.run(run())


def test_rows_in_bulk_and_after_a_restart() -> None:
    async def run() -> None:
        async with Server(ExecutorLimits(stage_rows=20, bulk_chunk_rows=64)) as server:
            client = server.client()
            await client.query(TABLE)
            bulk = "insert into stays select g + {0}, g % 5, int4range(g / 5 * 3 + {1}, g / 5 * 3 + {2}) from generate_series(0, 199) g"
            await client.query(bulk.format(0, 0, 1))
            await client.query(bulk.format(1000, 1, 2))
            for refused in (bulk.format(2000, 1, 3), bulk.format(2000, 2, 6), "update stays set room = 1"):
                with pytest.raises(Failed) as failed:
                    await client.query(refused)
                assert failed.value.sqlstate == "23P01"
            await client.query("begin")
            await client.query("delete from stays where id >= 1000")
            await client.query(bulk.format(3000, 1, 2))
            await client.query("update stays set d = int4range(lower(d) + 1, upper(d) + 1) where id >= 3000")
            await client.query("commit")
            await server.restart()
            client = server.client("b")
            assert await client.rows("select count(*), sum(lower(d)) from stays where id >= 3000") == [
                (200, 12100)
            ]
            with pytest.raises(Failed) as failed:
                await client.query("insert into stays values (9999, 1, '[5,6)')")
            assert failed.value.sqlstate == "23P01"
            assert await client.rows(CLASHES) == []

    asyncio.run(run())
