"""A whole server with access rules and a certificate of its own: psql, psycopg and asyncpg at its door."""

from __future__ import annotations

import asyncio
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from pgwire.authentication import Md5Hash
from planner.catalog.passwords import Verifier
from tests.server.process import ServerProcess, needs_psql, refused

RULES = """
hostssl   all  alice     127.0.0.1/32  scram-sha-256
host      all  bob       127.0.0.1/32  md5
hostssl   all  all       127.0.0.1/32  reject
host      all  tidewire  127.0.0.1/32  trust
"""


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("guarded")
    (folder / "hba").write_text(RULES)
    (folder / "users").write_text(f"alice:{Verifier.of('secret')}\nbob:{Md5Hash.of('bob', 'old').text}\n")
    server = ServerProcess(
        folder / "data", "--tls", "generate",
        "--hba-file", str(folder / "hba"), "--password-file", str(folder / "users"),
    )  # fmt: skip
    with server:
        with server.connect(sslmode="disable") as admin:
            admin.execute("CREATE ROLE alice LOGIN; CREATE ROLE bob LOGIN")
        yield server


def _root(server: ServerProcess) -> Path:
    return server.data_dir / "tls" / "server.crt"


def test_who_keeps_the_certificate_knows_the_server_again(guarded: ServerProcess) -> None:
    known = {"sslmode": "verify-full", "sslrootcert": str(_root(guarded)), "host": "localhost"}
    with guarded.connect(
        user="alice", password="secret", channel_binding="require", hostaddr="127.0.0.1", **known
    ) as c:
        assert c.pgconn.ssl_in_use
        assert c.execute("SELECT current_user").fetchone() == ("alice",)
        row = c.execute(
            "SELECT ssl, version, cipher, bits, client_dn FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
        ).fetchone()
        assert row is not None
        assert row[0] and row[1] in ("TLSv1.2", "TLSv1.3") and "_" in row[2] and row[3] in (128, 256), row
        assert row[4] is None
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        guarded.connect(user="alice", password="wrong", hostaddr="127.0.0.1", **known)


@needs_psql
def test_rules_hold_for_psql(guarded: ServerProcess) -> None:

    def ask(user: str, password: str, sslmode: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            ["psql", "-X", "-At", "-c", "SELECT current_user"],
            env=guarded.client_environment() | {"PGUSER": user, "PGPASSWORD": password, "PGSSLMODE": sslmode},
            capture_output=True, text=True, timeout=120, check=False,
        )  # fmt: skip

    assert ask("bob", "old", "disable").stdout == "bob\n"
    assert ask("alice", "secret", "require").stdout == "alice\n"
    assert "no pg_hba.conf entry" in ask("alice", "secret", "disable").stderr
    assert "pg_hba.conf rejects connection" in ask("tidewire", "", "require").stderr


def test_rules_hold_for_asyncpg(guarded: ServerProcess) -> None:
    asyncpg = pytest.importorskip("asyncpg", reason="asyncpg is not installed")
    context = ssl.create_default_context(cafile=str(_root(guarded)))

    async def ask(user: str, password: str, tls: ssl.SSLContext | bool) -> str:
        c = await asyncpg.connect(
            host="localhost" if tls else guarded.host, port=guarded.port, user=user, password=password,
            database="tidewire", ssl=tls,
        )  # fmt: skip
        try:
            return str(await c.fetchval("SELECT current_user"))
        finally:
            await c.close()

    assert asyncio.run(ask("alice", "secret", context)) == "alice"
    assert asyncio.run(ask("bob", "old", False)) == "bob"
    with pytest.raises(asyncpg.InvalidAuthorizationSpecificationError, match=r"no pg_hba\.conf entry"):
        asyncio.run(ask("carol", "x", False))


def test_the_certificate_stays_the_same(guarded: ServerProcess) -> None:
    before = _root(guarded).read_bytes()
    assert guarded.stop() == 0
    guarded.start()
    assert _root(guarded).read_bytes() == before
    assert (_root(guarded).with_name("server.key").stat().st_mode & 0o777) == 0o600


def test_rules_that_cannot_hold_keep_the_server_from_starting(tmp_path: Path) -> None:
    (tmp_path / "hba").write_text("hostssl all all all trust\n")
    code, said = refused(
        ["serve", "--data-dir", str(tmp_path / "data"), "--hba-file", str(tmp_path / "hba"),
         "--listen", "127.0.0.1:0"]
    )  # fmt: skip
    assert code == 1 and "line 1: hostssl needs TLS" in said
