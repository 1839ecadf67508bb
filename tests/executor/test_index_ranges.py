"""Ranges of an index's keys: the keyed engine's answers are DuckDB's, whatever was written since, by others or by oneself."""

from __future__ import annotations

import asyncio
import random

import pytest

from executor.keyed.index_read import ROWS_MAX
from tests.executor.changing import answers_hold
from tests.executor.sql import Client, Failed, Server
from tests.executor.test_index_order import CHANGES, asked_both_ways, filled_in

ROWS = 3 * ROWS_MAX
"""As many as `filled_in` makes."""

RANGES = [
    "SELECT id, d FROM t WHERE s = {s} AND d BETWEEN {d} AND {d} + 90 ORDER BY id",
    "SELECT id, d FROM t WHERE s = {s} AND d > {d} + 900 ORDER BY d DESC, id",
    "SELECT id, d FROM t WHERE s = {s} AND d < 40 AND id % 2 = 0 ORDER BY id",
    "SELECT count(*), sum(d), min(id), max(w) FROM t WHERE s = {s} AND d >= {d} AND d < {d} + 60",
    "SELECT d, count(*) FROM t WHERE s = {s} AND d BETWEEN {d} AND {d} + 30 GROUP BY d ORDER BY d",
    "SELECT w, string_agg(id::text, ',' ORDER BY id) FROM t WHERE n BETWEEN {n} AND {n} + 30 GROUP BY w ORDER BY w",
    "SELECT id, n, w FROM t WHERE n BETWEEN {n} AND {n} + 20 ORDER BY w, id",
    "SELECT id, n, w FROM t WHERE n > {n} AND n <= {n} + 20 AND w = 'w2' ORDER BY id LIMIT 4",
    "SELECT id FROM t WHERE n = {n} AND w >= 'w2' ORDER BY id",
    "SELECT id FROM t WHERE n = {n} AND w > 'w' AND w < 'w3' ORDER BY id",
    "SELECT id, z FROM t WHERE z >= 1 AND z < {d} % 200 ORDER BY z, id",
    "SELECT DISTINCT w FROM t WHERE n BETWEEN {n} AND {n} + 9 ORDER BY w",
    "SELECT id FROM t WHERE n BETWEEN {n} AND {n} - 1",
    "SELECT id FROM t WHERE s = {s} AND d > NULL",
    "SELECT count(*) FROM t WHERE s = 'nobody' AND d > 1",
    "SELECT DISTINCT ON (n) n, id FROM t WHERE n BETWEEN {n} AND {n} + 9 ORDER BY n, id DESC",
    "SELECT x.id, u.w FROM t JOIN u x ON x.id = t.id % 7 JOIN u ON u.id = x.id + 1 WHERE t.n BETWEEN {n} AND {n} + 9 ORDER BY t.id",
    "SELECT u.id, (SELECT count(*) FROM t WHERE t.s = u.w AND t.d < 30) FROM u WHERE u.id = 1",
    "SELECT id, z FROM t WHERE kind = 1 AND z >= 1 AND z < {d} % 200 ORDER BY z, id",
    "SELECT count(*), sum(d), max(w) FROM t WHERE kind = 1 AND n BETWEEN {n} AND {n} + 30",
    "SELECT w, count(*) FROM t WHERE kind = 1 AND n BETWEEN {n} AND {n} + 30 AND d < 900 GROUP BY w ORDER BY w",
    "SELECT id FROM t WHERE kind = 1 AND n > {n} AND n <= {n} + 20 ORDER BY id LIMIT 4",
    "SELECT id FROM t WHERE kind = 1 AND z > NULL",
    "SELECT id FROM t WHERE half ORDER BY id",
    "SELECT id FROM t WHERE half AND id > 2 ORDER BY id",
]  # fmt: skip


async def _filled(server: Server) -> Client:
    client = await filled_in(server, ("(s, d)", "(n, w)", "(z)"))
    await client.query("ALTER TABLE t ADD COLUMN half boolean NOT NULL DEFAULT false")
    await client.query("UPDATE t SET half = true WHERE id % 50 = 0")
    await client.query("CREATE INDEX ON t (id) WHERE half")
    await client.query("ALTER TABLE t ADD COLUMN kind int NOT NULL DEFAULT 1")
    await client.query("CREATE INDEX ON t (kind)")
    await client.query("CREATE TABLE u (id int PRIMARY KEY, w text)")
    await client.query("INSERT INTO u SELECT i, 's' || i % 3 FROM generate_series(0, 9) i")
    return client


def _made(rng: random.Random, text: str) -> str:
    return text.format(
        s=f"'s{rng.randrange(3)}'",
        d=rng.randrange(1000),
        n=rng.randrange(ROWS // 3),
        id=rng.randrange(1, ROWS),
    )


async def _sorted(client: Client) -> None:
    for text in RANGES:
        await asked_both_ways(client, text.format(s="'s1'", d=500, n=500, id=500), in_block=False)
    await client.session.executor.store.sort(lambda: None)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("in_block", [False, True], ids=["autocommit", "in a block"])
def test_ranges(seed: int, in_block: bool) -> None:
    async def run() -> None:
        rng = random.Random(seed)
        async with Server() as server:
            client = await _filled(server)
            await _sorted(client)

            async def second_run() -> None:
                await client.query(
                    "INSERT INTO t SELECT 50000 + i, 's' || i % 3, i % 1000, i, 'w' || i % 5, i % 900"
                    " FROM generate_series(1, 3000) i"
                )
                await _sorted(client)

            await answers_hold(
                client, rng, RANGES, CHANGES, _made, asked_both_ways, in_block=in_block, second_run=second_run
            )

    asyncio.run(run())


@pytest.mark.parametrize(
    "text", ["SELECT sum(d) FROM t WHERE n > 5", "SELECT count(*) FROM t WHERE s = 's1' AND d >= 0"]
)
def test_long_ranges_are_duckdbs(text: str) -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            await client.query(
                f"INSERT INTO t SELECT {ROWS} + i, 's1', i, i, 'w' FROM generate_series(1, {ROWS_MAX}) i"
            )
            await _sorted(client)
            assert not await asked_both_ways(client, text, in_block=False)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("theirs", "refused"),
    [
        ("INSERT INTO t VALUES (90000, 's1', 505, 1, 'w')", True),
        ("UPDATE t SET d = 505 WHERE id = 1", True),
        ("UPDATE t SET d = 505 WHERE id = 2", False),  # of another s
        ("UPDATE t SET s = 's1', d = 505 WHERE id = 2", True),
        ("UPDATE t SET d = 499 WHERE s = 's1' AND d = 511", True),
        ("UPDATE t SET d = 521 WHERE id = 1", False),
        ("INSERT INTO t VALUES (90000, 's1', 521, 1, 'w')", False),
        ("DELETE FROM t WHERE s = 's1' AND d = 511", True),
        ("DELETE FROM t WHERE s = 's1' AND d = 499", False),
        ("UPDATE t SET w = 'other' WHERE s = 's1' AND d = 511", False),
    ],
)
def test_a_transaction_depends_on_the_ranges_that_it_has_read(theirs: str, refused: bool) -> None:
    """Each of two has not seen what the other wrote: no order of them explains both, if it is what was read."""

    async def run() -> None:
        async with Server() as server:
            a, b = await _filled(server), server.client("b")
            await _sorted(a)
            await a.query("CREATE TABLE out (v text)")
            await a.query("BEGIN ISOLATION LEVEL SERIALIZABLE")
            text = "SELECT count(*) FROM t WHERE s = 's1' AND d BETWEEN 500 AND 520"
            await a.rows(text)
            await b.query("BEGIN ISOLATION LEVEL SERIALIZABLE")
            await b.query(theirs)
            await b.query("SELECT count(*) FROM out")
            await b.query("COMMIT")
            await a.query("INSERT INTO out VALUES ('a')")
            if refused:
                with pytest.raises(Failed, match="serialize"):
                    await a.query("COMMIT")
            else:
                await a.query("COMMIT")

    asyncio.run(run())
