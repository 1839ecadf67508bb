"""Functions that act as their owners, where it might go wrong: cancelled in the middle, timed out, closed, pipelined, in kept plans.

After each of them the session must be its own again, in name, path and rights.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import contextlib
from collections.abc import Iterator

import psycopg
import pytest

from tests.server.process import ServerProcess

MADE = """
CREATE ROLE fo_owner LOGIN SUPERUSER;
CREATE ROLE fo_caller LOGIN;
CREATE SCHEMA fo;
GRANT USAGE ON SCHEMA fo TO fo_caller;
CREATE TABLE fo.kept (id int PRIMARY KEY, v int);
INSERT INTO fo.kept SELECT i, 0 FROM generate_series(1, 200) i;
CREATE TABLE fo.held (id int PRIMARY KEY, v int);
INSERT INTO fo.held VALUES (1, 0);
SET ROLE fo_owner;
CREATE FUNCTION fo.sleeps(s float) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = fo AS $$
BEGIN PERFORM pg_sleep(s); RETURN current_user; END $$;
CREATE FUNCTION fo.loops() RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = fo AS $$
BEGIN LOOP PERFORM 1; END LOOP; END $$;
CREATE FUNCTION fo.waits(i int) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = fo AS $$
BEGIN UPDATE held SET v = v + 1 WHERE id = 1; RETURN current_user; END $$;
CREATE FUNCTION fo.writes(i int) RETURNS text LANGUAGE plpgsql SECURITY DEFINER SET search_path = fo AS $$
BEGIN UPDATE kept SET v = v + 1 WHERE id = i; RETURN current_user; END $$;
CREATE FUNCTION fo.sums() RETURNS bigint LANGUAGE plpgsql AS $$ BEGIN RETURN (SELECT sum(v) FROM fo.kept); END $$;
CREATE FUNCTION fo.who() RETURNS text LANGUAGE sql SECURITY DEFINER AS 'SELECT current_user::text';
RESET ROLE
"""
UNENDING = [
    "SELECT fo.sleeps(60)",
    "SELECT fo.loops()",
    "SELECT fo.waits(1)",
    "SELECT fo.sleeps(60) FROM generate_series(1, 3)",
    "SELECT fo.loops() FROM generate_series(1, 3)",
    "SELECT fo.waits(i) FROM generate_series(1, 3) i",
    "EXPLAIN ANALYZE SELECT fo.waits(i) FROM generate_series(1, 3) i",
    "CREATE TEMP TABLE made AS SELECT fo.loops() FROM generate_series(1, 3)",
    "COPY (SELECT fo.waits(i) FROM generate_series(1, 3) i) TO STDOUT",
]


@pytest.fixture(scope="module")
def owned(server: ServerProcess) -> Iterator[ServerProcess]:
    with server.connect() as c:
        c.execute(MADE)
    yield server


def assert_its_own(c: psycopg.Connection) -> None:
    said = c.execute("SELECT current_user, session_user, current_setting('search_path')").fetchall()
    assert said == [("fo_caller", "fo_caller", '"$user", public')]
    for query in (
        "SELECT v FROM fo.kept WHERE id = 1",
        "SELECT sum(v) FROM fo.kept",
        "UPDATE fo.kept SET v = -1",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            c.execute(query)


def run(c: psycopg.Connection, query: str) -> None:
    if not query.startswith("COPY"):
        c.execute(query)
        return
    with c.cursor() as cursor, cursor.copy(query) as copied:
        for _ in copied:
            pass


@pytest.mark.parametrize("block", [False, True], ids=["alone", "in a block"])
@pytest.mark.parametrize("query", UNENDING)
def test_who_is_stopped_in_the_middle_is_himself_again(owned: ServerProcess, query: str, block: bool) -> None:
    with owned.connect() as holder, owned.connect(user="fo_caller") as c:
        holder.execute("BEGIN")
        holder.execute("UPDATE fo.held SET v = 0 WHERE id = 1")
        c.execute("SET statement_timeout = 200")
        if block:
            c.execute("BEGIN")
        with pytest.raises(psycopg.errors.QueryCanceled):
            run(c, query)
        if block:
            c.execute("ROLLBACK")
        assert_its_own(c)
        holder.execute("ROLLBACK")
        c.execute("SET statement_timeout = 0")
        assert c.execute("SELECT fo.waits(1), current_user").fetchall() == [("fo_owner", "fo_caller")]
        assert_its_own(c)


def test_what_is_pipelined_behind_it_is_the_callers(owned: ServerProcess) -> None:
    with owned.connect(user="fo_caller") as c:
        with pytest.raises(psycopg.errors.InsufficientPrivilege), c.pipeline():
            for _ in range(3):
                first = c.execute("SELECT fo.sleeps(0.05)")
                second = c.execute("SELECT current_user")
            c.execute("SELECT v FROM fo.kept WHERE id = %s", (1,))
        assert first.fetchall() == [("fo_owner",)]
        assert second.fetchall() == [("fo_caller",)]
        assert_its_own(c)


def test_a_statement_prepared_on_either_side_is_planned_for_who_runs_it(owned: ServerProcess) -> None:
    with owned.connect() as c:
        c.execute("SET ROLE fo_owner")
        c.execute(
            "CREATE FUNCTION fo.says(q text) RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$"
            " DECLARE r text; BEGIN EXECUTE q INTO r; RETURN r; END $$;"
            " CREATE FUNCTION fo.does(q text) RETURNS void LANGUAGE plpgsql SECURITY DEFINER AS $$"
            " BEGIN EXECUTE q; END $$"
        )
    with owned.connect(user="fo_caller") as c:
        c.execute("SELECT fo.does('PREPARE inside AS SELECT v FROM fo.kept WHERE id = 1')")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            c.execute("EXECUTE inside")
        assert c.execute("SELECT fo.says('EXECUTE inside')").fetchall() == [("0",)]
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            c.execute("EXECUTE inside")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            c.execute("EXPLAIN EXECUTE inside")
        assert_its_own(c)


def test_an_invokers_function_is_planned_for_each_of_its_callers(owned: ServerProcess) -> None:
    with owned.connect() as c:
        c.execute("SET ROLE fo_owner")
        c.execute(
            "CREATE FUNCTION fo.reads() RETURNS int LANGUAGE plpgsql AS $$"
            " BEGIN RETURN (SELECT v FROM fo.kept WHERE id = 199); END $$;"
            " CREATE FUNCTION fo.reads_for() RETURNS int LANGUAGE plpgsql SECURITY DEFINER AS $$"
            " BEGIN RETURN fo.reads(); END $$"
        )
    with owned.connect(user="fo_caller") as c:
        for _ in range(3):
            assert c.execute("SELECT fo.reads_for()").fetchall() == [(0,)]
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                c.execute("SELECT fo.reads()")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                c.execute("SELECT fo.reads() FROM generate_series(1, 2)")


def test_a_session_that_is_closed_in_the_middle_leaves_nothing(owned: ServerProcess) -> None:
    with owned.connect() as holder:
        holder.execute("BEGIN")
        holder.execute("UPDATE fo.held SET v = 0 WHERE id = 1")

        async def gone() -> None:
            c = await psycopg.AsyncConnection.connect(
                host=owned.host,
                port=owned.port,
                user="fo_caller",
                dbname="tidewire",
                autocommit=True,
                options="-c client_connection_check_interval=1s",
            )
            waiting = asyncio.create_task(c.execute("SELECT fo.waits(i) FROM generate_series(1, 3) i"))
            while not holder.execute(
                "SELECT 1 FROM pg_stat_activity WHERE usename = 'fo_caller' AND state = 'active'"
            ).fetchall():
                await asyncio.sleep(0)
            await c.close()
            with contextlib.suppress(psycopg.Error):
                await waiting

        asyncio.run(gone())
        holder.execute("COMMIT")
        with owned.connect(user="fo_caller") as c:
            assert c.execute("SELECT fo.who(), fo.waits(1)").fetchall() == [("fo_owner", "fo_owner")]
            assert_its_own(c)
        assert holder.execute("SELECT v FROM fo.held").fetchall() == [(1,)]


def test_another_role_needs_its_membership_however_it_is_asked_for(owned: ServerProcess) -> None:
    with owned.connect(user="fo_caller") as c:
        for statement in (
            "SELECT set_config('role', 'fo_owner', false)",
            "SELECT set_config('role', 'fo_owner', true)",
            "SELECT set_config('session_authorization', 'fo_owner', false)",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                c.execute(statement)
        assert_its_own(c)
    for option in ("role", "session_authorization"):
        with pytest.raises(psycopg.OperationalError, match="permission denied to set"):
            owned.connect(user="fo_caller", options=f"-c {option}=fo_owner")
    with owned.connect(user="fo_owner", options="-c role=fo_caller") as c:
        assert c.execute("SELECT current_user, session_user").fetchall() == [("fo_caller", "fo_owner")]
        c.execute("SET application_name = 'x'")
        assert c.execute("SELECT current_user, session_user").fetchall() == [("fo_caller", "fo_owner")]


def test_who_waits_in_the_middle_of_a_query_holds_nobody_up(owned: ServerProcess) -> None:
    """Not those who read or write its table, be there more such queries than the server has threads for others."""
    with contextlib.ExitStack() as stack:
        holder = stack.enter_context(owned.connect())
        others = [stack.enter_context(owned.connect(user="fo_owner")) for _ in range(6)]
        holder.execute("SET statement_timeout = '20s'")
        holder.execute("BEGIN")
        holder.execute("UPDATE fo.held SET v = 0 WHERE id = 1")
        pool = stack.enter_context(concurrent.futures.ThreadPoolExecutor(len(others)))
        query = "SELECT count(fo.waits(id)), count(fo.sums()) FROM fo.kept WHERE id < 3"
        waiting = [pool.submit(c.execute, query) for c in others]
        try:
            while holder.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE usename = 'fo_owner' AND wait_event_type = 'Lock'"
            ).fetchall() < [(4,)]:
                pass
            with owned.connect() as c:
                c.execute("SET statement_timeout = '20s'")
                (before,) = c.execute("SELECT sum(v) FROM fo.kept").fetchall()[0]
                c.execute("UPDATE fo.kept SET v = v + 1 WHERE id = 1")
                assert c.execute("SELECT sum(v) FROM fo.kept").fetchall() == [(before + 1,)]
        finally:
            holder.execute("ROLLBACK")
            done = [f.exception() or f.result().fetchall() for f in waiting]
        assert done == [[(2, 2)]] * len(others)
