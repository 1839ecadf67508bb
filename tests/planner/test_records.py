"""`replace` of records does what `dataclasses.replace` does."""

from __future__ import annotations

import dataclasses

import pytest

from planner.catalog import CatalogChange, Counter, Schema
from planner.records import fields_of, replace
from tests.planner.world import World


@pytest.fixture
def world() -> World:
    w = World()
    w.run("", "create table t (id int primary key, a text default 'x', check (id > 0))")
    return w


def test_replaced_records_are_those_of_the_standard_library(world: World) -> None:
    for thing in [*world.catalog.objects(Schema), *world.catalog.tables()]:
        assert replace(thing) == thing
        assert replace(thing, name="other") == dataclasses.replace(thing, name="other")
        assert fields_of(thing) == {f.name: getattr(thing, f.name) for f in dataclasses.fields(thing)}
    (table,) = world.catalog.tables()
    assert replace(table.columns[1], default=None) == dataclasses.replace(table.columns[1], default=None)


def test_a_record_of_one_field() -> None:
    assert replace(Counter(5), next_oid=6) == Counter(6)


def test_fields_that_are_not_there_are_refused() -> None:
    with pytest.raises(TypeError):
        replace(Counter(5), nothing=6)  # type: ignore[call-arg]


def test_fields_that_nobody_gives_are_refused() -> None:
    with pytest.raises(TypeError):
        replace(CatalogChange(None, Counter(5)), old=Counter(4))
