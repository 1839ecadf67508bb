"""Whatever bytes come: an error, a close or an answer; never a hang, a crash or a lost session.

In memory, so that thousands of conversations take seconds. Each ends with a probe: if the server did
not close the connection, it must still answer a query.
"""

from __future__ import annotations

import asyncio
import os
import struct

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pgwire.messages import CancelRequest, Inbox, ProtocolViolation, parse_startup, startup_length
from pgwire.scram import ScramError, ScramServer
from planner.catalog.passwords import Verifier
from tests.pgwire.script import Wire, cstr, encode, frame

EXAMPLES = int(os.environ.get("TIDEWIRE_EXAMPLES", "150"))
"""More than by default: other ones every time."""
RELAXED = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=EXAMPLES <= 150,
    suppress_health_check=[HealthCheck.too_slow],
)

kinds = st.sampled_from("QPBDECHSdcfFX")
payloads = st.one_of(
    st.binary(max_size=40),
    st.lists(
        st.sampled_from([b"\0", b"s\0", b"select 1\0", b"\0\0\0\1", b"\xff\xff", b"p\0"]), max_size=6
    ).map(b"".join),
)
framed = st.tuples(kinds, payloads).map(lambda pair: frame(*pair))
lines = st.sampled_from(
    [
        "Query select 1",
        "Query begin",
        "Query rollback",
        "Query insert a; insert b",
        "Query copyin",
        "Query copyout 3",
        "Query stream 3",
        "Query later",
        "Query syntax",
        "Query bug",
        "Parse text=select $1",
        "Parse name=s text=stream 5",
        "Parse name=c text=copyin",
        "Parse text=",
        "Bind values=1",
        "Bind stmt=s portal=p",
        "Bind stmt=c",
        "Describe stmt=s",
        "Describe portal=p",
        "Execute",
        "Execute portal=p limit=2",
        "Close portal=p",
        "Close stmt=s",
        "CopyData 1\\ta\\n",
        "CopyDone",
        "CopyFail no",
        "Flush",
        "Sync",
    ]
).map(encode)


async def _survives(pieces: list[bytes], cut: int | None) -> None:
    wire = Wire()
    wire.conversation.inbox.limit_bytes = 10_000
    await wire.send(b"".join(pieces), cut)
    if not wire.io.closed:
        # A message may be incomplete or a COPY open: fill it up, end it, and ask something.
        inbox = wire.conversation.inbox
        if inbox.waiting_bytes:
            await wire.send(b"\0" * 11_000)
    if not wire.io.closed:
        await wire.send(encode("CopyDone") + encode("Sync") + encode("Query rollback"))
        wire.replies()
        await wire.send(encode("Query select 42"))
        assert wire.io.closed or "DataRow 42" in wire.replies()
    assert wire.io.holds == 0
    wire.conversation.lost()
    await wire.settle()
    assert wire.session.closed
    assert wire.session.streams_open == 0
    assert all(task.done() for task in wire.io.tasks)


@RELAXED
@given(st.lists(lines, max_size=12), st.one_of(st.none(), st.integers(1, 9)))
def test_messages_in_any_order(pieces: list[bytes], cut: int | None) -> None:
    asyncio.run(_survives(pieces, cut))


@RELAXED
@given(st.lists(st.one_of(framed, lines), max_size=8), st.one_of(st.none(), st.integers(1, 9)))
def test_malformed_payloads(pieces: list[bytes], cut: int | None) -> None:
    asyncio.run(_survives(pieces, cut))


CONVERSATIONS = (
    ("Parse name=s text=select $1", "Bind stmt=s portal=p values=1", "Describe portal=p", "Execute portal=p limit=2",
     "Execute portal=p", "Close portal=p", "Close stmt=s", "Sync"),
    ("Parse text=stream 5", "Bind", "Execute limit=2", "Flush", "Execute limit=2", "Execute", "Sync", "Query select 1"),
    ("Parse text=syntax", "Bind", "Execute", "Parse text=select 1", "Bind", "Execute", "Sync", "Parse text=select 2",
     "Bind", "Execute", "Sync"),
    ("Query copyin", "CopyData 1\\ta\\n", "CopyData 2\\tb\\n", "CopyDone", "Query select 1"),
    ("Query begin", "Parse text=copyin", "Bind", "Execute", "CopyData 1\\ta\\n", "CopyFail no", "Sync", "Query rollback"),
    ("Parse text=copyin", "Bind", "Execute", "Sync", "CopyData 1\\ta\\n", "CopyDone", "Query copyout 3", "Query select 1"),
)  # fmt: skip
"""What drivers say."""


@st.composite
def mangled(draw: st.DrawFn) -> list[bytes]:
    """A conversation of a driver's with messages left out, said twice, swapped, cut short or of another kind."""
    said = [encode(line) for line in draw(st.sampled_from(CONVERSATIONS))]
    for _ in range(draw(st.integers(1, 4))):
        at = draw(st.integers(0, len(said) - 1))
        how = draw(st.sampled_from(["left out", "twice", "swapped", "short", "another kind"]))
        message = said[at]
        if how == "left out" and len(said) > 1:
            del said[at]
        elif how == "twice":
            said.insert(at, message)
        elif how == "swapped":
            other = draw(st.integers(0, len(said) - 1))
            said[at], said[other] = said[other], said[at]
        elif how == "short":
            said[at] = frame(chr(message[0]), message[5 : 5 + draw(st.integers(0, len(message)))])
        else:
            said[at] = frame(draw(kinds), message[5:])
    return said


@RELAXED
@given(mangled(), st.one_of(st.none(), st.integers(1, 9)))
def test_a_drivers_conversation_gone_wrong(pieces: list[bytes], cut: int | None) -> None:
    asyncio.run(_survives(pieces, cut))


@RELAXED
@given(st.lists(st.one_of(st.binary(max_size=30), lines), max_size=6))
def test_garbage(pieces: list[bytes]) -> None:
    asyncio.run(_survives(pieces, None))


@RELAXED
@given(st.lists(lines, min_size=1, max_size=10), st.integers(0, 400))
def test_gone_in_the_middle_of_anything(pieces: list[bytes], cut: int) -> None:
    async def run() -> None:
        wire = Wire()
        wire.conversation.receive(b"".join(pieces)[:cut])
        for _ in range(cut % 7):
            await asyncio.sleep(0)
        wire.conversation.lost()
        await wire.settle()
        assert wire.session.closed
        assert wire.session.streams_open == 0

    asyncio.run(run())


@RELAXED
@given(st.lists(st.binary(max_size=60), max_size=5), st.integers(1, 16))
def test_an_inbox_gives_the_same_messages_however_the_stream_is_cut(bodies: list[bytes], cut: int) -> None:
    stream = b"".join(frame("Q", body) for body in bodies)
    inbox, seen = Inbox(), []
    for start in range(0, len(stream), cut):
        inbox.feed(stream[start : start + cut])
        while inbox.next():
            seen.append(inbox.buffer[inbox.start : inbox.end])
    assert seen == bodies
    assert inbox.waiting_bytes == 0


@given(st.binary(max_size=64))
def test_first_packets(data: bytes) -> None:
    try:
        length = startup_length(data)
        if length and len(data) >= length:
            parse_startup(data[:length])
    except ProtocolViolation as violation:
        assert violation.fatal


def test_cancel_keys_of_both_protocols() -> None:
    for key in (b"abcd", b"k" * 32, b"k" * 256):
        packet = struct.pack(">iiI", 12 + len(key), (1234 << 16) | 5678, 7) + key
        assert parse_startup(packet) == CancelRequest(7, key)


def test_a_gigabyte_is_refused_at_its_fifth_byte() -> None:
    inbox = Inbox()
    inbox.feed(b"Q" + struct.pack(">i", 1 << 30))
    try:
        inbox.next()
    except ProtocolViolation as violation:
        assert violation.fatal
    else:
        raise AssertionError("it was not refused")


@given(st.text(max_size=60), st.text(max_size=60))
def test_scram_messages(first: str, final: str) -> None:
    server = ScramServer(Verifier.of("x", iterations=1), plus=False, binding=None)
    for step, message in ((server.first, first), (server.final, final)):
        try:
            step(message)
        except ScramError:
            continue
        assert step == server.first and message.startswith(("n,,n=", "y,,n="))


@given(st.text(max_size=12))
def test_verifiers_know_their_password(password: str) -> None:
    verifier = Verifier.of(password, iterations=1)
    assert verifier.fits(password)
    assert not verifier.fits(password + "x")
    assert Verifier.parse(str(verifier)) == verifier


def test_a_query_of_megabytes_is_joined_once_not_again_and_again() -> None:
    """Quadratic copying would take minutes here."""

    async def run() -> None:
        wire = Wire()
        await wire.send(frame("Q", cstr("select 1 " + " " * (32 << 20))), 65536)
        assert wire.replies()[-1] == "ReadyForQuery I"

    asyncio.run(run())
