"""A catalog's objects, and the dictionaries by which they are found.

    OID            ->  object                      a table's OID    ->  its indexes, its own sequences, who refers to it, what was found of it
    schema, name   ->  relation, type              kind, schema     ->  the OIDs of its objects there
    name           ->  role, database, functions   an object's OID  ->  comments on it, grants on it
    OID, word      ->  who says it, in whatever text (`uses`)

Each object is noted in all of them when it comes and struck from all when it goes; one that is only defined anew stays where it is
found (`_add`, `_remove`, `_swap`: the only ones that change anything, while a catalog is made). What a name means in a session, with its search path, is `Catalog`'s to say.
"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter, is_
from typing import Any, Final, TypeVar

from planner.abc import Oid, PlanError, Table
from planner.catalog import collations
from planner.catalog.analyses import Analysis
from planner.catalog.casts import NO_CASTS, Casts
from planner.catalog.layers import Layered
from planner.catalog.objects import (
    DATABASE_OID,
    CatalogObject,
    Comment,
    Counter,
    Database,
    Extension,
    Grant,
    Index,
    Placed,
    Role,
    Schema,
    SessionDefaults,
    UserType,
    View,
)
from planner.catalog.objects import Sequence as SequenceObject
from planner.catalog.places import OF_DATABASES, PLACED, constraint_names, of_classes, parts, place, targets
from planner.catalog.routine_objects import Cast, Function, Operator
from planner.catalog.type_objects import Collation, CompositeType, Domain
from planner.catalog.user_types import USER_TYPES, declare_new, note_rows
from planner.catalog.uses import HAS_TEXT, HAS_TRIGGERS, Use, uses, words

RELATIONS: Final = (Table, View, SequenceObject, Index, CompositeType)
EMPTY: Final[frozenset[Oid]] = frozenset()

_T = TypeVar("_T", bound=CatalogObject)
_K = TypeVar("_K")


_SWAPPED: Final = (Table, Counter, Index, SequenceObject, Analysis)
"""What definitions mostly change, and what nothing but these finds:"""
_PLACES: Final = ("schema_oid", "name", "table_oid", "partition")
_with_parts: Final = attrgetter("constraints", "policies", "triggers", "rules")
_with_uses: Final = attrgetter("owner", "columns", "of_type", "materialized", "retention_us")
"""What parts of a table, and what else says its uses, are in (`parts`, `constraint_names`, `targets`, `uses`)."""


class IndexedObjects:
    """See the module. Of one database: its schemas and what is in them, beside what all databases share."""

    __slots__ = (
        "_analyses",
        "_by_table",
        "_casts",
        "_constraints",
        "_databases",
        "_defaults",
        "_extensions",
        "_functions",
        "_kinds",
        "_listed",
        "_objects",
        "_operators",
        "_partitions",
        "_parts",
        "_referring",
        "_relations",
        "_roles",
        "_schemas",
        "_targets",
        "_types",
        "_uses",
        "database_oid",
        "named_schemas",
        "shown",
        "user_types",
        "version",
    )

    def __init__(self, version: int = 0) -> None:
        self.version = version
        self.database_oid: Oid = DATABASE_OID
        self.named_schemas: dict[str | tuple[str, ...], Any] = {}
        """Those that somebody has asked for by name, None where there is none, and those on search paths: the same dictionary as long
        as no schema is changed."""
        self.shown: tuple[Oid, ...] | None = None
        """The objects that are listed; None: all (`showing`)."""
        self.user_types: dict[Oid, UserType] = {}
        """By OID; the same dictionary as long as no type is changed. Never changed in place."""
        self._objects: Layered[Oid, CatalogObject] = Layered()
        self._relations: Layered[tuple[Oid, str], Oid] = Layered()
        self._types: Layered[tuple[Oid, str], Oid] = Layered()
        self._schemas: Layered[tuple[Oid, str], Oid] = Layered()
        self._roles: dict[str, Oid] = {}
        self._databases: dict[str, Oid] = {}
        self._defaults: dict[tuple[Oid, Oid], Oid] = {}  # settings of a database's, a role's sessions
        self._by_table: Layered[Oid, frozenset[Oid]] = Layered()  # indexes and owned sequences of a table
        self._analyses: Layered[Oid, Oid] = Layered()  # by table: what was found of it
        self._functions: Layered[str, frozenset[Oid]] = Layered()  # of a name, in whatever schema
        self._casts: dict[Oid, Casts] = {}  # of a database
        self._operators: dict[str, frozenset[Oid]] = {}  # of a sign, in whatever schema
        self._extensions: dict[tuple[Oid, str], Oid] = {}
        self._targets: Layered[Oid, frozenset[Oid]] = Layered()  # comments and grants on an object
        self._parts: Layered[Oid, Oid] = Layered()  # by constraint or trigger: the object that it is of
        self._constraints: Layered[tuple[Oid, str], frozenset[Oid]] = Layered()
        """By schema and name: the tables and domains with such a constraint."""
        self._referring: Layered[Oid, frozenset[Oid]] = (
            Layered()
        )  # tables whose foreign keys refer to a table
        self._partitions: Layered[Oid, frozenset[Oid]] = Layered()  # of a partitioned table
        self._kinds: Layered[tuple[type[CatalogObject], Oid], Layered[Oid, None]] = Layered()
        """By kind and place (`place`): what is there."""
        self._listed: dict[tuple[type[Any], Oid], tuple[Oid, ...]] = {}
        """By kind and database: the same in order, when somebody has asked. What changes nothing of a kind takes it along."""
        self._uses: Layered[Use, Layered[Oid, None]] = Layered()  # who says an OID or a word

    def _fork(self, before: IndexedObjects) -> None:
        """Begins as another one is; for `_add`, `_remove` and `_swap` to go on from there. Dictionaries of layers are forked when they
        are first changed (`_own`), small ones copied."""
        self._objects, self._relations, self._types = before._objects, before._relations, before._types
        self._schemas, self._kinds, self._uses = before._schemas, before._kinds, before._uses
        self._by_table, self._targets, self._parts = before._by_table, before._targets, before._parts
        self._functions, self._constraints = before._functions, before._constraints
        self._referring, self._partitions = before._referring, before._partitions
        self._analyses = before._analyses
        self.named_schemas = before.named_schemas
        self._roles, self._databases = before._roles.copy(), before._databases.copy()
        self._defaults, self._extensions = before._defaults.copy(), before._extensions.copy()
        self._casts, self._operators = before._casts.copy(), before._operators.copy()
        self._listed = before._listed.copy()

    def _own(self, name: str) -> Any:
        """One of the dictionaries, to be changed by this catalog: those that it does not change it shares."""
        found: Layered[Any, Any] = getattr(self, name)
        if found.owner != self.version:
            found = found.fork(self.version)
            setattr(self, name, found)
        return found

    def _of(self, index: Any, key: Any) -> Layered[Oid, None]:
        """The OIDs that an index has under a key, to be changed by this catalog."""
        found: Layered[Oid, None] | None = index.get(key)
        if found is None or found.owner != self.version:
            found = index[key] = Layered(self.version) if found is None else found.fork(self.version)
        return found

    def _let_go(self, index: Any, key: Any, oid: Oid) -> None:
        """Takes an OID from under a key, and the key with its last one: words and OIDs come anew with every object."""
        found = self._of(index, key)
        del found[oid]
        if not found:
            del index[key]

    def _add(self, thing: CatalogObject) -> None:
        assert thing.oid not in self._objects, f"OID {thing.oid} is taken"
        self._own("_objects")[thing.oid] = thing
        if isinstance(thing, RELATIONS):
            key = (thing.schema_oid, thing.name)
            assert key not in self._relations, f"relation name {key} is taken"
            self._own("_relations")[key] = thing.oid
        if isinstance(thing, Collation):
            collations.declare(thing)
        if isinstance(thing, USER_TYPES):
            self._own("_types")[thing.schema_oid, thing.name] = thing.oid
            self.user_types = {**self.user_types, thing.oid: thing}
            declare_new(thing)
        if isinstance(thing, Table | View | CompositeType):
            note_rows(c.type.oid for c in thing.columns)
        if isinstance(thing, Index | SequenceObject) and thing.table_oid:
            self._own("_by_table")[thing.table_oid] = self._by_table.get(thing.table_oid, EMPTY) | {thing.oid}
        elif isinstance(thing, Schema):
            self._own("_schemas")[thing.database_oid, thing.name] = thing.oid
            self.named_schemas = {}
        elif isinstance(thing, Role):
            self._roles[thing.name] = thing.oid
        elif isinstance(thing, Database):
            self._databases[thing.name] = thing.oid
        elif isinstance(thing, SessionDefaults):
            self._defaults[thing.database_oid, thing.role_oid] = thing.oid
        elif isinstance(thing, Function):
            self._own("_functions")[thing.name] = self._functions.get(thing.name, EMPTY) | {thing.oid}
            note_rows((thing.result.oid, *(p.type.oid for p in thing.parameters)))
        elif isinstance(thing, Cast):
            self._casts[thing.database_oid] = self._casts.get(thing.database_oid, NO_CASTS).with_(thing)
        elif isinstance(thing, Operator):
            self._operators[thing.name] = self._operators.get(thing.name, EMPTY) | {thing.oid}
        elif isinstance(thing, Extension):
            self._extensions[thing.database_oid, thing.name] = thing.oid
        elif isinstance(thing, Analysis):
            self._own("_analyses")[thing.table_oid] = thing.oid
        elif isinstance(thing, Comment | Grant):
            self._own("_targets")[thing.target] = self._targets.get(thing.target, EMPTY) | {thing.oid}
        for part in parts(thing):
            self._own("_parts")[part] = thing.oid
        for key in constraint_names(thing):
            self._own("_constraints")[key] = self._constraints.get(key, EMPTY) | {thing.oid}
        if isinstance(thing, Table):
            for target in targets(thing):
                self._own("_referring")[target] = self._referring.get(target, EMPTY) | {thing.oid}
            if thing.partition is not None:
                parent = thing.partition.parent
                self._own("_partitions")[parent] = self._partitions.get(parent, EMPTY) | {thing.oid}
        self._of(self._own("_kinds"), (type(thing), place(thing)))[thing.oid] = None
        self._relist(thing)
        for use in uses(thing):
            self._of(self._own("_uses"), use)[thing.oid] = None

    def _remove(self, thing: CatalogObject) -> None:
        found = self._objects.get(thing.oid)
        assert found is thing or found == thing, f"object {thing.oid} is not as the change believes"
        del self._own("_objects")[thing.oid]
        if isinstance(thing, RELATIONS):
            del self._own("_relations")[thing.schema_oid, thing.name]
        if isinstance(thing, USER_TYPES):
            del self._own("_types")[thing.schema_oid, thing.name]
            self.user_types = {oid: x for oid, x in self.user_types.items() if oid != thing.oid}
        if isinstance(thing, Index | SequenceObject) and thing.table_oid:
            _discard(self._own("_by_table"), thing.table_oid, thing.oid)
        elif isinstance(thing, Schema):
            del self._own("_schemas")[thing.database_oid, thing.name]
            self.named_schemas = {}
        elif isinstance(thing, Role):
            del self._roles[thing.name]
        elif isinstance(thing, Database):
            del self._databases[thing.name]
        elif isinstance(thing, SessionDefaults):
            del self._defaults[thing.database_oid, thing.role_oid]
        elif isinstance(thing, Function):
            _discard(self._own("_functions"), thing.name, thing.oid)
        elif isinstance(thing, Cast):
            self._casts[thing.database_oid] = self._casts[thing.database_oid].without(thing)
        elif isinstance(thing, Operator):
            _discard(self._operators, thing.name, thing.oid)
        elif isinstance(thing, Extension):
            del self._extensions[thing.database_oid, thing.name]
        elif isinstance(thing, Analysis):
            del self._own("_analyses")[thing.table_oid]
        elif isinstance(thing, Comment | Grant):
            _discard(self._own("_targets"), thing.target, thing.oid)
        for part in parts(thing):
            if part in self._parts:
                del self._own("_parts")[part]
        for key in constraint_names(thing):
            _discard(self._own("_constraints"), key, thing.oid)
        if isinstance(thing, Table):
            for target in targets(thing):
                _discard(self._own("_referring"), target, thing.oid)
            if thing.partition is not None:
                _discard(self._own("_partitions"), thing.partition.parent, thing.oid)
        self._let_go(self._own("_kinds"), (type(thing), place(thing)), thing.oid)
        self._relist(thing)
        for use in uses(thing):
            self._let_go(self._own("_uses"), use, thing.oid)

    def _relist(self, thing: CatalogObject) -> None:
        """An object comes or goes: what was listed of its kind is out of date, and with a schema or a database all that is in it."""
        if isinstance(thing, Schema | Database):
            self._listed = {}
        elif self._listed:
            for key in [key for key in self._listed if isinstance(thing, key[0])]:
                del self._listed[key]

    def _swap(self, old: CatalogObject, new: CatalogObject) -> bool:
        """An object in the place of what it was before, if it is found where that was: only what differs is noted. False: it is not."""
        if not (type(old) is type(new) and old.oid == new.oid and isinstance(old, _SWAPPED)):
            return False
        if any(getattr(old, name, None) != getattr(new, name, None) for name in _PLACES):
            return False
        found = self._objects.get(old.oid)
        assert found is old or found == old, f"object {old.oid} is not as the change believes"
        self._own("_objects")[new.oid] = new
        if isinstance(old, Table) and isinstance(new, Table):
            if not all(map(is_, _with_parts(old), _with_parts(new))):
                self._swap_parts(old, new)
            elif all(map(is_, _with_uses(old), _with_uses(new))):
                return True
            note_rows([c.type.oid for c in new.columns])
        before, after = uses(old), uses(new)
        for use in before - after:
            self._let_go(self._own("_uses"), use, old.oid)
        for use in after - before:
            self._of(self._own("_uses"), use)[new.oid] = None
        return True

    def _swap_parts(self, old: Table, new: Table) -> None:
        before, kept = parts(old), parts(new)
        if before != kept:
            own = self._own("_parts")
            for part in before:
                if part in own:
                    del own[part]
            for part in kept:
                own[part] = new.oid
        names, said = constraint_names(old), constraint_names(new)
        for key in names - said:
            _discard(self._own("_constraints"), key, old.oid)
        for key in said - names:
            self._own("_constraints")[key] = self._constraints.get(key, EMPTY) | {new.oid}
        referred, aimed = targets(old), targets(new)
        for target in referred - aimed:
            _discard(self._own("_referring"), target, old.oid)
        for target in aimed - referred:
            self._own("_referring")[target] = self._referring.get(target, EMPTY) | {new.oid}

    # --- by OID ----------------------------------------------------------------------------------

    @property
    def counter(self) -> Counter:
        counter = self._objects[1]
        assert isinstance(counter, Counter)
        return counter

    def table(self, oid: Oid) -> Table:
        """The table with this OID. Raises 42P01."""
        thing = self._objects.get(oid)
        if not isinstance(thing, Table):
            raise PlanError("42P01", f"relation with OID {oid} does not exist")
        return thing

    def objects(self, kind: type[_T]) -> Iterator[_T]:
        """All objects of a kind that this database has (roles, databases, comments: of all), by OID."""
        found = self._objects.get
        for oid in self._of_kind(kind):
            thing = found(oid)
            assert isinstance(thing, kind)
            yield thing

    def all_of(self, kind: type[_T]) -> list[_T]:
        """The same where only some objects are shown: names are found among all of them."""
        made = (self._objects[oid] for oid in self._all_of_kind(kind))
        return [x for x in made if isinstance(x, kind)]

    def at(self, kind: type[_T], place: Oid) -> list[_T]:
        """Those of a kind in a schema, or of a database, whichever that is."""
        key: Any = kind, place
        found = (self._objects[oid] for oid in sorted(self._kinds.get(key, ())))
        return [x for x in found if isinstance(x, kind)]

    @property
    def casts(self) -> Casts:
        """The users' casts of this database."""
        return self._casts.get(self.database_oid, NO_CASTS)

    def home_of(self, thing: CatalogObject) -> Oid:
        """The database that an object is of; 0: of all of them."""
        if isinstance(thing, (Schema, *OF_DATABASES)):
            return thing.database_oid
        schema = self._objects.get(getattr(thing, "schema_oid", 0))
        return schema.database_oid if isinstance(schema, Schema) else 0

    def has(self, thing: CatalogObject) -> bool:
        """Whether an object is this database's, or of all of them."""
        return self.home_of(thing) in (0, self.database_oid)

    def _of_kind(self, kind: type[Any]) -> tuple[Oid, ...]:
        """The OIDs of this database's objects of a kind, in order."""
        if self.shown is not None:
            shown = ((oid, self._objects[oid]) for oid in self.shown)
            return tuple(oid for oid, x in shown if isinstance(x, kind) and self.has(x))
        return self._all_of_kind(kind)

    def _all_of_kind(self, kind: type[Any]) -> tuple[Oid, ...]:
        key = kind, self.database_oid
        found = self._listed.get(key)
        if found is None:
            there = (self._kinds.get(key, ()) for key in self._where(kind))
            found = self._listed[key] = tuple(sorted(oid for oids in there for oid in oids))
        return found

    def _where(self, kind: type[Any]) -> Iterator[tuple[type[CatalogObject], Oid]]:
        """Under what this database's objects of a kind are found."""
        here = (0, self.database_oid)
        for each in of_classes(kind):
            if each in PLACED:
                yield each, 0
                for place in here:
                    for schema in self._kinds.get((Schema, place), ()):
                        yield each, schema
            else:
                for place in here:
                    yield each, place

    def tables(self) -> Iterator[Table]:
        return self.objects(Table)

    def all_tables(self) -> Iterator[Table]:
        """The tables of every database: what the log and the snapshot store care about."""
        oids = (oid for (kind, _), there in self._kinds.items() if kind is Table for oid in there)
        return (t for oid in oids if isinstance(t := self._objects[oid], Table))

    def inside(self, schema_oid: Oid) -> list[Placed]:
        """Everything that lives in a schema, by OID."""
        oids = sorted(oid for kind in PLACED for oid in self._kinds.get((kind, schema_oid), ()))
        return [t for oid in oids if isinstance(t := self._objects[oid], Placed)]

    def indexes_of(self, table_oid: Oid) -> list[Index]:
        return [i for i in self._dependents(table_oid) if isinstance(i, Index)]

    def sequences_of(self, table_oid: Oid) -> list[SequenceObject]:
        return [s for s in self._dependents(table_oid) if isinstance(s, SequenceObject)]

    def _dependents(self, table_oid: Oid) -> list[CatalogObject]:
        return [self._objects[oid] for oid in sorted(self._by_table.get(table_oid, EMPTY))]

    def holder_of(self, part: Oid) -> Table | View | Domain | None:
        """What a constraint or trigger is of, if that is in this database."""
        found = self._objects.get(self._parts.get(part, 0))
        return found if isinstance(found, Table | View | Domain) and self.has(found) else None

    def has_constraint(self, schema_oid: Oid, name: str) -> bool:
        """Whether a table or domain of the schema has a constraint of this name, or a table an aim."""
        return (schema_oid, name) in self._constraints

    def with_constraint(self, schema_oid: Oid, name: str) -> list[Table]:
        """The tables of a schema with a constraint of this name, or triggers among which one may be a constraint."""
        said = self._constraints.get((schema_oid, name), EMPTY)
        firing = {x.oid for x in self.using(HAS_TRIGGERS) if getattr(x, "schema_oid", 0) == schema_oid}
        return [x for oid in sorted(said | firing) if isinstance(x := self._objects[oid], Table)]

    def with_constraint_called(self, name: str) -> list[Oid]:
        """This database's objects with a constraint of this name, constraint triggers among these, in whatever schema."""
        said = {oid for s in self.objects(Schema) for oid in self._constraints.get((s.oid, name), EMPTY)}
        firing = [x for x in self.using(HAS_TRIGGERS) if isinstance(x, Table | View)]
        said.update(x.oid for x in firing if any(t.constraint and t.name == name for t in x.triggers))
        return sorted(said)

    def using(self, *any_of: Use) -> list[CatalogObject]:
        """This database's objects that say an OID in their definition, or have something of a kind (`planner.catalog.uses`), by OID."""
        oids, shown = {oid for use in any_of for oid in self._uses.get(use, ())}, self.shown
        found = (self._objects[oid] for oid in sorted(oids) if shown is None or oid in shown)
        return [x for x in found if self.has(x)]

    def tables_using(self, *any_of: Use) -> list[Table]:
        """The tables among them."""
        return [x for x in self.using(*any_of) if isinstance(x, Table)]

    def indexes_using(self, *any_of: Use) -> list[Index]:
        return [x for x in self.using(*any_of) if isinstance(x, Index)]

    def everywhere_using(self, use: Use) -> list[CatalogObject]:
        """The same of every database."""
        return [self._objects[oid] for oid in sorted(self._uses.get(use, ()))]

    def wording(self, name: str) -> list[CatalogObject]:
        """Those in whose expressions a name may be said, and perhaps others."""
        said = words(name)
        return self.using(said[0] if said else HAS_TEXT)

    def referring_to(self, table_oid: Oid) -> list[Table]:
        """The tables whose foreign keys refer to a table."""
        found = (self._objects[oid] for oid in sorted(self._referring.get(table_oid, EMPTY)))
        return [x for x in found if isinstance(x, Table)]

    def partitions_of(self, table_oid: Oid) -> list[Table]:
        """The partitions of a table, in the order in which they were made."""
        found = (self._objects[oid] for oid in sorted(self._partitions.get(table_oid, EMPTY)))
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
        found = (self._objects[o] for o in sorted(self._targets.get(oid, EMPTY)))
        return [c for c in found if isinstance(c, Comment) and not c.class_oid]

    def comments_on_own(self, oid: Oid) -> list[Comment]:
        """Those on PostgreSQL's own objects of this number, of whatever class."""
        found = (self._objects[o] for o in sorted(self._targets.get(oid, EMPTY)))
        here = (0, self.database_oid)
        return [c for c in found if isinstance(c, Comment) and c.class_oid and c.database_oid in here]

    def grants_on(self, oid: Oid) -> list[Grant]:
        return [g for g in self.grants_anywhere_on(oid) if g.database_oid in (0, self.database_oid)]

    def grants_anywhere_on(self, oid: Oid) -> list[Grant]:
        """In whatever database they were said, which matters of PostgreSQL's own objects."""
        found = (self._objects[o] for o in sorted(self._targets.get(oid, EMPTY)))
        return [g for g in found if isinstance(g, Grant)]

    def analysis_of(self, table_oid: Oid) -> Analysis | None:
        """What ANALYZE has found of a table."""
        oid = self._analyses.get(table_oid)
        found = self._objects.get(oid) if oid is not None else None
        return found if isinstance(found, Analysis) else None


INDEXES: Final = tuple(
    name for name in IndexedObjects.__slots__ if name.startswith("_") and name != "_listed"
)
"""The dictionaries by which objects are found: what `planner.catalog.reads` watches."""


def _discard(index: dict[_K, frozenset[Oid]] | Layered[_K, frozenset[Oid]], key: _K, oid: Oid) -> None:
    rest = index[key] - {oid}
    if rest:
        index[key] = rest
    else:
        del index[key]


__all__ = ["EMPTY", "INDEXES", "RELATIONS", "IndexedObjects"]
