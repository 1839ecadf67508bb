"""What was asked of a catalog while something was made of it: that is true of every catalog that gives the same answers.

    ctx.catalog = watched(catalog)    ... planned ...    plan.reads = {_relations: {(public, t): 16390}, _objects: {16390: Table(...)},
                                                                      _relations: {(pg_temp_3, t): nothing}, _functions: {f: {16401}}}
    another catalog                   plan.reads.hold(it)             a dozen look-ups, instead of planning

A statement is planned again only if something has changed that it, or what it names, was made of: DDL of other things, which
comes often while applications are tested and migrated, costs it nothing. What is noted are the keys and answers of the catalog's own
dictionaries (`planner.catalog.indexed`), below all that is asked by name or OID. So nobody has to know what a plan depends on:
that an earlier schema of the path has no such table, that a name has no other functions, whom a role is in, what was
granted to whom. Objects are compared by identity, since the executor does so, too; sequences by all but where they stand, which fixtures and
dumps set again and again. What is read past the catalog is noted as a whole:
the registry's types (none that was there may have changed) and the relations whose rows are types.

What is kept apart from plans, for several of them, is kept with what it was made of (`Remembered`), and tells it to whoever takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter
from typing import Any, Final, Generic, TypeVar

from planner.abc import Oid
from planner.catalog import objects
from planner.catalog.catalog import Catalog
from planner.catalog.indexed import INDEXES, IndexedObjects
from planner.catalog.objects import CatalogChange, Index, UserType
from planner.catalog.user_types import ROWS_KNOWN_MAX, ROWS_WATCHED_MAX, known_rows

_NOWHERE: Final = object()
_BY_VALUE: Final = (int, frozenset)
"""Answers that are made anew while nothing has changed: OIDs and sets of them."""

V = TypeVar("V")


class Reads:
    """Keys and answers, by the dictionary that was asked, and of dictionaries that were gone through the whole."""

    __slots__ = ("around", "asked", "bounded", "types", "whole")

    def __init__(self, catalog: Catalog) -> None:
        self.asked: dict[str, dict[Any, Any]] = {}
        self.whole: dict[str, Any] = {}
        self.types: dict[Oid, UserType] = catalog.user_types
        self.around = _around(catalog)
        self.bounded = True
        """Whether this is all: else no other catalog has the same."""

    @classmethod
    def of_all(cls, several: Sequence[Reads]) -> Reads:
        """What was asked for all of them, in one catalog."""
        made = cls.__new__(cls)
        made.asked, made.whole, made.bounded = {}, {}, True
        made.types, made.around = several[0].types, several[0].around
        for one in several:
            made.take(one)
        return made

    def take(self, others: Reads) -> None:
        """What was made of others is part of this."""
        for name, kept in others.asked.items():
            self.asked.setdefault(name, {}).update(kept)
        self.whole |= others.whole
        self.bounded = self.bounded and others.bounded

    def hold(self, catalog: Catalog) -> bool:
        """Whether a catalog gives the same answers."""
        if (
            not self.bounded
            or self.around != _around(catalog)
            or not _include(catalog.user_types, self.types)
        ):
            return False
        for name, kept in self.asked.items():
            get = getattr(catalog, name).get
            for key, before in kept.items():
                now = get(key, _NOWHERE)
                if now is not before and not _same(now, before):
                    return False
        return all(_alike(getattr(catalog, name), before) for name, before in self.whole.items())


def _same(now: Any, before: Any) -> bool:
    """Whether an answer is as good as the one before it that it is not."""
    if type(before) is objects.Sequence:
        return type(now) is objects.Sequence and before.goes_on_as(now)
    return type(before) in _BY_VALUE and bool(now == before)


def _around(catalog: Catalog) -> tuple[Any, ...]:
    """What a catalog is beside its objects."""
    return (
        catalog.database_oid, catalog.past, catalog.columnar, catalog.as_invoker, catalog.shown, id(catalog.event)
    )  # fmt: skip


def _include(types: dict[Oid, UserType], before: dict[Oid, UserType]) -> bool:
    return types is before or all(types.get(oid) is made for oid, made in before.items())


def _alike(now: Any, before: Any) -> bool:
    return now is before or (type(before) is dict and now == before)


class _WatchedIndex:
    """One of a catalog's dictionaries, which notes what it was asked: as it is in `base`, of which `index` may be a fork."""

    __slots__ = ("_base", "_index", "_name", "_reads")

    def __init__(self, index: Any, base: Any, name: str, reads: Reads) -> None:
        self._index, self._base, self._name, self._reads = index, base, name, reads

    def _note(self, key: Any) -> None:
        kept = self._reads.asked.get(self._name)
        if kept is None:
            kept = self._reads.asked[self._name] = {}
        if key not in kept:
            kept[key] = self._base.get(key, _NOWHERE)

    def _note_all(self) -> None:
        self._reads.whole[self._name] = self._base

    def get(self, key: Any, default: Any = None) -> Any:
        index, asked = self._index, self._reads.asked
        if index is not self._base or self._name not in asked:
            self._note(key)
            return index.get(key, default)
        found = index.get(key, _NOWHERE)
        asked[self._name].setdefault(key, found)
        return default if found is _NOWHERE else found

    def __getitem__(self, key: Any) -> Any:
        self._note(key)
        return self._index[key]

    def __contains__(self, key: Any) -> bool:
        self._note(key)
        return key in self._index

    def items(self) -> Any:
        self._note_all()
        return self._index.items()

    def values(self) -> Any:
        self._note_all()
        return self._index.values()

    def __iter__(self) -> Iterator[Any]:
        self._note_all()
        return iter(self._index)

    def __len__(self) -> int:
        self._note_all()
        return len(self._index)


class WatchedCatalog(Catalog):
    """A catalog that notes what it is asked. `plain` is the same unwatched, `base` the one that is watched where this is a fork of it."""

    __slots__ = ("_indexes", "base", "plain", "reads")

    def __init__(self, plain: Catalog, base: Catalog, reads: Reads) -> None:
        self.plain, self.base, self.reads = plain, base, reads
        self._indexes: dict[Oid, list[Index]] = {}
        for name, value in zip(_OTHERS, _others_of(plain), strict=True):
            setattr(self, name, value)
        self.named_schemas = {}  # each is asked for, and noted, once
        for name, index, its_base in zip(INDEXES, _indexes_of(plain), _indexes_of(base), strict=True):
            setattr(self, name, _WatchedIndex(index, its_base, name, reads))
        self._listed = {}  # so that each list is asked for, and what it is made of noted, once

    def indexes_of(self, table_oid: Oid) -> list[Index]:
        found = self._indexes.get(table_oid)
        if found is None:  # each way to a table's rows is looked for among them
            found = self._indexes[table_oid] = super().indexes_of(table_oid)
        return found

    def _all_of_kind(self, kind: type[Any]) -> tuple[Oid, ...]:
        key = kind, self.database_oid
        found = self._listed.get(key)
        if found is None:
            for asked in self._where(kind):
                self._kinds.get(asked)
            found = self._listed[key] = self.plain._all_of_kind(kind)
        return found

    def with_changes(self, changes: Sequence[CatalogChange]) -> Catalog:
        """What comes of the changes is watched as well: the binder looks at tables that stand for others."""
        return WatchedCatalog(self.plain.with_changes(changes), self.base, self.reads)


_OTHERS: Final = tuple(
    name for name in (*IndexedObjects.__slots__, *Catalog.__slots__) if name not in (*INDEXES, "_listed")
)

_others_of: Final = attrgetter(*_OTHERS)
_indexes_of: Final = attrgetter(*INDEXES)


def watched(catalog: Catalog) -> WatchedCatalog:
    """The catalog, which notes from now on what it is asked: in `reads`, apart from who may be watching it already."""
    if isinstance(catalog, WatchedCatalog):
        return WatchedCatalog(catalog.plain, catalog.base, Reads(catalog.base))
    return WatchedCatalog(catalog, catalog, Reads(catalog))


def plain(catalog: Catalog) -> Catalog:
    """The catalog unwatched: for what is asked of it behind the plan's back."""
    return catalog.plain if isinstance(catalog, WatchedCatalog) else catalog


def with_rows(catalog: WatchedCatalog) -> Reads:
    """What was asked, and the relations whose rows' types the registry has: who asks that asks no catalog. Row types of other
    databases' relations, and of those that are gone, nothing in this catalog can be of."""
    rows = known_rows()
    there = () if len(rows) > ROWS_KNOWN_MAX else [oid for oid in rows if catalog.plain.get(oid) is not None]
    if len(rows) > ROWS_KNOWN_MAX or len(there) > ROWS_WATCHED_MAX:
        catalog.reads.bounded = False
    for oid in there:
        catalog.get(oid)
    return catalog.reads


class Remembered(Generic[V]):
    """What is made of catalogs under a key, at most `kept_max` of them: for as long as it would be made again as it was."""

    def __init__(self, kept_max: int) -> None:
        self._kept_max = kept_max
        self._kept: dict[Any, tuple[V, Reads]] = {}
        self._version: dict[Any, int] = {}
        """The catalog for which each was asked last."""

    def of(self, catalog: Catalog, key: Any, make: Callable[[Catalog], V]) -> V:
        """What `make` makes of the catalog. It may look for itself, and finds nothing."""
        known = self._kept.get(key)
        if known is None or (self._version[key] != catalog.version and not known[1].hold(plain(catalog))):
            seen = watched(catalog)
            known = make(seen), with_rows(seen)
            if isinstance(catalog, WatchedCatalog) and catalog.plain is not catalog.base:
                # It is of tables that stand for others, and what it was made of is noted as if they did not.
                catalog.reads.take(known[1])
                return known[0]
            if len(self._kept) >= self._kept_max:
                self._kept.clear()
                self._version.clear()
            self._kept[key] = known
        self._version[key] = catalog.version
        if isinstance(catalog, WatchedCatalog):
            catalog.reads.take(known[1])
        return known[0]


__all__ = ["Reads", "Remembered", "WatchedCatalog", "plain", "watched", "with_rows"]
