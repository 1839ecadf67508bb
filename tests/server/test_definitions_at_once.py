"""Several clients make, change and drop the same objects at once: each hears of its conflict, and nothing is out of order inside.

ALTER TABLE waits in its middle for rows that are still being read back; what others commit meanwhile is not what it was bound to.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from pathlib import Path

import psycopg
import pytest

from tests.server.process import ServerProcess

ROUNDS = 30
_FUNCTION = "CREATE OR REPLACE FUNCTION f() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'"
_TRIGGER = "CREATE TRIGGER g BEFORE INSERT ON t FOR EACH ROW EXECUTE FUNCTION f()"
STATEMENTS = (
    "CREATE TABLE a (x int PRIMARY KEY, y text)",
    "CREATE TABLE b (x int PRIMARY KEY REFERENCES a)",
    "INSERT INTO a VALUES (1, 'one')",
    "CREATE TABLE c AS SELECT * FROM a",
    "CREATE INDEX ON a (y)",
    "ALTER TABLE a ADD COLUMN z int",
    "ALTER TABLE a ALTER y TYPE varchar(9)",
    "TRUNCATE a, b",
    "DROP TABLE a, b CASCADE",
    "DROP TABLE c",
    "CREATE SCHEMA s CREATE TABLE t (i int) CREATE VIEW v AS SELECT * FROM t",
    "GRANT CREATE ON SCHEMA s TO PUBLIC",
    "COMMENT ON SCHEMA s IS 'made by whoever was first'",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA s GRANT SELECT ON TABLES TO PUBLIC",
    "CREATE ROLE somebody",
    "ALTER ROLE somebody SET work_mem = '9MB'",
    "DROP ROLE somebody",
    "DROP SCHEMA s CASCADE",
)
CONFLICTS = {
    "40001",
    "42P01",
    "42P06",
    "42P07",
    "42701",
    "42703",
    "42704",
    "42710",
    "3F000",
    "2BP01",
    "23503",
    "23505",
}


def test_who_loses_a_race_is_told_so(tmp_path: Path) -> None:
    heard: Counter[str] = Counter()

    def client(connection: psycopg.Connection[object]) -> None:
        for _ in range(ROUNDS):
            for statement in STATEMENTS:
                try:
                    connection.execute(statement)
                    heard["00000"] += 1
                except psycopg.Error as error:
                    heard[error.sqlstate or "none"] += 1

    with ServerProcess(tmp_path / "data") as server:
        connections = [server.connect(autocommit=True) for _ in range(3)]
        threads = [threading.Thread(target=client, args=(c,)) for c in connections]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        for connection in connections:
            connection.close()
        assert server.unexpected() == []
    assert heard["00000"] and set(heard) - {"00000"} <= CONFLICTS, heard


@pytest.mark.parametrize(
    ("there", "first", "second", "error"),
    [
        ("CREATE TYPE e AS ENUM ('a')", "DROP TYPE e", "CREATE TABLE t (x e)", "42704"),
        ("CREATE TYPE e AS ENUM ('a')", "CREATE TABLE t (x e)", "DROP TYPE e", "2BP01"),
        ("CREATE DOMAIN e AS int", "DROP DOMAIN e", "CREATE TABLE t (x e)", "42704"),
        ("CREATE SEQUENCE q", "DROP SEQUENCE q", "CREATE TABLE t (x int DEFAULT nextval('q'))", "42P01"),
        ("CREATE SEQUENCE q", "CREATE TABLE t (x int DEFAULT nextval('q'))", "DROP SEQUENCE q", "2BP01"),
        (f"{_FUNCTION}; CREATE TABLE t (x int)", "DROP FUNCTION f()", _TRIGGER, "42883"),
        (f"{_FUNCTION}; CREATE TABLE t (x int)", _TRIGGER, "DROP FUNCTION f()", "2BP01"),
        ("SELECT 1", "CREATE TABLE t (x int)", "CREATE TABLE IF NOT EXISTS t (x int)", ""),
        ("SELECT 1", "CREATE TABLE t (x int)", "CREATE TABLE t (x int)", "42P07"),
        ("SELECT 1", _FUNCTION, _FUNCTION, ""),
    ],
)
def test_who_comes_second_waits_and_goes_on_from_there(
    server: ServerProcess, there: str, first: str, second: str, error: str
) -> None:
    """Beyond what PostgreSQL does, which finds a type gone when the table is asked for, or a name taken when both are done."""
    with server.connect() as one, server.connect() as two, server.connect() as watcher:
        watcher.execute("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
        watcher.execute(there)
        one.execute("BEGIN")
        one.execute(first)
        heard: list[str] = []

        def later() -> None:
            try:
                two.execute(second)
                heard.append("")
            except psycopg.Error as e:
                heard.append(e.sqlstate or "")

        thread = threading.Thread(target=later)
        thread.start()
        waits = "SELECT cardinality(pg_blocking_pids(%s)) > 0"
        while watcher.execute(waits, (two.info.backend_pid,)).fetchone() != (True,):
            assert thread.is_alive(), heard
            time.sleep(0.01)
        one.execute("COMMIT")
        thread.join()
        assert heard == [error]
