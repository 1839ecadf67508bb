"""Who may answer reads when there may be two leaders: nobody reads from a past that others have written over."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tests.txn.clocks import SCHEMA, Stores
from txn.abc import Fenced, Isolation
from txn.environment import Environment
from txn.lease import LeaseLapsed
from txn.limits import Limits

LEASE_S = 10.0


class Machine:
    """A clock that only measures durations; all processes of a test share it."""

    def __init__(self) -> None:
        self.now_s = 0.0

    def monotonic_s(self) -> float:
        return self.now_s

    async def sleep(self, seconds: float) -> None:
        self.now_s += seconds
        await asyncio.sleep(0)


class World:
    def __init__(self) -> None:
        self.stores, self.machine = Stores(), Machine()

    async def leader(self, lease_s: float = LEASE_S) -> Environment:
        self.stores.clock.now += 10_000_000
        env = await Environment.open(
            blob=self.stores.blob,
            consensus=self.stores.consensus,
            clock=self.stores.clock,
            limits=Limits(lease_s=lease_s),
            background=False,
            monotonic_s=self.machine.monotonic_s,
            sleep=self.machine.sleep,
        )
        await env.register({"t": SCHEMA})
        return env


def run(scenario: Callable[[World], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(scenario(World()))


async def put(env: Environment, key: int) -> int:
    txn = env.begin()
    txn.insert("t", key, env.rids.next(), (key, "x"), blind=True)
    return await txn.commit()


def test_a_stalled_leader_that_wakes_neither_answers_nor_commits() -> None:
    async def scenario(world: World) -> None:
        old = await world.leader()
        assert old.begin().read_ts == old.read_ts(), "whoever has opened it leads"
        await put(old, 1)
        assert old.read_ts() == old.oracle.read_ts()
        open_block = old.begin(Isolation.READ_COMMITTED)
        new = await world.leader()  # waits, while the old one is stalled
        await put(new, 2)
        with pytest.raises(LeaseLapsed):
            old.read_ts()
        with pytest.raises(LeaseLapsed):
            old.begin()
        with pytest.raises(LeaseLapsed):
            open_block.new_statement()
        with pytest.raises(Fenced):
            await old.lead()
        with pytest.raises(Fenced):
            await open_block_commit(old)
        with pytest.raises(LeaseLapsed):
            old.read_ts()  # and so it remains

    async def open_block_commit(env: Environment) -> None:
        await env.advance()

    run(scenario)


def test_a_new_leader_is_not_ready_before_the_old_ones_lease_is_over() -> None:
    async def scenario(world: World) -> None:
        old = await world.leader()
        await put(old, 1)
        asked_s = world.machine.now_s
        await old.confirm_leadership()
        assert old.leadership.is_valid
        await world.leader()
        assert not old.leadership.is_valid
        assert world.machine.now_s - asked_s > LEASE_S

    run(scenario)


def test_the_first_leader_and_one_beside_a_locked_directory_do_not_wait() -> None:
    async def scenario(world: World) -> None:
        first = await world.leader(lease_s=0)
        second = await world.leader(lease_s=0)
        assert world.machine.now_s == 0
        assert second.read_ts() > first.read_ts()

    run(scenario)


def test_a_lease_is_renewed_by_appends_by_asking_and_by_upkeep() -> None:
    async def scenario(world: World) -> None:
        env = await world.leader()
        for renew in (env.advance, env.lead, env.confirm_leadership, env.upkeep.work):
            world.machine.now_s += LEASE_S
            assert not env.leadership.is_valid
            await renew()  # type: ignore[operator]
            assert env.leadership.left_s == LEASE_S

    run(scenario)


def test_that_nothing_was_to_be_done_is_an_answer_too() -> None:
    """An UPDATE that finds no row appends nothing: the member is answered only by who leads."""

    class Nothing:
        outcome: Any = None

        def admit(self, group: Any) -> None:
            return None

        def committed(self, ts: int) -> None:
            self.outcome = ts

        def failed(self, error: Exception) -> None:
            self.outcome = error

    async def scenario(world: World) -> None:
        old = await world.leader()
        world.machine.now_s += LEASE_S
        idle = Nothing()
        old.committer.submit(idle)
        await old.drain()
        assert idle.outcome == old.oracle.read_ts(), "it leads: asking has renewed its lease"
        await world.leader()
        late = Nothing()
        old.committer.submit(late)
        await old.drain()
        assert isinstance(late.outcome, Fenced)

    run(scenario)


def test_many_who_ask_at_once_look_once() -> None:
    async def scenario(world: World) -> None:
        env = await world.leader()
        looks = 0
        scan = world.stores.consensus.scan

        async def counted(*args: Any, **options: Any) -> Any:
            nonlocal looks
            looks += 1
            return await scan(*args, **options)

        world.stores.consensus.scan = counted  # type: ignore[method-assign]
        world.machine.now_s += LEASE_S
        await asyncio.gather(*(env.lead() for _ in range(50)))
        assert looks == 1

    run(scenario)
