"""What a definition costs does not grow with the tables that it is not of, nor with databases: nobody goes through all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from planner.abc import PlanError, Table
from planner.catalog import Catalog, Function, Index, Schema
from planner.catalog.reads import watched
from tests.planner.world import World

SETUP = (
    "create table t (id int primary key, a text, b int default 1, c text)",
    "create table child (id int references t)",
    "create function f(int) returns int language sql as 'select 1'",
    "create type mood as enum ('sad', 'ok')",
    "create type pair as (x int, y text)",
    "create domain positive as int check (value > 0)",
    "create collation sv (provider = icu, locale = 'sv-SE')",
    "create schema s",
)
STATEMENTS = (
    "alter table t drop column a",
    "alter table t drop column id cascade",
    "alter table t drop constraint t_pkey cascade",
    "alter table t rename to u",
    "alter table t rename column a to aa",
    "alter table t set schema s",
    "alter table t alter a type varchar(20)",
    "alter table child set unlogged",
    "alter table t add constraint k check (f(id) > 0)",
    "alter type mood rename value 'ok' to 'fine'",
    "alter type mood rename to humour",
    "alter type pair add attribute z int",
    "alter domain positive add check (value < 10)",
    "alter schema s rename to s2",
    "drop type mood",
    "drop type pair",
    "drop domain positive",
    "drop collation sv",
    "drop function f(int)",
    "drop schema s",
    "drop table t cascade",
    "create unique index i on t (a)",
    "create policy p on t using (true)",
    "comment on table t is 'said'",
)


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    w = World()
    for statement in SETUP:
        assert not w.run("", statement).startswith("ERROR"), statement
    listed = Catalog.objects

    def objects(self: Catalog, kind: type[Any]) -> Any:
        assert kind not in (Table, Index), "all tables are gone through"
        return listed(self, kind)

    monkeypatch.setattr(Catalog, "objects", objects)
    monkeypatch.setattr(Catalog, "tables", None)
    monkeypatch.setattr(Catalog, "all_of", None)
    yield w


@pytest.mark.parametrize("statement", STATEMENTS)
def test_nobody_goes_through_all_tables(world: World, statement: str) -> None:
    said = world.run("", statement)
    assert not said.startswith("ERROR"), said


OF_ROLES = (
    "drop role idle",
    "drop role r",
    "drop owned by r",
    "reassign owned by r to tidewire",
    "alter role r rename to s",
    "grant select on child to idle",
    "alter table child owner to idle",
)


def bound(world: World, statement: str) -> Catalog:
    """The catalog after a statement; as it was, where the statement is refused."""
    plan, _ = world.planner.plan(statement, world.context())
    try:
        return world.planner.bind_ddl(plan.body.statement, world.context()).catalog  # type: ignore[union-attr]
    except PlanError:
        return world.catalog


def among(databases: int) -> World:
    """A database beside others, each with tables and functions of its own."""
    w = World()
    for role in ("create role r", "create role idle"):
        w.catalog = bound(w, role)
    for statement in (*SETUP, "alter table child owner to r", "grant select on t to r"):
        w.catalog = bound(w, statement)
    for i in range(databases):
        w.catalog = bound(w, f"create database d{i}").for_database(f"d{i}")
        for j in range(10):
            w.catalog = bound(w, f"create table t{j} (id int primary key)")
            w.catalog = bound(w, f"create function f{j}(int) returns int language sql as 'select 1'")
        w.catalog = w.catalog.for_database("tidewire")
    return w


def asked(world: World, ask: Callable[[Catalog], object]) -> dict[str, int]:
    """How much of each dictionary is looked at."""
    seen, before = watched(world.catalog), world.catalog
    world.catalog = seen
    ask(seen)
    world.catalog = before
    assert seen.reads.whole.keys() <= {"_extensions"}, (
        "all objects are gone through"
    )  # of which is asked whether there are any
    return {name: len(keys) for name, keys in seen.reads.asked.items()}


def test_what_other_databases_have_is_not_looked_at() -> None:
    few, many = among(1), among(12)
    assert len(list(many.catalog.all_tables())) > len(list(few.catalog.all_tables())) + 100
    for statement in (*STATEMENTS, *OF_ROLES):
        counts = [asked(w, lambda _, w=w, text=statement: bound(w, text)) for w in (few, many)]  # type: ignore[misc]
        assert counts[0] == counts[1], statement
    for kind in (Table, Index, Function, Schema):
        counts = [asked(w, lambda catalog, kind=kind: list(catalog.objects(kind))) for w in (few, many)]  # type: ignore[misc]
        assert counts[0] == counts[1], kind
