"""`format("tidewire")`: Spark's Python Data Source, for reading, writing and streams.

    spark.read.format("tidewire").option("url", ...).option("table", "orders").load()
    frame.write.format("tidewire").option("url", ...).option("table", "orders").mode("append").save()
    spark.readStream.format("tidewire")...    frame.writeStream.format("tidewire")...      (streams.py)

    option          of                what
    url             all               the server (or host, port, user, password, database)
    table           all               TABLE or SCHEMA.TABLE
    asOf            read              a time, or a timestamp of the log; default: the present
    columns         read              a comma-separated list: Spark does not prune the columns of Python sources
    leaseSeconds    read              how long parts are held without a task that renews the hold (600)
    mode            write             upsert or delete, by primary key; without it Spark's append and overwrite
    commitId        write             the write happens once, however often it is run
    create          write             true: a table that is not there is made from the frame's schema (creating.py)
    primaryKey      write             its primary key: columns, separated by commas

Any other is an error (options.py).

Everything goes through Arrow and the blob store; `Snapshot` and `write` (snapshot.py, writing.py) do the same with Spark's
own Parquet scans, about twice as fast, and for several tables at once.

Where what runs: `schema()` opens the snapshot, and the instance is pickled after it, so all tasks read one timestamp.
Each task renews the hold while it reads; who reads last is not told, so the hold ends by itself. A writer's
`commit` gets the messages of winning tasks only, and `abort` may be called after a commit whose answer was lost: so
abort deletes nothing, what no commit names is collected by the server.
"""

from __future__ import annotations

import io
import secrets
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyspark.sql import datasource as ds
from pyspark.sql import types as T

from pipeline.spark import blobs, commits
from pipeline.spark.causes import cause_first
from pipeline.spark.creating import creation_of
from pipeline.spark.filters import pushed
from pipeline.spark.options import check_options, flag, names_of, table_of
from pipeline.spark.server import TidewireError, ask, url_of
from pipeline.spark.snapshot import LEASE_S, open_snapshot
from pipeline.spark.tables import TableShape, for_spark, refuse_mismatches, refuse_unlike, spark_arrow_schema
from pipeline.spark.writing import Target, check_mode, describe
from storage.rows import conform

FILE_BYTES = 64 << 20
"""Arrow bytes of one staged file: what a task keeps in memory."""
BATCH_ROWS = 65_536


@cause_first("schema", "reader", "writer", "streamReader", "streamWriter")
class TidewireSource(ds.DataSource):
    """See the module."""

    @classmethod
    def name(cls) -> str:
        return "tidewire"

    def __init__(self, options: Any) -> None:
        super().__init__(options)
        self.url = url_of(options)
        self.snapshot: dict[str, Any] | None = None

    def _lease_s(self) -> int:
        text = self.options.get("leaseSeconds", str(LEASE_S))
        if not text.isdigit():
            raise TidewireError(f"leaseSeconds is a number of seconds, not {text}")
        return int(text)

    def _opened(self) -> dict[str, Any]:
        """The snapshot, pinned by whoever asks first."""
        if self.snapshot is None:
            table = table_of(self.options)
            self.snapshot = open_snapshot(self.url, [table], self.options.get("asOf", ""), self._lease_s())
        return self.snapshot

    def schema(self) -> T.StructType:
        feed = flag(self.options, "changes")
        # Which of the two is to come Spark does not say here.
        check_options(self.options, "readStream" if feed else "read")
        if feed:
            from pipeline.spark.streams import feed_schema

            return feed_schema(describe(self.url, table_of(self.options)).shape)
        full = TableShape.of(self._opened()["tables"][0]).spark_schema()
        wanted = names_of(self.options, "columns")
        unknown = [n for n in wanted if n not in full.names]
        if unknown:
            raise TidewireError(f"there is no column {', '.join(unknown)} in {table_of(self.options)}")
        return T.StructType([full[n] for n in wanted]) if wanted else full

    def reader(self, schema: T.StructType) -> ds.DataSourceReader:
        check_options(self.options, "read")
        refuse_unlike(TableShape.of(self._opened()["tables"][0]), schema)
        return TableReader(self.url, self._opened(), schema, self._lease_s())

    def writer(self, schema: T.StructType, overwrite: bool) -> ds.DataSourceWriter:
        check_options(self.options, "write")
        given = self.options.get("mode", "").lower()
        if given and overwrite:
            raise TidewireError('option "mode" goes with .mode("append")')
        mode = "overwrite" if overwrite else given or "append"
        commit_id = self.options.get("commitId", "")
        return TableWriter(self._target(schema), self.url, schema, mode, commit_id)

    def _target(self, schema: T.StructType) -> Target:
        return describe(self.url, table_of(self.options), schema, creation_of(self.options))

    def streamReader(self, schema: T.StructType) -> ds.DataSourceStreamReader:
        from pipeline.spark.streams import ChangeReader, NoFeed

        try:
            if not flag(self.options, "changes"):
                raise TidewireError('a stream reads the changes of a table: say .option("changes", "true")')
            check_options(self.options, "readStream")
        except TidewireError as e:
            return NoFeed(e)
        return ChangeReader(self.url, table_of(self.options), self.options.get("startingFrom", "snapshot"))

    def streamWriter(self, schema: T.StructType, overwrite: bool) -> ds.DataSourceStreamWriter:
        from pipeline.spark.streams import StreamWriter

        check_options(self.options, "writeStream")
        given = self.options.get("mode", "").lower()
        if given and overwrite:
            raise TidewireError('option "mode" goes with outputMode("append")')
        if given == "overwrite":  # a table that holds the last batch only, whichever that was
            raise TidewireError('option "mode" of a stream is append, upsert or delete, not overwrite')
        mode = "overwrite" if overwrite else given or "append"
        return StreamWriter(self._target(schema), self.url, schema, mode)


# --- reading -------------------------------------------------------------------------------------


class PartPartition(ds.InputPartition):
    """One part of insertions, and the deletions that may concern it."""

    def __init__(self, part: dict[str, Any], deletions: list[dict[str, Any]]) -> None:
        super().__init__(part["key"])
        self.part, self.deletions = part, deletions


@cause_first("partitions", "read")
class TableReader(ds.DataSourceReader):
    """A table at one timestamp, a task for each part."""

    def __init__(self, url: str, snapshot: dict[str, Any], schema: T.StructType, lease_s: int) -> None:
        self.url, self.snapshot, self.schema, self.lease_s = url, snapshot, schema, lease_s
        self.condition: Any = None

    def pushFilters(self, filters: list[Any]) -> Iterable[Any]:
        """Takes the filters that Arrow computes as Spark does; Spark computes all of them again where it must."""
        self.condition, left = pushed(filters, set(self.schema.names))
        return left

    def partitions(self) -> Sequence[ds.InputPartition]:
        parts = self.snapshot["tables"][0]["parts"]
        deletions = [p for p in parts if p["kind"] == "-"]
        return [
            PartPartition(
                part,
                [d for d in deletions if d["rid_min"] <= part["rid_max"] and d["rid_max"] >= part["rid_min"]],
            )
            for part in parts
            if part["kind"] == "+"
        ]

    def read(self, partition: ds.InputPartition) -> Iterator[pa.RecordBatch]:
        if not isinstance(partition, PartPartition):
            return  # no parts, no rows
        shape = TableShape.of(self.snapshot["tables"][0])
        with _Renewing(self.url, self.snapshot["reader"], self.lease_s):
            yield from self._rows(shape, partition)

    def _rows(self, shape: TableShape, partition: PartPartition) -> Iterator[pa.RecordBatch]:
        blob, as_of, part = self.snapshot["blob"], self.snapshot["as_of"], partition.part
        gone = [_rids(blob, d, as_of) for d in partition.deletions]
        dead = np.unique(np.concatenate(gone)) if gone else None
        target = spark_arrow_schema(self.schema)
        places = {c.name: i for i, c in enumerate(shape.columns)}
        wanted = pa.schema([shape.stored.field(places[n]) for n in self.schema.names])
        file = pq.ParquetFile(pa.BufferReader(blobs.get(blob, part["key"])))
        if file.metadata.num_rows != part["rows"]:
            raise TidewireError(f"blob {part['key']} is not the part that was described")
        hidden = [n for n in ("_rid", "_ts") if n in file.schema_arrow.names]
        ids = {(f.metadata or {}).get(b"PARQUET:field_id") for f in wanted}
        there = [f.name for f in file.schema_arrow if (f.metadata or {}).get(b"PARQUET:field_id") in ids]
        first = part["rid_min"]
        for batch in file.iter_batches(BATCH_ROWS, columns=[*hidden, *there]):
            table = pa.Table.from_batches([batch]).replace_schema_metadata(None)
            if dead is not None:
                if part["positional"]:
                    rids = np.arange(first, first + table.num_rows, dtype=np.int64)
                else:
                    rids = table.column("_rid").to_numpy()
                first += table.num_rows
                alive = ~np.isin(rids, dead, assume_unique=False)
                if not alive.all():
                    table = table.filter(pa.array(alive))
            if part["filter"]:
                table = table.filter(pc.less_equal(table.column("_ts"), pa.scalar(as_of, pa.uint64())))
            table = conform(table, wanted)
            if table.column_names[: len(hidden)] == hidden:
                table = table.select(range(len(hidden), table.num_columns))
            table = for_spark(table, target)
            if self.condition is not None:
                table = table.filter(self.condition)
            yield from table.combine_chunks().to_batches()


def _rids(blob: str, part: dict[str, Any], as_of: int) -> Any:
    """The row ids of a part of deletions."""
    found = pq.read_table(pa.BufferReader(blobs.get(blob, part["key"])))
    if part["filter"]:
        found = found.filter(pc.less_equal(found.column("_ts"), pa.scalar(as_of, pa.uint64())))
    return found.column("_rid").to_numpy()


class _Renewing:
    """Renews a hold now, and from time to time while a task reads."""

    def __init__(self, url: str, reader: str, lease_s: int) -> None:
        self._url, self._reader, self._lease_s = url, reader, lease_s
        self._over = threading.Event()

    def _renew(self) -> None:
        ask(self._url, "SELECT tidewire_renew_snapshot(%s, %s)", self._reader, self._lease_s)

    def _run(self) -> None:
        while not self._over.wait(self._lease_s / 4):
            try:
                self._renew()
            except TidewireError:
                return  # the next read of a blob tells whether it matters

    def __enter__(self) -> None:
        self._renew()
        threading.Thread(target=self._run, daemon=True).start()

    def __exit__(self, *_: object) -> None:
        self._over.set()


# --- writing -------------------------------------------------------------------------------------


@dataclass
class Staged(ds.WriterCommitMessage):
    """What a task has written, and where: the driver that commits a stream asks for a writer of its own, with another
    folder than that of the tasks."""

    folder: str
    files: list[str]
    rows: int
    query: str = ""


class StagedFiles:
    """A task's files: record batches in, Parquet under random names out."""

    def __init__(self, target: Target, schema: T.StructType) -> None:
        self.target, self.names = target, list(schema.names)

    def write(self, batches: Iterator[pa.RecordBatch]) -> tuple[list[str], int]:
        files: list[str] = []
        waiting: list[pa.RecordBatch] = []
        size_bytes = rows = 0
        for batch in batches:
            waiting.append(batch)
            size_bytes += batch.nbytes
            rows += batch.num_rows
            if size_bytes >= FILE_BYTES:
                files.append(self._put(waiting))
                waiting, size_bytes = [], 0
        if any(b.num_rows for b in waiting):
            files.append(self._put(waiting))
        return files, rows

    def _put(self, batches: list[pa.RecordBatch]) -> str:
        table, shape = pa.Table.from_batches(batches), self.target.shape
        fields, arrays = [], []
        known = {c.name: i for i, c in enumerate(shape.columns)}
        for name, column in zip(self.names, table.columns, strict=True):
            wanted = shape.stored.field(known[name])
            if not column.type.equals(wanted.type) and not (
                pa.types.is_string(column.type) or pa.types.is_string(wanted.type)
            ):
                try:
                    column = column.cast(wanted.type)
                except pa.ArrowException as e:
                    raise TidewireError(f'column "{name}": {e}') from None
            arrays.append(column)
            fields.append(wanted.with_name(name).with_type(column.type))
        sink = io.BytesIO()
        pq.write_table(pa.Table.from_arrays(arrays, schema=pa.schema(fields)), sink, compression="lz4")
        name = f"{secrets.token_hex(16)}.parquet"
        blobs.put(self.target.blob, f"{self.target.folder}/{name}", sink.getvalue())
        return name


@cause_first("write", "commit")
class TableWriter(ds.DataSourceArrowWriter):
    """A batch write: every task stages files, `commit` makes rows of those of the winning tasks."""

    def __init__(
        self, target: Target, url: str, schema: T.StructType, mode: str, commit_id: str = ""
    ) -> None:
        self.url, self.mode, self.commit_id = url, mode, commit_id
        self.target, self.shape = target, target.shape
        check_mode(mode, self.shape)
        refuse_mismatches(self.shape, schema, partial=mode in ("upsert", "delete"))
        if mode == "delete":
            kept = [f for f in schema if f.name in self.shape.key]
            if len(kept) != len(schema):
                raise TidewireError("what is deleted is said by the primary key alone: select its columns")
        self.schema = schema

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Staged:
        files, rows = StagedFiles(self.target, self.schema).write(iterator)
        return Staged(self.target.folder, files, rows)

    def staged(self, messages: Sequence[Any]) -> list[commits.StagedTable]:
        """What there is to commit, a folder at a time; a table to overwrite is emptied before the first."""
        folders: dict[str, list[str]] = {}
        for m in messages:
            if m is not None:
                folders.setdefault(m.folder, []).extend(m.files)
        overwrite = self.mode == "overwrite"
        names, mode = list(self.schema.names), "append" if overwrite else self.mode
        return [
            commits.StagedTable(
                self.shape.qualified, folder, files, names, mode, overwrite and n == 0, self.target.create
            )
            for n, (folder, files) in enumerate((folders or {self.target.folder: []}).items())
        ]

    def commit(self, messages: list[Any]) -> None:
        writer = f"job {self.commit_id}" if self.commit_id else f"write {self.target.folder}"
        commits.commit(self.url, writer, 0, self.staged(messages), last=not self.commit_id)

    def abort(self, messages: list[Any]) -> None:
        """Nothing was committed, or everything was: in both cases there is nothing to take back."""
