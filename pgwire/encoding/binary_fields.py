"""A column's fields in a stream of PostgreSQL's binary format -> a canonical Arrow column.

The rows of a COPY and the Bind messages of a pipeline look alike: a field is four bytes of length and then the value, and a
column is one field of each row. Whoever has found out where the fields are says so as `Fields`; what is here reads
all of them at once, out of the stream as it lies there.

    data    ......|0004|.int|....|0003|txt|....|0004|.int|....|0005|texts|...
    starts             ^ sizes 4     ^ 3            ^ 4            ^ 5            (-1: NULL)

    column_reader(ref)(fields) -> pa.Array

A reader knows ordinary values only. Whatever may be an error or needs care raises `Doubt`, and the caller reads it value by value
with `binary_input`, which words the errors.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pgwire.encoding.arrow_views import Bytes, fixed_binary
from pgwire.encoding.binary import NUMERIC_NEGATIVE, binary_input
from pgwire.encoding.binary_times import (
    DATE_WIRE_MAX,
    DATE_WIRE_MIN,
    EPOCH_DAYS,
    EPOCH_US,
    STAMP_WIRE_MAX,
    STAMP_WIRE_MIN,
)
from pgwire.encoding.copy_columns import Block, ColumnReader, Doubt
from pgwire.encoding.text_columns import HEX_PAIRS, decimal_text
from planner import types as t
from planner.abc import SqlError, TypeRef
from planner.types import DEFAULT_SETTINGS, arrow_type, from_datums, numeric
from planner.types.datetimes import DATE_END, DATE_MIN, TIMESTAMP_END, TIMESTAMP_MIN
from planner.types.declared import forget_with_types
from planner.types.integers import UnsignedType
from planner.types.timezones import US_PER_DAY

Places = npt.NDArray[np.int64]


class Fields:
    """Where a column's values are in `data`: `sizes` bytes from `starts` on, row after row; -1 is NULL, which starts where a value would."""

    def __init__(self, data: bytes, starts: Places, sizes: Places) -> None:
        self.data, self.starts, self.sizes = data, starts, sizes
        some = sizes >= 0
        self.valid: npt.NDArray[np.bool_] | None = None if some.all() else some

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def mask(self) -> npt.NDArray[np.bool_] | None:
        """Which are NULL, as pyarrow wants it; None: none."""
        return None if self.valid is None else ~self.valid

    def pieces(self) -> list[bytes | None]:
        """The values one by one."""
        data = self.data
        return [
            data[s : s + n] if n >= 0 else None
            for s, n in zip(self.starts.tolist(), self.sizes.tolist(), strict=True)
        ]

    def require_width(self, width: int) -> None:
        """Raises Doubt unless all values have this many bytes."""
        sizes = self.sizes if self.valid is None else self.sizes[self.valid]
        if not (sizes == width).all():
            raise Doubt

    def numbers(self, kind: str) -> npt.NDArray[Any]:
        """Values of one fixed width in this machine's byte order; those of NULLs are arbitrary. Raises Doubt."""
        dtype = np.dtype(kind)
        self.require_width(dtype.itemsize)
        return self.at(dtype).astype(dtype.newbyteorder("="))

    def at(self, dtype: np.dtype[Any], offset: int = 0) -> npt.NDArray[Any]:
        """What stands so many bytes behind each start, which the caller knows to be within the data unless NULL."""
        width, n = dtype.itemsize, len(self)
        where = self.starts + offset if offset else self.starts
        if self.valid is not None:
            where = np.where(self.valid, where, 0)
        if len(self.data) < width:
            return np.zeros(n, dtype)  # nothing but NULLs
        # Every byte may begin a value: a view with a stride of one finds them wherever they are.
        everywhere = np.ndarray((len(self.data) - width + 1,), dtype, self.data, 0, (1,))
        out: npt.NDArray[Any] = everywhere[where]
        return out

    def matrix(self, width: int) -> Bytes:
        """Values of one fixed width as rows of bytes. Raises Doubt."""
        self.require_width(width)
        rows = np.ascontiguousarray(self.at(np.dtype(f"V{width}")))
        return rows.view(np.uint8).reshape(len(self), width)

    def binary(self) -> pa.Array:
        """Values of any width as a binary column."""
        n = len(self)
        if not n:
            return pa.array([], pa.binary())
        # The stream itself is the data of a binary array in which fields and what lies between them take turns;
        # Arrow copies the fields out of it.
        sizes = self.sizes if self.valid is None else np.maximum(self.sizes, 0)
        ends = np.empty((n, 2), np.int32)
        ends[:, 0], ends[:, 1] = self.starts, self.starts + sizes
        flat = ends.reshape(-1)
        assert len(self.data) < 1 << 31, "a stream is read in blocks"
        turns = pa.Array.from_buffers(
            pa.binary(), 2 * n - 1, [None, pa.py_buffer(flat), pa.py_buffer(self.data)]
        )
        which = np.arange(0, 2 * n, 2, dtype=np.int32)
        return turns.take(pa.array(which, mask=self.mask))


class EvenFields(Fields):
    """Values of one size at one distance from each other, none of them NULL: nothing is looked up to find them."""

    def __init__(self, data: bytes, first: int, size: int, stride: int, count: int) -> None:
        self.data, self.valid = data, None
        self._first, self._size, self._stride, self._count = first, size, stride, count

    def __len__(self) -> int:
        return self._count

    @cached_property
    def starts(self) -> Places:  # type: ignore[override]
        return np.arange(self._count, dtype=np.int64) * self._stride + self._first

    @cached_property
    def sizes(self) -> Places:  # type: ignore[override]
        return np.full(self._count, self._size, np.int64)

    def require_width(self, width: int) -> None:
        if self._size != width:
            raise Doubt

    def at(self, dtype: np.dtype[Any], offset: int = 0) -> npt.NDArray[Any]:
        return np.ndarray((self._count,), dtype, self.data, self._first + offset, (self._stride,))

    def binary(self) -> pa.Array:
        return fixed_binary(self.matrix(self._size)) if self._size else super().binary()


ColumnDecoder = Callable[[Fields], pa.Array]
"""Fields -> a column in the canonical Arrow type. Raises Doubt."""


@lru_cache(maxsize=2048)
def column_reader(ref: TypeRef) -> ColumnDecoder:
    """What reads the fields of a type by columns; where there is no such way, value by value (Doubt for an error)."""
    oid, typmod = ref.oid, ref.typmod
    kind = arrow_type(ref)
    if oid in _NUMBERS:
        return _numbers(_NUMBERS[oid], kind)
    if isinstance(t.sql_type(oid), UnsignedType) and oid != t.XID8:
        return _numbers(">u4", kind)
    if oid == t.BOOL:
        return _bool
    if oid == t.BYTEA:
        return Fields.binary
    if oid in (t.TEXT, t.VARCHAR, t.BPCHAR):
        return _text(ref)
    if oid == t.DATE:
        return _shifted(">i4", EPOCH_DAYS, (DATE_WIRE_MIN, DATE_WIRE_MAX), (DATE_MIN, DATE_END), kind)
    if oid in (t.TIMESTAMP, t.TIMESTAMPTZ) and not 0 <= typmod < 6:
        infinities = (STAMP_WIRE_MIN, STAMP_WIRE_MAX)
        return _shifted(">i8", EPOCH_US, infinities, (TIMESTAMP_MIN, TIMESTAMP_END), kind)
    if oid == t.TIME and not 0 <= typmod < 6:
        return _time
    if oid == t.INTERVAL and typmod < 0:
        return _interval(kind)
    if oid == t.UUID:
        return _uuid
    if oid == t.NUMERIC:
        if numeric.is_decimal(typmod):
            return _decimal(ref)
        if typmod < 0:
            return _numeric_text
    return _one_by_one(ref)


forget_with_types(column_reader.cache_clear)

_WIDTHS: Final = {
    t.BOOL: 1,
    t.DATE: 4,
    t.TIME: 8,
    t.TIMESTAMP: 8,
    t.TIMESTAMPTZ: 8,
    t.TIMETZ: 12,
    t.INTERVAL: 16,
    t.UUID: 16,
}


def field_width(ref: TypeRef) -> int:
    """How many bytes every value of the type has; 0 where they vary."""
    wire = _NUMBERS.get(ref.oid)
    return np.dtype(wire).itemsize if wire is not None else _WIDTHS.get(ref.oid, 0)


def _with_nulls(column: pa.Array, fields: Fields) -> pa.Array:
    if fields.valid is None:
        return column
    return pc.if_else(pa.array(fields.valid), column, pa.scalar(None, column.type))


_NUMBERS: Final = {t.INT2: ">i2", t.INT4: ">i4", t.INT8: ">i8", t.FLOAT4: ">f4", t.FLOAT8: ">f8"}


def _numbers(wire: str, kind: pa.DataType) -> ColumnDecoder:
    own = np.dtype(wire).newbyteorder("=")
    target = np.dtype(np.int64) if own == np.uint32 else own

    def read(fields: Fields) -> pa.Array:
        return pa.array(fields.numbers(wire).astype(target, copy=False), kind, mask=fields.mask)

    return read


def _bool(fields: Fields) -> pa.Array:
    return pa.array(fields.numbers("u1") != 0, mask=fields.mask)


def _text(ref: TypeRef) -> ColumnDecoder:
    reader = ColumnReader("", ref, DEFAULT_SETTINGS)

    def read(fields: Fields) -> pa.Array:
        raw = fields.binary()
        data = raw.buffers()[2].to_pybytes() if len(raw) and raw.buffers()[2] is not None else b""
        if b"\x00" in data:
            raise Doubt
        block = Block(data)
        try:
            texts = (
                raw.view(pa.string()) if block.is_ascii else raw.cast(pa.string())
            )  # checks that it is UTF-8
        except pa.ArrowInvalid:
            raise Doubt from None
        return reader.check(texts, block)

    return read


def _shifted(
    wire: str, epoch: int, infinities: tuple[int, int], bounds: tuple[int, int], kind: pa.DataType
) -> ColumnDecoder:
    """Dates and times, which count from another day there; infinities lie at the ends of the numbers."""
    low, high = infinities

    def read(fields: Fields) -> pa.Array:
        values = fields.numbers(wire)
        if fields.valid is not None:
            values = np.where(fields.valid, values, values.dtype.type(0))
        if not len(values):
            return pa.array([], kind)
        # Where the ends are ordinary, everything is: infinities are looked for only when they are not.
        if bounds[0] - epoch <= int(values.min()) and int(values.max()) < bounds[1] - epoch:
            return pa.array(values + values.dtype.type(epoch), mask=fields.mask).view(kind)
        late, early = values == high, values == low
        sure = values[~(late | early)]
        if ((sure < bounds[0] - epoch) | (sure >= bounds[1] - epoch)).any():
            raise Doubt
        with np.errstate(over="ignore"):
            values = values + values.dtype.type(epoch)
        values[late], values[early] = high, -high
        return pa.array(values, mask=fields.mask).view(kind)

    return read


def _time(fields: Fields) -> pa.Array:
    values = fields.numbers(">i8")
    sure = values if fields.valid is None else values[fields.valid]
    if ((sure < 0) | (sure > US_PER_DAY)).any():
        raise Doubt
    return pa.array(values, mask=fields.mask).view(pa.time64("us"))


def _interval(kind: pa.DataType) -> ColumnDecoder:
    wire = np.dtype([("micros", ">i8"), ("days", ">i4"), ("months", ">i4")])

    def read(fields: Fields) -> pa.Array:
        fields.require_width(wire.itemsize)
        values = fields.at(wire)
        parts = [
            pa.array(values[name].astype(values[name].dtype.newbyteorder("=")))
            for name in ("months", "days", "micros")
        ]
        mask = None if fields.mask is None else pa.array(fields.mask)
        return pa.StructArray.from_arrays(parts, fields=list(kind), mask=mask)

    return read


_DASHES: Final = (8, 13, 18, 23)
_HEX_PLACES: Final = np.array([i for i in range(36) if i not in _DASHES])


def _uuid(fields: Fields) -> pa.Array:
    digits = HEX_PAIRS[fields.matrix(16)].view(np.uint8).reshape(-1, 32)
    out = np.full((len(fields), 36), ord("-"), np.uint8)
    out[:, _HEX_PLACES] = digits
    return _with_nulls(fixed_binary(out).view(pa.string()), fields)


# --- numeric: base-10000 digits, as many steps as the longest value has, whatever the number of rows

_HEAD: Final = np.dtype([("count", ">i2"), ("weight", ">i2"), ("sign", ">u2"), ("dscale", ">u2")])
_INT64_DIGITS: Final = 18
"""Decimal digits that an int64 holds in any case."""
_DSCALES_MAX: Final = 8
"""Different numbers of places in one block up to which each gets a pass of its own."""


class _Numerics:
    """The heads of a column's numerics. Raises Doubt for what is malformed or not finite."""

    def __init__(self, fields: Fields) -> None:
        self._fields = fields
        sizes = self._filled(fields.sizes, 8)
        if (sizes < 8).any():
            raise Doubt
        head = fields.at(_HEAD)
        self._count, self._weight, sign, self.dscale = (
            self._filled(head[name].astype(np.int64), 0) for name in ("count", "weight", "sign", "dscale")
        )
        if (sizes != 8 + 2 * self._count).any() or (sign & ~NUMERIC_NEGATIVE).any():
            raise Doubt
        if (self.dscale > _INT64_DIGITS).any():
            raise Doubt
        self._negative = sign != 0

    def _filled(self, values: Places, nothing: int) -> Places:
        valid = self._fields.valid
        return values if valid is None else np.where(valid, values, nothing)

    def scaled(self, places: Places | int) -> Places:
        """Each value times ten to the power of `places`. Raises Doubt where that is not whole, or more than an int64."""
        fields, count, weight = self._fields, self._count, self._weight
        if ((4 * (weight + 1) + places > _INT64_DIGITS) & (count > 0)).any():
            raise Doubt
        out = np.zeros(len(fields), np.int64)
        words = np.ndarray((max(1, len(fields.data) - 1),), np.dtype(">u2"), fields.data, 0, (1,))
        for i in range(int(count.max(initial=0))):
            there = count > i
            digits = words[np.where(there, fields.starts + 8 + 2 * i, 0)].astype(np.int64)
            digits = np.where(there, digits, 0)
            if (digits > 9999).any():
                raise Doubt
            power = 4 * (weight - i) + places
            whole, rest = np.divmod(digits, 10 ** np.clip(-power, 0, 4))
            if rest.any():
                raise Doubt  # rounding is the exact way's
            out += whole * 10 ** np.clip(power, 0, _INT64_DIGITS)
        return np.where(self._negative, -out, out)


def _decimals(unscaled: Places, precision: int, scale: int) -> pa.Array:
    """numeric(p, s) from its values times ten to the power of s."""
    limbs = np.empty((len(unscaled), 2), np.int64)
    limbs[:, 0], limbs[:, 1] = unscaled, unscaled >> 63
    return pa.Array.from_buffers(
        pa.decimal128(precision, scale), len(unscaled), [None, pa.py_buffer(limbs.reshape(-1))]
    )


def _decimal(ref: TypeRef) -> ColumnDecoder:
    ps = numeric.precision_scale(ref.typmod)
    assert ps is not None
    precision, scale = ps

    def read(fields: Fields) -> pa.Array:
        unscaled = _Numerics(fields).scaled(scale)
        if precision < _INT64_DIGITS and (np.abs(unscaled) >= 10**precision).any():
            raise Doubt
        return _with_nulls(_decimals(unscaled, precision, scale), fields)

    return read


def _numeric_text(fields: Fields) -> pa.Array:
    """numeric without modifier is text that shows as many places as the value says, and no more of its digits."""
    if not len(fields):
        return pa.array([], pa.string())
    values = _Numerics(fields)
    dscale = values.dscale
    kinds = np.unique(dscale)
    if len(kinds) > _DSCALES_MAX:
        raise Doubt
    unscaled = values.scaled(dscale)
    if len(kinds) == 1:
        return _with_nulls(decimal_text(_decimals(unscaled, _INT64_DIGITS, int(kinds[0]))), fields)
    # One pass for each number of places, then back to the order of the rows.
    order = np.argsort(dscale, kind="stable")
    ends = np.searchsorted(dscale[order], kinds, side="right")
    texts, first = [], 0
    for scale, end in zip(kinds.tolist(), ends.tolist(), strict=True):
        texts.append(decimal_text(_decimals(unscaled[order[first:end]], _INT64_DIGITS, scale)))
        first = end
    back = np.empty(len(order), np.int64)
    back[order] = np.arange(len(order))
    return _with_nulls(pa.concat_arrays(texts).take(pa.array(back)), fields)


def _one_by_one(ref: TypeRef) -> ColumnDecoder:
    read = binary_input(ref)

    def decode(fields: Fields) -> pa.Array:
        try:
            return from_datums([None if p is None else read(p) for p in fields.pieces()], ref)
        except SqlError:
            raise Doubt from None

    return decode
