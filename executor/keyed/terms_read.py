"""SELECT by an index of parts: the rows that terms lead to and what came since, if these are few.

    ids of versions     places in a run, or by their keys from memory   \
    keys since          the newest versions                              >  condition  ->  outputs  [-->  one row of aggregates]

Where the terms decide (`planner.terms`) the rows that they lead to are not asked again, and of rows in a run only the columns are read
that somebody asks for. Of the present alone: who reads the past, or wrote to the table in his block, is answered by DuckDB
(`executor.session.searching`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from executor.abc import RowPicks
from executor.keyed.compile import Compiled, compile_condition, compile_expression, compile_tuple
from executor.keyed.containment import TESTS
from executor.keyed.endings import Ending
from executor.keyed.index_read import ROWS_MAX, IndexRead
from executor.keyed.overlay import OverlayView
from executor.keyed.some_columns import columns_in, over, picked_from
from executor.snapshot.rows_by_id import Placed, placed_by_id
from planner.abc import Call, Col, Const, Expr, KeyedRead, Search, Sought, Table
from storage.abc import Row, Timestamp
from txn.abc import Key

if TYPE_CHECKING:
    from executor.snapshot.runs import Run
    from executor.snapshot.terms import Ids

SINCE_MAX = 500
"""Rows that came since, of which each is looked at."""


@dataclass(frozen=True, slots=True)
class LedTo:
    """What an index knows of a search."""

    ids: Ids
    """Of versions."""
    since: Collection[Key]
    """The keys under which something came that it does not know."""
    decided: bool
    """All these versions have what is asked of the terms."""


Lead = Callable[[Any, Any, Table, Search | Sought, Sequence[Any], Timestamp], LedTo | None]


class TermsRead(IndexRead):
    """A compiled KeyedRead with `terms`."""

    __slots__ = ("_asked", "_lead", "_pick", "_plain", "_search", "_table", "_undecided", "_values")

    asks_by_value = False

    def __init__(self, body: KeyedRead, lead: Lead) -> None:
        """`lead`: None where it is not known, or too much (`executor.session.searching.led_to`)."""
        assert body.terms is not None
        self._search, self._table, self._lead = body.terms, body.table, lead
        self._positions, self._lookup, self._range, self._walk = (), None, None, None
        self._condition = compile_condition(body.condition)
        self._asked = _Asked(body.condition)
        self._undecided = _Asked(body.undecided)
        outputs = body.outputs
        plain = [x.index for x in outputs if isinstance(x, Col)]
        only = len(plain) == len(outputs) and (body.groups is not None or not body.order)
        if only:
            self._columns = tuple(plain)
        else:
            own = () if body.groups is not None else [k.value for k in body.order]
            self._columns = columns_in([*outputs, *own])
            outputs = tuple(over(x, self._columns) for x in outputs)
            if body.groups is None:
                order = tuple(replace(k, value=over(k.value, self._columns)) for k in body.order)
                body = replace(body, order=order)
        self._ending = Ending(body)
        self._project_whole = compile_tuple(outputs)
        self._project = None if only else self._project_whole
        self._pick = picked_from(self._columns)
        self._plain = only and self._ending.plain
        self._values = _values(body.outputs) if self._ending.is_one_group else None

    def rows(self, params: Sequence[Any], session: Any, image: Any, ts: Timestamp) -> Sequence[Row] | None:
        """The result's rows; None: DuckDB is to find them. Raises TooOldForKeyed, NotHydrated."""
        image.readable(ts)
        if ts < image.last_write_ts:
            return None
        led = self._lead(session, image, self._table, self._search, params, ts)
        if led is None or len(led.ids) > ROWS_MAX or len(led.since) > SINCE_MAX:
            return None
        found = placed_by_id(image, led.ids, led.since, ts)
        return None if found is None else self._of(found, led.decided, params, session)

    def _of(self, found: Placed, decided: bool, params: Sequence[Any], session: Any) -> Sequence[Row]:
        run, places, condition = found.run, found.places, self._condition
        rows = found.rows
        if rows:
            if condition is not None:
                rows = [row for row in rows if condition(params, row, session)]
            pick = self._pick
            rows = [pick(params, row, session) for row in rows]
        if run is None:
            return self._ending.rows(rows, self._project, params, session)
        places = (self._undecided if decided else self._asked).passed(run, places, params, session)
        if not rows:
            if self._plain:
                return RowPicks(run.side_by_side(self._columns), places.tolist())
            if self._values is not None:
                columns = [
                    [of.value] * len(places) if isinstance(of, Const) else run.picks(of.index)(places)
                    for of in self._values
                ]
                return self._ending.of_columns(columns, len(places), params, session)
        read = run.some(self._columns)
        rows += map(read, places.tolist())
        return self._ending.rows(rows, self._project, params, session)

    def overlaid(
        self, params: Sequence[Any], session: Any, view: OverlayView, ts: Timestamp
    ) -> Sequence[Row] | None:
        """DuckDB lays a transaction's own rows over the others."""
        return None


def _values(outputs: Sequence[Expr]) -> list[Col | Const] | None:
    """What is folded, where that is read and not computed."""
    values = [x for x in outputs if isinstance(x, Col | Const)]
    return values if len(values) == len(outputs) else None


class _Asked:
    """A condition of rows in a run: of its own columns alone."""

    __slots__ = ("_columns", "_condition", "_made", "_value")

    def __init__(self, condition: Expr | None) -> None:
        self._made: Callable[[Any], Callable[[Any], bool]] | None = None
        """Makes the test of the only column's values, of which none is null."""
        self._value: Compiled | None = None
        if isinstance(condition, Call) and condition.op in TESTS:
            column, value = condition.args
            if isinstance(column, Col) and not columns_in([value]):
                self._made, self._value = TESTS[condition.op], compile_expression(value)
        self._columns = () if condition is None else columns_in([condition])
        self._condition = compile_condition(None if condition is None else over(condition, self._columns))

    def passed(self, run: Run, places: Ids, params: Sequence[Any], session: Any) -> Ids:
        """Those of the places whose rows pass it."""
        condition = self._condition
        if condition is None or not len(places):
            return places
        if self._made is not None and self._value is not None:
            value = self._value(params, None, session)
            if value is None:
                return places[:0]
            test, values = self._made(value), run.picks(self._columns[0])(places)
            which = [v is not None and test(v) for v in values]
            return places if all(which) else places[which]
        read = run.some(self._columns)
        passed = [i for i in places.tolist() if condition(params, read(i), session)]
        return np.array(passed, np.int64)


__all__ = ["LedTo", "TermsRead"]
