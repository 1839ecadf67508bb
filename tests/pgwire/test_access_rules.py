"""Access rules: who gets in, by which proof, and what a file may not say; libpq as the client."""

from __future__ import annotations

import ssl
from pathlib import Path

import psycopg
import pytest

from pgwire.access_rules import AuthenticationConfigError, Client, Method, decide, read_rules
from pgwire.authentication import Authentication, Md5Hash, read_password_file
from planner.abc import SqlError
from planner.catalog.passwords import Verifier
from tests.pgwire.live import LiveServer

RULES = """
# type     database     user         address             method
local      all          all                              trust
hostssl    all          carol        all                 cert
hostssl    all          dave         all                 trust           clientcert=verify-ca
hostssl    all          erin         all                 scram-sha-256   clientcert=verify-full
hostnossl  secret       all          all                 reject
host       sameuser     all          10.0.0.0/8          md5
host       a,"all" , b  alice,bob    192.168.1.0         255.255.255.0   password   # a mask
host       all          alice        ::1/128             scram-sha-256
host       samerole     +staff       10.9.0.0/16         trust
host       all          +staff,"+x"  10.0.0.0/8          scram-sha-256
host       all          all          127.0.0.1/32        trust
"""


@pytest.fixture
def rules_file(tmp_path: Path) -> Path:
    file = tmp_path / "hba"
    file.write_text(RULES)
    return file


@pytest.mark.parametrize(
    ("client", "method"),
    [
        (Client("anybody", "d", None), Method.TRUST),
        (Client("anybody", "d", "127.0.0.1"), Method.TRUST),
        (Client("anybody", "secret", "127.0.0.1", tls=True), Method.TRUST),
        (Client("carol", "d", "1.2.3.4", tls=True, certificate="carol"), Method.TRUST),
        (Client("dave", "d", "1.2.3.4", tls=True, certificate="somebody"), Method.TRUST),
        (Client("erin", "d", "1.2.3.4", tls=True, certificate="erin"), Method.SCRAM),
        (Client("x", "x", "10.2.3.4"), Method.MD5),
        (Client("x", "x", "::ffff:10.2.3.4"), Method.MD5),
        (Client("bob", "a", "192.168.1.77"), Method.CLEARTEXT),
        (Client("bob", "all", "192.168.1.77"), Method.CLEARTEXT),
        (Client("alice", "d", "::1"), Method.SCRAM),
        (Client("ann", "sales", "10.9.1.2", roles=frozenset(("ann", "staff", "sales"))), Method.TRUST),
        (Client("ann", "other", "10.9.1.2", roles=frozenset(("ann", "staff"))), Method.SCRAM),
        (Client("staff", "d", "10.1.1.1", roles=frozenset(("staff",))), Method.SCRAM),
        (Client("+x", "d", "10.1.1.1", roles=frozenset(("+x",))), Method.SCRAM),
    ],
)
def test_the_first_rule_that_fits_decides(rules_file: Path, client: Client, method: Method) -> None:
    assert decide(read_rules(rules_file), client) is method


@pytest.mark.parametrize(
    ("client", "message"),
    [
        (
            Client("x", "y", "10.2.3.4"),
            'no pg_hba.conf entry for host "10.2.3.4", user "x", database "y", no encryption',
        ),
        (
            Client("bob", "c", "192.168.1.77", tls=True),
            'no pg_hba.conf entry for host "192.168.1.77", user "bob", database "c", SSL encryption',
        ),
        (
            Client("ann", "sales", "10.9.1.2", roles=frozenset(("ann", "sales"))),
            'no pg_hba.conf entry for host "10.9.1.2", user "ann", database "sales", no encryption',
        ),
        (
            Client("x", "d", "10.1.1.1", roles=frozenset(("x",))),
            'no pg_hba.conf entry for host "10.1.1.1", user "x", database "d", no encryption',
        ),
        (
            Client("alice", "secret", "127.0.0.1"),
            'pg_hba.conf rejects connection for host "127.0.0.1", user "alice", database "secret", no encryption',
        ),
        (Client("carol", "d", "1.2.3.4", tls=True), "connection requires a valid client certificate"),
        (
            Client("carol", "d", "1.2.3.4", tls=True, certificate="dave"),
            'certificate authentication failed for user "carol"',
        ),
        (
            Client("erin", "d", "1.2.3.4", tls=True, certificate="dave"),
            'certificate authentication failed for user "erin"',
        ),
    ],
)
def test_nobody_else_gets_in(rules_file: Path, client: Client, message: str) -> None:
    with pytest.raises(SqlError) as refused:
        decide(read_rules(rules_file), client)
    assert (refused.value.sqlstate, refused.value.message) == ("28000", message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no rule"),
        ("remote all all all trust", "invalid connection type"),
        ("host all all", "end of line before the address"),
        ("host all all 127.0.0.1/32", "end of line before the method"),
        ("local all all", "expected: local"),
        ("host all all example.org trust", "no address with its mask"),
        ("host all all 127.0.0.1 trust", "no address with its mask"),
        ("host all all 127.0.0.1/33 trust", "no address with its mask"),
        ("host all all all gss", 'method "gss" is not supported'),
        ("host all all all trust map=x", "option 'map=x' is not supported"),
        ("host +staff all all trust", "database '\\+staff' is not supported"),
        ("host all + all trust", "user '\\+' is not supported"),
        ("host @file all all trust", "database '@file' is not supported"),
        ("host all all all cert", "only supported on hostssl"),
        ("host all all all trust clientcert=verify-ca", "only be configured for hostssl"),
        ("hostssl all all all trust clientcert=1", "invalid value for clientcert"),
        ('host "all all all trust', "quotation mark"),
    ],
)
def test_what_cannot_be_meant_is_refused(tmp_path: Path, text: str, message: str) -> None:
    file = tmp_path / "hba"
    file.write_text(text)
    with pytest.raises(AuthenticationConfigError, match=message):
        read_rules(file)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("hostssl all all all trust", "hostssl needs TLS"),
        ("hostssl all all all cert", "hostssl needs TLS"),
    ],
)
def test_rules_that_nobody_could_satisfy(tmp_path: Path, rule: str, message: str) -> None:
    file = tmp_path / "hba"
    file.write_text(rule)
    authentication = Authentication(rules=read_rules(file))
    with pytest.raises(AuthenticationConfigError, match=message):
        authentication.check(tls=False, client_authority=False)


# --- over a socket -------------------------------------------------------------------------------


def _authentication(tmp_path: Path, rules: str) -> Authentication:
    hba, passwords = tmp_path / "hba", tmp_path / "passwords"
    hba.write_text(rules)
    passwords.write_text(f"alice:{Verifier.of('secret')}\nbob:{Md5Hash.of('bob', 'old').text}\n")
    return Authentication(read_password_file(passwords), rules=read_rules(hba))


@pytest.mark.parametrize(
    ("method", "user", "password", "welcome"),
    [
        ("md5", "bob", "old", True),
        ("md5", "bob", "wrong", False),
        ("md5", "alice", "secret", True),  # by SCRAM: that is how her password is kept
        ("md5", "nobody", "x", False),
        ("password", "bob", "old", True),
        ("password", "alice", "secret", True),
        ("password", "alice", "wrong", False),
        ("password", "nobody", "x", False),
        ("scram-sha-256", "alice", "secret", True),
        ("scram-sha-256", "bob", "old", False),  # a hash of the old kind proves nothing there
    ],
)
def test_passwords(tmp_path: Path, method: str, user: str, password: str, welcome: bool) -> None:
    authentication = _authentication(tmp_path, f"host all all all {method}")
    with LiveServer(authentication=authentication) as server:
        if welcome:
            with psycopg.connect(server.dsn, user=user, password=password, autocommit=True) as connection:
                assert connection.execute("select 1").fetchall() == [(1,)]
            return
        with pytest.raises(psycopg.OperationalError, match=f'authentication failed for user "{user}"'):
            psycopg.connect(server.dsn, user=user, password=password)


def test_a_certificate_is_a_proof(tmp_path: Path) -> None:
    trustme = pytest.importorskip("trustme")
    authority, stranger = trustme.CA(), trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "root.pem")
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("localhost", "127.0.0.1").configure_cert(context)
    authority.configure_trust(context)
    context.verify_mode = ssl.CERT_OPTIONAL

    def show(issuer: trustme.CA, name: str) -> str:
        issued = issuer.issue_cert(f"{name}@example.org", common_name=name)
        pem = tmp_path / f"{name}-{id(issuer)}.pem"
        issued.private_key_and_cert_chain_pem.write_to_path(pem)
        pem.chmod(0o600)
        return f"sslmode=verify-full sslrootcert={tmp_path / 'root.pem'} sslcert={pem} sslkey={pem}"

    authentication = _authentication(tmp_path, "hostssl all all all cert")
    with LiveServer(authentication=authentication, tls=context) as server:
        dsn = f"{server.dsn} user=carol"
        with psycopg.connect(f"{dsn} {show(authority, 'carol')}", autocommit=True) as connection:
            assert connection.execute("select 1").fetchall() == [(1,)]
        for shown, message in [
            (show(authority, "dave"), 'certificate authentication failed for user "carol"'),
            (f"sslmode=require sslcert={tmp_path / 'none'}", "requires a valid client certificate"),
            (show(stranger, "carol"), "."),  # the handshake itself fails, as libpq words it
            ("sslmode=disable", "no pg_hba.conf entry for host .* no encryption"),
        ]:
            with pytest.raises(psycopg.OperationalError, match=message):
                psycopg.connect(f"{dsn} {shown}").close()
