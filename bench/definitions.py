"""Statements that define things, as test-suites and migrations run them by the thousand: with 10 and with 2,000 other tables in
the database, for what a definition costs should not depend on them.

Each is one statement and what undoes it; "then asked" is what comes after: the first question to the table, and to the catalog.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from bench.peers import Peer
from bench.workload import Workload, at_least

_COLUMNS = (
    "SELECT a.attname, format_type(a.atttypid, a.atttypmod) FROM pg_attribute a WHERE a.attrelid = 'bench_ddl.y'::regclass"
    " AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum"
)
_Y = "CREATE TABLE y (id int PRIMARY KEY, a text NOT NULL, b numeric(10,2))"

STATEMENTS: dict[str, Sequence[str]] = {
    "create and drop table": (_Y, "DROP TABLE y"),
    "add column": ("ALTER TABLE t{n} ADD COLUMN b int",),
    "create index": ("CREATE INDEX i ON t0 (a)", "DROP INDEX i"),
    "create function": (
        "CREATE FUNCTION f(x int) RETURNS int LANGUAGE sql AS 'SELECT x + 1'",
        "DROP FUNCTION f(int)",
    ),
    "create and drop schema": ("CREATE SCHEMA bench_ddl_s", "DROP SCHEMA bench_ddl_s"),
    "savepoint and create": (
        "BEGIN",
        "SAVEPOINT s",
        _Y,
        "INSERT INTO y VALUES (1, 'a', 2)",
        "ROLLBACK TO s",
        "COMMIT",
    ),
    "create table, then asked": (_Y, "SELECT * FROM t0 WHERE id = 1", _COLUMNS, "DROP TABLE y"),
}


def _prepare(tables: int) -> Callable[[Peer], None]:
    def prepare(peer: Peer) -> None:
        with peer.connect() as conn:
            conn.execute("DROP SCHEMA IF EXISTS bench_ddl CASCADE")
            conn.execute("CREATE SCHEMA bench_ddl")
            conn.execute("SET search_path = bench_ddl")
            conn.execute("CREATE TABLE t0 (id int PRIMARY KEY, a text)")
            conn.execute("INSERT INTO t0 VALUES (1, 'one')")
            for i in range(1, tables):
                conn.execute(f"CREATE TABLE t{i} (id int PRIMARY KEY, a text)")

    return prepare


def _run(name: str, tables: int) -> Callable[[Peer, float], float]:
    def run(peer: Peer, seconds: float) -> float:
        with peer.connect() as conn:
            conn.execute("SET search_path = bench_ddl")

            def known() -> list[tuple[object, ...]]:
                return list(
                    conn.execute(
                        "SELECT relkind, count(*) FROM pg_class WHERE relnamespace = 'bench_ddl'::regnamespace GROUP BY 1 ORDER BY 1"
                    ).fetchall()
                )

            before, n, took = known(), 0, 0.0
            while took < seconds:
                adds = name == "add column"
                if adds and n and n % tables == 0:
                    for i in range(tables):
                        conn.execute(f"ALTER TABLE t{i} DROP COLUMN b")
                start = time.perf_counter()
                for statement in STATEMENTS[name]:
                    found = conn.execute(statement.replace("{n}", str(n % tables)))
                    if statement == _COLUMNS:
                        rows = found.fetchall()
                        assert rows == [("id", "integer"), ("a", "text"), ("b", "numeric(10,2)")], (
                            peer.name,
                            rows,
                        )
                took += time.perf_counter() - start
                n += 1
            assert known() == before, (peer.name, before, known())
            if name == "add column":
                (count,) = conn.execute(
                    "SELECT count(*) FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE attname = 'b'"
                    " AND relnamespace = 'bench_ddl'::regnamespace"
                ).fetchone() or (0,)
                assert count == (n - 1) % tables + 1, (peer.name, count, n)
                for i in range(int(str(count))):
                    conn.execute(f"ALTER TABLE t{i} DROP COLUMN b")
            return n / took

    return run


def workloads() -> list[Workload]:
    return [
        Workload(
            f"DDL: {name}, {tables} tables",
            "per s",
            _run(name, tables),
            _prepare(tables),
            f"ddl-{tables}",
            at_least(1 / 3),
            quick=tables == 10,
        )
        for tables in (10, 2_000)
        for name in STATEMENTS
    ]
