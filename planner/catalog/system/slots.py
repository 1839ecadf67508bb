"""Replication slots: there are none, and at this `wal_level` (replica) no logical ones can be made. Whoever asks is told what PostgreSQL tells him.

    pg_create_logical_replication_slot('s', 'pgoutput')     55000   logical decoding requires wal_level >= logical
    pg_drop_replication_slot('s')                           42704   replication slot "s" does not exist

Physical slots, which a PostgreSQL of this level can make, are for servers that follow its log: 0A000.
"""

from __future__ import annotations

from typing import Any

from planner.abc import SqlError
from planner.catalog import rights
from planner.catalog.system.context import SystemContext
from planner.catalog.system.function_table import system
from planner.catalog.system.relations import relation
from planner.types.log_places import shown_log_place
from planner.types.oids import BOOL, BYTEA, INT4, NAME, PG_LSN, RECORD, TEXT, TEXT_ARRAY, VOID, XID

_MADE = (("slot_name", NAME), ("lsn", PG_LSN))
_CHANGES = (("lsn", PG_LSN), ("xid", XID), ("data", TEXT))
_BINARY_CHANGES = (("lsn", PG_LSN), ("xid", XID), ("data", BYTEA))
_LISTED = relation("pg_catalog", "pg_replication_slots")
assert _LISTED is not None


def _may_use(context: SystemContext) -> None:
    role = context.catalog.role(context.user)
    if not rights.is_superuser(context.catalog, context.user) and (role is None or not role.replication):
        raise SqlError("42501", "must be superuser or replication role to use replication slots")


def _missing(name: str) -> SqlError:
    return SqlError("42704", f'replication slot "{name}" does not exist')


@system("pg_create_logical_replication_slot", (NAME, NAME, BOOL, BOOL), RECORD, optional=2, columns=_MADE)
@system("pg_copy_logical_replication_slot", (NAME, NAME), RECORD, columns=_MADE)
@system("pg_copy_logical_replication_slot", (NAME, NAME, BOOL), RECORD, columns=_MADE)
@system("pg_copy_logical_replication_slot", (NAME, NAME, BOOL, NAME), RECORD, columns=_MADE)
def _create(context: SystemContext, *given: Any) -> list[dict[str, Any]]:
    return _decoding(context, given)


@system("pg_logical_slot_get_changes", (NAME, PG_LSN, INT4, TEXT_ARRAY), RECORD, optional=1, columns=_CHANGES)
@system(
    "pg_logical_slot_peek_changes", (NAME, PG_LSN, INT4, TEXT_ARRAY), RECORD, optional=1, columns=_CHANGES
)
@system(
    "pg_logical_slot_get_binary_changes", (NAME, PG_LSN, INT4, TEXT_ARRAY), RECORD, optional=1, columns=_BINARY_CHANGES
)  # fmt: skip
@system(
    "pg_logical_slot_peek_binary_changes", (NAME, PG_LSN, INT4, TEXT_ARRAY), RECORD, optional=1, columns=_BINARY_CHANGES
)  # fmt: skip
def _changes(context: SystemContext, *given: Any) -> list[dict[str, Any]]:
    return _decoding(context, given)


def _decoding(context: SystemContext, given: tuple[Any, ...]) -> list[dict[str, Any]]:
    _may_use(context)
    raise SqlError("55000", "logical decoding requires wal_level >= logical")


@system("pg_drop_replication_slot", (NAME,), VOID)
def _drop(context: SystemContext, name: str | None) -> None:
    if name is None:
        return
    _may_use(context)
    raise _missing(name)


@system(
    "pg_replication_slot_advance", (NAME, PG_LSN), RECORD, columns=(("slot_name", NAME), ("end_lsn", PG_LSN))
)
def _advance(context: SystemContext, name: str | None, place: int | None) -> list[dict[str, Any]]:
    if name is None or place is None:
        return []
    _may_use(context)
    if shown_log_place(place) == "0/0":
        raise SqlError("22023", "invalid target WAL LSN")
    raise _missing(name)


@system("pg_copy_physical_replication_slot", (NAME, NAME), RECORD, columns=_MADE)
@system("pg_copy_physical_replication_slot", (NAME, NAME, BOOL), RECORD, columns=_MADE)
def _copy(context: SystemContext, name: str | None, *_: Any) -> list[dict[str, Any]]:
    if name is None:
        return []
    _may_use(context)
    raise _missing(name)


@system(
    "pg_get_replication_slots", (), RECORD, columns=tuple((c.name, c.type.oid) for c in _LISTED.columns if c.name != "database")
)  # fmt: skip
def _listed(context: SystemContext) -> list[dict[str, Any]]:
    return []


__all__: list[str] = []
