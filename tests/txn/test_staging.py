"""What a transaction staged in vain is deleted soon after its end, and only if it is certain that nothing names it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from storage.abc import Determinate, Part
from tests.txn.clocks import SCHEMA, Stores
from tests.txn.test_strangers import ROWS, opened
from txn.abc import CommitUnknown, Isolation, SerializationFailure
from txn.environment import Environment
from txn.transaction import Transaction

End = Callable[[Environment, Transaction, Part], Awaitable[None]]


async def rolled_back(env: Environment, txn: Transaction, part: Part) -> None:
    txn.add_part("t", part)
    txn.rollback()


async def statement_failed(env: Environment, txn: Transaction, part: Part) -> None:
    """It was staged, and never became part of what the transaction writes."""
    txn.insert("t", 5, env.rids.next(), (5, "five"))
    await txn.commit()


async def rolled_back_to_a_savepoint(env: Environment, txn: Transaction, part: Part) -> None:
    txn.savepoint("s")
    txn.add_part("t", part)
    txn.rollback_to("s")
    txn.insert("t", 5, env.rids.next(), (5, "five"))
    await txn.commit()


async def refused(env: Environment, txn: Transaction, part: Part) -> None:
    txn.add_part("t", part)
    txn.reads.point("t", 1)
    other = env.begin()
    other.insert("t", 1, env.rids.next(), (1, "one"))
    await other.commit()
    with pytest.raises(SerializationFailure):
        await txn.commit()


async def committed(env: Environment, txn: Transaction, part: Part) -> None:
    txn.add_part("t", part)
    await txn.commit()


async def unknown(env: Environment, txn: Transaction, part: Part) -> None:
    """It is in a group that was sealed, and nobody can tell what has become of it."""
    txn.add_part("t", part)
    txn._done = lambda result: None
    txn._hand_over()
    txn.failed(CommitUnknown("lost"))


@pytest.mark.parametrize(
    ("end", "left"),
    [
        (rolled_back, 0),
        (statement_failed, 0),
        (rolled_back_to_a_savepoint, 0),
        (refused, 0),
        (committed, 1),
        (unknown, 1),
    ],
    ids=lambda p: p.__name__ if callable(p) else str(p),
)
def test_the_end_of_a_transaction_decides_about_what_it_staged(end: End, left: int) -> None:
    async def scenario() -> None:
        stores = Stores()
        env = await opened(stores)
        await env.register({"t": SCHEMA})
        txn = env.begin(Isolation.SERIALIZABLE)
        part = await env.stage("t", "+", ROWS, txn)
        assert part.key in stores.blob.blobs
        await end(env, txn, part)
        await env.upkeep.maintain()
        assert sum(key == part.key for key in stores.blob.blobs) == left
        await env.close()

    asyncio.run(scenario())


def test_what_cannot_be_deleted_now_is_deleted_later(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scenario() -> None:
        stores = Stores()
        env = await opened(stores)
        await env.register({"t": SCHEMA})
        txn = env.begin()
        part = await env.stage("t", "+", ROWS, txn)
        txn.rollback()

        async def away(key: str) -> None:
            raise Determinate("the store is away")

        with monkeypatch.context() as patched:
            patched.setattr(stores.blob, "delete", away)
            await env.upkeep.maintain()
        assert len(env.staging) == 1 and part.key in stores.blob.blobs
        await env.upkeep.maintain()
        assert len(env.staging) == 0 and part.key not in stores.blob.blobs
        await env.close()

    asyncio.run(scenario())


def test_what_is_written_after_its_writer_was_cancelled_goes_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key was taken, say, while the disk had the rows already: a thread that writes cannot be stopped."""

    async def scenario() -> None:
        stores = Stores()
        env = await opened(stores)
        await env.register({"t": SCHEMA})
        before = set(stores.blob.blobs)
        begun, on = asyncio.Event(), asyncio.Event()
        put = stores.blob.put

        async def slow(key: str, data: bytes) -> None:
            async def thread() -> None:
                begun.set()
                await on.wait()
                await put(key, data)

            await asyncio.shield(asyncio.ensure_future(thread()))

        txn = env.begin()
        with monkeypatch.context() as patched:
            patched.setattr(stores.blob, "put", slow)
            staging = asyncio.ensure_future(env.stage("t", "+", ROWS, txn))
            await begun.wait()
            staging.cancel()
            with pytest.raises(asyncio.CancelledError):
                await staging
            txn.rollback()
            await env.upkeep.maintain()
            on.set()
            while len(stores.blob.blobs) == len(before):
                await asyncio.sleep(0)
        while not len(env.staging):
            await asyncio.sleep(0)
        await env.upkeep.maintain()
        assert set(stores.blob.blobs) == before
        await env.close()

    asyncio.run(asyncio.wait_for(scenario(), 20))
