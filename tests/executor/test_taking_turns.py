"""A long statement beside a crowd of short writers: it is overtaken, keeps them waiting in the end, and comes to its own."""

from __future__ import annotations

import asyncio

import pytest

from tests.executor.sql import Server

LONG = {
    "refresh": "REFRESH MATERIALIZED VIEW shown",
    "create": "CREATE TABLE made AS SELECT v, count(*) AS n FROM crowded GROUP BY v",
    "insert": "INSERT INTO kept SELECT v, count(*) FROM crowded GROUP BY v",
    "function": "SELECT counted()",
    "rule": "INSERT INTO ruled VALUES (1)",
}


@pytest.mark.parametrize("case", LONG)
def test_a_statement_that_is_overtaken_takes_its_turn(case: str) -> None:
    async def run() -> None:
        async with Server() as server:
            client, reader = server.client(), server.client("reader")
            for text in (
                "CREATE TABLE crowded (id int PRIMARY KEY, v int)",
                "CREATE TABLE kept (v int, n bigint)",
                "CREATE TABLE ruled (v int)",
                "INSERT INTO crowded SELECT n, n % 1000 FROM generate_series(1, 100000) n",
                "CREATE MATERIALIZED VIEW shown AS SELECT v, count(*) AS n FROM crowded GROUP BY v",
                "CREATE RULE r AS ON INSERT TO ruled DO ALSO INSERT INTO kept SELECT v, count(*) FROM crowded GROUP BY v",
                "CREATE FUNCTION counted() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN INSERT INTO kept SELECT v, count(*) FROM crowded"
                " GROUP BY v; RETURN (SELECT sum(n) FROM kept); END $$",
            ):
                await client.query(text)
            done, written = False, 0

            async def write(name: str, first: int) -> None:
                nonlocal written
                writer = server.client(name)
                while not done:
                    await writer.query(f"INSERT INTO crowded VALUES ({first}, 1)")
                    first, written = first + 1, written + 1
                    await asyncio.sleep(0)

            writers = [asyncio.ensure_future(write(f"w{i}", 1_000_000 * (i + 1))) for i in range(3)]
            try:
                await asyncio.wait_for(client.query(LONG[case]), 120)
            finally:
                done = True
                await asyncio.gather(*writers)
            assert written
            assert await reader.rows("SELECT count(*) FROM crowded") == [(100_000 + written,)]

    asyncio.run(run())


def test_who_locks_a_table_sees_what_was_on_its_way_there() -> None:
    async def run() -> None:
        async with Server() as server:
            locker, writer = server.client("locker"), server.client("writer")
            await locker.query("CREATE TABLE t (id int PRIMARY KEY)")
            await locker.query("BEGIN ISOLATION LEVEL SERIALIZABLE")
            writing = asyncio.ensure_future(writer.query("INSERT INTO t VALUES (1)"))
            await asyncio.sleep(0)  # it is submitted, and waits for its round
            await locker.query("LOCK TABLE t IN EXCLUSIVE MODE")
            assert await locker.rows("SELECT count(*) FROM t") == [(1,)]
            await locker.query("INSERT INTO t SELECT 1 + count(*) FROM t")
            await locker.query("COMMIT")
            await writing

    asyncio.run(run())
