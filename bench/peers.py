"""The servers under measurement, each started afresh with its defaults.

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
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from psycopg.conninfo import conninfo_to_dict

from tests.postgres import running_postgres


@dataclass
class Peer:
    """A running server. `restart` is None where the workload about restarts does not apply."""

    name: str
    host: str
    port: int
    user: str
    dbname: str
    process: subprocess.Popen[str] | None = None
    data_dir: Path | None = None
    environment: dict[str, str] = field(default_factory=dict)

    @property
    def dsn(self) -> str:
        return f"host={self.host} port={self.port} user={self.user} dbname={self.dbname}"

    def connect(self) -> psycopg.Connection[tuple[object, ...]]:
        return psycopg.connect(self.dsn, autocommit=True)

    @property
    def pg_arguments(self) -> list[str]:
        """The connection options that PostgreSQL's own programs take."""
        return ["-h", self.host, "-p", str(self.port), "-U", self.user]


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
        return port


def start_tidewire(data_dir: Path, port: int, *extra: str) -> subprocess.Popen[str]:
    """Starts a server process and waits for its ready line. Raises RuntimeError if it does not come."""
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
    with running_postgres({"fsync": "on", "synchronous_commit": "on", "full_page_writes": "on"}) as dsn:
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
