"""Parts: the pieces that batches are made of, and the bytes they become.

    inline part        msgpack in the part itself            up to about 64 KiB
    Parquet part       a blob, lz4, `_rid` first             the rest
    compacted part     as above with `_ts` second, when its rows happened at several times

A part is described by its `storage.abc.Part`: kind, counts, time, range of row ids, and the CRC-32
of its bytes, which every reader checks: a blob that is short, altered or gone is CorruptBlob with
its name, never a wrong answer. Because the time is in the description and not in the file, a
writer may write first and learn its timestamp later (`Part.at`).

A Parquet part is named `{shard}/{writer}/{random}.parquet`. Names are drawn from injected
randomness and never used twice, so a put needs no condition.

A file without `_rid` was written by somebody who could not know its row ids (Spark, say), and became a part
by being described: its rows are numbered from `rid_min` to `rid_max` in the order in which they stand.
Such files lie under `staging/`, where `gc.collect_staged` looks after those that nobody came to describe.
"""

from __future__ import annotations

import asyncio
import itertools
import random
import zlib
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from storage import rows as codec
from storage.abc import Blob, CorruptBlob, FormatTooNew, InvalidDatum, Part, Row, ShardId, Timestamp
from storage.encodings import chosen

PARQUET_FORMAT = b"1"
"""Stamped into each file, under `tidewire.format`; absent in files that other tools wrote for us."""

RID_FIELD = pa.field("_rid", pa.int64(), nullable=False)
TS_FIELD = pa.field("_ts", pa.uint64(), nullable=False)
HIDDEN = ("_rid", "_ts")
NO_COLUMNS = pa.schema([])
INLINE = "(inline part)"
"""What CorruptBlob names when the bytes are not a blob's; `Shard` says which log they came from."""


class Offload(Protocol):
    """Runs blocking work elsewhere: `asyncio.to_thread`, or inline in a simulation."""

    def __call__(self, work: Callable[..., Any], /, *args: Any) -> Awaitable[Any]: ...


async def inline_offload(work: Callable[..., Any], /, *args: Any) -> Any:
    """The `Offload` of a simulation: here and now, deterministically."""
    return work(*args)


@dataclass(frozen=True, slots=True)
class PartLimits:
    inline_bytes_max: int = 64 * 1024
    row_group_rows: int = 122_880  # what DuckDB scans as one unit of parallelism
    # A million rows of 50 bytes: lz4 is written in 0.28 s and read in 0.06 (DuckDB 0.11), zstd in 0.32
    # and 0.22 (0.16), 1.5 times smaller. Reading them back is what a restart waits for.
    compression: str = "lz4"


# --- inline parts ------------------------------------------------------------------------------


def inline_inserts(inserts: Sequence[tuple[int, Row]], ts: Timestamp = 0) -> Part:
    """(rid, row) pairs as an inline part. Raises InvalidDatum."""
    data = codec.pack_inserts(inserts)
    rids = [rid for rid, _ in inserts]
    return Part("+", len(rids), len(data), ts, data=data, rid_min=min(rids), rid_max=max(rids))


def inline_deletes(rids: Sequence[int], ts: Timestamp = 0) -> Part:
    """Row ids as an inline part of deletions."""
    data = codec.pack_deletes(rids)
    return Part("-", len(rids), len(data), ts, data=data, rid_min=min(rids), rid_max=max(rids))


def timed_inserts(inserts: Sequence[tuple[int, Timestamp, Row]], schema_version: int) -> Part:
    """(rid, ts, row) triples of several times as one inline part."""
    data = codec.pack_timed_inserts(inserts)
    return _timed("+", data, [i[0] for i in inserts], [i[1] for i in inserts], schema_version)


def timed_deletes(deletes: Sequence[tuple[int, Timestamp]]) -> Part:
    """(rid, ts) pairs of several times as one inline part."""
    data = codec.pack_timed_deletes(deletes)
    return _timed("-", data, [d[0] for d in deletes], [d[1] for d in deletes], 0)


def _timed(kind: str, data: bytes, rids: list[int], times: list[int], schema_version: int) -> Part:
    return Part(
        kind,
        len(rids),
        len(data),
        min(times),
        True,
        data=data,
        rid_min=min(rids),
        rid_max=max(rids),
        ts_max=max(times),
        schema_version=schema_version,
    )


def inline_insert_rows(part: Part) -> list[tuple[int, Timestamp, Row]]:
    """(rid, ts, row) of an inline part of insertions, rows as wide as they were written."""
    assert part.data is not None and part.kind == "+"
    try:
        if part.has_ts:
            return codec.unpack_timed_inserts(part.data)
        ts = part.ts
        return [(rid, ts, row) for rid, row in codec.unpack_inserts(part.data)]
    except (ValueError, TypeError, IndexError) as e:
        raise CorruptBlob(INLINE, str(e)) from e


def inline_delete_rids(part: Part) -> list[tuple[int, Timestamp]]:
    """(rid, ts) of an inline part of deletions."""
    assert part.data is not None and part.kind == "-"
    try:
        if part.has_ts:
            return codec.unpack_timed_deletes(part.data)
        ts = part.ts
        return [(rid, ts) for rid in codec.unpack_deletes(part.data)]
    except (ValueError, TypeError, IndexError) as e:
        raise CorruptBlob(INLINE, str(e)) from e


Update = tuple[int, Timestamp, Row]
"""A row inserted or, with an empty row, deleted: (rid, ts, row)."""


def inline_updates(part: Part) -> list[Update]:
    """What happened in an inline part of either kind. Raises CorruptBlob."""
    if part.kind == "+":
        updates = inline_insert_rows(part)
    else:
        updates = [(rid, ts, ()) for rid, ts in inline_delete_rids(part)]
    if len(updates) != part.row_count:
        raise CorruptBlob(INLINE, f"{len(updates)} rows instead of {part.row_count}")
    return updates


def updates_table(updates: Sequence[Update], written: pa.Schema, has_ts: bool) -> pa.Table:
    """Updates as a table: `_rid`, `_ts` if asked for, and the columns of the schema that they were
    written with (an empty one for deletions). Raises CorruptBlob for what that schema cannot hold."""
    try:
        columns = [pa.array([u[0] for u in updates], pa.int64())]
        if has_ts:
            columns.append(pa.array([u[1] for u in updates], pa.uint64()))
        if len(written):
            columns += codec.rows_to_arrow([u[2] for u in updates], written).columns
    except (InvalidDatum, pa.ArrowException, TypeError, ValueError, OverflowError) as e:
        raise CorruptBlob(INLINE, str(e)) from e
    return _with_ids(columns, written, has_ts)


def pieces_table(
    where: str, kind: str, pieces: Iterable[tuple[Timestamp, bytes]], written: pa.Schema | None, has_ts: bool
) -> pa.Table:
    """The data of inline parts without times, and when each happened, as one table: `updates_table` without making a row.

    Raises CorruptBlob, naming `where` they come from.
    """
    assert written is not None or kind == "-", "insertions are read under the schema they were written with"
    found: list[Any] = []
    times: list[Timestamp] = []
    schema = NO_COLUMNS if written is None or kind == "-" else written
    try:
        for ts, data in pieces:
            rows = codec.unpack(data)
            found += rows
            times += [ts] * len(rows)
        if kind == "+" and set(map(len, found)) != {len(schema) + 1}:
            raise ValueError(f"rows are not as wide as their schema, which has {len(schema)} columns")
        columns = [pa.array(map(itemgetter(0), found) if kind == "+" else found, pa.int64())]
        if has_ts:
            columns.append(pa.array(times, pa.uint64()))
        for i, field in enumerate(schema, 1):  # not zip(*found), which holds an iterator for each row
            columns.append(codec.column_to_arrow(list(map(itemgetter(i), found)), field.type))
    except (InvalidDatum, pa.ArrowException, TypeError, ValueError, IndexError, OverflowError) as e:
        raise CorruptBlob(where, str(e)) from e
    return _with_ids(columns, schema, has_ts)


def _with_ids(columns: list[pa.Array], written: pa.Schema, has_ts: bool) -> pa.Table:
    hidden = [RID_FIELD, TS_FIELD] if has_ts else [RID_FIELD]
    if any(c.null_count for c in columns[: len(hidden)]):
        raise CorruptBlob(INLINE, "rows without ids")
    return pa.Table.from_arrays(columns, schema=pa.schema([*hidden, *written]))


def inline_table(part: Part, written: pa.Schema | None) -> pa.Table:
    """An inline part as a table: `_rid`, `_ts` if the part has times, and the columns it was written with.

    Raises CorruptBlob.
    """
    assert written is not None or part.kind == "-", (
        "insertions are read under the schema they were written with"
    )
    return updates_table(
        inline_updates(part), NO_COLUMNS if written is None or part.kind == "-" else written, part.has_ts
    )


def merged_inline(kind: str, updates: Sequence[Update], has_ts: bool) -> Part:
    """Updates as one inline part, whatever its size."""
    if kind == "+":
        if has_ts:
            return timed_inserts(updates, 0)
        return inline_inserts([(rid, row) for rid, _, row in updates], updates[0][1])
    if has_ts:
        return timed_deletes([(rid, ts) for rid, ts, _ in updates])
    return inline_deletes([rid for rid, _, _ in updates], updates[0][1])


# --- Parquet parts -----------------------------------------------------------------------------


def encode_parquet(batches: Iterable[pa.Table], schema: pa.Schema, limits: PartLimits) -> bytes:
    """Tables of one schema as one Parquet file, in row groups of bounded size."""
    sink = pa.BufferOutputStream()
    stamped = schema.with_metadata({b"tidewire.format": PARQUET_FORMAT})
    first = next(batches := iter(batches), None)
    encodings = chosen(first, schema, HIDDEN)
    with pq.ParquetWriter(
        sink,
        stamped,
        compression=limits.compression,
        use_dictionary=encodings.dictionaries or False,
        column_encoding=encodings.by_column,
        store_decimal_as_integer=True,
        write_statistics=True,
    ) as writer:
        for batch in itertools.chain([first] if first is not None else (), batches):
            writer.write_table(batch, row_group_size=limits.row_group_rows)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def open_parquet(part: Part, data: bytes) -> pq.ParquetFile:
    """Verifies the bytes and opens them. Raises CorruptBlob naming the blob."""
    key = part.key or INLINE
    if len(data) != part.size_bytes:
        raise CorruptBlob(key, f"{len(data)} bytes instead of {part.size_bytes}")
    checksum = zlib.crc32(data)
    if checksum != part.checksum:
        raise CorruptBlob(key, f"checksum {checksum:08x} instead of {part.checksum:08x}")
    try:
        file = pq.ParquetFile(pa.BufferReader(data))
        if file.metadata.num_rows != part.row_count:
            raise CorruptBlob(key, f"{file.metadata.num_rows} rows instead of {part.row_count}")
        if "_rid" not in file.schema_arrow.names and part.rid_max - part.rid_min + 1 != part.row_count:
            raise CorruptBlob(key, f"{part.row_count} rows, numbered {part.rid_min} to {part.rid_max}")
        stamp = (file.schema_arrow.metadata or {}).get(b"tidewire.format", PARQUET_FORMAT)
    except (pa.ArrowException, OSError) as e:
        raise CorruptBlob(key, str(e)) from e
    if stamp != PARQUET_FORMAT:
        raise FormatTooNew(f"blob {key!r} has format {stamp.decode(errors='replace')}, this is 1")
    return file


def decode_parquet(part: Part, data: bytes, columns: Sequence[str] | None = None) -> pa.Table:
    """A Parquet part's bytes as a table, all of it or some columns."""
    file = open_parquet(part, data)
    try:
        table = file.read(columns=None if columns is None else list(columns))
    except (pa.ArrowException, OSError) as e:
        raise CorruptBlob(part.key or "", str(e)) from e
    if "_rid" not in file.schema_arrow.names and (columns is None or "_rid" in columns):
        table = numbered(table, part.rid_min)
    return table.replace_schema_metadata(None)


def numbered(table: pa.Table, first_rid: int) -> pa.Table:
    """Rows with row ids in front, counted from `first_rid`."""
    rids = pa.array(np.arange(first_rid, first_rid + table.num_rows, dtype=np.int64))
    return table.add_column(0, RID_FIELD, rids)


def _encoded(batches: Iterable[pa.Table], schema: pa.Schema, limits: PartLimits) -> tuple[bytes, int]:
    """A part's bytes and their checksum: dozens of megabytes, nothing for the loop."""
    data = encode_parquet(batches, schema, limits)
    return data, zlib.crc32(data)


class PartStore:
    """Writes and reads parts in one blob store. Stateless but for the randomness of names."""

    def __init__(
        self,
        blob: Blob,
        rng: random.Random,
        *,
        writer: str = "w",
        offload: Offload = asyncio.to_thread,
        limits: PartLimits | None = None,
        abandoned: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.blob, self.rng, self.writer, self.offload = blob, rng, writer, offload
        self.limits = limits or PartLimits()
        self.abandoned = abandoned
        """Told of blobs that are there, or may be, and that no part will ever name: whoever wanted them had been cancelled."""

    def new_key(self, shard: ShardId) -> str:
        return f"{shard}/{self.writer}/{self.rng.getrandbits(128):032x}.parquet"

    async def write(self, shard: ShardId, kind: str, table: pa.Table, ts: Timestamp = 0) -> Part:
        """Writes a Parquet part. `table` has `_rid` first, then maybe `_ts`, then the columns.

        Raises StorageFull, Determinate, Indeterminate. The part is durable when this returns, and an
        orphan until a state names it.
        """
        if table.num_columns == 0 or table.schema.field(0).name != "_rid":
            raise InvalidDatum("a part's first column is _rid")
        return await self.write_stream(shard, kind, [table], table.schema, ts)

    async def write_stream(
        self, shard: ShardId, kind: str, batches: Iterable[pa.Table], schema: pa.Schema, ts: Timestamp = 0
    ) -> Part:
        """`write` from an iterator, one batch in memory at a time beside the compressed file."""
        seen = _Extent()
        data, checksum = await self.offload(_encoded, seen.watch(batches), schema, self.limits)
        if seen.rows == 0:
            raise InvalidDatum("a part without rows is no part")
        key = self.new_key(shard)
        await self._put(key, data)
        has_ts = "_ts" in schema.names[:2]
        return Part(
            kind,
            seen.rows,
            len(data),
            seen.ts_min if has_ts else ts,
            has_ts,
            key,
            None,
            checksum,
            seen.rid_min,
            seen.rid_max,
            seen.ts_max if has_ts else 0,
        )

    async def _put(self, key: str, data: bytes) -> None:
        """A put that has begun is not stopped by cancelling who waits for it: a thread is at it. When it is over, it is known as
        `abandoned`."""
        putting = asyncio.ensure_future(self.blob.put(key, data))
        try:
            await asyncio.shield(putting)
        except asyncio.CancelledError:
            putting.add_done_callback(lambda done: self._put_in_vain(key, done))
            raise

    def _put_in_vain(self, key: str, done: asyncio.Future[None]) -> None:
        if not done.cancelled():
            done.exception()  # nobody is there to hear of it
        self.abandoned(key)

    async def stage(
        self, shard: ShardId, kind: str, table: pa.Table, ts: Timestamp = 0, schema_version: int = 0
    ) -> Part:
        """A part of whatever sort suits the size: inline when small. `table` as for `write`, no `_ts`."""
        if table.nbytes <= self.limits.inline_bytes_max:
            part = self.inline_of(kind, table, ts)
            if part.size_bytes <= self.limits.inline_bytes_max:
                return replace(part, schema_version=schema_version)
        return replace(await self.write(shard, kind, table, ts), schema_version=schema_version)

    @staticmethod
    def inline_of(kind: str, table: pa.Table, ts: Timestamp = 0) -> Part:
        """A small table (`_rid`, columns) as an inline part."""
        rids = table.column(0).to_pylist()
        if kind == "-":
            return inline_deletes(rids, ts)
        rows = codec.arrow_to_rows(table.select(range(1, table.num_columns)))
        return inline_inserts(list(zip(rids, rows, strict=True)), ts)

    async def read(self, part: Part, columns: Sequence[str] | None = None) -> pa.Table:
        """A Parquet part's rows as they were written. Raises CorruptBlob naming the blob."""
        assert part.key is not None
        data = await self.blob.get(part.key)
        table: pa.Table = await self.offload(decode_parquet, part, data, columns)
        return table


class _Extent:
    """What a part's description needs to know of the rows that pass."""

    def __init__(self) -> None:
        self.rows = 0
        self.rid_min, self.rid_max = (1 << 63) - 1, 0
        self.ts_min, self.ts_max = (1 << 64) - 1, 0

    def watch(self, batches: Iterable[pa.Table]) -> Iterator[pa.Table]:
        for batch in batches:
            if batch.num_rows == 0:
                continue
            self.rows += batch.num_rows
            low_high = pc.min_max(batch.column(0)).as_py()
            self.rid_min = min(self.rid_min, low_high["min"])
            self.rid_max = max(self.rid_max, low_high["max"])
            if batch.num_columns > 1 and batch.schema.field(1).name == "_ts":
                low_high = pc.min_max(batch.column(1)).as_py()
                self.ts_min = min(self.ts_min, low_high["min"])
                self.ts_max = max(self.ts_max, low_high["max"])
            yield batch


# --- descriptions on the wire ------------------------------------------------------------------


def part_to_list(part: Part) -> list[Any]:
    """A part's description for msgpack (the shard's state, the txns log)."""
    return [
        part.kind,
        part.row_count,
        part.size_bytes,
        part.ts,
        part.has_ts,
        part.key,
        part.data,
        part.checksum,
        part.rid_min,
        part.rid_max,
        part.ts_max,
        part.schema_version,
    ]


def part_from_list(fields: Sequence[Any]) -> Part:
    return Part(*fields)
