"""Records are what the standard library's are, and `replace` does what `dataclasses.replace` does."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

import pytest

from planner import records
from planner.abc import TypeRef
from planner.binding import ir
from planner.catalog import Counter, Schema
from planner.records import fields_of, replace
from planner.relations import DomainRef
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


@dataclass(slots=True)
class Counted:
    name: str
    seen: list[int] = field(default_factory=list)
    letters: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.letters = len(self.name)


@pytest.mark.parametrize(
    ("instance", "changes"),
    [
        (ir.Var(TypeRef(23), 1, 2, 7), {"position": 9}),
        (ir.Call(TypeRef(23), "int4 + int4", (ir.Lit(TypeRef(23), 1),), True, 5), {"args": ()}),
        (ir.Session(TypeRef(25), "now"), {}),
        (TypeRef(1700, 10), {"typmod": -1}),
        (DomainRef(23, -1, 16400), {"typmod": 4}),
        (Counted("abc", [1]), {"name": "d"}),
    ],
    ids=repr,
)
def test_instances_of_the_binder_are_those_of_the_standard_library(
    instance: Any, changes: dict[str, Any]
) -> None:
    made, expected = replace(instance, **changes), dataclasses.replace(instance, **changes)
    assert type(made) is type(expected)
    for one in dataclasses.fields(expected):
        assert getattr(made, one.name) == getattr(expected, one.name)
    assert made is not instance


def test_what_the_constructor_does_not_take_is_refused() -> None:
    with pytest.raises(TypeError):
        replace(Counted("a"), letters=2)


def test_a_record_of_one_field() -> None:
    assert replace(Counter(5), next_oid=6) == Counter(6)


def test_fields_that_are_not_there_are_refused() -> None:
    with pytest.raises(TypeError):
        replace(Counter(5), nothing=6)  # type: ignore[call-arg]


def test_frozen_records_compare_and_are_made_without_a_call_for_each_field() -> None:
    def of(dataclass: Any) -> Any:
        @dataclass(frozen=True, slots=True)
        class Place:
            x: int
            y: int = field(default=0, compare=False)

        return Place

    ours, theirs = of(records.dataclass), of(dataclass)
    assert ours(1, 2) == ours(1, 3) != ours(2, 2)
    assert hash(ours(1, 2)) == hash(theirs(1, 5)) and repr(ours(1)) == repr(theirs(1))
    assert ours.__setattr__ is object.__setattr__, "constructors assign"
    with pytest.raises(AttributeError):
        ours(1).z = 2
