"""Queries of a transaction block that ask for little: the keyed engine answers them, as it does outside of blocks.

    SELECT c_id FROM customer WHERE district = 7 AND name = 'ABLE' ORDER BY first     an index's rows
    SELECT sum(amount) FROM order_line WHERE order_no = 4711                          a short range of the primary key

DuckDB needs half a millisecond for each, and what was committed lately must be flushed to it beforehand. Whether a query asks
for little shows when it runs (`executor.keyed.plans.Shortcut`); None sends it the usual way.

**What was read** is noted as for any other statement: ranges by the view that the rows come from, and an index's rows as
the columnar plan would note them: the range of the primary key that WHERE leaves, in the columns that the query names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from executor.abc import Rows
from executor.keyed.index_read import IndexRead
from executor.keyed.plans import CompiledPlan, Shortcut
from executor.keyed.read import SMALL_RANGE_ROWS_MAX, ReadPlan
from executor.keyed.write import UpdatePlan
from executor.session import current, queries
from executor.session.block import Block
from executor.snapshot.abc import NotHydrated, TooOldForKeyed
from planner.abc import Plan, Query, RelationUse, Table
from storage.abc import Datum, Row
from txn.lease import LeaseLapsed

if TYPE_CHECKING:
    from executor.session.session import Session

WRITTEN_ROWS_MAX = 200
"""A range of so many rows is written one by one in about the time that a query takes to find them."""


def in_block(
    session: Session, block: Block, compiled: CompiledPlan, plan: Plan, params: Sequence[Datum]
) -> Rows | None:
    """The answer; None: to be had the usual way only, or for whoever can wait."""
    shortcut = compiled.shortcut
    if shortcut is None or block.failed or block.as_of is not None or block.gathered is not None:
        return None
    shard = shortcut.table.shard
    if shard in block.created or shard in block.altered or shard in block.dropped:
        return None
    frontier = session.executor.frontier
    if frontier is not None and current.takes_snapshot(session, block) and not frontier.is_valid:
        return None
    try:
        txn = block.statement()
        if txn.unsettled is not None and not txn.is_settled:
            return None
        if isinstance(shortcut.plan, IndexRead):
            rows = _by_index(session, block, shortcut.plan, shortcut, compiled.plan.body, params)
        else:
            rows = _by_key(session, block, shortcut.plan, shortcut, params)
    except (NotHydrated, TooOldForKeyed, LeaseLapsed):
        return None
    return None if rows is None else Rows(f"SELECT {len(rows)}", plan.columns, rows)


def _by_index(
    session: Session, block: Block, read: IndexRead, shortcut: Shortcut, query: Any, params: Sequence[Datum]
) -> Sequence[Row] | None:
    """Only where the block has written nothing of the table: an index knows what is committed."""
    table = shortcut.table
    writes = block.tables.get(table.shard)
    if (writes is not None and writes.has_rows) or not isinstance(query, Query):
        return None
    rows = read.rows(params, session, shortcut.image, block.read_ts)
    if rows is None:
        return None
    block.use(table)
    for use in query.relations:
        if not isinstance(use, RelationUse) or use.table.shard != table.shard:
            return None
        queries.record(session, block, use, params)
    return rows


def _by_key(
    session: Session, block: Block, read: ReadPlan, shortcut: Shortcut, params: Sequence[Datum]
) -> Sequence[Row] | None:
    table = shortcut.table
    if _wrote_much(block, table):
        return None
    if read.lookup.range is not None:
        bounds = read.lookup.bounds(params, session)
        if bounds is not None and shortcut.image.count_at_most(*bounds) > SMALL_RANGE_ROWS_MAX:
            return None
    view = block.view(table, columns=read.footprint)
    return read.run(params, session, view, block.read_ts)


def writes_few(session: Session, block: Block, compiled: CompiledPlan, params: Sequence[Datum]) -> bool:
    """Whether an UPDATE or DELETE by a range of the primary key is better made row by row, as by points."""
    table, write = compiled.table, compiled.write
    image: Any = compiled.image
    assert table is not None and isinstance(write, UpdatePlan)
    if image is None or block.gathered is not None or _wrote_much(block, table):
        return False
    if table.shard in block.altered or table.shard in block.dropped:
        return False
    bounds = write.lookup.bounds(params, session)
    try:
        return bounds is None or image.count_at_most(*bounds) <= WRITTEN_ROWS_MAX
    except (NotHydrated, TooOldForKeyed):
        return False


def _wrote_much(block: Block, table: Table) -> bool:
    """Whether the block's own writes to the table are too many to be looked through by key."""
    writes = block.tables.get(table.shard)
    if writes is None:
        return False
    return bool(writes.bulk or writes.bulk_deleted) or len(writes.by_key) > SMALL_RANGE_ROWS_MAX
