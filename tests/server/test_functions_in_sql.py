"""Functions in SQL where a session alone does not reach: other sessions and servers, restarts, time, dumps, and no end."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess, needs_psql

MADE = Path(__file__).with_name("functions_in_sql.sql")
ASKED = [
    "SELECT * FROM sh.v ORDER BY 1, 3",
    "SELECT * FROM sh.rows_()",
    "SELECT total, cnt FROM sh.tot('a')",
    "SELECT * FROM sh.gett(2)",
    "SELECT add1(3)",
    "SELECT * FROM sh.d",
    "SELECT * FROM sh.mv ORDER BY 1",
    "SELECT obj_description('sh.area'::regproc), pg_get_functiondef('sh.rows_'::regproc), pg_get_viewdef('sh.v'::regclass)",
    "INSERT INTO sh.d (b) VALUES (5) RETURNING *",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("functions") / "data") as process:
        yield process
        assert process.unexpected() == [], "the log tells of defects"


def refused(connection: psycopg.Connection[object], query: str) -> str:
    """The SQLSTATE of an error."""
    with pytest.raises(psycopg.Error) as caught:
        connection.execute(query.encode())
    return str(caught.value.sqlstate)


@needs_psql
@pytest.mark.skipif(shutil.which("pg_dump") is None, reason="pg_dump is not installed")
def test_a_dump_is_restored_in_postgres_and_here(server: ServerProcess) -> None:
    try:
        with running_postgres({"fsync": "off"}) as dsn, psycopg.connect(dsn, autocommit=True) as there:
            with server.connect() as c:
                if c.info.server_version < 150000:
                    pytest.skip("pg_dump is compared with version 15")
                c.execute("CREATE DATABASE dumped_functions")
                c.execute("CREATE DATABASE restored_functions")
            for_all = ("-q", "-v", "ON_ERROR_STOP=1")
            assert server.psql("-d", "dumped_functions", *for_all, "-f", str(MADE)).stderr == ""
            done = subprocess.run(
                ["pg_dump", "--no-owner", "-d", "dumped_functions"],
                env=server.client_environment(), capture_output=True, text=True, timeout=600, check=False,
            )  # fmt: skip
            assert (done.returncode, done.stderr) == (0, "")
            script = server.data_dir.parent / "functions.sql"
            script.write_text(done.stdout)
            assert server.psql("-d", "restored_functions", *for_all, "-f", str(script)).stderr == ""
            back = subprocess.run(
                ["psql", "-X", *for_all, "-f", str(script), dsn],
                capture_output=True, text=True, timeout=600, check=False,
            )  # fmt: skip
            assert (back.returncode, back.stderr) == (0, "")
            with (
                server.connect(dbname="dumped_functions") as ours,
                server.connect(dbname="restored_functions") as copy,
            ):
                for query in ASKED:
                    expected = there.execute(query.encode()).fetchall()
                    assert ours.execute(query).fetchall() == expected, query
                    assert copy.execute(query).fetchall() == expected, query
                for connection in (ours, copy):
                    assert refused(connection, "INSERT INTO sh.d (b) VALUES (1)") == "23514"
    except NoPostgres as e:
        pytest.skip(str(e))


def test_what_has_no_end_is_refused(server: ServerProcess) -> None:
    with server.connect() as c:
        own = "CREATE OR REPLACE FUNCTION f0(a int) RETURNS int LANGUAGE sql AS 'SELECT f0(a) + 1'"
        c.execute("SET check_function_bodies = off")
        c.execute(own)
        assert refused(c, "SELECT f0(1)") == "54001"
        assert refused(c, "SELECT * FROM generate_series(1, f0(1))") == "54001"
        c.execute("CREATE FUNCTION ping(a int) RETURNS int LANGUAGE sql AS 'SELECT pong(a)'")
        c.execute("CREATE FUNCTION pong(a int) RETURNS SETOF int LANGUAGE sql AS 'SELECT * FROM pong2(a)'")
        c.execute("CREATE FUNCTION pong2(a int) RETURNS SETOF int LANGUAGE sql AS 'SELECT ping(a)'")
        assert refused(c, "SELECT ping(1)") == "54001"
        assert refused(c, "SELECT * FROM pong(1)") == "54001"
        c.execute("SET check_function_bodies = on")
        c.execute(own)  # it can be made, as in PostgreSQL


def test_what_grows_with_every_call_ends_soon(server: ServerProcess) -> None:
    """Each function calls the one before twice: a thousand million calls of the first in the last."""
    with server.connect() as c:
        c.execute("SET check_function_bodies = off")
        c.execute("CREATE FUNCTION g0(a int) RETURNS int LANGUAGE sql AS 'SELECT a + a'")
        for i in range(1, 60):
            body = f"SELECT g{i - 1}(a) + g{i - 1}(a + 1)"
            c.execute(f"CREATE FUNCTION g{i}(a int) RETURNS int LANGUAGE sql AS '{body}'".encode())
        assert refused(c, "SELECT g30(1)") == "54001"
        assert refused(c, "SELECT g59(1)") == "54001"
        assert c.execute("SELECT g3(1)").fetchone() == (40,)
        c.execute("CREATE FUNCTION h0(a bigint) RETURNS bigint LANGUAGE sql AS 'SELECT (a + a) % 1000'")
        for i in range(1, 40):
            body = f"SELECT h{i - 1}((a + a) % 1000)"
            c.execute(f"CREATE FUNCTION h{i}(a bigint) RETURNS bigint LANGUAGE sql AS '{body}'".encode())
        found = c.execute("SELECT h5(3)").fetchone()
        assert found == (3 * 2**6 % 1000,), "an argument that is named twice is computed once, six times over"
        assert refused(c, "SELECT h39(3)") == "54001"


def test_plans_follow_what_a_function_is(server: ServerProcess) -> None:
    with server.connect() as a, server.connect() as b:
        a.execute("CREATE TABLE kept (id int PRIMARY KEY, n int)")
        a.execute("INSERT INTO kept SELECT i, i FROM generate_series(1, 100) i")
        a.execute("CREATE FUNCTION rate(x int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT x * 2'")
        asked = "SELECT rate(n) FROM kept WHERE id = %s"
        by_function = "SELECT n FROM kept WHERE id = rate(%s)"
        for _ in range(7):
            assert b.execute(asked, (7,), prepare=True).fetchone() == (14,)
            assert b.execute(by_function, (7,), prepare=True).fetchone() == (14,)
        a.execute(
            "CREATE OR REPLACE FUNCTION rate(x int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT x * 3'"
        )
        assert b.execute(asked, (7,), prepare=True).fetchone() == (21,)
        assert b.execute(by_function, (7,), prepare=True).fetchone() == (21,)
        with a.transaction(force_rollback=True):
            a.execute("CREATE OR REPLACE FUNCTION rate(x int) RETURNS int LANGUAGE sql AS 'SELECT 0'")
            assert a.execute(asked, (7,)).fetchone() == (0,)
            assert b.execute(asked, (7,), prepare=True).fetchone() == (21,)
        assert a.execute(asked, (7,)).fetchone() == (21,)
        a.execute("UPDATE kept SET n = rate(n) WHERE id = 5")
        a.execute("DELETE FROM kept WHERE id = rate(1)")
        assert a.execute("SELECT id, n FROM kept WHERE id IN (3, 5)").fetchall() == [(5, 15)]
        a.execute("DROP FUNCTION rate")
        with pytest.raises(psycopg.errors.UndefinedFunction):
            b.execute(asked, (7,), prepare=True)


def test_a_function_reads_the_time_that_its_statement_reads(server: ServerProcess) -> None:
    with server.connect() as c:
        c.execute("CREATE TABLE moved (n int)")
        c.execute("INSERT INTO moved VALUES (1)")
        c.execute("CREATE FUNCTION seen() RETURNS bigint LANGUAGE sql AS 'SELECT sum(n) FROM moved'")
        then = c.execute("SELECT now()").fetchone()
        c.execute("INSERT INTO moved VALUES (10)")
        c.execute(
            "CREATE OR REPLACE FUNCTION seen() RETURNS bigint LANGUAGE sql AS 'SELECT -sum(n) FROM moved'"
        )
        assert then is not None
        before = f"SELECT seen() AS OF TIMESTAMP '{then[0].isoformat()}'"
        assert c.execute(before.encode()).fetchone() == (1,)
        assert c.execute("SELECT seen()").fetchone() == (-11,)
        with c.transaction():
            c.execute("INSERT INTO moved VALUES (100)")
            assert c.execute("SELECT seen()").fetchone() == (-111,)


def test_each_database_has_its_own_and_a_restart_keeps_them(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as process:
        with process.connect() as c:
            c.execute("CREATE DATABASE beside")
            c.execute(
                "CREATE FUNCTION where_am_i(a int DEFAULT 1) RETURNS text LANGUAGE sql RETURN 'here ' || a"
            )
        with process.connect(dbname="beside") as c:
            assert refused(c, "SELECT where_am_i()") == "42883"
            c.execute("CREATE FUNCTION where_am_i() RETURNS text LANGUAGE sql AS $$ SELECT 'beside' $$")
        process.stop()
        process.start()
        with process.connect() as c:
            assert c.execute("SELECT where_am_i()").fetchone() == ("here 1",)
        with process.connect(dbname="beside") as c:
            assert c.execute("SELECT where_am_i()").fetchone() == ("beside",)
        with process.connect() as c:
            c.execute("DROP DATABASE beside")
            assert c.execute("SELECT count(*) FROM pg_proc WHERE proname = 'where_am_i'").fetchone() == (1,)


def test_servers_of_one_environment_share_them(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", "--processes", "2") as process:
        connections = [process.connect() for _ in range(8)]
        connections[0].execute("CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'")
        assert [c.execute("SELECT one()").fetchone() for c in connections] == [(1,)] * 8
        connections[3].execute("CREATE OR REPLACE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 2'")
        assert [c.execute("SELECT one()").fetchone() for c in connections] == [(2,)] * 8
        for c in connections:
            c.close()


HOSTILE = [
    ("CREATE FUNCTION x() RETURNS int LANGUAGE sql AS ';;'", "42P13"),
    ("CREATE FUNCTION x() RETURNS int LANGUAGE sql AS 'SELECT 1) UNION (SELECT 2'", "42601"),
    ("CREATE FUNCTION x() RETURNS int LANGUAGE sql AS 'SELECT $0'", "42P02"),
    ("CREATE FUNCTION x() RETURNS int LANGUAGE sql AS 'SELECT $99999999999'", "42P02"),
    ("CREATE FUNCTION x() RETURNS int LANGUAGE sql AS 'COMMIT'", "0A000"),
    ("CREATE FUNCTION x() RETURNS int LANGUAGE sql AS 'DROP TABLE pg_class'", "42P13"),
    ("CREATE FUNCTION x() RETURNS int LANGUAGE sql AS 'DELETE FROM held; DELETE FROM held'", "42P13"),
    ("CREATE FUNCTION x() RETURNS trigger LANGUAGE sql AS 'SELECT 1'", "42P13"),
    ("CREATE FUNCTION x() RETURNS int LANGUAGE sql AS 'SELECT 1 FOR UPDATE'", "0A000"),
    ("CREATE FUNCTION x() RETURNS int BEGIN ATOMIC", "42601"),
    ("CREATE FUNCTION x() RETURNS int BEGIN ATOMIC SELECT 1; DELETE FROM held; END", "42P13"),
    ("CREATE FUNCTION x() RETURNS int BEGIN ATOMIC COPY held TO STDOUT; END", "0A000"),
    ("CREATE FUNCTION x() RETURNS int RETURN", "42601"),
    ("CREATE FUNCTION x() RETURNS int RETURN (SELECT", "42601"),
    ("CREATE FUNCTION x(,) RETURNS int RETURN 1", "42601"),
    ("CREATE FUNCTION x(a int", "42601"),
    ("CREATE FUNCTION nowhere.x() RETURNS int RETURN 1", "3F000"),
    ("CREATE FUNCTION pg_catalog.x() RETURNS int RETURN 1", "42501"),
    ("CREATE FUNCTION x() RETURNS int SET role = postgres RETURN 1", "0A000"),
    ("CREATE FUNCTION x(a int) RETURNS bigint LANGUAGE sql AS 'SELECT sum(a)'", "0A000"),
    ("CREATE FUNCTION x(a int) RETURNS bigint LANGUAGE sql AS 'SELECT max($1) FROM held'", "0A000"),
    ("CREATE INDEX ON held ((n + counted()))", "42P17"),
    ("CREATE UNIQUE INDEX ON held ((least_forever() + n))", "0A000"),
    ("CREATE TABLE y (a int, b int GENERATED ALWAYS AS (least_forever()) STORED)", "0A000"),
    ("CREATE TABLE y (a int CHECK (a IN (SELECT twofold(1))))", "0A000"),
    ("DROP FUNCTION abs(int)", "2BP01"),
]


@pytest.mark.parametrize(("text", "sqlstate"), HOSTILE)
def test_what_cannot_be_is_refused(server: ServerProcess, text: str, sqlstate: str) -> None:
    with server.connect() as c:
        if c.execute("SELECT to_regclass('held')").fetchone() == (None,):
            c.execute("CREATE TABLE held (n int)")
            c.execute("INSERT INTO held VALUES (1), (2)")
            c.execute("CREATE FUNCTION twofold(a int) RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT a * 2'")
            c.execute("CREATE FUNCTION counted() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM held'")
            c.execute(
                "CREATE FUNCTION least_forever() RETURNS int LANGUAGE sql IMMUTABLE AS 'SELECT min(n) FROM held'"
            )
        assert refused(c, text) == sqlstate
