"""Batches of INSERTs that go into the blob store while more come: nobody sees but that they are all there, or none."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pyarrow as pa
import pytest

from executor.limits import ExecutorLimits
from executor.session.blocks import gathering
from tests.executor.sql import Client, Server

TABLES = {
    "with a key": "CREATE TABLE p (id int PRIMARY KEY, v text)",
    "without": "CREATE TABLE p (id int, v text)",
    "with a unique constraint": "CREATE TABLE p (id int UNIQUE, v text NOT NULL)",
}
BATCH = 40


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    """After every third batch what has been gathered goes on its way."""
    monkeypatch.setattr(gathering, "ROWS_MAX", 3 * BATCH)


async def insert(client: Client, first: int, count: int = BATCH) -> bool:
    """Rows numbered from `first` on, as the wire hands over a run of INSERTs."""
    prepared = client.session.prepare("", "INSERT INTO p VALUES ($1, $2)", (23, 25))
    numbers = range(first, first + count)
    given = [pa.array(numbers, pa.int32()), pa.array([f"v{n}" for n in numbers])]
    assert client.session.takes_batches(prepared.plan) is not None
    return await client.session.insert_batch(prepared.plan, given, executions=count)


def served(work: Callable[[Client, Client], Awaitable[None]], table: str) -> None:
    async def inside() -> None:
        async with Server(ExecutorLimits(stage_rows=BATCH)) as server:
            writer, other = server.client("writer"), server.client("other")
            await writer.query(TABLES[table])
            await work(writer, other)

    asyncio.run(inside())


async def numbers(client: Client) -> list[int]:
    return [int(row[0]) for row in await client.rows("SELECT id FROM p ORDER BY id")]  # type: ignore[arg-type]


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("batches", [2, 3, 7, 30])
def test_all_rows_come_with_the_commit(table: str, batches: int) -> None:
    async def work(writer: Client, other: Client) -> None:
        await writer.query("BEGIN")
        for i in range(batches):
            assert await insert(writer, i * BATCH)
        assert await numbers(other) == []
        if batches == 7:
            assert await numbers(writer) == list(range(batches * BATCH))
        await writer.query("COMMIT")
        assert await numbers(other) == list(range(batches * BATCH))
        assert await other.rows("SELECT v FROM p WHERE id = 41") == [("v41",)]

    served(work, table)


@pytest.mark.parametrize("table", TABLES)
def test_nothing_is_left_of_a_block_that_is_rolled_back(table: str) -> None:
    async def work(writer: Client, other: Client) -> None:
        for _ in range(2):  # the same rows again: nothing of them is in the way
            await writer.query("BEGIN")
            for i in range(7):
                assert await insert(writer, i * BATCH)
            await writer.query("ROLLBACK")
        assert await numbers(other) == []
        assert await insert(writer, 0)
        await writer.session.end_implicit(commit=True)
        assert await numbers(other) == list(range(BATCH))

    served(work, table)


@pytest.mark.parametrize("table", ["with a key", "with a unique constraint"])
@pytest.mark.parametrize("batches", [1, 4, 10])
def test_a_key_of_rows_that_are_on_their_way_is_taken(table: str, batches: int) -> None:
    """The batch is refused whichever rows hold the key: gathered, on their way, or the block's already."""

    async def work(writer: Client, other: Client) -> None:
        await writer.query("BEGIN")
        for i in range(batches):
            assert await insert(writer, i * BATCH)
        for again in (0, (batches - 1) * BATCH + 1):
            assert not await insert(writer, again)
        await writer.query("COMMIT")
        assert await numbers(other) == list(range(batches * BATCH))

    served(work, table)


def test_a_savepoint_stands_between_rows() -> None:
    async def work(writer: Client, other: Client) -> None:
        await writer.query("BEGIN")
        for i in range(4):
            assert await insert(writer, i * BATCH)
        await writer.query("SAVEPOINT s")
        for i in range(4, 9):
            assert await insert(writer, i * BATCH)
        await writer.query("ROLLBACK TO s")
        assert await insert(writer, 5 * BATCH)
        await writer.query("COMMIT")
        assert await numbers(other) == [*range(4 * BATCH), *range(5 * BATCH, 6 * BATCH)]

    served(work, "with a key")
