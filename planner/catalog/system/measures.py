"""Encodings, and functions about things that never exist here.

What PostgreSQL answers for an object without triggers, partitions, statistics or files is the answer.
"""

from __future__ import annotations

from typing import Any

from planner.abc import Oid, Table
from planner.catalog.catalog import TEMPORARY_PREFIX, Catalog
from planner.catalog.objects import Index, Schema, Sequence, View
from planner.catalog.system import bounds, partitions
from planner.catalog.system.classes import persistence
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.catalog.system.relations import by_oid
from planner.catalog.system.styles import styled
from planner.catalog.type_objects import CompositeType
from planner.types.encodings import BY_NUMBER, encoding_named
from planner.types.oids import (
    BOOL,
    FLOAT8,
    INT2,
    INT4,
    INT4_ARRAY,
    NAME,
    OID,
    REGCLASS,
    TEXT,
    TIMESTAMPTZ,
)

# --- encodings ------------------------------------------------------------------------------------


@system("pg_encoding_to_char", (INT4,), NAME)
def _encoding(context: SystemContext, encoding: int | None) -> str | None:
    if encoding is None:
        return None
    return BY_NUMBER[encoding].name if encoding in BY_NUMBER else ""


@system("pg_char_to_encoding", (NAME,), INT4)
def _encoding_number(context: SystemContext, name: str | None) -> int | None:
    found = encoding_named(name) if name is not None else None
    return found.number if found is not None else None if name is None else -1


@system("pg_encoding_max_length", (INT4,), INT4)
def _encoding_length(context: SystemContext, encoding: int | None) -> int | None:
    return None if encoding not in BY_NUMBER else BY_NUMBER[encoding].max_bytes


@system("getdatabaseencoding", (), NAME)
def _database_encoding(context: SystemContext) -> str:
    return "UTF8"


# --- what never exists here -------------------------------------------------------------------------


@system("pg_tablespace_location", (OID,), TEXT)
def _tablespace_location(context: SystemContext, oid: Oid | None) -> str | None:
    return None if oid is None else ""


@system("pg_relation_is_publishable", (REGCLASS,), BOOL)
def _publishable(context: SystemContext, oid: Oid | None) -> bool | None:
    """Whether a publication could name it: a table whose rows would be in the log. NULL for what is not there."""
    if oid is None:
        return None
    thing = context.catalog.get(oid)
    if not isinstance(thing, Table):
        there = isinstance(thing, View | Index | Sequence | CompositeType) or oid in by_oid()
        return False if there else None
    return publishable(context.catalog, thing)


def publishable(catalog: Catalog, table: Table) -> bool:
    """Whether a table's rows would be in the log, but for materialized views'."""
    if table.materialized is not None or table.foreign is not None:
        return False
    return persistence(catalog, table.schema_oid, table.temporary, table.unlogged) == "p"


@system("pg_get_replica_identity_index", (REGCLASS,), REGCLASS)
@system("pg_collation_actual_version", (OID,), TEXT)
@system("pg_database_collation_actual_version", (OID,), TEXT)
@system("pg_relation_filepath", (REGCLASS,), TEXT)
@system("pg_filenode_relation", (OID, OID), REGCLASS)
@system("pg_last_xact_replay_timestamp", (), TIMESTAMPTZ)
@system("pg_current_logfile", (TEXT,), TEXT, optional=1)
def _nothing(context: SystemContext, *arguments: Any) -> None:
    """Of a kind of object that does not exist here: what PostgreSQL answers for an unknown OID."""
    return None


@system("pg_get_partkeydef", (OID,), TEXT)
def _partition_key(context: SystemContext, oid: Oid | None) -> str | None:
    table = context.catalog.get(oid) if oid is not None else None
    return bounds.key_text(context.catalog, table) if isinstance(table, Table) else None


@system("pg_get_partition_constraintdef", (OID,), TEXT)
def _partition_constraint(context: SystemContext, oid: Oid | None) -> str | None:
    table = context.catalog.get(oid) if oid is not None else None
    return (
        styled(context, bounds.constraint_text(context.catalog, table)) if isinstance(table, Table) else None
    )


@system("pg_partition_root", (REGCLASS,), REGCLASS)
def _partition_root(context: SystemContext, oid: Oid | None) -> Oid | None:
    found = partitions.above(context.catalog, oid) if oid is not None else []
    return found[-1] if found else None


@system("pg_is_other_temp_schema", (OID,), BOOL)
@system("pg_jit_available", (), BOOL)
@system("pg_stat_have_stats", (TEXT, OID, OID), BOOL)
def _never(context: SystemContext, *arguments: Any) -> bool | None:
    return None if None in arguments else False


@system("pg_notification_queue_usage", (), FLOAT8)
def _no_queue(context: SystemContext) -> float:
    return 0.0


@system("pg_blocking_pids", (INT4,), INT4_ARRAY)
def _blocking(context: SystemContext, pid: int | None) -> list[int] | None:
    if pid is None:
        return None
    return list(context.blocking(pid)) if context.blocking is not None else []


@system("pg_isolation_test_session_is_blocked", (INT4, INT4_ARRAY), BOOL)
def _blocked_by(context: SystemContext, pid: int | None, among: list[int] | None) -> bool | None:
    """Whether it waits for one of these: what PostgreSQL's isolationtester asks before each step."""
    blocking = _blocking(context, pid)
    return None if blocking is None or among is None else not set(blocking).isdisjoint(among)


@system("pg_safe_snapshot_blocking_pids", (INT4,), INT4_ARRAY)
def _nobody(context: SystemContext, pid: int | None) -> list[int] | None:
    return None if pid is None else []


@system("pg_relation_filenode", (REGCLASS,), OID)
def _filenode(context: SystemContext, oid: Oid | None) -> Oid | None:
    thing = context.catalog.get(oid) if oid is not None else None
    return oid if isinstance(thing, Table | Index | Sequence) else None


@system("pg_my_temp_schema", (), OID)
def _my_temp_schema(context: SystemContext) -> Oid:
    for name in context.search_path:
        if name.startswith(TEMPORARY_PREFIX):
            schema = context.catalog.find_schema(name)
            if isinstance(schema, Schema):
                return schema.oid
    return 0


_INSERT, _UPDATE, _DELETE = 1 << 3, 1 << 2, 1 << 4


@system("pg_relation_is_updatable", (REGCLASS, BOOL), INT4)
def _relation_is_updatable(context: SystemContext, oid: Oid | None, triggers: bool | None) -> int | None:
    if oid is None or triggers is None:
        return None
    thing = context.catalog.get(oid)
    if isinstance(thing, View):
        from planner.binding.writes.updatable_views import events

        return events(context.catalog, thing, triggers=triggers)
    return _INSERT | _UPDATE | _DELETE if isinstance(thing, Table) and _is_written(thing) else 0


@system("pg_column_is_updatable", (REGCLASS, INT2, BOOL), BOOL)
def _column_is_updatable(
    context: SystemContext, oid: Oid | None, attnum: int | None, triggers: bool | None
) -> bool | None:
    if oid is None or attnum is None or triggers is None:
        return None
    thing = context.catalog.get(oid)
    if isinstance(thing, View):
        from planner.binding.writes.updatable_views import updatable_columns

        return attnum in updatable_columns(context.catalog, thing)
    return isinstance(thing, Table) and _is_written(thing) and attnum > 0


def _is_written(table: Table) -> bool:
    return table.materialized is None and table.foreign is None
