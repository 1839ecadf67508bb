"""Statements whose functions wait for other transactions: the snapshot moves while their rows have been found and not yet written.

    a   UPDATE t SET v = v + f(id)      rows found ... f waits for a row of another table ........ rows written
    b                                                       UPDATE t, committed
    c   holds what f waits for  ................................................ COMMIT

What a wrote would be of rows that are gone by then (a second version of a row, or an update lost). It begins anew, with what its
functions did undone; at the levels that promise more it is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path

import psycopg
import pytest

from tests.server.consensus import consensus
from tests.server.process import ServerProcess

MADE = """
DROP TABLE IF EXISTS found, keyless, hot, seen CASCADE;
CREATE TABLE found (id int PRIMARY KEY, v int);
INSERT INTO found VALUES (1, 100), (2, 200);
CREATE TABLE keyless (id int, v int);
INSERT INTO keyless VALUES (1, 100), (2, 200);
CREATE TABLE hot (id int PRIMARY KEY, n int);
INSERT INTO hot VALUES (1, 0);
CREATE TABLE seen (id int);
CREATE OR REPLACE FUNCTION waits(i int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN UPDATE hot SET n = n + 1 WHERE id = 1; RETURN 1; END $$;
CREATE OR REPLACE FUNCTION notes(i int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN INSERT INTO seen VALUES (i); RETURN 1; END $$;
CREATE OR REPLACE FUNCTION waiting() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM waits(1); IF TG_LEVEL = 'ROW' THEN RETURN NEW; END IF; RETURN NULL; END $$;
"""


@pytest.fixture
def made(server: ServerProcess) -> Iterator[ServerProcess]:
    with server.connect() as c:
        c.execute(MADE)
    yield server


def _waits(c: psycopg.Connection[tuple[object, ...]], pid: int) -> None:
    """Until that session waits for a lock."""
    asked = "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND wait_event_type = 'Lock'"
    while not c.execute(asked, (pid,)).fetchall():
        pass


def _between(made: ServerProcess, level: str, text: str, other: str) -> tuple[str, int]:
    """Runs `text` in a transaction, and `other` while a function in it waits; how it ended, and how often the function ran for good."""
    with made.connect() as a, made.connect() as b, made.connect() as c, ThreadPoolExecutor(1) as pool:
        c.execute("BEGIN")
        c.execute("UPDATE hot SET n = 0 WHERE id = 1")
        a.execute(f"BEGIN ISOLATION LEVEL {level}".encode())
        running = pool.submit(a.execute, text.encode())
        _waits(b, a.info.backend_pid)
        b.execute("SET session_replication_role = replica")
        b.execute(other.encode())
        c.execute("COMMIT")
        try:
            running.result()
            a.execute("COMMIT")
            ended = ""
        except psycopg.Error as error:
            ended = error.sqlstate or "none"
            a.execute("ROLLBACK")
        counted = b.execute("SELECT n FROM hot").fetchone()
        assert counted is not None
        return ended, int(str(counted[0]))


@pytest.mark.parametrize("level", ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"])
@pytest.mark.parametrize(
    "text",
    [
        "UPDATE found SET v = v + waits(id) WHERE id + 0 = 1",
        "UPDATE found SET v = v + waits(id) WHERE id = 1",
        "UPDATE keyless SET v = v + waits(id) WHERE id = 1",
        "MERGE INTO found USING (SELECT waits(1) AS one) s ON found.id = 1 WHEN MATCHED THEN UPDATE SET v = v + s.one",
    ],
)
def test_an_update_whose_function_waits(made: ServerProcess, level: str, text: str) -> None:
    table = "keyless" if "keyless" in text else "found"
    ended, ran = _between(made, level, text, f"UPDATE {table} SET v = v + 10 WHERE id = 1")
    with made.connect() as c:
        rows = c.execute(f"SELECT * FROM {table} ORDER BY id".encode()).fetchall()
    if level == "READ COMMITTED":
        assert (ended, ran, rows) == ("", 1, [(1, 111), (2, 200)])
    else:
        assert (ended, ran, rows) == ("40001", 0, [(1, 110), (2, 200)])


@pytest.mark.parametrize("table", ["found", "keyless"])
def test_a_delete_whose_function_waits(made: ServerProcess, table: str) -> None:
    text = f"DELETE FROM {table} WHERE id + 0 = 1 AND waits(id) = 1"
    assert _between(made, "READ COMMITTED", text, f"UPDATE {table} SET v = v + 10 WHERE id = 1") == ("", 1)
    with made.connect() as c:
        assert c.execute(f"SELECT * FROM {table}".encode()).fetchall() == [(2, 200)]


def test_what_locks_rows_has_their_newest_versions(made: ServerProcess) -> None:
    text = "WITH f AS (SELECT v, waits(id) FROM found WHERE id + 0 = 1 FOR UPDATE) INSERT INTO seen SELECT v FROM f"
    assert _between(made, "READ COMMITTED", text, "UPDATE found SET v = v + 10 WHERE id = 1") == ("", 1)
    with made.connect() as c:
        assert c.execute("SELECT * FROM seen").fetchall() == [(110,)]


@pytest.mark.parametrize("each", ["STATEMENT", "ROW"])
@pytest.mark.parametrize("condition", ["id = 1", "id + 0 = 1"])
def test_a_trigger_that_waits_before_an_update(made: ServerProcess, each: str, condition: str) -> None:
    with made.connect() as c:
        c.execute(
            f"CREATE TRIGGER w BEFORE UPDATE ON found FOR EACH {each} EXECUTE FUNCTION waiting()".encode()
        )
    # Rows are locked before triggers are asked about them: another row, then, that the condition is not of.
    other = "UPDATE found SET v = v + 10 WHERE id = " + ("1" if each == "STATEMENT" else "2")
    ended, ran = _between(made, "READ COMMITTED", f"UPDATE found SET v = v + 1 WHERE {condition}", other)
    assert (ended, ran) == ("", 1)
    with made.connect() as c:
        rows = c.execute("SELECT * FROM found ORDER BY id").fetchall()
    assert rows == ([(1, 111), (2, 200)] if each == "STATEMENT" else [(1, 101), (2, 210)])


@pytest.mark.parametrize("level", ["READ COMMITTED", "SERIALIZABLE"])
@pytest.mark.parametrize(
    "text",
    [
        "UPDATE found SET v = v + notes(id) WHERE id + 0 = 1",
        "SELECT v, notes(id) FROM found WHERE id + 0 = 1 FOR UPDATE",
    ],
)
def test_a_statement_that_begins_anew_has_run_its_functions_once(
    made: ServerProcess, level: str, text: str
) -> None:
    with made.connect() as a, made.connect() as b, made.connect() as c, ThreadPoolExecutor(1) as pool:
        b.execute("BEGIN")
        b.execute("UPDATE found SET v = v + 10 WHERE id = 1")
        a.execute(f"BEGIN ISOLATION LEVEL {level}".encode())
        running = pool.submit(a.execute, text.encode())
        _waits(c, a.info.backend_pid)
        b.execute("COMMIT")
        running.result()
        a.execute("COMMIT")
        assert c.execute("SELECT * FROM seen").fetchall() == [(1,)]


def test_who_was_woken_by_a_function_sees_what_was_committed_since(made: ServerProcess) -> None:
    """A function inside of a query lets go of a row: what another session does next it does in a context of its own."""
    with made.connect() as a, made.connect() as b, made.connect() as c, ThreadPoolExecutor(2) as pool:
        a.execute("SELECT pg_advisory_lock(1)")
        c.execute("SELECT pg_advisory_lock(2)")
        a.execute(
            "CREATE OR REPLACE FUNCTION lets_go(i int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN BEGIN "
            "UPDATE hot SET n = n + 1 WHERE id = 1; PERFORM pg_advisory_xact_lock(2); RAISE 'no'; "
            "EXCEPTION WHEN OTHERS THEN END; RETURN 1; END $$"
        )

        def in_one_go() -> tuple[object, ...] | None:
            with b.pipeline():
                b.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
                b.execute("UPDATE hot SET n = n + 10 WHERE id = 1")
                b.execute("SELECT pg_advisory_xact_lock(1), count(*) FROM found WHERE id + 0 > 0")
                seen = b.execute("SELECT count(*) FROM found WHERE id + 0 > 0")
                b.execute("COMMIT")
            return seen.fetchone()

        letting = pool.submit(a.execute, "SELECT lets_go(id) FROM found WHERE id + 0 = 1")
        while not c.execute("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted").fetchall():
            pass
        waiting = pool.submit(in_one_go)
        _waits(c, b.info.backend_pid)
        c.execute("SELECT pg_advisory_unlock(2)")
        letting.result()
        while not c.execute("SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted").fetchall():
            pass
        c.execute("INSERT INTO found VALUES (3, 300)")
        a.execute("SELECT pg_advisory_unlock(1)")
        assert waiting.result() == (3,)


ASKING = """
CREATE TABLE found (id int PRIMARY KEY, v int);
INSERT INTO found VALUES (1, 100), (2, 200);
CREATE TABLE keyless (id int, v int);
INSERT INTO keyless VALUES (1, 100), (2, 200);
CREATE TABLE hot (id int PRIMARY KEY, n int);
CREATE FUNCTION asking() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_advisory_xact_lock(1);
  PERFORM n FROM hot WHERE id = 1;
  IF TG_LEVEL = 'ROW' THEN RETURN NEW; END IF;
  RETURN NULL;
END $$;
"""


def test_two_servers_and_a_trigger_that_looks_again(tmp_path: Path) -> None:
    """No lock keeps the other server's writers away: what they do while a trigger's function runs is noticed all the same."""
    with consensus("sqlite", tmp_path) as url, ExitStack() as stack:
        shared = ["--shared", "--consensus", url, "--blob", (tmp_path / "blob").as_uri()]
        one, two = (stack.enter_context(ServerProcess(tmp_path / name, *shared)) for name in ("one", "two"))
        a, b = stack.enter_context(one.connect()), stack.enter_context(two.connect())
        a.execute(ASKING)
        for table, each, condition in (
            ("found", "ROW", "id = 1"),
            ("found", "ROW", "id + 0 = 1"),
            ("keyless", "ROW", "id = 1"),
            ("found", "STATEMENT", "id = 1"),
            ("found", "STATEMENT", "id + 0 = 1"),
            ("keyless", "STATEMENT", "id = 1"),
        ):
            a.execute(f"DROP TRIGGER IF EXISTS w ON {table}".encode())
            a.execute(f"UPDATE {table} SET v = 100 WHERE id = 1".encode())
            a.execute(
                f"CREATE TRIGGER w BEFORE UPDATE ON {table} FOR EACH {each} EXECUTE FUNCTION asking()".encode()
            )
            b.execute("SET session_replication_role = replica")
            b.execute("SELECT pg_advisory_lock(1)")
            with ThreadPoolExecutor(1) as pool:
                a.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
                running = pool.submit(a.execute, f"UPDATE {table} SET v = v + 1 WHERE {condition}".encode())
                while not b.execute(
                    "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
                ).fetchall():
                    pass
                b.execute(f"UPDATE {table} SET v = v + 10 WHERE id = 1".encode())
                b.execute("SELECT pg_advisory_unlock(1)")
                expected = 111
                try:
                    running.result()
                    a.execute("COMMIT")
                except psycopg.errors.SerializationFailure:
                    expected = 110
                    a.execute("ROLLBACK")
            found = b.execute(f"SELECT * FROM {table} ORDER BY id".encode()).fetchall()
            assert found == [(1, expected), (2, 200)], (table, each, condition)


@pytest.mark.parametrize("key", ["PRIMARY KEY", ""])
def test_an_update_of_many_rows_whose_function_waits(made: ServerProcess, key: str) -> None:
    with made.connect() as c:
        c.execute("DROP TABLE IF EXISTS many")
        c.execute(f"CREATE TABLE many (id int {key}, v int)".encode())
        c.execute("INSERT INTO many SELECT i, 0 FROM generate_series(1, 30000) i")
    text = "UPDATE many SET v = v + one FROM (SELECT waits(1) AS one OFFSET 0) x"
    ended, ran = _between(made, "READ COMMITTED", text, "UPDATE many SET v = v + 10 WHERE id = 5")
    assert (ended, ran) == ("", 1)
    with made.connect() as c:
        found = c.execute("SELECT count(*), min(v), max(v), sum(v) FROM many").fetchone()
    assert found == (30_000, 1, 11, 30_010)


@pytest.mark.parametrize(
    "locks",
    [
        "SELECT * FROM found WHERE id = 1 FOR UPDATE",
        "UPDATE found SET v = 1 WHERE id = 1",
        "DELETE FROM found WHERE id = 1",
        "SELECT * FROM found WHERE id >= 1 FOR UPDATE",
    ],
)
def test_read_committed_sees_what_the_last_holder_of_a_lock_wrote(made: ServerProcess, locks: str) -> None:
    """Also where that is elsewhere: who locks a parent and then looks at its children. The holder's commit may not be durable yet."""
    with made.connect() as a, made.connect() as b, made.connect() as c, ThreadPoolExecutor(1) as pool:
        for turn in range(10):
            c.execute(MADE)
            for session in (a, b):
                session.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
            a.execute("SELECT * FROM found WHERE id = 1 FOR UPDATE")
            a.execute("UPDATE hot SET n = %s WHERE id = 1", (turn + 1,))

            def second() -> list[tuple[object, ...]]:
                b.execute(locks)
                seen = b.execute("SELECT n FROM hot WHERE id = 1").fetchall()
                b.execute("COMMIT")
                return seen

            seen = pool.submit(second)
            _waits(c, b.info.backend_pid)
            a.execute("COMMIT")
            assert seen.result(timeout=20) == [(turn + 1,)]
