"""An image whose table gets other columns, while its rows stay where they are.

    ALTER TABLE t ADD c int DEFAULT 7, DROP b        (1, 'a', 'b')  ->  (1, 'a', 7)

    DuckDB      the same table, which gets a column (`Physical.widened`); what was dropped nobody asks for any more
    runs        the same arrays, keys and orders, beside a column of one value
    memory      each version anew, history included: readers of earlier times find it under the new definition

What is made is another image in the place of the old one. Whoever has a plan of before, and looks for a row by key after he
has waited, finds that the old one has no answer, and DuckDB is asked, where columns go by their numbers.

It happens in the turn in which the commit is published, when everything up to it is durable; so there is nothing to take back. Who
writes under the old definition has been refused since the commit was admitted, hence nothing younger is in the queue.
"""

from __future__ import annotations

import asyncio
import mmap
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from executor.snapshot.image import TableImage
from executor.snapshot.pending import Widen, bulk_op
from executor.snapshot.physical import missing
from executor.snapshot.unique_keys import unique_columns
from executor.snapshot.versions import Version
from planner.abc import Column, Table
from planner.types import arrow_type
from storage.abc import Datum, Row, Timestamp
from storage.rows import repeated

if TYPE_CHECKING:
    from executor.snapshot.store import SnapshotStore

_ZEROS_ROWS_MIN = 1 << 16
_TEXT_BYTES_MAX = (1 << 31) - 1
"""What the offsets of a column of texts can say."""


def fits(column: Column, count: int) -> bool:
    """Whether a column of so many rows can be made of what is missing."""
    value = missing(column)
    size = len(value.encode()) if isinstance(value, str) else len(value) if isinstance(value, bytes) else 0
    return size * count <= _TEXT_BYTES_MAX


def reshaped(store: SnapshotStore, old: TableImage, table: Table, ts: Timestamp) -> TableImage:
    """The image that takes the place of `old`, of which nothing is left to be found by key."""
    assert old.cold is None and unique_columns(old.table) == unique_columns(table), "keys stay what they are"
    assert not old.pending or old.pending[-1][0] <= ts, "nobody has written under the old definition since"
    new = TableImage(store, table, old.created_ts, old.physical.generation)
    physical = old.physical.widened(table, ts)
    new.generations = [*old.generations, physical]
    new.flushed_physical, new.flushed_ts = old.flushed_physical, old.flushed_ts
    new.definitions = [*old.definitions, (ts, table)]
    new.last_write_ts = max(old.last_write_ts, ts)
    new.adopt(old, bulk_op(ts, Widen(physical)))
    places = {c.attnum: i for i, c in enumerate(old.table.columns)}
    cells = [(places.get(c.attnum), missing(c)) for c in table.columns]
    in_place = [i for i, _ in cells[: len(places)]] == list(range(len(places)))
    new.take_rows(
        old,
        {key: _chain(head, cells) for key, head in old.versions.chains.items()},
        tuple(
            run.reshaped(
                new.shape,
                [
                    run.columns[i] if i is not None else _constant(value, arrow_type(c.type), run.size)
                    for c, (i, value) in zip(table.columns, cells, strict=True)
                ],
                in_place=in_place,
            )
            for run in old.runs
        ),
    )
    if old.flushing is not None or old.pins:
        new.flushing_from = 0  # all readers wait
        new.flushing = store.spawn(_relieved(old, new))
    old.has_moved()
    return new


def _chain(head: Version, cells: list[tuple[int | None, Datum]]) -> Version:
    links: list[Version] = []
    v: Version | None = head
    while v is not None:
        links.append(v)
        v = v[3]
    made: Version | None = None
    for ts, rid, row, _ in reversed(links):
        made = ts, rid, None if row is None else _row(row, cells), made
    assert made is not None
    return made


def _row(row: Row, cells: list[tuple[int | None, Datum]]) -> Row:
    return tuple([value if i is None else row[i] for i, value in cells])


async def _relieved(old: TableImage, new: TableImage) -> None:
    """What was under way with the old image ends: a flush of its rows, and the beginning of queries that rely on none."""
    try:
        while old.flushing is not None:
            await asyncio.wait([old.flushing])
        while old.pins:
            await asyncio.sleep(0.001)
    finally:
        new.flushed_physical, new.flushed_ts = old.flushed_physical, max(old.flushed_ts, new.flushed_ts)
        new.give_back(old.take_pending(new.last_write_ts))
        new.flushing = None


# --- columns of one value ------------------------------------------------------------------------


def _constant(value: Datum, kind: pa.DataType, count: int) -> pa.Array:
    if count < _ZEROS_ROWS_MIN:
        return repeated(value, kind, count)
    if value is None:
        return _nulls(kind, count)
    if isinstance(value, str | bytes) and (pa.types.is_string(kind) or pa.types.is_binary(kind)):
        data = value.encode() if isinstance(value, str) else value
        offsets = np.arange(count + 1, dtype=np.int32) * len(data)
        return pa.Array.from_buffers(kind, count, [None, pa.py_buffer(offsets), pa.py_buffer(data * count)])
    return repeated(value, kind, count)


def _nulls(kind: pa.DataType, count: int) -> pa.Array:
    """Nulls that take no memory: their buffers are pages that nobody has written to."""
    bits = _zeros((count + 7) // 8)
    if pa.types.is_string(kind) or pa.types.is_binary(kind):
        return pa.Array.from_buffers(kind, count, [bits, _zeros(4 * (count + 1)), _zeros(1)], count)
    if pa.types.is_primitive(kind) or pa.types.is_decimal(kind):
        return pa.Array.from_buffers(kind, count, [bits, _zeros((count * kind.bit_width + 7) // 8)], count)
    return pa.nulls(count, kind)


def _zeros(size: int) -> Any:
    return pa.py_buffer(mmap.mmap(-1, max(1, size)))
