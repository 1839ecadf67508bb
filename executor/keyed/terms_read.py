"""SELECT by an index of parts: the rows that terms lead to and what came since, if these are few.

    ids of versions     from a run, or by their keys from memory   \
    keys since          the newest versions                         >  condition  ->  outputs  [-->  one row of aggregates]

Of the present alone: who reads the past, or wrote to the table in his block, is answered by DuckDB (`executor.session.searching`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from executor.keyed.compile import compile_condition, compile_tuple
from executor.keyed.endings import Ending
from executor.keyed.index_read import ROWS_MAX, IndexRead
from executor.keyed.overlay import OverlayView
from executor.snapshot.rows_by_id import rows_of_ids
from planner.abc import KeyedRead, Search, Sought, Table
from storage.abc import Row, Timestamp
from txn.abc import Key

SINCE_MAX = 500
"""Rows that came since, of which each is looked at."""

LedTo = Callable[
    [Any, Any, Table, Search | Sought, Sequence[Any], Timestamp], "tuple[Any, Collection[Key]] | None"
]


class TermsRead(IndexRead):
    """A compiled KeyedRead with `terms`."""

    __slots__ = ("_led_to", "_search", "_table")

    def __init__(self, body: KeyedRead, led_to: LedTo) -> None:
        """`led_to`: the ids of versions and the keys since; None: they are not known, or too many (`executor.session.searching`)."""
        assert body.terms is not None
        self._search, self._table, self._led_to = body.terms, body.table, led_to
        self._positions, self._lookup, self._range, self._walk = (), None, None, None
        self._condition = compile_condition(body.condition)
        self._ending = Ending(body)
        self._project = self._project_whole = compile_tuple(body.outputs)
        self._columns = tuple(range(len(body.table.columns)))

    def rows(self, params: Sequence[Any], session: Any, image: Any, ts: Timestamp) -> Sequence[Row] | None:
        """The result's rows; None: DuckDB is to find them. Raises TooOldForKeyed, NotHydrated."""
        image.readable(ts)
        if ts < image.last_write_ts:
            return None
        found = self._led_to(session, image, self._table, self._search, params, ts)
        if found is None or len(found[0]) > ROWS_MAX or len(found[1]) > SINCE_MAX:
            return None
        rows = rows_of_ids(image, *found, ts)
        return None if rows is None else self._made(rows, params, session, self._project)

    def overlaid(
        self, params: Sequence[Any], session: Any, view: OverlayView, ts: Timestamp
    ) -> Sequence[Row] | None:
        """DuckDB lays a transaction's own rows over the others."""
        return None


__all__ = ["TermsRead"]
