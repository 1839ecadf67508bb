"""What a sample says of several columns together: the figures that CREATE STATISTICS asks for, by PostgreSQL's rules, as it writes them.

    (1, a) (1, a) (2, b) (3, b)        rows of ranks, NULL being a value like others
    distinct       {"1, 2": 3}         how many combinations there are, of each choice of two columns or more
    dependencies   {"1 => 2": 1.0}     of which part of the rows one column follows from others

Sources: PostgreSQL's `mvdistinct.c`, `dependencies.c`.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import combinations

Ranks = Sequence[int]
"""One column's values, by row."""


def distinct(columns: Sequence[Ranks], numbers: Sequence[int], total: float) -> str:
    """`numbers`: those of the columns; below zero of expressions. `total`: all rows of the table."""
    found = []
    for size in range(2, len(columns) + 1):
        for chosen in combinations(range(len(columns)), size):
            groups = Counter(zip(*(columns[i] for i in chosen), strict=True))
            sampled, here = len(columns[0]), len(groups)
            once = sum(count == 1 for count in groups.values())
            estimate = sampled * here / ((sampled - once) + once * sampled / total)
            values = math.floor(min(max(estimate, here), total) + 0.5)
            found.append(f'"{", ".join(str(numbers[i]) for i in chosen)}": {values}')
    return "{" + ", ".join(found) + "}"


def dependencies(columns: Sequence[Ranks], numbers: Sequence[int]) -> str:
    """ "" where there are none."""
    found = []
    for size in range(1, len(columns)):
        for chosen in combinations(range(len(columns)), size):
            for last in (i for i in range(len(columns)) if i not in chosen):
                degree = _degree([columns[i] for i in chosen], columns[last])
                if degree:
                    said = ", ".join(str(numbers[i]) for i in chosen)
                    found.append(f'"{said} => {numbers[last]}": {degree:f}')
    return "{" + ", ".join(found) + "}" if found else ""


def _degree(given: Sequence[Ranks], last: Ranks) -> float:
    """The part of the rows in whose groups by `given` there is one value of `last`."""
    groups: dict[tuple[int, ...], tuple[int, int]] = {}
    mixed = set()
    for *key_parts, value in zip(*given, last, strict=True):
        key = tuple(key_parts)
        first, count = groups.get(key, (value, 0))
        if first != value:
            mixed.add(key)
        groups[key] = first, count + 1
    return sum(count for key, (_, count) in groups.items() if key not in mixed) / len(last)


__all__ = ["dependencies", "distinct"]
