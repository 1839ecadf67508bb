"""Names, and what they find: as PostgreSQL looks for them.

    t        in pg_catalog, unless the path says where that comes, then in the schemas of the search path, in order
    s.t      in that schema; pg_temp is the session's own

`search_path` is a tuple of schema names; the session's temporary schema is in it by its real name (`pg_temp_N`), if it
has one. One namespace holds tables, views, sequences and indexes, another one types.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, TypeVar

from planner.abc import Oid, PlanError, Table
from planner.catalog import (
    collations,
    information_types,
    names,
)
from planner.catalog.casts import NO_CASTS, Casts
from planner.catalog.indexed import EMPTY, RELATIONS, IndexedObjects
from planner.catalog.objects import (
    INFORMATION_SCHEMA_OID,
    PG_CATALOG_OID,
    CatalogObject,
    Database,
    Extension,
    Relation,
    Role,
    Schema,
    SessionDefaults,
    StatisticsObject,
    UserType,
    View,
)
from planner.catalog.routine_objects import Function, Operator
from planner.catalog.row_types import row_type
from planner.catalog.type_objects import BaseType, Collation
from planner.catalog.user_types import USER_TYPES, meet_rows
from planner.remembered import RememberedPath
from planner.types.facts import BY_NAME as TYPES_BY_NAME
from planner.types.of_extensions import MEMBERS

SearchPath = tuple[str, ...]
DEFAULT_SEARCH_PATH: Final[SearchPath] = ("public",)
TEMPORARY_PREFIX: Final = "pg_temp_"
OWN_TEMPORARY: Final = "pg_temp"

_NOTHING: Final[frozenset[str]] = frozenset()
_NAMES_MAX: Final = 1_000
"""Names of schemas that a catalog remembers."""

_Called = TypeVar("_Called", Function, Operator)


class NamedObjects(IndexedObjects):
    """Objects of a database by their names."""

    __slots__ = ()

    def schema(self, name: str, position: int = 0) -> Schema:
        """A schema of this database. Raises 3F000."""
        found = self.find_schema(name)
        if found is None:
            raise names.missing_schema(name, position)
        return found

    def find_schema(self, name: str) -> Schema | None:
        known = self.named_schemas
        if name in known:
            return known[name]  # type: ignore[no-any-return]
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

    def schemas_on(self, search_path: Sequence[str]) -> Sequence[Schema]:
        """The schemas of a search path that exist, in the order in which names are looked up."""
        path = tuple(search_path)
        known = self.named_schemas.get(path)
        if known is None:
            whole = path if "pg_catalog" in path else ("pg_catalog", *path)
            found = (self.find_schema(name) for name in whole)
            known = self.named_schemas[path] = tuple([s for s in found if s is not None])
        return known

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

    def commanded_relation(
        self, name: str, schema: str = "", search_path: Sequence[str] = DEFAULT_SEARCH_PATH
    ) -> Relation:
        """The relation that a command names, not a query (COPY, LOCK, VACUUM): the same, but 3F000 comes before 42P01 there."""
        if schema:
            self.schema(meant_schema(schema, search_path))
        return self.resolve_relation(name, schema, search_path)

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
        homes = [self.schema(meant_schema(schema, search_path))] if schema else self.schemas_on(search_path)
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
        if schema == OWN_TEMPORARY:
            schema = meant_schema(schema, search_path)
            if self.find_schema(schema) is None:
                return None  # the session has none, and so no types in it
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
        return next((s for s in self.at(StatisticsObject, schema_oid) if s.name == name), None)

    def statistics_of(self, table: Oid) -> list[StatisticsObject]:
        return [s for s in self.objects(StatisticsObject) if s.table_oid == table]

    def collation_in(self, schema_oid: Oid, name: str) -> Collation | None:
        return next((c for c in self.at(Collation, schema_oid) if c.name == name), None)

    def casts_of(self, database_oid: Oid) -> Casts:
        """The users' casts of a database."""
        return self._casts.get(database_oid, NO_CASTS)

    def extension(self, name: str) -> Extension | None:
        """The extension of that name in this database."""
        thing = self._objects.get(self._extensions.get((self.database_oid, name), 0))
        return thing if isinstance(thing, Extension) else None

    def has_extension(self, name: str) -> bool:
        """Whether any database has it."""
        return any(of == name for _, of in self._extensions)

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

    @property
    def here(self) -> str:
        """What the database at hand is called."""
        found = self._objects.get(self.database_oid)
        return found.name if isinstance(found, Database) else ""

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

    def sees(self, thing: CatalogObject, search_path: Sequence[str]) -> bool:
        """Whether the bare name finds this object among users' own: no schema before its own has another one of its kind and name."""
        home = getattr(thing, "schema_oid", 0)
        for schema in self.schemas_on(search_path):
            if schema.oid == home:
                return True
            if self._takes_its_name(schema, thing):
                return False
        return False

    def _takes_its_name(self, schema: Schema, thing: CatalogObject) -> bool:
        if isinstance(thing, USER_TYPES):
            rows = self.relation_in(schema.oid, thing.name)
            return isinstance(rows, Table | View) or self.type_in(schema.oid, thing.name) is not None
        if isinstance(thing, RELATIONS):
            return self.relation_in(schema.oid, thing.name) is not None
        if isinstance(thing, Function):
            if schema.name.startswith(TEMPORARY_PREFIX):
                return False
            named = (f for f in self.named_functions(thing.name) if f.schema_oid == schema.oid)
            return any(f.signature == thing.signature for f in named)
        return isinstance(thing, Collation) and self.collation_in(schema.oid, thing.name) is not None

    def visible(self, relation: Relation, search_path: Sequence[str]) -> bool:
        """pg_table_is_visible: whether the bare name finds this relation."""
        from planner.catalog.system.relations import found_before, names  # which stand on the catalog itself

        found = self.find_relation(relation.name, "", search_path)
        if found is None or found.oid != relation.oid:
            return False
        if found.name not in names():
            return True
        return found_before(found.name, self.schema_of(found.schema_oid).name, search_path) is None


def meant_schema(said: str, search_path: Sequence[str]) -> str:
    """The schema that a name means: `pg_temp` is the session's own temporary one, once it has one."""
    if said != OWN_TEMPORARY:
        return said
    return next((s for s in search_path if s.startswith(TEMPORARY_PREFIX)), said)


__all__ = [
    "DEFAULT_SEARCH_PATH",
    "OWN_TEMPORARY",
    "TEMPORARY_PREFIX",
    "NamedObjects",
    "SearchPath",
    "meant_schema",
]
