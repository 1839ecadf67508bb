"""Results to the socket, a slice at a time: no result is ever held whole.

    Stream --batch--> slices of SLICE_ROWS --encode--> out --push--> socket
                                                        |
                                        waits while the client does not read

A portal with a row limit stops between rows: what is left of the batch at hand stays in
`Portal.pending` and the engine stays where it is until the next Execute, or until the portal dies. Rows that the
next ones are likely to ask for are encoded before they do (`pgwire.ahead`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import pyarrow as pa

from executor.abc import CopyOut, Portal, Rows, Stream
from pgwire import ahead, replies
from pgwire.copy_frames import CopyFrames
from pgwire.shapes import Shape, shape_of, shape_of_columns
from planner.abc import ResultColumn, SqlError
from storage.abc import Row

if TYPE_CHECKING:
    from pgwire.session import Conversation

SLICE_ROWS: Final = 4096
"""Rows encoded in one go: some milliseconds of the loop's time, and the unit of backpressure."""
UNSENT_BYTES_MAX: Final = 1 << 20
"""A result's first rows wait for each other, to go in one write; but not when they are as wide as this together."""


async def send_rows(conversation: Conversation, shape: Shape, rows: Sequence[Row]) -> None:
    if len(rows) <= SLICE_ROWS:
        if rows:
            conversation.out.append(shape.encode_rows(rows))
        return
    for start in range(0, len(rows), SLICE_ROWS):
        conversation.out.append(shape.encode_rows(rows[start : start + SLICE_ROWS]))
        await conversation.push()
        await asyncio.sleep(0)


async def _send_batch(
    conversation: Conversation, shape: Shape, batch: pa.RecordBatch, count: int, unsent: int
) -> int:
    """Sends a batch, the `count`-th row being its last. `unsent`, and what is returned: bytes that wait since the last push."""
    for piece in shape.encode_batch(batch):
        conversation.out.append(piece)
        unsent += len(piece)
        if count > SLICE_ROWS or unsent > UNSENT_BYTES_MAX:
            unsent = 0
            await conversation.push()
            await asyncio.sleep(0)
    return unsent


async def send_stream(conversation: Conversation, shape: Shape, stream: Stream) -> int:
    """Sends every row, closes the stream, returns how many there were."""
    count = unsent = 0
    try:
        async for batch in stream.batches:
            count += batch.num_rows
            unsent = await _send_batch(conversation, shape, batch, count, unsent)
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
        conversation.tell_notices(copy.said_before)
        out.append(replies.copy_out_response(len(stream.columns), int(copy.options.format == "binary")))
        out.append(frames.begin())
        async for batch in stream.batches:
            count += batch.num_rows
            copy.progress.tuples_processed = count
            for piece in frames.batch(batch):
                out.append(piece)
                copy.progress.bytes_processed += len(piece)
                await conversation.push()
                await asyncio.sleep(0)
        out.append(frames.end())
    finally:
        stream.close()
    out.append(replies.COPY_DONE)
    return f"COPY {count}"


def send_ready(conversation: Conversation, portal: Portal, limit: int) -> bool:
    """Answers an Execute from what was made ready for it, if it was and is as much as it asks for."""
    columns = portal.result.columns if isinstance(portal.result, Stream) else None
    if columns is None:
        return False
    shape = _shape(conversation, portal, columns)
    if ahead.take(portal, shape, limit, conversation.out, whole=True) != limit:
        return False
    portal.row_count += limit
    ahead.schedule(conversation, portal, shape, limit)
    return True


def _shape(conversation: Conversation, portal: Portal, columns: tuple[ResultColumn, ...]) -> Shape:
    plan, settings = portal.prepared.plan, conversation.session.type_settings
    if columns is plan.columns:
        return shape_of(plan, portal.formats, settings)
    return shape_of_columns(columns, portal.formats, settings)


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
        portal.pending = portal.encoded = None
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
        shape = _shape(conversation, portal, columns)
        if isinstance(result, Rows):
            sent = await self._rows(result, shape, limit)
        else:
            assert isinstance(result, Stream), "COPY has no portal"
            sent = await self._batches(result, shape, limit)
        portal.row_count += sent
        # PostgreSQL only finds the end by asking for a row more than there is.
        if limit and sent == limit:
            if isinstance(result, Stream):
                ahead.schedule(conversation, portal, shape, limit)
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
        sent = ahead.take(portal, shape, limit, conversation.out)
        if not sent and ahead.encode(portal, shape, limit, several=portal.row_count > 0):
            sent = ahead.take(portal, shape, limit, conversation.out)
        left: pa.RecordBatch | None = portal.pending
        batches = stream.batches
        unsent = 0
        while not limit or sent < limit:
            if left is None or not left.num_rows:
                left = await anext(batches, None)
                if left is None:
                    break
                continue
            batch = left.slice(0, limit - sent) if limit else left
            left = left.slice(batch.num_rows)
            sent += batch.num_rows
            unsent = await _send_batch(conversation, shape, batch, sent, unsent)
        portal.pending = left
        return sent


def _tag(tag: str, sent: int) -> str:
    """A tag with a count counts the rows of this Execute, RETURNING's too."""
    head, _, count = tag.rpartition(" ")
    return f"{head} {sent}" if count.isdigit() else tag
