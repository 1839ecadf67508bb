"""What is published when something else changes: tables and schemas go, columns are renamed, dropped, or to be of another type.

A publication is not in the way of a table that goes, it is no longer of it; a column that its WHERE or its column list names can
go only with its part of the publication (CASCADE), and stays of its type (`planner.ddl.replication.publications` makes and alters them).

Source: PostgreSQL's `RemovePublicationRelById`, `RememberAllDependentForRebuilding`.
"""

from __future__ import annotations

import dataclasses

from planner.abc import Oid, PlanError, SqlError, Table
from planner.binding.rights import row_filters
from planner.catalog import CatalogObject, Publication, PublishedTable
from planner.ddl.constraints import definitions as constraints
from planner.ddl.scope import Scope, describe


def forget(scope: Scope, thing: CatalogObject) -> None:
    """A table, or a schema, goes: publications are no longer of it."""
    for p in list(scope.catalog.objects(Publication)):
        tables = tuple(part for part in p.tables if part.table != thing.oid)
        schemas = tuple(part for part in p.schemas if part.schema != thing.oid)
        if (tables, schemas) != (p.tables, p.schemas):
            scope.replace(p, dataclasses.replace(p, tables=tables, schemas=schemas))


def using_column(scope: Scope, table: Table, attnum: int) -> list[tuple[Publication, PublishedTable]]:
    """The publications that name a column of a table, in their column list or their WHERE."""
    return [
        (p, part)
        for p in scope.catalog.objects(Publication)
        for part in p.tables
        if part.table == table.oid and (attnum in part.columns or attnum in _filtered(scope, table, part))
    ]


def _filtered(scope: Scope, table: Table, part: PublishedTable) -> frozenset[int]:
    if not part.condition:
        return frozenset()
    try:
        return row_filters.columns(scope.context(), table, part.condition)
    except SqlError:  # it names what this very statement has taken away
        return frozenset()


def described(scope: Scope, table: Table, publication: Publication) -> str:
    """A table's part of a publication, as messages call it."""
    shown = describe(table, scope.catalog, scope.search_path)
    return f"publication of {shown} in publication {publication.name}"


def without_parts(scope: Scope, gone: set[Oid]) -> None:
    """Takes tables' parts, by their own OIDs, from publications."""
    for p in list(scope.catalog.objects(Publication)):
        kept = tuple(part for part in p.tables if part.oid not in gone)
        if kept != p.tables:
            scope.replace(p, dataclasses.replace(p, tables=kept))


def refuse_altering(scope: Scope, table: Table, attnum: int, name: str) -> None:
    """Raises 0A000 for another type of a column that a publication names."""
    for publication, _ in using_column(scope, table, attnum):
        raise PlanError(
            "0A000",
            "cannot alter type of a column used by a publication WHERE clause",
            detail=f'{described(scope, table, publication)} depends on column "{name}"',
        )


def refuse_unlogged(scope: Scope, table: Table) -> None:
    """Raises 55000 for a table that a publication names, which may not become UNLOGGED."""
    if any(p.table(table.oid) is not None for p in scope.catalog.objects(Publication)):
        raise PlanError(
            "55000",
            f'cannot change table "{table.name}" to unlogged because it is part of a publication',
            detail="Unlogged relations cannot be replicated.",
        )


def renamed_column(scope: Scope, table: Table, old: str, new: str) -> None:
    """Conditions follow a column's name."""
    for p in list(scope.catalog.objects(Publication)):
        parts = tuple(
            dataclasses.replace(part, condition=constraints.rename_in_expression(part.condition, old, new))
            if part.table == table.oid and part.condition
            else part
            for part in p.tables
        )
        if parts != p.tables:
            scope.replace(p, dataclasses.replace(p, tables=parts))


__all__ = [
    "described", "forget", "refuse_altering", "refuse_unlogged", "renamed_column", "using_column", "without_parts",
]  # fmt: skip
