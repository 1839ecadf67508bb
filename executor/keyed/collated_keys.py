"""Keys of text under a nondeterministic collation: ICU's sort keys, as far as the collation's levels count.

    CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false)
    key_form(email COLLATE ci)('Ann') == key_form(email COLLATE ci)('ANN')        rows keep what was written

The sort keys are those by which DuckDB compares such texts in queries (`planner.binding.collating.equality_key`), so both
engines call the same texts equal. Python has no ICU of its own: a database in memory, which holds nothing, is asked for the
key of a text that it was not asked for lately, half a millisecond each, or for those of a whole column at once. Who is about to make the keys
of many rows says so (`foresee`). As in PostgreSQL, another version of ICU may have other sort keys: what a key is made of is on the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, partial
from itertools import islice
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

_KEPT_MAX: Final = 32_768
"""Texts whose keys are remembered, of all collations: those that a statement changes row by row are among them."""
_kept: Final[dict[tuple[str, str], str]] = {}
"""By what makes the key and the text; the newest are last."""
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


def foresee(column: Column, texts: Iterable[str | None]) -> None:
    """The keys of these are about to be asked for: those that are not known are made together, as many as are remembered."""
    made = sort_keys("text", column)
    unknown = (x for x in dict.fromkeys(texts) if x is not None and (made, x) not in _kept)
    asked = list(islice(unknown, _KEPT_MAX))
    if asked:
        _keep(made, asked, _keys(made, pa.array(asked, pa.string())).to_pylist())


def _key(made: str, text: str) -> str:
    """`made`: the sort key of `text`, as DuckDB says it."""
    found = _kept.get((made, text))
    if found is None:
        with _asked:
            ((found,),) = _connection().execute(f"SELECT {made} FROM (SELECT ? AS text)", [text]).fetchall()
        _keep(made, (text,), (found,))
    return found


def _keep(made: str, texts: Iterable[str], keys: Iterable[str]) -> None:
    with _asked:
        _kept.update(zip(((made, text) for text in texts), keys, strict=True))
        for old in list(islice(_kept, max(0, len(_kept) - _KEPT_MAX))):
            del _kept[old]


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
