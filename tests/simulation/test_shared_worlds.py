"""Several servers on one simulated consensus: many seeds, and proof that the judge notices a broken one.

A failing seed is printed with its violations; `python -m tests.simulation shared SEED` runs it again.
"""

from __future__ import annotations

import asyncio

import pytest

from tests.simulation.seeds import judge
from tests.simulation.shared_world import run_shared_seed
from tests.simulation.test_simulation import BLOCK
from txn.conflicts import ConflictIndex
from txn.shared import Marks, SharedEnvironment
from txn.shared.committer import SharedCommitter
from txn.txns_shard import SHARD


@pytest.mark.parametrize("first", range(0, 50, BLOCK))
def test_shared_worlds_keep_their_promises(first: int) -> None:
    judge(run_shared_seed, range(first, first + BLOCK))


@pytest.mark.soak
@pytest.mark.parametrize("first", range(1_000, 6_000, 250))
def test_many_more_shared_worlds(first: int) -> None:
    judge(run_shared_seed, range(first, first + 250))


def test_a_seed_is_a_whole_run_of_all_servers() -> None:
    first, _ = run_shared_seed(7)
    second, _ = run_shared_seed(7)
    assert [(o.kind, o.process, o.outcome, o.ts, o.writes) for o in first.history] == [
        (o.kind, o.process, o.outcome, o.ts, o.writes) for o in second.history
    ]
    assert first.consensus.archive == second.consensus.archive


def test_shared_worlds_are_eventful() -> None:
    """The seeds reach what they are meant to reach: else their silence would mean nothing."""
    seen: set[str] = set()
    for seed in range(30):
        world, _ = run_shared_seed(seed)
        seen |= {f"{op.kind} {op.outcome}" for op in world.history}
        seen |= {op.error.split("(")[0] for op in world.history}
        for server in world.servers:
            committer = server.env.committer
            assert isinstance(committer, SharedCommitter)
            seen |= {"lost race"} if committer.races_lost else set()
        seen |= {"truncated log"} if world.consensus._logs[SHARD].first > 1 else set()
        writers = {op.process for op in world.history if op.outcome == "ok" and op.writes}
        seen |= {"three writers"} if len(writers) > 2 else set()
    wanted = {f"{kind} ok" for kind in ("increment", "transfer", "read", "phantom", "create")}
    wanted |= {"increment unknown", "transfer failed", "SerializationFailure", "CommitFailed"}
    wanted |= {"lost race", "truncated log", "three writers", "the process died"}
    assert wanted <= seen, f"never seen: {wanted - seen}"


# --- the judge can say no --------------------------------------------------------------------------


def _seeds_that_find(seeds: range) -> int:
    found = 0
    for seed in seeds:
        try:
            _, problems = run_shared_seed(seed)
        except Exception:  # noqa: BLE001 - a broken program may fail in any way
            problems = ["it did not come to an end"]
        found += bool(problems)
        if found:
            break
    return found


def test_servers_that_do_not_tell_each_other_what_they_wrote_are_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(Marks, "record", lambda *_: None)
    monkeypatch.setattr(ConflictIndex, "point", lambda *_: 0)
    assert _seeds_that_find(range(25))


def test_servers_that_tell_each_other_of_no_columns_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    original = Marks.record

    def record(self: Marks, conflicts: ConflictIndex, ts: int) -> None:
        self.columns = {space: [0] * len(columns) for space, columns in self.columns.items()}
        original(self, conflicts, ts)

    monkeypatch.setattr(Marks, "record", record)
    assert _seeds_that_find(range(25))


def test_a_server_that_reads_without_a_look_at_the_log_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async def trusting(self: SharedEnvironment) -> None:
        await asyncio.sleep(0)

    monkeypatch.setattr(SharedEnvironment, "lead", trusting)
    assert _seeds_that_find(range(25))


def test_a_lost_race_that_is_not_taken_back_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SharedCommitter, "_take_back", lambda *_: None)
    assert _seeds_that_find(range(25))
