"""Writes whose rows come as Arrow: INSERT ... SELECT, UPDATE and DELETE by query, COPY, CREATE TABLE AS.

    few rows     become changes, one by one, exactly as those of keyed statements        row by row
    many rows    get a block of row ids, are checked and sorted in a thread, staged as   in bulk
                 parts in the blob store, and commit by reference

Either way they are in the transaction's buffer when the statement ends, and nobody else sees them
until it commits. Uniqueness is checked here against the snapshot, to fail early, and at admission
against everything, to be right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from executor.abc import ExecutionError
from executor.columnar.rows import batch_rows, canonical_array
from executor.constraints.references import concerns
from executor.ddl.schema import shard_schema
from executor.keyed import deferred_keys
from executor.keyed.footprint import columns_at
from executor.keyed.join import ROWS_MAX
from executor.keyed.row_ids import RowIds, as_numpy
from executor.keyed.table_writes import BulkDelete, BulkInsert, TableWrites
from executor.keyed.write import Change, InsertPlan, PendingKeys
from executor.session import (
    bulk_locks,
    new_keys,
    queries,
    references,
    row_checks,
    row_security,
    settling,
    staging,
)
from executor.session import keyed as keyed_session
from executor.session.block import Block
from executor.session.returned import Written, versions
from executor.snapshot.abc import TooOldForKeyed
from executor.snapshot.bulk import Bulk
from executor.snapshot.columns import rows_to_arrays
from executor.snapshot.encoded import EncodedRows, NumberedLater
from executor.snapshot.removal import sorted_ids
from executor.snapshot.spill import Spill, in_one
from executor.triggers import firing, triggered
from planner import triggers
from planner import types as t
from planner.abc import (
    Column,
    DeleteQuery,
    InsertValues,
    OnConflict,
    Query,
    RelationUse,
    Slot,
    Table,
    TypeRef,
    UpdateQuery,
)
from storage.abc import Datum, Part, Row
from storage.sorted_ids import ascending, first_places, sorted_distinct
from txn.abc import Key, SerializationFailure
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.executor import Executor
    from executor.session.session import Session


T = TypeVar("T")


async def hydrated(block: Block, table: Table) -> None:
    if table.shard not in block.created:
        await block.executor.store.image(table.shard).hydrated()


# --- INSERT --------------------------------------------------------------------------------------


async def insert(
    session: Session,
    block: Block,
    table: Table,
    rows: pa.Table,
    on_conflict: OnConflict | None,
    params: Sequence[Datum] = (),
    given: Mapping[str, queries.Given] | None = None,
) -> Written:
    """Inserts full rows in canonical Arrow, in the table's column order. `params` and `given` are ON CONFLICT's."""
    if table.partitioning is not None:
        from executor.session import partitioned  # which stands on this

        return await partitioned.insert(session, block, table, rows, on_conflict, params, given)
    executor = session.executor
    await hydrated(block, table)
    if (fired := inserting(session, block, table, on_conflict)) is not None:
        return await triggered.insert(session, block, fired, rows, on_conflict, params, given)
    await row_security.check(session, block, table, row_security.INSERTED, rows)
    if rows.num_rows >= executor.limits.stage_rows and on_conflict is None:
        return await insert_bulk(session, block, table, rows)
    datums = batch_rows(rows, [c.type for c in table.columns])
    written, changes, count = await insert_rows(session, block, table, datums, on_conflict, params, given)
    await references.enforce(session, block, table, changes)
    return versions(written, written.column("_rid"), [c[2] is not None for c in changes]), count


async def insert_rows(
    session: Session,
    block: Block,
    table: Table,
    datums: list[Row],
    on_conflict: OnConflict | None,
    params: Sequence[Datum] = (),
    given: Mapping[str, queries.Given] | None = None,
) -> tuple[pa.Table, list[Change], int]:
    """Inserts rows one by one; foreign keys are still to be looked at."""
    executor = session.executor
    rules = session.rules(table)
    check = rules.check if on_conflict is None else rules.check_proposed
    for row in datums:
        check(row, session)
    if rules.asks:  # as CHECKs are: before it is known whether a row is there already
        await row_checks.check_wide(session, block, table, staging.written_rows(table, datums))
    plan = InsertPlan(InsertValues(table, (), None, on_conflict), rules)
    txn = block.statement() if block.txn is None else block.transaction()
    evades, fresh = on_conflict is not None, list[Key]()
    looked_ts = 0  # a snapshot's, if not the transaction's
    while True:
        if evades:
            fresh = await new_keys.met(session, block, table, plan, datums)
        view = block.view(table, record=evades)
        view.writes.evades |= evades
        try:
            if on_conflict is not None and (on_conflict.query is not None or on_conflict.above is not None):
                await decide(session, block, plan, on_conflict, params, given, view, datums)
            changes, _, count = plan.changes(params, session, view, looked_ts or txn.read_ts, datums)
            if evades and not await new_keys.locked(session, block, table, changes):
                continue
            if await new_keys.held(session, block, view.writes, changes, view.put_off, evades=evades):
                break
        except TooOldForKeyed:
            if evades:
                keyed_session.freshen(block)
            else:  # whether a key is there is asked of the present; admission asks again
                looked_ts = executor.env.oracle.read_ts()
        except ExecutionError as refused:
            if not await new_keys.came_free(session, block, view.writes, refused):
                raise
    rids = taken(executor, len(changes))
    written = staging.written_rows(table, [c[4] for c in changes if c[4] is not None], rids)
    if not rules.asks:
        await row_checks.check_wide(session, block, table, written)
    elif any(c[2] is not None for c in changes):
        changed = [c[4] for c in changes if c[2] is not None and c[4] is not None]
        await row_checks.check_wide(session, block, table, staging.written_rows(table, changed))
    block.writes(table).apply(changes, iter(rids).__next__, plan.written)
    if evades:
        updates = on_conflict is not None and on_conflict.updates
        new_keys.spare(session, txn, view.writes, datums, changes, fresh, updates=updates)
    return written, changes, count


def inserting(
    session: Session, block: Block, table: Table, on_conflict: OnConflict | None
) -> firing.Statement | None:
    """What an INSERT fires, and DO UPDATE in it; None: nothing does."""
    updates = on_conflict is not None and on_conflict.updates
    columns = triggered.assigned(table, on_conflict) if updates else ()
    fired = firing.statement(session, block, table, triggers.INSERT)
    if updates:
        fired = fired or firing.statement(session, block, table, triggers.UPDATE, columns)
        if fired is not None:
            fired.expect(triggers.UPDATE, columns)
    if fired is not None:
        fired.expect(triggers.INSERT)
    return fired


def taken(executor: Executor, count: int) -> range:
    """Fresh row ids, one for each new row that is about to be applied."""
    first = executor.env.rids.take(count)
    return range(first, first + count)


async def decide(
    session: Session,
    block: Block,
    plan: InsertPlan,
    said: OnConflict,
    params: Sequence[Datum],
    given: Mapping[str, queries.Given] | None,
    view: Any,
    rows: list[Row],
    *,
    updating: bool = True,
) -> None:
    """Has it computed what ON CONFLICT DO UPDATE makes of each row: first all pairs that clash, then what of them.

    `updating`: that is what will be written, whatever triggers there are.
    """
    pairs: list[tuple[int, Row, Row]] = []
    plan.decide = lambda rid, old, row: pairs.append((rid, old, row))
    plan.changes(params, session, view, block.read_ts, rows)
    both = [(old, row) for _, old, row in pairs]
    if said.above is not None:
        from executor.session import conflicts_of_leaves  # which stands on this

        made = await conflicts_of_leaves.made(
            session, block, plan.body.table, said.above, params, given, both
        )
    else:
        assert said.query is not None
        made = await made_of(session, block, plan.body.table, said.query, params, given, both)
    new: dict[tuple[int, int], Row] = {}
    met: list[Row] = []
    for n, *row in made:
        rid, old, proposed = pairs[n]
        new[rid, id(proposed)] = tuple(row)
        met.append(old)
    await row_security.check_rows(session, block, plan.body.table, row_security.MET, met)
    if updating:
        await row_security.check_rows(
            session, block, plan.body.table, row_security.UPDATED, list(new.values())
        )
    plan.decide = lambda rid, _old, row: new.get((rid, id(row)))


async def made_of(
    session: Session,
    block: Block,
    table: Table,
    query: Query,
    params: Sequence[Datum],
    given: Mapping[str, queries.Given] | None,
    pairs: Sequence[tuple[Row, Row]],
) -> list[Row]:
    """What DO UPDATE's query makes of (existing row, EXCLUDED): the pair's number, then the new row."""
    types = [c.type for c in table.columns]
    columns = rows_to_arrays([old + row for old, row in pairs], [t.arrow_type(ref) for ref in types * 2])
    names = [f"c{i}" for i in range(len(columns))]
    conflicts = pa.table([*columns, pa.array(range(len(pairs)), pa.int64())], names=[*names, "_n"])
    extra = {**(given or {}), "conflicts": (None, conflicts)}
    wanted = [TypeRef(t.INT8), *types]
    found = await queries.arrow(session, block, query, params, wanted, extra, begins=False)
    return batch_rows(found, wanted)


async def insert_bulk(
    session: Session,
    block: Block,
    table: Table,
    rows: pa.Table,
    *,
    checked: bool = False,
    replaces: BulkDelete | None = None,
) -> Written:
    """Inserts many full rows: checked (unless they are known to be right) and sorted in a thread, staged as parts.

    `replaces`: see `BulkInsert`.
    """
    executor = session.executor
    rules = session.rules(table)
    first = executor.env.rids.take(rows.num_rows)
    counted = await executor.store.sort(lambda: staging.numbered(first, table, rows, executor.store.spill))
    written = staging.physical(table, counted)
    if not checked:
        await executor.store.sort(lambda: row_checks.check_rows(rules, rows, session))
        await row_checks.check_wide(session, block, table, written)
    await add_bulk(session, block, table, counted, checked=checked, replaces=replaces)
    return versions(written, written.column("_rid"), False), rows.num_rows


async def add_bulk(
    session: Session,
    block: Block,
    table: Table,
    numbered: pa.Table,
    parts: Sequence[Part] | None = None,
    *,
    checked: bool = False,
    replaces: BulkDelete | None = None,
) -> None:
    """Stages numbered rows (`_rid` first), if they are not `parts` already, and adds them to the block."""
    executor = session.executor
    txn = block.transaction()
    writes = block.writes(table)
    _refuse_too_much(block, numbered.nbytes)
    # The disk has them while they are sorted and their keys looked for. If one is taken it was in vain: the upkeep tidies.
    async with staging.beside(_known_or_staged(session, table, numbered, parts)) as writing:
        prepared = await _prepared(session, block, table, numbered, replaces)
        if not checked and replaces is None:
            clash = await executor.store.sort(lambda: settling.own_clash(writes, prepared))
            if clash is not None:
                raise row_checks.rules_violation(writes, numbered, *clash)
        parts = await writing
    for part in parts:
        txn.add_part(table.shard, part)
    writes.bulk.append(BulkInsert(numbered, prepared, replaces))
    for rule in writes.rules.uniques:
        txn.wrote_all(rule.space, blind=True)
    for reference in writes.rules.references:
        txn.wrote_all(reference.space, blind=True)
    txn.wrote_all(table.shard, blind=True)
    if not checked:
        await references.after_bulk(session, block, table, numbered)


async def _prepared(
    session: Session, block: Block, table: Table, numbered: pa.Table, replaces: BulkDelete | None
) -> Any:
    """The rows of a bulk insert sorted, and their keys looked for in what everybody sees."""
    store, writes = session.executor.store, block.writes(table)
    own = staging.physical(table, numbered)
    if writes.image is None:
        return await store.prepare_bulk(store.draft(table), own)
    image = writes.image
    if replaces is not None:  # an UPDATE that leaves the keys alone: they are its own rows'
        prepared = await store.sort(lambda: image.prepare_bulk(own))  # type: ignore[attr-defined]
        await hydrated(block, table)
        return prepared
    prepared = await store.prepare_bulk(image, own, ignoring=writes.gone())  # type: ignore[arg-type]
    await hydrated(block, table)
    _refuse_held_keys(session.executor, writes, image, prepared, numbered)
    return prepared


def _refuse_held_keys(
    executor: Executor, writes: TableWrites, image: Any, prepared: Any, numbered: pa.Table
) -> None:
    """Whether other rows have the keys of rows that come in bulk. Raises 23505, 40001.

    What a snapshot had that memory has let go of is not asked for: a key counts as it is now, and admission looks again.
    """
    try:
        clashes = image.conflicting_keys(prepared, writes.txn.read_ts, ignoring=writes.gone())
    except TooOldForKeyed:
        if image.conflicting_keys(prepared, executor.env.oracle.read_ts(), ignoring=writes.gone()):
            # It may be that of a row which this transaction sees, and has deleted, and another has changed.
            raise SerializationFailure("could not serialize access due to concurrent update") from None
        return
    if clashes:
        raise row_checks.rules_violation(writes, numbered, *clashes[0])


async def add_encoded(
    session: Session, block: Block, table: Table, rows: EncodedRows, parts: Sequence[Part]
) -> None:
    """The same with rows that nobody has decoded yet, of a table at whose rows nobody looks: without keys, CHECKs and references."""
    store, txn, writes = session.executor.store, block.transaction(), block.writes(table)
    _refuse_too_much(block, rows.nbytes)
    await hydrated(block, table)
    for part in parts:
        txn.add_part(table.shard, part)
    schema = pa.schema([pa.field("_rid", pa.int64()), *shard_schema(table)])
    writes.bulk.append(BulkInsert(NumberedLater(rows, schema, store.spill), Bulk(rows)))
    txn.wrote_all(table.shard, blind=True)


def _refuse_too_much(block: Block, more_bytes: int) -> None:
    limit = block.executor.limits.transaction_bytes_max
    held = sum(b.nbytes for w in block.tables.values() for b in w.bulk)
    if held + more_bytes > limit:
        raise ExecutionError("54000", f"the transaction writes more than {limit} bytes")


async def _known_or_staged(
    session: Session, table: Table, rows: pa.Table, known: Sequence[Part] | None
) -> Sequence[Part]:
    return known if known is not None else await staging.staged(session, table, "+", rows)


# --- UPDATE and DELETE ---------------------------------------------------------------------------


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


async def update(session: Session, block: Block, body: UpdateQuery, rows: pa.Table) -> Written:
    """`rows`: `_rid` of the old row, then the whole new row."""
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
            return await triggered.update(session, block, fired, body, rows)
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
    changes: list[Change] = []
    for row in datums:
        rid, new = row[0], row[1:]
        before = old.get(rid, new)
        key = rules.key(before) if rules.key is not None else rid
        new_key = rules.key(new) if rules.key is not None else None
        changes.append((key, rid, before, new_key, new))
    await _lock(
        session,
        block,
        table,
        [c[0] for c in changes],
        LockMode.UPDATE if keys_change or unique_change else LockMode.NO_KEY_UPDATE,
    )
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
    return written.set_column(written.column_names.index("_rid"), "_rid", rows.column(0)), count


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
        writes.delete_bulk(deletion)
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


async def lock_rids(session: Session, block: Block, table: Table, rids: pa.Array) -> None:
    """Locks rows for whatever may be done to them. Raises SnapshotMoved."""
    rules = session.rules(table)
    keys: list[Any] = as_numpy(rids).tolist()
    if rules.key is not None:
        keys = [rules.key(row) for row in (await old_rows(session, block, table, rids)).values()]
    await _lock(session, block, table, keys, LockMode.UPDATE)


async def _lock(session: Session, block: Block, table: Table, keys: Sequence[Any], mode: LockMode) -> None:
    """Locks rows that a query found. If one is newer than what was found the statement begins anew."""
    txn = block.transaction()
    before = txn.read_ts
    while True:
        try:
            keyed_session.lock_keys(session, txn, table, keys, mode, anew=True)
            break
        except keyed_session.WouldBlock as blocked:
            await keyed_session.wait_for(session, block, blocked)
    if txn.read_ts != before or block.newer_than_found(table.shard, keys):
        raise keyed_session.SnapshotMoved


__all__ = ["add_encoded", "delete", "insert", "insert_bulk", "lock_rids", "update"]
