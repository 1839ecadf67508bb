"""Queries that the catalog keeps: of views, and of materialized views, which are tables with a query.

    View                       expanded where it is used
    Table(materialized=...)    filled from its query by CREATE and REFRESH, read like any table

Both hold text, the relations that it needs, and the search path under which its names were looked up. Whoever
renames or drops something that queries use asks here, and need not care which of the two it is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from planner.abc import Oid, Table
from planner.catalog.catalog import Catalog
from planner.catalog.objects import View


@dataclass(frozen=True, slots=True)
class StoredQuery:
    holder: View | Table
    query: str
    depends: tuple[Oid, ...]
    search_path: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.holder.name

    def reworded(self, query: str) -> View | Table:
        """The holder with this text for its query."""
        if isinstance(self.holder, View):
            return dataclasses.replace(self.holder, query=query)
        assert self.holder.materialized is not None
        return dataclasses.replace(
            self.holder, materialized=dataclasses.replace(self.holder.materialized, query=query)
        )


def stored_query(thing: object) -> StoredQuery | None:
    """The query that an object holds, if it holds one."""
    if isinstance(thing, View):
        return StoredQuery(thing, thing.query, thing.depends, thing.search_path)
    if isinstance(thing, Table) and thing.materialized is not None:
        m = thing.materialized
        return StoredQuery(thing, m.query, m.depends, m.search_path)
    return None


def stored_queries(catalog: Catalog) -> Iterator[StoredQuery]:
    """Every view and materialized view of the database, by OID."""
    holders: list[View | Table] = [*catalog.objects(View), *catalog.objects(Table)]
    for holder in sorted(holders, key=lambda h: h.oid):
        found = stored_query(holder)
        if found is not None:
            yield found
