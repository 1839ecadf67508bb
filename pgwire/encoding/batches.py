"""Columnar results: an Arrow batch -> its DataRow messages.

Columns are encoded whole (`text_columns`, `binary_columns`) and joined into rows in C++ (`row_join`).
Work is done in slices, so that memory stays bounded however large a batch is, and handed out in chunks
cut between messages, so that the caller can wait for the client between any two.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Final, Protocol

import numpy as np
import pyarrow as pa

from pgwire.encoding.arrow_views import Bytes
from pgwire.encoding.binary_columns import fixed_column, varying_column
from pgwire.encoding.digits import float8_digits, integer_digits
from pgwire.encoding.row_join import Lengths, Padded, RowStream, cut
from pgwire.encoding.rows import formats_for
from pgwire.encoding.text_columns import TextColumn, text_column
from planner import types as t
from planner.abc import ResultColumn, TypeRef
from planner.types import DEFAULT_SETTINGS, TypeSettings

CHUNK_BYTES: Final = 256 * 1024
SLICE_ROWS: Final = 16_384
SLICE_BYTES: Final = 16 * 1024 * 1024


class BatchEncoder(Protocol):
    """A batch -> DataRow messages, in chunks. `rows_each`: chunks of so many rows, of a batch that is one slice."""

    def __call__(self, batch: pa.RecordBatch, rows_each: int = 0) -> Iterator[bytes]: ...


PageEncoder = Callable[[Sequence[pa.Array]], tuple[bytes, Sequence[int]]]
"""Rows in columns, of which there is one at least -> DataRow messages, and where each begins; the last number is where they end."""
DigitsColumn = Callable[[pa.Array], list[Padded] | None]
AddColumn = Callable[[RowStream, pa.Array], None]


def column_adder(ref: TypeRef, form: int, settings: TypeSettings) -> AddColumn:
    """What encodes a column (0 text, 1 binary) and adds its fields to a stream of rows."""
    if form == 0:
        text = text_column(ref, settings)
        digits = digits_column(ref, settings)
        if digits is None:
            return lambda stream, column: stream.add_field(text(column))
        return _digits_adder(digits, text)
    fixed = fixed_column(ref)
    if fixed is not None:
        values = fixed
        return lambda stream, column: stream.add_fixed_field(values(column), column)
    varying = varying_column(ref)
    return lambda stream, column: stream.add_field(varying(column))


def digits_column(ref: TypeRef, settings: TypeSettings) -> DigitsColumn | None:
    """What makes digits of the columns of a type, where it does not need Arrow to print them."""
    if ref.oid in (t.INT2, t.INT4, t.INT8):
        return integer_digits
    return float8_digits if ref.oid == t.FLOAT8 and settings.extra_float_digits > 0 else None


def _digits_adder(digits: DigitsColumn, text: TextColumn) -> AddColumn:
    def add(stream: RowStream, column: pa.Array) -> None:
        parts = digits(column)
        if parts is None:
            stream.add_field(text(column))
        else:
            stream.add_padded_field(parts)

    return add


def slices(batch: pa.RecordBatch) -> Iterator[pa.RecordBatch]:
    """The batch in pieces of at most SLICE_ROWS rows and about SLICE_BYTES."""
    rows = batch.num_rows
    if not rows:
        return
    step = max(1, min(SLICE_ROWS, SLICE_BYTES * rows // max(1, batch.nbytes)))
    for start in range(0, rows, step):
        yield batch.slice(start, step)


def _stream_encoder(
    columns: Sequence[ResultColumn], formats: Sequence[int], settings: TypeSettings
) -> Callable[[int, Sequence[pa.Array]], tuple[Bytes, Lengths]]:
    """From so many rows in columns to their messages, and where each begins and the last one ends."""
    forms = formats_for(formats, len(columns))
    adders = [column_adder(c.type, form, settings) for c, form in zip(columns, forms, strict=True)]
    count = len(columns).to_bytes(2, "big")

    def encode(rows: int, arrays: Sequence[pa.Array]) -> tuple[Bytes, Lengths]:
        stream = RowStream(rows, b"D")
        stream.add_constant(count)
        for adder, column in zip(adders, arrays, strict=True):
            adder(stream, column)
        return stream.join()

    return encode


def page_encoder(
    columns: Sequence[ResultColumn], formats: Sequence[int] = (), settings: TypeSettings = DEFAULT_SETTINGS
) -> PageEncoder:
    """A function from some rows in columns (canonical Arrow types) to their DataRow messages, for what is kept of them
    (`pgwire.pages`): a thousand rows of three short columns take 0.12 ms, one by one 0.4."""
    encode = _stream_encoder(columns, formats, settings)

    def page(arrays: Sequence[pa.Array]) -> tuple[bytes, Sequence[int]]:
        data, offsets = encode(len(arrays[0]), arrays)
        return data.tobytes(), array("I", offsets.astype(np.uint32).tobytes())

    return page


def batch_encoder(
    columns: Sequence[ResultColumn], formats: Sequence[int] = (), settings: TypeSettings = DEFAULT_SETTINGS
) -> BatchEncoder:
    """A function from batches (canonical Arrow types) to chunks of DataRow messages.

    Chunks have about 256 KiB and end with a message. The encoder holds no state between batches.
    """
    stream = _stream_encoder(columns, formats, settings)

    def encode(batch: pa.RecordBatch, rows_each: int = 0) -> Iterator[bytes]:
        assert batch.num_columns == len(columns), "a batch has the columns that were described"
        for piece in slices(batch):
            data, offsets = stream(piece.num_rows, piece.columns)
            if rows_each:
                yield from cut(data, offsets[::rows_each], 1)
            else:
                yield from cut(data, offsets, CHUNK_BYTES)

    return encode
