"""The rows of a table as it was defined once.

    still so defined                   today's object: its image, with the keyed engine
    its image has all its columns      the image of its shard, by DuckDB: tables that were truncated, rewritten or
                                       dropped while this server was up, and those that only got more columns
    otherwise                          an image of its own, made of the shard's parts when somebody first reads it

The last are called after the shard and a number, `t16385@1`, and nobody writes to them. Their parts are there, because
the shard is buried only when retention has passed, and have the columns that were dropped since, because compaction
keeps those for as long (`storage.compaction`). They go when their history does, or when there are too many.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from executor.ddl.schema import shard_schema
from executor.snapshot.hydration import HydrationSource
from executor.snapshot.store import SnapshotStore
from planner.abc import Table
from planner.catalog import Catalog
from storage.abc import ShardId, Timestamp
from txn.shared import SharedEnvironment

if TYPE_CHECKING:
    from txn.environment import Environment

IMAGES_MAX: Final = 32
"""Images of the past that are kept at once, besides those that queries are reading."""
_MARK: Final = "@"


def shard_of(name: ShardId) -> ShardId:
    """The shard that an image's rows are of."""
    return name.partition(_MARK)[0]


class Loan:
    """Images that a query reads stay until it has begun."""

    __slots__ = ("_names", "_readers")

    def __init__(self, readers: dict[ShardId, int], names: Sequence[ShardId]) -> None:
        self._readers, self._names = readers, names
        for name in names:
            readers[name] = readers.get(name, 0) + 1

    def release(self) -> None:
        """Idempotent."""
        names, self._names = self._names, ()
        for name in names:
            self._readers[name] -= 1
            if not self._readers[name]:
                del self._readers[name]


class PastTables:
    """See the module. Everything on the event loop."""

    def __init__(self, env: Environment, store: SnapshotStore) -> None:
        self._env, self._store = env, store
        self._names: dict[tuple[Any, ...], ShardId] = {}
        self._tables: dict[ShardId, tuple[Table, Timestamp]] = {}
        """By image: the definition, and until when it held at most."""
        self._since: dict[ShardId, Timestamp] = {}
        self._used: dict[ShardId, None] = {}  # attached, in order of use
        self._readers: dict[ShardId, int] = {}
        self._count = 0

    # --- which image ---------------------------------------------------------------------------

    def settled(self, table: Table, newest: Catalog, until: Timestamp) -> Table:
        """The table under the name of an image that has its rows at times before `until`."""
        today = newest.get(table.oid)
        if today is table:
            return table
        if self._has_all(table, until):
            return table
        return self._named(table, until)

    def _has_all(self, table: Table, until: Timestamp) -> bool:
        """Whether the image of the table's shard has every column of it."""
        image = self._store.find(table.shard)
        if image is None or (image.dropped_ts is not None and image.cold is not None):
            return False
        physical = image.physical if image.cold is not None else image.physical_at(until - 1)
        known = {c.attnum: c.type for c in physical.table.columns}
        return all(known.get(c.attnum) == c.type for c in table.columns)

    def _named(self, table: Table, until: Timestamp) -> Table:
        key = (table.shard, tuple((c.attnum, c.type) for c in table.columns))
        name = self._names.get(key)
        if name is None:
            self._forget_what_is_over()
            self._count += 1
            name = self._names[key] = f"{table.shard}{_MARK}{self._count}"
            # Without keys no image holds its rows in memory: DuckDB answers all that is asked of it.
            self._tables[name] = (dataclasses.replace(table, shard=name, constraints=()), until)
        else:
            known, before = self._tables[name]
            self._tables[name] = (known, max(before, until))
        return dataclasses.replace(table, shard=name)

    def _forget_what_is_over(self) -> None:
        over = [n for n, (_, until) in self._tables.items() if until <= self._env.holds.since]
        for name in over:
            if name not in self._readers and self._store.find(name) is None:
                del self._tables[name]
                self._used.pop(name, None)
                self._since.pop(name, None)
        self._names = {key: name for key, name in self._names.items() if name in self._tables}

    # --- images --------------------------------------------------------------------------------

    def lend(self, shards: Iterable[ShardId]) -> Loan:
        """Makes sure of the images that a query is going to read; cold ones are hydrated by `prepare_read`."""
        names = [s for s in shards if _MARK in s]
        loan = Loan(self._readers, names)
        for name in names:
            self._used.pop(name, None)
            self._used[name] = None
            if self._store.find(name) is None:
                self._attach(name)
        return loan

    def since(self, name: ShardId) -> Timestamp:
        """From when on the image has its rows right, once it is hydrated."""
        return self._since.get(name, 0)

    def _attach(self, name: ShardId) -> None:
        env, (table, _) = self._env, self._tables[name]
        # All that was committed is in it, so it is right for every time at which the table was so defined.
        upto = env.oracle.read_ts()

        async def opener() -> HydrationSource:
            return HydrationSource(upto, self._parts(name, table, upto))

        self._store.attach(table, opener)
        self._store.drop(name, upto)
        idle = [n for n in self._used if n not in self._readers]
        for old in idle[: max(0, len(self._used) - IMAGES_MAX)]:
            del self._used[old]
            if self._store.find(old) is not None:
                self._store.discard(old)

    async def _parts(self, name: ShardId, table: Table, upto: Timestamp) -> Any:
        env, id = self._env, shard_of(name)
        await env.applier.apply_shard(id, upto)
        shard = await env.shard(id)
        if isinstance(env, SharedEnvironment):
            await env.needs_history()
        await shard.refresh()
        self._since[name] = shard.since
        parts = [] if shard.schema is None else [p for _, p in shard.state.parts if p.ts <= upto]
        schema = shard_schema(table)
        for part in parts:
            yield part.kind, await shard.fetch(part, upto, schema), part.ts
        if id not in env.registered():
            env.shards.pop(id, None)


__all__ = ["PastTables", "shard_of"]
