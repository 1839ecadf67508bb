"""The views that people read: pg_tables, pg_views, pg_indexes, pg_sequences, and what the server knows."""

from __future__ import annotations

from planner.abc import Table
from planner.catalog.objects import Index, Schema, Sequence, View
from planner.catalog.system.context import Rows, SystemContext
from planner.catalog.system.definitions import index_definition, type_name, view_definition
from planner.catalog.system.relations import relations
from planner.catalog.system.rowmaker import RowMaker
from planner.catalog.system.styles import styled


def schema_name(context: SystemContext, oid: int) -> str:
    found = context.catalog.get(oid)
    assert isinstance(found, Schema)
    return found.name


def pg_tables(context: SystemContext) -> Rows:
    make = RowMaker("pg_tables")
    found: Rows = [
        make(schemaname=r.schema, tablename=r.name, tableowner="tidewire", tablespace=None)
        for r in (relations().values() if context.catalog.shown is None else ())
        if r.kind == "r"
    ]
    for t in context.catalog.objects(Table):
        if t.materialized is not None or t.foreign is not None:
            continue
        found.append(
            make(
                schemaname=schema_name(context, t.schema_oid),
                tablename=t.name,
                tableowner=t.owner,
                tablespace=None,
                hasindexes=bool(context.catalog.indexes_of(t.oid)),
                hastriggers=bool(t.triggers)
                or bool(t.referenced_by)
                or any(c.kind == "f" for c in t.constraints),
                rowsecurity=t.row_security,
            )
        )
    return found


def pg_views(context: SystemContext) -> Rows:
    make = RowMaker("pg_views")
    found: Rows = [
        make(schemaname=r.schema, viewname=r.name, viewowner="tidewire", definition="")
        for r in (relations().values() if context.catalog.shown is None else ())
        if r.kind == "v"
    ]
    for v in context.catalog.objects(View):
        found.append(
            make(
                schemaname=schema_name(context, v.schema_oid),
                viewname=v.name,
                viewowner=v.owner,
                definition=styled(context, view_definition(context.catalog, v, context.search_path)),
            )
        )
    return found


def pg_matviews(context: SystemContext) -> Rows:
    make = RowMaker("pg_matviews", nulls=True)
    return [
        make(
            schemaname=schema_name(context, t.schema_oid),
            matviewname=t.name,
            matviewowner=t.owner,
            hasindexes=bool(context.catalog.indexes_of(t.oid)),
            ispopulated=t.materialized.populated,
            definition=styled(context, view_definition(context.catalog, t, context.search_path)),
        )
        for t in context.catalog.objects(Table)
        if t.materialized is not None
    ]


def pg_indexes(context: SystemContext) -> Rows:
    make = RowMaker("pg_indexes")
    found: Rows = []
    for i in context.catalog.objects(Index):
        table = context.catalog.get(i.table_oid)
        assert isinstance(table, Table)
        found.append(
            make(
                schemaname=schema_name(context, table.schema_oid),
                tablename=table.name,
                indexname=i.name,
                tablespace=None,
                indexdef=index_definition(context.catalog, i, False, context.search_path),
            )
        )
    return found


def pg_sequences(context: SystemContext) -> Rows:
    make = RowMaker("pg_sequences", nulls=True)
    last = {row["oid"]: row["last_value"] for row in context.server_rows.get("pg_sequences", ())}
    return [
        make(
            schemaname=schema_name(context, s.schema_oid),
            sequencename=s.name,
            sequenceowner=s.owner,
            data_type=s.type.oid,
            start_value=s.start,
            min_value=s.minimum,
            max_value=s.maximum,
            increment_by=s.increment,
            cycle=s.cycle,
            cache_size=s.cache,
            last_value=last.get(s.oid),
        )
        for s in context.catalog.objects(Sequence)
    ]


def server_rows(name: str, context: SystemContext) -> Rows:
    """Relations that only the running server can fill: settings, activity, locks, ..."""
    make = RowMaker(name, nulls=True)
    return [make(**row) for row in context.server_rows.get(name, ())]


__all__ = [
    "pg_indexes",
    "pg_matviews",
    "pg_sequences",
    "pg_tables",
    "pg_views",
    "schema_name",
    "server_rows",
    "type_name",
]
