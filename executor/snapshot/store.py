"""The snapshot store: all images, one DuckDB database behind them, and what is to be done when.

    create attach alter drop     images come and go             (image.py; hydration.py fills them, reshaping.py
                                 gives one other columns)
    prepare_read relation_sql    columnar reads                 (writer.py flushes, physical.py words)
    put ... -> grown             flush to DuckDB, compaction    (writer.py, compaction.py)
    set_since                    vacuum, old generations and dropped tables go

Nothing here takes long: whatever does is a task that works in a thread and puts its result in place on
the loop. Tasks that nobody awaits report to the loop's exception handler and to `background_error`;
what they were to do stays to be done, so the next reader tries again and is told.

**Compaction** moves versions that no reader can tell apart from memory into runs, and merges runs; so memory
is bounded, at the price that readers who lag behind are sent to DuckDB (TooOldForKeyed).
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

import pyarrow as pa

from executor.keyed.row_ids import RowIds
from executor.snapshot.bulk import Bulk, look_up
from executor.snapshot.hydration import (
    Fetched,
    FetchPart,
    Opener,
    after,
    apply_fetched,
    fetch_writes,
    load,
    reload,
    wait_durable,
)
from executor.snapshot.image import TableImage
from executor.snapshot.physical import Physical
from executor.snapshot.removal import Removal
from executor.snapshot.reshaping import reshaped
from executor.snapshot.store_upkeep import StoreUpkeep
from executor.snapshot.writer import ReadPin
from planner.abc import Table
from storage.abc import ShardId, Timestamp
from txn.abc import Commit, ShardWrites


class SnapshotStore(StoreUpkeep):
    """See `executor.snapshot.abc.SnapshotStore`, and the methods beyond it that are documented here."""

    # --- tables ----------------------------------------------------------------------------------

    def image(self, shard: ShardId) -> TableImage:
        """Raises KeyError for an unknown shard."""
        return self._images[shard]

    def find(self, shard: ShardId) -> TableImage | None:
        return self._images.get(shard)

    def all_images(self) -> Sequence[ShardId]:
        return list(self._images)

    def create(self, table: Table, ts: Timestamp) -> TableImage:
        """An empty image for a table created at `ts`.

        A transaction's own, uncommitted table is created with `ts` 0 and written at timestamp 0: nobody
        else has a catalog that names it, so it needs no other guard. `discard` takes it back.
        """
        if table.shard in self._images:
            raise ValueError(f"shard {table.shard} has an image already")
        image = TableImage(self, table, ts, self.next_generation(table.shard))
        self._images[table.shard] = image
        return image

    def draft(self, table: Table) -> TableImage:
        """An image that nobody finds: to prepare the rows of a table that does not exist yet."""
        return TableImage(self, table, 0, 0)

    def next_generation(self, shard: ShardId) -> int:
        """A number that tells apart the tables that DuckDB has had for one shard."""
        self._generations[shard] = self._generations.get(shard, -1) + 1
        return self._generations[shard]

    def alter(self, table: Table, ts: Timestamp, rows: pa.Table | None = None) -> None:
        """The table's definition changed at `ts`: see `TableImage.alter`. `image.undo(ts)` takes it back."""
        image = self._images[table.shard]
        image.alter(table, ts, rows)
        self._waiting[table.shard] = image

    def reshape(self, table: Table, ts: Timestamp) -> None:
        """Since `ts`, which is durable, the table has other columns, and its rows are where they were: see `reshaping`."""
        shard = table.shard
        old = self._images[shard]
        self._images[shard] = self._waiting[shard] = reshaped(self, old, table, ts)

    def drop(self, shard: ShardId, ts: Timestamp) -> None:
        """Dropped at `ts`, durably: kept for reads of the past, if not more are dropped meanwhile."""
        image = self._images[shard]
        image.dropped_ts = ts
        self._waiting[shard] = image
        self._dropped[shard] = ts
        self._let_go(shard, image)  # of the others none may: their `since` has not moved
        many = len(self._dropped) - self.limits.dropped_images_max
        if many > 0:
            oldest = self.oldest_read_ts(ts)
            for other, dropped_ts in list(self._dropped.items())[:many]:
                # Who reads it after all gets an image made of its parts, which stay as long as history is kept. The
                # catalog has changed just now, so nobody's plan names this image any more.
                if dropped_ts <= oldest:
                    self.discard(other)

    def discard(self, shard: ShardId) -> None:
        """Forgets an image at once: its table was never committed, or nobody can read it any more."""
        image = self._images.pop(shard, None)
        self._waiting.pop(shard, None)
        self._dropped.pop(shard, None)
        if image is not None:
            under_way = [t for t in (image.flushing, image.hydrating, image.compacting) if t is not None]
            if under_way or _in_duckdb(image):
                self.spawn(self._forget(image, under_way))
            else:
                self._unaccount(image)

    async def _forget(self, image: TableImage, under_way: Sequence[asyncio.Task[None]]) -> None:
        """Drops an image's tables in DuckDB, after what is under way has had its end."""
        if under_way:
            await asyncio.wait(under_way)
        self._unaccount(image)
        await self._writer.drop_tables(_in_duckdb(image), last=True)

    def _unaccount(self, image: TableImage) -> None:
        self._account(image)
        self.memory_bytes -= image.accounted_bytes
        image.accounted_bytes = 0

    def set_since(self, since: Timestamp) -> None:
        """No read hold is below `since` any more: older versions may go.

        Comes with every end of a transaction: looks at the tables alone that wait for it.
        """
        if since > self.since:
            self.since = since
            if self._waiting:
                self._sweep()

    def since_moved(self) -> None:
        """Some table's own since (`since_of`) has moved."""
        if self._waiting:
            self._sweep()

    def _sweep(self) -> None:
        for shard, image in list(self._waiting.items()):
            self._let_go(shard, image)

    def _let_go(self, shard: ShardId, image: TableImage) -> None:
        """What one image no longer needs; it stops waiting when there is nothing left to let go of."""
        since = self._since(image)
        if image.dropped_ts is not None and image.dropped_ts <= since:
            self.discard(shard)
            return
        while len(image.generations) > 1 and image.flushed_physical is not image.generations[0]:
            if image.generations[1].begins > since:
                break
            gone = image.generations.pop(0)
            if image.generations[0].name != gone.name:  # or else it is one table
                self.spawn(self._writer.drop_tables([gone]))
        while len(image.definitions) > 1 and image.definitions[1][0] <= since:
            image.definitions.pop(0)
        self._vacuum_if_due(image)
        due = image.dropped_ts is None and self._pending_long(image)
        old = image.dropped_ts is not None or len(image.generations) > 1 or len(image.definitions) > 1
        if not old and not due and image.physical.dead_rows < self.limits.vacuum_rows_min:
            del self._waiting[shard]

    # --- hydration -------------------------------------------------------------------------------

    def attach(
        self,
        table: Table,
        opener: Opener,
        outstanding: Sequence[tuple[Timestamp, ShardWrites]] = (),
        *,
        last_write_ts: Timestamp = 0,
    ) -> TableImage:
        """An image of a table that exists already, cold until it is needed or `hydrate_all` comes to it.

        `opener()` is awaited when hydration starts and says what the shard's parts hold, up to its `as_of`.
        `outstanding` are commits, in order, that the parts may lack; what is not above `as_of` is skipped.
        Commits that are put or applied later are the caller's to bring, as for any image.
        """
        image = self.create(table, last_write_ts)
        image.backlog = list(outstanding)
        if outstanding:
            image.last_write_ts = max(image.last_write_ts, outstanding[-1][0])

        def start() -> asyncio.Task[None]:
            if image.hydrating is None:
                image.hydrating = self.spawn(self._hydrate(image, opener))
            return image.hydrating

        image.cold = start
        return image

    async def hydrate_all(self) -> None:
        """Hydrates what is cold, one table after the other; run it beside the server's first statements.

        Raises an ExceptionGroup when all have been tried and some failed.
        """
        failed: list[Exception] = []
        for image in list(self._images.values()):
            try:
                await image.hydrated()
            except Exception as e:  # noqa: BLE001 (the others are to be hydrated first)
                failed.append(e)
        if failed:
            raise ExceptionGroup("tables that cannot be read", failed)

    async def _hydrate(self, image: TableImage, opener: Opener) -> None:
        try:
            source = await opener()
            assert not image.physical.exists, "nothing but hydration gives a cold table rows in DuckDB"
            loaded = await load(self, image, source, self._progress)

            def place() -> None:
                written, physical = loaded.written, image.physical
                physical.exists = True
                physical.rows.add(written.inserted, written.closed, written.max_from, written.max_to)
                self.packer.wrote(physical.database, loaded.unpacked_rows)
                image.flushed_ts = max(image.flushed_ts, loaded.as_of)
                image.hydrated_with(loaded.run, loaded.as_of)

            await self._catch_up(image, loaded.as_of, place)
        finally:
            image.hydrating = None

    async def _catch_up(self, image: TableImage, as_of: Timestamp, place: Callable[[], None]) -> None:
        """Applies the backlog; the table stays cold until the very turn in which it is empty.

        `place` puts the bulk there in that turn, not before: who finds a key takes what he finds for the newest.
        """
        cold, ready = image.cold, 0
        fetched: list[Fetched] = []
        image.backlog = after(image.backlog, as_of)
        while ready < len(image.backlog):
            ts, writes = image.backlog[ready]
            fetched.append(await fetch_writes(self, image, ts, writes, self._fetch_for(image)))
            ready += 1
        assert image.cold is cold
        place()
        image.cold = None
        image.backlog = []
        for f in fetched:
            apply_fetched(image, f)
        image.in_order()

    async def apply_commit(self, commit: Commit) -> None:
        """Takes in a commit of another process. Await one before the next: the order is the log's.

        Tables it registers are the catalog's business: create or attach their images before.
        """
        for shard, writes in commit.writes.items():
            image = self._images.get(shard)
            if image is None:
                continue
            if image.cold is None:
                fetched = await fetch_writes(self, image, commit.ts, writes, self._fetch_for(image))
                if image.cold is None:
                    apply_fetched(image, fetched)
                    continue
            image.backlog.append((commit.ts, writes))
            image.last_write_ts = max(image.last_write_ts, commit.ts)

    def _fetch_for(self, image: TableImage) -> FetchPart | None:
        fetch = self._fetch
        if fetch is None:
            return None
        return lambda part: fetch(image.table.shard, part)

    def reloader(self, image: TableImage, ts: Timestamp) -> Callable[[], asyncio.Task[None]]:
        """What makes an altered image warm again: see `TableImage.alter`."""

        def start() -> asyncio.Task[None]:
            if image.hydrating is None:
                image.hydrating = self.spawn(self._reload(image, ts, start))
            return image.hydrating

        return start

    async def _reload(self, image: TableImage, ts: Timestamp, mine: object) -> None:
        try:
            await wait_durable(self, ts, lambda: image.cold is mine)
            if image.cold is not mine:  # taken back
                return
            await self._flushed(image, ts)
            loaded = await reload(self, image, ts)
            if image.cold is mine:
                await self._catch_up(image, ts, lambda: image.hydrated_with(loaded.run, -1))
        finally:
            image.hydrating = None

    # --- columnar reads --------------------------------------------------------------------------

    async def prepare_read(self, shards: Sequence[ShardId], ts: Timestamp) -> None:
        """Hydrates, and flushes to DuckDB all that was committed at or before ts."""
        if ts > self._seen_durable:
            self._seen_durable = ts
        for shard in shards:
            image = self._images[shard]
            if image.cold is not None:
                await image.hydrated()
            await self._flushed(image, ts)

    def begin_read(self, shards: Sequence[ShardId], ts: Timestamp) -> None:
        """Somebody will read these tables soon: begins what `prepare_read` will wait for. What goes wrong, that will say."""
        for shard in shards:
            image = self._images[shard]
            if image.cold is not None:
                image.cold()
            elif image.flushing is None and image.waits(min(ts, self.durable_ts())):
                image.flushing = self.spawn(self._flush(image))

    async def _flushed(self, image: TableImage, ts: Timestamp) -> None:
        """Returns when DuckDB has all that was put at or below `ts`; callers share one flush."""
        while image.flushing is not None or image.waits(ts):
            if image.flushing is None:
                image.flushing = self.spawn(self._flush(image))
            elif not image.flush_matters(ts):
                break
            await asyncio.shield(image.flushing)

    def pin(self, shards: Sequence[ShardId]) -> ReadPin:
        """For `relation_sql(..., pin=)`; release it as soon as the query has begun to execute."""
        return ReadPin([self._images[s] for s in shards])

    def relation_sql(
        self,
        shard: ShardId,
        ts: Timestamp,
        columns: Sequence[int] | None = None,
        with_rid: bool = False,
        *,
        pin: ReadPin | None = None,
        seen_as: Table | None = None,
        also: str = "",
    ) -> str:
        """A parenthesised DuckDB subquery of the rows visible at ts; after `prepare_read`.

        Leaves the time filter out where every row is known to be visible, which takes a `pin`.
        `seen_as`: the definition that the query was planned with, where it is not the one at `ts`
        (a transaction that has altered the table itself); columns are found by attribute number. `also`: what else
        is asked of `_rid` and `_from`.
        """
        image = self._images[shard]
        physical = image.physical_at(ts)
        late = early = True
        if pin is not None and pin.covers(image):
            late = physical.max_from > ts
            early = physical.dead_rows > 0
        where = " AND ".join([f"_from <= {ts}"] * late + [f"_to > {ts}"] * early + [also] * bool(also))
        return physical.select(where, columns, with_rid, seen_as or image.table_at(ts))

    def changes_sql(self, shard: ShardId, after: Timestamp, upto: Timestamp) -> str | None:
        """A parenthesised DuckDB subquery of what happened in (after, upto]; after `prepare_read` at `upto`.

        `_change` and `_commit_ts` come before the columns. None where the rows were rewritten in between.
        """
        image = self._images[shard]
        physical = image.physical_at(upto)
        if physical is not image.physical_at(after):
            return None
        return physical.changes(after, upto, image.table_at(upto))

    async def prepare_bulk(
        self,
        image: TableImage,
        rows: pa.Table,
        first_rid: int | None = None,
        ignoring: RowIds | None = None,
    ) -> Bulk:
        """Sorts a bulk insert and looks for its keys in the runs, beside the loop: for `conflicting_keys`
        and `put_bulk` at admission. `rows` as in `TableImage.prepare_bulk`, `ignoring` as in `look_up`."""
        if image.keyed:
            await image.hydrated()
        bulk = await self.sort(lambda: image.prepare_bulk(rows, first_rid))
        await self.look_up(image, bulk, ignoring)
        return bulk

    async def look_up(self, image: TableImage, bulk: Bulk, ignoring: RowIds | None = None) -> None:
        """Looks for a bulk's keys in the runs where it has not been done, beside the loop."""
        runs, primary = image.runs, image.table.primary_key
        await self.sort(lambda: look_up(bulk, runs, primary.oid if primary else 0, ignoring))

    async def prepare_removal(self, image: TableImage, rids: pa.Array) -> Removal:
        """Looks for the rows of a bulk deletion beside the loop, for `remove_bulk` at admission."""
        if image.keyed:
            await image.hydrated()
        return await self.sort(lambda: image.prepare_removal(rids))


def _in_duckdb(image: TableImage) -> list[Physical]:
    """The generations of which DuckDB has a table; of a hydration that failed the database is left."""
    return [p for p in image.generations if p.exists or p.database]
