"""A table of few rows is defined anew without DuckDB hearing of them, and its conditions are bound again only if they may mean something else."""

from __future__ import annotations

import asyncio
from unittest.mock import patch

import pytest

from executor.constraints.bound_checks import BoundChecks
from planner.catalog import user_types
from planner.catalog.row_types import row_type_oid
from tests.executor.sql import Server

_DEFINITIONS = (
    "ALTER TABLE t ADD COLUMN c int",
    "ALTER TABLE t ADD COLUMN d varchar(10) DEFAULT 'x' NOT NULL",
    "ALTER TABLE t ADD PRIMARY KEY (id)",
    "ALTER TABLE t ADD UNIQUE (a)",
    "ALTER TABLE t ADD CHECK (id > 0)",
    "ALTER TABLE t ALTER a SET NOT NULL",
    "ALTER TABLE t ADD FOREIGN KEY (parent) REFERENCES t (id)",
    "ALTER TABLE t ALTER d TYPE text, ALTER parent TYPE bigint",
    "ALTER TABLE t DROP COLUMN c",
    "BEGIN; INSERT INTO t VALUES (4, 'd', 1); ALTER TABLE t ADD COLUMN e int DEFAULT 1; COMMIT",
)


def test_duckdb_is_not_told_of_few_rows() -> None:
    async def run() -> None:
        async with Server() as server:
            a = server.client("a")
            store = server.executor.store
            await a.query("CREATE TABLE t (id int, a text, parent int, CHECK (id < 100))")
            await a.query("INSERT INTO t VALUES (1, 'a', NULL), (2, 'b', 1), (3, 'c', 2)")
            for definition in _DEFINITIONS:
                await a.query(definition)
                images = [image for image in store._images.values() if image.table.name == "t"]
                assert not any(p.exists for image in images for p in image.generations), definition
            assert "4" in await a.run("SELECT count(*) FROM t WHERE d = 'x'")

    asyncio.run(run())


@pytest.mark.parametrize("others", [0, 60])
def test_conditions_are_bound_once(others: int) -> None:
    """Also where the registry has row types of other databases' relations: whatever has such an OID here is no relation."""
    bound: list[str] = []
    around = BoundChecks._bound

    def counted(self: BoundChecks, seen: object, schema: str, table: object, text: str) -> object:
        bound.append(text)
        return around(self, seen, schema, table, text)  # type: ignore[arg-type]

    async def run() -> None:
        async with Server() as server:
            a = server.client("a")
            await a.query("CREATE FUNCTION f(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1'")
            await a.query("CREATE TABLE t (id int PRIMARY KEY, a text, CHECK (id < 100), CHECK (f(id) > 0))")
            await a.query("INSERT INTO t VALUES (1, 'a')")
            first = len(bound)
            assert first
            await a.query(
                "ALTER TABLE t ADD COLUMN b int; CREATE INDEX ON t (a); CREATE FUNCTION g() RETURNS int RETURN 1"
            )
            await a.query("INSERT INTO t VALUES (2, 'b')")
            assert len(bound) == first
            assert "23514" in await a.run("INSERT INTO t VALUES (100, 'b')")
            await a.query(
                "CREATE OR REPLACE FUNCTION f(int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT $1 - 10'"
            )
            assert "23514" in await a.run("INSERT INTO t VALUES (3, 'b')")
            assert len(bound) > first

    rows = {row_type_oid(16384 + i): None for i in range(others)}
    with patch.object(BoundChecks, "_bound", counted), patch.dict(user_types._of_rows, rows):
        asyncio.run(run())
