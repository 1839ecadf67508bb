"""SELECT by primary key, as one generated function.

    SELECT abalance FROM pgbench_accounts WHERE aid = $1

    def f(p, s, view, ts):
        h = view.get(p[0], ts)          the image, or a transaction's own view of it
        if h is None: return ()
        r = h[1]
        return ((r[2],),)

No transaction object, no task: a timestamp from the oracle, a look into the image, a tuple. Several
points and ranges take the general loop below it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import count, islice
from typing import Any

from executor.keyed.compile import (
    Compiled,
    _build,
    _key_part,
    _Writer,
    compile_condition,
    compile_expression,
    compile_tuple,
)
from executor.keyed.endings import Ending, bounds
from executor.keyed.footprint import read_by_key
from executor.keyed.in_vain import STEPS_MAX, InVain
from executor.keyed.lookup import (
    SMALL_RANGE_ROWS_MAX,
    Hit,
    KeyedView,
    LookupPlan,
)
from executor.snapshot.abc import TooFarToLook
from planner.abc import Col, KeyedRead, Lookup, Points, Table
from storage.abc import Row, Timestamp

SKIPPED_MIN = 200
"""An OFFSET of fewer rows is walked over."""


class ReadPlan:
    """A compiled KeyedRead. `run(params, session, view, ts)` gives the result's rows."""

    __slots__ = (
        "_ending", "_in_vain", "_offset", "at_once", "body", "columns", "condition", "footprint", "limit", "lookup", "point_columns",
        "project", "run",
    )  # fmt: skip

    def __init__(self, body: KeyedRead) -> None:
        self.body = body
        self.footprint = read_by_key(body)
        self.lookup = LookupPlan(body.table, body.lookup, body.unique)
        self.condition = compile_condition(body.condition)
        self.project: Compiled = compile_tuple(body.outputs)
        self.limit = compile_expression(body.limit) if body.limit is not None else None
        self._in_vain = InVain()
        self.columns: tuple[int, ...] | None = None
        """What is projected, if it is columns of a range and nothing else."""
        self._offset = compile_expression(body.offset) if body.offset is not None else None
        self._ending: Ending | None = None
        """What follows on rows that are not the result's, one for one, in its order."""
        if body.groups or body.order or body.distinct or (self._offset is not None and body.limit is None):
            self._ending = Ending(body)
        plain = [x.index for x in body.outputs if isinstance(x, Col)]
        whole = body.condition is None and body.limit is None and not body.descending and self._ending is None
        if self.lookup.range is not None and whole and len(plain) == len(body.outputs):
            self.columns = tuple(plain)
        self.run: Callable[[Sequence[Any], Any, KeyedView, Timestamp], Sequence[tuple[Any, ...]]]
        if self._ending is not None:
            self.run = self._ended
        elif self.lookup.single and body.limit is None and not body.unique:
            self.run = _single_point(body)
        elif self.lookup.single and body.limit is None:
            self.run = self._unique
        elif (
            self.lookup.points is not None
            and not body.unique
            and body.condition is None
            and body.limit is None
            and len(plain) == len(body.outputs)
        ):
            self.columns = tuple(plain)
            self.run = self._points
        else:
            self.run = self._general
        self.at_once = self.run
        """The same of a table image alone, which need not make the rest of a row."""
        self.point_columns: tuple[int, ...] | None = None
        """What is projected, if it is columns of the row under one primary key and nothing else."""
        if self.lookup.single and not body.unique and whole and len(plain) == len(body.outputs):
            self.point_columns = tuple(plain)
            self.at_once = _columns_of_point(body.table, body.lookup, self.point_columns)
        elif self.lookup.single and whole and len(plain) == len(body.outputs):
            self.columns = tuple(plain)
            self.at_once = self._columns_of_unique

    def short(
        self, params: Sequence[Any], session: Any, image: Any, ts: Timestamp
    ) -> Sequence[tuple[Any, ...]] | None:
        """The rows, if the keyed engine finds them faster than DuckDB: points, and short ranges. None: it does not.

        `image` is a table image: outside blocks only.
        """
        if self.lookup.range is not None:
            bounds = self.lookup.bounds(params, session)
            if bounds is None:
                folds = self._ending if self.body.groups else None
                return folds.rows([], None, params, session) if folds is not None else ()
            if self.columns is not None:
                found = image.short_scan(bounds, ts, self.columns, SMALL_RANGE_ROWS_MAX)
                if found is not None:
                    return found  # type: ignore[no-any-return]
            if image.count_at_most(*bounds) > SMALL_RANGE_ROWS_MAX:
                return None
        if self.lookup.is_listed and len(self.lookup.asked_keys(params, session)) > SMALL_RANGE_ROWS_MAX:
            return None
        return self.at_once(params, session, image, ts)

    def _unique(
        self, params: Sequence[Any], session: Any, view: KeyedView, ts: Timestamp
    ) -> Sequence[tuple[Any, ...]]:
        """One point of a UNIQUE constraint."""
        key = self.lookup.points[0](params, session)  # type: ignore[index]
        found = view.find_unique(self.lookup.unique, key, ts) if key is not None else None
        if found is None or (self.condition is not None and not self.condition(params, found[2], session)):
            return ()
        return (self.project(params, found[2], session),)

    def _columns_of_unique(
        self, params: Sequence[Any], session: Any, image: Any, ts: Timestamp
    ) -> Sequence[tuple[Any, ...]]:
        """The same of a table image, where nothing but columns is asked."""
        key = self.lookup.points[0](params, session)  # type: ignore[index]
        if key is None:
            return ()
        row = image.find_unique_columns(self.lookup.unique, key, ts, self.columns)
        return () if row is None else (row,)

    def _points(
        self, params: Sequence[Any], session: Any, view: KeyedView, ts: Timestamp
    ) -> Sequence[tuple[Any, ...]]:
        """Several points, of which nothing but columns is asked: from an image all at once."""
        many = getattr(view, "get_many", None)  # an overlay has none: it notes each key that was read
        if many is None:
            return self._general(params, session, view, ts)
        keys = self.lookup.asked_keys(params, session)
        keys.sort(reverse=self.body.descending)
        return many(keys, ts, self.columns)  # type: ignore[no-any-return]

    def _general(
        self, params: Sequence[Any], session: Any, view: KeyedView, ts: Timestamp
    ) -> Sequence[tuple[Any, ...]]:
        project = self.project
        if self.condition is None or self.limit is None or self.lookup.range is None:
            return [project(params, row, session) for _, _, row in self.rows(params, session, view, ts)]
        if self._in_vain.is_skipped():
            raise TooFarToLook
        try:
            found = [project(params, row, session) for _, _, row in self.rows(params, session, view, ts)]
        except TooFarToLook:
            self._in_vain.led_too_far()
            raise
        self._in_vain.led_to_an_end()
        return found

    def _ended(
        self, params: Sequence[Any], session: Any, view: KeyedView, ts: Timestamp
    ) -> Sequence[tuple[Any, ...]]:
        """Rows that were found in another order than they are asked for in, or more than are asked for, or are to be folded."""
        hits, condition = self.lookup.hits(params, session, view, ts, self.body.descending), self.condition
        found = [h[2] for h in hits if condition is None or condition(params, h[2], session)]
        assert self._ending is not None
        return self._ending.rows(found, self.project, params, session)

    def rows(self, params: Sequence[Any], session: Any, view: KeyedView, ts: Timestamp) -> Iterator[Hit]:
        """The hits that pass the condition, at most LIMIT of them. Raises TooFarToLook."""
        condition = self.condition
        hits = self.lookup.hits(
            params, session, view, ts, self.body.descending, at_once=self.limit is not None
        )
        if self.lookup.range is not None and self.limit is not None:
            hits = nearby(hits)
        if condition is not None:
            hits = (h for h in hits if condition(params, h[2], session))
        if self.limit is not None:
            start, stop = bounds(self._offset, self.limit, params, session)
            if start >= SKIPPED_MIN and stop is not None and condition is None:
                behind = self._behind(params, session, view, ts, start)
                if behind is not None:
                    return islice(behind, stop - start)
            first = getattr(view, "first", None)  # an overlay's: it notes how far the reader came
            if first is None or stop is None or self.lookup.range is None:
                return islice(hits, start, stop)
            span = self.lookup.bounds(params, session)
            if span is None:
                return iter(())
            passes = condition or _always
            descending, steps = self.body.descending, count(1)

            def wanted(row: Row) -> bool:
                if next(steps) > STEPS_MAX:
                    raise TooFarToLook
                return passes(params, row, session)

            return islice(first(span, ts, descending, stop, wanted), start, None)
        return hits

    def _behind(
        self, params: Sequence[Any], session: Any, view: Any, ts: Timestamp, skip: int
    ) -> Iterator[Hit] | None:
        """The rows of a range behind many that nobody has to look at; None: they are to be walked over. Of a table image alone."""
        scan = getattr(view, "scan_behind", None)
        if scan is None or self.lookup.range is None:
            return None
        span = self.lookup.bounds(params, session)
        hits = None if span is None else scan(span, ts, self.body.descending, skip)
        return None if hits is None else nearby(hits)


def nearby(hits: Iterator[Hit]) -> Iterator[Hit]:
    """Raises TooFarToLook after so many."""
    for steps, hit in enumerate(hits):
        if steps >= STEPS_MAX:
            raise TooFarToLook
        yield hit


def _always(*_: Any) -> bool:
    return True


def _columns_of_point(
    table: Table, lookup: Lookup, columns: tuple[int, ...]
) -> Callable[[Sequence[Any], Any, Any, Timestamp], Sequence[Row]]:
    """One point, of which nothing but columns is asked, of a table image: a wide row's others stay where they are."""
    assert isinstance(lookup, Points)
    types = [table.columns[i].type for i in table.key_indexes]
    writer = _Writer()
    parts = [writer.write(_key_part(e, c)) for e, c in zip(lookup.keys[0], types, strict=True)]
    checks = " or ".join(f"(k{i} := {x}) is None" for i, x in enumerate(parts))
    key = "k0" if len(parts) == 1 else f"({', '.join(f'k{i}' for i in range(len(parts)))})"
    found = f"(r := image.get_columns({key}, ts, {columns!r})) is None"
    return _build(writer, f"() if {checks} or {found} else (r,)", "p, s, image, ts")  # type: ignore[no-any-return]


def _single_point(body: KeyedRead) -> Callable[[Sequence[Any], Any, KeyedView, Timestamp], Sequence[Row]]:
    """The whole statement as one function."""
    assert isinstance(body.lookup, Points)
    types = [body.table.columns[i].type for i in body.table.key_indexes]
    writer = _Writer()
    parts = [writer.write(_key_part(e, c)) for e, c in zip(body.lookup.keys[0], types, strict=True)]
    outputs = [writer.write(e) for e in body.outputs]
    row = f"({', '.join(outputs)}{',' if len(outputs) == 1 else ''})"
    checks = " or ".join(f"(k{i} := {x}) is None" for i, x in enumerate(parts))
    key = "k0" if len(parts) == 1 else f"({', '.join(f'k{i}' for i in range(len(parts)))})"
    found = f"(({row},) if (r := h[1]) is not None else ())"
    if body.condition is not None:
        found = f"(({row},) if (r := h[1]) is not None and {writer.truth(body.condition)} else ())"
    text = f"() if {checks} or (h := view.get({key}, ts)) is None else {found}"
    return _build(writer, text, "p, s, view, ts")  # type: ignore[no-any-return]
