"""Parameters of many rows at once: the values of a column, scattered over many Binds or one -> canonical Arrow.

Where the values are is known (`bound_places`). Binary ones are read as those of a binary COPY (`binary_fields`). Text is
cast by Arrow and checked as COPY checks it (`copy_columns`). What either is not sure about (`Doubt`) is read value by
value with the type's own input function, just as one parameter is.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from pgwire.encoding.binary_fields import Fields, Places, column_reader, field_width
from pgwire.encoding.copy_columns import YEAR_1_DAYS, YEAR_1_US, Block, ColumnReader, Doubt
from pgwire.encoding.parameters import parameter_input
from planner import types as t
from planner.abc import TypeRef
from planner.types import TypeSettings, arrow_type, from_datums
from planner.types.texts import TYPMOD_HEADER

_TEXTS: Final = frozenset((t.TEXT, t.VARCHAR, t.BPCHAR))
_CAST: Final = frozenset((t.INT2, t.INT4, t.INT8, t.FLOAT4, t.FLOAT8, t.UUID))
_ZONE_HOURS_MAX: Final = 14
_STAMP_SIZE_BYTES: Final = len("2024-02-29 12:34:56")
_DATE_SIZE_BYTES: Final = len("2024-02-29")
_ZONE_SIZE_BYTES: Final = len("+00")

_strings: Final = column_reader(TypeRef(t.TEXT))
OfText = Callable[[pa.Array, Places], pa.Array]
"""(values as Arrow strings, their sizes in bytes) -> the column in canonical Arrow. Raises Doubt, ArrowInvalid."""


class BoundColumn:
    """How one parameter of many rows is read: as a `ref`, from text or binary values."""

    __slots__ = ("_by_column", "_by_value", "_zoned", "of_text", "ref", "width")

    def __init__(self, ref: TypeRef, form: int, settings: TypeSettings) -> None:
        self.ref = ref
        self._by_value = parameter_input(ref, form, settings)
        self._by_column = column_reader(ref) if form and ref.oid not in _TEXTS else None
        self.width = field_width(ref) if form else 0
        """How long every value is that is not NULL; 0 where that varies."""
        self._zoned = not form and ref.oid in (t.DATE, t.TIMESTAMP)
        self.of_text = None if self._by_column is not None else _text_reader(ref, settings)
        """What makes the column of the values' text, where they are text and there is such a way."""

    def trimmed(self, fields: Fields) -> Fields:
        """The values as `of_text` wants them."""
        return _without_zones(fields, self.ref.oid == t.DATE) if self._zoned else fields

    def read(self, fields: Fields) -> pa.Array:
        """The column in canonical Arrow. Raises SqlError for a value that is none."""
        if self._by_column is not None:
            try:
                return self._by_column(fields)
            except (Doubt, pa.ArrowInvalid):
                pass  # so it is read with care
        read = self._by_value
        return from_datums([None if p is None else read(p) for p in fields.pieces()], self.ref)


def read_columns(columns: Sequence[BoundColumn], fields: Sequence[Fields]) -> list[pa.Array]:
    """The columns of a batch in canonical Arrow. Raises SqlError for a value that is none.

    All that is text is gathered at once: a batch has a few hundred rows, and takes as long as the calls for it.
    """
    out: list[pa.Array | None] = [None] * len(columns)
    textual = [i for i, c in enumerate(columns) if c.of_text is not None]
    if textual:
        parts = [columns[i].trimmed(fields[i]) for i in textual]
        starts = np.concatenate([p.starts for p in parts])
        sizes = np.concatenate([p.sizes for p in parts])
        with contextlib.suppress(Doubt):
            texts = _strings(Fields(parts[0].data, starts, sizes))
            count = len(parts[0])
            for n, i in enumerate(textual):
                made = columns[i].of_text
                assert made is not None
                with contextlib.suppress(Doubt, pa.ArrowInvalid):
                    out[i] = made(texts.slice(n * count, count), sizes[n * count : (n + 1) * count])
    return [c if c is not None else columns[i].read(fields[i]) for i, c in enumerate(out)]


def _text_reader(ref: TypeRef, settings: TypeSettings) -> OfText | None:
    """What makes a type's column of text; None where there is no such way."""
    oid, whole = ref.oid, not 0 <= ref.typmod < 6
    if oid == t.TEXT or (oid == t.VARCHAR and ref.typmod < TYPMOD_HEADER):
        return _as_it_is
    if oid == t.BOOL:
        return _truths
    if oid == t.DATE:
        return _days
    if oid in (t.TIMESTAMP, t.TIMESTAMPTZ) and whole:
        return _stamps(arrow_type(ref), _STAMP_SIZE_BYTES if oid == t.TIMESTAMP else _STAMP_SIZE_BYTES + 3)
    if oid == t.NUMERIC and pa.types.is_decimal(arrow_type(ref)):
        return _cast(arrow_type(ref))  # which refuses what is too long or would have to be rounded
    if not (oid in _CAST or oid in _TEXTS):
        return None
    reader = ColumnReader("", ref, settings)
    kind = reader.csv_type
    limit = ref.typmod - TYPMOD_HEADER if oid == t.VARCHAR else -1

    def read(texts: pa.Array, sizes: Places) -> pa.Array:
        if int(sizes.max()) <= limit:
            return texts
        values = texts if kind == texts.type else texts.cast(kind)
        return reader.check(values, Block(texts.buffers()[2].to_pybytes()))

    return read


def _as_it_is(texts: pa.Array, sizes: Places) -> pa.Array:
    return texts


def _cast(kind: pa.DataType) -> OfText:
    return lambda texts, sizes: texts.cast(kind)


_TRUTHS: Final = pc.SetLookupOptions(
    value_set=pa.array(["t", "true", "TRUE", "1", "f", "false", "FALSE", "0"])
)
_FIRST_FALSE: Final = 4


def _truths(texts: pa.Array, sizes: Places) -> pa.Array:
    which = pc.call_function("index_in", [texts], _TRUTHS)
    if which.null_count > texts.null_count:
        raise Doubt
    return pc.less(which, _FIRST_FALSE)


def _least(column: pa.Array, kind: pa.DataType) -> int:
    """The least number of a column; 0 where there is none, or nothing but NULLs."""
    numbers = column.view(kind)
    if numbers.null_count:
        numbers = numbers.drop_null()
    return int(numbers.to_numpy().min()) if len(numbers) else 0


def _days(texts: pa.Array, sizes: Places) -> pa.Array:
    out = texts.cast(pa.date32())
    if _least(out, pa.int32()) < YEAR_1_DAYS:
        raise Doubt
    return out


def _stamps(kind: pa.DataType, size_min_bytes: int) -> OfText:
    """Only whole times: to the second, and with an offset where there is a zone."""

    def read(texts: pa.Array, sizes: Places) -> pa.Array:
        if ((sizes >= 0) & (sizes < size_min_bytes)).any():
            raise Doubt
        out = texts.cast(kind)
        if _least(out, pa.int64()) < YEAR_1_US:
            raise Doubt
        return out

    return read


def _without_zones(fields: Fields, dated: bool) -> Fields:
    """Dates and timestamps without the offset that JDBC appends (`+00`), which PostgreSQL reads and drops."""
    sizes, valid = fields.sizes, fields.valid
    starts = fields.starts if valid is None else fields.starts[valid]
    there = sizes if valid is None else sizes[valid]
    rest = _DATE_SIZE_BYTES + 1 if dated else _STAMP_SIZE_BYTES
    if not len(there) or (there < rest + _ZONE_SIZE_BYTES).any():
        return fields
    octets = np.frombuffer(fields.data, np.uint8)
    at = starts + there - _ZONE_SIZE_BYTES
    sign, tens, ones = octets[at], octets[at + 1], octets[at + 2]
    hours = (tens.astype(np.int16) - ord("0")) * 10 + (ones.astype(np.int16) - ord("0"))
    good = ((sign == ord("+")) | (sign == ord("-"))) & (ones >= ord("0")) & (ones <= ord("9"))
    good &= (hours >= 0) & (hours <= _ZONE_HOURS_MAX)
    cut = _ZONE_SIZE_BYTES
    if dated:
        good &= (there == rest + _ZONE_SIZE_BYTES) & (octets[at - 1] == ord(" "))
        cut += 1
    if not good.all():
        return fields
    return Fields(fields.data, fields.starts, np.where(sizes < 0, sizes, sizes - cut))


__all__ = ["BoundColumn", "read_columns"]
