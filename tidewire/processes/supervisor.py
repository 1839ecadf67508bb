"""The parent of several server processes: starts them, passes signals on, and says when one dies.

    refuse what cannot be --> lock, port --> process 0 --> the others --> ready line
                                                 died? said, started again, up to DEATHS_MAX a minute
                              SIGHUP: to all of them
                              SIGTERM: to all of them, wait, end

It serves nobody itself, so nothing that a statement does can be in its way.
"""

from __future__ import annotations

import asyncio
import collections
import contextlib
import json
import os
import secrets
import signal
import socket
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import structlog

from tidewire import __version__, logs
from tidewire.certificates import own_certificate
from tidewire.config import Config
from tidewire.credentials import authentication_of
from tidewire.datadir import DataDir, DataDirError
from tidewire.starting import CLOSE_LIMIT_S, READY, StartError, refuse_address

_log = structlog.get_logger("tidewire.processes")

DEATHS_MAX = 5
DEATHS_WINDOW_S = 60.0
"""More deaths than that in so long, and the server ends: what kills them would go on doing so."""


def run(config: Config) -> None:
    """Serves with `config.processes` processes until SIGTERM or SIGINT. Raises StartError."""
    logs.configure(config.log_level, config.log_format)
    asyncio.run(_supervise(config))


@dataclass(slots=True)
class _Child:
    """One process, as its parent knows it."""

    ordinal: int
    process: asyncio.subprocess.Process
    ended: asyncio.Task[int] = field(init=False)
    ready: bool = False
    changed: bool = False
    """While it was starting its files became others, some of which it may have read by then."""

    def __post_init__(self) -> None:
        self.ended = asyncio.create_task(self.process.wait())


class _Family:
    """The processes, and what outlives each of them: their inboxes."""

    def __init__(self, config: Config) -> None:
        self.config = config
        pairs = [socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM) for _ in range(config.processes)]
        self._inboxes = [a for a, _ in pairs]
        self._outboxes = [b for _, b in pairs]
        self._mock_key = secrets.token_hex(32)
        self.children: dict[int, _Child] = {}
        self.deaths_s: collections.deque[float] = collections.deque()

    async def start(self, ordinal: int, config: Config) -> str:
        """Starts a process and waits for its ready line; the address. Raises StartError."""
        inbox, outboxes = self._inboxes[ordinal].fileno(), [s.fileno() for s in self._outboxes]
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", "tidewire.processes.seat"),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            pass_fds=(inbox, *outboxes),
        )
        child = self.children[ordinal] = _Child(ordinal, process)
        assert process.stdin is not None and process.stdout is not None
        given = {
            "config": config.model_dump(mode="json"),
            "ordinal": ordinal,
            "inbox": inbox,
            "outboxes": outboxes,
            "mock_key": self._mock_key,
        }
        with contextlib.suppress(ConnectionError):  # it has died: the ready line does not come
            process.stdin.write(json.dumps(given).encode() + b"\n")
            await process.stdin.drain()
        line = (await process.stdout.readline()).decode()
        if not line.startswith(READY):
            raise StartError(f"process {ordinal} did not start (exit code {await child.ended})")
        child.ready = True
        if child.changed:
            process.send_signal(signal.SIGHUP)
        _log.info("process started", process=ordinal, pid=process.pid)
        return line.removeprefix(READY).strip()

    def tell(self, number: signal.Signals) -> None:
        for child in self.children.values():
            if child.process.returncode is None:
                child.process.send_signal(number)

    def reload(self) -> None:
        """Every process reads its files anew; one that is starting may not know of the signal yet, and is told when it does."""
        for child in self.children.values():
            if not child.ready:
                child.changed = True
            elif child.process.returncode is None:
                child.process.send_signal(signal.SIGHUP)

    async def stop(self, limit_s: float) -> list[int]:
        """SIGTERM to all, and SIGKILL to those that outlive the limit; their exit codes.

        One that is still starting may not know of the signal yet, and be ended by it: nobody was connected.
        """
        starting = [child for child in self.children.values() if not child.ready]
        self.tell(signal.SIGTERM)
        waiting = [child.ended for child in self.children.values()]
        if not waiting:
            return []
        _, left = await asyncio.wait(waiting, timeout=limit_s)
        if left:
            _log.error("processes did not end and are killed", count=len(left))
            self.tell(signal.SIGKILL)
        await asyncio.gather(*waiting)
        unaware = [child.ended for child in starting if child.ended.result() == -signal.SIGTERM]
        return [ended.result() for ended in waiting if ended not in unaware]

    def died(self, ordinal: int) -> None:
        """Says so. Raises StartError when too many have."""
        code = self.children.pop(ordinal).ended.result()
        _log.error("a process died", process=ordinal, exit_code=code)
        now_s = time.monotonic()
        self.deaths_s.append(now_s)
        while now_s - self.deaths_s[0] > DEATHS_WINDOW_S:
            self.deaths_s.popleft()
        if len(self.deaths_s) > DEATHS_MAX:
            raise StartError(f"more than {DEATHS_MAX} processes died in {DEATHS_WINDOW_S:g} seconds")

    def close(self) -> None:
        for each in (*self._inboxes, *self._outboxes):
            each.close()


async def _supervise(config: Config) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    loop.add_signal_handler(signal.SIGHUP, lambda: None)  # nothing has been read yet that is kept
    authentication_of(config)  # what would keep every process from starting is said once
    with contextlib.ExitStack() as stack:
        try:
            data_dir = stack.enter_context(DataDir(config.data_dir))
        except DataDirError as error:
            raise StartError(str(error)) from error
        port = _reserved_port(config, stack)
        family = _Family(config)
        stack.callback(family.close)
        loop.add_signal_handler(signal.SIGHUP, family.reload)
        try:
            address = await _start_all(family, config, port)
            data_dir.announce(address)
            print(f"{READY}{address}", flush=True)
            _log.info("ready", address=address, processes=config.processes, version=__version__)
            await _watch(family, config, port, stop)
        finally:
            codes = await family.stop(2 * config.drain_timeout_s + CLOSE_LIMIT_S + 10)
    if any(codes):
        raise StartError(f"not all processes ended cleanly: exit codes {codes}")


async def _start_all(family: _Family, config: Config, port: int) -> str:
    """The first alone, for it may have an environment to make; then the others at once."""
    address = await family.start(0, seat_config(config, 0, port))
    others = [family.start(i, seat_config(config, i, port)) for i in range(1, config.processes)]
    results = await asyncio.gather(*others, return_exceptions=True)
    for each in results:
        if isinstance(each, BaseException):
            raise each
    return address


async def _watch(family: _Family, config: Config, port: int, stop: asyncio.Event) -> None:
    """Until the signal; processes that die meanwhile are started again, side by side. Raises StartError."""
    stopping = asyncio.create_task(stop.wait())
    again: dict[int, asyncio.Task[None]] = {}
    try:
        while True:
            ends = {
                child.ended: ordinal for ordinal, child in family.children.items() if ordinal not in again
            }
            await asyncio.wait([stopping, *ends, *again.values()], return_when=asyncio.FIRST_COMPLETED)
            if stopping.done():
                return
            for ordinal, task in list(again.items()):
                if task.done():
                    del again[ordinal]
                    task.result()
            for ended, ordinal in ends.items():
                if ended.done():
                    work = _again(family, seat_config(config, ordinal, port), ordinal)
                    again[ordinal] = asyncio.create_task(work)
    finally:
        stopping.cancel()
        for task in again.values():
            task.cancel()
        await asyncio.gather(*again.values(), return_exceptions=True)


async def _again(family: _Family, config: Config, ordinal: int) -> None:
    """Until it serves. Raises StartError when too many have died."""
    while True:
        family.died(ordinal)
        try:
            await family.start(ordinal, config)
        except StartError as error:
            _log.error("a process could not be started again", process=ordinal, error=str(error))
            continue
        return


def seat_config(config: Config, ordinal: int, port: int) -> Config:
    """What one process is told: the same, with a data directory of its own and the stores that all share."""
    host = config.listen.rpartition(":")[0]
    changes: dict[str, Any] = {
        "processes": 1,
        "shared": True,
        "listen": f"{host}:{port}",
        "data_dir": config.data_dir.absolute() / "processes" / str(ordinal),
        "blob": config.blob_url,
        "consensus": config.consensus_url,
    }
    if config.tls == "generate":  # one certificate, whichever process a client meets
        try:
            certificate, key = own_certificate(config.data_dir.absolute() / "tls", config.address[0])
        except OSError as error:
            raise StartError(f"cannot make a certificate: {error}") from error
        changes |= {"tls": "given", "tls_certificate": certificate, "tls_key": key}
    for name in ("password_file", "hba_file", "tls_certificate", "tls_key", "tls_client_ca"):
        path = changes.get(name) or getattr(config, name)
        if path is not None:
            changes[name] = Path(os.path.abspath(path))
    return config.model_copy(update=changes)


def _reserved_port(config: Config, stack: contextlib.ExitStack) -> int:
    """Binds the address for as long as this process lives, without listening: connections go to the processes.

    First as a program would that shares it with nobody: so another server there, also one of several processes, is found.
    """
    host, port = config.address
    family, kind, protocol, _, where = socket.getaddrinfo(
        host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    try:
        with socket.socket(family, kind, protocol) as alone:
            alone.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            alone.bind(where)
        holder = stack.enter_context(socket.socket(family, kind, protocol))
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        holder.bind(where)
    except OSError as error:
        refuse_address(config.listen, error)
    return int(holder.getsockname()[1])
