"""DDL of publications and subscriptions, as it was written."""

from __future__ import annotations

from planner.records import dataclass
from planner.statements.written import Name, Sql


@dataclass(frozen=True, slots=True)
class PublicationTable:
    """TABLE [ONLY] name [(column, ...)] [WHERE (condition)]"""

    name: Name
    only: bool = False
    columns: tuple[str, ...] = ()
    where: Sql | None = None


@dataclass(frozen=True, slots=True)
class PublicationOption:
    """One of WITH (...); `value` None: nothing was said of it."""

    name: str
    value: str | None
    position: int


@dataclass(frozen=True, slots=True)
class CreatePublication:
    """`schemas`: names; None among them is CURRENT_SCHEMA."""

    name: str
    all_tables: bool = False
    tables: tuple[PublicationTable, ...] = ()
    schemas: tuple[str | None, ...] = ()
    options: tuple[PublicationOption, ...] = ()


@dataclass(frozen=True, slots=True)
class AlterPublication:
    """`what`: options, add, drop, set, rename, owner (`to` is the new name or owner)."""

    name: str
    what: str
    to: str = ""
    tables: tuple[PublicationTable, ...] = ()
    schemas: tuple[str | None, ...] = ()
    options: tuple[PublicationOption, ...] = ()


@dataclass(frozen=True, slots=True)
class CreateSubscription:
    name: str
    connection: str
    publications: tuple[str, ...]
    options: tuple[PublicationOption, ...] = ()


@dataclass(frozen=True, slots=True)
class AlterSubscription:
    """`what`: rename, owner, connection (each with `to`), enable, disable, options, skip, refresh, add, set, drop."""

    name: str
    what: str
    to: str = ""
    publications: tuple[str, ...] = ()
    options: tuple[PublicationOption, ...] = ()


__all__ = [
    "AlterPublication",
    "AlterSubscription",
    "CreatePublication",
    "CreateSubscription",
    "PublicationOption",
    "PublicationTable",
]
