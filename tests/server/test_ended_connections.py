"""What a connection was made of is freed when it ends, by itself: not when the cycle collector comes by, which a server lets wait for
two hundred thousand objects, some thousands of connections. (One that ends with an open cursor of DuckDB's does wait.)"""

from __future__ import annotations

import asyncio
import gc
from collections import Counter

import psycopg
import pytest
import uvloop

from executor.executor import Executor
from executor.session.session import Session
from pgwire.connection import Connection
from pgwire.server import Server
from pgwire.session import Conversation
from storage.consensus.memory import MemoryConsensus
from txn.environment import Environment

KINDS = (Connection, Conversation, Session)
ENDINGS = {
    "a query": "SELECT 1",
    "a statement of the wide door": "SELECT count(*) FROM generate_series(1, 5000)",
    "an error": "SELECT 1 / 0",
    "an open block": "BEGIN; CREATE TEMPORARY TABLE mine (a int)",
    "a listener": "LISTEN somebody",
    "its own end": "SELECT pg_terminate_backend(pg_backend_pid())",
    "another path": "SET search_path = pg_catalog; SELECT count(*) FROM pg_class",
}


def _alive() -> Counter[str]:
    """Those of clients: the server has sessions of its own, which have no peer."""
    found = [thing for thing in gc.get_objects() if type(thing) in KINDS]
    return Counter(type(thing).__name__ for thing in found if type(thing) is not Session or thing.peer)


@pytest.mark.parametrize("ending", ENDINGS)
def test_nothing_of_it_is_left(ending: str) -> None:
    async def main() -> None:
        environment = await Environment.open(blob="memory://", consensus=MemoryConsensus())
        executor = await Executor.open(environment)
        server = Server(executor)
        loop = server.loop = asyncio.get_running_loop()
        listening = await loop.create_server(lambda: Connection(server), "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]

        def talk() -> None:
            dsn = f"host=127.0.0.1 port={port} user=tidewire dbname=tidewire"
            connection = psycopg.connect(dsn, autocommit=True)
            try:
                connection.execute(ENDINGS[ending])  # type: ignore[call-overload]
            except psycopg.Error:
                assert ending in ("an error", "its own end")
            connection.close()

        async def gone() -> None:
            while _alive() - before:
                await asyncio.sleep(0.01)

        try:
            await asyncio.to_thread(talk)  # who plans a statement first may be known to its plan
            gc.collect()
            gc.disable()
            before = _alive()
            for _ in range(3):
                await asyncio.to_thread(talk)
            await asyncio.wait_for(gone(), 10)
        except TimeoutError:
            pytest.fail(f"still there: {_alive()}")
        finally:
            gc.enable()
            listening.close()
            await executor.close()
            await environment.close()

    uvloop.run(main())
