"""A plan lives as long as what its catalog was asked for it has the same answers."""

from __future__ import annotations

import pytest

from planner.abc import Plan
from tests.planner.world import World

ASKED = (
    "select v, lower(s) from t where k = 1",
    "select count(*), max(v) from t where s like 'a%'",
    "insert into t (k, v) values (1, 2)",
    "update t set v = v + 1 where k = 1",
)


@pytest.fixture
def world() -> World:
    w = World()
    w.run("", "create schema a")
    w.run("", "create schema b")
    w.run("", "set search_path = a,b,public")
    w.run("", "create table b.t (k int primary key, v int, s text)")
    return w


def planned(world: World, text: str) -> Plan:
    return world.planner.plan(text, world.context())[0]


@pytest.mark.parametrize("text", ASKED)
@pytest.mark.parametrize(
    "definition",
    [
        "create table other (id int)",
        "create table public.t (id int)",
        "create function elsewhere(int) returns int language sql as 'select 1'",
        "create schema later",
        "create view w as select 1 as one",
        "comment on schema public is 'said'",
        "create type mood as enum ('sad')",
    ],
)
def test_what_a_statement_does_not_name_leaves_its_plan(world: World, text: str, definition: str) -> None:
    before = planned(world, text)
    assert not world.run("", definition).startswith("ERROR")
    assert planned(world, text) is before


@pytest.mark.parametrize("text", ASKED)
@pytest.mark.parametrize(
    "definition",
    [
        "create table a.t (k int primary key, v int, s text)",
        "create view a.t as select 1 as k, 2 as v, 'x'::text as s",
        "alter table b.t add column n int",
        "alter table b.t rename to u",
        "alter schema b rename to c",
        "drop table b.t",
    ],
)
def test_what_it_names_takes_its_plan_away(world: World, text: str, definition: str) -> None:
    before, catalog = planned(world, text), world.catalog
    assert before.reads.hold(catalog)
    assert not world.run("", definition).startswith("ERROR")
    assert not before.reads.hold(world.catalog)
    assert before.reads.hold(catalog)


def test_a_function_of_a_name_that_is_called_takes_the_plan_away(world: World) -> None:
    text = "select lower(s) from t where k = 1"
    before = planned(world, text)
    world.run("", "create function a.lower(text) returns text language sql as 'select 1::text'")
    assert planned(world, text) is not before


def test_a_role_that_loses_a_right_is_refused(world: World) -> None:
    world.run("", "create role reader")
    world.run("", "grant usage on schema b to reader")
    world.run("", "grant select on b.t to reader")
    world.user = "reader"
    before = planned(world, "select v from b.t where k = 1")
    world.user = "tidewire"
    world.run("", "create table other (id int)")
    world.user = "reader"
    assert planned(world, "select v from b.t where k = 1") is before
    world.user = "tidewire"
    world.run("", "revoke select on b.t from reader")
    world.user = "reader"
    with pytest.raises(Exception, match="permission denied"):
        planned(world, "select v from b.t where k = 1")
