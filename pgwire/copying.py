"""COPY FROM STDIN: from CopyData messages to Arrow batches, with backpressure.

    client --CopyData--> Conversation --put--> CopyFeed --take--> receive_copy --write--> executor
                 <-- hold_reading while more than FEED_HIGH_BYTES wait --

    received           |  3  |  4  |  5  |
    decoded            |  2  |  3  |  4  |      large pieces: each step has one, beside the others
    checked, staged    |  1  |  2  |  3  |

The conversation puts, one task takes. What has gathered while the executor was writing is taken as
one piece, so a client that sends a row per message costs no more than one that sends big ones.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

import pyarrow as pa

from executor.abc import CopyIn
from pgwire import messages, replies
from pgwire.abc import WAIT, Step
from pgwire.copy_places import CopyPlaces
from pgwire.encoding import CopyDecoder, copy_decoder
from pgwire.transcoding import CopyTranscoder, refuse_binary_copy, spoken
from planner import types as t
from planner.abc import SqlError

if TYPE_CHECKING:
    from pgwire.session import Conversation
    from planner.types import TypeSettings

FEED_HIGH_BYTES: Final = 4 * 1024 * 1024
THREAD_BYTES_MIN: Final = 256 * 1024
"""From so much on a piece is decoded in a thread; less takes a millisecond or two."""


_TIMELESS: Final = frozenset(
    (t.BOOL, t.INT2, t.INT4, t.INT8, t.FLOAT4, t.FLOAT8, t.NUMERIC, t.TEXT, t.VARCHAR, t.BPCHAR, t.UUID, t.BYTEA, t.JSON, t.JSONB)
)  # fmt: skip
"""Types whose values no text says by the moment."""


class Reading(Protocol):
    def hold_reading(self) -> None: ...

    def resume_reading(self) -> None: ...


class CopyFeed:
    """Bytes between the socket and the task that copies; bounded by holding the socket back."""

    __slots__ = ("_bytes", "_error", "_failure", "_finished", "_held", "_pieces", "_reading", "_waiter")

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._pieces: list[bytes] = []
        self._bytes = 0
        self._finished = False
        self._held = False
        self._error: Exception | None = None
        self._failure: Exception | None = None
        self._waiter: asyncio.Future[None] | None = None

    def put(self, data: bytes) -> None:
        self._pieces.append(data)
        self._bytes += len(data)
        if self._bytes > FEED_HIGH_BYTES and not self._held:
            self._held = True
            self._reading.hold_reading()
        self._wake()

    def finish(self, failure: Exception | None = None) -> None:
        """CopyDone, or CopyFail: what came before it is looked at first."""
        self._finished = True
        self._failure = failure
        self._wake()

    def fail(self, error: Exception) -> None:
        """A message that does not belong here, a cancel request, or the client is gone."""
        self._error = error
        self._wake()

    def release(self) -> None:
        """Nothing will be taken any more."""
        if self._held:
            self._held = False
            self._reading.resume_reading()

    def _wake(self) -> None:
        waiter = self._waiter
        if waiter is not None and not waiter.done():
            waiter.set_result(None)

    async def take(self) -> bytes:
        """All that has come; b"" after CopyDone. Raises what `fail` was told."""
        while True:
            if self._error is not None:
                raise self._error
            if self._pieces:
                data = self._pieces[0] if len(self._pieces) == 1 else b"".join(self._pieces)
                self._pieces.clear()
                self._bytes = 0
                self.release()
                if data:
                    return data
            if self._finished:
                if self._failure is not None:
                    raise self._failure
                return b""
            self._waiter = asyncio.get_running_loop().create_future()
            try:
                await self._waiter
            finally:
                self._waiter = None


class CopyFailed(SqlError):
    """The client has given up (CopyFail)."""

    def __init__(self, reason: str) -> None:
        super().__init__("57014", f"COPY from stdin failed: {reason}")


class Feed(Protocol):
    """Where the bytes of a COPY come from."""

    async def take(self) -> bytes:
        """All that has come; b"" at the end."""
        ...

    def fail(self, error: Exception) -> None:
        """Nothing good will come any more."""
        ...


def settings_for(conversation: Conversation, copy: CopyIn) -> TypeSettings:
    """The session's, under which `now` is the same in all rows of the transaction."""
    settings = conversation.session.type_settings
    if copy.options.format == "binary" or all(c.type.oid in _TIMELESS for c in copy.columns):
        return settings  # what is kept for these serves again
    return replace(settings, now_us=conversation.session.transaction_began_us())


async def receive_copy(copy: CopyIn, feed: Feed, settings: TypeSettings) -> str:
    """Copies until the client is done; returns the tag. Aborts the copy on any error."""
    if copy.refused is not None:
        copy.abort()
        raise copy.refused
    places = CopyPlaces(copy)
    decoder: CopyDecoder | None = None
    writing: asyncio.Task[None] | None = None
    try:
        decoder = copy_decoder(copy.columns, copy.options, settings, copy.table)
        encoding = spoken(settings, copy.options.encoding)
        if encoding is not None and copy.options.format == "binary":
            raise refuse_binary_copy()
        transcoder = CopyTranscoder(encoding) if encoding is not None else None
        while data := await feed.take():
            copy.progress.bytes_processed += len(data)
            if transcoder is not None:
                data = transcoder.feed(data)
            places.came(data)
            # What has gathered to much is decoded beside the loop: Arrow lets go of the interpreter, and other
            # sessions are not to wait for it.
            # Meanwhile the executor takes what was decoded before it; its errors are about earlier rows, so they come first.
            many = len(data) >= THREAD_BYTES_MIN
            try:
                batches = await asyncio.to_thread(decoder.feed, data) if many else decoder.feed(data)
            finally:
                if writing is not None:
                    await writing
                    writing = None
            if many:
                writing = asyncio.ensure_future(_write(copy, batches))
                writing.add_done_callback(partial(_failed, feed))
            else:
                await _write(copy, batches)
        if writing is not None:
            await writing
            writing = None
        if transcoder is not None:
            transcoder.feed(b"", final=True)
        await _write(copy, decoder.finish())
    except CopyFailed as failed:
        assert decoder is not None, "data is taken by who decodes it"
        copy.abort()
        error: SqlError = failed
        try:
            decoder.whole_rows()
        except SqlError as before:
            error = before
        raise places.told(error, decoder.lines_come) from None
    except BaseException as error:
        if writing is not None:
            writing.cancel()
            await asyncio.wait([writing])
        copy.abort()
        if isinstance(error, SqlError):
            places.told(error, decoder.lines_come if decoder is not None else 0)
        raise
    try:
        rows = await copy.finish()
    except SqlError as error:
        places.told(error, decoder.lines_come)
        raise
    return str(rows.tag)


def _failed(feed: Feed, writing: asyncio.Task[None]) -> None:
    """Whoever waits for more is told at once: the client may wait for the error."""
    if not writing.cancelled() and isinstance(error := writing.exception(), Exception):
        feed.fail(error)


async def _write(copy: CopyIn, batches: Sequence[pa.RecordBatch]) -> None:
    for batch in batches:
        await copy.write(batch)


async def copy_in(conversation: Conversation, copy: CopyIn) -> str:
    feed = CopyFeed(conversation.io)
    conversation.enter_copy(feed)
    try:
        if conversation.gone:
            copy.abort()
            raise SqlError("08006", "connection to client lost")
        conversation.out.append(
            replies.copy_in_response(len(copy.columns), int(copy.options.format == "binary"))
        )
        conversation.flush()
        conversation.busy = False
        conversation.run()  # what has been read already
        return await receive_copy(copy, feed, settings_for(conversation, copy))
    finally:
        conversation.busy = True
        conversation.leave_copy()
        feed.release()


def copy_data(conversation: Conversation) -> Step:
    inbox, feed = conversation.inbox, conversation.copy
    assert feed is not None, "COPY data without a COPY"
    feed.put(inbox.buffer[inbox.start : inbox.end])
    return None


def copy_done(conversation: Conversation) -> Step:
    assert conversation.copy is not None, "COPY data without a COPY"
    conversation.copy.finish()
    return WAIT


def copy_fail(conversation: Conversation) -> Step:
    inbox, feed = conversation.inbox, conversation.copy
    assert feed is not None, "COPY data without a COPY"
    reason = inbox.buffer[inbox.start : inbox.end - 1].decode("utf-8", "replace")
    feed.finish(CopyFailed(reason))
    return WAIT


def copy_refused(conversation: Conversation) -> Step:
    inbox = conversation.inbox
    kind = inbox.buffer[inbox.start - messages.HEADER_SIZE_BYTES]
    conversation.break_copy(SqlError("08P01", f"unexpected message type 0x{kind:02X} during COPY from stdin"))
    return WAIT
