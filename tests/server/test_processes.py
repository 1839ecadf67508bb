"""`--processes`: several server processes behind one port are one server to its clients."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.server.process import ServerProcess, refused, wait_until
from tidewire.config import Config
from tidewire.processes import supervisor
from tidewire.processes.relay import Relay, Request, What

PROCESSES = 2
CONNECTIONS_MAX = 400
"""The kernel deals connections out by their addresses: so many in a row to one of two processes do not happen."""

pytestmark = pytest.mark.skipif(not hasattr(socket, "SO_REUSEPORT"), reason="no SO_REUSEPORT here")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    data_dir = tmp_path_factory.mktemp("processes") / "data"
    with ServerProcess(data_dir, "--processes", str(PROCESSES)) as running:
        yield running
        assert running.stop() == 0
        assert not running.unexpected()


def _process_of(connection: psycopg.Connection[Any]) -> int:
    return (connection.info.backend_pid - 1) % PROCESSES


def _one_to_each(server: ServerProcess) -> list[psycopg.Connection[Any]]:
    """A connection to every process, in their order."""
    found: dict[int, psycopg.Connection[Any]] = {}
    for _ in range(CONNECTIONS_MAX):
        connection = server.connect()
        if found.setdefault(_process_of(connection), connection) is not connection:
            connection.close()
        if len(found) == PROCESSES:
            return [found[i] for i in range(PROCESSES)]
    raise AssertionError(f"only processes {sorted(found)} were ever met")


def test_what_one_process_acknowledged_the_other_shows(server: ServerProcess) -> None:
    first, second = _one_to_each(server)
    first.execute("CREATE TABLE seen (id int PRIMARY KEY, v int NOT NULL)")
    for i in range(20):
        writer, reader = (first, second) if i % 2 else (second, first)
        writer.execute("INSERT INTO seen VALUES (%s, 0)", (i,))
        reader.execute("UPDATE seen SET v = v + 1 WHERE id = %s", (i,))
        assert writer.execute("SELECT v FROM seen WHERE id = %s", (i,)).fetchone() == (1,)
        assert reader.execute("SELECT count(*), sum(v) FROM seen").fetchone() == (i + 1, i + 1)
    first.close()
    second.close()


class _Sleeper:
    """A connection that sleeps in a thread until somebody ends that; `error` is what it was told."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection, self.error = connection, None
        self._thread = threading.Thread(target=self._sleep)
        self._thread.start()

    def _sleep(self) -> None:
        try:
            self.connection.execute("SELECT pg_sleep(3600)")
        except psycopg.Error as error:
            self.error = error.sqlstate

    def over(self) -> bool:
        self._thread.join(0.05)
        return not self._thread.is_alive()


def test_who_comes_in_meets_what_was_made_just_before(server: ServerProcess) -> None:
    """Whichever process a client meets: roles, their rights and databases that another one has acknowledged are there."""
    with server.connect() as admin:
        for i in range(30):
            admin.execute(f"CREATE ROLE made_{i} LOGIN")
            admin.execute(f"CREATE DATABASE made_{i} OWNER made_{i}")
            server.connect(user=f"made_{i}", dbname=f"made_{i}").close()
            admin.execute(f"DROP DATABASE made_{i}")
            with pytest.raises(psycopg.OperationalError, match="does not exist"):
                server.connect(dbname=f"made_{i}")


def test_a_cancel_request_finds_its_process(server: ServerProcess) -> None:
    """The kernel picks who gets the request: of several, some arrive at the wrong process, and all work."""
    for connection in _one_to_each(server) * 4:
        sleeper = _Sleeper(connection)

        def cancelled(sleeper: _Sleeper = sleeper) -> bool:
            sleeper.connection.cancel()  # again, should the statement not have begun
            return sleeper.over()

        wait_until(cancelled, 240)
        assert sleeper.error == "57014"
        assert connection.execute("SELECT 1").fetchone() == (1,), "and nothing else was cancelled"


def test_backends_are_signalled_across_processes(server: ServerProcess) -> None:
    for function, sqlstate in (("pg_cancel_backend", "57014"), ("pg_terminate_backend", "57P01")):
        connections = _one_to_each(server)
        for asker, asked in (connections, reversed(connections)):
            if asker.closed:
                continue
            sleeper = _Sleeper(asked)
            question = f"SELECT {function}({asked.info.backend_pid})"

            def ended(sleeper: _Sleeper = sleeper, asker: Any = asker, question: str = question) -> bool:
                assert asker.execute(question).fetchone() == (True,)
                return sleeper.over()

            wait_until(ended, 240)
            assert sleeper.error == sqlstate
        for connection in connections:
            connection.close()


def test_who_may_not_end_what_another_process_runs_ends_nothing(server: ServerProcess) -> None:
    asker, asked = _one_to_each(server)
    asker.execute("CREATE ROLE ends_nothing")
    asker.execute("SET ROLE ends_nothing")
    assert asker.execute(f"SELECT pg_terminate_backend({asked.info.backend_pid})").fetchone() == (True,)
    wait_until(lambda: "was refused" in server.log.read_text(), 240)
    assert asked.execute("SELECT 1").fetchone() == (1,)


def test_a_process_that_dies_is_said_and_replaced(server: ServerProcess) -> None:
    survivor, victim = _one_to_each(server)
    survivor.execute("CREATE TABLE outlives (id int PRIMARY KEY)")
    victim.execute("INSERT INTO outlives VALUES (1)")
    os.kill(_pid_of_child(server, 1), signal.SIGKILL)
    with pytest.raises(psycopg.OperationalError):
        for _ in range(100_000):
            victim.execute("SELECT 1")
    assert survivor.execute("SELECT count(*) FROM outlives").fetchone() == (1,)
    wait_until(lambda: server.log.read_text().count("process started") >= PROCESSES + 1, 240)
    assert "a process died" in server.log.read_text()
    again = _one_to_each(server)
    assert again[1].execute("SELECT count(*) FROM outlives").fetchone() == (1,)
    for connection in (survivor, *again):
        connection.close()


def _pid_of_child(server: ServerProcess, ordinal: int) -> int:
    """From what the supervisor has logged last: `process started  pid=4711 process=1`."""
    lines = [x for x in server.log.read_text().splitlines() if "process started" in x]
    line = [x for x in lines if f"process={ordinal}" in x][-1]
    return int(line.split("pid=")[1].split()[0])


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="there is no /proc to look at")
def test_processes_end_with_their_supervisor(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data", "--processes", "2") as server:
        children = [_pid_of_child(server, i) for i in range(2)]
        os.kill(server.pid, signal.SIGKILL)
        server.wait()
        wait_until(lambda: not any(_is_running(pid) for pid in children), 240)


def _is_running(pid: int) -> bool:
    """Not gone, and not a zombie that nobody waits for."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_two_servers_do_not_share_a_port_by_mistake(server: ServerProcess, tmp_path: Path) -> None:
    for extra in ([], ["--processes", "2"]):
        listen = f"127.0.0.1:{server.port}"
        code, said = refused(["serve", "--data-dir", str(tmp_path / "other"), "--listen", listen, *extra])
        assert code == 1 and "in use" in said and "Traceback" not in said, said


def test_memory_cannot_be_shared(tmp_path: Path) -> None:
    stores = ["--blob", "memory://", "--consensus", "memory://"]
    code, said = refused(["serve", "--data-dir", str(tmp_path / "data"), "--processes", "2", *stores])
    assert code == 2 and "memory:// is each process's own" in said


def test_requests_travel_to_the_process_that_numbers_its_sessions_so() -> None:
    pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(3)]
    relays = [Relay(i, pairs[i][0], [b for _, b in pairs]) for i in range(3)]
    try:
        assert [relay.pids() for relay in relays] == [(1, 3), (2, 3), (3, 3)]
        request = Request(What.CANCEL_WITH_KEY, 5, b"secret")
        assert relays[0].send(request) and relays[2].send(request)
        assert not relays[1].send(request), "its own: nothing to pass on"
        assert not relays[1].send(Request(What.CANCEL, 0)) and not relays[1].send(Request(What.CANCEL, -7))
        got: list[Request] = []
        for relay in relays:
            relay.received(got.append)
        assert got == [request, request]
        relays[0].send(request)
        relays[1].forget()
        relays[1].received(got.append)
        assert len(got) == 2, "what came before a process was there is not for it"
    finally:
        for a, b in pairs:
            a.close()
            b.close()


SLOW = """
import signal, sys, time
sys.stdin.readline()
time.sleep(0.5)
signal.signal(signal.SIGHUP, lambda *_: sys.exit(7))
print("tidewire: ready to accept connections on x:1", flush=True)
while True:
    time.sleep(1)
"""


def test_who_is_starting_reads_anew_what_changed_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may have read the files when they became others, and is not to be told before it can hear."""
    start = asyncio.create_subprocess_exec

    async def slow(*_: str, **given: Any) -> asyncio.subprocess.Process:
        return await start(sys.executable, "-c", SLOW, **given)

    async def run() -> int:
        config = Config(processes=2)
        family = supervisor._Family(config)
        try:
            starting = asyncio.create_task(family.start(0, config))
            while not family.children:
                await asyncio.sleep(0.01)
            family.reload()
            await starting
            return await asyncio.wait_for(family.children[0].ended, 20)
        finally:
            family.tell(signal.SIGKILL)
            family.close()

    monkeypatch.setattr(asyncio, "create_subprocess_exec", slow)
    assert asyncio.run(run()) == 7
