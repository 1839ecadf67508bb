"""UPDATE and DELETE whose rows a query found: the rows as they were, what becomes of them, and the locks that they take.

few rows     changes one by one, as those of keyed statements
many rows    row ids sorted and checked, the new rows staged as parts (`bulk.add_bulk`), the old ones ended by reference"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from executor.abc import ExecutionError
from executor.columnar.rows import batch_rows, canonical_array
from executor.constraints.references import concerns
from executor.keyed import deferred_keys
from executor.keyed.footprint import columns_at
from executor.keyed.join import ROWS_MAX
from executor.keyed.row_ids import RowIds, as_numpy
from executor.keyed.table_writes import BulkDelete
from executor.keyed.write import Change, PendingKeys
from executor.session import new_keys, queries, row_checks, row_security
from executor.session.blocks import keyed as keyed_session
from executor.session.blocks.block import Block
from executor.session.bulk import hydrated, insert_bulk, taken
from executor.session.copying import staging
from executor.session.locks import bulk_locks
from executor.session.references import at_work as references
from executor.session.returned import Written, versions
from executor.snapshot.removal import sorted_ids
from executor.snapshot.spill import Spill, in_one
from executor.triggers import firing, triggered
from planner import triggers
from planner import types as t
from planner.abc import (
    Column,
    DeleteQuery,
    Query,
    RelationUse,
    Slot,
    Table,
    TypeRef,
    UpdateQuery,
)
from storage.abc import Row
from storage.sorted_ids import ascending, first_places, sorted_distinct
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.partitions.leaving import Leaving
    from executor.session.session import Session


NOTHING_NEW: Final[Mapping[int, Row]] = MappingProxyType({})


async def old_rows(session: Session, block: Block, table: Table, rids: pa.Array) -> dict[int, Row]:
    """The rows with these ids as the statement sees them."""
    known, ids = block.found.get(table.shard, {}), as_numpy(rids).tolist() if len(rids) <= ROWS_MAX else None
    if ids is not None and all(rid in known for rid in ids):
        return {rid: known[rid] for rid in ids}
    found = await _old(session, block, table, rids, table.columns)
    types = [TypeRef(t.INT8), *(c.type for c in table.columns)]
    old = {row[0]: row[1:] for row in batch_rows(found, types)}
    if 0 < block.since < block.read_ts and len(old) < len(set(as_numpy(rids).tolist())):
        raise keyed_session.SnapshotMoved  # by functions: some are others by now
    return old


async def old_columns(
    session: Session, block: Block, table: Table, rids: pa.ChunkedArray, places: Sequence[int]
) -> list[pa.ChunkedArray]:
    """What the rows with these ids have in some columns, row by row. Raises SnapshotMoved where one is there no more."""
    columns = [table.columns[i] for i in places]
    found = await _old(session, block, table, pa.array(as_numpy(rids), pa.int64()), columns)
    at = pc.index_in(rids, value_set=found.column(0).combine_chunks())
    if at.null_count:
        raise keyed_session.SnapshotMoved
    return [canonical_array(found.column(i), c.type).take(at) for i, c in enumerate(columns, 1)]


async def _old(
    session: Session, block: Block, table: Table, rids: pa.Array, columns: Sequence[Column]
) -> pa.Table:
    cells = [t.select_sql(f'o."{c.name.replace(chr(34), chr(34) * 2)}"', c.type) for c in columns]
    use = RelationUse("old", table, None, True, ranges=())
    query = Query(
        (
            f"SELECT o._rid, {', '.join(cells)} FROM ",
            Slot("old"),
            " o WHERE o._rid IN (SELECT _rid FROM wanted_rids)",
        ),
        (use,),
    )
    prepared = await queries.prepare(session, block, query, (), begins=False)
    prepared.bindings["wanted_rids"] = pa.table({"_rid": rids})
    return await prepared.table()


async def update(
    session: Session, block: Block, body: UpdateQuery, rows: pa.Table, leaving: Leaving | None = None
) -> Written:
    """`rows`: `_rid` of the old row, then the whole new row. `leaving`: takes those that triggers send to other partitions."""
    executor = session.executor
    table = body.table
    rules = session.rules(table)
    await hydrated(block, table)
    types = [TypeRef(t.INT8), *(c.type for c in table.columns)]
    keys_change = not set(rules.key_indexes).isdisjoint(body.assigned)
    unique_change = any(
        table.index_of(a) in body.assigned for r in rules.uniques for a in r.constraint.columns
    )
    related = concerns(table)
    fired = firing.statement(session, block, table, triggers.UPDATE, body.assigned)
    if fired is not None:
        if fired.row_by_row:
            return await triggered.update(session, block, fired, body, rows, leaving)
        await fired.begin(triggers.UPDATE, body.assigned)
        related = related or fired.wants_rows(triggers.UPDATE)
    await row_security.check(
        session, block, table, row_security.UPDATED, rows.drop_columns([rows.column_names[0]])
    )
    if rows.num_rows >= executor.limits.stage_rows and not keys_change and not unique_change and not related:
        made = await _update_bulk(session, block, table, rows)
        if fired is not None:
            await fired.end(triggers.UPDATE)
        return made
    datums = batch_rows(rows, types)
    seen: set[int] = set()
    datums = [d for d in datums if not (d[0] in seen or seen.add(d[0]))]  # type: ignore[func-returns-value]
    for row in datums:
        rules.check(row[1:], session)
    old: dict[int, Row] = {}
    if keys_change or rules.uniques or related:
        old = await old_rows(session, block, table, pa.array([d[0] for d in datums], pa.int64()))
        rules.foresee([*old.values(), *(d[1:] for d in datums)])
    changes: list[Change] = []
    for row in datums:
        rid, new = row[0], row[1:]
        before = old.get(rid, new)
        key = rules.key(before) if rules.key is not None else rid
        new_key = rules.key(new) if rules.key is not None else None
        changes.append((key, rid, before, new_key, new))
    wanted = [(c[0], LockMode.NO_KEY_UPDATE) for c in changes]
    if keys_change or unique_change:
        wanted = [
            (key, rules.lock_mode(old, new))
            for key, _, old, _, new in changes
            if old is not None and new is not None
        ]
    await _lock_each(session, block, table, wanted)
    if keys_change or unique_change:
        changes = await _moved(session, block, table, changes)
    if rules.key is None:
        changes = [(k, rid, o, None, n) for k, rid, o, _, n in changes]
    written = staging.written_rows(
        table, [c[4] for c in changes if c[4] is not None], [c[1] for c in changes]
    )
    await row_checks.check_wide(session, block, table, written)
    rids = taken(executor, len(changes))
    block.writes(table).apply(changes, iter(rids).__next__, columns_at(table, body.assigned))
    if fired is not None:
        await fired.wrote_all(changes)
        await fired.end(triggers.UPDATE)
    await references.enforce(session, block, table, changes)
    return versions(written, pa.array(rids, pa.int64()), False), len(changes)


async def _moved(session: Session, block: Block, table: Table, changes: list[Change]) -> list[Change]:
    """The changes of rows that get other keys, in the order of application. Raises 23505, SnapshotMoved."""
    rules, txn = session.rules(table), block.transaction()
    before = txn.read_ts
    view = block.view(table, record=False)
    try:
        pending = PendingKeys(rules, view, before)
        if rules.deferrable:
            changes = deferred_keys.moved(pending, changes)
        else:
            for key, _, before_row, _, new_row in changes:
                assert before_row is not None and new_row is not None
                pending.replace(key, before_row, new_row)
    except ExecutionError as refused:
        if await new_keys.came_free(session, block, view.writes, refused):
            raise keyed_session.SnapshotMoved from None
        raise
    await new_keys.held(session, block, view.writes, changes, view.put_off)
    return changes


async def _update_bulk(session: Session, block: Block, table: Table, rows: pa.Table) -> Written:
    """Keys stay as they are: the old rows go, the new ones come with new row ids."""
    store = session.executor.store
    rids, first = await store.sort(lambda: distinct(rows.column(0), store.spill))
    if first is not None:  # a join found some of them more than once: which match wins is nobody's promise
        rows = rows.take(pa.array(first))
    # Keys that the block itself has brought are not the base's: others may take them until it is admitted.
    brought = await store.sort(lambda: block.writes(table).has_brought(rids))
    mode = LockMode.NO_KEY_UPDATE
    deletion = await _delete_rids(session, block, table, rids, mode, replaced=not brought)
    replaces = None if brought else deletion
    written, count = await insert_bulk(
        session, block, table, rows.drop_columns([rows.column_names[0]]), replaces=replaces
    )
    if not table.key_indexes and table.shard not in block.created:
        rename = session.executor.env.locks.rename_set
        rename(block.transaction(), table.shard, _later_ids(rows.column(0), written.column("_rid")))
    return written.set_column(written.column_names.index("_rid"), "_rid", rows.column(0)), count


def _later_ids(before: pa.ChunkedArray, after: pa.ChunkedArray) -> Callable[[int], int]:
    """What says which row id has taken the place of one: next to none of them is ever asked for."""
    old, first = as_numpy(before), after[0].as_py()
    return lambda rid: first + int((old == rid).argmax())


def distinct(rids: Any, spill: Spill | None = None) -> tuple[pa.Array, Any]:
    """The distinct row ids, and the positions of their first occurrences if some came twice."""
    ids = as_numpy(in_one(rids, spill))
    if ascending(ids) or len(sorted_distinct(ids)) == len(ids):
        return pa.array(ids), None
    first = first_places(ids)
    return pa.array(ids[first]), first


async def _delete_rids(
    session: Session,
    block: Block,
    table: Table,
    rids: pa.Array,
    mode: LockMode = LockMode.UPDATE,
    *,
    replaced: bool = False,
) -> BulkDelete:
    """Stages deletions. What is not to be replaced is searched beside the loop, for admission."""
    executor = session.executor
    txn = block.transaction()
    writes = block.writes(table)
    removal = None
    # In order once, and all that is made of them below shares their memory.
    rids = await executor.store.sort(lambda: pa.array(sorted_ids(rids, executor.store.spill)))
    among = await bulk_locks.lock(session, block, table, rids, mode)
    buffer = txn.overlay(table.shard)
    own = RowIds(more=buffer.inserts).among(rids) if buffer is not None else None
    durable = rids if own is None else rids.filter(pa.array(~own))
    # The disk has them while their keys are looked for.
    async with staging.beside(staging.staged(session, table, "-", pa.table({"_rid": durable}))) as writing:
        if writes.image is not None and not replaced:
            removal = await executor.store.prepare_removal(executor.store.image(table.shard), rids)
        deletion = BulkDelete(rids, removal)
        writes.delete_bulk(deletion, replaced=replaced)
        await executor.store.sort(writes.live_bulk)
        parts = await writing
    for part in parts:
        txn.add_part(table.shard, part)
    txn.changed_all(table.shard, among)
    for rule in writes.rules.uniques:
        txn.wrote_all(rule.space, blind=True)
    return deletion


async def delete(session: Session, block: Block, body: DeleteQuery, rows: pa.Table) -> Written:
    """`rows`: `_rid`, and the old row if there is a RETURNING."""
    executor = session.executor
    table = body.table
    rules = session.rules(table)
    await hydrated(block, table)
    rids, _ = await executor.store.sort(lambda: distinct(rows.column(0), executor.store.spill))
    related = bool(table.referenced_by)
    fired = firing.statement(session, block, table, triggers.DELETE)
    if fired is not None:
        if fired.row_by_row:
            return await triggered.delete(session, block, fired, rids)
        await fired.begin(triggers.DELETE)
        related = related or fired.wants_rows(triggers.DELETE)
    if len(rids) >= executor.limits.stage_rows and body.returning is None and not related:
        await _delete_rids(session, block, table, rids)
        if fired is not None:
            await fired.end(triggers.DELETE)
        return staging.written_rows(table, ()), len(rids)
    old: dict[int, Row] = {}
    if rules.key is not None or rules.uniques or body.returning is not None or related:
        old = await old_rows(session, block, table, rids)
        rules.foresee(list(old.values()))
    changes: list[Change] = []
    for rid in rids.to_pylist():
        row = old.get(rid, ())
        key = rules.key(row) if rules.key is not None else rid
        changes.append((key, rid, row, None, None))
    await _lock(session, block, table, [c[0] for c in changes], LockMode.UPDATE)
    block.writes(table).apply(changes, executor.env.rids.next)
    if fired is not None:
        await fired.wrote_all(changes)
        await fired.end(triggers.DELETE)
    if related:
        await references.enforce(session, block, table, changes)
    if body.returning is None:
        return staging.written_rows(table, ()), len(changes)
    gone = [(c[1], c[2]) for c in changes if c[2] is not None]
    written = staging.written_rows(table, [row for _, row in gone], [rid for rid, _ in gone])
    return versions(written, written.column("_rid"), True), len(changes)


async def lock_rids(
    session: Session,
    block: Block,
    table: Table,
    rids: pa.Array,
    mode: LockMode = LockMode.UPDATE,
    new: Mapping[int, Row] = NOTHING_NEW,
) -> None:
    """Locks rows, if `mode` is not given for whatever may be done to them. `new`: what some become, which are locked for just that.
    Raises SnapshotMoved."""
    rules, key_of = session.rules(table), session.rules(table).key
    ids: list[int] = as_numpy(rids).tolist()
    old = await old_rows(session, block, table, rids) if key_of is not None or new else {}
    rules.foresee(list(old.values()))
    await _lock_each(
        session,
        block,
        table,
        [
            (
                rid if key_of is None else key_of(old[rid]),
                rules.lock_mode(old[rid], new[rid]) if rid in new else mode,
            )
            for rid in ids
            if rid in old or key_of is None
        ],
    )


async def _lock_each(
    session: Session, block: Block, table: Table, wanted: Sequence[tuple[Any, LockMode]]
) -> None:
    """Locks rows in their order, each in a mode of its own."""
    for mode, rows in groupby(wanted, key=itemgetter(1)):
        await _lock(session, block, table, [key for key, _ in rows], mode)


async def _lock(session: Session, block: Block, table: Table, keys: Sequence[Any], mode: LockMode) -> None:
    """Locks rows that a query found. If one is newer than what was found the statement begins anew."""
    txn = block.transaction()
    before = txn.read_ts
    while True:
        try:
            keyed_session.lock_keys(session, txn, table, keys, mode, anew=True)
            break
        except keyed_session.WouldBlock as blocked:
            await keyed_session.wait_for(session, block, blocked, writing=table)
    if txn.read_ts != before or block.newer_than_found(table.shard, keys):
        raise keyed_session.SnapshotMoved


__all__ = ["delete", "distinct", "lock_rids", "old_columns", "old_rows", "update"]
