"""The catalog: one immutable value that says what exists, as of one timestamp.

    catalog  --with_changes([CatalogChange(None, Table(...)), ...])-->  catalog'

A transaction's snapshot has a catalog as it has rows; DDL inside it makes its own next one. Nothing here is ever
modified, so plans, sessions and pg_catalog can hold one as long as they like. A new catalog shares everything
with the old one but the dictionaries that changed, which are copied (ten thousand tables: well under a millisecond).

Names are found as PostgreSQL finds them. `search_path` is a tuple of schema names; pg_catalog is
searched first if it is not named, and so is the session's temporary schema (`pg_temp_N`, if it is in the path by
its real name). One namespace holds tables, views, sequences and indexes, another one types.

`for_database` gives the same catalog seen from another database: schemas belong to databases.
"""

from __future__ import annotations

import functools
import itertools
from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from operator import attrgetter
from typing import Any, Final, TypeVar

from planner.abc import Oid, PlanError, Table
from planner.catalog import (
    classes_of_operators,
    collations,
    conversions,
    information_types,
    names,
    text_search,
)
from planner.catalog.casts import NO_CASTS, Casts
from planner.catalog.class_objects import OperatorClass, OperatorFamily
from planner.catalog.codec import CatalogRow, decode, encode
from planner.catalog.foreign_objects import ForeignDataWrapper, ForeignServer, UserMapping
from planner.catalog.indexed import EMPTY, RELATIONS, IndexedObjects
from planner.catalog.objects import (
    FIRST_USER_OID,
    INFORMATION_SCHEMA_OID,
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
    Relation,
    Role,
    Schema,
    SessionDefaults,
    StatisticsObject,
    UserType,
    View,
    built_in_objects,
)
from planner.catalog.objects import Sequence as SequenceObject
from planner.catalog.publication_objects import Publication, Subscription
from planner.catalog.routine_objects import Cast, Conversion, EventTrigger, Function, Operator
from planner.catalog.row_types import relation_of, row_type
from planner.catalog.text_search_objects import TextSearchConfiguration, TextSearchDictionary
from planner.catalog.type_objects import BaseType, Collation
from planner.catalog.user_types import USER_TYPES, founded, meet_rows
from planner.remembered import RememberedPath
from planner.types.facts import BY_NAME as TYPES_BY_NAME
from planner.types.of_extensions import EXTENSION_OF, MEMBERS

SearchPath = tuple[str, ...]
DEFAULT_SEARCH_PATH: Final[SearchPath] = ("public",)
TEMPORARY_PREFIX: Final = "pg_temp_"
OWN_TEMPORARY: Final = "pg_temp"

_UNNAMED: Final = frozenset((Table, Index, SequenceObject, Comment, Counter))
"""Kinds of objects that no statement depends on that reads system relations alone, unless they are called like one of these."""
_NOTHING: Final[frozenset[str]] = frozenset()
_NAMES_MAX: Final = 1_000
"""Names of schemas that a catalog remembers."""


_versions = itertools.count(1)
_Called = TypeVar("_Called", Function, Operator)


class Catalog(IndexedObjects):
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
        """The same for catalogs that differ in tables, indexes, sequences and comments alone: statements that name none of
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
        """The catalog that the catalog shard's rows describe; built-in objects that no row replaces are there."""
        stored = [decode(row) for row in rows]
        replaced = {thing.oid for thing in stored}
        return cls([*(b for b in built_in_objects() if b.oid not in replaced), *founded(stored)])

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

    # --- by name ---------------------------------------------------------------------------------

    def schema(self, name: str, position: int = 0) -> Schema:
        """A schema of this database. Raises 3F000."""
        found = self.find_schema(name)
        if found is None:
            raise names.missing_schema(name, position)
        return found

    def find_schema(self, name: str) -> Schema | None:
        known = self.named_schemas
        if name in known:
            return known[name]
        if len(known) >= _NAMES_MAX:
            known.clear()
        found = known[name] = self._schema_named(name)
        return found

    def _schema_named(self, name: str) -> Schema | None:
        here = self.database_oid
        oid = (
            self._schemas.get((here, name))
            or self._schemas.get((0, name))
            or self._schemas.get((-here, name))
        )
        thing = self._objects.get(oid) if oid is not None else None
        return thing if isinstance(thing, Schema) else None

    def schema_of(self, schema_oid: Oid) -> Schema:
        thing = self._objects[schema_oid]
        assert isinstance(thing, Schema)
        return thing

    def schemas_on(self, search_path: Sequence[str]) -> list[Schema]:
        """The schemas of a search path that exist, in the order in which names are looked up."""
        path = list(search_path)
        if "pg_catalog" not in path:
            path.insert(0, "pg_catalog")
        found = (self.find_schema(name) for name in path)
        return [s for s in found if s is not None]

    def creation_schema(self, search_path: Sequence[str], position: int = 0) -> Schema:
        """Where an unqualified CREATE goes: the first schema of the path that exists. Raises 3F000."""
        for name in search_path:
            found = self.find_schema(name)
            if found is not None and not name.startswith(TEMPORARY_PREFIX):
                return found
        raise PlanError("3F000", "no schema has been selected to create in", position=position)

    def find_relation(self, name: str, schema: str, search_path: Sequence[str]) -> Relation | None:
        """A table, view, sequence or index. Raises 3F000 only for a schema that was named. `pg_temp` is the session's own."""
        if isinstance(search_path, RememberedPath):
            thing = self._objects.get(search_path.found.get((schema, name), 0))
            if isinstance(thing, RELATIONS):
                return thing
        schema = meant_schema(schema, search_path)
        if schema:
            oid = self._relations.get((self.schema(schema).oid, name))
        else:
            oid = None
            for s in self.schemas_on(search_path):
                oid = self._relations.get((s.oid, name))
                if oid is not None:
                    break
        thing = self._objects.get(oid) if oid is not None else None
        return thing if isinstance(thing, RELATIONS) else None

    def relation_in(self, schema_oid: Oid, name: str) -> Relation | None:
        oid = self._relations.get((schema_oid, name))
        thing = self._objects.get(oid) if oid is not None else None
        return thing if isinstance(thing, RELATIONS) else None

    def resolve_relation(
        self, name: str, schema: str = "", search_path: Sequence[str] = DEFAULT_SEARCH_PATH, position: int = 0
    ) -> Relation:
        """The relation of that name. Raises 42P01 `relation "x" does not exist` (also for an unknown schema)."""
        found = None
        if not schema or self.find_schema(meant_schema(schema, search_path)) is not None:
            found = self.find_relation(name, schema, search_path)
        if found is None:
            raise names.missing_relation(f"{schema}.{name}" if schema else name, position=position)
        return found

    def resolve_table(
        self, name: str, schema: str = "", search_path: Sequence[str] = DEFAULT_SEARCH_PATH, position: int = 0
    ) -> Table:
        """The table of that name. Raises 42P01, 42809 for a relation that is no table."""
        found = self.resolve_relation(name, schema, search_path, position)
        if not isinstance(found, Table):
            raise PlanError("42809", f'"{name}" is not a table', position=position)
        return found

    def find_type(self, name: str, schema: str, search_path: Sequence[str]) -> UserType | None:
        """A type made by CREATE TYPE or CREATE DOMAIN, or brought by an extension."""
        homes = [self.schema(schema)] if schema else self.schemas_on(search_path)
        return next((made for s in homes if (made := self.type_in(s.oid, name)) is not None), None)

    def type_named(self, name: str, schema: str, search_path: Sequence[str]) -> UserType | None:
        """What a cast or a column's definition may name: a user's type, or that of a relation's rows."""
        if isinstance(search_path, RememberedPath):
            meant = self._objects.get(search_path.found.get((schema, name), 0))
            if isinstance(meant, Table | View):
                rows = row_type(meant)
                meet_rows(rows)
                return rows
        if not schema and name in TYPES_BY_NAME and "pg_catalog" not in search_path:
            return None  # pg_catalog comes first where nobody says otherwise: a table may be called text
        homes = [self.schema(schema)] if schema else self.schemas_on(search_path)
        for home in homes:
            made = self.type_in(home.oid, name)
            if made is None and home.oid == INFORMATION_SCHEMA_OID:
                made = information_types.BY_NAME.get(name)
            if made is None:
                relation = self.relation_in(home.oid, name)
                if isinstance(relation, Table | View):
                    made = row_type(relation)
                    meet_rows(made)
            if made is not None:
                return made
        return None

    def array_named(self, name: str, schema: str, search_path: Sequence[str]) -> Oid:
        """The arrays over a user's type by the name that pg_type has for them: `_mood`. 0: there are none of that name."""
        element = self.type_named(name[1:], schema, search_path) if name.startswith("_") else None
        return element.array_oid if element is not None else 0

    def type_in(self, schema_oid: Oid, name: str) -> UserType | None:
        oid = self._types.get((schema_oid, name))
        if oid is None:
            return self._type_of_an_extension(schema_oid, name) if self._extensions else None
        thing = self._objects.get(oid)
        return thing if isinstance(thing, USER_TYPES) else None

    def _type_of_an_extension(self, schema_oid: Oid, name: str) -> BaseType | None:
        found = (m for e in MEMBERS for m in self.types_of_extension(e) if m.name == name)
        return next((m for m in found if m.schema_oid == schema_oid), None)

    def types_of_extension(self, name: str) -> list[BaseType]:
        """The types that an extension of this database brings; none where it is not there."""
        extension = self.extension(name)
        if extension is None:
            return []
        return [
            BaseType(m.oid, extension.schema_oid, m.typname, m.typarray, extension.oid, extension.owner)
            for m in MEMBERS.get(name, ())
        ]

    def base_types(self) -> list[BaseType]:
        """All that extensions of this database bring."""
        return [made for name in MEMBERS for made in self.types_of_extension(name)]

    def functions(self, name: str, schema: str, search_path: Sequence[str]) -> list[Function]:
        """The functions of that name that a call finds, nearest first. Of one signature the first hides the others."""
        oids = self._functions.get(name)
        return [] if oids is None else self._nearest(Function, oids, schema, search_path)

    def operators(self, name: str, schema: str, search_path: Sequence[str]) -> list[Operator]:
        """The users' operators of that sign that an expression finds, nearest first. Of one signature the first hides the others."""
        oids = self._operators.get(name)
        return [] if oids is None else self._nearest(Operator, oids, schema, search_path)

    def _nearest(
        self, kind: type[_Called], oids: Iterable[Oid], schema: str, search_path: Sequence[str]
    ) -> list[_Called]:
        """Of these objects those in the schema, or on the path; schemas of sessions are not looked through."""
        if schema:
            home = self.find_schema(schema)
            homes = [home] if home is not None else []
        else:
            homes = [s for s in self.schemas_on(search_path) if not s.name.startswith(TEMPORARY_PREFIX)]
        found: dict[tuple[Oid, ...], _Called] = {}
        for s in homes:
            for oid in sorted(oids):
                made = self._objects[oid]
                if isinstance(made, kind) and made.schema_oid == s.oid:
                    found.setdefault(made.signature, made)
        return list(found.values())

    def operator_in(self, schema_oid: Oid, name: str, signature: tuple[Oid, Oid]) -> Operator | None:
        """The operator of that sign and these types that a schema has."""
        made = (self._objects[oid] for oid in sorted(self._operators.get(name, EMPTY)))
        alike = (o for o in made if isinstance(o, Operator) and o.schema_oid == schema_oid)
        return next((o for o in alike if o.signature == signature), None)

    def named_functions(self, name: str) -> list[Function]:
        """The functions of that name, in whatever schema, by OID."""
        found = (self._objects[oid] for oid in sorted(self._functions.get(name, EMPTY)))
        return [f for f in found if isinstance(f, Function)]

    def collation_key(self, name: str, schema: str, search_path: Sequence[str]) -> str:
        """What columns and expressions call the collation of this name; empty: there is none."""
        homes = [self.find_schema(schema)] if schema else self.schemas_on(search_path)
        for home in homes:
            if home is None:
                continue
            if home.oid == PG_CATALOG_OID and name in collations.COLLATIONS:
                return name
            made = self.collation_in(home.oid, name)
            if made is not None:
                return collations.key_of(made.oid)
        return ""

    def statistics_in(self, schema_oid: Oid, name: str) -> StatisticsObject | None:
        made = (s for s in self.objects(StatisticsObject) if s.schema_oid == schema_oid and s.name == name)
        return next(made, None)

    def statistics_of(self, table: Oid) -> list[StatisticsObject]:
        return [s for s in self.objects(StatisticsObject) if s.table_oid == table]

    def collation_in(self, schema_oid: Oid, name: str) -> Collation | None:
        return next(
            (c for c in self.objects(Collation) if c.schema_oid == schema_oid and c.name == name), None
        )

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
                return self._here(
                    type(thing), lambda x: (x.database_oid, x.name) == (thing.database_oid, name)
                )
            case UserMapping(server=server, user=user):
                return self._here(UserMapping, lambda x: (x.server, x.user) == (server, user))
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
            case Comment(target=target, sub=sub):
                return next((c for c in self.comments_on(target) if c.sub == sub), None)
            case Grant(target=target):
                said = (thing.grantee, thing.attnum)
                return next((g for g in self.grants_on(target) if (g.grantee, g.attnum) == said), None)
            case DefaultGrant():
                alike = (self._objects[oid] for oid in self._of_kind(DefaultGrant))
                return next(
                    (d for d in alike if isinstance(d, DefaultGrant) and _for_whom(d) == _for_whom(thing)),
                    None,
                )
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

    def _here(self, kind: type[Any], is_it: Callable[[Any], bool]) -> CatalogObject | None:
        found = (self._objects[oid] for oid in self._of_kind(kind))
        return next((x for x in found if is_it(x)), None)

    def casts_of(self, database_oid: Oid) -> Casts:
        """The users' casts of a database."""
        return self._casts.get(database_oid, NO_CASTS)

    def extension(self, name: str) -> Extension | None:
        """The extension of that name in this database."""
        thing = self._objects.get(self._extensions.get((self.database_oid, name), 0))
        return thing if isinstance(thing, Extension) else None

    def offered(self, schema: str, search_path: Sequence[str]) -> frozenset[str]:
        """The extensions whose functions and operators are found by their names alone, or in a schema."""
        if not self._extensions:
            return _NOTHING
        if schema:
            home = self.find_schema(schema)
            homes = {home.oid} if home is not None else set()
        else:
            homes = {s.oid for s in self.schemas_on(search_path)}
        return frozenset(e.name for e in self._extensions_here() if e.schema_oid in homes)

    def _extensions_here(self) -> list[Extension]:
        """Those of this database, also where only some objects are shown: what is kept as text needs their members."""
        found = (
            self._objects[oid] for (home, _), oid in self._extensions.items() if home == self.database_oid
        )
        return [e for e in found if isinstance(e, Extension)]

    def reaching_extensions(self, search_path: SearchPath) -> SearchPath:
        """The path with the schemas of extensions behind it: what is stored finds them wherever they are now."""
        if not self._extensions:
            return search_path
        homes = dict.fromkeys(self.schema_of(e.schema_oid).name for e in self._extensions_here())
        return search_path + tuple(s for s in homes if s not in search_path)

    def role(self, name: str) -> Role | None:
        oid = self._roles.get(name)
        thing = self._objects.get(oid) if oid is not None else None
        return thing if isinstance(thing, Role) else None

    def database(self, name: str) -> Database | None:
        oid = self._databases.get(name)
        thing = self._objects.get(oid) if oid is not None else None
        return thing if isinstance(thing, Database) else None

    def session_defaults(self, user: str, database: str) -> tuple[str, ...]:
        """The settings (`name=value`) that sessions begin with; of those of one name the last one decides."""
        if not self._defaults:
            return ()
        role, base = self._roles.get(user, 0), self._databases.get(database, 0)
        found: list[str] = []
        for place in dict.fromkeys(((0, 0), (base, 0), (0, role), (base, role))):
            thing = self._objects.get(self._defaults.get(place, 0))
            if isinstance(thing, SessionDefaults):
                found += thing.settings
        return tuple(found)

    def visible(self, relation: Relation, search_path: Sequence[str]) -> bool:
        """pg_table_is_visible: whether the bare name finds this relation."""
        found = self.find_relation(relation.name, "", search_path)
        return found is not None and found.oid == relation.oid

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


def meant_schema(said: str, search_path: Sequence[str]) -> str:
    """The schema that a name means: `pg_temp` is the session's own temporary one, once it has one."""
    if said != OWN_TEMPORARY:
        return said
    return next((s for s in search_path if s.startswith(TEMPORARY_PREFIX)), said)


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
