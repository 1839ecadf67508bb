"""PgBouncer before Tidewire: what its clients may count on is theirs, whichever session their statements come to.

Needs pgbouncer (Debian: `apt-get install pgbouncer`), which does not run as root.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest

from tests.server.process import ServerProcess

PGBOUNCER = shutil.which("pgbouncer") or "/usr/sbin/pgbouncer"
START_TIMEOUT_S = 60.0
SETTINGS = """
[databases]
* = host={host} port={port} auth_user=the_bouncer
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {own}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = {users}
auth_query = SELECT * FROM bouncer.user_lookup($1)
pool_mode = {mode}
default_pool_size = 2
"""
SETUP = """
DROP SCHEMA IF EXISTS bouncer CASCADE;
DROP ROLE IF EXISTS the_bouncer;
DROP ROLE IF EXISTS bounced;
CREATE ROLE the_bouncer LOGIN;
CREATE ROLE bounced LOGIN PASSWORD 'secret';
CREATE SCHEMA bouncer;
GRANT USAGE ON SCHEMA bouncer TO the_bouncer;
GRANT USAGE, CREATE ON SCHEMA bouncer TO bounced;
CREATE FUNCTION bouncer.user_lookup(asked text, OUT uname text, OUT phash text) RETURNS record LANGUAGE plpgsql SECURITY DEFINER
  AS $$ BEGIN SELECT usename, passwd FROM pg_shadow WHERE usename = asked INTO uname, phash; RETURN; END $$;
"""

pytestmark = pytest.mark.skipif(not Path(PGBOUNCER).exists(), reason="pgbouncer is not installed")


@dataclass(frozen=True)
class Bouncer:
    port: int
    mode: str

    def connect(self, password: str = "secret", **options: str) -> psycopg.Connection:
        """Without statements of the server's, which this version of PgBouncer does not follow between sessions."""
        return psycopg.connect(
            host="127.0.0.1", port=self.port, user="bounced", dbname="tidewire", password=password,
            autocommit=True, prepare_threshold=None, **options,
        )  # fmt: skip


@pytest.fixture(params=["transaction", "session"])
def bouncer(request: pytest.FixtureRequest, server: ServerProcess, tmp_path: Path) -> Iterator[Bouncer]:
    with server.connect() as c:
        c.execute(SETUP.encode())
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        own = free.getsockname()[1]
    users, settings = tmp_path / "users.txt", tmp_path / "pgbouncer.ini"
    users.write_text('"the_bouncer" ""\n')
    settings.write_text(
        SETTINGS.format(host=server.host, port=server.port, own=own, users=users, mode=request.param)
    )
    account: dict[str, str] = {}
    if os.geteuid() == 0:
        account = {"user": "nobody"}
        for at in (tmp_path, *tmp_path.parents[:2]):
            at.chmod(at.stat().st_mode | 0o055)
    process = subprocess.Popen([PGBOUNCER, str(settings)], stderr=subprocess.DEVNULL, **account)  # type: ignore[call-overload]
    try:
        _until_there(own, process)
        yield Bouncer(own, request.param)
    finally:
        process.terminate()
        process.wait()


def _until_there(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            assert process.poll() is None and time.monotonic() < deadline, "PgBouncer did not start"
            time.sleep(0.05)
        else:
            return


def test_who_may_log_in_is_asked_of_the_server(bouncer: Bouncer) -> None:
    with bouncer.connect() as c:
        assert c.execute("SELECT current_user, session_user").fetchone() == ("bounced", "bounced")
    with pytest.raises(psycopg.OperationalError):
        bouncer.connect(password="another")


def test_parameters_and_transactions_are_each_client_s_own(bouncer: Bouncer) -> None:
    with bouncer.connect(application_name="a") as a, bouncer.connect(application_name="b") as b:
        a.execute("SET TIME ZONE 'Europe/Paris'")
        a.execute("CREATE TABLE bouncer.t (id int PRIMARY KEY)")
        for _ in range(3):
            for c, name in ((a, "a"), (b, "b")):
                asked = "SELECT current_setting('application_name'), current_setting('timezone')"
                zone = "Europe/Paris" if c is a else "UTC"
                assert c.execute(asked).fetchone() == (name, zone)
        with a.transaction():
            a.execute("INSERT INTO bouncer.t VALUES (1)")
            assert b.execute("SELECT count(*) FROM bouncer.t").fetchone() == (0,)
        with pytest.raises(psycopg.errors.UniqueViolation), b.transaction():
            b.execute("INSERT INTO bouncer.t VALUES (2)")
            b.execute("INSERT INTO bouncer.t VALUES (1)")
        assert b.execute("SELECT count(*) FROM bouncer.t").fetchone() == (1,)


def test_a_session_is_handed_on_clean(bouncer: Bouncer) -> None:
    """Who goes in the middle of a transaction leaves nothing of it; in a session of one's own not even a setting stays (DISCARD ALL)."""
    c = bouncer.connect()
    c.execute("CREATE TABLE bouncer.t (id int PRIMARY KEY)")
    c.execute("BEGIN")
    c.execute("INSERT INTO bouncer.t VALUES (1)")
    c.execute("SET work_mem = '7MB'")
    c.close()
    for _ in range(3):
        with bouncer.connect() as c:
            assert c.execute("SELECT count(*), current_setting('work_mem') FROM bouncer.t").fetchone() == (
                0,
                "4MB",
            )


def test_a_cancel_request_finds_the_statement(bouncer: Bouncer) -> None:
    with bouncer.connect() as c, bouncer.connect() as other:
        waits = threading.Timer(0.3, c.cancel)
        waits.start()
        with pytest.raises(psycopg.errors.QueryCanceled):
            c.execute("SELECT pg_sleep(600)")
        assert other.execute("SELECT 1").fetchone() == (1,)
        assert c.execute("SELECT 1").fetchone() == (1,)
