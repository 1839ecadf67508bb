"""A block's own catalog becomes everybody's when it commits: it finds what one finds that is read from the catalog's rows."""

from __future__ import annotations

import asyncio

import pytest

from planner.catalog import Catalog
from tests.executor.sql import Failed, Server
from tests.planner.world import found_by

DEFINITIONS = (
    "CREATE TABLE t (id int PRIMARY KEY, a text, r int REFERENCES t)",
    "CREATE TYPE mood AS ENUM ('sad', 'ok'); ALTER TYPE mood ADD VALUE 'fine'",
    "CREATE SCHEMA s; CREATE TABLE s.u (m mood, CHECK (m <> 'sad'))",
    "ALTER TABLE t ADD COLUMN b int DEFAULT 5; COMMENT ON TABLE t IS 'said'",
    "BEGIN; CREATE INDEX i ON t (a); SAVEPOINT x; DROP TABLE s.u; ROLLBACK TO x; CREATE VIEW v AS SELECT * FROM t; COMMIT",
    "BEGIN; CREATE TABLE gone (id int); DROP TABLE gone; ALTER TYPE mood ADD VALUE 'well'; COMMIT",
    "BEGIN; CREATE TABLE never (id int); ROLLBACK",
    "CREATE FUNCTION f(int) RETURNS int LANGUAGE sql AS 'SELECT 1'; GRANT SELECT ON t TO PUBLIC",
    "ALTER SCHEMA s RENAME TO s2; DROP TABLE t CASCADE",
)


def _alike(server: Server) -> None:
    found = server.executor.catalog
    anew = Catalog.from_rows(found.rows())
    assert found.rows() == anew.rows()
    assert found_by(found) == found_by(anew)


def test_a_committed_catalog_is_what_its_rows_say() -> None:
    async def run() -> None:
        async with Server() as server:
            a = server.client("a")
            for definition in DEFINITIONS:
                await a.query(definition)
                _alike(server)
            rows = server.executor.catalog.rows()
            await server.restart(crash=False)
            assert [r for r in server.executor.catalog.rows() if r[1] != "counter"] == [
                r for r in rows if r[1] != "counter"
            ]

    asyncio.run(run())


def test_what_others_have_committed_meanwhile_is_there_too() -> None:
    async def run() -> None:
        async with Server() as server:
            a, b = server.client("a"), server.client("b")
            await a.query("BEGIN; CREATE TABLE mine (id int PRIMARY KEY)")
            await b.query("CREATE TABLE theirs (id int PRIMARY KEY)")
            await b.query("CREATE SCHEMA s")
            with pytest.raises(Failed):
                await b.query("SELECT * FROM mine")
            await a.query("COMMIT")
            _alike(server)
            await b.query(
                "INSERT INTO mine VALUES (1); INSERT INTO theirs VALUES (1); CREATE TABLE s.t (id int)"
            )
            await a.query("SELECT * FROM mine, theirs, s.t")
            _alike(server)

    asyncio.run(run())
