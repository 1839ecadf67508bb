"""The shapes that cross this room's walls: types, catalog objects, statements, plans, errors.

    text --lexer--> tokens --parse--> statement --bind(catalog)--> plan --(executor)--> rows

A **plan** is made once and used for many executions: it holds no parameter value and no row. It
says what kind of statement it is, its parameter and result types, what it reads and writes, and,
in its `body`, how it is to be answered: by the keyed engine (primary-key access on row versions in
memory), by DuckDB (`Query`), or by the executor itself (`Utility`).

Tables (`planner.relations`), what the keyed engine is asked (`planner.keyed_plans`) and errors (`planner.errors`) have files of
their own; whoever is outside of this room imports them from here.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from planner.errors import PlanError, SqlError, Told
from planner.keyed_plans import (
    Ask,
    Call,
    Col,
    Const,
    Expr,
    Groups,
    Handed,
    JoinStep,
    KeyedJoin,
    KeyedRead,
    KeyedWalk,
    Lookup,
    OrderKey,
    Param,
    Points,
    Produced,
    Range,
)
from planner.records import dataclass
from planner.relations import (
    Column,
    Constraint,
    DomainUse,
    MaterializedQuery,
    Oid,
    Policy,
    ResultColumn,
    Rule,
    Table,
    Trigger,
    TypeRef,
)
from planner.searches import Search, Sought


class StatementKind(enum.Enum):
    """DESIGN: every statement is classified once."""

    READ = "read"
    WRITE = "write"
    READ_THEN_WRITE = "read then write"
    DDL = "ddl"
    SESSION = "session"


# --- plan bodies -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PartUse:
    """What a statement asks of the columns by which a partitioned table deals out its rows: (position, comparison, values)."""

    table: Table
    asked: tuple[tuple[int, str, tuple[Const | Param, ...]], ...]


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
    part: PartUse | None = None
    """It is a leaf of a partitioned table: what parameters say of whether it is read at all."""
    terms: Search | Sought | None = None
    """Conditions on its rows that indexes of parts serve: rows of which these are not true may be left out."""
    asked: tuple[Expr, ...] = ()
    """Conditions on its rows alone, over the table's columns: rows of which one is not true are not read
    (`planner.binding.own_conditions`)."""


@dataclass(frozen=True, slots=True)
class SystemUse:
    """A pg_catalog or information_schema relation, computed from the catalog. `columns`: the positions that are asked for."""

    slot: str
    schema: str
    name: str
    columns: tuple[int, ...] = ()


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
    dealing: tuple[Table, ...] = ()
    """The partitioned tables whose leaves are among its relations, or would be if there were more: it depends on which there are."""


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
    assigned: tuple[int, ...] = ()
    """The columns that `query` sets, as `assignments` says of its own."""
    above: tuple[Table, OnConflict] | None = None
    """Of a partition whose columns are not those of the table above in its order: that table, and what is said of its rows."""

    @property
    def updates(self) -> bool:
        return self.assignments is not None or self.query is not None or self.above is not None

    def excluding(self, table: Table) -> list[Constraint]:
        """The exclusion constraints among the arbiters, which no key stands for."""
        said = table.constraints if self.constraint is None else (self.constraint,)
        return [] if self.updates else [c for c in said if c.kind == "x"]


@dataclass(frozen=True, slots=True)
class InsertValues:
    """INSERT ... VALUES: rows of full width, in the table's column order, defaults filled in.

    In `on_conflict` expressions, Col i below the width is the existing row, Col width + i EXCLUDED. In `returning`,
    Col width is `xmax`: 0 of a row that is new, another number of one that DO UPDATE made of an existing one.
    """

    table: Table
    rows: Sequence[tuple[Expr, ...]]  # a tuple, or AlikeRows
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
class Step:
    """What makes one row of a statement that goes row by row."""

    query: Query
    """Of the slot "step": a row that the statement's query has found, if it is made of one. None, or one row of the table; of
    DELETE's only whether there is one counts."""
    types: tuple[TypeRef, ...] = ()
    """Of the slot's columns: the first ones of the statement's query, behind `_rid`."""
    outputs: tuple[Expr, ...] | None = None
    """The same as functions of Python's, Col i for the slot's columns; None: they cannot be computed so."""
    test: Expr | None = None
    asks: bool = False
    """Whether there are rows that it leaves alone."""
    compiled: list[Any] = field(default_factory=list, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Stepwise:
    """A statement whose functions look at the table that it writes: each of its rows is made when those before it are written."""

    steps: tuple[Step, ...] = ()
    """One for each row, or one for all. None: the rows are made already, and what looks is ON CONFLICT or RETURNING."""


@dataclass(frozen=True, slots=True)
class InsertQuery:
    """INSERT ... SELECT (or VALUES that the keyed engine cannot compute): `query` yields full rows."""

    table: Table
    query: Query
    returning: Query | None = None  # over the slot "new": the written rows
    on_conflict: OnConflict | None = None
    stepwise: Stepwise | None = None


@dataclass(frozen=True, slots=True)
class UpdateQuery:
    """UPDATE by columnar query: `query` yields `_rid` of the old row, then the whole new row."""

    table: Table
    query: Query
    assigned: tuple[int, ...]
    returning: Query | None = None  # over the slot "new", and "joined" if `joined`
    joined: int = 0
    """So many columns at the end of `query` are of FROM's relations: with `_rid` they are the slot "joined"."""
    only: bool = False
    """The rows are the table's own, whatever children it has."""
    stepwise: Stepwise | None = None
    """With rows to make, `query` yields what they are made of in their place."""


@dataclass(frozen=True, slots=True)
class DeleteQuery:
    """DELETE by columnar query: `query` yields `_rid` (and the old row if `returning`)."""

    table: Table
    query: Query
    returning: Query | None = None  # over the slot "old", and "joined" if `joined`
    joined: int = 0  # as in UpdateQuery, of USING's relations
    only: bool = False  # as in UpdateQuery
    stepwise: Stepwise | None = None


@dataclass(frozen=True, slots=True)
class MergeQuery:
    """MERGE: `query` yields what is to be done, row by row, and nothing for what is to be left alone.

    Its columns: `_rid` of the target's row (NULL for an insert), the action (`u`, `d`, `i`), the whole new
    row (of a delete: anything). A `_rid` that comes twice is 21000.
    """

    table: Table
    query: Query
    assigned: tuple[int, ...]  # row positions that some UPDATE of it sets
    kinds: frozenset[str] = frozenset()  # the actions that it may take
    only: bool = False  # as in UpdateQuery


@dataclass(frozen=True, slots=True)
class RowLock:
    """What a locking clause asks for one table of a query. `column` of its result is the row's `_rid`, and the
    primary key's columns follow it in canonical Arrow."""

    table: Table
    strength: str  # "update", "no key update", "share", "key share"
    wait: str  # "wait", "nowait", "skip"
    column: int
    leaf_keys: tuple[int, ...] | None = None
    """Of a partitioned table: the columns that keys of its leaves are made of follow, by their positions, then the leaf's OID."""


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
    each: Each | None = None
    """It is asked anew for each of these rows; None: once."""


@dataclass(frozen=True, slots=True)
class Each:
    """What a locking query in LATERAL is asked for: rows of values that it names of the query around it."""

    query: Query
    types: tuple[TypeRef, ...]
    first: int
    """The number of the parameter that stands for the first of them; the others follow it."""
    shown: tuple[TypeRef, ...]
    """The types of what the locking query yields, behind which come the values that it was asked for."""


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
    behind: int = 0
    """How many of the writes, the last of them, are made when `body` has been: those that it does not ask for."""

    def as_written(self) -> list[CommonWrite]:
        """The writes as the text has them."""
        return sorted(self.writes, key=lambda write: int(write.slot[1:]))

    def in_turn(self) -> list[tuple[str, Any]]:
        """(slot, part) as they are run; the slot of `body` is ""."""
        first = len(self.writes) - self.behind
        parts = [(write.slot, write.body) for write in self.writes]
        return [*parts[:first], ("", self.body), *parts[first:]]


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
    reads: Any = None  # what the catalog was asked (`planner.catalog.reads`)
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
        if body.each is not None:
            queries.append(body.each.query)
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
        if body.stepwise is not None:
            queries += [step.query for step in body.stepwise.steps]
    for q in queries:
        tables += [r.table for r in q.relations if isinstance(r, RelationUse)]
        tables += q.dealing
    return tables


__all__ = [
    "Ask",
    "Body",
    "Call",
    "ChangesUse",
    "Col",
    "Column",
    "CommonWrite",
    "Const",
    "Constraint",
    "DeleteQuery",
    "DomainUse",
    "Each",
    "Expr",
    "Groups",
    "Handed",
    "InsertQuery",
    "InsertValues",
    "JoinStep",
    "KeyedDelete",
    "KeyedJoin",
    "KeyedRead",
    "KeyedUpdate",
    "KeyedWalk",
    "LockingQuery",
    "Lookup",
    "MaterializedQuery",
    "MergeQuery",
    "Oid",
    "OnConflict",
    "OrderKey",
    "Param",
    "PartUse",
    "Plan",
    "PlanError",
    "Points",
    "Policy",
    "Produced",
    "Query",
    "Range",
    "RelationUse",
    "ResultColumn",
    "RowLock",
    "Rule",
    "Search",
    "SessionValue",
    "Slot",
    "Sought",
    "SqlError",
    "StatementKind",
    "Step",
    "Stepwise",
    "SystemUse",
    "Table",
    "Told",
    "Trigger",
    "TypeRef",
    "UpdateQuery",
    "Utility",
    "WithWrites",
    "body_reads",
    "statement_reads",
]
