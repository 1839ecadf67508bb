"""A server whose upkeep does in a second what takes another an hour: `python -m tests.server.hasty serve ...`.

Everything else is `tidewire`: the same command line, the same code, the same disk. With HASTY_ORPHANS set, blobs that
nothing names are collected after a second, too (not while work is going on, which may take that long to name them).
"""

from __future__ import annotations

import os
from functools import partial
from typing import Any

import storage.gc
import storage.shard.log
import tidewire.assembly
import txn.upkeep
from storage.compaction_jobs import CompactionLimits
from storage.gc import GcLimits
from storage.maintenance import Maintenance
from storage.shard.log import LogLimits
from tidewire.cli import app
from txn.limits import Limits


def hurry() -> None:
    """Shortens every period of the upkeep."""
    limits = partial(
        Limits,
        pass_s=0.05,
        apply_idle_s=0.1,
        apply_entries=15,
        rollup_entries=40,
        since_step_s=0.2,
        retention_s=0.2,
        oracle_window_us=20_000,
        beside_append_limit_s=0.0,  # however fast the disk is
        member_lease_s=3.0,
    )
    orphans_us = 1_000_000 if "HASTY_ORPHANS" in os.environ else 24 * 3600 * 1_000_000
    maintenance: Any = partial(
        Maintenance,
        compaction=CompactionLimits(inline_parts_max=3, fanout=2),
        collection=GcLimits(grace_us=100_000, orphan_age_us=orphans_us),
        orphans_every_us=500_000,
    )
    if "HASTY_ORPHANS" in os.environ:
        storage.gc.GcLimits = partial(GcLimits, grace_us=100_000, orphan_age_us=orphans_us)  # type: ignore[misc,assignment]
        txn.upkeep.STAGED_EVERY_US = 500_000
    tidewire.assembly.Limits = limits  # type: ignore[attr-defined,assignment,misc]
    txn.upkeep.Maintenance = maintenance  # type: ignore[attr-defined,misc]
    storage.shard.log.LogLimits = partial(LogLimits, rollup_entries=6)  # type: ignore[misc,assignment]


if __name__ == "__main__":
    hurry()
    app()
