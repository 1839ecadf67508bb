"""What a statement that is no query says, as plain data.

The grammar (`planner.parse`) makes these from tokens and knows no catalog; DDL is then bound to
catalog changes by `planner.ddl`, the rest is carried to the executor in a `Utility` body. Expressions inside a
statement (DEFAULT, CHECK, USING, WHERE, a cursor's query) are kept as the slice of text they were written in,
with the offset of that slice, so that they can be stored, parsed when needed, and pointed into.

Names are as the catalog has them (folded or unquoted); `position`s are 1-based characters in the statement.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Name:
    """A possibly qualified name: `schema` is "" where none was given."""

    name: str
    schema: str = ""
    position: int = 0
    database: str = ""

    def __str__(self) -> str:
        return ".".join(p for p in (self.database, self.schema, self.name) if p)


@dataclass(frozen=True, slots=True)
class Sql:
    """A slice of the statement's text that holds an expression or a query; `offset` is where it begins."""

    text: str
    offset: int = 0


@dataclass(frozen=True, slots=True)
class TypeName:
    """A type as written: `character varying(10)[]` is (("varchar",), (10,), 1)."""

    names: tuple[str, ...]  # canonical words of the type's name, the schema before it if given
    modifiers: tuple[int | str, ...] = ()
    dimensions: int = 0
    position: int = 0
    setof: bool = False
    interval_fields: str = ""  # "day to second"

    def __str__(self) -> str:
        mods = "(" + ",".join(str(m) for m in self.modifiers) + ")" if self.modifiers else ""
        return ".".join(self.names) + mods + "[]" * self.dimensions


# --- transactions --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Begin:
    """BEGIN or START TRANSACTION. None: not said."""

    isolation: str | None = None  # "serializable", "strict serializable", "repeatable read", "snapshot", ...
    read_only: bool | None = None
    deferrable: bool | None = None
    as_of: Sql | None = None
    start: bool = False  # START TRANSACTION: it is its own command tag


@dataclass(frozen=True, slots=True)
class Commit:
    chain: bool = False


@dataclass(frozen=True, slots=True)
class Rollback:
    chain: bool = False


@dataclass(frozen=True, slots=True)
class Savepoint:
    name: str


@dataclass(frozen=True, slots=True)
class ReleaseSavepoint:
    name: str


@dataclass(frozen=True, slots=True)
class RollbackTo:
    name: str


# --- settings ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SetVariable:
    """SET name = values. `values` None: TO DEFAULT. Numbers come as they are written, lists as several."""

    name: str
    values: tuple[str, ...] | None
    local: bool = False


@dataclass(frozen=True, slots=True)
class SetTransaction:
    """SET TRANSACTION, or the session's default with `session_default` (SESSION CHARACTERISTICS)."""

    isolation: str | None = None
    read_only: bool | None = None
    deferrable: bool | None = None
    snapshot: str | None = None
    session_default: bool = False


@dataclass(frozen=True, slots=True)
class SetSessionAuthorization:
    user: str | None  # None: DEFAULT
    local: bool = False
    reset: bool = False


@dataclass(frozen=True, slots=True)
class SetRole:
    role: str | None  # None: NONE
    local: bool = False
    reset: bool = False


@dataclass(frozen=True, slots=True)
class SetConstraints:
    names: tuple[Name, ...] | None  # None: ALL
    deferred: bool = False


@dataclass(frozen=True, slots=True)
class ResetVariable:
    name: str | None  # None: ALL


@dataclass(frozen=True, slots=True)
class ShowVariable:
    name: str | None  # None: ALL


# --- prepared statements, cursors, notifications ---------------------------------------------------


@dataclass(frozen=True, slots=True)
class Prepare:
    name: str
    types: tuple[TypeName, ...]
    query: Sql


@dataclass(frozen=True, slots=True)
class Execute:
    """EXECUTE; also CREATE TABLE ... AS EXECUTE through CreateTableAs."""

    name: str
    arguments: tuple[Sql, ...] = ()


@dataclass(frozen=True, slots=True)
class Deallocate:
    name: str | None  # None: ALL


@dataclass(frozen=True, slots=True)
class DeclareCursor:
    name: str
    query: Sql
    scroll: bool | None = None
    hold: bool = False
    binary: bool = False
    insensitive: bool = False


@dataclass(frozen=True, slots=True)
class Fetch:
    """FETCH and MOVE. `direction`: next, prior, first, last, absolute, relative, forward, backward.

    `count` None: ALL (forward, backward). NEXT is forward 1, PRIOR backward 1.
    """

    cursor: str
    direction: str = "forward"
    count: int | None = 1
    move: bool = False


@dataclass(frozen=True, slots=True)
class CloseCursor:
    name: str | None  # None: ALL


@dataclass(frozen=True, slots=True)
class Discard:
    what: str  # all, plans, sequences, temp


@dataclass(frozen=True, slots=True)
class Listen:
    channel: str


@dataclass(frozen=True, slots=True)
class Unlisten:
    channel: str | None  # None: *


@dataclass(frozen=True, slots=True)
class Notify:
    channel: str
    payload: str = ""


# --- COPY, EXPLAIN, maintenance -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Copy:
    """COPY. `options` hold what was said, by name, values as given (bool, str, tuple of columns, "*")."""

    table: Name | None
    columns: tuple[str, ...]
    query: Sql | None
    is_from: bool
    filename: str | None = None  # None: STDIN, STDOUT
    program: bool = False
    where: Sql | None = None
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Explain:
    query: Sql
    analyze: bool = False
    verbose: bool = False
    format: str = "text"
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Vacuum:
    """VACUUM, ANALYZE, CHECKPOINT, CLUSTER, REINDEX: accepted; `what` says which."""

    what: str
    tables: tuple[Name, ...] = ()
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class LockTable:
    tables: tuple[Name, ...]
    mode: str = "access exclusive"
    nowait: bool = False


@dataclass(frozen=True, slots=True)
class SelectAsOf:
    """`query AS OF TIMESTAMP at`: Tidewire's time travel, on a whole SELECT."""

    query: Sql
    at: Sql


@dataclass(frozen=True, slots=True)
class PositionedWrite:
    """UPDATE or DELETE ... WHERE CURRENT OF: the table, its alias ("": none), the cursor, where the clause is,
    and how many parameters the statement has by itself."""

    table: Name
    alias: str
    cursor: str
    place: tuple[int, int]
    parameters: int


# --- DDL: tables ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ConstraintDef:
    """A constraint of a column (columns empty, it means its column) or of a table."""

    kind: str  # "p", "u", "c", "f", "x" (exclusion)
    name: str = ""
    columns: tuple[str, ...] = ()
    expression: Sql | None = None
    foreign: Name | None = None
    foreign_columns: tuple[str, ...] = ()
    on_update: str = "a"
    on_delete: str = "a"
    match: str = "s"
    deferrable: bool = False
    initially_deferred: bool = False
    not_valid: bool = False
    nulls_not_distinct: bool = False
    using_index: str = ""
    include: tuple[str, ...] = ()
    delete_columns: tuple[str, ...] = ()  # ON DELETE SET NULL or DEFAULT (...)
    no_inherit: bool = False
    position: int = 0


@dataclass(frozen=True, slots=True)
class SequenceOptions:
    """What was said of a sequence. None: not said; `restart` with value None in `restart_set`."""

    type: TypeName | None = None
    increment: int | None = None
    minimum: int | None = None
    no_minimum: bool = False
    maximum: int | None = None
    no_maximum: bool = False
    start: int | None = None
    restart: bool = False
    restart_with: int | None = None
    cache: int | None = None
    cycle: bool | None = None
    owned_by: tuple[str, ...] | None = None  # () is NONE, else [schema,] table, column
    name: Name | None = None
    generated: str = ""  # ALTER COLUMN ... SET GENERATED: "a" ALWAYS, "d" BY DEFAULT


@dataclass(frozen=True, slots=True)
class ColumnDef:
    name: str
    type: TypeName
    not_null: bool | None = None
    default: Sql | None = None
    generated: Sql | None = None
    identity: str = ""  # "a", "d"
    identity_options: SequenceOptions | None = None
    constraints: tuple[ConstraintDef, ...] = ()
    collation: str = ""
    collation_position: int = 0
    position: int = 0


@dataclass(frozen=True, slots=True)
class LikeClause:
    table: Name
    including: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class CreateTable:
    name: Name
    elements: tuple[ColumnDef | ConstraintDef | LikeClause, ...]
    if_not_exists: bool = False
    temporary: bool = False
    unlogged: bool = False
    on_commit: str = ""  # "", "preserve", "delete", "drop"
    options: dict[str, Any] = field(default_factory=dict)
    inherits: tuple[Name, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateTableAs:
    """CREATE TABLE AS and SELECT INTO."""

    name: Name
    query: Sql
    columns: tuple[str, ...] = ()
    with_data: bool = True
    if_not_exists: bool = False
    temporary: bool = False
    on_commit: str = ""
    materialized: bool = False
    options: dict[str, Any] = field(default_factory=dict)
    unlogged: bool = False


@dataclass(frozen=True, slots=True)
class RefreshMaterializedView:
    name: Name
    concurrently: bool = False
    with_data: bool = True


@dataclass(frozen=True, slots=True)
class AlterAction:
    """One action of ALTER TABLE (or VIEW, INDEX, SEQUENCE): `what` names it, the rest is what it needs.

    add column, drop column, set default, drop default, set not null, drop not null, set type, add constraint,
    drop constraint, validate constraint, rename, rename column, rename constraint, set schema, owner,
    add identity, set identity, drop identity, drop expression, set options, reset options (storage parameters), ignore (tablespaces and the like)
    """

    what: str
    name: str = ""
    new_name: str = ""
    column: ColumnDef | None = None
    constraint: ConstraintDef | None = None
    type: TypeName | None = None
    collation: str = ""
    expression: Sql | None = None
    exists: bool = False  # IF EXISTS, IF NOT EXISTS
    cascade: bool = False
    identity: str = ""
    sequence: SequenceOptions | None = None
    position: int = 0
    options: dict[str, Any] = field(default_factory=dict)  # set options, reset options


@dataclass(frozen=True, slots=True)
class AlterTable:
    """ALTER TABLE, VIEW, INDEX, SEQUENCE ... with actions; `kind` is the word that was said."""

    kind: str  # table, view, index, sequence, materialized view
    name: Name
    actions: tuple[AlterAction, ...]
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class Drop:
    """DROP of any kind of object by name: table, view, index, sequence, schema, type, domain, role, database."""

    kind: str
    names: tuple[Name, ...]
    if_exists: bool = False
    cascade: bool = False
    concurrently: bool = False


@dataclass(frozen=True, slots=True)
class Truncate:
    tables: tuple[Name, ...]
    restart_identity: bool = False
    cascade: bool = False


# --- DDL: the rest -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class IndexElement:
    """A column or an expression of an index."""

    column: str = ""
    expression: Sql | None = None
    descending: bool = False
    nulls_first: bool | None = None
    opclass: str = ""
    collation: str = ""
    position: int = 0


@dataclass(frozen=True, slots=True)
class CreateIndex:
    name: str
    table: Name
    elements: tuple[IndexElement, ...]
    unique: bool = False
    if_not_exists: bool = False
    concurrently: bool = False
    method: str = "btree"
    where: Sql | None = None
    include: tuple[str, ...] = ()
    nulls_not_distinct: bool = False
    position: int = 0


@dataclass(frozen=True, slots=True)
class CreateView:
    name: Name
    query: Sql
    columns: tuple[str, ...] = ()
    replace: bool = False
    temporary: bool = False
    check_option: str = ""


@dataclass(frozen=True, slots=True)
class CreateSequence:
    name: Name
    options: SequenceOptions
    if_not_exists: bool = False
    temporary: bool = False
    unlogged: bool = False


@dataclass(frozen=True, slots=True)
class AlterSequence:
    name: Name
    options: SequenceOptions
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateSchema:
    name: str
    owner: str = ""
    if_not_exists: bool = False
    position: int = 0
    elements: tuple[Any, ...] = ()
    """Statements that make things in it and grant rights on them."""


@dataclass(frozen=True, slots=True)
class AlterSchema:
    name: str
    new_name: str = ""
    owner: str = ""


@dataclass(frozen=True, slots=True)
class CreateEnum:
    name: Name
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AlterEnum:
    """ADD VALUE (before or after a neighbour) or RENAME VALUE."""

    name: Name
    label: str
    if_not_exists: bool = False
    before: str | None = None
    after: str | None = None
    rename_to: str | None = None


@dataclass(frozen=True, slots=True)
class CreateComposite:
    name: Name
    columns: tuple[ColumnDef, ...]


@dataclass(frozen=True, slots=True)
class CreateDomain:
    name: Name
    type: TypeName
    default: Sql | None = None
    not_null: bool = False
    checks: tuple[ConstraintDef, ...] = ()
    collation: str = ""


@dataclass(frozen=True, slots=True)
class AlterNamed:
    """ALTER TYPE, DOMAIN, ROLE, DATABASE ... RENAME TO, OWNER TO, SET SCHEMA and kind-specific actions."""

    kind: str
    name: Name
    actions: tuple[AlterAction, ...]


@dataclass(frozen=True, slots=True)
class CreateRole:
    name: str
    options: dict[str, Any] = field(default_factory=dict)
    login: bool = False  # CREATE USER


@dataclass(frozen=True, slots=True)
class AlterRole:
    name: str
    options: dict[str, Any] = field(default_factory=dict)
    new_name: str = ""


@dataclass(frozen=True, slots=True)
class AlterSettings:
    """ALTER ROLE and ALTER DATABASE ... SET, RESET: what sessions begin with."""

    tag: str
    role: str = ""  # "": whoever it is
    database: str = ""  # "": whichever it is
    name: str = ""  # "": RESET ALL
    values: tuple[str, ...] | None = None  # None: RESET
    from_current: bool = False


@dataclass(frozen=True, slots=True)
class CreateDatabase:
    name: str
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comment:
    """COMMENT ON kind name IS text. `column` for columns, constraints; text None removes it."""

    kind: str
    name: Name
    text: str | None
    column: str = ""


@dataclass(frozen=True, slots=True)
class Grant:
    """GRANT and REVOKE of privileges on objects. Columns per privilege, () for none."""

    privileges: tuple[tuple[str, tuple[str, ...]], ...]  # ("all", ()) for ALL
    kind: str  # table, sequence, schema, database, "all tables in schema", ...
    names: tuple[Name, ...]
    grantees: tuple[str, ...]
    revoke: bool = False
    grant_option: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class AlterDefaultPrivileges:
    privileges: tuple[str, ...]
    kind: str  # tables, sequences, types, schemas, functions, routines
    grantees: tuple[str, ...]
    roles: tuple[str, ...] = ()  # FOR ROLE; (): the current one
    schemas: tuple[str, ...] = ()
    revoke: bool = False
    grant_option: bool = False


@dataclass(frozen=True, slots=True)
class DropOwned:
    roles: tuple[str, ...]
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class ReassignOwned:
    roles: tuple[str, ...]
    to: str


@dataclass(frozen=True, slots=True)
class GrantRole:
    roles: tuple[str, ...]
    grantees: tuple[str, ...]
    revoke: bool = False
    admin: bool = False
    of_group: bool = False
    """Said as ALTER GROUP."""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A statement that means nothing here and harms nobody: CREATE EXTENSION plpgsql, SECURITY LABEL, ..."""

    tag: str
    warning: str = ""


@dataclass(frozen=True, slots=True)
class QueryStatement:
    """A SELECT, VALUES, INSERT, UPDATE, DELETE or MERGE: for sqlglot and the binder."""

    verb: str
    tokens: Sequence[Any] = ()
