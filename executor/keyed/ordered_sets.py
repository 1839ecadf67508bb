"""What percentiles and the most frequent value come to, of a few values (`planner.binding.keyed.ordered_sets`).

    in order cont 0 701 0.5      ascending, float8: between the two values next to the middle
    in order disc 1 23 0.9       descending, int4: the first value at or behind nine tenths
    in order mode 0 25           the value that is there most often, of several the first one

Nulls are passed by; of nothing all are null.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from math import ceil, floor
from typing import Any

from executor.keyed.comparison import order_of
from planner import types as t


def ordered_set(said: str) -> Callable[[Sequence[Any]], Any]:
    """The fold that one of `Groups.folds` names, behind `in order`."""
    kind, descending, oid, *written = said.split(" ")
    order = order_of(t.BY_OID[int(oid)].typname)
    assert order is not None, f"no order of {oid}"
    places = [float(place) for place in written]
    several, one = kind.endswith("s"), _between if kind.startswith("cont") else _at
    array = t.FLOAT8_ARRAY if kind == "conts" else t.array_of(int(oid)) if several else 0

    def fold(values: Sequence[Any]) -> Any:
        known = sorted([v for v in values if v is not None], key=order, reverse=descending == "1")
        if not known:
            return None
        if kind == "mode":
            return _most_frequent(known, order)
        if several:
            return t.array_datum([one(known, place) for place in places], array)
        return one(known, places[0])

    return fold


def _most_frequent(known: list[Any], order: Callable[[Any], Any]) -> Any:
    runs = (list(run) for _, run in groupby(known, key=order))
    return max(runs, key=len)[0]


def _at(known: list[Any], place: float) -> Any:
    """The first value that so many are at or before."""
    return known[max(ceil(place * len(known)), 1) - 1]


def _between(known: list[float], place: float) -> float:
    """What is at a place between values, as if they were joined by lines."""
    exact = place * (len(known) - 1)
    low, high = known[floor(exact)], known[ceil(exact)]
    return low if floor(exact) == ceil(exact) else low + (exact - floor(exact)) * (high - low)


__all__ = ["ordered_set"]
