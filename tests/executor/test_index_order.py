"""ORDER BY ... LIMIT by an index: the keyed engine's answers are DuckDB's, whatever was written since, by others or by oneself."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from typing import Any

import pytest

from executor.abc import Rows
from executor.keyed.in_vain import STEPS_MAX
from tests.executor.changing import answers_hold
from tests.executor.sql import Client, Failed, Server

ROWS = 3 * STEPS_MAX

PAGES = [
    "SELECT id, s, d FROM t WHERE s = {s} ORDER BY d DESC, id LIMIT 10",
    "SELECT id, s, d FROM t WHERE s = {s} ORDER BY d, id DESC LIMIT 10 OFFSET 7",
    "SELECT id, d FROM t WHERE s = {s} ORDER BY d DESC NULLS LAST, id LIMIT 12",
    "SELECT id, d FROM t WHERE s = {s} ORDER BY d NULLS FIRST, id LIMIT 12",
    "SELECT id, d FROM t WHERE s = {s} AND d < {d} ORDER BY d DESC, id LIMIT 5",
    "SELECT id, d FROM t WHERE s = {s} AND d >= {d} AND d < {d} + 200 ORDER BY d, id LIMIT 5",
    "SELECT id, d FROM t WHERE s = {s} AND (d, id) < ({d}, {id}) ORDER BY d DESC, id DESC LIMIT 6",
    "SELECT id, d FROM t WHERE s = {s} AND (d, id) >= ({d}, {id}) ORDER BY d, id LIMIT 6",
    "SELECT id, d FROM t WHERE (s = {s}) AND (d < {d} OR d = {d} AND id < {id}) ORDER BY d DESC, id DESC LIMIT 6",
    "SELECT id, n, w FROM t ORDER BY n, w DESC, id LIMIT 9",
    "SELECT id, n, w FROM t ORDER BY n DESC, w DESC, id LIMIT 9 OFFSET 3",
    "SELECT id, n, w FROM t WHERE n > {n} ORDER BY n, w, id LIMIT 4",
    "SELECT n FROM t WHERE n < {n} ORDER BY n DESC LIMIT 4",
    "SELECT n, id FROM t WHERE (n, w, id) > ({n}, 'w3', {id}) ORDER BY n, w, id LIMIT 4",
    "SELECT id, n FROM t WHERE n >= {n} AND w = 'w2' ORDER BY n, id LIMIT 4",
    "SELECT id, z FROM t ORDER BY z, id LIMIT 6",
    "SELECT id, z FROM t ORDER BY z DESC NULLS LAST, id LIMIT 6",
    "SELECT id, z FROM t WHERE z IS NOT NULL AND z > {d} ORDER BY z, id DESC LIMIT 6",
    "SELECT id, d, s FROM t WHERE s = {s} AND d = {d} ORDER BY s, d, id LIMIT 3",
    "SELECT id + 1, d FROM t WHERE s = {s} AND d < {d} ORDER BY s, d DESC, w, id LIMIT 3",
    "SELECT id FROM t WHERE s = {s} AND d < NULL ORDER BY d LIMIT 3",
    "SELECT id FROM t WHERE s = NULL ORDER BY d LIMIT 3",
    "SELECT id FROM t WHERE s = {s} ORDER BY d LIMIT 0",
    "SELECT id, n, w FROM t ORDER BY n DESC, w, id LIMIT 9",
    "SELECT id, n, w FROM t WHERE n > {n} AND w <> 'w3' ORDER BY n, w DESC, id LIMIT 9 OFFSET 2",
    "SELECT id, n, w FROM t WHERE n <= {n} ORDER BY n DESC, w, id DESC LIMIT 4",
    "SELECT max(d) FROM t WHERE s = {s}",
    "SELECT min(d) FROM t WHERE s = {s}",
    "SELECT min(d), 1 FROM t WHERE s = {s} AND d > {d}",
    "SELECT max(n) + 1 FROM t",
    "SELECT min(z) FROM t",
    "SELECT coalesce(max(z), -1) FROM t WHERE z < {d} - 1000",
    "SELECT max(d) FROM t WHERE s = 'nobody'",
]

SIDE_BY_SIDE = [
    "SELECT id, s, d FROM t WHERE s IN ({s}, 's1') ORDER BY d DESC, id LIMIT 10",
    "SELECT id, d FROM t WHERE s = ANY (ARRAY[{s}, {s}, 's2', NULL]) AND d > {d} - 300 ORDER BY d, id LIMIT 7 OFFSET 3",
    "SELECT id, d FROM t WHERE s IN ('s0', 's2') ORDER BY d NULLS FIRST, id LIMIT 12",
    "SELECT id, d FROM t WHERE s IN ('s0', 's2', 'nobody') ORDER BY d DESC NULLS LAST, id LIMIT 12 OFFSET 4",
    "SELECT id, d FROM t WHERE s IN ('s1', {s}) AND w = 'w2' AND d < {d} + 100 ORDER BY d DESC, id LIMIT 4",
    "SELECT id, d, s FROM t WHERE s IN ('s2', 's0', {s}) ORDER BY d DESC NULLS LAST, s, id LIMIT 9",
    "SELECT max(d) FROM t WHERE s IN ({s}, 's0')",
    "SELECT min(d) FROM t WHERE s = ANY ('{{s2,s0}}') AND d > {d}",
    "SELECT id, d FROM t WHERE s = {s} AND (d = {d} AND id < {id} OR d < {d} - 3) ORDER BY d DESC, id DESC LIMIT 6",
]

FAR_PAGES_AND_ENDS = [
    "SELECT min(n), max(n), max(id) FROM t",
    "SELECT max(d) - min(d) FROM t WHERE s = {s}",
    "SELECT min(d), max(d) FROM t WHERE s = {s} AND d < {d} HAVING max(d) > 5",
    "SELECT id, n, w FROM t ORDER BY n, w, id LIMIT 9 OFFSET 1{n}",
    "SELECT id, n, w FROM t ORDER BY n DESC, w DESC, id LIMIT 9 OFFSET 10{n}",
    "SELECT id, z FROM t ORDER BY z DESC NULLS LAST, id LIMIT 6 OFFSET 2{n}",
    "SELECT id, z FROM t ORDER BY z, id DESC LIMIT 6 OFFSET 3{n}",
    "SELECT id, d FROM t WHERE s = {s} AND d >= 0 ORDER BY d, id LIMIT 5 OFFSET 20{n}",
    "SELECT id, d FROM t WHERE s = {s} ORDER BY d DESC, id LIMIT 5 OFFSET 5{n}",
]

CHANGES = [
    "DELETE FROM t WHERE id = {id}",
    "DELETE FROM t WHERE id BETWEEN {id} AND {id} + 5",
    "UPDATE t SET d = d + 500 WHERE id BETWEEN {id} AND {id} + 5",
    "UPDATE t SET d = NULL, n = n - 300 WHERE id = {id}",
    "UPDATE t SET s = {s}, z = {d} WHERE id = {id}",
    "UPDATE t SET s = NULL WHERE id = {id}",
    "UPDATE t SET id = -id WHERE id = {id}",
    "UPDATE t SET w = 'w' || {n} % 5 WHERE id = {id}",
    "INSERT INTO t VALUES ({id}, {s}, {d}, {n}, 'w1', NULL) ON CONFLICT (id) DO UPDATE SET d = excluded.d, s = excluded.s",
    "INSERT INTO t SELECT 90000 + {id} + i, {s}, {d} + i / 2, 0 - i, 'w' || i % 5, i FROM generate_series(1, 4) i ON CONFLICT DO NOTHING",
    "DELETE FROM t WHERE s = {s} AND d > {d} + 300",
]


async def filled_in(server: Server, indexes: Sequence[str]) -> Client:
    client = server.client("a")
    await client.query(
        "CREATE TABLE t (id int PRIMARY KEY, s text, d int, n bigint NOT NULL, w varchar(9) NOT NULL, z int)"
    )
    for columns in indexes:
        await client.query(f"CREATE INDEX ON t {columns}")
    await client.query(
        "INSERT INTO t SELECT i, nullif('s' || i % 4, 's3'), nullif(i * 7 % 1000, 21), i / 3, 'w' || i % 5,"
        f" nullif(i % (CASE WHEN i % 2 = 0 THEN 700 ELSE 1 END), 0) FROM generate_series(1, {ROWS}) i"
    )
    return client


async def _filled(server: Server) -> Client:
    return await filled_in(server, ("(s, d)", "(n, w)", "(z)"))


def _made(rng: random.Random, text: str) -> str:
    return text.format(
        s=f"'s{rng.randrange(3)}'",
        d=rng.randrange(1000),
        n=rng.randrange(ROWS // 3),
        id=rng.randrange(1, ROWS),
    )


async def asked_both_ways(client: Client, text: str, *, in_block: bool) -> bool:
    """Whether the keyed engine answers; its answer is DuckDB's, which is asked in a form that no other can answer."""
    session = client.session
    plan = session.executor.plans.prepared(text, session.context(), ())
    now = session.execute_now(plan, (), lambda _: None, autocommit=not in_block)
    wide = await client.rows(text.replace("FROM t", "FROM (SELECT * FROM t OFFSET 0) t"))
    if not isinstance(now, Rows):
        return False
    assert list(now.rows) == wide, text
    return True


async def _sorted(client: Client) -> None:
    """Indexes are sorted when they are first asked for, and large runs aside."""
    store = client.session.executor.store
    for text in PAGES:
        await asked_both_ways(client, text.format(s="'s1'", d=500, n=500, id=500), in_block=False)
    await store.sort(lambda: None)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("in_block", [False, True], ids=["autocommit", "in a block"])
def test_pages(seed: int, in_block: bool) -> None:
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
                client,
                rng,
                PAGES + SIDE_BY_SIDE,
                CHANGES,
                _made,
                asked_both_ways,
                in_block=in_block,
                second_run=second_run,
            )

    asyncio.run(run())


@pytest.mark.parametrize("seed", range(3))
def test_pages_behind_many_rows(seed: int) -> None:
    """Rows are not looked at on the way there, whatever has been changed among them."""

    async def run() -> None:
        rng = random.Random(seed)
        async with Server() as server:
            client = await _filled(server)
            await _sorted(client)
            for text in FAR_PAGES_AND_ENDS:
                await asked_both_ways(client, _made(rng, text), in_block=False)
            await client.session.executor.store.sort(lambda: None)
            by_key = 0
            for _ in range(12):
                for _ in range(3):
                    await client.query(_made(rng, rng.choice(CHANGES)))
                for text in FAR_PAGES_AND_ENDS:
                    by_key += await asked_both_ways(client, _made(rng, text), in_block=False)
            assert by_key > 12 * len(FAR_PAGES_AND_ENDS) // 2

    asyncio.run(run())


def test_a_row_of_a_snapshot_stays_where_it_was() -> None:
    """What others commit beside a transaction moves rows in the index: not in what it sees."""

    async def run() -> None:
        async with Server() as server:
            client, other = await _filled(server), server.client("b")
            await _sorted(client)
            text = "SELECT id, d FROM t WHERE s = 's1' ORDER BY d DESC NULLS LAST, id LIMIT 4"
            before = await client.rows(text)
            await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ")
            assert await client.rows(text) == before
            await other.query(f"UPDATE t SET d = 0 WHERE id = {before[0][0]}")
            await other.query(f"DELETE FROM t WHERE id = {before[1][0]}")
            await other.query("INSERT INTO t VALUES (77777, 's1', 5000, 1, 'w')")
            assert await asked_both_ways(client, text, in_block=True)
            assert await client.rows(text) == before
            await client.query("COMMIT")
            assert await client.rows(text) == [(77777, 5000), *before[2:], *(await client.rows(text))[3:]]

    asyncio.run(run())


FAR = [
    "SELECT id FROM t WHERE s = 's1' AND w = 'nothing' ORDER BY d, id LIMIT 1",
    f"SELECT id FROM t WHERE id > 0 ORDER BY n, w OFFSET {STEPS_MAX} LIMIT 1",
    "SELECT id FROM t ORDER BY z DESC NULLS FIRST, id LIMIT 1",
    "SELECT id FROM t WHERE n > 0 AND id < 0 ORDER BY n LIMIT 1",
]


@pytest.mark.parametrize("text", FAR)
def test_walks_that_lead_too_far_are_duckdbs(text: str) -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            await client.query(
                f"INSERT INTO t SELECT {ROWS} + i, 's1', i, i, 'w' FROM generate_series(1, {STEPS_MAX}) i"
            )
            await _sorted(client)
            assert not await asked_both_ways(client, text, in_block=False)
            wide = await client.rows(text.replace("FROM t", "FROM (SELECT * FROM t OFFSET 0) t"))
            assert len(await client.rows(text)) == len(wide)

    asyncio.run(run())


SKEWED: list[tuple[str, Any]] = [
    ("SELECT id FROM q WHERE c = {c} ORDER BY d DESC LIMIT 1", 1),
    ("SELECT max(d) FROM q WHERE c = {c}", 1),
]


@pytest.mark.parametrize(("read", "rows"), SKEWED, ids=["first row", "greatest"])
def test_rows_that_come_beside_a_page(read: str, rows: int) -> None:
    """Each of two has not seen the row that the other brought: no order of them explains both."""

    async def run() -> None:
        async with Server() as server:
            a, b = server.client("a"), server.client("b")
            await a.query("CREATE TABLE q (id int PRIMARY KEY, c int, d int NOT NULL)")
            await a.query("CREATE INDEX ON q (c, d)")
            await a.query("INSERT INTO q VALUES (1, 1, 0), (2, 2, 0)")
            for client, c in ((a, 1), (b, 2)):
                await client.query("BEGIN ISOLATION LEVEL SERIALIZABLE")
                assert await asked_both_ways(client, read.format(c=c), in_block=True)
                assert len(await client.rows(read.format(c=c))) == rows
            await a.query("INSERT INTO q VALUES (3, 2, 5)")
            await b.query("INSERT INTO q VALUES (4, 1, 5)")
            await a.query("COMMIT")
            with pytest.raises(Failed, match="serialize"):
                await b.query("COMMIT")

    asyncio.run(run())


def test_deep_pages_do_not_keep_the_first_one_from_being_walked_to() -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            await _sorted(client)
            session = client.session
            text = "SELECT id FROM t WHERE id > 0 ORDER BY n, w, id LIMIT 3 OFFSET $1"
            plan = session.executor.plans.prepared(text, session.context(), ())

            def now(offset: int) -> bool:
                return isinstance(session.execute_now(plan, (offset,), lambda _: None, autocommit=True), Rows)

            assert not any(now(STEPS_MAX) for _ in range(9))
            assert now(5)

    asyncio.run(run())


def test_rows_of_several_keys_are_walked_along_side_by_side() -> None:
    """They are many, so that no other way by keys leads to the first of them."""

    async def run() -> None:
        rng = random.Random(5)
        async with Server() as server:
            client = await _filled(server)
            await _sorted(client)
            for text in SIDE_BY_SIDE:
                assert await asked_both_ways(client, _made(rng, text), in_block=False), text

    asyncio.run(run())
