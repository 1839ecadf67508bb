"""Staged rows by primary key: upsert and delete.

One query finds which of the staged keys are there, and the rows under them; the rest is what UPDATE, INSERT and DELETE
of many rows do (`executor.session.bulk`), with their locks, checks and references. A key that is staged twice
is refused, as INSERT ... ON CONFLICT refuses it: nobody could say which of the two rows shall stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from executor.abc import ExecutionError
from executor.session import bulk, bulk_changes, queries
from executor.session.blocks.block import Block
from planner import types as t
from planner.abc import Column, DeleteQuery, Query, RelationUse, Slot, Table, TypeRef, UpdateQuery
from planner.catalog.collations import nondeterministic
from planner.lexer import quoted

if TYPE_CHECKING:
    from executor.session.session import Session

_COMPARED_BY_DUCKDB = (t.FLOAT4, t.FLOAT8, t.INTERVAL)
"""Types whose equal values may differ, and which are equal for DuckDB all the same."""
_NOTHING = Query(("SELECT 1",), ())


def _key(table: Table, columns: Sequence[Column]) -> list[Column]:
    """The columns of the primary key. Raises 42P10 without one, 23502 if one of them is not given."""
    key = [table.columns[i] for i in table.key_indexes]
    if not key:
        raise ExecutionError(
            "42P10",
            f'table "{table.name}" has no primary key by which staged rows could find theirs',
            table=table.name,
        )
    for c in key:
        if c not in columns:
            raise ExecutionError(
                "42804", f'column "{c.name}" of the primary key is not staged', table=table.name
            )
        apart = t.alike(c.type) is not None and t.base_of(c.type).oid not in _COMPARED_BY_DUCKDB
        if apart or c.collation in nondeterministic:
            raise ExecutionError(
                "0A000",
                f"staged rows by a key of type {t.format_type(c.type)} are not supported"
                if apart
                else "staged rows by a key under a nondeterministic collation are not supported",
                table=table.name,
            )
    return key


async def _matches(
    session: Session, block: Block, table: Table, key: Sequence[Column], rows: pa.Table, *, whole: bool
) -> pa.Table:
    """(_n, _rid, then the old row if `whole`) of the staged rows, by position, whose key is there."""
    await bulk.hydrated(block, table)
    await _refuse_twice(session, table, key, rows)
    cells = ["s._n", "o._rid"]
    types = [TypeRef(t.INT8), TypeRef(t.INT8)]
    if whole:
        cells += [t.select_sql(f"o.{quoted(c.name)}", c.type) for c in table.columns]
        types += [c.type for c in table.columns]
    equal = " AND ".join(f"o.{quoted(c.name)} = {t.store_sql(f's.c{c.attnum}', c.type)}" for c in key)
    use = RelationUse("old", table, None, True)
    query = Query(
        (f"SELECT {', '.join(cells)} FROM ", Slot("old"), f" o JOIN staged_keys s ON {equal}"), (use,)
    )
    prepared = await queries.prepare(session, block, query, (), begins=False)
    prepared.bindings["staged_keys"] = _numbered_keys(key, rows)
    found = await prepared.table()
    return queries.canonical_table(found, types)


def _numbered_keys(key: Sequence[Column], rows: pa.Table) -> pa.Table:
    names = [f"c{c.attnum}" for c in key]
    return rows.select(names).append_column("_n", pa.array(np.arange(rows.num_rows, dtype=np.int64)))


async def _refuse_twice(session: Session, table: Table, key: Sequence[Column], rows: pa.Table) -> None:
    """Raises 21000 for a key that is staged more than once."""
    names = ", ".join(f"c{c.attnum}" for c in key)
    sql = f"SELECT {names} FROM staged_keys GROUP BY {names} HAVING count(*) > 1 LIMIT 1"
    found = await session.executor.columnar.table(sql, {"staged_keys": _numbered_keys(key, rows)})
    if found.num_rows:
        types = [c.type for c in key]
        datums = [t.to_datums(found.column(i), ref)[0] for i, ref in enumerate(types)]
        if any(d is None for d in datums):
            return  # NOT NULL has more to say about these
        shown = ", ".join(t.output_text(d, ref) for d, ref in zip(datums, types, strict=True))
        raise ExecutionError(
            "21000",
            "COPY cannot affect row a second time",
            detail=f"Key ({', '.join(c.name for c in key)})=({shown}) is staged more than once.",
            table=table.name,
        )


async def upsert(
    session: Session, block: Block, table: Table, columns: Sequence[Column], rows: pa.Table
) -> int:
    """Rows under known keys get the staged columns, the others are inserted. Raises SnapshotMoved."""
    from executor.session.copying.staged import completed, computed

    key = _key(table, columns)
    if not rows.num_rows:
        return 0
    found = await _matches(session, block, table, key, rows, whole=True)
    places = np.asarray(found.column(0).combine_chunks() if found.num_rows else [], np.int64)
    given = {c.attnum for c in columns}
    assigned = tuple(
        i for i, c in enumerate(table.columns) if c.attnum in given and i not in table.key_indexes
    )
    if len(places) and assigned:
        take = pa.array(places)
        arrays: list[Any] = []
        for i, c in enumerate(table.columns):
            arrays.append(rows.column(f"c{c.attnum}").take(take) if i in assigned else found.column(2 + i))
        new = (await computed(session, block, table, arrays)).add_column(0, "_rid", found.column(1))
        assigned += tuple(i for i, c in enumerate(table.columns) if c.generated)
        await bulk_changes.update(session, block, UpdateQuery(table, _NOTHING, assigned), new)
    fresh = np.ones(rows.num_rows, np.bool_)
    fresh[places] = False
    if fresh.any():
        left = rows.filter(pa.array(fresh))
        await bulk.insert(session, block, table, await completed(session, block, table, columns, left), None)
    return int(rows.num_rows)


async def delete(
    session: Session, block: Block, table: Table, columns: Sequence[Column], rows: pa.Table
) -> int:
    """The rows with these keys go; returns how many there were. Raises SnapshotMoved."""
    key = _key(table, columns)
    if not rows.num_rows:
        return 0
    found = await _matches(session, block, table, key, rows, whole=False)
    if not found.num_rows:
        return 0
    _, count = await bulk_changes.delete(session, block, DeleteQuery(table, _NOTHING), found.select([1]))
    return count
