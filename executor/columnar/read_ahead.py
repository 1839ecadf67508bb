"""The batches of a running query, of which some are read before anybody asks for them.

    client    asks     . takes rows .       asks           . takes rows .
    loop      a b -->                       c d -->
    thread         reads c d e f                 reads g h i j

A client that is sent rows takes its time over them, and that time is DuckDB's. A read brings some batches (READ_ROWS,
READ_BYTES), and the next one begins when few are left: a slow client costs a cursor and what two reads bring at most.
An error is said in its place, behind the rows that were read before it.

A query that has an effect (`nextval`) is not read ahead: other statements of its session may come between.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine, Sequence
from functools import partial
from typing import Any, Final, Protocol

import pyarrow as pa

READ_ROWS: Final = 32_768
READ_BYTES: Final = 4 << 20
LOW_ROWS: Final = READ_ROWS // 2
LOW_BYTES: Final = READ_BYTES // 2
"""With no more than this waiting the next read begins."""

_Read = tuple[list[pa.RecordBatch], bool]
"""Batches, and whether they are the last."""


class Reader(Protocol):
    def read(self) -> pa.RecordBatch | None: ...


class ReadAhead:
    """See the module. Everything is called on the loop, by one consumer at a time."""

    __slots__ = ("_ahead", "_ended", "_failed", "_reader", "_reading", "_run", "_waiting")

    def __init__(
        self,
        reader: Reader,
        first: Sequence[pa.RecordBatch],
        run: Callable[[Callable[[], _Read]], Coroutine[Any, Any, _Read]],
        *,
        ahead: Callable[[], bool],
    ) -> None:
        """`first`: batches that have been read already. `run`: does work on a thread; who is cancelled waits for it.

        `ahead`: whether there is leave to read before it is asked for.
        """
        self._reader = reader
        self._waiting = deque(first)
        self._run = run
        self._reading: asyncio.Task[_Read] | None = None
        self._ended = False
        self._failed: Exception | None = None
        self._ahead = ahead

    def at_hand(self) -> pa.RecordBatch | None:
        """The next batch, if nobody has to wait for it."""
        reading = self._reading
        if reading is not None and reading.done() and not reading.cancelled() and reading.exception() is None:
            self._reading = None
            batches, self._ended = reading.result()
            self._waiting += batches
        if not self._waiting:
            return None
        batch = self._waiting.popleft()
        if self._is_low() and batch.nbytes <= READ_BYTES and self._ahead():
            self._begin(READ_ROWS)
        return batch

    def put_back(self, batch: pa.RecordBatch) -> None:
        """The batch that was given last is to be the next one again."""
        self._waiting.appendleft(batch)

    async def next(self) -> pa.RecordBatch | None:
        """The next batch; None at the end. Raises what the query raises."""
        while (batch := self.at_hand()) is None:
            if self._ended:
                return None
            self._begin(1)
            reading = self._reading
            assert reading is not None, "what has not ended is being read"
            try:
                await asyncio.wait([reading])
            except asyncio.CancelledError:
                stopped = self.stop()
                if stopped is not None:
                    await asyncio.wait([stopped])
                raise
            if reading.cancelled() or reading.exception() is not None:
                self._reading, self._ended = None, True
                reading.result()
        return batch

    def __aiter__(self) -> ReadAhead:
        return self

    async def __anext__(self) -> pa.RecordBatch:
        batch = await self.next()
        if batch is None:
            raise StopAsyncIteration
        return batch

    def stop(self) -> asyncio.Task[_Read] | None:
        """Nothing is read any more. What is done when the thread has let go, if one is at work."""
        reading, self._reading = self._reading, None
        self._ended = True
        if reading is None:
            return None
        if reading.done():
            if not reading.cancelled():
                reading.exception()
            return None
        reading.cancel()
        return reading

    def _is_low(self) -> bool:
        rows = sum(b.num_rows for b in self._waiting)
        size: int = sum(b.nbytes for b in self._waiting)
        return rows <= LOW_ROWS and size <= LOW_BYTES

    def _begin(self, rows_min: int) -> None:
        if self._reading is None and not self._ended:
            work = partial(self._read, rows_min)
            self._reading = asyncio.get_running_loop().create_task(self._run(work))

    def _read(self, rows_min: int) -> _Read:
        """On a thread: batches of so many rows together, or what is left."""
        if self._failed is not None:
            raise self._failed
        batches: list[pa.RecordBatch] = []
        rows = size = 0
        while rows < rows_min and size < READ_BYTES:
            try:
                batch = self._reader.read()
            except Exception as error:
                if not batches:
                    raise
                self._failed = error  # of the rows that the next read would bring
                break
            if batch is None:
                return batches, True
            batches.append(batch)
            rows += batch.num_rows
            size += batch.nbytes
        return batches, False
