"""What a query reads: the relation that stands for each of its tables, and the reads that are noted for conflicts.

    nobody wrote it here     the store's relation, as of the statement's timestamp
    this block wrote it      that without the rows it deleted, and its own rows on top
    this block altered it    committed rows under the new definition, columns by attribute number

What is noted are points of keys where the plan knows them, else a range of keys or the whole table, and of these the rows that fulfil what is
asked of them alone (`executor.keyed.rows_asked_for`), in the columns that the query names (`read_by_query`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa

from executor.abc import ExecutionError
from executor.keyed.footprint import read_by_query
from executor.keyed.lookup import LookupPlan
from executor.keyed.rows_asked_for import Conditions
from executor.keyed.table_writes import TableWrites
from executor.past.tables import shard_of
from executor.session.blocks.block import Block
from executor.snapshot.abc import TooFarToLook
from executor.snapshot.columns import rows_to_arrays
from executor.snapshot.physical import missing_sql
from executor.snapshot.writer import ReadPin
from planner import types as t
from planner.abc import (
    Query,
    RelationUse,
    Table,
    TypeRef,
)
from planner.lexer import quoted
from storage.abc import Datum, Timestamp
from txn.columns import Columns
from txn.read_set import KeyRange

if TYPE_CHECKING:
    from executor.keyed.join import JoinPlan
    from executor.session.session import Session

_ALL: Final[KeyRange] = (None, None, True, True)
KEYS_MAX: Final = 1_000
"""More keys that were asked for are noted as the whole table."""


def was_there(session: Session, table: Table, ts: Timestamp) -> None:
    """Whether the table's history reaches back to `ts`: it may be kept for a shorter time than others'. Raises 22023.

    Asked again when it has been hydrated.
    """
    executor, shard = session.executor, shard_of(table.shard)
    state = executor.env.txns.state
    if shard not in state.registered and shard not in state.graves:
        raise ExecutionError(
            "22023",
            f'the history of table "{table.name}" as it was then is not kept any more',
            table=table.name,
        )
    handle = executor.env.shards.get(shard)
    kept = max(
        executor.env.retention.since(shard),
        handle.since if handle is not None else 0,
        executor.past_tables.since(table.shard),
    )
    if ts < kept:
        since = t.output_text(kept, TypeRef(t.TIMESTAMPTZ), session.type_settings)
        raise ExecutionError(
            "22023",
            f'the timestamp is older than the history of table "{table.name}" that is kept',
            detail=f"History is kept from {since} (timestamp {kept}) on.",
            table=table.name,
        )


class _Footprint:
    """What a relation of a query reads, compiled: the columns, and the lookups; none: the whole table."""

    __slots__ = ("columns", "conditions", "lookups", "params", "use")

    def __init__(self, use: RelationUse, params: int) -> None:
        self.use, self.params = use, params
        self.columns = read_by_query(use)
        ranges = use.ranges if use.table.key_indexes else None
        self.lookups = tuple([LookupPlan(use.table, lookup) for lookup in ranges or ()])
        self.conditions = Conditions(use.table, use.asked, params)
        if self.conditions:
            self.columns |= self.conditions.columns


_FOOTPRINTS_MAX = 1024


_footprints: dict[int, _Footprint] = {}
"""By `id` of the use, which is a plan's and comes again with each execution. (Equal ones are compared table and all.)"""


def _footprint(use: RelationUse, params: int) -> _Footprint:
    known = _footprints.get(id(use))
    if known is None or known.use is not use or known.params != params:
        if len(_footprints) >= _FOOTPRINTS_MAX:
            _footprints.clear()
        known = _footprints[id(use)] = _Footprint(use, params)
    return known


def record(session: Session, block: Block, use: RelationUse, params: Sequence[Datum]) -> None:
    """What the query reads, for conflict detection: ranges of the key if the plan knows them."""
    if use.ranges is not None and not use.ranges:
        return  # what it reads is known, or made sure of, in another way
    footprint = _footprint(use, len(params))
    reads, shard, columns = block.transaction().reads, use.table.shard, footprint.columns
    if not footprint.lookups:
        _record_range(session, block, footprint, params, _ALL)
        return
    for plan in footprint.lookups:
        if plan.points is not None:
            try:
                keys = plan.asked_keys(params, session)
            except TooFarToLook:
                keys = None
            if keys is None or len(keys) > KEYS_MAX:
                _record_range(session, block, footprint, params, _ALL)
                continue
            for key in keys:
                reads.point(shard, key, columns)
        else:
            bounds = plan.bounds(params, session)
            if bounds is not None:
                _record_range(session, block, footprint, params, bounds)


def _record_range(
    session: Session, block: Block, footprint: _Footprint, params: Sequence[Datum], bounds: KeyRange
) -> None:
    """The rows of a range that fulfil the query's conditions; all of them where there are none that can be told."""
    table, columns = footprint.use.table, footprint.columns
    reads, shard = block.transaction().reads, table.shard
    if footprint.conditions and shard not in block.created and shard not in block.altered:
        image = session.executor.store.image(shard)
        alike = image.table is table or _places(image.table) == _places(table)
        asked = footprint.conditions.bound(image, params, session) if alike else None
        if asked is not None:
            reads.found(shard, asked, bounds, columns)
            return
    low, high, low_inclusive, high_inclusive = bounds
    reads.range(shard, low, high, columns, low_inclusive=low_inclusive, high_inclusive=high_inclusive)


def _places(table: Table) -> list[int]:
    """What tells which column is where in a row."""
    return [c.attnum for c in table.columns]


def record_whole(
    session: Session,
    block: Block,
    join: JoinPlan,
    query: Query,
    params: Sequence[Datum],
    noted: Sequence[Columns],
) -> list[Columns]:
    """Of look-ups of the query the tables that are read whole, as `record` notes them, if they are asked for some rows. `noted`: what the
    views are to note of each table; returns what they are to note beside this."""
    columns = list(noted)
    for i in join.whole:
        uses = [
            u for u in query.relations if isinstance(u, RelationUse) and u.table.shard == join.tables[i].shard
        ]
        if columns[i] and any(u.asked for u in uses):
            columns[i] = 0
            for use in uses:
                record(session, block, use, params)
    return columns


def relation(
    executor: Any,
    block: Block | None,
    use: RelationUse,
    ts: Timestamp,
    pin: ReadPin,
    bindings: dict[str, pa.Table],
    committed: Callable[[bool], str] | None = None,
) -> str:
    """The rows of a table that this statement sees, as a parenthesised subquery.

    `committed`: in place of the store's relation, one that has the rows that the query looks at (asked whether with `_rid`).
    """
    table = use.table
    writes = block.tables.get(table.shard) if block is not None else None
    created = block is not None and table.shard in block.created
    altered = not created and block is not None and table.shard in block.altered
    if not created and not altered and (writes is None or not writes.has_rows):
        if committed is not None:
            return committed(use.with_rid)
        return str(
            executor.store.relation_sql(table.shard, ts, use.columns, use.with_rid, pin=pin, seen_as=table)
        )
    wanted = range(len(table.columns)) if use.columns is None else use.columns
    names = [quoted(table.columns[i].name) for i in wanted]
    outer = ", ".join([*names, "_rid"] if use.with_rid or not names else names)
    parts: list[str] = []
    if not created:
        if altered:
            base = as_altered(executor, table, ts, pin)
        elif committed is not None:
            base = committed(True)
        else:
            base = executor.store.relation_sql(table.shard, ts, use.columns, True, pin=pin, seen_as=table)
        gone = _deleted(writes) if writes is not None else None
        if gone is not None:
            bindings[f"own_deleted_{table.oid}"] = gone
            base = f"(SELECT * FROM {base} b WHERE b._rid NOT IN (SELECT _rid FROM own_deleted_{table.oid}))"
        parts.append(f"SELECT {outer} FROM {base} base")
    own = _inserted(writes, table) if writes is not None else None
    if own is None and created:
        own = physical_schema(table).empty_table()
    if own is not None:
        bindings[f"own_rows_{table.oid}"] = own
        parts.append(
            f"SELECT {outer} FROM (SELECT {', '.join([*cells(table), '_rid'])} FROM own_rows_{table.oid}) own"
        )
    return f"({' UNION ALL '.join(parts)})"


def as_altered(executor: Any, table: Table, ts: Timestamp, pin: ReadPin | None = None) -> str:
    """Committed rows under a definition that only this block knows: columns by attribute number."""
    known = {c.attnum: c for c in executor.store.image(table.shard).table.columns}
    cells = []
    for c in table.columns:
        before = known.get(c.attnum)
        value = quoted(before.name) if before is not None else missing_sql(c)
        cells.append(f"{value} AS {quoted(c.name)}")
    base = executor.store.relation_sql(table.shard, ts, None, True, pin=pin)
    return f"(SELECT {', '.join([*cells, '_rid'])} FROM {base} was)"


def cells(table: Table) -> list[str]:
    """Physical columns of Arrow rows as the table's columns."""
    return [f"{t.store_sql(f'c{c.attnum}', c.type)} AS {quoted(c.name)}" for c in table.columns]


def physical_schema(table: Table) -> pa.Schema:
    """Columns by attribute number in canonical Arrow types, then `_rid`."""
    fields = [(f"c{c.attnum}", t.arrow_type(c.type)) for c in table.columns]
    return pa.schema([*fields, ("_rid", pa.int64())])


def _deleted(writes: TableWrites) -> pa.Table | None:
    buffer = writes.buffer
    chunks = [pa.array(list(buffer.deletes), pa.int64())] if buffer.deletes else []
    chunks += [d.rids for d in writes.bulk_deleted]
    if not chunks:
        return None
    return pa.table({"_rid": pa.chunked_array(chunks)})


def _inserted(writes: TableWrites, table: Table) -> pa.Table | None:
    """Own rows with physical column names and `_rid`."""
    schema = physical_schema(table)
    tables: list[pa.Table] = []
    buffer = writes.buffer
    if buffer.inserts:
        rows = list(buffer.inserts.values())
        arrays = rows_to_arrays(rows, schema.types[:-1])
        tables.append(pa.table([*arrays, pa.array(list(buffer.inserts), pa.int64())], schema=schema))
    if writes.bulk:
        for rows in writes.live_bulk():
            arrays = [rows.column(i + 1) for i in range(rows.num_columns - 1)]
            tables.append(pa.table([*arrays, rows.column(0)], schema=schema))
    return pa.concat_tables(tables) if tables else None


__all__ = ["as_altered", "cells", "physical_schema", "record", "record_whole", "relation", "was_there"]
