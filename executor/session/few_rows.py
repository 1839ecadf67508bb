"""Queries of statements that write, where they find few rows: by keys, with DuckDB left out.

    UPDATE jobs SET state = 'running' WHERE id IN (SELECT id FROM jobs WHERE queue = $1 ORDER BY at LIMIT 1 FOR UPDATE SKIP LOCKED)

    the rows of the queue, in order    an index          -> locked one by one          (`executor.session.locks.found_rows`)
    the job with that id               a point           -> written as any other rows  (`executor.session.bulk`)
    RETURNING                          the rows written

Where many rows wait and the first of them are asked for, with LIMIT in the order of an index or the primary key, they are walked
along until there are enough that pass (`executor.keyed.index_walk`), as many more as somebody may have locked included.

What is found goes on as the query's rows would: so nothing else of such a statement knows of this way. Noted as read is what
keys and indexes were asked for, where DuckDB's rows would count as whole tables.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from executor.columnar.rows import batch_rows
from executor.keyed.compile import NotCompilable
from executor.keyed.join import ROWS_MAX, JoinPlan
from executor.keyed.overlay import OverlayView
from executor.session import queries, relations
from executor.session.blocks.block import Block
from executor.session.drawing import Draws
from executor.snapshot.abc import NoKeyedAnswer, TooFarToLook
from executor.snapshot.columns import result_arrays
from planner.abc import KeyedJoin, Query, RelationUse, SqlError, Table
from storage.abc import Datum, Row, ShardId
from txn.abc import Isolation
from txn.columns import Columns
from txn.lease import LeaseLapsed

MORE: Final = "tw_more"
"""The column in which a query that is cut short says how many more rows it asked for than LIMIT."""

if TYPE_CHECKING:
    from executor.session.queries import Given
    from executor.session.session import Session


async def found(
    session: Session,
    block: Block,
    query: Query,
    by_key: KeyedJoin,
    params: Sequence[Datum],
    extra: Mapping[str, Given],
    *,
    begins: bool,
) -> pa.Table | None:
    """The query's rows; None: DuckDB is to find them, for they are many or not to be had by keys now."""
    join, draws = _compiled(by_key)
    if join is None or not join.applies(params, session) or not all(_is_open(block, x) for x in join.tables):
        return None
    uses = [use for use in query.relations if isinstance(use, RelationUse)]
    if block.as_of is not None or block.gathered is not None or any(use.slot in extra for use in uses):
        return None  # of then; not all there yet; read before a part of the statement wrote it
    handed = _handed(join, extra)
    if handed is None:
        return None
    txn = block.statement() if begins else block.transaction()
    await txn.settled()
    if session.executor.frontier is not None and block.tables and txn.isolation is Isolation.READ_COMMITTED:
        txn.check_written()
    first = join.first
    more = len(session.executor.env.locks) if first is not None and first.skips else 0
    with txn.reads_aside() as reads:
        try:
            noted: Sequence[Columns] = join.noted(query)
            if join.whole:
                noted = relations.record_whole(session, block, join, query, params, noted)
            rows, cut = _rows(session, block, join, noted, params, handed, more)
        except (NoKeyedAnswer, LeaseLapsed):
            return None
        except SqlError as error:
            refused: SqlError | None = error
        else:
            refused = None
    txn.reads.merge(reads)  # an error tells of them as well, and a savepoint may outlive that
    for table in (*(use.table for use in uses), *query.dealing):
        block.use(table)
    if refused is not None:
        raise refused
    if draws is not None:
        rows = await draws.beside(session, params, rows)
    arrays = result_arrays(rows, join.types)
    names = [f"c{i}" for i in range(len(arrays))]
    if cut and first is not None and first.skips:
        return pa.table([*arrays, pa.repeat(pa.scalar(more, pa.int64()), len(rows))], names=[*names, MORE])
    return pa.table(arrays, names=names)


def _rows(
    session: Session,
    block: Block,
    join: JoinPlan,
    noted: Sequence[Columns],
    params: Sequence[Datum],
    handed: Mapping[str, Sequence[Row]],
    more: int,
) -> tuple[Sequence[Row], bool]:
    """The rows, and whether they are the first ones alone. Raises NoKeyedAnswer."""
    views = [block.view(x, columns) for x, columns in zip(join.tables, noted, strict=True)]
    images = [session.executor.store.image(x.shard) for x in join.tables]
    seen: dict[ShardId, dict[int, Row]] = {}
    first, rows = join.first, None
    if first is not None and first.before:
        rows = _first_rows(join, params, session, views[0], block, more)
    cut = rows is not None
    if rows is None:
        try:
            rows = join.run(params, session, views, images, block.read_ts, handed, seen)
        except NoKeyedAnswer:
            if first is None or first.before:
                raise
            rows = _first_rows(join, params, session, views[0], block, more)
            cut = True
    if rows is None:
        raise TooFarToLook
    block.found = seen
    return rows, cut


def _first_rows(
    join: JoinPlan, params: Sequence[Datum], session: Session, view: OverlayView, block: Block, more: int
) -> Sequence[Row] | None:
    """The first rows in order; None: the way to them was too long."""
    try:
        return join.first_rows(params, session, view, block.read_ts, more)
    except TooFarToLook:
        return None


def _compiled(by_key: KeyedJoin) -> tuple[JoinPlan | None, Draws | None]:
    """The look-ups, and what is drawn for each row; no look-ups: the keyed engine cannot compute something."""
    if not by_key.compiled:
        try:
            by_key.compiled.append((JoinPlan(by_key), Draws(by_key.drawn) if by_key.drawn else None))
        except NotCompilable:
            by_key.compiled.append((None, None))
    return by_key.compiled[0]  # type: ignore[no-any-return]


def _is_open(block: Block, table: Table) -> bool:
    """Whether the table's rows are to be found by keys in this block."""
    shard = table.shard
    if shard in block.created or shard in block.altered or shard in block.dropped:
        return False
    writes = block.tables.get(shard)
    return writes is None or not writes.in_bulk


def _handed(join: JoinPlan, extra: Mapping[str, Given]) -> dict[str, Sequence[Row]] | None:
    """The rows that other parts of the statement have made; None: they are many, or not there."""
    out: dict[str, Sequence[Row]] = {}
    for one in join.handed:
        given = extra.get(one.slot)
        if given is None or given[1].num_rows > ROWS_MAX:
            return None
        rows: Any = given[1]
        if given[0] is not None and rows.column_names[: len(one.types)] != [
            f"c{c.attnum}" for c in given[0].columns
        ]:
            return None
        out[one.slot] = (
            batch_rows(queries.canonical_table(rows, one.types), one.types)
            if one.types
            else [()] * rows.num_rows
        )
    return out


__all__ = ["found"]
