"""Several environments on one log, in one process: races, refusals, members, and what is kept for whom."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pyarrow as pa
import pytest

from storage import rows
from storage.abc import Blob, CorruptBlob, FormatTooNew
from storage.blob import open_blob
from storage.consensus.memory import MemoryConsensus
from txn import Environment, Limits, SerializationFailure, TransactionExpired
from txn.abc import Group
from txn.columns import ALL_COLUMNS, THE_ROW, column
from txn.conflicts import ConflictIndex
from txn.oracle import SystemClock
from txn.shared import LeftBehind, Marks, SharedEnvironment
from txn.txns_shard import SHARD, ModeMismatch

SCHEMA = bytes(pa.schema([("key", pa.int64()), ("value", pa.string())]).serialize().to_pybytes())


class World:
    """A consensus and a blob store, the environments on them, and a clock of seconds that tests move."""

    def __init__(self, blob: Blob, *, synchronous: bool) -> None:
        self.blob = blob
        self.consensus = MemoryConsensus(synchronous=synchronous)
        self.now_s = 1000.0
        self.environments: list[SharedEnvironment] = []

    async def open(self, *, background: bool = False, **limits: Any) -> SharedEnvironment:
        env = await SharedEnvironment.open(
            blob=self.blob,
            consensus=self.consensus,
            limits=Limits(**limits),
            rng=random.Random(len(self.environments)),
            monotonic_s=lambda: self.now_s,
            background=background,
        )
        assert isinstance(env, SharedEnvironment)
        self.environments.append(env)
        return env


@contextlib.asynccontextmanager
async def world(*, synchronous: bool = True) -> AsyncIterator[World]:
    made = World(await open_blob("memory://", random.Random(1), SystemClock()), synchronous=synchronous)
    try:
        yield made
    finally:
        for env in made.environments:
            await env.close()


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(test)


both = pytest.mark.parametrize("synchronous", [True, False])


# --- commits -------------------------------------------------------------------------------------


@both
def test_servers_that_race_all_commit(synchronous: bool) -> None:
    async def test() -> None:
        async with world(synchronous=synchronous) as w:
            envs = [await w.open() for _ in range(3)]
            await envs[0].register({"t": SCHEMA})

            async def writes(env: SharedEnvironment, first: int) -> None:
                for key in range(first, first + 30):
                    txn = env.begin()
                    txn.insert("t", key, env.rids.next(), (key, "x"))
                    await txn.commit()

            for env in envs:
                await env.lead()
            await asyncio.gather(*(writes(env, 100 * i) for i, env in enumerate(envs)))
            for env in envs:
                await env.lead()
            assert len({env.oracle.read_ts() for env in envs}) == 1
            assert sum(env.committer.races_lost for env in envs) > 0
            await envs[1].apply_le(envs[1].oracle.read_ts())
            rows = await (await envs[2].shard("t")).read((await envs[1].shard("t")).upper - 1)
            assert sorted(rows.column("key").to_pylist()) == [
                100 * i + k for i in range(3) for k in range(30)
            ]
            assert len(set(rows.column("_rid").to_pylist())) == 90

    run(test())


@both
def test_what_another_server_wrote_is_a_conflict_by_key(synchronous: bool) -> None:
    async def test() -> None:
        async with world(synchronous=synchronous) as w:
            a, b = await w.open(), await w.open()
            await a.register({"t": SCHEMA})
            await b.lead()
            reads_one, reads_other = a.begin(), a.begin()
            reads_one.reads.point("t", (1, "k"))
            reads_other.reads.range("t", (5, ""), (9, ""))
            txn = b.begin()
            txn.insert("t", (1, "k"), b.rids.next(), (1, "k"), blind=True)
            await txn.commit()
            for reader in (reads_one, reads_other):
                reader.insert("t", (50, "z"), a.rids.next(), (50, "z"), blind=True)
            with pytest.raises(SerializationFailure) as refused:
                await reads_one.commit()
            assert "read key (1, 'k') of t" in refused.value.detail
            await reads_other.commit()

    run(test())


@both
def test_a_refusal_is_held_back_until_it_is_about_the_present(synchronous: bool) -> None:
    class Member:
        """Refused as long as its own server has not heard of the other's commit."""

        def __init__(self, env: SharedEnvironment, until: Callable[[], bool]) -> None:
            self.env, self.until = env, until
            self.outcome: asyncio.Future[object] = asyncio.get_running_loop().create_future()

        def admit(self, group: Group) -> None:
            if not self.until():
                raise ValueError("the key is taken")

        def committed(self, ts: int) -> None:
            self.outcome.set_result(ts)

        def failed(self, error: Exception) -> None:
            self.outcome.set_result(error)

    async def test() -> None:
        async with world(synchronous=synchronous) as w:
            a, b = await w.open(), await w.open()
            ts = await a.register({"t": SCHEMA})
            freed = Member(b, lambda: "t" in b.registered())
            b.committer.submit(freed)
            assert await freed.outcome == ts
            never = Member(b, lambda: False)
            b.committer.submit(never)
            assert isinstance(await never.outcome, ValueError)

    run(test())


@both
def test_one_look_at_the_log_serves_all_who_wait(synchronous: bool) -> None:
    async def test() -> None:
        async with world(synchronous=synchronous) as w:
            a, b = await w.open(), await w.open()
            ts = await a.register({"t": SCHEMA})
            before = b.frontier.looks
            await asyncio.gather(*(b.lead() for _ in range(100)))
            assert b.frontier.looks - before <= 2
            assert b.read_ts() == ts

    run(test())


def test_leases_are_of_different_numbers() -> None:
    async def test() -> None:
        async with world() as w:
            a, b = await w.open(), await w.open()
            firsts = await asyncio.gather(*(env.lease("s", 10) for env in (a, b, a, b)))
            assert sorted(firsts) == [1, 11, 21, 31]
            before = a.rids.next()
            await a.lease_rids()
            assert a.rids.next() > b.rids.next() > before

    run(test())


def test_keys_are_the_same_when_they_come_back() -> None:
    from decimal import Decimal

    wrote = {"t": [1, "one", None, (1, "a"), (Decimal("1.50"), None), (1, 2, 3), b"\x00", 2.5]}
    marks = Marks.of([("t", k, -1) for k in wrote["t"]] * 2, ["u"], [("channel", "payload", 7)])
    again = Marks.unpack(marks.pack())
    assert (again.wrote, again.whole, again.told) == (wrote, ["u"], [("channel", "payload", 7)])
    many = Marks.of((("t", k, 2) for k in range(20_000)), [], [])
    assert (many.wrote, many.whole, many.columns) == ({}, ["t"], {})


def test_columns_that_were_written_are_told_to_others() -> None:
    written = [("t", 1, column(1)), ("t", 2, ALL_COLUMNS), ("t", 1, column(1600)), ("u", 1, ALL_COLUMNS)]
    again = Marks.unpack(Marks.of(written, [], []).pack())
    index = ConflictIndex()
    again.record(index, 7)
    assert [bool(index.point("t", 1, 6, column(n))) for n in (1, 2, 1600)] == [True, False, True]
    assert index.point("t", 1, 6, THE_ROW) == 0
    assert index.point("t", 2, 6, THE_ROW) == index.point("u", 1, 6, THE_ROW) == 7


def test_marks_of_an_older_server_are_of_all_columns() -> None:
    old = rows.pack([{"t": [1]}, [], []])
    index = ConflictIndex()
    Marks.unpack(old).record(index, 7)
    assert index.point("t", 1, 6, THE_ROW) == 7
    with pytest.raises(FormatTooNew):
        Marks.unpack(rows.pack([{}, [], [], {}, {}]))
    with pytest.raises(CorruptBlob):
        Marks.unpack(rows.pack([{"t": [1]}, [], [], {"t": [2, 2]}]))


# --- modes ---------------------------------------------------------------------------------------


def test_modes_are_not_mixed() -> None:
    async def test() -> None:
        async with world() as w:
            await w.open()
            with pytest.raises(ModeMismatch, match=r"several servers at once .* start it with --shared"):
                await Environment.open(blob=w.blob, consensus=w.consensus)
        async with world() as w:
            leader = await Environment.open(blob=w.blob, consensus=w.consensus)
            with pytest.raises(ModeMismatch, match=r"one server at a time .* start it without --shared"):
                await w.open()
            await leader.register({"t": SCHEMA})  # the refused one has not fenced it
            await leader.close()

    run(test())


# --- members -------------------------------------------------------------------------------------


def test_the_steward_is_the_oldest_member_that_gives_a_sign() -> None:
    async def test() -> None:
        async with world() as w:
            a, b = await w.open(), await w.open()
            await a.beat()
            await b.beat()
            assert (a.members.is_steward, b.members.is_steward) == (True, False)
            for _ in range(3):  # a is silent from now on
                w.now_s += 15
                await b.beat()
            assert b.members.is_steward and b.members.alone
            assert not a.members.is_valid and not a.members.is_steward
            await a.beat()  # it was only stalled
            await b.beat()
            assert b.members.numbers == {a.members.number, b.members.number}
            assert a.members.is_steward

    run(test())


def test_a_leaving_steward_is_followed_by_the_next() -> None:
    async def test() -> None:
        async with world() as w:
            a, b = await w.open(), await w.open()
            await a.close()
            await b.beat()
            assert b.members.is_steward

    run(test())


def test_the_log_is_kept_for_a_member_that_is_behind_and_not_for_a_dead_one() -> None:
    async def test() -> None:
        async with world() as w:
            a, b = await w.open(), await w.open()
            await b.beat()
            for _ in range(20):
                await a.advance()
            await a.rollup()
            await b.lead()  # reads what was before the rollup: it is still there
            assert b.txns.seqno == a.txns.seqno
            await b.beat()
            for _ in range(20):
                await a.advance()
            for _ in range(3):  # b is silent
                w.now_s += 15
                await a.beat()
            await a.rollup()
            first = (await w.consensus.scan(SHARD, 1, 1))[0].seqno
            assert first == a.txns.seqno
            with pytest.raises(LeftBehind, match="start it again"):
                await b.lead()
            with pytest.raises(LeftBehind):
                await b.advance()

    run(test())


def test_a_snapshot_that_nobody_kept_is_refused_not_answered() -> None:
    async def test() -> None:
        async with world() as w:
            a, b = await w.open(retention_s=0.0), await w.open(retention_s=0.0)
            await a.register({"t": SCHEMA})
            await b.lead()
            await b.beat()
            old = b.begin()
            for _ in range(5):
                await a.advance()
            await a.beat()
            since = await a.compact_to(a.members.held_by_none(a.holds.advance(a.oracle.read_ts())))
            assert since <= old.read_ts  # b's snapshot is kept as long as b gives a sign
            for _ in range(3):
                w.now_s += 15
                await a.beat()
            since = await a.compact_to(a.members.held_by_none(a.holds.advance(a.oracle.read_ts())))
            assert since > old.read_ts
            await b.lead()
            with pytest.raises(TransactionExpired):
                old.check_readable()

    run(test())


def test_two_who_tidy_at_once_retract_nothing_twice() -> None:
    async def test() -> None:
        async with world() as w:
            a, b = await w.open(), await w.open()
            await a.register({"t": SCHEMA})
            for key in range(10):
                txn = a.begin()
                txn.insert("t", key, a.rids.next(), (key, "x"))
                await txn.commit()
            await b.lead()
            ts = a.oracle.read_ts()
            await asyncio.gather(a.apply_le(ts), b.apply_le(ts))
            await asyncio.gather(a.upkeep.flush_riders(), b.upkeep.flush_riders())
            for env in (a, b):
                await env.lead()
                assert env.committer.closed_by is None
                assert env.txns.state.outstanding_commits == 0
            assert (await (await a.shard("t")).read(ts)).num_rows == 10

    run(test())
