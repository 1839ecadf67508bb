"""What a commit costs beside more and more of everything that it has nothing to do with, and reads on several processes.

    tables       1 to 10,000 of them in the catalog                single-row INSERTs of eight clients
    history      up to a million commits of the same thousand rows
    snapshots    up to eighty transactions that have read and stay open
    processes    `serve --processes N`: point and range reads, as far as the machine has cores for both sides

Each is a curve; its figure is the last point over the first.
"""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.peers import Peer, free_port, start_tidewire, stop
from bench.pgbench import script_run
from bench.statements import insert, prepare_insert
from bench.workload import BOTH, OURS, Aim, Curve, Workload, at_most

TABLES = (1, 10, 100, 1_000, 10_000)
HISTORY = (1_000, 10_000, 100_000, 1_000_000)
SNAPSHOTS = (0, 1, 10, 80)  # PostgreSQL as it comes takes a hundred connections
PROCESSES = (1, 2, 3)
CLIENTS = 8
CREATED_AT_ONCE = 200


def _curve(x: str, points: list[tuple[float, float]]) -> Curve:
    return Curve(points[-1][1] / points[0][1], x, "microseconds a commit", {"": points})


def _beside_tables(peer: Peer, seconds: float) -> Curve:
    points = []
    for count in TABLES:
        with peer.connect() as conn:
            row = conn.execute("SELECT count(*) FROM pg_class WHERE relname LIKE 'bench_beside_%'").fetchone()
            assert row is not None
            there = int(str(row[0]))
            while there < count:
                with conn.transaction():
                    for i in range(there, min(count, there + CREATED_AT_ONCE)):
                        conn.execute(f"CREATE TABLE bench_beside_{i} (a int)")
                there = min(count, there + CREATED_AT_ONCE)
        points.append((float(count), 1e6 / insert(CLIENTS)(peer, seconds)))
    return _curve("tables", points)


def _prepare_history(peer: Peer) -> None:
    with peer.connect() as conn:
        conn.execute("DROP TABLE IF EXISTS bench_history")
        conn.execute("CREATE TABLE bench_history (id int PRIMARY KEY, n bigint NOT NULL)")
        conn.execute("INSERT INTO bench_history SELECT i, 0 FROM generate_series(1, 1000) g(i)")


_UPDATE = "\\set i random(1, 1000)\nUPDATE bench_history SET n = n + 1 WHERE id = :i;\n"


def _commits(peer: Peer) -> int:
    with peer.connect() as conn:
        row = conn.execute("SELECT sum(n) FROM bench_history").fetchone()
    assert row is not None
    return int(str(row[0]))


def _long_history(peer: Peer, seconds: float) -> Curve:
    """More commits than fit between two points are made by more clients: the point's own are by eight."""
    points = []
    longest = HISTORY if seconds >= 3 else HISTORY[:2]
    for count in longest:
        while (there := _commits(peer)) < count:
            script_run(32, _UPDATE)(peer, max(3.0, min(60.0, (count - there) / 20_000)))
        points.append((float(_commits(peer)), 1e6 / script_run(CLIENTS, _UPDATE)(peer, seconds)))
    return _curve("commits before", points)


def _beside_snapshots(peer: Peer, seconds: float) -> Curve:
    points = []
    with contextlib.ExitStack() as stack:
        opened = 0
        for count in SNAPSHOTS:
            while opened < count:
                conn = stack.enter_context(peer.connect())
                conn.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
                found = conn.execute("SELECT count(*) FROM bench_history").fetchone()
                assert found == (1000,), found
                opened += 1
            points.append((float(count), 1e6 / script_run(CLIENTS, _UPDATE)(peer, seconds)))
    return _curve("open snapshots", points)


# --- several processes -----------------------------------------------------------------------------

_HUNDRED = ", ".join(f":a + {7 * i}" for i in range(100))
_POINT = "\\set a random(1, 99000)\nSELECT v FROM bench_shared WHERE k = :a;\n"
_MANY = f"\\set a random(1, 99000)\nSELECT k, v FROM bench_shared WHERE k IN ({_HUNDRED});\n"


def _processes(peer: Peer, seconds: float) -> Curve:
    series: dict[str, list[tuple[float, float]]] = {"point reads": [], "IN of 100 keys": []}
    for count in PROCESSES:
        with tempfile.TemporaryDirectory(prefix="tidewire-bench-") as root:
            port = free_port()
            process = start_tidewire(Path(root) / "data", port, "--processes", str(count))
            several = Peer("tidewire", "127.0.0.1", port, "tidewire", "tidewire", process)
            try:
                with several.connect() as conn:
                    conn.execute("CREATE TABLE bench_shared (k int PRIMARY KEY, v int NOT NULL)")
                    conn.execute("INSERT INTO bench_shared SELECT i, i FROM generate_series(1, 100000) g(i)")
                for name, script in (("point reads", _POINT), ("IN of 100 keys", _MANY)):
                    script_run(16, script)(several, 1.0)  # every process has seen the table
                    series[name].append((float(count), script_run(16, script)(several, seconds)))
            finally:
                stop(process)
    best = max(rate for _, rate in series["IN of 100 keys"])
    return Curve(best / series["IN of 100 keys"][0][1], "processes", "statements per second", series)


def _scale(
    name: str,
    run: Callable[[Peer, float], Curve],
    prepare: Callable[[Peer], None],
    aims: tuple[Aim, ...],
    peers: tuple[str, ...] = BOTH,
) -> Workload:
    return Workload(
        name,
        "times",
        run,
        prepare,
        name,
        aims,
        lower_is_better=True,
        quick=False,
        peers=peers,
        profiled="",  # once more would only add to what has piled up
        rounds=1,
        time_limit_s=1800,
    )


def workloads() -> list[Workload]:
    return [
        _scale("a commit beside 10,000 tables, over one", _beside_tables, prepare_insert, at_most(1.25)),
        _scale("a commit after 1M commits, over 1,000", _long_history, _prepare_history, at_most(1.25), OURS),
        _scale(
            "a commit beside 80 open snapshots, over none",
            _beside_snapshots,
            _prepare_history,
            at_most(1.25),
        ),
        Workload(
            "IN of 100 keys c16 on the best number of processes, over one",
            "times",
            _processes,
            quick=False,
            peers=OURS,
            rounds=1,
        ),
    ]
