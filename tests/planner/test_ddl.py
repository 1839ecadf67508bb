"""Golden scripts: DDL statements, and what each changes in the catalog."""

from __future__ import annotations

from pathlib import Path

import pytest

from planner.catalog import Catalog
from tests.golden import run_script, scripts
from tests.planner.world import World

FOLDER = Path(__file__).parent / "ddl"


@pytest.mark.parametrize("script", scripts(FOLDER), ids=lambda p: p.stem)
def test_scripts(script: Path) -> None:
    run_script(script, World().run)


def test_a_catalog_is_never_modified() -> None:
    """Every version that was handed out stays what it was."""
    world = World()
    seen: list[tuple[Catalog, list[tuple[int, str, str]]]] = []
    for statement in (
        "create table a (x int primary key, y text)",
        "create table b (x int references a)",
        "alter table a add column z int",
        "alter table a rename column y to w",
        "drop table a cascade",
        "drop table b",
    ):
        world.run("", statement)
        seen.append((world.catalog, world.catalog.rows()))
    for catalog, rows in seen:
        assert catalog.rows() == rows
    assert [c.version for c, _ in seen] == sorted({c.version for c, _ in seen})


def test_no_oid_and_no_shard_is_used_twice() -> None:
    world = World()
    oids: set[int] = set()
    shards: set[str] = set()
    for _ in range(5):
        world.run("", "create table t (a serial primary key)")
        table = world.catalog.resolve_table("t")
        assert table.oid not in oids
        assert table.shard not in shards
        oids.add(table.oid)
        shards.add(table.shard)
        world.run("", "drop table t")
        world.catalog = Catalog.from_rows(world.catalog.rows())


def test_ten_thousand_tables_stay_cheap_to_change() -> None:
    """Changes copy dictionaries, not objects: what was there is the same object afterwards."""
    from planner.abc import Column, Table, TypeRef
    from planner.catalog import CatalogChange, Counter

    tables = [
        Table(20_000 + i, 2200, f"t{i}", (Column("a", TypeRef(23), 1),), (), f"t{20_000 + i}")
        for i in range(10_000)
    ]
    first = Catalog()
    many = first.with_changes(
        [CatalogChange(first.counter, Counter(40_000)), *(CatalogChange(None, t) for t in tables)]
    )
    more = many.with_changes([CatalogChange(tables[5], None)])
    assert many.resolve_table("t7") is tables[7]
    assert more.resolve_table("t7") is tables[7]
    assert more.get(tables[5].oid) is None
    assert many.get(tables[5].oid) is tables[5]
