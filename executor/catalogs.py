"""The catalog as a room in motion: the newest committed one, and what is admitted ahead of it.

    open       catalog shard (made at first start)  ->  newest   ->  a cold image per table
    DDL        rows of the shard, changes           ->  admitted     while the append is under way
    durable    publish                              ->  newest       cached plans are asked whether they still hold
    others     learn (`executor.following`)         ->  both

Catalog changes ride in the commit that makes them: `admit` refuses what was overtaken, `apply` writes the counter's row
and prepares the images, and the new catalog is published when the commit is durable. A catalog is immutable, and its
version is no other's; so whoever compares two by identity knows whether anything has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import Any, Final

import pyarrow as pa

from executor.abc import ExecutionError
from executor.ddl.schema import shard_schema
from executor.ddl.shape import only_adds, same_columns
from executor.following import CATALOG_SHARD
from executor.session.blocks.block import Block
from executor.snapshot.hydration import HydrationSource
from executor.snapshot.store import SnapshotStore
from planner import types as t
from planner.abc import SqlError, Table
from planner.catalog import (
    Catalog,
    CatalogChange,
    CatalogObject,
    Counter,
    Function,
    Relation,
    UserType,
    View,
    encode,
    first_objects,
    user_types,
)
from planner.catalog.foundations import built_on, newcomers
from planner.catalog.uses import HAS_RETENTION
from storage.abc import Part, ShardId
from storage.parts import inline_table
from storage.rows import conform
from txn.abc import Group, SerializationFailure
from txn.environment import Environment
from txn.shared import SharedEnvironment

CATALOG_SCHEMA = pa.schema([("oid", pa.int64()), ("kind", pa.string()), ("payload", pa.string())])
_BLOCK: Final = 256
_BLOCKS: Final = 16
"""Servers of one environment take OIDs of blocks of so many, each of every sixteenth, so that who makes things at once does not meet."""
_ROOM: Final = 64
"""With fewer left in its block a server takes another: a definition that runs over the end takes of the next server's."""
_AHEAD: Final = 128
"""The counter in the catalog is so far ahead of the OIDs that were dealt when it was written: the next definitions need not write
it, and a server that starts again deals from there."""

DATABASES_KEPT_MAX = 1_000
"""How many databases' views of the catalog are kept at once."""


def _nobody(_catalog: Catalog) -> None:
    """Nobody is told of a new catalog."""


class Catalogs:
    """One server's catalogs. Everything on the event loop; what waits is a coroutine."""

    def __init__(self, env: Environment, store: SnapshotStore) -> None:
        self._env, self._store = env, store
        self.newest: Catalog = Catalog()
        """The newest committed one: `_becomes` another. Every statement asks whether it still is the one that it knows."""
        self.became: Callable[[Catalog], None] = _nobody
        """Who wants to know of each."""
        self.admitted: Catalog = self.newest
        """The catalog after everything admitted; ahead of `newest` while an append is under way."""
        self._looked_in: Catalog = self.newest
        self._found: dict[int, Table | View] = {}
        """Relations that `unaltered` has found in that catalog, by OID: a look there goes through its layers."""
        self.rids: dict[int, int] = {}
        """Of each catalog object: its row in the catalog's shard."""
        self._next_oid = 0
        """The next OID to be dealt; the catalog's counter is above all that were."""
        self._block = -1
        """Of OIDs, the one that this server takes its own of, where there are several."""
        self._windows_of: tuple[Catalog, Mapping[ShardId, float]] = (self.newest, {})
        self._left: dict[ShardId, float] = {}
        """Windows of shards that no table has any more, until they are buried: their past may still be read."""
        self._seen_from: dict[str, tuple[Catalog, Catalog]] = {}
        """By database: the newest catalog, and the same as that database sees it."""

    def _becomes(self, catalog: Catalog) -> None:
        """A newer one is committed. Its users' types are what everybody sees of them."""
        self.newest = catalog
        user_types.commit(catalog)
        self.became(catalog)

    # --- opening ---------------------------------------------------------------------------

    async def load(self) -> None:
        env = self._env
        shard = await env.shard(CATALOG_SHARD)
        # Another server may have applied what this one has not read from the log yet.
        as_of = min(shard.upper, env.txns.state.upper) - 1
        rows: dict[int, tuple[int, tuple[int, str, str]]] = {}
        gone: set[int] = set()
        if as_of >= 0 and shard.schema is not None:
            table = await shard.read(as_of)
            for rid, oid, kind, payload in zip(*(c.to_pylist() for c in table.columns), strict=True):
                rows[rid] = (oid, (oid, kind, payload))
        for ts, writes in env.outstanding(CATALOG_SHARD):
            if ts <= as_of:
                continue
            for rid, row in writes.inserts:
                rows[rid] = (row[0], (row[0], row[1], row[2]))
            gone.update(writes.deletes)
            for part in writes.parts:
                found = await fetch_part(env, CATALOG_SHARD, part)
                if part.kind == "-":
                    gone.update(found.column(0).to_pylist())
                    continue
                for rid, oid, kind, payload in zip(*(c.to_pylist() for c in found.columns), strict=True):
                    rows[rid] = (oid, (oid, kind, payload))
        live = {rid: row for rid, row in rows.items() if rid not in gone}
        self.rids = {oid: rid for rid, (oid, _) in live.items()}
        assert len(self.rids) == len(live), "an object has one row in the catalog"
        catalog = Catalog.from_rows([row for _, row in live.values()])
        self.admitted = catalog
        self._becomes(catalog)
        self._next_oid = catalog.counter.next_oid
        registered = env.registered()
        for table in catalog.all_tables():
            if table.shard not in registered:
                raise SqlError("XX001", f"table {table.name}: its shard {table.shard} is not registered")
            self.attach(table)

    async def bootstrap(self) -> None:
        """The first start: the catalog's shard and its first rows in one commit."""
        env = self._env

        def first(_group: Group) -> None:
            if CATALOG_SHARD in env.registered():
                raise SerializationFailure("another server has made the catalog")

        txn = env.begin()
        txn.on_admit = first
        txn.register(CATALOG_SHARD, bytes(CATALOG_SCHEMA.serialize().to_pybytes()))
        for row in Catalog(first_objects()).rows():
            txn.insert(CATALOG_SHARD, row[0], env.rids.next(), row)
        try:
            await txn.commit()
        except SerializationFailure:
            if CATALOG_SHARD not in env.registered():
                raise

    async def widen(self) -> None:
        """Tables with an xid8, which was held in 63 bits once: from now on their rows are of the schema by which it has 64."""
        for table in list(self.newest.all_tables()):
            if any(t.base_of(c.type).oid == t.XID8 for c in table.columns):
                while not await self._widened(table.oid):
                    pass  # it is another table by now

    async def _widened(self, oid: int) -> bool:
        """Whether a table's rows are of its own schema from now on; False: another server has altered it meanwhile."""
        table = self.newest.get(oid)
        if not isinstance(table, Table):
            return True
        schema = shard_schema(table)
        registered = self._env.registered()[table.shard]
        if pa.ipc.read_schema(pa.py_buffer(registered)).types == schema.types:
            return True

        def still(_group: Group) -> None:
            if self.admitted.get(oid) is not table:
                raise SerializationFailure("another server has altered the table")

        txn = self._env.begin()
        txn.on_admit = still
        txn.register(table.shard, bytes(schema.serialize().to_pybytes()))
        try:
            await txn.commit()
        except SerializationFailure:
            return False
        return True

    def attach(self, table: Table) -> None:
        """A cold image of a table, to be read from its parts and what the log still holds."""
        env, id = self._env, table.shard

        async def opener() -> HydrationSource:
            shard = await env.shard(id)
            if isinstance(env, SharedEnvironment):
                await env.needs_history()
                await shard.refresh()
                if shard.since > env.holds.since:
                    env.holds.recall(shard.since)  # nobody has held it for this server
            # Another server may have applied what this one has not read from the log yet.
            as_of = min(shard.upper, env.txns.state.upper) - 1

            async def parts() -> Any:
                if as_of < 0 or shard.schema is None:
                    return
                known = env.registered().get(id)  # it may have been dropped before anybody read it
                registered = shard_schema(table) if known is None else pa.ipc.read_schema(pa.py_buffer(known))
                for part in await shard.snapshot(as_of):
                    rows = await shard.fetch(part, as_of)
                    yield part.kind, conform(rows, registered) if part.kind == "+" else rows, part.ts

            row_count = sum(part.row_count for _, part in shard.state.parts if part.kind == "+")
            return HydrationSource(as_of, parts(), row_count)

        self._store.attach(table, opener, env.outstanding(id), last_write_ts=env.last_write(id))

    # --- views -----------------------------------------------------------------------------

    def of(self, database: str) -> Catalog:
        """The newest catalog as sessions of a database see it. Raises 3D000 if the database was dropped."""
        base = self.newest
        kept = self._seen_from.get(database)
        if kept is None or kept[0] is not base:
            if len(self._seen_from) >= DATABASES_KEPT_MAX:
                self._seen_from.clear()
            kept = self._seen_from[database] = (base, base.for_database(database))
        return kept[1]

    def windows(self) -> Mapping[ShardId, float]:
        """Tables whose history is kept for a time of their own, in seconds; those that are gone among them."""
        catalog = self.newest
        if self._windows_of[0] is not catalog:
            state = self._env.txns.state
            self._left = {s: w for s, w in self._left.items() if s in state.graves or s in state.registered}
            windows = {
                x.shard: x.retention_us / 1e6
                for x in catalog.everywhere_using(HAS_RETENTION)
                if isinstance(x, Table) and x.retention_us is not None
            }
            self._windows_of = (catalog, {**self._left, **windows})
        return self._windows_of[1]

    def left(self, table: Table) -> None:
        """No table has this one's shard any more; its history is kept for as long as it would have been."""
        if table.retention_us is not None:
            self._left[table.shard] = table.retention_us / 1e6
        else:
            self._left.pop(table.shard, None)

    # --- changes ---------------------------------------------------------------------------

    def reserve_oids(self, catalog: Catalog) -> int:
        """The OID from which on one DDL statement takes what it needs: nobody else will use them. What it has taken is known
        when it is bound, in the same turn of the loop (`took_oids`)."""
        if isinstance(self._env, SharedEnvironment) and (self._next_oid + _ROOM) // _BLOCK != self._block:
            first = max(self._next_oid, catalog.counter.next_oid)
            block = (first + _ROOM) // _BLOCK
            self._block = block + (self._env.members.number - block) % _BLOCKS
            self._next_oid = max(first, self._block * _BLOCK)
        return self._next_oid  # whatever others have taken of theirs

    def took_oids(self, next_oid: int) -> None:
        """The statement is bound, and has taken all OIDs below this one."""
        self._next_oid = next_oid

    def renumbered(self, catalog: Catalog) -> Catalog:
        """A transaction's own next catalog, with a version that no other catalog has."""
        return catalog.with_changes([])

    def unaltered(self, used: Mapping[int, Table | View]) -> bool:
        """Whether all of these definitions surely are those of the newest admitted catalog: then `admit` has nothing against them."""
        newest = self.admitted
        if self._looked_in is not newest:
            self._looked_in, self._found = newest, {}
        found = self._found
        for oid, table in used.items():
            if found.get(oid) is not table:
                if newest.get(oid) is not table:
                    return False
                found[oid] = table
        return True

    def altered(
        self, used: Mapping[int, Table | View], holds: Callable[[Table | View, Table | View], bool]
    ) -> Table | View | None:
        """The first of these definitions that the newest admitted catalog has another one for, under which what depends on it does not
        hold."""
        newest = self.admitted
        for oid, table in used.items():
            now = newest.get(oid)
            if now is not table and not (isinstance(now, Table | View) and holds(table, now)):
                return table
        return None

    def admit(
        self,
        changes: Iterable[CatalogChange],
        used: Mapping[int, Table | View],
        holds: Callable[[Table | View, Table | View], bool] = lambda old, new: False,
        own: Catalog | None = None,
    ) -> None:
        """Whether changes made against an older catalog still hold. Raises 40001, 42P07.

        `holds`: whether what depends on a definition is right under one that has taken its place, too; `own`: the changes' own catalog.
        """
        newest = self.admitted
        if (found := self.altered(used, holds)) is not None:
            what = "view" if isinstance(found, View) else "table"
            raise SerializationFailure(
                f'could not serialize access: {what} "{found.name}" was altered by a concurrent transaction'
            )
        changes = list(changes)
        if not changes:
            return
        made = {c.oid for c in changes if c.new is not None}
        removed = set()
        for change in changes:
            if change.old is None and newest.get(change.oid) is not None:  # by another server
                raise SerializationFailure(
                    "could not serialize access: a concurrent transaction has created an object"
                )
            if change.old is not None:
                now = newest.get(change.oid)
                if now is not change.old and now != change.old and not isinstance(change.old, Counter):
                    raise SerializationFailure(
                        "could not serialize access: a concurrent transaction changed the same object"
                    )
                removed.add(change.oid)
        for change in changes:
            new = change.new
            if new is None:
                continue
            other = newest.twin(new)
            if other is not None and other.oid != change.oid and other.oid not in removed:
                raise _taken(other)
            schema_oid = getattr(new, "schema_oid", 0)
            if schema_oid and newest.get(schema_oid) is None and schema_oid not in made:
                raise SerializationFailure("could not serialize access: the schema was dropped")
        if own is not None and own.root != newest.version:
            self._refuse_unfounded(changes, own, made)

    def _refuse_unfounded(
        self, changes: Sequence[CatalogChange], own: Catalog, made: AbstractSet[int]
    ) -> None:
        """Where others have committed definitions since: what these changes build on is still there, and nobody has come to build
        on what they remove. On one server they have waited for each other (`foundation_locks`). Raises 40001."""
        newest, touched = self.admitted, {c.oid for c in changes}
        for change in changes:
            for oid in built_on(own, change):
                if oid not in made and newest.get(oid) is None:
                    raise SerializationFailure(
                        "could not serialize access: a concurrent transaction has dropped what this one builds on"
                    )
            for user in newcomers(newest, own, change, touched):
                name = getattr(user, "name", "")
                raise SerializationFailure(
                    f'could not serialize access: a concurrent transaction has made "{name}", which builds on what this one changes'
                )

    def apply(self, block: Block, group: Group) -> None:
        """The rows of the counter, the images, the admitted catalog. Raises nothing."""
        changes = block.net_changes()
        if not changes:
            return
        before, rids_before = self.admitted, dict[int, int | None]()
        undos: list[Any] = []

        def undo() -> None:
            self.admitted = before
            for oid, was in rids_before.items():
                self._locate(oid, was)
            for callback in reversed(undos):
                callback()

        group.undo(undo)  # whatever goes wrong from here on is taken back
        counter = before.counter
        merged: list[CatalogChange] = [c for c in changes if not isinstance(c.new, Counter)]
        next_oid = max([counter.next_oid, *(c.new.next_oid for c in changes if isinstance(c.new, Counter))])
        if next_oid != counter.next_oid:
            next_oid += _AHEAD
            merged.append(CatalogChange(counter, Counter(next_oid)))
            rid = self._env.rids.next()
            group.delete(CATALOG_SHARD, self.rids[counter.oid])
            group.insert(CATALOG_SHARD, rid, encode(Counter(next_oid)))
            rids_before[counter.oid] = self.rids[counter.oid]
            self.rids[counter.oid] = rid
        for oid, row in block.catalog_rids.items():
            rids_before[oid] = self.rids.get(oid)
            self._locate(oid, row)
        self.admitted = admitted = _after(before, merged, block.catalog, next_oid)
        self._apply_images(block, group, undos)
        block.published = admitted

    def _locate(self, oid: int, rid: int | None) -> None:
        """An object's row in the catalog's shard is another one; None: it has none any more."""
        if rid is None:
            self.rids.pop(oid, None)
        else:
            self.rids[oid] = rid

    def _apply_images(self, block: Block, group: Group, undos: list[Any]) -> None:
        store, ts = self._store, group.ts
        for shard, table in block.created.items():
            store.create(table, ts).has_come(ts)
            undos.append(lambda shard=shard: store.discard(shard))
        for shard in block.dropped:
            image = store.image(shard)
            image.dropped_ts = ts
            undos.append(lambda image=image: setattr(image, "dropped_ts", None))
        for shard, table in block.altered.items():
            if shard in block.created or shard in block.dropped:
                continue
            image = store.image(shard)
            if not same_columns(image.table, table):  # it takes another form when that is durable (`publish`)
                if not only_adds(image.table, table):  # what was read of it was noted by other places
                    group.wrote_all(shard)
                continue
            store.alter(table, ts)
            undos.append(lambda image=image: image.undo(ts))

    def row_writes(self, block: Block) -> None:
        """Before the commit: the block's catalog changes become rows of its transaction."""
        txn = block.transaction()
        for change in block.net_changes():
            if isinstance(change.new, Counter):
                continue
            rid = self.rids.get(change.oid)
            if change.old is not None and rid is not None:
                txn.delete(CATALOG_SHARD, change.oid, rid)
            if change.new is None:
                block.catalog_rids[change.oid] = None
            else:
                fresh = self._env.rids.next()
                txn.insert(CATALOG_SHARD, change.oid, fresh, encode(change.new), blind=change.old is None)
                block.catalog_rids[change.oid] = fresh

    def learn(self, changes: Sequence[CatalogChange], rids: dict[int, int | None]) -> None:
        """Another server's DDL: everybody's catalog from now on. Nothing of this server's is under way."""
        assert self.admitted is self.newest, "the log is followed between this server's own commits"
        if any(change.oid // _BLOCK == self._block for change in changes if change.old is None):
            self._block = -1  # it is another one's as well, whose number ends alike
        for oid, rid in rids.items():
            self._locate(oid, rid)
        for change in changes:
            old, new = change.old, change.new
            if isinstance(old, Table) and not (isinstance(new, Table) and new.shard == old.shard):
                self.left(old)
        if changes:
            self.admitted = self.admitted.with_changes(changes)
            self.admitted.take_root()
            self._becomes(self.admitted)

    def publish(self, block: Block) -> None:
        """The block's commit is durable: its catalog is everybody's."""
        for table in block.dropped.values():
            self.left(table)
        for shard, table in block.altered.items():
            if not same_columns(self._store.image(shard).table, table):
                self._store.reshape(table, block.commit_ts)
        self._becomes(block.published)
        for shard in block.dropped:
            self._store.drop(shard, block.commit_ts)


def _after(before: Catalog, changes: Sequence[CatalogChange], own: Catalog, next_oid: int) -> Catalog:
    """The catalog after a block's changes: the block's own, if nobody has committed any others since it began with them."""
    if (
        own.root == before.version
        and own.counter.next_oid == next_oid
        and all(own.get(c.oid) is c.new for c in changes if not isinstance(c.new, Counter))
    ):
        return own.everybodys(before)
    after = before.with_changes(changes)
    after.take_root()
    return after


async def fetch_part(env: Environment, id: ShardId, part: Part) -> pa.Table:
    """The rows of a committed part in the shard's registered schema, applied to the shard already or not."""
    shard = await env.shard(id)
    registered = pa.ipc.read_schema(pa.py_buffer(env.registered()[id]))
    if shard.schema is not None and shard.schema.equals(registered, check_metadata=True):
        return await shard.fetch(part)
    if part.data is not None:
        table = inline_table(part, registered if part.kind == "+" else None)
    else:
        table = await shard.parts.read(part)
    return conform(table, registered) if part.kind == "+" else table


class NameTaken(ExecutionError):
    """Somebody else has made an object of that name since the statement looked. One that is its own transaction looks again."""


def _taken(other: CatalogObject) -> Exception:
    """Of what no schema holds it depends on the statement what is to be said (GRANT adds to what there is): it looks again."""
    if isinstance(other, Function):
        return NameTaken("42723", f'function "{other.name}" already exists with same argument types')
    if isinstance(other, UserType):
        return NameTaken("42710", f'type "{other.name}" already exists')
    if isinstance(other, Relation):
        return NameTaken("42P07", f'relation "{other.name}" already exists')
    return SerializationFailure("could not serialize access: a concurrent transaction has created an object")


__all__ = ["CATALOG_SHARD", "Catalogs", "NameTaken", "fetch_part"]
