"""Structured Streaming, both ways.

**Source**: the change feed of a table. Offsets are timestamps of the log, `{"ts": 1767268800000000}`; a micro-batch is
everything committed in (start, end], exactly that, and again the same when it is asked for again.

    _change        insert or delete; an UPDATE is the deletion of the old row and the insertion of the new one
    _commit_ts     the timestamp of the commit; micro-batches come in its order, and rows within one are sorted by it
    ...            the columns of the row that came, or of the one that went

    startingFrom   snapshot (default): first the table as it is, as insertions at one timestamp, then the changes
                   latest: changes from now on           or a timestamp of the log, or a time: changes after it

A stream that runs holds the history from its offset on (`history_hold`). One that was away for longer than history is
kept ends with an error (22023), never with a gap. Where nothing happens to a table, the offset still follows the present,
a step at a time, by micro-batches without rows.

**Sink**: tasks stage files, the driver commits them with the batch's number in the same transaction (`commits`).
Spark may ask for a batch again, after a failure or a restart: the number tells. The query is known by its id, which
tasks read from their local properties and carry in their messages. `commit` returns when the server has answered,
so the global timestamp has reached the commit, and whoever sees the batch reported can read its rows.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.csv as pacsv
from psycopg import sql
from pyspark import TaskContext
from pyspark.sql import datasource as ds
from pyspark.sql import types as T

from pipeline.jobs.export import CopyStream
from pipeline.spark import commits
from pipeline.spark.causes import cause_first
from pipeline.spark.history_hold import HistoryHold
from pipeline.spark.server import TidewireError, connected
from pipeline.spark.snapshot import settled
from pipeline.spark.source import Staged, StagedFiles, TableWriter
from pipeline.spark.tables import Column, TableShape, for_spark, spark_arrow_schema
from pipeline.spark.writing import Target, describe
from planner import types as t
from planner.abc import TypeRef

_FEED = [T.StructField("_change", T.StringType()), T.StructField("_commit_ts", T.LongType())]
BATCH_ROWS = 65_536
IDLE_US = 60_000_000
"""So long nothing may happen to a table until the offset is moved on."""


def feed_schema(shape: TableShape) -> T.StructType:
    """The columns of a change feed."""
    return T.StructType([*_FEED, *shape.spark_schema()])


# --- the source ----------------------------------------------------------------------------------


class Interval(ds.InputPartition):
    """What was committed in (after, upto]; after 0: the table as it is at `upto`."""

    def __init__(self, after: int, upto: int) -> None:
        super().__init__((after, upto))
        self.after, self.upto = after, upto


@cause_first("initialOffset", "latestOffset")
class NoFeed(ds.DataSourceStreamReader):
    """Of a stream whose options are wrong. Spark loses what `streamReader` raises, so it is said when offsets are asked for."""

    def __init__(self, error: TidewireError) -> None:
        self.error = error

    def initialOffset(self) -> dict[str, int]:
        raise self.error

    def latestOffset(self, start: Any = None, limit: Any = None) -> dict[str, int]:
        return self.initialOffset()

    def read(self, partition: ds.InputPartition) -> Iterator[Any]:
        raise AssertionError("there are no offsets to read between")


@cause_first("initialOffset", "latestOffset", "partitions", "read")
class ChangeReader(ds.DataSourceStreamReader):
    """See the module."""

    def __init__(self, url: str, table: str, start: str = "snapshot") -> None:
        self.url, self.start = url, start
        self.shape = describe(url, table).shape
        self.hold: HistoryHold | None = HistoryHold(url, self.shape.qualified)

    def __getstate__(self) -> dict[str, Any]:
        """For tasks: what is held is held by the driver."""
        return self.__dict__ | {"hold": None}

    def initialOffset(self) -> dict[str, int]:
        if self.start == "snapshot":
            return {"ts": 0}
        if self.start == "latest":
            return {"ts": self._now()}
        return {"ts": int(settled(self.url, self.start))}

    def _now(self) -> int:
        with connected(self.url) as connection:
            row = connection.execute("SELECT pg_export_snapshot()").fetchone()
            assert row is not None
            return int(row[0].partition("-")[0], 16)

    def latestOffset(self, start: Any = None, limit: Any = None) -> dict[str, int]:
        """The newest commit of the table; where it was asked to start, if there is none after it."""
        known = int(start["ts"]) if start else self.initialOffset()["ts"]
        now = self._now()
        if known == 0:
            return {"ts": now}
        self._held_from(known)
        text = sql.SQL("SELECT max(_commit_ts) FROM tidewire_changes({}, {}, {})").format(
            sql.Literal(self.shape.qualified), sql.Literal(known), sql.Literal(now)
        )
        with connected(self.url) as connection:
            row = connection.execute(text).fetchone()
            assert row is not None
        if row[0] is not None:
            return {"ts": int(row[0])}
        # An offset that stayed where it is would be left behind by the history.
        return {"ts": now if now - known >= IDLE_US else known}

    def partitions(self, start: dict[str, int], end: dict[str, int]) -> Sequence[ds.InputPartition]:
        after, upto = int(start["ts"]), int(end["ts"])
        self._held_from(after or upto)
        return [Interval(after, upto)]

    def _held_from(self, ts: int) -> None:
        if self.hold is not None:
            self.hold.move(ts)

    def stop(self) -> None:
        if self.hold is not None:
            self.hold.close()

    def read(self, partition: ds.InputPartition) -> Iterator[pa.RecordBatch]:
        assert isinstance(partition, Interval)
        yield from _feed(self.url, self.shape, partition.after, partition.upto)

    def commit(self, end: dict[str, int]) -> None:
        """The server keeps history by time: there is nothing to tell it."""


def _feed(url: str, shape: TableShape, after: int, upto: int) -> Iterator[pa.RecordBatch]:
    """The rows of a micro-batch, in the order of commits, deletions of a commit before its insertions."""
    names = sql.SQL(", ").join(sql.Identifier(c.name) for c in shape.columns)
    if after == 0:
        query = sql.SQL("SELECT 'insert', {}::bigint, {} FROM {}").format(
            sql.Literal(upto), names, sql.SQL(shape.qualified)
        )
    else:
        query = sql.SQL(
            "SELECT _change, _commit_ts, {} FROM tidewire_changes({}, {}, {}) ORDER BY _commit_ts, _change"
        ).format(names, sql.Literal(shape.qualified), sql.Literal(after), sql.Literal(upto))
    with connected(url) as connection:
        connection.execute("SET datestyle = 'ISO'; SET timezone = 'UTC'; SET bytea_output = 'hex'")
        if after == 0:
            connection.execute("SELECT set_config('tidewire.as_of', %s, false)", [str(upto)])
        copied = sql.SQL("COPY ({}) TO STDOUT (FORMAT csv)").format(query)
        with connection.cursor() as cursor, cursor.copy(copied) as copy:
            stream = io.BufferedReader(CopyStream(copy), 8 << 20)
            if stream.peek(1):
                yield from _decoded(stream, shape)


def _decoded(stream: Any, shape: TableShape) -> Iterator[pa.RecordBatch]:
    """The feed's CSV as record batches."""
    target = spark_arrow_schema(feed_schema(shape))
    reader = pacsv.open_csv(
        stream,
        pacsv.ReadOptions(column_names=target.names, block_size=8 << 20),
        pacsv.ParseOptions(newlines_in_values=True),
        pacsv.ConvertOptions(
            column_types={
                "_change": pa.string(),
                "_commit_ts": pa.int64(),
                **{c.name: _read_as(c) for c in shape.columns},
            },
            true_values=["t"],
            false_values=["f"],
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    for batch in reader:
        columns = [*batch.columns[:2]]
        columns += [_canonical(a, c) for a, c in zip(batch.columns[2:], shape.columns, strict=True)]
        table = for_spark(pa.Table.from_arrays(list(map(_chunked, columns)), names=target.names), target)
        yield from table.combine_chunks().to_batches(BATCH_ROWS)


def _chunked(array: Any) -> pa.ChunkedArray:
    return array if isinstance(array, pa.ChunkedArray) else pa.chunked_array([array])


def _read_as(column: Column) -> pa.DataType:
    """The type in which CSV gives the column; what CSV has no reader for comes as text."""
    kind = column.arrow
    k = pa.types
    plain = k.is_boolean(kind) or k.is_integer(kind) or k.is_floating(kind) or k.is_decimal(kind)
    return kind if plain else pa.string()


def _canonical(array: pa.Array, column: Column) -> Any:
    """The column in its stored type, from PostgreSQL's text where it came as that."""
    if array.type.equals(column.arrow):
        return array
    ref = TypeRef(column.oid, column.typmod)
    read = t.text_input(ref)
    return t.from_datums([None if v is None else read(v) for v in array.to_pylist()], ref)


# --- the sink ------------------------------------------------------------------------------------


@cause_first("write", "commit")
class StreamWriter(ds.DataSourceStreamArrowWriter):
    """Exactly-once: a batch is committed with its number, or is found to be there. See the module."""

    def __init__(self, target: Target, url: str, schema: T.StructType, mode: str) -> None:
        self.batch = TableWriter(target, url, schema, mode)

    def write(self, iterator: Iterator[pa.RecordBatch]) -> Staged:
        context = TaskContext.get()
        query = context.getLocalProperty("sql.streaming.queryId") if context is not None else None
        if not query:
            raise TidewireError("this task belongs to no streaming query: who should the batch be known by?")
        batch = self.batch
        files, rows = StagedFiles(batch.target, batch.schema).write(iterator)
        return Staged(batch.target.folder, files, rows, query)

    def commit(self, messages: list[Any], batchId: int) -> None:
        told = [m for m in messages if m is not None]
        if not told:
            return  # no task, no rows
        writer = f"stream {told[0].query} into {self.batch.shape.qualified}"
        commits.commit(self.batch.url, writer, batchId, self.batch.staged(told))

    def abort(self, messages: list[Any], batchId: int) -> None:
        """May come for a batch that was committed: it takes nothing back."""
