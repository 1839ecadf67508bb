"""TPC-H at scale factor 1: the 22 queries through the wire, and beside them in bare DuckDB.

    peers     tidewire, postgres     tables loaded through COPY, answers compared to each other's
    note      the same queries over native tables of the DuckDB in the wheel, no server, no wire

Each round is the sum of the 22 queries' seconds, each query run once after a first pass that warms what a server
warms. The changed tables had a tenth of the line items and orders updated and a twentieth deleted before.
"""

from __future__ import annotations

import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import duckdb
import psycopg

from bench.peers import Peer
from bench.workloads import Workload
from tests.binding.tpch import DDL, QUERIES
from tests.tpch.data import TABLE_NAMES, answer, generated, load

SCALE = 1.0
CHANGES = (
    "UPDATE lineitem SET l_quantity = l_quantity + 1 WHERE l_orderkey % 10 = 3",
    "UPDATE orders SET o_totalprice = o_totalprice + 1 WHERE o_orderkey % 10 = 3",
    "DELETE FROM lineitem WHERE l_orderkey % 20 = 7",
)

_answers: dict[tuple[str, int], object] = {}
"""What the first peer answered, by state of the tables: the second one's must be the same."""


def _folder() -> Path:
    return generated(SCALE, Path(tempfile.gettempdir()))


def _prepare(peer: Peer) -> None:
    with peer.connect() as conn:
        load(conn, _folder())


def _prepare_changed(peer: Peer) -> None:
    _prepare(peer)
    with peer.connect() as conn:
        for change in CHANGES:
            conn.execute(change)
        if peer.name == "postgres":
            conn.execute("VACUUM ANALYZE")


def _queries(state: str) -> Callable[[Peer, float], float]:
    def run(peer: Peer, seconds: float) -> float:
        total = 0.0
        with peer.connect() as conn:
            for number in sorted(QUERIES):
                found = answer(conn, number)
                assert _answers.setdefault((state, number), found) == found, (peer.name, number)
            for number in sorted(QUERIES):
                start = time.perf_counter()
                conn.pgconn.exec_(QUERIES[number].encode())
                total += time.perf_counter() - start
        return total

    return run


def _load(peer: Peer, seconds: float) -> float:
    start = time.perf_counter()
    _prepare(peer)
    return time.perf_counter() - start


def bare_duckdb(threads: int = 1) -> float:
    """Seconds for the 22 queries over native tables of the same data, results fetched as Arrow."""
    con = duckdb.connect(config={"threads": threads})
    for statement in DDL.split(";"):
        con.execute(statement)
    for name in TABLE_NAMES:
        con.execute(f"INSERT INTO {name} SELECT * FROM read_csv('{_folder()}/{name}.csv', header = true)")
    total = 0.0
    for timed in (False, True):
        for number in sorted(QUERIES):
            start = time.perf_counter()
            con.sql(QUERIES[number]).to_arrow_table()
            if timed:
                total += time.perf_counter() - start
    con.close()
    return total


def _bare(peer: Peer, seconds: float) -> float:
    return bare_duckdb()


# --- point reads beside queries without end --------------------------------------------------------


def _latencies(peer: Peer, seconds: float, clients: int) -> list[float]:
    """Seconds of single-row updates by key, by several clients for a while."""
    found: list[float] = []
    end = time.perf_counter() + seconds

    def client(number: int) -> None:
        with psycopg.connect(peer.dsn, autocommit=True) as conn:
            n = number
            while (start := time.perf_counter()) < end:
                n = n * 7919 % 1_000_003
                conn.execute("UPDATE bench_point SET v = v + 1 WHERE k = %s", (n % 100_000,), prepare=True)
                found.append(time.perf_counter() - start)

    threads = [threading.Thread(target=client, args=(i + 1,)) for i in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return found


def _prepare_mixed(peer: Peer) -> None:
    _prepare(peer)
    with peer.connect() as conn:
        conn.execute("DROP TABLE IF EXISTS bench_point")
        conn.execute("CREATE TABLE bench_point (k int PRIMARY KEY, v int NOT NULL)")
        conn.execute("INSERT INTO bench_point SELECT i, 0 FROM generate_series(0, 99999) g(i)")


def _p99(latencies: list[float]) -> float:
    return statistics.quantiles(latencies, n=100)[98]


def _mixed(peer: Peer, seconds: float) -> float:
    """p99 of updates beside TPC-H, as a multiple of the p99 alone."""
    clients = 8
    alone = _p99(_latencies(peer, seconds, clients))
    over = threading.Event()
    done = [0]

    def analyst() -> None:
        with psycopg.connect(peer.dsn, autocommit=True) as conn:
            while not over.is_set():
                for number in sorted(QUERIES):
                    if not over.is_set():
                        result = conn.pgconn.exec_(QUERIES[number].encode())
                        assert result.status == psycopg.pq.ExecStatus.TUPLES_OK, result.error_message
                        done[0] += 1

    thread = threading.Thread(target=analyst)
    thread.start()
    try:
        beside = _p99(_latencies(peer, seconds, clients))
    finally:
        over.set()
        thread.join()
    assert done[0] > 0, "no query ended beside the updates"
    print(f"  {peer.name}: p99 {alone * 1e3:.2f} ms alone, {beside * 1e3:.2f} ms beside {done[0]} queries")
    return beside / alone


def workloads() -> list[Workload]:
    group = "tpch-1"
    return [
        Workload("TPC-H SF 1: tables loaded by COPY", "s", _load, lower_is_better=True, quick=False),
        Workload(
            "TPC-H SF 1: bare DuckDB", "s", _bare, lower_is_better=True, quick=False, peers=("tidewire",)
        ),
        Workload("TPC-H SF 1: 22 queries", "s", _queries("loaded"), _prepare, group, 10.0, True, quick=False),
        Workload(
            "TPC-H SF 1: 22 queries after changes",
            "s",
            _queries("changed"),
            _prepare_changed,
            "tpch-1-changed",
            None,
            True,
            quick=False,
        ),
        Workload(
            "updates beside TPC-H: p99 as a multiple of alone",
            "times",
            _mixed,
            _prepare_mixed,
            "tpch-1-mixed",
            None,
            True,
            quick=False,
        ),
    ]
