"""A value that cannot be sent is an error of its statement (XX000), whatever door it came through: the session goes on."""

from __future__ import annotations

import asyncio

import pytest

from tests.pgwire.fake_session import FakeSession
from tests.pgwire.script import Wire, encode


@pytest.mark.parametrize("together", [True, False], ids=["in one packet", "one by one"])
@pytest.mark.parametrize("first", ["select", "slow"])
def test_the_session_goes_on(first: str, together: bool) -> None:
    """Text in a column of int4, asked for in binary."""
    messages = (f"Parse stmt= text={first} wrong", "Bind results=1", "Describe portal=", "Execute", "Sync")
    packets = [encode(m) for m in messages]

    async def run() -> list[str]:
        wire = Wire(FakeSession())
        for packet in [b"".join(packets)] * 2 if together else packets * 2:
            await wire.send(packet, None)
        await wire.send(encode("Query select 1"), None)
        while not wire.conversation.idle:
            await asyncio.sleep(0)
        return wire.replies()

    replies = asyncio.run(run())
    assert [r[:17] for r in replies if r.startswith("Error")] == ["Error ERROR XX000"] * 2
    assert replies[-4:] == [
        "RowDescription ?column?:23",
        "DataRow 1",
        "CommandComplete SELECT 1",
        "ReadyForQuery I",
    ]
