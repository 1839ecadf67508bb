"""A portal that is read in pieces gives every row once, in order, whatever each Execute asks for and what was encoded ahead."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import Iterable

import pytest

from planner.types import DEFAULT_SETTINGS
from tests.pgwire.fake_session import FakeSession
from tests.pgwire.script import Wire, encode

ROWS = 3456  # in batches of a thousand


def read(
    limits: Iterable[int], *, other_settings: bool = False, at_hand: bool = False
) -> tuple[list[list[str]], bool]:
    """The rows that each Execute brought, and whether some were ever encoded ahead."""

    async def run() -> tuple[list[list[str]], bool]:
        wire = Wire(FakeSession())
        wire.session.has_at_hand = at_hand
        session, found, ahead = wire.session, [], False
        await wire.send(encode("Query begin") + encode(f"Parse text=stream {ROWS}") + encode("Bind portal=p"))
        wire.replies()
        for limit in limits:
            await wire.send(encode(f"Execute portal=p limit={limit}") + encode("Sync"))
            while not wire.conversation.idle:
                await asyncio.sleep(0)
            *rows, end, _ = wire.replies()
            found.append(rows)
            ahead = ahead or session.portals["p"].encoded is not None
            if other_settings:
                session.type_settings = dataclasses.replace(DEFAULT_SETTINGS)
            if end != "PortalSuspended":
                assert end == f"CommandComplete SELECT {len(rows)}"
                return found, ahead
        raise AssertionError("the portal has no end")

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("limits", "ahead"),
    [
        ([1] * (ROWS + 1), True),
        ([7] * 500, True),
        ([100] * 40, True),
        ([300] * 12, True),
        ([10, 10, 10, 30, 30, 5, 5, 5, 5, 1000, 100, 100, 5000], True),
        ([1000] * 4, False),
        ([1728, 1728, 1], True),
        ([5000], False),
        ([0], False),
    ],
    ids=lambda value: str(value)[:24],
)  # fmt: skip
def test_every_row_comes_once(limits: list[int], ahead: bool) -> None:
    found, was_ahead = read(limits)
    assert [row for rows in found for row in rows] == [f"DataRow {i}" for i in range(ROWS)]
    assert was_ahead is ahead
    for rows, limit in zip(found[:-1], limits, strict=False):
        assert len(rows) == limit


def test_other_settings_are_those_of_the_next_execute() -> None:
    found, _ = read([100] * 40, other_settings=True)
    assert [row for rows in found for row in rows] == [f"DataRow {i}" for i in range(ROWS)]


@pytest.mark.parametrize(
    "limits",
    [[1] * (ROWS + 1), [100] * 40, [700] * 5, [1000] * 4, [1728] * 3, [300, 2000, 2000]],
    ids=lambda value: str(value)[:12],
)
def test_rows_that_are_at_hand_are_made_ready_in_their_order(limits: list[int]) -> None:
    """The batch behind the one that is being sent may be there already: the next Execute's rows may be of both."""
    found, ahead = read(limits, at_hand=True)
    assert [row for rows in found for row in rows] == [f"DataRow {i}" for i in range(ROWS)]
    assert ahead
    for rows, limit in zip(found[:-1], limits, strict=False):
        assert len(rows) == limit
