"""Use cases beside each other: what a victim's point statements take while others do something large.

    victim      one client: reads a row, writes a row, again and again; its latencies are the figure
    beside      nothing | large reads | large writes | frequent reads | frequent writes | a long transaction

A server isolates its use cases if the victim's 99th percentile hardly moves. On a machine of two cores those who
work beside the victim take its time as well as its locks, so compare with the row `alone`, and with the peer.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import psycopg

from bench.peers import Peer
from bench.workload import Workload

ROWS = 1_000_000
KEYS = 1_000
Beside = Callable[["psycopg.Connection[Any]", int], None]
"""One turn of the work beside the victim, on a connection of its own; the number counts the turns."""


def prepare(peer: Peer) -> None:
    """A large table that is worked on, and a small one of the victim's."""
    with peer.connect() as conn:
        conn.execute("DROP TABLE IF EXISTS victim, crowd, heap")
        conn.execute("CREATE TABLE victim (id int PRIMARY KEY, v int)")
        conn.execute(f"INSERT INTO victim SELECT i, 0 FROM generate_series(0, {KEYS - 1}) i")
        conn.execute("CREATE TABLE crowd (id int PRIMARY KEY, v int)")
        conn.execute(f"INSERT INTO crowd SELECT i, 0 FROM generate_series(0, {KEYS - 1}) i")
        conn.execute("CREATE TABLE heap (id int PRIMARY KEY, v int, s text)")
        conn.execute(f"INSERT INTO heap SELECT i, i % 1000, 'row ' || i FROM generate_series(1, {ROWS}) i")


def _alone(_conn: psycopg.Connection[Any], _turn: int) -> None:
    time.sleep(0.05)


def _large_reads(conn: psycopg.Connection[Any], _turn: int) -> None:
    row = conn.execute("SELECT count(*), count(DISTINCT v), max(s) FROM heap").fetchone()
    assert row is not None and row[:2] == (ROWS, 1000)


def _large_writes(conn: psycopg.Connection[Any], turn: int) -> None:
    changed = conn.execute("UPDATE heap SET v = (v + 1) %% 1000 WHERE id %% 2 = %s", (turn % 2,))
    assert changed.rowcount == ROWS // 2


def _frequent_reads(conn: psycopg.Connection[Any], turn: int) -> None:
    for i in range(100):
        conn.execute("SELECT s FROM heap WHERE id = %s", ((turn * 7919 + i * 104_729) % ROWS + 1,))


def _frequent_writes(conn: psycopg.Connection[Any], turn: int) -> None:
    for i in range(100):
        conn.execute("UPDATE crowd SET v = v + 1 WHERE id = %s", ((turn * 31 + i) % KEYS,))


def _long_transaction(conn: psycopg.Connection[Any], _turn: int) -> None:
    """Reads all, writes much, lies about, and changes its mind."""
    conn.execute("BEGIN")
    conn.execute("SELECT sum(v) FROM heap")
    conn.execute(f"INSERT INTO heap SELECT i + {ROWS}, 0, 'new' FROM generate_series(1, {ROWS // 4}) i")
    time.sleep(1)
    conn.execute("ROLLBACK")


BESIDE: dict[str, tuple[Beside, int]] = {
    "alone": (_alone, 1),
    "large reads": (_large_reads, 2),
    "large writes": (_large_writes, 1),
    "frequent reads": (_frequent_reads, 4),
    "frequent writes": (_frequent_writes, 4),
    "a long transaction": (_long_transaction, 1),
}
"""Who works beside the victim, and how many of them."""


def victim_latency(beside: str, percentile: int) -> Callable[[Peer, float], float]:
    """Milliseconds at that percentile of the victim's statements, half of them reads and half of them writes."""
    work, count = BESIDE[beside]

    def run(peer: Peer, seconds: float) -> float:
        over = threading.Event()
        failures: list[BaseException] = []

        def crowd() -> None:
            try:
                with peer.connect() as conn:
                    turn = 0
                    while not over.is_set():
                        work(conn, turn)
                        turn += 1
            except BaseException as error:  # noqa: BLE001 - the figure would be of something else
                failures.append(error)

        threads = [threading.Thread(target=crowd) for _ in range(count)]
        for thread in threads:
            thread.start()
        taken_s: list[float] = []
        try:
            with peer.connect() as conn:
                before = _sum(conn)
                end_s = time.perf_counter() + seconds
                writes = 0
                while time.perf_counter() < end_s:
                    key = (writes * 7919) % KEYS
                    begun_s = time.perf_counter()
                    conn.execute("SELECT v FROM victim WHERE id = %s", (key,))
                    between_s = time.perf_counter()
                    conn.execute("UPDATE victim SET v = v + 1 WHERE id = %s", (key,))
                    taken_s += [between_s - begun_s, time.perf_counter() - between_s]
                    writes += 1
                    time.sleep(0.001)
                assert _sum(conn) == before + writes, "the victim's writes are all there"
        finally:
            over.set()
            for thread in threads:
                thread.join()
        if failures:
            raise failures[0]
        taken_s.sort()
        return taken_s[min(len(taken_s) - 1, len(taken_s) * percentile // 100)] * 1000

    return run


def _sum(conn: psycopg.Connection[Any]) -> int:
    row = conn.execute("SELECT sum(v) FROM victim").fetchone()
    assert row is not None
    return int(row[0])


def workloads() -> list[Workload]:
    return [
        Workload(
            f"victim's p{percentile} beside {name}" if name != "alone" else f"victim's p{percentile}, alone",
            "ms",
            victim_latency(name, percentile),
            prepare,
            "isolation",
            lower_is_better=True,
            quick=False,
        )
        for name in BESIDE
        for percentile in (50, 99)
    ]
