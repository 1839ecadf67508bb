"""`ORDER BY key LIMIT n` whose rows are far into the range: DuckDB finds them, and nobody walks there row by row."""

from __future__ import annotations

import asyncio

import pytest

from executor.abc import Rows
from executor.keyed.lookup import SMALL_RANGE_ROWS_MAX
from executor.keyed.read import ReadPlan
from executor.snapshot.lookup import DEAD_ROWS_MAX
from tests.executor.sql import Client, Server

ROWS = 4 * SMALL_RANGE_ROWS_MAX
FAR = ROWS - 3

READS = [
    (f"SELECT id FROM t WHERE v >= {FAR} ORDER BY id LIMIT 2", [(FAR,), (FAR + 1,)]),
    (f"SELECT id FROM t WHERE v = {FAR} ORDER BY id LIMIT 2", [(FAR,)]),
    ("SELECT id FROM t WHERE v = -1 ORDER BY id LIMIT 1", []),
    (f"SELECT id FROM t WHERE id > 3 AND v < 2 OR v = {FAR} ORDER BY id LIMIT 1", [(FAR,)]),
    (f"SELECT count(*) FROM (SELECT id FROM t ORDER BY id LIMIT {ROWS - 1}) x", [(ROWS - 1,)]),
    (f"SELECT id FROM t WHERE v > {FAR} ORDER BY id LIMIT 1 FOR UPDATE", [(FAR + 1,)]),
    (f"SELECT id FROM t WHERE v >= {FAR} ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED", [(FAR,)]),
]


async def _filled(server: Server, name: str = "a") -> Client:
    client = server.client(name)
    await client.query("CREATE TABLE t (id int PRIMARY KEY, v int)")
    await client.query(f"INSERT INTO t SELECT i, i FROM generate_series(1, {ROWS}) g(i)")
    return client


@pytest.mark.parametrize("in_block", [False, True], ids=["autocommit", "in a block"])
@pytest.mark.parametrize(("text", "rows"), READS, ids=[r[0] for r in READS])
def test_rows_far_into_a_range(text: str, rows: list[tuple[int, ...]], in_block: bool) -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            if in_block:
                await client.query("BEGIN")
            session = client.session
            plan = session.executor.plans.prepared(text, session.context(), ())
            assert session.execute_now(plan, (), lambda _: None, autocommit=not in_block) is None
            assert await client.rows(text) == rows
            if in_block:
                await client.query("UPDATE t SET v = 0 WHERE id < 3")
                assert await client.rows(text) == rows
                await client.query("COMMIT")

    asyncio.run(run())


@pytest.mark.parametrize("bulk", [True, False], ids=["in bulk", "one by one"])
def test_rows_behind_many_deleted_ones(bulk: bool) -> None:
    """The head of a queue that has been worked off."""

    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            last = DEAD_ROWS_MAX + 100
            if bulk:
                await client.query(f"DELETE FROM t WHERE id <= {last}")
            else:
                await client.query("BEGIN")
                for i in range(1, last + 1):
                    await client.query(f"DELETE FROM t WHERE id = {i}")
                await client.query("COMMIT")
            for text in (
                "SELECT id FROM t ORDER BY id LIMIT 1",
                "SELECT id FROM t ORDER BY id LIMIT 1 FOR UPDATE",
            ):
                plan = client.session.executor.plans.prepared(text, client.session.context(), ())
                assert client.session.execute_now(plan, (), lambda _: None, autocommit=True) is None
                assert await client.rows(text) == [(last + 1,)]
            assert await client.rows("SELECT id FROM t ORDER BY id DESC LIMIT 1") == [(ROWS,)]

    asyncio.run(run())


def test_rows_nearby_are_read_at_once() -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            await client.query("BEGIN")
            session = client.session
            for text, row in (
                (f"SELECT id FROM t WHERE v > {SMALL_RANGE_ROWS_MAX - 9} ORDER BY id LIMIT 1", SMALL_RANGE_ROWS_MAX - 8),
                ("SELECT id FROM t WHERE v > 7 ORDER BY id LIMIT 1 FOR UPDATE", 8),
                ("SELECT id FROM t WHERE id > 3000 ORDER BY id LIMIT 1", 3001),
            ):  # fmt: skip
                plan = session.executor.plans.prepared(text, session.context(), ())
                found = session.execute_now(plan, (), lambda _: None, autocommit=False)
                assert isinstance(found, Rows) and list(found.rows) == [(row,)]

    asyncio.run(run())


def test_workers_of_a_queue_take_different_jobs_far_into_it() -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            await client.query(f"CREATE TABLE jobs AS SELECT id, id < {FAR} AS done FROM t")
            await client.query("ALTER TABLE jobs ADD PRIMARY KEY (id)")
            text = "SELECT id FROM jobs WHERE NOT done ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"
            for number, name in enumerate("bcd"):
                worker = server.client(name)
                await worker.query("BEGIN")
                assert await worker.rows(text) == [(FAR + number,)]

    asyncio.run(run())


@pytest.mark.parametrize("in_block", [False, True], ids=["autocommit", "in a block"])
def test_who_walked_in_vain_does_not_begin_again_at_once(
    in_block: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    walked: list[bool] = []
    rows = ReadPlan.rows

    def noted(*args: object) -> object:
        walked.append(True)
        return rows(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(ReadPlan, "rows", noted)

    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            if in_block:
                await client.query("BEGIN")
            text = "SELECT id FROM t WHERE v >= {} ORDER BY id LIMIT 2"
            for _ in range(40):
                assert await client.rows(text.format(FAR)) == [(FAR,), (FAR + 1,)]
            assert len(walked) < 12
            for _ in range(80):  # near ones are found either way, and after some time by walking
                assert await client.rows(text.format(2)) == [(2,), (3,)]
            walked.clear()
            assert await client.rows(text.format(2)) == [(2,), (3,)]
            assert walked

    asyncio.run(run())
