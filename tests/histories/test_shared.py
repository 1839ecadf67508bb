"""Histories of three servers on one environment, over each consensus that several servers may share.

Clients are spread over the servers, and each sticks to its own. Meanwhile servers are killed, stalled (SIGSTOP, later
SIGCONT), stopped, and started again; with PostgreSQL as the consensus, that is killed too. The checker must find
nothing that the level excludes, stale reads included: what one server has acknowledged, every other one shows.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from tests.histories.checker import check
from tests.histories.history import History
from tests.histories.workload import Plan, create, record
from tests.postgres import NoPostgres, PostgresProcess, postgres_process
from tests.server.consensus import consensus
from tests.server.process import ServerProcess

KEYS = 4
STRICT = "strict serializable"


def dsn(server: ServerProcess) -> str:
    return f"host={server.host} port={server.port} user=tidewire dbname=tidewire"


@contextlib.contextmanager
def three_servers(kind: str, folder: Path) -> Iterator[list[ServerProcess]]:
    with consensus(kind, folder) as url, contextlib.ExitStack() as stack:
        shared = ["--shared", "--consensus", url, "--blob", (folder / "blob").as_uri()]
        servers = [ServerProcess(folder / name, *shared) for name in ("a", "b", "c")]
        for server in servers:
            stack.callback(_gone, server)
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(ServerProcess.start, servers))
        yield servers
        for server in servers:
            assert server.unexpected() == []


def _gone(server: ServerProcess) -> None:
    if server.running:
        os.kill(server.pid, signal.SIGCONT)
        server.kill()


Disturb = Callable[[ServerProcess, random.Random], None]


def kill(server: ServerProcess, rng: random.Random) -> None:
    server.kill()


def kill_and_restart(server: ServerProcess, rng: random.Random) -> None:
    server.kill()
    server.start()


def stop_and_restart(server: ServerProcess, rng: random.Random) -> None:
    server.stop()
    server.start()


def stall(server: ServerProcess, rng: random.Random) -> None:
    """The others go on; what this one had in its sockets it answers when it wakes."""
    os.kill(server.pid, signal.SIGSTOP)
    try:
        time.sleep(rng.uniform(0.3, 1.5))
    finally:
        os.kill(server.pid, signal.SIGCONT)


def disturbed(
    servers: list[ServerProcess],
    level: str,
    disturbances: list[Disturb],
    *,
    seed: int,
    pause_s: float = 0.5,
    tolerated: tuple[str, ...] = (),
) -> History:
    """A history during which one server after the other is disturbed, with work in between."""
    rng = random.Random(seed)
    create(dsn(servers[0]), KEYS)
    plan = Plan(
        [dsn(s) for s in servers], level, keys=KEYS, transactions=1_000_000, seed=seed, tolerated=tolerated
    )
    failures: list[BaseException] = []

    def disturb() -> None:
        try:
            for i, what in enumerate(disturbances):
                time.sleep(pause_s)
                what(servers[i % len(servers)], rng)
            time.sleep(2 * pause_s)
        except BaseException as error:  # noqa: BLE001 - reported by the test's own thread
            failures.append(error)
        finally:
            plan.stop.set()

    thread = threading.Thread(target=disturb)
    thread.start()
    try:
        return record(plan)
    finally:
        thread.join()
        assert not failures, failures


def found(history: History, level: str) -> list[str]:
    return [str(a) for a in check(history, level)]


@pytest.fixture(scope="module")
def servers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[ServerProcess]]:
    """On SQLite, for the tests that leave them running."""
    with three_servers("sqlite", tmp_path_factory.mktemp("shared")) as processes:
        yield processes


def test_three_servers_on_sqlite_killed_and_stalled(servers: list[ServerProcess]) -> None:
    briefly(servers)


def briefly(servers: list[ServerProcess]) -> None:
    history = disturbed(servers, STRICT, [stall, kill_and_restart], seed=3)
    assert any(t.outcome == "ok" for t in history.txns)
    assert found(history, STRICT) == []
    assert _the_same_everywhere(servers)


def _the_same_everywhere(servers: list[ServerProcess]) -> bool:
    """Both engines of all servers that run show the same lists."""
    answers = set()
    for server in filter(lambda s: s.running, servers):
        with server.connect() as conn:
            answers.add(
                tuple(conn.execute("SELECT k, v FROM lists WHERE length(v) >= 0 ORDER BY k").fetchall())
            )
            keyed = [
                conn.execute("SELECT k, v FROM lists WHERE k = %s", (k,)).fetchone() for k in range(KEYS)
            ]
            answers.add(tuple(row for row in keyed if row is not None))
    return len(answers) == 1


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.parametrize("level", ["read committed", "repeatable read", "serializable", STRICT])
def test_three_servers_killed_and_stalled_for_long(tmp_path: Path, kind: str, level: str) -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    rng = random.Random(seed)
    with three_servers(kind, tmp_path) as servers:
        disturbances = [rng.choice([stall, kill_and_restart, stop_and_restart]) for _ in range(24)]
        history = disturbed(servers, level, disturbances, seed=seed)
        assert sum(t.outcome == "ok" for t in history.txns) > 200
        assert found(history, level) == []
        assert _the_same_everywhere(servers)


@pytest.mark.soak
def test_a_server_that_was_believed_dead_is_right_or_says_that_it_cannot_be(tmp_path: Path) -> None:
    """Stalled for longer than its lease: the others take it off their table, and it comes back."""

    def for_long(server: ServerProcess, rng: random.Random) -> None:
        os.kill(server.pid, signal.SIGSTOP)
        try:
            time.sleep(35)
        finally:
            os.kill(server.pid, signal.SIGCONT)

    with three_servers("sqlite", tmp_path) as servers:
        history = disturbed(servers, STRICT, [for_long], seed=5, pause_s=3)
        assert found(history, STRICT) == []
        for server in servers:
            if server.running:
                with server.connect() as conn:
                    assert conn.execute("SELECT count(*) FROM lists").fetchone() == (KEYS,)
            else:
                assert "start it again" in server.log.read_text()


def test_a_hot_row_over_three_servers_loses_nothing(servers: list[ServerProcess]) -> None:
    with servers[0].connect() as conn:
        conn.execute("CREATE TABLE hot (id int PRIMARY KEY, v int)")
        conn.execute("INSERT INTO hot VALUES (1, 0)")

    def increments(server: ServerProcess) -> int:
        with server.connect() as conn:
            for _ in range(30):
                conn.execute("UPDATE hot SET v = v + 1 WHERE id = 1")
        return 30

    with ThreadPoolExecutor(6) as pool:
        done = sum(pool.map(increments, servers * 2))
    for server in servers:
        with server.connect() as conn:
            assert conn.execute("SELECT v FROM hot").fetchone() == (done,)


def test_a_notification_reaches_the_listeners_of_every_server(servers: list[ServerProcess]) -> None:
    a, b, c = servers
    with a.connect() as conn, b.connect() as told, c.connect() as also:
        told.execute("LISTEN news")
        also.execute("LISTEN news")
        conn.execute("CREATE TABLE told (id int)")
        conn.execute("NOTIFY news, 'alone'")
        with conn.transaction():
            conn.execute("INSERT INTO told VALUES (1)")
            conn.execute("NOTIFY news, 'with a commit'")
        for listener in (told, also):
            heard = [n.payload for n in listener.notifies(timeout=60, stop_after=2)]
            assert sorted(heard) == ["alone", "with a commit"]
            assert listener.execute("SELECT count(*) FROM told").fetchone() == (1,)


# --- PostgreSQL, which is the consensus, dies and comes back ---------------------------------------


@contextlib.contextmanager
def servers_on_a_postgresql(
    count: int, folder: Path
) -> Iterator[tuple[PostgresProcess, list[ServerProcess]]]:
    """One server that leads alone, or several that share."""
    try:
        with postgres_process() as postgres, contextlib.ExitStack() as stack:
            stores = ["--consensus", postgres.url, "--blob", (folder / "blob").as_uri()]
            shared = ["--shared"] if count > 1 else []
            servers = [ServerProcess(folder / f"s{i}", *shared, *stores) for i in range(count)]
            for server in servers:
                stack.callback(_gone, server)
            with ThreadPoolExecutor(count) as pool:
                list(pool.map(ServerProcess.start, servers))
            yield postgres, servers
    except NoPostgres as reason:
        pytest.skip(str(reason))


OUT_OF_REACH = "58030"
"""What a statement hears that could not ask the consensus, or whose commit definitely did not get there."""


def outage(postgres: PostgresProcess, servers: list[ServerProcess]) -> Disturb:
    """The consensus is killed, and some time later it is back; every server finds it."""

    def disturb(server: ServerProcess, rng: random.Random) -> None:
        postgres.kill()
        time.sleep(rng.uniform(0.0, 2.0))
        postgres.start()
        _answers_again(servers)

    return disturb


def _answers_again(servers: list[ServerProcess]) -> None:
    """Every server reads and writes through the consensus that is back."""
    for server in servers:
        deadline = time.monotonic() + 240
        while True:
            try:
                with server.connect() as conn:
                    conn.execute("UPDATE lists SET v = v WHERE k = 0")
                break
            except psycopg.Error as error:
                assert error.sqlstate not in ("XX000", "XX001"), error
                assert time.monotonic() < deadline, f"{error}: the consensus is back, and the server is not"
                time.sleep(0.1)


def test_three_servers_and_their_postgresql_killed_and_stalled(tmp_path: Path) -> None:
    with servers_on_a_postgresql(3, tmp_path) as (postgres, servers):
        # The last one is killed for good: the others go on.
        history = disturbed(
            servers, STRICT, [stall, outage(postgres, servers), kill], seed=4, tolerated=(OUT_OF_REACH,)
        )
        assert any(t.outcome == "ok" for t in history.txns)
        assert found(history, STRICT) == []
        assert _the_same_everywhere(servers)
        assert [server.running for server in servers] == [True, True, False]
        for server in servers:
            assert server.unexpected() == []


@pytest.mark.soak
@pytest.mark.parametrize("count", [1, 3])
@pytest.mark.parametrize("level", ["read committed", "repeatable read", "serializable", STRICT])
def test_postgresql_is_killed_again_and_again(tmp_path: Path, count: int, level: str) -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    with servers_on_a_postgresql(count, tmp_path) as (postgres, servers):
        outages = [outage(postgres, servers)] * 12
        history = disturbed(servers, level, outages, seed=seed, tolerated=(OUT_OF_REACH,))
        assert found(history, level) == []
        assert _the_same_everywhere(servers)
        for server in servers:
            assert server.unexpected() == []
