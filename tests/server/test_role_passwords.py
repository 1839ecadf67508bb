"""Passwords of roles: CREATE and ALTER ROLE say them, and clients prove to know them."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from pgwire.authentication import Md5Hash
from planner.catalog.passwords import Verifier, is_kept
from tests.server.process import ServerProcess, needs_psql

RULES = """
host  all  tidewire  127.0.0.1/32  trust
host  all  old       127.0.0.1/32  md5
host  all  clear     127.0.0.1/32  password
host  all  all       127.0.0.1/32  scram-sha-256
"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("roles")
    (folder / "hba").write_text(RULES)
    with ServerProcess(folder / "data", "--hba-file", str(folder / "hba")) as server:
        yield server


@pytest.fixture
def admin(server: ServerProcess) -> Iterator[psycopg.Connection]:
    with server.connect(autocommit=True) as connection:
        yield connection


def comes_in(server: ServerProcess, user: str, password: str) -> str:
    """Who the client is then, or why it may not come in."""
    try:
        with server.connect(user=user, password=password) as connection:
            found = connection.execute("SELECT current_user").fetchone()
    except psycopg.OperationalError as error:
        return str(error).rsplit("FATAL:", 1)[-1].strip()
    assert found is not None
    return str(found[0])


WRONG = 'password authentication failed for user "{}"'


@pytest.mark.parametrize(
    ("user", "said"),
    [
        ("plain", "'secret'"),
        ("clear", "'secret'"),
        ("made_by_the_client", f"'{Verifier.of('secret')}'"),
        ("old", f"'{Md5Hash.of('old', 'secret').text}'"),
    ],
)
def test_who_knows_the_password_comes_in(
    server: ServerProcess, admin: psycopg.Connection, user: str, said: str
) -> None:
    admin.execute(f"CREATE ROLE {user} LOGIN PASSWORD {said}")  # type: ignore[arg-type]
    assert comes_in(server, user, "secret") == user
    assert comes_in(server, user, "wrong") == WRONG.format(user)
    admin.execute(f"ALTER ROLE {user} PASSWORD NULL")  # type: ignore[arg-type]
    assert comes_in(server, user, "secret") == WRONG.format(user)


def test_nothing_keeps_the_password_itself(server: ServerProcess, admin: psycopg.Connection) -> None:
    admin.execute("CREATE ROLE quiet LOGIN PASSWORD 'never-in-the-log'")
    kept = admin.execute("SELECT rolpassword FROM pg_authid WHERE rolname = 'quiet'").fetchone()
    assert kept is not None and is_kept(kept[0])
    assert admin.execute("SELECT rolpassword FROM pg_roles WHERE rolname = 'quiet'").fetchone() == (
        "********",
    )
    for file in Path(server.data_dir).rglob("*"):
        assert not file.is_file() or b"never-in-the-log" not in file.read_bytes(), file


def test_a_password_ends_when_it_is_said_to(server: ServerProcess, admin: psycopg.Connection) -> None:
    admin.execute("CREATE ROLE guest LOGIN PASSWORD 'secret' VALID UNTIL '2001-01-01'")
    assert comes_in(server, "guest", "secret") == WRONG.format("guest")
    admin.execute("ALTER ROLE guest VALID UNTIL 'infinity'")
    assert comes_in(server, "guest", "secret") == "guest"


def test_who_may_not_log_in_does_not(server: ServerProcess, admin: psycopg.Connection) -> None:
    admin.execute("CREATE ROLE team PASSWORD 'secret'")
    assert comes_in(server, "team", "secret") == 'role "team" is not permitted to log in'
    admin.execute("ALTER ROLE team LOGIN CONNECTION LIMIT 1")
    with server.connect(user="team", password="secret"):
        assert comes_in(server, "team", "secret") == 'too many connections for role "team"'


def test_who_is_refused_as_a_follower_takes_nobody_s_place(
    server: ServerProcess, admin: psycopg.Connection
) -> None:
    admin.execute("CREATE ROLE curious LOGIN PASSWORD 'secret' CONNECTION LIMIT 1")
    with pytest.raises(psycopg.OperationalError, match="must be superuser or replication role"):
        server.connect(user="curious", password="secret", replication="database")
    assert comes_in(server, "curious", "secret") == "curious"


def test_an_md5_hash_goes_with_the_name_that_is_in_it(
    server: ServerProcess, admin: psycopg.Connection
) -> None:
    notices: list[str] = []
    admin.add_notice_handler(lambda d: notices.append(d.message_primary or ""))
    admin.execute(f"CREATE ROLE early LOGIN PASSWORD '{Md5Hash.of('early', 'x').text}'")  # type: ignore[arg-type]
    admin.execute("ALTER ROLE early RENAME TO late")
    admin.execute("ALTER ROLE late PASSWORD ''")
    assert notices == [
        "MD5 password cleared because of role rename",
        "empty string is not a valid password, clearing password",
    ]


@needs_psql
@pytest.mark.skipif(shutil.which("setsid") is None, reason="setsid (util-linux) is not installed")
def test_psql_asks_for_a_password_and_the_server_keeps_it(
    server: ServerProcess, admin: psycopg.Connection
) -> None:
    r"""`\password` asks twice at the terminal; from then on the client comes in with what was typed there."""
    admin.execute("CREATE ROLE typed LOGIN")
    terminal, its_end = pty.openpty()
    dsn = f"host={server.host} port={server.port} user=tidewire dbname=tidewire"
    client = subprocess.Popen(
        ["setsid", "--ctty", "psql", "-X", "-q", "-c", r"\password typed", dsn],
        stdin=its_end, stdout=its_end, stderr=its_end,
    )  # fmt: skip
    os.close(its_end)
    try:
        _answer(terminal, "password for user", "not a secret")
        _answer(terminal, "again", "not a secret")
        assert client.wait(timeout=240) == 0
    finally:
        client.kill()
        client.wait()
        os.close(terminal)
    assert comes_in(server, "typed", "not a secret") == "typed"
    assert comes_in(server, "typed", "something else") == WRONG.format("typed")


def _answer(terminal: int, question: str, answer: str) -> None:
    """Types a line when the question has been asked."""
    shown = ""
    while question not in shown:
        ready, _, _ = select.select([terminal], [], [], 240)
        assert ready, f"psql asks for no {question}: {shown}"
        shown += os.read(terminal, 4096).decode()
    os.write(terminal, answer.encode() + b"\n")
