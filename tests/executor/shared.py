"""Several servers of one environment in one process, for golden scripts: client `a` (or `a2`) speaks to server a, and so on.

    a: create table ...     server a
    b: select ...           server b, which has to look at the log first
    kill b                  server b is gone, as after `kill -9`
    stop b                  server b ends in order
    start b                 and another one comes in its place
    stall b                 server b does nothing any more, and believes that it is still the same moment
    wake b                  until now; what has happened meanwhile it learns by what its clients do, or by `pass`
    pass 30                 seconds, after each of which everybody who runs reads the log and says that he is alive
    lose consensus          nobody reaches it any more
    find consensus          until now

The servers share a consensus and a blob store in memory, and nothing else. A session that is ended by its server says `ended` and
why before its client says anything again, and the client's next command comes in a new one.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from functools import partial
from typing import Any

from executor.executor import Executor
from executor.limits import ExecutorLimits
from storage.abc import Determinate, StorageError
from storage.blob import open_blob
from storage.consensus.memory import MemoryConsensus
from tests.executor.sql import Client, Server
from txn.abc import TxnError
from txn.limits import Limits
from txn.oracle import SystemClock
from txn.shared import SharedEnvironment

HANG_S = 240.0


class Follower(Client):
    """A client whose statements are planned with the present catalog, as the wire does it."""

    async def query(self, text: str) -> Any:
        if self.session.behind:
            await self.session.caught_up()
        return await super().query(text)


class OutOfReach:
    """Faults of the consensus: nothing is done, and whoever asks hears so."""

    async def before(self, op: str, shard: str) -> None:
        self.before_now(op, shard)

    async def after(self, op: str, shard: str) -> None:
        pass

    def before_now(self, op: str, shard: str) -> None:
        raise Determinate("the consensus is out of reach")

    def after_now(self, op: str, shard: str) -> None:
        pass


class Servers:
    """See the module. `synchronous`: whether a look at the log is to be had on the spot."""

    def __init__(self, *, synchronous: bool) -> None:
        self.synchronous = synchronous
        self.consensus = MemoryConsensus(synchronous=synchronous)
        self.blob: Any = None
        self.servers: dict[str, Server] = {}
        self.clients: dict[str, Follower] = {}
        self.now_s = 0.0
        self.stalled: set[str] = set()
        self.ended: dict[str, Exception] = {}

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
            env = await SharedEnvironment.open(
                blob=self.blob, consensus=self.consensus, limits=Limits(), monotonic_s=lambda: self.now_s
            )
            if not self.synchronous:
                env.committer.moved_now = env.frontier._moved_now = lambda seqno: None
            server.env = env
            server.executor = await Executor.open(env)
        return server

    async def run(self, name: str, text: str) -> str:
        """A line of a golden script."""
        if not name:
            verb, what = text.split()
            await _VERBS[verb](self, what)
            return ""
        lines: list[str] = []
        if text != "wait":
            self._new_session_after_end(name, lines)
        server = await self.server(name[0])
        if name not in self.clients:
            session = server.executor.open_session("tidewire", "tidewire", {})
            self.clients[name] = server.clients[name] = Follower(session)
            session.on_terminate = partial(self._end, name)
        if text.endswith(" &"):
            lines.append(await self._begin(server, self.clients[name], text[:-2]))
        else:
            lines.append(await server.run(name, text))
        if text == "quit":
            del self.clients[name]
        await asyncio.sleep(0)  # what was to be done at once has been
        self._new_session_after_end(name, lines)
        return "\n".join(line for line in lines if line)

    async def _begin(self, server: Server, client: Follower, text: str) -> str:
        """Until it has answered, or waits for a lock."""
        running = client.background = asyncio.get_running_loop().create_task(client.run(text))
        env, pid = server.env, client.session.pid
        assert isinstance(env, SharedEnvironment)
        async with asyncio.timeout(HANG_S):
            while not running.done():
                if env.locks.blockers(pid) or env.session_locks.is_waiting(pid):
                    return "..."
                await asyncio.sleep(0.001)
        client.background = None
        return running.result()

    def _end(self, name: str, reason: Exception) -> None:
        self.ended[name] = reason

    def _new_session_after_end(self, name: str, lines: list[str]) -> None:
        ended = self.ended.pop(name, None)
        if ended is not None:
            lines.append(f"ended: {ended}")
            self.clients.pop(name).session.close()

    async def _kill(self, which: str) -> None:
        server = self.servers.pop(which)
        self.clients = {n: c for n, c in self.clients.items() if n[0] != which}
        server.env.abandon()
        await server.executor.close()

    async def _stop(self, which: str) -> None:
        server = self.servers.pop(which)
        await server.executor.close()
        await server.env.close()

    async def _start(self, which: str) -> None:
        await self.server(which)

    async def _stall(self, which: str) -> None:
        self.stalled.add(which)
        env = self.servers[which].env
        for task in env._background:
            task.cancel()
        await asyncio.gather(*env._background, return_exceptions=True)
        env._background.clear()

    async def _wake(self, which: str) -> None:
        self.stalled.remove(which)

    async def _pass(self, seconds: str) -> None:
        for _ in range(int(seconds)):
            self.now_s += 1
            for name, server in self.servers.items():
                if name not in self.stalled:
                    if self.consensus.faults is None:
                        await server.env.lead()
                    else:
                        with contextlib.suppress(
                            StorageError, TxnError
                        ):  # as the task that follows the log does
                            await server.env.lead()
                    await server.env.say_alive()

    async def _lose(self, _: str) -> None:
        self.consensus.faults = OutOfReach()

    async def _find(self, _: str) -> None:
        self.consensus.faults = None


_VERBS = {
    "kill": Servers._kill,
    "stop": Servers._stop,
    "start": Servers._start,
    "stall": Servers._stall,
    "wake": Servers._wake,
    "pass": Servers._pass,
    "lose": Servers._lose,
    "find": Servers._find,
}
