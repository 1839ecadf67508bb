"""Following: the commits of other servers become part of this one's images and catalog.

    prepare    (may wait, may fail, changes nothing)      parts are fetched and sorted, catalog rows decoded
    apply      (one turn of the loop, may not fail)       catalog, images created, altered and dropped, rows

Between the two the log's state takes the commit in, and after them the oracle: so no statement ever sees a commit by
half, or a table without its rows. What a commit means for a table depends on what this server has of it:

    warm               rows into the versions in memory; a bulk as it was sorted in `prepare`
    cold               the commit waits in the image's backlog until the table's parts have been read (rows of a table
                       without keys need not wait, and stay in order with this server's own)
    made just now      an empty image, or, if it came with parts, a cold one that will be read like any other
    altered            as if it had been altered here; while cold, the image is simply begun anew

DDL of others needs no other care: a catalog that is another object makes every cached plan be made anew, and a
transaction that used the old one is refused at its commit, as with DDL of one's own.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import pyarrow as pa

from executor.snapshot.hydration import Fetched, apply_fetched, fetch_writes
from executor.snapshot.image import TableImage
from planner.abc import Table
from planner.catalog import CatalogChange
from planner.catalog.codec import decode
from storage.abc import CorruptBlob, Part, ShardId
from storage.parts import inline_table
from storage.rows import conform
from txn.abc import Commit, Key, ShardWrites
from txn.shared import Marks

if TYPE_CHECKING:
    from executor.executor import Executor

CATALOG_SHARD: ShardId = "catalog"


@dataclass(slots=True)
class Prepared:
    """A commit, and what was read for it."""

    commit: Commit
    keys: dict[ShardId, list[Key]]
    """The primary keys that it wrote, where they are listed."""
    changes: list[CatalogChange] = field(default_factory=list)
    rids: dict[int, int | None] = field(default_factory=dict)
    """Of catalog objects: the new row's id; None: it has none any more."""
    fetched: dict[ShardId, Fetched] = field(default_factory=dict)


class Following:
    """See the module, and `txn.shared.Listener`."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    # --- what may wait -----------------------------------------------------------------------

    async def prepare(self, commit: Commit, marks: Marks) -> Prepared:
        prepared = Prepared(commit, marks.wrote)
        rows = commit.writes.get(CATALOG_SHARD)
        if rows is not None:
            await self._read_catalog(prepared, rows)
            for change in prepared.changes:
                if isinstance(change.old, Table) and isinstance(change.new, Table):
                    await self._warm(change.old, change.new)
        images = self._executor.store
        waiting = True
        while waiting:  # an image may have become warm meanwhile
            waiting = False
            for shard, writes in commit.writes.items():
                if not writes.parts or shard == CATALOG_SHARD or shard in prepared.fetched:
                    continue
                try:
                    image = images.image(shard)
                except KeyError:
                    continue  # not made yet, or nobody's table
                if image.cold is None:
                    prepared.fetched[shard] = await self._fetch(image, commit, shard, writes)
                    waiting = True
        return prepared

    async def _fetch(self, image: TableImage, commit: Commit, shard: ShardId, writes: ShardWrites) -> Fetched:
        async def fetch(part: Part) -> pa.Table:
            return await self._part(commit, shard, part)

        return await fetch_writes(self._executor.store, image, commit.ts, writes, fetch)

    async def _part(self, commit: Commit, shard: ShardId, part: Part) -> pa.Table:
        """A part's rows in the schema that the shard has after this commit."""
        env = self._executor.env
        data = dict(commit.registered).get(shard) or env.registered().get(shard)
        if data is None:
            raise CorruptBlob(part.key or shard, "a part of a shard that is not registered")
        schema = pa.ipc.read_schema(pa.py_buffer(data))
        if part.data is not None:
            table = inline_table(part, schema if part.kind == "+" else None)
        else:
            table = await (await env.shard(shard)).parts.read(part)
        return conform(table, schema) if part.kind == "+" else table

    async def _warm(self, old: Table, new: Table) -> None:
        """A table that is altered while its parts are being read: they are read to their end first, as they were."""
        if old.shard != new.shard:
            return
        image = self._executor.store.image(old.shard)
        if image.cold is not None and image.hydrating is not None:
            await image.hydrated()

    async def _read_catalog(self, prepared: Prepared, writes: ShardWrites) -> None:
        inserted = [(rid, (row[0], row[1], row[2])) for rid, row in writes.inserts]
        deleted = set(writes.deletes)
        for part in writes.parts:
            found = await self._part(prepared.commit, CATALOG_SHARD, part)
            columns = [c.to_pylist() for c in found.columns]
            if part.kind == "-":
                deleted.update(columns[0])
            else:
                inserted += [
                    (rid, (oid, kind, payload)) for rid, oid, kind, payload in zip(*columns, strict=True)
                ]
        admitted = self._executor.catalogs.admitted
        oid_of = {rid: oid for oid, rid in self._executor.catalogs.rids.items()}
        for rid in deleted:
            oid = oid_of.get(rid)
            if oid is not None:
                prepared.rids[oid] = None
        for rid, row in inserted:
            if rid not in deleted:
                prepared.rids[row[0]] = rid
        fresh = {row[0]: decode(row) for rid, row in inserted if rid not in deleted}
        prepared.changes = [
            CatalogChange(admitted.get(oid), fresh.get(oid))
            for oid in prepared.rids
            if admitted.get(oid) != fresh.get(oid)
        ]

    # --- what may not fail -------------------------------------------------------------------

    def apply(self, prepared: Prepared) -> None:
        executor, store, commit = self._executor, self._executor.store, prepared.commit
        if prepared.rids:
            executor.catalogs.learn(prepared.changes, prepared.rids)
        for change in prepared.changes:
            old = change.old if isinstance(change.old, Table) else None
            new = change.new if isinstance(change.new, Table) else None
            if old is not None and (new is None or new.shard != old.shard):
                store.drop(old.shard, commit.ts)
            if new is not None:
                if old is None or old.shard != new.shard:
                    self._create(new, commit)
                    store.image(new.shard).has_come(commit.ts)
                else:
                    self._alter(new, commit)
        for shard, writes in commit.writes.items():
            if shard == CATALOG_SHARD:
                continue
            try:
                image = store.image(shard)
            except KeyError:
                continue
            if any(ts == commit.ts for ts, _ in image.backlog):
                continue  # begun just now, with all that the log says of it
            if image.cold is not None and (image.keyed or writes.parts):
                image.backlog.append((commit.ts, writes))
                image.last_write_ts = max(image.last_write_ts, commit.ts)
                continue
            fetched = prepared.fetched.get(shard)
            if fetched is None:
                assert not writes.parts, "parts of a warm table are fetched before"
                fetched = Fetched(commit.ts, writes, [], [])
            apply_fetched(image, fetched, prepared.keys.get(shard, ()))

    def _create(self, table: Table, commit: Commit) -> None:
        writes = commit.writes.get(table.shard)
        if writes is not None and writes.parts:
            self._executor.catalogs.attach(table)
        else:
            self._executor.store.create(table, commit.ts)

    def _alter(self, table: Table, commit: Commit) -> None:
        store = self._executor.store
        if store.image(table.shard).cold is not None:
            store.discard(table.shard)
            self._executor.catalogs.attach(table)
        else:
            store.alter(table, commit.ts)
