"""Large objects among several sessions, and over the end of a server: they are rows, and must behave like them."""

from __future__ import annotations

import os
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.server.process import ServerProcess, needs_psql


@pytest.fixture
def server_of_its_own(tmp_path: Path) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path / "data") as process:
        yield process
        assert process.unexpected() == []


def test_what_was_committed_survives_a_kill_and_nothing_else(server_of_its_own: ServerProcess) -> None:
    server, data = server_of_its_own, random.Random(1).randbytes(300_000)
    killed = server.connect(autocommit=True)
    killed.execute("SELECT lo_from_bytea(17, %s)", (data,))
    killed.execute("SELECT lo_put(17, 5000, '\\x00ff00')")
    killed.execute("BEGIN")
    killed.execute("SELECT lo_put(17, 0, 'never'), lo_from_bytea(18, 'never')")
    server.kill()
    killed.close()
    server.start()
    expected = data[:5000] + b"\x00\xff\x00" + data[5003:]
    with server.connect(autocommit=True) as c:
        assert c.execute("SELECT oid, lo_get(oid) FROM pg_largeobject_metadata").fetchall() == [
            (17, expected)
        ]
        c.execute("SELECT lo_unlink(17)")
        assert c.execute("SELECT count(*) FROM pg_largeobject").fetchall() == [(0,)]
    assert server.unexpected() == []


def test_two_transactions_that_bring_the_first_one(server_of_its_own: ServerProcess) -> None:
    """Both make the tables. The second is told so, and finds them when it begins again."""
    with server_of_its_own.connect(autocommit=False) as a, server_of_its_own.connect(autocommit=False) as b:
        a.execute("SELECT lo_from_bytea(1, 'a')")
        b.execute("SELECT lo_from_bytea(2, 'b')")
        a.commit()
        with pytest.raises(psycopg.errors.SerializationFailure):
            b.commit()
        b.rollback()
        b.execute("SELECT lo_from_bytea(2, 'b')")
        b.commit()
        assert a.execute("SELECT oid, lo_get(oid) FROM pg_largeobject_metadata ORDER BY 1").fetchall() == [
            (1, b"a"),
            (2, b"b"),
        ]


@pytest.mark.parametrize("level", ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"])
def test_nobody_writes_over_what_he_has_not_seen(server_of_its_own: ServerProcess, level: str) -> None:
    """Two write into one page: whoever commits second either has the first one's bytes, or fails."""
    with server_of_its_own.connect(autocommit=False) as a, server_of_its_own.connect(autocommit=False) as b:
        a.execute("SELECT lo_from_bytea(1, '0123456789')")
        a.commit()
        for c in (a, b):
            c.execute(f"SET TRANSACTION ISOLATION LEVEL {level}")
            c.execute("SELECT lo_get(1)")
        a.execute("SELECT lo_put(1, 0, 'a')")
        b.execute("SET lock_timeout = '50ms'")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            b.execute("SELECT lo_put(1, 9, 'b')")
        b.rollback()
        b.execute(f"SET TRANSACTION ISOLATION LEVEL {level}")
        assert b.execute("SELECT lo_get(1)").fetchone() == (b"0123456789",)
        a.commit()
        if level == "READ COMMITTED":
            b.execute("SELECT lo_put(1, 9, 'b')")
            b.commit()
            assert a.execute("SELECT lo_get(1)").fetchone() == (b"a12345678b",)
        else:
            with pytest.raises(psycopg.errors.SerializationFailure):
                b.execute("SELECT lo_put(1, 9, 'b')")
                b.commit()


def test_databases_have_their_own(server_of_its_own: ServerProcess) -> None:
    """And DROP DATABASE takes them along."""
    with server_of_its_own.connect(autocommit=True) as c:
        c.execute("SELECT lo_from_bytea(1, 'here')")
        c.execute("CREATE DATABASE elsewhere")
        with server_of_its_own.connect(autocommit=True, dbname="elsewhere") as d:
            assert d.execute("SELECT count(*) FROM pg_largeobject").fetchone() == (0,)
            d.execute("SELECT lo_from_bytea(1, 'there')")
            assert d.execute("SELECT lo_get(1)").fetchone() == (b"there",)
        c.execute("DROP DATABASE elsewhere")
        assert c.execute("SELECT lo_get(1)").fetchone() == (b"here",)
        assert c.execute("SELECT count(*) FROM pg_class WHERE relnamespace = 2613 OR relname ~ '^pg_large.*index'").fetchone() == (0,)  # fmt: skip
    server_of_its_own.stop()
    server_of_its_own.start()
    with server_of_its_own.connect() as c:
        assert c.execute("SELECT lo_get(1)").fetchone() == (b"here",)


def test_files_of_the_server_come_in_and_go_out(server_of_its_own: ServerProcess, tmp_path: Path) -> None:
    text = bytes(range(256)) * 9_000  # more than two pieces
    (tmp_path / "in").write_bytes(text)
    with server_of_its_own.connect(autocommit=True) as c:
        made = c.execute("SELECT lo_import(%s)", (str(tmp_path / "in"),)).fetchone()
        assert made is not None
        assert c.execute("SELECT lo_get(%s)", made).fetchone() == (text,)
        c.execute("SELECT lo_export(%s, %s)", (made[0], str(tmp_path / "out")))
        assert (tmp_path / "out").read_bytes() == text
        with pytest.raises(psycopg.errors.UndefinedObject):
            c.execute("SELECT lo_export(1, %s)", (str(tmp_path / "other"),))
        assert not (tmp_path / "other").exists()
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction), c.transaction():
            c.execute("SET TRANSACTION READ ONLY")
            c.execute("SELECT lo_import(%s)", (str(tmp_path / "in"),))
        c.execute("SELECT lo_unlink(%s)", made)


def test_what_writes_is_refused_where_nothing_may_be_written(server_of_its_own: ServerProcess) -> None:
    with server_of_its_own.connect(autocommit=True) as c:
        c.execute("SELECT lo_create(1)")
        c.execute("BEGIN READ ONLY")
        assert c.execute("SELECT lo_get(1)").fetchone() == (b"",)
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction, match=r"lo_put\(\)"):
            c.execute("SELECT lo_put(1, 0, 'a')")
        c.execute("ROLLBACK")
        c.execute("BEGIN READ ONLY")
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            c.execute("ALTER LARGE OBJECT 1 OWNER TO tidewire")
        c.execute("ROLLBACK")
        c.execute("BEGIN READ ONLY")
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            c.execute("GRANT SELECT ON LARGE OBJECT 1 TO PUBLIC")
        c.execute("ROLLBACK")
        c.execute("CREATE ROLE lo_named")
        c.execute("GRANT SELECT ON LARGE OBJECT 1 TO lo_named")
        with pytest.raises(
            psycopg.errors.FeatureNotSupported, match="which privileges on large objects name"
        ):
            c.execute("ALTER ROLE lo_named RENAME TO lo_renamed")
        c.execute("REVOKE SELECT ON LARGE OBJECT 1 FROM lo_named")
        c.execute("ALTER ROLE lo_named RENAME TO lo_renamed")
        c.execute("DROP ROLE lo_renamed")


@needs_psql
def test_a_dump_of_them_is_read_without_an_error(server_of_its_own: ServerProcess) -> None:
    server = server_of_its_own
    data = random.Random(2).randbytes(50_000)
    with server.connect(autocommit=True) as c:
        c.execute("CREATE ROLE somebody")
        c.execute("SELECT lo_from_bytea(1, %s), lo_from_bytea(2, '')", (data,))
        c.execute("ALTER LARGE OBJECT 2 OWNER TO somebody")
        c.execute("CREATE DATABASE copy")
    dump = subprocess.run(
        ["pg_dump"], env=server.client_environment(), capture_output=True, text=True, check=True, timeout=120
    )
    done = server.psql("-d", "copy", "-v", "ON_ERROR_STOP=1", stdin=dump.stdout)
    assert (done.returncode, done.stderr) == (0, "")
    with server.connect(dbname="copy") as c:
        found = "SELECT oid, lo_get(oid), pg_get_userbyid(lomowner) FROM pg_largeobject_metadata ORDER BY 1"
        assert c.execute(found).fetchall() == [(1, data, "tidewire"), (2, b"", "somebody")]


def test_limits(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server, server.connect(autocommit=True) as c:
        c.execute("SELECT lo_create(1)")
        with pytest.raises(psycopg.errors.ProgramLimitExceeded):
            c.execute("SELECT lo_put(1, 1 << 30, 'a')")
        c.execute("BEGIN")
        with pytest.raises(psycopg.errors.ConfigurationLimitExceeded):
            c.execute("SELECT lo_open(1, x'40000'::int) FROM generate_series(1, 1001)")
        c.execute("ROLLBACK")


def test_a_pipe_that_nobody_reads_is_not_waited_for(server: ServerProcess, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with server.connect(options="-c statement_timeout=20s") as c:
        row = c.execute("SELECT lo_from_bytea(0, 'x')").fetchone()
        assert row is not None
        with pytest.raises(psycopg.errors.InternalError_, match="could not create server file"):
            c.execute("SELECT lo_export(%s::oid, %s)", (row[0], str(tmp_path / "pipe")))
        c.execute("SELECT lo_unlink(%s::oid)", row)
