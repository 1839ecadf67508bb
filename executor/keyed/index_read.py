"""SELECT by an index whose keys repeat: the rows of one key, or what they come to.

    image.index((customer,)).find(key)  -->  rows  -->  condition  -->  outputs  [-->  one row of aggregates]

Only columns that somebody asks for are read, where nothing is computed. Where there are many rows DuckDB is the
better engine; so `rows` says None, and the columnar plan answers.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import itemgetter
from typing import Any, Final

from executor.abc import ExecutionError
from executor.keyed.compile import Compiled, compile_condition, compile_expression, compile_key, compile_tuple
from executor.keyed.folds import FOLDS, folded
from executor.keyed.overlay import OverlayView
from executor.snapshot.abc import TableImage
from planner.abc import Col, KeyedRead, Points
from storage.abc import Row, Timestamp

ROWS_MAX: Final = 2_000
"""Rows of one key that are read one by one (a microsecond or two each) sooner than DuckDB has begun."""


class IndexRead:
    """A compiled KeyedRead with `index`."""

    __slots__ = (
        "_columns",
        "_condition",
        "_folds",
        "_key",
        "_limit",
        "_order",
        "_positions",
        "_project",
        "_project_whole",
    )

    def __init__(self, body: KeyedRead) -> None:
        assert isinstance(body.lookup, Points) and len(body.lookup.keys) == 1
        types = [body.table.columns[i].type for i in body.index]
        self._positions = body.index
        self._key = compile_key(body.lookup.keys[0], types)
        self._condition = compile_condition(body.condition)
        self._limit = compile_expression(body.limit) if body.limit is not None else None
        self._folds = tuple(FOLDS[name] for name in body.folds)
        plain = [x.index for x in body.outputs if isinstance(x, Col)]
        self._order = body.order
        whole = self._condition is None and len(plain) == len(body.outputs) and not body.order
        self._columns = tuple(plain) if whole else tuple(range(len(body.table.columns)))
        self._project_whole = compile_tuple(body.outputs)
        """Of a whole row."""
        self._project = None if whole else self._project_whole

    def rows(
        self, params: Sequence[Any], session: Any, image: TableImage, ts: Timestamp
    ) -> Sequence[Row] | None:
        """The result's rows; None: DuckDB is to find them. Raises TooOldForKeyed, NotHydrated."""
        key = self._key(params, session)
        found: list[Row] | None = []
        if key is not None:
            found = image.index(self._positions).find(key, ts, ROWS_MAX, self._columns)
        return None if found is None else self._made(found, params, session, self._project)

    def overlaid(
        self, params: Sequence[Any], session: Any, view: OverlayView, ts: Timestamp
    ) -> Sequence[Row] | None:
        """The same with a transaction's own rows, of which nothing was written in bulk."""
        key = self._key(params, session)
        found: list[Row] | None = []
        if key is not None:
            found = view.by_index(self._positions, key, ts, ROWS_MAX)
        return None if found is None else self._made(found, params, session, self._project_whole)

    def _made(
        self, found: list[Row], params: Sequence[Any], session: Any, project: Compiled | None
    ) -> Sequence[Row]:
        condition = self._condition
        if condition is not None:
            found = [row for row in found if condition(params, row, session)]
        found = ordered(found, self._order)
        if self._limit is not None:
            found = limited(found, self._limit(params, None, session))
        if project is not None:
            found = [project(params, row, session) for row in found]
        return folded(self._folds, found) if self._folds else found


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
