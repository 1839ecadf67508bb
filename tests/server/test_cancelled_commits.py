"""What ends a transaction may work for long, in triggers that waited for it: whoever cancels that is heeded, however the transaction ends.

begins      INSERT   a string of statements   a pipeline   COPY          COMMIT in words
works       a deferred trigger, or one of the COPY's own rows or of its end, that sleeps for an hour
is ended    by a cancel request, by pg_terminate_backend; COPY by its time limit, too
leaves      nothing of the transaction, no lock, and (but for the last) a session that goes on
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from tests.server.process import ServerProcess, wait_until

LIMIT_S = 60.0

SETUP = """
CREATE TABLE at_commit (id int PRIMARY KEY);
CREATE TABLE at_end (id int PRIMARY KEY);
CREATE TABLE at_row (id int PRIMARY KEY);
CREATE FUNCTION works() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(3600); RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER t AFTER INSERT ON at_commit DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION works();
CREATE TRIGGER t AFTER INSERT ON at_end EXECUTE FUNCTION works();
CREATE TRIGGER t BEFORE INSERT ON at_row FOR EACH ROW EXECUTE FUNCTION works();
"""
TABLES = ("at_commit", "at_end", "at_row")
Client = psycopg.Connection[Any]


def _copy(client: Client, table: str) -> None:
    with client.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN") as copy:
        copy.write("7\n")


def _pipeline(client: Client, executions: int) -> None:
    with client.pipeline():
        for i in range(executions):
            client.execute("INSERT INTO at_commit VALUES (%s)", (i,))
        client.execute("SELECT 1")


def _committed(client: Client) -> None:
    client.execute("BEGIN")
    client.execute("INSERT INTO at_commit VALUES (7)")
    client.execute("COMMIT")


WAYS: dict[str, Callable[[Client], object]] = {
    "a statement": lambda client: client.execute("INSERT INTO at_commit VALUES (7)"),
    "several in a string": lambda client: client.execute("INSERT INTO at_commit VALUES (7); SELECT 1"),
    "a pipeline": lambda client: _pipeline(client, 1),
    "a long pipeline": lambda client: _pipeline(client, 100),
    "COMMIT": _committed,
    "COPY, deferred": lambda client: _copy(client, "at_commit"),
    "COPY, its end": lambda client: _copy(client, "at_end"),
    "COPY, a row": lambda client: _copy(client, "at_row"),
}


@pytest.fixture(scope="module")
def prepared(server: ServerProcess) -> Iterator[ServerProcess]:
    with server.connect() as connection:
        connection.execute(SETUP)
        yield server
        connection.execute("DROP TABLE at_commit, at_end, at_row; DROP FUNCTION works")


def _ended(client: Client, run: Callable[[Client], object]) -> None:
    began = time.monotonic()
    with pytest.raises(
        psycopg.OperationalError
    ):  # 57014, 57P01, and what psycopg makes of them in a pipeline
        run(client)
    assert time.monotonic() - began < LIMIT_S, "it worked on"


def _nothing_left(server: ServerProcess, pid: int) -> None:
    with server.connect() as other:
        wait_until(
            lambda: other.execute("SELECT count(*) FROM pg_locks WHERE pid = %s", (pid,)).fetchone() == (0,)
        )
        for table in TABLES:
            assert other.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() == (0,)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("ending", ["cancel", "terminate"])
def test_it_is_ended(prepared: ServerProcess, way: str, ending: str) -> None:
    client = prepared.connect()
    pid = client.info.backend_pid

    def end() -> None:
        with prepared.connect() as other:
            asks = "SELECT state FROM pg_stat_activity WHERE pid = %s"
            wait_until(lambda: other.execute(asks, (pid,)).fetchone() == ("active",))
            time.sleep(0.3)
            if ending == "terminate":
                other.execute("SELECT pg_terminate_backend(%s)", (pid,))
            else:
                other.execute("SELECT pg_cancel_backend(%s)", (pid,))

    ends = threading.Thread(target=end)
    ends.start()
    _ended(client, WAYS[way])
    ends.join()
    _nothing_left(prepared, pid)
    if (
        ending == "cancel" and "pipeline" not in way
    ):  # after an error of Sync itself psycopg's connection is of no use
        if client.info.transaction_status == psycopg.pq.TransactionStatus.INERROR:
            client.execute("ROLLBACK")
        assert client.execute("SELECT 1").fetchone() == (1,)
    client.close()


@pytest.mark.parametrize("table", TABLES[1:])
@pytest.mark.parametrize("in_block", [False, True])
def test_the_time_limit_of_a_copy_holds_while_triggers_work(
    prepared: ServerProcess, table: str, in_block: bool
) -> None:
    with prepared.connect() as client:
        client.execute("SET statement_timeout = '400ms'")
        if in_block:
            client.execute("BEGIN")
        _ended(client, lambda client: _copy(client, table))
        if in_block:
            assert client.info.transaction_status == psycopg.pq.TransactionStatus.INERROR
            client.execute("ROLLBACK")
        assert client.execute("SELECT 1").fetchone() == (1,)
        _nothing_left(prepared, client.info.backend_pid)
