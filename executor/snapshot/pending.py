"""What DuckDB has not been told yet, and the telling of it in bulk.

    put, remove      (ts, key, rid, row, old rid)      ten thousand of these are one INSERT and one UPDATE
    put_bulk ...     (ts, None, BULK, operation, -1)   Arrow goes to DuckDB as it is, insertions that follow each other as one

A one-row write to DuckDB costs hundreds of microseconds, whatever it writes; so writes queue here in
commit order and a columnar read takes the prefix that it needs to see. Rows that came and went within
one timestamp are never written, rows that came and went within one flush are written closed.

The functions that take a connection run on the writer's thread. They get immutable lists and touch
no shared state.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from executor.snapshot.columns import rows_to_arrays
from executor.snapshot.encoded import EncodedRows
from executor.snapshot.physical import OPEN, Physical
from executor.snapshot.spill import one_array
from storage.abc import Timestamp
from storage.sorted_ids import sorted_distinct
from txn.abc import Key

TEXT_ROWS_MAX = 8
"""Up to so many rows are cheaper as SQL text than as an Arrow table that must be registered (0.35 ms)."""

CLOSE_ROWS = 1 << 19
"""Rows that one statement of a bulk deletion ends."""

BULK = -2
NONE = -1

Op = tuple[Timestamp, Key, int, Any, int]
"""(ts, key, rid, row or None, rid of the row it replaces or -1)."""


@dataclass(frozen=True, slots=True)
class BulkInsert:
    """Rows as Arrow: `_rid` and the columns by their physical names; `_ts` if their times differ."""

    rows: pa.Table | EncodedRows


@dataclass(frozen=True, slots=True)
class BulkClose:
    """Row ids as Arrow `_rid`; `_ts` if their times differ."""

    rids: pa.Table


@dataclass(frozen=True, slots=True)
class CloseAll:
    """TRUNCATE: every row that is open."""


@dataclass(frozen=True, slots=True)
class Switch:
    """A new generation begins: made of rows given as Arrow, or of the old one's columns."""

    old: Physical
    new: Physical
    rows: pa.Table | None


@dataclass(frozen=True, slots=True)
class Widen:
    """A generation begins that is the last one's table in DuckDB, with other columns."""

    new: Physical


def bulk_op(ts: Timestamp, operation: BulkInsert | BulkClose | CloseAll | Switch | Widen) -> Op:
    return (ts, None, BULK, operation, NONE)


@dataclass(slots=True)
class Written:
    """What a flush did, for the image's account of live and dead rows."""

    inserted: int = 0
    closed: int = 0
    max_from: Timestamp = 0
    max_to: Timestamp = 0

    def add_insert(self, count: int, ts: Timestamp) -> None:
        self.inserted += count
        if count and ts > self.max_from:
            self.max_from = ts

    def add_close(self, count: int, ts: Timestamp) -> None:
        self.closed += count
        if count and ts > self.max_to:
            self.max_to = ts


def by_generation(current: Physical, ops: list[Op]) -> list[tuple[Physical, list[Op]]]:
    """Cuts a queue at its switches: each stretch, the switch that opens it included, is one generation's."""
    stretches: list[tuple[Physical, list[Op]]] = [(current, [])]
    start = 0
    for i, op in enumerate(ops):
        if op[2] == BULK and isinstance(op[3], Switch | Widen):
            stretches[-1] = (stretches[-1][0], ops[start:i])
            stretches.append((op[3].new, []))
            start = i
    stretches[-1] = (stretches[-1][0], ops[start:] if start else ops)
    return stretches


def row_count(ops: Sequence[Op]) -> int:
    """About how many rows these insert."""
    return sum(op[3].rows.num_rows if op[2] == BULK and isinstance(op[3], BulkInsert) else 1 for op in ops)


def written_bytes(rows: pa.Table) -> int:
    """About what rows take in DuckDB as they come: texts have 16 bytes beside their own, and each row its times."""
    return int(rows.nbytes + 16 * rows.num_rows)


def instalments(ops: list[Op], bytes_max: int) -> list[tuple[list[Op], list[Op]]]:
    """A queue cut into pieces of about so many bytes, and what is left after each; what is large is cut itself."""
    if not any(op[2] == BULK for op in ops):
        return [(ops, [])]
    cut: list[Op] = []
    sizes: list[int] = []
    for op in ops:
        if op[2] != BULK or not isinstance(op[3], BulkInsert):
            cut.append(op)
            sizes.append(0)
            continue
        rows = op[3].rows
        step = max(1, rows.num_rows * bytes_max // max(1, written_bytes(rows)))
        for at in range(0, rows.num_rows, step):
            cut.append(bulk_op(op[0], BulkInsert(rows.slice(at, step))))
            sizes.append(written_bytes(cut[-1][3].rows))
    ends, held = [], 0
    for i, size in enumerate(sizes):
        if held and held + size > bytes_max:
            ends.append(i)
            held = 0
        held += size
    ends.append(len(cut))
    return [(cut[start:end], cut[end:]) for start, end in zip([0, *ends], ends, strict=False)]


def together(ops: list[Op]) -> list[Op]:
    """The same with insertions that follow each other as one: a statement costs DuckDB a millisecond, whatever it writes, and
    those who write in batches, as Spark does over JDBC, leave dozens."""
    if sum(op[2] == BULK for op in ops) < 2:
        return ops
    made: list[Op] = []
    for same, some in itertools.groupby(ops, _insertion):
        run = list(some)
        made += run if same is None or len(run) == 1 else [_as_one(run)]
    return made


def _insertion(op: Op) -> pa.Schema | None:
    """The columns of an insertion that is in memory as such; None of all else."""
    if op[2] != BULK or not isinstance(op[3], BulkInsert) or isinstance(op[3].rows, EncodedRows):
        return None
    names: list[str] = op[3].rows.schema.names
    return op[3].rows.schema.remove(names.index("_ts")) if "_ts" in names else op[3].rows.schema


def _as_one(ops: list[Op]) -> Op:
    """Insertions of the same columns, each row with its time if these differ."""
    ops = [op for op in ops if op[3].rows.num_rows] or ops[:1]  # no rows have no time
    tables = [op[3].rows for op in ops]
    last = ops[-1][0]
    if any(op[0] != last for op in ops) or any("_ts" in rows.schema.names for rows in tables):
        tables = [_timed(rows, op[0]) for rows, op in zip(tables, ops, strict=True)]
    return bulk_op(last, BulkInsert(pa.concat_tables(tables)))


def _timed(rows: pa.Table, ts: Timestamp) -> pa.Table:
    """With `_ts` as the last column, of one kind: those of parts say that they are not null."""
    if "_ts" in rows.schema.names:
        return rows.drop_columns(["_ts"]).append_column("_ts", rows["_ts"])
    return rows.append_column("_ts", pa.array(np.full(rows.num_rows, ts, np.uint64)))


def write_ops(con: duckdb.DuckDBPyConnection, physical: Physical, ops: list[Op]) -> Written:
    """Applies operations in order, inside the caller's DuckDB transaction."""
    done = Written()
    ops = together(ops)
    start = 0
    for i, op in enumerate(ops):
        if op[2] == BULK:
            _write_rows(con, physical, ops[start:i], done)
            _write_bulk(con, physical, op[3], op[0], done)
            start = i + 1
    _write_rows(con, physical, ops[start:] if start else ops, done)
    return done


def _write_rows(con: duckdb.DuckDBPyConnection, physical: Physical, ops: list[Op], done: Written) -> None:
    if not ops:
        return
    made = [op for op in ops if op[3] is not None]
    ended = [op for op in ops if op[4] >= 0]
    born = {op[2]: op[0] for op in made}
    assert len(born) == len(made), "a row id is used once"
    closed = [op for op in ended if op[4] not in born]
    if closed and len(closed) <= TEXT_ROWS_MAX:
        for ts, _, _, _, rid in closed:
            count = con.execute(physical.close_one(rid, ts)).fetchone()
            done.add_close(count[0] if count else 0, ts)
    elif closed:
        rids = pa.table(
            {
                "_rid": pa.array([op[4] for op in closed], pa.int64()),
                "_ts": pa.array([op[0] for op in closed], pa.uint64()),
            }
        )
        _close(con, physical, rids, 0, done)
    until: list[Timestamp] = []
    if len(closed) < len(ended):  # some came and went meanwhile; at one timestamp: nobody ever sees them
        ends = {op[4]: op[0] for op in ended if op[4] in born}
        made = [op for op in made if ends.get(op[2], OPEN) > op[0]]
        until = [ends.get(op[2], OPEN) for op in made]
        gone = [ts for ts in until if ts != OPEN]
        done.add_close(len(gone), max(gone, default=0))
    if not made:
        return
    done.add_insert(len(made), made[-1][0])
    if len(made) <= TEXT_ROWS_MAX:
        con.execute(physical.insert_rows([(op[3], op[2], op[0]) for op in made], until))
        return
    table = pa.table(
        [
            *rows_to_arrays([op[3] for op in made], physical.types),
            pa.array([op[2] for op in made], pa.int64()),
            pa.array([op[0] for op in made], pa.uint64()),
        ],
        names=[*physical.schema.names, "_rid", "_from"],
    )
    if until:
        table = table.append_column("_to", pa.array(until, pa.uint64()))
    _run(con, physical.insert("incoming", "x._from", "x._to" if until else str(OPEN)), table)


def _write_bulk(
    con: duckdb.DuckDBPyConnection, physical: Physical, op: Any, ts: Timestamp, done: Written
) -> None:
    if isinstance(op, BulkInsert):
        timed = "_ts" in op.rows.schema.names
        incoming: Any = op.rows.reader() if isinstance(op.rows, EncodedRows) else op.rows
        _run(con, physical.insert("incoming", "x._ts" if timed else str(ts)), incoming)
        if timed and op.rows.num_rows:
            ts = max(ts, pc.max(incoming["_ts"]).as_py())  # of those, none is encoded
        done.add_insert(op.rows.num_rows, ts)
    elif isinstance(op, BulkClose):
        _close(con, physical, op.rids, ts, done)
    elif isinstance(op, CloseAll):
        count = con.execute(physical.close_all(ts)).fetchone()
        done.add_close(count[0] if count else 0, ts)
    elif isinstance(op, Switch):
        if op.rows is not None:
            _run(con, op.new.insert("incoming", str(ts)), op.rows)
            done.add_insert(op.rows.num_rows, ts)
        else:
            count = con.execute(op.new.insert_from(op.old, ts)).fetchone()
            done.add_insert(count[0] if count else 0, ts)
    elif not isinstance(op, Widen):  # which was done when the generation was created
        raise TypeError(f"not a bulk operation: {op!r}")


def _close(
    con: duckdb.DuckDBPyConnection, physical: Physical, rids: pa.Table, ts: Timestamp, done: Written
) -> None:
    if "_ts" in rids.column_names:
        count = _run(con, physical.close("incoming", "x._ts"), rids)
        if rids.num_rows:
            ts = max(ts, pc.max(rids["_ts"]).as_py())
    else:
        count = _close_slices(con, physical, rids["_rid"], ts)
    done.add_close(count, ts)


def _close_slices(
    con: duckdb.DuckDBPyConnection, physical: Physical, rids: pa.ChunkedArray, ts: Timestamp
) -> int:
    """All of them end at `ts`. Slice by slice: a join with twenty million ids takes gigabytes, and where all ids of a
    stretch are meant, as is usual for rows that came together, there is nothing to join at all (a tenth of the time)."""
    ids = sorted_distinct(np.asarray(one_array(rids), np.int64))
    count = 0
    for at in range(0, len(ids), CLOSE_ROWS):
        some = ids[at : at + CLOSE_ROWS]
        low, high = int(some[0]), int(some[-1])
        if high - low == len(some) - 1:
            found = con.execute(physical.close_between(low, high, ts)).fetchone()
            count += int(found[0]) if found else 0
        else:
            sql = physical.close_between(low, high, ts, "incoming")
            count += _run(con, sql, pa.table({"_rid": pa.array(some)}))
    return count


def _run(con: duckdb.DuckDBPyConnection, sql: str, incoming: pa.Table | pa.RecordBatchReader) -> int:
    """Executes a statement over the Arrow relation `incoming`; how many rows it touched."""
    con.register("incoming", incoming)
    try:
        row = con.execute(sql).fetchone()
    finally:
        con.unregister("incoming")
    return int(row[0]) if row else 0
