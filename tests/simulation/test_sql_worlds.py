"""SQL through real sessions in simulated worlds: a few seeds, and proof that broken servers are noticed.

A failing seed is printed with its anomalies; `python -m tests.simulation sql SEED` (or `guarded SEED`, `shaped SEED`) runs it again. `make soak` runs more of them.
"""

from __future__ import annotations

from collections import Counter

import pytest

from tests.simulation.faults import Odds
from tests.simulation.loop import simulate
from tests.simulation.seeds import judge
from tests.simulation.sql_world import (
    SqlScenario,
    SqlWorld,
    run_guarded_seed,
    run_shaped_seed,
    run_sql_seed,
)
from txn.conflicts import ConflictIndex
from txn.lock_table import Record
from txn.read_set import ReadSet
from txn.transaction import Transaction


@pytest.mark.parametrize("seed", (1, 3, 4))
def test_sql_worlds_keep_their_promises(seed: int) -> None:
    judge(run_sql_seed, [seed])


@pytest.mark.soak
@pytest.mark.parametrize("first", range(1_000, 2_000, 20))
def test_many_more_sql_worlds(first: int) -> None:
    judge(run_sql_seed, range(first, first + 20))


@pytest.mark.soak
@pytest.mark.parametrize("first", range(1_000, 1_200, 20))
def test_many_worlds_with_advisory_locks(first: int) -> None:
    judge(run_guarded_seed, range(first, first + 20))


@pytest.mark.parametrize("seed", (3, 23, 101))
def test_what_applications_put_around_a_few_rows_keeps_them_as_well(seed: int) -> None:
    judge(run_shaped_seed, [seed])


@pytest.mark.soak
@pytest.mark.parametrize("first", range(1_000, 1_400, 20))
def test_many_worlds_with_queries_in_queries_and_queues(first: int) -> None:
    judge(run_shaped_seed, range(first, first + 20))


def test_a_seed_is_a_whole_run_of_sessions() -> None:
    first, problems = run_sql_seed(2)
    second, _ = run_sql_seed(2)
    assert problems == []
    assert first.txns == second.txns
    assert first.consensus.archive == second.consensus.archive
    outcomes = Counter(t.outcome for t in first.txns)
    assert outcomes["ok"] > 10 and len(outcomes) > 1, outcomes


# --- the judge can say no --------------------------------------------------------------------------


def quiet(seed: int, **more: object) -> list[str]:
    """What is found in a busy world without misfortune."""
    scenario = SqlScenario(seed, clients=6, odds=Odds(0.002), **more)  # type: ignore[arg-type]
    world = SqlWorld(scenario)
    try:
        return simulate(world.run(), turns_max=400_000)
    finally:
        simulate(world.close())


def test_a_quiet_world_is_clean() -> None:
    assert quiet(1) == []


def test_sessions_whose_reads_do_not_count_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ConflictIndex, "point", lambda *_: 0)
    monkeypatch.setattr(ConflictIndex, "range", lambda *_, **__: 0)
    monkeypatch.setattr(ConflictIndex, "whole", lambda *_: 0)
    assert any(quiet(seed) for seed in range(1, 9))


def test_queries_whose_reads_are_not_noted_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    scenario: dict[str, object] = {"level": "serializable", "shaped": 0.9}
    assert quiet(1, **scenario) == []
    for ask in ("point", "range", "whole"):
        monkeypatch.setattr(ReadSet, ask, lambda *_, **__: None)
    found = [problem for seed in range(1, 7) for problem in quiet(seed, **scenario)]
    assert any("both seats" in problem for problem in found), found


def test_a_snapshot_that_moves_over_what_was_read_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refresh without a look at what has changed since."""
    monkeypatch.setattr(Transaction, "_changed", lambda *_, **__: None)
    assert any(quiet(seed) for seed in (1, 3, 4))


def test_nobody_holds_an_advisory_lock_that_another_one_has(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two servers on one log, stalled until they are taken for dead; and a lock that is granted to everybody is found."""
    scenario: dict[str, object] = {"servers": 2, "guarded": 0.9, "stalls": 4}
    assert quiet(1, **scenario) == []
    monkeypatch.setattr(Record, "opponents", lambda *_: [])
    assert any("at once" in problem for problem in quiet(1, **scenario))
