"""Encoded columns -> one stream of rows: the transposition that no row is touched for.

All rows are laid out in a matrix, every field as wide as its widest value; what is constant in each row comes from a template.
A second matrix marks the bytes that count, and taking those, in order, is the stream:

    D len 4 | 4 7···· | 4 some text |        D len 4 | 1 7 | 4 some text | D len 4 | 5 70321 | ...
    D len 4 | 4 70321 | 4 some text |   ->

With fixed widths alone the matrix is the stream. Where one value is much longer than the others of its column the
matrix would be mostly air; then an element-wise join in C++ interleaves fixed stretches and varying columns.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pgwire.encoding.arrow_views import (
    Bytes,
    as_binary,
    binary_array,
    data_of,
    fixed_binary,
    offsets_of,
    valid_of,
)

Lengths = npt.NDArray[np.int64]
Values = npt.NDArray[Any]
"""One value of fixed width for each row, in the bytes of the wire."""

_EMPTY: Final = pa.scalar(b"", pa.binary())
_HEAD_BYTES: Final = 5
_AIR_MAX: Final = 2
"""How much larger than the stream the matrix may be."""
_TABLED_MAX: Final = 256
_SCRATCH_BYTES_MAX: Final = 4 << 20


@dataclass(slots=True)
class Padded:
    """A part whose length differs from row to row, between `low` and `high`; each value `high` bytes wide.

    What counts stands to the left, or to the `right`; the other bytes are arbitrary.
    """

    values: Values
    lengths: Lengths
    low: int
    high: int
    right: bool = False

    def padded(self) -> Values:
        return self.values

    def counting(self) -> tuple[int, Values]:
        """Where the bytes begin that may not count, and which of them do."""
        spread = self.high - self.low
        marks = _counting(self.lengths - self.low, spread, self.right)
        return (0 if self.right else self.low), marks

    def as_column(self) -> pa.Array:
        n = len(self.values)
        matrix = np.ascontiguousarray(self.values).view(np.uint8).reshape(n, self.high)
        marks = _counting(self.lengths, self.high, self.right).view(np.bool_).reshape(n, self.high)
        offsets = np.zeros(n + 1, np.int32)
        np.cumsum(self.lengths, out=offsets[1:])
        return binary_array(offsets, matrix[marks])


@dataclass(slots=True)
class Text:
    """The same, of strings or bytes as Arrow has them."""

    column: pa.Array
    lengths: Lengths
    low: int
    high: int

    def padded(self) -> Values:
        n, high = len(self.lengths), self.high
        data, starts = data_of(self.column), offsets_of(self.column)[:-1]
        kind = f"V{high}"
        if len(data) < high:
            return _windows(np.concatenate([data, np.zeros(high, np.uint8)]), kind)[starts]
        # The last ones may have less than `high` bytes behind their start: these are read from a copy with room.
        sure = int(np.searchsorted(starts, len(data) - high, side="right"))
        if sure == n:
            return _windows(data, kind)[starts]
        first = int(starts[sure])
        rest = _windows(np.concatenate([data[first:], np.zeros(high, np.uint8)]), kind)
        return np.concatenate([_windows(data, kind)[starts[:sure]], rest[starts[sure:] - first]])

    def counting(self) -> tuple[int, Values]:
        return self.low, _counting(self.lengths - self.low, self.high - self.low, False)

    def as_column(self) -> pa.Array:
        return self.column


_Varying = Padded | Text
_Part = bytes | Values | _Varying


class RowStream:
    """The columns of some rows as they are added; then the joined rows.

    `message`: the type byte of the message that each row becomes; without it rows follow each other bare.
    """

    def __init__(self, row_count: int, message: bytes = b"") -> None:
        self.row_count = row_count
        self._message = message
        self._parts: list[_Part] = []
        self._fixed_bytes = 0
        self._varying: Lengths | None = None
        if message:
            self.add_constant(message + b"\0\0\0\0")

    def add_constant(self, data: bytes) -> None:
        self._fixed_bytes += len(data)
        if self._parts and isinstance(self._parts[-1], bytes):
            self._parts[-1] += data
        else:
            self._parts.append(data)

    def add_values(self, values: Values) -> None:
        self._fixed_bytes += values.dtype.itemsize
        self._parts.append(values)

    def add_fixed_field(self, values: Values, column: pa.Array) -> None:
        """A length and a value of fixed width, or -1 where the column is null."""
        width = values.dtype.itemsize
        valid = valid_of(column)
        if valid is None:
            self.add_constant(width.to_bytes(4, "big"))
            self.add_values(values)
            return
        self.add_values(np.where(valid, width, -1).astype(">i4"))
        self._add_varying(Padded(values, np.where(valid, width, 0), 0, width))

    def add_field(self, column: pa.Array) -> None:
        """A length and the bytes of a string or binary column; -1 where it is null."""
        data, lengths, valid = _measured(column)
        if valid is None:
            low, high = _ends(lengths)
            if low == high:
                self.add_constant(low.to_bytes(4, "big"))
            else:
                self.add_values(lengths.astype(">i4"))
        else:
            self.add_values(np.where(valid, lengths, -1).astype(">i4"))
        self._add_text(data, lengths)

    def add_padded_field(self, parts: Sequence[Padded]) -> None:
        """A length and a value that is made of these parts, one behind the other."""
        low, high = sum(p.low for p in parts), sum(p.high for p in parts)
        if low == high:
            self.add_constant(low.to_bytes(4, "big"))
        else:
            lengths = parts[0].lengths if len(parts) == 1 else sum(p.lengths for p in parts)
            self.add_values(np.asarray(lengths).astype(">i4"))
        self.add_padded(parts)

    def add_padded(self, parts: Sequence[Padded]) -> None:
        """The bytes of these parts alone."""
        for part in parts:
            if part.low == part.high:
                self.add_values(part.values)
            else:
                self._add_varying(part)

    def add_text(self, column: pa.Array) -> None:
        """The bytes of a string or binary column alone; nothing where it is null."""
        data, lengths, _ = _measured(column)
        self._add_text(data, lengths)

    def _add_text(self, data: pa.Array, lengths: Lengths) -> None:
        low, high = _ends(lengths)
        if low != high or data.null_count:
            self._add_varying(Text(data, lengths, low, high))
        elif high:
            first = int(offsets_of(data)[0])
            self.add_values(np.frombuffer(data_of(data), f"V{high}", self.row_count, first))

    def _add_varying(self, part: _Varying) -> None:
        if not part.high:
            return
        self._parts.append(part)
        self._varying = part.lengths if self._varying is None else self._varying + part.lengths

    def join(self) -> tuple[Bytes, Lengths]:
        """The bytes of all rows, and the n + 1 offsets of rows in them."""
        offsets = np.zeros(self.row_count + 1, np.int64)
        if self._varying is None:
            np.cumsum(np.full(self.row_count, self._fixed_bytes), out=offsets[1:])
        else:
            np.cumsum(self._varying + self._fixed_bytes, out=offsets[1:])
        width = sum(_width(part) for part in self._parts)
        if width * self.row_count <= _AIR_MAX * int(offsets[-1]):
            return self._laid_out(width), offsets
        return self._joined(), offsets

    def _lengths(self) -> Values:
        """The length word of each message: all but the type byte."""
        fixed = self._fixed_bytes - 1
        if self._varying is None:
            return np.full(self.row_count, fixed, ">i4")
        return (self._varying + fixed).astype(">i4")

    def _laid_out(self, width: int) -> Bytes:
        n = self.row_count
        all_count = self._varying is None
        out = np.empty(n * width, np.uint8) if all_count else _SCRATCH.matrix(n * width)
        _fill(out, self._parts, n, width)
        if self._message:
            np.ndarray((n,), ">i4", out, 1, (width,))[:] = self._lengths()
        if all_count:
            return out
        counts = _SCRATCH.marks(n * width)
        counts[:] = True
        at = 0
        for part in self._parts:
            if isinstance(part, Padded | Text) and part.low < part.high:
                first, marks = part.counting()
                np.ndarray((n,), marks.dtype, counts, at + first, (width,))[:] = marks
            at += _width(part)
        taken: Bytes = out[counts]
        return taken

    def _joined(self) -> Bytes:
        """Stretches of fixed width as matrices, varying parts as they are, interleaved by Arrow."""
        columns: list[pa.Array] = []
        stretch: list[_Part] = []
        for part in [*self._parts, None]:
            if part is not None and not isinstance(part, Padded | Text):
                stretch.append(part)
                continue
            if stretch:
                width = sum(_width(p) for p in stretch)
                matrix = np.empty(self.row_count * width, np.uint8)
                _fill(matrix, stretch, self.row_count, width)
                if self._message and not columns:
                    np.ndarray((self.row_count,), ">i4", matrix, 1, (width,))[:] = self._lengths()
                columns.append(fixed_binary(matrix.reshape(self.row_count, width)))
                stretch = []
            if part is not None:
                columns.append(as_binary(part.as_column()))
        joined = pc.binary_join_element_wise(*columns, _EMPTY, null_handling="replace", null_replacement=b"")
        return data_of(joined)[: offsets_of(joined)[-1]]


def _width(part: _Part) -> int:
    if isinstance(part, bytes):
        return len(part)
    return part.high if isinstance(part, Padded | Text) else part.dtype.itemsize


class _Scratch(threading.local):
    """Room for the two matrices of a slice, kept: fresh pages for each would cost more than to fill them."""

    def __init__(self) -> None:
        self._matrix = np.empty(0, np.uint8)
        self._marks = np.empty(0, np.bool_)

    def matrix(self, size_bytes: int) -> Bytes:
        if size_bytes > _SCRATCH_BYTES_MAX:
            return np.empty(size_bytes, np.uint8)
        if len(self._matrix) < size_bytes:
            self._matrix = np.empty(size_bytes, np.uint8)
        return self._matrix[:size_bytes]

    def marks(self, size_bytes: int) -> npt.NDArray[np.bool_]:
        if size_bytes > _SCRATCH_BYTES_MAX:
            return np.empty(size_bytes, np.bool_)
        if len(self._marks) < size_bytes:
            self._marks = np.empty(size_bytes, np.bool_)
        return self._marks[:size_bytes]


_SCRATCH: Final = _Scratch()


def _fill(out: Bytes, parts: Sequence[_Part], n: int, width: int) -> None:
    """Lays n rows of the parts side by side."""
    template = bytearray(width)
    at = 0
    for part in parts:
        if isinstance(part, bytes):
            template[at : at + len(part)] = part
        at += _width(part)
    if n * width:
        out.view(f"V{width}")[:] = np.frombuffer(template, f"V{width}")
    at = 0
    for part in parts:
        if not isinstance(part, bytes):
            values = part.padded() if isinstance(part, Padded | Text) else part
            np.ndarray((n,), values.dtype, out, at, (width,))[:] = values
        at += _width(part)


def _windows(data: Bytes, kind: str) -> Values:
    """What begins at each byte of the data."""
    size = np.dtype(kind).itemsize
    return np.ndarray((len(data) - size + 1,), kind, data, 0, (1,))


def _counting(lengths: Lengths, spread: int, right: bool) -> Values:
    """For each length so many true bytes to the left (or right) of false ones, as one value of `spread` bytes."""
    if spread <= _TABLED_MAX:
        return _counting_table(spread, right)[lengths]
    return _marks(lengths, spread, right)


def _marks(lengths: Lengths, spread: int, right: bool) -> Values:
    places = np.arange(spread, dtype=np.int64)
    counted = (places[::-1] if right else places) < lengths[:, None]
    return counted.view(f"V{spread}").reshape(-1)


@lru_cache(maxsize=64)
def _counting_table(spread: int, right: bool) -> Values:
    return _marks(np.arange(spread + 1), spread, right)


def _measured(column: pa.Array) -> tuple[pa.Array, Lengths, npt.NDArray[np.bool_] | None]:
    """The column as bytes, the length of each value (0 for nulls), and which there are."""
    data = as_binary(column)
    offsets = offsets_of(data)
    lengths = (offsets[1:] - offsets[:-1]).astype(np.int64)
    valid = valid_of(data)
    return data, lengths if valid is None else np.where(valid, lengths, 0), valid


def _ends(lengths: Lengths) -> tuple[int, int]:
    return (int(lengths.min()), int(lengths.max())) if len(lengths) else (0, 0)


def cut(data: Bytes, offsets: Sequence[int] | Lengths, chunk_bytes: int) -> Iterator[bytes]:
    """The stream in chunks of about `chunk_bytes`, cut between rows."""
    ends = np.asarray(offsets)
    start, total = int(ends[0]), int(ends[-1])
    while start < total:
        at = int(np.searchsorted(ends, start + chunk_bytes, side="right")) - 1
        end = int(ends[at])
        if end <= start:  # one row larger than a chunk
            end = int(ends[at + 1])
        yield data[start:end].tobytes()
        start = end
