"""Writing: executors write Parquet parts in parallel, the driver commits them, to one table or several, at once.

    write(frame, "orders", url=...)                                     append
    write(frame, "orders", url=..., mode="overwrite")                   nothing else is in the table afterwards
    write(frame, "orders", url=..., mode="upsert")                      by primary key; columns that are left out stay
    write(keys, "orders", url=..., mode="delete")                       the rows with these keys go
    write(frame, "orders", url=..., create=Creation(("id",)))           a table that is not there is made (creating.py)
    write_tables([Write(orders, "orders"), Write(items, "items")], url=...)   all of it, at one timestamp, or nothing

The files are written by Spark's own Parquet writer into a fresh folder of the server's staging area, with the
table's attribute numbers as field ids; then one transaction makes rows of them (`commits`). So:

* a job that fails, or whose driver dies, has written nothing: its files are collected a day later;
* a task that is run twice leaves a file that no commit names;
* a constraint that is violated (a key twice, NOT NULL, CHECK, a reference) fails the whole write, with the server's words;
* a write with a `commit_id` happens once, however often the job is run.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import Column as SparkColumn
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T

from pipeline.spark import blobs, commits
from pipeline.spark.creating import UNDEFINED_TABLE, Creation, create_statement, description_of_new
from pipeline.spark.server import DEFAULT_URL, TidewireError, ask_json
from pipeline.spark.tables import FIELD_ID, Column, TableShape, refuse_mismatches, spark_type

MODES = ("append", "overwrite", "upsert", "delete")


@dataclass(frozen=True)
class Write:
    """Rows for a table, and what is to become of the rows that are there."""

    frame: DataFrame
    table: str
    mode: str = "append"
    create: Creation | None = None
    """That the table is made, if it is not there."""


def write(
    frame: DataFrame,
    table: str,
    *,
    url: str = DEFAULT_URL,
    mode: str = "append",
    commit_id: str = "",
    create: Creation | None = None,
) -> None:
    """Writes a DataFrame to a table: all of it or nothing. Raises TidewireError."""
    write_tables([Write(frame, table, mode, create)], url=url, commit_id=commit_id)


def write_tables(writes: Sequence[Write], *, url: str = DEFAULT_URL, commit_id: str = "") -> None:
    """Writes several tables in one transaction. Raises TidewireError; then none of them was touched."""
    described = []
    for one in writes:
        target = describe(url, one.table, one.frame.schema, one.create)
        blobs.refuse_out_of_reach(one.frame.sparkSession, target.blob)
        check_mode(one.mode, target.shape)
        refuse_mismatches(target.shape, one.frame.schema, partial=one.mode in ("upsert", "delete"))
        described.append(target)
    staged = [_stage(one, target) for one, target in zip(writes, described, strict=True)]
    writer = f"job {commit_id}" if commit_id else f"write {secrets.token_hex(16)}"
    commits.commit(url, writer, 0, staged, last=not commit_id)


@dataclass(frozen=True)
class Target:
    """Where rows go: the table, the blob store, a fresh folder for staged files, and what makes the table first."""

    shape: TableShape
    blob: str
    folder: str
    create: str = ""


def describe(
    url: str, table: str, schema: T.StructType | None = None, creation: Creation | None = None
) -> Target:
    """The table, or the one that rows of a schema would make. Raises TidewireError."""
    found, create = None, ""
    try:
        found = ask_json(url, "SELECT tidewire_describe(%s)", table)
    except TidewireError as e:
        if e.sqlstate != UNDEFINED_TABLE or creation is None or schema is None:
            raise
    if found is None:
        assert schema is not None and creation is not None
        create = create_statement(table, schema, creation)
        found = description_of_new(url, table, create)
    return Target(TableShape.of(found), found["blob"], found["folder"], create)


def check_mode(mode: str, shape: TableShape) -> None:
    if mode not in MODES:
        raise TidewireError(f"unknown mode {mode}: {', '.join(MODES)}")
    if mode in ("upsert", "delete") and not shape.key:
        raise TidewireError(f"table {shape.qualified} has no primary key to {mode} by")


def _stage(one: Write, target: Target) -> commits.StagedTable:
    """Has the executors write the files; returns what to commit."""
    shape = target.shape
    by_name = {c.name: c for c in shape.columns}
    columns = [by_name[n] for n in one.frame.columns]
    if one.mode == "delete":
        columns = [c for c in columns if c.name in shape.key]
    frame = one.frame.select(*(_cast(one.frame, c) for c in columns))
    path = blobs.spark_path(target.blob, target.folder)
    with _settings(frame.sparkSession):
        frame.write.mode("errorifexists").options(**_options(frame.schema)).parquet(path)
    return commits.StagedTable(
        shape.qualified,
        target.folder,
        _files(frame, path),
        [c.name for c in columns],
        "append" if one.mode == "overwrite" else one.mode,
        one.mode == "overwrite",
        target.create,
    )


def _cast(frame: DataFrame, column: Column) -> SparkColumn:
    """The column in the table's own type where Spark has it, under its attribute number."""
    found = F.col("`" + column.name.replace("`", "``") + "`")
    given, wanted = frame.schema[column.name].dataType, spark_type(column.arrow)
    textual = isinstance(wanted, T.StringType | T.StructType) or pa.types.is_time64(column.arrow)
    if given != wanted and not textual:
        found = found.cast(wanted)
    return found.alias(column.name, metadata={FIELD_ID: column.attnum})


_PARQUET = {
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
    "spark.sql.parquet.datetimeRebaseModeInWrite": "CORRECTED",
    "spark.sql.parquet.fieldId.write.enabled": "true",
    "spark.sql.parquet.writeLegacyFormat": "false",
}


_FOLDER_OF_FILES = {
    "fs.file.impl": "org.apache.hadoop.fs.RawLocalFileSystem",
    "fs.file.impl.disable.cache": "true",
    "mapreduce.fileoutputcommitter.marksuccessfuljobs": "false",
    "parquet.page.write-checksum.enabled": "false",
}
"""Of a write alone. What a part is worth is said by the checksum of all its bytes, which the server takes, and whether a job
is done by its transaction: a checksum of each page, a file of checksums beside each file and one that marks success
are read by nobody, and the server would have to collect them."""


def _options(schema: T.StructType) -> dict[str, str]:
    """How Spark's Parquet writer goes about it. As in the server's own parts, only texts have dictionaries (those of numbers
    cost more than they save), and pages are compressed by LZ4: a tenth smaller than by Spark's own Snappy, and whoever reads
    them, Spark or the server, is done sooner by a twentieth."""
    texts = (T.StringType, T.BinaryType)
    plain = [f.name for f in schema if not isinstance(f.dataType, texts)]
    return {
        "compression": "lz4_raw",
        **_FOLDER_OF_FILES,
        **{f"parquet.enable.dictionary#{name}": "false" for name in plain},
    }


@contextmanager
def _settings(spark: SparkSession) -> Iterator[None]:
    """How the server reads timestamps, for as long as a write takes."""
    before = {name: spark.conf.get(name, None) for name in _PARQUET}
    for name, value in _PARQUET.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name, known in before.items():
            if known is None:
                spark.conf.unset(name)
            else:
                spark.conf.set(name, known)


def _files(frame: DataFrame, path: str) -> list[str]:
    """The names of the files that the job has committed, from the folder that it alone writes to."""
    session = frame.sparkSession
    jvm, gateway = session._jvm, session._jsc
    folder = jvm.org.apache.hadoop.fs.Path(path)
    statuses = folder.getFileSystem(gateway.hadoopConfiguration()).listStatus(folder)
    names = [status.getPath().getName() for status in statuses]
    return sorted(n for n in names if n.endswith(".parquet"))
