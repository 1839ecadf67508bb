"""The listener: who is connected, who may connect, and how it all ends.

    listen --accept--> Connection --start-up--> Executor.open_session --> Conversation
       |                                              |
       +-- counts, refuses (53300)                    +-- cancel key: (pid, secret)

**Drain.** SIGTERM stops listening, tells idle sessions 57P01 at once and running ones when their
statement has ended; what still runs after `drain_timeout_s` is cancelled, and what does not even stop
then is cut off. What was acknowledged is durable long before.
"""

from __future__ import annotations

import asyncio
import hmac
import secrets
import socket
import ssl
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import structlog

from pgwire import messages
from pgwire.authentication import Authentication, is_loopback
from pgwire.connection import Connection
from pgwire.wakefulness import ASLEEP, STAY_S, stay_awake
from planner.abc import SqlError

if TYPE_CHECKING:
    from executor.abc import Executor, Session

_log = structlog.get_logger("pgwire")

CANCEL_KEY_BYTES: Final = 32
"""Of protocol 3.2; 3.0 has room for 4."""
SUPERUSER: Final = "tidewire"


class InsecureListen(ValueError):
    """An address that others can reach, and nothing that would ask them who they are."""


def refuse_insecure(host: str, authentication: Authentication) -> None:
    """Raises InsecureListen for an address beyond loopback when nobody would be asked for a password."""
    if not is_loopback(host) and not authentication.configured:
        raise InsecureListen(
            f"refusing to listen on {host or '*'}: it is not a loopback address and no authentication is"
            " configured; give a password file (--password-file), or listen on 127.0.0.1"
        )


@dataclass(frozen=True, slots=True)
class WireLimits:
    """Bounds on what clients may do to the server before SQL comes in."""

    connections: int = 200
    reserved_connections: int = 3  # of these, for the superuser
    message_size_limit_bytes: int = messages.DEFAULT_LIMIT_BYTES
    authentication_timeout_s: float = 60.0
    drain_timeout_s: float = 10.0
    backlog: int = 512
    stay_awake_s: float = STAY_S
    files: int = 1 << 30
    """How many files and sockets the process may have open before clients get no place: the others are for the data."""


class Server:
    """Serves an `Executor` to Postgres clients."""

    def __init__(
        self,
        executor: Executor,
        *,
        limits: WireLimits | None = None,
        authentication: Authentication | None = None,
        tls: ssl.SSLContext | None = None,
        certificate_hash: bytes | None = None,
    ) -> None:
        self.executor = executor
        self.limits = limits or WireLimits()
        self.admit_by(authentication or Authentication(), tls, certificate_hash)
        self.stopping = False
        self.ending = SqlError("57P01", "terminating connection due to administrator command")
        """What a drained session is told."""
        self.loop = asyncio.get_event_loop()
        self.wakefulness = ASLEEP
        self._listeners: list[asyncio.Server] = []
        self._connections: set[Connection] = set()
        self._keys: dict[int, Connection] = {}
        self.cancel_elsewhere: Callable[[int, bytes], bool] | None = None
        """Passes a cancel request on to the process that has such sessions, where there are several."""
        self._empty: asyncio.Event = asyncio.Event()
        self._empty.set()

    def admit_by(
        self, authentication: Authentication, tls: ssl.SSLContext | None, certificate_hash: bytes | None
    ) -> None:
        """By what those who come in from now on are asked for proofs; who is in stays."""
        self.authentication = authentication
        authentication.role_secret = self.executor.role_secret
        authentication.roles_of = self.executor.roles_of
        self.executor.access_rules = authentication.listed
        self.tls = tls
        self.certificate_hash = certificate_hash  # what SCRAM-SHA-256-PLUS binds to

    # --- listening -----------------------------------------------------------------------------

    async def listen(self, host: str, port: int, *, shared: bool = False) -> tuple[str, int]:
        """Begins to accept; returns the address (port 0 picks one). `shared`: other processes listen there, too.

        Raises InsecureListen, OSError.
        """
        refuse_insecure(host, self.authentication)
        self.loop = asyncio.get_running_loop()
        self.wakefulness = stay_awake(self.loop.call_soon, self.limits.stay_awake_s)
        listener = await self.loop.create_server(
            lambda: Connection(self),
            host or None,
            port,
            backlog=self.limits.backlog,
            reuse_address=True,
            reuse_port=shared,
        )
        self._listeners.append(listener)
        for each in listener.sockets:
            # Inherited by what is accepted: clients that vanished without a word are found in the end.
            each.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
        address = listener.sockets[0].getsockname()
        return str(address[0]), int(address[1])

    @property
    def connection_count(self) -> int:
        return len(self._connections)

    async def drain(self) -> None:
        """Stops accepting and ends every session, the running ones within `drain_timeout_s`; they are told `ending`."""
        self.stopping = True
        for listener in self._listeners:
            listener.close()
        for connection in list(self._connections):
            connection.terminate(self.ending)
        if await self._emptied(self.limits.drain_timeout_s):
            return
        _log.warning("cancelling statements that outlived the drain", count=len(self._connections))
        for connection in list(self._connections):
            connection.cancel()
        if await self._emptied(2.0):
            return
        for connection in list(self._connections):
            connection.abort()
        await self._emptied(2.0)

    async def _emptied(self, timeout_s: float) -> bool:
        try:
            await asyncio.wait_for(self._empty.wait(), timeout_s)
        except TimeoutError:
            return False
        return True

    # --- from connections ----------------------------------------------------------------------

    def connected(self, connection: Connection) -> None:
        self._connections.add(connection)
        self._empty.clear()
        # Connections that say nothing are bounded too: the start-up time-out ends them.
        limits = self.limits
        if (
            len(self._connections) > 2 * limits.connections + 16
            or connection.file >= limits.files + 2 * limits.reserved_connections
        ):
            connection.abort()

    def disconnected(self, connection: Connection) -> None:
        self._connections.discard(connection)
        session = connection.session
        if session is not None and self._keys.get(session.pid) is connection:
            del self._keys[session.pid]
        if not self._connections:
            self._empty.set()

    def admit(self, connection: Connection, user: str) -> None:
        """Raises 53300 when all places are taken; the last few are the superuser's."""
        taken = len(self._keys)
        limits = self.limits
        # A new descriptor has the least free number: so many are open as its number says, and perhaps more.
        places = min(limits.connections - taken, limits.files + limits.reserved_connections - connection.file)
        if places <= 0:
            raise SqlError("53300", "sorry, too many clients already")
        if places <= limits.reserved_connections and user != SUPERUSER:
            raise SqlError("53300", "remaining connection slots are reserved for the superuser")

    def make_key(self, session: Session, minor: int) -> bytes:
        """The cancel key as the client's protocol version can hold it."""
        return secrets.token_bytes(CANCEL_KEY_BYTES if minor >= 2 else 4)

    def opened(self, connection: Connection, session: Session) -> None:
        self._keys[session.pid] = connection

    def cancel(self, pid: int, secret: bytes) -> None:
        """A client's cancel request, wherever the session is."""
        if self.cancel_elsewhere is None or not self.cancel_elsewhere(pid, secret):
            self.cancel_here(pid, secret)

    def cancel_here(self, pid: int, secret: bytes) -> None:
        """A cancel request: silent whether it fits or not, and nothing when no statement runs."""
        connection = self._keys.get(pid)
        if connection is None or not hmac.compare_digest(connection.key, secret):
            return
        connection.cancel()
