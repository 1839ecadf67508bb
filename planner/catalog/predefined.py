"""Roles that every environment has: what a superuser may hand on without making another one.

    pg_read_all_data, pg_write_all_data     every relation, and the schemas it is in
    pg_database_owner                       whoever owns the database at hand; nobody else is ever in it
    pg_monitor                              in the three that see settings, statistics and how full tables are
    pg_signal_backend, pg_checkpoint, ...   one command each; who runs it asks `rights.has_role`

They are rows like any other role's, or no rows at all in an environment that is older than they are
(`objects.built_in_objects`); nobody makes, alters, renames or drops one. OIDs are PostgreSQL's (manual, 22.5).
"""

from __future__ import annotations

from typing import Final

DEFAULT_OWNER: Final = "tidewire"

DATABASE_OWNER: Final = "pg_database_owner"
READ_ALL_DATA: Final = "pg_read_all_data"
WRITE_ALL_DATA: Final = "pg_write_all_data"
READ_ALL_SETTINGS: Final = "pg_read_all_settings"
READ_ALL_STATS: Final = "pg_read_all_stats"
SIGNAL_BACKEND: Final = "pg_signal_backend"
CHECKPOINT: Final = "pg_checkpoint"
READ_SERVER_FILES: Final = "pg_read_server_files"
WRITE_SERVER_FILES: Final = "pg_write_server_files"

OIDS: Final[dict[str, int]] = {
    DATABASE_OWNER: 6171,
    READ_ALL_DATA: 6181,
    WRITE_ALL_DATA: 6182,
    "pg_monitor": 3373,
    READ_ALL_SETTINGS: 3374,
    READ_ALL_STATS: 3375,
    "pg_stat_scan_tables": 3377,
    READ_SERVER_FILES: 4569,
    WRITE_SERVER_FILES: 4570,
    "pg_execute_server_program": 4571,
    SIGNAL_BACKEND: 4200,
    CHECKPOINT: 4544,
}
MEMBER_OF: Final[dict[str, tuple[str, ...]]] = {
    "pg_monitor": (READ_ALL_SETTINGS, READ_ALL_STATS, "pg_stat_scan_tables"),
}

EVERYWHERE: Final[dict[str, dict[str, frozenset[str]]]] = {
    READ_ALL_DATA: {
        "table": frozenset(("select",)),
        "sequence": frozenset(("select",)),
        "schema": frozenset(("usage",)),
    },
    WRITE_ALL_DATA: {
        "table": frozenset(("insert", "update", "delete")),
        "sequence": frozenset(("update",)),
        "schema": frozenset(("usage",)),
    },
}
"""What a role may do with every object of a kind."""
