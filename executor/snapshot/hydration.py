"""Filling an image: at start-up from the shard's parts, after an ALTER from DuckDB itself.

    parts ("+", table, ts) ("-", table, ts) ...        as of one timestamp
       |            |
       |            +--> closes, applied last: a deletion may come before its insertion
       +--> DuckDB, part by part, in a thread; packed whenever so much of it lies there as it came
       +--> keyed tables: files that grow, a column each; at the end minus deletions, and sorted, a run
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

from executor.snapshot.bulk import conform, rearranged
from executor.snapshot.growing import GrowingColumns
from executor.snapshot.keys import in_order, repeats, sort_order
from executor.snapshot.packing import ROWS_MIN
from executor.snapshot.pending import BulkClose, BulkInsert, Op, Written, bulk_op, write_ops, written_bytes
from executor.snapshot.physical import Physical
from executor.snapshot.runs import RID, Run, RunShape
from executor.snapshot.spill import Spill, filtered, in_one, one_array
from executor.snapshot.writer import give_own_database
from storage.abc import Part, Timestamp
from storage.sorted_ids import sorted_distinct
from txn.abc import Key, ShardWrites

if TYPE_CHECKING:
    from executor.snapshot.image import TableImage
    from executor.snapshot.store import SnapshotStore

TS = "_ts"

BATCH_ROWS = 1 << 17
"""Rows that are read back from DuckDB at a time."""


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
    unpacked_rows: int = 0
    """Of those written to DuckDB, which lie there as they came."""


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
    bulk = _Insertions(image.shape, store.spill) if image.keyed else None
    unpacked_rows = unpacked_bytes = 0
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
            if unpacked_bytes >= store.limits.unpacked_bytes_max and physical.database:
                writing = asyncio.ensure_future(store.load(con.commit))  # nobody reads it before the end
                await asyncio.shield(writing)
                if await store.packer.pack_between(physical.database):
                    unpacked_rows = unpacked_bytes = 0
                writing = asyncio.ensure_future(store.load(con.begin))
                await asyncio.shield(writing)
            unpacked_rows += rows.num_rows
            unpacked_bytes += written_bytes(rows)
            writing = asyncio.ensure_future(
                store.load(_write, con, physical, [bulk_op(ts, BulkInsert(rows))], total)
            )
            if bulk is not None:
                await store.load(bulk.add, rows)
        gone = pa.concat_tables(closes) if closes else None
        run = None
        if bulk is not None and bulk.size:
            run = await store.load(bulk.run, gone, newest)
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
    return Loaded(total, run, source.as_of, unpacked_rows + total.closed)


async def reload(store: SnapshotStore, image: TableImage, ts: Timestamp) -> Loaded:
    """Builds the run of an altered table from its rows in DuckDB at `ts`."""
    where = f"_from <= {ts} AND _to > {ts}"
    names = ", ".join([*image.physical.select_cells(), RID])
    sql = f"SELECT {names} FROM {image.physical.name} WHERE {where}"
    run = None
    if image.keyed:
        run = await store.load(_run_of_query, store, image, sql, ts)
    return Loaded(Written(), run, ts)


def _run_of_query(store: SnapshotStore, image: TableImage, sql: str, ts: Timestamp) -> Run | None:
    bulk = _Insertions(image.shape, store.spill)
    with store.connection.cursor() as con:
        for batch in con.sql(sql).to_arrow_reader(BATCH_ROWS):
            bulk.add(image.physical.canonical(pa.Table.from_batches([batch])))
    return bulk.run(None, ts) if bulk.size else None


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


class _Insertions:
    """What becomes a keyed table's run, part by part."""

    def __init__(self, shape: RunShape, spill: Spill) -> None:
        self._shape, self._spill = shape, spill
        self._rows = GrowingColumns([*shape.types, pa.int64()], spill)

    @property
    def size(self) -> int:
        return self._rows.size

    def add(self, rows: pa.Table) -> None:
        count = len(self._shape.types)
        self._rows.add([*(rows.column(i) for i in range(count)), rows[RID]])

    def run(self, gone: pa.Table | None, since: Timestamp) -> Run | None:
        """Sorts them, without those that are gone."""
        spill, large = self._spill, self._rows.is_large
        *columns, ids = self._rows.arrays()
        rids = np.asarray(ids)
        if gone is not None:
            deleted = sorted_distinct(np.asarray(one_array(gone[RID])))
            at = np.searchsorted(deleted, rids)
            at[at == len(deleted)] = 0
            names = [str(i) for i in range(len(columns))]
            rows = filtered(pa.table([*columns, ids], names=[*names, RID]), deleted[at] != rids, spill)
            if not rows.num_rows:
                return None
            columns, rids = [in_one(rows.column(n), spill) for n in names], np.asarray(one_array(rows[RID]))
        keys = self._shape.key_arrays(pa.array(rids), columns)
        if not in_order(keys):
            order = sort_order(keys)
            columns = [in_one(c, spill) for c in rearranged(columns, order, spill)]
            rids = rids[order]
            keys = self._shape.key_arrays(pa.array(rids), columns)
        assert not repeats(keys).any(), "a run has one version per key"
        # Large columns are in mapped files by now, whichever way they came.
        run = Run(self._shape, keys, rids, columns, 0, since, spill if large else None)
        for oid, _, _ in self._shape.uniques:
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
