"""The functions that ask the machine under the server: its files, its log, its configuration. So they run, as PL/pgSQL's do.

    pg_read_file, pg_read_binary_file, pg_stat_file, pg_ls_dir        what there is in and below the data directory, or anywhere
    pg_ls_waldir, pg_ls_logdir, pg_ls_tmpdir, and the slots'          for those who monitor
    pg_reload_conf                                                    reads access rules, passwords and certificates anew

Large objects have two more (`planner.catalog.large_objects`). Who may call them, GRANT says: nobody at first but superusers, and
members of pg_monitor those that list. They are run by `executor.session.server_files`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from planner.abc import Oid
from planner.catalog import running_functions
from planner.catalog.routine_objects import Function

_NAMES: Final = frozenset((
    "pg_read_file", "pg_read_file_old", "pg_read_binary_file", "pg_stat_file", "pg_ls_dir",
    "pg_ls_waldir", "pg_ls_logdir", "pg_ls_tmpdir", "pg_ls_archive_statusdir", "pg_ls_logicalmapdir", "pg_ls_logicalsnapdir",
    "pg_ls_replslotdir", "pg_reload_conf",
))  # fmt: skip


@lru_cache(maxsize=1)
def functions() -> Mapping[Oid, Function]:
    """By OID, as pg_proc has them."""
    return running_functions.of_names(_NAMES)


def named(name: str, schema: str) -> list[Function]:
    """Those that a call of this name may mean."""
    return running_functions.named(functions(), name, schema) if name in _NAMES else []


__all__ = ["functions", "named"]
