"""Requests to end something in another process: one datagram each, over socket pairs that the supervisor has made.

    client --CancelRequest(pid, secret)--> process 1  ..datagram..>  process (pid - 1) % n: has it such a key?

Every process reads one inbox and can write to all. The pairs outlive the processes, so one that is started again has the
same inbox, and forgets what was in it. A datagram that does not fit into a full inbox is dropped, and said.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import IntEnum

import structlog

_log = structlog.get_logger("tidewire.processes")
_HEADER = struct.Struct("!BI")
DATAGRAM_BYTES_MAX = 512
PER_TURN_MAX = 64
"""Datagrams read in one turn of the loop."""


class What(IntEnum):
    CANCEL_WITH_KEY = 1  # a client's request: the secret is still to be compared
    CANCEL = 2  # pg_cancel_backend
    TERMINATE = 3  # pg_terminate_backend


@dataclass(frozen=True, slots=True)
class Request:
    what: What
    pid: int
    rest: bytes = b""
    """A client's secret; the role in whose name a function asks, nothing for a superuser's."""

    def encoded(self) -> bytes:
        return _HEADER.pack(self.what, self.pid) + self.rest

    @classmethod
    def decoded(cls, data: bytes) -> Request:
        what, pid = _HEADER.unpack_from(data)
        return cls(What(what), pid, data[_HEADER.size :])


class Relay:
    """One process's place in the exchange. `outboxes[i]` leads to the inbox of process i."""

    def __init__(self, ordinal: int, inbox: socket.socket, outboxes: Sequence[socket.socket]) -> None:
        self.ordinal, self._inbox, self._outboxes = ordinal, inbox, outboxes
        for each in (inbox, *outboxes):
            each.setblocking(False)

    def owner(self, pid: int) -> int:
        """The process whose sessions have such numbers."""
        return (pid - 1) % len(self._outboxes)

    def pids(self) -> tuple[int, int]:
        """The first number of this process's sessions, and the step from one to the next."""
        return self.ordinal + 1, len(self._outboxes)

    def send(self, request: Request) -> bool:
        """To the process that it concerns, if that is another one. Whether it is on its way."""
        owner = self.owner(request.pid)
        if request.pid < 1 or owner == self.ordinal:
            return False
        data = request.encoded()
        if len(data) > DATAGRAM_BYTES_MAX:
            return False
        try:
            self._outboxes[owner].send(data)
        except OSError as error:
            _log.warning("a cancel request did not reach its process", process=owner, error=str(error))
            return False
        return True

    def forget(self) -> None:
        """Drops what came before this process was there: it meant sessions of an earlier one."""
        while self._read():
            pass

    def received(self, act: Callable[[Request], None]) -> None:
        """Acts on what is there, up to `PER_TURN_MAX`."""
        for _ in range(PER_TURN_MAX):
            data = self._read()
            if not data:
                return
            act(Request.decoded(data))

    def fileno(self) -> int:
        return self._inbox.fileno()

    def _read(self) -> bytes:
        try:
            return self._inbox.recv(DATAGRAM_BYTES_MAX)
        except BlockingIOError:
            return b""
