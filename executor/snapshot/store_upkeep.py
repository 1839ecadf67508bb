"""What a snapshot store does by itself: flushes, compaction, vacuum, and the tasks that these are.

    put ... -> grown    many writes: flush to DuckDB what is durable, then move versions from memory into runs
    a flush             dead rows enough: vacuum, below what any reader asks for
    memory is short     the largest image first; readers that lag behind are sent to DuckDB

Whatever takes long works in a thread and puts its result in place on the loop.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import pyarrow as pa

from executor.snapshot.compaction import compact
from executor.snapshot.hydration import (
    HydrationProgress,
)
from executor.snapshot.image import TableImage
from executor.snapshot.kept_bytes import KeptLater
from executor.snapshot.physical import Physical
from executor.snapshot.spill import Spill
from executor.snapshot.terms import TermsKept
from executor.snapshot.writer import DuckWriter, SnapshotLimits
from storage.abc import Part, ShardId, Timestamp

T = TypeVar("T")


class StoreUpkeep:
    """`memory_limit` as DuckDB spells it ("4GB").
    `scratch`: a directory for large runs and DuckDB's temporary files; one is made (and removed) if none
    is given. `durable_ts` says up to which timestamp everything that was put is durable: the oracle's
    `read_ts`; what is younger may still be undone and is never flushed. `oldest_read_ts(default)` is the oldest
    timestamp that an open transaction reads at (`ReadHolds.oldest`); without it `since` is taken, which history's
    retention holds back much further. `fetch` reads a part of a shard, for
    commits of other processes; `progress` hears how hydration goes on.
    """

    def __init__(
        self,
        *,
        memory_limit: str | None = None,
        threads: int | None = None,
        scratch: str | None = None,
        durable_ts: Callable[[], Timestamp] | None = None,
        oldest_read_ts: Callable[[Timestamp], Timestamp] | None = None,
        fetch: Callable[[ShardId, Part], Awaitable[pa.Table]] | None = None,
        progress: Callable[[HydrationProgress], None] | None = None,
        limits: SnapshotLimits | None = None,
    ) -> None:
        self.limits = limits or SnapshotLimits()
        self._own_scratch = None if scratch else tempfile.mkdtemp(prefix="tidewire-")
        self.scratch: str = scratch or self._own_scratch or ""
        self.spill = Spill(self.scratch, self.limits.spill_bytes_min)
        self.kept_later = KeptLater()
        self.terms_kept = TermsKept(self.limits.terms_bytes_max)
        config: dict[str, Any] = {
            "temp_directory": self.scratch,
            "preserve_insertion_order": "true",
            "order_by_non_integer_literal": "true",  # an aggregate in the order of a constant is in any order
            # What a large statement has let go of goes back to the machine, not only to DuckDB's allocator.
            "allocator_background_threads": "true",
            "checkpoint_threshold": f"{self.limits.changed_bytes_max}B",
        }
        if memory_limit:
            config["memory_limit"] = memory_limit
        if threads:
            config["threads"] = threads
        self._tasks: set[asyncio.Task[Any]] = set()
        self._writer = DuckWriter(config, self.limits, self.spawn)
        self.connection = self._writer.connection
        """The database; take `.cursor()` per reading thread."""
        self.packer = self._writer.packer
        self._fetch = fetch
        self._progress = progress
        self._durable = durable_ts
        self._oldest_read = oldest_read_ts
        self._seen_durable: Timestamp = 0
        self.since: Timestamp = 0
        self.since_of: Callable[[ShardId], Timestamp] = lambda shard: 0
        """From when on one table's history is kept, if that is later than `since`."""
        self.memory_bytes = 0
        """What all images hold in versions and pending operations, estimated."""
        self._images: dict[ShardId, TableImage] = {}
        self._waiting: dict[ShardId, TableImage] = {}
        """Images that have something to let go of as soon as `since` allows."""
        self._dropped: dict[ShardId, Timestamp] = {}
        """Of those the ones whose drop is durable, in that order. (An image says so of itself before its commit is.)"""
        self._generations: dict[ShardId, int] = {}
        self._closed = False
        self.background_error: BaseException | None = None
        """The last thing that went wrong in work that nobody awaited (also given to the loop's handler)."""

    def _since(self, image: TableImage) -> Timestamp:
        return max(self.since, self.since_of(image.table.shard))

    def _pending_long(self, image: TableImage) -> bool:
        """Whether so many operations wait for DuckDB that they are flushed unasked. Begins that if it can."""
        if len(image.pending) < self.limits.pending_max:
            return False
        if image.flushing is None and image.cold is None and image.waits(self.durable_ts()):
            image.flushing = self.spawn(self._flush(image))
        return True

    def durable_ts(self) -> Timestamp:
        """Everything put at or below this is durable."""
        if self._durable is not None:
            return max(self._durable(), self._seen_durable)
        return self._seen_durable

    def oldest_read_ts(self, default: Timestamp) -> Timestamp:
        """No transaction reads below this by key: versions that older readers need may leave memory."""
        return self._oldest_read(default) if self._oldest_read is not None else self.since

    def advance(self, ts: Timestamp) -> None:
        """Tells that everything put at or below `ts` is durable (where no `durable_ts` was given)."""
        if ts > self._seen_durable:
            self._seen_durable = ts

    def grown(self, image: TableImage) -> None:
        """An image has taken many writes: is work due? Called from `put`, so it only starts tasks."""
        self._account(image)
        if self.memory_bytes > self.limits.memory_bytes_max:
            image = max(self._images.values(), key=lambda i: i.accounted_bytes)
        elif len(image.pending) < self.limits.pending_max:
            if image.compaction_due() and image.compacting is None:
                image.compacting = self.spawn(self._compact(image))
            return
        if image.flushing is None and image.cold is None:
            if image.waits(self.durable_ts()):
                image.flushing = self.spawn(self._flush(image))  # and compacts after it
                return
            # A large transaction's rows come all at once, before they are durable: when it has ended, nobody writes.
            self._waiting[image.table.shard] = image
            if self.pressed and image.compacting is None:
                image.compacting = self.spawn(self._compact(image))

    def _account(self, image: TableImage) -> None:
        size = image.memory_bytes()
        self.memory_bytes += size - image.accounted_bytes
        image.accounted_bytes = size

    async def _flush(self, image: TableImage) -> None:
        try:
            await self._writer.flush(image, self.durable_ts)
        finally:
            image.flushing = None
        image = self._images.get(image.table.shard, image)  # another one may have taken its place
        self._account(image)
        if image.dropped_ts is None and self._pending_long(image):
            self._waiting[image.table.shard] = image
        if image.physical.dead_rows >= self.limits.vacuum_rows_min:
            self._waiting[image.table.shard] = image
            self._vacuum_if_due(image)
        if image.compacting is None and (image.compaction_due() or self.pressed):
            image.compacting = self.spawn(self._compact(image))

    @property
    def pressed(self) -> bool:
        """Whether memory is so short that lagging readers have to do without it."""
        return self.memory_bytes > self.limits.memory_bytes_max

    def _vacuum_if_due(self, image: TableImage) -> None:
        physical = image.physical
        if image.vacuuming or physical.dead_rows < self.limits.vacuum_rows_min:
            return
        least = max(self.limits.vacuum_rows_min, physical.live_rows // 10)
        since = self._since(image)
        if physical.dead_rows >= least and physical.rows.dead_below(since) >= least:
            image.vacuuming = True
            self.spawn(self._vacuum(image, physical, since))

    async def _vacuum(self, image: TableImage, physical: Physical, since: Timestamp) -> None:
        try:
            await self._writer.vacuum(image, physical, since)
        finally:
            image.vacuuming = False

    async def _compact(self, image: TableImage) -> None:
        try:
            await compact(self, image)
        finally:
            image.compacted()
            self._account(image)

    async def load(self, work: Callable[..., T], *args: Any) -> T:
        """Runs a step of hydration in the loaders' threads."""
        return await self._writer.load(work, *args)

    async def sort(self, work: Callable[[], T]) -> T:
        """Runs pure work on immutable arrays in the sorter's thread."""
        return await self._writer.sort(work)

    def spawn(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._finished)
        return task

    def _finished(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and task.exception() is not None:
            self.background_error = task.exception()
            task.get_loop().call_exception_handler(
                {
                    "message": "snapshot store: background work failed",
                    "exception": task.exception(),
                    "task": task,
                }
            )

    async def settled(self) -> None:
        """Returns when no background work is left."""
        while self._tasks:
            await asyncio.wait(list(self._tasks))

    async def close(self) -> None:
        """Waits for work under way (hydration is cut short), then lets go of DuckDB, threads and files. Idempotent."""
        if self._closed:
            return
        self._closed = True
        self.packer.stop()
        self.kept_later.stop()
        for image in self._images.values():
            if image.hydrating is not None:
                image.hydrating.cancel()
        await self.settled()
        self._writer.close()
        self._images.clear()
        self._dropped.clear()
        if self._own_scratch:
            shutil.rmtree(self._own_scratch, ignore_errors=True)
