"""Settings of PostgreSQL's planner, log and storage that mean nothing here: checked, shown, and without effect.

Tools read them, and some set them for a session. What would change an answer, or promise something, is not among them.
Names, defaults and bounds are those of PostgreSQL 15 (chapter 20 of its manual).
"""

from __future__ import annotations

from typing import Final

SWITCHES: Final[dict[str, str]] = {
    "debug_pretty_print": "on",
    "debug_print_parse": "off",
    "debug_print_plan": "off",
    "debug_print_rewritten": "off",
    "jit_dump_bitcode": "off",
    "jit_expressions": "on",
    "jit_tuple_deforming": "on",
    "log_duration": "off",
    "log_executor_stats": "off",
    "log_lock_waits": "off",
    "log_parser_stats": "off",
    "log_planner_stats": "off",
    "log_replication_commands": "off",
    "log_statement_stats": "off",
    "trace_sort": "off",
    "track_counts": "on",
    "track_io_timing": "off",
    "track_wal_io_timing": "off",
    "update_process_title": "on",
    "wal_init_zero": "on",
    "wal_recycle": "on",
}
"""bool: the default."""

NUMBERS: Final[dict[str, tuple[str, str, float, float, str]]] = {
    "backend_flush_after": ("int", "0", 0, 256, "8kB"),
    "client_connection_check_interval": ("int", "0", 0, 2147483647, "ms"),
    "commit_delay": ("int", "0", 0, 100000, ""),
    "commit_siblings": ("int", "5", 0, 1000, ""),
    "geqo_effort": ("int", "5", 1, 10, ""),
    "geqo_generations": ("int", "0", 0, 2147483647, ""),
    "geqo_pool_size": ("int", "0", 0, 2147483647, ""),
    "log_min_duration_sample": ("int", "-1", -1, 2147483647, "ms"),
    "log_parameter_max_length": ("int", "-1", -1, 1073741823, "B"),
    "log_parameter_max_length_on_error": ("int", "0", -1, 1073741823, "B"),
    "log_temp_files": ("int", "-1", -1, 2147483647, "kB"),
    "logical_decoding_work_mem": ("int", "65536", 64, 2147483647, "kB"),
    "maintenance_io_concurrency": ("int", "10", 0, 1000, ""),
    "vacuum_cost_limit": ("int", "200", 1, 10000, ""),
    "vacuum_cost_page_dirty": ("int", "20", 0, 10000, ""),
    "vacuum_cost_page_hit": ("int", "1", 0, 10000, ""),
    "vacuum_cost_page_miss": ("int", "2", 0, 10000, ""),
    "vacuum_failsafe_age": ("int", "1600000000", 0, 2100000000, ""),
    "vacuum_freeze_min_age": ("int", "50000000", 0, 1000000000, ""),
    "vacuum_freeze_table_age": ("int", "150000000", 0, 2000000000, ""),
    "vacuum_multixact_failsafe_age": ("int", "1600000000", 0, 2100000000, ""),
    "vacuum_multixact_freeze_min_age": ("int", "5000000", 0, 1000000000, ""),
    "vacuum_multixact_freeze_table_age": ("int", "150000000", 0, 2000000000, ""),
    "wal_sender_timeout": ("int", "60000", 0, 2147483647, "ms"),
    "wal_skip_threshold": ("int", "2048", 0, 2147483647, "kB"),
    "geqo_seed": ("real", "0", 0, 1, ""),
    "geqo_selection_bias": ("real", "2", 1.5, 2, ""),
    "log_statement_sample_rate": ("real", "1", 0, 1, ""),
    "log_transaction_sample_rate": ("real", "0", 0, 1, ""),
}
"""Kind, default, least, greatest, unit."""

CHOICES: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "compute_query_id": ("auto", ("auto", "regress", "on", "off")),
    "log_error_verbosity": ("default", ("terse", "default", "verbose")),
    "log_min_error_statement": (
        "error",
        (
            "debug5",
            "debug4",
            "debug3",
            "debug2",
            "debug1",
            "info",
            "notice",
            "warning",
            "error",
            "log",
            "fatal",
            "panic",
        ),
    ),
    "stats_fetch_consistency": ("cache", ("none", "cache", "snapshot")),
    "track_functions": ("none", ("none", "pl", "all")),
    "wal_compression": ("off", ("pglz", "lz4", "zstd", "on", "off")),
}
"""enum: the default, and what may be said."""
