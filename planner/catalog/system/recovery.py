"""What is asked of a server that follows another, and of counters that should begin anew.

    SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END     as Debezium does

No server here is in recovery: there is no place that it has come to, and nothing to pause. Nothing is counted either
(`counters`), so whoever sets counters back finds them at zero.
"""

from __future__ import annotations

from typing import Any, Final, NoReturn

from planner.abc import SqlError
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.types.oids import BOOL, INT4, OID, PG_LSN, TEXT, VOID

_COUNTED_FOR_ALL: Final = ("archiver", "bgwriter", "recovery_prefetch", "wal")


@system("pg_last_wal_receive_lsn", (), PG_LSN)
@system("pg_last_wal_replay_lsn", (), PG_LSN)
def _nowhere(context: SystemContext) -> None:
    return None


@system("pg_is_wal_replay_paused", (), BOOL)
@system("pg_get_wal_replay_pause_state", (), TEXT)
@system("pg_wal_replay_pause", (), VOID)
@system("pg_wal_replay_resume", (), VOID)
@system("pg_promote", (BOOL, INT4), BOOL, optional=2)
def _not_in_recovery(context: SystemContext, *arguments: Any) -> NoReturn:
    raise SqlError(
        "55000",
        "recovery is not in progress",
        hint="Recovery control functions can only be executed during recovery.",
    )


@system("pg_stat_reset", (), VOID)
@system("pg_stat_reset_single_table_counters", (OID,), VOID)
@system("pg_stat_reset_single_function_counters", (OID,), VOID)
@system("pg_stat_reset_slru", (TEXT,), VOID)
def _at_zero(context: SystemContext, *of: Any) -> str:
    return ""


@system("pg_stat_reset_shared", (TEXT,), VOID)
def _all_at_zero(context: SystemContext, target: str | None) -> str | None:
    if target is not None and target not in _COUNTED_FOR_ALL:
        hint = 'Target must be "archiver", "bgwriter", "recovery_prefetch", or "wal".'
        raise SqlError("22023", f'unrecognized reset target: "{target}"', hint=hint)
    return None if target is None else ""


__all__: list[str] = []
