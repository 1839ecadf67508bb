"""Which rows and numbers job queues lock when they take a job: what another session finds free meanwhile.

What their statements answer is compared with PostgreSQL line by line in `tests/clients/alike/jobs_of_queues.sql`.
"""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.server.process import ServerProcess

WORLD = """
CREATE TABLE queues (id int PRIMARY KEY, free bool DEFAULT true);
CREATE TABLE jobs (id int PRIMARY KEY, queue int, ready bool DEFAULT true);
INSERT INTO queues (id) SELECT generate_series(1, 6);
UPDATE queues SET free = false WHERE id = 3;
INSERT INTO jobs VALUES (1, 1, true), (2, NULL, true), (3, 2, true), (4, 3, true), (5, 4, false);
"""


def numbers(c: psycopg.Connection[Any], text: str) -> list[int]:
    return sorted(row[0] for row in c.execute(text))


@pytest.mark.parametrize("rest", ["", " ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED"])
def test_exists_locks_what_rows_around_it_ask_for_and_nothing_else(server: ServerProcess, rest: str) -> None:
    name = f"asked_locks_{len(rest)}"
    with server.connect() as admin:
        admin.execute(f"CREATE DATABASE {name}")
    take = (
        "SELECT id FROM jobs j WHERE ready AND (queue IS NULL OR EXISTS "
        f"(SELECT 1 FROM queues q WHERE q.id = j.queue AND q.free FOR UPDATE SKIP LOCKED)){rest}"
    )
    with server.connect(dbname=name) as one, server.connect(dbname=name) as two:
        one.execute(WORLD)
        with one.transaction():
            assert numbers(one, take) == ([1] if rest else [1, 2, 3])
            free = numbers(two, "SELECT id FROM queues FOR UPDATE SKIP LOCKED")
            assert free == [3, 4, 5, 6]  # not those of jobs that are ready, where they are free
            assert numbers(two, take) == [2]
        assert numbers(two, "SELECT id FROM queues FOR UPDATE SKIP LOCKED") == [1, 2, 3, 4, 5, 6]


def test_a_limit_locks_numbers_of_no_more_rows_than_it_shows(server: ServerProcess) -> None:
    with server.connect() as admin:
        admin.execute("CREATE DATABASE tried_locks")
    take = "SELECT id FROM jobs WHERE ready AND pg_try_advisory_lock(id) LIMIT %s"
    with server.connect(dbname="tried_locks") as one, server.connect(dbname="tried_locks") as two:
        one.execute(WORLD)
        assert one.execute(take, (1,)).fetchall() == [(1,)]
        assert two.execute(take, (2,)).fetchall() == [(2,), (3,)]
        assert one.execute(take, (5,)).fetchall() == [(1,), (4,)]
        two.execute("SELECT pg_advisory_unlock_all()")
        assert one.execute(take, (5,)).fetchall() == [(1,), (2,), (3,), (4,)]
        two.execute("INSERT INTO jobs SELECT g, 1 FROM generate_series(10, 9000) g")
        assert two.execute(
            "SELECT count(*) FROM (SELECT id FROM jobs WHERE pg_try_advisory_lock(id) LIMIT 3000) x"
        ).fetchone() == (3000,)
        held = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()"
        assert two.execute(held).fetchone() == (3000,)


def test_states_that_are_labels_are_asked_by_key(server: ServerProcess) -> None:
    """DuckDB would take milliseconds for each, most of them to read the question."""
    with server.connect() as admin:
        admin.execute("CREATE DATABASE labelled_jobs")
    asked = (
        "s = 'active'",
        "s <> 'active'",
        "s < 'active'",
        "'created' < s",
        "s IN ('created', 'done')",
        "s::text = 'done'",
    )
    with server.connect(dbname="labelled_jobs") as c:
        c.execute("CREATE TYPE state AS ENUM ('created', 'active', 'done')")
        c.execute("CREATE TABLE labelled (id int PRIMARY KEY, s state CHECK (s < 'done' OR id > 0))")
        for condition in asked:
            shown = c.execute(
                f"EXPLAIN SELECT id FROM labelled WHERE id = 1 AND {condition}".encode()
            ).fetchall()
            assert any("Keyed read on labelled" in line for (line,) in shown), condition


def test_statements_of_several_parts_are_asked_by_keys(server: ServerProcess) -> None:
    with server.connect() as admin:
        admin.execute("CREATE DATABASE jobs_by_keys")
    asked = (
        "INSERT INTO log (job, what) SELECT id, 'x' FROM jobs WHERE id = 1",
        "INSERT INTO log (job) SELECT unnest('{1,2}'::int[])",
        "WITH d AS (DELETE FROM jobs WHERE id = 1 RETURNING id) INSERT INTO log (job) SELECT id FROM d",
        "WITH u AS (UPDATE jobs SET ready = false WHERE id IN (SELECT unnest('{1,2}'::int[])) AND ready RETURNING *) SELECT count(*) FROM u",
        "WITH d AS (UPDATE jobs SET ready = true WHERE id = 1 RETURNING queue) UPDATE queues SET free = false FROM d WHERE queues.id = d.queue",
    )
    with server.connect(dbname="jobs_by_keys") as c:
        c.execute(WORLD)
        c.execute("CREATE TABLE log (no serial PRIMARY KEY, job int, what text DEFAULT 'done')")
        for statement in asked:
            shown = c.execute(f"EXPLAIN {statement}".encode()).fetchall()
            assert (" Engine For Few Rows: keyed",) in [(f" {line.strip()}",) for (line,) in shown], statement
