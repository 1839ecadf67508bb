"""pg_stat_get_...(oid): the functions behind PostgreSQL's statistics views, which some tools call themselves.

Nothing is counted here (`statistics`), so they answer as the views do: counters at zero, no times. PostgreSQL answers
zero for what it has never counted, too, so any number of an object will do.
"""

from __future__ import annotations

from typing import Final

from planner.abc import Oid
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.types.oids import FLOAT8, INT8, OID, TIMESTAMPTZ, VOID

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
_TIMES: Final = (
    "last_vacuum_time", "last_autovacuum_time", "last_analyze_time", "last_autoanalyze_time", "db_stat_reset_time",
)  # fmt: skip


@system("pg_stat_clear_snapshot", (), VOID)
@system("pg_stat_force_next_flush", (), VOID)
def _nothing_waits(context: SystemContext) -> str:
    """Nothing is kept for a transaction, and nothing waits to be told."""
    return ""


@system("pg_stat_get_snapshot_timestamp", (), TIMESTAMPTZ)
def _no_snapshot(context: SystemContext) -> None:
    return None


def _counted(context: SystemContext, oid: Oid | None) -> int | None:
    return None if oid is None else 0


def _timed(context: SystemContext, oid: Oid | None) -> float | None:
    return None if oid is None else 0.0


def _never(context: SystemContext, oid: Oid | None) -> int | None:
    return None


for _name in (
    *_OF_RELATIONS,
    *_OF_TABLES,
    *(f"xact_{name}" for name in _OF_RELATIONS),
    *(f"db_{name}" for name in _OF_DATABASES),
):
    system(f"pg_stat_get_{_name}", (OID,), INT8)(_counted)
for _name in _SECONDS_OF_DATABASES:
    system(f"pg_stat_get_db_{_name}", (OID,), FLOAT8)(_timed)
for _name in _TIMES:
    system(f"pg_stat_get_{_name}", (OID,), TIMESTAMPTZ)(_never)
