"""Few rows that are wide go to the client as they are encoded, not all at once: their number says nothing of their size."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pyarrow as pa
import pytest

from executor.abc import Portal, Stream
from pgwire.results import SLICE_ROWS, UNSENT_BYTES_MAX, PortalRun, send_stream

ROW_BYTES = 100_000
ROWS = 200
assert ROWS < SLICE_ROWS and ROWS * ROW_BYTES > 4 * UNSENT_BYTES_MAX


class Wire:
    """A conversation of which only what waits to be sent is looked at."""

    def __init__(self) -> None:
        self.out: list[bytes] = []
        self.sent = self.most = self.pushes = 0

    async def push(self) -> None:
        size = sum(map(len, self.out))
        self.sent, self.most, self.pushes = self.sent + size, max(self.most, size), self.pushes + 1
        self.out.clear()


class Texts:
    """A shape of one column of text, without the protocol's headers."""

    def encode_batch(self, batch: pa.RecordBatch) -> list[bytes]:
        return [value.encode() for value in batch.column(0).to_pylist()]


def _stream(row_bytes: int) -> Stream:
    async def batches() -> AsyncIterator[pa.RecordBatch]:
        for _ in range(ROWS // 20):
            yield pa.record_batch({"c": ["x" * row_bytes] * 20})

    return Stream("SELECT", (), batches(), lambda: None)


def _sent_by(way: str, row_bytes: int) -> Wire:
    wire: Any = Wire()
    shape: Any = Texts()
    stream = _stream(row_bytes)
    if way == "simple":
        count = asyncio.run(send_stream(wire, shape, stream))
    else:
        sending = PortalRun.__new__(PortalRun)
        sending._portal, sending._conversation = Portal.__new__(Portal), wire
        sending._portal.pending, sending._portal.row_count = None, 0
        count = asyncio.run(sending._batches(stream, shape, 0))
    assert count == ROWS
    assert wire.sent + sum(map(len, wire.out)) == ROWS * row_bytes
    return wire


@pytest.fixture(autouse=True)
def nothing_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pgwire.ahead.take", lambda *_: 0)
    monkeypatch.setattr("pgwire.ahead.encode", lambda *_, **__: False)


@pytest.mark.parametrize("way", ["simple", "extended"])
def test_wide_rows_do_not_wait_for_each_other(way: str) -> None:
    wire = _sent_by(way, ROW_BYTES)
    assert 0 < wire.most <= UNSENT_BYTES_MAX + ROW_BYTES
    assert sum(map(len, wire.out)) <= UNSENT_BYTES_MAX + ROW_BYTES


@pytest.mark.parametrize("way", ["simple", "extended"])
def test_narrow_rows_go_in_one_write(way: str) -> None:
    assert _sent_by(way, 10).pushes == 0
