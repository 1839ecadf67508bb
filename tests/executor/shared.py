"""Several servers of one environment in one process, for golden scripts: client `a` (or `a2`) speaks to server a, and so on.

    a: create table ...     server a
    b: select ...           server b, which has to look at the log first
    kill b                  server b is gone, as after `kill -9`
    start b                 and another one comes in its place

The servers share a consensus and a blob store in memory, and nothing else.
"""

from __future__ import annotations

import random
from typing import Any

from executor.executor import Executor
from executor.limits import ExecutorLimits
from storage.blob import open_blob
from storage.consensus.memory import MemoryConsensus
from tests.executor.sql import Client, Server
from txn.limits import Limits
from txn.oracle import SystemClock
from txn.shared import SharedEnvironment


class Follower(Client):
    """A client whose statements are planned with the present catalog, as the wire does it."""

    async def query(self, text: str) -> Any:
        if self.session.behind:
            await self.session.caught_up()
        return await super().query(text)


class Servers:
    """See the module. `synchronous`: whether a look at the log is to be had on the spot."""

    def __init__(self, *, synchronous: bool) -> None:
        self.synchronous = synchronous
        self.consensus = MemoryConsensus(synchronous=synchronous)
        self.blob: Any = None
        self.servers: dict[str, Server] = {}
        self.clients: dict[str, Follower] = {}

    async def __aenter__(self) -> Servers:
        self.blob = await open_blob("memory://", random.Random(1), SystemClock())
        return self

    async def __aexit__(self, *exc: object) -> None:
        for server in self.servers.values():
            await server.executor.close()
            await server.env.close()

    async def server(self, name: str) -> Server:
        server = self.servers.get(name)
        if server is None:
            server = self.servers[name] = Server(ExecutorLimits())
            env = await SharedEnvironment.open(blob=self.blob, consensus=self.consensus, limits=Limits())
            if not self.synchronous:
                env.committer.moved_now = env.frontier._moved_now = lambda seqno: None
            server.env = env
            server.executor = await Executor.open(env)
        return server

    async def run(self, name: str, text: str) -> str:
        """A line of a golden script."""
        if not name:
            verb, which = text.split()
            if verb == "kill":
                server = self.servers.pop(which)
                self.clients = {n: c for n, c in self.clients.items() if n[0] != which}
                server.env.abandon()
                await server.executor.close()
            else:
                assert verb == "start", text
                await self.server(which)
            return ""
        server = await self.server(name[0])
        if name not in self.clients:
            session = server.executor.open_session("tidewire", "tidewire", {})
            self.clients[name] = server.clients[name] = Follower(session)
        return await server.run(name, text)
