"""What a definition is found by goes with the definition: thousands that come and go leave nothing behind."""

from __future__ import annotations

import asyncio
import gc
from functools import partial

import pytest

from executor import plans
from executor.constraints import bound_checks
from executor.session import relations
from planner.abc import Column, Table, TypeRef
from planner.catalog import Schema, polymorphic, row_types, user_types
from planner.catalog.system.attributes import attrdef_oid
from planner.types import declared, facts, orders, registry, user_ranges
from tests.executor import sql
from tests.executor.sql import Server
from txn.limits import Limits


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
                sizes.append((len(catalog._uses), len(catalog._kinds), len(catalog._objects)))
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


def test_an_oid_is_dealt_once_whatever_becomes_of_its_server() -> None:
    """The counter is written ahead of the OIDs that it counts, by one definition of many; a server that starts again deals from there."""

    async def run() -> None:
        async with Server() as server:
            dealt: set[int] = set()
            for i in range(4):
                a = server.client("a")
                counters = set()
                for j in range(60):
                    await a.query(f"CREATE SCHEMA s{i}_{j}")
                    counters.add(server.executor.catalogs.newest.counter.next_oid)
                await a.query(f"BEGIN; CREATE SCHEMA undone; ROLLBACK; CREATE SCHEMA last{i}")
                catalog = server.executor.catalogs.newest
                made = {s.oid for s in catalog.objects(Schema) if s.name.startswith((f"s{i}_", f"last{i}"))}
                assert len(made) == 61 and not made & dealt and max(made) < catalog.counter.next_oid
                assert len(counters) <= 2
                dealt |= made
                await server.restart(crash=bool(i % 2))

    asyncio.run(run())


def test_a_definition_that_is_read_once_is_bound_whenever_it_runs() -> None:
    """The same text in another schema, and after another definition of what it names."""

    async def run() -> None:
        async with Server() as server:
            a = server.client("a")
            await a.query("CREATE SCHEMA one; CREATE SCHEMA two")
            made = "CREATE TABLE t (id int PRIMARY KEY, b mood DEFAULT 'ok')"
            for schema, labels in (("one", "'ok', 'sad'"), ("two", "'fine', 'ok'")):
                await a.query(f"SET search_path = {schema}")
                await a.query(f"CREATE TYPE mood AS ENUM ({labels})")
                await a.query(made)
                assert "42P07" in await a.run(made)
                await a.query("INSERT INTO t VALUES (1)")
            await a.query("SET search_path = two")
            await a.query("INSERT INTO t VALUES (2, 'fine')")
            assert "22P02" in await a.run("INSERT INTO one.t VALUES (2, 'fine')")
            assert "42601" in await a.run("CREATE TABLE t (id int PRIMARY KEY, b mood DEFAULT)")

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


def test_a_type_is_not_taken_for_what_another_environment_has_under_its_number() -> None:
    """A process serves one after the other, as tests do."""

    async def run(*texts: str) -> str:
        async with Server() as server:
            a = server.client("a")
            return [await a.run(text) for text in texts][-1]

    moods = (
        "CREATE TYPE mood AS ENUM ('a', 'b')",
        "CREATE TABLE t (m mood CHECK (m <> 'b'), n mood[])",
        "INSERT INTO t VALUES ('a', '{a}')",
        "SELECT m, n, m = 'a' FROM t",
    )
    for before in (
        "CREATE DOMAIN d AS text CHECK (VALUE <> 'b')",
        "CREATE TYPE d AS (a int)",
        "CREATE TYPE d AS RANGE (subtype = int)",
    ):
        for others in ((), ("CREATE SEQUENCE s",), ("CREATE SEQUENCE s", "CREATE SEQUENCE q")):
            asyncio.run(run(before, "CREATE TABLE u (c d, e d[])"))
            assert asyncio.run(run(*others, *moods)) == "a|{a}|t\nSELECT 1"


def test_the_registry_forgets_types_that_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Types, domains, rows' types and signatures by call: what processes that run for months have no room for."""
    monkeypatch.setattr(user_types, "DROPPED_MAX", 10)
    monkeypatch.setattr(plans, "SWEPT_MIN", 5)
    monkeypatch.setattr(relations, "_FOOTPRINTS_MAX", 5)
    monkeypatch.setattr(bound_checks, "KEPT_MAX", 5)
    hasty = partial(
        Limits,
        pass_s=0.05,
        apply_idle_s=0.1,
        apply_entries=15,
        since_step_s=0.1,
        retention_s=0.1,
        oracle_window_us=20_000,
    )
    monkeypatch.setattr(sql, "Limits", hasty)  # or the past that may be read would have all of them

    async def run() -> None:
        async with Server() as server:
            a = server.client("a")

            async def rounds(first: int, end: int) -> None:
                for i in range(first, end):
                    await a.query(f"CREATE TYPE mood AS ENUM ('a{i}', 'b')")
                    await a.query("CREATE DOMAIN positive AS int CHECK (value > 0)")
                    await a.query("CREATE TYPE pair AS (a int, m mood)")
                    await a.query("CREATE TYPE span AS RANGE (subtype = int)")
                    await a.query(f"CREATE TABLE t{i} (m mood, p positive, c pair, s span)")
                    await a.query(f"INSERT INTO t{i} VALUES ('b', 5, (1, 'b'), '[1,2)')")
                    assert await a.run(f"SELECT t, m FROM t{i} t") == '(b,5,"(1,b)","[1,2)")|b\nSELECT 1'
                    await a.query(
                        "CREATE FUNCTION same(x anyelement) RETURNS anyelement LANGUAGE sql AS 'SELECT x'"
                    )
                    assert await a.run("SELECT same('b'::mood), same(1)") == "b|1\nSELECT 1"
                    await a.query(
                        f"DROP TABLE t{i}; DROP FUNCTION same; DROP TYPE pair, mood, span; DROP DOMAIN positive"
                    )
                    await a.query(
                        "BEGIN; CREATE TYPE undone AS ENUM ('x'); CREATE TABLE u (a undone); SELECT u FROM u; ROLLBACK"
                    )

            async def known() -> list[int]:
                for i in range(20):
                    await a.query(f"SELECT {i} AS other{i}")  # plans keep what they are about
                gc.collect()
                await a.query("CREATE TYPE last AS ENUM ('x')")
                await a.query("DROP TYPE last")
                return [
                    len(x)
                    for x in (
                        user_types._declared, user_types._of_rows, row_types._made, polymorphic._made,
                        registry.TYPES, facts.BY_OID, facts.ARRAY_OF, facts.ELEMENT_OF, declared._BASES,
                        declared.DOMAIN_ARRAYS, orders.ORDERS, user_ranges._SPANNED,
                    )
                ]  # fmt: skip

            server.executor.planner._plans_max = 3
            server.executor.plans._swept_at = 5
            await rounds(0, 5)
            before = await known()
            await rounds(5, 45)
            for _ in range(60):
                after = await known()
                if all(n <= m + 15 for n, m in zip(after, before, strict=True)):
                    return
                await asyncio.sleep(0.25)
            raise AssertionError((before, after))

    asyncio.run(run())
