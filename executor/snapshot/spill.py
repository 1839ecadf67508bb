"""Columns in memory-mapped files: large runs cost page cache, not memory.

    file:   | column 0: validity | values |   | column 1: validity | offsets | bytes |   ...     each 64-byte aligned

The file holds Arrow's own buffers and nothing else (where they are is known to the process that wrote it), so
chunks go to it one after the other without ever being put together in memory: a table of gigabytes is copied
once, into the page cache. The file is removed from its directory as soon as it is mapped: the
kernel keeps the bytes as long as somebody reads them, and a crash leaves nothing behind.

Lists and intervals stay in memory; they are rare, and their nesting is not worth the code.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from executor.snapshot.columns import fixed_dtype

Column: TypeAlias = "pa.Array | pa.ChunkedArray"
Span = tuple[int, int]
"""Where a buffer is in the file: (offset, length)."""

Numbers: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
SLICE_ROWS = 1 << 17
"""Rows that are looked at at a time on their way to a file."""

_ALIGNMENT = 64
OFFSET_LIMIT_BYTES = (1 << 31) - 1
LARGE = {pa.string(): pa.large_string(), pa.binary(): pa.large_binary()}


@dataclass(frozen=True, slots=True)
class Spill:
    """Runs at least this large go to memory-mapped files in `directory` (which must exist)."""

    directory: str
    size_bytes_min: int = 64 << 20

    def wanted(self, columns: Sequence[Column]) -> bool:
        return bool(sum(c.nbytes for c in columns) >= self.size_bytes_min)


def one_array(column: Column) -> pa.Array:
    """A column as one array; texts of more than 2 GiB need 64-bit offsets."""
    if isinstance(column, pa.ChunkedArray):
        chunks = column.chunks
        if len(chunks) == 1:
            return chunks[0]
        return concat(chunks) if chunks else pa.array([], column.type)
    return column


def concat(arrays: Sequence[pa.Array]) -> pa.Array:
    """Arrays of one column put together, whether their offsets have 32 or 64 bits."""
    kinds = {a.type for a in arrays}
    if len(kinds) > 1 or sum(a.nbytes for a in arrays) >= OFFSET_LIMIT_BYTES:
        arrays = [pc.cast(a, LARGE.get(a.type, a.type)) for a in arrays]
    return pa.concat_arrays(arrays)


def spilled(columns: Sequence[Column], spill: Spill) -> list[pa.Array]:
    """The same columns, each one array over a mapped file. Raises OSError when the disk is full."""
    written: list[_Written | pa.Array] = []
    data = _in_file(lambda file: written.extend(_write(c, file) for c in columns), spill)
    return [w if isinstance(w, pa.Array) else w.array(data) for w in written]


def in_one(column: Column, spill: Spill | None) -> pa.Array:
    """A column as one array: over a mapped file where putting its chunks together would take much memory."""
    chunked = isinstance(column, pa.ChunkedArray) and column.num_chunks > 1
    if spill is not None and chunked and spill.wanted([column]):
        return spilled([column], spill)[0]
    return one_array(column)


def filtered(table: pa.Table, mask: np.ndarray[Any, np.dtype[np.bool_]], spill: Spill | None) -> pa.Table:
    """The rows for which the mask is true, in mapped files where they are many. On a thread."""
    if spill is None or table.nbytes < spill.size_bytes_min:
        return table.filter(pa.array(mask))
    done: list[pa.Table] = []
    held: list[pa.Table] = []
    held_bytes = 0
    for at in range(0, table.num_rows, SLICE_ROWS):
        some = table.slice(at, SLICE_ROWS).filter(pa.array(mask[at : at + SLICE_ROWS]))
        held.append(some)
        held_bytes += some.nbytes
        if held_bytes >= spill.size_bytes_min:
            done.append(spilled_table(pa.concat_tables(held), spill))
            held, held_bytes = [], 0
    return pa.concat_tables([*done, *held])


def spilled_table(table: pa.Table, spill: Spill) -> pa.Table:
    """The same rows over a mapped file. On a thread. Raises OSError when the disk is full.

    Fields keep their metadata: by it a shard knows which column is which.
    """
    columns = spilled(table.columns, spill)
    fields = [f.with_type(c.type) for f, c in zip(table.schema, columns, strict=True)]
    return pa.table(columns, schema=pa.schema(fields, table.schema.metadata))


def spilled_batches(batches: Iterable[pa.Table], spill: Spill) -> pa.Table:
    """Tables of one schema, one or more, as the chunks of one over a mapped file: none is in memory longer than its copy takes.

    On a thread. Raises OSError when the disk is full.
    """
    schemas: list[pa.Schema] = []
    written: list[list[_Written | pa.Array]] = []

    def write(file: BinaryIO) -> None:
        for batch in batches:
            schemas.append(batch.schema)
            written.append([_write(c, file) for c in batch.columns])

    data = _in_file(write, spill)
    chunks = [[w if isinstance(w, pa.Array) else w.array(data) for w in columns] for columns in written]
    return pa.concat_tables(
        pa.table(arrays, names=schema.names) for arrays, schema in zip(chunks, schemas, strict=True)
    )


def numbers_from(first: int, count: int, spill: Spill | None) -> Numbers:
    """`count` numbers from `first` on, over a mapped file where they are many."""
    if spill is None or count * 8 < spill.size_bytes_min:
        return np.arange(first, first + count, dtype=np.int64)
    stop = first + count
    slices = (
        np.arange(at, min(at + SLICE_ROWS, stop), dtype=np.int64) for at in range(first, stop, SLICE_ROWS)
    )
    return np.frombuffer(_in_file(lambda file: _put(file, slices), spill), np.int64)


def nulls(count: int, t: pa.DataType, spill: Spill | None) -> pa.Array:
    """`count` nulls. Many of them are a hole in a file, which takes neither memory nor disk."""
    text = t in LARGE
    width = 32 if text else t.bit_width if fixed_dtype(t) is not None or pa.types.is_decimal128(t) else 0
    size_bytes = (count + 1) * width // 8
    if spill is None or size_bytes < spill.size_bytes_min:
        return pa.nulls(count, t)
    hole = _in_file(lambda file: file.truncate(size_bytes), spill)
    return pa.Array.from_buffers(t, count, [hole, hole, *([pa.py_buffer(b"")] if text else [])], count)


def _in_file(write: Callable[[BinaryIO], object], spill: Spill) -> pa.Buffer:
    """What is written to a file that has no name any more, mapped. Raises OSError when the disk is full."""
    fd, path = tempfile.mkstemp(prefix="run-", dir=spill.directory)
    try:
        with os.fdopen(fd, "wb") as file:
            write(file)
            if not file.seek(0, os.SEEK_END):
                file.write(bytes(_ALIGNMENT))  # an empty file cannot be mapped
        with pa.memory_map(path) as source:
            return source.read_buffer(source.size())
    finally:
        os.unlink(path)


def mapped(values: np.ndarray[Any, Any], spill: Spill | None) -> np.ndarray[Any, Any]:
    """The same numbers over a mapped file; without a `spill`, as they are. Raises OSError when the disk is full."""
    if spill is None or not len(values):
        return values
    data = _in_file(lambda file: file.write(np.ascontiguousarray(values).data.cast("B")), spill)
    kept: np.ndarray[Any, Any] = np.frombuffer(data, values.dtype)
    return kept


@dataclass(frozen=True, slots=True)
class _Written:
    type: pa.DataType
    length: int
    null_count: int
    spans: tuple[Span | None, ...]

    def array(self, data: pa.Buffer) -> pa.Array:
        buffers = [None if s is None else data.slice(*s) for s in self.spans]
        return pa.Array.from_buffers(self.type, self.length, buffers, self.null_count)


def _write(column: Column, file: BinaryIO) -> _Written | pa.Array:
    chunks = [c for c in (column.chunks if isinstance(column, pa.ChunkedArray) else [column]) if len(c)]
    t = column.type
    validity = None
    if column.null_count:
        valid = np.concatenate([np.asarray(c.is_valid().to_numpy(zero_copy_only=False)) for c in chunks])
        validity = _put(file, [np.packbits(valid, bitorder="little")])
    spans: tuple[Span | None, ...]
    if pa.types.is_boolean(t):
        values = [np.asarray(pc.fill_null(c, False).to_numpy(zero_copy_only=False), np.bool_) for c in chunks]
        spans = (_put(file, [np.packbits(np.concatenate(values), bitorder="little")] if values else []),)
    elif fixed_dtype(t) is not None or pa.types.is_decimal128(t):
        width = t.bit_width // 8
        spans = (
            _put(
                file,
                (memoryview(c.buffers()[1])[c.offset * width : (c.offset + len(c)) * width] for c in chunks),
            ),
        )
    elif t in LARGE or t in LARGE.values():
        cut = [offsets_of(c) for c in chunks]
        size = sum(int(o[-1] - o[0]) for o in cut)
        large = size > OFFSET_LIMIT_BYTES or t in LARGE.values()
        t = LARGE.get(t, t) if large else t
        spans = (
            _put(file, _rebased(cut, np.int64 if large else np.int32)),
            _put(
                file,
                (
                    memoryview(c.buffers()[2] or b"")[int(o[0]) : int(o[-1])]
                    for c, o in zip(chunks, cut, strict=True)
                ),
            ),
        )
    else:
        return one_array(column)
    return _Written(t, len(column), column.null_count, (validity, *spans))


def offsets_of(chunk: pa.Array) -> np.ndarray[Any, Any]:
    """Where each text of an array begins, and the last one ends, in its bytes."""
    wide = chunk.type in LARGE.values()
    own: np.ndarray[Any, Any] = np.frombuffer(chunk.buffers()[1], np.int64 if wide else np.int32)
    return own[chunk.offset : chunk.offset + len(chunk) + 1]


def _rebased(cut: list[np.ndarray[Any, Any]], dtype: Any) -> Any:
    """The offsets of all chunks as those of one array."""
    base = 0
    for own in cut:
        yield (own[:-1].astype(np.int64) - (int(own[0]) - base)).astype(dtype)
        base += int(own[-1] - own[0])
    yield np.array([base], dtype)


def _put(file: BinaryIO, pieces: Any) -> Span:
    start = file.tell()
    if start % _ALIGNMENT:
        file.write(bytes(_ALIGNMENT - start % _ALIGNMENT))
        start = file.tell()
    for piece in pieces:
        file.write(memoryview(piece).cast("B"))
    return start, file.tell() - start
