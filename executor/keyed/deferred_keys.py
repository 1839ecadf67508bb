"""Deferrable keys: an UPDATE may pass through states in which two of its rows have one key.

    UPDATE t SET i = i + 1      UNIQUE (i)              1 -> 2 meets the row that still is 2: 23505
                                UNIQUE (i) DEFERRABLE   looked at when all rows have moved

PostgreSQL looks at the first kind row by row and at the second at the end of the statement, and so is it done here.
Changes are applied one after another, so those of a primary key go into an order in which each finds its new key free.

UNIQUE constraints may also wait for COMMIT (INITIALLY DEFERRED, SET CONSTRAINTS): in a block, a statement does not look at
those that it puts off. Each key that a row of the block takes in a deferrable constraint is noted, and when the block is
admitted (or the constraint becomes immediate) it must not be held twice. No commit goes past admission.
"""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from executor.abc import ExecutionError
from planner.abc import Constraint, Oid
from storage.abc import Timestamp
from txn.abc import Key

if TYPE_CHECKING:
    from executor.constraints.rules import TableRules, UniqueRule
    from executor.keyed.overlay import OverlayView
    from executor.keyed.write import Change, PendingKeys

NOTHING: Final[frozenset[Oid]] = frozenset()


def is_deferred(constraint: Constraint, modes: Mapping[Oid, bool]) -> bool:
    """Whether a constraint waits for the end of a block. `modes`: of SET CONSTRAINTS, by constraint; 0: all."""
    if not constraint.deferrable:
        return False
    mode = modes.get(constraint.oid)
    if mode is None:
        mode = modes.get(0)
    return constraint.deferred if mode is None else mode


def put_off(rules: TableRules, modes: Mapping[Oid, bool]) -> frozenset[Oid]:
    """The UNIQUE constraints that statements of a block leave alone."""
    return frozenset(r.constraint.oid for r in rules.uniques if is_deferred(r.constraint, modes))


def held_twice(
    view: OverlayView, ts: Timestamp, only: Container[Oid] | None = None
) -> tuple[UniqueRule, Key] | None:
    """A key that two rows have, of those that the block took. `only`: of these constraints."""
    writes = view.writes
    rules = {r.constraint.oid: r for r in writes.rules.uniques if only is None or r.constraint.oid in only}
    for oid, key in writes.taken:
        rule = rules.get(oid)
        if rule is not None and view.holders(rule, key, ts) > 1:
            return rule, key
    return None


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
