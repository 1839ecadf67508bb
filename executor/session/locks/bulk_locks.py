"""Locks of a statement that changes more rows than it could list.

    one bulk statement on a table at a time     a lock that stands for the table, queued for as any other
    the rows that it changes                    a set of keys (`txn.locks`): writers of other rows go on
    all rows, present and future                when a conflict has undone the statement before: so it ends

A row is in the set if, at the statement's snapshot, its row id is among those that the query found. Whoever asks for its
lock waits for the end of the transaction, as with a lock of its own. If one of the rows is newer than the snapshot, the
statement begins anew at the present, or fails (40001), exactly as with few rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from executor.keyed.row_ids import RowIds
from executor.session.blocks import keyed
from executor.session.blocks.block import Block
from executor.snapshot.abc import NotHydrated, TooOldForKeyed
from planner.abc import Table
from storage.abc import Timestamp
from txn.abc import Isolation, Key
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.session import Session

TABLE_SPACE = "bulk"


async def lock(
    session: Session, block: Block, table: Table, rids: Any, mode: LockMode
) -> Callable[[Key], bool]:
    """Locks rows by their ids, and makes sure that they are as the snapshot has them; what says which keys they have.

    Raises SnapshotMoved, SerializationFailure, DeadlockDetected, LockNotAvailable.
    """
    env, txn = session.executor.env, block.transaction()
    since = min(block.since or txn.read_ts, txn.read_ts)  # the rows were found then
    contains = _contains(block, table, since, await session.executor.store.sort(lambda: RowIds([rids])))
    if table.shard in block.created:
        return contains
    if env.locks.holds(txn, TABLE_SPACE, table.shard) is None and not env.locks.try_acquire(
        txn, TABLE_SPACE, table.shard, LockMode.UPDATE
    ):
        blocked = keyed.WouldBlock(TABLE_SPACE, table.shard, LockMode.UPDATE)
        await keyed.wait_for(session, block, blocked, writing=table)
    whole = block.again and txn.isolation in (Isolation.SERIALIZABLE, Isolation.STRICT_SERIALIZABLE)
    wanted = _any if whole else contains
    while (key := env.locks.try_acquire_set(txn, table.shard, wanted, mode)) is not None:
        await keyed.wait_for(session, block, keyed.WouldBlock(table.shard, key, mode), writing=table)
    if since < env.conflicts.floor and since < txn.read_ts:
        raise keyed.SnapshotMoved
    newer = env.conflicts.whole(table.shard, since) if whole else 0
    stale = (None, newer) if newer else env.conflicts.among(table.shard, since, contains)
    if stale is not None:
        if not txn.refresh(stale[1], anew=True):
            raise txn.stale(table.shard, *stale)
        raise keyed.SnapshotMoved
    return contains


def _any(_key: Key) -> bool:
    return True


def _contains(block: Block, table: Table, ts: Timestamp, among: RowIds) -> Callable[[Key], bool]:
    writes = block.writes(table)
    image = writes.image
    if image is None or not table.key_indexes:
        return among.__contains__  # the key is the row id

    def contains(key: Key) -> bool:
        try:
            hit = image.get(key, ts)
        except (TooOldForKeyed, NotHydrated):
            return True  # it may be
        return hit is not None and hit[0] in among

    return contains


__all__ = ["lock"]
