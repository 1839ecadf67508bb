"""ORs of many pairs, and lists of rows: the same answers as one by one, NULLs and NOT included."""

from __future__ import annotations

import asyncio
import random

import pytest

from planner.binding.keyed.pairs_listed import PAIRS_MIN
from tests.executor.sql import Server

COUNTS = (PAIRS_MIN - 1, PAIRS_MIN, 400)


def _ors(pairs: list[tuple[int, str]]) -> str:
    return " OR ".join(f"(a = {a} AND b = '{b}')" for a, b in pairs)


def _rows(pairs: list[tuple[int, str]]) -> str:
    listed = ", ".join(f"({a}, '{b}')" for a, b in pairs)
    return f"(a, b) IN ({listed})"


def _truth(known: set[tuple[int, str]], a: int | None, b: str | None) -> bool | None:
    """SQL's three-valued OR over the pairs."""
    if a is not None and b is not None:
        return (a, b) in known
    near = any((a is None or a == x) and (b is None or b == y) for x, y in known)
    return None if near else False


@pytest.mark.parametrize("count", COUNTS)
def test_many_pairs_are_answered_as_few(count: int) -> None:
    chance = random.Random(count)
    held = [(chance.choice([None, *range(9)]), chance.choice([None, "x", "y", "z"])) for _ in range(300)]
    cells = ", ".join(
        f"({i}, {'NULL' if a is None else a}, {'NULL' if b is None else repr(b)})"
        for i, (a, b) in enumerate(held)
    )
    pairs = [(chance.randrange(9), chance.choice("xyw")) for _ in range(count)]
    expected = [(i, _truth(set(pairs), a, b)) for i, (a, b) in enumerate(held)]

    async def run() -> None:
        async with Server() as server:
            client = server.client("a")

            await client.query("CREATE TABLE t (id int, a int, b text)")
            await client.query(f"INSERT INTO t VALUES {cells}")
            for test in (_ors(pairs), _rows(pairs)):
                assert await client.rows(f"SELECT id, {test} FROM t ORDER BY id") == expected
                for asked, wanted in (("", True), ("NOT", False)):
                    found = await client.rows(f"SELECT id FROM t WHERE {asked} ({test}) ORDER BY id")
                    assert found == [(i,) for i, said in expected if said is wanted]

    asyncio.run(run())
