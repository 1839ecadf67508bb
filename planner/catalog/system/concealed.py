"""System relations that PUBLIC may not read: passwords, what connects to others, values out of everybody's tables, the server's files.

pg_authid            superusers, and who is in pg_read_all_data
pg_config            superusers alone: what only its function's rows would tell
pg_subscription      everybody, but for the column that says how it connects
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from planner.abc import Oid
from planner.catalog import predefined
from planner.catalog.system.relations import relations

_OF_STATISTICS: Final = frozenset(("pg_backend_memory_contexts", "pg_shmem_allocations"))
_CONCEALED: Final = _OF_STATISTICS | {
    "pg_authid", "pg_shadow", "pg_user_mapping", "pg_statistic", "pg_statistic_ext_data", "pg_subscription", "pg_config",
    "pg_file_settings", "pg_hba_file_rules", "pg_ident_file_mappings", "pg_replication_origin_status", "pg_largeobject",
}  # fmt: skip
_COLUMNS: Final = {"pg_subscription": frozenset(("subconninfo",))}
"""Where only these columns are concealed."""


def readers(name: str) -> tuple[str, ...] | None:
    """The predefined roles that read a relation of pg_catalog; None: everybody does."""
    if name not in _CONCEALED:
        return None
    return (predefined.READ_ALL_DATA, *((predefined.READ_ALL_STATS,) if name in _OF_STATISTICS else ()))


def columns(name: str) -> frozenset[str] | None:
    """The concealed columns of a relation; None: all of them."""
    return _COLUMNS.get(name)


@lru_cache(maxsize=1)
def names_by_oid() -> dict[Oid, str]:
    """The concealed relations' names."""
    return {r.oid: r.name for r in relations().values() if r.schema == "pg_catalog" and r.name in _CONCEALED}


__all__ = ["columns", "names_by_oid", "readers"]
