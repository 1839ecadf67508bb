"""Filling an image: at start-up from the shard's parts, after an ALTER from DuckDB itself.

    parts ("+", table, ts) ("-", table, ts) ...        as of one timestamp
       |            |
       |            +--> closes, applied last: a deletion may come before its insertion
       +--> DuckDB, part by part, in a thread and a transaction of its own
       +--> keyed tables: all insertions minus deletions, sorted into one run
    then the commits since, in order, as if they had just happened

Tables are **cold** until then. Nobody waits for tables that he does not ask for: a store hydrates in the
background one table at a time, and a statement that needs a cold one starts it at once. Commits of
other processes that come for a cold table wait in its backlog.

Ten million narrow rows: DuckDB takes them in about two seconds, sorting (they usually are) in one.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from executor.snapshot.bulk import conform
from executor.snapshot.packing import ROWS_MIN
from executor.snapshot.pending import BulkClose, BulkInsert, Op, Written, bulk_op, write_ops
from executor.snapshot.physical import Physical
from executor.snapshot.runs import RID, Run, RunShape, build_run
from executor.snapshot.spill import Spill, one_array
from executor.snapshot.writer import give_own_database
from storage.abc import Part, Timestamp
from storage.sorted_ids import sorted_distinct
from txn.abc import Key, ShardWrites

if TYPE_CHECKING:
    from executor.snapshot.image import TableImage
    from executor.snapshot.store import SnapshotStore

TS = "_ts"


@dataclass(frozen=True, slots=True)
class HydrationSource:
    """A shard's content as of one timestamp: everything at or below `as_of`, nothing above.

    `parts` yields ("+" or "-", rows, ts): `_rid`, perhaps `_ts`, and for insertions the columns.
    """

    as_of: Timestamp
    parts: AsyncIterator[tuple[str, pa.Table, Timestamp]]
    row_count: int = 0
    """About how many insertions they hold."""


Opener = Callable[[], Awaitable[HydrationSource]]
FetchPart = Callable[[Part], Awaitable[pa.Table]]


@dataclass(frozen=True, slots=True)
class HydrationProgress:
    """For the log: how far a table is. `done` comes once, at the end."""

    table: str
    row_count: int
    done: bool


@dataclass(slots=True)
class Loaded:
    """A table's bulk, ready to be put in place on the loop."""

    written: Written
    run: Run | None
    as_of: Timestamp


async def load(
    store: SnapshotStore,
    image: TableImage,
    source: HydrationSource,
    progress: Callable[[HydrationProgress], None] | None,
) -> Loaded:
    """Reads the parts into DuckDB, and into a run for a keyed table."""
    physical = image.physical
    con = store.connection.cursor()
    total = Written()
    inserted: list[pa.Table] = []
    closes: list[pa.Table] = []
    newest: Timestamp = 0
    row_count = source.row_count + _inserted(image.backlog)
    writing: asyncio.Future[None] = asyncio.ensure_future(store.load(_begin, con, physical, row_count))
    try:
        async for kind, rows, ts in source.parts:
            if not rows.num_rows:
                continue
            newest = max(newest, ts if TS not in rows.column_names else pc.max(rows[TS]).as_py())
            if kind == "-":
                closes.append(_timed(rows, ts))
                continue
            rows = _physical_rows(physical, rows)
            await asyncio.shield(writing)  # the next part is fetched while this one is written
            if progress is not None and total.inserted:
                progress(HydrationProgress(image.table.name, total.inserted, False))
            writing = asyncio.ensure_future(
                store.load(_write, con, physical, [bulk_op(ts, BulkInsert(rows))], total)
            )
            if image.keyed:
                inserted.append(rows)
        gone = pa.concat_tables(closes) if closes else None
        run = None
        if inserted:
            run = await store.load(_sorted_run, image.shape, inserted, gone, newest, store.spill)
        await asyncio.shield(writing)
        writing = asyncio.ensure_future(store.load(_end, con, physical, gone, total))
        await asyncio.shield(writing)
    except BaseException:
        await asyncio.wait([writing])  # cut short or not: its thread has the connection until then
        await store.load(con.close)  # its transaction goes with it
        raise
    con.close()
    if progress is not None:
        progress(HydrationProgress(image.table.name, total.inserted, True))
    return Loaded(total, run, source.as_of)


async def reload(store: SnapshotStore, image: TableImage, ts: Timestamp) -> Loaded:
    """Builds the run of an altered table from its rows in DuckDB at `ts`."""
    where = f"_from <= {ts} AND _to > {ts}"
    names = ", ".join([*image.physical.select_cells(), RID])
    sql = f"SELECT {names} FROM {image.physical.name} WHERE {where}"
    run = None
    if image.keyed:
        con = store.connection.cursor()
        table = await store.load(lambda: con.sql(sql).to_arrow_table())
        con.close()
        if table.num_rows:
            rows = image.physical.canonical(table)
            run = await store.load(_sorted_run, image.shape, [rows], None, ts, store.spill)
    return Loaded(Written(), run, ts)


def _inserted(backlog: Sequence[tuple[Timestamp, ShardWrites]]) -> int:
    """How many rows commits bring that the parts do not hold yet."""
    return sum(part.row_count for _, writes in backlog for part in writes.parts if part.kind == "+")


def _begin(con: duckdb.DuckDBPyConnection, physical: Physical, row_count: int) -> None:
    if row_count >= ROWS_MIN and not physical.database:
        give_own_database(con, physical)
    con.execute("BEGIN TRANSACTION")
    con.execute(physical.drop())  # of an attempt that failed after its rows were there
    con.execute(physical.create())


def _end(con: duckdb.DuckDBPyConnection, physical: Physical, gone: pa.Table | None, total: Written) -> None:
    if gone is not None:
        _write(con, physical, [bulk_op(0, BulkClose(gone))], total)
    con.execute("COMMIT")


def _write(con: duckdb.DuckDBPyConnection, physical: Physical, ops: list[Op], total: Written) -> None:
    done = write_ops(con, physical, ops)
    total.add_insert(done.inserted, done.max_from)
    total.add_close(done.closed, done.max_to)


def _timed(rows: pa.Table, ts: Timestamp) -> pa.Table:
    """Deletions with their times, under one schema: parts with times of their own say that these are not null."""
    times = rows[TS] if TS in rows.column_names else pa.array(np.full(rows.num_rows, ts, np.uint64))
    return pa.table({RID: rows[RID], TS: times})


def _physical_rows(physical: Physical, rows: pa.Table) -> pa.Table:
    """Names and types as DuckDB's table wants them."""
    hidden = [n for n in (RID, TS) if n in rows.column_names]
    columns = [n for n in range(rows.num_columns) if rows.schema.field(n).name not in (RID, TS)]
    assert len(columns) == len(physical.schema), "a part has the columns of its table"
    arrays: list[Any] = [conform(rows.column(i), t) for i, t in zip(columns, physical.types, strict=True)]
    return pa.table([*arrays, *(rows[n] for n in hidden)], names=[*physical.schema.names, *hidden])


def _sorted_run(
    shape: RunShape, inserted: list[pa.Table], gone: pa.Table | None, since: Timestamp, spill: Spill
) -> Run | None:
    tables = [t.drop_columns([TS]) if TS in t.column_names else t for t in inserted]
    rows = pa.concat_tables(tables)
    if gone is not None:
        deleted = sorted_distinct(np.asarray(one_array(gone[RID])))
        rids = np.asarray(one_array(rows[RID]))
        at = np.searchsorted(deleted, rids)
        at[at == len(deleted)] = 0
        rows = rows.filter(pa.array(deleted[at] != rids))
    if not rows.num_rows:
        return None
    columns = [rows.column(i) for i in range(len(shape.types))]
    run = build_run(shape, np.asarray(one_array(rows[RID])), columns, 0, since, spill=spill)
    for oid, _, _ in shape.uniques:
        run.secondary(oid)
    return run


# --- commits of other processes ------------------------------------------------------------------


@dataclass(slots=True)
class Fetched:
    """One commit's effect on one shard, with its parts read and sorted."""

    ts: Timestamp
    writes: ShardWrites
    removed: list[pa.Array]
    added: list[Any]  # Bulk


async def fetch_writes(
    store: SnapshotStore, image: TableImage, ts: Timestamp, writes: ShardWrites, fetch: FetchPart | None
) -> Fetched:
    """Reads the parts that a commit refers to; rows that it both inserted and deleted are left out."""
    removed: list[pa.Array] = []
    tables: list[pa.Table] = []
    for part in writes.parts:
        if fetch is None:
            raise ValueError("a commit refers to parts, and nobody said how to fetch them")
        rows = await fetch(part)
        if part.kind == "-":
            removed.append(one_array(rows[RID]))
        else:
            tables.append(rows.drop_columns([TS]) if TS in rows.column_names else rows)
    if removed or writes.deletes:
        gone = pa.concat_arrays([*removed, pa.array(writes.deletes, pa.int64())])
        tables = [t.filter(pc.invert(pc.is_in(t[RID], value_set=gone))) for t in tables]
    added = [await store.sort(lambda t=t: image.prepare_bulk(t)) for t in tables]  # type: ignore[misc]
    return Fetched(ts, writes, removed, added)


def apply_fetched(image: TableImage, fetched: Fetched, keys: Sequence[Key] = ()) -> None:
    """Puts a commit of another process into the image. On the loop, in commit order.

    Deletions first name rows by id alone; those that an insertion of the same key replaces need no
    search, nor do those under `keys` (which the commit is known to have written); the others are looked up.
    """
    ts, writes = fetched.ts, fetched.writes
    for rids in fetched.removed:
        image.remove_bulk(rids, ts)
    deleted = set(writes.deletes)
    survivors = [(rid, row) for rid, row in writes.inserts if rid not in deleted]
    for rid, _ in writes.inserts:
        deleted.discard(rid)
    for rid, row in survivors:
        image.put(image.key_of(rid, row), rid, row, ts)
        deleted.discard(image.pending[-1][4])
    if deleted and image.table.primary_key is not None:
        for key in keys:
            newest = image.newest(key)
            if newest is not None and newest[2] is not None and newest[1] in deleted:
                image.remove(key, newest[1], ts)
                deleted.discard(newest[1])
    for rid, key in image.keys_of_rids(sorted(deleted)):
        image.remove(key, rid, ts)
    for bulk in fetched.added:
        image.put_bulk(bulk, ts)


def after(
    entries: Sequence[tuple[Timestamp, ShardWrites]], ts: Timestamp
) -> list[tuple[Timestamp, ShardWrites]]:
    """Those entries that a snapshot as of `ts` does not contain."""
    return [e for e in entries if e[0] > ts]


async def wait_durable(store: SnapshotStore, ts: Timestamp, still: Callable[[], bool]) -> None:
    """Returns when everything at `ts` is durable, or `still()` says that nobody cares any more."""
    while still() and store.durable_ts() < ts:
        await asyncio.sleep(0.001)
