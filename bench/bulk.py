"""Statements that move many rows at once, every row made by the server itself.

    INSERT ... SELECT, CREATE TABLE AS    one million and ten million rows
    UPDATE, DELETE                        a million rows of a table that has as many more
    INSERT ... VALUES (1, 'a'), ...       a hundred thousand rows, a thousand in a statement, as clients write them

Each ends with a count and a sum over what it has written.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from bench.peers import Peer
from bench.workload import Workload, at_least

_SOURCE = "SELECT i AS a, (i % 1000)::int AS b, 'text ' || i % 100 AS c, i / 8.0::float8 AS d"


def _check(peer: Peer, sql: str, *expected: int) -> None:
    with peer.connect() as conn:
        row = conn.execute(sql).fetchone()
    assert row is not None
    found = tuple(int(str(v)) for v in row)
    assert found == expected, (peer.name, sql, found, expected)


def _timed(peer: Peer, sql: str) -> float:
    with peer.connect() as conn:
        start = time.perf_counter()
        conn.execute(sql)
        return time.perf_counter() - start


def _prepare_source(rows: int) -> Callable[[Peer], None]:
    def prepare(peer: Peer) -> None:
        with peer.connect() as conn:
            conn.execute("DROP TABLE IF EXISTS bench_source")
            conn.execute(
                f"CREATE TABLE bench_source AS {_SOURCE} FROM generate_series(1::bigint, {rows}) g(i)"
            )
        _check(peer, "SELECT count(*), sum(a) FROM bench_source", rows, rows * (rows + 1) // 2)

    return prepare


def _insert_select(rows: int, key: str) -> Callable[[Peer, float], float]:
    def run(peer: Peer, seconds: float) -> float:
        with peer.connect() as conn:
            conn.execute("DROP TABLE IF EXISTS bench_target")
            conn.execute(f"CREATE TABLE bench_target (a bigint {key}, b int, c text, d double precision)")
        took = _timed(peer, "INSERT INTO bench_target SELECT * FROM bench_source")
        _check(peer, "SELECT count(*), sum(a) FROM bench_target", rows, rows * (rows + 1) // 2)
        return rows / took

    return run


def _create_table_as(rows: int) -> Callable[[Peer, float], float]:
    def run(peer: Peer, seconds: float) -> float:
        with peer.connect() as conn:
            conn.execute("DROP TABLE IF EXISTS bench_target")
        took = _timed(peer, "CREATE TABLE bench_target AS SELECT * FROM bench_source")
        _check(peer, "SELECT count(*), sum(a) FROM bench_target", rows, rows * (rows + 1) // 2)
        return rows / took

    return run


def _change(sql: str, check: str, key: str, *expected: int) -> Callable[[Peer, float], float]:
    """Changes a million of two million rows; the table is made anew for each round."""

    def run(peer: Peer, seconds: float) -> float:
        with peer.connect() as conn:
            conn.execute("DROP TABLE IF EXISTS bench_changed")
            conn.execute(f"CREATE TABLE bench_changed (a bigint {key}, b int NOT NULL, c text)")
            conn.execute(
                "INSERT INTO bench_changed SELECT i, 0, 'text' FROM generate_series(1::bigint, 2000000) g(i)"
            )
        _check(peer, "SELECT count(*), sum(b) FROM bench_changed", 2_000_000, 0)
        took = _timed(peer, sql)
        _check(peer, check, *expected)
        return 1_000_000 / took

    return run


_UPDATE = "UPDATE bench_changed SET b = b + 1 WHERE a % 2 = 0"
_DELETE = "DELETE FROM bench_changed WHERE a % 2 = 0"


def _literals(key: str) -> Callable[[Peer, float], float]:
    """Values in the text of the statements: what dumps are made of, and clients that put them there."""
    statements = [
        "INSERT INTO bench_literals VALUES "
        + ", ".join(f"({i}, 'name {i}', {i % 97}.25, NULL)" for i in range(at, at + 1000))
        for at in range(1, 100_001, 1000)
    ]

    def run(peer: Peer, seconds: float) -> float:
        with peer.connect() as conn:
            conn.execute("DROP TABLE IF EXISTS bench_literals")
            conn.execute(f"CREATE TABLE bench_literals (a int {key}, b text, c numeric(9, 2), d date)")
            start = time.perf_counter()
            for statement in statements:
                conn.execute(statement)
            took = time.perf_counter() - start
        _check(peer, "SELECT count(*), sum(a), count(d) FROM bench_literals", 100_000, 5_000_050_000, 0)
        return 100_000 / took

    return run


def workloads() -> list[Workload]:
    found: list[Workload] = [
        Workload(f"INSERT of 1,000 rows of literals, {label}", "rows/s", _literals(key), quick=True)
        for label, key in (("no key", ""), ("primary key", "PRIMARY KEY"))
    ]
    for rows, quick in ((1_000_000, True), (10_000_000, False)):
        label = f"{rows // 1_000_000}M rows"
        group = f"source-{rows}"
        prepare = _prepare_source(rows)
        for key in ("", "PRIMARY KEY"):
            name = f"INSERT ... SELECT, {label}, {'primary key' if key else 'no key'}"
            found.append(
                Workload(
                    name,
                    "rows/s",
                    _insert_select(rows, key),
                    prepare,
                    group,
                    at_least(5.0),
                    quick=quick,
                    rounds=None if quick else 1,
                )
            )
        found.append(
            Workload(
                f"CREATE TABLE AS, {label}",
                "rows/s",
                _create_table_as(rows),
                prepare,
                group,
                at_least(5.0),
                quick=quick,
                rounds=None if quick else 1,
            )
        )
    for key in ("", "PRIMARY KEY"):
        kind = "primary key" if key else "no key"
        found.append(
            Workload(
                f"UPDATE of 1M of 2M rows, {kind}",
                "rows/s",
                _change(_UPDATE, "SELECT count(*), sum(b) FROM bench_changed", key, 2_000_000, 1_000_000),
                aims=at_least(5.0),
            )
        )
        found.append(
            Workload(
                f"DELETE of 1M of 2M rows, {kind}",
                "rows/s",
                _change(_DELETE, "SELECT count(*), sum(a % 2) FROM bench_changed", key, 1_000_000, 1_000_000),
                aims=at_least(5.0),
            )
        )
    return found
