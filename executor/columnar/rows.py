"""Arrow batches as rows of datums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from planner import types as t
from planner.abc import TypeRef


def canonical_array(column: Any, ref: TypeRef) -> Any:
    """The column in the canonical Arrow type of its SQL type (see `planner.types`)."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    return column if column.type == t.arrow_type(ref) else t.to_canonical(column, ref)


def canonical_batch(batch: pa.RecordBatch, types: Sequence[TypeRef]) -> pa.RecordBatch:
    """The batch with the canonical Arrow type in every column."""
    if all(c.type == t.arrow_type(ref) for c, ref in zip(batch.columns, types, strict=True)):
        return batch
    columns = [canonical_array(c, ref) for c, ref in zip(batch.columns, types, strict=True)]
    return pa.RecordBatch.from_arrays(columns, names=batch.schema.names)


def batch_rows(batch: Any, types: Sequence[TypeRef]) -> list[tuple[Any, ...]]:
    """A batch (or table) as tuples of datums."""
    if not types:
        return [
            ()
        ] * batch.num_rows  # DuckDB has no rows without a column: there is one that nobody asked for
    columns = [canonical_array(c, ref) for c, ref in zip(batch.columns, types, strict=True)]
    return list(zip(*(t.to_datums(c, ref) for c, ref in zip(columns, types, strict=True)), strict=True))
