"""COPY FROM staged Parquet: rows that others wrote to the blob store become rows of a table.

    writers (Spark's executors)    staging/<name>/*.parquet            as many as they like, in parallel
    one client                     BEGIN
                                   COPY t FROM 'staging/<name>' (FORMAT parquet, FILES '["a.parquet", ...]')
                                   COPY u FROM ...
                                   COMMIT                              all of them at one timestamp, or none

    MODE append    new rows (the default)
    MODE upsert    rows whose primary key is there already replace the columns that they bring, others are new
    MODE delete    the rows with these primary keys go

The statement is a write like any other: privileges, NOT NULL, CHECK, keys and references hold, a transaction may go
on before and after it, and what fails leaves nothing behind. What it saves is moving the rows: **a file whose
columns are exactly the table's is committed by reference**, where it lies; its rows are numbered by where they
stand (`storage.parts`). Where nobody has to look at them (no key, no CHECK, no reference) they are not even kept as columns:
the file was decoded once, to see that it can be, and is again for whoever reads the table (`executor.snapshot.encoded`). Any
other file (fewer columns, another width of integer, values that have to be read by a type's input function) is written anew
by the server.

Only files under `staging/` are ever read, and only for `STAGED_AGE_MAX_US` after they were written: later they may be
collected. `FILES` lists the files that count, so what a failed or beaten task left beside them does not; without
it, every `.parquet` file of the folder counts.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import re
import threading
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from executor.abc import ExecutionError, Rows
from executor.ddl.schema import shard_schema
from executor.session import bulk, relations, restricted, row_checks
from executor.session.blocks.block import Block
from executor.session.blocks.keyed import SnapshotMoved
from executor.session.copying import staging
from executor.session.copying.staged_columns import WrongColumn, canonical_column
from executor.session.copying.statement import copied_columns, default_values
from executor.session.permissions import require
from executor.session.row_queries import recomputed
from executor.snapshot.encoded import EncodedFile, EncodedRows, decoded_bytes, dictionary_texts, open_texts
from executor.snapshot.spill import SLICE_ROWS, spilled_batches
from executor.triggers.table import fires
from planner import partitioning, triggers
from planner import statements as st
from planner import types as t
from planner.abc import Column, Table
from planner.catalog.exclusions import exclusions
from planner.catalog.foreign_objects import unreachable
from storage.abc import BlobInfo, CorruptBlob, Datum, Part
from storage.gc import STAGED, GcLimits
from storage.rows import field_identity
from txn.abc import SerializationFailure

if TYPE_CHECKING:
    from executor.session.session import Session

T = TypeVar("T", pa.Table, pa.RecordBatch)

STAGED_AGE_MAX_US = GcLimits().orphan_age_us // 2
FILES_MAX = 100_000
READING_MAX = 4
"""Files read and decoded at a time."""
CHECKED_ROWS = 1 << 15
"""Rows that are decoded at a time only to be looked at: few enough that the next ones have their memory."""

PRIVILEGES = {"append": ("INSERT",), "upsert": ("SELECT", "INSERT", "UPDATE"), "delete": ("SELECT", "DELETE")}
_FOLDER = re.compile(re.escape(STAGED) + r"[A-Za-z0-9][A-Za-z0-9_-]{3,127}")
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._=-]{0,254}\.parquet")


async def run(session: Session, s: st.Copy, params: Sequence[Datum]) -> Rows:
    """See the module. Raises what any write raises, and 22023, 42804, 58P01, 55000 for what is staged."""
    assert s.table is not None and s.filename is not None
    table = session.catalog.resolve_table(
        s.table.name, s.table.schema, session.search_path(), s.table.position
    )
    if table.materialized is not None:
        raise ExecutionError("42809", f'cannot copy to materialized view "{table.name}"')
    if table.foreign is not None:
        raise unreachable(session.catalog, table)
    partitioning.refuse(table, "COPY of staged files")
    mode, folder, names = _options(s)
    require(session, table, *PRIVILEGES[mode])
    if restricted.restricts(session, table):
        raise ExecutionError(
            "0A000", "COPY FROM not supported with row-level security", hint="Use INSERT statements instead."
        )
    columns = copied_columns(table, s.columns)
    own = session.block is None
    block = session.block or session.open_block(implicit=True)
    try:
        if block.read_only or session.executor.read_only:
            raise ExecutionError("25006", "cannot execute COPY FROM in a read-only transaction")
        staged = _Staged(session, table, columns, unread=mode == "append" and _nobody_looks(session, table))
        await staged.read(await _files(session, folder, names))
        count = await _written(session, block, staged, mode)
        if own:
            await session.commit()
    except BaseException:
        if own:
            session.rollback()
        raise
    finally:
        store = session.executor.store
        store.kept_later.arrange(store.spawn, store.spill)
    return Rows(f"COPY {count}")


def _options(s: st.Copy) -> tuple[str, str, list[str] | None]:
    """(mode, folder, files or None). Raises 22023, 42601."""
    given = {k: v for k, v in s.options.items() if k != "format"}
    mode = str(given.pop("mode", "append")).lower()
    files = given.pop("files", None)
    if given:
        raise ExecutionError("42601", f'option "{next(iter(given))}" not recognized')
    if mode not in PRIVILEGES:
        raise ExecutionError("22023", f'COPY mode "{mode}" not recognized')
    if s.where is not None:
        raise ExecutionError("0A000", "COPY FROM ... WHERE is not supported")
    folder = (s.filename or "").rstrip("/")
    if not _FOLDER.fullmatch(folder):
        raise ExecutionError(
            "22023",
            f'"{s.filename}" is no folder of staged files',
            hint=f"Parquet is read from {STAGED}<name> in the blob store, and from nowhere else.",
        )
    if files is None:
        return mode, folder, None
    try:
        names = json.loads(str(files))
    except ValueError as e:
        raise ExecutionError("22023", f"COPY FILES is no JSON array of names: {e}") from None
    if not isinstance(names, list) or not all(isinstance(n, str) and _FILE.fullmatch(n) for n in names):
        raise ExecutionError("22023", "COPY FILES is no JSON array of names of Parquet files")
    if len(names) > FILES_MAX:
        raise ExecutionError("54000", f"COPY of more than {FILES_MAX} files")
    if len(set(names)) != len(names):
        raise ExecutionError("22023", "COPY FILES names a file twice")
    return mode, folder, names


async def _files(session: Session, folder: str, names: list[str] | None) -> list[BlobInfo]:
    """What is to be read, in order. Raises 58P01 for a file that is not there, 55000 for one that is too old."""
    env = session.executor.env
    there: dict[str, BlobInfo] = {}
    async for listed in env.blob.list(f"{folder}/"):
        there[listed.key.removeprefix(f"{folder}/")] = listed
    if names is None:
        names = sorted(n for n in there if _FILE.fullmatch(n))
        if len(names) > FILES_MAX:
            raise ExecutionError("54000", f"COPY of more than {FILES_MAX} files")
    oldest_us = env.clock.now_us() - STAGED_AGE_MAX_US
    found: list[BlobInfo] = []
    for name in names:
        info = there.get(name)
        if info is None:
            raise ExecutionError("58P01", f'staged file "{folder}/{name}" does not exist')
        if info.modified_us < oldest_us:
            raise ExecutionError(
                "55000",
                f'staged file "{folder}/{name}" is too old',
                hint="Staged files are collected a day after they were written. Write them again.",
            )
        found.append(info)
    return found


def _nobody_looks(session: Session, table: Table) -> bool:
    """Whether a write to the table is over with NOT NULL, which needs no rows: nothing else is asked of them."""
    rules = session.rules(table)
    asked = table.constraints or rules.checks or rules.wide_checks or exclusions(table)
    return not asked and not any(c.generated for c in table.columns)


def _size(rows: pa.Table | pa.RecordBatch) -> int:
    return int(rows.nbytes)


class _Staged:
    """The rows of staged files, in the table's canonical types: `rows` has the copied columns as c<attnum>.

    `unread`: files that become parts as they are may stay encoded.
    """

    def __init__(self, session: Session, table: Table, columns: list[Column], *, unread: bool) -> None:
        self.session, self.table, self.columns = session, table, columns
        self.unread = unread and len(columns) == len(table.columns)
        self.tables: list[pa.Table | EncodedFile] = []
        self.parts: list[Part] = []
        self.by_reference = True
        self._schema = shard_schema(table)
        self._bytes = 0
        self._counting = threading.Lock()

    async def read(self, files: list[BlobInfo]) -> None:
        """Reads all files, a few at a time; their order stays. The first that is wrong ends it."""
        found: list[tuple[pa.Table | EncodedFile, Part | None]] = [(pa.table({}), None)] * len(files)
        waiting = iter(enumerate(files))

        async def reader() -> None:
            for place, info in waiting:
                found[place] = await self._one(info)

        readers = [asyncio.ensure_future(reader()) for _ in range(READING_MAX)]
        try:
            await asyncio.gather(*readers)
        except BaseException:
            for task in readers:
                task.cancel()
            await asyncio.gather(*readers, return_exceptions=True)
            raise
        self.tables = [rows for rows, _ in found]
        self.parts = [part for _, part in found if part is not None]
        self.by_reference = len(self.parts) == len(found)

    async def _one(self, info: BlobInfo) -> tuple[pa.Table | EncodedFile, Part | None]:
        """Decoded, and durable if it may become a part as it is: the disk is at work while the processor is."""
        blob = self.session.executor.env.blob
        try:
            data = await blob.get(info.key)
        except CorruptBlob as e:
            raise ExecutionError("58P01", f'staged file "{info.key}" cannot be read: {e.reason}') from e
        decoded = asyncio.to_thread(self._decoded, info.key, data)
        if len(self.columns) < len(self.table.columns):
            return await decoded
        found: tuple[pa.Table | EncodedFile, Part | None]
        found, _ = await asyncio.gather(decoded, blob.settle(info.key))
        return found

    def _decoded(self, key: str, data: bytes) -> tuple[pa.Table | EncodedFile, Part | None]:
        """On a thread. The part is None where the server has to write the rows anew."""
        try:
            file = pq.ParquetFile(pa.BufferReader(data))
        except (pa.ArrowException, OSError) as e:
            raise _unreadable(key, e) from None
        given = file.schema_arrow
        by_name = {c.name: c for c in self.columns}
        unknown = [n for n in given.names if n not in by_name]
        missing = [n for n in by_name if n not in given.names]
        if unknown or missing or len(set(given.names)) != len(given):
            raise _misfit(key, self.table, unknown, missing, given.names)
        exact = _Exact(len(self.columns) == len(self.table.columns) and self._identified(given))
        if self.unread and exact.so_far and file.metadata.num_rows:
            encoded = self._encoded(file, data)
            if encoded is not None:
                return encoded, self._part(key, data, encoded.row_count)
        rows = self._kept(self._batches(key, file, exact))
        if not exact.so_far or not rows.num_rows:
            return rows, None if rows.num_rows else Part("+", 0, len(data), 0, key=key)
        return rows, self._part(key, data, rows.num_rows)

    def _part(self, key: str, data: bytes, row_count: int) -> Part:
        return Part("+", row_count, len(data), 0, key=key, checksum=zlib.crc32(data))

    def _encoded(self, file: pq.ParquetFile, data: bytes) -> EncodedFile | None:
        """The file as it is, every value of it looked at. None: there is more to be done with it, or to be said about it."""
        texts = dictionary_texts(file)
        not_null = [self.columns[i].name for i in self.session.rules(self.table).not_null]
        row_count = size_bytes = 0
        fits = False
        try:
            slices = open_texts(data, sorted(texts)).iter_batches(CHECKED_ROWS, use_threads=False)
            for rows in self._counted(map(_valid, slices), decoded_bytes):
                row_count, size_bytes = row_count + rows.num_rows, size_bytes + decoded_bytes(rows)
                fits = not any(rows.column(n).null_count for n in not_null)
                fits = fits and all(_is_canonical(rows.column(c.name), c) for c in self.columns)
                if not fits:
                    break
            fits = fits and row_count == file.metadata.num_rows
        except (pa.ArrowException, OSError, WrongColumn, ExecutionError) as e:
            if isinstance(e, ExecutionError) and e.sqlstate == "54000":
                raise
            fits = False
        if not fits:  # decoded as others are, it will say what is wrong, and where
            with self._counting:
                self._bytes -= size_bytes
            return None
        store = self.session.executor.store
        kept = store.kept_later.keep(data, store.spill)
        return EncodedFile(kept, tuple(c.name for c in self.columns), row_count, size_bytes, texts)

    def _batches(self, key: str, file: pq.ParquetFile, exact: _Exact) -> Iterator[pa.Table]:
        """A file's rows, a slice at a time, in the table's canonical types; first none, of these types.

        Slices are small enough that what is decoded is still near when it is looked at and copied, and that the next
        one has its memory: where memory is new to a process, touching it costs more than decoding into it.
        """
        yield self._canonical(key, file.schema_arrow.empty_table(), exact)
        slices = file.iter_batches(SLICE_ROWS)
        while True:
            try:
                batch = next(slices, None)
                if batch is None:
                    return
                batch.validate(full=True)
            except (pa.ArrowException, OSError) as e:
                raise _unreadable(key, e) from None
            yield self._canonical(key, pa.Table.from_batches([batch]), exact)

    def _canonical(self, key: str, given: pa.Table, exact: _Exact) -> pa.Table:
        arrays, wrong = [], []
        for c in self.columns:
            try:
                array, same = canonical_column(given.column(c.name), c)
            except WrongColumn as e:
                wrong.append(str(e))
                continue
            arrays.append(array)
            exact.so_far = exact.so_far and same
        if wrong:
            raise ExecutionError(
                "42804",
                f'staged file "{key}" does not fit table "{self.table.name}"',
                detail="\n".join(wrong),
            )
        return pa.table(arrays, names=[f"c{c.attnum}" for c in self.columns])

    def _identified(self, given: pa.Schema) -> bool:
        """Whether readers of parts will find the columns: by the attribute numbers that the file gives them."""
        found = {field_identity(f) for f in given}
        return len(found) == len(given) and found == {field_identity(f) for f in self._schema}

    def _kept(self, batches: Iterator[pa.Table]) -> pa.Table:
        """What is large lies in mapped files, not in memory: a file's rows from where there is too much of them."""
        spill = self.session.executor.store.spill
        counted = self._counted(batches)
        held: list[pa.Table] = []
        for rows in counted:
            held.append(rows)
            if self._bytes >= spill.size_bytes_min:
                return spilled_batches(itertools.chain(held, counted), spill)
        return pa.concat_tables(held)

    def _counted(self, batches: Iterator[T], size_of: Callable[[T], int] = _size) -> Iterator[T]:
        limit = self.session.executor.limits.transaction_bytes_max
        for rows in batches:
            with self._counting:
                self._bytes += size_of(rows)
            if self._bytes > limit:
                raise ExecutionError("54000", f"COPY of more than {limit} bytes in one transaction")
            yield rows

    @property
    def rows(self) -> pa.Table:
        if not self.tables:
            schema = relations.physical_schema(self.table)
            return schema.empty_table().select([f"c{c.attnum}" for c in self.columns])
        return pa.concat_tables(self.decoded(rows) for rows in self.tables)

    def decoded(self, rows: pa.Table | EncodedFile) -> pa.Table:
        """One file's. Takes its time where it was kept as it is."""
        if not isinstance(rows, EncodedFile):
            return rows
        there = self.encoded([rows], 0).table(self.session.executor.store.spill)
        return there.drop_columns(["_rid"])

    def encoded(self, files: Sequence[EncodedFile], first_rid: int) -> EncodedRows:
        return EncodedRows(files, relations.physical_schema(self.table), first_rid)


def _valid(rows: pa.RecordBatch) -> pa.RecordBatch:
    rows.validate(full=True)
    return rows


def _is_canonical(given: pa.Array, column: Column) -> bool:
    """Whether the table stores exactly these values. Of a dictionary each is looked at once."""
    values = given.dictionary if pa.types.is_dictionary(given.type) else given
    return canonical_column(pa.chunked_array([values]), column)[1]


@dataclass
class _Exact:
    """Whether a file's columns are the table's own, to the byte."""

    so_far: bool


def _unreadable(key: str, error: Exception) -> ExecutionError:
    return ExecutionError("22023", f'staged file "{key}" is no valid Parquet file: {error}')


def _misfit(
    key: str, table: Table, unknown: Sequence[str], missing: Sequence[str], names: Sequence[str]
) -> ExecutionError:
    twice = sorted({n for n in names if names.count(n) > 1})
    lines = [f'Column "{n}" is staged, and not among the columns to copy.' for n in unknown]
    lines += [f'Column "{n}" is to be copied, and is not staged.' for n in missing]
    lines += [f'Column "{n}" is staged more than once.' for n in twice]
    return ExecutionError(
        "42804", f'staged file "{key}" does not fit table "{table.name}"', detail="\n".join(lines)
    )


# --- writing -------------------------------------------------------------------------------------


async def _written(session: Session, block: Block, staged: _Staged, mode: str) -> int:
    """Adds the rows to the block; returns how many were written. Begins anew if the snapshot moved."""
    from executor.session.copying import staged_merge

    events = {"append": triggers.INSERT, "delete": triggers.DELETE}
    if fires(staged.table, events.get(mode, triggers.INSERT | triggers.UPDATE)):
        raise ExecutionError(
            "0A000", f'staged rows of table "{staged.table.name}", which has triggers, are not supported'
        )
    block.use(staged.table)
    if mode == "append":
        block.statement()
        return await _append(session, block, staged)
    for attempt in range(session.executor.limits.retries_max):
        block.statement()
        try:
            with block.transaction().statement_reads():
                if mode == "delete":
                    return await staged_merge.delete(
                        session, block, staged.table, staged.columns, staged.rows
                    )
                return await staged_merge.upsert(session, block, staged.table, staged.columns, staged.rows)
        except SnapshotMoved:
            await asyncio.sleep(0 if attempt < 3 else 0.01)
    raise SerializationFailure("could not serialize access due to concurrent update")


async def _append(session: Session, block: Block, staged: _Staged) -> int:
    table, executor = staged.table, session.executor
    files = [f for f in staged.tables if isinstance(f, EncodedFile)]
    if files and len(files) == sum(1 for p in staged.parts if p.row_count) and staged.by_reference:
        count = sum(f.row_count for f in files)
        first = executor.env.rids.take(count)
        await bulk.add_encoded(
            session, block, table, staged.encoded(files, first), _numbered(staged.parts, first)
        )
        return count
    rules = session.rules(table)
    whole = []
    for found in staged.tables:
        rows = await executor.store.sort(partial(staged.decoded, found))
        if not rows.num_rows:
            continue
        full = await completed(session, block, table, staged.columns, rows)
        await executor.store.sort(partial(row_checks.check_rows, rules, full, session))
        whole.append(full)
    if not whole:
        return 0
    await bulk.hydrated(block, table)
    full = pa.concat_tables(whole)
    first = executor.env.rids.take(full.num_rows)
    together = await executor.store.sort(lambda: staging.numbered(first, table, full, executor.store.spill))
    await row_checks.check_wide(session, block, table, staging.physical(table, together))
    parts = _numbered(staged.parts, first) if staged.by_reference else None
    await bulk.add_bulk(session, block, table, together, parts)
    return int(together.num_rows)


def _numbered(parts: Sequence[Part], first_rid: int) -> list[Part]:
    """One after the other, in the order of their rows."""
    starts = itertools.accumulate((p.row_count for p in parts), initial=first_rid)
    return [_described(p, at) for p, at in zip(parts, starts, strict=False) if p.row_count]


def _described(part: Part, first_rid: int) -> Part:
    return Part(
        "+",
        part.row_count,
        part.size_bytes,
        0,
        key=part.key,
        checksum=part.checksum,
        rid_min=first_rid,
        rid_max=first_rid + part.row_count - 1,
    )


async def completed(
    session: Session, block: Block, table: Table, columns: Sequence[Column], rows: pa.Table
) -> pa.Table:
    """Full rows of the table: the given columns, defaults for the others, generated ones computed."""
    given = {c.attnum for c in columns}
    arrays: list[Any] = []
    for c in table.columns:
        if c.attnum in given:
            arrays.append(rows.column(f"c{c.attnum}"))
        elif c.generated:
            arrays.append(pa.nulls(rows.num_rows, t.arrow_type(c.type)))
        else:
            arrays.append(await default_values(session, c, rows.num_rows))
    return await computed(session, block, table, arrays)


async def computed(session: Session, block: Block, table: Table, arrays: Sequence[Any]) -> pa.Table:
    """Full rows from their columns, the generated ones anew."""
    if not any(c.generated for c in table.columns):
        return pa.table(arrays, names=[f"c{c.attnum}" for c in table.columns])
    zeros = pa.array(np.zeros(len(arrays[0]), np.int64))
    whole = pa.table([*arrays, zeros], schema=relations.physical_schema(table))
    return await recomputed(session, block, table, whole, None)
