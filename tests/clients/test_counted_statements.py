"""pg_stat_statements on PostgreSQL and here: what is counted as one statement, how often it was executed, its rows.

Times are nobody's to compare, nor are plans, blocks and the log; a statement that is being answered is not counted yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from planner.fingerprints import fingerprint
from tests.clients.test_alike import played
from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess, needs_psql

SESSION = r"""
CREATE EXTENSION pg_stat_statements;
CREATE TABLE things (id int PRIMARY KEY, name text, n numeric(10, 2));
SELECT pg_stat_statements_reset();
SELECT 1 AS "int";
SELECT 2 AS "int";
SELECT 'hello'
  -- in two lines
  AS "text";
SELECT 1 + 1, -1, 3 - 1, NULL, true, B'1', interval '1' day, date '2020-01-01', ARRAY[1, 2], '3'::numeric(10, 2);
INSERT INTO things VALUES (1, 'a', 1), (2, 'b', 2), (3, 'c', 3);
INSERT INTO things (id, name) VALUES (4, 'd');
INSERT INTO things (id, name) VALUES (5, NULL);
UPDATE things SET name = 'x' WHERE id = 1;
UPDATE things SET name = 'y' WHERE id = 2;
DELETE FROM things WHERE id = 99;
SELECT name FROM things WHERE id = 1;
SELECT name FROM things WHERE id = 3;
SELECT name, count(*) FROM things WHERE n IS NOT NULL AND n > -5 GROUP BY 1 ORDER BY 2, 1 LIMIT 2;
SELECT * FROM things WHERE id IN (1, 2, 3) AND name LIKE '%a%' OFFSET 0;
WITH t(f) AS (VALUES (1.0), (2.0)) SELECT f FROM t ORDER BY f;
PREPARE one(int) AS SELECT name FROM things WHERE id = $1 AND name <> 'zz';
EXECUTE one(1);
EXECUTE one(2);
DEALLOCATE one;
BEGIN;
UPDATE things SET n = n + 1 WHERE id = 4;
UPDATE things SET n = n + 7 WHERE id = 5;
COMMIT;
SELECT 1 / 0;
SELECT 1 \; SELECT 2 AS two, 'x' \; SELECT 3;
COPY things (id, name) FROM stdin;
6	f
7	g
\.
SELECT id, name INTO others FROM things WHERE id < 3;
CREATE TABLE more AS SELECT 1 AS a;
SELECT query, calls, rows, toplevel FROM pg_stat_statements WHERE query !~ 'pg_stat_statements' ORDER BY query COLLATE "C", calls;
SELECT count(*) FROM pg_stat_statements WHERE total_exec_time < min_exec_time OR mean_exec_time > max_exec_time OR queryid = 0;
SELECT d.datname = current_database(), r.rolname FROM pg_stat_statements s JOIN pg_database d ON d.oid = s.dbid JOIN pg_roles r ON r.oid = s.userid WHERE query ~ 'DELETE';
SELECT dealloc, stats_reset > now() - interval '1 minute' FROM pg_stat_statements_info;
SELECT pg_stat_statements_reset(0, 0, queryid) FROM pg_stat_statements WHERE query ~ '^DELETE';
SELECT count(*) FROM pg_stat_statements WHERE query ~ '^DELETE';
SELECT query_id IS NOT NULL FROM pg_stat_activity WHERE pid = pg_backend_pid();
CREATE ROLE counted_reader;
SET ROLE counted_reader;
SELECT query, queryid FROM pg_stat_statements WHERE calls = 2 AND rows = 2 LIMIT 1;
SELECT pg_stat_statements_reset();
CREATE EXTENSION pg_stat_statements;
RESET ROLE;
DROP ROLE counted_reader;
SET pg_stat_statements.track = 'none';
SELECT 'not counted';
SET pg_stat_statements.track = 'top';
SELECT count(*) FROM pg_stat_statements WHERE query ~ 'not counted';
SHOW pg_stat_statements.max;
\d pg_stat_statements
\d pg_stat_statements_info
\dx pg_stat_statements
SELECT has_table_privilege('public', 'pg_stat_statements', 'SELECT');
DROP VIEW pg_stat_statements;
CREATE VIEW mine AS SELECT calls FROM pg_stat_statements;
DROP EXTENSION pg_stat_statements;
DROP EXTENSION pg_stat_statements CASCADE;
SELECT * FROM pg_stat_statements;
CREATE SCHEMA beside;
CREATE EXTENSION pg_stat_statements SCHEMA beside;
SELECT count(*) > 0 FROM beside.pg_stat_statements;
DROP EXTENSION pg_stat_statements;
"""


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    try:
        with running_postgres(
            {"fsync": "off", "timezone": "UTC", "shared_preload_libraries": "pg_stat_statements"}
        ) as dsn:
            with psycopg.connect(dsn, autocommit=True) as c:
                if c.info.server_version // 10000 != 15:
                    pytest.skip("what psql prints is compared with PostgreSQL 15")
                if c.execute("SELECT current_user").fetchall() != [("tidewire",)]:
                    c.execute("CREATE ROLE tidewire SUPERUSER LOGIN CREATEDB CREATEROLE")
                c.execute("CREATE DATABASE tidewire OWNER tidewire")
            yield dsn
    except NoPostgres as e:
        pytest.skip(str(e))


@needs_psql
def test_a_session_is_counted_alike(server: ServerProcess, postgres: str, tmp_path: Path) -> None:
    script = tmp_path / "statements.sql"
    script.write_text(SESSION)
    there = conninfo_to_dict(postgres)
    expected = played(str(there["host"]), int(str(there["port"])), script, script)
    assert played("127.0.0.1", server.port, script, script) == expected


def test_sessions_are_counted_that_were_there_before(server: ServerProcess) -> None:
    """By either protocol, prepared or not; and no more once the last extension is gone."""
    with server.connect(autocommit=True) as before, server.connect(autocommit=True) as other:
        before.execute("CREATE TABLE counted_before (id int PRIMARY KEY)")
        for n in range(10):
            before.execute("INSERT INTO counted_before VALUES (%s)", [n], prepare=True)
        other.execute("CREATE EXTENSION pg_stat_statements")
        for n in range(10):
            before.execute("SELECT id FROM counted_before WHERE id = %s", [n], prepare=True)
            before.execute("SELECT id FROM counted_before WHERE id = %s", [n], prepare=False)
            before.execute(f"SELECT id FROM counted_before WHERE id = {n}")
        with before.transaction():
            before.execute("UPDATE counted_before SET id = id + 100 WHERE id = %s", [1], prepare=True)
        asked = "SELECT query, calls, rows FROM pg_stat_statements WHERE query LIKE '%counted_before%' ORDER BY 1, 2"
        found = other.execute(asked).fetchall()
        assert found == [
            ("SELECT id FROM counted_before WHERE id = $1", 10, 10),  # of a constant
            ("SELECT id FROM counted_before WHERE id = $1", 20, 20),  # of a parameter
            ("UPDATE counted_before SET id = id + $2 WHERE id = $1", 1, 1),
        ]
        other.execute("DROP EXTENSION pg_stat_statements")
        before.execute("SELECT id FROM counted_before WHERE id = 1")
        other.execute("CREATE EXTENSION pg_stat_statements")
        assert other.execute(asked).fetchall() == found
        other.execute("DROP EXTENSION pg_stat_statements")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT 1", "select   2 -- another"),
        ("SELECT a FROM t WHERE b = 'x'", "SELECT a FROM t\nWHERE b = E'\\n'"),
        ("INSERT INTO t VALUES (1, -1)", "INSERT INTO t VALUES (2, 1)"),
        ("SELECT a FROM t LIMIT 5;", "SELECT a FROM t LIMIT 6"),
    ],
)
def test_one_statement(one: str, other: str) -> None:
    assert fingerprint(one)[1] == fingerprint(other)[1]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SELECT a, b FROM t ORDER BY 1", "SELECT a, b FROM t ORDER BY 2"),
        ("SELECT a FROM t", "SELECT a FROM u"),
        ("SELECT 1", "SELECT 'a'"),
        ("SELECT x::numeric(10, 2) FROM t", "SELECT x::numeric(10, 3) FROM t"),
        ("SET work_mem = 1000", "SET work_mem = 2000"),
        ("SELECT a IN (1, 2) FROM t", "SELECT a IN (1, 2, 3) FROM t"),
    ],
)
def test_different_statements(one: str, other: str) -> None:
    assert fingerprint(one)[1] != fingerprint(other)[1]
