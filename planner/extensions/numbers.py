"""intarray: arrays of whole numbers as sets and lists.

What gives back the array that it was given, with fewer elements or in another order, keeps its bounds, and so works on
the array's text (`planner.types.array_values`); all else is told of elements.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from planner.abc import SqlError
from planner.types.array_values import ArrayValue, parse, write

_DIRECTIONS: Final = {"asc": False, "desc": True}


def _items(value: ArrayValue) -> list[int]:
    """Raises 22004."""
    if None in value.items:
        raise SqlError("22004", "array must not contain nulls")
    return [int(x) for x in value.items if x is not None]


def _with(value: ArrayValue, items: list[int]) -> str:
    if not items:
        return "{}"
    size = len(items)
    dims = value.dims if size == len(value.items) else (size, *(1 for _ in value.dims[1:]))
    return write(ArrayValue(dims, value.lows, [str(x) for x in items]))


def ordered(array: str, direction: str) -> str:
    """sort(array, direction). Raises 22004 and 22023."""
    value = parse(array)
    items = _items(value)
    if len(items) < 2:
        return array
    descending = _DIRECTIONS.get(direction.lower() if direction.isascii() else "")
    if descending is None:
        raise SqlError("22023", 'second parameter must be "ASC" or "DESC"')
    return _with(value, sorted(items, reverse=descending))


def _kept(keeps: Callable[[list[int], int], bool]) -> Callable[[str], str]:
    def made(array: str) -> str:
        value = parse(array)
        items = _items(value)
        return _with(value, [x for i, x in enumerate(items) if keeps(items, i)])

    return made


uniq: Final = _kept(lambda items, i: i == 0 or items[i - 1] != items[i])
"""Without what is the same as the element before it. Raises 22004."""


def without(array: str, gone: int) -> str:
    """Raises 22004."""
    return _kept(lambda items, i: items[i] != gone)(array)


def part(items: list[int], start: int, length: int) -> list[int]:
    """subarray: places count from one, or from the end; a length that is no number of elements leaves so many off at the end."""
    count = len(items)
    begin = start - 1 if start > 0 else start
    if begin < 0:
        begin += count
    end = begin + length if length > 0 else count + length
    return items[max(begin, 0) : max(min(end, count), 0)]


def querytree(query: str) -> str:
    """Raises XX000, as it does in PostgreSQL."""
    raise SqlError("XX000", "querytree is no longer implemented")


__all__ = ["ordered", "part", "querytree", "uniq", "without"]
