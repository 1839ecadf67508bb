"""Advisory locks between real servers of one environment, over each consensus that they may share.

What servers promise each other second by second is in `tests/executor/shared_scripts/advisory_locks.txt`, by a clock of its own.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.postgres import NoPostgres, postgres_process
from tests.server.consensus import consensus
from tests.server.process import ServerProcess, wait_until

HANG_S = 240.0


@contextlib.contextmanager
def two_servers(kind: str, folder: Path) -> Iterator[list[ServerProcess]]:
    with consensus(kind, folder) as url, contextlib.ExitStack() as stack:
        shared = ["--shared", "--consensus", url, "--blob", (folder / "blob").as_uri()]
        servers = [stack.enter_context(ServerProcess(folder / name, *shared)) for name in ("a", "b")]
        yield servers
        for server in servers:
            assert server.unexpected() == []


class Waiter(threading.Thread):
    """Asks for lock 1 and says when it has it."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        super().__init__()
        self.connection, self.failed = connection, None
        self.start()

    def run(self) -> None:
        try:
            self.connection.execute("SELECT pg_advisory_lock(1)")
        except psycopg.Error as error:
            self.failed = error.sqlstate  # type: ignore[assignment]

    def gets_it(self) -> bool:
        self.join(HANG_S)
        return not self.is_alive() and self.failed is None


def queued(connection: psycopg.Connection[Any]) -> bool:
    asked = connection.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted")
    return asked.fetchone() == (1,)


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_who_waits_on_another_server_goes_on_when_the_holder_lets_go_or_leaves(
    kind: str, tmp_path: Path
) -> None:
    with two_servers(kind, tmp_path) as (a, b):
        holder, waiting = a.connect(), b.connect()
        for leave in (lambda: holder.execute("SELECT pg_advisory_unlock(1)"), holder.close):
            holder.execute("SELECT pg_advisory_lock(1)")
            waiter = Waiter(waiting)
            wait_until(lambda: queued(holder), HANG_S)
            leave()
            assert waiter.gets_it()
            waiting.execute("SELECT pg_advisory_unlock(1)")


@pytest.mark.soak
@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP])
def test_the_locks_of_a_server_that_is_gone_are_free_when_its_lease_is_over(
    kind: str, number: signal.Signals, tmp_path: Path
) -> None:
    with two_servers(kind, tmp_path) as (a, b):
        holder, waiting = a.connect(), b.connect()
        waiting.execute("CREATE TABLE t (id int PRIMARY KEY, v int)")
        waiting.execute("INSERT INTO t VALUES (1, 0)")
        holder.execute("SELECT pg_advisory_lock(1)")
        holder.execute("SELECT * FROM t")
        waiter = Waiter(waiting)
        wait_until(lambda: queued(holder), HANG_S)
        os.kill(a.pid, number)
        assert waiter.gets_it()
        waiting.execute("UPDATE t SET v = v + 10")
        if number == signal.SIGSTOP:
            os.kill(a.pid, signal.SIGCONT)
        with pytest.raises(psycopg.OperationalError):
            holder.execute("UPDATE t SET v = v + 1")
        assert waiting.execute("SELECT v FROM t").fetchone() == (10,)


# --- the consensus dies ----------------------------------------------------------------------------


def answers_again(connection: psycopg.Connection[Any]) -> bool:
    """Whether the connection's server reaches a consensus that is back, to read and to write."""
    try:
        connection.execute("UPDATE t SET v = v WHERE id = 1")
    except psycopg.OperationalError:
        return False
    return True


@pytest.mark.soak
def test_locks_that_are_held_while_postgresql_is_killed_are_held_by_the_same_sessions_when_it_is_back(
    tmp_path: Path,
) -> None:
    with contextlib.ExitStack() as stack:
        try:
            postgres = stack.enter_context(postgres_process())
        except NoPostgres as reason:
            pytest.skip(str(reason))
        shared = ["--shared", "--consensus", postgres.url, "--blob", (tmp_path / "blob").as_uri()]
        a, b = (stack.enter_context(ServerProcess(tmp_path / name, *shared)) for name in ("a", "b"))
        holder, in_block, waiting, other = a.connect(), a.connect(), b.connect(), b.connect()
        holder.execute("CREATE TABLE t (id int PRIMARY KEY, v int)")
        holder.execute("INSERT INTO t VALUES (1, 0)")
        holder.execute("SELECT pg_advisory_lock(1)")
        in_block.execute("BEGIN")
        in_block.execute("SELECT pg_advisory_xact_lock(2)")
        in_block.execute("INSERT INTO t VALUES (2, 0)")
        waiter = Waiter(waiting)
        wait_until(lambda: queued(holder), HANG_S)
        postgres.kill()
        postgres.start()
        for connection in (holder, other):
            wait_until(lambda c=connection: answers_again(c), HANG_S)  # type: ignore[misc]
        for lock in (1, 2):
            assert other.execute("SELECT pg_try_advisory_lock(%s)", (lock,)).fetchone() == (False,)
        in_block.execute("COMMIT")
        assert other.execute("SELECT count(*), pg_try_advisory_lock(2) FROM t").fetchone() == (2, True)
        assert waiter.is_alive()
        assert holder.execute("SELECT pg_advisory_unlock(1)").fetchone() == (True,)
        assert waiter.gets_it()
