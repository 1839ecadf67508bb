"""Columns that come piece by piece and are one array each at the end, in the memory of a piece.

    a piece      column 0 | column 1 | ...          rows of a part, while the next one is fetched
                     |          |
    a file each   values    offsets, bytes          grows at its end, page cache
                     |          |
    the end       mapped: one Arrow array a column

A table of gigabytes is read part by part, and its run wants one array a column. To keep the parts until the last has come
takes all of the table in memory; here they are copied once, as they come, and let go of. Small tables, and the few
columns whose form is not worth the code (lists, intervals, booleans), wait in memory and are put together at the end. The files
have no names: a crash leaves nothing behind.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa

from executor.snapshot.columns import fixed_dtype
from executor.snapshot.spill import LARGE, OFFSET_LIMIT_BYTES, Spill, concat, offsets_of


class GrowingColumns:
    """See the module. One thread at a time."""

    def __init__(self, types: Sequence[pa.DataType], spill: Spill) -> None:
        self._types, self._spill = types, spill
        self._held: list[list[pa.Array]] = [[] for _ in types]
        self._held_bytes = 0
        self._files: list[_Grown | None] | None = None
        self.size = 0

    def add(self, columns: Sequence[pa.ChunkedArray]) -> None:
        """A piece, its columns equally long. Raises OSError when the disk is full."""
        self.size += len(columns[0])
        self._held_bytes += sum(c.nbytes for c in columns)
        for held, column in zip(self._held, columns, strict=True):
            held += [chunk for chunk in column.chunks if len(chunk)]
        if self._files is None:
            if self._held_bytes < self._spill.size_bytes_min:
                return
            self._files = [_Grown(t, self._spill) if _grows(t) else None for t in self._types]
        for held, file in zip(self._held, self._files, strict=True):
            if file is not None:
                for chunk in held:
                    file.add(chunk)
                held.clear()

    @property
    def is_large(self) -> bool:
        """Whether it has gone to files."""
        return self._files is not None

    def arrays(self) -> list[pa.Array]:
        """Everything that was added, once; nothing may be added afterwards."""
        files, self._files = self._files or [None] * len(self._types), None
        return [
            file.array() if file is not None else concat(held) if held else pa.array([], t)
            for t, held, file in zip(self._types, self._held, files, strict=True)
        ]


def _grows(t: pa.DataType) -> bool:
    return fixed_dtype(t) is not None or pa.types.is_decimal128(t) or t in LARGE or t in LARGE.values()


class _Grown:
    """One column's files."""

    def __init__(self, t: pa.DataType, spill: Spill) -> None:
        self._type, self._spill = t, spill
        self._is_text = t in LARGE or t in LARGE.values()
        self._offset_type: Any = np.int64 if t in LARGE.values() else np.int32
        self._values = self._file()
        """Numbers, or the bytes of texts."""
        self._offsets = self._file() if self._is_text else None
        self._bytes = self._length = 0
        self._valid: list[tuple[int, Any]] = []
        """(rows, bits or None where all are valid) of each chunk."""
        self._nulls = 0

    def _file(self) -> BinaryIO:
        fd, path = tempfile.mkstemp(prefix="run-", dir=self._spill.directory)
        os.unlink(path)
        return os.fdopen(fd, "w+b")

    def add(self, chunk: pa.Array) -> None:
        n = len(chunk)
        bits = None
        if chunk.null_count:
            bits = np.packbits(np.asarray(chunk.is_valid().to_numpy(zero_copy_only=False), np.bool_))
            self._nulls += chunk.null_count
        self._valid.append((n, bits))
        if self._is_text:
            self._add_texts(chunk)
        else:
            width = self._type.bit_width // 8
            values = memoryview(chunk.buffers()[1])
            self._values.write(values[chunk.offset * width : (chunk.offset + n) * width])
        self._length += n

    def _add_texts(self, chunk: pa.Array) -> None:
        assert self._offsets is not None
        own = offsets_of(chunk)
        first, last = int(own[0]), int(own[-1])
        if self._bytes + last - first > OFFSET_LIMIT_BYTES and self._offset_type is np.int32:
            self._widen()
        starts = (own[:-1].astype(np.int64) + (self._bytes - first)).astype(self._offset_type)
        self._offsets.write(starts.data.cast("B"))
        self._values.write(memoryview(chunk.buffers()[2] or b"")[first:last])
        self._bytes += last - first

    def _widen(self) -> None:
        """Offsets of 32 bits do not reach any further."""
        assert self._offsets is not None
        narrow, self._offsets = self._offsets, self._file()
        with narrow:
            for at in range(0, self._length, _WIDENED_ROWS):
                narrow.seek(at * 4)
                some = np.frombuffer(narrow.read(min(_WIDENED_ROWS, self._length - at) * 4), np.int32)
                self._offsets.write(some.astype(np.int64).data.cast("B"))
        self._type, self._offset_type = LARGE[self._type], np.int64

    def array(self) -> pa.Array:
        validity = None
        if self._nulls:
            valid = [
                np.ones(n, np.bool_) if bits is None else np.unpackbits(bits, count=n).astype(np.bool_)
                for n, bits in self._valid
            ]
            validity = pa.py_buffer(np.packbits(np.concatenate(valid), bitorder="little"))
        buffers = [validity]
        if self._offsets is not None:
            self._offsets.write(np.array([self._bytes], self._offset_type).data.cast("B"))
            buffers.append(_mapped(self._offsets))
        buffers.append(_mapped(self._values))
        return pa.Array.from_buffers(self._type, self._length, buffers, self._nulls)


_WIDENED_ROWS = 1 << 20


def _mapped(file: BinaryIO) -> pa.Buffer:
    """What is in the file, for as long as somebody holds the buffer."""
    with file:
        if not file.seek(0, os.SEEK_END):
            return pa.py_buffer(b"")  # an empty file cannot be mapped
        file.flush()
        # Python's own mmap keeps a descriptor for as long as the mapping: one a column and run.
        with pa.memory_map(f"/dev/fd/{file.fileno()}") as source:
            return source.read_buffer(source.size())
