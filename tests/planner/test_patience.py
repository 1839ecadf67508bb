"""Planning ends when the processor's share or the statement's time is used up, and the next statement is planned as ever."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from threading import Thread

import pytest

from planner.abc import PlanError
from planner.patience import Patience
from planner.planner import Planner
from tests.planner.world import World

LONG = "select count(*) from " + ", ".join(f"t as t{i}" for i in range(1_500))


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    # What is raised in a destructor is lost and comes again; who tells of it would be met by the next.
    monkeypatch.setattr(sys, "unraisablehook", lambda _: None)
    before = signal.getsignal(signal.SIGALRM)
    world = World()
    world.run("a", "create table t (k int primary key, v int)")
    world.planner.patience.begun()
    yield world
    signal.signal(signal.SIGALRM, before)


def refused(planner: Planner, text: str, world: World) -> str:
    with pytest.raises(PlanError) as error:
        planner.plan(text, world.context())
    return error.value.sqlstate


def test_a_share_of_the_processor(world: World) -> None:
    planner = world.planner
    planner.patience.limit_s = 0.02
    assert refused(planner, LONG, world) == "54001"
    assert signal.getitimer(signal.ITIMER_REAL)[0] == 0
    planner.patience.limit_s = 60
    planner.plan("select k from t", world.context())
    assert planner.lookup("select k from t", world.context()) is not None
    assert planner.lookup(LONG, world.context()) is None


def test_statement_timeout(world: World) -> None:
    world.planner.patience.timeout_ms = 20
    assert refused(world.planner, LONG, world) == "57014"
    world.planner.patience.timeout_ms = 0
    world.planner.plan("select k from t", world.context())


def test_what_swallows_errors_does_not_swallow_it(world: World) -> None:
    patience = Patience(limit_s=0.01)
    patience.begun()

    def stubborn() -> None:
        while True:
            try:
                sum(range(100))
            except (PlanError, ValueError, RuntimeError):
                raise AssertionError("was taken for an error") from None

    with pytest.raises(PlanError), patience.planning():
        stubborn()


def test_a_signal_that_comes_late_is_nobody_s(world: World) -> None:
    signal.raise_signal(signal.SIGALRM)


def test_other_threads_are_not_limited(world: World) -> None:
    seen: list[float] = []

    def work() -> None:
        with world.planner.patience.planning():
            seen.append(signal.getitimer(signal.ITIMER_REAL)[0])

    thread = Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [0.0]
