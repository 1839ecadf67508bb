"""What a definition is found by goes with the definition: thousands that come and go leave nothing behind."""

from __future__ import annotations

import asyncio

from planner.abc import Column, Table, TypeRef
from planner.catalog.system.attributes import attrdef_oid
from tests.executor.sql import Server


def test_a_catalog_forgets_the_words_of_what_is_gone() -> None:
    async def run() -> None:
        async with Server() as server:
            a = server.client("a")
            sizes = []
            for i in range(12):
                await a.query(f"CREATE TABLE t{i} (id serial PRIMARY KEY, w{i} int CHECK (w{i} > 0))")
                await a.query(f"CREATE SCHEMA s{i} CREATE VIEW v AS SELECT w{i} FROM t{i}")
                await a.query(f"DROP SCHEMA s{i} CASCADE; DROP TABLE t{i}")
                catalog = server.executor.catalogs.newest
                sizes.append((len(catalog._uses), len(catalog._homes), len(catalog._objects)))
            assert sizes[0] == sizes[-1]

    asyncio.run(run())


def test_a_definition_takes_the_oids_that_it_needs() -> None:
    """Not those that it might have needed, be it carried out, refused or undone: there are 2^30 for as long as an environment lives."""

    async def run() -> None:
        async with Server() as server:
            a = server.client("a")
            first = server.executor.catalogs.newest.counter.next_oid
            for i in range(20):
                await a.query(f"CREATE TABLE t{i} (id serial PRIMARY KEY)")
                assert "42P07" in await a.run(f"CREATE TABLE t{i} (id int)")
                await a.query(f"ALTER TABLE t{i} ADD COLUMN b int DEFAULT 1; COMMENT ON TABLE t{i} IS 'x'")
                await a.query(f"BEGIN; CREATE TEMP TABLE u{i} (a int PRIMARY KEY); ROLLBACK")
            assert server.executor.catalogs.newest.counter.next_oid - first < 20 * 20

    asyncio.run(run())


def test_each_default_has_an_oid_of_its_own() -> None:
    """pg_dump tells them apart by these, and puts sequences before the tables whose defaults draw from them. Older servers dealt
    OIDs 4096 apart."""
    columns = tuple(Column(f"c{i}", TypeRef(23), i, default="1") for i in (1, 2, 1600))
    for step in (1, 3, 4096, 3 * 4096):
        tables = (Table(16384 + i * step, 2200, "t", columns, (), "t") for i in range(5_000))
        oids = [attrdef_oid(t, c) for t in tables for c in columns]
        assert len(set(oids)) == len(oids)
        assert all(1 << 31 <= oid < 1 << 32 for oid in oids)
