"""One statement to DuckDB, read and bound once.

    cursor.sql(text)        reads and binds it, to say what its columns are
      .to_arrow_reader()    reads and binds it again, and runs it
    submitted               reads, binds and runs it; the reader says what its columns are

A query of few rows takes DuckDB a millisecond, and most of that is reading and binding its text, so who does it twice takes nearly
twice as long (0.6 and 1.0 ms of CPU for a text of 500 bytes). DuckDB's relations submit their statements by a function
that its connections have for them; it is not documented, so where a version has none, the documented way is taken.
"""

from __future__ import annotations

from typing import Any, Final

import duckdb

_STREAM = "stream"
"""The form of a result of which batches are computed as they are read."""


_TOO_DEEP: Final = "Max expression depth limit of 1000 "
DEPTH_MAX: Final = 2500
"""Levels of expressions inside of one another for a query that needs more than DuckDB's thousand: its stack has room for twice as many."""


def bound(cursor: duckdb.DuckDBPyConnection, sql: str) -> duckdb.DuckDBPyRelation:
    """The query, read and bound. Raises duckdb.Error."""
    try:
        return cursor.sql(sql)
    except duckdb.Error as error:
        _allow_depth(cursor, error)
    return cursor.sql(sql)


def reader(cursor: duckdb.DuckDBPyConnection, sql: str, batch_rows: int) -> Any:
    """A reader of record batches, the query's. Raises duckdb.Error."""
    try:
        return _reader(cursor, sql, batch_rows)
    except duckdb.Error as error:
        _allow_depth(cursor, error)
    return _reader(cursor, sql, batch_rows)


def _allow_depth(cursor: duckdb.DuckDBPyConnection, error: duckdb.Error) -> None:
    """For a query that nests more deeply than DuckDB expects: it has not begun. Raises any other error again."""
    if _TOO_DEEP not in str(error):
        raise error
    cursor.execute(f"SET max_expression_depth TO {DEPTH_MAX}")


def _reader(cursor: duckdb.DuckDBPyConnection, sql: str, batch_rows: int) -> Any:
    submit = getattr(cursor, "_submit", None)
    if submit is None:
        return cursor.sql(sql).to_arrow_reader(batch_rows)
    return submit(sql, None, _STREAM, batch_rows).arrow_reader()


__all__ = ["bound", "reader"]
