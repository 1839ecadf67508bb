"""Rows as parts: numbered, and written to the blob store ahead of the commit that refers to them.

    full rows  --numbered-->  _rid, c1, c2 ...  --staged-->  part, part, part      (`STAGING_MAX` at a time)
                                    |
                                 physical  -->  c1, c2 ..., _rid                   (what checks, images and queries read)

Nobody sees a staged part before a transaction that names it commits, and what no transaction names is garbage that upkeep
collects: so parts may be written while their rows are still being looked at.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterator, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import pyarrow as pa

from executor.ddl.schema import shard_schema
from executor.session import relations
from executor.snapshot.columns import rows_to_arrays
from executor.snapshot.spill import Spill, numbers_from
from planner.abc import (
    Table,
)
from storage.abc import Part, Row
from storage.rows import field_identity

if TYPE_CHECKING:
    from executor.session.session import Session


T = TypeVar("T")

STAGING_MAX = 3
"""Parts of a statement that are written at a time."""


def written_rows(table: Table, rows: Sequence[Row], rids: Sequence[int] | None = None) -> pa.Table:
    schema = relations.physical_schema(table)
    arrays = rows_to_arrays(list(rows), schema.types[:-1])
    ids = rids if rids is not None else [0] * len(rows)
    return pa.table([*arrays, pa.array(ids, pa.int64())], schema=schema)


def physical(table: Table, numbered: pa.Table) -> pa.Table:
    """Numbered rows with physical column names, `_rid` last."""
    return pa.table([*numbered.columns[1:], numbered.column(0)], schema=relations.physical_schema(table))


def numbered(first: int, table: Table, rows: pa.Table, spill: Spill | None = None) -> pa.Table:
    """Full rows with row ids from `first` on in front, named as the table's shard names its columns. Any thread."""
    rids = pa.array(numbers_from(first, rows.num_rows, spill))
    schema = shard_schema(table)
    return pa.table([rids, *rows.columns], schema=pa.schema([pa.field("_rid", pa.int64()), *schema]))


async def staged_ahead(session: Session, table: Table, rows: pa.Table) -> tuple[pa.Table, list[Part]]:
    """Full rows that the block is given later (`add_bulk`): numbered, and as parts."""
    executor = session.executor
    first = executor.env.rids.take(rows.num_rows)
    counted = await executor.store.sort(lambda: numbered(first, table, rows, executor.store.spill))
    return counted, await staged(session, table, "+", counted)


@contextlib.asynccontextmanager
async def beside(work: Coroutine[Any, Any, T]) -> AsyncIterator[asyncio.Task[T]]:
    """Work that goes on while the block does, which waits for it in the end. If the block fails, it is over before anybody hears."""
    task = asyncio.ensure_future(work)
    try:
        yield task
    except BaseException:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        raise


async def staged(session: Session, table: Table, kind: str, rows: pa.Table) -> list[Part]:
    """Rows as parts of `bulk_chunk_rows`, `STAGING_MAX` under way at a time: some are encoded while the disk has others."""
    size = session.executor.limits.bulk_chunk_rows
    parts: list[Part] = []
    under_way: deque[asyncio.Task[Part]] = deque()
    try:
        for at in range(0, rows.num_rows, size):
            if len(under_way) == STAGING_MAX:
                parts.append(await under_way.popleft())
            under_way.append(asyncio.ensure_future(stage(session, table, kind, rows.slice(at, size))))
        while under_way:
            parts.append(await under_way.popleft())
    except BaseException:
        for task in under_way:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
        raise
    return parts


async def stage(session: Session, table: Table, kind: str, rows: pa.Table) -> Part:
    """One part of a table's rows (`_rid` first), written ahead of its commit."""
    if kind == "+":
        columns = [field_identity(f) for f in rows.schema][1:]
        assert columns == [field_identity(f) for f in shard_schema(table)], "a part has its table's columns"
    txn = session.block.txn if session.block is not None else None
    return await session.executor.env.stage(table.shard, kind, rows, txn)


__all__ = ["beside", "numbered", "physical", "stage", "staged", "staged_ahead", "written_rows"]
