"""Rows that came as Parquet and that nobody has asked for yet: kept as they came, decoded for whoever asks.

    COPY of staged files       looked at slice by slice; what is kept is the files' own bytes        (session/staged.py)
    COMMIT                     parts by reference; the image is told that there are such rows
    the first reader           slices for DuckDB, the next one decoded while it takes the last
    a statement of the same    decoded to a mapped file, as rows are that came otherwise
    transaction

Columns are several times as large as the file that they are in, and to put them into a mapped file takes longer than to decode
them. Whoever writes tables in bulk waits for neither, and whoever never reads them by columns here (Spark reads the parts
themselves) does not pay for either. The bytes are the process's own, in memory or in a mapped file without a name: what
becomes of the blobs (compaction makes others of them) is of no concern, and there is nothing to check a second time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from executor.snapshot.kept_bytes import KeptBytes
from executor.snapshot.spill import SLICE_ROWS, Spill, spilled_batches

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EncodedFile:
    """A Parquet file that is known to be whole, and to have exactly a table's columns.

    `names` are those columns in the table's order. `size_bytes`: about what they take decoded. `texts` are columns of
    which every page refers to a dictionary: they come as such, and no text is written out twice.
    """

    kept: KeptBytes
    names: tuple[str, ...]
    row_count: int
    size_bytes: int
    texts: frozenset[str]

    def batches(self, start: int, stop: int, texts: Sequence[str]) -> Iterator[pa.RecordBatch]:
        """The rows from `start` on, before `stop`; row groups that have none of them are passed over."""
        file = open_texts(self.kept.data, texts)
        groups, at, end = [], 0, 0
        for i in range(file.num_row_groups):
            begin, end = end, end + file.metadata.row_group(i).num_rows
            if end <= start:
                at = end
            elif begin < stop:
                groups.append(i)
        for batch in file.iter_batches(SLICE_ROWS, row_groups=groups, use_threads=False):
            low, high = max(start - at, 0), min(stop - at, batch.num_rows)
            at += batch.num_rows
            if low < high:
                yield batch.slice(low, high - low)


class EncodedRows:
    """Rows of a table that has no keys, numbered from `first_rid` on in the order of the files.

    Stands for a `pa.Table` with the columns of `schema` (physical names, canonical types) and `_rid` where rows go to DuckDB.
    """

    __slots__ = ("_files", "_first", "_start", "_stop", "nbytes", "schema")

    def __init__(
        self,
        files: Sequence[EncodedFile],
        schema: pa.Schema,
        first_rid: int,
        start: int = 0,
        stop: int | None = None,
    ) -> None:
        whole = sum(f.row_count for f in files)
        self._files, self.schema, self._first = tuple(files), schema, first_rid
        self._start, self._stop = start, whole if stop is None else min(stop, whole)
        size_bytes = sum(f.size_bytes for f in files) + 8 * whole
        self.nbytes = size_bytes * self.num_rows // max(whole, 1)
        """Of what they are decoded, about."""

    def __len__(self) -> int:
        return self.num_rows

    @property
    def num_rows(self) -> int:
        return self._stop - self._start

    def slice(self, offset: int, length: int) -> EncodedRows:
        start = self._start + offset
        return EncodedRows(self._files, self.schema, self._first, start, min(start + length, self._stop))

    @property
    def span(self) -> tuple[int, int]:
        """The row ids: from the first on, before the second."""
        return self._first + self._start, self._first + self._stop

    def rids(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        return np.arange(self._first + self._start, self._first + self._stop, dtype=np.int64)

    def reader(self) -> pa.RecordBatchReader:
        """For DuckDB: a thread decodes ahead, by one slice, until the reader is let go of."""
        names = self._files[0].names if self._files else ()
        texts = [n for n in names if all(n in f.texts for f in self._files)]
        fields = list(self.schema)
        for i in map(names.index, texts):
            fields[i] = fields[i].with_type(pa.dictionary(pa.int32(), fields[i].type))
        schema = pa.schema(fields)
        return pa.RecordBatchReader.from_batches(schema, ahead(self._batches(schema, texts)))

    def table(self, spill: Spill | None) -> pa.Table:
        """All of them; over a mapped file where they are many. Takes its time."""
        batches = self._batches(self.schema, ())
        if spill is None or self.nbytes < spill.size_bytes_min or not self.num_rows:
            return pa.Table.from_batches(batches, self.schema)
        return spilled_batches((pa.Table.from_batches([b]) for b in batches), spill)

    def _batches(self, schema: pa.Schema, texts: Sequence[str]) -> Iterator[pa.RecordBatch]:
        before = 0
        for file in self._files:
            start, stop = max(self._start - before, 0), min(self._stop - before, file.row_count)
            at = self._first + before + start
            before += file.row_count
            if start >= stop:
                continue
            for batch in file.batches(start, stop, texts):
                columns = [_as(batch.column(n), f.type) for n, f in zip(file.names, schema, strict=False)]
                rids = pa.array(np.arange(at, at + batch.num_rows, dtype=np.int64))
                at += batch.num_rows
                yield pa.RecordBatch.from_arrays([*columns, rids], schema=schema)


class NumberedLater:
    """Encoded rows as a transaction keeps its own: `_rid` first, the other columns as the table's shard names them."""

    __slots__ = ("_rows", "_schema", "_spill")

    def __init__(self, rows: EncodedRows, schema: pa.Schema, spill: Spill | None) -> None:
        self._rows, self._schema, self._spill = rows, schema, spill

    @property
    def nbytes(self) -> int:
        return self._rows.nbytes

    @property
    def num_rows(self) -> int:
        return self._rows.num_rows

    @property
    def span(self) -> tuple[int, int]:
        """The row ids: from the first on, before the second."""
        return self._rows.span

    def rids(self) -> pa.ChunkedArray:
        return pa.chunked_array([pa.array(self._rows.rids())])

    def table(self) -> pa.Table:
        """Takes its time."""
        *columns, rids = self._rows.table(self._spill).columns
        fields = [f.with_type(c.type) for f, c in zip(self._schema, [rids, *columns], strict=True)]
        return pa.table([rids, *columns], schema=pa.schema(fields))


def open_texts(data: Any, texts: Sequence[str]) -> pq.ParquetFile:
    """Opens a file whose columns `texts` are to come as dictionaries. Raises ArrowException, OSError."""
    return pq.ParquetFile(pa.BufferReader(data), read_dictionary=list(texts) or None)


def dictionary_texts(file: pq.ParquetFile) -> frozenset[str]:
    """The columns of strings that have a dictionary in each row group, and nothing that is not in it.

    Of a file whose data pages are of the first version, as Spark writes them, the encodings tell.
    """
    metadata, schema = file.metadata, file.schema_arrow
    found = {f.name for f in schema if f.type == pa.string() and "." not in f.name}
    for i in range(metadata.num_row_groups):
        group = metadata.row_group(i)
        for c in range(group.num_columns):
            column = group.column(c)
            if "PLAIN_DICTIONARY" not in column.encodings or "PLAIN" in column.encodings:
                found.discard(column.path_in_schema)
    return frozenset(found)


def decoded_bytes(rows: pa.RecordBatch) -> int:
    """What the rows take when their dictionaries are written out."""
    size = 0
    for column in rows.columns:
        if pa.types.is_dictionary(column.type):
            lengths = pc.binary_length(column.dictionary)
            size += 4 * len(column) + (pc.sum(lengths.take(column.indices)).as_py() or 0)
        else:
            size += column.nbytes
    return size


def ahead(batches: Iterator[T]) -> Iterator[T]:
    """The same, each made on a thread while the one before it is being used."""
    with ThreadPoolExecutor(1, thread_name_prefix="decoding") as pool:
        coming = pool.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = pool.submit(next, batches, None)
            yield batch


def _as(column: pa.Array, t: pa.DataType) -> pa.Array:
    if column.type == t:
        return column
    if pa.types.is_dictionary(column.type):
        column = column.cast(column.type.value_type)
    return column if column.type == t else column.cast(t)
