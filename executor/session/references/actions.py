"""The parent's side of a foreign key: what becomes of the rows that refer to keys that are gone.

    NO ACTION, RESTRICT              nobody may refer to them       23503, or an `Absence` for admission to ask again
    CASCADE, SET NULL, SET DEFAULT   children found, locked, changed as a statement would change them: triggers, checks, unique keys

`parent_lost` returns the changes, of which the caller makes events in turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from executor.columnar.rows import batch_rows
from executor.constraints.references import referenced, space_of, still_referenced
from executor.keyed.write import Change, PendingKeys
from executor.session import new_keys
from executor.session.references.checks import Absence, children_locked
from executor.session.references.events import Deferred, Event, is_deferred
from executor.session.references.lookups import Values, absent, children, ready
from executor.triggers import firing
from executor.triggers.rows import RowWriter
from planner import aims, triggers
from planner.abc import Constraint, Table
from planner.binding.writes import replica_identity
from storage.abc import Row
from txn.abc import Key
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.session import Session


async def parent_lost(session: Session, block: Block, event: Event) -> list[Change]:
    """What becomes of the children of keys that are gone. Returns the changes that were made to them."""
    child, parent, constraint = event.child, event.parent, event.constraint
    deleted = event.rows[0][1] is None
    action = constraint.on_delete if deleted else constraint.on_update
    if action in "cnd":
        command = replica_identity.DELETE if deleted and action == "c" else replica_identity.UPDATE
        replica_identity.require(session.catalog, child, command)
    if child.partitioning is not None:
        from executor.session.references import referring_partitions

        await referring_partitions.act(session, block, child, parent, constraint, event.rows)
        return []
    rules = session.rules(child)
    foreign_key = rules.foreign_key(parent, constraint)
    indexes, canonical = foreign_key.indexes, foreign_key.canonical
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
    removes = deleted and action == "c"
    keys = {a for c in child.constraints if c.kind in "pu" for a in c.columns}
    stays = not removes and keys.isdisjoint(constraint.columns)
    mode = LockMode.NO_KEY_UPDATE if stays else LockMode.UPDATE
    while True:
        found = await children(session, block, child, parent, constraint, list(lost.values()))
        if await children_locked(session, block, child, found, mode):
            break
    note_absence(block, child, constraint, frozenset(lost))
    if not found and not child.triggers:
        return []
    rule = foreign_key.rule
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
    from executor.session import row_checks
    from executor.session.copying import staging

    rows = [c[4] for c in changes if c[4] is not None]
    if rows:
        await _keep_unique(session, block, child, changes)
        await row_checks.check_wide(session, block, child, staging.written_rows(child, rows))
    writes = block.writes(child)
    await new_keys.held(session, block, writes, changes)
    writes.apply(changes, session.executor.env.rids.next)


async def computed(session: Session, block: Block, table: Table, rows: list[Row]) -> list[Row]:
    """The rows with their generated columns computed anew, in order."""
    from executor.session.copying import staging
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
    from executor.session.copying.statement import default_values

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
    foreign_key = session.rules(child).foreign_key(parent, constraint)
    canonical = foreign_key.canonical
    if found:
        referred = {foreign_key.rule.key(row) for _, row in found}
        still = [v for v in lost if canonical(v) in referred]
        if action == "a":
            gone = await _gone(session, block, parent, constraint, still)
            still = [v for v in still if canonical(v) in gone]
        if still:
            from executor.session.references import referring_partitions

            named, whole = referring_partitions.whole(session.catalog, child, constraint)
            # One that refers to it is enough, and whoever goes on behind a savepoint has read that it is there.
            rid, row = next(at for at in found if foreign_key.rule.key(at[1]) == canonical(still[0]))
            key_of = session.rules(child).key
            block.transaction().reads.point(child.shard, key_of(row) if key_of is not None else rid)
            raise still_referenced(named, parent, aims.at(session.catalog, whole, parent), still[0])
    note_absence(block, child, constraint, frozenset(canonical(v) for v in lost))


async def _gone(
    session: Session, block: Block, parent: Table, constraint: Constraint, values: list[Values]
) -> set[Key]:
    """Those of the parent's values that no parent row has any more."""
    _, canonical = referenced(parent, constraint)
    columns = constraint.foreign_columns
    own = Constraint(
        0,
        "",
        "f",
        columns,
        foreign_table=parent.oid,
        foreign_columns=columns,
        collations=constraint.collations,
    )
    return {canonical(v) for v in await absent(session, block, parent, parent, own, values)}


def note_absence(block: Block, child: Table, constraint: Constraint, keys: frozenset[Key]) -> None:
    block.reference_checks.append(Absence(space_of(child, constraint), keys, block.transaction().read_ts))
