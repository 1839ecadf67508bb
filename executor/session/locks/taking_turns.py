"""Statements of their own that others' commits overtake again and again: from the third time on they lock what they have read.

    REFRESH MATERIALIZED VIEW     reads t 30 ms     somebody inserts each 2 ms     begun anew, and anew ...
                                  reads t, locked     who writes to it queues      committed

A long statement beside a steady crowd of short writers would never come to its end by looking whether it may commit. Its tables are locked as by
LOCK TABLE IN EXCLUSIVE MODE. For the first it waits a moment, as somebody of a crowd is always about to commit; who comes meanwhile queues behind it. For
the others it waits for nobody: where somebody is in the way (a block that has written, or holds rows), the attempt is made without, and the next one
begins with that table. So nobody waits for who holds something, and no deadlock comes of it. Writers of other servers are kept away by nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final, TypeVar

from executor.session.locks import definition_locks
from planner.abc import Oid, Table
from txn.abc import LockNotAvailable, SerializationFailure
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

T = TypeVar("T")

PATIENCE: Final = 2
"""So many times a statement is overtaken before it keeps others away."""
MOMENT_S: Final = 0.1
"""Longer than a commit takes, and short for those who queue if a block is in the way for long."""


class Turns:
    """The attempts of one statement: how often it was overtaken, and by whom its tables were had."""

    def __init__(self) -> None:
        self._times = 0
        self._used: list[Oid] = []

    def overtaken(self, block: Block) -> None:
        """An attempt is over, in vain."""
        self._times += 1
        new = [oid for oid in sorted(block.used) if oid not in self._used]
        self._used = [*(oid for oid in self._used if oid in block.used), *new]

    async def take(self, session: Session, block: Block) -> None:
        """Before another attempt, in a block that holds nothing yet: locks the tables that the ones before have used, or those up to
        one that somebody has. Nothing as long as it has patience."""
        if self._times < PATIENCE:
            return
        nothing_held = True
        for oid in self._used:
            table = session.catalog.get(oid)
            if not isinstance(table, Table):
                continue
            try:
                await definition_locks.locked(
                    session, block, table, LockMode.EXCLUSIVE, 0,
                    nowait=not nothing_held, within_s=MOMENT_S,
                )  # fmt: skip
            except LockNotAvailable:
                self._used.sort(key=lambda other: other != oid)
                return
            nothing_held = False


async def retried(session: Session, run: Callable[[Block], Awaitable[T]]) -> T:
    """What a statement that is its own transaction answers: run in a block and committed, again after a conflict (`Block.again`)."""
    attempts = retries = session.executor.limits.retries_max
    turns = Turns()
    while True:
        block = session.open_block(implicit=True)
        block.again = attempts < retries
        try:
            await turns.take(session, block)
            result = await run(block)
            await session.commit()
            return result
        except SerializationFailure:
            attempts -= 1
            turns.overtaken(block)
            session.rollback()
            if not attempts:
                raise
            session.heed()
            await asyncio.sleep(0)
        except BaseException:
            session.rollback()
            raise


__all__ = ["Turns", "retried"]
