"""Many new rows of one statement: looked at, and taken, by columns of keys instead of one by one.

    rows --key--> [k1, k2, ...]   all different, none there?   --yes-->  changes --> row ids, image, group, conflict index
                                                               --no--->  row by row, which finds the one to complain of

What one row costs in calls is most of what it costs. Nothing is decided here that the way row by row would decide
otherwise: whatever is not plainly new is left to it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

from executor.constraints.rules import TableRules
from executor.snapshot.abc import TableImage
from storage.abc import Row, Timestamp
from txn.abc import Group, Key
from txn.columns import ALL_COLUMNS

if TYPE_CHECKING:
    from executor.keyed.write import Change, WriteView

MANY: Final = 4
"""Fewer changes are as well made one by one."""


def plainly_new(
    rows: Sequence[Row], rules: TableRules, view: WriteView, ts: Timestamp
) -> list[Change] | None:
    """The changes that bring these rows; None: some key may be taken, or there is more to look at than the primary key."""
    if rules.uniques or rules.deferrable:
        return None
    if rules.key is None:
        return [(None, 0, None, None, row) for row in rows]
    keys = list(map(rules.key, rows))
    get = view.get
    if len(set(keys)) < len(keys) or any(get(key, ts) is not None for key in keys):
        return None
    return [(None, 0, None, key, row) for key, row in zip(keys, rows, strict=True)]


def only_new(changes: Sequence[Change]) -> bool:
    """Whether none of these changes is about a row that was there."""
    return all(change[2] is None and change[4] is not None for change in changes)


def take_new(
    changes: Sequence[Change],
    rules: TableRules,
    image: TableImage,
    group: Group,
    next_rid: Callable[[], int],
) -> None:
    """`executor.keyed.write.apply_changes` of rows that are all new."""
    shard = rules.table.shard
    rows: list[Row] = [change[4] for change in changes]  # type: ignore[misc]
    rids = [next_rid() for _ in rows]
    keys: list[Key] = [change[3] for change in changes] if rules.key is not None else rids
    group.insert_each(shard, list(zip(rids, rows, strict=True)))
    image.put_each(keys, rids, rows, group.ts)
    _wrote(group, shard, keys)
    for rule in rules.uniques:
        _wrote(group, rule.space, [key for key in map(rule.key, rows) if key is not None])
    for reference in rules.references:
        _wrote(group, reference.space, [key for key in map(reference.key, rows) if key is not None])


def _wrote(group: Group, space: str, keys: Sequence[Key]) -> None:
    group.wrote_each(space, dict.fromkeys(keys, (None, ALL_COLUMNS)))


__all__ = ["MANY", "only_new", "plainly_new", "take_new"]
