"""What a statement's changes ask of foreign keys: one event for each key and side of it that they touch.

    rows written        Event(lost=False): what they refer to must be there
    rows gone, or with  Event(lost=True): what becomes of those that refer to them
    another key         (and `Lost`, by which admission knows that the transaction took the keys away itself)

An event is dealt with at once, or kept as `Deferred` until the constraint is asked. What comes of either is said in `references`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import copysign
from typing import TYPE_CHECKING, Any

from executor.keyed import deferred_keys
from executor.keyed.write import Change
from executor.session.references.checks import Lost
from executor.session.references.lookups import Values
from planner import aims
from planner.abc import Constraint, Table

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session


@dataclass(slots=True)
class Deferred:
    """An event kept for the end: rows of the child that refer, or keys that the parent lost."""

    constraint_oid: int
    child_oid: int
    lost: bool
    values: list[Values]
    parent_oid: int = 0
    """Of lost keys: the table that had them, the one that is referred to or a partition of it."""


@dataclass(slots=True)
class Event:
    """One foreign key and the rows of one statement: `lost` is the parent's side of it."""

    child: Table
    parent: Table
    constraint: Constraint
    lost: bool
    rows: list[Any]
    """Child rows, or (old, new or None) pairs of parent rows."""

    mixed: bool = False
    """After these rows there is one whose key is null in part, which MATCH FULL forbids."""


def events(session: Session, block: Block, table: Table, changes: Sequence[Change]) -> Iterator[Event]:
    catalog = session.catalog
    if table.referenced_by:
        note_lost(session, block, table, changes)
    if table.unheeded or session.settings.replica:
        return
    if table.referenced_by:
        yield from keys_lost(session, table, changes)
    for rule in session.rules(table).references:
        rows, mixed = [], False
        for _, _, old, _, new in changes:
            if new is None or (old is not None and rule.values(old) == rule.values(new)):
                continue
            mixed = rule.mixed(new)
            if mixed:
                break
            if rule.key(new) is not None:
                rows.append(new)
        if rows or mixed:
            constraint = rule.constraint
            yield Event(table, catalog.table(constraint.foreign_table), constraint, False, rows, mixed)


def keys_lost(
    session: Session, table: Table, changes: Iterable[Change], *, own: bool = False
) -> Iterator[Event]:
    """What becomes of who refers to the table's rows. `own`: only by foreign keys into this very table, and not one above it."""
    for constraint, child in aims.into(session.catalog, table):
        if own and not any(
            c.oid == constraint.oid and c.foreign_table == table.oid for c in child.constraints
        ):
            continue
        indexes = session.rules(child).foreign_key(table, constraint).indexes
        lost = []
        for _, _, old, _, new in changes:
            if old is None or any(old[i] is None for i in indexes):
                continue
            if new is None or any(_is_another(old[i], new[i]) for i in indexes):
                lost.append((old, new))
        if lost and (constraint.parent or child.partitioning is not None):
            acts = (constraint.on_delete if lost[0][1] is None else constraint.on_update) in "cnd"
            if constraint.parent != 0 if acts else child.partitioning is not None:
                continue  # actions are the partitioned table's, questions are its leaves'
        if lost:
            yield Event(child, table, constraint, True, lost)


def _is_another(old: Any, new: Any) -> bool:
    """Whether a key's value is written otherwise than it was, which those who refer to it follow: `-0` and `0` are equal."""
    if old != new:
        return True
    return type(old) is float and old == 0 and copysign(1, old) != copysign(1, new)


def note_lost(session: Session, block: Block, table: Table, changes: Sequence[Change]) -> None:
    """Keys that this transaction takes away itself: it need not find them at admission."""
    rules = session.rules(table)
    keys = [(rule.constraint.oid, rule.key) for rule in rules.uniques]
    primary = table.primary_key
    if primary is not None and rules.key is not None:
        keys.append((primary.oid, rules.key))
    for oid, key_of in keys:
        gone = frozenset(
            k
            for _, _, old, _, new in changes
            if old is not None and (k := key_of(old)) is not None and (new is None or key_of(new) != k)
        )
        if gone:
            block.reference_checks.append(Lost(table.shard, oid, gone))


def is_deferred(block: Block, constraint: Constraint) -> bool:
    return deferred_keys.is_deferred(constraint, block.constraint_modes)
