"""What a sample of a column says of it: the figures that PostgreSQL's ANALYZE keeps, by its rules, so that they are its own wherever the
sample is the table.

    values in the order of their rows, each with its rank      b 2, a 1, b 2, c 3
    common      those that come more than once, the most frequent first, as many as the target says     {b}  0.5
    bounds      of parts of equal size of all others, in their order                                    {a,c}
    distinct    how many there are; of a column that grows with the table, for each row of it           -0.75
    correlation of ranks with the order of the rows

Of a sample it is estimated how many values the table has (Haas and Stokes), and those are common alone of which the sample has surely more than
of others. Values of more than a kilobyte are counted as different from each other, and never kept.

Sources: PostgreSQL's `analyze.c` (compute_scalar_stats, analyze_mcv_list), `array_typanalyze.c`.
"""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

ROWS_FOR_TARGET: Final = 300
"""Rows of a sample for each value that is to be kept."""
WIDTH_MAX: Final = 1_024
_ELEMENTS_FOR_TARGET: Final = 10


@dataclass(frozen=True, slots=True)
class Found:
    """Of `ColumnStatistics` what comes from values; these are named by their places in the sample."""

    distinct: float
    common: tuple[int, ...] = ()
    frequencies: tuple[float, ...] = ()
    bounds: tuple[int, ...] = ()
    correlation: float | None = None


def scalar(
    ranks: Sequence[int], too_wide: int, null_frac: float, sampled: int, total: float, target: int
) -> Found:
    """Of a type whose values have an order. `ranks`: of the values that are not NULL nor too wide, equal ones alike, in the order of the
    rows; `sampled`: all rows of the sample; `total`: all of the table."""
    if not ranks:
        return Found(-single(1.0 - null_frac) if too_wide else 0.0)
    places = sorted(range(len(ranks)), key=ranks.__getitem__)  # equal ones as their rows are
    groups = Counter(ranks[place] for place in places)  # in order
    several = [(rank, count) for rank, count in groups.items() if count > 1]
    several.sort(key=lambda found: -found[1])
    tracked = several[:target]
    distinct = _distinct(len(groups), len(several), too_wide, null_frac, sampled, total)
    whole = len(tracked) == len(groups) and not too_wide and distinct > 0
    kept = len(tracked) if whole else _surely_common(tracked, distinct, null_frac, sampled, total)
    first: dict[int, int] = {}
    for place in places:
        first.setdefault(ranks[place], place)
    common = {rank for rank, _ in tracked[:kept]}
    rest = [place for place in places if ranks[place] not in common] if common else places
    return Found(
        distinct,
        tuple(first[rank] for rank, _ in tracked[:kept]),
        tuple(single(count / sampled) for _, count in tracked[:kept]),
        tuple(_bounds(rest, min(len(groups) - kept, target + 1))),
        _correlation(places) if len(places) > 1 else None,
    )


def _distinct(found: int, several: int, too_wide: int, null_frac: float, sampled: int, total: float) -> float:
    if not several:
        distinct = -(1.0 - null_frac)
    elif not too_wide and several == found:
        distinct = float(found)
    else:
        once = found - several + too_wide
        here = once + several
        n, all_rows = sampled * (1.0 - null_frac), total * (1.0 - null_frac)
        distinct = (n * here) / ((n - once) + once * n / all_rows) if all_rows > 0 else 0.0
        distinct = math.floor(min(max(distinct, here), all_rows) + 0.5)
    return single(-(distinct / total) if distinct > 0.1 * total else distinct)


def _surely_common(
    tracked: Sequence[tuple[int, int]], distinct: float, null_frac: float, sampled: int, total: float
) -> int:
    """How many of the most frequent values are surely more frequent than all others are on average."""
    kept = len(tracked)
    if sampled == total or total <= 1.0:
        return kept
    values = -distinct * total if distinct < 0 else distinct
    before = sum(count for _, count in tracked[:-1])
    while kept:
        count = tracked[kept - 1][1]
        others = min(max(1.0 - before / sampled - null_frac, 0.0), 1.0)
        if values - (kept - 1) > 1:
            others /= values - (kept - 1)
        expected = total * count / sampled
        variance = sampled * expected * (total - expected) * (total - sampled) / (total * total * (total - 1))
        if count > others * sampled + 2 * math.sqrt(max(variance, 0.0)) + 0.5:
            break
        kept -= 1
        before -= tracked[kept - 1][1] if kept else 0
    return kept


def _bounds(places: Sequence[int], count: int) -> list[int]:
    """So many of the places, evenly spread from the first to the last."""
    if count < 2:
        return []
    return [places[i * (len(places) - 1) // (count - 1)] for i in range(count)]


def _correlation(places: Sequence[int]) -> float:
    n = len(places)
    both = sum(rank * place for rank, place in enumerate(places))
    sums, squares = n * (n - 1) / 2.0, n * (n - 1) * (2 * n - 1) / 6.0
    return single((n * both - sums * sums) / (n * squares - sums * sums))


def common_elements(values: Sequence[Sequence[str | None]], target: int) -> list[tuple[str, float]]:
    """The elements that are in most of the arrays (or text vectors), counted once in each, with the share of these."""
    counted: Counter[str] = Counter()
    for value in values:
        counted.update({x for x in value if x is not None})
    kept = target * _ELEMENTS_FOR_TARGET
    least = 9 * sum(map(len, values)) // (kept * 1000 // 7)  # seen by chance, among so many
    found = [(element, count) for element, count in counted.most_common(kept) if count > least]
    return [(element, single(count / len(values))) for element, count in found]


def element_counts(arrays: Sequence[Sequence[str | None]], target: int) -> tuple[float, ...]:
    """How many different elements arrays have: the bounds of parts of them, and the average."""
    sizes = sorted(len({x for x in array if x is not None}) for array in arrays)
    bounds = _bounds(range(len(sizes)), max(target, 2))
    return (*(float(sizes[i]) for i in bounds), single(sum(sizes) / len(sizes)))


def single(x: float) -> float:
    """The nearest number of four bytes, as these are kept."""
    return float(struct.unpack("f", struct.pack("f", x))[0])


__all__ = ["ROWS_FOR_TARGET", "WIDTH_MAX", "Found", "common_elements", "element_counts", "scalar", "single"]
