"""One CopyData per row, and not a byte more or less."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.abc import CopyOptions, CopyOut, Stream
from pgwire.copy_frames import CopyFrames
from pgwire.encoding import copy_encoder
from planner import types as t
from planner.abc import ResultColumn, TypeRef
from planner.types import DEFAULT_SETTINGS
from tests.pgwire.script import frame

COLUMNS = (ResultColumn("a", TypeRef(t.INT4)), ResultColumn("b", TypeRef(t.TEXT)))
OPTIONS = {
    "text": CopyOptions(),
    "csv": CopyOptions(format="csv", delimiter=",", null="", header=True),
    "binary": CopyOptions(format="binary"),
}
cells = st.tuples(
    st.none() | st.integers(-(1 << 31), (1 << 31) - 1),
    st.none() | st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=9),
)


async def _nothing() -> AsyncIterator[pa.RecordBatch]:
    return
    yield


@pytest.mark.parametrize("kind", OPTIONS)
@given(st.lists(st.lists(cells, max_size=9), max_size=4))
def test_each_row_is_a_message(kind: str, batches: list[list[tuple[int | None, str | None]]]) -> None:
    options = OPTIONS[kind]
    frames = CopyFrames(CopyOut(options, Stream("COPY", COLUMNS, _nothing(), lambda: None)), DEFAULT_SETTINGS)
    encoder = copy_encoder(COLUMNS, options, DEFAULT_SETTINGS)
    messages = [encoder.begin()]
    sent = [frames.begin()]
    for rows in batches:
        batch = pa.record_batch(
            [pa.array([r[0] for r in rows], pa.int32()), pa.array([r[1] for r in rows], pa.string())],
            names=["a", "b"],
        )
        messages += [b"".join(encoder.encode(batch.slice(i, 1))) for i in range(len(rows))]
        sent += frames.batch(batch)
    messages.append(encoder.end())
    sent.append(frames.end())
    if kind == "binary":  # the signature shares the first message, whichever that is
        messages[:2] = [messages[0] + messages[1]]
    assert b"".join(sent) == b"".join(frame("d", m) for m in messages if m)
