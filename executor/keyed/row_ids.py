"""The row ids that bulk statements of a transaction have deleted: millions of them, asked about one by one or all at once.

    DELETE of a million rows    one sorted numpy array, 8 bytes a row; a Python set of them takes 70 and a tenth of a second
    4711 in gone                a binary search, two microseconds
    gone.among(array)           a mask, by merging; free when the ranges do not even overlap

The last is the usual case: rows that a transaction inserts have ids above all that it can have deleted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from storage.sorted_ids import sorted_distinct

Ids = np.ndarray[Any, np.dtype[np.int64]]


class RowIds:
    """An immutable set of row ids."""

    __slots__ = ("_ids",)

    def __init__(self, chunks: Sequence[Any] = (), more: Iterable[int] = ()) -> None:
        """`chunks`: Arrow or numpy arrays of row ids, in any order."""
        arrays = [as_numpy(c) for c in chunks]
        extra = np.fromiter(more, np.int64)
        if len(extra):
            arrays.append(extra)
        ids: Ids = (
            np.concatenate(arrays) if len(arrays) > 1 else arrays[0] if arrays else np.empty(0, np.int64)
        )
        self._ids = sorted_distinct(ids)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, rid: object) -> bool:
        ids = self._ids
        if not len(ids) or not isinstance(rid, int):
            return False
        at = int(ids.searchsorted(rid))
        return at < len(ids) and bool(ids[at] == rid)

    def overlaps(self, first: int, stop: int) -> bool:
        """Whether the set's range and that from `first` on, before `stop`, have anything in common."""
        own = self._ids
        return bool(len(own) and own[0] < stop and own[-1] >= first)

    def among(self, rids: Any) -> np.ndarray[Any, np.dtype[np.bool_]] | None:
        """Which of these row ids are in the set; None: not one of them is."""
        own = self._ids
        if not len(own):
            return None  # before anything is put together
        asked = as_numpy(rids)
        if not len(asked) or own[0] > asked.max() or own[-1] < asked.min():
            return None
        at = own.searchsorted(asked)
        at[at == len(own)] = 0
        found: np.ndarray[Any, np.dtype[np.bool_]] = own[at] == asked
        return found if found.any() else None

    def array(self) -> pa.Array:
        return pa.array(self._ids)


def as_numpy(rids: Any) -> Ids:
    """Row ids, however they came, as one array."""
    if isinstance(rids, np.ndarray):
        return rids
    if isinstance(rids, pa.ChunkedArray):
        return (
            np.concatenate([as_numpy(c) for c in rids.chunks]) if rids.num_chunks else np.empty(0, np.int64)
        )
    ids: Ids = np.asarray(rids.cast(pa.int64()) if rids.type != pa.int64() else rids, np.int64)
    return ids
