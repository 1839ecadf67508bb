"""Where the values of many Binds are, found by columns.

    B head | size value | size value | tail      row 0
    B head | size value | size value | tail      row 1      a row in each Bind
             column 0     column 1

    B head | size value | size value | size value | size value | ... | tail      several rows in each

Where a value begins depends on the size of every one before it, so what varies in size has to be followed: from one to the
next, all Binds abreast where there are many. What comes in binary mostly does not vary. So those columns are leapt over, and
afterwards one look at each column tells whether its sizes were what they should be; where one was not (NULL, or
a value for another step to complain about), all columns are followed.

    | 8 ........ | 4 .... | n name | 8 ........ | 4 .... | n na | ...
      ----- leap -------->  follow   ----- leap -------->  follow
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from itertools import cycle
from struct import Struct
from struct import error as OutOfBytes
from typing import Final

import numpy as np

from pgwire.encoding.binary_fields import Fields, Places
from pgwire.encoding.copy_columns import Doubt

_SIZE_BYTES: Final = 4
_ABREAST_MIN: Final = 24
"""From so many Binds on, one step of numpy for all of them costs less than a step of Python for each."""


def fields_of_binds(
    data: bytes, starts: Places, ends: Places, row_count: int, widths: Sequence[int]
) -> list[Fields]:
    """The columns of sized values, `row_count` rows between each start and its end.

    `widths`: for each column how long its values usually are, 0 where they vary. Raises Doubt where values do not fill the
    places between starts and ends.
    """
    if any(widths):
        with contextlib.suppress(Doubt):
            return _found(data, starts, ends, row_count, widths)
    return _found(data, starts, ends, row_count, (0,) * len(widths))


def _found(data: bytes, starts: Places, ends: Places, row_count: int, widths: Sequence[int]) -> list[Fields]:
    """Raises Doubt also where a value is not as long as all of its column."""
    if len(data) < _SIZE_BYTES:
        raise Doubt
    words = np.ndarray((len(data) - _SIZE_BYTES + 1,), np.dtype(">i4"), data, 0, (1,))
    leaps, rest = _leaps(widths)
    if leaps:
        follow = _abreast if len(starts) >= _ABREAST_MIN else _one_by_one
        at, sizes = follow(data, words, starts, ends, row_count, leaps, rest)
        here = at[0] - leaps[0] if leaps[0] else at[0]
    else:
        if (ends - starts != rest * row_count).any():
            raise Doubt
        at = sizes = np.empty((0, 0), np.int64)
        here = (starts[:, None] + rest * np.arange(row_count)).reshape(-1)
    out: list[Fields] = []
    followed = 0
    for i, width in enumerate(widths):
        if width:
            if (words[here] != width).any():
                raise Doubt
            here = here + _SIZE_BYTES
            out.append(Fields(data, here, np.broadcast_to(np.int64(width), len(here))))
            here = here + width
        else:
            begin, size = at[followed] + _SIZE_BYTES, sizes[followed]
            out.append(Fields(data, begin, size))
            if any(widths[i + 1 : i + 2]):
                here = begin + np.maximum(size, 0)
            followed += 1
    return out


def _leaps(widths: Sequence[int]) -> tuple[list[int], int]:
    """How far it is to each value that varies from the end of the one before, and from the last to the end of the row."""
    leaps, far = [], 0
    for width in widths:
        if width:
            far += _SIZE_BYTES + width
        else:
            leaps.append(far)
            far = 0
    return leaps, far


def _steps(leaps: Sequence[int], rest: int) -> list[int]:
    """From each size to the next one, less the value itself."""
    return [_SIZE_BYTES + leap for leap in (*leaps[1:], rest + leaps[0])]


def _abreast(
    data: bytes, words: Places, starts: Places, ends: Places, row_count: int, leaps: Sequence[int], rest: int
) -> tuple[Places, Places]:
    """Where the sizes of varying values are, and what they say: a line for each column, rows in order. Raises Doubt."""
    columns = len(leaps)
    count = row_count * columns
    where = np.empty((count, len(starts)), np.int64)
    sizes = np.empty((count, len(starts)), np.int64)
    at = starts + leaps[0]
    try:
        for here, size, step in zip(where, sizes, cycle(_steps(leaps, rest)), strict=False):
            here[:] = at
            size[:] = words[at]
            at = at + np.maximum(size, 0)
            at += step
    except IndexError:
        raise Doubt from None
    # Each began where the one before it ended: so if the last ends where it should, all are in their places.
    if int(sizes.min(initial=0)) < -1 or (at - leaps[0] != ends).any():
        raise Doubt
    if row_count > 1:
        where = where.reshape(row_count, columns, -1).transpose(1, 2, 0).reshape(columns, -1)
        sizes = sizes.reshape(row_count, columns, -1).transpose(1, 2, 0).reshape(columns, -1)
    return where, sizes


def _one_by_one(
    data: bytes, words: Places, starts: Places, ends: Places, row_count: int, leaps: Sequence[int], rest: int
) -> tuple[Places, Places]:
    """The same, Bind after Bind."""
    where: list[int] = []
    add = where.append
    size_at = Struct(">i").unpack_from
    steps = _steps(leaps, rest) * row_count
    try:
        for at, end in zip((starts + leaps[0]).tolist(), (ends + leaps[0]).tolist(), strict=True):
            for step in steps:
                add(at)
                (size,) = size_at(data, at)
                at += size + step if size > 0 else step
            if at != end:
                raise Doubt
    except OutOfBytes:
        raise Doubt from None
    places = np.array(where, np.int64)
    sizes = words[places].astype(np.int64)
    if int(sizes.min(initial=0)) < -1:
        raise Doubt
    columns = len(leaps)
    return places.reshape(-1, columns).T, sizes.reshape(-1, columns).T


__all__ = ["fields_of_binds"]
