"""DDL of everything beside tables: indexes, views, sequences, schemas, types, roles, databases, comments, privileges."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from planner.records import dataclass
from planner.statements.operator_classes import ClassSignature
from planner.statements.operators import CastSignature, OperatorSignature
from planner.statements.routines import Signature
from planner.statements.tables import AlterAction, ColumnDef, ConstraintDef, IndexElement, SequenceOptions
from planner.statements.written import Name, Sql, TypeName


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
    options: tuple[tuple[str, Any], ...] = ()
    only: bool = False


@dataclass(frozen=True, slots=True)
class CreateView:
    name: Name
    query: Sql
    columns: tuple[str, ...] = ()
    replace: bool = False
    temporary: bool = False
    check_option: str = ""
    options: tuple[tuple[str, Any], ...] = ()


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
class CreateExtension:
    """CREATE EXTENSION; empty: not said."""

    name: str
    if_not_exists: bool = False
    schema: str = ""
    version: str = ""
    cascade: bool = False


@dataclass(frozen=True, slots=True)
class AlterExtension:
    """ALTER EXTENSION: SET SCHEMA, or, where no schema is named, UPDATE; `version` empty: to the newest."""

    name: str
    schema: str = ""
    version: str = ""


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
class CreateCollation:
    """CREATE COLLATION: of options, each with its position, or after another one."""

    name: Name
    options: tuple[tuple[str, str, int], ...] = ()
    copied: Name | None = None
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class AlterCollation:
    """`what`: rename, owner, set schema, refresh version."""

    name: Name
    what: str
    to: str = ""


@dataclass(frozen=True, slots=True)
class TextSearchOption:
    """`label`, `label = value`; `name`, where the value may be the name of an object."""

    label: str
    value: str | None = None
    name: Name | None = None
    number: bool = False


@dataclass(frozen=True, slots=True)
class CreateTextSearch:
    """CREATE TEXT SEARCH CONFIGURATION, DICTIONARY."""

    kind: str
    name: Name
    options: tuple[TextSearchOption, ...]


@dataclass(frozen=True, slots=True)
class AlterTextSearch:
    """`what`: rename, owner, set schema; options of a dictionary; add, alter, replace (two dictionaries), drop of mappings."""

    kind: str
    name: Name
    what: str
    to: str = ""
    options: tuple[TextSearchOption, ...] = ()
    tokens: tuple[str, ...] = ()
    dictionaries: tuple[Name, ...] = ()
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateStatistics:
    """CREATE STATISTICS: of columns, by name, and of expressions."""

    name: Name
    kinds: tuple[str, ...]
    elements: tuple[str | Sql, ...]
    table: Name
    if_not_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateConversion:
    """Between encodings, by their names, with a function."""

    name: Name
    source: str
    target: str
    function: Name
    default: bool = False


@dataclass(frozen=True, slots=True)
class AlterConversion:
    """`what`: rename, owner, set schema."""

    name: Name
    what: str
    to: str


@dataclass(frozen=True, slots=True)
class AlterStatistics:
    """`what`: rename, owner, set schema, set statistics."""

    name: Name
    what: str
    to: str = ""
    target: int = -1
    if_exists: bool = False


@dataclass(frozen=True, slots=True)
class CreateRange:
    """CREATE TYPE ... AS RANGE; `options` are those besides the subtype, in their order."""

    name: Name
    subtype: TypeName | None
    options: tuple[tuple[str, Name], ...] = ()


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
class AlterSystem:
    """ALTER SYSTEM SET, RESET: what the server's administrators write down for it."""

    name: str = ""  # "": RESET ALL
    values: tuple[str, ...] | None = None  # None: RESET, or TO DEFAULT


@dataclass(frozen=True, slots=True)
class CreateDatabase:
    name: str
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Comment:
    """COMMENT ON kind name IS text. `column` for columns, constraints, triggers; text None removes it."""

    kind: str
    name: Name
    text: str | None
    column: str = ""
    signature: Signature | OperatorSignature | ClassSignature | CastSignature | None = None
    """Of a function, an operator, a class or family of operators, a cast."""


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
    signatures: tuple[Signature, ...] = ()  # of functions
    granted_by: str = ""


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
    granted_by: str = ""
