"""What a process of several does more than a server that is alone: `python -m tidewire.processes.seat`.

    stdin    {"config": ..., "ordinal": 1, "inbox": 5, "outboxes": [6, 8], ...}   one line; then nothing, until the supervisor is gone
    stdout   the ready line, for the supervisor

Its sessions have numbers of their own kind, requests for other processes' sessions are passed on, and the end of standard
input ends it at once: what was acknowledged is in the log, and nobody is left to be told anything else.
"""

from __future__ import annotations

import asyncio
import json
import os
import socket
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import structlog

from executor.session import signals
from tidewire.imports import quick_imports
from tidewire.processes.relay import Relay, Request, What

if TYPE_CHECKING:
    from executor.executor import Executor
    from pgwire.server import Server

_log = structlog.get_logger("tidewire.processes")


@dataclass(frozen=True, slots=True)
class Seat:
    """A process's place among the others."""

    relay: Relay
    mock_key: bytes
    """All processes' (`Authentication.mock_key`): who asks twice may meet two of them."""

    def number(self, executor: Executor) -> None:
        """Before the first session is opened."""
        executor.number_sessions(*self.relay.pids())
        executor.signal_elsewhere = lambda pid, end, role: self.relay.send(
            Request(What.TERMINATE if end else What.CANCEL, pid, role.encode())
        )

    def join(self, server: Server, executor: Executor) -> None:
        """Before the server listens: requests go out, and come in."""

        def act(request: Request) -> None:
            if request.what is What.CANCEL_WITH_KEY:
                server.cancel_here(request.pid, request.rest)
                return
            end = request.what is What.TERMINATE
            if signals.permitted(executor, request.pid, request.rest.decode(), end=end):
                signals.signal(executor, request.pid, end=end)

        loop = asyncio.get_running_loop()
        self.relay.forget()
        loop.add_reader(self.relay.fileno(), self.relay.received, act)
        server.cancel_elsewhere = lambda pid, secret: self.relay.send(
            Request(What.CANCEL_WITH_KEY, pid, secret)
        )
        loop.add_reader(sys.stdin.fileno(), _orphaned)


def _orphaned() -> None:
    if not os.read(sys.stdin.fileno(), 4096):
        _log.error("the supervisor is gone: ending")
        sys.stderr.flush()
        os._exit(1)


def _opened(descriptor: int) -> socket.socket:
    return socket.socket(fileno=descriptor)


def main() -> None:
    with quick_imports():
        from tidewire.assembly import run
        from tidewire.cli import leave
        from tidewire.config import Config
        from tidewire.starting import StartError

    line = bytearray()
    while not line.endswith(b"\n"):
        line += os.read(0, 1) or b"\n"  # byte by byte: what follows is the loop's to wait for
    given: dict[str, Any] = json.loads(line)
    relay = Relay(given["ordinal"], _opened(given["inbox"]), [_opened(fd) for fd in given["outboxes"]])
    structlog.contextvars.bind_contextvars(process=relay.ordinal)
    try:
        run(Config(**given["config"]), Seat(relay, bytes.fromhex(given["mock_key"])))
    except StartError as error:
        print(f"tidewire: process {relay.ordinal}: {error}", file=sys.stderr)
        leave(1)
    leave(0)


if __name__ == "__main__":
    main()
