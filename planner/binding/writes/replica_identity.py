"""Whether rows of a published table may be changed: whoever is told of it must be able to find the row.

A table whose updates or deletes are published needs a **replica identity**: its primary key, a unique index that was named, or whole rows
(REPLICA IDENTITY FULL). Of what is published nothing may be missing of it (a column list), and what decides whether a row is published may ask
for nothing else (WHERE).

    publications of a table     those that name it, its schema, or a table that it is a partition of; those FOR ALL TABLES
    a partition, via its root   the column list and the WHERE are those of the topmost table that is published, its columns found by name

Asked when a statement is planned, as privileges are: a plan belongs to one version of the catalog. Where there are no publications
that is one look into a dictionary; in PostgreSQL too a table is asked that no row of is changed in the end. The words are PostgreSQL's
(CheckCmdReplicaIdentity).
"""

from __future__ import annotations

from typing import Final

from planner.abc import PlanError, Table
from planner.catalog import Catalog, Index, Publication
from planner.catalog.system.measures import publishable
from planner.catalog.system.written import columns_named
from planner.errors import AfterAnalysis
from planner.partitioning import ancestors, leaves_of

UPDATE, DELETE = "UPDATE", "DELETE"
_WORDS: Final = {
    UPDATE: ("update", "updates", "updating"),
    DELETE: ("delete from", "deletes", "deleting from"),
}
_FULL, _NOTHING, _INDEX = "f", "n", "i"


def require(catalog: Catalog, table: Table, command: str, *, only: bool = False) -> None:
    """Raises 42P10 and 55000 where rows of the table, or of those below it, may not be changed so. `command`: UPDATE or DELETE."""
    published = list(catalog.objects(Publication))
    if not published:
        return
    below = [table] if only and table.partitioning is None else leaves_of(catalog, table)
    for leaf in below:
        if leaf.partitioning is None and publishable(catalog, leaf):
            _require(catalog, leaf, command, published)


def _require(catalog: Catalog, table: Table, command: str, published: list[Publication]) -> None:
    above = ancestors(catalog, table)
    mine = [p for p in published if _is_of(p, table) or any(_is_of(p, a) for a in above)]
    telling = [p for p in mine if (p.updates if command == UPDATE else p.deletes)]
    if not telling:
        return
    verb, told, doing = _WORDS[command]
    key = identity(catalog, table)
    for details, is_wrong in (
        ("Column used in the publication WHERE expression is not part of the replica identity.", _asks_more),
        ("Column list used by the publication does not cover the replica identity.", _tells_less),
    ):
        if any(not p.all_tables and is_wrong(catalog, p, table, above, key) for p in telling):
            raise PlanError("42P10", f'cannot {verb} table "{table.name}"', detail=details)
    if key is None and table.replica_identity != _FULL:
        raise AfterAnalysis(
            "55000",
            f'cannot {verb} table "{table.name}" because it does not have a replica identity and publishes {told}',
            hint=f"To enable {doing} the table, set REPLICA IDENTITY using ALTER TABLE.",
        )


def identity(catalog: Catalog, table: Table) -> frozenset[int] | None:
    """The columns of the key by which a table's rows are told apart; None: there is no such key."""
    if table.replica_identity in (_FULL, _NOTHING):
        return None
    if table.replica_identity == _INDEX:
        index = catalog.get(table.replica_index)
        return frozenset(k.attnum for k in index.keys) if isinstance(index, Index) else None
    key = table.primary_key
    return frozenset(key.columns) if key is not None and not key.deferrable else None


def _is_of(publication: Publication, table: Table) -> bool:
    return (
        publication.all_tables
        or publication.table(table.oid) is not None
        or publication.has_schema(table.schema_oid)
    )


def _told_as(publication: Publication, table: Table, above: list[Table]) -> Table:
    """The table whose column list and WHERE count."""
    if publication.via_root:
        return next((a for a in reversed(above) if _is_of(publication, a)), table)
    return table


def _asks_more(
    catalog: Catalog, publication: Publication, table: Table, above: list[Table], key: frozenset[int] | None
) -> bool:
    """Whether WHERE names a column that is not of the identity."""
    shown = _told_as(publication, table, above)
    part = publication.table(shown.oid)
    if part is None or not part.condition or table.replica_identity == _FULL:
        return False
    named = _in(table, shown, columns_named(catalog, shown, part.condition))
    return not named <= (key or frozenset())


def _tells_less(
    catalog: Catalog, publication: Publication, table: Table, above: list[Table], key: frozenset[int] | None
) -> bool:
    """Whether the column list leaves out a column of the identity."""
    shown = _told_as(publication, table, above)
    part = publication.table(shown.oid)
    if part is None or not part.columns:
        return False
    if table.replica_identity == _FULL:
        return True
    return not (key or frozenset()) <= _in(table, shown, part.columns)


def _in(table: Table, other: Table, attnums: frozenset[int] | tuple[int, ...]) -> frozenset[int]:
    """Columns of another table as those of this one that are called alike."""
    if other.oid == table.oid:
        return frozenset(attnums)
    names = {c.name for c in other.columns if c.attnum in attnums}
    return frozenset(c.attnum for c in table.columns if c.name in names)


__all__ = ["DELETE", "UPDATE", "identity", "require"]
