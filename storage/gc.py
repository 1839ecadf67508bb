"""Garbage collection: a blob goes when no state that a live reader can hold names it.

    named by the newest state            stays
    dropped at seqno s                   stays while a live lease may hold a state older than s,
                                         and for a grace period for those who read without a lease
    named by nothing, and old            an orphan of a crashed or beaten writer: goes
    named by nothing, and young          perhaps about to be committed: stays

Nothing here must be exact about time: grace and orphan age are hours against milliseconds of
clock skew, and **a writer must commit its parts within the orphan age** (a transaction's
maximum age is far below it). Deleting is idempotent, so a crash anywhere only means doing it again:
blobs first, then the state forgets them.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass

from storage import failpoints
from storage.abc import Blob, Clock, Consensus, ShardId
from storage.shard import machine
from storage.shard.shard import Shard
from storage.shard.state import State


@dataclass(frozen=True, slots=True)
class GcLimits:
    grace_us: int = 10 * 60 * 1_000_000
    orphan_age_us: int = 24 * 60 * 60 * 1_000_000
    batch: int = 1_000  # blobs deleted between two entries in the log


def collectable(state: State, now_us: int, grace_us: int) -> list[str]:
    """Keys of the state's garbage that nobody can want any more."""
    oldest_held = min((v.seqno for v in state.leased.values() if v.expires_us > now_us), default=state.seqno)
    return [g.key for g in state.garbage if g.seqno <= oldest_held and g.dropped_us + grace_us <= now_us]


async def collect(shard: Shard, limits: GcLimits | None = None) -> int:
    """Deletes the shard's garbage that is due. Returns how many blobs went."""
    limits = limits or GcLimits()
    await shard.expire_readers()
    await shard.refresh()
    keys = collectable(shard.state, shard.log.clock.now_us(), limits.grace_us)
    for start in range(0, len(keys), limits.batch):
        some = keys[start : start + limits.batch]
        for key in some:
            await shard.parts.blob.delete(key)
        await shard.log.commit(machine.Collect(tuple(some)))
    return len(keys)


NamedElsewhere = Callable[[], Awaitable[Collection[str]]]
"""Keys that something above the shard names: parts of commits that were not applied yet."""


async def collect_orphans(
    shard: Shard, named_elsewhere: NamedElsewhere | None = None, limits: GcLimits | None = None
) -> int:
    """Deletes old blobs of the shard that nothing names. Returns how many."""
    limits = limits or GcLimits()
    oldest_us = shard.log.clock.now_us() - limits.orphan_age_us
    listed = [b.key async for b in shard.parts.blob.list(f"{shard.id}/") if b.modified_us < oldest_us]
    if not listed:
        return 0
    # In this order: what is named after it was listed is seen as named. First above, then here, because
    # names move that way (apply copies them down, then the log above forgets them).
    named = set(await named_elsewhere()) if named_elsewhere is not None else set()
    await shard.refresh()
    state = shard.state
    named.update(p.key for _, p in state.parts if p.key is not None)
    named.update(g.key for g in state.garbage)
    if state.rollup_key is not None:
        named.add(state.rollup_key)
    orphans = [key for key in listed if key not in named]
    for key in orphans:
        await shard.parts.blob.delete(key)
    return len(orphans)


STAGED = "staging/"
"""Where writers that are not the server (Spark) put Parquet files, before a commit makes parts of them."""


async def collect_staged(
    blob: Blob, clock: Clock, named: NamedElsewhere, limits: GcLimits | None = None
) -> int:
    """Deletes old staged blobs that no shard and no log names: their writer died, or lost. Returns how many.

    `named` is asked after the listing, and must know the parts of all shards: first those that a log or an
    open transaction names, then those of the shards, for names move that way.
    """
    limits = limits or GcLimits()
    oldest_us = clock.now_us() - limits.orphan_age_us
    listed = [b.key async for b in blob.list(STAGED) if b.modified_us < oldest_us]
    if not listed:
        return 0
    kept = set(await named())
    orphans = [key for key in listed if key not in kept]
    for key in orphans:
        await blob.delete(key)
    return len(orphans)


async def collect_strangers(
    blob: Blob,
    clock: Clock,
    known: Callable[[], Collection[ShardId]],
    named: NamedElsewhere,
    limits: GcLimits | None = None,
) -> int:
    """Deletes old blobs of shards that never came to be, or are gone. Returns how many.

    Whoever makes a table and fills it in one transaction stages parts for a shard that nobody knows before the
    commit; if the writer dies, no shard is there to look for its orphans. `known` shards look after their own;
    of the others that stays which is `named`. Both are asked after the listing.
    """
    limits = limits or GcLimits()
    oldest_us = clock.now_us() - limits.orphan_age_us
    listed = [
        b.key async for b in blob.list("") if b.modified_us < oldest_us and not b.key.startswith(STAGED)
    ]
    shards = known()
    strangers = [key for key in listed if key.partition("/")[0] not in shards]
    if not strangers:
        return 0
    kept = set(await named())
    orphans = [key for key in strangers if key not in kept]
    for key in orphans:
        await blob.delete(key)
    return len(orphans)


async def drop(shard: ShardId, blob: Blob, consensus: Consensus) -> None:
    """Removes a forgotten shard for good: its blobs, then its log, so that an interrupted drop is found again."""
    keys = [b.key async for b in blob.list(f"{shard}/")]
    for key in keys:
        await blob.delete(key)
    failpoints.point("shard.drop.before")
    await consensus.delete(shard)
    failpoints.point("shard.drop.after")
