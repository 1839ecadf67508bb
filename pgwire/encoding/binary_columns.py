"""Whole Arrow columns -> PostgreSQL's binary format.

A column comes out either *fixed*, as equally long values in the bytes of the wire (null slots hold rubbish), or
*varying*, as a binary column. Numerics go through base-10000 digits by columns: as many integer divisions as
there are digits, whatever the number of rows.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pgwire.encoding.arrow_views import (
    Bytes,
    as_binary,
    binary_array,
    data_of,
    offsets_of,
    values_of,
)
from pgwire.encoding.binary import NUMERIC_NEGATIVE, binary_output
from pgwire.encoding.binary_times import EPOCH_DAYS, EPOCH_US
from pgwire.encoding.row_join import Values
from pgwire.encoding.text_columns import decimal_text
from planner import types as t
from planner.abc import TypeRef
from planner.types import numeric, to_datums
from planner.types.datetimes import DATE_INFINITY, TIMESTAMP_INFINITY
from planner.types.integers import UnsignedType

FixedColumn = Callable[[pa.Array], Values]
VaryingColumn = Callable[[pa.Array], pa.Array]


def _numbers(source: str, target: str) -> FixedColumn:
    def encode(array: pa.Array) -> Values:
        return values_of(array, source).astype(target)

    return encode


def _bool(array: pa.Array) -> Values:
    return values_of(pc.cast(array, pa.uint8()), np.uint8)


def _shifted(source: str, epoch: int, infinity: int, target: str) -> FixedColumn:
    """Dates and timestamps: another epoch, and infinities at both ends of the type."""
    dtype = np.dtype(source)
    info = np.iinfo(dtype)

    def encode(array: pa.Array) -> Values:
        values = values_of(array, dtype)
        with np.errstate(over="ignore"):
            out = values - dtype.type(epoch)
        out[values >= infinity] = info.max
        out[values <= -infinity] = info.min
        on_wire: Values = out.astype(target)
        return on_wire

    return encode


def _nibbles() -> npt.NDArray[np.uint8]:
    table = np.zeros(256, np.uint8)
    for i, c in enumerate(b"0123456789abcdef"):
        table[c] = i
    return table


_NIBBLES: Final = _nibbles()
_DIGITS_IN_INT64: Final = 18
_UUID_DIGITS: Final = np.array([i for i in range(36) if i not in (8, 13, 18, 23)])
_NIL: Final = "00000000-0000-0000-0000-000000000000"


def _uuid(array: pa.Array) -> Values:
    filled = pc.fill_null(array, _NIL) if array.null_count else array
    offsets = offsets_of(filled)
    flat = data_of(filled)[offsets[0] : offsets[-1]]
    assert len(flat) == 36 * len(array), "a uuid datum is a canonical string of 36 characters"
    nibbles: Bytes = _NIBBLES[flat.reshape(-1, 36)[:, _UUID_DIGITS]]
    pairs = (nibbles[:, 0::2] << 4 | nibbles[:, 1::2]).astype(np.uint8, copy=False)
    return np.ascontiguousarray(pairs).view("V16").reshape(-1)


def _jsonb(array: pa.Array) -> pa.Array:
    return pc.binary_join_element_wise(
        pa.scalar(b"\x01", pa.binary()), as_binary(array), pa.scalar(b"", pa.binary())
    )


def _numeric(precision: int, scale: int) -> VaryingColumn:
    """numeric(p, s): a matrix of base-10000 digits, of which each row sends those from its first to its last."""
    fraction = (scale + 3) // 4
    count = fraction + (precision - scale + 3) // 4
    narrow = precision + fraction * 4 - scale <= _DIGITS_IN_INT64
    digits_of = _digits_by_division if narrow else _digits_of_text

    def encode(array: pa.Array) -> pa.Array:
        n = len(array)
        valid = array.is_valid().to_numpy(zero_copy_only=False)
        limbs = values_of(array, np.dtype([("low", "<i8"), ("high", "<i8")]))
        digits = digits_of(array, limbs["low"], valid, scale, count)
        some = digits != 0
        any_digit = some.any(axis=1)
        first = np.where(any_digit, some.argmax(axis=1), 0)
        end = np.where(any_digit, count - some[:, ::-1].argmax(axis=1), 0)
        head = np.empty((n, 4), ">i2")
        head[:, 0] = end - first
        head[:, 1] = np.where(any_digit, count - fraction - 1 - first, 0)
        head[:, 2] = np.where((limbs["high"] < 0) & any_digit, NUMERIC_NEGATIVE, 0)
        head[:, 3] = scale
        words = np.concatenate(
            [head.view(np.uint8).view(np.uint16), digits.astype(">u2").view(np.uint16)], axis=1
        )
        column = np.arange(4 + count)
        keep = (column < 4) | ((column - 4 >= first[:, None]) & (column - 4 < end[:, None]))
        offsets = np.zeros(n + 1, np.int32)
        np.cumsum(8 + 2 * (end - first), out=offsets[1:])
        return binary_array(offsets, words[keep].view(np.uint8), array)

    return encode


def _digits_by_division(
    array: pa.Array, low: npt.NDArray[np.int64], valid: npt.NDArray[np.bool_], scale: int, count: int
) -> npt.NDArray[np.uint16]:
    """For values that fit 64 bits once aligned to base 10000."""
    rest = np.abs(np.where(valid, low, 0)) * 10 ** (-scale % 4)
    digits = np.empty((len(array), count), np.uint16)
    for i in range(count - 1, -1, -1):
        quotient = rest // 10_000
        digits[:, i] = rest - quotient * 10_000
        rest = quotient
    return digits


def _digits_of_text(
    array: pa.Array, low: npt.NDArray[np.int64], valid: npt.NDArray[np.bool_], scale: int, count: int
) -> npt.NDArray[np.uint16]:
    """For wider ones: from their text, padded with zeros to one length and seen as a matrix."""
    fraction = (scale + 3) // 4
    texts = pc.replace_substring(pc.fill_null(decimal_text(pc.abs(array)), "0"), ".", "")
    if scale:
        zeros = pa.scalar("0" * (-scale % 4), pa.string())
        texts = pc.binary_join_element_wise(texts, zeros, "")
    width = (count + 1) * 4  # the zero before the point may need a group of its own
    assert width >= fraction * 4 + 4
    padded = pc.utf8_lpad(texts, width, "0")
    offsets = offsets_of(padded)
    flat = data_of(padded)[offsets[0] : offsets[-1]].reshape(-1, count + 1, 4)
    groups = (flat - np.uint8(ord("0"))).astype(np.uint16) @ np.array([1000, 100, 10, 1], np.uint16)
    out: npt.NDArray[np.uint16] = groups[:, 1:]
    return out


def _cell_by_cell(ref: TypeRef) -> VaryingColumn:
    send = binary_output(ref)

    def encode(array: pa.Array) -> pa.Array:
        return pa.array([None if v is None else send(v) for v in to_datums(array, ref)], pa.binary())

    return encode


_FIXED: Final[dict[int, FixedColumn]] = {
    t.BOOL: _bool,
    t.INT2: _numbers("<i2", ">i2"),
    t.INT4: _numbers("<i4", ">i4"),
    t.INT8: _numbers("<i8", ">i8"),
    t.FLOAT4: _numbers("<f4", ">f4"),
    t.FLOAT8: _numbers("<f8", ">f8"),
    t.TIME: _numbers("<i8", ">i8"),
    t.XID8: _numbers("<u8", ">u8"),
    t.DATE: _shifted("<i4", EPOCH_DAYS, DATE_INFINITY, ">i4"),
    t.TIMESTAMP: _shifted("<i8", EPOCH_US, TIMESTAMP_INFINITY, ">i8"),
    t.TIMESTAMPTZ: _shifted("<i8", EPOCH_US, TIMESTAMP_INFINITY, ">i8"),
    t.UUID: _uuid,
}
_UTF8: Final = frozenset((t.TEXT, t.VARCHAR, t.BPCHAR, t.NAME, t.CITEXT, t.JSON, t.UNKNOWN, t.BYTEA))


@lru_cache(maxsize=2048)
def fixed_column(ref: TypeRef) -> FixedColumn | None:
    """The encoder of a type whose values are equally long; None for the others."""
    found = _FIXED.get(ref.oid)
    if found is None and isinstance(t.sql_type(ref.oid), UnsignedType):
        return _numbers("<i8", ">u4")
    return found


@lru_cache(maxsize=2048)
def varying_column(ref: TypeRef) -> VaryingColumn:
    """The encoder of a type whose values differ in length."""
    if ref.oid in _UTF8:
        return as_binary
    if ref.oid == t.JSONB:
        return _jsonb
    if ref.oid == t.NUMERIC and numeric.is_decimal(ref.typmod):
        ps = numeric.precision_scale(ref.typmod)
        assert ps is not None
        return _numeric(*ps)
    return _cell_by_cell(ref)
