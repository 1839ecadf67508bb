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
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from executor.abc import ExecutionError
from executor.columnar.rows import batch_rows
from executor.constraints.references import (
    concerns,
    missing_parent,
    mixed_nulls,
    reference,
    referenced,
    space_of,
    still_referenced,
)
from executor.keyed import deferred_keys
from executor.keyed.write import Change, PendingKeys
from executor.session import exclusions, new_keys
from executor.session.reference_checks import (
    Absence,
    Lost,
    children_locked,
)
from executor.session.reference_lookups import Values, absent, children, ready
from executor.snapshot.columns import row_reader
from executor.triggers import firing
from executor.triggers.rows import RowWriter
from planner import aims, triggers
from planner.abc import Constraint, Table
from planner.binding import replica_identity
from storage.abc import Row
from txn.abc import Key
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.block import Block
    from executor.session.session import Session
    from planner.catalog import Catalog

CASCADE_MAX = 10_000_000
"""Rows that one statement may change by its foreign keys' actions."""


@dataclass(slots=True)
class Deferred:
    """An event kept for the end: rows of the child that refer, or keys that the parent lost."""

    constraint_oid: int
    child_oid: int
    lost: bool
    values: list[Values]
    parent_oid: int = (
        0  # of lost keys: the table that had them, the one that is referred to or a partition of it
    )


@dataclass(slots=True)
class _Event:
    """One foreign key and the rows of one statement: `lost` is the parent's side of it."""

    child: Table
    parent: Table
    constraint: Constraint
    lost: bool
    rows: list[Any]
    """Child rows, or (old, new or None) pairs of parent rows."""

    mixed: bool = False
    """After these rows there is one whose key is null in part, which MATCH FULL forbids."""


# --- events --------------------------------------------------------------------------------------


async def enforce(session: Session, block: Block, table: Table, changes: Sequence[Change]) -> None:
    """After a statement has changed rows of a table. Raises 23503 and what the actions' own changes raise."""
    if not changes or not concerns(table):
        return
    if block.postponed is not None and table.oid in block.routed:
        block.postponed.append((table, changes))
        return
    await exclusions.enforce(session, block, table, changes)
    await _heed(session, block, deque(_events(session, block, table, changes)))


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
    _note_lost(session, block, leaf, left)
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
    queue = deque(_keys_lost(catalog, leaf, left, own=True))
    queue.extend(_keys_lost(catalog, table, changes))
    await _heed(session, block, queue)


async def _heed(session: Session, block: Block, queue: deque[_Event]) -> None:
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
                made = await _parent_lost(session, block, event)
        finally:
            session.trigger_depth -= 1
        budget -= len(made)
        if budget < 0:
            raise ExecutionError("54000", f"foreign keys would change more than {CASCADE_MAX} rows")
        if made:
            child = session.catalog.table(event.child.oid)
            await exclusions.enforce(session, block, child, made)
            queue.extend(_events(session, block, child, made))


def _events(session: Session, block: Block, table: Table, changes: Sequence[Change]) -> Iterator[_Event]:
    catalog = session.catalog
    if table.referenced_by:
        _note_lost(session, block, table, changes)
    if table.unheeded or session.settings.replica:
        return
    yield from _keys_lost(catalog, table, changes)
    for constraint in sorted((c for c in table.constraints if c.kind == "f"), key=lambda c: c.oid):
        rule = reference(table, constraint)
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
            yield _Event(table, catalog.table(constraint.foreign_table), constraint, False, rows, mixed)


def _keys_lost(
    catalog: Catalog, table: Table, changes: Iterable[Change], *, own: bool = False
) -> Iterator[_Event]:
    """What becomes of who refers to the table's rows. `own`: only by foreign keys into this very table, and not one above it."""
    for constraint, child in aims.into(catalog, table):
        if own and not any(
            c.oid == constraint.oid and c.foreign_table == table.oid for c in child.constraints
        ):
            continue
        indexes, _ = referenced(table, constraint)
        lost = []
        for _, _, old, _, new in changes:
            if old is None or any(old[i] is None for i in indexes):
                continue
            if new is None or any(old[i] != new[i] for i in indexes):
                lost.append((old, new))
        if lost and (constraint.parent or child.partitioning is not None):
            acts = (constraint.on_delete if lost[0][1] is None else constraint.on_update) in "cnd"
            if constraint.parent != 0 if acts else child.partitioning is not None:
                continue  # actions are the partitioned table's, questions are its leaves'
        if lost:
            yield _Event(child, table, constraint, True, lost)


def _note_lost(session: Session, block: Block, table: Table, changes: Sequence[Change]) -> None:
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


# --- the child's side --------------------------------------------------------------------------------


async def _expect_present(session: Session, block: Block, event: _Event) -> None:
    rule = reference(event.child, event.constraint)
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
    if block.postponed is not None and table.oid in block.routed:
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
            raise missing_parent(table, parent, constraint, missing[0])


# --- the parent's side -------------------------------------------------------------------------------


async def _at_present(session: Session, block: Block, event: _Event) -> None:
    indexes, _ = referenced(event.parent, event.constraint)
    values = [tuple(old[i] for i in indexes) for old, _ in event.rows]
    into = [(event.child, event.constraint)]
    if event.child.partitioning is not None:
        from executor.session import referring_partitions

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


async def _parent_lost(session: Session, block: Block, event: _Event) -> list[Change]:
    """What becomes of the children of keys that are gone. Returns the changes that were made to them."""
    child, parent, constraint = event.child, event.parent, event.constraint
    deleted = event.rows[0][1] is None
    action = constraint.on_delete if deleted else constraint.on_update
    if action in "cnd":
        command = replica_identity.DELETE if deleted and action == "c" else replica_identity.UPDATE
        replica_identity.require(session.catalog, child, command)
    if child.partitioning is not None:
        from executor.session import referring_partitions

        await referring_partitions.act(session, block, child, parent, constraint, event.rows)
        return []
    indexes, canonical = referenced(parent, constraint)
    news: dict[Key, Row | None] = {}
    lost: dict[Key, Values] = {}
    for old, new in event.rows:
        values = tuple(old[i] for i in indexes)
        lost[canonical(values)] = values
        news[canonical(values)] = new
    if action == "a" and is_deferred(block, constraint):
        block.deferred.append(Deferred(constraint.oid, child.oid, True, list(lost.values()), parent.oid))
        return []
    if action in "ar":
        await refuse_children(session, block, child, parent, constraint, list(lost.values()), action)
        return []
    await ready(block, child)
    block.use(child)
    keys = {a for c in child.constraints if c.kind in "pu" for a in c.columns}
    stays = not (deleted and action == "c") and keys.isdisjoint(constraint.columns)
    mode = LockMode.NO_KEY_UPDATE if stays else LockMode.UPDATE
    while True:
        found = await children(session, block, child, parent, constraint, list(lost.values()))
        if await children_locked(session, block, child, found, mode):
            break
    note_absence(block, child, constraint, frozenset(lost))
    if not found and not child.triggers:
        return []
    rules = session.rules(child)
    rule = reference(child, constraint)
    removes = deleted and action == "c"
    columns = (constraint.delete_columns if deleted else ()) or constraint.columns
    cleared = [child.index_of(a) for a in columns]
    fired = firing.statement(
        session, block, child, triggers.DELETE if removes else triggers.UPDATE, () if removes else cleared
    )
    if fired is not None:
        await fired.begin(triggers.DELETE if removes else triggers.UPDATE, () if removes else cleared)
    changes: list[Change] = []
    if removes:
        for rid, row in found:
            changes.append((rules.key(row) if rules.key is not None else rid, rid, row, None, None))
    else:
        filled = await fillings(session, child, columns, action, len(found))
        mades: list[Row] = []
        for i, (_, row) in enumerate(found):
            new_row = list(row)
            if action == "c":
                key = rule.key(row)
                source = news[key] if key is not None else None
                assert source is not None, "a row was found by the key that it has"
                for at, theirs in zip(rule.indexes, indexes, strict=True):
                    new_row[at] = source[theirs]
            else:
                for at, column in zip(cleared, filled, strict=True):
                    new_row[at] = column[i]
            mades.append(tuple(new_row))
        if any(c.generated for c in child.columns):
            mades = await computed(session, block, child, mades)
        for (rid, row), made in zip(found, mades, strict=True):
            if fired is None or not fired.row_by_row:
                rules.check(made, session)
            old_key = rules.key(row) if rules.key is not None else rid
            changes.append((old_key, rid, row, rules.key(made) if rules.key is not None else None, made))
    if fired is not None and fired.row_by_row:
        asked = [(key, rid, old, new) for key, rid, old, _, new in changes if old is not None]
        writer = RowWriter(session, block, fired)
        done = (
            await writer.delete(asked, locked=True)
            if removes
            else await writer.update(asked, cleared, locked=True)
        )
        changes = [c for c, _ in done]
    else:
        await _write(session, block, child, changes)
        if fired is not None:
            await fired.wrote_all(changes)
    if fired is not None:
        await fired.end(triggers.DELETE if removes else triggers.UPDATE)
    if action == "d":  # the default may be the very key that is gone
        await refuse_children(session, block, child, parent, constraint, list(lost.values()), "a")
    return changes


async def _write(session: Session, block: Block, child: Table, changes: Sequence[Change]) -> None:
    """What an action makes of the children, all at once."""
    from executor.session import row_checks, staging

    rows = [c[4] for c in changes if c[4] is not None]
    if rows:
        await _keep_unique(session, block, child, changes)
        await row_checks.check_wide(session, block, child, staging.written_rows(child, rows))
    writes = block.writes(child)
    await new_keys.held(session, block, writes, changes)
    writes.apply(changes, session.executor.env.rids.next)


async def computed(session: Session, block: Block, table: Table, rows: list[Row]) -> list[Row]:
    """The rows with their generated columns computed anew, in order."""
    from executor.session import staging
    from executor.session.row_queries import recomputed

    types = [c.type for c in table.columns]
    made: list[Row] = []
    for row in rows:  # one by one: a query promises no order
        made += batch_rows(await recomputed(session, block, table, staging.written_rows(table, [row])), types)
    return made


async def _keep_unique(session: Session, block: Block, child: Table, changes: Sequence[Change]) -> None:
    rules = session.rules(child)
    if rules.key is None and not rules.uniques:
        return
    pending = PendingKeys(rules, block.view(child, record=False), block.read_ts)
    for key, _, old, _, _ in changes:
        assert old is not None
        pending.remove(key, old)
    for _, _, _, _, new in changes:
        assert new is not None
        clash = pending.clash(new)
        if clash is not None:
            rule = clash[0]
            raise rules.unique_violation(
                rule.constraint if rule is not None else None, pending.key_of(rule, new), new
            )
        pending.add(new)


async def fillings(
    session: Session, child: Table, attnums: tuple[int, ...], action: str, count: int
) -> list[list[Any]]:
    """Per column (of these) the values that SET NULL or SET DEFAULT puts there."""
    if action == "c":
        return []
    if action == "n":
        return [[None] * count for _ in attnums]
    from executor.session.copying import default_values

    columns = [child.columns[child.index_of(a)] for a in attnums]
    out = []
    for column in columns:
        array = await default_values(session, column, count)
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        rows = batch_rows(pa.table([array], names=["c"]), [column.type])
        out.append([row[0] for row in rows])
    return out


async def refuse_children(
    session: Session,
    block: Block,
    child: Table,
    parent: Table,
    constraint: Constraint,
    lost: list[Values],
    action: str,
) -> None:
    """NO ACTION and RESTRICT. With NO ACTION, a key that has come back in the meantime is not lost."""
    await ready(block, child)
    block.use(child)
    found = await children(session, block, child, parent, constraint, lost)
    _, canonical = referenced(parent, constraint)
    if found:
        rule = reference(child, constraint)
        referred = {rule.key(row) for _, row in found}
        still = [v for v in lost if canonical(v) in referred]
        if action == "a":
            gone = await _gone(session, block, parent, constraint, still)
            still = [v for v in still if canonical(v) in gone]
        if still:
            from executor.session import referring_partitions

            named, whole = referring_partitions.whole(session.catalog, child, constraint)
            raise still_referenced(named, parent, aims.at(session.catalog, whole, parent), still[0])
    note_absence(block, child, constraint, frozenset(canonical(v) for v in lost))


async def _gone(
    session: Session, block: Block, parent: Table, constraint: Constraint, values: list[Values]
) -> set[Key]:
    """Those of the parent's values that no parent row has any more."""
    _, canonical = referenced(parent, constraint)
    columns = constraint.foreign_columns
    own = Constraint(0, "", "f", columns, foreign_table=parent.oid, foreign_columns=columns)
    return {canonical(v) for v in await absent(session, block, parent, parent, own, values)}


def note_absence(block: Block, child: Table, constraint: Constraint, keys: frozenset[Key]) -> None:
    block.reference_checks.append(Absence(space_of(child, constraint), keys, block.transaction().read_ts))


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


__all__ = [
    "Deferred", "after_bulk", "check_deferred", "computed", "enforce", "fillings", "moved", "note_absence", "refuse_children",
]  # fmt: skip
