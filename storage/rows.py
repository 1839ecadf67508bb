"""Rows of datums, as msgpack for the log and as Arrow for everything that is read by the column.

Both directions of both codecs are exact: what went in comes out, type for type, with NaN payloads
aside (all NaNs are one). See `storage.abc` for the table of datums.

    rows  --pack_inserts-->   msgpack  --unpack_inserts-->  rows        inside log entries
    rows  --rows_to_arrow-->  Arrow    --arrow_to_rows-->   rows        parts, DuckDB, Spark

**msgpack without a schema.** A list datum and an interval's tuple must come back as what they
were, although msgpack has one array type. Rows are packed as lists under `strict_types`: lists are
arrays, and a tuple met *inside* a row can only be an interval, so it and Decimal become extension
types. Hence no schema is needed to read a log, and no cell is looked at in Python on either side.

    entry = [[rid, datum, datum, ...], ...]         ext 1: Decimal as text     ext 2: interval

Sketch: about 0.25 microseconds a row and 50 nanoseconds a datum to pack, twice that to unpack.

**Arrow by the column.** A row set is transposed once, then each column goes to Arrow in one
call; integers that stand for dates and times are cast by the column, never by the cell.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import partial
from operator import itemgetter
from typing import Any

import msgpack
import pyarrow as pa
import pyarrow.compute as pc

from storage.abc import Datum, InvalidDatum, Row

EXT_DECIMAL = 1
EXT_INTERVAL = 2

INTERVAL = pa.struct([("months", pa.int32()), ("days", pa.int32()), ("micros", pa.int64())])
"""The Arrow type of an interval."""

_INTERVAL_BYTES = struct.Struct("<iiq")

# --- msgpack -----------------------------------------------------------------------------------


_made_ext: Callable[[tuple[int, bytes]], msgpack.ExtType] = partial(tuple.__new__, msgpack.ExtType)
"""An ExtType of what is surely a code and bytes: its own constructor looks at both, in Python."""


def _pack_ext(value: Any) -> msgpack.ExtType:
    if type(value) is Decimal:
        return _made_ext((EXT_DECIMAL, str(value).encode("ascii")))
    if type(value) is tuple and len(value) == 3:
        return msgpack.ExtType(EXT_INTERVAL, _INTERVAL_BYTES.pack(*value))
    raise InvalidDatum(f"no datum: {type(value).__name__}")


def _unpack_ext(code: int, data: bytes) -> Any:
    if code == EXT_DECIMAL:
        return Decimal(str(data, "ascii"))
    if code == EXT_INTERVAL:
        return _INTERVAL_BYTES.unpack(data)
    raise ValueError(f"extension type {code} is not one of ours")


def _pack(value: Any) -> bytes:
    try:
        packed: bytes = msgpack.packb(value, default=_pack_ext, strict_types=True, use_bin_type=True)
    except (OverflowError, struct.error) as e:
        raise InvalidDatum(f"an integer beyond its width: {e}") from e
    except (UnicodeEncodeError, ValueError, TypeError) as e:
        raise InvalidDatum(str(e)) from e
    return packed


def pack(value: Any) -> bytes:
    """Lists and maps of datums as msgpack. Raises InvalidDatum."""
    return _pack(value)


def unpack(data: bytes) -> Any:
    """Reads msgpack with this room's extension types; for the room's own metadata and rows.

    Raises ValueError when the bytes are not what was packed.
    """
    try:
        return msgpack.unpackb(data, ext_hook=_unpack_ext, strict_map_key=False, raw=False)
    except _NOT_OURS as e:
        raise ValueError(f"not msgpack of ours: {e}") from e


_NOT_OURS = (
    msgpack.exceptions.UnpackException,
    msgpack.exceptions.ExtraData,
    ValueError,  # UnicodeDecodeError, too
    TypeError,  # a map with an array as key
    ArithmeticError,  # a Decimal that is none
    struct.error,
)


def pack_inserts(inserts: Iterable[tuple[int, Row]]) -> bytes:
    """(rid, row) pairs as the data of an inline part.

    Raises InvalidDatum for a value that is no datum or an integer of more than 64 bits.
    """
    return _pack([[rid, *row] for rid, row in inserts])


def unpack_inserts(data: bytes) -> list[tuple[int, Row]]:
    """The inverse of `pack_inserts`. Raises ValueError for other bytes."""
    return [(r[0], tuple(r[1:])) for r in unpack(data)]


def pack_deletes(rids: Iterable[int]) -> bytes:
    """Row ids as the data of an inline part of deletions."""
    return _pack(list(rids))


def unpack_deletes(data: bytes) -> list[int]:
    rids: list[int] = unpack(data)
    return rids


def pack_timed_inserts(inserts: Iterable[tuple[int, int, Row]]) -> bytes:
    """(rid, ts, row) triples: inline parts of several times merged into one."""
    return _pack([[rid, ts, *row] for rid, ts, row in inserts])


def unpack_timed_inserts(data: bytes) -> list[tuple[int, int, Row]]:
    return [(r[0], r[1], tuple(r[2:])) for r in unpack(data)]


def pack_timed_deletes(deletes: Iterable[tuple[int, int]]) -> bytes:
    """(rid, ts) pairs."""
    return _pack([[rid, ts] for rid, ts in deletes])


def unpack_timed_deletes(data: bytes) -> list[tuple[int, int]]:
    return [(r[0], r[1]) for r in unpack(data)]


# --- Arrow -------------------------------------------------------------------------------------


def rows_to_arrow(rows: Sequence[Row], schema: pa.Schema) -> pa.Table:
    """Rows of full width as a table of `schema`. Raises InvalidDatum, naming the column."""
    if not rows:
        return schema.empty_table()
    columns = transposed(rows)
    if len(columns) != len(schema):
        raise InvalidDatum(f"rows have {len(columns)} columns, the schema has {len(schema)}")
    arrays = []
    for field, values in zip(schema, columns, strict=True):
        try:
            arrays.append(column_to_arrow(values, field.type))
        except (pa.ArrowException, OverflowError, TypeError, ValueError) as e:
            raise InvalidDatum(f"column {field.name!r} ({field.type}): {e}") from e
    return pa.Table.from_arrays(arrays, schema=schema)


def transposed(rows: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """The columns of rows, of which there is one at least. Raises ValueError if they are not equally long.

    Not `zip(*rows)`: it holds an iterator for each row, and for every 50,000 such objects the cycle collector walks over
    them and all that is young beside. Column by column takes half the time, and none of the collector's.
    """
    width = len(rows[0])
    if set(map(len, rows)) != {width}:
        raise ValueError("rows of different lengths")
    return [list(map(itemgetter(i), rows)) for i in range(width)]


def column_to_arrow(values: Sequence[Any], to: pa.DataType) -> pa.Array:
    """One column of datums as an Arrow array of type `to`."""
    plain = _datum_type(to)
    if to.equals(INTERVAL):
        months, days, micros = zip(*(v if v is not None else (None, None, None) for v in values), strict=True)
        return pa.StructArray.from_arrays(
            [pa.array(months, pa.int32()), pa.array(days, pa.int32()), pa.array(micros, pa.int64())],
            fields=list(to),
            mask=pa.array([v is None for v in values], pa.bool_()),
        )
    if pa.types.is_list(to) and _has_interval(to):
        return pa.array(values, to)
    array = pa.array(values, plain)
    return array if plain.equals(to) else _relabel(array, to)


def arrow_to_rows(table: pa.Table) -> list[Row]:
    """The inverse of `rows_to_arrow`."""
    if table.num_columns == 0:
        return [()] * table.num_rows
    return list(zip(*(arrow_to_column(column) for column in table.columns), strict=True))


def arrow_to_column(column: pa.ChunkedArray | pa.Array) -> list[Any]:
    """One Arrow column as a list of datums."""
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    values: list[Any] = []
    for chunk in chunks:
        values += _chunk_to_datums(chunk)
    return values


def _chunk_to_datums(array: pa.Array) -> list[Any]:
    kind = array.type
    if kind.equals(INTERVAL):
        children = [array.field(i).to_pylist() for i in range(3)]
        triples = list(zip(*children, strict=True))
        if array.null_count:
            return [t if ok else None for t, ok in zip(triples, array.is_valid().to_pylist(), strict=True)]
        return triples
    if pa.types.is_list(kind) and _has_interval(kind):
        # Values of the lists, then cut where the offsets say: no cell is converted twice.
        inner = _chunk_to_datums(array.values)
        offsets = array.offsets.to_pylist()
        valid = array.is_valid().to_pylist()
        return [inner[offsets[i] : offsets[i + 1]] if valid[i] else None for i in range(len(array))]
    plain = _datum_type(kind)
    if not plain.equals(kind):
        array = _relabel(array, plain)
    values: list[Any] = array.to_pylist()
    return values


def _datum_type(kind: pa.DataType) -> pa.DataType:
    """The type whose Python value is the datum: integers for dates and times."""
    if pa.types.is_date32(kind):
        return pa.int32()
    if pa.types.is_time64(kind) or pa.types.is_timestamp(kind):
        return pa.int64()
    if pa.types.is_list(kind):
        inner = _datum_type(kind.value_type)
        return kind if inner.equals(kind.value_type) else pa.list_(kind.value_field.with_type(inner))
    return kind


def _relabel(array: pa.Array, to: pa.DataType) -> pa.Array:
    """The same buffers under another type of the same layout (int64 as timestamp and so on)."""
    if pa.types.is_list(to):
        values = _relabel(array.values, to.value_type)
        return pa.Array.from_buffers(
            to, len(array), array.buffers()[:2], array.null_count, array.offset, children=[values]
        )
    return array.view(to)


def _has_interval(kind: pa.DataType) -> bool:
    while pa.types.is_list(kind):
        kind = kind.value_type
    return bool(kind.equals(INTERVAL))


# --- schemas -----------------------------------------------------------------------------------

FIELD_ID = b"PARQUET:field_id"
"""Field metadata that names a column for ever, whatever it is called: its attribute number."""


MISSING = b"tidewire.missing"
"""Field metadata: the datum, packed, that rows written before there was the column have in it; without it they have NULL."""


def missing_of(field: pa.Field) -> Datum:
    """What rows have in a column that was not there when they were written. Raises ValueError for damaged bytes."""
    data = (field.metadata or {}).get(MISSING)
    return None if data is None else unpack(data)[0]


def repeated(value: Datum, kind: pa.DataType, count: int) -> pa.Array:
    """A column of one datum."""
    if value is None:
        return pa.nulls(count, kind)
    return pa.repeat(column_to_arrow([value], kind)[0], count)


def field_identity(field: pa.Field) -> bytes:
    """What makes two fields of two schemas the same column: the field id, else the name."""
    metadata = field.metadata or {}
    number = metadata.get(FIELD_ID)
    name: bytes = field.name.encode()
    return b"=" + name if number is None else b"#" + bytes(number)


def _has_id(field: pa.Field) -> bool:
    return FIELD_ID in (field.metadata or {})


def conform(table: pa.Table, schema: pa.Schema, written: pa.Schema | None = None) -> pa.Table:
    """`table` as if it had been written under `schema`: columns found by identity, absent ones with what is `MISSING`.

    Columns of the table that start with an underscore (`_rid`, `_ts`) stay in front. A table none of whose
    fields has an id, although the schema's have, lost them on its way to the disk (large COPYs did that once): its
    columns are those of the same names in the schema that it was `written` under.
    """
    hidden = [f for f in table.schema if f.name in ("_rid", "_ts")]
    fields = list(table.schema)
    if not any(_has_id(f) for f in fields) and any(_has_id(f) for f in schema):
        named = {f.name: f for f in written or schema}
        fields = [f if f.name in ("_rid", "_ts") else named.get(f.name, f) for f in fields]
    places = {field_identity(f): i for i, f in enumerate(fields)}
    arrays = [table.column(f.name) for f in hidden]
    for field in schema:
        i = places.get(field_identity(field))
        if i is None:
            arrays.append(repeated(missing_of(field), field.type, table.num_rows))
        elif table.schema.field(i).type.equals(field.type):
            arrays.append(table.column(i))
        else:
            arrays.append(pc.cast(table.column(i), field.type))
    return pa.Table.from_arrays(arrays, schema=pa.schema([*hidden, *schema]))


RowReshaper = Callable[[Row], Row]


def reshaper(written: pa.Schema, schema: pa.Schema) -> RowReshaper | None:
    """How rows written under one schema read under another; None when they are alike."""
    places = {field_identity(f): i for i, f in enumerate(written)}
    wanted = [places.get(field_identity(f)) for f in schema]
    if wanted == list(range(len(written))):
        return None
    cells = [(i, None if i is not None else missing_of(f)) for i, f in zip(wanted, schema, strict=True)]
    return lambda row: tuple([value if i is None else row[i] for i, value in cells])
