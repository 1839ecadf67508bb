"""What the server costs beside its work: memory for idle connections, and commits beside tables that nobody uses.

A connection that does nothing should cost next to nothing, and a commit should not care how many tables there are. So
the first is measured in kibibytes of the server's resident memory, and the second is the same INSERT before and after
a thousand tables were made: its own figure at ten tables is the peer that it has to equal.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Callable
from pathlib import Path

from bench.peers import Peer
from bench.workloads import Workload, _insert, _prepare_insert

IDLE_CONNECTIONS = 80
TABLES = 1_000


def resident_kib(pid: int) -> int:
    """Resident memory of a process, as Linux counts it."""
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found.group(1))


def _idle_connections(peer: Peer, seconds: float) -> float:
    assert peer.process is not None
    with contextlib.ExitStack() as stack:
        for _ in range(10):  # what the first connections bring into memory stays there for all
            stack.enter_context(peer.connect()).execute("SELECT 1")
        before = resident_kib(peer.process.pid)
        for _ in range(IDLE_CONNECTIONS):
            row = stack.enter_context(peer.connect()).execute("SELECT 1").fetchone()
            assert row == (1,)
        return max(0, resident_kib(peer.process.pid) - before) / IDLE_CONNECTIONS


def _beside_tables(tables: int) -> Callable[[Peer, float], float]:
    insert = _insert(1)

    def run(peer: Peer, seconds: float) -> float:
        with peer.connect() as conn:
            row = conn.execute("SELECT count(*) FROM pg_class WHERE relname LIKE 'bench_beside_%'").fetchone()
            assert row is not None
            for i in range(int(str(row[0])), tables):
                conn.execute(f"CREATE TABLE bench_beside_{i} (a int)")
        return insert(peer, seconds)

    return run


def workloads() -> list[Workload]:
    return [
        Workload(
            "resident memory per idle connection (at most 64)",
            "KiB",
            _idle_connections,
            lower_is_better=True,
            peers=("tidewire",),
        ),
        *(
            Workload(
                f"INSERT one row prepared c1 beside {tables} tables",
                "tps",
                _beside_tables(tables),
                _prepare_insert,
                "beside",
                1.0,
                quick=False,
            )
            for tables in (10, TABLES)
        ),
    ]
