"""What no client should send and no disk should do: an error that says what is wrong, and the server goes on."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.server.process import ServerProcess


@pytest.fixture
def connection(server: ServerProcess) -> Iterator[psycopg.Connection[Any]]:
    with server.connect() as c:
        yield c


def _alive(connection: psycopg.Connection[Any]) -> None:
    assert connection.execute("SELECT 1").fetchone() == (1,)


# --- names and types that do not exist -------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "sqlstate", "message", "position"),
    [
        ("SELECT * FROM nobody", "42P01", 'relation "nobody" does not exist', 15),
        ("SELECT a.nothing FROM pg_class a", "42703", "column a.nothing does not exist", 8),
        ("SELECT 1 WHERE nothing = 2", "42703", 'column "nothing" does not exist', 16),
        ("SELECT '1'::nonsense", "42704", 'type "nonsense" does not exist', 13),
        ("SELECT nonsense(1)", "42883", "function nonsense(integer) does not exist", 8),
        ("SELECT 1 + true", "42883", "operator does not exist: integer + boolean", 10),
        ("INSERT INTO nobody VALUES (1)", "42P01", 'relation "nobody" does not exist', 13),
        ("SELECT 1 FRM x", "42601", 'syntax error at or near "x"', 14),
    ],
)
def test_the_error_points_at_it(
    connection: psycopg.Connection[Any], text: str, sqlstate: str, message: str, position: int
) -> None:
    with pytest.raises(psycopg.Error) as caught:
        connection.execute(text)
    diag = caught.value.diag
    assert (diag.sqlstate, diag.message_primary, diag.statement_position) == (
        sqlstate,
        message,
        str(position) if position else None,
    )
    _alive(connection)


# --- bytes that are no text ------------------------------------------------------------------------


def test_a_query_that_is_no_utf8(connection: psycopg.Connection[Any]) -> None:
    result = connection.pgconn.exec_(b"SELECT 'a\xffb'")
    assert result.error_field(psycopg.pq.DiagnosticField.SQLSTATE) == b"22021"
    _alive(connection)


@pytest.mark.parametrize("bad", [b"a\xffb", b"\xc3", b"\xed\xa0\x80"])
def test_a_parameter_that_is_no_utf8(connection: psycopg.Connection[Any], bad: bytes) -> None:
    result = connection.pgconn.exec_params(b"SELECT $1::text", [bad])
    assert result.error_field(psycopg.pq.DiagnosticField.SQLSTATE) == b"22021"
    _alive(connection)


@pytest.mark.parametrize("options", ["", "(FORMAT csv)"])
def test_copy_data_that_is_no_utf8(connection: psycopg.Connection[Any], options: str) -> None:
    connection.execute("CREATE TEMP TABLE bytes (a int, b text)")
    separator = b"," if options else b"\t"
    with (
        pytest.raises(psycopg.Error) as caught,
        connection.cursor().copy(f"COPY bytes FROM STDIN {options}") as copy,
    ):
        copy.write(b"1" + separator + b"fine\n" + b"2" + separator + b"a\xffb\n")
    assert caught.value.sqlstate == "22021"
    assert caught.value.diag.context is not None and "line 2" in caught.value.diag.context
    assert connection.execute("SELECT count(*) FROM bytes").fetchone() == (0,)


# --- sizes -----------------------------------------------------------------------------------------


def test_a_query_of_megabytes(connection: psycopg.Connection[Any]) -> None:
    word = "x" * 5_000_000
    assert connection.execute(f"SELECT length('{word}')").fetchone() == (5_000_000,)
    many = ", ".join(["1"] * 100_000)
    row = connection.execute(f"SELECT 1 WHERE 2 IN ({many})").fetchone()
    assert row is None


def _startup(server: ServerProcess) -> socket.socket:
    sock = socket.create_connection((server.host, server.port), timeout=20)
    body = struct.pack("!i", 196608) + b"user\0tidewire\0database\0tidewire\0\0"
    sock.sendall(struct.pack("!i", len(body) + 4) + body)
    seen = b""
    while not seen.endswith(b"Z\0\0\0\x05I"):
        seen += sock.recv(65536)
    return sock


@pytest.mark.parametrize("kind", [b"Q", b"P", b"d"])
@pytest.mark.parametrize("length", [1 << 30, (1 << 31) - 1, 3, -1])
def test_a_header_that_announces_what_nobody_keeps(server: ServerProcess, kind: bytes, length: int) -> None:
    with _startup(server) as sock:
        sock.sendall(kind + struct.pack("!i", length) + b"junk")
        seen = b""
        while piece := sock.recv(65536):
            seen += piece
    assert seen[:1] == b"E" and b"C08P01\0" in seen
    with server.connect() as other:
        _alive(other)


def test_a_query_larger_than_the_memory_it_may_take(tmp_path: Path) -> None:
    limit = {"TIDEWIRE_DUCKDB_MEMORY_LIMIT_BYTES": str(64 << 20)}
    with (
        ServerProcess(tmp_path / "data", environment=limit) as server,
        server.connect() as connection,
    ):
        connection.execute("CREATE TABLE kept (a int PRIMARY KEY)")
        connection.execute("INSERT INTO kept VALUES (1)")
        with pytest.raises(psycopg.Error) as caught:
            connection.execute(
                "SELECT length(string_agg(repeat('x', 1000) || i, '')) FROM generate_series(1, 300000) g(i)"
            )
        assert caught.value.sqlstate == "53200"
        assert connection.execute("SELECT a FROM kept").fetchone() == (1,)
        assert connection.execute("SELECT count(*) FROM kept").fetchone() == (1,)
        assert server.unexpected() == []


# --- disks -----------------------------------------------------------------------------------------


@contextlib.contextmanager
def _small_disk(at: Path, size: str) -> Iterator[Path]:
    """A file system of its own that is soon full; skips where nobody may mount one."""
    at.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root can mount a small file system")
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", str(at)], capture_output=True, check=False
    )
    if done.returncode:
        pytest.skip(f"a tmpfs cannot be mounted here: {done.stderr.decode().strip()}")
    try:
        yield at
    finally:
        subprocess.run(["umount", "-l", str(at)], check=False)


def test_a_full_disk(tmp_path: Path) -> None:
    with (
        _small_disk(tmp_path / "disk", "24m") as disk,
        ServerProcess(disk / "data") as server,
        server.connect() as connection,
    ):
        connection.execute("CREATE TABLE full_disk (a int PRIMARY KEY, b text)")
        connection.execute("INSERT INTO full_disk VALUES (0, 'before')")
        with pytest.raises(psycopg.Error) as caught:
            connection.execute(
                "INSERT INTO full_disk SELECT i, md5(i::text) || md5((i * 7)::text) FROM generate_series(1, 1500000) g(i)"
            )
        assert caught.value.sqlstate == "53100", caught.value
        assert connection.execute("SELECT count(*), min(b) FROM full_disk").fetchone() == (1, "before")
        with (
            pytest.raises(psycopg.Error) as again,
            connection.cursor().copy("COPY full_disk FROM STDIN") as copy,
        ):
            for i in range(1, 600_000):
                copy.write(f"{i}\t{i * 2654435761 % (1 << 62):x}{i * 40503 % (1 << 60):x}\n")
            for i in range(600_000, 1_500_000):
                copy.write(f"{i}\t{i * 2654435761 % (1 << 62):x}{i * 40503 % (1 << 60):x}\n")
        assert again.value.sqlstate == "53100", again.value
        assert connection.execute("SELECT a, b FROM full_disk").fetchall() == [(0, "before")]
        assert server.running


def _fill(disk: Path) -> None:
    with open(disk / "filling", "ab", buffering=0) as file, pytest.raises(OSError, match="No space left"):
        while True:
            file.write(bytes(4096))


def test_writes_go_on_when_there_is_room_again(tmp_path: Path) -> None:
    with _small_disk(tmp_path / "disk", "24m") as disk, ServerProcess(disk / "data") as server:
        server.log = tmp_path / "log"
        acknowledged = refused = 0
        with server.connect() as connection:
            connection.execute("CREATE TABLE until_full (a int PRIMARY KEY, b text)")
            _fill(disk)
            for i in range(1, 20_001):
                try:
                    connection.execute("INSERT INTO until_full VALUES (%s, repeat('x', 900))", (i,))
                    acknowledged += 1
                except psycopg.Error as e:
                    assert e.sqlstate == "53100", e
                    refused += 1
                    if refused == 20:
                        break
            assert refused == 20
            assert connection.execute("SELECT count(*) FROM until_full").fetchone() == (acknowledged,)
            assert connection.execute("SELECT b FROM until_full WHERE a = 1").fetchone() == ("x" * 900,)
            (disk / "filling").unlink()
            connection.execute("INSERT INTO until_full VALUES (0, 'there is room')")
        server.kill()
        server.start()
        with server.connect() as connection:
            counted = connection.execute("SELECT count(*) FROM until_full").fetchone()
            assert counted == (acknowledged + 1,)


@pytest.mark.parametrize("ended", ["stopped", "killed"])
def test_a_server_starts_on_a_full_disk_and_answers(tmp_path: Path, ended: str) -> None:
    with _small_disk(tmp_path / "disk", "24m") as disk, ServerProcess(disk / "data") as server:
        server.log = tmp_path / "log"
        with server.connect() as connection:
            connection.execute("CREATE TABLE kept (a int PRIMARY KEY, b text)")
            connection.execute("INSERT INTO kept SELECT i, 'x' FROM generate_series(1, 20000) g(i)")
            connection.execute("INSERT INTO kept VALUES (0, 'y')")
            _fill(disk)
        if ended == "stopped":
            assert server.stop() == 0
        else:
            server.kill()
        _fill(disk)  # what has become free, down to the byte
        server.start()
        with server.connect() as connection:
            assert connection.execute("SELECT count(*), max(b) FROM kept").fetchone() == (20_001, "y")
            assert connection.execute("SELECT b FROM kept WHERE a = 7").fetchone() == ("x",)
            (disk / "filling").unlink()
            connection.execute("INSERT INTO kept SELECT i, 'z' FROM generate_series(-20000, -1) g(i)")
            assert connection.execute("SELECT count(*) FROM kept").fetchone() == (40_001,)
        assert server.unexpected() == []


def _blobs(server: ServerProcess) -> set[Path]:
    return set((server.data_dir / "blob").rglob("*.parquet"))


def test_a_damaged_part_is_named_and_the_other_tables_are_fine(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        with server.connect() as connection:
            connection.execute("CREATE TABLE good (a int PRIMARY KEY, b text)")
            connection.execute("INSERT INTO good SELECT i, 'g' FROM generate_series(1, 20000) g(i)")
            before = _blobs(server)
            connection.execute("CREATE TABLE bad (a int PRIMARY KEY, b text)")
            connection.execute("INSERT INTO bad SELECT i, 'b' FROM generate_series(1, 20000) g(i)")
            damaged = sorted(_blobs(server) - before)[0]
        assert server.stop() == 0
        data = bytearray(damaged.read_bytes())
        data[len(data) // 2] ^= 0xFF
        damaged.write_bytes(data)
        server.start()
        with server.connect() as connection:
            for text in ("SELECT count(*) FROM bad", "SELECT b FROM bad WHERE a = 5"):
                with pytest.raises(psycopg.Error) as caught:
                    connection.execute(text)
                assert caught.value.sqlstate == "XX001", text
                assert damaged.name in str(caught.value), text
            assert connection.execute("SELECT count(*) FROM good").fetchone() == (20_000,)
            assert connection.execute("SELECT b FROM good WHERE a = 5").fetchone() == ("g",)
            connection.execute("INSERT INTO good VALUES (0, 'still here')")
        assert server.stop() == 0


@pytest.mark.parametrize("digits", [4_400, 100_000])
@pytest.mark.parametrize("prepare", [False, True])
def test_a_literal_of_thousands_of_digits(
    connection: psycopg.Connection[Any], digits: int, prepare: bool
) -> None:
    for sign in ("", "-"):
        text = f"SELECT length(({sign}{'9' * digits} * 2)::text)"
        found = connection.execute(text.encode(), prepare=prepare).fetchone()
        assert found == (digits + 1 + len(sign),)
    assert connection.execute(f"SELECT {'0' * digits}7 + 1".encode(), prepare=prepare).fetchone() == (8,)
