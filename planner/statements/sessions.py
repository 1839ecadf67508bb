"""Statements about the session: its transaction, its settings, what it has prepared and declared; COPY, EXPLAIN, maintenance.

They change no catalog (a `Copy` or `Explain` carries a query that is planned like any other).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

from planner.records import dataclass
from planner.statements.written import Name, Sql, TypeName

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
class PrepareTransaction:
    """The first half of a two-phase commit."""

    identifier: str


@dataclass(frozen=True, slots=True)
class EndPrepared:
    """COMMIT PREPARED, ROLLBACK PREPARED."""

    identifier: str
    commits: bool


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
class AlterLargeObject:
    """ALTER LARGE OBJECT ... OWNER TO: its owner is a column of a row, so the catalog has no part in it."""

    oid: int
    owner: str


@dataclass(frozen=True, slots=True)
class GrantLargeObject:
    """GRANT and REVOKE on large objects, whose lists are columns of rows as well."""

    oids: tuple[int, ...]
    privileges: tuple[tuple[str, tuple[str, ...]], ...]  # ("all", ()) for ALL
    grantees: tuple[str, ...]
    revoke: bool
    grant_option: bool
    cascade: bool
    granted_by: str


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
    places: dict[str, int] = field(default_factory=dict, compare=False)
    """Where they are named, from 1."""


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
    columns: tuple[tuple[str, ...], ...] = ()
    """One list for each table; empty: all."""
    places: dict[str, int] = field(default_factory=dict, compare=False)
    """Where options are named, from 1."""


@dataclass(frozen=True, slots=True)
class LockTable:
    tables: tuple[Name, ...]
    mode: str = "access exclusive"
    nowait: bool = False
    only: frozenset[int] = frozenset()
    """The places in `tables` of those that are locked without their partitions."""


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


@dataclass(frozen=True, slots=True)
class Accepted:
    """A statement that means nothing here and harms nobody (CREATE EXTENSION plpgsql)."""

    tag: str
    warning: str = ""


@dataclass(frozen=True, slots=True)
class Load:
    """LOAD 'file': of libraries there is only that of PL/pgSQL, which is always there."""

    file: str


@dataclass(frozen=True, slots=True)
class SecurityLabel:
    """SECURITY LABEL [ FOR provider ] ON ... IS ...: nobody provides any."""

    provider: str


@dataclass(frozen=True, slots=True)
class QueryStatement:
    """A SELECT, VALUES, INSERT, UPDATE, DELETE or MERGE: for sqlglot and the binder."""

    verb: str
    tokens: Sequence[Any] = ()
