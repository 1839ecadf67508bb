"""A socket and what happens on it before and around the conversation.

    connected --> first packet --> authentication --> Conversation --> closed
                   |  SSLRequest, or a TLS handshake right away: TLS, then again
                   |  GSSENCRequest: no, then again
                   |  CancelRequest: cancel, closed

An `asyncio.Protocol` on uvloop. It owns the transport, the two backpressure flags, the time-out of
the start-up and the connection's one task; it knows nothing of SQL.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, Final, cast

import structlog

from executor.abc import Encryption
from pgwire import messages, replies
from pgwire.access_rules import Method
from pgwire.authentication import Exchange
from pgwire.errors import describe
from pgwire.messages import (
    CancelRequest,
    GssEncRequest,
    Inbox,
    ProtocolViolation,
    SslRequest,
    StartupPacket,
    parse_startup,
    startup_length,
)
from pgwire.session import Conversation
from pgwire.startup_options import parse_options
from planner.abc import SqlError
from planner.types.booleans import bool_in

if TYPE_CHECKING:
    from executor.abc import Session
    from pgwire.server import Server

_log = structlog.get_logger("pgwire")
_ATTRIBUTES = {
    "commonName": "CN", "countryName": "C", "localityName": "L", "stateOrProvinceName": "ST",
    "organizationName": "O", "organizationalUnitName": "OU",
}  # fmt: skip
"""How names of certificates shorten what they are made of."""

WRITE_HIGH_BYTES: Final = 256 * 1024
"""The transport's buffer above which results wait; below a quarter of it they go on."""
NEWEST_MINOR: Final = 2
TLS_HANDSHAKE: Final = 0x16


class Connection(asyncio.Protocol):
    """One client's socket."""

    __slots__ = (
        "_conversation",
        "_drains",
        "_exchange",
        "_first",
        "_holds",
        "_inbox",
        "_server",
        "_session",
        "_startup",
        "_task",
        "_timer",
        "_tls",
        "_transport",
        "closed",
        "data_received",
        "file",
        "key",
        "local",
        "peer",
        "writable",
        "write",
    )

    data_received: Callable[[bytes], None]  # type: ignore[assignment]
    """Who takes what the client says at this point of the conversation: called by the transport itself, with nothing in between."""
    write: Callable[[bytes], None]
    """The transport's own, while there is one."""

    def __init__(self, server: Server) -> None:
        self._server = server
        self._transport: asyncio.Transport | None = None
        self._conversation: Conversation | None = None
        self._session: Session | None = None
        self._first = bytearray()
        self._inbox: Inbox | None = None
        self._startup: StartupPacket | None = None
        self._exchange: Exchange | None = None
        self.data_received = self._startup_data
        self.write = _unsaid
        self._task: asyncio.Task[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._drains: asyncio.Future[None] | None = None
        self._holds = 0
        self._tls = False
        self.key = b""
        self.file = 0  # the socket's number
        self.peer: tuple[str, int] | str = ""
        self.local: tuple[str, int] | str = ""
        self.writable = True
        self.closed = False

    # --- asyncio -------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport) or hasattr(transport, "write")
        self._transport = transport  # type: ignore[assignment]
        assert self._transport is not None
        self._transport.set_write_buffer_limits(high=WRITE_HIGH_BYTES)
        self.write = self._transport.write
        if self._tls:
            return
        peer = transport.get_extra_info("peername")
        self.peer = (peer[0], peer[1]) if isinstance(peer, tuple) else str(peer or "local")
        local = transport.get_extra_info("sockname")
        self.local = (local[0], local[1]) if isinstance(local, tuple) else str(local or "")
        socket = transport.get_extra_info("socket")
        self.file = socket.fileno() if socket is not None else 0
        self._server.connected(self)
        self._timer = self._server.loop.call_later(
            self._server.limits.authentication_timeout_s, self._startup_timed_out
        )

    def eof_received(self) -> bool:
        """The client says nothing more. Under TLS it is gone with that."""
        if self._conversation is not None:
            return self._conversation.heard_out() and not self._tls
        return False

    def connection_lost(self, error: Exception | None) -> None:
        self.closed = True
        self.write = _unsaid
        self._stop_timer()
        drains, self._drains = self._drains, None
        if drains is not None and not drains.done():
            drains.set_exception(ConnectionResetError("the client is gone"))
        if self._conversation is not None:
            self._conversation.lost()
        elif self._session is not None:
            self._session.close()
        self._server.disconnected(self)
        # Nobody in here knows this one any more, so all of it is freed at once, not when the cycle collector comes by.
        self.data_received = _ignore
        self._conversation = self._transport = None

    def pause_writing(self) -> None:
        self.writable = False

    def resume_writing(self) -> None:
        self.writable = True
        drains, self._drains = self._drains, None
        if drains is not None and not drains.done():
            drains.set_result(None)
        if self._conversation is not None:
            self._conversation.writable()

    # --- Io, for the conversation --------------------------------------------------------------

    def _listen(self, take: Callable[[bytes], None]) -> None:
        """From now on `take` gets what the client says. A transport keeps who that is until it is told anew."""
        self.data_received = take
        assert self._transport is not None
        self._transport.set_protocol(self)

    async def drain(self) -> None:
        if self.closed:
            raise ConnectionResetError("the client is gone")
        if self.writable:
            return
        if self._drains is None:
            self._drains = self._server.loop.create_future()
        await self._drains

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self._task = self._server.loop.create_task(work)

    def hold_reading(self) -> None:
        """Holds add up: the inbox and a COPY may both ask for it."""
        self._holds += 1
        if self._holds == 1 and self._transport is not None and not self.closed:
            self._transport.pause_reading()

    def resume_reading(self) -> None:
        self._holds -= 1
        assert self._holds >= 0, "reading resumed more often than held"
        if self._holds == 0 and self._transport is not None and not self.closed:
            self._transport.resume_reading()

    def close(self) -> None:
        transport = self._transport
        if transport is None:
            return
        if transport.get_write_buffer_size():  # a client that does not take it gets so long
            self._server.loop.call_later(self._server.limits.authentication_timeout_s, transport.abort)
        transport.close()

    def abort(self) -> None:
        """Ends without sending what is still to be sent."""
        if self._transport is not None:
            self._transport.abort()

    # --- for the server ------------------------------------------------------------------------

    @property
    def session(self) -> Session | None:
        return self._session

    @property
    def idle(self) -> bool:
        return self._conversation is None or self._conversation.idle

    def cancel(self) -> None:
        if self._conversation is not None:
            self._conversation.cancel()

    def terminate(self, error: Exception) -> None:
        """Ends with a FATAL error when no statement runs: now or after the one that does."""
        if self._conversation is not None:
            self._conversation.terminate(error)
        elif not self.closed:
            self._refuse(error)

    # --- start-up ------------------------------------------------------------------------------

    def _startup_data(self, data: bytes) -> None:
        first = self._first
        first += data
        if first[0] == TLS_HANDSHAKE and self._server.tls is not None and not self._tls:
            # Direct TLS: no SSLRequest before it. These bytes belong to the handshake.
            hello = bytes(first)
            first.clear()
            self._tls = True
            assert self._transport is not None
            self._transport.pause_reading()
            self.spawn(self._upgrade(hello))
            return
        try:
            length = startup_length(first)
            if not length or len(first) < length:
                return
            packet = bytes(first[:length])
            del first[:length]
            match parse_startup(packet):
                case SslRequest():
                    self._answer_ssl()
                case GssEncRequest():
                    if first:
                        raise ProtocolViolation("received unencrypted data after GSSAPI request", fatal=True)
                    self.write(replies.SSL_NO)
                case CancelRequest(pid, secret):
                    self._server.cancel(pid, secret)
                    self.close()
                case StartupPacket() as startup:
                    self._start_when_current(startup)
        except (ProtocolViolation, SqlError) as error:
            self._refuse(error)

    def _start_when_current(self, startup: StartupPacket) -> None:
        """Of several servers: the role, its password or the database may be what another one has acknowledged just now."""
        look = self._server.executor.look_at_log()
        if look is None:
            self._start(startup)
            return

        def looked(done: asyncio.Future[None]) -> None:
            if self.closed or done.cancelled():
                return
            try:
                if (error := done.exception()) is not None:
                    raise SqlError("57P03", "the database system is not available", detail=str(error))
                self._start(startup)
            except (ProtocolViolation, SqlError) as refusal:
                self._refuse(refusal)

        self._listen(self._first.extend)
        look.add_done_callback(looked)

    def _answer_ssl(self) -> None:
        if self._first:
            raise ProtocolViolation("received unencrypted data after SSL request", fatal=True)
        context = self._server.tls
        if context is None or self._tls:
            self.write(replies.SSL_NO)
            return
        assert self._transport is not None
        self.write(replies.SSL_YES)
        self._tls = True
        self._transport.pause_reading()  # what comes next is for TLS, which begins a turn from now
        self.spawn(self._upgrade())

    async def _upgrade(self, hello: bytes = b"") -> None:
        """Puts TLS under this protocol. `hello`: what of the handshake has been read already."""
        transport, loop = self._transport, self._server.loop
        assert transport is not None and self._server.tls is not None
        # The client may speak before this coroutine has the new transport to answer on.
        self._listen(self._first.extend)
        handshake = loop.create_task(
            loop.start_tls(
                transport,
                self,
                self._server.tls,
                server_side=True,
                ssl_handshake_timeout=self._server.limits.authentication_timeout_s,
            )
        )
        if hello:
            # One turn later the transport's protocol is TLS, and nothing more has been read.
            await asyncio.sleep(0)
            loop.call_soon(_feed, cast("asyncio.BufferedProtocol", transport.get_protocol()), hello)
        try:
            upgraded = await handshake
        except (OSError, ValueError, asyncio.CancelledError) as error:
            _log.info("TLS handshake failed", peer=self.peer, error=str(error))
            self.abort()
            return
        if upgraded is None:
            self.abort()
            return
        self._transport, self.write = upgraded, upgraded.write
        upgraded.set_write_buffer_limits(high=WRITE_HIGH_BYTES)
        if hello:
            tls = upgraded.get_extra_info("ssl_object")
            if tls is None or tls.selected_alpn_protocol() != "postgresql":
                self._refuse(ProtocolViolation("direct TLS without the ALPN protocol postgresql", fatal=True))
                return
        self._listen(self._startup_data)
        if self._first:
            self._startup_data(b"")

    def _start(self, startup: StartupPacket) -> None:
        self._startup = startup
        parameters = startup.parameters
        if not parameters.get("user"):
            raise SqlError("28000", "no PostgreSQL user name specified in startup packet")
        if self._server.stopping:
            raise SqlError("57P03", "the database system is shutting down")
        unknown = [name for name in parameters if name.startswith("_pq_.")]
        if startup.minor > NEWEST_MINOR or unknown:
            self.write(replies.negotiate_protocol_version(min(startup.minor, NEWEST_MINOR), unknown))
        method = self._server.authentication.method(
            parameters["user"],
            parameters.get("database") or parameters["user"],
            self.peer,
            self._tls,
            self._certificate_name(),
        )
        if method is Method.TRUST:
            self._authenticated()
            return
        self._inbox = Inbox(messages.PASSWORD_LIMIT_BYTES)
        binding = self._server.certificate_hash if self._tls else None
        self._exchange = self._server.authentication.exchange(method, parameters["user"], binding)
        self._listen(self._authentication_data)
        self.write(self._exchange.open())
        if self._first:
            rest = bytes(self._first)
            self._first.clear()
            self._authentication_data(rest)

    def _certificate_name(self) -> str | None:
        """The common name in the certificate that the client has shown and the handshake has verified."""
        certificate = self._transport.get_extra_info("peercert") if self._tls and self._transport else None
        if not certificate:
            return None
        names = [value for part in certificate["subject"] for key, value in part if key == "commonName"]
        return str(names[-1]) if names else ""

    def _encryption(self) -> Encryption | None:
        """What the handshake has come to, for pg_stat_ssl; None without TLS."""
        if not self._tls or self._transport is None:
            return None
        tls = self._transport.get_extra_info("ssl_object")
        name, _, bits = tls.cipher()
        shown = self._transport.get_extra_info("peercert") or {}
        serial = shown.get("serialNumber")
        return Encryption(
            str(tls.version()), name, bits, _distinguished(shown.get("subject")),
            int(serial, 16) if serial else None, _distinguished(shown.get("issuer")),
        )  # fmt: skip

    def _authentication_data(self, data: bytes) -> None:
        inbox, exchange = self._inbox, self._exchange
        assert inbox is not None and exchange is not None
        try:
            inbox.feed(data)
            while kind := inbox.next():
                if kind == messages.TERMINATE:
                    self.close()
                    return
                if kind != messages.PASSWORD:
                    raise ProtocolViolation(
                        f"expected password response, got message type {kind}", fatal=True
                    )
                reply = exchange.receive(inbox.buffer[inbox.start : inbox.end])
                if exchange.done:
                    self._first += inbox.buffer[inbox.position :]
                    self._authenticated(reply)
                    return
                self.write(reply)
        except (ProtocolViolation, SqlError) as error:
            self._refuse(error)

    def _authenticated(self, proof: bytes = b"") -> None:
        """The client is who it says it is: opens the session and starts the conversation."""
        startup, server = self._startup, self._server
        assert startup is not None
        options = {name: value for name, value in startup.parameters.items() if not name.startswith("_pq_.")}
        user = options.pop("user")
        named = options.pop("database", "") or user
        follows = _follows(options.pop("replication", ""))
        # Physical replication is of no database; what is named is drivers' word for it (psycopg2 says "replication").
        database = None if follows is False else named
        switches = options.pop("options", "")
        session = None
        try:
            server.admit(self, user)
            server.executor.admit(user, database)
            session = server.executor.open_session(user, database, parse_options(switches) | options)
            if follows is not None:
                session.follows(of_database=follows)
        except Exception as error:  # noqa: BLE001  whatever it is, the client gets a FATAL error
            if session is not None:
                session.close()
            self._refuse(error)
            return
        session.peer, session.local = self.peer, self.local
        session.encryption = self._encryption()
        self._session = session
        self.key = server.make_key(session, startup.minor)
        server.opened(self, session)
        self._stop_timer()
        self._exchange = self._inbox = None
        conversation = Conversation(
            session,
            self,
            limit_bytes=server.limits.message_size_limit_bytes,
            wakefulness=server.wakefulness,
            replicates=follows is not None,
        )
        self._conversation = conversation
        self._listen(conversation.receive)
        out = conversation.out
        out.append(proof)
        out.append(replies.AUTHENTICATION_OK)
        out.append(replies.parameter_statuses(session.startup_parameters()))
        out.append(replies.backend_key_data(session.pid, self.key))
        session.parameter_changes.clear()
        conversation.ready()
        rest = bytes(self._first)
        self._first = bytearray()
        if rest:
            conversation.receive(rest)
        else:
            conversation.flush()

    def _refuse(self, error: Exception) -> None:
        self._listen(_ignore)
        self.write(describe(error).fatal().encode())
        self.close()

    def _startup_timed_out(self) -> None:
        if self._conversation is None and not self.closed:
            _log.info("start-up timed out", peer=self.peer)
            self.abort()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def _follows(said: str) -> bool | None:
    """What `replication` says: False for physical replication, True for a database's changes, None for an ordinary connection. Raises 22023."""
    if said.lower() == "database":
        return True
    try:
        return False if said and bool_in(said) else None
    except SqlError:
        raise SqlError(
            "22023",
            f'invalid value for parameter "replication": "{said}"',
            hint='Valid values are: "false", 0, "true", 1, "database".',
        ) from None


def _distinguished(name: tuple[tuple[tuple[str, str], ...], ...] | None) -> str | None:
    """A name of a certificate as PostgreSQL shows it, `/C=SE/CN=ann`; None without a certificate."""
    if name is None:
        return None
    return "".join(f"/{_ATTRIBUTES.get(key, key)}={value}" for part in name for key, value in part)


def _unsaid(data: bytes) -> None:
    """Nobody is there to hear it."""


def _feed(protocol: asyncio.BufferedProtocol, data: bytes) -> None:
    """Gives a TLS protocol bytes that were read before it was there."""
    assert hasattr(protocol, "get_buffer"), "TLS reads into its own buffer"
    rest = memoryview(data)
    while rest:
        buffer = memoryview(protocol.get_buffer(len(rest)))
        size = min(len(buffer), len(rest))
        buffer[:size] = rest[:size]
        rest = rest[size:]
        protocol.buffer_updated(size)


def _ignore(_: bytes) -> None:
    """After a FATAL error nothing is read any more."""
