"""Loading: files into a table, all of it or none, or all that is good.

    --on-error abort    one transaction: the first bad row ends it and nothing was loaded
    --on-error skip     a transaction per batch; a batch that is refused is halved until the bad rows stand
                        alone, those go to the reject file with the server's reason, the rest is committed
    --resume NAME       a transaction per batch that also says how far the load is (`checkpoint`): a load that was
                        killed goes on where it was when it is started again under the same name

Halving costs two transactions per level and bad row (17 levels for 100,000 rows), so a file that is mostly bad is
slow to load; `rejects_max` ends such a load.
A reject is a JSON line: file, row (or line, where the line is no row), reason, sqlstate, values.
"""

from __future__ import annotations

import io
import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TextIO

import psycopg
import pyarrow as pa
import pyarrow.csv as pacsv
from psycopg import sql

from pipeline.jobs.checkpoint import Checkpoint, CheckpointError
from pipeline.jobs.progress import Progress
from pipeline.jobs.sources import Malformed, Source, SourceColumn, expand
from planner import types as t

BATCH_ROWS = 50_000
REJECTS_MAX = 1_000


class LoadError(Exception):
    """The load ended early; the message says why and what was loaded."""


@dataclass(slots=True)
class LoadSummary:
    """What a load did. `rows` were committed, `before` by earlier runs of a load that was resumed."""

    table: str
    files: int = 0
    rows: int = 0
    rejected: int = 0
    created: bool = False
    elapsed_s: float = 0.0
    columns: list[str] = field(default_factory=list)
    before: int = 0

    def __str__(self) -> str:
        rate = self.rows / self.elapsed_s if self.elapsed_s else 0.0
        made = " (created)" if self.created else ""
        rejected = f", {self.rejected:,} rejected" if self.rejected else ""
        before = f", {self.before:,} were there already" if self.before else ""
        return (
            f"{self.table}{made}: {self.rows:,} rows from {self.files} file{'s' * (self.files != 1)}"
            f" in {self.elapsed_s:.1f} s ({rate:,.0f} rows/s){before}{rejected}"
        )


@dataclass(slots=True)
class LoadOptions:
    """`format` None: from the files' names. `create`: make the table from what the files hold if it is not there.

    `resume`: the name under which the load can be continued; empty: it cannot.
    """

    format: str | None = None
    create: bool = False
    skip_bad: bool = False
    reject_file: Path | None = None
    delimiter: str = ""
    header: bool = True
    batch_rows: int = BATCH_ROWS
    rejects_max: int = REJECTS_MAX
    resume: str = ""


def load(url: str, table: str, paths: Sequence[str], options: LoadOptions | None = None) -> LoadSummary:
    """Loads files into a table. Raises LoadError, SourceError, psycopg.Error."""
    options = options or LoadOptions()
    if options.batch_rows < 1 or options.rejects_max < 0:
        raise LoadError("batch_rows must be at least 1, rejects_max at least 0")
    files, format = expand(paths, options.format)
    source = Source(files, format, delimiter=options.delimiter, header=options.header)
    summary = LoadSummary(table)
    progress = Progress("rows")
    with ExitStack() as stack:
        stack.callback(source.close)
        connection = stack.enter_context(psycopg.connect(url, autocommit=True))
        found = source.columns()
        target = _columns_of(connection, table)
        in_batches = options.skip_bad or bool(options.resume)
        # One transaction makes the table and fills it; otherwise each batch has its own.
        if not in_batches:
            stack.enter_context(connection.transaction())
        if target is None:
            if not options.create:
                raise LoadError(f'table "{table}" does not exist: create it, or say --create')
            if not found:
                raise LoadError(f'the files are empty: there is nothing to make columns of "{table}" of')
            _create(connection, table, found)
            summary.created = True
        checkpoint = None
        try:
            if options.resume:
                checkpoint = Checkpoint.open(connection, options.resume, table, files)
        except CheckpointError as e:
            raise LoadError(str(e)) from e
        rejects = _Rejects(options, stack, checkpoint)
        used = found if target is None else _matched(table, found, target, options.header)
        summary.columns = [c.name for c in used]
        loader = _Loader(connection, table, used, options, rejects, checkpoint, summary, progress)
        try:
            sizes_bytes = [Path(f).stat().st_size for f in files]
            for i, file in enumerate(files):
                loader.files_bytes = sum(sizes_bytes[:i]), sizes_bytes[i], max(sum(sizes_bytes), 1)
                loader.file(source, file)
                summary.files += 1
        except CheckpointError as e:
            raise LoadError(str(e)) from e
        except psycopg.Error as e:
            raise _ended(e, summary, in_batches, loader.place) from e
    summary.rejected = rejects.count
    summary.elapsed_s = progress.done()
    return summary


class _Rejects:
    """The reject file, opened by the first reject; that of a load that goes on is continued where it was."""

    def __init__(self, options: LoadOptions, stack: ExitStack, checkpoint: Checkpoint | None) -> None:
        self._options, self._stack = options, stack
        self._file: TextIO | None = None
        self._before_bytes = checkpoint.reject_bytes if checkpoint is not None else 0
        self._lasting = checkpoint is not None
        self.count = checkpoint.rejects if checkpoint is not None else 0
        self.size_bytes = self._before_bytes

    def add(self, **what: Any) -> None:
        """Raises LoadError when there are more than `rejects_max`."""
        self.count += 1
        if self.count > self._options.rejects_max:
            raise LoadError(f"more than {self._options.rejects_max} bad rows, the last one: {what['reason']}")
        if self._options.reject_file is not None:
            if self._file is None:
                self._file = self._opened(self._options.reject_file)
            self._file.write(json.dumps(what, ensure_ascii=False) + "\n")
            if self._lasting:
                self._file.flush()
                os.fsync(self._file.fileno())
                self.size_bytes = self._file.tell()

    def _opened(self, path: Path) -> TextIO:
        if not self._before_bytes:
            return self._stack.enter_context(path.open("w", encoding="utf-8"))
        size = path.stat().st_size if path.is_file() else 0
        if size < self._before_bytes:
            raise LoadError(
                f"{path} has {size} bytes, and the load that goes on had written {self._before_bytes}"
            )
        os.truncate(path, self._before_bytes)
        return self._stack.enter_context(path.open("a", encoding="utf-8"))


class _Loader:
    def __init__(
        self,
        connection: psycopg.Connection[Any],
        table: str,
        columns: Sequence[SourceColumn],
        options: LoadOptions,
        rejects: _Rejects,
        checkpoint: Checkpoint | None,
        summary: LoadSummary,
        progress: Progress,
    ) -> None:
        self._connection, self._columns, self._options = connection, columns, options
        self._rejects, self._checkpoint = rejects, checkpoint
        self._summary, self._progress = summary, progress
        self.files_bytes = (0, 0, 1)
        """For the bar: the size of the files before this one, of this one, of all."""
        self._sent_bytes = 0
        self.place: tuple[str, int] | None = None
        """The file whose rows are being sent, and the number of the first of these."""
        names = sql.SQL(", ").join(sql.Identifier(c.name) for c in columns)
        self._copy = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT csv)").format(_name(table), names)

    def file(self, source: Source, file: str) -> None:
        options, row = self._options, 1
        skipped = self._sent_bytes = 0
        if self._checkpoint is not None:
            state = self._checkpoint.of(file)
            self._summary.before += state.rows - state.rejects
            if state.done:
                return
            skipped = state.rows
        for batch in source.batches(file, self._columns, options.batch_rows):
            if row + batch.num_rows <= skipped + 1:
                row += batch.num_rows
                continue
            if row <= skipped:
                batch, row = batch.slice(skipped + 1 - row), skipped + 1
            for piece in _pieces(batch, options.batch_rows):
                self.place = file, row
                if options.skip_bad:
                    self._halving(piece, file, row)
                else:
                    self._send(piece, file)
                self.place = None
                row += piece.num_rows
        bad_lines = source.malformed(file, options.rejects_max + 1) if self._columns else []
        for bad in bad_lines:
            if not options.skip_bad:
                kept = f"{self._summary.rows:,} rows stay loaded" if options.resume else "nothing was loaded"
                raise LoadError(f"{_place(bad)}: {bad.reason}; {kept}")
            self._rejects.add(file=bad.file, line=bad.line, reason=bad.reason, text=bad.text)
        self._advance(file, 0, len(bad_lines), done=True)

    def _halving(self, batch: pa.RecordBatch, file: str, row: int) -> None:
        """Sends a batch; what the server refuses is sent again in halves, down to single rows."""
        try:
            self._send(batch, file)
        except (psycopg.DataError, psycopg.IntegrityError) as e:
            if batch.num_rows > 1:
                half = batch.num_rows // 2
                self._halving(batch.slice(0, half), file, row)
                self._halving(batch.slice(half), file, row + half)
                return
            values = dict(zip(self._summary.columns, batch.to_pylist()[0].values(), strict=True))
            self._rejects.add(file=file, row=row, reason=reason_of(e), sqlstate=e.sqlstate, values=values)
            self._advance(file, 1, 1)

    def _advance(self, file: str, rows: int, rejects: int, *, done: bool = False) -> None:
        """Says how far the load is where no rows are written."""
        if self._checkpoint is not None:
            size_bytes = self._rejects.size_bytes
            self._checkpoint.advance(file, rows, rejects, reject_bytes=size_bytes, done=done)
            self._checkpoint.kept(file, rows, rejects, reject_bytes=size_bytes, done=done)

    def _send(self, batch: pa.RecordBatch, file: str) -> None:
        out = io.BytesIO()
        pacsv.write_csv(batch, out, pacsv.WriteOptions(include_header=False, quoting_style="all_valid"))
        if self._checkpoint is None:
            self._copied(out.getvalue())
        else:
            with self._connection.transaction():
                self._copied(out.getvalue())
                self._checkpoint.advance(file, batch.num_rows)
            self._checkpoint.kept(file, batch.num_rows)
        self._summary.rows += batch.num_rows
        before, this, total = self.files_bytes
        self._progress.fraction = (before + min(self._sent_bytes, this)) / total
        self._progress.step(batch.num_rows)

    def _copied(self, text: bytes) -> None:
        self._sent_bytes += len(text)  # about as much as was read of the file
        with self._connection.cursor() as cursor, cursor.copy(self._copy) as copy:
            copy.write(text)


def _pieces(batch: pa.RecordBatch, rows: int) -> Iterator[pa.RecordBatch]:
    for start in range(0, batch.num_rows, rows):
        yield batch.slice(start, rows)


def _columns_of(connection: psycopg.Connection[Any], table: str) -> dict[str, int] | None:
    """The table's columns and their types; None if there is no such table."""
    try:
        cursor = connection.execute(sql.SQL("SELECT * FROM {} LIMIT 0").format(_name(table)))
    except psycopg.errors.UndefinedTable:
        return None
    return {c.name: c.type_code for c in cursor.description or ()}


def _matched(
    table: str, found: Sequence[SourceColumn], target: dict[str, int], by_name: bool
) -> list[SourceColumn]:
    """The columns of the files under the names that the table has for them. Raises LoadError."""
    if not by_name:
        if len(found) > len(target):
            raise LoadError(f'{len(found)} columns in the files, {len(target)} in "{table}"')
        pairs = zip(found, target, strict=False)
        return [_under(c, name, target[name]) for c, name in pairs]
    folded = {name.lower(): name for name in target}
    out = []
    for c in found:
        name = c.name if c.name in target else folded.get(c.name.lower())
        if name is None:
            raise LoadError(f'table "{table}" has no column "{c.name}"; it has {", ".join(target)}')
        out.append(_under(c, name, target[name]))
    return out


def _under(column: SourceColumn, name: str, oid: int) -> SourceColumn:
    """A column of the files as the table's column takes it."""
    expression = column.json_expression if oid in (t.JSON, t.JSONB) else column.expression
    return replace(column, name=name, expression=expression)


def _create(connection: psycopg.Connection[Any], table: str, columns: Sequence[SourceColumn]) -> None:
    cells = sql.SQL(", ").join(
        sql.SQL("{} {}").format(sql.Identifier(c.name), sql.SQL(c.sql_type)) for c in columns
    )
    connection.execute(sql.SQL("CREATE TABLE {} ({})").format(_name(table), cells))


def _name(table: str) -> sql.Identifier:
    return sql.Identifier(*table.split("."))


def reason_of(error: psycopg.Error) -> str:
    """The server's message and what it adds, on one line."""
    diag = error.diag
    return ": ".join(p for p in (diag.message_primary or str(error), diag.message_detail) if p)


def _ended(
    error: psycopg.Error, summary: LoadSummary, in_batches: bool, place: tuple[str, int] | None
) -> LoadError:
    kept = f"{summary.rows:,} rows stay loaded" if in_batches else "nothing was loaded"
    where = _row_of(error.diag.context or "", place)
    return LoadError(f"{where}{reason_of(error)}; {kept}")


_CONTEXT = re.compile(r"line (\d+)(?:, column ([^:]+))?")


def _row_of(context: str, place: tuple[str, int] | None) -> str:
    """Where a row stands that the server refused: it counts from the first that it was sent, not from the file's."""
    if place is None:
        return ""
    file, first = place
    found = _CONTEXT.search(context)
    if found is None:
        return f"{file}: "
    column = f", column {found[2]}" if found[2] else ""
    return f"{file}, row {first - 1 + int(found[1])}{column}: "


def _place(bad: Malformed) -> str:
    return f"{bad.file}, line {bad.line}"
