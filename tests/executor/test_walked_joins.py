"""ORDER BY ... LIMIT of joins: the first rows are walked to and joined as they are met. The answers are DuckDB's."""

from __future__ import annotations

import asyncio
import random

import pytest

from executor.abc import Rows
from executor.keyed.in_vain import STEPS_MAX
from tests.executor.changing import answers_hold
from tests.executor.sql import Client, Failed, Server

ROWS = 3 * STEPS_MAX

PAGES = [
    "SELECT o.id, o.d, c.name FROM o JOIN c ON c.id = o.c WHERE o.s = {s} ORDER BY o.d DESC NULLS LAST, o.id LIMIT 10",
    "SELECT o.id, o.d, c.name FROM o JOIN c ON c.id = o.c WHERE o.s = {s} ORDER BY o.d, o.id OFFSET 4 LIMIT 10",
    "SELECT o.id, o.d FROM o JOIN c ON c.id = o.c WHERE o.s = {s} AND c.name > 'c3' ORDER BY o.d DESC NULLS LAST, o.id LIMIT 10",
    "SELECT o.id, c.name FROM o LEFT JOIN c ON c.id = o.c WHERE o.s = {s} AND o.d < {d} ORDER BY o.d DESC, o.id LIMIT 7",
    "SELECT o.id, c.name FROM o LEFT JOIN c ON c.id = o.c AND c.name > 'c3' WHERE o.s = {s} ORDER BY o.d DESC NULLS LAST, o.id LIMIT 7",
    "SELECT o.id FROM o LEFT JOIN c ON c.id = o.c WHERE c.id IS NULL ORDER BY o.id DESC LIMIT 7",
    "SELECT o.id, l.n FROM o JOIN l ON l.o = o.id ORDER BY o.id DESC, l.n LIMIT 7",
    "SELECT o.id, l.n FROM o JOIN l ON l.o = o.id WHERE o.s = {s} ORDER BY o.d, l.n DESC, o.id LIMIT 8",
    "SELECT o.id, l.n, p.w FROM o JOIN l ON l.o = o.id JOIN p ON p.id = l.p WHERE o.s = {s} AND o.d >= {d} ORDER BY o.d, o.id, l.n LIMIT 8",
    "SELECT o.id, l.n, c.name FROM l JOIN o ON o.id = l.o JOIN c ON c.id = o.c ORDER BY l.o, l.n LIMIT 9 OFFSET 2",
    "SELECT o.id, c.name FROM o, c WHERE c.id = o.c AND o.id > {id} ORDER BY o.id LIMIT 5",
    "SELECT o.id, c.name FROM o, c WHERE c.id = o.c AND (o.d, o.id) < ({d}, {id}) AND o.s = {s} ORDER BY o.d DESC, o.id DESC LIMIT 5",
    "SELECT o.id, o.z, c.name FROM o JOIN c ON c.id = o.c ORDER BY o.z, o.id LIMIT 6",
    "SELECT o.id, o.z, c.name FROM o JOIN c ON c.id = o.c ORDER BY o.z DESC NULLS LAST, o.id LIMIT 6",
    "SELECT o.id FROM o JOIN c ON c.id = o.c WHERE o.s = {s} AND EXISTS (SELECT 1 FROM l WHERE l.o = o.id AND l.n > 1)"
    " ORDER BY o.d DESC NULLS LAST, o.id LIMIT 4",
    "SELECT o.id, (SELECT count(*) FROM l WHERE l.o = o.id) FROM o JOIN c ON c.id = o.c ORDER BY o.id LIMIT 4",
    "SELECT q.id, c.name FROM (SELECT o.id, o.c, o.d FROM o WHERE o.s = {s} ORDER BY o.d DESC NULLS LAST, o.id LIMIT 5) q"
    " JOIN c ON c.id = q.c ORDER BY q.d DESC NULLS LAST, q.id",
    "SELECT o.id + c.id FROM o JOIN c ON c.id = o.c WHERE o.s = {s} AND o.d > {d} AND o.id % 2 = 1 ORDER BY o.d, o.id LIMIT 3",
    "SELECT o.id FROM o JOIN c ON c.id = o.c WHERE o.s = NULL ORDER BY o.d LIMIT 3",
    "SELECT o.id FROM o JOIN c ON c.id = o.c WHERE o.s = {s} ORDER BY o.d LIMIT 0",
    "SELECT o.id FROM o JOIN c ON c.id = o.c WHERE c.id = 3 ORDER BY o.d NULLS LAST, o.id LIMIT 5",
    "SELECT o.id FROM o JOIN c ON c.id = o.c WHERE o.id = {id} ORDER BY o.d LIMIT 5",
    "SELECT o.id, o.d, count(l.n) FROM o LEFT JOIN l ON l.o = o.id GROUP BY o.id ORDER BY o.id LIMIT 6 OFFSET 3",
    "SELECT o.id, o.d, count(l.n), max(l.p) FROM o LEFT JOIN l ON l.o = o.id AND l.n > 1 WHERE o.s = {s} GROUP BY o.id"
    " ORDER BY o.d DESC NULLS LAST, o.id LIMIT 6",
    "SELECT o.id, count(*) FROM o JOIN l ON l.o = o.id GROUP BY o.id HAVING min(l.p) < 2 ORDER BY o.id DESC LIMIT 6",
    "SELECT o.id, c.name, sum(l.n) + 1 FROM o JOIN l ON l.o = o.id LEFT JOIN c ON c.id = o.c WHERE o.s = {s}"
    " GROUP BY c.name, o.id ORDER BY o.d, 3 DESC, o.id, c.name LIMIT 7",
    "SELECT o.id, l.n, count(*) FROM o JOIN l ON l.o = o.id GROUP BY o.id, l.n ORDER BY o.id, l.n DESC LIMIT 8",
    "SELECT o.id, count(l.n) FROM o LEFT JOIN l ON l.o = o.id WHERE o.c = 3 GROUP BY o.id ORDER BY o.id LIMIT 4",
    "SELECT o.id, q.n FROM o LEFT JOIN (SELECT o, count(*) n FROM l GROUP BY o) q ON q.o = o.id ORDER BY o.id LIMIT 7",
    "SELECT o.id, c.name FROM o LEFT JOIN c ON c.id = o.c WHERE c.name > 'c3' AND o.s = {s} ORDER BY o.d DESC NULLS LAST, o.id LIMIT 7",
]  # fmt: skip

CHANGES = [
    "DELETE FROM o WHERE id BETWEEN {id} AND {id} + 5",
    "UPDATE o SET d = d + 500 WHERE id BETWEEN {id} AND {id} + 5",
    "UPDATE o SET d = NULL, z = {d} WHERE id = {id}",
    "UPDATE o SET s = {s}, c = c + 1 WHERE id = {id}",
    "UPDATE o SET id = -id WHERE id = {id}",
    "UPDATE c SET name = 'c' || id + 1 WHERE id = {d} % 10",
    "DELETE FROM c WHERE id = {d} % 10",
    "INSERT INTO c VALUES ({d} % 10, 'c9') ON CONFLICT DO NOTHING",
    "DELETE FROM l WHERE o = {id}",
    "INSERT INTO l SELECT {id}, g, 1 FROM generate_series(7, 9) g ON CONFLICT DO NOTHING",
    "INSERT INTO o SELECT 90000 + {id} + i, {s}, {d} + i / 2, i % 12, i FROM generate_series(1, 4) i ON CONFLICT DO NOTHING",
]


async def _filled(server: Server) -> Client:
    client = server.client("a")
    for text in (
        "CREATE TABLE c (id int PRIMARY KEY, name text)",
        "CREATE TABLE p (id int PRIMARY KEY, w text)",
        "CREATE TABLE o (id int PRIMARY KEY, s text, d int, c int, z int)",
        "CREATE TABLE l (o int, n int, p int, PRIMARY KEY (o, n))",
        "CREATE INDEX ON o (s, d)",
        "CREATE INDEX ON o (z)",
        "CREATE INDEX ON o (c)",
        "INSERT INTO c SELECT i, 'c' || i FROM generate_series(0, 9) i",
        "INSERT INTO p SELECT i, 'p' || i FROM generate_series(0, 5) i",
        "INSERT INTO o SELECT i, nullif('s' || i % 4, 's3'), nullif(i * 7 % 1000, 21), i % 12,"
        f" nullif(i % (CASE WHEN i % 2 = 0 THEN 700 ELSE 1 END), 0) FROM generate_series(1, {ROWS}) i",
        f"INSERT INTO l SELECT i, n, (i + n) % 6 FROM generate_series(1, {ROWS}) i, generate_series(1, 3) n WHERE i % 5 > 0",
    ):
        await client.query(text)
    return client


def _made(rng: random.Random, text: str) -> str:
    return text.format(s=f"'s{rng.randrange(3)}'", d=rng.randrange(1000), id=rng.randrange(1, ROWS))


async def _asked_both_ways(client: Client, text: str, *, in_block: bool) -> bool:
    """Whether the keyed engine answers; its answer is DuckDB's."""
    session = client.session
    plan = session.executor.plans.prepared(text, session.context(), ())
    now = session.execute_now(plan, (), lambda _: None, autocommit=not in_block)
    found = await client.by_duckdb(text)
    if not isinstance(now, Rows):
        return False
    assert list(now.rows) == found, text
    return True


async def _sorted(client: Client) -> None:
    """Indexes are sorted when they are first asked for, and large runs aside."""
    for text in PAGES:
        await _asked_both_ways(client, text.format(s="'s1'", d=500, id=500), in_block=False)
    await client.session.executor.store.sort(lambda: None)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("in_block", [False, True], ids=["autocommit", "in a block"])
def test_pages_of_joined_rows(seed: int, in_block: bool) -> None:
    async def run() -> None:
        rng = random.Random(seed)
        async with Server() as server:
            client = await _filled(server)
            await _sorted(client)

            async def second_run() -> None:
                await client.query(
                    "INSERT INTO o SELECT 50000 + i, 's' || i % 3, i % 1000, i % 12, i % 900"
                    " FROM generate_series(1, 3000) i"
                )
                await client.query("INSERT INTO l SELECT 50000 + i, 1, i % 6 FROM generate_series(1, 3000) i")
                await _sorted(client)

            await answers_hold(
                client, rng, PAGES, CHANGES, _made, _asked_both_ways, in_block=in_block, second_run=second_run
            )

    asyncio.run(run())


def test_many_rows_of_a_key_are_walked_past_in_another_order() -> None:
    """Of an index's key there are more than are looked up one by one, and another index has the order that is asked for."""

    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            await client.query(
                "INSERT INTO o SELECT 70000 + i, 's1', 5, i % 12 FROM generate_series(1, 2000) i"
            )
            await _sorted(client)
            for text in (
                "SELECT o.id, c.name FROM o JOIN c ON c.id = o.c WHERE o.s = 's1' ORDER BY o.id DESC LIMIT 6",
                "SELECT q.id, c.name FROM (SELECT * FROM o WHERE o.s = 's1' AND o.d = 5 ORDER BY o.id DESC LIMIT 6) q JOIN c ON c.id = q.c ORDER BY q.id",
                "SELECT o.id, c.name FROM o JOIN c ON c.id = o.c WHERE o.s = 's2' AND o.d = 44 ORDER BY o.id DESC LIMIT 6",
            ):
                assert await _asked_both_ways(client, text, in_block=False), text

    asyncio.run(run())


FAR = [
    "SELECT o.id FROM o JOIN c ON c.id = o.c WHERE c.name || o.id = 'nobody' ORDER BY o.id LIMIT 1",
    f"SELECT o.id FROM o JOIN c ON c.id = o.c ORDER BY o.id LIMIT 1 OFFSET {STEPS_MAX}",
    "SELECT o.id FROM o JOIN l ON l.o = o.id WHERE l.p < 0 ORDER BY o.id LIMIT 1",
]


@pytest.mark.parametrize("text", FAR)
def test_walks_that_lead_too_far_are_duckdbs(text: str) -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            await _sorted(client)
            assert not await _asked_both_ways(client, text, in_block=False)
            assert await client.rows(text) == await client.by_duckdb(text)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("read", "theirs"),
    [
        ("SELECT o.id FROM o JOIN c ON c.id = o.c WHERE o.s = 's1' ORDER BY o.d DESC NULLS LAST, o.id LIMIT 1", "INSERT INTO o VALUES (99999, 's1', 5000, 1)"),
        ("SELECT o.id FROM o JOIN c ON c.id = o.c ORDER BY o.id DESC LIMIT 1", "INSERT INTO o VALUES (99999, 's1', 5000, 1)"),
        ("SELECT c.name FROM o JOIN c ON c.id = o.c ORDER BY o.id LIMIT 1", "UPDATE c SET name = 'other' WHERE id = 1"),
        ("SELECT c.name FROM o JOIN c ON c.id = o.c WHERE o.z IS NULL ORDER BY o.id LIMIT 1", "UPDATE o SET z = 1 WHERE id = 1"),
    ],
    ids=["by index", "by key", "what is joined", "what is asked on the way"],
)  # fmt: skip
def test_a_transaction_depends_on_what_its_pages_have_read(read: str, theirs: str) -> None:
    """Each of two has not seen what the other wrote: no order of them explains both."""

    async def run() -> None:
        async with Server() as server:
            a, b = await _filled(server), server.client("b")
            await _sorted(a)
            await a.query("CREATE TABLE out (v text)")
            await a.query("BEGIN ISOLATION LEVEL SERIALIZABLE")
            assert await _asked_both_ways(a, read, in_block=True)
            await b.query("BEGIN ISOLATION LEVEL SERIALIZABLE")
            await b.query(theirs)
            await b.query("SELECT count(*) FROM out")
            await b.query("COMMIT")
            await a.query("INSERT INTO out VALUES ('a')")
            with pytest.raises(Failed, match="serialize"):
                await a.query("COMMIT")

    asyncio.run(run())


def test_near_pages_are_walked_to_though_far_ones_were_too_far() -> None:
    """A walk that led too far is not begun again for some executions; of those that ask for as much."""

    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            await _sorted(client)
            session = client.session
            text = "SELECT o.id FROM o JOIN l ON l.o = o.id WHERE l.p = 0 ORDER BY o.id LIMIT 1 OFFSET $1"
            plan = session.executor.plans.prepared(text, session.context(), ())

            def answered(offset: int) -> bool:
                return isinstance(session.execute_now(plan, (offset,), lambda _: None, autocommit=True), Rows)

            assert answered(0)
            assert [answered(1_500) for _ in range(8)] == [False] * 8
            assert answered(0) and answered(10)

    asyncio.run(run())
