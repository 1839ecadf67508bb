"""Joins by keys: rows found one after another, each by a key that the ones before it make up.

    SELECT c.name, o.total FROM orders o JOIN customers c ON c.id = o.customer WHERE o.id = $1

    [()]  --orders: points-->  [(order)]  --customers: points-->  [(order, customer)]  -->  outputs

The joined row is the tables' columns side by side, in the order of the look-ups (`planner.binding.keyed_joins`). A few rows
are joined in some microseconds each, where DuckDB needs milliseconds before the first. Once they are more than a few
(`ROWS_MAX`) the answer is None, and the columnar plan has its turn: nothing has been computed yet that could not be twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import Any, Final

from executor.keyed.compile import compile_condition, compile_key, compile_tuple
from executor.keyed.endings import Ending
from executor.keyed.footprint import columns_at, columns_named
from executor.keyed.overlay import OverlayView
from executor.keyed.read import KeyedView, LookupPlan, compile_range, key_positions
from planner.abc import Expr, JoinStep, KeyedJoin, Points, Table
from storage.abc import Row, Timestamp
from txn.columns import THE_ROW, Columns

ROWS_MAX: Final = 1_000
"""Rows of a step that are looked up one by one sooner than DuckDB has begun."""

_Hits = Sequence[Row] | None
"""None: too many to be looked at here."""


class JoinPlan:
    """A compiled KeyedJoin."""

    __slots__ = ("_ending", "_project", "_steps", "by_index", "footprints", "tables")

    def __init__(self, body: KeyedJoin) -> None:
        """Raises NotCompilable."""
        self._steps = [_Step(step, first=i == 0) for i, step in enumerate(body.steps)]
        self._project = compile_tuple(body.outputs)
        self._ending = Ending(body, [c.type for step in body.steps for c in step.table.columns])
        self.tables: tuple[Table, ...] = tuple(step.table for step in body.steps)
        self.footprints: tuple[Columns, ...] = tuple(_footprints(body))
        """What the join depends on of each table's rows."""
        self.by_index: tuple[bool, ...] = tuple(bool(step.index) for step in body.steps)
        """Whose rows are found by an index: what it was asked for no view notes."""

    def short(self, params: Sequence[Any], session: Any, images: Any, ts: Timestamp) -> Sequence[Row] | None:
        """The result's rows; None: DuckDB is to find them. Raises TooOldForKeyed, NotHydrated."""
        return self.run(params, session, images, images, ts)

    def run(
        self,
        params: Sequence[Any],
        session: Any,
        views: Sequence[KeyedView],
        images: Sequence[Any],
        ts: Timestamp,
    ) -> Sequence[Row] | None:
        """The same where a transaction's own writes lie over the images. `views`, `images`: of each step's table."""
        found: list[Row] = [()]
        for step, view, image in zip(self._steps, views, images, strict=True):
            joined = step.joined(found, params, session, view, image, ts)
            if joined is None:
                return None
            found = joined
        return self._ending.rows(found, self._project, params, session)


class _Step:
    """One table's rows for each row of those before it."""

    __slots__ = ("_ask", "_condition", "_find", "_nulls", "_passes")

    def __init__(self, step: JoinStep, *, first: bool) -> None:
        table, lookup = step.table, step.lookup
        self._condition = compile_condition(step.condition)
        self._passes = compile_condition(step.passes)
        self._nulls: Row | None = (None,) * len(table.columns) if step.outer else None
        self._ask: Callable[[Sequence[Any], Any, Row], Any]
        """(params, session, row so far) -> what is looked up; None: nothing can be found."""
        self._find: Callable[[Any, KeyedView, Any, Timestamp], _Hits]
        """(that, view, image, ts) -> rows."""
        if isinstance(lookup, Points):
            positions = step.index or key_positions(table, step.unique)
            types = [table.columns[i].type for i in positions]
            if first and len(lookup.keys) > 1:
                several = LookupPlan(table, lookup, step.unique)
                self._ask = lambda p, s, _r: tuple(several.asked_keys(p, s))
                self._find = _finder(table, step, several=True)
            else:
                self._ask = compile_key(lookup.keys[0], types, arguments="p, s, r")
                self._find = _finder(table, step, several=False)
        else:
            self._ask = compile_range(lookup, table)
            self._find = _in_range

    def joined(
        self,
        found: Iterable[Row],
        params: Sequence[Any],
        session: Any,
        view: KeyedView,
        image: Any,
        ts: Timestamp,
    ) -> list[Row] | None:
        """The rows with this table's beside them; None: they are many."""
        ask, find, condition, nulls = self._ask, self._find, self._condition, self._nulls
        known: dict[Any, Sequence[Row]] = {}
        out: list[Row] = []
        for row in found:
            asked = ask(params, session, row)
            hits: _Hits = () if asked is None else known.get(asked)
            if hits is None:
                hits = find(asked, view, image, ts)
                if hits is None:
                    return None
                known[asked] = hits
            before = len(out)
            for hit in hits:
                made = (*row, *hit)
                if condition is None or condition(params, made, session):
                    out.append(made)
            if nulls is not None and len(out) == before:
                out.append((*row, *nulls))
            if len(out) > ROWS_MAX:
                return None
        passes = self._passes
        return out if passes is None else [row for row in out if passes(params, row, session)]


def _finder(
    table: Table, step: JoinStep, *, several: bool
) -> Callable[[Any, KeyedView, Any, Timestamp], _Hits]:
    if step.index:
        columns = tuple(range(len(table.columns)))
        positions = step.index

        def by_index(key: Any, view: KeyedView, image: Any, ts: Timestamp) -> _Hits:
            if isinstance(view, OverlayView):
                return view.by_index(positions, key, ts, ROWS_MAX)
            return image.index(positions).find(key, ts, ROWS_MAX, columns)  # type: ignore[no-any-return]

        return by_index
    oid = step.unique

    def by_key(key: Any, view: KeyedView, _image: Any, ts: Timestamp) -> _Hits:
        if oid:
            held = view.find_unique(oid, key, ts)
            return () if held is None else (held[2],)
        hit = view.get(key, ts)
        return () if hit is None else (hit[1],)

    if not several:
        return by_key

    def by_keys(keys: Any, view: KeyedView, image: Any, ts: Timestamp) -> _Hits:
        return [row for key in keys for row in by_key(key, view, image, ts) or ()]

    return by_keys


def _in_range(bounds: Any, view: KeyedView, image: Any, ts: Timestamp) -> _Hits:
    low, high, low_inclusive, high_inclusive = bounds
    many = view.count_at_most(bounds) if isinstance(view, OverlayView) else image.count_at_most(*bounds)
    if many > ROWS_MAX:
        return None
    hits = view.scan(low, high, ts, low_inclusive=low_inclusive, high_inclusive=high_inclusive)
    rows = [hit[2] for hit in islice(hits, ROWS_MAX + 1)]
    return rows if len(rows) <= ROWS_MAX else None


def _footprints(body: KeyedJoin) -> Iterable[Columns]:
    expressions: list[Expr | None] = [*body.outputs]
    for step in body.steps:
        lookup = step.lookup
        expressions += [step.condition, step.passes]
        if isinstance(lookup, Points):
            expressions += [part for key in lookup.keys for part in key]
        else:
            expressions += [*lookup.prefix, lookup.low, lookup.high]
    named = columns_named(expressions) | {place for place, _, _ in body.order}
    begin = 0
    for step in body.steps:
        end = begin + len(step.table.columns)
        yield THE_ROW | columns_at(step.table, (i - begin for i in named if begin <= i < end))
        begin = end


__all__ = ["ROWS_MAX", "JoinPlan"]
