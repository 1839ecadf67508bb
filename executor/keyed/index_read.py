"""SELECT by an index whose keys repeat: the rows of one key, or what they come to.

    image.index((customer,)).find(key)  -->  rows  -->  condition  -->  outputs  [-->  one row of aggregates]

Only columns that somebody asks for are read, where nothing is computed. Where there are many rows DuckDB is the
better engine; so `rows` says None, and the columnar plan answers. Unless the first of them in the order of an index are
all that is asked for (`index_walk`): then that is tried next, or nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Final

from executor.keyed.compile import Compiled, compile_condition, compile_tuple
from executor.keyed.endings import Ending
from executor.keyed.index_walk import IndexWalk, along_image, along_view, behind_in_image
from executor.keyed.lookup import LookupPlan, compile_range, rows_within
from executor.keyed.overlay import OverlayView
from executor.snapshot.abc import TableImage
from planner.abc import Col, KeyedRead, Points, Range
from planner.keyed_plans import OtherRange
from storage.abc import Row, Timestamp
from txn.abc import Key

ROWS_MAX: Final = 2_000
"""Rows of one key, or of a range of keys, that are read one by one (a microsecond or two each) sooner than DuckDB has begun."""
KEYS_MAX: Final = 500
"""Keys of one statement: each is a search in every run."""


class IndexRead:
    """A compiled KeyedRead with `index`."""

    __slots__ = (
        "_columns",
        "_condition",
        "_ending",
        "_lookup",
        "_other",
        "_positions",
        "_project",
        "_project_whole",
        "_range",
        "_walk",
    )

    asks_by_value: ClassVar[bool] = True
    """Whether all that it reads is what it asks indexes of columns, and the key, for (`executor.keyed.noted_image`)."""

    def __init__(self, body: KeyedRead) -> None:
        self._positions = body.index
        self._lookup: LookupPlan | None = None
        if isinstance(body.lookup, Points):
            self._lookup = LookupPlan(body.table, body.lookup, index=body.index)
        self._range = None
        """Of the index's keys; of a walk along the same index it is the walk's."""
        if isinstance(body.lookup, Range) and (body.walk is None or body.walk.index != body.index):
            self._range = compile_range(body.lookup, body.table, body.index)
        self._other = _Other(body, body.other) if body.other is not None else None
        self._walk = (
            IndexWalk(body.table, body.walk, body.limit, body.offset) if body.walk is not None else None
        )
        self._condition = compile_condition(body.condition)
        self._ending = Ending(body)
        plain = [x.index for x in body.outputs if isinstance(x, Col)]
        whole = self._condition is None and len(plain) == len(body.outputs)
        whole = whole and (body.groups is not None or not body.order)
        self._columns = tuple(plain) if whole else tuple(range(len(body.table.columns)))
        self._project_whole = compile_tuple(body.outputs)
        """Of a whole row."""
        self._project = None if whole else self._project_whole

    def rows(
        self, params: Sequence[Any], session: Any, image: TableImage, ts: Timestamp
    ) -> Sequence[Row] | None:
        """The result's rows; None: DuckDB is to find them. Raises TooOldForKeyed, NotHydrated."""
        lookup, walk = self._lookup, self._walk
        found: list[Row] | None = None
        if walk is not None and walk.is_first:
            met = walk.rows(params, session, *along_image(walk, image, ts))
            if met is not None:
                return self._ending.rows(met, self._project_whole, params, session)
            walk = None
        if lookup is not None:
            index, columns = image.index(self._positions), self._columns
            if walk is None or lookup.single or not self._are_many(lookup, params, session, index, ts):
                found = _found(lookup, params, session, lambda key, most: index.find(key, ts, most, columns))
            if found is not None:
                return self._made(found, params, session, self._project)
            if self._other is not None:
                found = self._other.rows(params, session, image, ts)
        elif self._range is not None:
            bounds = self._range(params, session)
            index, columns = image.index(self._positions), self._columns
            found = [] if bounds is None else index.between(bounds, ts, ROWS_MAX, columns)
            if found is not None:
                return self._made(found, params, session, self._project)
        if found is not None:
            return self._ending.rows(found, self._project_whole, params, session)
        if walk is None:
            return None
        met = walk.rows(
            params, session, *along_image(walk, image, ts), behind=behind_in_image(walk, image, ts)
        )
        if met is None:
            return None
        return self._ending.rows(met, self._project_whole, params, session, walk.left_out)

    @staticmethod
    def _are_many(lookup: LookupPlan, params: Sequence[Any], session: Any, index: Any, ts: Timestamp) -> bool:
        """Whether the keys have more rows together than are read: a walk need not wait for those of the first ones."""
        keys = lookup.asked_keys(params, session)
        return len(keys) <= KEYS_MAX and index.may_be_more(keys, ts, ROWS_MAX)

    def overlaid(
        self, params: Sequence[Any], session: Any, view: OverlayView, ts: Timestamp
    ) -> Sequence[Row] | None:
        """The same with a transaction's own rows, of which nothing was written in bulk."""
        lookup, walk, positions = self._lookup, self._walk, self._positions
        found: list[Row] | None = None
        if walk is not None and walk.is_first:
            met = walk.rows(params, session, *along_view(walk, view, ts))
            if met is not None:
                return self._ending.rows(met, self._project_whole, params, session)
            walk = None
        if lookup is not None:
            found = _found(lookup, params, session, lambda key, most: view.by_index(positions, key, ts, most))
            if found is not None:
                return self._made(found, params, session, self._project_whole)
            if self._other is not None:
                found = self._other.overlaid(params, session, view, ts)
        elif self._range is not None:
            bounds = self._range(params, session)
            found = [] if bounds is None else view.between(positions, bounds, ts, ROWS_MAX)
            if found is not None:
                return self._made(found, params, session, self._project_whole)
        if found is not None:
            return self._ending.rows(found, self._project_whole, params, session)
        if walk is None:
            return None
        met = walk.rows(params, session, *along_view(walk, view, ts))
        return None if met is None else self._ending.rows(met, self._project_whole, params, session)

    def _made(
        self, found: list[Row], params: Sequence[Any], session: Any, project: Compiled | None
    ) -> Sequence[Row]:
        condition = self._condition
        if condition is not None:
            found = [row for row in found if condition(params, row, session)]
        return self._ending.rows(found, project, params, session)


class _Other:
    """The rows of another index's range that pass all else that is asked; None: there are many of them, too."""

    __slots__ = ("_columns", "_condition", "_positions", "_range")

    def __init__(self, body: KeyedRead, other: OtherRange) -> None:
        self._positions, self._columns = other.index, tuple(range(len(body.table.columns)))
        self._range = compile_range(other.within, body.table, other.index)
        self._condition = compile_condition(other.condition)

    def rows(self, params: Sequence[Any], session: Any, image: TableImage, ts: Timestamp) -> list[Row] | None:
        bounds = self._range(params, session)
        if bounds is None:
            return []
        found = image.index(self._positions).between(bounds, ts, ROWS_MAX, self._columns)
        return self._passed(found, params, session)

    def overlaid(
        self, params: Sequence[Any], session: Any, view: OverlayView, ts: Timestamp
    ) -> list[Row] | None:
        bounds = self._range(params, session)
        if bounds is None:
            return []
        return self._passed(view.between(self._positions, bounds, ts, ROWS_MAX), params, session)

    def _passed(self, found: list[Row] | None, params: Sequence[Any], session: Any) -> list[Row] | None:
        condition = self._condition
        if found is None or condition is None:
            return found
        return [row for row in found if condition(params, row, session)]


def _found(
    lookup: LookupPlan, params: Sequence[Any], session: Any, find: Callable[[Key, int], list[Row] | None]
) -> list[Row] | None:
    """`find`: the rows of a key, if they are not more than so many."""
    keys = lookup.asked_keys(params, session)
    if len(keys) > KEYS_MAX:
        return None
    return rows_within(keys, ROWS_MAX, find)
