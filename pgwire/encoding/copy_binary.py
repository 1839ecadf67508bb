"""COPY's binary format: a signature, tuples of counted fields, a trailer.

    PGCOPY\\n\\377\\r\\n\\0 | flags | extension | { int16 columns { int32 size, bytes } } | int16 -1

Blocks are read by columns: `copy_tuples` finds the fields, `binary_fields` makes columns of them. What that way has doubts about
is read again value by value, and there errors get their words and their place.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from pgwire.encoding.binary import binary_input
from pgwire.encoding.binary_fields import column_reader, field_width
from pgwire.encoding.copy_columns import Doubt
from pgwire.encoding.copy_lines import BLOCK_BYTES, ROW_BYTES_MAX, bad_format
from pgwire.encoding.copy_tuples import Tuples, find_tuples
from planner.abc import ResultColumn, SqlError
from planner.types import DEFAULT_SETTINGS, TypeSettings, arrow_type, from_datums
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.abc import CopyOptions

SIGNATURE: Final = b"PGCOPY\n\xff\r\n\0"
HEADER: Final = SIGNATURE + b"\0" * 8
TRAILER: Final = b"\xff\xff"
_HAS_OIDS: Final = 1 << 16


class BinaryDecoder:
    """COPY FROM ... (FORMAT binary). The same calls as the decoders of lines."""

    def __init__(
        self,
        columns: Sequence[ResultColumn],
        options: CopyOptions,
        settings: TypeSettings = DEFAULT_SETTINGS,
        table: str = "",
        block_bytes: int = BLOCK_BYTES,
    ) -> None:
        self.table, self.options = table, options
        self.row_count = self.ignored_count = 0
        self.lines_come = 0  # there are no lines
        self._names = [c.name for c in columns]
        self._refs = [c.type for c in columns]
        self._widths = [field_width(ref) for ref in self._refs]
        self._by_column = [column_reader(ref) for ref in self._refs]
        self._by_value = [binary_input(ref) for ref in self._refs]
        self.schema = pa.schema([pa.field(c.name, arrow_type(c.type)) for c in columns])
        self._block_bytes = block_bytes
        self._pending: list[bytes] = []
        self._pending_bytes = 0
        self._wanted_bytes = block_bytes
        self._header_read = self._ended = False
        self._unfinished = ""
        """The column in which what has come ends; none where it ends between tuples (PostgreSQL wants no trailer)."""
        self._fast_enabled = True

    def feed(self, data: bytes) -> list[pa.RecordBatch]:
        if self._ended:
            if data:
                raise self._error("received copy data after EOF marker")
            return []
        self._pending.append(data)
        self._pending_bytes += len(data)
        return self._read() if self._pending_bytes >= self._wanted_bytes else []

    def whole_rows(self) -> list[pa.RecordBatch]:
        return [] if self._ended else self._read()

    def finish(self) -> list[pa.RecordBatch]:
        out = self._read()
        if not self._header_read:
            raise bad_format("COPY file signature not recognized")
        if self._unfinished:
            raise self._error("unexpected EOF in COPY data", self._unfinished)
        return out

    def _error(self, message: str, column: str = "") -> SqlError:
        error = bad_format(message)
        error.context = self._place(column)
        return error

    def _place(self, column: str) -> str:
        return f"COPY {self.table}, line {self.row_count + 1}" + (f", column {column}" if column else "")

    def _read(self) -> list[pa.RecordBatch]:
        data = b"".join(self._pending)
        at = 0
        out: list[pa.RecordBatch] = []
        if not self._header_read:
            at = self._header(data)
        if self._header_read:
            if self._fast_enabled:
                at = self._blocks(data, at, out)
            at = self._tuples(data, at, len(data), out)
        rest = data[at:]
        self._pending, self._pending_bytes = [rest], len(rest)
        if len(rest) > ROW_BYTES_MAX:
            raise SqlError("54000", f"a row of COPY data is longer than {ROW_BYTES_MAX} bytes")
        # A row that is longer than a block is looked at again when there is twice as much of it.
        self._wanted_bytes = max(self._block_bytes, 2 * len(rest))
        return out

    def _header(self, data: bytes) -> int:
        """Where the tuples begin; leaves `_header_read` false while it is incomplete."""
        if data[: len(SIGNATURE)] != SIGNATURE[: len(data)]:
            raise bad_format("COPY file signature not recognized")
        if len(data) < len(HEADER):
            return 0
        flags, extension = struct.unpack_from("!Ii", data, len(SIGNATURE))
        if flags & _HAS_OIDS:
            raise bad_format("invalid COPY file header (WITH OIDS)")
        if flags >> 16:
            raise bad_format("unrecognized critical flags in COPY file header")
        if extension < 0:
            raise bad_format("invalid COPY file header (missing length)")
        if len(data) < len(HEADER) + extension:
            return 0
        self._header_read = True
        return len(HEADER) + int(extension)

    def _blocks(self, data: bytes, at: int, out: list[pa.RecordBatch]) -> int:
        """Reads by columns as far as that goes, in steps of about a block; returns where it stopped."""
        step = self._block_bytes
        while at < len(data):
            end = min(len(data), at + step)
            found = find_tuples(data, at, end, self._widths)
            if found is None:
                if end == len(data):
                    break
                step *= 2
                continue
            step = self._block_bytes
            at = self._columns(data, at, found, out)
        return at

    def _columns(self, data: bytes, at: int, found: Tuples, out: list[pa.RecordBatch]) -> int:
        try:
            arrays = [read(fields) for read, fields in zip(self._by_column, found.columns, strict=True)]
        except Doubt:
            return self._tuples(data, at, found.end, out)
        self.row_count += found.count
        out.append(pa.RecordBatch.from_arrays(arrays, schema=self.schema))
        return found.end

    def _tuples(self, data: bytes, at: int, end: int, out: list[pa.RecordBatch]) -> int:
        """Reads value by value what is whole before `end`; returns where it stopped."""
        self._unfinished = ""
        values: list[list[Datum]] = [[] for _ in self._refs]
        count, rows = len(self._refs), 0
        while at + 2 <= end:
            fields = int.from_bytes(data[at : at + 2], "big", signed=True)
            if fields == -1:
                self._ended = True
                if at + 2 < end:
                    raise self._error("received copy data after EOF marker")
                at = end
                break
            if fields != count:
                raise self._error(f"row field count is {fields}, expected {count}")
            parsed, after = self._tuple(data, at + 2, end)
            if parsed is None:
                self._unfinished = self._names[after]
                break
            at = after
            rows += 1
            self.row_count += 1
            for column, datum in zip(values, parsed, strict=True):
                column.append(datum)
        if rows and not values:
            out.append(pa.RecordBatch.from_struct_array(pa.array([{}] * rows, pa.struct([]))))
        elif rows:
            columns = [from_datums(v, ref) for v, ref in zip(values, self._refs, strict=True)]
            out.append(pa.RecordBatch.from_arrays(columns, schema=self.schema))
        return at

    def _tuple(self, data: bytes, at: int, end: int) -> tuple[list[Datum] | None, int]:
        """A row's datums and where it ends; None, and the index of the column that is not all here yet."""
        out: list[Datum] = []
        for i, read in enumerate(self._by_value):
            if at + 4 > end:
                return None, i
            size = int.from_bytes(data[at : at + 4], "big", signed=True)
            at += 4
            if size == -1:
                out.append(None)
                continue
            if size < 0:
                raise self._error("invalid field size", self._names[i])
            if at + size > end:
                return None, i
            try:
                out.append(read(data[at : at + size]))
            except SqlError as e:
                e.context = self._place(self._names[i])
                raise
            at += size
        return out, at
