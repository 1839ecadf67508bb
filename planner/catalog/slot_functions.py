"""The functions of logical replication slots: they ask the server for what takes time, so they run, as PL/pgSQL's do.

    pg_create_logical_replication_slot, pg_copy_logical_replication_slot, pg_drop_replication_slot, pg_replication_slot_advance
    pg_logical_slot_get_changes, pg_logical_slot_peek_changes, and the same for plugins of bytes

Their calls are told from those of users' functions by name, and run by `executor.replication.functions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from planner.abc import Oid, TypeRef
from planner.catalog import running_functions
from planner.catalog.routine_objects import Function, Parameter
from planner.types import oids

_NAMES: Final = frozenset((
    "pg_create_logical_replication_slot", "pg_copy_logical_replication_slot", "pg_drop_replication_slot", "pg_replication_slot_advance",
    "pg_logical_slot_get_changes", "pg_logical_slot_peek_changes",
    "pg_logical_slot_get_binary_changes", "pg_logical_slot_peek_binary_changes",
))  # fmt: skip
_SLOT: Final = (Parameter("slot_name", TypeRef(oids.NAME), "o"), Parameter("lsn", TypeRef(oids.PG_LSN), "o"))
_ADVANCED: Final = (
    Parameter("slot_name", TypeRef(oids.NAME), "o"),
    Parameter("end_lsn", TypeRef(oids.PG_LSN), "o"),
)


def _changes(data: Oid) -> tuple[Parameter, ...]:
    columns = (("lsn", oids.PG_LSN), ("xid", oids.XID), ("data", data))
    return tuple(Parameter(name, TypeRef(oid), "o") for name, oid in columns)


def _outputs(name: str) -> tuple[Parameter, ...]:
    if name == "pg_drop_replication_slot":
        return ()
    if name == "pg_replication_slot_advance":
        return _ADVANCED
    if name.startswith("pg_logical_slot"):
        return _changes(oids.BYTEA if "binary" in name else oids.TEXT)
    return _SLOT


_GIVEN: Final = {
    "pg_create_logical_replication_slot": ("slot_name", "plugin", "temporary", "twophase"),
    "pg_copy_logical_replication_slot": ("src_slot_name", "dst_slot_name", "temporary", "plugin"),
    "pg_replication_slot_advance": ("slot_name", "upto_lsn"),
}
_DEFAULTS: Final = {"temporary": "false", "twophase": "false"}


def _inputs(name: str, types: tuple[Oid, ...]) -> tuple[Parameter, ...]:
    if name.startswith("pg_logical_slot"):
        names = ("slot_name", "upto_lsn", "upto_nchanges")
        given = [Parameter(n, TypeRef(oid)) for n, oid in zip(names, types, strict=False)]
        return (*given, Parameter("options", TypeRef(oids.TEXT_ARRAY), "v", "'{}'::text[]"))
    said = _GIVEN.get(name, ("",))
    defaults = _DEFAULTS if name.startswith("pg_create") else {}
    return tuple(
        Parameter(n, TypeRef(oid), "i", defaults.get(n)) for n, oid in zip(said, types, strict=False)
    )


@lru_cache(maxsize=1)
def functions() -> Mapping[Oid, Function]:
    """By OID, as pg_proc has them."""
    return running_functions.of_names(_NAMES, lambda name, types: (*_inputs(name, types), *_outputs(name)))


def named(name: str, schema: str) -> list[Function]:
    """Those that a call of this name may mean."""
    return running_functions.named(functions(), name, schema) if name in _NAMES else []


__all__ = ["functions", "named"]
