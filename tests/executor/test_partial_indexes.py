"""Partial indexes serve look-ups and walks: with the rows that are within their predicates, whatever moves in and out of them."""

from __future__ import annotations

import asyncio
import random

import pytest

from tests.executor.sql import Client, Server
from tests.executor.test_index_order import CHANGES, ROWS, asked_both_ways, filled_in

INDEXES = [
    "(d) WHERE s = 's1' AND w <> 'w4'",
    "(n, w) WHERE s IS NULL",
    "(z) WHERE s IN ('s0', 's2')",
    "(w, d) WHERE n > 200",
]
ASKED = [
    "SELECT id, d FROM t WHERE s = 's1' AND w <> 'w4' ORDER BY d DESC NULLS LAST, id LIMIT 5",
    "SELECT id, d FROM t WHERE s = 's1' AND w = 'w2' AND d < {d} ORDER BY d, id LIMIT 5",
    "SELECT id, d FROM t WHERE s = 's1' AND w <> 'w4' ORDER BY d NULLS FIRST, id LIMIT 5",
    "SELECT id, n FROM t WHERE s IS NULL ORDER BY n, w, id LIMIT 7",
    "SELECT id, n FROM t WHERE s IS NULL AND n > {n} ORDER BY n DESC, w DESC, id LIMIT 3",
    "SELECT id, n FROM t WHERE s IS NULL ORDER BY n DESC, w, id LIMIT 7",
    "SELECT id, z FROM t WHERE s = 's2' AND z IS NOT NULL ORDER BY z, id LIMIT 4",
    "SELECT id, z FROM t WHERE s IN ('s2', 's0') AND z > {d} - 400 ORDER BY z, id LIMIT 4",
    "SELECT id, w FROM t WHERE w = 'w3' AND n >= 500 ORDER BY d, id LIMIT 4",
    "SELECT id FROM t WHERE w = 'w3' AND d = {d} AND n > 201 ORDER BY id",
    "SELECT max(d) FROM t WHERE s = 's1' AND w <> 'w4'",
]


def _made(rng: random.Random, text: str) -> str:
    return text.format(
        s=f"'s{rng.randrange(3)}'",
        d=rng.randrange(1000),
        n=rng.randrange(ROWS // 3),
        id=rng.randrange(1, ROWS),
    )


async def _sorted(client: Client) -> None:
    """Indexes are sorted when they are first asked for, and large runs aside."""
    for text in ASKED:
        await asked_both_ways(client, text.format(d=500, n=500), in_block=False)
    await client.session.executor.store.sort(lambda: None)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("in_block", [False, True], ids=["autocommit", "in a block"])
def test_answers_are_duckdbs(seed: int, in_block: bool) -> None:
    async def run() -> None:
        rng = random.Random(seed)
        async with Server() as server:
            client = await filled_in(server, INDEXES)
            await _sorted(client)
            answered = 0
            for step in range(6):
                if in_block:
                    await client.query("BEGIN")
                for _ in range(5):
                    await client.query(_made(rng, rng.choice(CHANGES)))
                for text in ASKED:
                    answered += await asked_both_ways(client, _made(rng, text), in_block=in_block)
                if in_block:
                    await client.query(rng.choice(("COMMIT", "ROLLBACK")))
                if step == 2:  # a second run above the first
                    await client.query(
                        "INSERT INTO t SELECT 50000 + i, 's' || i % 3, i % 1000, i, 'w' || i % 5, i % 900"
                        " FROM generate_series(1, 3000) i"
                    )
                    await _sorted(client)
            assert answered >= 6 * len(ASKED) - 6, "by the keyed engine, but for a walk that led too far"

    asyncio.run(run())


def test_a_row_leaves_and_comes_back_and_old_snapshots_stay() -> None:
    async def run() -> None:
        async with Server() as server:
            a, b = server.client("a"), server.client("b")
            await a.query("CREATE TABLE jobs (id int PRIMARY KEY, state text, prio int NOT NULL)")
            await a.query("CREATE INDEX ON jobs (prio) WHERE state = 'new'")
            await a.query("INSERT INTO jobs SELECT g, 'done', 0 FROM generate_series(1, 12000) g")
            await a.query("UPDATE jobs SET state = 'new', prio = id WHERE id > 11000")
            first = "SELECT id FROM jobs WHERE state = 'new' ORDER BY prio LIMIT 2"
            assert await asked_both_ways(a, first, in_block=False) or await asked_both_ways(
                a, first, in_block=False
            )
            await b.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            assert await b.rows(first) == [(11001,), (11002,)]
            await a.query("UPDATE jobs SET state = 'on' WHERE id = 11001")
            await a.query("UPDATE jobs SET state = 'new', prio = -1 WHERE id = 7")
            assert await asked_both_ways(a, first, in_block=False)
            assert await a.rows(first) == [(7,), (11002,)]
            assert await b.rows(first) == [(11001,), (11002,)]
            await b.query("ROLLBACK")
            await a.query("UPDATE jobs SET state = 'new' WHERE id = 11001")
            assert await b.rows(first) == [(7,), (11001,)]
            await a.query(
                "ALTER TABLE jobs DROP COLUMN prio; ALTER TABLE jobs ADD prio int NOT NULL DEFAULT 5"
            )
            await a.query("CREATE INDEX ON jobs (prio, id) WHERE state = 'new'")
            again = "SELECT id FROM jobs WHERE state = 'new' ORDER BY prio, id LIMIT 2"
            assert await a.rows(again) == [(7,), (11001,)]

    asyncio.run(run())


def test_predicates_are_bound_where_the_first_column_is_no_key_of_the_keyed_engine() -> None:
    """Each predicate is bound over a stand-in of the table, which has the table's partial indexes: they do not serve it."""

    async def run() -> None:
        async with Server() as server:
            a = server.client("a")
            await a.query(
                "CREATE TABLE t (amount numeric, n int, l int[], m int, g int GENERATED ALWAYS AS (n + 1) STORED, "
                "PRIMARY KEY (amount, n))"
            )
            await a.query("CREATE UNIQUE INDEX ON t ((coalesce(l, '{2,1}'))) WHERE g IN (4)")
            await a.query("CREATE INDEX ON t (amount) WHERE m IS DISTINCT FROM 3")
            await a.query("INSERT INTO t VALUES (1, 1, NULL, 4), (1, 2, NULL, 3), (2, 1, NULL, 4)")
            assert await a.rows("SELECT n FROM t WHERE amount = 1 AND m = 4") == [(1,)]
            assert await a.rows("SELECT m FROM t WHERE amount = 1 AND n = 2") == [(3,)]

    asyncio.run(run())
