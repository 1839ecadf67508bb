"""Plans that had to make room in the cache are gone at once: Python's cycle collector hardly ever looks at what is old.

A server whose clients write their values into the texts of statements makes a plan for each, so what stays of one is a leak.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Callable

import pytest

from planner.abc import Plan
from tests.executor.sql import Server

ROOM = 20
STATEMENTS = 200


@pytest.mark.parametrize(
    "text",
    [
        lambda i: f"SELECT count(*) + {i} FROM things WHERE name LIKE 'a%{i}'",
        lambda i: f"SELECT k AS c{i} FROM things WHERE k = {i}",
        lambda i: f"SELECT k AS c{i} FROM things WHERE k BETWEEN 1 AND {i}",
        lambda i: f"INSERT INTO things VALUES ({i}, 'n{i}') RETURNING k AS c{i}",
        lambda i: f"UPDATE things SET name = 'x{i}' WHERE k = {i} RETURNING name AS c{i}",
        lambda i: f"UPDATE things SET name = 'y{i}' WHERE name = 'z{i}'",
        lambda i: f"DELETE FROM things WHERE k = {i} RETURNING k AS c{i}",
        lambda i: f"NOTIFY somebody, '{i}'",
        lambda i: f"PREPARE p{i} AS SELECT * FROM things WHERE k = $1; DEALLOCATE p{i}",
        lambda i: f"EXPLAIN SELECT count(*) FROM things WHERE name = 'n{i}'",
    ],
)
def test_statements_that_never_come_again_leave_nothing(text: Callable[[int], str]) -> None:
    async def run() -> int:
        async with Server() as server:
            server.executor.planner._plans_max = ROOM
            await server.run("a", "CREATE TABLE things (k int PRIMARY KEY, name text)")
            await server.run("a", "INSERT INTO things SELECT g, 'n' || g FROM generate_series(1, 100) g")
            for i in range(1_000, 1_000 + ROOM):
                await server.run("a", text(i))
            gc.collect()
            before = _alive()
            gc.disable()
            try:
                for i in range(2_000, 2_000 + STATEMENTS):
                    await server.run("a", text(i))
                return _alive() - before
            finally:
                gc.enable()

    assert asyncio.run(run()) < STATEMENTS / 2


def _alive() -> int:
    return sum(type(o) is Plan for o in gc.get_objects())
