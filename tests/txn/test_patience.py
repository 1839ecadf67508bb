"""Rounds that are put off by turns of the loop: only while others make progress, and never for long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from tests.txn.clocks import SCHEMA, Stores
from txn.environment import Environment
from txn.limits import Limits
from txn.patience import LIMIT_S, Patience
from txn.transaction import Transaction

LATER_S = 0.4 * LIMIT_S


@pytest.mark.parametrize(
    ("turns", "answers"),
    [
        ([(0, 1)], [False]),
        ([(1, 0), (1, 0)], [True, False]),
        ([(2, 1), (2, 1), (1, 1), (1, 0)], [True, True, True, False]),
        ([(2, 1), (2, 2), (0, 1)], [True, True, False]),
        ([(1, 1)] * 8, [True, True, True, False] * 2),
        ([(1, 0), (1, 0), (1, 0), (1, 0)], [True, False, True, False]),
    ],
    ids=["alone", "nobody goes on", "until nobody does", "until nobody is left", "not for ever", "each round anew"],
)  # fmt: skip
def test_it_lasts_as_long_as_others_go_on(turns: list[tuple[int, int]], answers: list[bool]) -> None:
    now_s = 0.0
    patience = Patience(lambda: now_s)
    found = []
    for others, statements in turns:
        patience.statements += statements
        found.append(patience.another_turn(others))
        now_s += LATER_S
    assert found == answers


@pytest.mark.parametrize(
    ("queued", "answers"),
    [
        ([1, 1, 1], [False, False, False]),
        ([2, 2, 1, 1], [True, False, True, False]),
        ([3, 3, 1, 3, 3], [True, False, True, True, False]),
        ([3, 3, 1, 2, 3, 4, 1], [True, False, True, True, True, False, True]),
    ],
    ids=["alone", "they come together", "one after the other", "not for ever"],
)  # fmt: skip
def test_it_lasts_as_long_as_more_come(queued: list[int], answers: list[bool]) -> None:
    now_s = 0.0
    patience = Patience(lambda: now_s)
    found = []
    for count in queued:
        found.append(patience.another_turn(0, count))
        now_s += LATER_S
    assert found == answers


def run(
    scenario: Callable[[Environment], Coroutine[Any, Any, None]], *, synchronous: bool = True, **limits: Any
) -> None:
    async def main() -> None:
        env = await Stores(synchronous=synchronous).open(limits=Limits(**limits))
        env.committer.patience._monotonic_s = lambda: 0.0  # this machine may take its time
        await env.register({"t": SCHEMA})
        await scenario(env)

    asyncio.run(main())


def written(env: Environment, key: int) -> Transaction:
    txn = env.begin()
    txn.insert("t", key, env.rids.next(), (key, "x"))
    return txn


async def turn() -> None:
    await asyncio.sleep(0)


def outcomes(*txns: Transaction) -> list[int | Exception]:
    """Submits them all; what they are told, in the order in which they are."""
    told: list[int | Exception] = []
    for txn in txns:
        txn.submit(told.append)
    return told


def test_whoever_commits_in_the_turns_after_is_in_the_same_group() -> None:
    async def scenario(env: Environment) -> None:
        first, second = written(env, 1), written(env, 2)
        told = outcomes(first)
        for _ in range(3):
            await turn()
            env.committer.patience.statements += 1
            assert told == []
        told_second = outcomes(second)
        await env.drain()
        assert told == told_second, "one timestamp: one append"

    run(scenario)


def test_nobody_waits_for_a_client_that_thinks() -> None:
    async def scenario(env: Environment) -> None:
        first, second = written(env, 1), written(env, 2)
        told = outcomes(first)
        await turn()
        await turn()
        await turn()
        assert told, "two turns after the one in which it came"
        later = outcomes(second)
        await env.drain()
        assert later != told

    run(scenario)


def test_alone_it_is_not_put_off() -> None:
    async def scenario(env: Environment) -> None:
        for key in range(3):
            told = outcomes(written(env, key))
            await turn()
            assert len(told) == 1

    run(scenario)


def test_those_who_were_answered_together_come_together_again() -> None:
    async def scenario(env: Environment) -> None:
        assert env.committer.patience.statements == 0, "no transaction is in the middle of anything"
        together = outcomes(written(env, 1), written(env, 2))
        await env.drain()
        assert together[0] == together[1]
        told = outcomes(written(env, 3))
        await turn()
        assert told == []
        later = outcomes(written(env, 4))
        await env.drain()
        assert told == later, "one append again"
        for key in (5, 6):
            told = outcomes(written(env, key))
            for _ in range(2):
                await turn()
        assert told, "nobody else comes"

    run(scenario)


def test_whoever_waits_for_a_lock_has_no_turn_to_wait_for() -> None:
    async def scenario(env: Environment) -> None:
        holder, waiter = written(env, 1), env.begin()
        assert env.locks.try_acquire(holder, "t", 1)
        waiting = asyncio.ensure_future(env.locks.lock(waiter, "t", 1))
        await turn()
        told = outcomes(holder)
        await turn()
        assert told
        await waiting
        waiter.rollback()

    run(scenario)


def test_an_append_that_leaves_the_loop_is_not_put_off() -> None:
    async def scenario(env: Environment) -> None:
        written(env, 2)
        told = outcomes(written(env, 1))
        env.committer.patience.statements += 1
        await turn()
        assert env.committer.in_flight_ts, "it has begun"
        await env.drain()
        assert told

    run(scenario, synchronous=False)
