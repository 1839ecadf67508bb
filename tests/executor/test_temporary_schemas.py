"""What a session made for itself alone goes when the session goes, however it goes."""

from __future__ import annotations

import asyncio

import pytest

from tests.executor.sql import Server

LEFT = "SELECT count(*) FROM pg_namespace WHERE nspname LIKE 'pg_temp%'"


async def _gone(server: Server) -> None:
    while await server.client("other").rows(LEFT) != [(0,)]:
        await asyncio.sleep(0.01)


@pytest.mark.parametrize(
    "said",
    [
        ("CREATE TEMP TABLE t (a int)",),
        ("CREATE TEMP TABLE t (a int)", "SELECT 1"),
        ("BEGIN", "CREATE TEMP TABLE t (a int)", "COMMIT"),
        ("CREATE TEMP SEQUENCE s",),
        ("CREATE TEMP VIEW v AS SELECT 1",),
        ("BEGIN", "CREATE TEMP TABLE t (a int)"),
    ],
    ids="; ".join,
)
def test_the_temporary_schema_goes_with_its_session(said: tuple[str, ...]) -> None:
    async def run() -> None:
        async with Server() as server:
            for text in said:
                await server.run("a", text)
            await server.run("a", "quit")
            await asyncio.wait_for(_gone(server), 60)

    asyncio.run(run())


def test_and_when_its_commit_is_known_only_afterwards() -> None:
    async def run() -> None:
        async with Server() as server:
            await server.run("a", "BEGIN")
            await server.run("a", "CREATE TEMP TABLE t (a int)")
            await server.run("", "stall")
            assert await server.run("a", "COMMIT &") == "..."
            committing = server.client("a").background
            assert committing is not None
            await server.run("a", "quit")
            await server.run("", "go")
            await asyncio.gather(committing, return_exceptions=True)
            await asyncio.wait_for(_gone(server), 60)

    asyncio.run(run())
