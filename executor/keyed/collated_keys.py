"""Keys of text under a nondeterministic collation: ICU's sort keys, as far as the collation's levels count.

    CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)
    key_form(email COLLATE ci)('Ann') == key_form(email COLLATE ci)('ANN')        rows keep what was written

The sort keys are those by which DuckDB compares such texts in queries (`planner.binding.collating.equality_key`), so both
engines call the same texts equal. Python has no ICU of its own: a database in memory, which holds nothing, is asked for the
key of a text that it was not asked for lately, half a millisecond each, or for those of a whole column at once. As in PostgreSQL, another version of ICU may have other sort keys: what a key is made of is on the disk.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache, partial
from threading import Lock
from typing import Final

import duckdb
import pyarrow as pa

from executor.keyed.registry import scalar
from planner.abc import Column, TypeRef
from planner.binding.collating import equality_key
from planner.binding.fragments import sql
from planner.binding.keyed.closed_set import SORT_KEY
from planner.catalog.collations import nondeterministic
from planner.types.arrow_columns import one_array
from planner.types.oids import TEXT

_KEPT_MAX: Final = 16_384
"""Texts whose keys are remembered, of all collations."""
_asked = Lock()
"""Rows are read and written by several threads, and a connection of DuckDB's is one's at a time."""


def key_form(column: Column) -> Callable[[str], str] | None:
    """What makes one datum of all texts of the column that are equal; None where its type says that alone."""
    if column.collation not in nondeterministic:
        return None
    return partial(_key, sort_keys("text", column))


def key_column_form(column: Column) -> Callable[[pa.Array], pa.Array] | None:
    """The same for whole columns."""
    if column.collation not in nondeterministic:
        return None
    return partial(_keys, sort_keys("text", column))


def sort_keys(text: str, column: Column) -> str:
    """DuckDB's text for the sort keys of what `text` stands for, which is of the column's kind."""
    made = equality_key(sql(text), column.collation, column.type).text
    assert made is not None, "a column stands for itself"
    return made


@scalar(SORT_KEY)
def _looked_for(text: str, collation: str) -> str:
    return _key(sort_keys("text", Column("text", TypeRef(TEXT), 0, collation=collation)), text)


@lru_cache(_KEPT_MAX)
def _key(made: str, text: str) -> str:
    """`made`: the sort key of `text`, as DuckDB says it."""
    with _asked:
        ((found,),) = _connection().execute(f"SELECT {made} FROM (SELECT ? AS text)", [text]).fetchall()
    return str(found)


def _keys(made: str, texts: pa.Array) -> pa.Array:
    with _asked:
        connection = _connection()
        connection.register("given", pa.table({"text": texts}))
        try:
            found = connection.execute(f"SELECT {made} FROM given").to_arrow_table().column(0)
        finally:
            connection.unregister("given")
    return one_array(found).cast(texts.type)


@cache
def _connection() -> duckdb.DuckDBPyConnection:
    return duckdb.connect(":memory:", config={"threads": 1})
