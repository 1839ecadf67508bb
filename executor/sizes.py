"""What relations take, in bytes: the figures behind `pg_relation_size` and its kin.

    table     the parts of its shard, as they are stored      + versions that only memory and the log have
    index     keys and permutations in memory, by its columns      nothing until somebody asks by them
    database  the catalog, its tables and indexes; of all databases together: the one tablespace

Nothing is measured for it: parts carry their size, images estimate what they hold. The answer is what this server
knows: a table that it has not read since it started counts with what is in memory. Asked from DuckDB's threads, so
it only looks, and takes copies of what the loop may change meanwhile.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from executor.following import CATALOG_SHARD
from planner.abc import Table
from planner.catalog.catalog import Catalog
from planner.catalog.objects import Index
from storage.abc import ShardId

if TYPE_CHECKING:
    from executor.snapshot.image import TableImage
    from executor.snapshot.store import SnapshotStore
    from txn.environment import Environment


class Sizes:
    """See `planner.catalog.system.context.Sizes`."""

    def __init__(self, env: Environment, store: SnapshotStore) -> None:
        self._env, self._store = env, store

    def table_bytes(self, table: Table) -> int:
        """Rows, old versions that are still kept included."""
        image = self._image(table.shard)
        return self._env.stored_bytes(table.shard) + (image.memory_bytes() if image is not None else 0)

    def index_bytes(self, table: Table, index: Index) -> int:
        """What lookups by the index have made of the table's runs."""
        image = self._image(table.shard)
        if image is None:
            return 0
        if index.method in ("gin", "gist"):
            terms = (x for p in image.generations for x in p.terms.values())
            return sum(x.size_bytes for x in terms if x.oid == index.oid)
        positions = _positions(table, index)
        if index.primary:
            return sum(run.keys.size_bytes for run in image.runs)
        return sum(run.order_bytes(index.constraint_oid, positions) for run in image.runs)

    def database_bytes(self, catalog: Catalog) -> int:
        """The catalog, and all that is in the database from which it is seen."""
        return self._together_bytes(catalog, catalog.objects(Table))

    def everything_bytes(self, catalog: Catalog) -> int:
        """All databases and the catalog that they share."""
        return self._together_bytes(catalog, catalog.all_tables())

    def _together_bytes(self, catalog: Catalog, tables: Iterable[Table]) -> int:
        total = self._env.stored_bytes(CATALOG_SHARD)
        for table in tables:
            total += self.table_bytes(table)
            total += sum(self.index_bytes(table, i) for i in catalog.indexes_of(table.oid))
        return total

    def _image(self, shard: ShardId) -> TableImage | None:
        try:
            return self._store.image(shard)
        except KeyError:
            return None


def _positions(table: Table, index: Index) -> tuple[int, ...]:
    """The index's columns by their place in a row; none of an expression."""
    place = {c.attnum: i for i, c in enumerate(table.columns)}
    return tuple(place[k.attnum] for k in index.keys if k.attnum in place)
