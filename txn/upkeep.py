"""Upkeep: what keeps the log short, the memory bounded, and the data shards tidy, behind everybody's back.

Nothing waits for it: reads are served from the log as it is committed. One pass over the log (`work`)

    holds        since moves up, as far as retention and open snapshots let it
    conflicts    entries that no open snapshot can conflict with go
    apply        when enough is outstanding, or the log has been quiet for a while; in large steps
    forget       dropped shards are applied to their end, and their registration retracted
    tidy         what was applied rides in the next append, or in one of its own when the log is quiet
    rollup       the state into the log, and what lies before is truncated
    since        told to the log and the data shards, every minute or so; graves before it are cleared

and one over what was staged in vain and over the data shards that were applied to (`maintain`): compaction and garbage
collection. Two passes, because a compaction may take its time. A pass that fails is reported and tried again. A
simulation calls both where it likes.
"""

from __future__ import annotations

import functools
import logging
import random
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from storage.abc import ShardId, StorageError, Timestamp
from storage.gc import GcLimits, collect_staged, collect_strangers, drop
from storage.maintenance import Maintenance
from storage.shard.shard import Shard
from txn.abc import TxnError
from txn.group import CommitGroup

if TYPE_CHECKING:
    from txn.assembly import Assembly

_log = logging.getLogger("tidewire.txn")

STAGED_EVERY_US = 24 * 60 * 60 * 1_000_000


class Upkeep:
    """The background work of one environment."""

    def __init__(self, env: Assembly) -> None:
        self.env = env
        self.failed_passes = 0
        self.due: dict[ShardId, None] = {}
        """Data shards that were applied to, and want looking after."""
        self._maintained: dict[ShardId, Maintenance] = {}
        self._quiet_since_s = 0.0
        self._quiet_rounds = -1
        self._since_sent_s = 0.0
        self._since_sent_rounds = 0
        self._staged_at_us = env.clock.now_us() + random.Random(env.clock.now_us()).randrange(STAGED_EVERY_US)

    async def run(self, once: Callable[[], Awaitable[None]]) -> None:
        while not self.env.is_closed:
            await self.env.sleep(self.env.limits.pass_s)
            await once()

    async def work(self) -> None:
        """One pass over the log. Errors of storage are reported, counted, and tried again by the next."""
        await self._tried(self._pass)

    async def maintain(self) -> None:
        """One pass over the data shards that were applied to: compaction and garbage, where it is due.

        Apart from `work`, because a compaction may take its time and applying should not wait for it.
        """
        await self._tried(self._maintain)

    async def _tried(self, once: Callable[[], Awaitable[None]]) -> None:
        if self.env.committer.closed_by is not None:
            return
        try:
            await once()
        except (StorageError, TxnError) as error:
            self.failed_passes += 1
            _log.warning("background work failed and will be tried again: %s", error)
        except Exception:  # noqa: BLE001 - a fault of ours must be heard of, and must not end the upkeep
            self.failed_passes += 1
            _log.exception("background work failed in an unexpected way and will be tried again")

    async def _pass(self) -> None:
        if self.env.leadership.left_s < self.env.leadership.lease_s / 2:
            await self.env.confirm_leadership()  # early, so that nobody's read has to
        now_s = self.env.monotonic_s()
        limits, state, committer = self.env.limits, self.env.txns.state, self.env.committer
        read_ts = self.env.oracle.read_ts()
        self.env.retention.advance(read_ts)
        since = self.env.holds.advance(read_ts)
        self.env.conflicts.collect(min((t.horizon for t in self.env.transactions), default=read_ts))
        if committer.rounds != self._quiet_rounds:
            self._quiet_rounds, self._quiet_since_s = committer.rounds, now_s
        quiet = now_s - self._quiet_since_s >= limits.apply_idle_s
        due = (
            self.env.txns.entries_since_rollup >= limits.apply_entries
            or state.outstanding_bytes >= limits.apply_bytes
        )
        if state.outstanding and (due or quiet):
            await self.env.apply_le(read_ts)
        for shard in list(state.leaving):
            await self.finish_forget(shard)
        if quiet or due:
            await self.flush_riders()
            self._quiet_rounds = committer.rounds
        if self.env.txns.rollup_due:
            await committer.exclusively(self.env.txns.rollup)
        # A quiet log has nothing new to forget, but what was dropped before it became quiet.
        moved = committer.rounds != self._since_sent_rounds or self._buriable(since)
        if now_s - self._since_sent_s >= limits.since_step_s and moved:
            self._since_sent_s = now_s
            await self._send_since(since)
            self._since_sent_rounds = committer.rounds

    async def _maintain(self) -> None:
        await self.env.staging.discard()
        for shard in list(self.due):
            del self.due[shard]
            if shard not in self.env.txns.state.registered:
                self._maintained.pop(shard, None)
                continue
            maintenance = self._maintained.get(shard)
            if maintenance is None:
                maintenance = self._maintained[shard] = Maintenance(
                    await self.env.shard(shard),
                    sort_by=self.env.sort_by(shard),
                    named_elsewhere=self._named_here,
                    narrows=functools.partial(self._narrows, shard),
                )
            await maintenance.step()
        now_us = self.env.clock.now_us()
        if now_us >= self._staged_at_us:
            self._staged_at_us = now_us + STAGED_EVERY_US
            await self.collect_staged()
            await self.collect_strangers()

    def _narrows(self, shard: ShardId, since: Timestamp) -> bool:
        """Whether columns that the shard's newest schema has not are over for everybody who reads from `since` on."""
        registration = self.env.txns.state.registered.get(shard)
        return registration is not None and registration.ts <= since

    async def collect_staged(self, limits: GcLimits | None = None) -> int:
        """Deletes what other programs have staged for a commit that never came. Returns how many blobs."""
        return await collect_staged(self.env.blob, self.env.clock, self._named_anywhere, limits)

    async def collect_strangers(self, limits: GcLimits | None = None) -> int:
        """Deletes what was staged for tables that were never committed. Returns how many blobs."""
        txns = self.env.txns

        def known() -> set[ShardId]:
            return {*txns.state.registered, *txns.state.graves}

        async def named() -> set[str]:
            rollups = {key for _, key in txns.rollups if key is not None}
            return rollups | await self._named_here()

        return await collect_strangers(self.env.blob, self.env.clock, known, named, limits)

    async def _named_anywhere(self) -> set[str]:
        """All blobs that a part names: of the log, of open transactions, then of the data shards."""
        named = await self._named_here()
        for shard in list(self.env.txns.state.registered):
            handle = await self.env.shard(shard)
            await handle.refresh()
            named.update(part.key for _, part in handle.state.parts if part.key is not None)
            named.update(garbage.key for garbage in handle.state.garbage)
        return named

    async def _named_here(self) -> set[str]:
        """Blobs that the log or an open transaction names, and the data shard does not yet."""
        named: set[str] = set()
        for commits in self.env.txns.state.outstanding.values():
            for _, parts in commits:
                named.update(part[2] for part in parts if len(part) > 3)
        for transaction in self.env.transactions:
            for buffer in transaction.writes.shards.values():
                named.update(part.key for part in buffer.parts if part.key is not None)
        return named

    async def _send_since(self, since: Timestamp) -> None:
        """History before `since` may go: in the log's own state, and in the data shards."""
        await self.env.compact_to(since)
        for shard in list(self.env.shards):
            if shard in self.env.txns.state.registered:
                # Other servers of the environment may hold what this one does not: there the longest window counts.
                alone = self.env.txns.state.mode == "leased"
                own = self.env.retention.since(shard) if alone else since
                await self.env.shards[shard].allow_since(max(own, since))
                self.due[shard] = None

        await self._bury(since)

    async def _bury(self, since: Timestamp) -> None:
        """Deletes the logs and blobs of shards that were forgotten before `since`: nobody can ask for them."""
        for shard in self._buriable(since):
            handle = await Shard.open(
                shard,
                blob=self.env.blob,
                consensus=self.env.consensus,
                clock=self.env.clock,
                rng=self.env.rng,
            )
            await handle.expire_readers()
            if handle.state.hold is not None:
                continue  # somebody outside still reads it
            await drop(shard, self.env.blob, self.env.consensus)
            self.env.shards.pop(shard, None)  # somebody has looked at it since

            def work(group: CommitGroup, shard: ShardId = shard) -> None:
                if shard in self.env.txns.state.graves:
                    group.buried.append(shard)

            await self.env.call(work)

    def _buriable(self, since: Timestamp) -> list[ShardId]:
        """Forgotten shards whose own window has passed, too; where several servers hold history, the longest one."""
        alone = self.env.txns.state.mode == "leased"
        kept = self.env.retention.since
        return [
            shard
            for shard, ts in self.env.txns.state.graves.items()
            if ts < (max(kept(shard), since) if alone else since)
        ]

    async def finish_forget(self, shard: ShardId) -> None:
        """Applies what a dropped shard still has, and queues the retraction of its registration."""
        registration = self.env.txns.state.registered.get(shard)
        if registration is None or registration.forget_ts is None:
            return
        await self.env.applier.apply_shard(shard, registration.forget_ts)
        if self.env.txns.state.registered.get(shard) is not registration:
            return  # somebody else saw it off meanwhile
        self.env.committer.riders.retract((shard, registration.ts, registration.schema))
        self.env.shards.pop(shard, None)

    async def flush_riders(self) -> None:
        """Retractions that wait for an append get one of their own. Raises what makes it fail."""
        if self.env.committer.riders:
            await self.env.advance()
