"""Many clients in transactions at once: each hears its own answers, all of them, in their order, errors and notices among them."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.server.process import ServerProcess

CLIENTS, TRANSACTIONS = 6, 30
FIND = "SELECT v, %s::int FROM bundled WHERE id = %s"
COUNT = "UPDATE bundled SET v = v + 1 WHERE id = %s"
DIVIDE = "SELECT v / %s FROM bundled WHERE id = %s"


def _transactions(server: ServerProcess, n: int, pipelined: bool) -> None:
    noticed: list[str | None] = []
    with server.connect(prepare_threshold=0) as connection:
        connection.add_notice_handler(lambda notice: noticed.append(notice.message_primary))
        for i in range(TRANSACTIONS):
            with connection.transaction():
                if pipelined:
                    with connection.pipeline():
                        found = [connection.execute(FIND, (i, n)) for _ in range(3)]
                    assert [cursor.fetchone() for cursor in found] == [(i, i)] * 3
                assert connection.execute(FIND, (i, n)).fetchone() == (i, i)
                connection.execute(COUNT, (n,))
                if i % CLIENTS == n:
                    connection.execute("DROP TABLE IF EXISTS bundled_no_more")
                    assert len(noticed) == i // CLIENTS + 1
                    with pytest.raises(psycopg.errors.DivisionByZero), connection.transaction():
                        connection.execute(DIVIDE, (0, n))


def _run(work: Callable[[int], None]) -> None:
    failures: list[BaseException] = []

    def attempt(n: int) -> None:
        try:
            work(n)
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=attempt, args=(n,)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


@pytest.mark.parametrize("pipelined", [False, True], ids=["one by one", "several at once"])
def test_each_client_hears_its_own_answers(server: ServerProcess, pipelined: bool) -> None:
    with server.connect() as first:
        first.execute("DROP TABLE IF EXISTS bundled")
        first.execute("CREATE TABLE bundled (id int PRIMARY KEY, v int)")
        first.execute("INSERT INTO bundled SELECT i, 0 FROM generate_series(0, %s) i", (CLIENTS - 1,))
    _run(lambda n: _transactions(server, n, pipelined))
    with server.connect() as last:
        row = last.execute("SELECT array_agg(v ORDER BY id) FROM bundled").fetchone()
        assert row == ([TRANSACTIONS] * CLIENTS,)
        last.execute("DROP TABLE bundled")


@pytest.mark.parametrize("prepared", [False, True])
def test_reads_outside_of_transactions_are_whose_they_are(server: ServerProcess, prepared: bool) -> None:
    with server.connect() as first:
        first.execute("DROP TABLE IF EXISTS bundled_reads")
        first.execute("CREATE TABLE bundled_reads (id int PRIMARY KEY, v int)")
        first.execute("INSERT INTO bundled_reads SELECT i, i FROM generate_series(1, 1000) i")
    keys = list(range(1, 990, 12))
    query = f"SELECT sum(v), %s::int FROM bundled_reads WHERE id IN ({', '.join(['%s'] * len(keys))})"

    def work(n: int) -> None:
        with server.connect(prepare_threshold=0 if prepared else None) as connection:
            for i in range(TRANSACTIONS):
                row = connection.execute(
                    query.encode(), (n * TRANSACTIONS + i, *(key + n for key in keys))
                ).fetchone()
                assert row == (sum(keys) + n * len(keys), n * TRANSACTIONS + i)

    _run(work)
    with server.connect() as last:
        last.execute("DROP TABLE bundled_reads")


class Spoken:
    """A client that speaks TLS itself, so that the end of what it has to say may come with the last of it."""

    def __init__(self, server: ServerProcess) -> None:
        self._socket = socket.create_connection((server.host, server.port), timeout=60)
        self._socket.sendall(struct.pack(">II", 8, 80877103))
        assert self._socket.recv(1) == b"S"
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        self._in, self._out = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._in, self._out)
        self._until(self._tls.do_handshake)
        self._send(b"\x00\x03\x00\x00user\0tidewire\0database\0tidewire\0\0", b"")

    def _until(self, step: Callable[[], Any]) -> Any:
        while True:
            try:
                return step()
            except ssl.SSLWantReadError:
                self._socket.sendall(self._out.read())
                received = self._socket.recv(65536)
                self._in.write(received)
                if not received:
                    self._in.write_eof()

    def _send(self, data: bytes, kind: bytes = b"Q") -> None:
        self._tls.write(kind + struct.pack(">I", len(data) + 4) + data)

    def ask(self, text: str) -> None:
        self._send(text.encode() + b"\0")

    def answer(self, status: bytes) -> bytes:
        """What comes up to the server's being ready, or to its end."""
        heard = b""
        while not heard.endswith(b"Z\0\0\0\5" + status):
            try:
                heard += self._until(lambda: self._tls.read(65536))
            except ssl.SSLError:
                break
        return heard

    def say_no_more(self) -> None:
        with pytest.raises(ssl.SSLWantReadError):
            self._tls.unwrap()
        self._socket.sendall(self._out.read())

    def close(self) -> None:
        self._socket.close()


def test_who_has_said_his_last_under_tls_hears_the_answer(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", "--tls", "generate") as server:
        client = Spoken(server)
        client.answer(b"I")
        for text in ("BEGIN", "SELECT 1"):
            client.ask(text)
            client.answer(b"T")
        client.ask("SELECT 4711")  # planned already: it is answered on the spot
        client.say_no_more()
        assert b"4711" in client.answer(b"T")
        client.close()
        assert server.stop() == 0
