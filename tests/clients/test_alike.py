"""Whole psql sessions, alike on PostgreSQL and here: every line of output, errors, notices and tags included.

Each file of `alike/` is one session in a database of its own. A new one needs no expected output: PostgreSQL says
what is right.

A query may be answered by another engine when it is asked again. With TIDEWIRE_ALIKE_TIMES=3 each query of a session is asked
three times running, of both servers, so that the later answers are compared as well. With TIDEWIRE_ALIKE_WRITES=1 so is each statement
that writes rows: what it finds the second time is what the first has left, taken keys among them, and that is compared, too.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess, needs_psql

SESSIONS = sorted((Path(__file__).parent / "alike").glob("*.sql"))
PSQL = ("psql", "-X", "-a", "-v", "SHOW_CONTEXT=never")
TIMEOUT_S = 600
TIMES = int(os.environ.get("TIDEWIRE_ALIKE_TIMES", "1"))
WRITES = os.environ.get("TIDEWIRE_ALIKE_WRITES", "") == "1"
QUERY = r"(SELECT|WITH|VALUES|TABLE|EXECUTE)\b"
QUERY_OR_WRITE = r"(SELECT|WITH|VALUES|TABLE|EXECUTE|INSERT|UPDATE|DELETE|MERGE|CALL|DO)\b"


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    try:
        with running_postgres({"fsync": "off", "timezone": "UTC", "wal_level": "logical"}) as dsn:
            with psycopg.connect(dsn, autocommit=True) as c:
                if c.info.server_version // 10000 != 15:
                    pytest.skip("what psql prints is compared with PostgreSQL 15")
                if c.execute("SELECT current_user").fetchall() != [("tidewire",)]:
                    c.execute("CREATE ROLE tidewire SUPERUSER LOGIN CREATEDB CREATEROLE")
                c.execute("CREATE DATABASE tidewire OWNER tidewire")
            yield dsn
    except NoPostgres as e:
        pytest.skip(str(e))


def asked_again(script: str, times: int, writes: bool = False) -> str:
    """A script whose queries stand in it as often as is said, and whose writes, if these are meant, too; both servers get it, so what varies
    by call varies alike."""
    repeated = QUERY_OR_WRITE if writes else QUERY
    written: list[str] = []
    statement: list[str] = []
    for line in script.splitlines(keepends=True):
        alone = not statement and (not line.strip() or line.startswith(("--", "\\")))
        if alone:
            written.append(line)
            continue
        statement.append(line)
        text = "".join(statement)
        if line.startswith("\\") or re.search(r"\\(g|;|watch|crosstab)", line):
            written.append(text)  # psql's own ending of a statement
        elif (
            re.search(r";\s*(--.*)?$", line)
            and text.count("'") % 2 == 0
            and len(re.findall(r"\$\w*\$", text)) % 2 == 0
        ):
            written.append(text * (times if re.match(repeated, text, re.IGNORECASE) else 1))
        else:
            continue
        statement = []
    return "".join([*written, *statement])


def played(host: str, port: int, session: Path, script: Path) -> str:
    """What psql prints of a session in a new database."""
    name = "alike_" + session.stem
    server = f"host={host} port={port} user=tidewire"
    with psycopg.connect(f"{server} dbname=tidewire", autocommit=True) as c:
        c.execute(f'CREATE DATABASE "{name}"')
    done = subprocess.run(
        [*PSQL, "-f", str(script), f"{server} dbname={name}"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_S, text=True, check=False,
        env={**os.environ, "PGTZ": "UTC", "PGOPTIONS": ""},
    )  # fmt: skip
    with (
        psycopg.connect(f"{server} dbname=tidewire", autocommit=True) as c,
        suppress(psycopg.errors.ObjectInUse),
    ):
        c.execute(
            f'DROP DATABASE "{name}" WITH (FORCE)'
        )  # unless slots are left in it: hundreds of them are gigabytes
    # Where PostgreSQL's own source raised it is the one field of an error that nobody else has.
    said = re.sub(r"(from server process with PID) \d+", r"\1 n", done.stdout)
    return re.sub(r"^psql:[^ ]* |^LOCATION: .*\n", "", said, flags=re.MULTILINE)


@needs_psql
@pytest.mark.parametrize("session", SESSIONS, ids=lambda p: p.stem)
def test_a_session_is_alike(server: ServerProcess, postgres: str, session: Path, tmp_path: Path) -> None:
    script = tmp_path / session.name
    script.write_text(asked_again(session.read_text(), TIMES, WRITES))
    there = conninfo_to_dict(postgres)
    expected = played(str(there["host"]), int(str(there["port"])), session, script)
    assert played("127.0.0.1", server.port, session, script) == expected
