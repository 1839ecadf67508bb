"""The first free rows of a long queue: found along an index or the primary key, with DuckDB left out; nobody gets what another has."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from executor.session import queries
from tests.executor.sql import Client, Server

TAKES = [
    "WHERE state = 'new' ORDER BY id",
    "WHERE state = 'new' AND queue = 'q' ORDER BY id",
    "WHERE state = 'new' AND queue = 'q' AND id > 77 ORDER BY id DESC",
    "WHERE state = 'new' ORDER BY prio, id",
    "WHERE state = 'new' AND at <= now() ORDER BY prio DESC, id",
]


async def _queue(server: Server) -> Client:
    client = server.client()
    await client.query(
        "CREATE TABLE jobs (id int PRIMARY KEY, queue text NOT NULL, state text, prio int NOT NULL, at timestamptz DEFAULT now())"
    )
    await client.query("CREATE INDEX ON jobs (queue, id)")
    await client.query("CREATE INDEX ON jobs (prio)")
    await client.query(
        "INSERT INTO jobs SELECT g, 'q', CASE g % 3 WHEN 0 THEN 'done' ELSE 'new' END, g % 97 FROM generate_series(1, 5000) g"
    )
    return client


@pytest.mark.parametrize("where", TAKES)
def test_two_that_take_get_what_comes_first(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def refused(*_: Any, **__: Any) -> None:
        raise AssertionError("asked of DuckDB")

    async def run() -> None:
        async with Server() as server:
            one = await _queue(server)
            two = server.client("b")
            expected = await one.rows(f"SELECT id FROM jobs {where} LIMIT 7")
            taken = f"UPDATE jobs SET state = state WHERE id IN (SELECT id FROM jobs {where} LIMIT 3 FOR UPDATE SKIP LOCKED) RETURNING id"
            with monkeypatch.context() as patch:
                patch.setattr(queries, "prepare", refused)
                await one.query("BEGIN ISOLATION LEVEL SERIALIZABLE")
                await two.query("BEGIN ISOLATION LEVEL SERIALIZABLE")
                first = await one.rows(taken)
                others = await two.rows(
                    f"SELECT id FROM jobs {where} LIMIT 3 OFFSET 1 FOR UPDATE SKIP LOCKED"
                )
                assert sorted(first) == sorted(expected[:3])
                assert others == expected[4:7]
                await one.query("COMMIT")
                await two.query("COMMIT")  # who takes other jobs has read nothing of these

    asyncio.run(run())


def test_a_way_too_long_is_not_taken() -> None:
    async def run() -> None:
        async with Server() as server:
            one = await _queue(server)
            await one.query("UPDATE jobs SET state = 'done' WHERE id < 4900")
            for _ in range(3):
                taken = await one.rows(
                    "SELECT id FROM jobs WHERE state = 'new' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"
                )
                assert taken == [(4900,)]

    asyncio.run(run())
