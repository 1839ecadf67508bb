"""The txns shard's operations one by one, at timestamps of the caller's choosing.

    handle = await TxnsHandle.open(blob=blob, consensus=consensus, clock=clock, rng=rng)
    await handle.register(1, {"t1": schema, "t2": schema})
    txn = handle.begin()
    txn.insert("t1", rid, row)
    txn.delete("t2", other_rid)
    await handle.commit_at(3, txn)          # durable, and the logical upper of *every* shard is 4
    await handle.apply_le(3)                # and now the data shards themselves have it
    await handle.tidy()                     # and the log needs to keep it no longer

This is the log as seed 1 describes it, without a clock, queue or isolation on top: what tools and tests
speak, and what the committer does with a group at a time. Several handles may race on one log: each
operation compares and appends at `[upper, ts]`, catches up when another was first, and answers
TimestampTaken with the least timestamp that is still free.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable

from storage.abc import Blob, Clock, Consensus, Part, Row, SeqnoMismatch, ShardId, Timestamp
from storage.parts import Offload
from storage.shard.shard import Shard
from txn.abc import Fenced, TimestampTaken, Unregistered
from txn.apply import Applier
from txn.conflicts import ConflictIndex
from txn.group import CommitGroup
from txn.log_entry import Entry, encode
from txn.resolve import RESOLVE_LIMIT_S, resolve
from txn.txns_shard import Overtaken, ReadCache, TxnsShard
from txn.txns_state import TxnsState

Build = Callable[[CommitGroup], None]
Attempt = Callable[[], Awaitable[None]]


class Txn:
    """Writes to any number of data shards, to be committed together. Reads are somebody else's matter."""

    def __init__(self) -> None:
        self.inserts: list[tuple[ShardId, int, Row]] = []
        self.deletes: list[tuple[ShardId, int]] = []
        self.parts: list[tuple[ShardId, Part]] = []

    def insert(self, shard: ShardId, rid: int, row: Row) -> None:
        self.inserts.append((shard, rid, row))

    def delete(self, shard: ShardId, rid: int) -> None:
        self.deletes.append((shard, rid))

    def add_part(self, shard: ShardId, part: Part) -> None:
        """A part staged earlier: re-timestamped, not rewritten, whenever it is that it commits."""
        self.parts.append((shard, part))

    def merge(self, other: Txn) -> None:
        """Both or neither: the other's writes become part of this transaction."""
        self.inserts += other.inserts
        self.deletes += other.deletes
        self.parts += other.parts

    def write_to(self, group: CommitGroup) -> None:
        for shard, rid, row in self.inserts:
            group.insert(shard, rid, row)
        for shard, rid in self.deletes:
            group.delete(shard, rid)
        for shard, part in self.parts:
            group.add_part(shard, part)


class TxnsHandle:
    """See the module. Operations of one handle are to be awaited one after the other."""

    def __init__(
        self, blob: Blob, consensus: Consensus, clock: Clock, rng: random.Random, offload: Offload
    ) -> None:
        self._blob, self._consensus, self._clock, self._rng = blob, consensus, clock, rng
        self._offload = offload
        self._writer = rng.getrandbits(64).to_bytes(8, "big")
        self._count = 0
        self.log = TxnsShard(consensus, blob, self._token)
        self._shards: dict[ShardId, Shard] = {}
        self._applier = Applier(lambda: self.log.state, self.shard, self._applied, offload=offload)
        self._tidy: dict[ShardId, tuple[Timestamp, int]] = {}

    @classmethod
    async def open(
        cls,
        *,
        blob: Blob,
        consensus: Consensus,
        clock: Clock,
        rng: random.Random,
        lead: bool = False,
        offload: Offload = asyncio.to_thread,
    ) -> TxnsHandle:
        """Reads the log. With `lead` the epoch grows, which fences all handles opened before."""
        self = cls(blob, consensus, clock, rng, offload)
        await self.log.load()
        if lead:
            await self.log.take_over(lambda state: Entry(0, 0), self._resolved)
        self.log.epoch = self.log.state.epoch
        return self

    @property
    def state(self) -> TxnsState:
        return self.log.state

    @property
    def upper(self) -> Timestamp:
        """The least timestamp that is still free, as far as this handle knows."""
        return self.log.state.upper

    # --- operations --------------------------------------------------------------------------

    async def register(self, ts: Timestamp, shards: dict[ShardId, bytes]) -> None:
        """Adds data shards to the set. Idempotent: those that are there with this schema stay as they are.

        Raises TimestampTaken, Unregistered (one that is being forgotten), Fenced.
        """

        def build(group: CommitGroup) -> None:
            for shard, schema in shards.items():
                group.register(shard, schema)

        known = self.state.registered
        if all(s in known and known[s].schema == d and known[s].forget_ts is None for s, d in shards.items()):
            return
        await self._append(ts, build)

    async def forget(self, ts: Timestamp, shards: list[ShardId]) -> None:
        """Takes data shards out of the set: no more writes, the rest applied, then the registration's
        exact bytes retracted. Idempotent.

        Raises TimestampTaken, Fenced.
        """
        known = self.state.registered
        leaving = [s for s in shards if s in known and known[s].forget_ts is None]

        def build(group: CommitGroup) -> None:
            for shard in leaving:
                group.forget(shard)

        if leaving:
            await self._append(ts, build)
        for shard in shards:
            registration = self.state.registered.get(shard)
            if registration is not None and registration.forget_ts is not None:
                await self._applier.apply_shard(shard, registration.forget_ts)
                self._shards.pop(shard, None)
                await self._append(0, None, [(shard, registration.ts, registration.schema)])

    @staticmethod
    def begin() -> Txn:
        return Txn()

    async def commit_at(self, ts: Timestamp, txn: Txn) -> None:
        """All of the transaction at `ts`: durable when it returns; the upper of every shard is `ts + 1`.

        An empty transaction advances time. Raises TimestampTaken, Unregistered, Fenced, InvalidDatum, and
        CommitUnknown when it cannot be found out whether it was appended.
        """
        await self._append(ts, txn.write_to)

    async def apply_le(self, ts: Timestamp) -> None:
        """Copies what is committed at or before `ts` to the data shards. Idempotent, and anybody may."""
        await self.refresh()
        await self._applier.apply_le(ts)

    async def tidy(self) -> None:
        """Retracts what was applied, now rather than in the next append."""
        if self._tidy:
            await self._append(0, None)

    async def compact_to(self, ts: Timestamp) -> Timestamp:
        """Lets go of exact history before `ts`, or before the oldest unapplied commit. Returns since."""

        def build(group: CommitGroup) -> None:
            since = min(ts, self.state.least_outstanding())
            if since > self.state.since:
                group.since = since

        await self._append(0, build)
        return self.state.since

    def read_cache(self) -> ReadCache:
        """What readers of the data shards need to know, as far as this handle has read."""
        return self.log.read_cache()

    async def refresh(self) -> bool:
        """Reads what others have appended; whether there was anything."""
        learnt = await self.log.catch_up()
        for entry in learnt:
            self._tidied(entry)
        return bool(learnt)

    async def rollup(self) -> bool:
        """Writes the whole state into the log and truncates what lies before."""
        return await self.log.rollup()

    async def shard(self, id: ShardId) -> Shard:
        """The handle on a data shard."""
        handle = self._shards.get(id)
        if handle is None:
            handle = self._shards[id] = await Shard.open(
                id,
                blob=self._blob,
                consensus=self._consensus,
                clock=self._clock,
                rng=self._rng,
                offload=self._offload,
            )
        return handle

    # --- inside ------------------------------------------------------------------------------

    async def _append(
        self,
        ts: Timestamp,
        build: Build | None,
        retract: list[tuple[ShardId, Timestamp, bytes]] | None = None,
    ) -> None:
        while True:
            group = CommitGroup(ts, self.state, ConflictIndex())
            try:
                self.state.check(Entry(self.log.epoch, ts))
                if build is not None:
                    build(group)
            except (Unregistered, TimestampTaken):
                if await self.refresh():
                    continue  # so far as this handle knew; now it knows more
                raise
            entry = group.seal(self.log.epoch)
            entry.tidy = dict(self._tidy)
            entry.retract = [
                r for r in retract or () if self._is_registered(*r)
            ]  # another may have been faster
            self.state.check(entry)
            if not ts and entry.is_empty:
                return
            entry.token = self._token()
            data = encode(entry)
            try:
                await self._resolved(lambda: self.log.append(entry, data))  # noqa: B023
            except SeqnoMismatch:
                try:
                    await self.refresh()
                except (Fenced, Overtaken):
                    if self.log.happened(entry.token):
                        return  # it did, and has been truncated since
                    raise
                if self.state.epoch > self.log.epoch:
                    raise Fenced(f"epoch {self.log.epoch} was fenced by epoch {self.state.epoch}") from None
                continue
            self._tidied(entry)
            return

    def _is_registered(self, shard: ShardId, ts: Timestamp, schema: bytes) -> bool:
        known = self.state.registered.get(shard)
        return known is not None and known.ts == ts and known.schema == schema

    async def _resolved(self, attempt: Attempt) -> None:
        loop = asyncio.get_running_loop()
        await resolve(attempt, None, RESOLVE_LIMIT_S, loop.time, asyncio.sleep)

    def _applied(self, shard: ShardId, le_ts: Timestamp, count: int) -> None:
        self._tidy[shard] = (le_ts, self._tidy.get(shard, (0, 0))[1] + count)

    def _tidied(self, entry: Entry) -> None:
        for shard, (le_ts, count) in entry.tidy.items():
            ours = self._tidy.get(shard)
            if ours is not None:
                if ours[0] > le_ts and ours[1] > count:
                    self._tidy[shard] = (ours[0], ours[1] - count)
                else:
                    del self._tidy[shard]

    def _token(self) -> bytes:
        self._count += 1
        return self._writer + self._count.to_bytes(8, "big")
