"""Queries that DuckDB cannot plan with all of its optimizers, and can without some.

    s is NULL in every row, or there is none      split_part(s, '-', 1) IN ('a', 'b')

The optimizer knows that of `s`, makes constants of both sides of a comparison, and then (DuckDB 2.0) fails to bind what it has made.

    FROM t, LATERAL (SELECT * FROM (SELECT coalesce(max(v), 0) FROM u WHERE u.id = t.id) a, (SELECT max(v) FROM u WHERE u.id = t.id) b)

It pulls the projection of `a` above a join, and then does not find the column.

    SELECT CASE WHEN 'x' = '' THEN NULL ELSE acosd(CAST('x' AS float4)) END

It computes what is constant in a branch that nobody takes, and fails. Nothing else has been computed by then, so the query is prepared
and planned once more without statistics, without that, and without making constants of anything. These are options of the database, not of a
cursor: who plans in the same moment does so without, and gets an answer as right, if by a worse plan.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import duckdb

from executor.abc import ExecutionError

T = TypeVar("T")

SAID: Final = ("did not return a BoundFunctionExpression", "Failed to bind column reference")
"""In the texts of such failures."""
_LEFT_OUT: Final = "statistics_propagation,projection_pullup,expression_rewriter"
_BRANCHES: Final = re.compile(r"\bCASE\b|\bcoalesce\(|\bIF\(|\b(?:AND|OR)\b", re.IGNORECASE)
_OF_VALUES: Final = (duckdb.ConversionException, duckdb.InvalidInputException, duckdb.OutOfRangeException)


class Unplanned(ExecutionError):
    """DuckDB has failed to plan a query. Nothing of its rows has been computed."""


async def planned(run: Callable[[bool], Awaitable[T]]) -> T:
    """Runs a query, and again, `unaided`, if it could not be planned with all optimizers."""
    try:
        return await run(False)
    except Unplanned:
        return await run(True)


def failed_in_a_branch(cursor: duckdb.DuckDBPyConnection, sql: str, error: Exception) -> bool:
    """Whether a query has failed for what was computed of constants alone while it was planned, where that may be in a branch which is not
    taken: it fails with the same words if nothing but a plan is asked for. On a thread, outside of transactions."""
    if not isinstance(error, _OF_VALUES) or _BRANCHES.search(sql) is None:
        return False
    try:
        cursor.execute(f"EXPLAIN {sql}")
    except duckdb.Error as again:
        return str(again).split("\n", 1)[0] == str(error).split("\n", 1)[0]
    return False


class Unaided:
    """While somebody is in it, DuckDB plans without what it has stumbled over. For threads."""

    def __init__(self, open_cursor: Callable[[], duckdb.DuckDBPyConnection]) -> None:
        self._open_cursor = open_cursor
        self._lock = threading.Lock()
        self._inside = 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._say(f"SET GLOBAL disabled_optimizers = '{_LEFT_OUT}'")
            self._inside += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                self._say("RESET GLOBAL disabled_optimizers")

    def _say(self, text: str) -> None:
        cursor = self._open_cursor()
        try:
            cursor.execute(text)
        finally:
            cursor.close()


__all__ = ["SAID", "Unaided", "Unplanned", "failed_in_a_branch", "planned"]
