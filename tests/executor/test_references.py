"""Foreign keys and sequences under concurrency: no reference ever dangles, no value ever comes twice."""

from __future__ import annotations

import asyncio
import random

import pytest

from tests.executor.sql import Client, Failed, Server

PARENTS = 5
REFUSED = ("40001", "40P01", "23503", "23505", "25P02")
LEVELS = ("read committed", "repeatable read", "serializable", "strict serializable")


async def statements(client: Client, rng: random.Random, row: int) -> None:
    """A child that comes, moves or goes; a parent that comes, moves or goes; alone or in a block."""
    k, other = rng.randrange(PARENTS), rng.randrange(PARENTS)
    choices = [
        f"insert into child values ({row}, {k})",
        f"insert into child select {row}, {k}",
        f"update child set p = {k} where p = {other}",
        f"delete from child where p = {k}",
        f"delete from parent where id = {k}",
        f"delete from parent where id + 0 in ({k}, {other})",
        f"insert into parent values ({k}, 0)",
        f"update parent set id = {k} where id = {other}",
        f"update parent set v = v + 1 where id = {k}",
    ]
    try:
        if rng.random() < 0.4:
            await client.query(rng.choice(choices))
            return
        await client.query(f"begin isolation level {rng.choice(LEVELS)}")
        for text in rng.sample(choices, rng.randrange(1, 4)):
            await client.query(text)
            await asyncio.sleep(0)
        await client.query("rollback" if rng.random() < 0.2 else "commit")
    except Failed as failed:
        assert failed.sqlstate in REFUSED, failed
        await client.query("rollback")


@pytest.mark.parametrize("action", ["", "on delete cascade on update cascade", "on delete set null"])
@pytest.mark.parametrize("seed", [1, 2])
def test_no_reference_dangles_whatever_races(action: str, seed: int) -> None:
    async def run() -> None:
        async with Server() as server:
            setup = server.client("setup")
            await setup.query("create table parent (id int primary key, v int)")
            await setup.query(f"create table child (id int primary key, p int references parent {action})")
            await setup.query("insert into parent select g, 0 from generate_series(0, 4) g")

            async def work(number: int) -> None:
                rng = random.Random(seed * 100 + number)
                client = server.client(f"c{number}")
                for i in range(12):
                    await statements(client, rng, number * 1000 + i)

            for _ in range(3):
                await asyncio.gather(*(work(n) for n in range(5)))
                dangling = await setup.rows(
                    "select id, p from child c where p is not null "
                    "and not exists (select 1 from parent where parent.id = c.p)"
                )
                assert dangling == []
                await setup.query("delete from child")
                await setup.query("delete from parent")
                await setup.query("insert into parent select g, 0 from generate_series(0, 4) g")

    asyncio.run(run())


def test_a_sequence_never_gives_a_value_twice_also_after_a_crash() -> None:
    async def run() -> None:
        async with Server() as server:
            setup = server.client("setup")
            await setup.query("create sequence s")
            await setup.query("create table t (id serial primary key, v int)")
            seen: list[int] = []

            async def take(number: int) -> None:
                client = server.client(f"c{number}")
                for i in range(10):
                    if i % 3 == 0:
                        seen.extend(
                            row[0]
                            for row in await client.rows("select nextval('s') from generate_series(1, 30)")
                        )
                    elif i % 3 == 1:
                        seen.append((await client.rows("select nextval('s')"))[0][0])
                    else:
                        await client.query("insert into t (v) values (1), (2), (3)")

            for _ in range(2):
                await asyncio.gather(*(take(n) for n in range(4)))
                await server.restart()
            assert len(seen) == len(set(seen))
            rows = await server.client("after").rows("select count(*), count(distinct id) from t")
            assert rows[0][0] == rows[0][1] == 2 * 4 * 9

    asyncio.run(run())
