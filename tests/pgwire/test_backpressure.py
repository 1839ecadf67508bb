"""Nobody's slowness becomes our memory: neither a client that does not read nor one that sends too much."""

from __future__ import annotations

import asyncio

from pgwire.connection import WRITE_HIGH_BYTES
from pgwire.copying import FEED_HIGH_BYTES
from pgwire.session import READ_HIGH_BYTES
from tests.pgwire.live import Client, LiveServer
from tests.pgwire.script import Wire, cstr, encode, frame


def test_a_stream_waits_for_a_client_that_does_not_read() -> None:
    async def run() -> None:
        wire = Wire()
        wire.io.writable = False
        await wire.send(encode("Query slow 1"))  # a message waits as long as nothing can be written
        assert wire.replies() == []
        wire.io.writable = True
        wire.conversation.writable()
        await wire.settle()
        assert wire.replies()[-1] == "ReadyForQuery I"
        await wire.send(encode("Query select 1"))
        wire.replies()

        wire.conversation.receive(encode("Query stream 100000"))
        await asyncio.sleep(0)
        wire.io.writable = False
        await wire.settle()
        held = len(wire.io.written)
        await wire.settle()
        assert len(wire.io.written) == held < 600_000
        wire.io.writable = True
        wire.io.drained.set()
        while not wire.conversation.idle:
            await asyncio.sleep(0)
        assert wire.replies().count("DataRow 99999") == 1

    asyncio.run(run())


def test_reading_stops_while_a_statement_runs_and_goes_on_after_it() -> None:
    async def run() -> None:
        wire = Wire()
        await wire.send(encode("Query sleep"))
        query = encode("Query select 1")
        count = 0
        while not wire.io.holds:
            wire.conversation.receive(query * 1000)
            count += 1000
            assert count * len(query) < 2 * READ_HIGH_BYTES + 100_000, "reading was never held"
        wire.session.cancel()
        await wire.settle()
        assert wire.io.holds == 0
        assert wire.replies().count("DataRow 1") == count

    asyncio.run(run())


def test_copy_data_is_held_while_the_executor_writes() -> None:
    async def run() -> None:
        wire = Wire()
        await wire.send(encode("Query copyin"))
        line = b"1\t" + b"x" * 1000 + b"\n"
        sent = 0
        while not wire.io.holds:
            wire.conversation.receive(frame("d", line) * 100)
            sent += 100
            assert sent * len(line) < 2 * FEED_HIGH_BYTES, "reading was never held"
        await wire.settle()
        assert wire.io.holds == 0
        await wire.send(encode("CopyDone"))
        while not wire.conversation.idle:  # large pieces are decoded in a thread
            await asyncio.sleep(0.001)
        assert f"CommandComplete COPY {sent}" in wire.replies()

    asyncio.run(run())


def test_pipelined_answers_wait_in_the_client_not_here() -> None:
    """A client that sends and sends and never reads is stopped by its own socket."""
    with LiveServer() as server, Client(server.port) as client:
        client.startup()
        client.until_ready()
        client.socket.settimeout(1.0)
        packet = frame("Q", cstr("select 1")) * 1000
        sent = 0
        try:
            while sent < 400 << 20:
                sent += client.socket.send(packet)
        except TimeoutError:
            pass
        assert sent < 400 << 20, "the server read on although nothing was taken from it"
        connection = next(iter(server.server._connections))  # type: ignore[union-attr]
        buffered = server.call(connection._transport.get_write_buffer_size)  # type: ignore[union-attr]
        assert buffered < 4 * WRITE_HIGH_BYTES


def test_one_read_one_write() -> None:
    """All answers to what came in one packet leave in one write."""

    async def run() -> None:
        wire = Wire()
        await wire.send(encode("Query select 1"))
        wire.io.writes = 0
        await wire.send(encode("Query select 1") * 10)
        assert wire.io.writes == 1
        await wire.send(encode("Parse name=s text=select $1") + encode("Sync"))
        wire.io.writes = 0
        five = ["Bind stmt=s values=1", "Describe portal=", "Execute", "Sync"]
        await wire.send(b"".join(map(encode, five)))
        assert wire.io.writes == 1

    asyncio.run(run())
