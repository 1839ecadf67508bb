"""Statements of their own that others' commits overtake again and again: from the third time on they lock what they have read.

    REFRESH MATERIALIZED VIEW     reads t 30 ms     somebody inserts each 2 ms     begun anew, and anew ...
                                  reads t, locked     who writes to it queues      committed

A long statement beside a steady crowd of short writers would never come to its end by looking whether it may commit. Its tables are locked as by
LOCK TABLE IN EXCLUSIVE MODE, without waiting for anybody: where somebody is in the way (a block that has written, or holds rows), the attempt
is made without. So nobody waits for who waits for it, and no deadlock comes of it. Writers of other servers are kept away by nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, TypeVar

from executor.session.locks import definition_locks
from planner.abc import Table
from txn.abc import LockNotAvailable, SerializationFailure
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

T = TypeVar("T")

PATIENCE: Final = 2
"""So many times a statement is overtaken before it keeps others away."""


async def retried(session: Session, run: Callable[[Block], Awaitable[T]]) -> T:
    """What a statement that is its own transaction answers: run in a block and committed, again after a conflict (`Block.again`)."""
    attempts = retries = session.executor.limits.retries_max
    overtaken: Block | None = None
    while True:
        block = session.open_block(implicit=True)
        block.again = attempts < retries
        try:
            if overtaken is not None and retries - attempts >= PATIENCE:
                await take(session, block, overtaken)
            result = await run(block)
            await session.commit()
            return result
        except SerializationFailure:
            attempts -= 1
            overtaken = block
            session.rollback()
            if not attempts:
                raise
            session.heed()
            await asyncio.sleep(0)
        except BaseException:
            session.rollback()
            raise


async def take(session: Session, block: Block, overtaken: Block) -> None:
    """Before another attempt, in `block`: locks the tables that the one before has used, or those up to one that somebody has."""
    for oid in sorted(overtaken.used):
        table = session.catalog.get(oid)
        if not isinstance(table, Table):
            continue
        try:
            await definition_locks.locked(
                session, block, table, LockMode.NO_KEY_UPDATE, 0, nowait=True, exclusive=True
            )
        except LockNotAvailable:
            return


__all__ = ["PATIENCE", "retried", "take"]
