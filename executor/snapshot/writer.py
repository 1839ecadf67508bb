"""The one connection that writes to DuckDB, the threads for slow work, and the pins of readers.

                       event loop                             writer's thread
    flush              take what is pending <= ts   ------->  INSERT, UPDATE in one DuckDB transaction
                       versions stay readable
                       wait for pins                <-------  written, not yet committed
                                                    ------->  COMMIT
                       count live and dead rows     <-------

Readers use cursors of `connection` in threads of their own and never wait for the writer, nor it for them, with
one short exception. **Pins**: a relation whose rows are all visible is read without a time filter, which is as
fast as a plain table; but a flush that commits between the making of that text and the start of its
execution would show it rows of the future. So a reader that wants filters left out holds a `ReadPin` until its
query has begun (DuckDB's own snapshot protects it from then on), and the writer's COMMIT waits for the
pins taken before it. Pins that come while it waits get filters. Without a pin, the filters are always there.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import duckdb

from executor.snapshot.packing import ROWS_MIN, Packer, attach, detach
from executor.snapshot.pending import Op, Written, by_generation, instalments, row_count, write_ops
from executor.snapshot.physical import Physical
from storage.abc import Timestamp

if TYPE_CHECKING:
    from executor.snapshot.image import TableImage

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class SnapshotLimits:
    """How much stays in memory, and when work is due."""

    pending_max: int = 100_000
    """Operations of one table that may wait for DuckDB before they are flushed unasked."""

    versions_max: int = 200_000
    """Keys of one table with versions in memory before they are moved to a run."""

    memory_bytes_max: int = 512 << 20
    """Versions and pending operations of all tables together; past it the largest table is relieved of all
    that is durable, whoever may still want to read it by key."""

    check_every: int = 256
    """Writes of one table between two looks at its size."""

    runs_max: int = 4
    """Runs of one table: each costs a search per miss."""

    spill_bytes_min: int = 64 << 20
    """Runs at least this large live in memory-mapped files."""

    unpacked_bytes_max: int = 256 << 20
    """What is written to a large table's database at a time before it is packed, about."""

    changed_bytes_max: int = 128 << 20
    """What one database of DuckDB's is changed by, as DuckDB reckons, before it packs itself within the commit that brings it there. A row's
    end counts 24 KB, whatever it takes (twelve bytes): with DuckDB's own 16 MiB each seven hundredth packed the table's column anew, which
    was most of what an end took."""

    terms_bytes_max: int = 512 << 20
    """Indexes of parts (`executor.snapshot.terms`) of all tables together; those for which there is no room are not searched."""

    pin_wait_s: float = 30.0
    """How long a flush waits for pinned readers to begin before it gives up (and is tried again)."""

    dropped_images_max: int = 32
    """Images of dropped tables that are kept for reads of the past; of others an image is made anew from their parts."""

    vacuum_rows_min: int = 50_000
    """Dead rows before a vacuum is worth it (and at least a tenth of the table)."""


class PinnedTooLong(Exception):
    """A reader took a pin and did not begin its query within `SnapshotLimits.pin_wait_s`."""


class ReadPin:
    """Keeps flushes from committing until a query that leaves time filters out has begun."""

    __slots__ = ("_images", "images")

    def __init__(self, images: list[TableImage]) -> None:
        self.images = images
        self._images = [i for i in images if not i.closing]
        for image in self._images:
            image.pins += 1

    def covers(self, image: TableImage) -> bool:
        return image in self._images

    def release(self) -> None:
        """The query has begun (or never will). Idempotent."""
        images, self._images = self._images, []
        for image in images:
            image.pins -= 1
            if not image.pins and image.pins_gone is not None:
                image.pins_gone.set()

    def __enter__(self) -> ReadPin:
        return self

    def __exit__(self, *exc: object) -> None:
        self.release()


class DuckWriter:
    """Flushes, vacuums and DDL, one DuckDB transaction at a time."""

    def __init__(
        self,
        config: dict[str, Any],
        limits: SnapshotLimits,
        spawn: Callable[[Coroutine[Any, Any, None]], asyncio.Task[None]],
    ) -> None:
        """`spawn`: see `Packer`."""
        self.limits = limits
        self.connection = duckdb.connect(config=config)
        self.connection.execute("SET TimeZone = 'UTC'")
        self.own = self.connection.cursor()
        """The writer's, used on its thread alone."""
        self._lock = asyncio.Lock()
        self.packer = Packer(self.connection.cursor(), spawn, self._lock.locked)
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="snapshot-writer")
        self._sorter = ThreadPoolExecutor(1, thread_name_prefix="snapshot-sorter")
        self._loaders = ThreadPoolExecutor(2, thread_name_prefix="snapshot-loader")

    async def flush(self, image: TableImage, durable_ts: Callable[[], Timestamp]) -> None:
        """Brings everything durable to DuckDB; if that fails, it is pending again and the error is raised."""
        ops: list[Op] = []
        image.flushing_from = 0
        try:
            await self.packer.passed(image.flushed_physical.database)
            async with self._lock:
                upto = durable_ts()
                ops = image.take_pending(upto)
                image.flushing_from = ops[0][0] if ops else upto
                stretches = by_generation(image.flushed_physical, ops)
                first = image.flushed_physical
                if not first.exists and not first.database and row_count(ops) >= ROWS_MIN:
                    await self._in_writer(give_own_database, self.own, first)
                for physical, _ in stretches:
                    if not physical.exists:
                        physical.move(first.database)

                if len(stretches) == 1 and first.database:
                    await self._write_by_instalments(image, first, ops)
                else:
                    await self._write(image, stretches)
                image.flushed_ts = max(image.flushed_ts, upto)
                ops = []
        finally:
            if ops:
                image.give_back(ops)

    async def _write_by_instalments(self, image: TableImage, physical: Physical, ops: list[Op]) -> None:
        """Transactions of `unpacked_bytes_max`, and what they have written is packed in between. Takes from `ops` what is written.

        Nobody sees half of a commit: who reads it waits for the flush, all others filter by its time.
        """
        for i, (piece, left) in enumerate(instalments(ops, self.limits.unpacked_bytes_max)):
            if i:
                await self.packer.pack_between(physical.database)
            await self._write(image, [(physical, piece)])
            ops[:] = left

    async def _write(self, image: TableImage, stretches: list[tuple[Physical, list[Op]]]) -> None:
        def write(con: duckdb.DuckDBPyConnection) -> list[Written]:
            done = []
            for physical, some in stretches:
                if not physical.exists and (made := physical.create()):
                    con.execute(made)
                done.append(write_ops(con, physical, some))
            return done

        for (physical, _), w in zip(stretches, await self._transact(image, write), strict=True):
            physical.exists = True
            physical.rows.add(w.inserted, w.closed, w.max_from, w.max_to)
            self.packer.wrote(physical.database, w.inserted + w.closed)
            image.flushed_physical = physical

    async def vacuum(self, image: TableImage, physical: Physical, since: Timestamp) -> None:
        """Deletes rows that nobody at or above `since` can see."""
        await self.packer.passed(physical.database)
        async with self._lock:
            row = await self._transact(image, lambda con: con.execute(physical.vacuum(since)).fetchone())
            count = row[0] if row else 0
            physical.rows.vacuumed(since, count)
            self.packer.wrote(physical.database, count)

    async def drop_tables(self, tables: list[Physical], *, last: bool = False) -> None:
        """Generations of one shard; the `last` ones take its own database with them."""
        for database in {physical.database for physical in tables}:
            await self.packer.passed(database)
        async with self._lock:
            for physical in tables:
                await self._in_writer(self.own.execute, physical.drop())
            for database in {physical.database for physical in tables if last and physical.database}:
                self.packer.forgotten(database)
                await self._in_writer(self.own.execute, detach(database))

    async def _transact(self, image: TableImage, work: Callable[[duckdb.DuckDBPyConnection], T]) -> T:
        """A DuckDB transaction whose COMMIT waits for the image's pins. The caller holds the lock."""
        con = self.own

        def begin() -> T:
            con.execute("BEGIN TRANSACTION")
            return work(con)

        try:
            result = await self._in_writer(begin)
            image.closing = True
            if image.pins:
                image.pins_gone = asyncio.Event()
                try:
                    await asyncio.wait_for(image.pins_gone.wait(), self.limits.pin_wait_s)
                except TimeoutError:
                    raise PinnedTooLong(
                        f"table {image.table.name}: {image.pins} readers hold a pin"
                    ) from None
            await self._in_writer(con.execute, "COMMIT")
        except BaseException:
            await self._in_writer(_rollback, con)
            raise
        finally:
            image.closing = False
            image.pins_gone = None
        return result

    async def _in_writer(self, work: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._writer, work, *args)

    async def load(self, work: Callable[..., T], *args: Any) -> T:
        """Runs a step of hydration in the loaders' threads."""
        return await asyncio.get_running_loop().run_in_executor(self._loaders, work, *args)

    async def sort(self, work: Callable[[], T]) -> T:
        """Runs pure work on immutable arrays in the sorter's thread."""
        return await asyncio.get_running_loop().run_in_executor(self._sorter, copy_context().run, work)

    def close(self) -> None:
        """Nothing may be under way."""
        self.packer.close()
        for pool in (self._writer, self._sorter, self._loaders):
            pool.shutdown()
        self.own.close()
        self.connection.close()


def give_own_database(con: duckdb.DuckDBPyConnection, physical: Physical) -> None:
    """For a shard's first table, which begins large."""
    database = physical.name
    con.execute(attach(database))
    physical.move(database)


def _rollback(con: duckdb.DuckDBPyConnection) -> None:
    try:
        con.execute("ROLLBACK")
    except duckdb.TransactionException:
        return  # DuckDB has rolled back already
