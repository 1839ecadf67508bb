"""Queries of a transaction block that ask for little: the keyed engine answers them, as it does outside of blocks.

    SELECT c_id FROM customer WHERE district = 7 AND name = 'ABLE' ORDER BY first     an index's rows
    SELECT sum(amount) FROM order_line WHERE order_no = 4711                          a short range of the primary key
    SELECT 1, $1 || 'a'                                                               nothing at all
    SELECT ... FROM orders o JOIN customers c ON c.id = o.customer WHERE o.id = 7     rows that lead to each other by keys

DuckDB needs half a millisecond for each, and what was committed lately must be flushed to it beforehand. Whether a query asks
for little shows when it runs (`executor.keyed.plans.Shortcut`); None sends it the usual way.

**What was read** is noted by the view that the rows come from, or the image's (`executor.keyed.noted_image`): what keys and indexes were asked for, in the
columns that the query names; where WHERE leaves a range of the primary key beside the index, that range; of a search for terms the table. A query that fails has read it, too;
one that comes to nothing here has not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from executor.abc import ExecutionError, Rows
from executor.keyed.footprint import read_by_query
from executor.keyed.index_read import IndexRead
from executor.keyed.join import JoinPlan
from executor.keyed.lookup import SMALL_RANGE_ROWS_MAX
from executor.keyed.noted_image import NotedImage
from executor.keyed.plans import CompiledPlan, Shortcut
from executor.keyed.read import ReadPlan
from executor.keyed.write import UpdatePlan
from executor.session import acts, current, relations
from executor.session.blocks.block import Block
from executor.snapshot.abc import NoKeyedAnswer, TooFarToLook
from planner.abc import Plan, Query, RelationUse, Table
from storage.abc import Datum, Row
from txn.columns import Columns
from txn.lease import LeaseLapsed
from txn.read_set import ReadSet

if TYPE_CHECKING:
    from executor.session.session import Session

WRITTEN_ROWS_MAX = 200
"""A range of so many rows is written one by one in about the time that a query takes to find them."""


def in_block(
    session: Session, block: Block, compiled: CompiledPlan, plan: Plan, params: Sequence[Datum]
) -> Rows | None:
    """The answer; None: to be had the usual way only, or for whoever can wait."""
    shortcut = compiled.shortcut
    if block.failed or block.as_of is not None or block.gathered is not None:
        return None
    if block.catalog is not None and block.catalog.user_types is not session.newest_catalog().user_types:
        return (
            None  # it is planned with types of its own; what computes here knows those of the newest commit
        )
    if compiled.constant is not None:  # it reads nothing, but is a query that the block has begun with
        block.statement()
        return Rows("SELECT 1", plan.columns, (compiled.constant(params, None, session),))
    if compiled.act is not None:
        block.statement()
        row = acts.answered(session, compiled.act, params)
        return None if row is None else Rows("SELECT 1", plan.columns, (row,))
    if shortcut is None:
        return None
    for table in shortcut.tables:
        shard = table.shard
        if shard in block.created or shard in block.altered or shard in block.dropped:
            return None
    frontier = session.executor.frontier
    if frontier is not None and current.takes_snapshot(session, block) and not frontier.is_valid:
        return None
    try:
        txn = block.statement()
        if txn.unsettled is not None and not txn.is_settled:
            return None
    except LeaseLapsed:
        return None
    reads = ReadSet()
    try:
        with txn.reads_aside() as reads:
            rows = _read(session, block, shortcut, compiled, params)
    except (NoKeyedAnswer, LeaseLapsed):
        return None
    except (
        ExecutionError
    ):  # it tells of what was read, and behind a savepoint the transaction goes on and may commit
        txn.reads.merge(reads)
        raise
    if rows is None:
        return None
    txn.reads.merge(reads)
    for way in shortcut.ways:
        way.add(len(rows))
    return Rows(f"SELECT {len(rows)}", plan.columns, rows)


def _read(
    session: Session, block: Block, shortcut: Shortcut, compiled: CompiledPlan, params: Sequence[Datum]
) -> Sequence[Row] | None:
    """Raises NoKeyedAnswer."""
    rows: Sequence[Row] | None = None
    try:
        if isinstance(shortcut.plan, IndexRead):
            rows = _by_index(session, block, shortcut.plan, shortcut, compiled.plan.body, params)
        elif isinstance(shortcut.plan, JoinPlan):
            rows = _by_join(session, block, shortcut.plan, shortcut, compiled.plan.body, params)
        else:
            rows = _by_key(session, block, shortcut.plan, shortcut, params)
    except TooFarToLook:
        if shortcut.otherwise is None:
            raise
    if rows is None and shortcut.otherwise is not None:
        return _read(session, block, shortcut.otherwise, compiled, params)
    return rows


def _by_index(
    session: Session, block: Block, read: IndexRead, shortcut: Shortcut, query: Any, params: Sequence[Datum]
) -> Sequence[Row] | None:
    (table,) = shortcut.tables
    if _wrote_in_bulk(block, table) or not isinstance(query, Query):
        return None
    noted: Columns = 0
    for use in query.relations:
        if not isinstance(use, RelationUse):
            return None
        if use.table.shard == table.shard and (use.ranges or not read.asks_by_value):
            relations.record(session, block, use, params)
        elif use.table.shard == table.shard:
            noted |= read_by_query(use)
        elif use.part is None:  # or else it is a leaf that has none of the rows
            return None
    block.use(table)
    writes = block.tables.get(table.shard)
    if writes is not None and writes.has_rows:
        return read.overlaid(params, session, block.view(table, noted), block.read_ts)
    image: Any = shortcut.image
    if noted:
        image = NotedImage(image, block.transaction().reads, table.shard, noted)
    return read.rows(params, session, image, block.read_ts)


def _by_join(
    session: Session, block: Block, join: JoinPlan, shortcut: Shortcut, query: Any, params: Sequence[Datum]
) -> Sequence[Row] | None:
    if not isinstance(query, Query) or any(_wrote_in_bulk(block, table) for table in join.tables):
        return None
    noted: Sequence[Columns] = join.footprints
    if join.whole:
        noted = relations.record_whole(session, block, join, query, params, noted)
    views = [block.view(x, columns=c) for x, c in zip(join.tables, noted, strict=True)]
    return join.run(params, session, views, shortcut.image, block.read_ts)


def _by_key(
    session: Session, block: Block, read: ReadPlan, shortcut: Shortcut, params: Sequence[Datum]
) -> Sequence[Row] | None:
    (table,) = shortcut.tables
    if _wrote_in_bulk(block, table):
        return None
    view = block.view(table, columns=read.footprint)
    if read.lookup.range is not None:
        bounds = read.lookup.bounds(params, session)
        if bounds is not None and view.count_at_most(bounds) > SMALL_RANGE_ROWS_MAX:
            return None
    elif read.lookup.is_listed and len(read.lookup.asked_keys(params, session)) > SMALL_RANGE_ROWS_MAX:
        return None
    return read.run(params, session, view, block.read_ts)


def writes_few(session: Session, block: Block, compiled: CompiledPlan, params: Sequence[Datum]) -> bool:
    """Whether an UPDATE or DELETE by a range of the primary key is better made row by row, as by points."""
    table, write = compiled.table, compiled.write
    image: Any = compiled.image
    assert table is not None and isinstance(write, UpdatePlan)
    if image is None or block.gathered is not None or _wrote_in_bulk(block, table):
        return False
    if table.shard in block.altered or table.shard in block.dropped:
        return False
    try:
        view = block.view(table, record=False)
        if write.lookup.index:
            return write.lookup.indexed(params, session, view, block.read_ts, WRITTEN_ROWS_MAX) is not None
        bounds = write.lookup.bounds(params, session)
        return bounds is None or view.count_at_most(bounds) <= WRITTEN_ROWS_MAX
    except NoKeyedAnswer:
        return False


def _wrote_in_bulk(block: Block, table: Table) -> bool:
    """Whether own writes to the table are more than what is found by key."""
    writes = block.tables.get(table.shard)
    return writes is not None and writes.in_bulk
