"""What is read by indexes and what is not: phantoms and write skew are refused, others' rows refuse nobody."""

from __future__ import annotations

import asyncio
import random

import pytest

from executor.snapshot import SnapshotLimits
from tests.executor.indexed_histories import Played, filled, judge
from tests.executor.shared import Follower, Servers
from tests.executor.sql import Client, Failed, Server

SMALL = SnapshotLimits(versions_max=12, check_every=3, runs_max=2)
"""Rows leave memory for runs, and these are merged, all the time."""


@pytest.mark.parametrize("limits", [SnapshotLimits(), SMALL], ids=["in memory", "in runs"])
@pytest.mark.parametrize(("seed", "level"), [(0, "STRICT SERIALIZABLE"), (1, "SERIALIZABLE")])
def test_histories_are_serializable(seed: int, level: str, limits: SnapshotLimits) -> None:
    async def run() -> None:
        async with Server() as server:
            server.executor.store.limits = limits
            client = server.client()
            await filled(client, "")
            await filled(client, "again_")
            played = Played([server.client(f"c{i}") for i in range(5)], random.Random(seed), level)
            await played.run(120)
            assert len(played.committed) > 40
            assert not await judge(client, played, "again_")

    asyncio.run(run())


@pytest.mark.parametrize(("seed", "synchronous"), [(0, True), (1, False)])
def test_histories_of_two_servers_are_serializable(seed: int, synchronous: bool) -> None:
    """What others have committed is in memory as own commits are, and was written in the same columns."""

    async def run() -> None:
        async with Servers(synchronous=synchronous) as servers:
            clients: list[Client] = []
            for name in "ab":
                server = await servers.server(name)
                for i in range(3):
                    session = server.executor.open_session("tidewire", "tidewire", {})
                    clients.append(Follower(session))
                    server.clients[f"{name}{i}"] = clients[-1]
            await filled(clients[0], "")
            await filled(clients[0], "again_")
            played = Played(clients, random.Random(seed), "STRICT SERIALIZABLE")
            await played.run(80)
            assert len(played.committed) > 20
            assert not await judge(clients[0], played, "again_")

    asyncio.run(run())


async def _both(server: Server, read: str, write: str) -> str:
    """a reads, b writes beside it and commits; each has seen nothing of the other. What a's COMMIT comes to."""
    a, b = server.client("a"), server.client("b")
    await a.query("BEGIN")
    await b.query("BEGIN")
    await a.query(read)
    await b.query("SELECT count(*) FROM out")
    await b.query(write)
    await b.query("COMMIT")
    await a.query("INSERT INTO out VALUES (1)")
    try:
        await a.query("COMMIT")
    except Failed as failed:
        await a.query("ROLLBACK")
        return failed.sqlstate
    return "fine"


OF_A_KEY = "SELECT id, v FROM t WHERE k = 2"
OF_A_RANGE = "SELECT id FROM t WHERE k = 2 AND p BETWEEN 1 AND 2 ORDER BY id"
OF_SOME = "SELECT id FROM t WHERE v = 2 AND NOT done"
OF_AN_EXPRESSION = "SELECT id FROM t WHERE lower(w) = 'w2'"
JOINED = "SELECT s.id, t.v FROM s JOIN t ON t.k = s.id WHERE s.id = 2"
FIRST = "SELECT p FROM t ORDER BY p LIMIT 1"
LISTED = "SELECT id FROM t WHERE k IN (2, 4)"
WRITTEN = "UPDATE t SET done = true WHERE k = 2 AND v > 2"
LOCKED = "SELECT id FROM t ORDER BY p LIMIT 1 FOR UPDATE"
TAKEN = "UPDATE t SET done = true WHERE id IN (SELECT id FROM t WHERE k = 2 ORDER BY p, id LIMIT 1 FOR UPDATE SKIP LOCKED)"
COMES = "INSERT INTO t VALUES (100, 2, {p}, 2, 'W2', false)"
ELSEWHERE = "INSERT INTO t VALUES (100, 3, 1, 3, 'W3', false)"
"""Rows of k = 2: ids 2 (p 2, v 2, done), 8 (p 0, v 3), 14 (p 2, v 4), 20 (p 0, v 0), 26 (p 2, v 1)."""


CASES = [
    (OF_A_KEY, COMES.format(p=1), "40001"),
    (OF_A_KEY, ELSEWHERE, "fine"),
    (OF_A_KEY, "UPDATE t SET v = v + 1 WHERE id = 8", "40001"),
    (OF_A_KEY, "UPDATE t SET w = 'x' WHERE id = 8", "fine"),  # a column that was not read
    (OF_A_KEY, "UPDATE t SET v = v + 1 WHERE id = 9", "fine"),  # of another key
    (OF_A_KEY, "UPDATE t SET k = 3 WHERE id = 8", "40001"),
    (OF_A_KEY, "UPDATE t SET k = 2 WHERE id = 9", "40001"),
    (OF_A_KEY, "UPDATE t SET k = 2 WHERE id = 5", "40001"),  # of those that have no key
    (OF_A_KEY, "UPDATE t SET k = 4 WHERE id = 9", "fine"),
    (OF_A_KEY, "DELETE FROM t WHERE id = 8", "40001"),
    (OF_A_KEY, "DELETE FROM t WHERE id = 9", "fine"),
    (OF_A_KEY, "UPDATE t SET id = 200 WHERE id = 8", "40001"),
    ("SELECT id FROM t WHERE k IS NULL", "UPDATE t SET k = NULL WHERE id = 9", "40001"),
    ("SELECT id FROM t WHERE k = 77", "INSERT INTO t VALUES (100, 77, 1, 1, 'W', false)", "40001"),
    (OF_A_RANGE, COMES.format(p=1), "40001"),
    (OF_A_RANGE, COMES.format(p=3), "fine"),
    (OF_A_RANGE, "UPDATE t SET p = 1 WHERE id = 8", "40001"),
    (OF_A_RANGE, "UPDATE t SET p = 3 WHERE id = 8", "fine"),
    (OF_A_RANGE, "UPDATE t SET p = 3 WHERE id = 2", "40001"),
    (OF_SOME, "UPDATE t SET done = NOT done WHERE id = 2", "40001"),
    (OF_SOME, "UPDATE t SET done = NOT done WHERE id = 8", "fine"),
    (OF_SOME, "UPDATE t SET v = 2 WHERE id = 8", "40001"),
    (OF_SOME, "UPDATE t SET v = 2 WHERE id = 9", "fine"),  # it is done
    (OF_AN_EXPRESSION, "UPDATE t SET w = 'w2' WHERE id = 8", "40001"),
    (OF_AN_EXPRESSION, "UPDATE t SET w = 'w9' WHERE id = 2", "40001"),
    (OF_AN_EXPRESSION, "UPDATE t SET w = 'w9' WHERE id = 8", "fine"),
    (JOINED, COMES.format(p=1), "40001"),
    (JOINED, ELSEWHERE, "fine"),
    (JOINED, "UPDATE t SET v = 9 WHERE id = 9", "fine"),
    (JOINED, "UPDATE s SET name = 'x' WHERE id = 2", "fine"),
    (JOINED, "DELETE FROM s WHERE id = 2", "40001"),
    (FIRST, COMES.format(p=-1), "40001"),
    (FIRST, COMES.format(p=1), "fine"),  # behind the first one
    (FIRST, "UPDATE t SET p = 7 WHERE id = 2", "fine"),
    (FIRST, "UPDATE t SET p = -7 WHERE id = 2", "40001"),
    (LISTED, COMES.format(p=1), "40001"),
    (LISTED, ELSEWHERE, "fine"),
    (WRITTEN, COMES.format(p=1), "40001"),
    (WRITTEN, ELSEWHERE, "fine"),
    (WRITTEN, "UPDATE t SET v = 5 WHERE id = 9", "fine"),
    (LOCKED, COMES.format(p=-1), "40001"),
    (LOCKED, COMES.format(p=1), "fine"),
    (LOCKED, "UPDATE t SET v = 9 WHERE id = 9", "fine"),
    (TAKEN, COMES.format(p=-1), "fine"),  # what SKIP LOCKED did not get it has not read
    (TAKEN, "UPDATE t SET v = 9 WHERE id = 14", "fine"),
]


@pytest.mark.parametrize("where", ["in memory", "in a run", "own writes"])
def test_what_refuses_whom(where: str) -> None:
    async def run() -> None:
        async with Server() as server:
            client = server.client()
            if where == "in a run":
                server.executor.store.limits = SnapshotLimits(versions_max=8, check_every=1)
            await client.query("CREATE TABLE out (n int)")
            for read, write, what in CASES:
                await filled(client, "")
                for _ in range(2):
                    await client.query("BEGIN")
                    await client.query(read)
                    await client.query("ROLLBACK")
                await server.executor.store.settled()
                session = client.session
                table = session.catalog.resolve_table("t", None, session.search_path(), -1)
                assert bool(server.executor.store.image(table.shard).runs) == (where == "in a run")
                own = "UPDATE t SET v = 77 WHERE id = 29; " if where == "own writes" else ""
                assert (await _both(server, own + read, write), read, write) == (what, read, write)
                await client.query("DROP TABLE s, t")

    asyncio.run(run())
