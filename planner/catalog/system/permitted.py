"""Whom information_schema shows what: who owns a thing, or holds some privilege on it or on one of its columns."""

from __future__ import annotations

from typing import Final

from planner.catalog import rights
from planner.catalog.objects import CatalogObject
from planner.catalog.system.context import SystemContext

OF_COLUMNS: Final = ("select", "insert", "update", "references")
OF_TABLES: Final = (*OF_COLUMNS, "delete", "truncate", "trigger")
OF_WRITERS: Final = tuple(p for p in OF_TABLES if p != "select")
OF_SEQUENCES: Final = ("select", "update", "usage")


def owns(context: SystemContext, thing: CatalogObject) -> bool:
    return rights.owns(context.catalog, context.user, thing)


def holds(
    context: SystemContext, thing: CatalogObject, privileges: tuple[str, ...], attnum: int | None = None
) -> bool:
    """Whether the user owns the thing or holds one of these on it: on the whole, or on one column (None: on any)."""
    if owns(context, thing):
        return True
    grants = context.catalog.grants_on(thing.oid)
    if not grants:
        return False
    names = rights.roles_of(context.catalog, context.user)
    return any(
        not set(privileges).isdisjoint(g.privileges)
        for g in grants
        if (g.grantee in names or g.grantee == rights.PUBLIC) and (attnum is None or g.attnum in (0, attnum))
    )
