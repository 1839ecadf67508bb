"""The catalog: one immutable value that says what exists, as of one timestamp.

    catalog  --with_changes([CatalogChange(None, Table(...)), ...])-->  catalog'

A transaction's snapshot has a catalog as it has rows; DDL inside it makes its own next one. Nothing here is ever
modified, so plans, sessions and pg_catalog can hold one as long as they like. A new catalog shares everything
with the old one but the dictionaries that changed, which are copied (ten thousand tables: well under a millisecond).

What has a name is found as `by_name` says.

`for_database` gives the same catalog seen from another database: schemas belong to databases.
"""

from __future__ import annotations

import functools
import itertools
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from operator import attrgetter
from typing import Any, Final

from planner.abc import Oid, PlanError, Table
from planner.catalog import (
    classes_of_operators,
    conversions,
    information_types,
    text_search,
)
from planner.catalog.analyses import Analysis
from planner.catalog.by_name import (
    DEFAULT_SEARCH_PATH,
    TEMPORARY_PREFIX,
    NamedObjects,
    SearchPath,
    meant_schema,
)
from planner.catalog.class_objects import OperatorClass, OperatorFamily
from planner.catalog.codec import CatalogRow, decode, encode
from planner.catalog.foreign_objects import ForeignDataWrapper, ForeignServer, UserMapping
from planner.catalog.indexed import RELATIONS, IndexedObjects
from planner.catalog.objects import (
    FIRST_USER_OID,
    PG_CATALOG_OID,
    CatalogChange,
    CatalogObject,
    Comment,
    Counter,
    Database,
    DefaultGrant,
    Extension,
    Grant,
    Index,
    Parameter,
    Role,
    Schema,
    SessionDefaults,
    StatisticsObject,
    View,
    built_in_beside,
    built_in_objects,
)
from planner.catalog.objects import Sequence as SequenceObject
from planner.catalog.publication_objects import Publication, Subscription
from planner.catalog.routine_objects import Cast, Conversion, EventTrigger, Function, Operator
from planner.catalog.row_types import relation_of, row_type
from planner.catalog.text_search_objects import TextSearchConfiguration, TextSearchDictionary
from planner.catalog.type_objects import Collation
from planner.catalog.user_types import USER_TYPES, founded
from planner.types.of_extensions import EXTENSION_OF

_UNNAMED: Final = frozenset((Table, Index, SequenceObject, Comment, Counter, Analysis))
"""Kinds of objects that no statement depends on that reads system relations alone, unless they are called like one of these."""


_versions = itertools.count(1)


class Catalog(NamedObjects):
    """Immutable. No two catalogs of a process share a `version`, so caches can ask whether theirs is of this one:
    those that a transaction makes on its way, and rolls back, included."""

    __slots__ = (
        "as_invoker",
        "columnar",
        "event",
        "meaning",
        "past",
        "root",
    )

    def __init__(self, things: Iterable[CatalogObject] | None = None) -> None:
        super().__init__(next(_versions))
        self.meaning = self.version
        """The same for catalogs that differ in tables, indexes, sequences, comments and statistics alone: statements that name none of
        users' tables mean the same in all of them."""
        self.root = self.version
        """The version of the catalog that was everybody's when changes began to make this one of it."""
        self.past = False
        """Whether it is a catalog of a time gone by: nothing is written under it."""
        self.columnar: frozenset[Oid] = frozenset()
        """Tables whose rows in memory are not laid out as they are defined here: DuckDB alone reads them."""
        self.event: object = None
        """What the function of an event trigger that sees this catalog is told of (`system.event_triggers`)."""
        self.as_invoker: frozenset[Oid] = frozenset()
        """Views that read in the name of who asks, not of their owner."""
        for thing in built_in_objects() if things is None else things:
            self._add(thing)

    @classmethod
    def from_rows(cls, rows: Iterable[CatalogRow]) -> Catalog:
        """The catalog that the catalog shard's rows describe; built-in objects that no row replaces are there, unless they were dropped."""
        stored = [decode(row) for row in rows]
        return cls([*built_in_beside(stored), *founded(stored)])

    # --- growing ---------------------------------------------------------------------------------

    def with_changes(self, changes: Sequence[CatalogChange]) -> Catalog:
        """The catalog after these changes, under a version of its own."""
        after = Catalog.__new__(Catalog)
        after.version = next(_versions)
        named = (x for change in changes for x in (change.old, change.new) if x is not None)
        after.meaning = self.meaning if all(map(_means_nothing, named)) else after.version
        after.database_oid, after.root = self.database_oid, self.root
        after.past, after.columnar, after.as_invoker = self.past, self.columnar, self.as_invoker
        after.shown, after.event = None, self.event
        after.user_types = self.user_types
        after._fork(self)
        coming: list[CatalogObject] = []
        for change in changes:
            old, new = change.old, change.new
            if old is not None and new is not None and after._swap(old, new):
                continue
            if old is not None:
                after._remove(old)
            if new is not None:
                coming.append(new)
        for thing in founded(coming):
            after._add(thing)
        return after

    def everybodys(self, before: Catalog) -> Catalog:
        """The same objects as what comes after the catalog that was everybody's: a transaction's own one, once it is committed."""
        after = self._view()
        after.version = after.root = next(_versions)
        after.database_oid, after.named_schemas = before.database_oid, {}
        after.past, after.columnar, after.as_invoker = before.past, before.columnar, before.as_invoker
        after.shown, after.event = None, None
        return after

    def take_root(self) -> None:
        """It is everybody's, before anybody has seen it: what is made of it from now on grows from here."""
        self.root = self.version

    def for_database(self, name: str) -> Catalog:
        """The same catalog seen from a database. Raises 3D000."""
        oid = self._databases.get(name)
        if oid is None:
            raise PlanError("3D000", f'database "{name}" does not exist')
        if oid == self.database_oid:
            return self
        view = self._view()
        view.database_oid, view.named_schemas = oid, {}
        return view

    def at_event(self, event: object) -> Catalog:
        """The same catalog, which tells of an event, under a version of its own."""
        view = self._view()
        view.event, view.version = event, next(_versions)
        view.meaning = view.version
        return view

    def showing(self, oids: Iterable[Oid]) -> Catalog:
        """The same catalog, where `objects` lists just these: of some objects to say what is said of all."""
        view = self._view()
        view.shown = tuple(sorted(oid for oid in set(oids) if oid in self._objects))
        return view

    def _view(self) -> Catalog:
        view = Catalog.__new__(Catalog)
        deque(map(setattr, itertools.repeat(view), _SLOTS, _values_of(self)), maxlen=0)
        return view

    def get(self, oid: Oid) -> CatalogObject | None:
        """The object with this OID, the type of a relation's rows included."""
        found = self._objects.get(oid)
        if found is None and (relation := self._objects.get(relation_of(oid))) is not None:
            made = row_type(relation) if isinstance(relation, Table | View) else None
            return made if made is not None and made.oid == oid else None
        if found is None and (extension := EXTENSION_OF.get(oid)) is not None:
            return next((m for m in self.types_of_extension(extension) if m.oid == oid), None)
        return information_types.BY_OID.get(oid) if found is None else found

    def rows(self) -> list[CatalogRow]:
        """Every object as a row of the catalog shard."""
        return [encode(self._objects[oid]) for oid in sorted(self._objects)]

    # --- what may be there once --------------------------------------------------------------------

    def twin(self, thing: CatalogObject) -> CatalogObject | None:
        """What is told from other objects by the same as `thing`, where only one may be: its name, or what it is about."""
        match thing:
            case Function(schema_oid=home, name=name, signature=signature):
                named = (f for f in self.named_functions(name) if f.schema_oid == home)
                return next((f for f in named if f.signature == signature), None)
            case Operator(schema_oid=home, name=name, signature=signature):
                return self.operator_in(home, name, signature)
            case OperatorClass(method=method, schema_oid=home, name=name):
                return classes_of_operators.in_schema(self, classes_of_operators.CLASS, method, home, name)
            case OperatorFamily(method=method, schema_oid=home, name=name):
                return classes_of_operators.in_schema(self, classes_of_operators.FAMILY, method, home, name)
            case Conversion(schema_oid=home, name=name):
                return conversions.in_schema(self, home, name)
            case Cast(source=source, target=target):
                return self.casts_of(thing.database_oid).get(source, target)
            case (
                EventTrigger(name=name)
                | Publication(name=name)
                | Subscription(name=name)
                | ForeignDataWrapper(name=name)
                | ForeignServer(name=name)
            ):
                return self._here(type(thing), thing.database_oid, lambda x: x.name == name)
            case UserMapping(server=server, user=user):
                return self._here(
                    UserMapping, thing.database_oid, lambda x: (x.server, x.user) == (server, user)
                )
            case Schema(database_oid=home, name=name):
                return self._objects.get(self._schemas.get((home, name), 0))
            case Role(name=name):
                return self.role(name)
            case Database(name=name):
                return self._objects.get(self._databases.get(name, 0))
            case Extension(database_oid=home, name=name):
                return self._objects.get(self._extensions.get((home, name), 0))
            case SessionDefaults(database_oid=home, role_oid=role):
                return self._objects.get(self._defaults.get((home, role), 0))
            case Comment(target=target, sub=sub, class_oid=0):
                return next((c for c in self.comments_on(target) if c.sub == sub), None)
            case Comment(target=target):
                own = (c for c in self.comments_on_own(target) if c.database_oid == thing.database_oid)
                return next((c for c in own if (c.class_oid, c.sub) == (thing.class_oid, thing.sub)), None)
            case Grant(target=target):
                there = self.grants_anywhere_on(target)
                return next((g for g in there if _given(g) == _given(thing)), None)
            case Parameter(name=name):
                return next((p for p in self.at(Parameter, 0) if p.name == name), None)
            case DefaultGrant():
                return next((d for d in self.at(DefaultGrant, 0) if _for_whom(d) == _for_whom(thing)), None)
            case Collation(schema_oid=home, name=name):
                return self.collation_in(home, name)
            case TextSearchConfiguration(schema_oid=home, name=name):
                return text_search.in_schema(self, text_search.CONFIGURATION, home, name)
            case TextSearchDictionary(schema_oid=home, name=name):
                return text_search.in_schema(self, text_search.DICTIONARY, home, name)
            case StatisticsObject(schema_oid=home, name=name):
                return self.statistics_in(home, name)
        if isinstance(thing, USER_TYPES) and (made := self.type_in(thing.schema_oid, thing.name)) is not None:
            return made
        return self.relation_in(thing.schema_oid, thing.name) if isinstance(thing, RELATIONS) else None

    def _here(self, kind: type[Any], database_oid: Oid, is_it: Callable[[Any], bool]) -> CatalogObject | None:
        return next((x for x in self.at(kind, database_oid) if is_it(x)), None)

    def __len__(self) -> int:
        return len(self._objects)

    def __repr__(self) -> str:
        return f"Catalog(version={self.version}, objects={len(self._objects)})"


_SLOTS: Final = (*IndexedObjects.__slots__, *Catalog.__slots__)
_values_of: Final = attrgetter(*_SLOTS)


def _means_nothing(thing: CatalogObject) -> bool:
    """Whether no statement over system relations alone means something else with the object than without it.

    A temporary table is found before pg_catalog's relations, and others are where the path says so.
    """
    return type(thing) in _UNNAMED and getattr(thing, "name", "") not in _system_names()


@functools.cache
def _system_names() -> Collection[str]:
    from planner.catalog.system.relations import names

    return names()


def _given(grant: Grant) -> tuple[Any, ...]:
    return grant.grantee, grant.grantor, grant.attnum, grant.database_oid


def _for_whom(default: DefaultGrant) -> tuple[Any, ...]:
    """What tells one record of ALTER DEFAULT PRIVILEGES from another."""
    return default.database_oid, default.role, default.namespace, default.kind, default.grantee


def changes_to_rows(changes: Sequence[CatalogChange]) -> tuple[list[CatalogRow], list[CatalogRow]]:
    """What a DDL writes to the catalog shard: rows to delete, rows to insert."""
    return (
        [encode(c.old) for c in changes if c.old is not None],
        [encode(c.new) for c in changes if c.new is not None],
    )


__all__ = [
    "DEFAULT_SEARCH_PATH",
    "FIRST_USER_OID",
    "PG_CATALOG_OID",
    "TEMPORARY_PREFIX",
    "Catalog",
    "SearchPath",
    "changes_to_rows",
    "meant_schema",
]
