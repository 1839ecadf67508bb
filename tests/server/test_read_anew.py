"""SIGHUP and pg_reload_conf(): rules, passwords and certificates are read anew, and nobody's connection ends."""

from __future__ import annotations

import os
import signal
import socket
import ssl
import struct
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest

from planner.catalog.passwords import Verifier
from tests.server.process import ServerProcess, wait_until
from tidewire.certificates import own_certificate

RULES = """
hostssl   all  alice     127.0.0.1/32  scram-sha-256
hostnossl all  tidewire  127.0.0.1/32  trust
"""
SAID = "the configuration is read anew"
REFUSED = "the configuration is not read anew"


class Guarded(ServerProcess):
    """Its files, and how often it has said that it read them."""

    folder: Path

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def said(self, what: str) -> int:
        return self.log.read_text().count(what)

    def knows(self, password: str) -> bool:
        try:
            self.connect(user="alice", password=password, sslmode="require", connect_timeout=20).close()
        except psycopg.OperationalError as error:
            assert "password authentication failed" in str(error)
            return False
        return True


def _guarded(folder: Path, *arguments: str) -> Guarded:
    certificate, key = own_certificate(folder / "first", "127.0.0.1")
    server = Guarded(
        folder / "data", "--hba-file", str(folder / "hba"), "--password-file", str(folder / "users"),
        "--tls-certificate", str(folder / "crt"), "--tls-key", str(folder / "key"), *arguments,
    )  # fmt: skip
    server.folder = folder
    server.write("hba", RULES)
    server.write("users", f"alice:{Verifier.of('old')}\n")
    server.write("crt", certificate.read_text())
    server.write("key", key.read_text())
    return server


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[Guarded]:
    server = _guarded(tmp_path)
    with server:
        yield server
        assert not server.unexpected()


def _admin(server: Guarded) -> psycopg.Connection[Any]:
    return server.connect(sslmode="disable")


def _loaded_later(c: psycopg.Connection[Any]) -> bool:
    row = c.execute("SELECT pg_conf_load_time() > pg_postmaster_start_time()").fetchone()
    return row is not None and bool(row[0])


def test_a_password_a_rule_and_a_certificate_are_others_from_now_on(guarded: Guarded) -> None:
    with _admin(guarded) as admin:
        admin.execute("CREATE ROLE alice LOGIN; CREATE ROLE bob LOGIN")
        assert guarded.knows("old") and not guarded.knows("new")
        assert not _loaded_later(admin)
        inside = guarded.connect(user="alice", password="old", sslmode="require")

        certificate, key = own_certificate(guarded.folder / "second", "127.0.0.1")
        guarded.write("users", f"alice:{Verifier.of('new')}\n")
        guarded.write("hba", RULES + "host all +helpers 127.0.0.1/32 trust\n")
        guarded.write("crt", certificate.read_text())
        guarded.write("key", key.read_text())
        assert guarded.knows("old")  # nobody has said that they are to be read
        os.kill(guarded.pid, signal.SIGHUP)
        wait_until(lambda: guarded.said(SAID) == 1)

        assert guarded.knows("new") and not guarded.knows("old")
        with pytest.raises(psycopg.OperationalError, match=r"no pg_hba\.conf entry"):
            guarded.connect(user="bob", sslmode="disable")
        admin.execute(
            "CREATE ROLE helpers; CREATE ROLE more IN ROLE helpers; GRANT more TO bob; ALTER ROLE bob NOINHERIT"
        )
        guarded.connect(user="bob", sslmode="disable").close()
        verified = {"sslmode": "verify-full", "host": "localhost", "hostaddr": "127.0.0.1"}
        for root, good in (("second", True), ("first", False)):
            where = str(guarded.folder / root / "server.crt")
            try:
                guarded.connect(user="alice", password="new", sslrootcert=where, **verified).close()
                assert good
            except psycopg.OperationalError as error:
                assert not good and "certificate verify failed" in str(error)
        assert inside.execute("SELECT current_user").fetchone() == ("alice",)
        inside.close()
        assert _loaded_later(admin)
        listed = admin.execute("SELECT user_name FROM pg_hba_file_rules ORDER BY line_number").fetchall()
        assert listed == [(["alice"],), (["tidewire"],), (["+helpers"],)]


def test_what_cannot_be_used_changes_nothing(guarded: Guarded) -> None:
    with _admin(guarded) as admin:
        admin.execute("CREATE ROLE alice LOGIN")
        guarded.write("users", f"alice:{Verifier.of('new')}\n")
        guarded.write("hba", RULES + "host all bob nowhere trust\n")
        assert admin.execute("SELECT pg_reload_conf()").fetchone() == (True,)
        wait_until(lambda: guarded.said(REFUSED) == 1)
        assert guarded.knows("old") and not guarded.knows("new")
        assert not _loaded_later(admin)
        guarded.write("hba", RULES)
        admin.execute("SELECT pg_reload_conf()")
        wait_until(lambda: guarded.said(SAID) == 1)
        assert guarded.knows("new")
        admin.execute("SET ROLE alice")
        with pytest.raises(psycopg.errors.InsufficientPrivilege, match="function pg_reload_conf"):
            admin.execute("SELECT pg_reload_conf()")


def test_of_several_processes_all_hear_of_it(tmp_path: Path) -> None:
    server = _guarded(tmp_path, "--processes", "2")
    with server:
        with _admin(server) as admin:
            admin.execute("CREATE ROLE alice LOGIN")
            server.write("users", f"alice:{Verifier.of('new')}\n")
            admin.execute("SELECT pg_reload_conf()")
            wait_until(lambda: server.said(SAID) == 2)
            assert all(server.knows("new") for _ in range(10))
            os.kill(server.pid, signal.SIGHUP)
            wait_until(lambda: server.said(SAID) == 4)
        assert server.stop() == 0
        assert not server.unexpected()


def test_who_is_starting_reads_anew_what_changed_meanwhile(tmp_path: Path) -> None:
    server = _guarded(tmp_path)
    with ThreadPoolExecutor(1) as pool:
        started = pool.submit(server.start)
        wait_until((server.data_dir / "consensus.log").exists)  # the files have been read before
        server.write("users", f"alice:{Verifier.of('new')}\n")
        os.kill(server.pid, signal.SIGHUP)
        started.result()
    try:
        with _admin(server) as admin:
            admin.execute("CREATE ROLE alice LOGIN")
        assert server.said(SAID) == 1
        assert server.knows("new")
    finally:
        server.kill()


def test_what_the_server_was_started_with_is_shown(guarded: Guarded) -> None:
    with _admin(guarded) as admin:
        told = admin.execute(
            "SELECT name, setting FROM pg_settings WHERE source = 'configuration file' ORDER BY name"
        ).fetchall()
        files = {name: str(guarded.folder / file) for name, file in (("ssl_cert_file", "crt"), ("ssl_key_file", "key"), ("hba_file", "hba"))}  # fmt: skip
        assert dict(told) == files | {
            "authentication_timeout": "60",
            "data_directory": str(guarded.data_dir),
            "listen_addresses": "127.0.0.1",
            "max_connections": "200",
            "port": str(guarded.port),
            "ssl": "on",
            "superuser_reserved_connections": "3",
        }
        assert admin.execute("SHOW port").fetchone() == (str(guarded.port),)
        with pytest.raises(psycopg.errors.CantChangeRuntimeParam):
            admin.execute("SET port = 1")
        admin.execute("RESET ALL")
        assert admin.execute("SHOW max_connections").fetchone() == ("200",)


def test_what_alter_system_wrote_is_what_sessions_begin_with(guarded: Guarded) -> None:
    """Those that have begun, too, but where they have said something themselves."""
    with _admin(guarded) as admin, _admin(guarded) as other:
        admin.execute("ALTER SYSTEM SET work_mem = '7MB'")
        admin.execute("ALTER SYSTEM SET statement_timeout = 45000")
        admin.execute("ALTER SYSTEM SET search_path = public, 'Odd one'")
        admin.execute("ALTER SYSTEM SET shared_buffers = '256MB'")
        admin.execute("ALTER DATABASE tidewire SET enable_sort = off")
        admin.execute("ALTER SYSTEM SET enable_sort = on")
        other.execute("SET work_mem = '9MB'")
        assert admin.execute("SHOW statement_timeout").fetchone() == ("0",)
        with _admin(guarded) as begun:
            assert begun.execute("SHOW statement_timeout").fetchone() == ("0",)
        admin.execute("SELECT pg_reload_conf()")
        wait_until(lambda: admin.execute("SHOW statement_timeout").fetchone() == ("45s",))
        wait_until(lambda: other.execute("SHOW statement_timeout").fetchone() == ("45s",))
        assert other.execute("SHOW work_mem").fetchone() == ("9MB",)
        other.execute("RESET work_mem")
        assert other.execute("SHOW work_mem").fetchone() == ("7MB",)
        assert admin.execute("SHOW search_path").fetchone() == ('public, "Odd one"',)
        with _admin(guarded) as begun:
            assert begun.execute("SHOW enable_sort").fetchone() == ("off",)
            assert begun.execute("SHOW work_mem").fetchone() == ("7MB",)
        waiting = "SELECT setting, pending_restart, sourceline FROM pg_settings WHERE name = 'shared_buffers'"
        assert admin.execute(waiting).fetchone() == ("16384", True, None)
        assert admin.execute(
            "SELECT source, sourceline, sourcefile FROM pg_settings WHERE name = 'work_mem'"
        ).fetchone() == ("configuration file", 3, str(guarded.data_dir / "postgresql.auto.conf"))
        with pytest.raises(psycopg.errors.FeatureNotSupported, match='parameter "port"'):
            admin.execute("ALTER SYSTEM SET port = 1")
    assert guarded.stop() == 0
    guarded.start()
    with _admin(guarded) as admin:
        assert admin.execute(waiting).fetchone() == ("32768", False, 6)
        assert admin.execute("SHOW statement_timeout").fetchone() == ("45s",)
        (guarded.data_dir / "postgresql.auto.conf").write_text(
            "work_mem = 'much'\nstatement_timeout = '5s'\nx\n"
        )
        admin.execute("SELECT pg_reload_conf()")
        wait_until(lambda: admin.execute("SHOW statement_timeout").fetchone() == ("5s",))
        assert admin.execute("SHOW work_mem").fetchone() == ("4MB",)
        assert admin.execute(waiting).fetchone() == ("32768", True, None)
        told = admin.execute("SELECT name, applied, error FROM pg_file_settings ORDER BY seqno").fetchall()
        assert told == [("work_mem", False, 'invalid value for parameter "work_mem": "much"'), ("statement_timeout", True, None)]  # fmt: skip
        admin.execute("ALTER SYSTEM RESET ALL")
        admin.execute("SELECT pg_reload_conf()")
        wait_until(lambda: admin.execute("SHOW statement_timeout").fetchone() == ("0",))


def test_several_processes_have_one_file(tmp_path: Path) -> None:
    with _guarded(tmp_path, "--processes", "2") as server:
        with _admin(server) as admin:
            admin.execute("ALTER SYSTEM SET work_mem = '7MB'")
            admin.execute("SELECT pg_reload_conf()")
        assert isinstance(server, Guarded)
        wait_until(lambda: server.said(SAID) == 2)
        for _ in range(10):
            with _admin(server) as begun:
                assert begun.execute("SHOW work_mem").fetchone() == ("7MB",)


def test_what_is_said_of_clients_is_not_said_of_the_servers_own_transactions(guarded: Guarded) -> None:
    with _admin(guarded) as admin:
        admin.execute("CREATE SEQUENCE drawn")
        admin.execute("ALTER SYSTEM SET default_transaction_read_only = on")
        admin.execute("SELECT pg_reload_conf()")
        wait_until(lambda: admin.execute("SHOW default_transaction_read_only").fetchone() == ("on",))
        admin.execute("SET default_transaction_read_only = off")
        with _admin(guarded) as leaving:
            leaving.execute("SET default_transaction_read_only = off")
            leaving.execute("CREATE TEMPORARY TABLE left_behind ()")
        assert admin.execute("SELECT setval('drawn', 5)").fetchone() == (5,)
        there = "SELECT count(*) FROM pg_class WHERE relname = 'left_behind'"
        wait_until(lambda: admin.execute(there).fetchone() == (0,), 10)


def _salt(server: Guarded, user: str) -> bytes:
    """What a client is told of how a password is kept: over TLS, as `libpq` asks, without its answer."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket.create_connection((server.host, server.port)) as plain:
        plain.sendall(struct.pack("!II", 8, 80877103))
        assert plain.recv(1) == b"S"
        with context.wrap_socket(plain) as c:
            said = struct.pack("!I", 196608) + f"user\0{user}\0database\0d\0\0".encode()
            c.sendall(struct.pack("!I", len(said) + 4) + said)
            assert c.recv(4096)[:1] == b"R"
            first = b"n,,n=,r=abcdefgh"
            proof = b"SCRAM-SHA-256\0" + struct.pack("!I", len(first)) + first
            c.sendall(b"p" + struct.pack("!I", len(proof) + 4) + proof)
            answer = c.recv(4096)
            return answer[answer.index(b",s=") : answer.index(b",i=")]


def test_salts_do_not_tell_who_is_there(tmp_path: Path) -> None:
    """They are the same as often as they are asked for, also of nobody, whichever process is met, and after files are read anew."""
    server = _guarded(tmp_path, "--processes", "2")
    server.write("hba", "hostssl all all 127.0.0.1/32 scram-sha-256\n" + RULES)
    with server:
        told = {user: {_salt(server, user) for _ in range(12)} for user in ("alice", "nobody")}
        with _admin(server) as admin:
            admin.execute("SELECT pg_reload_conf()")
        wait_until(lambda: server.said(SAID) == 2)
        for user, salts in told.items():
            assert {_salt(server, user) for _ in range(12)} == salts
            assert len(salts) == 1
