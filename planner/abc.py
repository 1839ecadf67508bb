"""The shapes that cross this room's walls: types, catalog objects, statements, plans, errors.

    text --lexer--> tokens --parse--> statement --bind(catalog)--> plan --(executor)--> rows

A **plan** is made once and used for many executions: it holds no parameter value and no row. It
says what kind of statement it is, its parameter and result types, what it reads and writes, and,
in its `body`, how it is to be answered: by the keyed engine (primary-key access on row versions in
memory), by DuckDB (`Query`), or by the executor itself (`Utility`).
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from storage.abc import Datum, ShardId

Oid = int


class SqlError(Exception):
    """An error of a SQL statement, as PostgreSQL words it.

    SQL's errors are named by SQLSTATE in the standard itself, so the two rooms that speak SQL
    (planner, executor) raise this; the rooms below have typed exceptions that pgwire maps.

    `position` is the 1-based character position in the statement's own text (0: none). `about_oid` is the
    table or type that it is about: whoever tells the client knows what that one's schema is called by then.
    """

    def __init__(
        self,
        sqlstate: str,
        message: str,
        *,
        position: int = 0,
        detail: str = "",
        hint: str = "",
        about_oid: Oid = 0,
        table: str = "",
        column: str = "",
        constraint: str = "",
        datatype: str = "",
        context: str = "",
    ) -> None:
        super().__init__(message)
        self.sqlstate, self.message, self.position = sqlstate, message, position
        self.detail, self.hint = detail, hint
        self.about_oid, self.table, self.column = about_oid, table, column
        self.constraint, self.datatype = constraint, datatype
        self.context = context  # where it happened: `COPY t, line 3, column b: "x"`
        self.which: Callable[[], int | None] | None = (
            None  # of many rows given together: which it is about, from 0
        )


class PlanError(SqlError):
    """A statement that cannot be planned: syntax, names, types."""


class StatementKind(enum.Enum):
    """DESIGN: every statement is classified once."""

    READ = "read"
    WRITE = "write"
    READ_THEN_WRITE = "read then write"
    DDL = "ddl"
    SESSION = "session"


@dataclass(frozen=True, slots=True)
class TypeRef:
    """A type as a column or expression has it: OID and modifier (-1: none), as in pg_attribute."""

    oid: Oid
    typmod: int = -1


@dataclass(frozen=True, slots=True)
class ResultColumn:
    """A column of a result, with all that RowDescription says of it."""

    name: str
    type: TypeRef
    table_oid: Oid = 0
    attnum: int = 0
    collation: str = ""  # of a subquery's column, for what is around it


# --- catalog objects ---------------------------------------------------------------------------


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


@dataclass(frozen=True, slots=True)
class MaterializedQuery:
    """What makes a table a materialized view: the query that fills it, and how its names are resolved."""

    query: str
    depends: tuple[Oid, ...] = ()
    search_path: tuple[str, ...] = ()
    populated: bool = True


@dataclass(frozen=True, slots=True)
class Table:
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

    @property
    def visible(self) -> tuple[Column, ...]:
        """The columns that users know of."""
        return tuple(c for c in self.columns if not c.hidden)

    @property
    def listed(self) -> tuple[Constraint, ...]:
        """The constraints that users know of."""
        return tuple(c for c in self.constraints if not c.index_only)

    @property
    def primary_key(self) -> Constraint | None:
        for c in self.constraints:
            if c.kind == "p":
                return c
        return None

    def index_of(self, attnum: int) -> int:
        """Where in a row the column with this attribute number is."""
        for i, c in enumerate(self.columns):
            if c.attnum == attnum:
                return i
        raise KeyError(attnum)

    @property
    def key_indexes(self) -> tuple[int, ...]:
        """Row positions of the primary key's columns, in key order; empty without a primary key."""
        pk = self.primary_key
        return tuple(self.index_of(a) for a in pk.columns) if pk else ()


# --- expressions of the keyed path -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Const:
    value: Datum
    type: TypeRef


@dataclass(frozen=True, slots=True)
class Param:
    """$n, 1-based; its datum arrives already of this type."""

    number: int
    type: TypeRef


@dataclass(frozen=True, slots=True)
class Col:
    """A column of the one table at hand, by its position in the row."""

    index: int
    type: TypeRef


@dataclass(frozen=True, slots=True)
class Call:
    """An operator, function or cast from the closed set that `executor.keyed` can compile.

    `op` is a PostgreSQL operator with its operand types spelled out, such as `int4 + int4`,
    a function, such as `lower(text)`, or a cast, such as `cast int8 int4`; also `and`, `or`,
    `not`, `is null`, `is not null`, `case`, `coalesce`, `now`, `nextval`.
    """

    op: str
    args: tuple[Expr, ...]
    type: TypeRef


@dataclass(frozen=True, slots=True)
class Ask:
    """What a subquery comes to for the row at hand: `query` is asked with `given`, values of that row.

    kind: "exists"; "scalar" (the value of its only row); "in", whether `value` is among its values (with SQL's nulls);
    "list", its values, as keys to look for. `number` tells the statement's subqueries apart.
    """

    kind: str
    number: int
    query: KeyedJoin
    given: tuple[Expr, ...]
    type: TypeRef
    value: Expr | None = None


Expr = Const | Param | Col | Call | Ask


# --- plan bodies -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Points:
    """The rows whose primary key is one of these; each key is an expression per key column."""

    keys: tuple[tuple[Expr, ...], ...]
    listed: Expr | None = None
    """An array, or a subquery's list: its elements are the keys (of one column), and `keys` is empty."""


@dataclass(frozen=True, slots=True)
class Range:
    """Rows whose primary key has this prefix and whose next key column lies within the bounds."""

    prefix: tuple[Expr, ...]
    low: Expr | None = None
    low_inclusive: bool = True
    high: Expr | None = None
    high_inclusive: bool = True


Lookup = Points | Range


@dataclass(frozen=True, slots=True)
class Produced:
    """Rows that queries make, one after the other: of a subquery in FROM, a WITH query, VALUES, UNION ALL."""

    number: int
    queries: tuple[KeyedJoin, ...]
    given: tuple[Expr, ...] = ()
    """Of the row so far (LATERAL): their rows begin with it."""


@dataclass(frozen=True, slots=True)
class Handed:
    """Rows that another part of the statement has made, by the slot that they are put in; each of these types."""

    slot: str
    types: tuple[TypeRef, ...]


@dataclass(frozen=True, slots=True)
class OrderKey:
    value: Expr
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True, slots=True)
class Groups:
    """What rows become that are grouped: (keys, then what is folded of each group) is the row that follows.

    The outputs of the read are the keys and the arguments of the folds; its ORDER BY is about the rows that follow.
    """

    keys: int
    folds: tuple[str, ...]
    """One for each output behind the keys (`executor.keyed.folds` has their names)."""
    condition: Expr | None = None  # HAVING
    outputs: tuple[Expr, ...] = ()  # none: the row itself
    single: bool = True  # without GROUP BY: no rows are a group, too


@dataclass(frozen=True, slots=True)
class KeyedRead:
    """SELECT by primary key. Rows that pass `condition` are projected through `outputs`."""

    table: Table
    lookup: Lookup
    condition: Expr | None
    outputs: tuple[Expr, ...]
    descending: bool = False  # key order; only where ORDER BY is a prefix of the key
    ordered: bool = False
    limit: Expr | None = None
    lock: str = ""  # "", "update", "no key update", "share", "key share"
    lock_wait: str = "wait"  # "wait", "nowait", "skip"
    unique: int = 0  # oid of the UNIQUE constraint whose columns the points are; 0: the primary key
    index: tuple[
        int, ...
    ] = ()  # positions of an index's columns, whose keys may repeat, if the point is of these
    groups: Groups | None = None
    order: tuple[OrderKey, ...] = ()
    """ORDER BY of rows that are found in no such order."""
    offset: Expr | None = None
    distinct: bool = False  # of outputs that are equal if their datums are


@dataclass(frozen=True, slots=True)
class JoinStep:
    """One relation of a KeyedJoin: which of its rows go with a row of the relations before it.

    The joined row is the relations' columns one after another, in the order of the steps; `lookup` is made of what is there
    before this one's, `condition` and `passes` may look at this one's too.
    """

    table: Table | None  # None: its rows are Produced, or Handed
    lookup: Lookup | Produced | Handed  # points are one key, but for the first step's
    width: int
    condition: Expr | None = None
    unique: int = 0  # as in KeyedRead
    index: tuple[int, ...] = ()
    outer: bool = False  # LEFT JOIN: a row that finds none goes on with nulls
    passes: Expr | None = None  # asked of the row after that
    rid: bool = False  # behind the table's columns there is the row's id


@dataclass(frozen=True, slots=True)
class KeyedJoin:
    """A SELECT whose rows lead to each other by keys: beside the columnar plan, for when they are few.

    A subquery's rows begin with the values that it is given (`Ask`), so many as `given` says.
    """

    steps: tuple[JoinStep, ...]
    outputs: tuple[Expr, ...]
    limit: Expr | None = None
    groups: Groups | None = None
    order: tuple[OrderKey, ...] = ()
    offset: Expr | None = None
    distinct: bool = False
    firsts: tuple[Expr, ...] = ()
    """DISTINCT ON: of rows that are alike in these, in order, the first."""
    condition: Expr | None = None  # asked of what is given alone
    given: int = 0
    compiled: list[Any] = field(default_factory=list, compare=False, repr=False)
    """The executor's, where it is a part of a statement that writes."""


@dataclass(frozen=True, slots=True)
class RelationUse:
    """A table in the text of a Query: the executor puts the relation as of the read timestamp there.

    `slot` names the placeholder in the SQL template. `columns` are the row positions that the query
    needs, in order; None: all. `with_rid` adds `_rid`.
    `ranges` is what it reads for conflict detection (None: the whole table).
    """

    slot: str
    table: Table
    columns: tuple[int, ...] | None = None
    with_rid: bool = False
    ranges: tuple[Lookup, ...] | None = None


@dataclass(frozen=True, slots=True)
class SystemUse:
    """A pg_catalog or information_schema relation, computed from the catalog."""

    slot: str
    schema: str
    name: str


@dataclass(frozen=True, slots=True)
class ChangesUse:
    """A table's change feed, `tidewire_changes(t, after, upto)`: its columns follow `_change` and `_commit_ts`.

    `upto` None: as far as the statement reads.
    """

    slot: str
    table: Table
    after: int
    upto: int | None


@dataclass(frozen=True, slots=True)
class Query:
    """A SELECT for DuckDB.

    `pieces` is the SQL text cut at its placeholders: strings, `Slot`s for relations and `Param`s for
    parameter values (rendered as typed literals by `planner.types.literal_sql`). The result's
    Arrow columns have the canonical Arrow type of each result column's type.
    """

    pieces: tuple[str | Slot | Param | SessionValue, ...]
    relations: tuple[RelationUse | SystemUse | ChangesUse, ...]
    volatile: bool = False
    by_key: KeyedJoin | None = None
    """The same for the keyed engine, of a query that is a part of a statement that writes."""


@dataclass(frozen=True, slots=True)
class Slot:
    name: str


@dataclass(frozen=True, slots=True)
class SessionValue:
    """A value that the session has at execution, rendered as a typed literal.

    Names: now, current_user, session_user, current_database, current_schema, time_zone, pid,
    read_ts, setting:NAME, search_path, ...
    """

    name: str
    type: TypeRef


@dataclass(frozen=True, slots=True)
class OnConflict:
    """ON CONFLICT. `constraint` is the arbiter (None: any, only with DO NOTHING).

    Where the keyed engine cannot compute DO UPDATE, `query` does (only in InsertQuery): over the slot "conflicts",
    with `_n`, the existing row's columns c0, c1, ... and then EXCLUDED's in canonical Arrow, it yields `_n` and the
    whole new row for those that pass the condition; `assignments` are None then.
    """

    constraint: Constraint | None
    assignments: tuple[tuple[int, Expr], ...] | None  # None: DO NOTHING; see InsertValues for Col numbering
    condition: Expr | None = None
    query: Query | None = None


@dataclass(frozen=True, slots=True)
class InsertValues:
    """INSERT ... VALUES: rows of full width, in the table's column order, defaults filled in.

    In `on_conflict` expressions, Col i below the width is the existing row, Col width + i EXCLUDED. In `returning`,
    Col width is `xmax`: 0 of a row that is new, another number of one that DO UPDATE made of an existing one.
    """

    table: Table
    rows: tuple[tuple[Expr, ...], ...]
    returning: tuple[Expr, ...] | None = None
    on_conflict: OnConflict | None = None


@dataclass(frozen=True, slots=True)
class KeyedUpdate:
    table: Table
    lookup: Lookup
    condition: Expr | None
    assignments: tuple[tuple[int, Expr], ...]  # (row position, new value over the old row)
    returning: tuple[Expr, ...] | None = None
    index: tuple[int, ...] = ()  # as in KeyedRead


@dataclass(frozen=True, slots=True)
class KeyedDelete:
    table: Table
    lookup: Lookup
    condition: Expr | None
    returning: tuple[Expr, ...] | None = None
    index: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class InsertQuery:
    """INSERT ... SELECT (or VALUES that the keyed engine cannot compute): `query` yields full rows."""

    table: Table
    query: Query
    returning: Query | None = None  # over the slot "new": the written rows
    on_conflict: OnConflict | None = None


@dataclass(frozen=True, slots=True)
class UpdateQuery:
    """UPDATE by columnar query: `query` yields `_rid` of the old row, then the whole new row."""

    table: Table
    query: Query
    assigned: tuple[int, ...]
    returning: Query | None = None  # over the slot "new", and "joined" if `joined`
    joined: int = 0
    """So many columns at the end of `query` are of FROM's relations: with `_rid` they are the slot "joined"."""


@dataclass(frozen=True, slots=True)
class DeleteQuery:
    """DELETE by columnar query: `query` yields `_rid` (and the old row if `returning`)."""

    table: Table
    query: Query
    returning: Query | None = None  # over the slot "old", and "joined" if `joined`
    joined: int = 0  # as in UpdateQuery, of USING's relations


@dataclass(frozen=True, slots=True)
class MergeQuery:
    """MERGE: `query` yields what is to be done, row by row, and nothing for what is to be left alone.

    Its columns: `_rid` of the target's row (NULL for an insert), the action (`u`, `d`, `i`), the whole new
    row (of a delete: anything). A `_rid` that comes twice is 21000.
    """

    table: Table
    query: Query
    assigned: tuple[int, ...]  # row positions that some UPDATE of it sets


@dataclass(frozen=True, slots=True)
class RowLock:
    """What a locking clause asks for one table of a query. `column` of its result is the row's `_rid`, and the
    primary key's columns follow it in canonical Arrow."""

    table: Table
    strength: str  # "update", "no key update", "share", "key share"
    wait: str  # "wait", "nowait", "skip"
    column: int


@dataclass(frozen=True, slots=True)
class LockingQuery:
    """SELECT ... FOR UPDATE of rows that a query finds.

    `query` yields `width` columns of the result, then, if `limited`, LIMIT and OFFSET (the same in every row; the
    rows themselves may be more), then what `locks` name. `derived`: tables inside subqueries or views were meant as
    well, and are not in `locks`.
    """

    query: Query
    width: int
    limited: bool
    locks: tuple[RowLock, ...]
    derived: bool = False


@dataclass(frozen=True, slots=True)
class CommonWrite:
    """A data-modifying query of WITH, or a locking query in another one. What it returns is the relation `slot`,
    columns c0, c1, ..."""

    slot: str
    body: InsertQuery | UpdateQuery | DeleteQuery | LockingQuery


@dataclass(frozen=True, slots=True)
class WithWrites:
    """A statement with data-modifying queries in its WITH: all of them, and `body`, read the same snapshot."""

    writes: tuple[CommonWrite, ...]
    body: Query | InsertQuery | UpdateQuery | DeleteQuery | MergeQuery | LockingQuery


@dataclass(frozen=True, slots=True)
class Utility:
    """Everything that is no query: `statement` is one of the dataclasses of `planner.statements`."""

    statement: Any


Body = (
    KeyedRead
    | Query
    | LockingQuery
    | InsertValues
    | KeyedUpdate
    | KeyedDelete
    | InsertQuery
    | UpdateQuery
    | DeleteQuery
    | MergeQuery
    | WithWrites
    | Utility
)


@dataclass(slots=True)
class Plan:
    """A planned statement. Identity matters: caches of other rooms hang off it."""

    kind: StatementKind
    tag: str  # as in CommandComplete, without counts: "SELECT", "INSERT", "CREATE TABLE"
    parameters: tuple[TypeRef, ...]
    columns: tuple[ResultColumn, ...] | None  # None: the statement returns no rows
    body: Body
    catalog_version: int
    text: str = ""
    position_offset: int = 0  # where the statement begins in the string that carried it
    compiled: Any = None  # the executor's: closures made from the body
    wire: Any = None  # pgwire's: RowDescription and CommandComplete bytes
    extra: dict[str, Any] = field(default_factory=dict)


def statement_reads(plan: Plan) -> Sequence[Table]:
    """The tables that a plan reads or writes (for locks, permissions and hydration)."""
    return body_reads(plan.body)


def body_reads(body: Body) -> Sequence[Table]:
    """The tables that a plan's body reads or writes."""
    if isinstance(body, KeyedRead | InsertValues | KeyedUpdate | KeyedDelete):
        return (body.table,)
    queries: list[Query] = []
    tables: list[Table] = []
    if isinstance(body, Query):
        queries.append(body)
    elif isinstance(body, LockingQuery):
        queries.append(body.query)
    elif isinstance(body, WithWrites):
        return [t for part in (*(w.body for w in body.writes), body.body) for t in body_reads(part)]
    elif isinstance(body, MergeQuery):
        tables.append(body.table)
        queries.append(body.query)
    elif isinstance(body, InsertQuery | UpdateQuery | DeleteQuery):
        tables.append(body.table)
        queries.append(body.query)
        if body.returning is not None:
            queries.append(body.returning)
    for q in queries:
        tables += [r.table for r in q.relations if isinstance(r, RelationUse)]
    return tables
