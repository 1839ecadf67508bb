"""A server with few file descriptors: clients are refused with words, and those who are in can read and write as ever."""

from __future__ import annotations

import contextlib
import os
import socket
import time
from pathlib import Path

import psycopg
import pytest

from tests.server.process import ServerProcess, wait_until

pytestmark = pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="there is no /proc to look at")


class _Bounded(ServerProcess):
    """Started under `ulimit -n`, hard and soft."""

    files = 80

    def command(self) -> list[str]:
        return ["prlimit", f"--nofile={self.files}:{self.files}", *super().command()]


def _open_files(server: ServerProcess) -> int:
    return len(os.listdir(f"/proc/{server.pid}/fd"))


def _cpu_s(server: ServerProcess) -> float:
    fields = Path(f"/proc/{server.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def test_more_clients_than_descriptors(tmp_path: Path) -> None:
    with _Bounded(tmp_path / "data") as server, contextlib.ExitStack() as stack:
        first = stack.enter_context(server.connect())
        at_rest = _open_files(server)
        refused = 0
        for _ in range(_Bounded.files):
            try:
                stack.enter_context(server.connect())
            except psycopg.OperationalError as e:
                assert "sorry, too many clients already" in str(e)
                refused += 1
        assert 0 < refused < _Bounded.files
        silent = [socket.create_connection((server.host, server.port)) for _ in range(2 * _Bounded.files)]
        assert _open_files(server) < _Bounded.files
        before = _cpu_s(server)
        time.sleep(1)
        assert _cpu_s(server) - before < 0.5  # nobody asks the kernel again and again

        # Those who are in notice nothing, whatever their statements have to open.
        first.execute("CREATE TABLE many (a int PRIMARY KEY, b text)")
        first.execute("INSERT INTO many SELECT i, md5(i::text) FROM generate_series(1, 100000) g(i)")
        first.execute("CREATE TABLE copied AS SELECT * FROM many ORDER BY b")
        first.execute("DELETE FROM many WHERE a > 100")
        assert first.execute("SELECT count(*), (SELECT count(*) FROM copied) FROM many").fetchone() == (
            100,
            100_000,
        )

        stack.close()
        for each in silent:
            each.close()
        wait_until(lambda: _open_files(server) <= at_rest)
        with server.connect() as later:
            assert later.execute("SELECT b FROM copied WHERE a = 1").fetchone() is not None
        assert "room for fewer clients than connections_max says" in server.log.read_text()
        assert server.unexpected() == []


def test_a_low_limit_is_raised_where_it_may_be(tmp_path: Path) -> None:
    class Raised(ServerProcess):
        def command(self) -> list[str]:
            return ["prlimit", "--nofile=64:", *super().command()]

    with Raised(tmp_path / "data") as server, contextlib.ExitStack() as stack:
        for _ in range(100):
            stack.enter_context(server.connect())
        assert _open_files(server) > 100
