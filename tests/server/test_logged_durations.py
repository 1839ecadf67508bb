"""`log_min_duration_statement` and `log_duration`: what has taken long is in the log, however a client has asked it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tests.server.process import ServerProcess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    data = tmp_path_factory.mktemp("logged") / "data"
    with ServerProcess(data, "--log-format", "json") as made:
        with made.connect() as connection:
            connection.execute("CREATE TABLE t (id int PRIMARY KEY, n int)")
            connection.execute("INSERT INTO t VALUES (1, 1), (2, 2)")
        yield made


def logged(server: ServerProcess, pid: int) -> list[dict[str, Any]]:
    """What was logged of a session."""
    lines = [json.loads(line) for line in server.log.read_text().splitlines() if '"duration"' in line]
    return [line for line in lines if line["event"] == "duration" and line["pid"] == pid]


def test_what_takes_long_is_logged(server: ServerProcess) -> None:
    with server.connect() as connection:
        pid = connection.info.backend_pid
        connection.execute("SELECT pg_sleep(0.3)")
        connection.execute("SET log_min_duration_statement = '200ms'")
        connection.execute("SELECT n FROM t WHERE id = 1")
        connection.execute("SELECT pg_sleep(0.3), 'simple'")
        connection.execute("SELECT pg_sleep(%s)", (0.3,))
        connection.execute("SELECT 1; SELECT pg_sleep(0.3); SELECT 2")
        with pytest.raises(psycopg.errors.DivisionByZero):
            connection.execute("SELECT pg_sleep(0.3), 1 / (SELECT count(*) - 2 FROM t)")
        connection.execute("SET log_min_duration_statement = -1")
        connection.execute("SELECT pg_sleep(0.3)")
    found = logged(server, pid)
    assert [line["statement"] for line in found] == [
        "SELECT pg_sleep(0.3), 'simple'",
        "SELECT pg_sleep($1)",
        "SELECT 1; SELECT pg_sleep(0.3); SELECT 2",
    ]
    assert all(line["duration_ms"] >= 300 for line in found)
    assert {(line["user"], line["database"]) for line in found} == {("tidewire", "tidewire")}


def test_everything_is_logged_once_whichever_way_it_is_answered(server: ServerProcess) -> None:
    with server.connect() as connection:
        pid = connection.info.backend_pid
        connection.execute("SET log_duration = on")
        asked = ["SET log_duration = on"]
        for _ in range(8):  # prepared from the fifth on
            connection.execute("SELECT n FROM t WHERE id = %s", (1,))
            connection.execute("UPDATE t SET n = n + 1 WHERE id = %s", (2,))
            asked += ["SELECT n FROM t WHERE id = $1", "UPDATE t SET n = n + 1 WHERE id = $1"]
            with connection.transaction():
                connection.execute("SELECT sum(n) FROM t")
            asked += ["BEGIN", "SELECT sum(n) FROM t", "COMMIT"]
        with connection.pipeline():
            for i in range(3):
                connection.execute("SELECT n + %s FROM t WHERE id = 1", (i,))
        asked += ["SELECT n + $1 FROM t WHERE id = 1"] * 3
        connection.execute("SET log_duration = off")
    assert [line["statement"] for line in logged(server, pid)] == asked


def test_for_all_sessions_of_a_database_and_for_superusers_only(server: ServerProcess) -> None:
    with server.connect() as connection:
        connection.execute("CREATE ROLE lowly LOGIN")
        connection.execute("CREATE DATABASE watched")
        connection.execute("ALTER DATABASE watched SET log_min_duration_statement = 0")
    with server.connect(dbname="watched", user="lowly") as connection:
        pid = connection.info.backend_pid
        connection.execute("SELECT 1")
        for setting in ("log_min_duration_statement = -1", "log_duration = off"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"SET {setting}".encode())
    assert [(line["statement"], line["user"]) for line in logged(server, pid)] == [("SELECT 1", "lowly")]


@pytest.mark.parametrize("how", ["database", "options"])
def test_a_limit_on_silence_that_the_session_begins_with_is_kept(server: ServerProcess, how: str) -> None:
    """Nothing is SET in it."""
    options = ""
    with server.connect() as connection:
        connection.execute(f"CREATE DATABASE silent_{how}".encode())
        if how == "database":
            connection.execute("ALTER DATABASE silent_database SET idle_session_timeout = '300ms'")
        else:
            options = "-c idle_session_timeout=300ms"
    connection = server.connect(dbname=f"silent_{how}", options=options)
    connection.execute("SELECT 1")
    with pytest.raises(psycopg.OperationalError):  # 57P05; psycopg says that of it which it has read
        for _ in connection.notifies(timeout=30):
            pass
