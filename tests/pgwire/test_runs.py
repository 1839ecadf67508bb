"""Runs of INSERTs are taken as batches, however the bytes come, and answered as if they had not been."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pytest

from pgwire.runs import RUN_BYTES_MAX, RUN_ROWS_MIN
from planner.abc import Plan, SqlError, TypeRef
from tests.pgwire.fake_session import INT4, FakeSession
from tests.pgwire.script import Wire, cstr, encode, frame

PARSE = encode("Parse name=i text=insert $1, $2")
PARSED = ["ParseComplete"]
SYNC = encode("Sync")
ROW = ["BindComplete", "NoData", "CommandComplete INSERT 0 1"]


def pair(i: int, limit: int = 1) -> bytes:
    return (
        encode(f"Bind stmt=i values={i},{i * 10}")
        + encode("Describe portal=")
        + encode(f"Execute limit={limit}")
    )


def pairs(count: int) -> bytes:
    return b"".join(map(pair, range(count)))


class BatchingSession(FakeSession):
    """Takes batches of `insert $1, $2`, or of as many such rows as the statement has parameters for."""

    def __init__(self, answer: bool | Exception = True) -> None:
        super().__init__()
        self.answer = answer
        self.batches: list[list[tuple[int, int]]] = []

    def takes_batches(self, plan: Plan) -> Any:
        return (TypeRef(INT4), TypeRef(INT4))

    async def insert_batch(self, plan: Plan, given: Sequence[pa.Array], *, executions: int) -> bool:
        self.in_implicit = self.transaction_status == b"I"
        await asyncio.sleep(0)
        if isinstance(self.answer, Exception):
            raise self.answer
        if self.answer:
            first, second = (column.to_pylist() for column in given)
            self.batches.append(list(zip(first, second, strict=True)))
        return self.answer

    @property
    def rows(self) -> list[tuple[int, int]]:
        return [row for batch in self.batches for row in batch]


def talk(session: FakeSession, data: bytes, piece: int | None = None) -> list[str]:
    async def run() -> list[str]:
        wire = Wire(session)
        await wire.send(data, piece)
        while not wire.conversation.idle:
            await asyncio.sleep(0)
        return wire.replies()

    return asyncio.run(run())


def expected(count: int) -> list[tuple[int, int]]:
    return [(i, i * 10) for i in range(count)]


@pytest.mark.parametrize("piece", [None, 7, 50, 51, 52, 53, 333, 1000])
def test_rows_are_answered_however_their_bytes_come(piece: int | None) -> None:
    session = BatchingSession()
    assert talk(session, PARSE + pairs(40) + SYNC, piece) == [*PARSED, *ROW * 40, "ReadyForQuery I"]
    # What came before there was a run of them went one by one.
    assert session.rows == expected(40)[40 - len(session.rows) :]
    assert piece is not None or session.batches == [expected(40)]


def test_few_rows_are_no_run() -> None:
    session = BatchingSession()
    assert talk(session, PARSE + pairs(RUN_ROWS_MIN - 1) + SYNC)[-1] == "ReadyForQuery I"
    assert session.rows == []


def test_a_run_does_not_wait_for_more_than_it_may_hold() -> None:
    session = BatchingSession()
    count = 2 * RUN_BYTES_MAX // len(pair(1))
    replies = talk(session, PARSE + pairs(count))  # and no Sync
    assert replies.count(ROW[-1]) >= count // 4
    assert len(session.batches) > 1


@pytest.mark.parametrize(
    "behind",
    [SYNC, encode("Flush"), encode("Query select 1"), pair(0, limit=2) + SYNC, encode("Close stmt=x"), encode("Bind stmt=j portal=p") + SYNC],
    ids=["Sync", "Flush", "Query", "another limit", "Close", "a portal"],
)  # fmt: skip
def test_whatever_ends_a_run_lets_it_go(behind: bytes) -> None:
    session = BatchingSession()
    assert talk(session, PARSE + pairs(20) + behind).count(ROW[-1]) >= 20
    assert session.rows == expected(20)


def test_a_refused_batch_goes_one_by_one() -> None:
    session = BatchingSession(answer=False)
    assert talk(session, PARSE + pairs(20) + SYNC) == [*PARSED, *ROW * 20, "ReadyForQuery I"]
    assert [entry for entry in session.log if "insert" in entry and "prepare" not in entry] == [
        f"implicit: insert $1, $2 ({i}, {i * 10})" for i in range(20)
    ]
    assert talk(session, pairs(20) + SYNC).count(ROW[-1]) == 20, "and the next one is tried again"


def test_a_batch_that_fails_is_skipped_up_to_sync() -> None:
    session = BatchingSession(answer=SqlError("57014", "canceling statement due to user request"))
    assert talk(session, PARSE + pairs(20) + SYNC + encode("Query select 1")) == [
        *PARSED,
        "Error ERROR 57014 canceling statement due to user request",
        "ReadyForQuery I",
        "RowDescription ?column?:23",
        "DataRow 1",
        "CommandComplete SELECT 1",
        "ReadyForQuery I",
    ]


def test_a_value_that_is_none_is_found_in_its_place() -> None:
    session = BatchingSession()
    data = (
        PARSE + pairs(12) + pair(0).replace(b"\x00\x00\x00\x010", b"\x00\x00\x00\x01x", 1) + pairs(12) + SYNC
    )
    replies = talk(session, data)
    assert replies[: 1 + 36] == [*PARSED, *ROW * 12]
    assert replies[37:] == ['Error ERROR 22P02 invalid input syntax for type integer: "x"', "ReadyForQuery I"]


def many_rows(first: int, rows: int, *, cut_off: bool = False) -> bytes:
    """A Bind of several rows, and its Execute. `cut_off`: its last value is longer than what is left of the message."""
    values = [str(v).encode() for i in range(first, first + rows) for v in (i, i * 10)]
    fields = [struct.pack(">i", len(v)) + v for v in values]
    if cut_off:
        fields[-1] = struct.pack(">i", 1000) + values[-1]
    body = cstr("") + cstr("i") + struct.pack(">HH", 0, len(values)) + b"".join(fields)
    return frame("B", body + struct.pack(">H", 0)) + encode("Execute")


def insert_of(rows: int) -> bytes:
    marks = ", ".join(f"${i + 1}" for i in range(2 * rows))
    return frame("P", cstr("i") + cstr(f"insert {marks}") + b"\0\0")


@pytest.mark.parametrize("piece", [None, 31, 101])
@pytest.mark.parametrize("binds", [1, 2, 7, 8, 30])
@pytest.mark.parametrize("rows", [8, 20])
def test_rows_of_binds(rows: int, binds: int, piece: int | None) -> None:
    """Values of different lengths, so no two Binds are cut alike."""
    session = BatchingSession()
    data = b"".join(many_rows(n * rows, rows) for n in range(binds))
    done = ["BindComplete", f"CommandComplete INSERT 0 {rows}"]
    assert talk(session, insert_of(rows) + data + SYNC, piece) == [*PARSED, *done * binds, "ReadyForQuery I"]
    assert session.rows == expected(rows * binds)


@pytest.mark.parametrize("before", [0, 3, 12])
def test_a_value_beyond_its_message_is_no_value(before: int) -> None:
    session = BatchingSession()
    data = b"".join(many_rows(n * 8, 8) for n in range(before))
    replies = talk(session, insert_of(8) + data + many_rows(0, 8, cut_off=True) + many_rows(0, 8) * 12 + SYNC)
    done = ["BindComplete", "CommandComplete"]
    assert [r.split()[0] for r in replies[: 1 + 2 * before]] == [*PARSED, *done * before]
    assert replies[1 + 2 * before :] == [
        "Error ERROR 08P01 insufficient data left in message",
        "ReadyForQuery I",
    ]
