"""Why a statement does not go on here and now, and how it waits for what it waits for.

WouldBlock     another transaction has a lock (of a row, of a key that it brings): queue for it, then begin anew
Unsettled      what it would say depends on a commit that is not durable yet
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from planner.abc import Table
from storage.abc import Row
from txn.abc import Key
from txn.locks import LockMode
from txn.transaction import Transaction

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session


class WouldBlock(Exception):
    """Somebody else holds the lock of this key."""

    def __init__(self, space: str, key: Key, mode: LockMode, *, passing: bool = False) -> None:
        """`passing`: it is the wait that counts, and the lock is let go as soon as it is there."""
        self.space, self.key, self.mode, self.passing = space, key, mode, passing
        self.made: Sequence[Row] | None = None
        """The rows of an INSERT, which have drawn their numbers."""


class Unsettled(Exception):
    """The statement has rows to show, or an error, that are not durable yet: it begins anew when they are."""

    made: Sequence[Row] | None = None
    """The rows of an INSERT, which have drawn their numbers."""


def too_early(block: Block) -> bool:
    """Whether an error of the block's statement would tell of a commit that is not durable yet: whoever is told that a key is taken
    looks for the row at once. Raises SerializationFailure if that commit has failed."""
    txn = block.txn
    return txn is not None and txn.unsettled is not None and not txn.is_settled


async def wait_for(
    session: Session,
    block: Block,
    blocked: WouldBlock,
    within_s: float | None = None,
    *,
    writing: Table | None = None,
) -> None:
    """Waits for a key's lock, `within_s` seconds if that is said, else as `lock_timeout` has it. `writing`: the table to which the
    statement is about to write: who locks that waits for the block from now on. Raises DeadlockDetected, LockNotAvailable."""
    if writing is not None:
        block.writing |= {writing.oid}
    timeout_ms, txn = session.settings.lock_timeout_ms, block.transaction()
    locks = session.executor.env.locks
    before = locks.holds(txn, blocked.space, blocked.key)
    await locks.lock(
        txn,
        blocked.space,
        blocked.key,
        blocked.mode,
        timeout_s=within_s or (timeout_ms / 1000 if timeout_ms else None),
    )
    if blocked.passing:
        locks.weaken(txn, blocked.space, blocked.key, before)
    txn.follow(waited=True)


def lock_keys(
    session: Session,
    txn: Transaction,
    table: Table,
    keys: Sequence[Key],
    mode: LockMode,
    *,
    anew: bool = False,
) -> None:
    """Takes the locks, and makes sure that the snapshot has the newest committed version of the keys.

    `anew`: the statement has read before it locks, and begins anew if the snapshot moves.
    Raises WouldBlock, SerializationFailure.
    """
    env = session.executor.env
    locks, conflicts, shard = env.locks, env.conflicts, table.shard
    newest, stale_key = 0, None
    for key in keys:
        if not locks.try_acquire(txn, shard, key, mode):
            raise WouldBlock(shard, key, mode)
        ts = conflicts.point(shard, key, txn.read_ts)
        if ts > newest:
            newest, stale_key = ts, key
    if newest and not txn.refresh(newest, anew=anew):
        raise txn.stale(shard, stale_key, newest)


__all__ = ["Unsettled", "WouldBlock", "lock_keys", "too_early", "wait_for"]
