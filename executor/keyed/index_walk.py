"""The first rows in the order of an index: walked until there are enough that pass, whatever the table holds behind them.

    image.index((status, created_at)).walk(from, to)  -->  condition  -->  LIMIT + OFFSET rows, and all that are like the last

ORDER BY may name more than the index has. So rows that are alike in the index are met together, and who sorts them
(`executor.keyed.endings`) has all that could be among the first. Rows without a value, which no index has, come from beside it: from an
index of them by the columns that are pinned. Where nothing else is asked of the order they are all alike, so the first of them will do.

Of a column that has one of several values (`author = ANY ($1)`) the rows of each are walked along side by side.

Where the order turns (`ORDER BY priority DESC, run_at`) rows of one priority are walked along the other way, and then those of the next.

A walk that leads too far is DuckDB's (`executor.keyed.in_vain`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import chain
from operator import itemgetter
from typing import Any, Final

from executor.keyed.compile import compile_condition, compile_expression, compile_key
from executor.keyed.endings import bounds
from executor.keyed.in_vain import STEPS_MAX, InVain
from executor.keyed.lookup import Bounds, KeyedView, LookupPlan, compile_range
from executor.keyed.overlay import OverlayView
from executor.keyed.read import SKIPPED_MIN
from executor.snapshot.abc import TooFarToLook
from executor.snapshot.runs import NO_COLUMNS
from planner.abc import Expr, KeyedWalk, Table
from planner.binding.keyed.ordered_forms import column_of
from planner.keyed_plans import key_types, like
from storage.abc import Row, Timestamp
from txn.abc import Key

_NOTHING: Final[Sequence[Row]] = ((),)
"""What keys are made of besides parameters: one row of nothing."""
AMONG_MAX: Final = 200
"""Values of a column whose rows are walked along side by side: each begins with a search in every run."""

Hits = Iterator[tuple[Key, Key, Row | None]]
Walk = Callable[[tuple[int, ...], Bounds, bool], Hits | None]
"""(columns, bounds, descending) -> the rows of an index in its order."""
Find = Callable[[tuple[int, ...], Key, int], list[Row] | None]
"""(columns, key, at most) -> the rows of a key of an index."""

Behind = Callable[[tuple[int, ...], Bounds, bool, int, bool], tuple[Hits, int] | None]
"""(columns, bounds, descending, how many, whole) -> the rows of an index behind so many, and how many are left out."""

Then = Callable[[Row], Sequence[Row]]
"""What becomes of a row that is met: itself, or rows with others' beside it."""

Only = tuple[Callable[[Key], bool], Callable[[Row], Key]]
"""(whether a row counts, by its primary key; what that is)."""


def _any_key(_key: Key) -> bool:
    return True


def _itself(row: Row) -> Sequence[Row]:
    return (row,)


class IndexWalk:
    """A compiled KeyedWalk."""

    __slots__ = (
        "_among",
        "_bounds",
        "_condition",
        "_far",
        "_in_vain",
        "_limit",
        "_nulls_alike",
        "_offset",
        "_pinned",
        "_prefix",
        "_walk",
        "columns",
        "index",
        "left_out",
        "without",
    )

    def __init__(self, table: Table, walk: KeyedWalk, limit: Expr | None, offset: Expr | None) -> None:
        self._walk = walk
        self.index = walk.index
        self.columns = tuple(range(len(table.columns)))
        pinned = walk.within.prefix if walk.index else ()
        self.without: tuple[int, ...] = ()
        """The index of rows whose first column of the order is null."""
        if walk.index:
            ordered = column_of(walk.index, len(pinned))
            self.without = like(walk.index, (*walk.index[: len(pinned)], ~ordered))
        self._nulls_alike = walk.whole and len(walk.index) == len(pinned) + 1
        """Nothing tells rows apart that have no value in the column of the order."""
        self._bounds = compile_range(walk.within, table, walk.index or None)
        types = key_types(table, walk.index)[: len(pinned)]
        self._prefix = compile_key(pinned, types, "p, s, r") if pinned else None
        self._pinned = len(pinned)
        self._among: LookupPlan | None = None
        if walk.among is not None:
            self._among = LookupPlan(table, walk.among[1], index=(walk.among[0],))
        self._condition = compile_condition(walk.condition)
        self._limit = compile_expression(limit) if limit is not None else None
        self._offset = compile_expression(offset) if offset is not None else None
        self._in_vain, self._far = InVain(), 0
        self.left_out = 0
        """How many of the first rows are not among those that `rows` has found last: nobody had to look at them."""

    @property
    def is_first(self) -> bool:
        """Whether it meets fewer rows than the keys lead to that it walks along side by side."""
        return self._among is not None

    def rows(
        self,
        params: Sequence[Any],
        session: Any,
        walk: Walk,
        find: Find,
        more: int = 0,
        only: Only | None = None,
        then: Then = _itself,
        behind: Behind | None = None,
    ) -> list[Row] | None:
        """Rows of which those that are asked for are the first in the order asked for; None: DuckDB is to find them.

        `more`: so many more than LIMIT says. `only`: which rows count. `then`: what they are to be joined with.
        """
        self.left_out = 0
        if behind is not None and self._offset is not None and self._condition is None:
            found = self._behind(params, session, behind, walk, find)
            if found is not None:
                return found
        if self._in_vain.left and self._wanted(params, session) >= self._far and self._in_vain.is_skipped():
            return None
        try:
            found = self._found(params, session, walk, find, more, only, then)
        except TooFarToLook:  # what the rows met were joined with was too much
            self._led_too_far(params, session)
            raise
        if found is not None:
            self._in_vain.led_to_an_end()
        return found

    def _wanted(self, params: Sequence[Any], session: Any) -> int:
        """How many rows there have to be."""
        return bounds(self._offset, self._limit, params, session)[1] or 0

    def _led_too_far(self, params: Sequence[Any], session: Any) -> None:
        """The next executions that ask for as many rows do not begin a walk."""
        self._far = self._wanted(params, session)
        self._in_vain.led_too_far()

    def _behind(
        self, params: Sequence[Any], session: Any, behind: Behind, walk: Walk, find: Find
    ) -> list[Row] | None:
        """The rows behind many, where nothing is asked of these. Leaves out some of them."""
        x = self._walk
        start, enough = bounds(self._offset, self._limit, params, session)
        if start < SKIPPED_MIN or enough is None or enough - start > STEPS_MAX or x.turn or self._among:
            return None
        within = self._bounds(params, session)
        if within is None:
            return None
        first: Iterable[tuple[Key, Key, Row | None]] = ()
        left_out = 0
        if x.nulls == "first" and self._nulls_alike:
            beside = behind(self.without, self._pinned_span(params, session, ()), False, start, True)
            if beside is None:
                return None
            first, left_out = beside
        elif x.nulls == "first":
            rows = self._nulls(params, session, find, None)
            if rows is None or len(rows) > start:
                return None
            left_out = len(rows)
        if left_out < start:
            met = behind(x.index, within, x.descending, start - left_out, x.whole)
            if met is None:
                return None
            hits: Iterable[tuple[Key, Key, Row | None]] = met[0]
            left_out += met[1]
        else:
            along = walk(x.index, within, x.descending)
            if along is None:
                return None
            hits = chain(first, along)
        if x.nulls == "last" and self._nulls_alike:
            beside_it = walk(self.without, self._pinned_span(params, session, ()), False)
            if beside_it is None:
                return None
            hits = chain(hits, beside_it)
        enough -= left_out
        found: list[Row] = []
        last = _NONE_YET
        for steps, (key, _, row) in enumerate(hits):
            if len(found) >= enough and (x.whole or key != last):
                break
            if steps >= STEPS_MAX:
                return None
            if row is not None:
                found.append(row)
                last = key
        if x.nulls == "last" and not self._nulls_alike and len(found) < enough:
            rows = self._nulls(params, session, find, None)
            if rows is None:
                return None
            found += rows
        self.left_out = left_out
        return found

    def _found(
        self,
        params: Sequence[Any],
        session: Any,
        walk: Walk,
        find: Find,
        more: int,
        only: Only | None,
        then: Then,
    ) -> list[Row] | None:
        given: Sequence[Row] = _NOTHING
        if self._among is not None:
            given = [(key,) for key in self._among.asked_keys(params, session)]
            if len(given) > AMONG_MAX:
                return None
        spans = [span for row in given if (span := self._bounds(params, session, row)) is not None]
        if not spans:
            return []
        enough = 1 if self._walk.one else bounds(self._offset, self._limit, params, session)[1]
        if enough is None or enough + more > STEPS_MAX:
            return None
        enough += more
        found: list[Row] = []
        nulls = self._walk.nulls
        if nulls == "first" and not self._nulls_alike:
            beside = self._nulls(params, session, find, only, given)
            if beside is None:
                return None
            found += [made for row in beside for made in then(row)]
        if len(found) >= enough:
            return found
        condition, whole, last = self._condition, self._walk.whole, _NONE_YET
        free = _any_key if only is None else only[0]
        steps = 0
        for hits in self._in_turn(params, session, walk, spans, given):
            if hits is None:
                return None
            for key, own, row in hits:
                if len(found) >= enough and (whole or key != last):
                    return found
                if steps >= STEPS_MAX:
                    self._led_too_far(params, session)
                    return None
                steps += 1
                if row is not None and (condition is None or condition(params, row, session)) and free(own):
                    found += then(row)
                    if whole and len(found) >= enough:
                        return found  # the next row is not looked at, nor read
                    last = key
        if nulls == "last" and not self._nulls_alike and len(found) < enough:
            beside = self._nulls(params, session, find, only, given)
            return None if beside is None else found + [made for row in beside for made in then(row)]
        return found

    def _in_turn(
        self, params: Sequence[Any], session: Any, walk: Walk, spans: Sequence[Bounds], given: Sequence[Row]
    ) -> Iterator[Hits | None]:
        """The rows of the index, and before or behind them those without a value where these are alike. None: see `Walk`."""
        beside = self._walk.nulls if self._nulls_alike else "nowhere"
        if beside == "first":
            yield from (walk(self.without, self._pinned_span(params, session, row), False) for row in given)
        hits = self._side_by_side(spans, walk) if self._among else self._along(spans[0], walk)
        yield hits if hits is None or not self._walk.turn else self._turned(spans[0], walk, hits)
        if beside == "last":
            yield from (walk(self.without, self._pinned_span(params, session, row), False) for row in given)

    def _along(self, within: Bounds, walk: Walk) -> Hits | None:
        return walk(self.index, within, self._walk.descending)

    def _pinned_span(self, params: Sequence[Any], session: Any, row: Row) -> Bounds:
        """Where the rows are in the index of those without a value."""
        key = NO_COLUMNS if self._prefix is None else self._prefix(params, session, row)
        return key, key, True, True

    def _side_by_side(self, spans: Sequence[Bounds], walk: Walk) -> Hits | None:
        """The rows of all spans in one order, under keys of the columns that have it."""
        pinned, descending = self._pinned, self._walk.descending
        sources: list[Hits] = []
        for span in spans:
            hits = self._along(span, walk)
            if hits is None:
                return None
            sources.append(((key[pinned:], own, row) for key, own, row in hits))
        return merge(*sources, key=itemgetter(0), reverse=descending)

    def _turned(self, within: Bounds, walk: Walk, hits: Hits) -> Hits:
        """The same where the last columns of the order go the other way: one group of the first ones after the other.

        Bounds are of the first column of the order at most, so a group is within them or is not.
        """
        descending, width = self._walk.descending, len(self._walk.within.prefix) + self._walk.turn
        low, high, low_inclusive, high_inclusive = within
        while True:
            first = next(hits, None)
            del hits  # who walks lets go of the index
            if first is None:
                return
            group = first[0][:width]
            yield from _again(walk(self.index, (group, group, True, True), not descending))
            if descending:
                high, high_inclusive = group, False
            else:
                low, low_inclusive = group, False
            hits = _again(walk(self.index, (low, high, low_inclusive, high_inclusive), descending))

    def _nulls(
        self,
        params: Sequence[Any],
        session: Any,
        find: Find,
        only: Only | None,
        given: Sequence[Row] = _NOTHING,
    ) -> list[Row] | None:
        """`given`: the values of which keys are made besides parameters, in turn."""
        rows: list[Row] | None = []
        for row in given:
            key = NO_COLUMNS if self._prefix is None else self._prefix(params, session, row)
            more = None if rows is None else find(self.without, key, STEPS_MAX - len(rows))
            rows = None if more is None else more if not rows else rows + more
        condition = self._condition
        if rows is not None and condition is not None:
            rows = [row for row in rows if condition(params, row, session)]
        if rows is not None and only is not None:
            free, key_of = only
            rows = [row for row in rows if free(key_of(row))]
        return rows


def behind_in_image(walk: IndexWalk, image: Any, ts: Timestamp) -> Behind | None:
    """The way to rows behind many, of what was committed."""
    if not walk.index:
        return None
    return lambda index, bounds, descending, skip, whole: image.index(index).walk_behind(
        bounds, ts, descending, skip, whole
    )


def along_view(walk: IndexWalk, view: Any, ts: Timestamp) -> tuple[Walk, Find]:
    """The ways to rows that a transaction sees: in the order of `walk`, and by a key of an index."""

    def along(index: tuple[int, ...], bounds: Bounds, descending: bool) -> Hits | None:
        if not index:
            return _by_key(view, bounds, ts, descending)
        met: Hits | None = view.walk(index, bounds, ts, descending, STEPS_MAX)
        return met

    return along, lambda positions, key, most: view.by_index(positions, key, ts, most)


def along_image(walk: IndexWalk, image: Any, ts: Timestamp) -> tuple[Walk, Find]:
    """The same of what was committed."""

    def along(index: tuple[int, ...], bounds: Bounds, descending: bool) -> Hits | None:
        if not index:
            return _by_key(image, bounds, ts, descending)
        met: Hits | None = image.index(index).walk(bounds, ts, descending)
        return met

    return along, lambda positions, key, most: image.index(positions).find(key, ts, most, walk.columns)


def _by_key(view: KeyedView, bounds: Bounds, ts: Timestamp, descending: bool) -> Hits:
    if isinstance(view, OverlayView):
        return ((key, key, row) for key, _, row in view.along_keys(bounds, ts, descending))
    low, high, low_inclusive, high_inclusive = bounds
    hits = view.scan(
        low,
        high,
        ts,
        low_inclusive=low_inclusive,
        high_inclusive=high_inclusive,
        descending=descending,
        at_once=True,
    )
    return ((key, key, row) for key, _, row in hits)


def _again(hits: Hits | None) -> Hits:
    """A further walk along an index that has been walked along in this turn of the loop."""
    assert hits is not None
    return hits


_NONE_YET: Any = object()
