"""Reading single rows out of Arrow columns, at the price of a tuple.

A keyed run holds its rows as Arrow arrays: compact, shared with DuckDB and Parquet, mappable from a
file. pyarrow's own scalars cost a microsecond or more per cell; the buffers below them cost 30 ns.
So a run **compiles a reader**: one Python function whose body is the tuple of all cells, each read
straight from its buffer.

    column            buffers                          cell i
    int, date, time   memoryview of the values         c0[i]
    text              offsets, bytes                   str(c1d[c1o[i]:c1o[i + 1]], "utf-8")
    nullable          one byte a row beside them       (... if c2v[i] else None)
    numeric(p, s)     16-byte little-endian integers   a small function

    def row(i): return (c0[i], str(c1d[c1o[i]:c1o[i + 1]], "utf-8"), ...)

The source text is made of column numbers and kinds only, never of anything a user typed. What comes
out are datums as `storage.abc` defines them, whatever pyarrow would rather make of a date.
"""

from __future__ import annotations

import decimal
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from planner import types as t
from planner.abc import TypeRef
from planner.binding import numerics
from storage.abc import Datum
from storage.rows import column_to_arrow, transposed

RowReader = Callable[[int], tuple[Any, ...]]
CellReader = Callable[[int], Any]

_EXACT = decimal.Context(prec=80)
INT64_DIGITS = 18
"""Numbers of so many digits are in the lower half of their sixteen bytes."""
"""Scaling a 38-digit coefficient must not round to the default context's 28 digits."""


def typed_view(array: pa.Array, dtype: Any) -> np.ndarray[Any, Any]:
    """The values of a fixed-width array without copying them (cells under a null hold anything)."""
    if len(array) == 0:
        return np.empty(0, dtype)
    data = np.frombuffer(array.buffers()[1], dtype)
    return data[array.offset : array.offset + len(array)]


def fixed_dtype(t: pa.DataType) -> Any | None:
    """The numpy type whose items are the column's datums, or None if there is none."""
    if pa.types.is_int64(t) or pa.types.is_timestamp(t) or pa.types.is_time64(t):
        return np.int64
    if pa.types.is_int32(t) or pa.types.is_date32(t):
        return np.int32
    if pa.types.is_int16(t):
        return np.int16
    if pa.types.is_uint64(t):
        return np.uint64
    if pa.types.is_float64(t):
        return np.float64
    if pa.types.is_float32(t):
        return np.float32
    return None


def bytes_of(array: pa.Array) -> tuple[memoryview, memoryview]:
    """The bytes of texts, and where each begins; the last number is where they end."""
    large = pa.types.is_large_string(array.type) or pa.types.is_large_binary(array.type)
    _, offsets, data = array.buffers()
    if len(array) == 0 or offsets is None:
        return memoryview(b""), np.zeros(1, np.int32).data
    view = np.frombuffer(offsets, np.int64 if large else np.int32)
    return memoryview(data if data is not None else b""), view[
        array.offset : array.offset + len(array) + 1
    ].data


def _decimal_cell(array: pa.Array) -> CellReader:
    raw = memoryview(array.buffers()[1]) if len(array) else memoryview(b"")
    base, scale = array.offset, array.type.scale
    from_bytes, make, scaleb = int.from_bytes, decimal.Decimal, _EXACT.scaleb

    def cell(i: int) -> decimal.Decimal:
        at = (base + i) << 4
        return scaleb(make(from_bytes(raw[at : at + 16], "little", signed=True)), -scale)

    return cell


def _cell(array: pa.Array, name: str, env: dict[str, Any]) -> str:
    """The expression of cell `i`, its names bound in `env`."""
    t = array.type
    if array.null_count == len(array):
        return "None"
    dtype = fixed_dtype(t)
    if dtype is not None:
        env[name] = typed_view(array, dtype).data
        source = f"{name}[i]"
    elif pa.types.is_string(t) or pa.types.is_large_string(t):
        env[name + "d"], env[name + "o"] = bytes_of(array)
        source = f"str({name}d[{name}o[i]:{name}o[i + 1]], 'utf-8')"
    elif pa.types.is_binary(t) or pa.types.is_large_binary(t):
        env[name + "d"], env[name + "o"] = bytes_of(array)
        source = f"{name}d[{name}o[i]:{name}o[i + 1]].tobytes()"
    elif pa.types.is_boolean(t):
        env[name] = np.asarray(pc.fill_null(array, False).to_numpy(zero_copy_only=False), np.bool_).data
        source = f"{name}[i]"
    elif pa.types.is_decimal128(t) and t.precision <= INT64_DIGITS and len(array):
        low: np.ndarray[Any, Any] = np.frombuffer(array.buffers()[1], np.int64)[::2]
        env[name] = low[array.offset : array.offset + len(array)].data
        env["scaled"] = _EXACT.scaleb
        source = f"scaled({name}[i], {-t.scale})"
    elif pa.types.is_decimal128(t):
        env[name] = _decimal_cell(array)
        source = f"{name}(i)"
    elif pa.types.is_struct(t):
        fields = [_cell(array.field(k), f"{name}f{k}", env) for k in range(t.num_fields)]
        source = "(" + ", ".join(fields) + ",)"
    elif pa.types.is_list(t) or pa.types.is_large_list(t):
        env[name + "e"] = cell_reader(array.values)
        env[name + "o"] = np.asarray(array.offsets).data
        source = f"[{name}e(j) for j in range({name}o[i], {name}o[i + 1])]"
    elif pa.types.is_null(t):
        return "None"
    else:
        raise TypeError(f"no datum for the Arrow type {t}")
    if array.null_count:
        env[name + "v"] = np.asarray(array.is_valid().to_numpy(zero_copy_only=False), np.bool_).data
        return f"({source} if {name}v[i] else None)"
    return source


def cell_reader(array: pa.Array) -> CellReader:
    """A function from a row number to that row's datum."""
    env: dict[str, Any] = {}
    if len(array) == 0:
        return _no_row
    source = _cell(array, "c", env)
    return eval(f"lambda i: {source}", env)  # type: ignore[no-any-return]


def row_reader(arrays: Sequence[pa.Array]) -> RowReader:
    """A function from a row number to the tuple of these columns' datums."""
    if not arrays or len(arrays[0]) == 0:
        return _no_row if arrays else (lambda i: ())
    env: dict[str, Any] = {}
    cells = [_cell(a, f"c{k}", env) for k, a in enumerate(arrays)]
    return eval("lambda i: (" + ", ".join(cells) + ",)", env)  # type: ignore[no-any-return]


BlockReader = Callable[[int, int], list[tuple[Any, ...]]]


def block_reader(arrays: Sequence[pa.Array]) -> BlockReader:
    """A function from a span of row numbers to the rows of these columns' datums, a column at a time.

    A hundred rows of numbers take 5 microseconds and of short texts 15 a column, a third of reading them one by one.
    """
    if not arrays:
        return lambda start, stop: [()] * (stop - start)
    if len(arrays[0]) == 0:
        return lambda start, stop: []
    lists = [_list_reader(a) for a in arrays]
    if len(lists) == 1:
        only = lists[0]
        return lambda start, stop: [(v,) for v in only(start, stop)]
    return lambda start, stop: list(zip(*[read(start, stop) for read in lists], strict=True))


def _list_reader(array: pa.Array) -> Callable[[int, int], list[Any]]:
    """From a span of row numbers to the list of one column's datums."""
    dtype = fixed_dtype(array.type)
    if array.null_count or (dtype is None and not pa.types.is_string(array.type)):
        cell = cell_reader(array)
        return lambda start, stop: [cell(i) for i in range(start, stop)]
    if dtype is not None:
        values = typed_view(array, dtype).data
        return lambda start, stop: values[start:stop].tolist()
    data, offsets = bytes_of(array)

    def texts(start: int, stop: int) -> list[str]:
        at = offsets[start : stop + 1].tolist()
        base = at[0]
        raw = bytes(data[base : at[-1]])
        if raw.isascii():  # then a byte is a character
            text = raw.decode("ascii")
            return [text[a - base : b - base] for a, b in pairwise(at)]
        return [raw[a - base : b - base].decode() for a, b in pairwise(at)]

    return texts


PicksReader = Callable[["np.ndarray[Any, Any]"], list[Any]]


def picks_reader(array: pa.Array) -> PicksReader:
    """A function from row numbers to the list of one column's datums there."""
    dtype = fixed_dtype(array.type)
    if dtype is not None and not array.null_count:
        values = typed_view(array, dtype)
        return lambda places: values[places].tolist()
    cell = cell_reader(array)
    return lambda places: [cell(i) for i in places.tolist()]


def entry_reader(rids: np.ndarray[Any, Any], arrays: Sequence[pa.Array]) -> Callable[[int], Any]:
    """From a row number to `(rid, row)`, or None for a tombstone (a negative rid)."""
    if len(rids) == 0:
        return _no_row
    env: dict[str, Any] = {"r": rids.data}
    cells = [_cell(a, f"c{k}", env) for k, a in enumerate(arrays)]
    row = "(" + ", ".join(cells) + ",)" if cells else "()"
    return eval(f"lambda i: (rid, {row}) if (rid := r[i]) >= 0 else None", env)  # type: ignore[no-any-return]


def _no_row(i: int) -> Any:
    raise IndexError(i)


def rows_to_arrays(rows: Sequence[tuple[Datum, ...]], types: Sequence[pa.DataType]) -> list[pa.Array]:
    """Rows of datums turned into columns."""
    if not rows:
        return [pa.array([], kind) for kind in types]
    return [column_to_arrow(column, kind) for column, kind in zip(transposed(rows), types, strict=True)]


def result_arrays(rows: Sequence[tuple[Datum, ...]], types: Sequence[TypeRef]) -> list[pa.Array]:
    """Rows that the keyed engine has made as columns. A numeric without a modifier is a text there, or a column's Decimal: of
    `coalesce(price, 0)` both in one result."""
    arrow_types = [t.arrow_type(ref) for ref in types]
    if not rows:
        return [pa.array([], kind) for kind in arrow_types]
    columns = transposed(rows)
    for i, (ref, kind) in enumerate(zip(types, arrow_types, strict=True)):
        if ref.oid == t.NUMERIC and pa.types.is_string(kind):
            columns[i] = [numerics.text(v) if isinstance(v, decimal.Decimal) else v for v in columns[i]]
    return [column_to_arrow(column, kind) for column, kind in zip(columns, arrow_types, strict=True)]
