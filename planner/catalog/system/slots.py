"""Physical replication slots: there are none. Logical ones are made, read and dropped by functions that run (`planner.catalog.slot_functions`).

Physical slots are for servers that follow
PostgreSQL's log byte by byte: 0A000.
"""

from __future__ import annotations

from typing import Any

from planner.abc import SqlError
from planner.catalog import rights
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.types.oids import BOOL, NAME, PG_LSN, RECORD

_MADE = (("slot_name", NAME), ("lsn", PG_LSN))


def _may_use(context: SystemContext) -> None:
    if not rights.may_follow(context.catalog, context.user):
        raise SqlError("42501", "must be superuser or replication role to use replication slots")


def _missing(name: str) -> SqlError:
    return SqlError("42704", f'replication slot "{name}" does not exist')


@system("pg_copy_physical_replication_slot", (NAME, NAME), RECORD, columns=_MADE)
@system("pg_copy_physical_replication_slot", (NAME, NAME, BOOL), RECORD, columns=_MADE)
def _copy(context: SystemContext, name: str | None, *_: Any) -> list[dict[str, Any]]:
    if name is None:
        return []
    _may_use(context)
    raise _missing(name)


__all__: list[str] = []
