"""Several clients at once, alike on PostgreSQL and here: who waits for whom, who goes on when, and what each is told.

A file of `together/` has scenes. In each line a client (one letter) sends a statement; then everybody has either answered or
waits for a lock, and that is written down:

    == the first one commits                a> INSERT INTO t VALUES (1)
    a: INSERT INTO t VALUES (1)     ->        INSERT 0 1
    b: INSERT INTO t VALUES (1)             b> INSERT INTO t VALUES (1)
    a: COMMIT                                 waits
                                            a> COMMIT
                                              COMMIT
                                            b: ERROR 23505 duplicate key ...

`b!:` waits for the answer, be it after a wait (a deadlock, a time-out); so does `b+c:`, and then for that of `c`. `levels:` before the first scene are the isolation levels
in which the file is played. A new file needs no expected output: PostgreSQL says what is right. Of errors of class 40 (conflicts,
deadlocks) only the SQLSTATE counts: their words name what each server knows.
"""

from __future__ import annotations

import select
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import psycopg
import pytest
from psycopg import pq
from psycopg.conninfo import make_conninfo

from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess

FILES = sorted((Path(__file__).parent / "together").glob("*.sql"))
LEVELS: Final = ("read committed", "repeatable read", "serializable")
TIMEOUT_S = 120.0
POLL_S = 0.005
_WAITS_FOR = "SELECT pg_blocking_pids(%s)"


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    try:
        with running_postgres({"fsync": "off", "deadlock_timeout": "20ms"}) as dsn:
            with psycopg.connect(dsn, autocommit=True) as c:
                c.execute("CREATE DATABASE together")
            yield make_conninfo(dsn, dbname="together")
    except NoPostgres as e:
        pytest.skip(str(e))


class Stage:
    """One scene's clients on one server, and what has been written down."""

    def __init__(self, dsn: str, level: str) -> None:
        self._dsn, self._level = dsn, level
        self._watcher = psycopg.connect(dsn, autocommit=True)
        self._clients: dict[str, pq.PGconn] = {}
        self._waiting: set[str] = set()
        self.lines: list[str] = []

    def close(self) -> None:
        for client in self._clients.values():
            client.finish()
        self._watcher.close()

    def prepare(self, setup: str) -> None:
        self._watcher.execute("DROP SCHEMA IF EXISTS public CASCADE")
        self._watcher.execute("CREATE SCHEMA public")
        if setup:
            self._watcher.execute(setup.encode())

    def play(self, who: str, text: str) -> None:
        name, ends = who[0], who.endswith("!")
        self.lines.append(f"{name}> {text}")
        client = self._clients.get(name)
        if client is None:
            client = self._clients[name] = pq.PGconn.connect(self._dsn.encode())
            level = f"SET default_transaction_isolation = '{self._level}'"
            assert client.exec_(level.encode()).status == pq.ExecStatus.COMMAND_OK
        assert name not in self._waiting, "it waits: only others can go on"
        client.send_query(text.encode())
        if self._answers(name, ends):
            self.lines += [f"  {line}" for line in self._answer(name)]
        else:
            self.lines.append("  waits")
        self._others(name, who[2:])

    def _others(self, name: str, end: str) -> None:
        """Who has waited, and has its answer now."""
        for other in sorted(self._waiting - {name}):
            self._waiting.discard(other)
            if self._answers(other, other in end):
                self.lines += [f"{other}: {line}" for line in self._answer(other)]
        if name not in self._clients or not self._clients[name].is_busy():
            return
        self._waiting.add(name)

    def _answers(self, name: str, ends: bool) -> bool:
        """Whether it has answered; False: it waits for a lock."""
        client, end_s = self._clients[name], time.monotonic() + TIMEOUT_S
        while True:
            client.consume_input()
            if not client.is_busy():
                return True
            if not ends and self._waits(client):
                client.consume_input()
                if client.is_busy():
                    self._waiting.add(name)
                    return False
                return True
            assert time.monotonic() < end_s, f"{name} neither answers nor waits: {self.lines}"
            select.select([client.socket], [], [], POLL_S)

    def _waits(self, client: pq.PGconn) -> bool:
        """Whether it waits for somebody who does not go on by himself: who is only behind one that has just been let go has its turn soon."""
        ahead = self._waits_for(client)
        for other in self._clients.values():
            if other.backend_pid in ahead:
                other.consume_input()
                if other.is_busy() and not self._waits_for(other):
                    return False
        return bool(ahead)

    def _waits_for(self, client: pq.PGconn) -> list[int]:
        row = self._watcher.execute(_WAITS_FOR, (client.backend_pid,)).fetchone()
        assert row is not None
        pids: list[int] = row[0]
        return pids

    def _answer(self, name: str) -> list[str]:
        client, lines = self._clients[name], []
        while (result := client.get_result()) is not None:
            if result.status == pq.ExecStatus.TUPLES_OK:
                for i in range(result.ntuples):
                    cells = (result.get_value(i, j) for j in range(result.nfields))
                    lines.append(" | ".join("null" if c is None else c.decode() for c in cells))
            if result.status == pq.ExecStatus.FATAL_ERROR:
                field = result.error_field
                state = (field(pq.DiagnosticField.SQLSTATE) or b"").decode()
                said = [f"ERROR {state}"]
                if not state.startswith("40"):
                    said.append((field(pq.DiagnosticField.MESSAGE_PRIMARY) or b"").decode())
                    said.append((field(pq.DiagnosticField.MESSAGE_DETAIL) or b"").decode())
                lines.append(" ".join(filter(None, said)))
            else:
                lines.append((result.command_status or b"").decode())
        return lines


def scenes(file: Path) -> tuple[list[str], list[tuple[str, str, list[str]]]]:
    """The levels, and of each scene its name, what is there before it begins, and its lines."""
    levels, setup, found = list(LEVELS), "", []
    for line in file.read_text().splitlines():
        if not line or line.startswith("--"):
            continue
        if line.startswith("levels:"):
            levels = [level.strip() for level in line.removeprefix("levels:").split(",")]
        elif line.startswith("setup:"):
            if found and found[-1][2]:
                setup = ""
                found.append(("", "", []))
            setup += line.removeprefix("setup:") + ";"
        elif line.startswith("== "):
            if found and not found[-1][0]:
                found.pop()
            found.append((line.removeprefix("== "), setup, []))
        else:
            found[-1][2].append(line)
    return levels, found


def played(dsn: str, file: Path, level: str, only: str = "") -> list[str]:
    lines: list[str] = []
    for name, setup, steps in scenes(file)[1]:
        if only and name != only:
            continue
        stage = Stage(dsn, level)
        try:
            stage.prepare(setup)
            for step in steps:
                who, text = step.split(":", 1)
                stage.play(who, text.strip())
        finally:
            stage.close()
        lines += [f"== {name}", *stage.lines]
    return lines


@pytest.mark.parametrize(
    ("file", "level"),
    [(file, level) for file in FILES for level in scenes(file)[0]],
    ids=lambda x: x.stem if isinstance(x, Path) else x.replace(" ", "_"),
)
def test_clients_wait_and_are_told_alike(
    server: ServerProcess, postgres: str, file: Path, level: str
) -> None:
    with server.connect() as c:
        c.execute("DROP DATABASE IF EXISTS together")
        c.execute("CREATE DATABASE together")
    ours = f"host=127.0.0.1 port={server.port} user=tidewire dbname=together"
    assert played(ours, file, level) == played(postgres, file, level)
