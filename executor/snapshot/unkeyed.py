"""The rows of a table without keys, where memory has all of them: written lately, and DuckDB was never told.

    versions   rid 7 -> (104, row), (99, gone)         queue   (101, bulk of rids 1 to 3)
    at 104     7, and 1, 2, 3 but for those that have versions

Nothing finds a row of such a table by a key, so nobody else reads it from here: DuckDB has it from the first question on.
"""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING

import pyarrow as pa

from executor.snapshot.columns import row_reader
from executor.snapshot.encoded import EncodedRows
from executor.snapshot.pending import BULK, BulkInsert
from executor.snapshot.ranges import visible
from executor.snapshot.runs import RID
from storage.abc import Row, Timestamp

if TYPE_CHECKING:
    from executor.snapshot.image import TableImage


def few_rows(image: TableImage, ts: Timestamp, rows_max: int) -> list[Row] | None:
    """The rows visible at `ts`, in the order in which they were made; None: they are more, or not all here."""
    if (
        image.keyed
        or image.cold is not None
        or image.flushing is not None
        or image.runs
        or ts < image.moved_ts
    ):
        return None
    if any(p.live_rows or p.dead_rows for p in image.generations) or len(image.generations) > 1:
        return None
    bulks = [(op[0], op[3]) for op in image.pending if op[2] == BULK]
    count = len(image.versions.chains)
    for _, operation in bulks:
        if not isinstance(operation, BulkInsert):
            return None
        count += operation.rows.num_rows
    if count > rows_max:
        return None
    chains = image.versions.chains
    heads = (visible(head, ts) for head in chains.values())
    found = [(v[1], v[2]) for v in heads if v is not None and v[2] is not None]
    for begins, operation in bulks:
        if begins <= ts:
            found += [
                (rid, row) for rid, row in _rows(image, operation) if visible(chains.get(rid), ts) is None
            ]
    found.sort(key=itemgetter(0))
    return [row for _, row in found]


def _rows(image: TableImage, operation: BulkInsert) -> list[tuple[int, Row]]:
    rows = operation.rows.table(None) if isinstance(operation.rows, EncodedRows) else operation.rows
    rids = rows.column(RID).to_pylist()
    columns = [_plain(rows.column(i)) for i, name in enumerate(rows.column_names) if name != RID]
    assert len(columns) == len(image.table.columns), "bulk rows have the table's columns"
    read = row_reader(columns)
    return [(rid, read(i)) for i, rid in enumerate(rids)]


def _plain(column: pa.ChunkedArray) -> pa.Array:
    whole = column.combine_chunks()
    return whole.dictionary_decode() if pa.types.is_dictionary(whole.type) else whole


__all__ = ["few_rows"]
