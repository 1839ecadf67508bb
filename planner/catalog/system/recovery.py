"""What is asked of a server that follows another.

    SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_receive_lsn() ELSE pg_current_wal_lsn() END     as Debezium does

No server here is in recovery: there is no place that it has come to, and nothing to pause.
"""

from __future__ import annotations

from typing import Any, NoReturn

from planner.abc import SqlError
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.types.oids import BOOL, INT4, PG_LSN, TEXT, VOID


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


__all__: list[str] = []
