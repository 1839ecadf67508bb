"""Slots keep their promises whoever sets the machine's clock, and however much there is to tell."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from executor.limits import ExecutorLimits
from executor.replication.written import Written
from pgwire.replication import walsender
from planner.abc import SqlError
from tests.executor.sql import Failed, Server
from tests.txn.clocks import SetClock

CREATE = "select pg_create_logical_replication_slot('s', 'test_decoding')"


def test_a_place_is_made_durable_by_a_clock_that_nobody_sets() -> None:
    async def run() -> None:
        async with Server() as server:
            a = server.client("a")
            await a.query("create table t (id int)")
            await a.query(CREATE)
            slots, env = server.executor.slots, server.env
            passed_s = 1_000.0
            env.monotonic_s = lambda: passed_s
            real, env.clock = env.clock, SetClock(env.clock.now_us() + 86_400_000_000)
            slot = slots.find("s")
            for due in (True, False):  # noted, at a time that the clock will not see again
                await a.query("insert into t values (1)")
                slots.confirm(slot, env.oracle.read_ts() + 1)
                assert slots.is_note_due(slot) is due
                if due:
                    await slots.note(slot)
            env.clock = real
            assert not slots.is_note_due(slot)
            passed_s += 6
            assert slots.is_note_due(slot)

    asyncio.run(run())


def test_more_than_one_result_may_be_is_refused_and_stays() -> None:
    async def run() -> None:
        async with Server(ExecutorLimits(slot_result_bytes_max=20_000)) as server:
            a = server.client("a")
            await a.query("create table t (id int, v text)")
            await a.query(CREATE)
            for n in range(20):
                await a.query(f"insert into t values ({n}, repeat('x', 1000))")
            with pytest.raises(Failed) as caught:
                await a.rows("select * from pg_logical_slot_get_changes('s', null, null)")
            assert caught.value.sqlstate == "54000"
            told: list[Any] = []
            while rows := await a.rows("select data from pg_logical_slot_get_changes('s', null, 5)"):
                told += rows
            assert sum("INSERT" in line for (line,) in told) == 20

    asyncio.run(run())


def test_others_have_their_turns_while_a_large_transaction_is_told() -> None:
    async def run() -> None:
        async with Server() as server:
            a = server.client("a")
            await a.query("create table t (id int)")
            await a.query(CREATE)
            await a.query("insert into t select generate_series(1, 5000)")
            turns, told = 0, []

            async def other() -> None:
                nonlocal turns
                while True:
                    turns += 1
                    await asyncio.sleep(0)

            task = asyncio.create_task(other())
            changes = a.session.follower().stream("s", 0, {})
            async for _ in changes.messages():
                told.append(turns)
            await changes.close()
            task.cancel()
            assert told[-1] - told[0] >= 10

    asyncio.run(run())


class _Silent:
    """A conversation, and changes that do not come."""

    has_more = False
    told = 0
    sender_timeout_s = 60.0

    def __init__(self) -> None:
        self.session = self
        self.rounds = 0
        self.out: list[bytes] = []

    @property
    def ends(self) -> bool:
        self.rounds += 1
        return self.rounds > 2

    async def push(self) -> None:
        pass

    async def confirm(self, place: int) -> None:
        pass


def test_a_follower_is_not_ended_for_a_clock_that_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    now_ns = iter(range(10**18, 10**24, 3600 * 10**9))
    monkeypatch.setattr(walsender, "time_ns", lambda: next(now_ns))
    silent: Any = _Silent()

    async def run() -> None:
        feed: Any = walsender.FollowerFeed.__new__(walsender.FollowerFeed)
        feed.flushed, feed.asked, feed.over, feed.failure = 0, False, False, None
        feed.woken = asyncio.Event()
        feed.put(b"h")
        await walsender._tell(silent, silent, feed)

    asyncio.run(run())
    assert silent.rounds > 2


def test_a_slot_that_keeps_more_than_it_may_is_lost_and_history_goes() -> None:
    async def run() -> None:
        async with Server(ExecutorLimits(slot_kept_bytes_max=150_000)) as server:
            a, env = server.client("a"), server.env
            await a.query("create table t (id int, v text)")
            for name in ("ahead", "behind"):
                await a.query(f"select pg_create_logical_replication_slot('{name}', 'test_decoding')")
            slots = server.executor.slots
            held = slots.find("behind").noted - 1
            state = "select slot_name, wal_status, safe_wal_size > 0, restart_lsn is null from pg_replication_slots order by 1"
            env.holds.advance(env.oracle.read_ts())
            for before in (False, True):  # the moment comes when it comes: before its follower has, too
                assert await a.rows(state) == [
                    ("ahead", "reserved", True, False),
                    ("behind", "reserved", True, False),
                ]
                await a.query("insert into t select g, repeat('x', 1000) from generate_series(1, 100) g")
                if before:
                    env.holds.advance(env.oracle.read_ts())
                await a.rows("select * from pg_logical_slot_get_changes('ahead', null, null)")
                env.holds.advance(env.oracle.read_ts())
            assert await a.rows(state) == [("ahead", "reserved", True, False), ("behind", "lost", None, True)]
            assert env.holds.oldest(env.oracle.read_ts()) > held
            for function in ("pg_logical_slot_get_changes", "pg_logical_slot_peek_changes"):
                with pytest.raises(Failed, match="cannot read from logical replication slot") as caught:
                    await a.rows(f"select * from {function}('behind', null, null)")
                assert caught.value.sqlstate == "55000"
            await a.query("insert into t values (7, 'last')")
            (told,) = (
                r
                for r in await a.rows("select data from pg_logical_slot_get_changes('ahead', null, null)")
                if "last" in str(r)
            )
            assert "id[integer]:7" in str(told)
            await a.query("select pg_drop_replication_slot('behind')")

    asyncio.run(run())


def test_what_was_written_before_a_slot_was_made_is_not_counted_against_it() -> None:
    """Where there was another slot once, as where there was none."""

    async def run() -> None:
        async with Server(ExecutorLimits(slot_kept_bytes_max=90_000)) as server:
            a, env = server.client("a"), server.env
            await a.query("create table t (id int, v text)")
            await a.query("select pg_create_logical_replication_slot('old', 'test_decoding')")
            env.holds.advance(env.oracle.read_ts())
            await a.query("select pg_drop_replication_slot('old')")
            for _ in range(4):
                env.holds.advance(env.oracle.read_ts())
                await a.query("insert into t select g, repeat('x', 1000) from generate_series(1, 100) g")
            await a.query("select pg_create_logical_replication_slot('new', 'test_decoding')")
            await a.query("insert into t values (7, 'told')")
            env.holds.advance(env.oracle.read_ts())
            told = await a.rows("select data from pg_logical_slot_get_changes('new', null, null)")
            assert any("told" in str(row) for row in told)

    asyncio.run(run())


def test_a_follower_whose_slot_is_lost_while_it_is_told_hears_of_it() -> None:
    """What was read before is whole; what would come after may not be."""

    async def run() -> None:
        async with Server() as server:
            a, holds = server.client("a"), server.env.holds
            await a.query("create table t (id int)")
            await a.query(CREATE)
            for n in range(3):
                await a.query(f"insert into t values ({n})")
            changes = a.session.follower().stream("s", 0, {})
            told = 0
            with pytest.raises(SqlError, match="cannot read from logical replication slot"):
                async for _, _, last in changes.messages():
                    told += last
                    if told == 1:
                        hold = server.executor.slots.find("s").hold
                        assert hold is not None
                        holds.lapse(hold)
            assert told == 1
            await changes.close()

    asyncio.run(run())


def test_what_was_written_since_a_time() -> None:
    written = Written(10)
    assert written.since(5, 1_000) == 0
    for now, size in ((10, 100), (20, 105), (30, 120), (40, 150)):
        written.note(now, size, oldest=0)
    assert [written.since(ts, 160) for ts in (0, 10, 25, 30, 39, 40, 50)] == [60, 60, 60, 40, 40, 10, 10]
    written.note(50, 151, oldest=35)
    assert [written.since(ts, 160) for ts in (35, 45)] == [40, 10]
