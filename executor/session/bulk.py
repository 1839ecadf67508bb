"""Rows that are inserted as Arrow: INSERT ... SELECT, COPY, CREATE TABLE AS, the new rows of an UPDATE (`bulk_changes`).

    few rows     become changes, one by one, exactly as those of keyed statements        row by row
    many rows    get a block of row ids, are checked and sorted in a thread, staged as   in bulk
                 parts in the blob store, and commit by reference

Either way they are in the transaction's buffer when the statement ends, and nobody else sees them
until it commits. Uniqueness is checked here against the snapshot, to fail early, and at admission
against everything, to be right.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from executor.abc import ExecutionError
from executor.columnar.rows import batch_rows
from executor.ddl.schema import shard_schema
from executor.keyed.insert import InsertPlan, twice_updated
from executor.keyed.table_writes import BulkDelete, BulkInsert, TableWrites
from executor.keyed.write import Change
from executor.session import exclusions, new_keys, queries, row_checks, row_security
from executor.session.blocks import keyed as keyed_session
from executor.session.blocks import settling
from executor.session.blocks.block import Block
from executor.session.copying import staging
from executor.session.references import at_work as references
from executor.session.returned import Written, versions
from executor.snapshot.abc import TooOldForKeyed
from executor.snapshot.bulk import Bulk
from executor.snapshot.columns import rows_to_arrays
from executor.snapshot.encoded import EncodedRows, NumberedLater
from executor.triggers import firing, triggered
from planner import triggers
from planner import types as t
from planner.abc import (
    InsertValues,
    OnConflict,
    Query,
    Table,
    TypeRef,
)
from storage.abc import Datum, Part, Row
from txn.abc import Key, SerializationFailure

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
    *,
    began: int = 0,
) -> Written:
    """Inserts full rows in canonical Arrow, in the table's column order. `params` and `given` are ON CONFLICT's.

    `began`: the statement has brought rows already, those with higher row ids: a partitioned table's, by stretches.
    """
    if table.partitioning is not None:
        from executor.session.partitions import partitioned  # which stands on this

        return await partitioned.insert(session, block, table, rows, on_conflict, params, given, began=began)
    executor = session.executor
    block.use(table)  # no view of it is made for many rows, and who defines it anew waits for them as well
    await hydrated(block, table)
    apart = on_conflict.excluding(table) if on_conflict is not None else []
    if (fired := inserting(session, block, table, on_conflict)) is not None:
        if apart:
            raise ExecutionError(
                "0A000",
                "ON CONFLICT DO NOTHING with exclusion constraints and triggers is not supported",
            )
        return await triggered.insert(session, block, fired, rows, on_conflict, params, given, began=began)
    await row_security.check(session, block, table, row_security.INSERTED, rows)
    if rows.num_rows >= executor.limits.stage_rows and on_conflict is None:
        return await insert_bulk(session, block, table, rows)
    datums = batch_rows(rows, [c.type for c in table.columns])
    if not apart:
        return await _insert_few(session, block, table, datums, on_conflict, params, given, began)
    made = [await _insert_few(session, block, table, [], on_conflict, params, given, began)]
    for row in datums:  # each beside those before it
        session.rules(table).check_proposed(row, session)
        await row_checks.check_wide_proposed(session, block, table, [row])
        if not await exclusions.excluded(session, block, table, apart, row):
            made.append(await _insert_few(session, block, table, [row], on_conflict, params, given, began))
    return pa.concat_tables([m[0] for m in made]), sum(m[1] for m in made)


async def _insert_few(
    session: Session,
    block: Block,
    table: Table,
    datums: list[Row],
    on_conflict: OnConflict | None,
    params: Sequence[Datum],
    given: Mapping[str, queries.Given] | None,
    began: int,
) -> Written:
    written, changes, count = await insert_rows(
        session, block, table, datums, on_conflict, params, given, began=began
    )
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
    *,
    began: int = 0,
) -> tuple[pa.Table, list[Change], int]:
    """Inserts rows one by one; foreign keys are still to be looked at. `began`: as of `insert`."""
    executor = session.executor
    rules = session.rules(table)
    check = rules.check if on_conflict is None else rules.check_proposed
    for row in datums:
        check(row, session)
    rules.foresee(datums)
    if on_conflict is not None:
        await row_checks.check_wide_proposed(session, block, table, datums)
    elif rules.asks:  # as CHECKs are: before it is known whether a row is there already
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
            ts = looked_ts or txn.read_ts
            changes, _, count = plan.changes(params, session, view, ts, datums)
            if evades:
                met = plan.met(datums, view, ts, changes)
                if not await new_keys.locked(session, block, table, plan, met):
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
    if began and any(
        c[2] is not None and c[1] > began and c[1] in view.writes.buffer.inserts for c in changes
    ):
        raise twice_updated()
    rids = taken(executor, len(changes))
    written = staging.written_rows(table, [c[4] for c in changes if c[4] is not None], rids)
    if on_conflict is not None:
        await row_checks.check_wide_decided(session, block, table, changes)
    elif not rules.asks:
        await row_checks.check_wide(session, block, table, written)
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
        from executor.session.partitions import conflicts_of_leaves  # which stands on this

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
    moved: bool = False,
    replaces: BulkDelete | None = None,
) -> Written:
    """Inserts many full rows: checked (unless they are known to be right) and sorted in a thread, staged as parts.

    `moved`: they were there already, in another shape: a constraint that is NOT VALID asks nothing of them, and others ask at once.
    `replaces`: see `BulkInsert`.
    """
    executor = session.executor
    asking = _asking_of_moved(table) if moved else table
    first = executor.env.rids.take(rows.num_rows)
    counted = await executor.store.sort(lambda: staging.numbered(first, table, rows, executor.store.spill))
    written = staging.physical(table, counted)
    if not checked:
        rules = session.rules(asking)
        await executor.store.sort(lambda: row_checks.check_rows(rules, rows, session))
        await row_checks.check_wide(session, block, asking, written)
    await add_bulk(
        session, block, table, counted, checked=checked, asking=asking, at_once=moved, replaces=replaces
    )
    return versions(written, written.column("_rid"), False), rows.num_rows


async def add_bulk(
    session: Session,
    block: Block,
    table: Table,
    numbered: pa.Table,
    parts: Sequence[Part] | None = None,
    *,
    checked: bool = False,
    asking: Table | None = None,
    at_once: bool = False,
    replaces: BulkDelete | None = None,
) -> None:
    """Stages numbered rows (`_rid` first), if they are not `parts` already, and adds them to the block.

    `asking`: the definition with the foreign keys that ask about these rows; None: the table's. `at_once`: deferred ones, too.
    """
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
    writes.insert_bulk(BulkInsert(numbered, prepared, replaces))
    for rule in writes.rules.uniques:
        txn.wrote_all(rule.space, blind=True)
    for reference in writes.rules.references:
        txn.wrote_all(reference.space, blind=True)
    txn.wrote_all(table.shard, blind=True)
    if not checked:
        await references.after_bulk(session, block, asking or table, numbered, at_once=at_once)


def _asking_of_moved(table: Table) -> Table:
    """The definition without the constraints that nobody has validated."""
    standing = tuple(c for c in table.constraints if c.validated)
    return (
        table if len(standing) == len(table.constraints) else dataclasses.replace(table, constraints=standing)
    )


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
    writes.insert_bulk(BulkInsert(NumberedLater(rows, schema, store.spill), Bulk(rows)))
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


__all__ = [
    "add_bulk",
    "add_encoded",
    "decide",
    "hydrated",
    "insert",
    "insert_bulk",
    "insert_rows",
    "made_of",
    "taken",
]
