"""Queries that the catalog keeps: of views, of materialized views, which are tables with a query, and of functions.

    View                       expanded where it is used
    Table(materialized=...)    filled from its query by CREATE and REFRESH, read like any table
    Function(standard=True)    its body, RETURN or BEGIN ATOMIC; a body in a string is looked up by whoever calls it

All hold text, the relations that it needs, and the search path under which its names were looked up. Whoever
renames or drops something that queries use asks here, and need not care which of them it is.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass

from planner.abc import Oid, PlanError, Table
from planner.catalog.catalog import Catalog
from planner.catalog.objects import View
from planner.catalog.routine_objects import Function
from planner.catalog.uses import HAS_QUERY
from planner.remembered import NamedRelation, remembered


@dataclass(frozen=True, slots=True)
class StoredQuery:
    holder: View | Table | Function
    query: str
    depends: tuple[Oid, ...]
    search_path: tuple[str, ...]
    names: tuple[NamedRelation, ...] = ()

    @property
    def path(self) -> tuple[str, ...]:
        """The search path that its text is planned on, with the relations that it knows by their names."""
        return remembered(self.search_path, self.names)

    def remembers(self, oid: Oid) -> bool:
        """Whether its text means a relation whatever that is called."""
        return any(n.oid == oid for n in self.names)

    def refuse_parameter(self, name: str) -> None:
        """Raises 0A000 where a name in the text that is to be changed may be a parameter's."""
        if isinstance(self.holder, Function) and any(p.name == name for p in self.holder.parameters):
            raise PlanError(
                "0A000",
                f'renaming "{name}" is not supported while function {self.holder.name} has a parameter of that name',
            )

    @property
    def name(self) -> str:
        return self.holder.name

    def reworded(self, query: str, names: tuple[NamedRelation, ...] | None = None) -> View | Table | Function:
        """The holder with this text for its query. `names`: what those of relations in it stand for; None: as before."""
        held, names = self.holder, self.names if names is None else names
        if isinstance(held, Function):
            return dataclasses.replace(held, body=query)
        if isinstance(held, View):
            return dataclasses.replace(held, query=query, names=names)
        assert held.materialized is not None
        kept = dataclasses.replace(held.materialized, query=query, names=names)
        return dataclasses.replace(held, materialized=kept)


def stored_query(thing: object) -> StoredQuery | None:
    """The query that an object holds, if it holds one."""
    if isinstance(thing, View):
        return StoredQuery(thing, thing.query, thing.depends, thing.search_path, thing.names)
    if isinstance(thing, Function) and thing.standard:
        return StoredQuery(thing, thing.body, thing.depends, thing.search_path)
    if isinstance(thing, Table) and thing.materialized is not None:
        m = thing.materialized
        return StoredQuery(thing, m.query, m.depends, m.search_path, m.names)
    return None


def stored_queries(catalog: Catalog) -> Iterator[StoredQuery]:
    """Every view, materialized view and function with such a query of the database, by OID."""
    for holder in catalog.using(HAS_QUERY):
        found = stored_query(holder)
        if found is not None:
            yield found


def stored_queries_over(catalog: Catalog, oid: Oid, type_oid: Oid) -> Iterator[StoredQuery]:
    """Those that need a relation, or call functions whose results are rows of its type: they read its columns, too."""
    yield from (direct := list(stored_queries_of(catalog, oid)))
    known = {kept.holder.oid for kept in direct}
    for f in catalog.using(type_oid):
        if isinstance(f, Function) and f.result.oid == type_oid:
            for kept in stored_queries_of(catalog, f.oid):
                if kept.holder.oid not in known:
                    known.add(kept.holder.oid)
                    yield kept


def stored_queries_of(catalog: Catalog, oid: Oid) -> Iterator[StoredQuery]:
    """Those that need an object."""
    for holder in catalog.using(oid):
        found = stored_query(holder)
        if found is not None and oid in found.depends:
            yield found
