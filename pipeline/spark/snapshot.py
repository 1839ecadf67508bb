"""Reading: several tables at one timestamp, each a native Parquet scan of Spark's own.

    with Snapshot(spark, "postgresql://...", ["orders", "items"]) as snapshot:
        orders, items = snapshot.table("orders"), snapshot.table("items")      # one moment, no copy, no server

A table as of a timestamp is its parts: rows of the "+" parts, less those whose `_rid` a "-" part names. So a
DataFrame here is a union of at most four scans, by what has to be done to their rows:

    nothing                                            a bare scan: column pruning and filter pushdown are Spark's
    rows of later times have to go                     a filter on `_ts`
    some rows were deleted                             those are left out by `_rid`
    the same, of files that have no `_rid`             which is then counted from the row's place in its file

**What was deleted** goes to every task as bits, a word for 64 rows in which anything was: rows ask for words in the order
of their ids, so a word is looked up 64 times in a row in a table that is small and, where ids are dense, no hash table at all.
(An anti join by `_rid` looks for each row somewhere else in a table that no cache holds.) Very many deletions are joined.

Tables that were only ever appended to are bare scans altogether. Columns are found by attribute number
(Parquet field ids), so parts that were written before a column was renamed or added are read rightly.

**The hold.** Opening takes a lease that keeps the parts, and the history, where they are. A thread renews it while
the `with` block runs; leaving it ends it. A driver that dies leaves a lease that ends by itself.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

import pyarrow as pa
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from pipeline.spark import blobs
from pipeline.spark.server import DEFAULT_URL, TidewireError, ask, ask_json, connected
from pipeline.spark.tables import FIELD_ID, Column, TableShape, spark_type

LEASE_S = 600
BROADCAST_ROWS_MAX = 4_000_000
"""Deletions up to so many (32 MB) go to every task; more are joined by shuffling."""


def open_snapshot(url: str, tables: Sequence[str], as_of: str = "", lease_s: int = LEASE_S) -> dict[str, Any]:
    """The server's description of some tables at one timestamp, held for `lease_s`. Raises TidewireError."""
    return ask_json(
        url,
        "SELECT tidewire_open_snapshot(%s, %s, %s)",
        json.dumps(list(tables)),
        settled(url, as_of),
        lease_s,
    )


def settled(url: str, as_of: str) -> str:
    """A time in any spelling as a timestamp of the log; '' stays the present."""
    if not as_of or as_of.isdigit():
        return as_of
    with connected(url) as connection:
        connection.execute("SELECT set_config('tidewire.as_of', %s, false)", [as_of])
        row = connection.execute("SHOW tidewire.as_of").fetchone()
        assert row is not None
        return str(row[0])


class Snapshot:
    """Tables at one timestamp. See the module. `as_of`: '', a time, or a timestamp of the log."""

    def __init__(
        self,
        spark: SparkSession,
        url: str = DEFAULT_URL,
        tables: Sequence[str] | str = (),
        *,
        as_of: str | int = "",
        lease_s: int = LEASE_S,
    ) -> None:
        self._spark, self._url, self._lease_s = spark, url, lease_s
        names = [tables] if isinstance(tables, str) else list(tables)
        if not names:
            raise TidewireError("a snapshot of which tables?")
        found = open_snapshot(url, names, str(as_of), lease_s)
        self.as_of: int = found["as_of"]
        self._reader: str = found["reader"]
        self._blob: str = found["blob"]
        self._tables = dict(zip(names, found["tables"], strict=True))
        self._over = threading.Event()
        self._lost: TidewireError | None = None
        self._renewer = threading.Thread(target=self._renew, name="tidewire-lease", daemon=True)
        self._renewer.start()
        try:
            blobs.refuse_out_of_reach(spark, self._blob)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        lost = self._lost_meanwhile() if isinstance(error, Exception) else None
        self.close()
        if lost is not None and lost is not error:
            raise lost from error

    def _renew(self) -> None:
        while not self._over.wait(self._lease_s / 4):
            try:
                ask(self._url, "SELECT tidewire_renew_snapshot(%s, %s)", self._reader, self._lease_s)
            except TidewireError as e:
                if e.sqlstate == "55000":
                    self._lost = e
                    return
                # The server may be back before the lease is over: tried again at the next turn.

    def _lost_meanwhile(self) -> TidewireError | None:
        """Why the hold is no more, if that is so: then a missing file is only what became of it."""
        if self._lost is None and not self._over.is_set():
            try:
                ask(self._url, "SELECT tidewire_renew_snapshot(%s, %s)", self._reader, self._lease_s)
            except TidewireError as e:
                if e.sqlstate == "55000":
                    return e
        return self._lost

    def close(self) -> None:
        """Ends the hold. Idempotent; a server that is gone ends it by itself, in time."""
        if self._over.is_set():
            return
        self._over.set()
        try:
            ask(self._url, "SELECT tidewire_close_snapshot(%s)", self._reader)
        except TidewireError as e:
            if e.sqlstate:
                raise

    def table(self, name: str) -> DataFrame:
        """A table as of the snapshot; lazily, like every DataFrame: read it before the snapshot is closed."""
        if self._over.is_set():
            raise TidewireError("the snapshot is closed")
        if self._lost is not None:
            raise self._lost
        if name not in self._tables:
            raise TidewireError(f'table "{name}" is not part of the snapshot: name it when you open it')
        found = self._tables[name]
        return _scan(self._spark, self._blob, TableShape.of(found), found["parts"], self.as_of)


def _scan(
    spark: SparkSession, blob: str, shape: TableShape, parts: Sequence[dict[str, Any]], as_of: int
) -> DataFrame:
    # Deletions first: which of the insertions they can concern is told by ranges of row ids.
    deletions = [p for p in parts if p["kind"] == "-"]
    ranges = {(p["rid_min"], p["rid_max"]) for p in deletions}
    groups: dict[tuple[bool, bool, bool, tuple[tuple[str, str], ...]], list[dict[str, Any]]] = {}
    for part in parts:
        if part["kind"] == "+":
            touched = any(low <= part["rid_max"] and part["rid_min"] <= high for low, high in ranges)
            lacks = tuple(sorted(part["lacks"].items()))
            groups.setdefault((part["filter"], touched, part["positional"] and touched, lacks), []).append(
                part
            )
    rid = T.StructField("_rid", T.LongType())
    ts = T.StructField("_ts", T.DecimalType(20, 0))
    reader = spark.read.options(**blobs.PARQUET_READER)
    spark.conf.set("spark.sql.parquet.fieldId.read.enabled", "true")
    if any(pa.types.is_time64(c.arrow) for c in shape.columns):
        spark.conf.set("spark.sql.timeType.enabled", "true")

    def scan(some: Sequence[dict[str, Any]], fields: Sequence[T.StructField]) -> DataFrame:
        return reader.schema(T.StructType(list(fields))).parquet(
            *(blobs.spark_path(blob, part["key"]) for part in some)
        )

    gone: DataFrame | None = None
    for late in (False, True):
        some = [p for p in deletions if p["filter"] is late]
        if some:
            found = scan(some, [rid, ts] if late else [rid])
            found = found.where(F.col("_ts") <= F.lit(as_of)) if late else found
            found = found.select("_rid")
            gone = found if gone is None else gone.union(found)
    few = sum(p["rows"] for p in deletions) <= BROADCAST_ROWS_MAX
    if gone is not None and few:
        gone = _words(gone)
    made: DataFrame | None = None
    for (late, touched, positional, lacks), some in groups.items():
        hidden = [*([rid] if touched and not positional else []), *([ts] if late else [])]
        frame = scan(some, [*map(_stored, shape.columns), *hidden])
        if late:
            frame = frame.where(F.col("_ts") <= F.lit(as_of))
        if positional:
            bases = [x for p in some for x in (F.lit(p["key"].rpartition("/")[2]), F.lit(p["rid_min"]))]
            first = F.create_map(*bases)[F.col("_metadata.file_name")]
            frame = frame.withColumn("_rid", first + F.col("_metadata.row_index"))
        if touched:
            assert gone is not None
            frame = _without(frame, gone) if few else frame.join(gone, "_rid", "left_anti")
        frame = frame.select(*(_shown(c, dict(lacks)) for c in shape.columns))
        made = frame if made is None else made.union(frame)
    if made is None:
        made = spark.createDataFrame([], shape.spark_schema())
    return made


def _words(gone: DataFrame) -> DataFrame:
    """Row ids as bits of words, for every task: they are few, so one task makes them, without a shuffle."""
    bits = F.bit_or(F.expr("shiftleft(1L, CAST(_rid & 63 AS int))")).alias("_bits")
    return F.broadcast(gone.coalesce(1).groupBy(F.shiftright("_rid", 6).alias("_word")).agg(bits))


def _without(frame: DataFrame, words: DataFrame) -> DataFrame:
    """The rows whose bit is not set."""
    found = frame.withColumn("_word", F.shiftright("_rid", 6)).join(words, "_word", "left_outer")
    return found.where("_bits IS NULL OR (shiftright(_bits, CAST(_rid & 63 AS int)) & 1) = 0")


def _stored(column: Column) -> T.StructField:
    """The field under a name that cannot clash with hidden ones: it is found by its id."""
    kind = T.TimeType(6) if pa.types.is_time64(column.arrow) else spark_type(column.arrow)
    return T.StructField(f"c{column.attnum}", kind, True, {FIELD_ID: column.attnum})


def _shown(column: Column, lacks: Mapping[str, str]) -> SparkColumn:
    """`lacks`: what rows have in columns that are younger than they, by attribute number."""
    missing = lacks.get(str(column.attnum))
    if missing is not None:
        return F.lit(missing).cast(spark_type(column.arrow)).alias(column.name)
    found = F.col(f"c{column.attnum}")
    return (found.cast("string") if pa.types.is_time64(column.arrow) else found).alias(column.name)
