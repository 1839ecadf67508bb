"""Queries by keys that look at many rows of which few pass are left to DuckDB: nobody waits for a loop in Python."""

from __future__ import annotations

import pytest

from executor.keyed import join, join_steps
from executor.snapshot.abc import TooFarToLook
from tests.executor.sql import Server
from tests.executor.test_staged import session

FILL = (
    "CREATE TABLE a (k int PRIMARY KEY, x int)",
    "CREATE TABLE b (k int PRIMARY KEY, g int, y int)",
    "CREATE INDEX ON b (g)",
    "INSERT INTO a SELECT i, i FROM generate_series(1, 400) i",
    "INSERT INTO b SELECT i, i % 5, i FROM generate_series(1, 2000) i",
)
QUERIES = {
    "a subquery": "SELECT a.k FROM a WHERE a.k BETWEEN 1 AND 300 AND EXISTS (SELECT 1 FROM b WHERE b.g = a.k % 5 AND b.y = 2000 + a.k)",
    "a join": "SELECT a.k FROM a, LATERAL (SELECT b.y FROM b WHERE b.g = a.k % 5 AND b.y = a.k - 300) x WHERE a.k BETWEEN 1 AND 300",
    "its own step": "SELECT a.k FROM a JOIN b ON b.g = a.k % 5 AND b.y > 2000 - a.k * 0 WHERE a.k BETWEEN 1 AND 300",
}


@pytest.mark.parametrize("name", QUERIES)
@pytest.mark.parametrize("begun", [False, True], ids=["alone", "in a block"])
def test_what_is_looked_at_is_bounded(name: str, begun: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    counts: list[int] = []
    looked, refused = join_steps._by_key, []

    def counting(*args: object) -> object:
        find = looked(*args)  # type: ignore[arg-type]

        def found(key: object, run: object) -> object:
            rows = find(key, run)  # type: ignore[arg-type]
            counts.append(len(rows))
            return rows

        return found

    run = join.JoinPlan.run

    def noted(*args: object, **more: object) -> object:
        try:
            return run(*args, **more)  # type: ignore[arg-type]
        except TooFarToLook:
            refused.append(True)
            raise

    monkeypatch.setattr(join_steps, "_by_key", counting)
    monkeypatch.setattr(join.JoinPlan, "run", noted)

    async def body(server: Server) -> None:
        client = server.client()
        for text in FILL:
            await client.query(text)
        if begun:
            await client.query("BEGIN")
        assert await client.rows(QUERIES[name]) == []
        assert refused
        assert sum(counts) <= join.LOOKED_AT_MAX + join.ROWS_MAX

    session(body)
