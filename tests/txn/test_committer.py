"""Group commit: who is in a group, in which order, and what everybody is told when things go wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from storage.abc import Determinate, Indeterminate, InvalidDatum, StorageFull
from tests.txn.clocks import SCHEMA, WIDER, Stores
from txn.abc import (
    AnswerFailed,
    Commit,
    CommitFailed,
    CommitUnknown,
    Fenced,
    Group,
    NoLongerCommitting,
    QueueFull,
    SerializationFailure,
    TxnError,
    Unregistered,
)
from txn.environment import Environment
from txn.limits import Limits
from txn.log_entry import Entry, decode
from txn.txns_shard import SHARD


class Member:
    """Inserts a row; what it was told is in `outcome`."""

    def __init__(self, value: str = "x", *, rid: int = 0, shard: str = "t") -> None:
        self.value, self.rid, self.shard = value, rid, shard
        self.outcome: int | Exception | None = None
        self.admitted: list[int] = []
        self.undone = 0
        self.told: list[str] | None = None
        self.refuse: Exception | None = None
        self.refuse_late: Exception | None = None
        self.then: Callable[[], None] | None = None

    def admit(self, group: Group) -> None:
        self.admitted.append(group.ts)
        if self.refuse is not None:
            raise self.refuse
        group.undo(self.undo)
        group.insert(self.shard, self.rid, (self.rid, self.value))
        group.wrote(self.shard, self.rid)
        if self.refuse_late is not None:
            raise self.refuse_late

    def undo(self) -> None:
        self.undone += 1
        if self.told is not None:
            self.told.append(f"undo {self.value}")

    def committed(self, ts: int) -> None:
        assert self.outcome is None, "answered twice"
        self.outcome = ts
        if self.told is not None:
            self.told.append(f"committed {self.value}")
        if self.then is not None:
            self.then()

    def failed(self, error: Exception) -> None:
        assert self.outcome is None, "answered twice"
        self.outcome = error
        if self.told is not None:
            self.told.append(f"failed {self.value} {type(error).__name__}")


class Faults:
    """Raises what it was given, before or after the next appends to the txns shard."""

    def __init__(self) -> None:
        self.before_append: list[Exception | None] = []
        self.after_append: list[Exception | None] = []
        self.gate: asyncio.Event | None = None

    def before_now(self, op: str, shard: str) -> None:
        if shard == SHARD and self.before_append:
            error = self.before_append.pop(0)
            if error is not None:
                raise error

    def after_now(self, op: str, shard: str) -> None:
        if shard == SHARD and self.after_append:
            error = self.after_append.pop(0)
            if error is not None:
                raise error

    async def before(self, op: str, shard: str) -> None:
        if op == "compare_and_append":
            if self.gate is not None and shard == SHARD:
                await self.gate.wait()
            self.before_now(op, shard)

    async def after(self, op: str, shard: str) -> None:
        if op == "compare_and_append":
            self.after_now(op, shard)


class Lab:
    def __init__(self, stores: Stores, env: Environment, faults: Faults) -> None:
        self.stores, self.env, self.faults = stores, env, faults
        self.rid = 100

    def member(self, value: str = "x", **kwargs: Any) -> Member:
        self.rid += 1
        return Member(value, rid=kwargs.pop("rid", self.rid), **kwargs)

    def submit(self, *members: Member) -> None:
        for member in members:
            self.env.committer.submit(member)

    def log(self) -> list[Entry]:
        entries = [decode(data) for data, _ in self.stores.consensus._logs[SHARD].entries]
        return [e for e in entries if isinstance(e, Entry) and e.writes]


def run(
    scenario: Callable[[Lab], Coroutine[Any, Any, None]], *, synchronous: bool = True, **limits: Any
) -> None:
    async def main() -> None:
        stores, faults = Stores(synchronous=synchronous), Faults()
        env = await stores.open(limits=Limits(**limits))
        await env.register({"t": SCHEMA})
        stores.consensus.faults = faults
        await scenario(Lab(stores, env, faults))

    asyncio.run(main())


BOTH = pytest.mark.parametrize("synchronous", [True, False], ids=["on the loop", "aside"])


@BOTH
def test_what_one_turn_brings_is_one_group_in_order(synchronous: bool) -> None:
    async def scenario(lab: Lab) -> None:
        members = [lab.member(str(i)) for i in range(5)]
        told: list[str] = []
        for m in members:
            m.told = told
        lab.submit(*members)
        assert all(m.outcome is None for m in members), "nothing happens before the turn ends"
        await lab.env.drain()
        assert len({m.outcome for m in members}) == 1
        assert told == [f"committed {i}" for i in range(5)]
        (entry,) = lab.log()
        assert entry.ts == members[0].outcome == lab.env.oracle.read_ts()
        assert entry.writes["t"][0][1] == 5, "one part of five rows"

    run(scenario, synchronous=synchronous)


@BOTH
def test_what_arrives_during_an_append_is_the_next_group(synchronous: bool) -> None:
    async def scenario(lab: Lab) -> None:
        first, second, third = lab.member(), lab.member(), lab.member()
        first.then = lambda: lab.submit(second, third)
        lab.submit(first)
        await lab.env.drain()
        assert first.outcome != second.outcome == third.outcome
        assert len(lab.log()) == 2

    run(scenario, synchronous=synchronous)


def test_a_slow_append_does_not_hold_the_loop_and_nothing_is_visible_before_it_is_durable() -> None:
    async def scenario(lab: Lab) -> None:
        lab.faults.gate = asyncio.Event()
        first, second = lab.member(), lab.member()
        before = lab.env.oracle.read_ts()
        lab.submit(first)
        await asyncio.sleep(0.01)
        lab.submit(second)
        await asyncio.sleep(0.01)
        assert first.outcome is None and first.admitted[0] > lab.env.oracle.read_ts() == before
        assert not second.admitted, "the next group is formed when this one is durable"
        lab.faults.gate.set()
        await lab.env.drain()
        assert isinstance(first.outcome, int) and isinstance(second.outcome, int)
        assert first.outcome < second.outcome == lab.env.oracle.read_ts()

    run(scenario, synchronous=False)


@BOTH
def test_a_refused_member_is_refused_alone(synchronous: bool) -> None:
    async def scenario(lab: Lab) -> None:
        good, bad, other = lab.member(), lab.member(), lab.member()
        bad.refuse = SerializationFailure("no")
        lab.submit(good, bad, other)
        await lab.env.drain()
        assert bad.outcome is bad.refuse
        assert isinstance(good.outcome, int) and good.outcome == other.outcome
        assert lab.log()[0].writes["t"][0][1] == 2

    run(scenario, synchronous=synchronous)


@BOTH
def test_who_is_refused_is_told_when_the_group_is_under_way(synchronous: bool) -> None:
    """Then its locks go to others, who may find what another of the group has written: durable, or in flight."""

    async def scenario(lab: Lab) -> None:
        good, bad = lab.member("good"), lab.member("bad")
        bad.refuse = SerializationFailure("no")
        seen: list[bool] = []

        def refused(error: Exception) -> None:
            ts = good.admitted[0]
            seen.append(lab.env.oracle.read_ts() >= ts or lab.env.committer.in_flight_ts >= ts)

        bad.failed = refused  # type: ignore[method-assign]
        lab.submit(good, bad)
        await lab.env.drain()
        assert seen == [True]

    run(scenario, synchronous=synchronous)


def test_a_member_that_raises_after_writing_leaves_nothing_in_the_group() -> None:
    async def scenario(lab: Lab) -> None:
        good, bad, other = lab.member(), lab.member(), lab.member()
        bad.refuse_late = RuntimeError("a constraint, noticed too late")
        lab.submit(good, bad, other)
        await lab.env.drain()
        assert bad.outcome is bad.refuse_late and bad.undone == 1
        assert isinstance(good.outcome, int) and good.undone == len(good.admitted) - 1
        assert lab.log()[0].writes["t"][0][1] == 2
        assert lab.env.conflicts.point("t", bad.rid, 0) == 0

    run(scenario)


def test_a_group_of_refused_members_writes_nothing() -> None:
    async def scenario(lab: Lab) -> None:
        bad = lab.member()
        bad.refuse = TxnError("no")
        before = len(lab.log())
        lab.submit(bad)
        await lab.env.drain()
        assert len(lab.log()) == before

    run(scenario)


@BOTH
def test_a_group_without_rows_has_written_no_keys(synchronous: bool) -> None:
    """Its timestamp is nobody's commit: who met it in the conflict index would wait for it, or be refused for it."""

    class CameAndWent(Member):
        def admit(self, group: Group) -> None:
            self.admitted.append(group.ts)
            group.wrote(self.shard, self.rid)
            group.wrote_all("other")

    async def scenario(lab: Lab) -> None:
        member = CameAndWent(rid=7)
        lab.submit(member)
        await lab.env.drain()
        assert isinstance(member.outcome, int)
        for space in ("t", "other"):
            assert lab.env.conflicts.whole(space, 0) <= lab.env.oracle.read_ts()
        assert lab.env.conflicts.point("t", 7, 0) == 0

    run(scenario, synchronous=synchronous)


def test_an_unregistered_shard_is_an_error_of_that_member() -> None:
    async def scenario(lab: Lab) -> None:
        bad, good = lab.member(shard="nowhere"), lab.member()
        lab.submit(bad, good)
        await lab.env.drain()
        assert isinstance(bad.outcome, Unregistered)
        assert isinstance(good.outcome, int)

    run(scenario)


def test_a_row_that_cannot_be_written_fails_its_own_member() -> None:
    async def scenario(lab: Lab) -> None:
        good, bad, other = lab.member(), lab.member(), lab.member()
        bad.value = object()  # type: ignore[assignment] # no datum
        lab.submit(good, bad, other)
        await lab.env.drain()
        assert isinstance(bad.outcome, InvalidDatum)
        assert isinstance(good.outcome, int) and isinstance(other.outcome, int)

    run(scenario)


@BOTH
@pytest.mark.parametrize("error", [Determinate("no"), StorageFull("disk full")], ids=["determinate", "full"])
def test_a_failed_append_is_undone_and_the_next_group_goes_on(synchronous: bool, error: Exception) -> None:
    async def scenario(lab: Lab) -> None:
        lab.faults.before_append = [error]
        told: list[str] = []
        first, second = lab.member("a"), lab.member("b")
        first.told = second.told = told
        lab.submit(first, second)
        await lab.env.drain()
        assert told == ["undo b", "undo a", "failed a CommitFailed", "failed b CommitFailed"]
        assert isinstance(first.outcome, CommitFailed) and first.outcome.__cause__ is error
        assert lab.env.conflicts.point("t", first.rid, 0) == 0, "nothing conflicts with what never was"
        later = lab.member()
        lab.submit(later)
        await lab.env.drain()
        assert isinstance(later.outcome, int)
        assert [e.ts for e in lab.log()] == [later.outcome]

    run(scenario, synchronous=synchronous)


@BOTH
@pytest.mark.parametrize("happened", [True, False])
def test_a_lost_answer_is_found_out_with_the_token(synchronous: bool, happened: bool) -> None:
    async def scenario(lab: Lab) -> None:
        lost = [Indeterminate("lost"), Indeterminate("lost again"), Determinate("busy")]
        if happened:
            lab.faults.after_append = [*lost]
        else:
            lab.faults.before_append = [*lost]
        member, waiting = lab.member(), lab.member()
        lab.submit(member)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        lab.submit(waiting)
        await lab.env.drain()
        assert isinstance(member.outcome, int) and member.undone == 0
        assert isinstance(waiting.outcome, int) and waiting.outcome >= member.outcome
        assert sum(raw[1] for e in lab.log() for raw in e.writes["t"]) == 2, "written once each"

    run(scenario, synchronous=synchronous)


@BOTH
def test_an_outcome_that_stays_unknown_ends_the_committer(synchronous: bool) -> None:
    async def scenario(lab: Lab) -> None:
        lab.faults.before_append = [Indeterminate("silence")] * 1000
        told: list[TxnError] = []
        lab.env.on_fenced.append(told.append)
        member, waiting = lab.member(), lab.member()
        lab.submit(member)
        await asyncio.sleep(0.01)
        lab.submit(waiting)
        await lab.env.drain()
        assert isinstance(member.outcome, CommitUnknown)
        assert member.undone == 0, "nobody may decide without the log"
        assert isinstance(waiting.outcome, NoLongerCommitting), "nothing of it was ever sent"
        assert not waiting.admitted
        assert lab.env.closed_by is told[0] and isinstance(told[0], CommitUnknown)
        with pytest.raises(NoLongerCommitting):
            lab.submit(lab.member())
        # Opened again, the log says what happened.
        lab.stores.consensus.faults = None
        again = await lab.stores.open(seed=1)
        assert again.last_write("t") == 0
        await again.close()

    run(scenario, synchronous=synchronous, resolve_limit_s=0.05)


@BOTH
def test_a_member_that_cannot_be_answered_hears_so(synchronous: bool) -> None:
    async def scenario(lab: Lab) -> None:
        member, other = lab.member(), lab.member()
        member.committed = lambda ts: 1 // 0  # type: ignore[method-assign, assignment]
        lab.submit(member)
        lab.submit(other)
        await lab.env.drain()
        assert isinstance(member.outcome, AnswerFailed)
        assert isinstance(member.outcome.__cause__, ZeroDivisionError)
        assert isinstance(other.outcome, int), "nobody else is concerned"
        assert lab.env.closed_by is None and lab.env.last_write("t") == other.outcome

        txn = lab.env.begin()
        txn.insert("t", 9, lab.env.rids.next(), (9, "x"))
        heard: list[object] = []

        def done(result: object) -> None:
            heard.append(result)
            if len(heard) == 1:
                raise RuntimeError("the connection is in a bad way")

        txn.submit(done)
        await lab.env.drain()
        assert heard[0] == txn.commit_ts and isinstance(heard[1], AnswerFailed)
        assert not txn.is_open and not lab.env.open_transactions

    run(scenario, synchronous=synchronous)


@BOTH
def test_a_newer_leader_fences_the_older_definitely(synchronous: bool) -> None:
    async def scenario(lab: Lab) -> None:
        before = lab.member()
        lab.submit(before)
        await lab.env.drain()
        handed_out = lab.env.oracle.write_ts()
        new = await lab.stores.open(seed=1)
        assert new.txns.epoch == lab.env.txns.epoch + 1
        assert new.oracle.read_ts() > handed_out
        member, waiting = lab.member(), lab.member()
        member.then = None
        lab.submit(member)
        await asyncio.sleep(0)
        await lab.env.drain()
        assert isinstance(member.outcome, Fenced) and member.undone == 1
        with pytest.raises(Fenced):
            lab.submit(waiting)
        assert [e.ts for e in lab.log()] == [before.outcome]
        await new.close()

    run(scenario, synchronous=synchronous)


@BOTH
@pytest.mark.parametrize("happened", [True, False])
def test_a_lost_answer_is_found_out_even_when_a_new_leader_has_truncated_it(
    synchronous: bool, happened: bool
) -> None:
    """The position is gone, and nobody may conclude that nothing was there: the rollup knows the writer."""

    async def scenario(lab: Lab) -> None:
        before = lab.member()
        lab.submit(before)
        await lab.env.drain()
        error = Indeterminate("lost")
        if happened:
            lab.faults.after_append = [error]
        else:
            lab.faults.before_append = [error]
        member = lab.member()
        lab.submit(member)
        while lab.faults.after_append or lab.faults.before_append:
            await asyncio.sleep(0)
        new = await lab.stores.open(seed=1)
        assert await new.txns.rollup()
        await lab.env.drain()
        assert isinstance(lab.env.closed_by, Fenced)
        in_log = new.last_write("t")
        if happened:
            assert isinstance(member.outcome, int) and member.outcome == in_log
        else:
            assert isinstance(member.outcome, Fenced) and in_log == before.outcome
        await new.close()

    run(scenario, synchronous=synchronous)


@BOTH
def test_a_lost_race_is_caught_up_with_and_tried_again(synchronous: bool) -> None:
    """Another process appends under the same epoch; everybody is admitted again against what it did."""

    async def scenario(lab: Lab) -> None:
        from txn.handle import TxnsHandle

        env = lab.env
        other = await TxnsHandle.open(
            blob=lab.stores.blob, consensus=lab.stores.consensus, clock=lab.stores.clock, rng=env.rng
        )
        learnt: list[Commit] = []
        env.on_commit.append(learnt.append)
        txn = other.begin()
        txn.insert("t", 7, (7, "other"))
        await other.commit_at(other.upper, txn)
        member, picky = lab.member(), lab.member()

        def refuse_second_time(group: Group) -> None:
            picky.admitted.append(group.ts)
            if learnt:
                raise SerializationFailure("seven is taken")
            group.undo(picky.undo)
            group.insert("t", picky.rid, (7, "mine"))

        picky.admit = refuse_second_time  # type: ignore[method-assign]
        lab.submit(member, picky)
        await env.drain()
        assert [c.writes["t"].inserts for c in learnt] == [[(7, (7, "other"))]]
        assert isinstance(member.outcome, int)
        assert len(member.admitted) == 2 and member.undone == 1
        assert member.admitted[0] < member.admitted[1] == member.outcome
        assert member.outcome > learnt[0].ts
        assert isinstance(picky.outcome, SerializationFailure) and picky.undone == 1

    run(scenario, synchronous=synchronous)


def test_the_queue_is_bounded() -> None:
    async def scenario(lab: Lab) -> None:
        members = [lab.member() for _ in range(3)]
        lab.submit(*members)
        refused = lab.member()
        with pytest.raises(QueueFull):
            lab.submit(refused)
        await lab.env.drain()
        assert all(isinstance(m.outcome, int) for m in members)
        assert refused.outcome is None

    run(scenario, queue_max=3)


def test_large_queues_are_several_groups() -> None:
    async def scenario(lab: Lab) -> None:
        members = [lab.member() for _ in range(5)]
        lab.submit(*members)
        await lab.env.drain()
        assert [raw[1] for e in lab.log() for raw in e.writes["t"]] == [2, 2, 1]
        assert [m.outcome for m in members] == sorted(m.outcome for m in members)  # type: ignore[type-var]

    run(scenario, group_max=2)


def test_a_callback_that_raises_keeps_nobody_from_an_answer() -> None:
    async def scenario(lab: Lab) -> None:
        reports: list[dict[str, Any]] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: reports.append(context))
        rude, polite = lab.member(), lab.member()

        def complain() -> None:
            raise RuntimeError("the client is gone")

        rude.then = complain
        lab.submit(rude, polite)
        await lab.env.drain()
        assert isinstance(polite.outcome, int)
        assert isinstance(reports[0]["exception"], RuntimeError)

    run(scenario)


def test_a_schema_change_begins_a_group_of_its_own_when_rows_are_under_the_old_one() -> None:
    async def scenario(lab: Lab) -> None:
        class Alter(Member):
            def admit(self, group: Group) -> None:
                self.admitted.append(group.ts)
                group.register("t", WIDER)

        before, alter, after = lab.member(), Alter(), lab.member()
        lab.submit(before, alter, after)
        await lab.env.drain()
        assert isinstance(before.outcome, int) and isinstance(alter.outcome, int)
        assert before.outcome < alter.outcome == after.outcome
        assert lab.env.registered() == {"t": WIDER}

    run(scenario)


def test_row_ids_and_reservations_ride_in_the_appends() -> None:
    async def scenario(lab: Lab) -> None:
        env = lab.env
        for _ in range(30):
            lab.submit(lab.member(rid=env.rids.next()))
            lab.stores.clock.now += 300_000
            await env.drain()
        state = env.txns.state
        assert state.rids >= env.rids.mark
        assert state.reserved > env.oracle.last
        again = await lab.stores.open(seed=1)
        assert again.rids.next() >= env.rids.mark
        assert again.oracle.write_ts() > env.oracle.last

    run(scenario, rid_block=8)
