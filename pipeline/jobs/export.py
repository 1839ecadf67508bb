"""Exporting: a table or a query, as of one timestamp, to Parquet or CSV.

    one file         written beside its name and renamed: it is there whole or not at all
    a folder         of Parquet files, by partition columns or by row count; renamed when all are written

The timestamp is settled before anything is read and is part of the summary, so the same export can be made
again while the history is kept, and several exports can be made of one snapshot. Rows stream through COPY: memory holds
a few blocks, whatever the size.

Types in Parquet: booleans, integers, floats, numeric(p,s) up to 38 digits, date, time, timestamp, timestamptz (UTC),
bytea and text kinds are themselves; everything else (numeric without precision, arrays, json, uuid, interval, ...)
is PostgreSQL's text.
"""

from __future__ import annotations

import io
import os
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.dataset as pads
import pyarrow.parquet as pq
from psycopg import errors, sql
from psycopg.pq import ExecStatus

from pipeline.jobs.progress import Progress
from planner import types as t
from planner.abc import TypeRef

BLOCK_BYTES = 4 << 20
ROW_GROUP_ROWS = 122_880
NO_QUERY = (
    "what is exported is one query with columns: SELECT, VALUES, TABLE or WITH ... SELECT; nothing was run"
)
_AS_THEY_ARE = frozenset(
    {
        t.BOOL, t.INT2, t.INT4, t.INT8, t.FLOAT4, t.FLOAT8, t.NUMERIC, t.DATE, t.TIME, t.TIMESTAMP,
        t.TIMESTAMPTZ, t.OID,
    }
)  # fmt: skip


class ExportError(Exception):
    """The export cannot be made; nothing is left behind."""


@dataclass(slots=True)
class ExportSummary:
    """`as_of` is the timestamp of the log that was read."""

    destination: str
    as_of: int = 0
    rows: int = 0
    files: int = 0
    size_bytes: int = 0
    elapsed_s: float = 0.0

    def __str__(self) -> str:
        rate = self.rows / self.elapsed_s if self.elapsed_s else 0.0
        return (
            f"{self.destination}: {self.rows:,} rows as of {self.as_of} in {self.files}"
            f" file{'s' * (self.files != 1)}, {self.size_bytes:,} bytes,"
            f" {self.elapsed_s:.1f} s ({rate:,.0f} rows/s)"
        )


@dataclass(slots=True)
class ExportOptions:
    """`as_of`: a time or a timestamp of the log, "" the present. The last two make a folder of files."""

    format: str | None = None
    as_of: str = ""
    partition_by: Sequence[str] = field(default_factory=list)
    rows_per_file: int = 0
    overwrite: bool = False


def export(
    url: str,
    destination: str,
    *,
    table: str = "",
    query: str = "",
    options: ExportOptions | None = None,
) -> ExportSummary:
    """Writes a table or a query's rows to files. Raises ExportError, psycopg.Error, OSError."""
    options = options or ExportOptions()
    if bool(table) == bool(query):
        raise ExportError("either a table or a query")
    target = Path(destination)
    folder = bool(options.partition_by) or options.rows_per_file > 0
    format = options.format or ("csv" if target.suffix == ".csv" else "parquet")
    if format not in ("csv", "parquet"):
        raise ExportError(f"unknown format {format}: csv or parquet")
    if folder and format == "csv":
        raise ExportError("a folder of files is written in Parquet only")
    if not target.parent.is_dir():
        raise ExportError(f"there is no folder {target.parent}")
    if target.exists() and not options.overwrite:
        raise ExportError(f"{target} is there already: say --overwrite")
    text = (
        sql.SQL("SELECT * FROM {}").format(sql.Identifier(*table.split(".")))
        if table
        else sql.SQL(query.rstrip().rstrip(";"))
    )
    summary, progress = ExportSummary(destination), Progress("rows")
    with psycopg.connect(url, autocommit=True) as connection, _whole(target) as partial:
        summary.as_of = pin(connection, options.as_of)
        connection.execute("SET datestyle = 'ISO'; SET timezone = 'UTC'; SET bytea_output = 'hex'")
        names, types = _described(connection, text)
        for name in options.partition_by:
            if name not in names:
                raise ExportError(f'there is no column "{name}" to partition by')
        if format == "csv":
            summary.rows = _csv(connection, text, partial, progress)
        else:
            summary.rows = _parquet(connection, text, names, types, partial, options, progress, folder=folder)
    written = [target] if target.is_file() else [p for p in target.rglob("*") if p.is_file()]
    summary.files, summary.size_bytes = len(written), sum(p.stat().st_size for p in written)
    summary.elapsed_s = progress.done()
    return summary


def pin(connection: psycopg.Connection[Any], as_of: str = "") -> int:
    """Pins a session to a time, or to everything acknowledged so far; returns the log's timestamp."""
    if not as_of:
        row = connection.execute("SELECT pg_export_snapshot()").fetchone()
        assert row is not None
        as_of = str(int(row[0].partition("-")[0], 16))
    connection.execute("SELECT set_config('tidewire.as_of', %s, false)", [as_of])
    row = connection.execute("SHOW tidewire.as_of").fetchone()
    assert row is not None
    return int(row[0])


@contextmanager
def _whole(target: Path) -> Iterator[Path]:
    """A path to write to that becomes `target` if all goes well, and goes if not."""
    partial = target.with_name(f".{target.name}.{secrets.token_hex(4)}.partial")
    try:
        yield partial
        if target.is_dir() and not target.is_symlink():
            shutil.rmtree(target)
        os.replace(partial, target)
    finally:
        if partial.is_dir():
            shutil.rmtree(partial)
        else:
            partial.unlink(missing_ok=True)


def _described(connection: psycopg.Connection[Any], text: sql.Composable) -> tuple[list[str], list[TypeRef]]:
    # By itself first, and without running it: what is wrong is said of its own text, and not of what is put around it.
    result = connection.pgconn.prepare(b"", text.as_bytes(connection))
    if result.status == ExecStatus.FATAL_ERROR:
        raise errors.error_from_result(result, connection.info.encoding)
    if connection.pgconn.describe_prepared(b"").nfields == 0:
        raise ExportError(NO_QUERY)
    try:
        cursor = connection.execute(sql.SQL("SELECT * FROM ({}\n) AS exported LIMIT 0").format(text))
    except errors.SyntaxError:
        raise ExportError(NO_QUERY) from None
    described = cursor.pgresult
    assert described is not None
    names = [c.name for c in cursor.description or ()]
    if len(set(names)) != len(names):
        raise ExportError("several columns have one name: give them aliases")
    return names, [TypeRef(described.ftype(i), described.fmod(i)) for i in range(described.nfields)]


def _copy(text: sql.Composable, header: str) -> sql.Composed:
    return sql.SQL("COPY ({}\n) TO STDOUT (FORMAT csv{})").format(text, sql.SQL(header))


def _csv(connection: psycopg.Connection[Any], text: sql.Composable, partial: Path, progress: Progress) -> int:
    """The server's own CSV, byte for byte."""
    with connection.cursor() as cursor, open(partial, "wb") as out:
        with cursor.copy(_copy(text, ", HEADER")) as copy:
            for block in copy:
                out.write(block)
                progress.step(bytes(block).count(b"\n"))
        out.flush()
        os.fsync(out.fileno())
        return cursor.rowcount


class CopyStream(io.RawIOBase):
    """COPY's blocks as a file that Arrow reads."""

    def __init__(self, copy: psycopg.Copy) -> None:
        self._copy, self._rest = copy, memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        if not self._rest:
            self._rest = memoryview(self._copy.read())
        count = min(len(buffer), len(self._rest))
        buffer[:count] = self._rest[:count]
        self._rest = self._rest[count:]
        return count


def _parquet(
    connection: psycopg.Connection[Any],
    text: sql.Composable,
    names: Sequence[str],
    types: Sequence[TypeRef],
    partial: Path,
    options: ExportOptions,
    progress: Progress,
    *,
    folder: bool,
) -> int:
    wanted = pa.schema([pa.field(n, _arrow(ref)) for n, ref in zip(names, types, strict=True)])
    with connection.cursor() as cursor:
        with cursor.copy(_copy(text, "")) as copy:
            batches = _decoded(copy, wanted, progress)
            if folder:
                pads.write_dataset(
                    batches,
                    partial,
                    schema=wanted,
                    format="parquet",
                    partitioning=list(options.partition_by) or None,
                    partitioning_flavor="hive" if options.partition_by else None,
                    max_rows_per_file=options.rows_per_file or 0,
                    max_rows_per_group=min(options.rows_per_file or ROW_GROUP_ROWS, ROW_GROUP_ROWS),
                    create_dir=True,
                )
                partial.mkdir(exist_ok=True)  # no rows, no files
            else:
                with pq.ParquetWriter(partial, wanted, compression="zstd") as writer:
                    for batch in batches:
                        writer.write_batch(batch)
        return cursor.rowcount


def _decoded(copy: psycopg.Copy, wanted: pa.Schema, progress: Progress) -> Iterator[pa.RecordBatch]:
    """COPY's CSV as record batches of the wanted schema."""
    read_as = {f.name: pa.string() if pa.types.is_binary(f.type) else f.type for f in wanted}
    stream = io.BufferedReader(CopyStream(copy), BLOCK_BYTES)
    if not stream.peek(1):
        return
    if len(wanted) == 1:
        # A lone NULL is an empty line, which Arrow would skip.
        options = pacsv.ParseOptions(newlines_in_values=True, ignore_empty_lines=False)
    else:
        options = pacsv.ParseOptions(newlines_in_values=True)
    reader = pacsv.open_csv(
        stream,
        pacsv.ReadOptions(column_names=wanted.names, block_size=BLOCK_BYTES),
        options,
        pacsv.ConvertOptions(
            column_types=read_as,
            true_values=["t"],
            false_values=["f"],
            null_values=[""],
            strings_can_be_null=True,
            quoted_strings_can_be_null=False,
        ),
    )
    for batch in reader:
        progress.step(batch.num_rows)
        columns = [
            pa.array([None if v is None else bytes.fromhex(v[2:]) for v in c.to_pylist()], f.type)
            if pa.types.is_binary(f.type)
            else c
            for c, f in zip(batch.columns, wanted, strict=True)
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=wanted)


def _arrow(ref: TypeRef) -> pa.DataType:
    if ref.oid == t.BYTEA:
        return pa.binary()
    if ref.oid not in _AS_THEY_ARE:
        return pa.string()
    kind = t.arrow_type(ref)
    return pa.timestamp("us", "UTC") if ref.oid == t.TIMESTAMPTZ else kind
