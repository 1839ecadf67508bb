"""Rows that transactions under way have written: who finds a key taken by one waits, for it may be free when they are over.

A  DELETE ... WHERE id = 1                             COMMIT
B  INSERT ... (1) ON CONFLICT DO NOTHING, waits ....   the row is B's
"""

from __future__ import annotations

from typing import Any, Final

from executor.constraints.rules import UniqueRule
from txn.abc import Key
from txn.locks import KeyLocks, LockMode
from txn.transaction import Transaction


def is_written(locks: KeyLocks, shard: str, place: Key, txn: Transaction | None = None) -> bool:
    """Whether another transaction than `txn` has written the row under `place`, and may have taken its key from it."""
    if locks.is_free(shard, place):
        return False
    for holder, mode in locks.holders(shard, place):
        if holder is txn or mode < LockMode.NO_KEY_UPDATE or not isinstance(holder, Transaction):
            continue
        buffer = holder.writes.shards.get(shard)
        if (buffer is not None and place in buffer.by_key) or locks.has_sets(shard):
            return True  # (in a set: it is one of those that are written in bulk, or may be)
    return False


def writer_of(
    locks: KeyLocks, image: Any, shard: str, rule: UniqueRule | None, key: Key, txn: Transaction | None = None
) -> Key | None:
    """The place of the row that has a key at the present, if another transaction has written it. `rule`: None of the primary key."""
    if not len(locks):
        return None
    place: Key = key
    if rule is not None:
        found = image.find_unique(rule.constraint.oid, key, _PRESENT)
        if found is None:
            return None
        place = found[0]
    return place if is_written(locks, shard, place, txn) else None


_PRESENT: Final = 1 << 62


__all__ = ["is_written", "writer_of"]
