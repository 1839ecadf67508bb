"""ORDER BY and LIMIT of a few rows that were found in another order: plain columns, whose order is that of their datums."""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter

from executor.abc import ExecutionError
from storage.abc import Row


def ordered(rows: list[Row], order: Sequence[tuple[int, bool, bool]]) -> list[Row]:
    """By the columns at these places (descending, nulls first), the first of which counts most."""
    for place, descending, nulls_first in reversed(order):  # sorts are stable: the last one counts most
        rows = _sorted(rows, place, descending, nulls_first)
    return rows


def limited(rows: list[Row], limit: int | None) -> list[Row]:
    """LIMIT of so many. Raises 2201W."""
    if limit is not None and limit < 0:
        raise ExecutionError("2201W", "LIMIT must not be negative")
    return rows[:limit]


def _sorted(rows: Sequence[Row], place: int, descending: bool, nulls_first: bool) -> list[Row]:
    known = [row for row in rows if row[place] is not None]
    nulls = [row for row in rows if row[place] is None]
    known.sort(key=itemgetter(place), reverse=descending)
    return nulls + known if nulls_first else known + nulls


__all__ = ["limited", "ordered"]
