"""Small tables read whole by the keyed engine: which are, what was read of them, and what changes beside that is nobody's concern."""

from __future__ import annotations

import asyncio

import pytest

from executor.abc import Rows
from executor.keyed.whole_tables import WHOLE_ROWS_MAX
from tests.executor.sql import Client, Failed, Server


async def _filled(server: Server) -> Client:
    client = server.client()
    for text in (
        "CREATE TABLE jobs (id int PRIMARY KEY, state text, worker text, tries int)",
        "CREATE TABLE workers (id int PRIMARY KEY, name text, beat int)",
        "CREATE TABLE out (id int PRIMARY KEY)",
        "INSERT INTO jobs SELECT i, 's' || i % 3, 'w' || i % 4, 0 FROM generate_series(1, 20) i",
        "INSERT INTO workers VALUES (1, 'w1', 1), (2, 'w2', 2)",
    ):
        await client.query(text)
    return client


def _now(client: Client, text: str, *, autocommit: bool = True) -> list[object] | None:
    """What is answered without DuckDB."""
    session = client.session
    plan = session.executor.plans.prepared(text, session.context(), ())
    found = session.execute_now(plan, (), lambda _: None, autocommit=autocommit)
    return list(found.rows) if isinstance(found, Rows) else None


def test_a_table_is_read_whole_until_it_has_grown() -> None:
    """The plan stays; each execution looks how many rows there are."""

    async def run() -> None:
        text = "SELECT count(*) FROM workers WHERE name = 'w1'"
        async with Server() as server:
            client = await _filled(server)
            assert _now(client, text) == [(1,)]
            await client.query(
                f"INSERT INTO workers SELECT i, 'w1', 0 FROM generate_series(3, {WHOLE_ROWS_MAX}) i"
            )
            assert _now(client, text) == [(WHOLE_ROWS_MAX - 1,)]
            await client.query(f"INSERT INTO workers VALUES ({WHOLE_ROWS_MAX + 1}, 'w1', 0)")
            assert _now(client, text) is None
            assert await client.rows(text) == [(WHOLE_ROWS_MAX,)]
            await client.query("BEGIN")
            assert _now(client, text, autocommit=False) is None
            await client.query("ROLLBACK")

    asyncio.run(run())


READS = [
    ("SELECT id FROM jobs WHERE state = 's1'", "INSERT INTO jobs VALUES (99, 's1', 'w1', 0)", True),
    ("SELECT id FROM jobs WHERE state = 's1'", "UPDATE jobs SET state = 's2' WHERE id = 1", True),
    ("SELECT id FROM jobs WHERE state = 's1'", "DELETE FROM jobs WHERE id = 1", True),
    ("SELECT id FROM jobs WHERE state = 's1'", "UPDATE jobs SET tries = 1 WHERE id = 1", False),
    ("SELECT id FROM jobs WHERE state = 's1'", "UPDATE workers SET beat = 9", False),
    ("SELECT j.id, w.beat FROM jobs j LEFT JOIN workers w ON w.name = j.worker WHERE j.id = 1", "UPDATE workers SET name = 'w9'", True),
    ("SELECT j.id, w.beat FROM jobs j LEFT JOIN workers w ON w.name = j.worker WHERE j.id = 1", "INSERT INTO workers VALUES (3, 'w1', 3)", True),
    ("SELECT j.id, w.id FROM jobs j LEFT JOIN workers w ON w.name = j.worker WHERE j.id = 1", "UPDATE workers SET beat = 9", False),
]  # fmt: skip


@pytest.mark.parametrize(("read", "theirs", "refused"), READS)
def test_a_transaction_depends_on_all_rows_and_on_the_columns_that_it_named(
    read: str, theirs: str, refused: bool
) -> None:
    async def run() -> None:
        async with Server() as server:
            a = await _filled(server)
            b = server.client("b")
            await a.query("BEGIN ISOLATION LEVEL SERIALIZABLE")
            assert _now(a, read, autocommit=False) is not None
            await b.query("BEGIN ISOLATION LEVEL SERIALIZABLE")
            await b.query(theirs)
            await b.query("SELECT id FROM out WHERE id = 1")
            await b.query("COMMIT")
            await a.query("INSERT INTO out VALUES (1)")
            if refused:
                with pytest.raises(Failed, match="serialize"):
                    await a.query("COMMIT")
            else:
                await a.query("COMMIT")

    asyncio.run(run())


def test_writers_of_a_small_table_that_no_key_leads_them_through_wait_and_are_not_refused() -> None:
    """What each of them found is found anew when it is admitted."""

    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            others = [server.client(f"c{i}") for i in range(8)]
            await asyncio.gather(
                *(c.query("UPDATE jobs SET tries = tries + 1 WHERE state = 's1'") for c in others)
            )
            assert await client.rows("SELECT DISTINCT tries FROM jobs WHERE state = 's1'") == [(8,)]

    asyncio.run(run())


def test_the_order_is_that_in_which_rows_were_made() -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            await client.query("INSERT INTO workers VALUES (0, 'w0', 0)")
            text = "SELECT id FROM workers WHERE beat >= 0"
            assert _now(client, text) == [(1,), (2,), (0,)]
            await client.query("BEGIN")
            await client.query("INSERT INTO workers VALUES (-1, 'w0', 0)")
            assert _now(client, text, autocommit=False) == [(1,), (2,), (0,), (-1,)]
            await client.query("ROLLBACK")

    asyncio.run(run())
