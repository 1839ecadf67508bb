"""Faults of our own in the middle of a round: every member has its answer, exactly one, and it is true.

What was not sent definitely did not happen; what may be in the log is unknown; nobody waits for ever. A row that no
bytes can be made of is its own transaction's trouble; whatever else is unexpected ends the committer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

import txn.commit_steps
from tests.txn.test_committer import BOTH, Lab, run
from txn.abc import CommitFailed, CommitUnknown, NoLongerCommitting, TxnError
from txn.committer import Committer
from txn.group import CommitGroup
from txn.log_entry import Entry
from txn.oracle import LeasedOracle
from txn.transaction import Transaction
from txn.txns_shard import TxnsShard


class Broken(Exception):
    """What nobody expects."""


def broken(*_: object, **__: object) -> Any:
    raise Broken("by the test")


def once(original: Callable[..., Any]) -> Callable[..., Any]:
    """The first call raises, later ones are as they were."""
    calls = 0

    def call(*args: Any, **kwargs: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == 1:
            raise Broken("by the test, once")
        return original(*args, **kwargs)

    return call


def quietly() -> list[str]:
    """Collects what the loop is told of faults."""
    told: list[str] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: told.append(str(context["message"])))
    return told


async def outcomes(lab: Lab, count: int = 3) -> list[int | Exception | None]:
    members = [lab.member(str(i)) for i in range(count)]
    lab.submit(*members)
    await asyncio.wait_for(lab.env.drain(), 60)
    assert all(m.outcome is not None for m in members), "somebody waits for ever"
    return [m.outcome for m in members]


@BOTH
def test_a_transaction_whose_entry_cannot_be_packed_fails_alone(
    synchronous: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode = txn.commit_steps.encode

    def fragile(entry: Entry) -> bytes:
        data = encode(entry)
        if b"poison" in data:
            raise Broken("by the test")
        return data

    async def scenario(lab: Lab) -> None:
        told = quietly()
        monkeypatch.setattr(txn.commit_steps, "encode", fragile)
        members = [lab.member("fine"), lab.member("poison"), lab.member("fine too")]
        lab.submit(*members)
        await asyncio.wait_for(lab.env.drain(), 60)
        assert [type(m.outcome) for m in members] == [int, CommitFailed, int]
        assert "a transaction could not be written" in told
        assert [type(o) for o in await outcomes(lab)] == [int] * 3, "the committer goes on"

    run(scenario, synchronous=synchronous)


BEFORE_IT_IS_SENT: dict[str, tuple[type, str]] = {
    "a timestamp": (LeasedOracle, "write_ts"),
    "admission": (CommitGroup, "mark"),
}


@BOTH
@pytest.mark.parametrize("where", BEFORE_IT_IS_SENT)
def test_a_fault_before_the_append_is_a_definite_failure(
    where: str, synchronous: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(lab: Lab) -> None:
        told = quietly()
        before = len(lab.log())
        kind, name = BEFORE_IT_IS_SENT[where]
        with monkeypatch.context() as patch:
            patch.setattr(kind, name, broken)
            found = await outcomes(lab)
        assert {type(o) for o in found} == {CommitFailed}
        assert len(lab.log()) == before
        assert "the committer failed" in told
        with pytest.raises(CommitFailed):
            lab.submit(lab.member())

    run(scenario, synchronous=synchronous)


@BOTH
def test_a_fault_while_sealing_fails_each_and_nothing_is_sent(
    synchronous: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(lab: Lab) -> None:
        quietly()
        before = len(lab.log())
        with monkeypatch.context() as patch:
            patch.setattr(LeasedOracle, "due", broken)
            found = await outcomes(lab)
        assert {type(o) for o in found} == {CommitFailed}
        assert len(lab.log()) == before
        assert [type(o) for o in await outcomes(lab)] == [int] * 3, "the committer goes on"

    run(scenario, synchronous=synchronous)


AFTER_IT_WAS_SENT: dict[str, tuple[type, str]] = {
    "the append's return": (TxnsShard, "_appended"),
    "publication": (LeasedOracle, "apply_write"),
    "the group's answers": (Committer, "_answer"),
}


@BOTH
@pytest.mark.parametrize("where", AFTER_IT_WAS_SENT)
def test_a_fault_after_the_append_is_unknown(
    where: str, synchronous: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(lab: Lab) -> None:
        quietly()
        kind, name = AFTER_IT_WAS_SENT[where]
        with monkeypatch.context() as patch:
            patch.setattr(kind, name, broken)
            found = await outcomes(lab)
        assert {type(o) for o in found} == {CommitUnknown}
        with pytest.raises(NoLongerCommitting):
            lab.submit(lab.member())

    run(scenario, synchronous=synchronous)


def test_who_waits_behind_a_group_that_broke_down_is_definitely_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def scenario(lab: Lab) -> None:
        quietly()
        lab.faults.gate = asyncio.Event()
        monkeypatch.setattr(LeasedOracle, "apply_write", broken)
        first, second = lab.member("first"), lab.member("second")
        lab.submit(first)
        await asyncio.sleep(0)
        lab.submit(second)
        lab.faults.gate.set()
        await asyncio.wait_for(lab.env.drain(), 60)
        assert isinstance(first.outcome, CommitUnknown)
        assert isinstance(second.outcome, NoLongerCommitting)

    run(scenario, synchronous=False)


def test_a_group_that_cannot_be_taken_back_is_answered_and_ends_the_committer() -> None:
    async def scenario(lab: Lab) -> None:
        from storage.abc import StorageFull

        quietly()
        lab.faults.before_append = [StorageFull("by the test")]
        members = [lab.member("a"), lab.member("b")]
        members[0].undo = broken  # type: ignore[method-assign]
        lab.submit(*members)
        await asyncio.wait_for(lab.env.drain(), 60)
        assert [type(m.outcome) for m in members] == [CommitFailed] * 2
        with pytest.raises(TxnError):
            lab.submit(lab.member())

    run(scenario)


def test_an_early_hand_over_that_raises_does_not_lose_the_commit(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario(lab: Lab) -> None:
        told = quietly()
        monkeypatch.setattr(CommitGroup, "sealed", broken)
        assert [type(o) for o in await outcomes(lab)] == [int] * 3
        assert told == ["handing over early raised"]

    run(scenario, synchronous=False)


def test_a_transaction_of_a_session_hears_of_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same through `Transaction.commit`, which a COMMIT waits for."""

    async def scenario(lab: Lab) -> None:
        quietly()
        monkeypatch.setattr(LeasedOracle, "apply_write", broken)
        transaction = lab.env.begin()
        assert isinstance(transaction, Transaction)
        transaction.insert("t", 1, 1, (1, "x"))
        with pytest.raises(CommitUnknown):
            await asyncio.wait_for(transaction.commit(), 60)

    run(scenario)
