"""Every bound of this room, in one place, with its unit; and what can be observed while it runs.

All queues, memories and waits end somewhere. Zero never means unlimited, unless it says so.
"""

from __future__ import annotations

from dataclasses import dataclass

from storage.abc import Timestamp


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of an environment.

    Commits: `queue_max` members wait, `group_max` share an append, appends slower than
    `loop_append_limit_s` leave the loop, and from `beside_append_limit_s` on if others have use for it; lost answers are asked for during `resolve_limit_s`.
    A leader answers reads by itself for `lease_s` after the log has shown that it leads (0: something else
    makes sure that there is one leader, and nobody waits).
    A server of a shared environment is believed to be alive for `member_lease_s` without a sign, and looks at the log
    every `follow_poll_s` if nobody tells it that there is something.
    Upkeep: every `pass_s`; applies at `apply_entries` or `apply_bytes`, or when `apply_idle_s` were quiet;
    rolls up at `rollup_entries`; tells since every `since_step_s`.
    """

    queue_max: int = 20_000
    group_max: int = 4_096
    loop_append_limit_s: float = 0.0015
    beside_append_limit_s: float = 0.0005
    resolve_limit_s: float = 30.0
    lease_s: float = 0.0
    member_lease_s: float = 20.0
    follow_poll_s: float = 0.5
    oracle_window_us: int = 1_000_000
    rid_block: int = 1 << 16
    conflict_keys_max: int = 2_000_000
    locks_max: int = 4_000_000
    transactions_max: int = 100_000
    transaction_memory_max_bytes: int = 256 * 1024 * 1024
    retention_s: float = 3600.0
    hold_age_max_s: float = 86_400.0
    apply_entries: int = 8_192
    apply_bytes: int = 16 * 1024 * 1024
    apply_idle_s: float = 5.0
    rollup_entries: int = 8_192
    pass_s: float = 0.25
    since_step_s: float = 60.0


@dataclass(slots=True)
class Statistics:
    """Counters and gauges since the environment was opened."""

    epoch: int
    read_ts: Timestamp
    since: Timestamp
    rounds: int
    members: int
    refused: int
    append_s: float
    queued: int
    outstanding_commits: int
    outstanding_bytes: int
    applied_commits: int
    log_entries: int
    open_transactions: int
    holds: int
    locks: int
    lock_waiters: int
    conflict_keys: int
    failed_passes: int
