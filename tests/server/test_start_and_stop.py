"""What an operator relies on: the ready line, the exit codes, and refusals that say why."""

from __future__ import annotations

import json
import re
import signal
import socket
import subprocess
import threading
from pathlib import Path

import psycopg
import pytest

from tests.server.process import READY, ServerProcess, needs_psql, refused, wait_until


def test_the_ready_line_and_a_clean_end(tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "data").start()
    with server.connect() as connection:
        assert connection.execute("SELECT 1").fetchone() == (1,)
    assert server.stop() == 0


def test_what_was_written_is_there_after_a_restart(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        with server.connect() as connection:
            connection.execute("CREATE TABLE kept (id int PRIMARY KEY, what text)")
            connection.execute("INSERT INTO kept VALUES (1, 'this'), (2, NULL)")
        assert server.stop() == 0
        server.start()
        with server.connect() as connection:
            assert connection.execute("SELECT * FROM kept ORDER BY id").fetchall() == [(1, "this"), (2, None)]


_RUNNING = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = %s"


def test_types_are_there_after_a_restart_whatever_was_altered_last(tmp_path: Path) -> None:
    """The catalog's rows come back in the order of their last changes: those that a type is made of may be behind it."""
    made = (
        "CREATE DOMAIN under AS int CHECK (VALUE > 0)",
        "CREATE DOMAIN over AS under CHECK (VALUE < 10)",
        "CREATE TYPE outer_one AS (a int)",
        "CREATE TYPE inner_one AS (b int)",
        "ALTER TYPE outer_one ADD ATTRIBUTE c inner_one[]",
        "CREATE DOMAIN whole AS outer_one",
        "CREATE TYPE mood AS ENUM ('low')",
        "CREATE DOMAIN moods AS mood[]",
        "CREATE TABLE held (o over, w outer_one, m moods)",
        "ALTER TYPE mood ADD VALUE 'high'",
        "ALTER DOMAIN under ADD CHECK (VALUE <> 5)",
    )
    with ServerProcess(tmp_path / "data") as server:
        with server.connect() as c:
            for statement in made:
                c.execute(statement.encode())
            c.execute("INSERT INTO held VALUES (3, ROW(1, ARRAY[ROW(2)::inner_one]), '{low,high}')")
        assert server.stop() == 0
        server.start()
        with server.connect() as c:
            assert c.execute("SELECT o, (w).c[1].b, m::text FROM held").fetchall() == [(3, 2, "{low,high}")]
            with pytest.raises(psycopg.errors.CheckViolation):
                c.execute("INSERT INTO held (o) VALUES (5)")


def test_rows_that_functions_take_and_return_are_known_after_a_restart(tmp_path: Path) -> None:
    """No column has the type of a table's rows, and no statement has named it since the server began."""
    with ServerProcess(tmp_path / "data") as server:
        with server.connect() as c:
            c.execute("CREATE TABLE jobs (id int PRIMARY KEY, what text)")
            c.execute(
                "CREATE FUNCTION added(int) RETURNS jobs LANGUAGE plpgsql AS "
                "$$ DECLARE j jobs; BEGIN INSERT INTO jobs VALUES ($1, 'x') RETURNING * INTO j; RETURN j; END $$"
            )
            c.execute(
                "CREATE FUNCTION called(jobs) RETURNS text LANGUAGE sql AS $$ SELECT ($1).what || ($1).id $$"
            )
        assert server.stop() == 0
        server.start()
        with server.connect() as c:
            assert c.execute("SELECT id, what FROM added(1)").fetchall() == [(1, "x")]
            assert c.execute("SELECT id FROM added(2)").fetchall() == [(2,)]
            assert c.execute("SELECT called(j) FROM jobs j ORDER BY id").fetchall() == [("x1",), ("x2",)]


def test_sigterm_tells_idle_sessions_and_lets_a_statement_end(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        idle, busy = server.connect(), server.connect()
        answers: list[object] = []

        def work() -> None:
            answers.append(busy.execute("SELECT pg_sleep(1)::text, 42").fetchone())

        thread = threading.Thread(target=work)
        thread.start()
        wait_until(lambda: idle.execute(_RUNNING, ("SELECT pg_sleep(1)::text, 42",)).fetchone() == (1,))
        assert server.stop() == 0
        thread.join(60)
        assert answers and answers[0] is not None and answers[0][1] == 42  # type: ignore[index]
        with pytest.raises(psycopg.errors.AdminShutdown):
            idle.execute("SELECT 1")


def test_a_second_server_on_the_same_directory_is_refused(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        code, said = refused(["serve", "--data-dir", str(server.data_dir), "--listen", "127.0.0.1:0"])
        assert code == 1
        assert f"pid {server.pid}" in said and f"127.0.0.1:{server.port}" in said
        with server.connect() as connection:  # and the first one is none the worse
            assert connection.execute("SELECT 1").fetchone() == (1,)


def test_after_a_kill_the_directory_is_free_again(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        server.kill()
        server.start()
        assert server.stop() == 0


def test_beyond_loopback_without_passwords_is_refused(tmp_path: Path) -> None:
    for address in ("0.0.0.0:0", "[::]:0", ":0"):
        code, said = refused(["serve", "--data-dir", str(tmp_path / "data"), "--listen", address])
        assert code == 1 and "no authentication is configured" in said and "Traceback" not in said
    assert not (tmp_path / "data").exists(), "refused before anything was made"


def test_beyond_loopback_with_passwords(tmp_path: Path) -> None:
    users = tmp_path / "users"
    users.write_text("tidewire:sesame\n")
    arguments = ["--password-file", str(users), "--no-trust-loopback"]
    with ServerProcess(tmp_path / "data", *arguments) as server:
        with pytest.raises(psycopg.OperationalError, match="password"):
            server.connect()
        with server.connect(password="sesame") as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_port_in_use(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        code, said = refused(["serve", "--data-dir", str(tmp_path / "data"), "--listen", address])
    assert code == 1 and f"cannot listen on {address}: the address is in use" in said


def test_a_directory_of_a_newer_format(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    (data / "format").write_text(json.dumps({"format": 99, "created_by": "9.9.9"}))
    code, said = refused(["serve", "--data-dir", str(data), "--listen", "127.0.0.1:0"])
    assert code == 1 and "format 99" in said and "9.9.9" in said and "Traceback" not in said


@pytest.mark.parametrize(
    ("arguments", "environment", "words"),
    [
        (["--listen", "nowhere"], {}, "expected HOST:PORT"),
        (["--listen", "127.0.0.1:99999"], {}, "expected HOST:PORT"),
        (["--connections-max", "0"], {}, "connections_max"),
        ([], {"TIDEWIRE_DRAIN_TIMEOUT_S": "-1"}, "drain_timeout_s"),
        (["--log-level", "loud"], {}, "log_level"),
        (["--tls-key", "key.pem"], {}, "tls_certificate and tls_key go together"),
        (["--config", "/nowhere.toml"], {}, "there is no configuration file"),
    ],
)
def test_wrong_configuration_is_named(
    tmp_path: Path, arguments: list[str], environment: dict[str, str], words: str
) -> None:
    code, said = refused(["serve", "--data-dir", str(tmp_path / "data"), *arguments], environment)
    assert code == 2 and words in said and "Traceback" not in said


def test_a_store_that_nobody_knows(tmp_path: Path) -> None:
    code, said = refused(["serve", "--data-dir", str(tmp_path / "data"), "--consensus", "quorum://x"])
    assert code == 1 and "quorum" in said and "Traceback" not in said


def test_all_in_memory_leaves_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with ServerProcess(data, "--blob", "memory://", "--consensus", "memory://") as server:
        with server.connect() as connection:
            connection.execute("CREATE TABLE t (id int PRIMARY KEY)")
            connection.execute("INSERT INTO t SELECT i FROM generate_series(1, 1000) g(i)")
            assert connection.execute("SELECT count(*) FROM t").fetchone() == (1000,)
        assert server.stop() == 0
    assert not data.exists()


@needs_psql
def test_ctrl_c_in_psql_cancels(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        psql = subprocess.Popen(
            [
                "psql",
                "-X",
                "-At",
                "-c",
                "SELECT 'begun'",
                "-c",
                "SELECT pg_sleep(60)",
                "-c",
                "SELECT 'still here'",
            ],
            env=server.client_environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert psql.stdout is not None
        assert psql.stdout.readline() == "begun\n"
        with server.connect() as watcher:
            wait_until(lambda: watcher.execute(_RUNNING, ("SELECT pg_sleep(60)",)).fetchone() == (1,))
        psql.send_signal(signal.SIGINT)
        _, err = psql.communicate(timeout=60)
        assert "canceling statement due to user request" in err


def test_the_log_is_json_if_asked(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", "--log-format", "json") as server:
        assert server.stop() == 0
        lines = [json.loads(line) for line in server.log.read_text().splitlines()]
    assert any(line["event"] == "ready" for line in lines)


def test_version() -> None:
    code, _ = refused(["version"])
    assert code == 0
    assert re.fullmatch(r"tidewire: .* on ", READY)
