"""Where the tuples of a binary COPY are: found for a whole block at once.

    int16 columns | int32 size, value | int32 size, value | ...     int16 columns | ...

Where a tuple begins depends on every length before it, so a walk of them is a step of the interpreter for each field. Two
things find them without one:

    equal    all tuples of the block are as long as its first, field by field: a look at every length says so
    chained  every place where the bytes of the column count stand may begin a tuple. From all of them at once the lengths
             are followed, a column at a time; a tuple is then what begins where the one before it ends.

What looks like a tuple within a value begins where no tuple ends, and drops out. Both stop before the first tuple that is
incomplete or not as it should be: who reads value by value from there finds out why.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pgwire.encoding.binary_fields import EvenFields, Fields, Places

_EQUAL_ROWS_MIN = 2


@dataclass(slots=True)
class Tuples:
    """Consecutive tuples: their fields by columns, how many there are, where the last ends."""

    columns: list[Fields]
    count: int
    end: int


def find_tuples(data: bytes, at: int, end: int, widths: Sequence[int]) -> Tuples | None:
    """The tuples from `at` on that are whole before `end`; None where there is none.

    `widths`: for each column how long its values must be, 0 where they vary.
    """
    if not widths or end - at < 2 + 4 * len(widths):
        return None
    return _equal(data, at, end, widths) or _chained(data, at, end, widths)


def _equal(data: bytes, at: int, end: int, widths: Sequence[int]) -> Tuples | None:
    """When all whole tuples have lengths like the first one's."""
    mark = len(widths).to_bytes(2, "big")
    if data[at : at + 2] != mark:
        return None
    here, sizes = at + 2, []
    for width in widths:
        size = int.from_bytes(data[here : here + 4], "big", signed=True)
        if size < 0 or (width and size != width) or here + 4 + size > end:
            return None
        sizes.append(size)
        here += 4 + size
    stride = here - at
    count = (end - at) // stride
    if count < _EQUAL_ROWS_MIN:
        return None
    if (np.ndarray((count,), ">i2", data, at, (stride,)) != len(widths)).any():
        return None
    columns: list[Fields] = []
    here = at + 2
    for size in sizes:
        if (np.ndarray((count,), ">i4", data, here, (stride,)) != size).any():
            return None
        columns.append(EvenFields(data, here + 4, size, stride, count))
        here += 4 + size
    return Tuples(columns, count, at + count * stride)


def _chained(data: bytes, at: int, end: int, widths: Sequence[int]) -> Tuples | None:
    begins = _marks(data, at, end, len(widths))
    if not len(begins) or begins[0] != at:
        return None
    lengths = np.ndarray((max(1, end - 3),), ">i4", data, 0, (1,))
    here = begins + 2
    alive = np.ones(len(begins), np.bool_)
    starts: list[Places] = []
    sizes: list[Places] = []
    for width in widths:
        alive &= here + 4 <= end
        size = lengths[np.where(alive, here, 0)].astype(np.int64)
        here = here + 4
        alive &= ((size == -1) | (size == width)) if width else (size >= -1)
        starts.append(here)
        sizes.append(size)
        here = here + np.where(alive, np.maximum(size, 0), 0)
        alive &= here <= end
        count = int(np.count_nonzero(alive))
        if not count:
            return None
        if count * 2 < len(alive):  # most were none: do not follow them to the end
            starts, sizes = [s[alive] for s in starts], [s[alive] for s in sizes]
            begins, here, alive = begins[alive], here[alive], np.ones(count, np.bool_)
    whole = np.flatnonzero(alive)
    if begins[whole[0]] != at:
        return None
    rows = whole[_chain(begins[whole], here[whole])]
    columns = [Fields(data, s[rows], n[rows]) for s, n in zip(starts, sizes, strict=True)]
    return Tuples(columns, len(columns[0]), int(here[rows][-1]))


def _marks(data: bytes, at: int, end: int, columns: int) -> Places:
    """Every place where the bytes of the column count stand."""
    block = np.frombuffer(data, np.uint8, count=end - at, offset=at)
    high, low = divmod(columns, 256)
    marks: Places = np.flatnonzero((block[1:] == low) & (block[:-1] == high))
    return marks + at


def _chain(begins: Places, ends: Places) -> slice | Places:
    """Which of the candidates follow each other, the first being one of them."""
    linked = ends[:-1] == begins[1:]
    straight = len(linked) if linked.all() else int(linked.argmin())
    if straight == len(linked) or not _is_among(int(ends[straight]), begins):
        return slice(0, straight + 1)
    follower = np.searchsorted(begins, ends)
    there = follower < len(begins)
    there[there] = begins[follower[there]] == ends[there]
    nexts = np.where(there, follower, -1).tolist()
    rows, i = [], 0
    while i >= 0:
        rows.append(i)
        i = nexts[i]
    return np.array(rows, np.int64)


def _is_among(place: int, begins: Places) -> bool:
    i = int(np.searchsorted(begins, place))
    return i < len(begins) and bool(begins[i] == place)
