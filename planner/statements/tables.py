"""DDL of tables: their columns and constraints, as the grammar reads them; `planner.ddl` binds them to catalog changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import field
from typing import Any

from planner.records import dataclass
from planner.statements.foreign import ForeignOption, ForeignTableOf
from planner.statements.written import Name, Sql, TypeName


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
    class_options: tuple[tuple[str, Any], ...] = ()
    """Parameters of the class of operators, as they stand; True for one that is only named."""


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
    method: str = "btree"  # x: of its index; `expression` is its WHERE then
    elements: tuple[IndexElement, ...] = ()
    operators: tuple[str, ...] = ()  # one for each element
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
    options: tuple[ForeignOption, ...] = ()
    compression: str = ""


@dataclass(frozen=True, slots=True)
class LikeClause:
    table: Name
    including: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PartitionBy:
    strategy: str  # "r", "l", "h"
    elements: tuple[IndexElement, ...]
    position: int = 0


@dataclass(frozen=True, slots=True)
class BoundDef:
    """FOR VALUES ("l": IN `values`; "r": FROM `values` TO `upper`; "h": WITH), or "d": DEFAULT."""

    kind: str
    values: tuple[Sql, ...] = ()
    upper: tuple[Sql, ...] = ()
    modulus: int = 0
    remainder: int = 0
    position: int = 0


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
    partition_by: PartitionBy | None = None
    partition_of: Name | None = None
    bound: BoundDef | None = None
    of_type: Name | None = None
    foreign: ForeignTableOf | None = None


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
    variables: Any = None
    """Those of the routine that it stands in (`planner.binding.routines.variables`): parameters of the query,"""
    given: Callable[[Sequence[tuple[int, int]]], tuple[Any, ...]] | None = None
    """whose values this gives, by their places."""
    parameters: tuple[int, ...] = ()
    """The types of the parameters that a client has bound, where it has; `given` gives their values."""


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
    add identity, set identity, drop identity, drop expression, set options, reset options (storage parameters),
    set statistics, set storage, set compression, set column options, reset column options (`which`: the number of an index's column),
    switch triggers, switch rule, attach partition, detach partition, of, not of,
    foreign options, foreign column options, cluster on, without cluster, ignore (tablespaces and the like)
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
    options: tuple[tuple[str, Any], ...] = ()  # set options, reset options
    which: str = ""  # switch triggers: "all", "user", or the one with this name; detach partition: concurrently, finalize
    off: bool = False
    enabled: str = ""  # switch triggers: what they become, as in `Trigger.enabled`
    relation: Name | None = None  # attach partition, detach partition; of: the type
    bound: BoundDef | None = None
    foreign: tuple[ForeignOption, ...] = ()  # foreign options, foreign column options


@dataclass(frozen=True, slots=True)
class AlterTable:
    """ALTER TABLE, VIEW, INDEX, SEQUENCE ... with actions; `kind` is the word that was said."""

    kind: str  # table, view, index, sequence, materialized view
    name: Name
    actions: tuple[AlterAction, ...]
    if_exists: bool = False
    only: bool = False


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
    only: frozenset[int] = frozenset()
    """Which of them were named with ONLY."""
