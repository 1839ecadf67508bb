"""The rows of a portal's next Executes, encoded before they are asked for.

    client    Execute 1000      Execute 1000 . . takes the rows . .  Execute 1000
    loop      encodes 1000 ->   encodes 8000,       (idle)           sends 1000 of them, as they lie there ->
                                sends 1000 ->       encodes 8000 more when none are left

To encode a slice costs much the same however few rows it has, so a portal that is read by the hundred or thousand has the
rows of several Executes encoded at once. And while a client takes what it was sent the server would wait: then the
rows behind are made ready, as far as they are at hand. What is ready belongs to one batch, limit and shape;
an Execute that differs, or a FETCH in between, finds nothing of it and is answered from the rows themselves.
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from executor.abc import Portal, Stream
from pgwire.shapes import Shape
from planner.abc import SqlError

if TYPE_CHECKING:
    from pgwire.session import Conversation

AHEAD_ROWS: Final = 16_384
SEVERAL_ROWS: Final = 8_192
"""Rows of several Executes that are encoded in one go."""
AHEAD_BYTES: Final = 4 << 20
FIRST_ROWS_MIN: Final = 256
"""A first Execute of fewer rows may be all that its client wants."""


class Encoded:
    """What is ready: for each Execute its messages, and of how many rows."""

    __slots__ = ("batch", "limit", "pieces", "shape")

    def __init__(
        self, batch: pa.RecordBatch, shape: Shape, limit: int, pieces: deque[tuple[list[bytes], int]]
    ) -> None:
        self.batch, self.shape, self.limit, self.pieces = batch, shape, limit, pieces


def take(portal: Portal, shape: Shape, limit: int, out: list[bytes], *, whole: bool = False) -> int:
    """Puts what is ready for this Execute into `out`. Returns how many rows that is: `limit`, less (not if `whole`), or 0."""
    encoded: Encoded | None = portal.encoded
    if encoded is None:
        return 0
    if not (
        encoded.pieces
        and encoded.batch is portal.pending
        and encoded.limit == limit
        and encoded.shape is shape
    ):
        portal.encoded = None
        return 0
    if whole and encoded.pieces[0][1] != limit:
        return 0
    pieces, rows = encoded.pieces.popleft()
    out += pieces
    portal.pending = encoded.batch = encoded.batch.slice(rows)
    return rows


def encode(portal: Portal, shape: Shape, limit: int, *, several: bool) -> bool:
    """Makes rows at hand ready, of `several` Executes only if there is more than one. Whether there are such."""
    batch: pa.RecordBatch | None = portal.pending
    if not limit or batch is None or not batch.num_rows:
        return False
    times = min(SEVERAL_ROWS, batch.num_rows) // limit
    if not several or times < 2 or batch.slice(0, times * limit).nbytes > AHEAD_BYTES:
        return False
    return _encode(portal, batch, shape, limit, times * limit)


def encode_next(portal: Portal, stream: Stream, shape: Shape, limit: int) -> None:
    """Makes the rows of the next Execute ready, or as many of them as are at hand."""
    batch = _gathered(portal.pending, stream, min(limit, AHEAD_ROWS))
    portal.pending = batch
    if batch is None or not batch.num_rows:
        return
    if not encode(portal, shape, limit, several=portal.row_count > limit):
        _encode(portal, batch, shape, limit, _fitting(batch, min(limit, AHEAD_ROWS)))


def _gathered(batch: pa.RecordBatch | None, stream: Stream, rows_min: int) -> pa.RecordBatch | None:
    """The rows at hand: those left of a batch, and behind them others until there are enough."""
    found = [batch] if batch is not None and batch.num_rows else []
    rows = sum(b.num_rows for b in found)
    while rows < rows_min and sum(b.nbytes for b in found) < AHEAD_BYTES:
        more = stream.at_hand()
        if more is None:
            break
        found.append(more)
        rows += more.num_rows
    if not found:
        return batch
    return found[0] if len(found) == 1 else pa.concat_batches(found)


def _fitting(batch: pa.RecordBatch, rows: int) -> int:
    """Of so many rows as many as do not take more than AHEAD_BYTES, about."""
    rows = min(rows, batch.num_rows)
    size = batch.slice(0, rows).nbytes
    return rows if size <= AHEAD_BYTES else rows * AHEAD_BYTES // size


def _encode(portal: Portal, batch: pa.RecordBatch, shape: Shape, limit: int, rows: int) -> bool:
    if not rows:
        return False
    try:
        if rows <= limit:
            pieces = deque([(list(shape.encode_batch(batch.slice(0, rows))), rows)])
        else:
            pieces = deque(([data], limit) for data in shape.encode_batch(batch.slice(0, rows), limit))
    except SqlError:  # a character that the client's encoding does not have: said in its place
        return False
    portal.encoded = Encoded(batch, shape, limit, pieces)
    return True


def schedule(conversation: Conversation, portal: Portal, shape: Shape, limit: int) -> None:
    """An Execute was answered with as many rows as it asked for: prepares for the next one when the answer is out."""
    if portal.row_count > limit or limit >= FIRST_ROWS_MIN:
        asyncio.get_running_loop().call_soon(_prepare, conversation, portal, shape, limit)


def _prepare(conversation: Conversation, portal: Portal, shape: Shape, limit: int) -> None:
    encoded: Encoded | None = portal.encoded
    if conversation.gone or not conversation.idle or (encoded is not None and encoded.pieces):
        return
    stream = portal.result
    if isinstance(stream, Stream) and conversation.session.portals.get(portal.name) is portal:
        encode_next(portal, stream, shape, limit)
