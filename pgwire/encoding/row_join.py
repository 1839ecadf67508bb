"""Encoded columns -> one stream of rows: the transposition that no row is touched for.

Every column is a length and bytes. Fixed parts that stand beside each other (a message head, lengths,
fixed-width values) are laid side by side as matrices; varying columns stay Arrow columns; and one
element-wise join in C++ interleaves them:

    head+len | text column | len+int+len | text column      ->  row row row ...

With fixed-width columns alone there is nothing to join: the matrix is the stream.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pgwire.encoding.arrow_views import (
    Bytes,
    as_binary,
    bytes_matrix,
    data_of,
    fixed_binary,
    offsets_of,
    valid_of,
)

Lengths = npt.NDArray[np.int64]
_EMPTY = pa.scalar(b"", pa.binary())


class RowStream:
    """The columns of some rows as they are added; then the joined rows."""

    def __init__(self, row_count: int) -> None:
        self.row_count = row_count
        self._parts: list[Bytes | pa.Array] = []
        self.sizes: Lengths = np.zeros(row_count, np.int64)
        """Bytes of each row so far."""

    def add_constant(self, data: bytes) -> None:
        row = np.frombuffer(data, np.uint8)
        self.add_matrix(np.broadcast_to(row, (self.row_count, len(row))))

    def add_matrix(self, matrix: Bytes) -> None:
        self._parts.append(matrix)
        self.sizes += matrix.shape[1]

    def add_fixed_field(self, matrix: Bytes, column: pa.Array) -> None:
        """A length and a value of fixed width, or -1 where the column is null."""
        width = matrix.shape[1]
        if not column.null_count:
            self.add_constant(width.to_bytes(4, "big"))
            self.add_matrix(matrix)
        else:
            self.add_field(fixed_binary(matrix, column))

    def add_field(self, column: pa.Array) -> None:
        """A length and the bytes of a string or binary column."""
        data = as_binary(column)
        offsets = offsets_of(data)
        lengths = np.diff(offsets).astype(np.int64)
        valid = valid_of(data)
        on_wire = lengths
        if valid is not None:
            lengths = np.where(valid, lengths, 0)
            on_wire = np.where(valid, lengths, -1)
        self.add_matrix(bytes_matrix(on_wire.astype(">i4")))
        self._parts.append(data)
        self.sizes += lengths

    def join(self, head: Bytes | None = None) -> tuple[Bytes, Lengths]:
        """The bytes of all rows, and the n + 1 offsets of rows in them. `head` goes before each row."""
        parts = self._parts if head is None else [head, *self._parts]
        merged: list[pa.Array] = []
        pending: list[Bytes] = []
        matrix: Bytes | None = None
        for part in [*parts, None]:
            if isinstance(part, np.ndarray):
                pending.append(part)
                continue
            if pending:
                matrix = pending[0] if len(pending) == 1 else np.concatenate(pending, axis=1)
                merged.append(matrix)
                pending = []
            if part is not None:
                merged.append(part)
        if len(merged) == 1 and isinstance(merged[0], np.ndarray):
            matrix = np.ascontiguousarray(merged[0])
            return matrix.reshape(-1), np.arange(self.row_count + 1, dtype=np.int64) * matrix.shape[1]
        columns = [fixed_binary(m) if isinstance(m, np.ndarray) else m for m in merged]
        joined = pc.binary_join_element_wise(*columns, _EMPTY, null_handling="replace", null_replacement=b"")
        offsets = offsets_of(joined).astype(np.int64)
        return data_of(joined)[: offsets[-1]], offsets


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
