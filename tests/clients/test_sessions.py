"""What sessions share and what they do not: databases, settings by function, other backends, the catalog's types."""

from __future__ import annotations

import socket
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from tests.server.process import ServerProcess, wait_until


def test_databases_have_schemas_of_their_own(server: ServerProcess) -> None:
    with server.connect() as c:
        c.execute("CREATE DATABASE apart")
        c.execute("CREATE TABLE here (a serial PRIMARY KEY, b int CHECK (b > 0))")
    with server.connect(dbname="apart") as c:
        assert c.execute("SELECT to_regclass('here')").fetchone() == (None,)
        c.execute("CREATE TABLE here (a serial PRIMARY KEY, other text)")
        assert c.execute("INSERT INTO here (other) VALUES ('x') RETURNING a").fetchone() == (1,)
        c.execute("SELECT setval('here_a_seq', 10)")
        assert c.execute("INSERT INTO here (other) VALUES ('y') RETURNING a").fetchone() == (11,)
        c.execute("CREATE TEMP TABLE brief (a int)")
    with server.connect() as c:
        assert c.execute("INSERT INTO here (b) VALUES (1) RETURNING *").fetchone() == (1, 1)
        with pytest.raises(psycopg.errors.CheckViolation):
            c.execute("INSERT INTO here (b) VALUES (0)")
        assert c.execute("SELECT count(*) FROM pg_class WHERE relname = 'here'").fetchone() == (1,)


def test_settings_by_name(server: ServerProcess) -> None:
    with server.connect() as c:
        c.execute("SELECT set_config('my.name', 'x', false)")
        assert c.execute("SELECT current_setting('my.' || 'name')").fetchone() == ("x",)
        assert c.execute("SELECT current_setting('no.' || 'such', true)").fetchone() == (None,)
        shown = c.execute("SELECT current_setting(name) FROM pg_settings WHERE name = 'DateStyle'").fetchone()
        assert shown == ("ISO, MDY",)


def test_a_backend_is_ended_by_another(server: ServerProcess) -> None:
    with server.connect() as c, server.connect() as other:
        pid = other.info.backend_pid
        assert c.execute("SELECT pg_terminate_backend(%s)", [pid]).fetchone() == (True,)
        wait_until(
            lambda: (
                c.execute("SELECT count(*) FROM pg_stat_activity WHERE pid = %s", [pid]).fetchone() == (0,)
            )
        )
        with pytest.raises(psycopg.OperationalError):
            other.execute("SELECT 1")
        assert c.execute("SELECT pg_terminate_backend(%s)", [pid]).fetchone() == (False,)


SIGNALS = [
    # who asks, whose session it is, what is said
    (
        "signals_ann",
        "signals_bob",
        "must be a member of the role whose process is being terminated or member of pg_signal_backend",
    ),
    ("signals_ann", "tidewire", "must be a superuser to terminate superuser process"),
    ("signals_all", "tidewire", "must be a superuser to terminate superuser process"),
    ("signals_ann", "signals_ann", None),
    ("signals_all", "signals_bob", None),
    ("signals_in_bob", "signals_bob", None),
]


@pytest.mark.parametrize(("asking", "asked", "refusal"), SIGNALS)
def test_who_may_end_whose_session(
    server: ServerProcess, asking: str, asked: str, refusal: str | None
) -> None:
    with server.connect() as c:
        if c.execute("SELECT 1 FROM pg_roles WHERE rolname = 'signals_ann'").fetchone() is None:
            c.execute("CREATE ROLE signals_ann; CREATE ROLE signals_bob")
            c.execute(
                "CREATE ROLE signals_all IN ROLE pg_signal_backend; CREATE ROLE signals_in_bob IN ROLE signals_bob"
            )
        with server.connect() as other:
            other.execute(f"SET SESSION AUTHORIZATION {asked}")
            c.execute(f"SET ROLE {asking}")
            question = "SELECT pg_terminate_backend(%s)"
            if refusal is None:
                assert c.execute(question, [other.info.backend_pid]).fetchone() == (True,)
                return
            with pytest.raises(psycopg.errors.InsufficientPrivilege, match=refusal):
                c.execute(question, [other.info.backend_pid])
            assert other.execute("SELECT 1").fetchone() == (1,)


def test_who_ends_itself_is_told_why_and_nothing_else(server: ServerProcess) -> None:
    with (
        server.connect() as c,
        pytest.raises(psycopg.OperationalError, match="terminating connection due to administrator") as told,
    ):
        c.execute("SELECT pg_terminate_backend(pg_backend_pid())")
    assert told.value.sqlstate == "57P01"


ACTIVITY = """
    SELECT d.datname, r.rolname, host(a.client_addr), a.client_port, a.state, a.query, a.wait_event_type,
           a.backend_start <= a.query_start, a.xact_start <= a.query_start, a.query_start <= now()
    FROM pg_stat_activity a LEFT JOIN pg_database d ON d.oid = a.datid LEFT JOIN pg_roles r ON r.oid = a.usesysid
    WHERE a.pid = %s
"""


def test_pg_stat_activity_says_who_where_and_since_when(server: ServerProcess) -> None:
    with server.connect() as c, server.connect(dbname="postgres") as other:
        port = socket.fromfd(other.fileno(), socket.AF_INET, socket.SOCK_STREAM).getsockname()[1]
        pid = other.info.backend_pid
        other.execute("SELECT 'idle'")
        seen = c.execute(ACTIVITY, [pid]).fetchone()
        where = ("postgres", "tidewire", "127.0.0.1", port)
        assert seen == (*where, "idle", "SELECT 'idle'", "Client", True, None, True)
        other.execute("BEGIN")
        other.execute("SELECT 'in a block'")
        seen = c.execute(ACTIVITY, [pid]).fetchone()
        assert seen == (*where, "idle in transaction", "SELECT 'in a block'", "Client", True, True, True)
        other.execute("ROLLBACK")
        own = other.execute(ACTIVITY, [pid]).fetchone()
        assert own is not None and own[:5] == (*where, "active") and own[6:] == (None, True, True, True)


def test_pg_stat_activity_hides_what_others_do(server: ServerProcess) -> None:
    with server.connect() as c:
        c.execute("CREATE ROLE curious LOGIN")
        with server.connect(user="curious") as other:
            seen = other.execute(ACTIVITY, [c.info.backend_pid]).fetchone()
            hidden = (None, None, None, "<insufficient privilege>", None, None, None, None)
            assert seen == ("tidewire", "tidewire", *hidden)
        c.execute("DROP ROLE curious")


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(information_schema._pg_expandarray('{7,8}'::int[])).n", [(1,), (2,)]),
        ("information_schema._pg_expandarray('{7,8}'::int[])", [(("7", "1"),), (("8", "2"),)]),
        ("count(*) FROM pg_get_keywords() WHERE catcode = 'R'", [(77,)]),
        ("('{7,8}'::int[])[1::int]", [(7,)]),
        ("'{1,2}'::oid[] = '{1,2}'", [(True,)]),
        ("tableoid::regclass::text FROM pg_am LIMIT 1", [("pg_am",)]),
        ("indkey[0] FROM pg_index i JOIN pg_class c ON c.oid = indexrelid WHERE relname = 'cat_pkey'", [(2,)]),
        ("generate_subscripts(indkey, 1) FROM pg_index i JOIN pg_class c ON c.oid = indexrelid "
         "WHERE relname = 'cat_pkey'", [(0,)]),
        ("(SELECT 2) = ANY (ARRAY[1, 2])", [(True,)]),
        ("pg_typeof(a)::text FROM (SELECT 1) x(a) JOIN (SELECT 1::bigint) y(a) USING (a)", [("bigint",)]),
        ("pg_size_pretty(123456789::bigint)", [("118 MB",)]),
        ("has_table_privilege('cat', 'SELECT'), pg_has_role('tidewire', 'USAGE')", [(True, True)]),
    ],
)  # fmt: skip
def test_expressions_that_clients_send_to_the_catalog(
    server: ServerProcess, expression: str, expected: list[tuple[object, ...]]
) -> None:
    with server.connect() as c:
        c.execute("CREATE TABLE IF NOT EXISTS cat (a int, b int PRIMARY KEY)")
        assert c.execute(f"SELECT {expression}").fetchall() == expected


def test_workers_that_start_together_make_what_is_not_there(server: ServerProcess) -> None:
    """IF NOT EXISTS and OR REPLACE look again when somebody else has just made it."""

    def starts(worker: int) -> None:
        with server.connect() as c:
            for i in range(8):
                c.execute(
                    f"CREATE OR REPLACE FUNCTION begun{i}() RETURNS int LANGUAGE sql AS 'SELECT {worker}'"
                )
                c.execute(f"CREATE OR REPLACE VIEW begun_view{i} AS SELECT {worker} AS a")
                c.execute(f"CREATE SEQUENCE IF NOT EXISTS begun_numbers{i}")
                c.execute(f"CREATE TABLE IF NOT EXISTS begun_table{i} (a int)")

    with ThreadPoolExecutor(4) as workers:
        list(workers.map(starts, range(4)))
    with server.connect() as c:
        assert c.execute("SELECT begun7() = a OR a BETWEEN 0 AND 3 FROM begun_view7").fetchone() == (True,)
