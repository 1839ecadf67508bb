"""Statements that write what a query finds: the query, its rows into the block, and what RETURNING makes of them.

    INSERT UPDATE DELETE    query -> bulk.insert / update / delete -> RETURNING over the written rows
    SELECT ... FOR UPDATE   locks instead of writing (`executor.session.locks.found_rows`)
    MERGE                   one query says what happens to which row; its rows are locked, then written by kind
    WITH d AS (DELETE ...)  every part reads the statement's one snapshot, and what earlier parts returned

The last is a promise of PostgreSQL's: parts of a statement do not see each other's writes, and neither do subqueries
in RETURNING. They are in the block's buffer as soon as each part has run, so a relation that is read after it has been
written is read beforehand. A row that two parts write is the first one's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from executor.abc import ExecutionError, Result, Rows
from executor.columnar.rows import batch_rows
from executor.constraints.rules import identity_of
from executor.keyed.row_ids import RowIds, as_numpy
from executor.session import bulk, bulk_changes, stepwise
from executor.session.blocks.block import Block
from executor.session.blocks.keyed import SnapshotMoved
from executor.session.locks import found_rows as locking
from executor.session.partitions import partitioned
from executor.session.queries import Given, arrow, canonical_table
from executor.session.returned import Written
from executor.triggers import firing, instead
from planner import triggers
from planner import types as t
from planner.abc import (
    DeleteQuery,
    InsertQuery,
    LockingQuery,
    MergeQuery,
    Plan,
    Query,
    RelationUse,
    Slot,
    Table,
    TypeRef,
    UpdateQuery,
    WithWrites,
)
from planner.inheritance import spreads
from planner.partitioning import leaves_of
from planner.relations import ViewRows
from storage.abc import Datum, ShardId
from txn.locks import LockMode

if TYPE_CHECKING:
    from executor.session.session import Session

RID = TypeRef(t.INT8)
_ENDS = (triggers.DELETE, triggers.UPDATE, triggers.INSERT)
"""The order in which MERGE's statement-level triggers fire behind it."""
Own = Mapping[ShardId, frozenset[int]]
"""Rows that the transaction itself had brought when its statement began, by tables that several of its parts write."""
_NONE_OF_ITS: Own = MappingProxyType({})
_MARK = "\0statement"
"""The savepoint to which a statement of several parts returns before it begins anew. No client's is called so."""


async def write(session: Session, block: Block, plan: Plan, body: Any, params: Sequence[Datum]) -> Result:
    """One execution of a writing statement. Raises SnapshotMoved when it must begin anew (nothing is written then)."""
    runs = isinstance(body, WithWrites) or "runs" in plan.extra
    if runs or (not isinstance(body, LockingQuery) and _moves_on(session, body.table)):
        block.savepoint(_MARK, 0, {})
        try:
            if isinstance(body, WithWrites):
                return await _with_writes(session, block, plan, body, params)
            return await _alone(session, block, plan, body, params)
        except SnapshotMoved:
            block.rollback_to(block.find(_MARK))
            raise
        finally:
            block.release(block.find(_MARK))
    return await _alone(session, block, plan, body, params)


def _moves_on(session: Session, table: Any) -> bool:
    """Whether rows of the statement may be written already when it must begin anew."""
    return bool(
        table.triggers or spreads(table) or (isinstance(table, Table) and firing.asked(session, table))
    )


async def _alone(session: Session, block: Block, plan: Plan, body: Any, params: Sequence[Datum]) -> Rows:
    """A statement of one part."""
    given: dict[str, Given] = {}
    if getattr(body, "returning", None) is not None or getattr(body, "stepwise", None) is not None:
        given = await _seen_before(session, block, (body,), params)
    return await _part(session, block, plan, body, params, given, begins=not given)


async def _part(
    session: Session,
    block: Block,
    plan: Plan,
    body: Any,
    params: Sequence[Datum],
    given: Mapping[str, Given],
    *,
    begins: bool,
    began: int = 0,
    own: Own = _NONE_OF_ITS,
) -> Rows:
    if isinstance(body, MergeQuery):
        rows = await arrow(session, block, body.query, params, None, given, begins=begins)
        return Rows(f"MERGE {await _merge(session, block, body, rows, own)}", plan.columns)
    if isinstance(body, LockingQuery):
        return await locking.select(session, block, plan, body, params, given, begins=begins)
    tag, returned = await _run(session, block, body, params, given, begins=begins, began=began, own=own)
    if returned is None:
        return Rows(tag, plan.columns)
    types = [c.type for c in plan.columns or ()]
    return Rows(tag, plan.columns, batch_rows(canonical_table(returned, types), types))


async def _run(
    session: Session,
    block: Block,
    body: InsertQuery | UpdateQuery | DeleteQuery,
    params: Sequence[Datum],
    given: Mapping[str, Given],
    *,
    begins: bool,
    began: int = 0,
    own: Own = _NONE_OF_ITS,
) -> tuple[str, pa.Table | None]:
    """Runs the query, writes its rows; the tag and, as DuckDB has it, what RETURNING says.

    `began`: before the row ids of the statement that it is a part of. `own`: of that statement as well.
    """
    table = body.table
    found = await arrow(session, block, body.query, params, None, given, begins=begins)
    homes = None
    if not isinstance(body, InsertQuery):
        found, homes = partitioned.homes_of(body, found)
        if (given or not begins) and not isinstance(table, ViewRows):
            found, homes = _left(session, block, own, table, found, homes)
    command = (
        "INSERT 0"
        if isinstance(body, InsertQuery)
        else "UPDATE"
        if isinstance(body, UpdateQuery)
        else "DELETE"
    )

    async def rows(
        body: stepwise.Body, found: pa.Table, homes: stepwise.Homes, alone: int = 0
    ) -> tuple[pa.Table | None, int]:
        return await _written(session, block, body, found, homes, params, given, began=began or alone)

    if body.stepwise is None:
        returned, count = await rows(body, found, homes)
    else:
        returned, count = await stepwise.write(session, block, body, found, homes, params, given, rows)
    return f"{command} {count}", returned


async def _written(
    session: Session,
    block: Block,
    body: InsertQuery | UpdateQuery | DeleteQuery,
    found: pa.Table,
    homes: pa.ChunkedArray | None,
    params: Sequence[Datum],
    given: Mapping[str, Given],
    *,
    began: int = 0,
) -> tuple[pa.Table | None, int]:
    """Writes the rows of a statement's query; what RETURNING says, and how many they were. `began`: as of `bulk.insert`."""
    table, slot = body.table, "old" if isinstance(body, DeleteQuery) else "new"
    extra: dict[str, Given] = dict(given)
    if not isinstance(body, InsertQuery) and body.joined:
        last = range(found.num_columns - body.joined, found.num_columns)
        extra["joined"] = (None, found.select([0, *last]))
    if isinstance(table, ViewRows):
        rows, count = await instead.write(session, block, body, found)
    elif isinstance(body, InsertQuery):
        new = await _canonical(session, found, [c.type for c in table.columns])
        if await partitioned.in_turn(session, table, new):
            raise SnapshotMoved
        rows, count = await bulk.insert(
            session, block, table, new, body.on_conflict, params, given, began=began
        )
    elif homes is not None and await partitioned.in_turn(session, table, None, homes):
        raise SnapshotMoved
    elif isinstance(body, UpdateQuery):
        new = await _canonical(session, found, [RID, *(c.type for c in table.columns)])
        rows, count = await _change(session, block, body, new, homes)
    else:
        rows, count = await _change(session, block, body, found, homes)
    if body.returning is None:
        return None, count
    extra[slot] = (table, rows)
    return await arrow(session, block, body.returning, params, None, extra, begins=False), count


async def _change(
    session: Session,
    block: Block,
    body: UpdateQuery | DeleteQuery,
    rows: pa.Table,
    homes: pa.ChunkedArray | None,
) -> Written:
    """Changes rows of one table, or of those of a partitioned one or a parent that they are at home in."""
    if isinstance(body, UpdateQuery):
        if homes is None:
            return await bulk_changes.update(session, block, body, rows)
        return await partitioned.update(session, block, body, rows, homes)
    if homes is None:
        return await bulk_changes.delete(session, block, body, rows)
    return await partitioned.delete(session, block, body, rows, homes)


async def _canonical(session: Session, rows: pa.Table, types: Sequence[TypeRef]) -> pa.Table:
    """`canonical_table`, beside the loop where there is much to convert."""
    if rows.num_rows < session.executor.limits.stage_rows:
        return canonical_table(rows, types)
    return await session.executor.store.sort(lambda: canonical_table(rows, types))


def _left(
    session: Session, block: Block, own: Own, table: Table, found: pa.Table, homes: pa.ChunkedArray | None
) -> tuple[pa.Table, pa.ChunkedArray | None]:
    """Rows that no earlier part of the statement has written, wherever they are at home."""
    if homes is None:
        return _not_gone(block, own, table, found), None
    return partitioned.not_gone(session, found, homes, partial(_not_gone, block, own))


def _not_gone(block: Block, own: Own, table: Table, rows: pa.Table) -> pa.Table:
    """Rows (`_rid` first) that no earlier part of the statement has written."""
    writes = block.tables.get(table.shard)
    if writes is None:
        return rows
    gone = [writes.gone()]
    if brought := own.get(table.shard):  # what is deleted of them leaves no trace
        gone.append(RowIds(more=brought - writes.buffer.inserts.keys()))
    for ids in gone:
        mask = ids.among(rows.column(0))
        rows = rows if mask is None else rows.filter(pa.array(~mask))
    return rows


# --- MERGE ---------------------------------------------------------------------------------------


async def _merge(session: Session, block: Block, body: MergeQuery, rows: pa.Table, own: Own) -> int:
    """`rows`: `_rid`, action, the new row. Locks all that is written before anything is. `own`: as of `_run`."""
    table = body.table
    rids = as_numpy(rows.column(0).drop_null())
    if len(set(rids.tolist())) < len(rids) or _written_before(session, block, own, body, rows):
        raise ExecutionError(
            "21000",
            "MERGE command cannot affect row a second time",
            hint="Ensure that not more than one source row matches any one target row.",
        )
    await bulk.hydrated(block, table)
    actions = rows.column(1)
    types = [c.type for c in table.columns]
    rows, homes = partitioned.homes_of(body, rows)
    homes_d = homes_u = homes
    if homes is not None:
        homes_d, homes_u = homes.filter(pc.equal(actions, "d")), homes.filter(pc.equal(actions, "u"))
    deleted = rows.filter(pc.equal(actions, "d"))
    updated = rows.filter(pc.equal(actions, "u"))
    inserted = rows.filter(pc.equal(actions, "i"))
    identity = identity_of(table)
    mode = LockMode.UPDATE if "d" in body.kinds else LockMode.NO_KEY_UPDATE
    new = bulk_changes.NOTHING_NEW
    if updated.num_rows and not set(identity).isdisjoint(body.assigned):
        if homes is not None:
            mode = LockMode.UPDATE
        else:
            becomes = canonical_table(updated.remove_column(1), [RID, *types])
            new = {row[0]: row[1:] for row in batch_rows(becomes, [RID, *types])}
    if len(rids) and homes is not None:
        there = pc.is_valid(rows.column(0))
        found = rows.column(0).filter(there)
        await partitioned.lock_rids(session, block, found, homes.filter(there), mode)
    elif len(rids):
        await bulk_changes.lock_rids(session, block, table, rows.column(0).drop_null(), mode, new)
    coming = canonical_table(inserted.select(range(2, rows.num_columns)), types)
    written = None if homes is None else homes.filter(pc.is_valid(homes))
    if await partitioned.in_turn(session, table, coming, written):
        raise SnapshotMoved
    fired = [
        (event, made)
        for kind, event, columns in (
            ("i", triggers.INSERT, ()),
            ("u", triggers.UPDATE, body.assigned),
            ("d", triggers.DELETE, ()),
        )
        if kind in body.kinds
        and (made := firing.statement(session, block, table, event, columns)) is not None
    ]
    for event, made in fired:
        await made.begin(event, body.assigned if event == triggers.UPDATE else ())
    count = 0  # of rows that were written: triggers may leave some alone
    leaves = leaves_of(session.catalog, table) if spreads(table) else []
    with partitioned.postponing(block, table, *leaves) as postponed:
        if deleted.num_rows:
            _, done = await _change(session, block, DeleteQuery(table, body.query), deleted, homes_d)
            count += done
        if updated.num_rows:
            new = canonical_table(updated.remove_column(1), [RID, *types])
            action = UpdateQuery(table, body.query, body.assigned)
            _, done = await _change(session, block, action, new, homes_u)
            count += done
        if inserted.num_rows:
            _, done = await bulk.insert(session, block, table, coming, None)
            count += done
    await partitioned.heed(session, block, postponed)
    for event, made in sorted(fired, key=lambda pair: _ENDS.index(pair[0])):
        await made.end(event)
    return count


def _written_before(session: Session, block: Block, own: Own, body: MergeQuery, rows: pa.Table) -> bool:
    """Whether an earlier part of the statement has written one of the rows that are there."""
    if not own:
        return False
    found, homes = partitioned.homes_of(body, rows.filter(pc.is_valid(rows.column(0))))
    left, _ = _left(session, block, own, body.table, found, homes)
    return len(left) < len(found)


# --- WITH ----------------------------------------------------------------------------------------


async def _with_writes(
    session: Session, block: Block, plan: Plan, body: WithWrites, params: Sequence[Datum]
) -> Result:
    parts = body.in_turn()
    given = await _seen_before(session, block, [part for _, part in parts], params)
    began = session.executor.env.rids.next()
    tables = [part.table for _, part in parts if not isinstance(part, Query | LockingQuery)]
    leaves = [leaf for table in tables if spreads(table) for leaf in leaves_of(session.catalog, table)]
    own = _brought(block, [*tables, *leaves])
    with partitioned.postponing(block, *tables, *leaves) as postponed:
        result = await _in_turn(session, block, plan, parts, params, given, began, own)
    await partitioned.heed(session, block, postponed)
    return result


def _brought(block: Block, written: Sequence[Any]) -> Own:
    """`written`: the tables of the parts, each as often as there are parts that write it."""
    many = Counter(table.shard for table in written if not isinstance(table, ViewRows))
    return {
        shard: frozenset(block.tables[shard].buffer.inserts if shard in block.tables else ())
        for shard, count in many.items()
        if count > 1
    }


async def _in_turn(
    session: Session,
    block: Block,
    plan: Plan,
    parts: Sequence[tuple[str, Any]],
    params: Sequence[Datum],
    given: dict[str, Given],
    began: int,
    own: Own,
) -> Result:
    """The parts one after the other. `given`: what they read of tables that parts before them write; `began`, `own`: as of `_run`."""
    begins, undo = not given, "runs" in plan.extra
    result: Result | None = None
    for slot, part in parts:
        returned: pa.Table | None = None
        if isinstance(part, Query):
            types = [c.type for c in plan.columns or ()]
            rows = batch_rows(await arrow(session, block, part, params, types, given, begins=begins), types)
            result = Rows(f"SELECT {len(rows)}", plan.columns, rows)
        elif not slot:
            result = await _part(
                session, block, plan, part, params, given, begins=begins, began=began, own=own
            )
        elif isinstance(part, LockingQuery):
            returned = await locking.rows(session, block, part, params, given, begins=begins, undo=undo)
        else:
            _, returned = await _run(session, block, part, params, given, begins=begins, began=began, own=own)
        begins = False
        if returned is not None:
            given[slot] = (None, returned)
    assert result is not None
    return result


async def _seen_before(
    session: Session, block: Block, parts: Sequence[Any], params: Sequence[Datum]
) -> dict[str, Given]:
    """What parts read of tables that have been written by then, read before anything is written."""
    given: dict[str, Given] = {}
    for use in _read_after_written(session, parts):
        query = Query(("SELECT * FROM ", Slot(use.slot)), (use,))
        given[use.slot] = (None, await arrow(session, block, query, params, begins=not given))
    return given


def _read_after_written(session: Session, parts: Sequence[Any]) -> Iterator[RelationUse]:
    """What parts read of tables that parts before them write, or in RETURNING of their own."""
    written: set[ShardId] = set()
    seen: set[str] = set()
    for part in parts:
        writes = not isinstance(part, Query | LockingQuery)
        for query in (part,) if isinstance(part, Query) else _queries(part):
            late = writes and query is not part.query and getattr(part, "stepwise", None) is not None
            if late or (writes and query is getattr(part, "returning", None)):
                _add_written(session, part.table, written)
            for use in query.relations:
                over = isinstance(use, RelationUse) and use.table.shard in written
                if over and isinstance(use, RelationUse) and use.slot not in seen:
                    seen.add(use.slot)
                    yield use
        if writes:
            _add_written(session, part.table, written)


def _queries(body: InsertQuery | UpdateQuery | DeleteQuery | MergeQuery | LockingQuery) -> Iterator[Query]:
    yield body.query
    if isinstance(body, LockingQuery) and body.each is not None:
        yield body.each.query
    conflict = body.on_conflict if isinstance(body, InsertQuery) else None
    if conflict is not None and conflict.query is not None:
        yield conflict.query
    if isinstance(body, MergeQuery | LockingQuery):
        return
    if body.stepwise is not None:
        yield from (step.query for step in body.stepwise.steps)
    if body.returning is not None:
        yield body.returning


def _add_written(session: Session, table: Table, written: set[ShardId]) -> None:
    """The table's shard, and those that its foreign keys' actions reach."""
    if table.shard in written:
        return
    written.add(table.shard)
    if spreads(table):
        for leaf in leaves_of(session.catalog, table):
            _add_written(session, leaf, written)
    for oid in table.referenced_by:
        other = session.catalog.get(oid)
        if isinstance(other, Table):
            _add_written(session, other, written)


__all__ = ["write"]
