"""A prepared read that comes again is answered in one go (`pgwire.express`): with the very bytes of the usual way.

Two clients ask the same. One sends each statement as drivers do; the other says Flush before, and is answered message by message.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
import struct
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from typing import Any

import pyarrow as pa
import pytest

from executor.abc import RowPicks, RowSpan, SideBySide
from executor.executor import Executor
from pgwire.pages import LARGE_BYTES_MAX, LARGE_PAGE_ROWS, LARGE_WORTH, PAGE_ROWS, PAGES, Page, Pages
from pgwire.session import Conversation
from planner.abc import SqlError
from storage.consensus.memory import MemoryConsensus
from tests.pgwire.script import cstr, frame
from txn.environment import Environment

SYNC = frame("S")
FLUSH = frame("H")
EXECUTE = frame("E", cstr("") + struct.pack(">i", 0))
DESCRIBE = frame("D", b"P" + cstr(""))
READY = b"Z\0\0\0\5"

SETUP = """
    CREATE TABLE t (a int PRIMARY KEY, b bigint, u text UNIQUE, c text, d numeric(9,2));
    INSERT INTO t SELECT i, i % 7, 'key ' || i, CASE WHEN i % 5 > 0 THEN 'ä' || i END, i / 4.0 FROM generate_series(1, 6000) i
"""
READS: dict[str, tuple[str, list[Sequence[str | None]]]] = {
    "point": ("SELECT b, c FROM t WHERE a = $1", [("7",), ("6000",), ("6001",), (None,), ("x",), ("99999999999",), (" 7 ",)]),
    "whole row": ("SELECT * FROM t WHERE a = $1", [("5",), ("6",)]),
    "computed": ("SELECT 10 / b FROM t WHERE a = $1", [("1",), ("7",), ("8",)]),
    "range": (
        "SELECT a, b, c, d FROM t WHERE a BETWEEN $1 AND $2 ORDER BY a",
        [("1", "64"), ("60", "200"), ("60", "200"), ("7", "7"), ("9", "3"), ("990", "2000"), (None, "3")],
    ),
    "picks": (
        "SELECT a, c FROM t WHERE a IN ($1, $2, $3 + 5)",
        [("1", "200", "300"), ("3", "3", "999"), ("12", "1", None), ("1", "2", "2147483647"), ("1", "200", "300")],
    ),
    "unique": ("SELECT a FROM t WHERE u = $1", [("key 3",), ("key 5",), ("key 63",), ("key 6001",), ("key",), ("",), (None,)]),
    "no parameters": ("SELECT c FROM t WHERE a = 17", [()]),
}  # fmt: skip


class Client:
    """A conversation whose socket is a list."""

    writable = True

    def __init__(self, executor: Executor, *, flushes: bool) -> None:
        self._flushes = flushes
        self._said: list[bytes] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self.session = executor.open_session("tidewire", "tidewire", {})
        self.conversation = Conversation(self.session, self)

    def write(self, data: bytes) -> None:
        self._said.append(data)

    async def drain(self) -> None:
        return

    def spawn(self, work: object) -> None:
        self._tasks.add(asyncio.ensure_future(work))  # type: ignore[arg-type]

    def hold_reading(self) -> None:
        return

    resume_reading = close = hold_reading

    async def ask(self, data: bytes) -> bytes:
        if self._flushes:
            self.conversation.receive(FLUSH + data)
        else:
            self.conversation.receive(data)
        while not self._said or self._said[-1][-6:-1] != READY:
            await asyncio.sleep(0)
        said = b"".join(self._said)
        self._said.clear()
        return said

    async def run(self, text: str) -> bytes:
        return await self.ask(frame("Q", cstr(text)))

    async def prepare(self, name: str, text: str) -> None:
        assert b"ERROR" not in await self.ask(frame("P", cstr(name) + cstr(text) + b"\0\0") + SYNC)


def bound(
    name: str, values: Sequence[str | None], *, describe: bool = True, formats: bytes = b"\0\0"
) -> bytes:
    fields = b""
    for value in values:
        raw = None if value is None else value.encode()
        fields += struct.pack(">i", -1) if raw is None else struct.pack(">i", len(raw)) + raw
    body = cstr("") + cstr(name) + b"\0\0" + struct.pack(">h", len(values)) + fields + formats
    return frame("B", body) + (DESCRIBE if describe else b"") + EXECUTE + SYNC


Both = tuple[Client, Client]


def between_two(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    """A test that is given both clients, of one server."""

    async def run(*arguments: Any) -> None:
        async with _clients() as both:
            await asyncio.wait_for(test(both, *arguments), 240)

    def wrapped(*arguments: Any) -> None:
        asyncio.run(run(*arguments))

    wrapped.__name__ = test.__name__
    return wrapped


@contextlib.asynccontextmanager
async def _clients() -> AsyncIterator[Both]:
    environment = await Environment.open(blob="memory://", consensus=MemoryConsensus())
    executor = await Executor.open(environment)
    one, two = Client(executor, flushes=False), Client(executor, flushes=True)
    await one.run(SETUP)
    yield one, two
    await executor.close()
    await environment.close()


async def same(both: Both, data: bytes) -> bytes:
    """What both are told."""
    one, two = [await client.ask(data) for client in both]
    assert one == two
    return one


async def _ask_all(both: Both, name: str) -> None:
    for describe in (True, False):
        for formats in (b"\0\0", b"\0\1\0\1"):
            for values in READS[name][1] * 3:
                await same(both, bound(name, values, describe=describe, formats=formats))


@pytest.mark.parametrize("name", READS)
def test_the_answers_are_the_same(name: str) -> None:
    _asked_and_written(name)


@between_two
async def _asked_and_written(both: Both, name: str) -> None:
    for client in both:
        await client.prepare(name, READS[name][0])
    await _ask_all(both, name)
    one, _ = both
    assert one.session.statements[name].express, "it is answered in one go"
    assert name != "range" or PAGES.size_bytes, "from pages"
    # Rows in memory, over those of the run; rows that are gone.
    await one.run("UPDATE t SET b = b + 1, c = 'new' WHERE a % 9 = 0; DELETE FROM t WHERE a IN (5, 200)")
    await one.run("UPDATE t SET c = 'newer', u = 'key 6001' WHERE a = 63")
    await _ask_all(both, name)
    await one.run("INSERT INTO t VALUES (5, 0, 'key 63', 'back', 1)")
    await _ask_all(both, name)


@between_two
async def test_what_was_learned_holds_only_as_long_as_it_is_so(both: Both) -> None:
    one, _ = both
    for client in both:
        await client.prepare("s", "SELECT a, c FROM t WHERE a = $1")
    read = bound("s", ("8",))
    for _ in range(3):
        before = await same(both, read)
    assert one.session.statements["s"].express
    # In a block: one's own writes, and no snapshot from before.
    for client in both:
        await client.run("BEGIN")
        await client.run("UPDATE t SET c = 'mine' WHERE a = 8")
        assert b"mine" in await client.ask(read)
        await client.run("ROLLBACK")
    assert await same(both, read) == before
    # After DDL; with other settings; after the statement has gone.
    await one.run("ALTER TABLE t ADD COLUMN e int")
    assert await same(both, read) == before
    await one.run("ALTER TABLE t ALTER COLUMN c TYPE varchar(20)")
    assert b"0A000" in await same(both, read)
    await one.run("ALTER TABLE t ALTER COLUMN c TYPE text")
    assert await same(both, read) == before
    for client in both:
        await client.run("SET client_encoding = 'LATIN1'")
    assert b"\xe48" in await same(both, read)
    for client in both:
        await client.run("RESET client_encoding")
    assert await same(both, read) == before
    for client in both:
        await client.run("DEALLOCATE s")
    assert b"26000" in await same(both, read)


@between_two
async def test_a_statement_that_is_cut_short_or_followed_by_another_goes_the_usual_way(
    both: Both,
) -> None:
    one, _ = both
    for client in both:
        await client.prepare("s", "SELECT c FROM t WHERE a = $1")
    read = bound("s", ("8",))
    for _ in range(2):
        once = await same(both, read)
    twice = await same(both, read + bound("s", ("8",)))
    assert twice == once + once
    for broken in (
        read.replace(struct.pack(">i", 1) + b"8", struct.pack(">i", 2) + b"8"),  # a value beyond its message
        read.replace(struct.pack(">i", 1) + b"8", struct.pack(">i", 0) + b"8"),
    ):
        assert b"08P01" in await same(both, broken)
    assert await same(both, read) == once
    assert one.session.statements["s"].express


@between_two
async def test_pg_stat_activity_names_the_statement(both: Both) -> None:
    one, two = both
    await one.prepare("s", "SELECT c FROM t WHERE a = $1")
    for _ in range(3):
        await one.ask(bound("s", ("8",)))
    await one.ask(frame("Q", cstr("SELECT 1")))
    await one.ask(bound("s", ("8",)))
    seen = await two.run(f"SELECT query FROM pg_stat_activity WHERE pid = {one.session.pid}")
    assert b"SELECT c FROM t WHERE a = $1" in seen


@between_two
async def test_a_large_page_has_the_bytes_of_its_rows_sent_one_by_one(both: Both) -> None:
    """Which are made of columns, not of tuples, as soon as a quarter of them was asked for."""
    one, _ = both
    select = "SELECT a, b, c, d FROM t WHERE a BETWEEN $1 AND $2 ORDER BY a"
    await one.prepare("s", select)
    await one.prepare("point", "SELECT a, b, c, d FROM t WHERE a = $1")
    await one.prepare("picks", "SELECT c, a FROM t WHERE a IN ($1, $2, $3)")
    for formats in (b"\0\0", b"\0\1\0\1"):
        rows = [await one.ask(bound("point", (str(a),), formats=formats)) for a in range(1, 6001)]
        singly = [said.partition(b"D\0")[2] for said in rows]
        before = PAGES.size_bytes
        for first, last in (
            (1, 90),
            (1, 600),
            (5, 7),
            (1, 1),
            (900, 1100),
            (1000, 3500),
            (1023, 1026),
            (5990, 6000),
        ):
            for _ in range(3):
                said = await one.ask(bound("s", (str(first), str(last)), formats=formats))
                ends = [part.split(b"C\0\0\0\x0dSELECT")[0] for part in singly[first - 1 : last]]
                assert said.partition(b"D\0")[2].rpartition(b"C\0\0\0")[0] == b"D\0".join(ends)
        assert PAGES.size_bytes > before + 4 * LARGE_PAGE_ROWS, "pages of a thousand rows"
        for places in (("7", "2000", "5999"), ("1", "2", "3"), ("2", "5000", "6001")):
            picked = await one.ask(bound("picks", places, formats=formats))
            for a in places[: 2 if "6001" in places else 3]:
                row = await one.ask(bound("picks", (a, a, a), formats=formats))
                assert row.partition(b"D\0")[2].split(b"C\0\0\0\x0dSELECT")[0] in picked


def _not_in_columns(_: object) -> None:
    return None


def test_pages_are_bounded_and_right_whatever_was_asked_before() -> None:
    rows = [(f"row {i}" * (1 + i % 3),) for i in range(10 * PAGE_ROWS + 5)]
    asked: list[int] = []

    def encode(some: Sequence[tuple[str]]) -> bytes:
        asked.append(len(some))
        return b"".join([frame("D", row[0].encode()) for row in some])

    def source() -> SideBySide:
        return SideBySide(lambda a, b: rows[a:b], rows.__getitem__, len(rows))  # type: ignore[arg-type]

    limit_bytes = 8_000
    pages, sources, rng = Pages(limit_bytes), [source(), source()], random.Random(7)
    for _ in range(2_000):
        some, start = rng.choice(sources), rng.randrange(len(rows))
        stop = min(len(rows), start + rng.randrange(1, 150))
        expected = b"".join([frame("D", row[0].encode()) for row in rows[start:stop]])
        assert pages.encoded(RowSpan(some, start, stop), encode, _not_in_columns) == expected
        places = [rng.randrange(len(rows)) for _ in range(rng.randrange(1, 20))]
        expected = b"".join([frame("D", rows[i][0].encode()) for i in places])
        assert pages.picked(RowPicks(some, places), encode, _not_in_columns) == expected
        assert pages.size_bytes <= 3 * limit_bytes
    hot, asked[:] = source(), []
    for _ in range(500):
        pages.encoded(RowSpan(hot, 3, 40), encode, _not_in_columns)
    assert sum(asked) < 3 * PAGE_ROWS, "the same rows are not encoded again and again"


@pytest.mark.parametrize("made", ["of columns", "of tuples", "never", "too large"])
def test_rows_in_columns_are_encoded_a_large_page_at_a_time(made: str) -> None:
    count = 3 * LARGE_PAGE_ROWS + 5
    numbers = pa.array(range(count), pa.int32())
    asked: list[int] = []

    def encode(some: Sequence[tuple[int]]) -> bytes:
        asked.append(len(some))
        return b"".join([frame("D", row[0].to_bytes(4, "big")) for row in some])

    def of_columns(arrays: Sequence[pa.Array]) -> Page | None:
        if made == "of tuples":
            return None
        if made == "never":
            raise SqlError("22P05", "a character that the client does not have")
        if made == "too large":
            return bytes(LARGE_BYTES_MAX + 1), [0]
        each = [frame("D", i.as_py().to_bytes(4, "big")) for i in arrays[0]]
        return b"".join(each), list(range(0, 9 * len(each) + 1, 9))

    def source() -> SideBySide:
        def read(a: int, b: int) -> list[tuple[Any, ...]]:
            return [(i,) for i in range(a, b)]

        return SideBySide(read, lambda i: (i,), count, [numbers])

    pages, some, rng = Pages(), source(), random.Random(7)
    for _ in range(200):
        start = rng.randrange(count)
        stop = min(count, start + rng.randrange(1, 1500))
        expected = b"".join([frame("D", i.to_bytes(4, "big")) for i in range(start, stop)])
        assert pages.encoded(RowSpan(some, start, stop), encode, of_columns) == expected
        places = [rng.randrange(count) for _ in range(rng.randrange(1, 20))]
        expected = b"".join([frame("D", i.to_bytes(4, "big")) for i in places])
        assert pages.picked(RowPicks(some, places), encode, of_columns) == expected
    hot, asked[:] = source(), []
    for _ in range(500):
        pages.encoded(RowSpan(hot, 3, 40), encode, of_columns)
        pages.picked(RowPicks(hot, [50, 7]), encode, of_columns)
    sent = {"of columns": LARGE_PAGE_ROWS // LARGE_WORTH + 40, "of tuples": 2 * LARGE_PAGE_ROWS + 40}
    assert sum(asked) <= sent.get(made, 500 * 39)
