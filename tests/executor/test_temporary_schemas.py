"""What a session made for itself alone goes when the session goes, however it goes."""

from __future__ import annotations

import asyncio

import pytest

from tests.executor.shared import Servers
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


def test_what_a_dead_servers_sessions_made_goes_when_it_is_missed_twice() -> None:
    """Its process may be started anew while the dead one is believed to be alive: nobody looked again after that."""
    named = "SELECT relname FROM pg_class WHERE relname LIKE 'mine_' ORDER BY 1"

    async def run() -> None:
        async with Servers(synchronous=True) as servers:
            await servers.run("a", "CREATE TEMP TABLE mine1 (a int)")
            await servers.run("b", "CREATE TEMP TABLE mine2 (a int)")
            await servers.run("c", "CREATE TEMP TABLE mine3 (a int)")
            left_behind = servers.servers["a"].executor.left_behind
            await servers.run("", "kill b")
            await servers.run("", "start b")
            for _ in range(3):
                await left_behind.look()
            assert await servers.run("a", named) == "mine1\nmine2\nmine3\nSELECT 3"
            await servers.run("", "pass 30")
            await left_behind.look()
            assert await servers.run("a", named) == "mine1\nmine2\nmine3\nSELECT 3"
            await left_behind.look()
            assert await servers.run("a", named) == "mine1\nmine3\nSELECT 2"
            assert await servers.run("c", "SELECT count(*) FROM mine3") == "0\nSELECT 1"

    asyncio.run(run())


@pytest.mark.parametrize(
    "before", [(), ("SELECT 1",), ("BEGIN",), ("BEGIN", "SELECT a FROM t")], ids="; ".join
)
def test_a_session_that_comes_back_too_late_ends(before: tuple[str, ...]) -> None:
    """What it has in its temporary table would be looked for, and written, in everybody's of the same name."""

    async def run() -> None:
        async with Servers(synchronous=True) as servers:
            await servers.run("a", "CREATE TABLE t (a int)")
            await servers.run("a", "INSERT INTO t VALUES (1)")
            await servers.run("b2", "CREATE TEMP TABLE r (a int)")
            await servers.run("b2", "DISCARD TEMP")
            await servers.run("b", "CREATE TEMP TABLE t (a int)")
            for text in before:
                await servers.run("b", text)
            await servers.run("", "stall b")
            await servers.run("", "pass 90")
            left_behind = servers.servers["a"].executor.left_behind
            await left_behind.look()
            await left_behind.look()
            assert await servers.run("a", LEFT) == "0\nSELECT 1"
            await servers.run("", "wake b")
            await servers.run("", "pass 5")
            said = await servers.run("b", "DELETE FROM t")
            assert "57P01" in said and "temporary tables were dropped" in said
            assert await servers.run("b2", "SELECT a FROM t") == "1\nSELECT 1"
            assert (await servers.run("b", "SELECT a FROM t")).endswith("1\nSELECT 1")  # in a new session

    asyncio.run(run())
