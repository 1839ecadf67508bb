"""Ranges of sorted keys, where a tuple that is shorter than the keys is a prefix of them."""

from __future__ import annotations

import bisect
from collections.abc import Sequence

from txn.abc import Key

Bounds = tuple[Key | None, Key | None, bool, bool]
"""(low, high, low_inclusive, high_inclusive); None is an open end."""


def between(
    keys: Sequence[Key], low: Key | None, high: Key | None, low_inclusive: bool, high_inclusive: bool
) -> Sequence[Key]:
    start, stop = span(keys, low, high, low_inclusive, high_inclusive)
    return keys[start:stop]


def span(
    keys: Sequence[Key], low: Key | None, high: Key | None, low_inclusive: bool, high_inclusive: bool
) -> tuple[int, int]:
    """Where a range of sorted keys begins and ends."""
    start, stop = 0, len(keys)
    if low is not None:
        start = _bound(keys, low, after=not low_inclusive)
    if high is not None:
        stop = _bound(keys, high, after=high_inclusive)
    return start, max(start, stop)


def _bound(keys: Sequence[Key], bound: Key, *, after: bool) -> int:
    """Bisection where a tuple shorter than the keys is a prefix of them."""
    if type(bound) is tuple and keys and len(bound) < len(keys[0]):
        width = len(bound)
        if after:
            return bisect.bisect_right(keys, bound, key=lambda k: k[:width])
        return bisect.bisect_left(keys, bound, key=lambda k: k[:width])
    return bisect.bisect_right(keys, bound) if after else bisect.bisect_left(keys, bound)
