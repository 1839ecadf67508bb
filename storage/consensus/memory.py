"""Consensus in a dict: for tests, for simulation, and as the shortest statement of the contract.

Everything happens between two awaits, so every operation is atomic. A **fault plan** may be hung
in: it is asked before an operation (to delay it, or to fail it *determinately*: nothing happened)
and after it (to delay the answer, or to lose it: *indeterminate*, though it did happen). That is
all a simulation needs to know about a remote service's ways of being bad.

    before(op, shard)      raise Determinate / Indeterminate   -> nothing was done
    ... the operation ...
    after(op, shard)       raise Indeterminate                 -> done, and nobody was told

Several "processes" of one simulation share one object, as real ones share one database.
"""

from __future__ import annotations

from typing import Protocol

from storage.abc import LogEntry, SeqnoMismatch, ShardId


class Faults(Protocol):
    """What may go wrong around an operation. `op` is the method's name.

    The `_now` pair surrounds `append_now`, which cannot await.
    """

    async def before(self, op: str, shard: ShardId) -> None: ...

    async def after(self, op: str, shard: ShardId) -> None: ...

    def before_now(self, op: str, shard: ShardId) -> None: ...

    def after_now(self, op: str, shard: ShardId) -> None: ...


class _Log:
    """One shard's entries: `first` is the seqno of `entries[0]`."""

    __slots__ = ("entries", "first")

    def __init__(self) -> None:
        self.first = 1
        self.entries: list[tuple[bytes, bytes]] = []

    @property
    def last(self) -> int:
        return self.first + len(self.entries) - 1


class MemoryConsensus:
    """See `storage.abc.Consensus`. Nothing survives the process."""

    def __init__(self, faults: Faults | None = None, *, synchronous: bool = True) -> None:
        self.synchronous = synchronous
        self.faults = faults
        self._logs: dict[ShardId, _Log] = {}

    async def head(self, shard: ShardId) -> LogEntry | None:
        await self._before("head", shard)
        log = self._logs.get(shard)
        entry = None if log is None or not log.entries else LogEntry(log.last, log.entries[-1][0])
        await self._after("head", shard)
        return entry

    async def scan(self, shard: ShardId, from_seqno: int, limit: int = 10_000) -> list[LogEntry]:
        await self._before("scan", shard)
        found: list[LogEntry] = []
        log = self._logs.get(shard)
        if log is not None:
            start = max(from_seqno, log.first) - log.first
            for i, (data, _) in enumerate(log.entries[start : start + limit]):
                found.append(LogEntry(log.first + start + i, data))
        await self._after("scan", shard)
        return found

    async def compare_and_append(self, shard: ShardId, expected_seqno: int, data: bytes, token: bytes) -> int:
        await self._before("compare_and_append", shard)
        seqno = self._append(shard, expected_seqno, data, token)
        await self._after("compare_and_append", shard)
        return seqno

    def append_now(self, shard: ShardId, expected_seqno: int, data: bytes, token: bytes) -> int:
        if self.faults is None:
            return self._append(shard, expected_seqno, data, token)
        self.faults.before_now("append_now", shard)
        seqno = self._append(shard, expected_seqno, data, token)
        self.faults.after_now("append_now", shard)
        return seqno

    def last_now(self, shard: ShardId) -> int:
        """The log's last seqno, 0 for an empty one (for a watch)."""
        log = self._logs.get(shard)
        return 0 if log is None else log.last

    async def truncate(self, shard: ShardId, below_seqno: int) -> int:
        await self._before("truncate", shard)
        log = self._logs.get(shard)
        count = 0
        if log is not None and log.entries:
            count = max(0, min(below_seqno, log.last) - log.first)
            del log.entries[:count]
            log.first += count
        await self._after("truncate", shard)
        return count

    async def shards(self) -> list[ShardId]:
        await self._before("shards", "")
        names = sorted(self._logs)
        await self._after("shards", "")
        return names

    async def delete(self, shard: ShardId) -> None:
        await self._before("delete", shard)
        self._logs.pop(shard, None)
        await self._after("delete", shard)

    async def close(self) -> None:
        """Keeps the logs: the next "process" finds them."""

    def _append(self, shard: ShardId, expected: int, data: bytes, token: bytes) -> int:
        log = self._logs.get(shard)
        last = 0 if log is None else log.last
        if expected != last:
            i = -1 if log is None else expected + 1 - log.first
            if log is not None and 0 <= i < len(log.entries) and log.entries[i][1] == token:
                return expected + 1
            raise SeqnoMismatch(shard, expected, last)
        if log is None:
            log = self._logs[shard] = _Log()
        log.entries.append((bytes(data), bytes(token)))
        return expected + 1

    async def _before(self, op: str, shard: ShardId) -> None:
        if self.faults is not None:
            await self.faults.before(op, shard)

    async def _after(self, op: str, shard: ShardId) -> None:
        if self.faults is not None:
            await self.faults.after(op, shard)
