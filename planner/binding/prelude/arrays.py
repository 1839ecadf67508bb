"""Python functions on arrays in their text form (see `planner.types.array_values`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce
from typing import Any

from planner.abc import SqlError
from planner.types.array_values import (
    ArrayValue,
    appended,
    bounds_text,
    cut,
    filled,
    item_at,
    joined,
    parse,
    put,
    put_slice,
    stacked,
    vector,
    write,
)

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V, _L, _I, _N = "VARCHAR", "VARCHAR[]", "INTEGER[]", "INTEGER"


def _with(text: str, items: list[str | None]) -> str:
    value = parse(text)
    return write(ArrayValue(value.dims, value.lows, items))


def _dims(text: str) -> str | None:
    return bounds_text(parse(text)) or None


def _pairs(text: str) -> list[str | None]:
    """What json_object() takes: keys and values in turn, or rows of two. Raises 2202E."""
    value = parse(text)
    if len(value.dims) > 2:
        raise SqlError("2202E", "wrong number of array subscripts")
    if value.dims[1:] not in ((), (2,)):
        raise SqlError("2202E", "array must have two columns")
    return list(value.items)


def single(text: str) -> list[str | None]:
    """The elements of an array of one dimension. Raises 2202E."""
    value = parse(text)
    if len(value.dims) > 1:
        raise SqlError("2202E", "wrong number of array subscripts")
    return list(value.items)


def length(text: str, dimension: int) -> int | None:
    value = parse(text)
    return value.dims[dimension - 1] if 0 < dimension <= len(value.dims) else None


def lower(text: str, dimension: int) -> int | None:
    value = parse(text)
    return value.lows[dimension - 1] if 0 < dimension <= len(value.dims) else None


def upper(text: str, dimension: int) -> int | None:
    value = parse(text)
    if not 0 < dimension <= len(value.dims):
        return None
    return value.lows[dimension - 1] + value.dims[dimension - 1] - 1


def _shape(text: str) -> list[int]:
    """What tells arrays of the same elements apart, in the order of their comparison."""
    value = parse(text)
    return [len(value.dims), *value.dims, *value.lows]


def _at(text: str, places: Sequence[int | None]) -> str | None:
    if None in places:
        return None
    return item_at(parse(text), [p for p in places if p is not None])


def _searched(text: str) -> int:
    """What to add to a place in the list to have the subscript."""
    value = parse(text)
    return value.lows[0] - 1 if value.lows else 0


def searchable(text: str) -> str:
    if len(parse(text).dims) > 1:
        raise SqlError("0A000", "searching for elements in multidimensional arrays is not supported")
    return text


def one_dimension(text: str) -> str:
    if len(parse(text).dims) > 1:
        raise SqlError("0A000", "removing elements from multidimensional arrays is not supported")
    return text


_NOT_ONE_DIMENSION = {
    "paths": SqlError("2202E", "array must be one-dimensional"),
    "thresholds": SqlError("2202E", "thresholds must be one-dimensional array"),
    "vector": SqlError("22000", "array must be 1-D"),
    "sizes": SqlError(
        "2202E", "wrong number of array subscripts", detail="Dimension array must be one dimensional."
    ),
}


def _of_one_dimension(text: str, role: str) -> str:
    if len(parse(text).dims) > 1:
        raise _NOT_ONE_DIMENSION[role]
    return text


def kept(text: str, items: list[str | None]) -> str:
    """The array of one dimension with only these of its elements left: it begins where it did."""
    value = parse(text)
    if len(items) == len(value.items):
        return text
    return write(ArrayValue((len(items),), value.lows, items)) if items else "{}"


def _trimmed(text: str, count: int) -> str:
    value = parse(text)
    size = value.dims[0] if value.dims else 0
    if not 0 <= count <= size:
        raise SqlError("2202E", f"number of elements to trim must be between 0 and {size}")
    if not value.dims:
        return "{}"
    return write(cut(value, [None, value.lows[0] + size - count - 1]))


def _put(text: str, places: Sequence[int | None], item: Sequence[str | None]) -> str:
    if None in places:
        raise SqlError("22004", "array subscript in assignment must not be null")
    return write(put(parse(text), [p for p in places if p is not None], item[0]))


def _stack(parts: Sequence[str | None], aggregated: bool) -> str:
    return write(stacked([None if p is None else parse(p) for p in parts], aggregated=aggregated))


def _joined(parts: Sequence[str | None]) -> str | None:
    """NULL is nothing to add; of NULLs alone there is nothing left."""
    known = [p for p in parts if p is not None]
    if len(known) < 2:
        return known[0] if known else None
    return write(reduce(joined, map(parse, known)))


def _nested(text: str, items: Sequence[str], opened: str, separator: str, closed: str) -> str:
    """The items as lists within lists, in another notation: JSON."""
    cells = list(items)
    dims = parse(text).dims
    for size in dims[:0:-1]:
        cells = [opened + separator.join(cells[i : i + size]) + closed for i in range(0, len(cells), size)]
    return opened + separator.join(cells) + closed


FUNCTIONS: list[Entry] = [
    ("tw_array_items", lambda s: parse(s).items, (_V,), _L),
    ("tw_array_pairs", _pairs, (_V,), _L),
    ("tw_array_single", single, (_V,), _L),
    ("tw_array_text", lambda items: write(vector(items)), (_L,), _V),
    ("tw_array_from_zero", lambda items: write(vector(items, 0)), (_L,), _V),
    ("tw_array_with", _with, (_V, _L), _V),
    ("tw_array_dims", _dims, (_V,), _V),
    ("tw_array_ndims", lambda s: len(parse(s).dims) or None, (_V,), _N),
    ("tw_array_length", length, (_V, _N), _N),
    ("tw_array_lower", lower, (_V, _N), _N),
    ("tw_array_upper", upper, (_V, _N), _N),
    ("tw_array_shape", _shape, (_V,), _I),
    ("tw_array_at", _at, (_V, _I), _V),
    ("tw_array_cut", lambda s, bounds: write(cut(parse(s), bounds)), (_V, _I), _V),
    ("tw_array_joined", _joined, (_L,), _V),
    ("tw_array_append", lambda s, item: write(appended(parse(s), item[0])), (_V, _L), _V),
    ("tw_array_prepend", lambda s, item: write(appended(parse(s), item[0], before=True)), (_V, _L), _V),
    ("tw_array_stack", _stack, (_L, "BOOLEAN"), _V),
    ("tw_array_fill", lambda item, sizes: write(filled(item[0], sizes, None)), (_L, _I), _V),
    ("tw_array_fill_from", lambda item, sizes, lows: write(filled(item[0], sizes, lows)), (_L, _I, _I), _V),
    ("tw_array_searched", _searched, (_V,), _N),
    ("tw_array_searchable", searchable, (_V,), _V),
    ("tw_array_flat", one_dimension, (_V,), _V),
    ("tw_array_one_dimension", _of_one_dimension, (_V, _V), _V),
    ("tw_array_kept", kept, (_V, _L), _V),
    ("tw_array_trim", _trimmed, (_V, _N), _V),
    ("tw_array_put", _put, (_V, _I, _L), _V),
    ("tw_array_put_slice", lambda s, b, v: write(put_slice(parse(s), b, parse(v))), (_V, _I, _V), _V),
    ("tw_array_nested", _nested, (_V, _L, _V, _V, _V), _V),
]
