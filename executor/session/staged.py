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
stand (`storage.parts`). Any other file (fewer columns, another width of integer, values that have to be read by a
type's input function) is written anew by the server.

Only files under `staging/` are ever read, and only for `STAGED_AGE_MAX_US` after they were written: later they may be
collected. `FILES` lists the files that count, so what a failed or beaten task left beside them does not; without
it, every `.parquet` file of the folder counts.
"""

from __future__ import annotations

import asyncio
import json
import re
import zlib
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from executor.abc import ExecutionError, Rows
from executor.ddl.schema import shard_schema
from executor.session import bulk, queries
from executor.session.block import Block
from executor.session.copying import copied_columns, default_values
from executor.session.keyed import SnapshotMoved
from executor.session.permissions import require
from executor.session.row_queries import recomputed
from executor.session.staged_columns import WrongColumn, canonical_column
from executor.snapshot.spill import spilled_table
from planner import statements as st
from planner import types as t
from planner.abc import Column, Table
from storage.abc import BlobInfo, CorruptBlob, Datum, Part
from storage.gc import STAGED, GcLimits
from storage.rows import field_identity
from txn.abc import SerializationFailure

if TYPE_CHECKING:
    from executor.session.session import Session

STAGED_AGE_MAX_US = GcLimits().orphan_age_us // 2
FILES_MAX = 100_000
READING_MAX = 4
"""Files read and decoded at a time."""

PRIVILEGES = {"append": ("INSERT",), "upsert": ("SELECT", "INSERT", "UPDATE"), "delete": ("SELECT", "DELETE")}
_FOLDER = re.compile(re.escape(STAGED) + r"[A-Za-z0-9][A-Za-z0-9_-]{3,127}")
_FILE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._=-]{0,254}\.parquet")


async def run(session: Session, s: st.Copy, params: Sequence[Datum]) -> Rows:
    """See the module. Raises what any write raises, and 22023, 42804, 58P01, 55000 for what is staged."""
    assert s.table is not None and s.filename is not None
    table = session.catalog.resolve_table(
        s.table.name, s.table.schema, session.search_path(), s.table.position
    )
    mode, folder, names = _options(s)
    require(session, table, *PRIVILEGES[mode])
    columns = copied_columns(table, s.columns)
    own = session.block is None
    block = session.block or session.open_block(implicit=True)
    try:
        if block.read_only or session.executor.read_only:
            raise ExecutionError("25006", "cannot execute COPY FROM in a read-only transaction")
        staged = _Staged(session, table, columns)
        await staged.read(await _files(session, folder, names))
        count = await _written(session, block, staged, mode)
        if own:
            await session.commit()
    except BaseException:
        if own:
            session.rollback()
        raise
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


class _Staged:
    """The rows of staged files, in the table's canonical types: `rows` has the copied columns as c<attnum>."""

    def __init__(self, session: Session, table: Table, columns: list[Column]) -> None:
        self.session, self.table, self.columns = session, table, columns
        self.tables: list[pa.Table] = []
        self.parts: list[Part] = []
        self.by_reference = True
        self._schema = shard_schema(table)
        self._bytes = 0

    async def read(self, files: list[BlobInfo]) -> None:
        """Reads all files, a few at a time, in order."""
        for at in range(0, len(files), READING_MAX):
            some = files[at : at + READING_MAX]
            for rows, part in await asyncio.gather(*map(self._one, some)):
                if part is None or not self.by_reference:
                    self.by_reference = False
                else:
                    self.parts.append(part)
                self.tables.append(await self._kept(rows))

    async def _one(self, info: BlobInfo) -> tuple[pa.Table, Part | None]:
        """Decoded, and durable if it may become a part as it is: the disk is at work while the processor is."""
        blob = self.session.executor.env.blob
        try:
            data = await blob.get(info.key)
        except CorruptBlob as e:
            raise ExecutionError("58P01", f'staged file "{info.key}" cannot be read: {e.reason}') from e
        decoded = asyncio.to_thread(self._decoded, info.key, data)
        if len(self.columns) < len(self.table.columns):
            return await decoded
        found: tuple[pa.Table, Part | None]
        found, _ = await asyncio.gather(decoded, blob.settle(info.key))
        return found

    def _decoded(self, key: str, data: bytes) -> tuple[pa.Table, Part | None]:
        """On a thread. The part is None where the server has to write the rows anew."""
        try:
            given = pq.ParquetFile(pa.BufferReader(data)).read()
            given.validate(full=True)
        except (pa.ArrowException, OSError) as e:
            raise ExecutionError("22023", f'staged file "{key}" is no valid Parquet file: {e}') from None
        by_name = {c.name: c for c in self.columns}
        unknown = [n for n in given.column_names if n not in by_name]
        missing = [n for n in by_name if n not in given.column_names]
        if unknown or missing or len(set(given.column_names)) != given.num_columns:
            raise _misfit(key, self.table, unknown, missing, given.column_names)
        arrays, wrong, exact = [], [], len(self.columns) == len(self.table.columns)
        for c in self.columns:
            try:
                array, same = canonical_column(given.column(c.name), c)
            except WrongColumn as e:
                wrong.append(str(e))
                continue
            arrays.append(array)
            exact = exact and same
        if wrong:
            raise ExecutionError(
                "42804",
                f'staged file "{key}" does not fit table "{self.table.name}"',
                detail="\n".join(wrong),
            )
        rows = pa.table(arrays, names=[f"c{c.attnum}" for c in self.columns])
        if not exact or not rows.num_rows or not self._identified(given.schema):
            return rows, None if rows.num_rows else Part("+", 0, len(data), 0, key=key)
        return rows, Part("+", rows.num_rows, len(data), 0, key=key, checksum=zlib.crc32(data))

    def _identified(self, given: pa.Schema) -> bool:
        """Whether readers of parts will find the columns: by the attribute numbers that the file gives them."""
        found = {field_identity(f) for f in given}
        return len(found) == len(given) and found == {field_identity(f) for f in self._schema}

    async def _kept(self, rows: pa.Table) -> pa.Table:
        """What is large lies in mapped files, not in memory."""
        executor = self.session.executor
        self._bytes += rows.nbytes
        limit = executor.limits.transaction_bytes_max
        if self._bytes > limit:
            raise ExecutionError("54000", f"COPY of more than {limit} bytes in one transaction")
        if self._bytes >= executor.store.spill.size_bytes_min:
            return await executor.store.sort(lambda: spilled_table(rows, executor.store.spill))
        return rows

    @property
    def rows(self) -> pa.Table:
        if not self.tables:
            schema = queries.physical_schema(self.table)
            return schema.empty_table().select([f"c{c.attnum}" for c in self.columns])
        return pa.concat_tables(self.tables)


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
    from executor.session import staged_merge

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
    if not sum(rows.num_rows for rows in staged.tables):
        return 0
    await bulk.hydrated(block, table)
    rules = executor.rules(table)
    whole, parts = [], []
    for i, rows in enumerate(staged.tables):
        if not rows.num_rows:
            continue
        full = await completed(session, block, table, staged.columns, rows)
        await executor.store.sort(partial(bulk.check_rows, rules, full, session))
        first = executor.env.rids.take(full.num_rows)
        numbered = bulk.numbered(first, table, full, session.executor.store.spill)
        await bulk.check_wide(session, block, table, bulk.physical(table, numbered))
        whole.append(numbered)
        if staged.by_reference:
            parts.append(_described(staged.parts[i], first))
    together = pa.concat_tables(whole)
    await bulk.add_bulk(session, block, table, together, parts if staged.by_reference else None)
    return int(together.num_rows)


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
    whole = pa.table([*arrays, zeros], schema=queries.physical_schema(table))
    return await recomputed(session, block, table, whole, None)
