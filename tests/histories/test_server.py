"""Histories of a real server, at every isolation level: each excludes what it must, and no more than it must.

    recorded at random     six clients on a few lists; crashes, pauses and restarts in between; the checker
                           must find nothing that the level excludes
    provoked               two clients held at a barrier after they have read: the anomaly that a level allows
                           must be there, and the same steps one level up must be refused

The second half keeps the first honest: a server that gave every level the strongest guarantee would pass the
first and fail the second, and so would a recorder that sees nothing.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg import errors

from tests.histories.checker import EXCLUDED, anomalies, check
from tests.histories.history import Append, History, Read, Txn
from tests.histories.workload import Client, Plan, create, record
from tests.server.process import ServerProcess

LEVELS = ("read committed", "repeatable read", "serializable", "strict serializable")
KEYS = 4
REFUSED = (errors.SerializationFailure, errors.DeadlockDetected)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("histories") / "data") as process:
        yield process
        assert process.unexpected() == []


def dsn(server: ServerProcess) -> str:
    return f"host={server.host} port={server.port} user=tidewire dbname=tidewire"


def found(history: History, level: str) -> list[str]:
    return [str(a) for a in check(history, level)]


# --- at random -----------------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_a_level_excludes_its_anomalies(server: ServerProcess, level: str) -> None:
    create(dsn(server), KEYS)
    history = record(Plan([dsn(server)], level, keys=KEYS, transactions=40, seed=LEVELS.index(level)))
    done = sum(t.outcome == "ok" for t in history.txns)
    assert done > len(history.txns) // 4, f"{done} of {len(history.txns)} committed"
    assert found(history, level) == []


def test_sessions_of_all_levels_together(server: ServerProcess) -> None:
    """What holds at the weakest level holds for all, whoever is beside them."""
    create(dsn(server), KEYS)
    history = _side_by_side([Plan([dsn(server)], level, clients=2, keys=KEYS) for level in LEVELS])
    assert found(history, "read committed") == []


def _side_by_side(plans: list[Plan]) -> History:
    """Several workloads at once, as one history."""
    ids, values = itertools.count(1), itertools.count(1)
    clients = [
        Client(10 * i + n, plan, ids, values) for i, plan in enumerate(plans) for n in range(plan.clients)
    ]
    for client in clients:
        client.start()
    for client in clients:
        client.join()
    return History(sorted((t for c in clients for t in c.txns), key=lambda t: t.began_s))


Disturb = Callable[[ServerProcess, random.Random], None]


def kill_and_restart(server: ServerProcess, rng: random.Random) -> None:
    server.kill()
    server.start()


def stall(server: ServerProcess, rng: random.Random) -> None:
    os.kill(server.pid, signal.SIGSTOP)
    try:
        time.sleep(rng.uniform(0.1, 1.0))
    finally:
        os.kill(server.pid, signal.SIGCONT)


def stop_and_restart(server: ServerProcess, rng: random.Random) -> None:
    assert server.stop() == 0
    server.start()


def disturbed(
    folder: Path, level: str, disturbances: list[Disturb], *, seed: int, pause_s: float = 1.0
) -> History:
    """A history during which the server is disturbed, with `pause_s` of work after each disturbance."""
    rng = random.Random(seed)
    with ServerProcess(folder / "data") as server:
        create(dsn(server), KEYS)
        plan = Plan([dsn(server)], level, keys=KEYS, transactions=1_000_000, seed=seed)
        failures: list[BaseException] = []

        def disturb() -> None:
            try:
                for what in disturbances:
                    time.sleep(rng.uniform(0.3, 1.0) * pause_s)
                    what(server, rng)
                time.sleep(pause_s)
            except BaseException as error:  # noqa: BLE001 - reported by the test's own thread
                failures.append(error)
            finally:
                plan.stop.set()

        thread = threading.Thread(target=disturb)
        thread.start()
        try:
            history = record(plan)
        finally:
            thread.join()
            assert not failures, failures
        assert server.unexpected() == []
        return history


def test_killed_and_stalled(tmp_path: Path) -> None:
    disturbances = [stall, kill_and_restart, stop_and_restart]
    history = disturbed(tmp_path, "strict serializable", disturbances, seed=1)
    outcomes = {t.outcome for t in history.txns}
    assert "ok" in outcomes
    assert found(history, "strict serializable") == []


@pytest.mark.soak
@pytest.mark.parametrize("level", LEVELS)
def test_killed_and_stalled_for_long(tmp_path: Path, level: str) -> None:
    seed = random.randrange(1 << 30)
    print(f"seed {seed}")
    rng = random.Random(seed)
    disturbances = [rng.choice([stall, kill_and_restart, stop_and_restart]) for _ in range(20)]
    history = disturbed(tmp_path, level, disturbances, seed=seed)
    assert sum(t.outcome == "ok" for t in history.txns) > 100  # however slow the machine is
    assert found(history, level) == []


@pytest.mark.soak
@pytest.mark.parametrize("level", LEVELS)
def test_a_level_excludes_its_anomalies_for_long(server: ServerProcess, level: str) -> None:
    for _ in range(10):
        seed = random.randrange(1 << 30)
        print(f"seed {seed}")
        create(dsn(server), KEYS)
        history = record(Plan([dsn(server)], level, clients=10, keys=KEYS, transactions=200, seed=seed))
        assert found(history, level) == []


# --- provoked ------------------------------------------------------------------------------------

Steps = list[Append | Read]


def provoked(server: ServerProcess, level: str, first: Steps, second: Steps) -> History:
    """Two transactions that both read before either writes; `first` ends before `second` writes."""
    create(dsn(server), KEYS)
    both_have_read, first_is_done = threading.Barrier(2), threading.Event()

    def client(txn: Txn, before: Callable[[], object], after: Callable[[], object]) -> None:
        conn = psycopg.connect(dsn(server), autocommit=True)
        reads = [o for o in txn.operations if isinstance(o, Read)]
        writes = [o for o in txn.operations if isinstance(o, Append)]
        txn.began_s = time.monotonic()
        try:
            conn.execute(f"BEGIN ISOLATION LEVEL {level}" if "strict" not in level else "BEGIN")
            for r in reads:
                _read(conn, r)
            both_have_read.wait(240)
            before()
            for w in writes:
                conn.execute("UPDATE lists SET v = v || %s WHERE k = %s", (f"{w.value},", w.key))
            conn.execute("COMMIT")
        except REFUSED as refused:
            txn.outcome, txn.error = "fail", str(refused.sqlstate)
        finally:
            txn.ended_s = time.monotonic()
            after()
            conn.close()

    a, b = Txn(1, first), Txn(2, second)
    threads = [
        threading.Thread(target=client, args=(a, lambda: None, first_is_done.set)),
        threading.Thread(target=client, args=(b, lambda: first_is_done.wait(240), lambda: None)),
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    last = Txn(3, [Read(k) for k in range(KEYS)], began_s=time.monotonic())
    with server.connect() as conn:
        for r in last.operations:
            assert isinstance(r, Read)
            _read(conn, r)
    last.ended_s = time.monotonic()
    return History([a, b, last])


def _read(conn: psycopg.Connection[tuple[object, ...]], read: Read) -> None:
    row = conn.execute("SELECT v FROM lists WHERE k = %s", (read.key,)).fetchone()
    assert row is not None
    read.seen = tuple(int(x) for x in str(row[0]).split(",") if x)


X, Y = 0, 1

PROVOKED: dict[str, Callable[[], tuple[Steps, Steps]]] = {
    "lost update": lambda: ([Read(X), Append(X, 1)], [Read(X), Append(X, 2)]),
    "G-single": lambda: ([Append(X, 1), Append(Y, 2)], [Read(X), Append(Y, 3)]),
    "G2": lambda: ([Read(X), Read(Y), Append(X, 1)], [Read(X), Read(Y), Append(Y, 2)]),
}


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("anomaly", PROVOKED)
def test_an_anomaly_is_there_exactly_where_the_level_allows_it(
    server: ServerProcess, anomaly: str, level: str
) -> None:
    history = provoked(server, level, *PROVOKED[anomaly]())
    names = {a.name for a in anomalies(history)}
    if anomaly in EXCLUDED[level]:
        assert names == set()
        assert [t.outcome for t in history.txns] == ["ok", "fail", "ok"]
        assert history.txns[1].error == "40001"
    else:
        assert anomaly in names
        assert [t.outcome for t in history.txns] == ["ok", "ok", "ok"]
