"""A staged column as the table stores it: the same bytes where that is right, read by the type where it is not.

as it is           the type's own Arrow type, and every value of it is a value of the type
cast               narrower integers and floats, decimals of another width, other units of time
input function     types that are kept as text (uuid, json, varchar(n), numeric, enums, ...): value by value,
                   as COPY in text format would read it
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from executor.abc import ExecutionError
from planner import types as t
from planner.abc import Column, SqlError, TypeRef
from planner.types.arrays import ArrayType


class WrongColumn(Exception):
    """What is staged cannot be read as the column's type."""


def canonical_column(given: pa.ChunkedArray, column: Column) -> tuple[pa.ChunkedArray, bool]:
    """The column in canonical Arrow, and whether that is exactly what was given.

    Raises WrongColumn for the wrong type, ExecutionError (22001, 22P02, ...) for a wrong value.
    """
    ref = t.base_of(column.type)
    wanted = t.arrow_type(ref)
    if pa.types.is_dictionary(given.type):
        given = given.cast(given.type.value_type)
    if _is_plain(ref):
        if given.type.equals(wanted):
            if pa.types.is_string(wanted):
                _no_zero_bytes(given, column)
            return given, True
        if ref.oid in _FOREIGN and pa.types.is_string(given.type):
            return _read(given, column, ref, wanted)
        if not _castable(given.type, wanted):
            raise _wrong(given.type, column)
        try:
            made = given.cast(wanted)
        except pa.ArrowException as e:
            raise ExecutionError("22003", f'column "{column.name}": {e}') from None
        return made, False
    if pa.types.is_decimal(given.type) and ref.oid == t.NUMERIC:
        given = given.cast(pa.string())
    if pa.types.is_string(given.type) or pa.types.is_large_string(given.type):
        return _read(given, column, ref, wanted)
    if given.type.equals(wanted) and not pa.types.is_string(wanted):
        return given, True
    if pa.types.is_list(given.type) and t.element_of(ref.oid):
        return _array_texts(given, column, ref), False
    if _castable(given.type, wanted):
        return given.cast(wanted), False
    raise _wrong(given.type, column)


_PLAIN = frozenset(
    (
        t.BOOL, t.INT2, t.INT4, t.INT8, t.FLOAT4, t.FLOAT8, t.TEXT, t.BYTEA, t.DATE, t.TIME, t.TIMESTAMP,
        t.TIMESTAMPTZ, t.INTERVAL,
    )
)  # fmt: skip


_FOREIGN = frozenset((t.TIME, t.INTERVAL))
"""Types that many writers have no type for, and bring as text."""


def _is_plain(ref: TypeRef) -> bool:
    """Whether every value of the Arrow type is one of the type."""
    if ref.oid in (t.DATE, t.TIME, t.TIMESTAMP, t.TIMESTAMPTZ, t.INTERVAL):
        return ref.typmod < 0
    if ref.oid == t.NUMERIC:
        return bool(pa.types.is_decimal(t.arrow_type(ref)))
    return ref.oid in _PLAIN or (ref.oid == t.VARCHAR and ref.typmod < 0)


def _array_texts(given: pa.ChunkedArray, column: Column, ref: TypeRef) -> pa.ChunkedArray:
    """Lists as values of an array type, which are kept as their text."""
    element = TypeRef(t.element_of(ref.oid), ref.typmod)
    inner = Column(column.name, element, column.attnum)
    kind = t.sql_type(ref.oid)
    assert isinstance(kind, ArrayType)
    texts: list[str | None] = []
    for chunk in given.chunks:
        items, _ = canonical_column(pa.chunked_array([chunk.flatten()]), inner)
        datums = t.to_datums(items, element)
        at = 0
        for length in pc.list_value_length(chunk).to_pylist():
            texts.append(None if length is None else kind.of_items(datums[at : at + length]))
            at += length or 0
    return pa.chunked_array([pa.array(texts, pa.string())])


def _castable(given: pa.DataType, wanted: pa.DataType) -> bool:
    """Casts that lose nothing, or fail."""
    k = pa.types
    if k.is_null(given):
        return True
    if k.is_integer(wanted):
        return bool(k.is_integer(given))
    if k.is_floating(wanted):
        return bool(k.is_floating(given) or k.is_integer(given))
    if k.is_decimal(wanted):
        return bool(k.is_decimal(given) or k.is_integer(given))
    if k.is_string(wanted):
        return bool(k.is_large_string(given))
    if k.is_binary(wanted):
        return bool(k.is_large_binary(given) or k.is_fixed_size_binary(given))
    if k.is_timestamp(wanted):
        return bool(k.is_timestamp(given)) and (given.tz is None) == (wanted.tz is None)
    if k.is_time64(wanted):
        return bool(k.is_time(given))
    if k.is_date32(wanted):
        return bool(k.is_date(given))
    if k.is_struct(wanted):
        return bool(k.is_struct(given)) and given.num_fields == wanted.num_fields
    return False


def _read(
    given: pa.ChunkedArray, column: Column, ref: TypeRef, wanted: pa.DataType
) -> tuple[pa.ChunkedArray, bool]:
    """Texts by the type's input function, each distinct one once."""
    read = t.text_input(ref)
    encoded = given.combine_chunks().dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    try:
        values = [read(text) for text in texts]
    except SqlError as e:
        raise ExecutionError(
            e.sqlstate, e.message, detail=f'It was staged for column "{column.name}".'
        ) from None
    if pa.types.is_string(wanted) and values == texts:
        return pa.chunked_array([given.combine_chunks().cast(wanted)]), True
    made = t.from_datums(values, ref).take(encoded.indices)
    return pa.chunked_array([made]), False


def _no_zero_bytes(given: pa.ChunkedArray, column: Column) -> None:
    # The bytes of all strings first, which is a search of memory: hardly ever is there one.
    if (
        any(_has_zero_byte(chunk) for chunk in given.chunks)
        and pc.any(pc.match_substring(given, "\0")).as_py()
    ):
        raise ExecutionError(
            "22021",
            'invalid byte sequence for encoding "UTF8": 0x00',
            detail=f'It was staged for column "{column.name}".',
        )


def _has_zero_byte(texts: pa.Array) -> bool:
    """Whether the memory of these strings has one, be it in one that is null."""
    _, offsets, data = texts.buffers()
    if data is None or offsets is None or not len(texts):
        return False
    ends = np.frombuffer(offsets, np.int32, len(texts) + 1, 4 * texts.offset)
    return b"\0" in data[int(ends[0]) : int(ends[-1])].to_pybytes()


def _wrong(given: Any, column: Column) -> WrongColumn:
    return WrongColumn(
        f'Column "{column.name}" is of type {t.format_type(column.type)}, what is staged is {given}.'
    )
