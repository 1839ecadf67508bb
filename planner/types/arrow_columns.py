"""Between a list of datums and a column in canonical Arrow.

Arrow's own `to_pylist` makes datetimes and dictionaries of what are whole numbers and tuples here, and
fails beyond the year 9999, so times pass as integers and intervals as three columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from planner.abc import TypeRef
from planner.types.registry import arrow_type
from storage.abc import Datum


def one_array(column: Any) -> pa.Array:
    """A column as one array: DuckDB gives chunks, of which one alone is not copied, and none where there are no rows."""
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def to_datums(array: Any, ref: TypeRef) -> list[Datum]:
    """The datums of an Arrow array (or chunked array) in the canonical type of `ref`."""
    return _to_datums(array, arrow_type(ref))


def _to_datums(array: Any, kind: pa.DataType) -> list[Datum]:
    if isinstance(array, pa.ChunkedArray):
        return [datum for chunk in array.chunks for datum in _to_datums(chunk, kind)]
    if pa.types.is_date32(kind):
        return list(array.view(pa.int32()).to_pylist())
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind):
        return list(array.view(pa.int64()).to_pylist())
    if pa.types.is_struct(kind):
        fields = [array.field(i).to_pylist() for i in range(3)]
        rows: list[Datum] = list(zip(*fields, strict=True))
        if array.null_count:
            rows = [row if ok else None for row, ok in zip(rows, array.is_valid().to_pylist(), strict=True)]
        return rows
    if pa.types.is_list(kind):
        items = _to_datums(array.flatten(), kind.value_type)
        out: list[Datum] = []
        at = 0
        for n in array.value_lengths().to_pylist():
            if n is None:
                out.append(None)
            else:
                out.append(items[at : at + n])
                at += n
        return out
    return list(array.to_pylist())


def from_datums(values: Sequence[Datum], ref: TypeRef) -> pa.Array:
    """A column in the canonical Arrow type of `ref`."""
    return _from_datums(values, arrow_type(ref))


def _from_datums(values: Sequence[Datum], kind: pa.DataType) -> pa.Array:
    if pa.types.is_date32(kind):
        return pa.array(values, pa.int32()).view(kind)
    if pa.types.is_timestamp(kind) or pa.types.is_time64(kind):
        return pa.array(values, pa.int64()).view(kind)
    if pa.types.is_struct(kind):
        mask = pa.array([v is None for v in values], pa.bool_())
        columns = [
            pa.array([None if v is None else v[i] for v in values], kind.field(i).type) for i in range(3)
        ]
        return pa.StructArray.from_arrays(columns, fields=list(kind), mask=mask)
    if pa.types.is_list(kind):
        items: list[Datum] = []
        offsets = [0]
        for v in values:
            if v is not None:
                items += v
            offsets.append(len(items))
        mask = pa.array([v is None for v in values], pa.bool_())
        return pa.ListArray.from_arrays(
            pa.array(offsets, pa.int32()), _from_datums(items, kind.value_type), type=kind, mask=mask
        )
    return pa.array(values, kind)
