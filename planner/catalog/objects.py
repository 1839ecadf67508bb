"""What a database has besides tables: schemas, indexes, views, sequences, roles, databases, comments, rights (types: `type_objects`,
what is called: `routine_objects`).

`Table`, `Column` and `Constraint` are `planner.abc`'s, because every room sees them. All objects are frozen: DDL makes
new ones. Each has an `oid` of its own, by which others point to it, so that renaming is one row.

    Database 5 --< Schema 2200 --< Table 16384 --< Index 16387
                              |                `-- Constraint 16388 (inside the table)
                              |--< View, Sequence, EnumType, Domain, CompositeType, RangeType, Function
    Role 10            Comment -> any object        Grant -> any object and a role
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import field
from typing import Final

from planner.abc import Column, Oid, Table, Trigger, TypeRef
from planner.catalog import predefined
from planner.catalog.analyses import Analysis
from planner.catalog.class_objects import OperatorClass, OperatorFamily
from planner.catalog.foreign_objects import ForeignDataWrapper, ForeignServer, UserMapping
from planner.catalog.predefined import DEFAULT_OWNER
from planner.catalog.publication_objects import Publication, Subscription
from planner.catalog.routine_objects import Cast, Conversion, EventTrigger, Function, Operator
from planner.catalog.text_search_objects import TextSearchConfiguration, TextSearchDictionary
from planner.catalog.type_objects import (
    BaseType,
    Collation,
    CompositeType,
    Domain,
    EnumType,
    MultirangeType,
    RangeType,
)
from planner.records import dataclass, replace
from planner.relations import ResultColumn, Rule
from planner.remembered import NamedRelation, remembered

PG_CATALOG_OID: Final = 11
PUBLIC_OID: Final = 2200
INFORMATION_SCHEMA_OID: Final = 13_000
TOAST_OID: Final = 99
DATABASE_OID: Final = 5
SUPERUSER_OID: Final = 10
POSTGRES_OID: Final = 16_382
POSTGRES_PUBLIC_OID: Final = 16_383
FIRST_USER_OID: Final = 16_384
"""OIDs below are PostgreSQL's own; every object that DDL makes is at or above."""


@dataclass(frozen=True, slots=True)
class Counter:
    """Where the next OID comes from: the one object that every DDL which makes objects replaces.

    It keeps OIDs (and the shard ids made of them) from being used twice, also after drops and restarts.
    """

    next_oid: Oid
    oid: Oid = 1


@dataclass(frozen=True, slots=True)
class Database:
    oid: Oid
    name: str
    owner: str = DEFAULT_OWNER
    connection_limit: int = -1
    """How many sessions of others than superusers it has at most; -1: any number."""
    allows_connections: bool = True
    is_template: bool = False
    """Whether everybody who makes databases may copy it, and nobody drop it."""


@dataclass(frozen=True, slots=True)
class Schema:
    oid: Oid
    name: str
    owner: str = DEFAULT_OWNER
    database_oid: Oid = DATABASE_OID


@dataclass(frozen=True, slots=True)
class IndexKey:
    """A column (attnum) or an expression (attnum 0, SQL text) of an index."""

    attnum: int
    expression: str = ""
    descending: bool = False
    nulls_first: bool = False
    opclass: str = ""
    collation: str = ""
    options: tuple[str, ...] = ()
    """Parameters of its class of operators (`siglen=32`): kept and shown."""


@dataclass(frozen=True, slots=True)
class Index:
    """An index: of a constraint (`constraint_oid`), or made by CREATE INDEX."""

    oid: Oid
    schema_oid: Oid
    name: str
    table_oid: Oid
    keys: tuple[IndexKey, ...]
    unique: bool = False
    primary: bool = False
    method: str = "btree"
    predicate: str = ""
    include: tuple[int, ...] = ()
    nulls_not_distinct: bool = False
    constraint_oid: Oid = 0
    options: tuple[str, ...] = ()  # storage parameters, as of a table
    parent: Oid = 0  # the index of a partitioned table that this one is a part of
    valid: bool = True  # a partitioned table's: all partitions have theirs
    clustered: bool = False  # CLUSTER ON

    @property
    def texts(self) -> list[str]:
        """What it computes: the expressions of its keys, its condition."""
        return [text for text in (*(k.expression for k in self.keys), self.predicate) if text]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class View:
    """A view: its query as text and the columns that it had when it was made."""

    oid: Oid
    schema_oid: Oid
    name: str
    columns: tuple[Column, ...]
    query: str
    owner: str = DEFAULT_OWNER
    temporary: bool = False
    depends: tuple[Oid, ...] = ()  # relations that the query reads
    search_path: tuple[str, ...] = ()  # how names in the query are to be resolved
    triggers: tuple[Trigger, ...] = ()  # as of a table
    options: tuple[
        str, ...
    ] = ()  # as pg_class.reloptions has them: check_option=local, security_invoker=true
    rules: tuple[Rule, ...] = ()  # as of a table
    names: tuple[NamedRelation, ...] = ()  # what the relations' names in the query stood for
    extension: Oid = 0  # that it comes with, and goes with

    def as_table(self) -> Table:
        """A table of its columns, for what asks a relation for nothing else."""
        return Table(self.oid, self.schema_oid, self.name, self.columns, (), "", self.owner)

    @property
    def path(self) -> tuple[str, ...]:
        """The search path of its query, on which the names of relations are found as they were."""
        return remembered(self.search_path, self.names)

    def option(self, name: str) -> str:
        """What was said of an option in WITH (...); empty: nothing."""
        return next((o.partition("=")[2] for o in self.options if o.partition("=")[0] == name), "")

    @property
    def check_option(self) -> str:
        """Which rows may be written through it: "local": those that it shows; "cascaded": that those under it show, too."""
        return self.option("check_option").lower()

    @property
    def security_invoker(self) -> bool:
        """Whether what is under it is read in the name of who asks, not of its owner."""
        return self._is_on("security_invoker")

    @property
    def security_barrier(self) -> bool:
        """Whether what a statement says of its rows is computed of those only that it shows."""
        return self._is_on("security_barrier")

    def _is_on(self, option: str) -> bool:
        said = self.option(option).lower()
        return bool(said) and ("true".startswith(said) or "yes".startswith(said) or said in ("on", "1"))


@dataclass(frozen=True, slots=True)
class Sequence:
    """A sequence's definition. Its values are leased by `lease_name`, which RESTART and ALTER change.

    The n-th value of the current lease series is `first + n * increment` (n from 0), within the bounds.
    """

    oid: Oid
    schema_oid: Oid
    name: str
    type: TypeRef
    start: int = 1
    increment: int = 1
    minimum: int = 1
    maximum: int = (1 << 63) - 1
    cache: int = 1
    cycle: bool = False
    owner: str = DEFAULT_OWNER
    table_oid: Oid = 0  # owned by this column
    attnum: int = 0
    identity: bool = False
    temporary: bool = False
    restarts: int = 0
    restarted_at: int | None = None  # RESTART WITH, setval; None: start
    called: bool = False  # `restarted_at` counts as taken: setval(..., true)
    unlogged: bool = False

    @property
    def lease_name(self) -> str:
        return f"sequence {self.oid}.{self.restarts}"

    @property
    def first(self) -> int:
        """The first value of the current lease series."""
        return self.origin + self.increment if self.called else self.origin

    @property
    def origin(self) -> int:
        """last_value of a series from which nothing was taken yet."""
        return self.start if self.restarted_at is None else self.restarted_at

    def goes_on_as(self, other: Sequence) -> bool:
        """Whether `other` is this one but for where it stands: setval and RESTART, which nothing that names it is made of."""
        here = replace(self, restarts=other.restarts, restarted_at=other.restarted_at, called=other.called)
        return here == other


@dataclass(frozen=True, slots=True)
class StatisticsObject:
    """CREATE STATISTICS: columns, in their order, then expressions, of which a planner is to count together."""

    oid: Oid
    schema_oid: Oid
    name: str
    table_oid: Oid
    keys: tuple[IndexKey, ...]
    kinds: str  # letters of pg_statistic_ext.stxkind
    owner: str = DEFAULT_OWNER
    target: int = -1


@dataclass(frozen=True, slots=True)
class Extension:
    """CREATE EXTENSION: what `planner.extensions` knows under the name can be found in the schema."""

    oid: Oid
    schema_oid: Oid
    name: str
    version: str
    database_oid: Oid
    owner: str = DEFAULT_OWNER


@dataclass(frozen=True, slots=True)
class Role:
    oid: Oid
    name: str
    login: bool = False
    superuser: bool = False
    create_db: bool = False
    create_role: bool = False
    inherit: bool = True
    replication: bool = False
    bypass_rls: bool = False
    connection_limit: int = -1
    password: str | None = None  # what is kept of it (`planner.catalog.passwords`)
    valid_until: str | None = None  # when the password ends, in UTC
    member_of: tuple[str, ...] = ()
    admin_of: tuple[str, ...] = ()  # of these, those that it may put others into


@dataclass(frozen=True, slots=True)
class Comment:
    """COMMENT ON an object that has no `comment` field of its own, or on a column (`sub` its attnum)."""

    oid: Oid
    target: Oid
    sub: int
    text: str  # empty: nothing, of one of PostgreSQL's own objects that comes with a description
    class_oid: Oid = 0
    """Of one of PostgreSQL's own objects: its class, for each class has numbers of its own there."""
    database_oid: Oid = 0
    """Of such an object: in which database this is said; 0: of what all share."""


@dataclass(frozen=True, slots=True)
class Grant:
    """Privileges of one grantee on one object, as GRANT said them: recorded."""

    oid: Oid
    target: Oid
    grantee: str  # "" is PUBLIC
    privileges: tuple[str, ...]
    grantable: tuple[str, ...] = ()
    attnum: int = 0
    grantor: str = DEFAULT_OWNER
    database_oid: Oid = 0
    """On one of PostgreSQL's own objects: in which database this is said; 0: of what all share."""


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """One of PostgreSQL's own objects as GRANT knows it (`planner.catalog.system.built_ins`). It is no object of the catalog."""

    oid: Oid
    kind: str  # of its privileges
    name: str
    word: str  # what messages call it
    public: frozenset[str]
    """What PUBLIC has while nobody has said anything."""
    columns: tuple[ResultColumn, ...] = ()
    shared: bool = False
    group: str = ""
    """A role that may, too, what PUBLIC may not."""
    arguments: tuple[Oid, ...] = ()
    public_columns: frozenset[int] = frozenset()
    """Of a relation that PUBLIC may not read, the columns that it may."""

    @property
    def owner(self) -> str:
        return DEFAULT_OWNER

    @property
    def written(self) -> bool:
        """Whether its list is there from the beginning, as initdb writes it down."""
        return self.kind == "table" or (self.kind == "function" and not self.public)


@dataclass(frozen=True, slots=True)
class Parameter:
    """A setting of which something was granted. Nobody owns it but the first role."""

    oid: Oid
    name: str
    owner: str = DEFAULT_OWNER


@dataclass(frozen=True, slots=True)
class DefaultGrant:
    """ALTER DEFAULT PRIVILEGES: what is granted on each object of a kind that `role` makes."""

    oid: Oid
    role: str
    namespace: Oid  # the schema's OID; 0: anywhere
    kind: str  # table, sequence, type, schema
    grantee: str  # "" is PUBLIC
    privileges: tuple[str, ...]
    grantable: tuple[str, ...] = ()
    database_oid: Oid = DATABASE_OID
    whole: bool = False
    """The privileges are all that the grantee is to have, where PostgreSQL would give it some by itself."""


@dataclass(frozen=True, slots=True)
class SessionDefaults:
    """Settings that sessions begin with: `name=value` each."""

    oid: Oid
    database_oid: Oid  # 0: every database
    role_oid: Oid  # 0: every role
    settings: tuple[str, ...]


Relation = Table | View | Sequence | Index | CompositeType
"""What shares one namespace per schema (pg_class)."""

UserType = EnumType | Domain | CompositeType | RangeType | MultirangeType | BaseType

Placed = (
    Table
    | View
    | Sequence
    | Index
    | UserType
    | Function
    | Operator
    | OperatorClass
    | OperatorFamily
    | Conversion
    | Collation
    | StatisticsObject
    | TextSearchConfiguration
    | TextSearchDictionary
    | Extension
)
"""What lives in a schema."""

CatalogObject = (
    Counter
    | Database
    | Schema
    | Table
    | Index
    | View
    | Sequence
    | UserType
    | Function
    | Operator
    | OperatorClass
    | OperatorFamily
    | Conversion
    | Cast
    | EventTrigger
    | Publication
    | Subscription
    | Collation
    | StatisticsObject
    | TextSearchConfiguration
    | TextSearchDictionary
    | ForeignDataWrapper
    | ForeignServer
    | UserMapping
    | Extension
    | Role
    | Comment
    | Grant
    | Parameter
    | DefaultGrant
    | SessionDefaults
    | Analysis
)


Granted = CatalogObject | BuiltIn
"""What GRANT names."""


@dataclass(frozen=True, slots=True)
class CatalogChange:
    """One object's before and after: None before for what is made, None after for what is dropped."""

    old: CatalogObject | None
    new: CatalogObject | None
    oid: Oid = field(init=False, compare=False)

    def __post_init__(self) -> None:
        old, new = self.old, self.new
        thing = old if new is None else new
        assert thing is not None
        assert old is None or new is None or old.oid == new.oid
        object.__setattr__(self, "oid", thing.oid)


_DROPPABLE: Final = frozenset((DATABASE_OID, PUBLIC_OID))


def built_in_objects() -> tuple[CatalogObject, ...]:
    """What every environment has, whether its rows say so or not."""
    return (
        Counter(FIRST_USER_OID),
        Database(DATABASE_OID, "tidewire"),
        Schema(PG_CATALOG_OID, "pg_catalog", database_oid=0),
        Schema(INFORMATION_SCHEMA_OID, "information_schema", database_oid=0),
        Schema(PUBLIC_OID, "public", predefined.DATABASE_OWNER),
        Role(SUPERUSER_OID, DEFAULT_OWNER, login=True, superuser=True, create_db=True, create_role=True),
        *(
            Role(oid, name, member_of=predefined.MEMBER_OF.get(name, ()))
            for name, oid in predefined.OIDS.items()
        ),
    )


def built_in_beside(stored: Collection[CatalogObject]) -> list[CatalogObject]:
    """The built-in objects that are there beside those which rows describe.

    The first database and its schema `public` can be dropped: once that is done no row speaks of them, and nothing is in them.
    """
    said = {thing.oid for thing in stored}
    held = {getattr(thing, "schema_oid", 0) for thing in stored} | {
        thing.database_oid for thing in stored if isinstance(thing, Schema)
    }
    return [b for b in built_in_objects() if b.oid not in said and (b.oid not in _DROPPABLE or b.oid in held)]


def first_objects() -> tuple[CatalogObject, ...]:
    """What a new environment begins with: the built-in objects, and the database that tools connect to unasked.

    `createdb`, `psql -l`, pools and test runners expect one that is called `postgres`. Unlike the built-in objects it
    is there by its rows alone, so it can be dropped, and an environment that was made without it stays as it is.
    """
    return (
        *built_in_objects(),
        Database(POSTGRES_OID, "postgres"),
        Schema(POSTGRES_PUBLIC_OID, "public", predefined.DATABASE_OWNER, POSTGRES_OID),
    )
