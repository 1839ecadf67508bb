"""Single statements of many clients: inserts, one hot row, connections, and reads of a few rows by an index."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable

import psycopg

from bench.peers import Peer
from bench.pgbench import pgbench, script_run, transactions
from bench.workload import Workload, at_least

INSERT_AIMS = {1: 1.0, 8: 1.0, 32: 1.5, 64: 2.0}


# --- writes --------------------------------------------------------------------------------------


def prepare_insert(peer: Peer) -> None:
    with peer.connect() as conn:
        conn.execute("DROP TABLE IF EXISTS bench_insert")
        conn.execute("CREATE TABLE bench_insert (a int, b bigint, c text)")


def insert(clients: int) -> Callable[[Peer, float], float]:
    return script_run(
        clients,
        "\\set a random(1, 1000000)\nINSERT INTO bench_insert (a, b, c) VALUES (:a, 17, 'a few words');\n",
    )


def _prepare_hot(peer: Peer) -> None:
    with peer.connect() as conn:
        conn.execute("DROP TABLE IF EXISTS bench_hot")
        conn.execute("CREATE TABLE bench_hot (id int PRIMARY KEY, n bigint NOT NULL)")
        conn.execute("INSERT INTO bench_hot VALUES (1, 0)")


def _hot(clients: int) -> Callable[[Peer, float], float]:
    """Every increment that was acknowledged is there, and no other."""

    def count(peer: Peer) -> int:
        with peer.connect() as conn:
            row = conn.execute("SELECT n FROM bench_hot WHERE id = 1").fetchone()
        assert row is not None
        return int(str(row[0]))

    def run(peer: Peer, seconds: float) -> float:
        before = count(peer)
        with tempfile.NamedTemporaryFile("w", suffix=".sql", prefix="tidewire-bench-") as file:
            file.write("UPDATE bench_hot SET n = n + 1 WHERE id = 1;\n")
            file.flush()
            length = str(max(1, round(seconds)))
            out = pgbench(peer, "-n", "-M", "prepared", "-c", str(clients), "-T", length, "-f", file.name)
        tps, done, _ = transactions(out)
        if count(peer) - before != done:
            raise AssertionError(f"{peer.name}: {count(peer) - before} increments for {done} acknowledged")
        return tps

    return run


def _connections(peer: Peer, seconds: float) -> float:
    n, start = 0, time.perf_counter()
    while time.perf_counter() < start + seconds:
        with psycopg.connect(peer.dsn, autocommit=True) as conn:
            assert conn.execute("SELECT 1").fetchone() == (1,)
        n += 1
    return n / (time.perf_counter() - start)


# --- reads by an index -----------------------------------------------------------------------------

ROWS = 1_000_000


def _prepare_indexed(peer: Peer) -> None:
    with peer.connect() as conn:
        conn.execute("DROP TABLE IF EXISTS bench_indexed")
        conn.execute("CREATE TABLE bench_indexed (a int PRIMARY KEY, b int, u text UNIQUE, c text)")
        conn.execute(
            "INSERT INTO bench_indexed SELECT i, i % 1000, 'key ' || i, 'some text'"
            f" FROM generate_series(1, {ROWS}) g(i)"
        )
        conn.execute("CREATE INDEX ON bench_indexed (b)")
        conn.execute("ANALYZE bench_indexed")
        found = conn.execute("SELECT count(*), sum(a) FROM bench_indexed").fetchone()
    assert found == (ROWS, ROWS * (ROWS + 1) // 2), (peer.name, found)


_HUNDRED = ", ".join(f":a + {7 * i}" for i in range(100))
_READS = {
    "range of 100 by primary key": ("a, b, c", "a BETWEEN :a AND :a + 99", 100),
    "IN of 100 keys": ("a, b, c", f"a IN ({_HUNDRED})", 100),
    "unique secondary key": ("a, b, c", "u = 'key ' || :a", 1),
    "secondary index, 1000 rows of 1M": ("count(*), sum(a)", "b = :b", 1),
}


def _checked_read(clients: int, columns: str, condition: str, count: int) -> Callable[[Peer, float], float]:
    sql = f"SELECT {columns} FROM bench_indexed WHERE {condition}"
    measure = script_run(clients, f"\\set a random(1, 990000)\n\\set b random(0, 999)\n{sql};\n")

    def run(peer: Peer, seconds: float) -> float:
        with peer.connect() as conn:
            for a, b in ((1, 0), (7919, 17), (990_000, 999)):
                rows = conn.execute(sql.replace(":a", str(a)).replace(":b", str(b))).fetchall()
                assert len(rows) == count, (peer.name, sql, len(rows))
                if columns.startswith("count"):
                    # b, b + 1000, b + 2000, ... up to the last row
                    first = b or 1000
                    expected = (1000, sum(range(first, ROWS + 1, 1000)))
                    assert rows[0] == expected, (peer.name, rows, expected)
                else:
                    assert all(r[1] == int(str(r[0])) % 1000 for r in rows), (peer.name, rows)
        return measure(peer, seconds)

    return run


def workloads() -> list[Workload]:
    found = [
        Workload(
            f"INSERT one row prepared c{clients}",
            "tps",
            insert(clients),
            prepare_insert,
            f"insert-{clients}",
            at_least(aim),
            quick=clients != 64,
        )
        for clients, aim in INSERT_AIMS.items()
    ]
    found.append(Workload("UPDATE one hot row c32", "tps", _hot(32), _prepare_hot, "hot", at_least(3.0)))
    found.append(Workload("new connection for each query", "per s", _connections, aims=at_least(5.0)))
    for name, (columns, condition, count) in _READS.items():
        for clients in (1, 8):
            found.append(
                Workload(
                    f"{name} c{clients}",
                    "tps",
                    _checked_read(clients, columns, condition, count),
                    _prepare_indexed,
                    "indexed",
                    at_least(1.0),
                    quick=clients == 8,
                )
            )
    return found
