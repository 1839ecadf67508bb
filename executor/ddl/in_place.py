"""ALTER TABLE that gives a table other columns and leaves its rows where they are.

    ADD COLUMN c int DEFAULT 7      rows that are older have 7: the column's definition says so (`Column.missing`)
    DROP COLUMN b                   rows that are older have it still, and nobody asks for it
    ALTER a TYPE text               of varchar: the values are the same

A column goes by its attribute number everywhere: in the log and in parts (`storage.rows.conform`), in DuckDB, in images
(`executor.snapshot.reshaping`), in what opens files itself (`executor.distributed.missing`). So the definition is all that is written. What needs another value in each row, another key, or rows
that the block itself has written, is a rewrite; tables of a few rows, which are at hand, are written anew as well: that costs nothing.
Where several servers share a log it is one, too: who follows has statements under way that know of the old definition.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from executor.ddl import at_hand
from executor.distributed.missing import text_of
from executor.session.blocks.block import Block
from executor.snapshot.pending import row_count
from executor.snapshot.reshaping import fits
from executor.snapshot.unique_keys import unique_columns
from planner import types as t
from planner.abc import Column, Table
from planner.ddl.plan import Rewrite
from planner.records import replace
from storage.rows import pack
from txn.shared import SharedEnvironment

if TYPE_CHECKING:
    from executor.session.session import Session

ROWS_MIN: Final = 1_000
"""Tables of fewer rows are written anew."""
GONE_MAX: Final = 64
"""So many columns that were dropped are kept beside the others."""


async def standing(session: Session, block: Block, rewrite: Rewrite) -> Table | None:
    """The new definition over the shard of the old one; None: the rows have to be written anew."""
    old, new = rewrite.old, rewrite.new
    store = session.executor.store
    if (
        not rewrite.cells
        or rewrite.of_row
        or rewrite.role
        or isinstance(session.executor.env, SharedEnvironment)
    ):
        return None
    if old.temporary or any(x.partitioning or x.children or x.foreign for x in (old, new)):
        return None
    writes = block.tables.get(old.shard)
    if old.shard in block.created or (writes is not None and writes.has_rows):
        return None
    if unique_columns(old) != unique_columns(new):
        return None
    await store.image(old.shard).hydrated()
    image = store.image(old.shard)
    count = image.stored_rows + sum(run.size for run in image.runs) + row_count(image.pending)
    if count < ROWS_MIN or len(image.physical.columns_there) - len(old.columns) > GONE_MAX:
        return None
    columns = _columns(session, rewrite)
    if columns is None or not all(fits(c, count) for c in columns):
        return None
    return replace(new, shard=old.shard, columns=columns)


def _columns(session: Session, rewrite: Rewrite) -> tuple[Column, ...] | None:
    """The columns of the new definition, with what is missing; None: not all rows have the same there."""
    values = at_hand.computed(session, rewrite)
    if values is None:
        return None
    rest = iter(values)
    before = {c.attnum: c for c in rewrite.old.columns}
    made: list[Column] = []
    for cell, column in zip(rewrite.cells, rewrite.new.columns, strict=True):
        if isinstance(cell, str):
            value = next(rest)
            if value is None and column.not_null:
                return None
            if value is not None and text_of(value, t.arrow_type(column.type)) is None:
                return None
            missing = "" if value is None else pack([value]).hex()
            made.append(column if column.missing == missing else replace(column, missing=missing))
            continue
        was = before.get(cell)
        if was is None or cell != column.attnum or not _stored_alike(was, column):
            return None
        made.append(column if column.missing == was.missing else replace(column, missing=was.missing))
    return tuple(made)


def _stored_alike(a: Column, b: Column) -> bool:
    return bool(
        t.arrow_type(a.type).equals(t.arrow_type(b.type)) and t.duckdb_type(a.type) == t.duckdb_type(b.type)
    )


__all__ = ["standing"]
