"""What becomes of a few rows that were found by key: ORDER BY, DISTINCT, OFFSET and LIMIT, or one row of aggregates.

rows  -->  in order  -->  outputs  -->  once each  -->  some of them
rows  -->  outputs   -->  folds    -->  what is made of them           max(n) + 1
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import itemgetter
from typing import Any

from executor.abc import ExecutionError
from executor.keyed.comparison import order_of
from executor.keyed.compile import Compiled, NotCompilable, compile_expression, compile_tuple
from executor.keyed.folds import FOLDS, folded
from planner import types as t
from planner.abc import KeyedJoin, KeyedRead, TypeRef
from storage.abc import Row

_SortKey = tuple[int, bool, bool, Callable[[Any], Any]]
"""(place in the row, descending, nulls first, what Python orders as PostgreSQL orders the column)."""


class Ending:
    """The compiled end of a read by key."""

    __slots__ = ("_after", "_distinct", "_folds", "_limit", "_offset", "_order")

    def __init__(self, body: KeyedRead | KeyedJoin, types: Sequence[TypeRef]) -> None:
        """`types`: of the rows' columns. Raises NotCompilable."""
        self._order = [_sort_key(types, *key) for key in reversed(body.order)]
        self._distinct = body.distinct
        self._limit = compile_expression(body.limit) if body.limit is not None else None
        self._offset = compile_expression(body.offset) if body.offset is not None else None
        self._folds = tuple(FOLDS[name] for name in body.folds)
        self._after = compile_tuple(body.after) if body.after else None

    def rows(
        self, found: list[Row], project: Compiled | None, params: Sequence[Any], session: Any
    ) -> Sequence[Row]:
        """The result's rows. `project`: None if the rows are the outputs already."""
        for key in self._order:  # sorts are stable: the last one counts most
            found = _sorted(found, *key)
        if not self._distinct:
            found = self._some(found, params, session)
        if project is not None:
            found = [project(params, row, session) for row in found]
        if self._distinct:
            found = self._some(list(dict.fromkeys(found)), params, session)
        if not self._folds:
            return found
        (row,) = folded(self._folds, found)
        return (row,) if self._after is None else (self._after(params, row, session),)

    def _some(self, rows: list[Row], params: Sequence[Any], session: Any) -> list[Row]:
        start, stop = bounds(self._offset, self._limit, params, session)
        return rows if start == 0 and stop is None else rows[start:stop]


def bounds(
    offset: Compiled | None, limit: Compiled | None, params: Sequence[Any], session: Any
) -> tuple[int, int | None]:
    """Which rows OFFSET and LIMIT leave: from, to (None: all that follow). Raises 2201W, 2201X."""
    count = limit(params, None, session) if limit is not None else None
    if count is not None and count < 0:
        raise ExecutionError("2201W", "LIMIT must not be negative")
    skipped = offset(params, None, session) if offset is not None else None
    if skipped is not None and skipped < 0:
        raise ExecutionError("2201X", "OFFSET must not be negative")
    start = skipped or 0
    return start, None if count is None else start + count


def _sort_key(types: Sequence[TypeRef], place: int, descending: bool, nulls_first: bool) -> _SortKey:
    order = order_of(t.BY_OID[types[place].oid].typname)
    if order is None:
        raise NotCompilable(f"order of type {types[place].oid}")
    return place, descending, nulls_first, order


def _sorted(
    rows: Sequence[Row], place: int, descending: bool, nulls_first: bool, order: Callable[[Any], Any]
) -> list[Row]:
    known = [row for row in rows if row[place] is not None]
    nulls = [row for row in rows if row[place] is None]
    value = itemgetter(place)
    known.sort(key=lambda row: order(value(row)), reverse=descending)
    return nulls + known if nulls_first else known + nulls


__all__ = ["Ending", "bounds"]
