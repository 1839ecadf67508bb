"""Queries that DuckDB cannot plan with what it knows of columns' values, and can without.

    s is NULL in every row, or there is none      split_part(s, '-', 1) IN ('a', 'b')

The optimizer knows that of `s`, makes constants of both sides of a comparison, and then (DuckDB 2.0) fails to bind what it has made. Nothing has
been computed by then, so the query is prepared and planned once more without statistics. That is an option of the database, not of a
cursor: who plans in the same moment does so without, and gets an answer as right, if by a worse plan.
"""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

import duckdb

from executor.abc import ExecutionError

T = TypeVar("T")

SAID: Final = "did not return a BoundFunctionExpression"
"""In the text of such a failure."""


class Unplanned(ExecutionError):
    """DuckDB has failed to plan a query. Nothing of it has been computed."""


async def planned(run: Callable[[bool], Awaitable[T]]) -> T:
    """Runs a query, and again, `unaided`, if it could not be planned with statistics."""
    try:
        return await run(False)
    except Unplanned:
        return await run(True)


class Unaided:
    """While somebody is in it, DuckDB plans without statistics. For threads."""

    def __init__(self, open_cursor: Callable[[], duckdb.DuckDBPyConnection]) -> None:
        self._open_cursor = open_cursor
        self._lock = threading.Lock()
        self._inside = 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._inside:
                self._say("SET GLOBAL disabled_optimizers = 'statistics_propagation'")
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


__all__ = ["SAID", "Unaided", "Unplanned", "planned"]
