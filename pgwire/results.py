"""Results to the socket, a slice at a time: no result is ever held whole.

    Stream --batch--> slices of SLICE_ROWS --encode--> out --push--> socket
                                                        |
                                        waits while the client does not read

A portal with a row limit stops between rows: what is left of the batch at hand stays in
`Portal.pending` and the engine stays where it is until the next Execute, or until the portal dies.
To encode a slice costs much the same however few rows it has. So the second Execute of a portal that is read by
the hundred or thousand has the rows of more than one encoded: those behind it are likely to ask for as many.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from executor.abc import CopyOut, Portal, Rows, Stream
from pgwire import replies
from pgwire.copy_frames import CopyFrames
from pgwire.encoding.batches import SLICE_BYTES
from pgwire.shapes import Shape, shape_of, shape_of_columns
from planner.abc import SqlError
from storage.abc import Row

if TYPE_CHECKING:
    from pgwire.session import Conversation

SLICE_ROWS: Final = 4096
"""Rows encoded in one go: some milliseconds of the loop's time, and the unit of backpressure."""
AHEAD_ROWS: Final = 8192
"""Rows encoded for the next Executes of a portal."""


async def send_rows(conversation: Conversation, shape: Shape, rows: Sequence[Row]) -> None:
    if len(rows) <= SLICE_ROWS:
        if rows:
            conversation.out.append(shape.encode_rows(rows))
        return
    for start in range(0, len(rows), SLICE_ROWS):
        conversation.out.append(shape.encode_rows(rows[start : start + SLICE_ROWS]))
        await conversation.push()
        await asyncio.sleep(0)


async def send_stream(conversation: Conversation, shape: Shape, stream: Stream) -> int:
    """Sends every row, closes the stream, returns how many there were."""
    count = 0
    try:
        async for batch in stream.batches:
            count += batch.num_rows
            for piece in shape.encode_batch(batch):
                conversation.out.append(piece)
                if count > SLICE_ROWS:
                    await conversation.push()
                    await asyncio.sleep(0)
    finally:
        stream.close()
    return count


async def send_copy_out(conversation: Conversation, copy: CopyOut) -> str:
    """COPY TO STDOUT: CopyOutResponse, data, CopyDone; returns the tag."""
    stream = copy.stream
    count = 0
    out = conversation.out
    try:
        frames = CopyFrames(copy, conversation.session.type_settings)
        out.append(replies.copy_out_response(len(stream.columns), int(copy.options.format == "binary")))
        out.append(frames.begin())
        async for batch in stream.batches:
            count += batch.num_rows
            for piece in frames.batch(batch):
                out.append(piece)
                await conversation.push()
                await asyncio.sleep(0)
        out.append(frames.end())
    finally:
        stream.close()
    out.append(replies.COPY_DONE)
    return f"COPY {count}"


class Ahead:
    """The rows of a portal's next Executes, encoded for as many as each of them will ask for."""

    __slots__ = ("batch", "limit", "pieces", "shape")

    def __init__(self, batch: pa.RecordBatch, shape: Shape, limit: int, pieces: deque[bytes]) -> None:
        self.batch, self.shape, self.limit, self.pieces = batch, shape, limit, pieces
        """Pieces of `limit` rows each, of the batch's first rows."""

    @classmethod
    def of(cls, batch: pa.RecordBatch, shape: Shape, limit: int) -> Ahead | None:
        """None where there is no gain in it: one Execute asks for as much as is encoded in one go."""
        times = min(AHEAD_ROWS, batch.num_rows) // limit
        rows = batch.slice(0, times * limit)
        if times < 2 or rows.nbytes > SLICE_BYTES:
            return None
        try:
            pieces = deque(shape.encode_batch(rows, limit))
        except SqlError:  # a character that the client's encoding does not have: said in its place
            return None
        assert len(pieces) == times, "one piece for each Execute"
        return cls(batch, shape, limit, pieces)


class PortalRun:
    """One Execute on a portal: up to `limit` rows from where the last one stopped."""

    __slots__ = ("_conversation", "_portal")

    def __init__(self, conversation: Conversation, portal: Portal) -> None:
        self._conversation = conversation
        self._portal = portal

    @staticmethod
    def mark_finished(portal: Portal, result: Rows | Stream) -> None:
        """The portal is at its end: its rows are let go, its tag is kept."""
        portal.finished = True
        portal.pending = None
        columns = result.columns if result.columns is not None else portal.prepared.plan.columns
        portal.result = Rows(result.tag if isinstance(result, Rows) else f"{result.tag} 0", columns, ())

    async def send(self, limit: int) -> str | None:
        """The tag when the portal has come to its end, None when it is suspended (`limit` rows sent)."""
        portal, conversation = self._portal, self._conversation
        result = portal.result
        plan = portal.prepared.plan
        columns = result.columns if isinstance(result, Rows | Stream) else None
        if columns is None:
            columns = plan.columns
        if columns is None:
            if portal.finished:
                raise SqlError("55000", f'portal "{portal.name}" cannot be run')
            assert isinstance(result, Rows), "a command without rows streams nothing"
            self.mark_finished(portal, result)
            return result.tag
        if portal.finished:
            return _tag(result.tag if isinstance(result, Rows | Stream) else plan.tag, 0)
        settings = conversation.session.type_settings
        if columns is plan.columns:
            shape = shape_of(plan, portal.formats, settings)
        else:
            shape = shape_of_columns(columns, portal.formats, settings)
        if isinstance(result, Rows):
            sent = await self._rows(result, shape, limit)
        else:
            assert isinstance(result, Stream), "COPY has no portal"
            sent = await self._batches(result, shape, limit)
        portal.row_count += sent
        # PostgreSQL only finds the end by asking for a row more than there is.
        if limit and sent == limit:
            return None
        if isinstance(result, Stream):
            result.close()
            tag = _tag(result.tag + " 0", sent)
        else:
            tag = _tag(result.tag, sent)
        self.mark_finished(portal, result)
        return tag

    async def _rows(self, result: Rows, shape: Shape, limit: int) -> int:
        portal = self._portal
        start: int = portal.pending or 0
        rows = result.rows[start : start + limit] if limit else result.rows[start:]
        await send_rows(self._conversation, shape, rows)
        portal.pending = start + len(rows)
        return len(rows)

    async def _batches(self, stream: Stream, shape: Shape, limit: int) -> int:
        portal, conversation = self._portal, self._conversation
        sent = 0
        left: pa.RecordBatch | None = portal.pending
        batches = stream.batches
        if isinstance(left, Ahead):
            if left.pieces and left.limit == limit and left.shape is shape:
                conversation.out.append(left.pieces.popleft())
                left.batch = left.batch.slice(limit)
                return limit
            left = portal.pending = left.batch
        if left is not None and limit and portal.row_count:
            ahead = Ahead.of(left, shape, limit)
            if ahead is not None:
                portal.pending = ahead
                return await self._batches(stream, shape, limit)
        while not limit or sent < limit:
            if left is None or not left.num_rows:
                left = await anext(batches, None)
                if left is None:
                    break
                continue
            batch = left.slice(0, limit - sent) if limit else left
            left = left.slice(batch.num_rows)
            sent += batch.num_rows
            for piece in shape.encode_batch(batch):
                conversation.out.append(piece)
                if sent > SLICE_ROWS:
                    await conversation.push()
                    await asyncio.sleep(0)
        portal.pending = left
        return sent


def _tag(tag: str, sent: int) -> str:
    """A tag with a count counts the rows of this Execute, RETURNING's too."""
    head, _, count = tag.rpartition(" ")
    return f"{head} {sent}" if count.isdigit() else tag
