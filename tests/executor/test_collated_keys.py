"""Keys under nondeterministic collations: DuckDB is asked for those of a statement's rows together, and for none again."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from executor.keyed import collated_keys
from tests.executor.sql import Server

ROWS = 300
STATEMENTS = (
    f"INSERT INTO w SELECT i, 'x' || i, 'y' || i FROM generate_series(1, {ROWS}) i",
    "UPDATE w SET a = upper(a)",
    "UPDATE w SET a = 'q' || a, b = b || 'q' FROM generate_series(1, 1)",
    f"INSERT INTO w SELECT i, 'z' || i, 'z' || i FROM generate_series(900, {900 + ROWS}) i ON CONFLICT (a) DO NOTHING",
    "INSERT INTO w VALUES " + ", ".join(f"({i}, 'v{i}', 'v{i}')" for i in range(2000, 2000 + ROWS)),
    "DELETE FROM w WHERE id % 2 = 0",
)


class Counted:
    """A connection that counts what it is asked."""

    def __init__(self, connection: Any) -> None:
        self.connection, self.asked = connection, 0

    def __getattr__(self, name: str) -> Any:
        self.asked += name == "execute"
        return getattr(self.connection, name)


def test_keys_of_many_rows_are_asked_for_together(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Counted(collated_keys._connection())
    monkeypatch.setattr(collated_keys, "_connection", lambda: counted)
    monkeypatch.setattr(collated_keys, "_kept", {})

    async def run() -> None:
        async with Server() as server:
            a = server.client("a")
            await a.query(
                "CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
            )
            await a.query(
                "CREATE TABLE w (id int PRIMARY KEY, a text COLLATE ci UNIQUE, b text COLLATE ci UNIQUE)"
            )
            for statement in STATEMENTS:
                counted.asked = 0
                await a.query(statement)
                assert counted.asked <= 4, statement  # old and new texts of two columns
            assert "23505" in await a.run("INSERT INTO w VALUES (5000, 'V2001', 'new')")
            assert "23505" in await a.run("UPDATE w SET a = 'Same' WHERE id > 1000")

    asyncio.run(run())


def test_as_many_keys_are_remembered_as_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collated_keys, "_KEPT_MAX", 10)
    monkeypatch.setattr(collated_keys, "_kept", {})

    async def run() -> None:
        async with Server() as server:
            a = server.client("a")
            await a.query(
                "CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
            )
            await a.query("CREATE TABLE w (a text COLLATE ci PRIMARY KEY)")
            await a.query("INSERT INTO w SELECT 'x' || i FROM generate_series(1, 50) i")
            assert "23505" in await a.run("INSERT INTO w VALUES ('new'), ('X7')")
            assert await a.run("UPDATE w SET a = upper(a)") == "UPDATE 50"
            assert len(collated_keys._kept) <= 10

    asyncio.run(run())
