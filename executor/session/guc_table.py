"""The settings that a session has: one typed row each, in the order of their names.

    name              what `SHOW` takes, matched without regard to case
    default           as PostgreSQL prints it
    kind              bool, int, real, string, enum
    low, high         bounds of a number, in the setting's own unit
    unit              "", ms, s, min, B, kB, 8kB, MB: what a bare number means
    choices           of an enum
    report            its changes are told to the client as ParameterStatus
    context           "user", or "internal"/"postmaster"/"backend": SET answers 55P02

A setting that means nothing here (`work_mem`, `enable_seqscan`, ...) is accepted, checked and shown:
drivers and tools set many of them, and none of them may change an answer.
"""

from __future__ import annotations

from dataclasses import dataclass

from executor.session import guc_accepted

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
    report: bool = False
    context: str = "user"
    description: str = ""


_INT_MAX = 2147483647
_BOOL_ENUM = ("on", "off")


def _bool(name: str, default: str, description: str, *, report: bool = False, context: str = "user") -> Guc:
    return Guc(name, default, "bool", report=report, context=context, description=description)


def _int(
    name: str,
    default: str,
    low: float,
    high: float,
    unit: str,
    description: str,
    context: str = "user",
) -> Guc:
    return Guc(name, default, "int", low, high, unit, context=context, description=description)


def _real(name: str, default: str, low: float, high: float, unit: str, description: str) -> Guc:
    return Guc(name, default, "real", low, high, unit, description=description)


def _enum(
    name: str, default: str, choices: tuple[str, ...], description: str, *, report: bool = False
) -> Guc:
    return Guc(name, default, "enum", choices=choices, report=report, description=description)


def _text(name: str, default: str, description: str, *, report: bool = False, context: str = "user") -> Guc:
    return Guc(name, default, "string", report=report, context=context, description=description)


def _planner_switches() -> list[Guc]:
    names = [
        "async_append",
        "bitmapscan",
        "gathermerge",
        "hashagg",
        "hashjoin",
        "incremental_sort",
        "indexonlyscan",
        "indexscan",
        "material",
        "memoize",
        "mergejoin",
        "nestloop",
        "parallel_append",
        "parallel_hash",
        "partition_pruning",
        "partitionwise_aggregate",
        "partitionwise_join",
        "seqscan",
        "sort",
        "tidscan",
    ]
    off = {"partitionwise_aggregate", "partitionwise_join"}
    return [_bool(f"enable_{n}", "off" if n in off else "on", "Accepted; changes no plan.") for n in names]


def _accepted() -> list[Guc]:
    told = "Accepted."
    return [
        *(_bool(name, default, told) for name, default in guc_accepted.SWITCHES.items()),
        *(
            Guc(name, default, kind, low, high, unit, description=told)
            for name, (kind, default, low, high, unit) in guc_accepted.NUMBERS.items()
        ),
        *(_enum(name, default, choices, told) for name, (default, choices) in guc_accepted.CHOICES.items()),
    ]


MESSAGE_LEVELS = ("debug5", "debug4", "debug3", "debug2", "debug1", "log", "notice", "warning", "error")
ISOLATION_LEVELS = (
    "strict serializable",
    "serializable",
    "repeatable read",
    "snapshot",
    "read committed",
    "read uncommitted",
)

GUCS: dict[str, Guc] = {
    g.name.lower(): g
    for g in (
        _text("application_name", "", "Name of the client program.", report=True),
        _bool("allow_system_table_mods", "off", "Accepted; the system tables stay read-only."),
        _bool("array_nulls", "on", "Input of NULL elements in arrays."),
        _int("autovacuum", "1", 0, 1, "", "There is no vacuum.", context="postmaster"),
        _enum("backslash_quote", "safe_encoding", ("safe_encoding", "on", "off"), "Accepted."),
        _int("block_size", "8192", 8192, 8192, "", "As PostgreSQL's.", context="internal"),
        _enum("bytea_output", "hex", ("escape", "hex"), "Output format of bytea."),
        _bool("check_function_bodies", "on", "Accepted."),
        _text("client_encoding", "UTF8", "Sets the client's character set encoding.", report=True),
        _enum("client_min_messages", "notice", MESSAGE_LEVELS, "Least level of notices sent."),
        _text("cluster_name", "", "Name of the cluster.", context="postmaster"),
        _enum("constraint_exclusion", "partition", ("partition", "on", "off"), "Accepted; changes no plan."),
        _real("cpu_index_tuple_cost", "0.005", 0, 1e300, "", "Accepted."),
        _real("cpu_operator_cost", "0.0025", 0, 1e300, "", "Accepted."),
        _real("cpu_tuple_cost", "0.01", 0, 1e300, "", "Accepted."),
        _real("cursor_tuple_fraction", "0.1", 0, 1, "", "Accepted."),
        _bool("data_checksums", "on", "Parts carry checksums.", context="internal"),
        _text("DateStyle", "ISO, MDY", "Output and input style of dates.", report=True),
        _int("deadlock_timeout", "1000", 1, _INT_MAX, "ms", "Deadlocks are found at once."),
        _int("default_statistics_target", "100", 1, 10000, "", "Accepted."),
        _text("default_table_access_method", "heap", "Accepted."),
        _text("default_tablespace", "", "Accepted."),
        _text("default_text_search_config", "pg_catalog.english", "Accepted."),
        _text("default_toast_compression", "pglz", "Accepted."),
        _bool("default_transaction_deferrable", "off", "Default of new transactions."),
        _enum("default_transaction_isolation", "strict serializable", ISOLATION_LEVELS, "Default level."),
        _bool("default_transaction_read_only", "off", "Default of new transactions.", report=True),
        _int(
            "distributed_min_size",
            "10240",
            0,
            _INT_MAX,
            "MB",
            "From this size on, auto asks the distributed engine.",
        ),
        _bool("escape_string_warning", "on", "Accepted."),
        _enum(
            "execution_engine", "auto", ("auto", "keyed", "columnar", "distributed"), "Which engine answers."
        ),
        _int("effective_cache_size", "524288", 1, _INT_MAX, "8kB", "Accepted."),
        _int("effective_io_concurrency", "1", 0, 1000, "", "Accepted."),
        _bool("exit_on_error", "off", "Ends the session on any error."),
        _int("extra_float_digits", "1", -15, 3, "", "Digits of floats in text."),
        _enum("force_parallel_mode", "off", ("off", "on", "regress"), "Accepted."),
        _int("from_collapse_limit", "8", 1, _INT_MAX, "", "Accepted."),
        _bool("fsync", "on", "Commits are durable.", context="postmaster"),
        _bool("full_page_writes", "on", "Accepted.", context="postmaster"),
        _bool("geqo", "on", "Accepted."),
        _int("geqo_threshold", "12", 2, _INT_MAX, "", "Accepted."),
        _real("hash_mem_multiplier", "2", 1, 1000, "", "Accepted."),
        _int("gin_fuzzy_search_limit", "0", 0, _INT_MAX, "", "Accepted."),
        _int("gin_pending_list_limit", "4096", 64, _INT_MAX, "kB", "Accepted."),
        _int("idle_in_transaction_session_timeout", "0", 0, _INT_MAX, "ms", "Ends idle transactions."),
        _int("idle_session_timeout", "0", 0, _INT_MAX, "ms", "Ends idle sessions."),
        _bool("in_hot_standby", "off", "This server takes writes.", report=True, context="internal"),
        _bool("integer_datetimes", "on", "Times are integers.", report=True, context="internal"),
        _enum(
            "IntervalStyle",
            "postgres",
            ("postgres", "postgres_verbose", "sql_standard", "iso_8601"),
            "Output style of intervals.",
            report=True,
        ),
        _bool("is_superuser", "on", "The user is a superuser.", report=True, context="internal"),
        _bool("jit", "off", "Accepted."),
        _real("jit_above_cost", "100000", -1, 1e300, "", "Accepted."),
        _real("jit_inline_above_cost", "500000", -1, 1e300, "", "Accepted."),
        _real("jit_optimize_above_cost", "500000", -1, 1e300, "", "Accepted."),
        _int("join_collapse_limit", "8", 1, _INT_MAX, "", "Accepted."),
        _text("lc_collate", "C", "Collation order.", context="internal"),
        _text("lc_ctype", "C.UTF-8", "Character classes.", context="internal"),
        _text("lc_messages", "C", "Language of messages."),
        _text("lc_monetary", "C", "Accepted."),
        _text("lc_numeric", "C", "Accepted."),
        _text("lc_time", "C", "Accepted."),
        _bool("lo_compat_privileges", "off", "Accepted."),
        _int("lock_timeout", "0", 0, _INT_MAX, "ms", "Longest wait for a lock; 0 waits for ever."),
        _int("log_min_duration_statement", "-1", -1, _INT_MAX, "ms", "Accepted."),
        _enum("log_min_messages", "warning", (*MESSAGE_LEVELS, "fatal", "panic"), "Accepted."),
        _enum("log_statement", "none", ("none", "ddl", "mod", "all"), "Accepted."),
        _int("maintenance_work_mem", "65536", 1024, _INT_MAX, "kB", "Accepted."),
        _int("max_connections", "100", 1, 262143, "", "Sessions at once.", context="postmaster"),
        _int("max_function_args", "100", 100, 100, "", "As PostgreSQL's.", context="internal"),
        _int("max_identifier_length", "63", 63, 63, "", "Bytes of a name.", context="internal"),
        _int("max_index_keys", "32", 32, 32, "", "As PostgreSQL's.", context="internal"),
        _int("max_locks_per_transaction", "64", 10, _INT_MAX, "", "Accepted.", context="postmaster"),
        _int("max_parallel_maintenance_workers", "2", 0, 1024, "", "Accepted."),
        _int("max_parallel_workers", "8", 0, 1024, "", "Accepted."),
        _int("max_parallel_workers_per_gather", "2", 0, 1024, "", "Accepted."),
        _int(
            "max_prepared_transactions", "0", 0, 262143, "", "Two-phase commit is off.", context="postmaster"
        ),
        _int("max_stack_depth", "2048", 100, _INT_MAX, "kB", "Accepted."),
        _int("max_wal_senders", "0", 0, 262143, "", "No replication protocol.", context="postmaster"),
        _int("min_parallel_index_scan_size", "64", 0, 715827882, "8kB", "Accepted."),
        _int("min_parallel_table_scan_size", "1024", 0, 715827882, "8kB", "Accepted."),
        _bool("parallel_leader_participation", "on", "Accepted."),
        _real("parallel_setup_cost", "1000", 0, 1e300, "", "Accepted."),
        _real("parallel_tuple_cost", "0.1", 0, 1e300, "", "Accepted."),
        _enum("password_encryption", "scram-sha-256", ("md5", "scram-sha-256"), "How passwords are kept."),
        _enum("plan_cache_mode", "auto", ("auto", "force_generic_plan", "force_custom_plan"), "Accepted."),
        _int("port", "5488", 1, 65535, "", "Where the server listens.", context="postmaster"),
        _bool("quote_all_identifiers", "off", "Accepted."),
        _real("random_page_cost", "4", 0, 1e300, "", "Accepted."),
        _real("recursive_worktable_factor", "10", 0.001, 1e6, "", "Accepted."),
        _text("role", "none", "The current role."),
        _bool("row_security", "on", "Accepted."),
        _text("search_path", '"$user", public', "Where unqualified names are looked up."),
        _real("seq_page_cost", "1", 0, 1e300, "", "Accepted."),
        _text("server_encoding", "UTF8", "Encoding of the database.", report=True, context="internal"),
        _text("server_version", SERVER_VERSION, "The version.", report=True, context="internal"),
        _int("server_version_num", SERVER_VERSION_NUM, 0, 999999, "", "The version.", context="internal"),
        _text("session_authorization", "tidewire", "The session's user.", report=True),
        _text("session_preload_libraries", "", "Accepted.", context="postmaster"),
        _enum("session_replication_role", "origin", ("origin", "replica", "local"), "Accepted."),
        _text("shared_buffers", "128MB", "Accepted.", context="postmaster"),
        _text("shared_preload_libraries", "", "None.", context="postmaster"),
        _bool("ssl", "off", "TLS.", context="postmaster"),
        _bool("standard_conforming_strings", "on", "Backslashes are plain.", report=True),
        _int("statement_timeout", "0", 0, _INT_MAX, "ms", "Longest statement; 0 is no limit."),
        _enum(
            "synchronous_commit",
            "on",
            ("on", "off", "local", "remote_write", "remote_apply"),
            "Commits are always durable.",
        ),
        _bool("synchronize_seqscans", "on", "Accepted."),
        _int("tcp_keepalives_count", "0", 0, _INT_MAX, "", "Accepted."),
        _int("tcp_keepalives_idle", "0", 0, _INT_MAX, "s", "Accepted."),
        _int("tcp_keepalives_interval", "0", 0, _INT_MAX, "s", "Accepted."),
        _int("tcp_user_timeout", "0", 0, _INT_MAX, "ms", "Accepted."),
        _int("temp_buffers", "1024", 100, 1073741823, "8kB", "Accepted."),
        _text("temp_tablespaces", "", "Accepted."),
        _text("TimeZone", "UTC", "The session's time zone.", report=True),
        _text("timezone_abbreviations", "Default", "Accepted."),
        _text("tidewire.as_of", "", "Transactions read the past at this time."),
        _text(
            "tidewire.isolation",
            "strict serializable",
            "Exact level of the current transaction.",
            context="internal",
        ),
        _bool("trace_notify", "off", "Accepted."),
        _bool("track_activities", "on", "Accepted."),
        _bool("transaction_deferrable", "off", "Of the current transaction."),
        _enum(
            "transaction_isolation", "strict serializable", ISOLATION_LEVELS, "Of the current transaction."
        ),
        _bool("transaction_read_only", "off", "Of the current transaction."),
        _int("transaction_timeout", "0", 0, _INT_MAX, "ms", "Longest transaction; 0 is no limit."),
        _bool("transform_null_equals", "off", "x = NULL is never true."),
        _text("vacuum_cost_delay", "0", "Accepted."),
        _int("wal_buffers", "512", 0, _INT_MAX, "8kB", "Accepted.", context="postmaster"),
        _enum("wal_level", "replica", ("minimal", "replica", "logical"), "Accepted."),
        _int("wal_segment_size", "16777216", 1, _INT_MAX, "B", "Accepted.", context="internal"),
        _int("work_mem", "4096", 64, _INT_MAX, "kB", "Accepted."),
        _enum("xmlbinary", "base64", ("base64", "hex"), "Accepted."),
        _enum("xmloption", "content", ("content", "document"), "Accepted."),
        _bool("zero_damaged_pages", "off", "Accepted."),
        *_planner_switches(),
        *_accepted(),
    )
}

UNSUPPORTED: dict[str, str] = {
    "array_nulls": "off",
    "standard_conforming_strings": "off",
    "transform_null_equals": "on",
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
assert {n.lower() for n in REPORTED} == {k for k, g in GUCS.items() if g.report}
