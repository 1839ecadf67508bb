"""kill -9 at random moments: what was acknowledged is there, what was not is all there or not at all."""

from __future__ import annotations

import random
import subprocess
import threading
import time
from pathlib import Path

import psycopg
import pytest

from tests.server.process import ServerProcess, needs_pgbench
from tests.server.test_pgbench import check_sums


def _crash_under_pgbench(server: ServerProcess, rng: random.Random) -> None:
    """Loads a running server with pgbench, kills it somewhere in between, starts it again."""
    arguments = ["pgbench", "-n", "-M", rng.choice(["simple", "extended", "prepared"]), "-T", "30"]
    arguments += ["-c", str(rng.choice([1, 4, 16])), "-j", "2"]
    load = subprocess.Popen(
        arguments, env=server.client_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        time.sleep(rng.uniform(0.2, 2.0))
        server.kill()
    finally:
        load.kill()
        load.wait()
    server.start()
    check_sums(server)


@needs_pgbench
@pytest.mark.parametrize("seed", [1])
def test_pgbench_and_kill(tmp_path: Path, seed: int) -> None:
    _rounds(tmp_path, seed, 3)


@pytest.mark.soak
@needs_pgbench
def test_pgbench_and_kill_twenty_times(tmp_path: Path) -> None:
    _rounds(tmp_path, random.randrange(1 << 30), 20)


def _rounds(tmp_path: Path, seed: int, rounds: int) -> None:
    rng = random.Random(seed)
    print(f"seed {seed}")
    with ServerProcess(tmp_path / "data") as server:
        server.pgbench("-i", "-s", "1", "-q")
        for _ in range(rounds):
            _crash_under_pgbench(server, rng)
        assert server.unexpected() == []
        assert server.stop() == 0


class Writer(threading.Thread):
    """Inserts 1, 2, 3, ... and remembers which were acknowledged and which may have happened."""

    def __init__(self, server: ServerProcess, number: int) -> None:
        super().__init__()
        self._server, self._number = server, number
        self.acknowledged: list[int] = []
        self.in_doubt: int | None = None

    def run(self) -> None:
        n = self._number * 1_000_000
        try:
            with self._server.connect() as connection:
                while True:
                    n += 1
                    self.in_doubt = n
                    with connection.transaction():
                        connection.execute("INSERT INTO a VALUES (%s)", (n,))
                        connection.execute("INSERT INTO b VALUES (%s)", (n,))
                    self.acknowledged.append(n)
                    self.in_doubt = None
        except psycopg.OperationalError:
            return


def _acknowledged_is_durable(tmp_path: Path, rounds: int, seed: int) -> None:
    rng = random.Random(seed)
    print(f"seed {seed}")
    expected: set[int] = set()
    with ServerProcess(tmp_path / "data") as server:
        with server.connect() as connection:
            connection.execute("CREATE TABLE a (n bigint PRIMARY KEY); CREATE TABLE b (n bigint PRIMARY KEY)")
        for round_number in range(rounds):
            writers = [Writer(server, 10 * round_number + i) for i in range(4)]
            for writer in writers:
                writer.start()
            time.sleep(rng.uniform(0.1, 1.0))
            server.kill()
            for writer in writers:
                writer.join(30)
            server.start()
            with server.connect() as connection:
                a = {n for (n,) in connection.execute("SELECT n FROM a")}
                b = {n for (n,) in connection.execute("SELECT n FROM b")}
            assert a == b, "half a transaction"
            expected.update(n for writer in writers for n in writer.acknowledged)
            doubtful = {writer.in_doubt for writer in writers if writer.in_doubt is not None}
            assert expected <= a, f"acknowledged and lost: {sorted(expected - a)[:10]}"
            assert a <= expected | doubtful, f"never asked for: {sorted(a - expected - doubtful)[:10]}"
            expected = a
        assert server.stop() == 0


def test_what_was_acknowledged_is_there(tmp_path: Path) -> None:
    _acknowledged_is_durable(tmp_path, 2, seed=7)


@pytest.mark.soak
def test_what_was_acknowledged_is_there_twenty_times(tmp_path: Path) -> None:
    _acknowledged_is_durable(tmp_path, 20, seed=random.randrange(1 << 30))


def test_ddl_is_all_there_or_not_at_all(tmp_path: Path) -> None:
    rng = random.Random(3)
    with ServerProcess(tmp_path / "data") as server:
        for round_number in range(2):
            done: list[int] = []

            def work(first: int, done: list[int] = done) -> None:
                try:
                    with server.connect() as connection:
                        for n in range(first, first + 10_000):
                            connection.execute(
                                f"BEGIN; CREATE TABLE t{n} (id int PRIMARY KEY); INSERT INTO t{n} VALUES ({n}); COMMIT"
                            )
                            done.append(n)
                except psycopg.OperationalError:
                    return

            thread = threading.Thread(target=work, args=(round_number * 10_000,))
            thread.start()
            time.sleep(rng.uniform(0.3, 1.0))
            server.kill()
            thread.join(30)
            server.start()
            with server.connect() as connection:
                tables = {
                    int(name[1:])
                    for (name,) in connection.execute(
                        "SELECT relname FROM pg_class WHERE relname ~ '^t[0-9]+$'"
                    )
                }
                assert set(done) <= tables
                for n in tables:
                    assert connection.execute(f"SELECT id FROM t{n}").fetchall() == [(n,)]
        assert server.stop() == 0
