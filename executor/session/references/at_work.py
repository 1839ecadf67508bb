"""Foreign keys at work: what a statement's changes ask for, and what the commit makes sure of.

    a statement's changes  -->  events, first in first out, as PostgreSQL queues its triggers
         child rows written       the key they refer to is present          23503
         parent keys gone         NO ACTION, RESTRICT: nobody refers to it  23503
                                  CASCADE, SET NULL, SET DEFAULT            changes to children -> their events

Statements look at what their transaction sees. Between that and the commit others commit, so every answer on
which the outcome depends is asked again at **admission**, where nothing can come in between:

    "parent k is present"     the newest version of k, admitted ones included, is a row
    "nobody refers to k"      no reference to k was written since it was looked for: a point of the
                              constraint's own keyspace (see `executor.constraints.references`)

A wrong answer there is 40001: an autocommit statement begins anew and meets the plain truth. So that it hardly ever comes to
that, a child's parents are locked (FOR KEY SHARE) as PostgreSQL locks them: who deletes one, or changes its key, waits for the
child's transaction, and a child for his; then each looks at what there is. Locks are each server's own, and parents of thousands
of rows at once are not locked. There child and parent race like this, whatever the isolation level, and never does a reference dangle:

    A: INSERT child -> k      B: DELETE parent k         admitted first: A -> B finds k written in the space
                                                         admitted first: B -> A finds no parent k

Deferred constraints keep their events until COMMIT (or SET CONSTRAINTS ... IMMEDIATE).

Nothing is asked where a table's triggers are disabled (ALTER TABLE ... DISABLE TRIGGER ALL), nor for a session whose
`session_replication_role` is replica: who loads rows that are known to fit may do so in any order, as in PostgreSQL.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from executor.abc import ExecutionError
from executor.constraints.references import (
    concerns,
    missing_parent,
    mixed_nulls,
    reference,
    referenced,
    space_of,
)
from executor.keyed.write import Change
from executor.session import exclusions
from executor.session.references.actions import parent_lost, refuse_children
from executor.session.references.events import Deferred, Event, events, is_deferred, keys_lost, note_lost
from executor.session.references.lookups import Values, absent, children, note_missing
from executor.snapshot.columns import row_reader
from executor.triggers import firing
from planner import aims
from planner.abc import Constraint, Table

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session

CASCADE_MAX = 10_000_000
"""Rows that one statement may change by its foreign keys' actions."""


async def enforce(session: Session, block: Block, table: Table, changes: Sequence[Change]) -> None:
    """After a statement has changed rows of a table. Raises 23503 and what the actions' own changes raise."""
    if not changes or not concerns(table):
        return
    if block.postponed is not None and (table.oid in block.routed or table.oid in block.stepped):
        block.postponed.append((table, changes))
        return
    await exclusions.enforce(session, block, table, changes)
    await _heed(session, block, deque(events(session, block, table, changes)))


async def moved(
    session: Session,
    block: Block,
    table: Table,
    leaf: Table,
    left: Sequence[Change],
    changes: Sequence[Change],
) -> None:
    """After an UPDATE of a partitioned table has moved rows to other partitions. Raises 23503, 0A000.

    `left`: what became of them in their leaf. They have not gone from the table (`changes`, of its rows): so who refers to it or to a
    table above it is asked about an UPDATE. To who refers to the leaf itself they are deleted.
    """
    catalog = session.catalog
    note_lost(session, block, leaf, left)
    if leaf.unheeded or session.settings.replica:
        return
    between = aims.aimed(catalog, leaf)[1:]
    for oid in between[: between.index(table.oid)]:
        above = catalog.table(oid)
        if any(
            c.kind == "f" and c.foreign_table == oid for t in catalog.referring_to(oid) for c in t.constraints
        ):
            raise ExecutionError(
                "0A000",
                "cannot move tuple across partitions when a non-root ancestor of the source partition is directly referenced in a "
                "foreign key",
                detail=f'A foreign key points to ancestor "{above.name}" but not the root ancestor "{table.name}".',
                hint=f'Consider defining the foreign key on table "{table.name}".',
            )
    queue = deque(keys_lost(session, leaf, left, own=True))
    queue.extend(keys_lost(session, table, changes))
    await _heed(session, block, queue)


async def _heed(session: Session, block: Block, queue: deque[Event]) -> None:
    budget = CASCADE_MAX
    while queue:
        event = queue.popleft()
        if not event.lost:
            await _expect_present(session, block, event)
            continue
        await _at_present(session, block, event)
        session.trigger_depth += 1  # in PostgreSQL it is a trigger that does what the action says
        try:
            with block.looking(begins=False):
                made = await parent_lost(session, block, event)
        finally:
            session.trigger_depth -= 1
        budget -= len(made)
        if budget < 0:
            raise ExecutionError("54000", f"foreign keys would change more than {CASCADE_MAX} rows")
        if made:
            child = session.catalog.table(event.child.oid)
            await exclusions.enforce(session, block, child, made)
            queue.extend(events(session, block, child, made))


# --- the child's side --------------------------------------------------------------------------------


async def _expect_present(session: Session, block: Block, event: Event) -> None:
    rule = session.rules(event.child).foreign_key(event.parent, event.constraint).rule
    values = list(dict.fromkeys(rule.values(row) for row in event.rows))
    if is_deferred(block, event.constraint):
        block.deferred.append(Deferred(event.constraint.oid, event.child.oid, False, values))
    else:
        await _check_present(session, block, event.child, event.parent, event.constraint, values)
    if event.mixed:
        raise mixed_nulls(event.child, event.constraint)


async def _check_present(
    session: Session, block: Block, child: Table, parent: Table, constraint: Constraint, values: list[Values]
) -> None:
    for missing in await absent(session, block, child, parent, constraint, values, keep=True):
        await block.transaction().settled()
        # A row that a later event has changed or deleted again refers to nothing.
        if await children(session, block, child, parent, constraint, [missing], from_child=True):
            note_missing(session, block, child, parent, constraint, missing)
            raise missing_parent(child, parent, constraint, missing)


async def after_bulk(
    session: Session,
    block: Block,
    table: Table,
    numbered: pa.Table,
    *,
    certain: bool = False,
    at_once: bool = False,
) -> None:
    """Rows that were added in bulk (`_rid` first): the same checks, a column at a time.

    `certain`: they are still to be added, so it need not be asked whether they are still there.
    `at_once`: nothing is put off, as for rows to which ALTER TABLE has given another shape.
    """
    if block.postponed is not None and (table.oid in block.routed or table.oid in block.stepped):
        block.postponed.append((table, numbered))
        return
    await exclusions.after_bulk(session, block, table, numbered)
    if table.unheeded or session.settings.replica:
        return
    for constraint in sorted((c for c in table.constraints if c.kind == "f"), key=lambda c: c.oid):
        rule = reference(table, constraint)
        columns = [numbered.column(i + 1).combine_chunks() for i in rule.indexes]
        keys = pa.table(columns, names=[f"k{i}" for i in range(len(columns))])
        distinct = keys.group_by(keys.column_names).aggregate([])
        values: list[Values] = []
        for batch in distinct.combine_chunks().to_batches():
            read = row_reader(batch.columns)
            for i in range(batch.num_rows):
                row = tuple(read(i))
                if None not in row:
                    values.append(row)
                elif constraint.match == "f" and any(v is not None for v in row):
                    raise mixed_nulls(table, constraint)
        if not values:
            continue
        if is_deferred(block, constraint) and not at_once:
            block.deferred.append(Deferred(constraint.oid, table.oid, False, values))
            continue
        parent = session.catalog.table(constraint.foreign_table)
        if not certain:
            await _check_present(session, block, table, parent, constraint, values)
        elif missing := await absent(session, block, table, parent, constraint, values):
            note_missing(session, block, table, parent, constraint, missing[0])
            raise missing_parent(table, parent, constraint, missing[0])


# --- keys that parents lost ---------------------------------------------------------------------------


async def _at_present(session: Session, block: Block, event: Event) -> None:
    indexes = session.rules(event.child).foreign_key(event.parent, event.constraint).indexes
    values = [tuple(old[i] for i in indexes) for old, _ in event.rows]
    into = [(event.child, event.constraint)]
    if event.child.partitioning is not None:
        from executor.session.references import referring_partitions

        into = referring_partitions.parts(session.catalog, event.child, event.constraint)
    for child, constraint in into:
        await _as_of_now(session, block, child, constraint, values)


async def _as_of_now(
    session: Session, block: Block, child: Table, constraint: Constraint, lost: Sequence[Values]
) -> None:
    """Before children of lost keys are looked for: those that came while the statement waited for their parents are seen."""
    txn, index, space = block.transaction(), session.executor.env.conflicts, space_of(child, constraint)
    if not index.whole(space, txn.read_ts):
        return
    _, canonical = referenced(session.catalog.table(constraint.foreign_table), constraint)
    newest, key = max(
        ((index.point(space, k, txn.read_ts), k) for k in map(canonical, lost)), key=itemgetter(0)
    )
    if newest:
        if not txn.refresh(newest):
            raise txn.stale(space, key, newest)
        await txn.settled()


# --- the end of the transaction ------------------------------------------------------------------------


async def check_deferred(session: Session, block: Block, only: frozenset[int] | None = None) -> None:
    """Before COMMIT, or when constraints become immediate: what was kept for now. Raises 23503, 23505."""
    block.refuse_keys_held_twice(block.read_ts, only)
    while waiting := [d for d in block.deferred if only is None or d.constraint_oid in only]:
        block.deferred = [d for d in block.deferred if not (only is None or d.constraint_oid in only)]
        await _check_now(session, block, waiting)  # by which triggers may put off more


async def _check_now(session: Session, block: Block, waiting: Sequence[Any]) -> None:
    for d in waiting:
        if isinstance(d, firing.Deferred):
            await firing.fire_deferred(session, block, d)
            continue
        if isinstance(d, exclusions.Deferred):
            await exclusions.check_deferred(session, block, d)
            continue
        child = session.catalog.get(d.child_oid)
        if not isinstance(child, Table):
            continue  # dropped since
        constraint = next((c for c in child.constraints if c.oid == d.constraint_oid), None)
        if constraint is None:
            continue
        if d.lost:
            parent = session.catalog.table(d.parent_oid)
            constraint = aims.at(session.catalog, constraint, parent)
            await _as_of_now(session, block, child, constraint, d.values)
            await refuse_children(session, block, child, parent, constraint, d.values, "a")
        else:
            parent = session.catalog.table(constraint.foreign_table)
            await _check_present(session, block, child, parent, constraint, d.values)
