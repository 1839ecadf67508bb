"""Reads that two engines answer alike, whatever was written since: a table is changed at random between them."""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable, Sequence

from tests.executor.sql import Client

STEPS = 5
CHANGES_A_STEP = 5


async def answers_hold(
    client: Client,
    rng: random.Random,
    reads: Sequence[str],
    changes: Sequence[str],
    made: Callable[[random.Random, str], str],
    asked_both_ways: Callable[..., Awaitable[bool]],
    *,
    in_block: bool,
    second_run: Callable[[], Awaitable[None]] | None = None,
) -> None:
    """All reads after each handful of changes, which a block commits or takes back. `second_run`: fills one up on the way."""
    for step in range(STEPS):
        if in_block:
            await client.query("BEGIN")
        for _ in range(CHANGES_A_STEP):
            await client.query(made(rng, rng.choice(changes)))
        for text in reads:
            asked = made(rng, text)
            assert await asked_both_ways(client, asked, in_block=in_block), asked
        if in_block:
            await client.query(rng.choice(("COMMIT", "ROLLBACK")))
        if step == 2 and second_run is not None:
            await second_run()
