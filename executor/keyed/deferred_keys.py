"""Deferrable keys: an UPDATE may pass through states in which two of its rows have one key.

    UPDATE t SET i = i + 1      UNIQUE (i)              1 -> 2 meets the row that still is 2: 23505
                                UNIQUE (i) DEFERRABLE   looked at when all rows have moved

PostgreSQL looks at the first kind row by row and at the second at the end of the statement, and so is it done here.
(It can also wait for COMMIT; here SET CONSTRAINTS ... DEFERRED changes nothing of that.) Changes are applied one after
another, so those of a primary key go into an order in which each finds its new key free.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from executor.abc import ExecutionError

if TYPE_CHECKING:
    from executor.keyed.write import Change, PendingKeys


def moved(pending: PendingKeys, changes: Sequence[Change]) -> list[Change]:
    """The changes of an UPDATE in the order of application. Raises 23505 where a key is taken once all have moved."""
    for key, _, old, _, _ in changes:
        assert old is not None
        pending.remove(key, old)
    for _, _, _, _, new in changes:
        assert new is not None
        pending.take(new)
    return _in_order(changes)


def _in_order(changes: Sequence[Change]) -> list[Change]:
    """By primary key: a row moves when the row that had its new key has moved. Raises 0A000 for rows that exchange keys."""
    by_old = {c[0]: c for c in changes}
    done: set[object] = set()
    ordered: list[Change] = []
    for change in changes:
        trail: dict[object, Change] = {}
        at: Change | None = change
        while at is not None and at[0] not in done:
            if at[0] in trail:
                raise ExecutionError(
                    "0A000", "rows that exchange their primary keys in one statement are not supported"
                )
            trail[at[0]] = at
            at = by_old.get(at[3]) if at[3] != at[0] else None
        done.update(trail)
        ordered += reversed(trail.values())
    return ordered
