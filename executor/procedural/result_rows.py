"""The rows of a result, whichever engine it comes from, for programs that go through them one by one."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from typing import Any

from executor.abc import Result, Rows, Stream
from executor.columnar.rows import batch_rows
from planner.abc import Plan, ResultColumn


async def first_rows(result: Result, most: int) -> Sequence[Sequence[Any]]:
    """The first rows of a result, which is closed."""
    found: list[Sequence[Any]] = []
    async for row in rows_of(result):
        found.append(row)
        if len(found) >= most:
            break
    if isinstance(result, Stream):
        result.close()
    return found


async def rows_of(result: Result) -> AsyncGenerator[Sequence[Any], None]:
    """All rows. A stream is closed when they have been read, or who reads them is."""
    if isinstance(result, Rows):
        for row in result.rows:
            yield row
        return
    assert isinstance(result, Stream), "COPY is refused before"
    types = [c.type for c in result.columns]
    try:
        async for batch in result.batches:
            for row in batch_rows(batch, types):
                yield row
    finally:
        result.close()


async def kept(rows: Sequence[Sequence[Any]]) -> AsyncGenerator[Sequence[Any], None]:
    """Rows that have been read before."""
    for row in rows:
        yield row


def columns_of(plan: Plan, result: Result) -> Sequence[ResultColumn] | None:
    """None: it returns no rows."""
    return result.columns if isinstance(result, Rows | Stream) else plan.columns


__all__ = ["columns_of", "first_rows", "kept", "rows_of"]
