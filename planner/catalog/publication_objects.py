"""What CREATE PUBLICATION and CREATE SUBSCRIPTION make. Of the former: which tables' changes a subscriber would be told of.

    Publication ──tables──> PublishedTable(table, columns, WHERE)     FOR TABLE t (a, b) WHERE (a > 1)
                └─schemas─> PublishedSchema(schema)                   FOR TABLES IN SCHEMA s

Each of these parts has an OID of its own, as PostgreSQL has a row for each (pg_publication_rel, pg_publication_namespace).
"""

from __future__ import annotations

from dataclasses import dataclass

from planner.abc import Oid
from planner.catalog.predefined import DEFAULT_OWNER


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A table of a publication. `columns`: those that are published, in order, () for all; `condition`: WHERE, as text, which names
    its columns and what PostgreSQL has itself: no user's object, so no search path."""

    oid: Oid
    table: Oid
    columns: tuple[int, ...] = ()
    condition: str = ""


@dataclass(frozen=True, slots=True)
class PublishedSchema:
    """A schema whose tables, also those that it does not have yet, a publication is of."""

    oid: Oid
    schema: Oid


@dataclass(frozen=True, slots=True)
class Publication:
    """A publication: an object of its database, of no schema."""

    oid: Oid
    name: str
    database_oid: Oid
    owner: str = DEFAULT_OWNER
    all_tables: bool = False
    inserts: bool = True
    updates: bool = True
    deletes: bool = True
    truncates: bool = True
    via_root: bool = False
    """Changes of partitions are told as those of the topmost table that is published."""
    tables: tuple[PublishedTable, ...] = ()
    schemas: tuple[PublishedSchema, ...] = ()

    @property
    def parts(self) -> tuple[PublishedTable | PublishedSchema, ...]:
        """All that it names."""
        return (*self.tables, *self.schemas)

    def table(self, oid: Oid) -> PublishedTable | None:
        """The part that is about this table, if it was named."""
        return next((p for p in self.tables if p.table == oid), None)

    def has_schema(self, oid: Oid) -> bool:
        """Whether the tables of this schema are published because they are in it."""
        return any(p.schema == oid for p in self.schemas)


@dataclass(frozen=True, slots=True)
class Subscription:
    """CREATE SUBSCRIPTION: whose publications this database is to take in. Kept for who asks and for dumps: nobody connects.

    `slot`: empty for NONE; `skip`: a place in the log, 0/0 for none.
    """

    oid: Oid
    name: str
    database_oid: Oid
    connection: str
    publications: tuple[str, ...]
    owner: str = DEFAULT_OWNER
    slot: str = ""
    binary: bool = False
    streaming: bool = False
    two_phase: bool = False
    disable_on_error: bool = False
    synchronous_commit: str = "off"
    skip: str = "0/0"


__all__ = ["Publication", "PublishedSchema", "PublishedTable", "Subscription"]
