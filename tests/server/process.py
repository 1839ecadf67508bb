"""A Tidewire server as an operator runs it: a process, a directory, signals."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psycopg
import pytest

READY = "tidewire: ready to accept connections on "
START_TIMEOUT_S = 240.0

needs_psql = pytest.mark.skipif(shutil.which("psql") is None, reason="psql is not installed")
needs_pgbench = pytest.mark.skipif(shutil.which("pgbench") is None, reason="pgbench is not installed")


class ServerProcess:
    """`start`, `stop` (SIGTERM), `kill` (SIGKILL), as often as one likes, on one directory."""

    def __init__(self, data_dir: Path, *arguments: str, environment: dict[str, str] | None = None) -> None:
        self.data_dir = data_dir
        self._arguments = arguments
        self._environment = environment or {}
        self._process: subprocess.Popen[str] | None = None
        self.log = data_dir.parent / f"{data_dir.name}.log"
        self.host, self.port = "127.0.0.1", 0

    def __enter__(self) -> ServerProcess:
        return self.start()

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self.kill()

    def command(self) -> list[str]:
        return [
            sys.executable, "-m", "tidewire", "serve", "--data-dir", str(self.data_dir),
            "--listen", f"127.0.0.1:{self.port}", *self._arguments,
        ]  # fmt: skip

    def environment(self) -> dict[str, str]:
        # Servers keep their bytecode, as installed ones do: compiling it at each start takes longer than a test.
        left_out = ("TIDEWIRE_", "PG", "PYTHONDONTWRITEBYTECODE")
        clean = {k: v for k, v in os.environ.items() if not k.startswith(left_out)}
        return clean | self._environment

    def start(self) -> ServerProcess:
        with open(self.log, "a") as log:
            self._process = subprocess.Popen(
                self.command(), stdout=subprocess.PIPE, stderr=log, text=True, env=self.environment()
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line.startswith(READY):
            self.kill()
            raise AssertionError(f"the server did not start: {line!r}\n{self.log.read_text()[-4000:]}")
        self.host, port = line.removeprefix(READY).strip().rsplit(":", 1)
        self.port = int(port)
        return self

    def stop(self, timeout_s: float = 120.0) -> int:
        """SIGTERM; returns the exit code."""
        assert self._process is not None
        self._process.send_signal(signal.SIGTERM)
        try:
            code = self._process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(f"no end after SIGTERM\n{self.log.read_text()[-4000:]}") from None
        self._process = None
        return code

    def wait(self, timeout_s: float = 120.0) -> int:
        """For an end that the server comes to by itself; returns the exit code."""
        assert self._process is not None
        return self._process.wait(timeout_s)

    def kill(self) -> None:
        assert self._process is not None
        self._process.kill()
        self._process.wait(30)
        self._process = None

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def connect(self, **options: Any) -> psycopg.Connection[Any]:
        given: dict[str, Any] = {
            "host": self.host,
            "port": self.port,
            "user": "tidewire",
            "dbname": "tidewire",
            "autocommit": True,
            "connect_timeout": 60,
        }
        return psycopg.connect(**(given | options))

    def client_environment(self) -> dict[str, str]:
        return self.environment() | {
            "PGHOST": self.host,
            "PGPORT": str(self.port),
            "PGUSER": "tidewire",
            "PGDATABASE": "tidewire",
            "PGCONNECT_TIMEOUT": "10",
        }

    def psql(self, *arguments: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["psql", "-X", "-P", "pager=off", *arguments],
            input=stdin,
            env=self.client_environment(),
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    def pgbench(
        self, *arguments: str, timeout_s: float = 600, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            ["pgbench", *arguments],
            env=self.client_environment(),
            capture_output=True,
            text=True,
            timeout=timeout_s,
            check=False,
        )
        if check:
            assert done.returncode == 0, f"pgbench {arguments}\n{done.stdout}\n{done.stderr}"
        return done

    def unexpected(self) -> list[str]:
        """Lines of the server's log that tell of a defect."""
        return [line for line in self.log.read_text().splitlines() if "unexpected error" in line]


def refused(command: Sequence[str], environment: dict[str, str] | None = None) -> tuple[int, str]:
    """Runs a server that is to refuse to start: its exit code and what it said on stderr."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("TIDEWIRE_")}
    done = subprocess.run(
        [sys.executable, "-m", "tidewire", *command],
        capture_output=True,
        text=True,
        timeout=START_TIMEOUT_S,
        env=clean | (environment or {}),
        check=False,
    )
    assert READY not in done.stdout
    return done.returncode, done.stderr


def wait_until(condition: Any, timeout_s: float = 60.0) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.01)
