"""Storage and transactions in simulated worlds: many seeds, and proof that the judge can say no.

A failing seed is printed with its violations; `python -m tests.simulation SEED` runs it again. `make soak` runs more of them.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest

from storage.abc import Part
from storage.shard.shard import Shard
from tests.simulation.faults import Odds
from tests.simulation.history import Op, Truth, check
from tests.simulation.loop import Deadlock, SimLoop, simulate
from tests.simulation.seeds import judge
from tests.simulation.world import Scenario, World, run_seed
from txn.abc import Isolation, ShardWrites
from txn.columns import ALL_COLUMNS, THE_ROW, column
from txn.conflicts import ConflictIndex, Record
from txn.group import CommitGroup
from txn.read_set import ReadSet
from txn.txns_shard import SHARD

BLOCK = 25


@pytest.mark.parametrize("first", range(0, 300, BLOCK))
def test_worlds_keep_their_promises(first: int) -> None:
    judge(run_seed, range(first, first + BLOCK))


@pytest.mark.soak
@pytest.mark.parametrize("first", range(1_000, 21_000, 500))
def test_many_more_worlds(first: int) -> None:
    judge(run_seed, range(first, first + 500))


def test_a_seed_is_a_whole_run() -> None:
    """The same seed gives the same history, to the timestamp: a failing seed is a bug in hand."""
    first, _ = run_seed(7)
    second, _ = run_seed(7)
    assert [(o.kind, o.outcome, o.ts, o.writes) for o in first.history] == [
        (o.kind, o.outcome, o.ts, o.writes) for o in second.history
    ]
    assert first.consensus.archive.keys() == second.consensus.archive.keys()


def test_worlds_are_eventful() -> None:
    """The seeds reach what they are meant to reach: else their silence would mean nothing."""
    seen: set[str] = set()
    for seed in range(60):
        world, _ = run_seed(seed)
        seen |= {f"{op.kind} {op.outcome}" for op in world.history}
        seen |= {op.error.split("(")[0] for op in world.history}
        seen |= {"takeover"} if len(world.servers) > 3 else set()
        seen |= {"blob parts"} if any("parquet" in key for key in world.blob.blobs) else set()
        log = world.consensus._logs[SHARD]
        seen |= {"truncated log"} if log.first > 1 else set()
    wanted = {f"{kind} ok" for kind in ("increment", "transfer", "read", "phantom", "create")}
    wanted |= {"increment unknown", "transfer failed", "SerializationFailure", "Fenced", "CommitFailed"}
    wanted |= {"CommitUnknown", "takeover", "blob parts", "truncated log", "the process died"}
    assert wanted <= seen, f"never seen: {wanted - seen}"


# --- the judge can say no ----------------------------------------------------------------------


def _clean_world() -> tuple[list[Op], Truth]:
    """A busy history without misfortune, and its log."""
    scenario = Scenario(11, clients=6, ops_per_client=20, odds=Odds(0.002))
    world = World(scenario)
    assert simulate(world.run()) == []
    return copy.deepcopy(world.history), Truth.of(world.consensus.archive[SHARD])


def _found(history: list[Op], truth: Truth) -> set[str]:
    return {problem.split(":")[0] for problem in check(history, truth)}


def _some_write(history: list[Op]) -> Op:
    return next(o for o in history if o.outcome == "ok" and o.kind == "increment")


def test_judge_lets_the_clean_history_pass() -> None:
    history, truth = _clean_world()
    assert _found(history, truth) == set()
    assert sum(o.outcome == "ok" for o in history) > 60


def test_judge_finds_a_lost_append() -> None:
    history, truth = _clean_world()
    lost = _some_write(history).commit_ts
    truth.commits = [c for c in truth.commits if c[0] != lost]
    assert "lost" in _found(history, truth)


def test_judge_finds_a_doubled_append() -> None:
    history, truth = _clean_world()
    ts, writes = truth.commits[-1]
    truth.commits.append((ts + 1, writes))
    assert "doubled" in _found(history, truth)


def test_judge_finds_a_failed_commit_that_happened() -> None:
    history, truth = _clean_world()
    _some_write(history).outcome = "failed"
    assert "resurrected" in _found(history, truth)


def test_judge_finds_half_a_transaction() -> None:
    history, truth = _clean_world()
    op = next(o for o in history if o.outcome == "ok" and len(o.writes) > 1 and o.kind == "transfer")
    for ts, writes in truth.commits:
        if ts == op.commit_ts:
            shard = next(iter(op.writes))[0]
            value = op.writes[next(iter(op.writes))][1]
            writes[shard].inserts = [i for i in writes[shard].inserts if value not in i[1]]
    assert "torn" in _found(history, truth)


def test_judge_finds_a_write_out_of_nowhere() -> None:
    history, truth = _clean_world()
    truth.commits.append((truth.commits[-1][0] + 1, {"t0": ShardWrites(inserts=[(999_999, (0, 999_999))])}))
    assert "invented" in _found(history, truth)


def test_judge_finds_a_lost_update() -> None:
    history, truth = _clean_world()
    op = next(
        o for o in history if o.outcome == "ok" and next(iter(o.writes.values()), (None, 0))[0] is not None
    )
    cell, (_, value) = next(iter(op.writes.items()))
    op.writes[cell] = (None, value)  # as if it had not seen what it replaced
    assert "forked" in _found(history, truth)


def test_judge_finds_a_stale_read() -> None:
    history, truth = _clean_world()
    op = [o for o in history if o.kind == "read" and o.outcome == "ok" and any(o.reads.values())][-1]
    cell = next(c for c, v in op.reads.items() if v)
    op.reads[cell] = None
    assert "stale read" in _found(history, truth)


def test_judge_finds_a_read_that_was_overwritten_before_the_commit() -> None:
    history, truth = _clean_world()
    victim = next(
        o
        for o in history
        if o.outcome == "ok"
        and o.writes
        and o.level is Isolation.STRICT_SERIALIZABLE
        and set(o.reads) - set(o.writes)
    )
    assert victim.commit_ts is not None and victim.read_ts is not None
    cell = next(c for c in victim.reads if c not in victim.writes)
    # As if somebody had written what it read in the very group that it committed in, before it.
    intruder = Op(10_000, "increment", "p", outcome="ok", commit_ts=victim.commit_ts, order=-1)
    intruder.writes[cell] = (victim.reads[cell], 888_888)
    history.append(intruder)
    for op in history:
        if op is not intruder and op.writes.get(cell, (0, 0))[0] == victim.reads[cell]:
            op.writes[cell] = (888_888, op.writes[cell][1])
    for ts, writes in truth.commits:
        if ts == victim.commit_ts:
            writes.setdefault(cell[0], ShardWrites()).inserts.append((888_888, (cell[1], 888_888)))
    assert "not serializable" in _found(history, truth)


def test_judge_finds_time_running_backwards() -> None:
    history, truth = _clean_world()
    done = [o for o in history if o.outcome == "ok" and o.kind == "read"]
    done[-1].read_ts = done[0].read_ts
    done[-1].reads = dict(done[0].reads)
    assert "backwards" in _found(history, truth)


# --- and so can the whole run, when the program is broken ---------------------------------------


def _seeds_that_find(seeds: range) -> int:
    found = 0
    for seed in seeds:
        try:
            _, problems = run_seed(seed)
        except Exception:  # noqa: BLE001 - a broken program may fail in any way
            problems = ["it did not come to an end"]
        found += bool(problems)
    return found


def test_a_blind_conflict_index_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ConflictIndex, "point", lambda *_: 0)
    assert _seeds_that_find(range(15))


def test_an_index_without_ranges_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ConflictIndex, "range", lambda *_, **__: 0)
    assert _seeds_that_find(range(25))


def test_reads_that_forget_their_columns_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    original = ReadSet.point
    monkeypatch.setattr(ReadSet, "point", lambda self, space, key, _: original(self, space, key, THE_ROW))
    assert _seeds_that_find(range(40))


def test_writes_that_name_other_columns_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    original = ConflictIndex.record
    other = {column(1): column(2), column(2): column(1)}

    def record(self: ConflictIndex, space: str, key: Any, ts: int, columns: int = ALL_COLUMNS) -> Record:
        return original(self, space, key, ts, other.get(columns, columns))

    monkeypatch.setattr(ConflictIndex, "record", record)
    assert _seeds_that_find(range(40))


def test_updates_of_one_row_that_do_not_conflict_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if two transactions might write different columns of one row: each would bring back the other's old value."""
    original = ConflictIndex.point

    def point(self: ConflictIndex, space: str, key: Any, after: int, columns: int = THE_ROW) -> int:
        return original(self, space, key, after, columns)

    monkeypatch.setattr(ConflictIndex, "point", point)
    problems = [p for seed in range(40) for p in run_seed(seed)[1]]
    assert any(p.startswith("brought back") for p in problems)


def test_a_failed_group_that_is_not_undone_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CommitGroup, "unwind", lambda *_: None)
    assert _seeds_that_find(range(60))


def test_a_lost_answer_taken_for_a_failure_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from storage.abc import Determinate
    from txn.committer import Committer

    async def give_up(self: Committer, attempt: object, lost: Exception | None) -> None:
        if lost is None:
            return await attempt()  # type: ignore[operator,no-any-return]
        raise Determinate("no answer, so surely nothing happened")

    monkeypatch.setattr(Committer, "resolve", give_up)
    assert _seeds_that_find(range(40))


def test_applying_out_of_order_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from storage import parts

    original = parts.timed_inserts

    def shuffled(inserts: list[tuple[int, int, tuple[object, ...]]], version: int) -> Part:
        times = [ts for _, ts, _ in reversed(inserts)]
        return original([(rid, ts, row) for (rid, _, row), ts in zip(inserts, times, strict=True)], version)

    monkeypatch.setattr(parts, "timed_inserts", shuffled)
    assert _seeds_that_find(range(15))


def test_applying_some_commits_only_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    from txn.apply import Applier

    original = Applier._merged

    async def forgetful(self: Applier, handle: Shard, commits: list[Any]) -> list[Part]:
        return await original(self, handle, commits[1:] if len(commits) > 2 else commits)

    monkeypatch.setattr(Applier, "_merged", forgetful)
    assert _seeds_that_find(range(15))


def test_a_loop_in_which_everybody_waits_is_a_deadlock() -> None:
    async def wait() -> None:
        import asyncio

        await asyncio.get_running_loop().create_future()

    with pytest.raises(Deadlock):
        simulate(wait())


def test_simulated_time_costs_nothing() -> None:
    async def sleep() -> float:
        import asyncio

        await asyncio.sleep(86_400)
        loop = asyncio.get_running_loop()
        assert isinstance(loop, SimLoop)
        return loop.time()

    assert simulate(sleep()) == pytest.approx(86_400)
