"""How long things may take, as a client meets it: statements, waits for locks, transactions, and silence."""

from __future__ import annotations

import select
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from psycopg import errors

from tests.server.process import ServerProcess, wait_until


@pytest.fixture
def client(server: ServerProcess) -> Iterator[psycopg.Connection[Any]]:
    connection = server.connect()
    yield connection
    connection.close()


@pytest.fixture
def held_row(server: ServerProcess, client: psycopg.Connection[Any]) -> Iterator[None]:
    """A row that somebody else has locked."""
    client.execute("DROP TABLE IF EXISTS held")
    client.execute("CREATE TABLE held (id int PRIMARY KEY, v int)")
    client.execute("INSERT INTO held VALUES (1, 0)")
    with server.connect() as other:
        other.execute("BEGIN")
        other.execute("UPDATE held SET v = 1 WHERE id = 1")
        yield
        other.execute("ROLLBACK")
    client.execute("ROLLBACK")
    client.execute("SET statement_timeout = 0")
    client.execute("DROP TABLE held")


@pytest.mark.parametrize("statement", ["UPDATE held SET v = 2 WHERE id = 1", "SELECT pg_sleep(30)"])
@pytest.mark.parametrize("in_block", [True, False])
@pytest.mark.usefixtures("held_row")
def test_statement_timeout(client: psycopg.Connection[Any], statement: str, in_block: bool) -> None:
    client.execute("SET statement_timeout = '500ms'")
    if in_block:
        client.execute("BEGIN")
    with pytest.raises(errors.QueryCanceled, match="canceling statement due to statement timeout"):
        client.execute(statement)
    if in_block:
        with pytest.raises(errors.InFailedSqlTransaction):
            client.execute("SELECT 1")
        client.execute("ROLLBACK")
    assert client.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize(
    "statement",
    [
        "SELECT to_char(1, repeat('9', 100000000))",
        "SELECT length(to_char(now(), repeat('YYYY', 50000000))) FROM generate_series(1, 3)",
        "SELECT count(*) FROM generate_series(1::numeric, 1000000000000)",
        "DO $$ DECLARE v text := ''; BEGIN LOOP v := v || repeat('x', 1000000); END LOOP; END $$",
        "DO $$ BEGIN LOOP RAISE NOTICE '%', repeat('x', 1000); END LOOP; END $$",
    ],
)
def test_statement_timeout_ends_what_one_value_takes(
    server: ServerProcess, client: psycopg.Connection[Any], statement: str
) -> None:
    """Also in the middle of a function of Python's, which DuckDB's interruption does not reach; others are answered meanwhile."""
    client.execute("SET statement_timeout = '2s'")
    answered: list[float] = []
    with ThreadPoolExecutor(1) as pool, server.connect() as other:
        running = pool.submit(client.execute, statement.encode())
        while not running.done():
            began = time.monotonic()
            assert other.execute("SELECT 1").fetchone() == (1,)
            answered.append(time.monotonic() - began)
            time.sleep(0.01)
            assert sum(answered) < 60, "it does not end"
        with pytest.raises(errors.QueryCanceled, match="canceling statement due to statement timeout"):
            running.result()
    assert max(answered) < 5
    assert client.execute("SELECT 1").fetchone() == (1,)


@pytest.mark.parametrize(
    "statement",
    ["UPDATE held SET v = 2 WHERE id = 1", "SELECT * FROM held WHERE id = 1 FOR UPDATE"],
)
@pytest.mark.usefixtures("held_row")
def test_lock_timeout(client: psycopg.Connection[Any], statement: str) -> None:
    client.execute("SET lock_timeout = '50ms'")
    client.execute("BEGIN")
    with pytest.raises(errors.LockNotAvailable, match="canceling statement due to lock timeout"):
        client.execute(statement)
    client.execute("ROLLBACK")


def _ends(connection: psycopg.Connection[Any]) -> str | None:
    """The SQLSTATE with which a connection that nobody uses ends."""
    assert select.select([connection.pgconn.socket], [], [], 60)[0], "it goes on"
    with pytest.raises(psycopg.Error) as ended:
        connection.execute("SELECT 1")
    return ended.value.sqlstate


def test_idle_in_transaction_session_timeout(client: psycopg.Connection[Any]) -> None:
    client.execute("SET idle_in_transaction_session_timeout = '1s'")
    time.sleep(1.1)
    client.execute("BEGIN")
    client.execute("SELECT pg_sleep(1.1)")  # whoever is busy is not idle
    client.execute("SELECT 1")
    assert _ends(client) == "25P03"
    assert client.closed


def test_idle_session_timeout(client: psycopg.Connection[Any]) -> None:
    client.execute("SET idle_session_timeout = '1s'")
    client.execute("BEGIN")
    time.sleep(1.1)
    client.execute("COMMIT")
    assert _ends(client) == "57P05"


def test_transaction_timeout(server: ServerProcess, client: psycopg.Connection[Any]) -> None:
    client.execute("DROP TABLE IF EXISTS aged")
    client.execute("CREATE TABLE aged (id int PRIMARY KEY)")
    client.execute("SET transaction_timeout = '1500ms'")
    for _ in range(2):
        client.execute("SELECT pg_sleep(0.8)")  # each is a transaction of its own
    client.execute("BEGIN")
    client.execute("INSERT INTO aged VALUES (1)")
    with pytest.raises(psycopg.Error, match="terminating connection due to transaction timeout") as caught:
        client.execute("SELECT pg_sleep(30)")
    assert (caught.value.sqlstate, caught.value.diag.severity) == ("25P04", "FATAL")
    assert client.closed
    with server.connect() as other:
        assert other.execute("SELECT count(*) FROM aged").fetchone() == (0,)


def test_a_failed_block_is_ended_however_little_time_there_is(client: psycopg.Connection[Any]) -> None:
    client.execute("SET statement_timeout = '1ms'")
    for how in ("ROLLBACK", "COMMIT", "ABORT"):
        client.execute("BEGIN")
        with pytest.raises(psycopg.Error):
            client.execute("SELECT pg_sleep(1)")
        client.execute(f"{how} {'/* long to read */ ' * 50_000}".encode())
        assert client.info.transaction_status == psycopg.pq.TransactionStatus.IDLE


def test_statement_timeout_ends_a_copy_too(client: psycopg.Connection[Any]) -> None:
    client.execute("DROP TABLE IF EXISTS copied_late")
    client.execute("CREATE TABLE copied_late (id int PRIMARY KEY)")
    client.execute("SET statement_timeout = '500ms'")
    with (
        pytest.raises(psycopg.errors.QueryCanceled, match="due to statement timeout"),
        client.cursor() as cursor,
        cursor.copy("COPY copied_late FROM STDIN") as copy,
    ):
        copy.write("1\n")
        assert select.select([client.pgconn.socket], [], [], 240)[0], "it goes on"
    assert client.execute("SELECT count(*) FROM copied_late").fetchone() == (0,)


def test_a_long_answer_ends_for_the_reason_that_it_has(client: psycopg.Connection[Any]) -> None:
    client.execute("SET statement_timeout = '1s'")
    with pytest.raises(psycopg.errors.QueryCanceled, match="due to statement timeout"):
        client.execute("SELECT i, md5(i::text) FROM generate_series(1, 300000000) i")


def test_a_program_is_heard_while_it_works(server: ServerProcess, client: psycopg.Connection[Any]) -> None:
    """What it says was kept until its end, however much or long that was."""
    said: list[str | None] = []
    client.add_notice_handler(lambda d: said.append(d.message_primary))
    body = "BEGIN PERFORM pg_sleep(0.3); RAISE NOTICE 'begun'; PERFORM pg_sleep(600); END"
    with ThreadPoolExecutor(1) as pool, server.connect() as other:
        running = pool.submit(client.execute, f"DO $$ {body} $$".encode())
        wait_until(lambda: said == ["begun"])
        assert not running.done()
        other.execute("SELECT pg_cancel_backend(%s)", [client.info.backend_pid])
        with pytest.raises(errors.QueryCanceled):
            running.result()
    client.execute("DO $$ BEGIN FOR i IN 1..1000 LOOP RAISE NOTICE '%', i; END LOOP; END $$")
    assert said[1:] == [str(i) for i in range(1, 1001)]
