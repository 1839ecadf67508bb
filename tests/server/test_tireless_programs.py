"""A program may handle each request to stop, and go on. When its session ends it does not, and leaves neither locks nor rows.

LOOP  BEGIN ... EXCEPTION WHEN query_canceled THEN ...  END LOOP        pg_cancel_backend     it goes on
                                                                         pg_terminate_backend, the client goes     it ends

That a client goes ends what it has begun only in sessions that are to look after their clients.
"""

from __future__ import annotations

import psycopg
import pytest

from tests.server.process import ServerProcess, wait_until

LOOKS_AFTER_ITS_CLIENT = "SET client_connection_check_interval = '1s'"
PROGRAM = """
DO $$ BEGIN
  INSERT INTO tireless VALUES (1);
  LOOP
    BEGIN
      PERFORM pg_sleep(3600);
    EXCEPTION WHEN query_canceled THEN
      PERFORM set_config('application_name', 'it goes on', false);
    END;
  END LOOP;
END $$
"""


def _asked(server: ServerProcess, query: str, pid: int) -> object:
    with server.connect() as other:
        row = other.execute(query.encode(), (pid,)).fetchone()
    return None if row is None else row[0]


def _holds_locks(server: ServerProcess, pid: int) -> bool:
    with server.connect() as other:
        return bool(other.execute("SELECT FROM pg_locks WHERE pid = %s", (pid,)).fetchall())


@pytest.mark.parametrize("ending", ["it is told to end", "its client goes"])
def test_it_ends_with_its_session(server: ServerProcess, ending: str) -> None:
    with server.connect() as client:
        client.execute("CREATE TABLE IF NOT EXISTS tireless (id int PRIMARY KEY)")
    client = server.connect()
    client.execute(LOOKS_AFTER_ITS_CLIENT)
    pid = client.info.backend_pid
    client.pgconn.send_query(PROGRAM.encode())
    wait_until(lambda: _holds_locks(server, pid))

    _asked(server, "SELECT pg_cancel_backend(%s)", pid)
    name = "SELECT application_name FROM pg_stat_activity WHERE pid = %s"
    wait_until(lambda: _asked(server, name, pid) == "it goes on")

    if ending == "its client goes":
        client.close()
    else:
        _asked(server, "SELECT pg_terminate_backend(%s)", pid)
    wait_until(lambda: _asked(server, name, pid) is None)
    assert not _holds_locks(server, pid)
    with server.connect() as other:
        assert other.execute("SELECT count(*) FROM tireless").fetchone() == (0,)


COMMITS = """
CREATE OR REPLACE PROCEDURE commits() LANGUAGE plpgsql AS $$ BEGIN
  LOOP
    UPDATE committed SET n = n + 1;
    COMMIT;
  END LOOP;
END $$
"""


@pytest.mark.parametrize("ending", ["cancel", "time limit", "it is told to end", "its client goes"])
def test_a_commit_puts_a_request_to_stop_off_and_does_not_lose_it(server: ServerProcess, ending: str) -> None:
    with server.connect() as client:
        client.execute("DROP TABLE IF EXISTS committed")
        client.execute("CREATE TABLE committed (id int PRIMARY KEY, n int)")
        client.execute("INSERT INTO committed VALUES (1, 0)")
        client.execute(COMMITS)
    client = server.connect()
    client.execute(LOOKS_AFTER_ITS_CLIENT)
    pid = client.info.backend_pid
    if ending == "time limit":
        client.execute("SET statement_timeout = '400ms'")
        with pytest.raises(psycopg.errors.QueryCanceled):
            client.execute("CALL commits()")
        return
    client.pgconn.send_query(b"CALL commits()")
    wait_until(lambda: _asked(server, "SELECT n > 9 FROM committed WHERE %s > 0", pid))

    state = "SELECT state FROM pg_stat_activity WHERE pid = %s"
    if ending == "cancel":
        _asked(server, "SELECT pg_cancel_backend(%s)", pid)
        wait_until(lambda: _asked(server, state, pid) == "idle")
    else:
        if ending == "its client goes":
            client.close()
        else:
            _asked(server, "SELECT pg_terminate_backend(%s)", pid)
        wait_until(lambda: _asked(server, state, pid) is None)
    assert not _holds_locks(server, pid)
