"""pg_stat_get_...(oid): the functions behind PostgreSQL's statistics views, which some tools call themselves.

They answer what the views say (`statistics`): of a number that nobody has counted for zero and no time, as in PostgreSQL.
And pg_stat_reset() with its kin, from which on everything is counted anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from planner.abc import Oid, SqlError, Table
from planner.catalog import rights
from planner.catalog.objects import Database, Index
from planner.catalog.system import built_ins
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.types.oids import FLOAT8, INT4, INT8, OID, TEXT, TIMESTAMPTZ, VOID
from storage.abc import Datum

_OF_RELATIONS: Final = (
    "numscans", "tuples_returned", "tuples_fetched", "tuples_inserted", "tuples_updated", "tuples_deleted",
    "tuples_hot_updated", "blocks_fetched", "blocks_hit",
)  # fmt: skip
_OF_TABLES: Final = (
    "live_tuples", "dead_tuples", "mod_since_analyze", "ins_since_vacuum", "vacuum_count", "autovacuum_count",
    "analyze_count", "autoanalyze_count",
)  # fmt: skip
_OF_DATABASES: Final = (
    "blocks_fetched", "blocks_hit", "conflict_all", "conflict_bufferpin", "conflict_lock", "conflict_snapshot",
    "conflict_startup_deadlock", "conflict_tablespace", "deadlocks", "sessions", "sessions_abandoned", "sessions_fatal",
    "sessions_killed", "temp_bytes", "temp_files", "tuples_deleted", "tuples_fetched", "tuples_inserted",
    "tuples_returned", "tuples_updated", "xact_commit", "xact_rollback",
)  # fmt: skip
_SECONDS_OF_DATABASES: Final = (
    "active_time", "blk_read_time", "blk_write_time", "idle_in_transaction_time", "session_time",
)  # fmt: skip
_TIMES: Final = ("last_vacuum_time", "last_autovacuum_time", "last_analyze_time", "last_autoanalyze_time")
_COLUMNS: Final = {
    "numscans": "seq_scan",
    "tuples_returned": "seq_tup_read",
    "tuples_fetched": "idx_tup_fetch",
    "tuples_inserted": "n_tup_ins",
    "tuples_updated": "n_tup_upd",
    "tuples_deleted": "n_tup_del",
    "live_tuples": "n_live_tup",
    "dead_tuples": "n_dead_tup",
    "mod_since_analyze": "n_mod_since_analyze",
    "ins_since_vacuum": "n_ins_since_vacuum",
}
"""Of pg_stat_all_tables, where they are called otherwise."""
_COLUMNS_OF_DATABASES: Final = {
    "tuples_returned": "tup_returned",
    "tuples_fetched": "tup_fetched",
    "tuples_inserted": "tup_inserted",
    "tuples_updated": "tup_updated",
    "tuples_deleted": "tup_deleted",
}


@system("pg_stat_clear_snapshot", (), VOID)
@system("pg_stat_force_next_flush", (), VOID)
def _nothing_waits(context: SystemContext) -> str:
    """Nothing is kept for a transaction, and nothing waits to be told."""
    return ""


@system("pg_stat_get_snapshot_timestamp", (), TIMESTAMPTZ)
def _no_snapshot(context: SystemContext) -> None:
    return None


def _of_relation(context: SystemContext, oid: Oid) -> dict[str, Datum]:
    thing, statistics = context.catalog.get(oid), context.statistics
    if statistics is None:
        return {}
    if isinstance(thing, Index):
        said = statistics.index(context.catalog.table(thing.table_oid), thing)
        return {"seq_scan": said.get("idx_scan"), "seq_tup_read": said.get("idx_tup_read"), **said}
    # Of a table's rows that indexes have found each index tells itself.
    return statistics.table(thing) | {"idx_tup_fetch": 0} if isinstance(thing, Table) else {}


def _of_database(context: SystemContext, oid: Oid) -> dict[str, Datum]:
    there = isinstance(context.catalog.get(oid), Database)
    return context.statistics.database(oid) if there and context.statistics is not None else {}


def _counter(
    of: Callable[[SystemContext, Oid], dict[str, Datum]], column: str, otherwise: Datum
) -> Callable[[SystemContext, Oid | None], Datum]:
    def counted(context: SystemContext, oid: Oid | None) -> Datum:
        if oid is None:
            return None
        found = of(context, oid).get(column)
        return otherwise if found is None else found

    return counted


for _name in (*_OF_RELATIONS, *_OF_TABLES):
    _of = _counter(_of_relation, _COLUMNS.get(_name, _name), 0)
    system(f"pg_stat_get_{_name}", (OID,), INT8)(_of)
for _name in _OF_RELATIONS:
    system(f"pg_stat_get_xact_{_name}", (OID,), INT8)(_counter(_of_relation, "", 0))
for _name in _OF_DATABASES:
    system(f"pg_stat_get_db_{_name}", (OID,), INT8)(
        _counter(_of_database, _COLUMNS_OF_DATABASES.get(_name, _name), 0)
    )
for _name in _SECONDS_OF_DATABASES:
    system(f"pg_stat_get_db_{_name}", (OID,), FLOAT8)(_counter(_of_database, _name, 0.0))
for _name in _TIMES:
    system(f"pg_stat_get_{_name}", (OID,), TIMESTAMPTZ)(
        _counter(_of_relation, _name.removesuffix("_time"), None)
    )
system("pg_stat_get_db_stat_reset_time", (OID,), TIMESTAMPTZ)(_counter(_of_database, "stats_reset", None))
system("pg_stat_get_db_numbackends", (OID,), INT4)(_counter(_of_database, "numbackends", 0))


# --- from here on --------------------------------------------------------------------------------


def _may(context: SystemContext, name: str) -> None:
    """PostgreSQL takes these from PUBLIC. Raises 42501."""
    if rights.is_superuser(context.catalog, context.user):
        return
    called = (built_ins.of_function(oid) for oid in built_ins.OF_SUPERUSERS)
    if not any(
        f is not None and f.name == name and rights.holds(context.catalog, context.user, f, "execute")
        for f in called
    ):
        raise SqlError("42501", f"permission denied for function {name}")


_SHARED: Final = ("archiver", "bgwriter", "recovery_prefetch", "wal")


@system("pg_stat_reset", (), VOID)
def _reset(context: SystemContext) -> str:
    _may(context, "pg_stat_reset")
    if context.statistics is not None:
        context.statistics.reset(context.catalog.database_oid)
    return ""


@system("pg_stat_reset_shared", (TEXT,), VOID)
def _reset_shared(context: SystemContext, target: str | None) -> str | None:
    _may(context, "pg_stat_reset_shared")
    if target is None:
        return None
    if target not in _SHARED:
        hint = 'Target must be "archiver", "bgwriter", "recovery_prefetch", or "wal".'
        raise SqlError("22023", f'unrecognized reset target: "{target}"', hint=hint)
    if context.statistics is not None:
        context.statistics.reset_shared(target)
    return ""


@system("pg_stat_reset_single_table_counters", (OID,), VOID)
def _reset_table(context: SystemContext, oid: Oid | None) -> str | None:
    _may(context, "pg_stat_reset_single_table_counters")
    thing = context.catalog.get(oid) if oid is not None else None
    if context.statistics is not None:
        if isinstance(thing, Table):
            context.statistics.reset_table(thing)
        elif isinstance(thing, Index):
            context.statistics.reset_table(context.catalog.table(thing.table_oid), thing)
    return None if oid is None else ""


@system("pg_stat_reset_single_function_counters", (OID,), VOID)
def _reset_function(context: SystemContext, oid: Oid | None) -> str | None:
    _may(context, "pg_stat_reset_single_function_counters")
    return None if oid is None else ""  # no calls are counted


@system("pg_stat_reset_slru", (TEXT,), VOID)
def _reset_cache(context: SystemContext, name: str | None) -> str:
    _may(context, "pg_stat_reset_slru")
    return ""
