"""Routines in PL/pgSQL on a running server: what goes on beside them, what they leave, and how they are stopped."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from tests.server.process import ServerProcess

MADE = """
CREATE TABLE items (id int PRIMARY KEY, n int, g int);
INSERT INTO items SELECT i, i, i % 3 FROM generate_series(1, 30) i;
CREATE TABLE counter (id int PRIMARY KEY, n int);
INSERT INTO counter VALUES (1, 0), (2, 0);
CREATE FUNCTION share(v int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE total bigint;
BEGIN
  SELECT sum(a.n) INTO total FROM items a JOIN items b ON a.g = b.g;
  RETURN round(v * 1000.0 / total, 3);
END $$;
CREATE FUNCTION bumped(v int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count(*) FROM items a JOIN items b USING (g);
  RETURN v + 1;
END $$;
CREATE FUNCTION half_done(k int) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO items VALUES (k, 0, 0);
  PERFORM 1 / (k - k);
  RETURN 1;
END $$;
CREATE FUNCTION forever(v int) RETURNS int LANGUAGE plpgsql AS $$ BEGIN LOOP v := v; END LOOP; END $$;
CREATE PROCEDURE in_parts(first int, n int) LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 1..n LOOP
    INSERT INTO items VALUES (first + i, 0, 0);
    IF i % 2 = 0 THEN ROLLBACK; ELSE COMMIT; END IF;
  END LOOP;
END $$;
"""


@pytest.fixture(scope="module")
def made(server: ServerProcess) -> Iterator[ServerProcess]:
    with server.connect() as c:
        c.execute("DROP TABLE IF EXISTS items, counter CASCADE")
        c.execute(MADE)
    yield server


def test_queries_whose_functions_query_do_not_wait_for_each_other(made: ServerProcess) -> None:
    """Each holds a thread of DuckDB while its function asks for another: more of them than there are threads."""

    def one(_: int) -> list[tuple[object, ...]]:
        with made.connect() as c:
            return c.execute("SELECT id, share(n) FROM items WHERE id <= 5 ORDER BY id").fetchall()

    with ThreadPoolExecutor(24) as pool:
        found = list(pool.map(one, range(24)))
    assert all(f == found[0] and len(f) == 5 for f in found)


@pytest.mark.parametrize("level", ["READ COMMITTED", "SERIALIZABLE"])
def test_no_update_is_lost_while_a_function_computes_it(made: ServerProcess, level: str) -> None:
    clients, times = 4, 5
    barrier = threading.Barrier(clients)

    def one(_: int) -> None:
        with made.connect() as c:
            c.execute(f"SET default_transaction_isolation = '{level.lower()}'")
            barrier.wait()
            done = 0
            while done < times:
                try:
                    c.execute("UPDATE counter SET n = bumped(n) WHERE id = 1")
                except psycopg.errors.SerializationFailure:
                    continue
                done += 1

    with made.connect() as c:
        c.execute("UPDATE counter SET n = 0")
    with ThreadPoolExecutor(clients) as pool:
        list(pool.map(one, range(clients)))
    with made.connect() as c:
        assert c.execute("SELECT n FROM counter WHERE id = 1").fetchone() == (clients * times,)


def test_what_a_failed_function_wrote_is_gone(made: ServerProcess) -> None:
    with made.connect() as c:
        for text in (
            "SELECT half_done(900)",
            "SELECT half_done(900 + id) FROM items",
            "SELECT * FROM half_done(900)",
            "INSERT INTO counter SELECT 900 + id, half_done(900 + id) FROM items",
        ):
            with pytest.raises(psycopg.errors.DivisionByZero):
                c.execute(text)  # type: ignore[call-overload]
        assert c.execute("SELECT count(*) FROM items WHERE id >= 900").fetchone() == (0,)
        assert c.execute("SELECT count(*) FROM counter").fetchone() == (2,)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT forever(1)",
        "SELECT forever(n) FROM items",
        "SELECT * FROM forever(1)",
        "UPDATE counter SET n = forever(n)",
        "DO $$ BEGIN PERFORM forever(1); EXCEPTION WHEN others THEN NULL; END $$",
    ],
)
def test_a_loop_without_an_end_is_stopped(made: ServerProcess, text: str) -> None:
    with made.connect() as c:
        c.execute("SET statement_timeout = '200ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            c.execute(text)  # type: ignore[call-overload]
        c.execute("SET statement_timeout = 0")
        assert c.execute("SELECT share(1) > 0").fetchone() == (True,)


def test_others_are_served_while_a_loop_runs(made: ServerProcess) -> None:
    with made.connect() as busy, made.connect() as c:
        pid = busy.info.backend_pid
        with ThreadPoolExecutor(1) as pool:
            running = pool.submit(busy.execute, "SELECT forever(1)")
            assert c.execute("SELECT sum(n) FROM items WHERE id <= 30").fetchone() == (465,)
            while not c.execute(
                "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND state = 'active'", (pid,)
            ).fetchall():
                pass
            assert c.execute("SELECT pg_cancel_backend(%s)", (pid,)).fetchone() == (True,)
            with pytest.raises(psycopg.errors.QueryCanceled):
                running.result()


def test_a_procedure_ends_its_transactions(made: ServerProcess) -> None:
    with made.connect() as c:
        c.execute("CALL in_parts(2000, 5)")
        found = c.execute("SELECT id FROM items WHERE id > 2000 ORDER BY id").fetchall()
        assert found == [(2001,), (2003,), (2005,)]
        with c.transaction(), pytest.raises(psycopg.errors.InvalidTransactionTermination), c.transaction():
            c.execute("CALL in_parts(3000, 2)")
        assert c.execute("SELECT count(*) FROM items WHERE id > 3000").fetchone() == (0,)


def test_prepared_calls_take_values_of_their_types(made: ServerProcess) -> None:
    with made.connect() as c:
        for v in (1, 2, 3):
            assert c.execute("SELECT bumped(%s), bumped(%s + 1)", (v, v), prepare=True).fetchone() == (
                v + 1,
                v + 2,
            )
        c.execute("CREATE PROCEDURE adds(INOUT a int, b int) LANGUAGE plpgsql AS 'BEGIN a := a + b; END'")
        assert c.execute("CALL adds(%s, %s)", (1, 41)).fetchone() == (42,)


def test_a_function_does_not_change_rows_that_its_statement_writes(made: ServerProcess) -> None:
    with made.connect() as c:
        c.execute("DROP FUNCTION IF EXISTS meddling")
        c.execute(
            "CREATE FUNCTION meddling(k int) RETURNS int LANGUAGE plpgsql AS "
            "'BEGIN UPDATE counter SET n = n + 100 WHERE id = k; RETURN 7; END'"
        )
        for text in (
            "UPDATE counter SET n = meddling(id)",
            "DELETE FROM counter WHERE meddling(id) = 7",
            "MERGE INTO counter USING (VALUES (1)) v (k) ON id = v.k WHEN MATCHED THEN UPDATE SET n = meddling(v.k)",
        ):
            with pytest.raises(psycopg.errors.FeatureNotSupported):
                c.execute(text)  # type: ignore[call-overload]
        before = c.execute("SELECT sum(n) FROM counter").fetchone()
        assert before is not None
        c.execute("SELECT meddling(id) FROM counter")
        assert c.execute("SELECT sum(n) FROM counter").fetchone() == (before[0] + 200,)


def test_functions_that_run_do_not_read_the_past(made: ServerProcess) -> None:
    with made.connect() as c:
        then = c.execute("SELECT now()").fetchone()
        assert then is not None
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="AS OF"):
            c.execute(f"SELECT share(1) AS OF TIMESTAMP '{then[0].isoformat()}'".encode())


def test_locks_that_cannot_be_had_are_taken_by_handlers(made: ServerProcess) -> None:
    """NOWAIT and lock_timeout, by key and by a condition: 55P03 is an error like another, and what came before it is undone."""
    tried = {
        "by_key": "PERFORM * FROM counter WHERE id = 1 FOR UPDATE NOWAIT",
        "by_rows": "PERFORM * FROM counter WHERE n >= 0 FOR UPDATE NOWAIT",
        "dynamic": "EXECUTE 'SELECT 1 FROM counter WHERE id = 1 FOR UPDATE NOWAIT'",
        "after_a_while": "SET LOCAL lock_timeout = '50ms'; UPDATE counter SET n = n + 1 WHERE id = 1",
        "rows_after_a_while": "SET LOCAL lock_timeout = '50ms'; UPDATE counter SET n = n + 1 WHERE n >= 0",
        "advisory": "SET LOCAL lock_timeout = '50ms'; PERFORM pg_advisory_xact_lock(77)",
    }
    with made.connect() as holder, made.connect() as other:
        for name, statement in tried.items():
            other.execute(
                f"""CREATE OR REPLACE FUNCTION {name}() RETURNS text LANGUAGE plpgsql AS $$
                    BEGIN
                      BEGIN
                        INSERT INTO items VALUES (-1, 0, 0);
                        {statement};
                        RETURN 'had';
                      EXCEPTION WHEN lock_not_available THEN
                        RETURN SQLSTATE || ' ' || current_setting('lock_timeout');
                      END;
                    END $$"""
            )
        holder.execute("BEGIN")
        holder.execute("UPDATE counter SET n = n + 1")
        holder.execute("SELECT pg_advisory_xact_lock(77)")
        for name in tried:
            assert other.execute(f"SELECT {name}()").fetchall() == [("55P03 0",)], name
            assert other.execute("SELECT count(*) FROM items WHERE id = -1").fetchall() == [(0,)], name
        holder.execute("ROLLBACK")
        assert other.execute("SELECT by_key()").fetchall() == [("had",)]
        other.execute("DELETE FROM items WHERE id = -1")


def test_a_row_at_a_cursor_of_a_body_that_does_not_say_which_it_is_is_refused_by_name(
    made: ServerProcess,
) -> None:
    with made.connect() as c:
        c.execute("CREATE TEMP TABLE keyless AS SELECT 1 AS n")
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="WHERE CURRENT OF"):
            c.execute(
                """DO $$ DECLARE c refcursor; r record; BEGIN OPEN c FOR EXECUTE 'SELECT * FROM keyless'; FETCH c INTO r;
                UPDATE keyless SET n = 1 WHERE CURRENT OF c; END $$"""
            )


def test_a_row_without_a_key_that_another_statement_has_written_is_not_found_again(
    made: ServerProcess,
) -> None:
    with made.connect() as c:
        c.execute("CREATE TEMP TABLE keyless AS SELECT 1 AS n")
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="that others have written"):
            c.execute(
                """DO $$ DECLARE c CURSOR FOR SELECT n FROM keyless; r record;
                BEGIN OPEN c; FETCH c INTO r; UPDATE keyless SET n = 2; DELETE FROM keyless WHERE CURRENT OF c; END $$"""
            )
