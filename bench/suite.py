"""Every workload, in the order in which they run: small ones first, then what fills memory and disk."""

from __future__ import annotations

import fnmatch

from bench import (
    analytics,
    bulk,
    catalog,
    copying,
    definitions,
    first,
    footprint,
    isolation,
    pgbench,
    queues,
    scale,
    searches,
    shop,
    startup,
    statements,
    tpcc,
    ycsbt,
)
from bench.workload import Workload


def figures() -> list[Workload]:
    """All of them. Those of one group stand together, so that what they share is made once."""
    return [
        *pgbench.workloads(),
        *statements.workloads(),
        *shop.workloads(),
        *searches.workloads(),
        *queues.workloads(),
        *catalog.workloads(),
        *definitions.workloads(),
        *first.workloads(),
        *copying.workloads(),
        *bulk.workloads(),
        *startup.workloads(),
        *tpcc.workloads(),
        *analytics.workloads(),
        *ycsbt.workloads(),
        *scale.workloads(),
        *isolation.workloads(),
        *pgbench.large(),
        *footprint.workloads(),
    ]


def chosen(patterns: list[str], full: bool) -> list[Workload]:
    """The workloads whose names match any pattern; without patterns all that are quick (or all)."""
    everything = figures()
    if patterns:
        return [w for w in everything if any(fnmatch.fnmatch(w.name, f"*{p}*") for p in patterns)]
    return [w for w in everything if full or w.quick]
