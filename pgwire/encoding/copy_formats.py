"""COPY's formats by name: the decoder for COPY FROM STDIN, the encoder for COPY TO STDOUT.

decoder = copy_decoder(columns, options, settings, table)     feed(bytes) -> batches, finish() -> batches
encoder = copy_encoder(columns, options, settings)            begin() -> bytes, encode(batch) -> chunks, end() -> bytes
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

import pyarrow as pa

from pgwire.encoding.batches import CHUNK_BYTES, DigitsColumn, column_adder, digits_column, slices
from pgwire.encoding.copy_binary import HEADER, TRAILER, BinaryDecoder
from pgwire.encoding.copy_csv import CsvDecoder, csv_fields, quote_field
from pgwire.encoding.copy_text import TextDecoder, escape_text, is_harmless, text_fields
from pgwire.encoding.row_join import RowStream, cut
from planner.abc import ResultColumn, SqlError
from planner.types import DEFAULT_SETTINGS, TypeSettings

if TYPE_CHECKING:
    from executor.abc import CopyOptions


class CopyDecoder(Protocol):
    """Bytes cut anywhere -> batches in canonical Arrow types. Raises SqlError with a `context`."""

    row_count: int
    ignored_count: int

    @property
    def lines_come(self) -> int:
        """How many lines have been fed; of binary data none."""
        ...

    def feed(self, data: bytes) -> list[pa.RecordBatch]: ...

    def whole_rows(self) -> list[pa.RecordBatch]:
        """What has come and is whole, though more may come: the client gives up, and what is wrong with it comes first."""
        ...

    def finish(self) -> list[pa.RecordBatch]: ...


class CopyEncoder(Protocol):
    """Batches -> chunks of the format's bytes; a chunk (of about 256 KiB) ends with a row.

    `framed`: the same with each row in a CopyData message of its own, as PostgreSQL sends them.
    """

    def begin(self) -> bytes: ...

    def encode(self, batch: pa.RecordBatch) -> Iterator[bytes]: ...

    def framed(self, batch: pa.RecordBatch) -> Iterator[bytes]: ...

    def end(self) -> bytes: ...


def copy_decoder(
    columns: Sequence[ResultColumn],
    options: CopyOptions,
    settings: TypeSettings = DEFAULT_SETTINGS,
    table: str = "",
) -> CopyDecoder:
    """Raises what `check_options` raises."""
    check_options(options)
    if options.format == "text":
        return TextDecoder(columns, options, settings, table)
    if options.format == "csv":
        return CsvDecoder(columns, options, settings, table)
    return BinaryDecoder(columns, options, settings, table)


def check_options(options: CopyOptions) -> None:
    """What the codecs rely on. Raises 0A000 and 22023, worded as PostgreSQL words them."""
    if options.format not in ("text", "csv", "binary"):
        raise SqlError("22023", f'COPY format "{options.format}" not recognized')
    if options.format == "binary":
        return
    delimiter, null = options.delimiter, options.null
    if len(delimiter.encode()) != 1:
        raise SqlError("0A000", "COPY delimiter must be a single one-byte character")
    if delimiter in "\r\n":
        raise SqlError("22023", "COPY delimiter cannot be newline or carriage return")
    if set("\r\n") & set(null):
        raise SqlError("22023", "COPY null representation cannot use newline or carriage return")
    if options.format == "text" and delimiter in "\\.abcdefghijklmnopqrstuvwxyz0123456789":
        raise SqlError("22023", f'COPY delimiter cannot be "{delimiter}"')
    if options.format == "csv":
        if len(options.quote.encode()) != 1:
            raise SqlError("0A000", "COPY quote must be a single one-byte character")
        if delimiter == options.quote:
            raise SqlError("22023", "COPY delimiter and quote must be different")
        if len(options.escape.encode()) != 1:
            raise SqlError("0A000", "COPY escape must be a single one-byte character")
        if options.quote in null:
            raise SqlError("0A000", "CSV quote character must not appear in the NULL specification")
    if delimiter in null:
        raise SqlError("0A000", "COPY delimiter must not appear in the NULL specification")


class _LineEncoder:
    def __init__(self, columns: Sequence[ResultColumn], options: CopyOptions, settings: TypeSettings) -> None:
        self._csv = options.format == "csv"
        self._columns, self._options = columns, options
        self._fields = (csv_fields if self._csv else text_fields)(columns, options, settings)
        self._digits = [self._digits_of(c, settings) for c in columns]

    def _digits_of(self, column: ResultColumn, settings: TypeSettings) -> DigitsColumn | None:
        """Digits need neither quotes nor backslashes, unless somebody asks for them or NULL looks like a number."""
        options = self._options
        quoted = self._csv and (options.force_quote == "*" or column.name in options.force_quote)
        if quoted or not is_harmless(column.type, options.delimiter) or options.null not in ("", "\\N"):
            return None
        return digits_column(column.type, settings)

    def begin(self) -> bytes:
        if not self._options.header:
            return b""
        delimiter = self._options.delimiter
        names = [c.name for c in self._columns]
        if self._csv:
            special = {delimiter, self._options.quote, "\n", "\r"}
            names = [
                quote_field(n, self._options) if special & set(n) or n == self._options.null else n
                for n in names
            ]
        else:
            names = [escape_text(n, delimiter) for n in names]
        return (delimiter.join(names) + "\n").encode()

    def encode(self, batch: pa.RecordBatch) -> Iterator[bytes]:
        return self._rows(batch, framed=False)

    def framed(self, batch: pa.RecordBatch) -> Iterator[bytes]:
        return self._rows(batch, framed=True)

    def _rows(self, batch: pa.RecordBatch, *, framed: bool) -> Iterator[bytes]:
        if not self._fields:
            if batch.num_rows:
                yield (b"d\x00\x00\x00\x05\n" if framed else b"\n") * batch.num_rows
            return
        delimiter = self._options.delimiter.encode()
        for piece in slices(batch):
            stream = RowStream(piece.num_rows, b"d" if framed else b"")
            last = len(self._fields) - 1
            for i, column in enumerate(piece.columns):
                digits = self._digits[i]
                parts = None if digits is None else digits(column)
                if parts is None:
                    stream.add_text(self._fields[i](column))
                else:
                    stream.add_padded(parts)
                stream.add_constant(b"\n" if i == last else delimiter)
            data, offsets = stream.join()
            yield from cut(data, offsets, CHUNK_BYTES)

    def end(self) -> bytes:
        return b""


class _BinaryEncoder:
    def __init__(self, columns: Sequence[ResultColumn], settings: TypeSettings) -> None:
        self._adders = [column_adder(c.type, 1, settings) for c in columns]
        self._count = len(columns).to_bytes(2, "big")

    def begin(self) -> bytes:
        return HEADER

    def encode(self, batch: pa.RecordBatch) -> Iterator[bytes]:
        return self._rows(batch, framed=False)

    def framed(self, batch: pa.RecordBatch) -> Iterator[bytes]:
        return self._rows(batch, framed=True)

    def _rows(self, batch: pa.RecordBatch, *, framed: bool) -> Iterator[bytes]:
        for piece in slices(batch):
            stream = RowStream(piece.num_rows, b"d" if framed else b"")
            stream.add_constant(self._count)
            for adder, column in zip(self._adders, piece.columns, strict=True):
                adder(stream, column)
            data, offsets = stream.join()
            yield from cut(data, offsets, CHUNK_BYTES)

    def end(self) -> bytes:
        return TRAILER


def copy_encoder(
    columns: Sequence[ResultColumn], options: CopyOptions, settings: TypeSettings = DEFAULT_SETTINGS
) -> CopyEncoder:
    """Raises what `check_options` raises."""
    check_options(options)
    if options.format in ("text", "csv"):
        return _LineEncoder(columns, options, settings)
    return _BinaryEncoder(columns, settings)
