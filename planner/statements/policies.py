"""DDL of row-level security policies, as it was written."""

from __future__ import annotations

from planner.records import dataclass
from planner.statements.written import Name, Sql


@dataclass(frozen=True, slots=True)
class CreatePolicy:
    """`command`: as in pg_policy ("*", "r", "a", "w", "d")."""

    name: str
    table: Name
    permissive: bool = True
    command: str = "*"
    roles: tuple[str, ...] = ("public",)
    using: Sql | None = None
    check: Sql | None = None


@dataclass(frozen=True, slots=True)
class AlterPolicy:
    """What is None stays as it is."""

    name: str
    table: Name
    roles: tuple[str, ...] | None = None
    using: Sql | None = None
    check: Sql | None = None


@dataclass(frozen=True, slots=True)
class RenamePolicy:
    name: str
    table: Name
    new_name: str


@dataclass(frozen=True, slots=True)
class DropPolicy:
    name: str
    table: Name
    if_exists: bool = False
    cascade: bool = False
