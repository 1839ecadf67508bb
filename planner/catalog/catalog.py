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

import itertools
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, TypeVar

from planner.abc import Oid, PlanError, Table
from planner.catalog import collations, names
from planner.catalog.codec import CatalogRow, decode, encode
from planner.catalog.objects import (
    DATABASE_OID,
    FIRST_USER_OID,
    PG_CATALOG_OID,
    BaseType,
    CatalogChange,
    CatalogObject,
    Collation,
    Comment,
    CompositeType,
    Counter,
    Database,
    DefaultGrant,
    Domain,
    Extension,
    Function,
    Grant,
    Index,
    Placed,
    Relation,
    Role,
    Schema,
    SessionDefaults,
    UserType,
    View,
    built_in_objects,
)
from planner.catalog.objects import Sequence as SequenceObject
from planner.catalog.row_types import relation_of, row_type
from planner.catalog.user_types import USER_TYPES, declare_new, meet_rows, note_rows
from planner.types.of_extensions import EXTENSION_OF, MEMBERS

SearchPath = tuple[str, ...]
DEFAULT_SEARCH_PATH: Final[SearchPath] = ("public",)
TEMPORARY_PREFIX: Final = "pg_temp_"
OWN_TEMPORARY: Final = "pg_temp"

_RELATIONS: Final = (Table, View, SequenceObject, Index, CompositeType)
_T = TypeVar("_T", bound=CatalogObject)
_K = TypeVar("_K")
_EMPTY: Final[frozenset[Oid]] = frozenset()
_UNNAMED: Final = frozenset((Table, Index, SequenceObject, Comment, Counter))
"""Kinds of objects that no statement depends on that reads system relations alone, unless they are called like one of these."""
_NOTHING: Final[frozenset[str]] = frozenset()


_versions = itertools.count(1)


class Catalog:
    """Immutable. No two catalogs of a process share a `version`, so caches can ask whether theirs is of this one:
    those that a transaction makes on its way, and rolls back, included."""

    __slots__ = (
        "_by_table",
        "_databases",
        "_defaults",
        "_extensions",
        "_functions",
        "_kinds",
        "_objects",
        "_partitions",
        "_parts",
        "_referring",
        "_relations",
        "_roles",
        "_schemas",
        "_targets",
        "_types",
        "as_invoker",
        "columnar",
        "database_oid",
        "meaning",
        "past",
        "shown",
        "user_types",
        "version",
    )

    def __init__(self, things: Iterable[CatalogObject] | None = None) -> None:
        self.version = next(_versions)
        self.meaning = self.version
        """The same for catalogs that differ in tables, indexes, sequences and comments alone: statements that name none of
        users' tables mean the same in all of them."""
        self.database_oid: Oid = DATABASE_OID
        self.past = False
        """Whether it is a catalog of a time gone by: nothing is written under it."""
        self.shown: tuple[Oid, ...] | None = None
        """The objects that are listed; None: all (`showing`)."""
        self.columnar: frozenset[Oid] = frozenset()
        """Tables whose rows in memory are not laid out as they are defined here: DuckDB alone reads them."""
        self.as_invoker: frozenset[Oid] = frozenset()
        """Views that read in the name of who asks, not of their owner."""
        self.user_types: dict[Oid, UserType] = {}
        """By OID; the same dictionary as long as no type is changed. Never changed in place."""
        self._objects: dict[Oid, CatalogObject] = {}
        self._relations: dict[tuple[Oid, str], Oid] = {}
        self._types: dict[tuple[Oid, str], Oid] = {}
        self._schemas: dict[tuple[Oid, str], Oid] = {}
        self._roles: dict[str, Oid] = {}
        self._databases: dict[str, Oid] = {}
        self._defaults: dict[tuple[Oid, Oid], Oid] = {}  # settings of a database's, a role's sessions
        self._by_table: dict[Oid, frozenset[Oid]] = {}  # indexes and owned sequences of a table
        self._functions: dict[str, frozenset[Oid]] = {}  # of a name, in whatever schema
        self._extensions: dict[tuple[Oid, str], Oid] = {}
        self._targets: dict[Oid, frozenset[Oid]] = {}  # comments and grants on an object
        self._parts: dict[Oid, Oid] = {}  # by constraint or trigger: the object that it is of
        self._referring: dict[Oid, frozenset[Oid]] = {}  # tables whose foreign keys refer to a table
        self._partitions: dict[Oid, frozenset[Oid]] = {}  # of a partitioned table
        self._kinds: dict[type[CatalogObject], tuple[Oid, ...]] = {}  # in order; made when somebody asks
        for thing in built_in_objects() if things is None else things:
            self._add(thing)

    @classmethod
    def from_rows(cls, rows: Iterable[CatalogRow]) -> Catalog:
        """The catalog that the catalog shard's rows describe; built-in objects that no row replaces are there."""
        stored = [decode(row) for row in rows]
        replaced = {thing.oid for thing in stored}
        return cls([*(b for b in built_in_objects() if b.oid not in replaced), *stored])

    # --- growing ---------------------------------------------------------------------------------

    def with_changes(self, changes: Sequence[CatalogChange]) -> Catalog:
        """The catalog after these changes, under a version of its own."""
        after = Catalog.__new__(Catalog)
        after.version = next(_versions)
        named = (x for change in changes for x in (change.old, change.new) if x is not None)
        after.meaning = self.meaning if all(map(_means_nothing, named)) else after.version
        after.database_oid = self.database_oid
        after.past, after.columnar, after.as_invoker = self.past, self.columnar, self.as_invoker
        after.shown = None
        after.user_types = self.user_types
        for name in Catalog.__slots__:
            if name.startswith("_"):
                setattr(after, name, dict(getattr(self, name)))
        for change in changes:
            if change.old is not None:
                after._remove(change.old)
        for change in changes:
            if change.new is not None:
                after._add(change.new)
        return after

    def for_database(self, name: str) -> Catalog:
        """The same catalog seen from a database. Raises 3D000."""
        oid = self._databases.get(name)
        if oid is None:
            raise PlanError("3D000", f'database "{name}" does not exist')
        if oid == self.database_oid:
            return self
        view = self._view()
        view.database_oid = oid
        return view

    def showing(self, oids: Iterable[Oid]) -> Catalog:
        """The same catalog, where `objects` lists just these: of some objects to say what is said of all."""
        view = self._view()
        view.shown = tuple(sorted(oid for oid in set(oids) if oid in self._objects))
        return view

    def _view(self) -> Catalog:
        view = Catalog.__new__(Catalog)
        for slot in Catalog.__slots__:
            setattr(view, slot, getattr(self, slot))
        return view

    def _add(self, thing: CatalogObject) -> None:
        assert thing.oid not in self._objects, f"OID {thing.oid} is taken"
        self._objects[thing.oid] = thing
        if isinstance(thing, _RELATIONS):
            key = (thing.schema_oid, thing.name)
            assert key not in self._relations, f"relation name {key} is taken"
            self._relations[key] = thing.oid
        if isinstance(thing, Collation):
            collations.declare(thing)
        if isinstance(thing, USER_TYPES):
            self._types[thing.schema_oid, thing.name] = thing.oid
            self.user_types = {**self.user_types, thing.oid: thing}
            declare_new(thing)
        if isinstance(thing, Table | View | CompositeType):
            note_rows(c.type.oid for c in thing.columns)
        if isinstance(thing, Index | SequenceObject) and thing.table_oid:
            self._by_table[thing.table_oid] = self._by_table.get(thing.table_oid, _EMPTY) | {thing.oid}
        elif isinstance(thing, Schema):
            self._schemas[thing.database_oid, thing.name] = thing.oid
        elif isinstance(thing, Role):
            self._roles[thing.name] = thing.oid
        elif isinstance(thing, Database):
            self._databases[thing.name] = thing.oid
        elif isinstance(thing, SessionDefaults):
            self._defaults[thing.database_oid, thing.role_oid] = thing.oid
        elif isinstance(thing, Function):
            self._functions[thing.name] = self._functions.get(thing.name, _EMPTY) | {thing.oid}
        elif isinstance(thing, Extension):
            self._extensions[thing.database_oid, thing.name] = thing.oid
        elif isinstance(thing, Comment | Grant):
            self._targets[thing.target] = self._targets.get(thing.target, _EMPTY) | {thing.oid}
        self._parts.update(dict.fromkeys(_parts(thing), thing.oid))
        if isinstance(thing, Table):
            for target in {c.foreign_table for c in thing.constraints if c.kind == "f"}:
                self._referring[target] = self._referring.get(target, _EMPTY) | {thing.oid}
            if thing.partition is not None:
                parent = thing.partition.parent
                self._partitions[parent] = self._partitions.get(parent, _EMPTY) | {thing.oid}
        if (listed := self._kinds.get(type(thing))) is not None:
            at = bisect_left(listed, thing.oid)
            self._kinds[type(thing)] = (*listed[:at], thing.oid, *listed[at:])

    def _remove(self, thing: CatalogObject) -> None:
        assert self._objects.get(thing.oid) == thing, f"object {thing.oid} is not as the change believes"
        del self._objects[thing.oid]
        if isinstance(thing, _RELATIONS):
            del self._relations[thing.schema_oid, thing.name]
        if isinstance(thing, USER_TYPES):
            del self._types[thing.schema_oid, thing.name]
            self.user_types = {oid: x for oid, x in self.user_types.items() if oid != thing.oid}
        if isinstance(thing, Index | SequenceObject) and thing.table_oid:
            _discard(self._by_table, thing.table_oid, thing.oid)
        elif isinstance(thing, Schema):
            del self._schemas[thing.database_oid, thing.name]
        elif isinstance(thing, Role):
            del self._roles[thing.name]
        elif isinstance(thing, Database):
            del self._databases[thing.name]
        elif isinstance(thing, SessionDefaults):
            del self._defaults[thing.database_oid, thing.role_oid]
        elif isinstance(thing, Function):
            _discard(self._functions, thing.name, thing.oid)
        elif isinstance(thing, Extension):
            del self._extensions[thing.database_oid, thing.name]
        elif isinstance(thing, Comment | Grant):
            _discard(self._targets, thing.target, thing.oid)
        for part in _parts(thing):
            self._parts.pop(part, None)
        if isinstance(thing, Table):
            for target in {c.foreign_table for c in thing.constraints if c.kind == "f"}:
                _discard(self._referring, target, thing.oid)
            if thing.partition is not None:
                _discard(self._partitions, thing.partition.parent, thing.oid)
        if (listed := self._kinds.get(type(thing))) is not None:
            at = bisect_left(listed, thing.oid)
            self._kinds[type(thing)] = (*listed[:at], *listed[at + 1 :])

    # --- by OID ----------------------------------------------------------------------------------

    @property
    def counter(self) -> Counter:
        counter = self._objects[1]
        assert isinstance(counter, Counter)
        return counter

    def get(self, oid: Oid) -> CatalogObject | None:
        """The object with this OID, the type of a relation's rows included."""
        found = self._objects.get(oid)
        if found is None and (relation := self._objects.get(relation_of(oid))) is not None:
            made = row_type(relation) if isinstance(relation, Table | View) else None
            return made if made is not None and made.oid == oid else None
        if found is None and (extension := EXTENSION_OF.get(oid)) is not None:
            return next((m for m in self.types_of_extension(extension) if m.oid == oid), None)
        return found

    def table(self, oid: Oid) -> Table:
        """The table with this OID. Raises 42P01."""
        thing = self._objects.get(oid)
        if not isinstance(thing, Table):
            raise PlanError("42P01", f"relation with OID {oid} does not exist")
        return thing

    def objects(self, kind: type[_T]) -> Iterator[_T]:
        """All objects of a kind that this database has (roles, databases, comments: of all), by OID."""
        here = self.database_oid
        for oid in self._of_kind(kind):
            thing = self._objects[oid]
            assert isinstance(thing, kind)
            if isinstance(thing, Schema):
                if thing.database_oid in (0, here):
                    yield thing
                continue
            if self._is_here(thing):
                yield thing

    def _is_here(self, thing: CatalogObject) -> bool:
        """Whether this database has the object, or it has no schema."""
        schema = self._objects.get(getattr(thing, "schema_oid", 0))
        return not isinstance(schema, Schema) or schema.database_oid in (0, self.database_oid)

    def _of_kind(self, kind: type[Any]) -> tuple[Oid, ...]:
        """The OIDs of objects of a kind, in order."""
        if self.shown is not None:
            return tuple(oid for oid in self.shown if isinstance(self._objects[oid], kind))
        found = self._kinds.get(kind)
        if found is None:
            found = tuple(sorted(oid for oid, x in self._objects.items() if isinstance(x, kind)))
            if isinstance(kind, type):  # one of the classes, of which none is another's
                self._kinds[kind] = found
        return found

    def tables(self) -> Iterator[Table]:
        return self.objects(Table)

    def all_tables(self) -> Iterator[Table]:
        """The tables of every database: what the log and the snapshot store care about."""
        return (t for t in self._objects.values() if isinstance(t, Table))

    def inside(self, schema_oid: Oid) -> list[Placed]:
        """Everything that lives in a schema, by OID."""
        found = (self._objects[oid] for oid in sorted(self._objects))
        return [t for t in found if isinstance(t, Placed) and t.schema_oid == schema_oid]

    def indexes_of(self, table_oid: Oid) -> list[Index]:
        return [i for i in self._dependents(table_oid) if isinstance(i, Index)]

    def sequences_of(self, table_oid: Oid) -> list[SequenceObject]:
        return [s for s in self._dependents(table_oid) if isinstance(s, SequenceObject)]

    def _dependents(self, table_oid: Oid) -> list[CatalogObject]:
        return [self._objects[oid] for oid in sorted(self._by_table.get(table_oid, _EMPTY))]

    def holder_of(self, part: Oid) -> Table | View | Domain | None:
        """What a constraint or trigger is of, if that is in this database."""
        found = self._objects.get(self._parts.get(part, 0))
        return found if isinstance(found, Table | View | Domain) and self._is_here(found) else None

    def referring_to(self, table_oid: Oid) -> list[Table]:
        """The tables whose foreign keys refer to a table."""
        found = (self._objects[oid] for oid in sorted(self._referring.get(table_oid, _EMPTY)))
        return [x for x in found if isinstance(x, Table)]

    def partitions_of(self, table_oid: Oid) -> list[Table]:
        """The partitions of a table, in the order in which they were made."""
        found = (self._objects[oid] for oid in sorted(self._partitions.get(table_oid, _EMPTY)))
        return [t for t in found if isinstance(t, Table)]

    def called(self, name: str) -> list[CatalogObject]:
        """The relations of a name, in whatever schema of this database."""
        found = (self._relations.get((s.oid, name)) for s in self.objects(Schema))
        return [self._objects[oid] for oid in found if oid is not None]

    def types_called(self, name: str) -> list[Oid]:
        """The users' types of a name, in whatever schema of this database."""
        found = (self._types.get((s.oid, name)) for s in self.objects(Schema))
        return [oid for oid in found if oid is not None]

    def comments_on(self, oid: Oid) -> list[Comment]:
        found = (self._objects[o] for o in sorted(self._targets.get(oid, _EMPTY)))
        return [c for c in found if isinstance(c, Comment)]

    def grants_on(self, oid: Oid) -> list[Grant]:
        found = (self._objects[o] for o in sorted(self._targets.get(oid, _EMPTY)))
        return [g for g in found if isinstance(g, Grant)]

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
        return thing if isinstance(thing, _RELATIONS) else None

    def relation_in(self, schema_oid: Oid, name: str) -> Relation | None:
        oid = self._relations.get((schema_oid, name))
        thing = self._objects.get(oid) if oid is not None else None
        return thing if isinstance(thing, _RELATIONS) else None

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
        homes = [self.schema(schema)] if schema else self.schemas_on(search_path)
        for home in homes:
            made = self.type_in(home.oid, name)
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
        if oids is None:
            return []
        if schema:
            home = self.find_schema(schema)
            homes = [home] if home is not None else []
        else:
            homes = [s for s in self.schemas_on(search_path) if not s.name.startswith(TEMPORARY_PREFIX)]
        found: dict[tuple[Oid, ...], Function] = {}
        for s in homes:
            for oid in sorted(oids):
                f = self._objects[oid]
                if isinstance(f, Function) and f.schema_oid == s.oid:
                    found.setdefault(f.signature, f)
        return list(found.values())

    def named_functions(self, name: str) -> list[Function]:
        """The functions of that name, in whatever schema, by OID."""
        found = (self._objects[oid] for oid in sorted(self._functions.get(name, _EMPTY)))
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

    def collation_in(self, schema_oid: Oid, name: str) -> Collation | None:
        return next(
            (c for c in self.objects(Collation) if c.schema_oid == schema_oid and c.name == name), None
        )

    def twin(self, thing: CatalogObject) -> CatalogObject | None:
        """What is told from other objects by the same as `thing`, of those kinds that no schema holds."""
        match thing:
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
        return None

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
        return (*search_path, *(s for s in homes if s not in search_path))

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


def _means_nothing(thing: CatalogObject) -> bool:
    """Whether no statement over system relations alone means something else with the object than without it.

    A temporary table is found before pg_catalog's relations, and others are where the path says so.
    """
    from planner.catalog.system.relations import names as system_names

    return type(thing) in _UNNAMED and getattr(thing, "name", "") not in system_names()


def _parts(thing: CatalogObject) -> list[Oid]:
    """The constraints and triggers of an object."""
    found = [c.oid for c in thing.constraints] if isinstance(thing, Table | Domain) else []
    if isinstance(thing, Table):
        found += [p.oid for p in thing.policies]
    return found + [x.oid for x in thing.triggers] if isinstance(thing, Table | View) else found


def meant_schema(said: str, search_path: Sequence[str]) -> str:
    """The schema that a name means: `pg_temp` is the session's own temporary one, once it has one."""
    if said != OWN_TEMPORARY:
        return said
    return next((s for s in search_path if s.startswith(TEMPORARY_PREFIX)), said)


def _for_whom(default: DefaultGrant) -> tuple[Any, ...]:
    """What tells one record of ALTER DEFAULT PRIVILEGES from another."""
    return default.database_oid, default.role, default.namespace, default.kind, default.grantee


def _discard(index: dict[_K, frozenset[Oid]], key: _K, oid: Oid) -> None:
    rest = index[key] - {oid}
    if rest:
        index[key] = rest
    else:
        del index[key]


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
