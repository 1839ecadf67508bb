"""information_schema: what stands on what. Each row is for who owns the thing that is used, as the standard will have it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from planner.abc import Column, Table
from planner.catalog import rights
from planner.catalog.objects import UserType, View
from planner.catalog.routine_objects import Function
from planner.catalog.stored_queries import StoredQuery, stored_queries
from planner.catalog.system import permitted
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.information_domains import type_facts
from planner.catalog.system.listings import schema_name
from planner.catalog.system.relations import relations
from planner.catalog.system.rowmaker import of_information_schema
from planner.catalog.system.written import columns_of_expression, columns_of_query
from planner.catalog.type_objects import Domain


def _column_column_usage(context: SystemContext) -> Rows:
    """Which generated columns are computed of which others."""
    make = of_information_schema("column_column_usage")
    found: Rows = []
    for t in context.catalog.objects(Table):
        for c in t.visible if permitted.owns(context, t) else ():
            if not c.generated or c.default is None:
                continue
            for attnum in sorted({n for _, n in columns_of_expression(context.catalog, t, c.default)}):
                found.append(
                    make(
                        table_catalog=context.database,
                        table_schema=schema_name(context, t.schema_oid),
                        table_name=t.name,
                        column_name=t.columns[t.index_of(attnum)].name,
                        dependent_column=c.name,
                    )
                )
    return found


def _column_udt_usage(context: SystemContext) -> Rows:
    """Which types the columns are of, those underneath domains."""
    make = of_information_schema("column_udt_usage")
    named = ("udt_catalog", "udt_schema", "udt_name")
    found: Rows = []
    for schema, relation, column in _columns(context):
        facts = type_facts(context, column.declared)
        place = {"table_catalog": context.database, "table_schema": schema, "table_name": relation}
        found.append(make(column_name=column.name, **place, **{k: facts[k] for k in named}))
    return found


def _columns(context: SystemContext) -> Iterator[tuple[str, str, Column]]:
    """(schema, relation, column) of the columns whose types are the user's own: of a superuser's, all are."""
    catalog = context.catalog
    everything = rights.is_superuser(catalog, context.user)
    for r in relations().values() if everything and catalog.shown is None else ():
        for c in r.columns:
            yield r.schema, r.name, Column(c.name, c.type, c.attnum)
    things: list[Table | View] = [*catalog.objects(Table), *catalog.objects(View)]
    for thing in things:
        if isinstance(thing, Table) and thing.materialized is not None:
            continue
        for column in thing.visible if isinstance(thing, Table) else thing.columns:
            kind = catalog.get(column.declared.oid)
            if isinstance(kind, Domain):
                kind = catalog.get(kind.base.oid) or kind
            if everything or (isinstance(kind, UserType) and permitted.owns(context, kind)):
                yield schema_name(context, thing.schema_oid), thing.name, column


def _views(context: SystemContext) -> Iterator[tuple[View, StoredQuery]]:
    for kept in stored_queries(context.catalog):
        if isinstance(kept.holder, View):
            yield kept.holder, kept


def _view_column_usage(context: SystemContext) -> Rows:
    """Which columns the views name."""
    make = of_information_schema("view_column_usage")
    found: Rows = []
    for view, kept in _views(context):
        for oid, attnum in sorted(columns_of_query(context.catalog, kept)):
            used = context.catalog.get(oid)
            if not isinstance(used, Table | View) or not permitted.owns(context, used):
                continue
            found += [
                make(
                    view_catalog=context.database,
                    view_schema=schema_name(context, view.schema_oid),
                    view_name=view.name,
                    table_catalog=context.database,
                    table_schema=schema_name(context, used.schema_oid),
                    table_name=used.name,
                    column_name=c.name,
                )
                for c in used.columns
                if c.attnum == attnum
            ]
    return found


def _view_routine_usage(context: SystemContext) -> Rows:
    """Which functions of users the views call."""
    make = of_information_schema("view_routine_usage")
    found: Rows = []
    for view, kept in _views(context):
        for oid in dict.fromkeys(kept.depends):
            called = context.catalog.get(oid)
            if isinstance(called, Function) and permitted.owns(context, called):
                found.append(
                    make(
                        table_catalog=context.database,
                        table_schema=schema_name(context, view.schema_oid),
                        table_name=view.name,
                        specific_catalog=context.database,
                        specific_schema=schema_name(context, called.schema_oid),
                        specific_name=f"{called.name}_{called.oid}",
                    )
                )
    return found


PROVIDERS: dict[str, Callable[[SystemContext], Rows]] = {
    "column_column_usage": _column_column_usage,
    "column_udt_usage": _column_udt_usage,
    "view_column_usage": _view_column_usage,
    "view_routine_usage": _view_routine_usage,
}
