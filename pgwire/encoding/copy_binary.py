"""COPY's binary format: a signature, tuples of counted fields, a trailer.

    PGCOPY\\n\\377\\r\\n\\0 | flags | extension | { int16 columns { int32 size, bytes } } | int16 -1

Where all columns are of fixed width and nothing is NULL, rows are equally long: such a stretch is read as
one numpy record array, whatever its number of rows.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pgwire.encoding.binary import (
    DATE_WIRE_MAX,
    DATE_WIRE_MIN,
    EPOCH_DAYS,
    EPOCH_US,
    STAMP_WIRE_MAX,
    STAMP_WIRE_MIN,
    binary_input,
)
from pgwire.encoding.copy_columns import Block, ColumnReader, Doubt
from pgwire.encoding.copy_lines import BLOCK_BYTES, ROW_BYTES_MAX, bad_format
from planner import types as t
from planner.abc import ResultColumn, SqlError, TypeRef
from planner.types import DEFAULT_SETTINGS, TypeSettings, arrow_type, from_datums
from planner.types.datetimes import DATE_END, DATE_MIN, TIMESTAMP_END, TIMESTAMP_MIN
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.abc import CopyOptions

SIGNATURE: Final = b"PGCOPY\n\xff\r\n\0"
HEADER: Final = SIGNATURE + b"\0" * 8
TRAILER: Final = b"\xff\xff"
_HAS_OIDS: Final = 1 << 16

_FIXED: Final = {
    t.INT2: ">i2",
    t.INT4: ">i4",
    t.INT8: ">i8",
    t.FLOAT4: ">f4",
    t.FLOAT8: ">f8",
    t.DATE: ">i4",
    t.TIMESTAMP: ">i8",
    t.TIMESTAMPTZ: ">i8",
}


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
        self._names = [c.name for c in columns]
        self._refs = [c.type for c in columns]
        self._readers = [ColumnReader(c.name, c.type, settings) for c in columns]
        self._no_ascii = Block(b"\xff")
        self._reads = [binary_input(c.type) for c in columns]
        self.schema = pa.schema([pa.field(c.name, arrow_type(c.type)) for c in columns])
        self._block_bytes = block_bytes
        self._pending = bytearray()
        self._header_read = self._ended = False
        self._record = _record(self._refs)

    def feed(self, data: bytes) -> list[pa.RecordBatch]:
        if self._ended:
            if data:
                raise self._error("received copy data after EOF marker")
            return []
        self._pending += data
        if len(self._pending) < self._block_bytes:
            return []
        if len(self._pending) > ROW_BYTES_MAX:
            raise SqlError("54000", f"a row of COPY data is longer than {ROW_BYTES_MAX} bytes")
        return self._read()

    def finish(self) -> list[pa.RecordBatch]:
        out = self._read()
        if not self._header_read:
            raise bad_format("COPY file signature not recognized")
        if not self._ended and self._pending:
            raise self._error("unexpected EOF in COPY data")
        return out

    def _error(self, message: str) -> SqlError:
        error = bad_format(message)
        error.context = f"COPY {self.table}, line {self.row_count + 1}"
        return error

    def _read(self) -> list[pa.RecordBatch]:
        data = bytes(self._pending)
        at = 0
        if not self._header_read:
            at = self._header(data)
            if not self._header_read:
                return []
        out: list[pa.RecordBatch] = []
        if self._record is not None:
            batch, at = self._stretch(data, at, self._record)
            if batch is not None:
                out.append(batch)
        for way in (self._by_columns, self._tuples):
            batch, at = way(data, at)
            if batch is not None:
                out.append(batch)
        del self._pending[:at]
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

    def _stretch(self, data: bytes, at: int, record: np.dtype[Any]) -> tuple[pa.RecordBatch | None, int]:
        """As many equally long rows without NULL as follow each other from here."""
        count = (len(data) - at) // record.itemsize
        if not count:
            return None, at
        rows = np.frombuffer(data, record, count=count, offset=at)
        good = rows["n"] == len(self._refs)
        for i in range(len(self._refs)):
            good &= rows[f"l{i}"] == record[f"v{i}"].itemsize
        n = count if good.all() else int(good.argmin())
        if not n:
            return None, at
        columns = []
        for i, ref in enumerate(self._refs):
            values = rows[f"v{i}"][:n]
            columns.append(_column(values.astype(values.dtype.newbyteorder("=")), ref))
        self.row_count += n
        return pa.RecordBatch.from_arrays(columns, schema=self.schema), at + n * record.itemsize

    def _by_columns(self, data: bytes, at: int) -> tuple[pa.RecordBatch | None, int]:
        """Finds where every field is, row by row, then reads the fields by columns.

        Stops before the first row that is incomplete or odd, and reads nothing where a value is wrong:
        `_tuples` then goes on, and finds the error.
        """
        columns = len(self._refs)
        if not columns:
            return None, at
        starts: list[int] = []
        sizes: list[int] = []
        found, size_at, end = 0, struct.Struct("!i").unpack_from, len(data)
        mark = columns.to_bytes(2, "big")
        here = at
        while data[here : here + 2] == mark:
            field = here + 2
            for _ in range(columns):
                if field + 4 > end:
                    break
                (size,) = size_at(data, field)
                field += 4
                starts.append(field)
                sizes.append(size)
                if size > 0:
                    field += size
                elif size < -1:
                    field = end + 1
            else:
                if field <= end:
                    found += 1
                    here = field
                    continue
            break
        if not found:
            return None, at
        start = np.array(starts[: found * columns], np.int64).reshape(found, columns)
        size = np.array(sizes[: found * columns], np.int64).reshape(found, columns)
        try:
            arrays = [self._gather(data, start[:, i], size[:, i], i) for i in range(columns)]
        except (Doubt, SqlError, pa.ArrowInvalid):
            return None, at
        self.row_count += found
        return pa.RecordBatch.from_arrays(arrays, schema=self.schema), here

    def _gather(
        self, data: bytes, start: npt.NDArray[np.int64], size: npt.NDArray[np.int64], i: int
    ) -> pa.Array:
        ref, valid = self._refs[i], size >= 0
        kind = _FIXED.get(ref.oid)
        if kind is not None and not (ref.typmod >= 0 and ref.oid in (t.TIMESTAMP, t.TIMESTAMPTZ)):
            width = np.dtype(kind).itemsize
            if not (size[valid] == width).all():
                raise Doubt
            at = np.where(valid, start, 0)[:, None] + np.arange(width)
            values = np.frombuffer(data, np.uint8)[at].view(kind).reshape(-1)
            return _column(values.astype(values.dtype.newbyteorder("=")), ref, valid)
        pieces = [
            data[s : s + n] if n >= 0 else None for s, n in zip(start.tolist(), size.tolist(), strict=True)
        ]
        if ref.oid == t.BYTEA:
            return pa.array(pieces, pa.binary())
        if ref.oid in (t.TEXT, t.VARCHAR, t.BPCHAR):
            texts = pa.array(pieces, pa.binary()).cast(pa.string())
            if pc.any(pc.match_substring(texts, "\0")).as_py():
                raise Doubt
            return self._readers[i].check(texts, self._no_ascii)
        read = self._reads[i]
        return from_datums([None if piece is None else read(piece) for piece in pieces], ref)

    def _tuples(self, data: bytes, at: int) -> tuple[pa.RecordBatch | None, int]:
        values: list[list[Datum]] = [[] for _ in self._refs]
        count, end = len(self._refs), len(data)
        rows = 0
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
            parsed, after = self._tuple(data, at + 2)
            if parsed is None:
                break
            at = after
            rows += 1
            self.row_count += 1
            for column, datum in zip(values, parsed, strict=True):
                column.append(datum)
        if not rows:
            return None, at
        if not values:
            return pa.RecordBatch.from_struct_array(pa.array([{}] * rows, pa.struct([]))), at
        columns = [from_datums(v, ref) for v, ref in zip(values, self._refs, strict=True)]
        return pa.RecordBatch.from_arrays(columns, schema=self.schema), at

    def _tuple(self, data: bytes, at: int) -> tuple[list[Datum] | None, int]:
        """A row's datums and where it ends; None when it is not all here yet."""
        out: list[Datum] = []
        end = len(data)
        for i, read in enumerate(self._reads):
            if at + 4 > end:
                return None, at
            size = int.from_bytes(data[at : at + 4], "big", signed=True)
            at += 4
            if size == -1:
                out.append(None)
                continue
            if size < 0:
                raise self._error("invalid field size")
            if at + size > end:
                return None, at
            try:
                out.append(read(data[at : at + size]))
            except SqlError as e:
                e.context = f"COPY {self.table}, line {self.row_count + 1}, column {self._names[i]}"
                raise
            at += size
        return out, at


def _record(refs: Sequence[TypeRef]) -> np.dtype[Any] | None:
    """The layout of a row of fixed-width columns; None where some column varies."""
    fields: list[tuple[str, str]] = [("n", ">i2")]
    for i, ref in enumerate(refs):
        if ref.oid not in _FIXED or (ref.typmod >= 0 and ref.oid in (t.TIMESTAMP, t.TIMESTAMPTZ)):
            return None
        fields += [(f"l{i}", ">i4"), (f"v{i}", _FIXED[ref.oid])]
    return np.dtype(fields) if refs else None


def _column(values: Any, ref: TypeRef, valid: npt.NDArray[np.bool_] | None = None) -> pa.Array:
    """Native numbers of the wire -> a canonical column, null where not valid."""
    mask = None if valid is None or valid.all() else ~valid
    if mask is not None:
        values = np.where(mask, values.dtype.type(0), values)
    if ref.oid == t.DATE:
        return _shifted(
            values, EPOCH_DAYS, (DATE_WIRE_MIN, DATE_WIRE_MAX), (DATE_MIN, DATE_END), "date", mask
        ).view(pa.date32())
    if ref.oid in (t.TIMESTAMP, t.TIMESTAMPTZ):
        stamps = _shifted(
            values,
            EPOCH_US,
            (STAMP_WIRE_MIN, STAMP_WIRE_MAX),
            (TIMESTAMP_MIN, TIMESTAMP_END),
            "timestamp",
            mask,
        )
        return stamps.view(arrow_type(ref))
    return pa.array(values, arrow_type(ref), mask=mask)


def _shifted(
    values: Any, epoch: int, infinities: tuple[int, int], bounds: tuple[int, int], name: str, mask: Any
) -> pa.Array:
    low, high = infinities
    with np.errstate(over="ignore"):
        out = values + values.dtype.type(epoch)
    finite = (values != low) & (values != high)
    wrapped = (values > 0) & (out < values)
    if (finite & ((out < bounds[0]) | (out >= bounds[1]) | wrapped)).any():
        raise SqlError("22008", f"{name} out of range")
    out[values == high] = high
    out[values == low] = -high
    return pa.array(out, mask=mask)
