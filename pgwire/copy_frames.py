"""COPY TO STDOUT as messages: one CopyData per row, as PostgreSQL sends it.

Clients that read COPY row by row (psycopg's `copy.rows()`) take each message for a row. The encoders put the
heads of messages between the rows in the same join that puts the columns together, so no row
is touched in Python. In the binary format the signature shares the first row's message, as in PostgreSQL.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

from executor.abc import CopyOut
from pgwire import replies
from pgwire.encoding import copy_encoder
from pgwire.encoding.altered_types import pieces_under_types
from pgwire.transcoding import copied, refuse_binary_copy, spoken
from planner.types import TypeSettings


class CopyFrames:
    """The messages of one COPY TO STDOUT, between CopyOutResponse and CopyDone."""

    def __init__(self, copy: CopyOut, settings: TypeSettings) -> None:
        """Raises SqlError 0A000 for what the format does not support."""
        self._settings = settings
        self._encoder = copy_encoder(copy.stream.columns, copy.options, settings)
        self._binary = copy.options.format == "binary"
        self._signature = b""
        self._encoding = spoken(settings, copy.options.encoding)
        if self._encoding is not None and self._binary:
            raise refuse_binary_copy()

    def begin(self) -> bytes:
        data = self._encoder.begin()
        if self._binary:
            self._signature = data
            return b""
        return self._said(replies.copy_data(data)) if data else b""

    def batch(self, batch: pa.RecordBatch) -> Iterator[bytes]:
        return pieces_under_types(self._settings, self._pieces(batch))

    def _pieces(self, batch: pa.RecordBatch) -> Iterator[bytes]:
        if self._signature and batch.num_rows:
            first = b"".join(self._encoder.encode(batch.slice(0, 1)))
            yield replies.copy_data(self._signature + first)
            self._signature = b""
            batch = batch.slice(1)
        yield from map(self._said, self._encoder.framed(batch))

    def _said(self, frames: bytes) -> bytes:
        return frames if self._encoding is None else copied(frames, self._encoding)

    def end(self) -> bytes:
        data = self._signature + self._encoder.end()
        return replies.copy_data(data) if data else b""
