"""Sets of row ids as sorted arrays.

`numpy.unique` makes the same of them, by way of a hash table, and keeps the interpreter's lock while it does: for a
second where there are some millions. Sorting lets it go.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Ids = np.ndarray[Any, np.dtype[np.int64]]


def ascending(ids: Ids) -> bool:
    """Whether they are sorted and distinct."""
    return len(ids) < 2 or bool((ids[1:] > ids[:-1]).all())


def sorted_distinct(ids: Ids) -> Ids:
    """Each of them once, in order."""
    if ascending(ids):
        return ids
    ids = np.sort(ids)
    again = np.flatnonzero(ids[1:] == ids[:-1])
    return np.delete(ids, again) if len(again) else ids


def first_places(ids: Ids) -> np.ndarray[Any, np.dtype[np.intp]]:
    """Of each distinct one, in order, where it is first."""
    order = np.argsort(ids, kind="stable")
    there = ids[order]
    again = np.flatnonzero(there[1:] == there[:-1]) + 1
    return np.delete(order, again) if len(again) else order


__all__ = ["Ids", "ascending", "first_places", "sorted_distinct"]
