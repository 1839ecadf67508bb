"""INSERT, UPDATE and DELETE of rows that a query found, in a table with triggers: as Arrow in, as Arrow out, row by row between."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from executor.columnar.rows import batch_rows
from executor.keyed.insert import InsertPlan
from executor.session import row_security
from executor.session.returned import Written, versions
from executor.triggers import firing
from executor.triggers.rows import Found, RowWriter
from executor.triggers.rows import Written as WrittenRow
from planner import triggers
from planner import types as t
from planner.abc import InsertValues, OnConflict, Table, TypeRef, UpdateQuery
from storage.abc import Datum, Row

if TYPE_CHECKING:
    from executor.session.blocks.block import Block
    from executor.session.partitions.leaving import Leaving
    from executor.session.queries import Given
    from executor.session.session import Session


def assigned(table: Table, on_conflict: OnConflict | None) -> tuple[int, ...]:
    """The row positions that DO UPDATE sets."""
    if on_conflict is None:
        return ()
    if on_conflict.assignments is not None:
        return tuple(i for i, _ in on_conflict.assignments)
    return on_conflict.assigned


async def insert(
    session: Session,
    block: Block,
    fired: firing.Statement,
    rows: pa.Table,
    on_conflict: OnConflict | None,
    params: Sequence[Datum] = (),
    given: Mapping[str, Given] | None = None,
    *,
    began: int = 0,
) -> Written:
    """As `bulk.insert`."""
    from executor.session import bulk
    from executor.session.references import at_work as references

    table = fired.on.rows
    updates = on_conflict is not None and on_conflict.updates
    columns = assigned(table, on_conflict)
    await fired.begin(triggers.INSERT)
    if updates:
        await fired.begin(triggers.UPDATE, columns)
    asks = fired.wants_rows(triggers.INSERT) or (updates and fired.wants_rows(triggers.UPDATE))
    if not fired.row_by_row:
        await row_security.check(session, block, table, row_security.INSERTED, rows)
    many = rows.num_rows >= session.executor.limits.stage_rows and on_conflict is None
    if many and not fired.row_by_row and not asks:
        made = await bulk.insert_bulk(session, block, table, rows)
        await fired.end(triggers.INSERT)
        return made
    datums = batch_rows(rows, [c.type for c in table.columns])
    if fired.row_by_row:
        plan = InsertPlan(InsertValues(table, (), None, on_conflict), session.rules(table))

        async def decide(there: tuple[Any, int, Row], row: Row) -> Row | None:
            assert on_conflict is not None
            if on_conflict.query is None and on_conflict.above is None:
                return plan.updated(params, there[2], row, session)
            view = block.view(table)
            await bulk.decide(session, block, plan, on_conflict, params, given, view, [row], updating=False)
            assert plan.decide is not None
            return plan.decide(there[1], there[2], row)

        writer = RowWriter(session, block, fired)
        done = await writer.insert(datums, plan, decide if updates else None, began=began)
        changes, written = [c for c, _ in done], _rows(table, done)
        count = len(done)
    else:
        written, changes, count = await bulk.insert_rows(
            session, block, table, datums, on_conflict, params, given, began=began
        )
        await fired.wrote_all(changes)
    if updates:
        await fired.end(triggers.UPDATE)
    await fired.end(triggers.INSERT)
    await references.enforce(session, block, table, changes)
    return versions(written, written.column("_rid"), [c[2] is not None for c in changes]), count


async def update(
    session: Session,
    block: Block,
    fired: firing.Statement,
    body: UpdateQuery,
    rows: pa.Table,
    leaving: Leaving | None = None,
) -> Written:
    """As `bulk_changes.update`."""
    from executor.session import bulk_changes
    from executor.session.copying import staging
    from executor.session.references import at_work as references

    table = body.table
    seen: dict[int, Row] = {}
    for rid, *row in batch_rows(rows, [TypeRef(t.INT8), *(c.type for c in table.columns)]):
        seen.setdefault(rid, tuple(row))
    old = await bulk_changes.old_rows(session, block, table, pa.array(list(seen), pa.int64()))
    key_of = session.rules(table).key
    found: list[Found] = [
        (key_of(old[rid]) if key_of is not None else rid, rid, old[rid], row)
        for rid, row in seen.items()
        if rid in old
    ]
    done = await RowWriter(session, block, fired).update(found, body.assigned, leaving=leaving)
    await fired.end(triggers.UPDATE)
    await references.enforce(session, block, table, [c for c, _ in done])
    written = staging.written_rows(table, [_new(c) for c, _ in done], [c[1] for c, _ in done])
    return versions(written, pa.array([rid for _, rid in done], pa.int64()), False), len(done)


async def delete(session: Session, block: Block, fired: firing.Statement, rids: pa.Array) -> Written:
    """As `bulk_changes.delete`."""
    from executor.session import bulk_changes
    from executor.session.copying import staging
    from executor.session.references import at_work as references

    table = fired.on.rows
    old = await bulk_changes.old_rows(session, block, table, rids)
    key_of = session.rules(table).key
    found: list[Found] = [
        (key_of(old[rid]) if key_of is not None else rid, rid, old[rid], None)
        for rid in rids.to_pylist()
        if rid in old
    ]
    done = await RowWriter(session, block, fired).delete(found)
    await fired.end(triggers.DELETE)
    await references.enforce(session, block, table, [c for c, _ in done])
    gone = [(c[1], c[2]) for c, _ in done if c[2] is not None]
    written = staging.written_rows(table, [row for _, row in gone], [rid for rid, _ in gone])
    return versions(written, written.column("_rid"), True), len(done)


def _rows(table: Table, done: Sequence[WrittenRow]) -> pa.Table:
    from executor.session.copying import staging

    return staging.written_rows(table, [_new(c) for c, _ in done], [rid for _, rid in done])


def _new(change: Any) -> Row:
    row: Row = change[4]
    return row


__all__ = ["assigned", "delete", "insert", "update"]
