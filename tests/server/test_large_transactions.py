"""One transaction of many rows: bounded memory, atomic, free to roll back, and nobody else waits for it."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.server.process import ServerProcess

FILL = "INSERT INTO big SELECT i, i % 100, 'row ' || i FROM generate_series(1, {}) i"
PEAK_MAX_BYTES = 3 << 30
"""For five million rows, whose values alone are a tenth of that."""


@contextmanager
def point_reads(server: ServerProcess) -> Iterator[list[int]]:
    """Another session that reads one row again and again: how often it was answered, so far."""
    answered, stop = [0], threading.Event()
    failures: list[BaseException] = []

    def read() -> None:
        try:
            with server.connect() as connection:
                while not stop.is_set():
                    assert connection.execute("SELECT v FROM small WHERE id = 7").fetchone() == (7,)
                    answered[0] += 1
        except BaseException as error:  # noqa: BLE001 - reported by the test's own thread
            failures.append(error)

    thread = threading.Thread(target=read)
    thread.start()
    try:
        yield answered
    finally:
        stop.set()
        thread.join()
    assert not failures, failures


def peak_bytes(server: ServerProcess) -> int | None:
    """The most memory that the server ever had, where the system tells."""
    try:
        status = Path(f"/proc/{server.pid}/status").read_text()
    except OSError:
        return None
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def count(connection: psycopg.Connection[Any]) -> int:
    row = connection.execute("SELECT count(*) FROM big").fetchone()
    assert row is not None
    return int(row[0])


def _scenario(tmp_path: Path, rows: int) -> None:
    with ServerProcess(tmp_path / "data") as server:
        with server.connect() as c:
            c.execute("CREATE TABLE small (id int PRIMARY KEY, v int)")
            c.execute("INSERT INTO small SELECT i, i FROM generate_series(1, 100) i")
            c.execute("CREATE TABLE big (id bigint PRIMARY KEY, v int, s text)")
        with server.connect() as c, server.connect() as other, point_reads(server) as reads:
            c.execute("BEGIN")
            before = reads[0]
            c.execute(FILL.format(rows))
            assert reads[0] > before, "point reads were answered meanwhile"
            assert count(c) == rows and count(other) == 0
            assert c.execute("SELECT s FROM big WHERE id = %s", (rows,)).fetchone() == (f"row {rows}",)
            c.execute("ROLLBACK")
            assert count(c) == count(other) == 0

            c.execute("BEGIN")
            c.execute("UPDATE small SET v = 8 WHERE id = 8")
            c.execute(FILL.format(rows))
            c.execute("UPDATE big SET v = -1 WHERE id % 2 = 0")
            c.execute("DELETE FROM big WHERE id % 5 = 0")
            assert count(other) == 0
            c.execute("COMMIT")
            left = rows - rows // 5
            assert count(c) == count(other) == left
            halves = other.execute("SELECT count(*) FILTER (WHERE v = -1) FROM big").fetchone()
            assert halves == (rows // 2 - rows // 10,)
        peak = peak_bytes(server)
        assert peak is None or peak < PEAK_MAX_BYTES
        server.kill()
        server.start()
        with server.connect() as c:
            assert count(c) == left
            # Killed in the middle of another one: nothing of it is there.
            begun = threading.Event()

            def doomed() -> None:
                with server.connect() as connection:
                    connection.execute("BEGIN")
                    connection.execute("INSERT INTO small VALUES (1000, 1000)")
                    begun.set()
                    connection.execute(FILL.format(rows).replace("SELECT i,", f"SELECT i + {rows},"))
                    os.kill(server.pid, 9)
                    connection.execute("COMMIT")

            def run() -> None:
                with pytest.raises(psycopg.OperationalError):
                    doomed()

            thread = threading.Thread(target=run)
            thread.start()
            assert begun.wait(60)
            thread.join()
        server.kill()
        server.start()
        with server.connect() as c:
            assert count(c) == left
            assert c.execute("SELECT count(*) FROM small").fetchone() == (100,)
        assert server.unexpected() == []
        assert server.stop() == 0


def test_a_large_transaction(tmp_path: Path) -> None:
    _scenario(tmp_path, 200_000)


@pytest.mark.soak
def test_five_million_rows(tmp_path: Path) -> None:
    _scenario(tmp_path, 5_000_000)
