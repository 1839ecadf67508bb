"""The settings that a session has: PostgreSQL 15's, and some of our own.

    name              what `SHOW` takes, matched without regard to case
    default           as PostgreSQL keeps it: a bare number in the setting's unit
    kind              bool, int, real, string, enum
    low, high         bounds of a number, in the setting's own unit
    unit              "", ms, s, min, B, kB, 8kB, MB: what a bare number means
    choices           of an enum
    context           "user", "superuser"; of all others SET says that they cannot be changed (55P02)

What PostgreSQL says of its settings are facts (`planner/catalog/system/facts/settings.tsv`); here is what is different.
A setting that means nothing here (`work_mem`, `enable_seqscan`, ...) is checked and shown: drivers and tools read and
set many of them, and none of them may change an answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from planner.catalog.system.relations import fact_lines
from planner.catalog.system.static import unescape

SERVER_VERSION = "15.0 (Tidewire 0.1.0)"
SERVER_VERSION_NUM = "150000"


@dataclass(frozen=True, slots=True)
class Guc:
    name: str
    default: str
    kind: str = "string"
    low: float = 0
    high: float = 0
    unit: str = ""
    choices: tuple[str, ...] = ()
    context: str = "user"
    category: str = "Customized Options"
    description: str = ""
    details: str = ""
    hidden: bool = False
    """SHOW knows it, lists do not have it."""


_INT_MAX = 2147483647
MESSAGE_LEVELS = ("debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error")
ISOLATION_LEVELS = (
    "strict serializable",
    "serializable",
    "repeatable read",
    "snapshot",
    "read committed",
    "read uncommitted",
)

_HERE: Final[dict[str, str]] = {
    "archive_command": "(disabled)",
    "client_encoding": "UTF8",
    "data_checksums": "on",  # parts carry them
    "data_directory_mode": "0700",
    "default_text_search_config": "pg_catalog.english",
    "default_transaction_isolation": "strict serializable",
    "dynamic_library_path": "",
    "huge_pages": "off",
    "jit": "off",
    "krb_server_keyfile": "",
    "lc_ctype": "C.UTF-8",
    "lc_messages": "C",
    "log_file_mode": "0600",
    "log_timezone": "UTC",
    "max_logical_replication_workers": "0",
    "max_replication_slots": "64",
    "max_slot_wal_keep_size": "8192",  # `slot_kept_bytes_max` of the configuration, where that says nothing else
    "max_stack_depth": "2048",
    "max_wal_senders": "64",
    "port": "5488",
    "restart_after_crash": "off",
    "server_encoding": "UTF8",
    "server_version": SERVER_VERSION,
    "server_version_num": SERVER_VERSION_NUM,
    "superuser_reserved_connections": "0",
    "timezone": "UTC",
    "timezone_abbreviations": "Default",
    "transaction_isolation": "strict serializable",
    "unix_socket_directories": "",
    "unix_socket_permissions": "0777",
    "wal_buffers": "512",
    "wal_level": "logical",
}
"""Values that are other ones here than those that PostgreSQL begins with, by lower-case name."""

NOT_FOR_EVERYBODY: Final = frozenset(
    [
        "config_file",
        "data_directory",
        "dynamic_library_path",
        "external_pid_file",
        "hba_file",
        "ident_file",
        "jit_provider",
        "krb_server_keyfile",
        "log_directory",
        "log_filename",
        "primary_conninfo",
        "session_preload_libraries",
        "shared_preload_libraries",
        "ssl_ciphers",
        "ssl_dh_params_file",
        "ssl_ecdh_curve",
        "ssl_max_protocol_version",
        "ssl_min_protocol_version",
        "ssl_passphrase_command",
        "unix_socket_directories",
    ]
)
"""What superusers see, and members of pg_read_all_settings."""

_CHOICES: Final[dict[str, tuple[str, ...]]] = {
    "default_transaction_isolation": ISOLATION_LEVELS,
    "transaction_isolation": ISOLATION_LEVELS,
}

_OWN: Final = (
    Guc("distributed_min_size", "10240", "int", 0, _INT_MAX, "MB", category="Tidewire",
        description="From this size on, auto asks the distributed engine."),
    Guc("execution_engine", "auto", "enum", choices=("auto", "keyed", "columnar", "distributed"), category="Tidewire",
        description="Which engine answers."),
    Guc("default_with_oids", "off", "bool", hidden=True, description="There are no tables with OIDs."),
    Guc("is_superuser", "on", "bool", context="internal", hidden=True, description="The user is a superuser."),
    Guc("pg_stat_statements.max", "5000", "int", 100, 1_073_741_823, context="postmaster", category="Customized Options",
        description="Sets the maximum number of statements tracked by pg_stat_statements."),
    Guc("pg_stat_statements.save", "off", "bool", context="sighup", category="Customized Options",
        description="Save pg_stat_statements statistics across server shutdowns."),
    Guc("pg_stat_statements.track", "top", "enum", choices=("none", "top", "all"), context="superuser",
        category="Customized Options", description="Selects which statements are tracked by pg_stat_statements."),
    Guc("pg_stat_statements.track_planning", "off", "bool", context="superuser", category="Customized Options",
        description="Selects whether planning duration is tracked by pg_stat_statements."),
    Guc("pg_stat_statements.track_utility", "on", "bool", context="superuser", category="Customized Options",
        description="Selects whether utility commands are tracked by pg_stat_statements."),
    Guc("role", "none", hidden=True, description="The current role."),
    Guc("session_authorization", "tidewire", hidden=True, description="The session's user."),
    Guc("tidewire.as_of", "", category="Tidewire", description="Transactions read the past at this time."),
    Guc("tidewire.isolation", "strict serializable", context="internal", category="Tidewire",
        description="Exact level of the current transaction."),
    Guc("transaction_timeout", "0", "int", 0, _INT_MAX, "ms", category="Client Connection Defaults / Statement Behavior",
        description="Sets the maximum allowed duration of any transaction within a session (not a prepared transaction)."),
)  # fmt: skip


def _facts() -> list[Guc]:
    lines = fact_lines("settings")
    next(lines)
    return [_guc(*("" if x == r"\N" else unescape(x) for x in fields)) for fields in lines]


def _guc(
    name: str, vartype: str, unit: str, context: str, low: str, high: str,
    choices: str, boot: str, category: str, description: str, details: str, _flags: str,
) -> Guc:  # fmt: skip
    key = name.lower()
    if key == "server_version_num":
        low = high = SERVER_VERSION_NUM
    return Guc(
        name,
        _HERE.get(key, boot),
        "int" if vartype == "integer" else vartype,
        float(low or 0),
        float(high or 0),
        unit,
        _CHOICES.get(key, tuple(choices.split(",")) if choices else ()),
        context,
        category,
        description,
        details,
    )


GUCS: dict[str, Guc] = {g.name.lower(): g for g in (*_facts(), *_OWN)}

UNSUPPORTED: dict[str, str] = {
    "array_nulls": "off",
    "backslash_quote": "off",
    "transform_null_equals": "on",
    "xmloption": "document",
}
"""What would change what a text means, and does not here."""

REPORTED: tuple[str, ...] = (
    "in_hot_standby",
    "integer_datetimes",
    "TimeZone",
    "IntervalStyle",
    "is_superuser",
    "application_name",
    "default_transaction_read_only",
    "session_authorization",
    "server_version",
    "standard_conforming_strings",
    "client_encoding",
    "server_encoding",
    "DateStyle",
)
"""The thirteen that a client is told at start-up, in no order that matters."""
assert {n.lower() for n in REPORTED} <= GUCS.keys()
