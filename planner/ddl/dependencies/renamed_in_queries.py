"""Stored queries after a relation they read, or a column of it, has got another name or schema, or the relation one more column.

    CREATE VIEW v AS SELECT a.n FROM a JOIN b USING (k)
    ALTER TABLE a RENAME n TO m          SELECT a.m AS n FROM a JOIN b USING (k)
    ALTER TABLE a RENAME k TO i          SELECT a.n FROM a a(n, k) JOIN b USING (k)
    ALTER TABLE a SET SCHEMA s           SELECT a.n FROM s.a JOIN b USING (k)
    ALTER TABLE b ADD n int              SELECT a.n FROM a JOIN b USING (k)

A view means relations, not names, so it is written out anew: bound in the catalog of before, with the names of after. What
has no words stays text, of which only single words can be replaced.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence

from planner.abc import Oid, PlanError, Table, TypeRef
from planner.binding.deparse import routine_text, view_text
from planner.binding.deparse.expressions import NotWritable
from planner.binding.deparse.view_expressions import Renaming
from planner.catalog import Catalog, CatalogChange, CompositeType, Function, Relation, View
from planner.catalog.row_types import row_type_oid
from planner.catalog.stored_queries import (
    StoredQuery,
    stored_queries,
    stored_queries_of,
    stored_queries_over,
)
from planner.catalog.system.definitions import qualified, type_name
from planner.ddl.constraints.definitions import rename_in_expression
from planner.ddl.dependencies.columns_named import mentions
from planner.ddl.dependencies.depends import names_of_query
from planner.ddl.scope import Scope
from planner.parse import parse_query
from planner.records import replace

__all__ = [
    "Renaming",
    "all_anew",
    "beside_a_new_column",
    "keep",
    "with_attribute",
    "with_column",
    "written_anew",
]


def written_anew(
    scope: Scope,
    kept: StoredQuery,
    renaming: Renaming,
    found: Relation | CompositeType | Function,
    schema: Oid = 0,
    changes: Sequence[CatalogChange] = (),
) -> str | None:
    """The text of a stored query with names of after; None where it has none.

    `found` is the relation as it was, `schema` where it is then; `changes` are what functions will be called.
    """
    catalog, now = scope.catalog, scope.catalog.get(renaming.oid)
    if now is not found:
        catalog = catalog.with_changes([CatalogChange(now, found)])

    def shown(schema_oid: int, name: str) -> str:
        if (schema_oid, name) == (found.schema_oid, found.name):
            schema_oid, name = schema or schema_oid, renaming.name or name
        return qualified(catalog, schema_oid, name, ())

    context = scope.context()
    context = replace(context, catalog=catalog, search_path=kept.path or context.search_path)
    after = catalog.with_changes(changes) if changes else catalog
    if renaming.name or schema:  # its row type goes by its name
        name, place = renaming.name or found.name, schema or found.schema_oid
        after = catalog.with_changes([CatalogChange(found, _called(found, name, place))])
    kinds: Callable[[TypeRef], str] = functools.partial(_type_name, after)
    try:
        if isinstance(kept.holder, Function):
            return routine_text.routine_text(context, kept.holder, kinds, shown, renaming)
        columns = [c.name for c in getattr(kept.holder, "columns", ()) if not c.hidden]
        return view_text.query_text(
            context, kept.query, columns, kinds, shown, pretty=True, renaming=renaming
        )
    except NotWritable:
        return None


def _type_name(catalog: Catalog, ref: TypeRef) -> str:
    return type_name(catalog, ref, ())


def _called(
    found: Relation | CompositeType | Function, name: str, schema: Oid
) -> Relation | CompositeType | Function:
    return replace(found, name=name, schema_oid=schema)


def keep(scope: Scope, kept: StoredQuery, query: str) -> None:
    """A query that was written anew names its relations as they are called now."""
    names = () if isinstance(kept.holder, Function) else names_of_query(scope, parse_query(query))
    scope.replace(kept.holder, kept.reworded(query, names))


def with_column(scope: Scope, found: Table | View, old: str, new: str) -> None:
    """What reads a relation, one of whose columns gets another name."""
    renaming = Renaming(found.oid, old_column=old, new_column=new)
    over = list(stored_queries_over(scope.catalog, found.oid, row_type_oid(found.oid)))
    reading = [k for k in over if mentions(k.query, old)]
    for kept, query in all_anew(scope, reading, renaming, found):
        if (
            found.oid not in kept.depends
        ):  # what functions return has its columns' names, and no aliases for them
            query = None
        if query is not None:
            keep(scope, kept, query)
            continue
        if len(kept.depends) > 1:
            raise PlanError(
                "0A000", f'renaming a column that "{kept.name}" over several relations uses is not supported'
            )
        kept.refuse_parameter(old)
        scope.replace(kept.holder, kept.reworded(rename_in_expression(kept.query, old, new)))


def with_attribute(scope: Scope, found: CompositeType, old: str, new: str) -> None:
    """What says a field of a composite type that gets another name: `(row).field`."""
    renaming = Renaming(found.oid, old_column=old, new_column=new)
    reading = [k for k in stored_queries(scope.catalog) if mentions(k.query, old)]
    before = all_anew(scope, reading, Renaming(found.oid), found)
    after = all_anew(scope, reading, renaming, found)
    for (kept, text), (_, query) in zip(before, after, strict=True):
        if query is not None and query != text:
            keep(scope, kept, query)


def beside_a_new_column(scope: Scope, table: Table, name: str) -> None:
    """Queries of several relations that say the name of a column that a relation gets now mean another one's."""
    reading = [
        k
        for k in stored_queries_of(scope.catalog, table.oid)
        if mentions(k.query, name) or mentions(k.query, "natural")
    ]
    for kept, query in all_anew(scope, reading, Renaming(table.oid, added=name), table):
        if query is not None:
            keep(scope, kept, query)


def all_anew(
    scope: Scope,
    reading: Iterable[StoredQuery],
    renaming: Renaming,
    found: Relation | CompositeType,
    schema: Oid = 0,
) -> list[tuple[StoredQuery, str | None]]:
    """Before any of them is kept: one that reads another is bound with that one's text of before."""
    return [(kept, written_anew(scope, kept, renaming, found, schema)) for kept in reading]
