"""Which statements with lists of parameters share a plan, whatever their lengths."""

from __future__ import annotations

from typing import Final

import pytest

from executor.lists_of_parameters import ListsOfParameters
from planner.abc import Plan
from planner.plan_context import PlanContext
from tests.planner.world import World

SHARED: Final = (
    "select k from t where k in ({list})",
    "select k from t where v in ({list}) order by k",
    "select x from t where k not in ({list}) and v = {a}",
    "update t set v = 3 where k in ({list})",
    "delete from t where v in ({list})",
    "insert into t (k) select k + 1 from t where k in ({list})",
    "select k from t where x in ({list}) order by v limit 5",
)
OWN: Final = (
    "select count(*) from t where x in ({list})",
    "select * from m where a in ({list}) and b in ({a}, {b})",
    "select * from p where k in ({list})",
    "select k from t where f in ({list})",
)


@pytest.fixture
def world() -> World:
    w = World()
    w.run("", "create table t (k int primary key, v int, x text, f numeric)")
    w.run("", "create index on t (v)")
    w.run("", "create table m (a int, b int, primary key (a, b))")
    w.run("", "create table p (k int) partition by range (k)")
    w.run("", "create table p1 partition of p for values from (0) to (10)")
    return w


class Statements:
    """What is prepared, as texts are planned."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._plans: dict[tuple[str, tuple[int, ...]], Plan] = {}
        self._lists = ListsOfParameters(self._prepared)
        self.planned: list[str] = []

    def _prepared(self, text: str, context: PlanContext, types: tuple[int, ...]) -> Plan:
        if (text, types) not in self._plans:
            self.planned.append(text)
            self._plans[text, types] = self._world.planner.plan(text, context, types, normalise=False)[0]
        return self._plans[text, types]

    def prepared(self, text: str, count: int) -> tuple[Plan, bool]:
        """The plan of a list of so many, and whether it is one of all lengths."""
        numbers = ", ".join(f"${i}" for i in range(1, count + 1))
        said = text.format(list=numbers, a=f"${count + 1}", b=f"${count + 2}")
        plan, listing = self._lists.prepared(said, self._world.context(), ())
        return plan, listing is not None


@pytest.mark.parametrize("text", SHARED)
def test_lengths_share_a_plan_where_keys_lead_to_rows(world: World, text: str) -> None:
    statements = Statements(world)
    assert statements.prepared(text, 2)[1] is False  # it might never come in another length
    plan, shared = statements.prepared(text, 3)
    assert shared
    assert statements.prepared(text, 4) == (plan, True)
    assert statements.prepared(text, 100) == (plan, True)
    assert len(statements.planned) == 2


@pytest.mark.parametrize("text", OWN)
def test_where_values_are_better_each_length_has_its_own(world: World, text: str) -> None:
    statements = Statements(world)
    assert not any(statements.prepared(text, count)[1] for count in (2, 3, 4))


def test_long_lists_share_a_plan_whoever_answers(world: World) -> None:
    statements = Statements(world)
    text = OWN[0]
    assert statements.prepared(text, 40)[1] is False  # the first that comes
    plan, shared = statements.prepared(text, 50)
    assert shared
    assert statements.prepared(text, 3)[1] is False
    assert statements.prepared(text, 60) == (plan, True)


@pytest.mark.parametrize("text", SHARED)
def test_thousands_are_never_planned_one_by_one(world: World, text: str) -> None:
    statements = Statements(world)
    assert statements.prepared(text, 1_001)[1]
    assert len(statements.planned) == 1 and len(statements.planned[0]) < 100
