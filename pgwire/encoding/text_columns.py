"""Whole Arrow columns -> text columns, byte for byte what PostgreSQL prints.

Arrow's own casts do the work, at some 20 to 50 ns a value. Where they differ from PostgreSQL, the
difference is mended by columns as well; the few values that need PostgreSQL's exact rules (exponents,
infinities, years beyond 9999) are found by a mask and printed one by one.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from pgwire.encoding.arrow_views import binary_array, data_of, offsets_of, valid_of, values_of
from planner import types as t
from planner.abc import SqlError, TypeRef
from planner.types import DEFAULT_SETTINGS, TypeSettings, numeric, text_output, to_datums
from planner.types.datetimes import offset_text, style_of
from planner.types.geometry import GeometryType
from planner.types.integers import RegType, UnsignedType
from planner.types.timezones import US_PER_DAY, US_PER_S, offsets_at, session_zone

TextColumn = Callable[[pa.Array], pa.Array]
"""Canonical column -> string (or binary) column with the same nulls."""

_DAY_LOW: Final = -719_162  # 0001-01-01
_DAY_END: Final = 2_932_897  # 10000-01-01
_UTF8: Final = frozenset(
    (
        t.TEXT,
        t.VARCHAR,
        t.BPCHAR,
        t.NAME,
        t.CITEXT,
        t.UUID,
        t.JSON,
        t.JSONB,
        t.UNKNOWN,
        t.CHAR,
        t.TIMETZ,
        t.VOID,
    )
)


def _patched(
    fast: pa.Array, array: pa.Array, odd: npt.NDArray[np.bool_], ref: TypeRef, settings: TypeSettings
) -> pa.Array:
    """`fast`, with the values under the mask printed by the type's own output function."""
    valid = valid_of(array)
    if valid is not None:
        odd = odd & valid
    if not odd.any():
        return fast
    show = text_output(ref, settings)
    where = np.flatnonzero(odd)
    texts = [show(v) for v in to_datums(array.take(pa.array(where)), ref)]
    return pc.replace_with_mask(fast, pa.array(odd), pa.array(texts, pa.string()))


def cell_by_cell(ref: TypeRef, settings: TypeSettings) -> TextColumn:
    """The way for types that have no column form: intervals, arrays, other DateStyles."""
    show = text_output(ref, settings)

    def encode(array: pa.Array) -> pa.Array:
        return pa.array([None if v is None else show(v) for v in to_datums(array, ref)], pa.string())

    return encode


def _printed(array: pa.Array) -> pa.Array:
    return pc.cast(array, pa.string())


def _as_is(array: pa.Array) -> pa.Array:
    return array


def _bool(array: pa.Array) -> pa.Array:
    return pc.if_else(array, "t", "f")


def _float(ref: TypeRef, settings: TypeSettings) -> TextColumn:
    """Arrow writes an exponent from 1e10 on (float8), PostgreSQL from 1e15; from 1e06 on for float4."""
    single = ref.oid == t.FLOAT4
    dtype, high, exponent_from = (np.float32, 1e6, 1e6) if single else (np.float64, 1e15, 1e10)

    def encode(array: pa.Array) -> pa.Array:
        values = values_of(array, dtype)
        magnitude = np.abs(values)
        texts = pc.cast(array, pa.string())
        plain = (magnitude < exponent_from) & ((magnitude >= 1e-4) | (magnitude == 0))
        if not single and not plain.all():
            whole = (magnitude >= exponent_from) & (magnitude < high) & (np.trunc(values) == values)
            valid = valid_of(array)
            if valid is not None:
                whole &= valid
            if whole.any():
                integers = pa.array(values[whole].astype(np.int64))
                texts = pc.replace_with_mask(texts, pa.array(whole), pc.cast(integers, pa.string()))
                plain |= whole
        return _patched(texts, array, ~plain, ref, settings)

    return encode


def decimal_text(array: pa.Array) -> pa.Array:
    """A decimal column in plain digits; Arrow resorts to exponents for small values of large scale."""
    out = pc.cast(array, pa.string())
    if array.type.scale > 6:
        small = pc.match_substring(out, "E")
        if pc.any(small).as_py():
            texts = [numeric.decimal_out(v) for v in pc.filter(array, small).drop_null().to_pylist()]
            out = pc.replace_with_mask(out, pc.fill_null(small, False), pa.array(texts, pa.string()))
    return out


def _date(ref: TypeRef, settings: TypeSettings) -> TextColumn:
    def encode(array: pa.Array) -> pa.Array:
        days = values_of(array, np.int32)
        odd = (days < _DAY_LOW) | (days >= _DAY_END)
        return _patched(pc.cast(array, pa.string()), array, odd, ref, settings)

    return encode


def _trim_fraction(texts: pa.Array) -> pa.Array:
    """Arrow prints six decimals always; PostgreSQL as many as are needed."""
    return pc.ascii_rtrim(pc.ascii_rtrim(texts, "0"), ".")


def _stamp_texts(micros: npt.NDArray[np.int64], array: pa.Array) -> pa.Array:
    if (micros % US_PER_S == 0).all():
        stamps = pa.array(micros // US_PER_S).view(pa.timestamp("s"))
        out = pc.cast(stamps, pa.string())
    else:
        out = _trim_fraction(pc.cast(pa.array(micros).view(pa.timestamp("us")), pa.string()))
    return pc.if_else(array.is_valid(), out, pa.scalar(None, pa.string())) if array.null_count else out


def _ordinary(array: pa.Array) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Microseconds with 0 in null slots and where the year is not of four digits; and those latter slots."""
    micros = values_of(array, np.int64)
    valid = valid_of(array)
    odd = (micros < (_DAY_LOW + 1) * US_PER_DAY) | (micros >= (_DAY_END - 1) * US_PER_DAY)
    if valid is not None:
        odd &= valid
        micros = np.where(valid, micros, 0)
    return (np.where(odd, 0, micros) if odd.any() else micros), odd


def _timestamp(ref: TypeRef, settings: TypeSettings) -> TextColumn:
    def encode(array: pa.Array) -> pa.Array:
        micros, odd = _ordinary(array)
        return _patched(_stamp_texts(micros, array), array, odd, ref, settings)

    return encode


def _timestamptz(ref: TypeRef, settings: TypeSettings) -> TextColumn:
    zone = session_zone(settings.time_zone)

    def encode(array: pa.Array) -> pa.Array:
        micros, odd = _ordinary(array)
        suffix: Any = "+00"
        if zone is not UTC:
            east = offsets_at(micros, zone)
            micros = micros + east * US_PER_S
            kinds, which = np.unique(east, return_inverse=True)
            names = pa.array([offset_text(int(k)) for k in kinds], pa.string())
            suffix = names.take(pa.array(which)) if len(kinds) > 1 else names[0] if len(kinds) else ""
        texts = pc.binary_join_element_wise(_stamp_texts(micros, array), suffix, "")
        return _patched(texts, array, odd, ref, settings)

    return encode


def _time(ref: TypeRef, settings: TypeSettings) -> TextColumn:
    def encode(array: pa.Array) -> pa.Array:
        micros = values_of(array, np.int64)
        texts = _trim_fraction(pc.cast(array, pa.string()))
        return _patched(texts, array, micros >= US_PER_DAY, ref, settings)

    return encode


HEX_BYTES_MAX: Final = (1 << 30) - 1
"""Twice as many digits must fit a message of PostgreSQL's protocol."""


def _hex_pairs() -> npt.NDArray[np.uint16]:
    digits = b"0123456789abcdef"
    pairs = np.array([[digits[b >> 4], digits[b & 15]] for b in range(256)], np.uint8)
    return pairs.view(np.uint16).reshape(256)


HEX_PAIRS: Final = _hex_pairs()


def _bytea(array: pa.Array) -> pa.Array:
    offsets = offsets_of(array)
    data = data_of(array)[offsets[0] : offsets[-1]]
    if len(data) > HEX_BYTES_MAX:
        raise SqlError(
            "54000", f"bytea values of more than {HEX_BYTES_MAX} bytes cannot be shown in hexadecimal"
        )
    pairs = HEX_PAIRS[data].view(np.uint8)
    digits = binary_array(((offsets - offsets[0]) * 2).astype(np.int32), pairs, array)
    return pc.binary_join_element_wise(pa.scalar(b"\\x", pa.binary()), digits, pa.scalar(b"", pa.binary()))


@lru_cache(maxsize=2048)
def text_column(ref: TypeRef, settings: TypeSettings = DEFAULT_SETTINGS) -> TextColumn:
    """The text encoder of a column type, resolved."""
    oid = ref.oid
    family = t.sql_type(oid)
    iso = style_of(settings)[0] == "iso"
    if oid in _UTF8 or (oid == t.NUMERIC and not numeric.is_decimal(ref.typmod)):
        return _as_is
    if isinstance(family, GeometryType) and settings.extra_float_digits > 0:
        return _as_is
    if oid == t.NUMERIC:
        return decimal_text
    if oid in (t.INT2, t.INT4, t.INT8) or (
        isinstance(family, UnsignedType) and not isinstance(family, RegType)
    ):
        return _printed
    if oid == t.BOOL:
        return _bool
    if oid in (t.FLOAT4, t.FLOAT8) and settings.extra_float_digits > 0:
        return _float(ref, settings)
    if oid == t.BYTEA and settings.bytea_output == "hex":
        return _bytea
    if oid == t.TIME:
        return _time(ref, settings)
    if iso and oid == t.DATE:
        return _date(ref, settings)
    if iso and oid == t.TIMESTAMP:
        return _timestamp(ref, settings)
    if iso and oid == t.TIMESTAMPTZ:
        return _timestamptz(ref, settings)
    return cell_by_cell(ref, settings)
