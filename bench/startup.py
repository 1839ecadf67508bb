"""Seconds from starting the process on ten million rows in eight tables, until it says and does what it is for.

to the ready line           it accepts connections
to the first answer         a row by primary key, and it is the right one
to all tables counted       every row has been seen
"""

from __future__ import annotations

import time
from collections.abc import Callable

from bench.peers import Peer, start_tidewire, stop
from bench.workload import OURS, Workload, at_most

ROWS = 10_000_000
TABLES = 8
EACH = ROWS // TABLES


def _prepare(peer: Peer) -> None:
    with peer.connect() as conn:
        for i in range(TABLES):
            conn.execute(f"DROP TABLE IF EXISTS bench_restart_{i}")
            conn.execute(f"CREATE TABLE bench_restart_{i} (a bigint PRIMARY KEY, b int)")
            conn.execute(
                f"INSERT INTO bench_restart_{i} SELECT i, i % 1000 FROM generate_series(1, {EACH}) g(i)"
            )


def _until(what: str) -> Callable[[Peer, float], float]:
    def run(peer: Peer, seconds: float) -> float:
        assert peer.process is not None and peer.data_dir is not None
        stop(peer.process)
        start = time.perf_counter()
        peer.process = start_tidewire(peer.data_dir, peer.port)
        if what == "the ready line":
            return time.perf_counter() - start
        with peer.connect() as conn:
            point = conn.execute(f"SELECT b FROM bench_restart_{TABLES - 1} WHERE a = {EACH // 2}").fetchone()
            assert point == (EACH // 2 % 1000,), point
            if what == "the first answer":
                return time.perf_counter() - start
            for i in range(TABLES):
                counted = conn.execute(f"SELECT count(*), sum(a) FROM bench_restart_{i}").fetchone()
                assert counted == (EACH, EACH * (EACH + 1) // 2), (i, counted)
        return time.perf_counter() - start

    return run


def workloads() -> list[Workload]:
    return [
        Workload(
            f"start with 10M rows in {TABLES} tables, to {what}",
            "s",
            _until(what),
            _prepare,
            "restart",
            at_most(2.0) if what == "the first answer" else (),
            lower_is_better=True,
            peers=OURS,
            profiled="",
        )
        for what in ("the ready line", "the first answer", "all tables counted")
    ]
