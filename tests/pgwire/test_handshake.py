"""From the first byte to the first ReadyForQuery: versions, encryption, passwords, places."""

from __future__ import annotations

import datetime
import ssl
import struct
from pathlib import Path
from typing import Any

import psycopg
import pytest

from pgwire.access_rules import AuthenticationConfigError
from pgwire.authentication import Authentication, read_password_file
from pgwire.scram import certificate_hash
from pgwire.server import InsecureListen, WireLimits
from planner.catalog.passwords import Verifier
from tests.pgwire.live import Client, LiveServer
from tests.pgwire.script import cstr, frame

SSL_REQUEST = struct.pack(">ii", 8, (1234 << 16) | 5679)
GSSENC_REQUEST = struct.pack(">ii", 8, (1234 << 16) | 5680)


@pytest.fixture(scope="module")
def server() -> Any:
    with LiveServer() as live:
        yield live


def test_a_plain_start(server: LiveServer) -> None:
    with Client(server.port) as client:
        client.startup()
        assert client.until_ready() == [
            "Authentication 0",
            "ParameterStatus server_version=15.0",
            "ParameterStatus client_encoding=UTF8",
            "ParameterStatus standard_conforming_strings=on",
            "BackendKeyData 4",
            "ReadyForQuery I",
        ]


def test_protocol_3_2_has_long_cancel_keys(server: LiveServer) -> None:
    with Client(server.port) as client:
        client.startup(minor=2)
        assert "BackendKeyData 32" in client.until_ready()


@pytest.mark.parametrize(
    ("minor", "options", "negotiated"),
    [
        (2, {}, None),
        (3, {}, struct.pack(">ii", 3 << 16 | 2, 0)),
        (9999, {}, struct.pack(">ii", 3 << 16 | 2, 0)),
        (0, {"_pq_.wish": "1"}, struct.pack(">ii", 3 << 16, 1) + b"_pq_.wish\0"),
    ],
)
def test_newer_minors_and_unknown_options_are_negotiated(
    server: LiveServer, minor: int, options: dict[str, str], negotiated: bytes | None
) -> None:
    with Client(server.port) as client:
        client.startup(minor, **options)
        seen = client.until_ready()
        found = [line for line in seen if line.startswith("Negotiate")]
        assert found == ([] if negotiated is None else [f"NegotiateProtocolVersion {negotiated!r}"])
        assert seen[-1] == "ReadyForQuery I"


@pytest.mark.parametrize("request_bytes", [SSL_REQUEST, GSSENC_REQUEST])
def test_encryption_that_is_not_there_is_declined_and_the_client_goes_on(
    server: LiveServer, request_bytes: bytes
) -> None:
    with Client(server.port) as client:
        client.send(request_bytes)
        assert client.byte() == b"N"
        client.startup()
        assert client.until_ready()[-1] == "ReadyForQuery I"


@pytest.mark.parametrize(
    ("packet", "message"),
    [
        (struct.pack(">ii", 3, 196608), "FATAL 08P01 invalid length of startup packet"),
        (struct.pack(">ii", 10_001, 196608), "FATAL 08P01 invalid length of startup packet"),
        (struct.pack(">ii", 1 << 30, 196608), "FATAL 08P01 invalid length of startup packet"),
        (b"GET / HTTP/1.1\r\n\r\n", "FATAL 08P01 invalid length of startup packet"),
        (
            struct.pack(">ii", 9, 2 << 16) + b"\0",
            "unsupported frontend protocol 2.0: server supports 3.0 to 3.2",
        ),
        (struct.pack(">ii", 9, 3 << 16) + b"\0", "28000 no PostgreSQL user name specified in startup packet"),
        (struct.pack(">ii", 12, 3 << 16) + b"user", "invalid startup packet layout"),
        (struct.pack(">ii", 15, 3 << 16) + b"user\0\0\0", "28000 no PostgreSQL user name"),
        (struct.pack(">ii", 17, 3 << 16) + b"user\0\xff\xfe\0\0", "22021"),
    ],
)
def test_malformed_first_packets_are_refused_with_words(
    server: LiveServer, packet: bytes, message: str
) -> None:
    with Client(server.port) as client:
        client.send(packet)
        seen = client.until_ready()
        assert len(seen) == 2 and message in seen[0] and seen[1] == "closed"


def test_an_error_of_open_session_is_fatal(server: LiveServer) -> None:
    with Client(server.port) as client:
        client.startup(database="nowhere")
        assert client.until_ready() == ['Error FATAL 3D000 database "nowhere" does not exist', "closed"]


def test_replication_is_asked_for_in_words(server: LiveServer) -> None:
    with Client(server.port) as client:
        client.startup(replication="perhaps")
        assert (
            client.until_ready()[0]
            == 'Error FATAL 22023 invalid value for parameter "replication": "perhaps"'
        )


@pytest.mark.parametrize("said", ["off", "false", "0", "no"])
def test_no_replication(server: LiveServer, said: str) -> None:
    with Client(server.port) as client:
        client.startup(replication=said)
        assert client.until_ready()[-1] == "ReadyForQuery I"


def test_queries_may_come_with_the_start(server: LiveServer) -> None:
    with Client(server.port) as client:
        body = struct.pack(">i", 196608) + b"user\0tidewire\0\0"
        client.send(struct.pack(">i", len(body) + 4) + body + frame("Q", cstr("select 1")))
        assert client.until_ready()[-1] == "ReadyForQuery I"
        assert "DataRow 1" in client.until_ready()


# --- cancel --------------------------------------------------------------------------------------


@pytest.mark.parametrize("minor", [0, 2])
def test_cancel(server: LiveServer, minor: int) -> None:
    with Client(server.port) as client:
        client.startup(minor)
        client.until_ready()
        client.send(frame("Q", cstr("sleep")))
        client.cancel_request(server.port, b"\0" * len(client.key))  # not the key: nothing happens
        client.cancel_request(server.port)
        assert client.until_ready() == [
            "Error ERROR 57014 canceling statement due to user request",
            "ReadyForQuery I",
        ]


# --- places --------------------------------------------------------------------------------------


def test_too_many_clients_and_the_reserved_places() -> None:
    limits = WireLimits(connections=3, reserved_connections=1)
    with LiveServer(limits=limits) as server:
        clients = [Client(server.port) for _ in range(5)]
        for client in clients[:2]:
            client.startup(user="alice")
            assert client.until_ready()[-1] == "ReadyForQuery I"
        clients[2].startup(user="alice")
        assert any("53300 remaining connection slots" in line for line in clients[2].until_ready())
        clients[3].startup(user="tidewire")
        assert clients[3].until_ready()[-1] == "ReadyForQuery I"
        clients[4].startup(user="tidewire")
        assert any("53300 sorry, too many clients already" in line for line in clients[4].until_ready())
        clients[0].send(b"X\0\0\0\4")
        assert clients[0].frame() is None
        with Client(server.port) as another:
            another.startup(user="tidewire")
            assert another.until_ready()[-1] == "ReadyForQuery I"
        for client in clients:
            client.socket.close()


def test_who_says_nothing_is_shown_out() -> None:
    with LiveServer(limits=WireLimits(authentication_timeout_s=0.2)) as server, Client(server.port) as client:
        assert client.frame() is None


# --- drain ---------------------------------------------------------------------------------------


def test_drain_tells_idle_sessions_and_waits_for_running_ones() -> None:
    with LiveServer() as server:
        idle, running = Client(server.port), Client(server.port)
        for client in (idle, running):
            client.startup()
            client.until_ready()
        running.send(frame("Q", cstr("sleep")))
        while not any("sleep" in line for s in server.executor.sessions for line in s.log):
            pass
        session = next(s for s in server.executor.sessions if s.log)
        server.call(server._stop.set)  # type: ignore[union-attr]
        assert idle.until_ready() == [
            "Error FATAL 57P01 terminating connection due to administrator command",
            "closed",
        ]
        server.call(session.cancel)
        assert running.until_ready() == [
            "Error FATAL 57P01 terminating connection due to administrator command",
            "closed",
        ]
        idle.socket.close()
        running.socket.close()


# --- passwords -----------------------------------------------------------------------------------


def _users() -> Authentication:
    return Authentication({"alice": Verifier.of("secret")}, trust_loopback=False)


def test_scram() -> None:
    with LiveServer(authentication=_users()) as server:
        with psycopg.connect(server.dsn, user="alice", password="secret", autocommit=True) as connection:
            assert connection.execute("select 1").fetchall() == [(1,)]
        for user, password in [("alice", "wrong"), ("bob", "secret")]:
            with pytest.raises(psycopg.OperationalError, match="password authentication failed for user"):
                psycopg.connect(server.dsn, user=user, password=password)


def test_no_way_around_the_password() -> None:
    with LiveServer(authentication=_users()) as server, Client(server.port) as client:
        client.startup(user="alice")
        assert client.frame() is not None
        client.send(frame("Q", cstr("select 1")))
        seen = client.until_ready()
        assert "08P01" in seen[0] and seen[1] == "closed"
        assert server.executor.sessions == []


def test_beyond_loopback_only_with_passwords() -> None:
    with pytest.raises(InsecureListen, match="no authentication is configured"), LiveServer(host="0.0.0.0"):
        pass
    with LiveServer(host="0.0.0.0", authentication=_users()) as server:
        assert server.port


def test_the_password_file_takes_verifiers_and_passwords(tmp_path: Path) -> None:
    file = tmp_path / "users"
    file.write_text(f"# people\n\nalice:{Verifier.of('secret')}\nbob:plain\n")
    users = read_password_file(file)
    assert set(users) == {"alice", "bob"}
    assert Verifier.parse(str(users["alice"])) == users["alice"]


@pytest.mark.parametrize("text", ["", "alice\n", "alice:\n", "alice:SCRAM-SHA-256$x\n", "# nobody\n"])
def test_a_password_file_that_cannot_be_meant(tmp_path: Path, text: str) -> None:
    file = tmp_path / "users"
    file.write_text(text)
    with pytest.raises(AuthenticationConfigError):
        read_password_file(file)


# --- TLS -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[ssl.SSLContext, Path]:
    trustme = pytest.importorskip("trustme")
    authority = trustme.CA()
    issued = authority.issue_cert(
        "localhost", "127.0.0.1", not_after=datetime.datetime.now(datetime.UTC) + datetime.timedelta(days=2)
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    issued.configure_cert(context)
    context.set_alpn_protocols(["postgresql"])
    root = tmp_path_factory.mktemp("tls") / "root.pem"
    authority.cert_pem.write_to_path(root)
    issued.cert_chain_pems[0].write_to_path(root.parent / "server.pem")
    return context, root


def test_tls(certificate: tuple[ssl.SSLContext, Path]) -> None:
    context, root = certificate
    with LiveServer(tls=context) as server:
        dsn = f"{server.dsn} sslmode=verify-full sslrootcert={root}"
        with psycopg.connect(dsn, autocommit=True) as connection:
            assert connection.pgconn.ssl_in_use
            assert connection.execute("select 1").fetchall() == [(1,)]
            assert len(connection.execute("stream 50000").fetchall()) == 50000


@pytest.mark.parametrize(("alpn", "welcome"), [(["postgresql"], True), (["http/1.1"], False), ([], False)])
def test_direct_tls(certificate: tuple[ssl.SSLContext, Path], alpn: list[str], welcome: bool) -> None:
    context, root = certificate
    ours = ssl.create_default_context(cafile=str(root))
    if alpn:
        ours.set_alpn_protocols(alpn)
    with LiveServer(tls=context) as server, Client(server.port) as client:
        client.socket = ours.wrap_socket(client.socket, server_hostname="localhost")
        client.startup()
        seen = client.until_ready()
        if welcome:
            assert seen[-1] == "ReadyForQuery I"
            assert client.query("stream 20000")[-2:] == ["CommandComplete SELECT 20000", "ReadyForQuery I"]
        else:
            assert "direct TLS without the ALPN protocol" in seen[0]


def test_scram_is_bound_to_the_certificate(certificate: tuple[ssl.SSLContext, Path]) -> None:
    context, root = certificate
    der = ssl.PEM_cert_to_DER_cert((root.parent / "server.pem").read_text())
    with LiveServer(tls=context, certificate_hash=certificate_hash(der), authentication=_users()) as server:
        dsn = f"{server.dsn} sslmode=verify-full sslrootcert={root} channel_binding=require"
        with psycopg.connect(dsn, user="alice", password="secret", autocommit=True) as connection:
            assert connection.execute("select 1").fetchall() == [(1,)]
    with LiveServer(tls=context, certificate_hash=b"x" * 32, authentication=_users()) as server:
        dsn = f"{server.dsn} sslmode=require channel_binding=require"
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(dsn, user="alice", password="secret")


def test_nothing_may_be_slipped_in_before_tls(certificate: tuple[ssl.SSLContext, Path]) -> None:
    """CVE-2021-23214: bytes sent with the SSLRequest must not be taken as if they were encrypted."""
    with LiveServer(tls=certificate[0]) as server, Client(server.port) as client:
        client.send(SSL_REQUEST + b"\0\0\0\x08\x04\xd2\x16\x2f")
        seen = client.until_ready()
        assert "unencrypted data" in seen[0] and seen[1] == "closed"
