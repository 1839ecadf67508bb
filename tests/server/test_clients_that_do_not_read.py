"""Clients that ask and do not take the answer, by the hundred or one who holds a lock: they cost bounded memory, and can be ended."""

from __future__ import annotations

import contextlib
import os
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.server.process import ServerProcess, wait_until


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    limits = {"TIDEWIRE_CONNECTIONS_MAX": "700", "TIDEWIRE_AUTHENTICATION_TIMEOUT_S": "3"}
    data = tmp_path_factory.mktemp("not-reading") / "data"
    with ServerProcess(data, environment=limits) as one:
        with one.connect() as c:
            c.execute("CREATE TABLE wide (a int PRIMARY KEY, b text)")
            c.execute("INSERT INTO wide SELECT i, repeat('x', 500) FROM generate_series(1, 50000) g(i)")
        yield one
        assert one.unexpected() == []
        assert one.stop() == 0


class _Raw:
    """A session that reads no more than it must."""

    def __init__(self, server: ServerProcess) -> None:
        self.socket = socket.create_connection((server.host, server.port), timeout=60)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        body = struct.pack("!i", 196608) + b"user\0tidewire\0database\0tidewire\0\0"
        self.socket.sendall(struct.pack("!i", len(body) + 4) + body)
        self.until_ready()

    def until_ready(self) -> bytes:
        seen = b""
        while not seen.endswith((b"Z\0\0\0\x05I", b"Z\0\0\0\x05T")):
            piece = self.socket.recv(65536)
            assert piece, seen
            seen += piece
        return seen

    def ask(self, query: str) -> None:
        text = query.encode() + b"\0"
        self.socket.sendall(b"Q" + struct.pack("!i", len(text) + 4) + text)

    @property
    def pid(self) -> int:
        self.ask("SELECT pg_backend_pid()")
        data = self.until_ready()
        size = int.from_bytes(data[data.index(b"D") + 7 :][:4], "big")
        return int(data[data.index(b"D") + 11 :][:size])

    def close(self) -> None:
        self.socket.close()


def _sessions(server: ServerProcess, pid: int) -> int:
    with server.connect() as c:
        row = c.execute("SELECT count(*) FROM pg_stat_activity WHERE pid = %s", (pid,)).fetchone()
    return int(row[0]) if row is not None else 0


def _blocked(server: ServerProcess, lock: str) -> tuple[_Raw, int]:
    """One who has locked a row, and whose answer goes no further."""
    client = _Raw(server)
    pid = client.pid
    for query in ("BEGIN", lock):
        client.ask(query)
        client.until_ready()
    client.ask("SELECT * FROM wide")
    return client, pid


def test_one_who_does_not_read_is_ended_with_his_locks(server: ServerProcess) -> None:
    client, pid = _blocked(server, "UPDATE wide SET b = '' WHERE a = 1")
    with contextlib.closing(client), server.connect() as other:
        other.execute("SET lock_timeout = '300ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            other.execute("UPDATE wide SET b = 'mine' WHERE a = 1")
        assert other.execute("SELECT pg_terminate_backend(%s)", (pid,)).fetchone() == (True,)
        wait_until(lambda: _sessions(server, pid) == 0, 10)
        other.execute("UPDATE wide SET b = 'mine' WHERE a = 1")


def test_transaction_timeout_ends_one_who_does_not_read(server: ServerProcess) -> None:
    client = _Raw(server)
    with contextlib.closing(client):
        pid = client.pid
        for query in ("SET transaction_timeout = '500ms'", "BEGIN"):
            client.ask(query)
            client.until_ready()
        client.ask("SELECT * FROM wide")
        wait_until(lambda: _sessions(server, pid) == 0, 10)


@pytest.mark.parametrize("function", ["pg_cancel_backend", "pg_terminate_backend"])
def test_one_who_is_to_send_rows_and_sends_none(server: ServerProcess, function: str) -> None:
    client = _Raw(server)
    with contextlib.closing(client), server.connect() as other:
        pid = client.pid
        client.ask("COPY wide FROM STDIN")
        assert client.socket.recv(65536)[:1] == b"G"
        assert other.execute(f"SELECT {function}(%s)", (pid,)).fetchone() == (True,)
        if function == "pg_cancel_backend":
            assert b"C57014" in client.until_ready()
            assert _sessions(server, pid) == 1
        else:
            assert b"C57P01" in client.socket.recv(65536)
            wait_until(lambda: _sessions(server, pid) == 0, 10)


def test_one_who_asks_on_and_on(server: ServerProcess) -> None:
    """Answers that nobody takes stop the reading of questions, and the client is held up by its own socket."""
    with contextlib.closing(_Raw(server)) as client:
        client.socket.setblocking(False)
        text = b"SELECT b FROM wide WHERE a = 2\0"
        many = (b"Q" + struct.pack("!i", len(text) + 4) + text) * 1000
        sent = 0
        with pytest.raises(BlockingIOError):
            while sent < 200_000_000:
                sent += client.socket.send(many)
        with server.connect() as other:
            assert other.execute("SELECT a FROM wide WHERE a = 2").fetchone() == (2,)


def test_many_who_do_not_read(server: ServerProcess) -> None:
    before = _resident_bytes(server)
    with contextlib.ExitStack() as stack:
        pids = []
        for _ in range(30):
            client = stack.enter_context(contextlib.closing(_Raw(server)))
            pids.append(client.pid)
            client.ask("SELECT * FROM wide")
        with server.connect() as other:
            assert other.execute("SELECT count(*) FROM wide").fetchone() == (50_000,)
        assert _resident_bytes(server) - before < 30 * (32 << 20)
    with server.connect() as other:
        wait_until(lambda: all(_sessions(server, pid) == 0 for pid in pids), 20)
        assert other.execute("SELECT count(*) FROM wide").fetchone() == (50_000,)


def test_hundreds_come_and_go_at_once(server: ServerProcess) -> None:
    def open_files() -> int:
        return len(os.listdir(f"/proc/{server.pid}/fd"))

    at_rest = open_files()
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(contextlib.closing(_Raw(server))) for _ in range(690)]
        for at, client in enumerate(clients):
            client.ask(
                f"BEGIN; INSERT INTO wide VALUES ({-1 - at}, 'x'); SELECT pg_advisory_xact_lock({at})"
                if at % 2
                else "SELECT a FROM wide WHERE a = 3"
            )
        for client in clients:
            client.until_ready()
    wait_until(lambda: open_files() <= at_rest, 30)
    with server.connect() as c:
        assert c.execute("SELECT count(*) FROM wide WHERE a < 0").fetchone() == (0,)
        assert c.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'").fetchone() == (0,)


def test_start_ups_a_byte_at_a_time(server: ServerProcess) -> None:
    """They take no place from others, and are shown out when their time is over, however busily they send."""
    with contextlib.ExitStack() as stack:
        slow = [
            stack.enter_context(contextlib.closing(socket.create_connection((server.host, server.port))))
            for _ in range(750)
        ]
        for each in slow:
            each.sendall(b"\0")
        with server.connect() as c:
            assert c.execute("SELECT 1").fetchone() == (1,)

        def shown_out() -> bool:
            slow[0].settimeout(0.05)
            try:
                slow[0].sendall(b"\0")
                return slow[0].recv(100) == b""
            except TimeoutError:
                return False
            except ConnectionError:
                return True

        wait_until(shown_out, 30)


def _resident_bytes(server: ServerProcess) -> int:
    for line in Path(f"/proc/{server.pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) << 10
    raise AssertionError("no RssAnon in /proc")
