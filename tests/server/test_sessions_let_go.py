"""What a client leaves behind when it goes: nothing that waits for Python's cycle collector, which hardly ever looks at what is old.

Connections of a pool live for hours. What of one held itself would stay for good, with its statements, their plans and catalogs.
"""

from __future__ import annotations

import asyncio
import gc
from collections import Counter

import psycopg
import pytest

from pgwire.server import Server as WireServer
from tests.executor.sql import Server

CLIENTS = 30
KEPT = (
    "Session",
    "Conversation",
    "Prepared",
    "Four",
    "Usual",
    "Said",
    "Portal",
    "CursorPortal",
    "CursorRows",
    "Block",
)


@pytest.mark.parametrize(
    "texts",
    [
        ["SELECT v FROM things WHERE k = 3", "SELECT count(*) FROM things"],
        ["BEGIN", "UPDATE things SET v = v + 1 WHERE k = 3", "SELECT v FROM things WHERE k = 3", "COMMIT"]
        * 3,
        ["BEGIN", "DECLARE c CURSOR FOR SELECT * FROM things", "FETCH 3 FROM c", "COMMIT"],
        ["PREPARE a AS SELECT $1::int + 1", "EXECUTE a(1)", "DEALLOCATE a"],
        ["LISTEN somebody", "NOTIFY somebody", "UNLISTEN *"],
        ["SET work_mem = '8MB'", "SHOW work_mem", "BEGIN", "SAVEPOINT a", "ROLLBACK TO a", "ROLLBACK"],
        ["BEGIN", "SELECT * FROM things WHERE k = 5 FOR UPDATE"],
    ],
)
@pytest.mark.parametrize("prepared", [True, False], ids=["prepared", "not prepared"])
def test_who_goes_leaves_nothing(texts: list[str], prepared: bool) -> None:
    async def client(port: int) -> None:
        info = f"host=127.0.0.1 port={port} user=tidewire dbname=tidewire"
        async with await psycopg.AsyncConnection.connect(info, autocommit=True) as connection:
            for text in texts * 2:
                await connection.execute(text, prepare=prepared)  # type: ignore[arg-type]

    async def run() -> Counter[str]:
        async with Server() as server:
            await server.run("a", "CREATE TABLE things (k int PRIMARY KEY, v int)")
            await server.run("a", "INSERT INTO things SELECT g, g FROM generate_series(1, 100) g")
            wire = WireServer(server.executor)
            _, port = await wire.listen("127.0.0.1", 0)
            await client(port)
            gc.collect()
            before = _alive()
            gc.disable()
            try:
                for _ in range(CLIENTS):
                    await client(port)
                while len(server.executor.sessions) > 1:
                    await asyncio.sleep(0.01)
                return _alive() - before
            finally:
                gc.enable()
                await wire.drain()

    left = asyncio.run(run())
    assert max(left.values(), default=0) < CLIENTS / 2, left


def _alive() -> Counter[str]:
    return Counter(name for o in gc.get_objects() if (name := type(o).__name__) in KEPT)
