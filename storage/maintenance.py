"""Keeping a shard small while it is used: what a background task calls, and how often it may.

    await Maintenance(shard, sort_by=key_columns, named_elsewhere=outstanding_keys).step()

One step does what is due and little more: a few compaction jobs, then the garbage that is due, and
about once a day a listing of the blobs for orphans (at a moment drawn at random, so that the shards of
a process, and the processes of an environment, do not all list at once). A step that finds nothing
to do does no I/O at all, so it may be taken for every open shard after every apply.

Every process may maintain every shard: compaction is a compare-and-append, and deleting is
idempotent. It is merely wasteful, so one process is enough.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from storage import gc
from storage.compaction import Compactor, Narrows, never
from storage.compaction_jobs import CompactionLimits
from storage.gc import GcLimits, NamedElsewhere
from storage.shard.shard import Shard


@dataclass(frozen=True, slots=True)
class Done:
    """What a step has done."""

    jobs: int = 0
    collected: int = 0
    orphans: int = 0


class Maintenance:
    """Maintains one shard. Without `named_elsewhere`, blobs are never taken for orphans: parts that were
    staged and committed above, but not applied yet, would be."""

    def __init__(
        self,
        shard: Shard,
        *,
        sort_by: Sequence[str] = (),
        named_elsewhere: NamedElsewhere | None = None,
        compaction: CompactionLimits | None = None,
        collection: GcLimits | None = None,
        jobs_max: int = 4,
        orphans_every_us: int = 24 * 60 * 60 * 1_000_000,
        narrows: Narrows = never,
    ) -> None:
        self.shard, self.named_elsewhere = shard, named_elsewhere
        self.compactor = Compactor(shard, sort_by=sort_by, limits=compaction, narrows=narrows)
        self.collection = collection or GcLimits()
        self.jobs_max, self.orphans_every_us = jobs_max, orphans_every_us
        clock, rng = shard.log.clock, shard.log.rng
        self._orphans_at_us = clock.now_us() + rng.randrange(orphans_every_us)

    async def step(self) -> Done:
        """Does what is due. Raises what storage raises; what was done until then stays done."""
        jobs = await self.compactor.run(self.jobs_max) if self.compactor.due() else 0
        now_us = self.shard.log.clock.now_us()
        state = self.shard.state
        expired = any(lease.expires_us <= now_us for lease in state.leased.values())
        collected = 0
        if expired or gc.collectable(state, now_us, self.collection.grace_us):
            collected = await gc.collect(self.shard, self.collection)
        orphans = 0
        if self.named_elsewhere is not None and now_us >= self._orphans_at_us:
            self._orphans_at_us = now_us + self.orphans_every_us
            orphans = await gc.collect_orphans(self.shard, self.named_elsewhere, self.collection)
        return Done(jobs, collected, orphans)
