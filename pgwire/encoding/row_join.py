"""Encoded columns -> one stream of rows: the transposition that no row is touched for.

All rows are laid out in a matrix, every field as wide as its widest value; what is constant in each row comes from a template.
A second matrix marks the bytes that count, and taking those, in order, is the stream:

    D len 4 | 4 7···· | 4 some text |        D len 4 | 1 7 | 4 some text | D len 4 | 5 70321 | ...
    D len 4 | 4 70321 | 4 some text |   ->

With fixed widths alone the matrix is the stream. Where one value is much longer than the others of its column the
matrix would be mostly air; then an element-wise join in C++ interleaves fixed stretches and varying columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pgwire.encoding.arrow_views import Bytes, as_binary, data_of, fixed_binary, offsets_of, valid_of

Lengths = npt.NDArray[np.int64]
Values = npt.NDArray[Any]
"""One value of fixed width for each row, in the bytes of the wire."""

_EMPTY: Final = pa.scalar(b"", pa.binary())
_HEAD_BYTES: Final = 5
_AIR_MAX: Final = 2
"""How much larger than the stream the matrix may be."""
_TABLED_MAX: Final = 256


@dataclass(slots=True)
class _Varying:
    """A part whose length differs from row to row, between `low` and `high`."""

    column: pa.Array
    """Strings or bytes; null where there is nothing. For values of fixed width that may be null: what `values` were made of."""
    lengths: Lengths
    low: int
    high: int
    values: Values | None = None

    def padded(self) -> Values:
        """The values, each `high` bytes wide: what is behind a shorter one is arbitrary."""
        if self.values is not None:
            return self.values
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

    def as_column(self) -> pa.Array:
        if self.values is None:
            return self.column
        matrix = np.ascontiguousarray(self.values).view(np.uint8).reshape(len(self.values), -1)
        return fixed_binary(matrix, self.column)


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
        self._add_varying(_Varying(column, np.where(valid, width, 0), 0, width, values))

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

    def add_text(self, column: pa.Array) -> None:
        """The bytes of a string or binary column alone; nothing where it is null."""
        data, lengths, _ = _measured(column)
        self._add_text(data, lengths)

    def _add_text(self, data: pa.Array, lengths: Lengths) -> None:
        low, high = _ends(lengths)
        if low != high or data.null_count:
            self._add_varying(_Varying(data, lengths, low, high))
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
        out = _matrix(self._parts, n, width)
        if self._message:
            np.ndarray((n,), ">i4", out, 1, (width,))[:] = self._lengths()
        if self._varying is None:
            return out
        counts = np.ones(n * width, np.bool_)
        at = 0
        for part in self._parts:
            if isinstance(part, _Varying) and part.low < part.high:
                spread = part.high - part.low
                rows = np.ndarray((n,), f"V{spread}", counts, at + part.low, (width,))
                rows[:] = _counting(part.lengths - part.low, spread)
            at += _width(part)
        taken: Bytes = out[counts]
        return taken

    def _joined(self) -> Bytes:
        """Stretches of fixed width as matrices, varying parts as they are, interleaved by Arrow."""
        columns: list[pa.Array] = []
        stretch: list[_Part] = []
        for part in [*self._parts, None]:
            if part is not None and not isinstance(part, _Varying):
                stretch.append(part)
                continue
            if stretch:
                width = sum(_width(p) for p in stretch)
                matrix = _matrix(stretch, self.row_count, width)
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
    return part.high if isinstance(part, _Varying) else part.dtype.itemsize


def _matrix(parts: Sequence[_Part], n: int, width: int) -> Bytes:
    """n rows of the parts side by side, flat."""
    template = bytearray(width)
    out = np.empty(n * width, np.uint8)
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
            values = part.padded() if isinstance(part, _Varying) else part
            np.ndarray((n,), values.dtype, out, at, (width,))[:] = values
        at += _width(part)
    return out


def _windows(data: Bytes, kind: str) -> Values:
    """What begins at each byte of the data."""
    size = np.dtype(kind).itemsize
    return np.ndarray((len(data) - size + 1,), kind, data, 0, (1,))


def _counting(lengths: Lengths, spread: int) -> Values:
    """For each length so many true bytes, then false ones, as one value of `spread` bytes."""
    if spread <= _TABLED_MAX:
        return _counting_table(spread)[lengths]
    marks = np.arange(spread, dtype=np.int64) < lengths[:, None]
    return marks.view(f"V{spread}").reshape(-1)


@lru_cache(maxsize=64)
def _counting_table(spread: int) -> Values:
    marks = np.arange(spread) < np.arange(spread + 1)[:, None]
    return marks.view(f"V{spread}").reshape(-1)


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
