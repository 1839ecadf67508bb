"""The catalog as of a timestamp.

    at or after the last change of the catalog     today's                     no I/O, nothing made
    before                                         of the shard's rows         kept, the least used of them goes first

What is of then: names, columns, types, views, schemas, databases. What is of now: **who may read it**
(`executor.past.access`). Temporary objects of sessions that have ended are left out.

A catalog of the past is settled against today's: a table that is still so defined is today's object, by identity, and
everything works with it as ever; any other one is read by DuckDB alone (`Catalog.columnar`), from rows that `tables`
finds. DDL may make the former the latter, so a catalog is settled anew when today's has changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from executor.catalogs import CATALOG_SHARD, Catalogs
from executor.past import access
from executor.past.tables import PastTables
from executor.past.versions import Version, versions
from planner.abc import Oid, Table
from planner.catalog import TEMPORARY_PREFIX, Catalog, Grant, Role, Schema
from planner.catalog.codec import decode
from planner.catalog.objects import CatalogObject, built_in_beside
from storage.abc import TIMESTAMP_MAX, Timestamp

if TYPE_CHECKING:
    from txn.environment import Environment

KEPT_MAX: Final = 32
"""Catalogs of the past that are kept at once."""
_READ_MAX: Final = 3
"""How often the shard is read again because DDL overtook it."""


@dataclass(slots=True, eq=False)
class Past:
    """The catalog at `begins <= ts < until`."""

    begins: Timestamp
    until: Timestamp
    things: list[CatalogObject]
    owners: dict[Oid, Oid] = field(default_factory=dict)
    """The last ones, of what has been dropped since: roles."""
    base: Catalog | None = None
    """Today's, against which it was settled."""
    catalog: Catalog | None = None
    seen_from: dict[str, Catalog] = field(default_factory=dict)
    """By database."""

    def orphans(self, newest: Catalog) -> set[Oid]:
        """What has been dropped since it was read: only the shard says who was the last owner."""
        return set() if self.base is newest else access.gone(self.things, newest) - self.owners.keys()


class PastCatalogs:
    """See the module. Everything on the event loop."""

    def __init__(self, env: Environment, catalogs: Catalogs, tables: PastTables) -> None:
        self._env, self._catalogs, self._tables = env, catalogs, tables
        self._kept: dict[Timestamp, Past] = {}  # by begin; the last one was used last

    def known(self, ts: Timestamp, database: str) -> Catalog | None:
        """The catalog of `ts` as that database saw it; None: `load` it first. Raises 3D000."""
        if ts >= self._env.last_write(CATALOG_SHARD):
            return self._catalogs.of(database)
        for past in self._kept.values():
            if past.begins <= ts < past.until:
                del self._kept[past.begins]
                if past.orphans(self._catalogs.newest):
                    return None
                self._kept[past.begins] = past
                return self._seen(past, database)
        return None

    async def at(self, ts: Timestamp, database: str) -> Catalog:
        """The same, read from the catalog's shard if need be. Raises 22023, 3D000."""
        known = self.known(ts, database)
        if known is not None:
            return known
        hold = self._env.holds.acquire(ts)
        try:
            for _ in range(_READ_MAX):
                past = self._read(await versions(self._env, ts), ts)
                orphans = past.orphans(self._catalogs.newest)
                if not orphans:
                    break
        finally:
            self._env.holds.release(hold)
        past.owners.update(dict.fromkeys(orphans, access.NOBODY))
        while len(self._kept) >= KEPT_MAX:
            del self._kept[next(iter(self._kept))]
        self._kept[past.begins] = past
        return self._seen(past, database)

    def until(self, ts: Timestamp) -> Timestamp:
        """When the catalog of `ts`, which is at hand (`at`), ceased to be the catalog."""
        return next(past.until for past in self._kept.values() if past.begins <= ts < past.until)

    async def find_windows(self) -> None:
        """At the start: for how long the history of tables is kept that have been dropped before."""
        state = self._env.txns.state
        gone = {s for s, r in state.registered.items() if r.forget_ts is not None} | state.graves.keys()
        if not gone:
            return
        for version in sorted(await versions(self._env, TIMESTAMP_MAX), key=lambda v: v.begins):
            if version.row[1] == "table" and version.ends < TIMESTAMP_MAX:
                table = decode(version.row)
                if isinstance(table, Table) and table.shard in gone:
                    self._catalogs.left(table)

    def _read(self, found: Sequence[Version], ts: Timestamp) -> Past:
        newest = self._catalogs.newest
        things: list[CatalogObject] = []
        begins, until = 0, TIMESTAMP_MAX
        for version in found:
            for change in (version.begins, version.ends):
                if change <= ts:
                    begins = max(begins, change)
                else:
                    until = min(until, change)
            if version.begins <= ts < version.ends:
                thing = decode(version.row)
                today = newest.get(thing.oid)
                things.append(today if today is not None and today == thing else thing)
        things += built_in_beside(things)
        owners = access.last_owners(access.gone(things, newest), found)
        return Past(begins, until, things, owners)

    def _seen(self, past: Past, database: str) -> Catalog:
        newest = self._catalogs.newest
        if past.base is not newest:
            past.base, past.catalog, past.seen_from = newest, self._settled(past, newest), {}
        assert past.catalog is not None
        kept = past.seen_from.get(database)
        if kept is None:
            kept = past.seen_from[database] = past.catalog.for_database(database)
        return kept

    def _settled(self, past: Past, newest: Catalog) -> Catalog:
        things = [
            self._tables.settled(t, newest, past.until) if isinstance(t, Table) else t
            for t in _of_then(past.things, newest, past.owners)
        ]
        catalog = Catalog(things)
        catalog.past = True
        catalog.columnar = frozenset(
            t.oid for t in things if isinstance(t, Table) and newest.get(t.oid) is not t
        )
        catalog.as_invoker = access.changed_views({t.oid: t for t in things}, newest)
        return catalog


def _of_then(
    things: Sequence[CatalogObject], newest: Catalog, owners: Mapping[Oid, Oid]
) -> list[CatalogObject]:
    """The objects of then under the roles, owners and privileges of now."""
    hidden = {
        t.oid
        for t in things
        if isinstance(t, Schema) and t.name.startswith(TEMPORARY_PREFIX) and newest.get(t.oid) is not t
    }
    made: dict[Oid, CatalogObject] = {}
    for thing in things:
        if (
            isinstance(thing, Role | Grant)
            or thing.oid in hidden
            or getattr(thing, "schema_oid", 0) in hidden
        ):
            continue
        made[thing.oid] = access.owned(thing, newest, owners)
    return [*made.values(), *newest.objects(Role), *access.grants(made, newest)]


__all__ = ["PastCatalogs"]
