"""A queue of jobs in a table, as job queues keep one: put one, fetch one that nobody works at, complete it.

    INSERT              the job, its state a label
    UPDATE ... (SELECT ... FOR UPDATE SKIP LOCKED LIMIT 1)         the first that is free
    WITH gone AS (DELETE ...) INSERT INTO done SELECT ... FROM gone

A job that two had fetched would be completed twice, which is an error (`done` has a key); one that was lost would be missing.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable

from bench.peers import Peer
from bench.pgbench import pgbench, transactions
from bench.workload import Workload, at_least

STANDING = 1_000
"""Jobs that wait all the time."""

_SCRIPT = """
INSERT INTO bench_jobs (queue, payload) VALUES ('mail', 'a few words');
WITH next AS (SELECT id FROM bench_jobs WHERE queue = 'mail' AND state < 'active' ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) \
UPDATE bench_jobs j SET state = 'active', attempts = attempts + 1 FROM next WHERE j.id = next.id RETURNING j.id \\gset
WITH gone AS (DELETE FROM bench_jobs WHERE id = :id AND state = 'active' RETURNING id, queue) \
INSERT INTO bench_done (job, queue) SELECT id, queue FROM gone;
"""


def _prepare(peer: Peer) -> None:
    with peer.connect() as conn:
        conn.execute("DROP TABLE IF EXISTS bench_jobs, bench_done")
        conn.execute("DROP TYPE IF EXISTS bench_state")
        conn.execute("CREATE TYPE bench_state AS ENUM ('created', 'retry', 'active', 'completed')")
        conn.execute(
            "CREATE TABLE bench_jobs (id bigserial PRIMARY KEY, queue text NOT NULL, state bench_state NOT NULL"
            " DEFAULT 'created', attempts int NOT NULL DEFAULT 0, payload text, at timestamptz DEFAULT now())"
        )
        conn.execute("CREATE INDEX ON bench_jobs (queue, id)")
        conn.execute(
            "CREATE TABLE bench_done (job bigint PRIMARY KEY, queue text, at timestamptz DEFAULT now())"
        )
        conn.execute(
            f"INSERT INTO bench_jobs (queue, payload) SELECT 'mail', 'words' FROM generate_series(1, {STANDING})"
        )
        conn.execute("ANALYZE bench_jobs")


def _fetched(clients: int) -> Callable[[Peer, float], float]:
    def counted(peer: Peer) -> tuple[object, ...]:
        with peer.connect() as conn:
            return tuple(
                conn.execute(f"SELECT count(*) FROM {table}".encode()).fetchall()[0][0]
                for table in ("bench_done", "bench_jobs")
            )

    def run(peer: Peer, seconds: float) -> float:
        before = int(str(counted(peer)[0]))
        with tempfile.NamedTemporaryFile("w", suffix=".sql", prefix="tidewire-bench-") as file:
            file.write(_SCRIPT)
            file.flush()
            length = str(max(1, round(seconds)))
            out = pgbench(peer, "-n", "-M", "prepared", "-c", str(clients), "-T", length, "-f", file.name)
        tps, done, _ = transactions(out)
        if counted(peer) != (before + done, STANDING):
            raise AssertionError(f"{peer.name}: {counted(peer)} after {before} and {done} jobs")
        return tps

    return run


def workloads() -> list[Workload]:
    return [
        Workload(
            "job queue: fetch and complete c8",
            "jobs/s",
            _fetched(8),
            _prepare,
            "queue",
            at_least(1.0),
        )
    ]
