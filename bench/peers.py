"""The sides of a comparison: servers, each started afresh with its defaults, and libraries in this process.

A figure means little on a shared two-core machine; a *ratio* to a peer measured in the same
minutes means more. So both servers run at once, workloads are sent to them in turn, and nothing
but the server under load is busy meanwhile. PostgreSQL runs with its default settings (fsync on),
Tidewire with the embedded default (durable, strict serializable).
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

from tests.postgres import running_postgres

POSTGRES_LIMIT_S = 300
"""Of one statement on PostgreSQL; the only setting that is not its default, and none that a figure feels."""


@dataclass
class Peer:
    """A running server, or (without a port) a library that a workload uses in this process."""

    name: str
    host: str = ""
    port: int = 0
    user: str = ""
    dbname: str = ""
    process: subprocess.Popen[str] | None = None
    data_dir: Path | None = None
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def dsn(self) -> str:
        return f"host={self.host} port={self.port} user={self.user} dbname={self.dbname}"

    def connect(self) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(self.dsn, autocommit=True)

    @property
    def url(self) -> str:
        return f"postgresql://{self.user}@{self.host}:{self.port}/{self.dbname}"

    def revive(self) -> None:
        """Starts the server again if it is gone: what killed it is not to cost the workloads after it."""
        if self.process is not None and self.process.poll() is not None:
            assert self.data_dir is not None
            self.process = start_tidewire(self.data_dir, self.port)

    def cpu_s(self) -> float:
        """Processor seconds of the server's process and its children so far; 0 where that is not known."""
        if self.process is None or not Path("/proc/self/stat").exists():
            return 0.0
        return sum(cpu_s(pid) for pid in process_tree(self.process.pid))

    @contextlib.contextmanager
    def limited(self, limit_s: float) -> Iterator[None]:
        """Kills the server when the block takes longer: whoever waits for an answer then gets an error."""
        process = self.process
        if process is None:  # PostgreSQL has its own limit; a library is in this process
            yield
            return
        timer = threading.Timer(limit_s, process.kill)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    @property
    def pg_arguments(self) -> list[str]:
        """The connection options that PostgreSQL's own programs take."""
        return ["-h", self.host, "-p", str(self.port), "-U", self.user]


def process_tree(pid: int) -> list[int]:
    """The process and all below it, as Linux tells."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        with contextlib.suppress(OSError):
            for child in task.read_text().split():
                found += process_tree(int(child))
    return found


def cpu_s(pid: int) -> float:
    """Processor seconds of one process so far; 0 if it is gone."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
        return port


def start_tidewire(data_dir: Path, port: int, *extra: str) -> subprocess.Popen[str]:
    """Starts a server process and waits for its ready line. Raises RuntimeError if it does not come.

    Python may keep its bytecode, whatever this environment says: an installed server has it from the installation.
    """
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "tidewire",
            "serve",
            "--data-dir",
            str(data_dir),
            "--listen",
            f"127.0.0.1:{port}",
            *extra,
        ],
        stdout=subprocess.PIPE,
        stderr=(data_dir.parent / "tidewire.log").open("ab"),
        text=True,
        env={k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"},
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    if not line.startswith("tidewire: ready"):
        process.kill()
        log = (data_dir.parent / "tidewire.log").read_text(errors="replace")[-2000:]
        raise RuntimeError(f"tidewire did not start: {line!r}\n{log}")
    return process


def stop(process: subprocess.Popen[str], sig: int = signal.SIGTERM) -> None:
    process.send_signal(sig)
    try:
        process.wait(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


@contextlib.contextmanager
def tidewire_peer() -> Iterator[Peer]:
    root = Path(tempfile.mkdtemp(prefix="tidewire-bench-"))
    port = free_port()
    peer = Peer("tidewire", "127.0.0.1", port, "tidewire", "tidewire", data_dir=root / "data")
    assert peer.data_dir is not None
    peer.process = start_tidewire(peer.data_dir, port)
    try:
        yield peer
    finally:
        stop(peer.process)
        shutil.rmtree(root, ignore_errors=True)


@contextlib.contextmanager
def postgres_peer() -> Iterator[Peer]:
    """PostgreSQL with its default settings: synchronous, every commit on disk."""
    settings = {"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}
    with running_postgres(settings | {"statement_timeout": str(POSTGRES_LIMIT_S * 1000)}) as dsn:
        known = conninfo_to_dict(dsn)
        yield Peer(
            "postgres",
            str(known["host"]),
            int(str(known["port"])),
            str(known["user"]),
            str(known["dbname"]),
        )


def pgbench_program() -> str | None:
    """PostgreSQL's pgbench, wherever it is installed."""
    found = shutil.which("pgbench")
    if found:
        return found
    for path in sorted(Path("/usr/lib/postgresql").glob("*/bin/pgbench"), reverse=True):
        if os.access(path, os.X_OK):
            return str(path)
    return None
