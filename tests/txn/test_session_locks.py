"""Locks between the sessions of several servers, below SQL: the table, and a session that waits again before its last wait is forgotten."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Coroutine
from typing import Any

import pytest

from tests.txn.test_shared import World, world
from txn.abc import DeadlockDetected
from txn.lock_table import EXCLUSIVE, SHARED, LockId, LockTable, Owner, Record
from txn.shared import SharedEnvironment

HANG_S = 240.0
ONE: LockId = ("db", 1, None)
TWO: LockId = ("db", 2, None)


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, HANG_S))


def test_a_log_that_lets_an_owner_wait_for_two_locks_is_still_applied() -> None:
    holder, waiting = (1, 1), (1, 2)
    table = LockTable()
    for lock in (ONE, TWO):
        table.put(lock, Record().granted(holder, EXCLUSIVE).queued(waiting, EXCLUSIVE))
    table.put(TWO, table[TWO].reduced(waiting.__eq__))
    table.put(ONE, table[ONE].reduced(holder.__eq__))
    assert table.held_by(waiting) == {ONE: EXCLUSIVE}
    assert table.awaited_by(waiting) is None


@pytest.mark.parametrize(
    ("record", "owner", "expected"),
    [
        pytest.param(
            Record(((1, 1, EXCLUSIVE),), ((1, 2, SHARED), (1, 3, SHARED))),
            (1, 2),
            Record(((1, 1, EXCLUSIVE),), ((1, 3, SHARED),)),
            id="the others wait on",
        ),
        pytest.param(
            Record(((1, 1, SHARED),), ((1, 2, EXCLUSIVE), (1, 3, SHARED))),
            (1, 2),
            Record(((1, 1, SHARED), (1, 3, SHARED))),
            id="who waited behind has it",
        ),
        pytest.param(
            Record(((1, 1, SHARED), (1, 2, SHARED)), ((1, 2, EXCLUSIVE),)),
            (1, 2),
            Record(((1, 1, SHARED), (1, 2, SHARED))),
            id="who would strengthen it keeps what he has",
        ),
    ],
)
def test_who_withdraws_waits_no_more(record: Record, owner: Owner, expected: Record) -> None:
    assert record.withdrawn(owner) == expected


class Room:
    """Two servers; sessions are the first's. A wait is left as a failing `keep` leaves it: its claim stays in the queue."""

    def __init__(self, env: SharedEnvironment, other: SharedEnvironment) -> None:
        self.env, self.other, self.locks = env, other, env.session_locks

    @classmethod
    async def of(cls, w: World) -> Room:
        return cls(await w.open(), await w.open())

    async def take(self, pid: int, lock: LockId, mode: int = EXCLUSIVE) -> None:
        assert await self.locks.request(pid, lock, mode)

    async def wait(self, pid: int, lock: LockId, mode: int = EXCLUSIVE) -> asyncio.Task[None]:
        """The task of a session that is in the queue of this very lock."""
        task = asyncio.get_running_loop().create_task(self.locks.wait(pid, lock, mode, None))
        while not task.done() and self.locks.table.awaited_by(self.locks.owner(pid)) != lock:
            await asyncio.sleep(0)
        if task.done():
            await task
        return task

    async def leave_a_claim(self, pid: int, lock: LockId, mode: int = EXCLUSIVE) -> None:
        task = await self.wait(pid, lock, mode)
        task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await task

    async def let_go(self, pid: int) -> None:
        await self.locks.keep(pid, lambda lock: 0)

    async def claims(self) -> list[tuple[LockId, list[int], list[int]]]:
        """Of each lock the pids that hold and await it; both servers say the same."""
        await self.env.lead()  # what was admitted is in the log
        await self.other.lead()
        assert sorted(self.other.session_locks.table.raw()) == sorted(self.locks.table.raw())
        return sorted(
            (lock, [pid for _, pid, _ in record.holders], [pid for _, pid, _ in record.queue])
            for lock, record in self.locks.table
        )


@pytest.mark.parametrize("synchronous", [True, False])
def test_a_session_is_in_one_queue_though_its_last_wait_could_not_be_let_go_of(synchronous: bool) -> None:
    async def test() -> None:
        async with world(synchronous=synchronous) as w:
            room = await Room.of(w)
            await room.take(1, ONE)
            await room.take(3, TWO)
            await room.leave_a_claim(2, ONE)
            waiting = await room.wait(2, TWO)
            assert await room.claims() == [(ONE, [1], []), (TWO, [3], [2])]
            await room.let_go(3)
            await waiting
            await room.let_go(1)
            assert await room.claims() == [(TWO, [2], [])]

    run(test())


def test_who_asks_again_for_the_lock_that_he_gave_up_goes_to_the_end_of_its_queue() -> None:
    async def test() -> None:
        async with world() as w:
            room = await Room.of(w)
            await room.take(1, ONE)
            await room.leave_a_claim(2, ONE)
            third = await room.wait(3, ONE)
            again = asyncio.get_running_loop().create_task(room.locks.wait(2, ONE, EXCLUSIVE, None))
            await asyncio.sleep(0)
            await room.take(4, TWO)  # asked after it, and answered: so that one is in the queue
            assert await room.claims() == [(ONE, [1], [3, 2]), (TWO, [4], [])]
            for pid, task in ((1, third), (3, again)):
                await room.let_go(pid)
                await task
            assert await room.claims() == [(ONE, [2], []), (TWO, [4], [])]

    run(test())


def test_a_claim_that_was_given_up_makes_no_deadlock() -> None:
    async def test() -> None:
        async with world() as w:
            room = await Room.of(w)
            await room.take(1, ONE, SHARED)
            await room.take(3, TWO)
            await room.leave_a_claim(2, ONE)
            behind = await room.wait(3, ONE, SHARED)  # waits for nobody but that claim
            waiting = await room.wait(2, TWO)
            await behind
            assert await room.claims() == [(ONE, [1, 3], []), (TWO, [3], [2])]
            await room.let_go(3)
            await waiting

    run(test())


def test_a_refused_wait_changes_nothing() -> None:
    async def test() -> None:
        async with world() as w:
            room = await Room.of(w)
            await room.take(1, ONE)
            await room.take(2, TWO)
            third: LockId = ("db", 3, None)
            await room.take(3, third)
            first = await room.wait(3, TWO)
            await room.leave_a_claim(2, ONE)
            before = await room.claims()
            with pytest.raises(DeadlockDetected):
                await room.wait(2, third)
            assert await room.claims() == before
            await room.let_go(2)
            await first

    run(test())
