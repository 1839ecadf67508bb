"""Relations and the types of their columns, as the catalog knows them and plans name them (`planner.abc`)."""

from __future__ import annotations

from typing import Any, Final

from planner.partitions import Partition, PartitionKey
from planner.records import dataclass
from planner.remembered import NamedRelation
from storage.abc import ShardId

Oid = int


@dataclass(frozen=True, slots=True)
class TypeRef:
    """A type as a column or expression has it: OID and modifier (-1: none), as in pg_attribute."""

    oid: Oid
    typmod: int = -1


class DomainRef(TypeRef):
    """The type of an expression that is of a domain: in all that is computed the type underneath, and equal to it.

    Nothing that is kept in the catalog has it: there a domain is the column's `DomainUse`.
    """

    __slots__ = ("domain",)
    domain: Oid

    def __init__(self, oid: Oid, typmod: int = -1, domain: Oid = 0) -> None:
        TypeRef.__init__(self, oid, typmod)
        object.__setattr__(self, "domain", domain)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypeRef) and self.oid == other.oid and self.typmod == other.typmod

    __hash__ = TypeRef.__hash__


def of_domain(ref: TypeRef, domain: Oid) -> TypeRef:
    """The type of an expression as that of a domain (or the arrays over one); 0: of none."""
    if domain:
        return DomainRef(ref.oid, ref.typmod, domain)
    return TypeRef(ref.oid, ref.typmod) if isinstance(ref, DomainRef) else ref


def domain_in(ref: TypeRef) -> Oid:
    """The domain (or the arrays over one) that an expression's type is; 0: none."""
    return getattr(ref, "domain", 0)


def said_type(ref: TypeRef) -> TypeRef:
    """The type that an expression is told to be of: the domain, where it is of one."""
    domain = domain_in(ref)
    return TypeRef(domain) if domain else ref


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a result, with all that RowDescription says of it."""

    name: str
    type: TypeRef
    table_oid: Oid = 0
    attnum: int = 0
    collation: str = ""  # of a subquery's column, for what is around it


@dataclass(frozen=True, slots=True)
class DomainUse:
    """What a domain (or the arrays over one) asks of a column's values.

    A column's `type` is the type under its domain, so that whoever computes need not know of domains; the
    domain's conditions are kept with the column, so that a table's definition is complete. ALTER DOMAIN writes
    every such column anew.
    """

    oid: Oid  # the domain's, or its array type's
    name: str
    not_null: bool = False
    checks: tuple[tuple[str, str], ...] = ()
    """(constraint, expression over VALUE); those of domains further below come first."""
    default: str | None = None
    over_elements: bool = False  # the column is of the domain's array type


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: TypeRef
    attnum: int  # 1-based, never reused
    not_null: bool = False
    default: str | None = None  # SQL text, planned when needed
    identity: str = ""  # "", "a" (always), "d" (by default)
    generated: bool = False  # GENERATED ALWAYS AS (default) STORED
    sequence_oid: Oid = 0  # owned sequence of serial and identity columns
    domain: DomainUse | None = None
    hidden: bool = (
        False  # made for a unique index over an expression or a part of the rows: in no list of columns
    )
    collation: str = ""  # as it was said (`planner.catalog.collations`)
    local: bool = True  # the table's own definition has it, whatever its parents have (`planner.inheritance`)
    inherited: int = 0  # from so many parents
    options: tuple[str, ...] = ()  # of a foreign table: OPTIONS, `name=value` each
    storage: str = ""  # SET STORAGE, as in pg_attribute; "": the type's own
    statistics: int = -1  # SET STATISTICS
    compression: str = ""  # COMPRESSION, as in pg_attribute
    settings: tuple[str, ...] = ()  # SET (n_distinct = -0.5), as in pg_attribute.attoptions
    missing: str = (
        ""  # what rows have that are older than the column: a datum, packed, in hexadecimal; "": NULL
    )
    origin: tuple[Oid, int] = (
        0,
        0,
    )  # of a view: the column of another relation that it is as it stands there

    @property
    def declared(self) -> TypeRef:
        """The type as it was declared: the domain, where there is one."""
        return self.type if self.domain is None else TypeRef(self.domain.oid)

    @property
    def filling(self) -> str | None:
        """The SQL text of what the column gets where nothing is given: its own default or its domain's."""
        if self.default is None and self.domain is not None:
            return self.domain.default
        return self.default


def typed(column: Column) -> TypeRef:
    """A column's type as that of an expression."""
    return column.type if column.domain is None else of_domain(column.type, column.domain.oid)


@dataclass(frozen=True, slots=True)
class Aim:
    """A foreign key into a partitioned table, at one of its partitions (`planner.aims`)."""

    oid: Oid
    name: str
    table: Oid
    parent: Oid  # the foreign key's, or the aim's at the partition that this one is a partition of


@dataclass(frozen=True, slots=True)
class Constraint:
    oid: Oid
    name: str
    kind: str  # "p" primary key, "u" unique, "c" check, "f" foreign key, "x" exclusion
    columns: tuple[int, ...]  # attnums, in key order
    expression: str = ""  # CHECK: SQL text
    index_oid: Oid = 0  # p, u, x: the index's own pg_class row
    foreign_table: Oid = 0
    foreign_columns: tuple[int, ...] = ()
    on_update: str = "a"
    on_delete: str = "a"
    nulls_not_distinct: bool = False
    deferrable: bool = False
    deferred: bool = False  # INITIALLY DEFERRED
    match: str = "s"  # foreign keys: "s" simple, "f" full
    validated: bool = True
    index_only: bool = False  # what a unique index enforces, which is no constraint to anybody who asks
    shown: tuple[str, ...] = ()  # its keys as errors name them; (): the columns' names
    delete_columns: tuple[int, ...] = ()  # those that ON DELETE SET NULL or DEFAULT (...) means; (): all
    no_inherit: bool = False
    operators: tuple[str, ...] = ()  # x: one for each key of its index, which says the rest
    operands: tuple[Oid, ...] = ()  # x: the types that the operators are declared with
    parent: Oid = 0  # of the table that this one is a partition of: the constraint that this one is a part of
    by_value: bool = (
        False  # p, u: what is equal is one key (`types.alike`); keys made before this was known go by datums
    )
    local: bool = True  # as of columns; partitions say it by `parent`
    inherited: int = 0
    aims: tuple[Aim, ...] = ()  # f: at the partitions of the table that it refers to
    collations: tuple[
        str, ...
    ] = ()  # f: by which the key's columns are equal, "" for their bytes; (): all by their bytes


VIEW_CHECK: Final = "w"
"""The kind of a constraint that a view's WITH CHECK OPTION asks of a row; `oid` and `name` are the view's."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """A trigger, as pg_trigger has it. It is a part of its table or view, so that whoever planned a write without it is overtaken."""

    oid: Oid
    name: str
    function: Oid
    bits: int  # `planner.triggers`: pg_trigger.tgtype
    columns: tuple[int, ...] = ()  # UPDATE OF: attnums
    condition: str = ""  # WHEN: SQL text over old and new
    arguments: tuple[str, ...] = ()
    enabled: str = "O"  # "O" origin, "D" disabled, "R" replica, "A" always
    constraint: bool = False
    deferrable: bool = False
    deferred: bool = False  # INITIALLY DEFERRED
    foreign_table: Oid = 0  # CONSTRAINT TRIGGER ... FROM
    old_table: str = ""  # REFERENCING OLD TABLE AS
    new_table: str = ""
    parent: Oid = 0  # of a partition: the trigger of the table above that this one is a copy of


@dataclass(frozen=True, slots=True)
class Policy:
    """A policy of a table's rows, as pg_policy has it; a part of its table, as triggers are.

    `using` and `check` are SQL text over one row, "" where nothing was said. `depends`: what they read and call besides the table.
    """

    oid: Oid
    name: str
    command: str = "*"  # "r" SELECT, "a" INSERT, "w" UPDATE, "d" DELETE, "*" all of them
    permissive: bool = True
    roles: tuple[Oid, ...] = (0,)  # 0: PUBLIC
    using: str = ""
    check: str = ""
    depends: tuple[Oid, ...] = ()
    search_path: tuple[str, ...] = ()  # how names in the texts are to be resolved


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule of a relation, as pg_rewrite has it; a part of its relation, as triggers are. What is run is SQL text over new and old."""

    oid: Oid
    name: str
    event: str  # "2" UPDATE, "3" INSERT, "4" DELETE
    instead: bool = False
    condition: str = ""
    actions: tuple[str, ...] = ()
    enabled: str = "O"  # as of a trigger
    depends: tuple[Oid, ...] = ()  # what they read, write and call
    search_path: tuple[str, ...] = ()  # how names in the texts are to be resolved


@dataclass(frozen=True, slots=True)
class MaterializedQuery:
    """What makes a table a materialized view: the query that fills it, and how its names are resolved."""

    query: str
    depends: tuple[Oid, ...] = ()
    search_path: tuple[str, ...] = ()
    populated: bool = True
    names: tuple[NamedRelation, ...] = ()  # what those of relations stood for


@dataclass(frozen=True, slots=True)
class ForeignPlace:
    """Where the rows of a foreign table would be: nobody can ask for them (`planner.catalog.foreign_objects`)."""

    server: Oid
    options: tuple[str, ...] = ()


class _FoundOut:
    """What is found out of a table once, for it does not change: a statement asks forty times."""

    __slots__ = ("_key_indexes",)
    _key_indexes: tuple[int, ...]


@dataclass(frozen=True, slots=True, weakref_slot=True)
class Table(_FoundOut):
    """A table. Rows in its shard hold the columns in the order of `columns`."""

    oid: Oid
    schema_oid: Oid
    name: str
    columns: tuple[Column, ...]
    constraints: tuple[Constraint, ...]
    shard: ShardId
    owner: str = "tidewire"
    temporary: bool = False
    comment: str | None = None
    last_attnum: int = 0  # the highest ever used, if a column above all that are left was dropped
    referenced_by: tuple[Oid, ...] = ()
    """Tables with a foreign key into this one (itself included): who writes here must look there."""
    materialized: MaterializedQuery | None = None
    retention_us: int | None = None
    """How long history is kept; None: as long as the server's default says."""
    on_commit: str = ""  # of a temporary table: "delete" its rows, or "drop" it
    unlogged: bool = False  # as it was said: such a table lasts like any other
    unheeded: bool = False
    """Writes here ask for no foreign key, neither the table's own nor those into it (DISABLE TRIGGER ALL)."""
    triggers: tuple[Trigger, ...] = ()
    """In the order in which they fire: by name."""
    options: tuple[str, ...] = ()
    """Storage parameters as pg_class.reloptions lists them, `fillfactor=70`; they are kept for who asks, and for dumps."""
    replica_identity: str = "d"
    """What is said of old rows to subscribers: the primary key (d), all columns (f), nothing (n), an index's columns (i)."""
    replica_index: Oid = 0
    row_security: bool = False
    force_row_security: bool = False
    """Its owner is subject to its policies, too."""
    policies: tuple[Policy, ...] = ()
    """By name. They mean something while `row_security` is on."""
    partitioning: PartitionKey | None = None
    """How its rows are dealt out: they are those of its partitions, and its own shard stays empty."""
    dealt_anew: int = 0
    """How often a partition has come or gone: who has read all that there were depends on the table as it was then."""
    computed_anew: int = 0
    """How often an index has come or gone that cannot be computed of every row: those that are written are asked for it."""
    partition: Partition | None = None
    """Whose partition it is, and which rows it takes."""
    parents: tuple[Oid, ...] = ()
    """Whose rows its own count among (INHERITS), in order; 0 where one was (NO INHERIT), so that the others keep their numbers."""
    children: tuple[Oid, ...] = ()
    """Which tables' rows count among its own."""
    rules: tuple[Rule, ...] = ()
    """By name: what statements that write it become (`planner.binding.writes.rules`)."""
    of_type: Oid = 0
    """The composite type whose columns it has (`planner.ddl.tables.typed_tables`)."""
    foreign: ForeignPlace | None = None
    """Its shard stays empty, and no statement reads or writes it."""

    @property
    def visible(self) -> tuple[Column, ...]:
        """The columns that users know of."""
        return tuple(c for c in self.columns if not c.hidden)

    @property
    def listed(self) -> tuple[Constraint, ...]:
        """The constraints that users know of."""
        return tuple(c for c in self.constraints if not c.index_only)

    @property
    def constraint_names(self) -> set[str]:
        """The names of its constraints, with those of aims (`planner.aims`)."""
        return {c.name for c in self.constraints} | {a.name for c in self.constraints for a in c.aims}

    @property
    def primary_key(self) -> Constraint | None:
        for c in self.constraints:
            if c.kind == "p":
                return c
        return None

    def index_of(self, attnum: int) -> int:
        """Where in a row the column with this attribute number is."""
        columns = self.columns
        if 0 < attnum <= len(columns) and columns[attnum - 1].attnum == attnum:
            return attnum - 1  # before columns are dropped
        for i, c in enumerate(columns):
            if c.attnum == attnum:
                return i
        raise KeyError(attnum)

    def never_null(self, position: int) -> bool:
        """Whether every row has a value in the column at this place."""
        return self.columns[position].not_null or position in self.key_indexes

    @property
    def key_indexes(self) -> tuple[int, ...]:
        """Row positions of the primary key's columns, in key order; empty without a primary key."""
        try:
            return self._key_indexes
        except AttributeError:
            pk = self.primary_key
            found = tuple([self.index_of(a) for a in pk.columns]) if pk else ()
            object.__setattr__(self, "_key_indexes", found)
            return found


@dataclass(frozen=True, slots=True, kw_only=True)
class GuardedTable(Table):
    """A table as a statement writes it through views (WITH CHECK OPTION) or policies that ask something of its rows.

    Behind the table's own constraints it has those of the views, of kind "w". No catalog has such a form.
    """

    base: Table
    view_oid: Oid
    form: Table | None = None
    """Where policies ask: the table without them, as the catalog or views have it,"""
    row_checks: Any = None
    """and what they ask (`planner.binding.rights.row_security.RowChecks`)."""
    through: Table | None = None
    """Of a leaf: the partitioned table that is written, whose rows `row_checks` are about."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ViewRows(Table):
    """The rows of a view that is written by its INSTEAD OF triggers: a table that nobody keeps, under the view's OID."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TransitionTable(Table):
    """What REFERENCING calls the rows of a statement: a table that is there while a trigger's function runs."""


def defined(table: Table) -> Table:
    """The catalog's definition of what is written."""
    return table.base if isinstance(table, GuardedTable) else table
