"""Stores that fail as remote services do, and processes that die.

A `Process` sees the world's one consensus and blob store through doors of its own. At each door,
before and after the operation itself, the seed decides: a delay; a determinate failure (nothing
happened); a lost answer (it happened, or happens later, or never, and nobody is told); or death: the process
never gets an answer again, for this or anything else. Death between any two awaits is thus as likely as the operations are.
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from storage.abc import BlobInfo, Determinate, Indeterminate, LogEntry, SeqnoMismatch
from storage.blob import MemoryBlob
from storage.consensus import MemoryConsensus


class Crash(BaseException):
    """The process is gone: raised where it cannot be made to wait for ever."""


@dataclass
class Odds:
    """How likely each misfortune is, per operation; delays in seconds."""

    delay_mean_s: float = 0.002
    determinate: float = 0.0
    lost: float = 0.0
    crash: float = 0.0

    @classmethod
    def none(cls) -> Odds:
        return cls(0.0)


class SimClock:
    """A machine's wall clock: simulated time, plus an error that jumps."""

    def __init__(self) -> None:
        self.error_us = 0

    def now_us(self) -> int:
        return max(1, 1_000_000_000 + int(asyncio.get_running_loop().time() * 1e6) + self.error_us)


class ArchivedConsensus(MemoryConsensus):
    """Remembers every entry that was ever appended: the truth that runs are judged by."""

    def __init__(self) -> None:
        super().__init__()
        self.archive: dict[str, list[bytes]] = {}

    def _append(self, shard: str, expected: int, data: bytes, token: bytes) -> int:
        before = self._logs[shard].last if shard in self._logs else 0
        seqno = super()._append(shard, expected, data, token)
        if self._logs[shard].last != before:
            self.archive.setdefault(shard, []).append(bytes(data))
        return seqno


class Process:
    """One server process: its doors, its clock, and whether it lives."""

    def __init__(self, name: str, rng: random.Random, odds: Odds) -> None:
        self.name, self.rng, self.odds = name, rng, odds
        self.clock = SimClock()
        self.dead: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.operations = 0
        self._stalled_until_s = 0.0
        self._limbo: list[
            asyncio.Future[None]
        ] = []  # what the dead wait for; kept, so they are not collected

    @property
    def alive(self) -> bool:
        return not self.dead.done()

    def die(self) -> None:
        if self.alive:
            self.dead.set_result(None)

    async def gone(self) -> None:
        limbo: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._limbo.append(limbo)
        await limbo

    def misfortune(self) -> str:
        """What happens at this point of an operation."""
        self.operations += 1
        odds, draw = self.odds, self.rng.random()
        for what, chance in (("crash", odds.crash), ("determinate", odds.determinate), ("lost", odds.lost)):
            if draw < chance:
                return what
            draw -= chance
        return ""

    def stall(self, seconds: float) -> None:
        """As SIGSTOP and, later, SIGCONT: until then nothing gets through its doors that can be made to wait."""
        self._stalled_until_s = asyncio.get_running_loop().time() + seconds

    async def pause(self) -> None:
        stalled_s = self._stalled_until_s - asyncio.get_running_loop().time()
        if stalled_s > 0:
            await asyncio.sleep(stalled_s)
        if self.odds.delay_mean_s:
            await asyncio.sleep(self.rng.expovariate(1 / self.odds.delay_mean_s))
        if not self.alive:
            await self.gone()

    async def through(self, operation: Callable[[], Awaitable[Any]]) -> Any:
        """One operation through this process's door."""
        await self.pause()
        match self.misfortune():
            case "crash":
                self.die()
                await self.gone()
            case "determinate":
                raise Determinate("injected: it did not happen")
            case "lost":
                if self.rng.random() < 0.5:
                    self._later(operation)
                raise Indeterminate("injected: no answer, it may still happen")
        result = await operation()
        await self.pause()
        match self.misfortune():
            case "crash":
                self.die()
                await self.gone()
            case "lost":
                raise Indeterminate("injected: the answer was lost")
        return result

    def _later(self, operation: Callable[[], Awaitable[Any]]) -> None:
        """The request is still on its way, and arrives when nobody waits for it any more."""

        async def arrive() -> None:
            await asyncio.sleep(self.rng.expovariate(1 / (20 * self.odds.delay_mean_s + 0.001)))
            with contextlib.suppress(SeqnoMismatch, Determinate):  # it may come too late
                await operation()

        task = asyncio.ensure_future(arrive())
        _arriving.add(task)
        task.add_done_callback(_arriving.discard)

    def through_now(self, operation: Callable[[], Any]) -> Any:
        """The same where one cannot wait."""
        if not self.alive:
            raise Crash
        match self.misfortune():
            case "crash":
                self.die()
                raise Crash
            case "determinate":
                raise Determinate("injected: it did not happen")
            case "lost":
                raise Indeterminate("injected: no answer, it did not happen")
        result = operation()
        match self.misfortune():
            case "crash":
                self.die()
                raise Crash
            case "lost":
                raise Indeterminate("injected: the answer was lost")
        return result


_arriving: set[asyncio.Task[None]] = set()


class ConsensusDoor:
    """The consensus as one process sees it."""

    def __init__(self, inner: MemoryConsensus, process: Process, *, synchronous: bool) -> None:
        self.inner, self.process, self.synchronous = inner, process, synchronous

    async def head(self, shard: str) -> LogEntry | None:
        return await self.process.through(lambda: self.inner.head(shard))

    async def scan(self, shard: str, from_seqno: int, limit: int = 10_000) -> list[LogEntry]:
        return await self.process.through(lambda: self.inner.scan(shard, from_seqno, limit))

    async def compare_and_append(self, shard: str, expected: int, data: bytes, token: bytes) -> int:
        return await self.process.through(lambda: self.inner.compare_and_append(shard, expected, data, token))

    def append_now(self, shard: str, expected: int, data: bytes, token: bytes) -> int:
        return self.process.through_now(lambda: self.inner.append_now(shard, expected, data, token))

    async def truncate(self, shard: str, below_seqno: int) -> int:
        return await self.process.through(lambda: self.inner.truncate(shard, below_seqno))

    async def shards(self) -> list[str]:
        return await self.process.through(self.inner.shards)

    async def delete(self, shard: str) -> None:
        await self.process.through(lambda: self.inner.delete(shard))

    async def close(self) -> None:
        pass


class BlobDoor:
    """The blob store as one process sees it."""

    url = "memory://"

    def __init__(self, inner: MemoryBlob, process: Process) -> None:
        self.inner, self.process = inner, process

    async def get(self, key: str) -> bytes:
        return await self.process.through(lambda: self.inner.get(key))

    async def put(self, key: str, data: bytes) -> None:
        await self.process.through(lambda: self.inner.put(key, data))

    async def delete(self, key: str) -> None:
        await self.process.through(lambda: self.inner.delete(key))

    async def list(self, prefix: str) -> AsyncIterator[BlobInfo]:
        await self.process.pause()
        async for info in self.inner.list(prefix):
            yield info
