"""Whole psql sessions, alike on PostgreSQL and here: every line of output, errors, notices and tags included.

Each file of `alike/` is one session in a database of its own. A new one needs no expected output: PostgreSQL says
what is right.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess, needs_psql

SESSIONS = sorted((Path(__file__).parent / "alike").glob("*.sql"))
PSQL = ("psql", "-X", "-a", "-v", "SHOW_CONTEXT=never")
TIMEOUT_S = 600


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


def played(host: str, port: int, session: Path) -> str:
    """What psql prints of a session in a new database."""
    name = "alike_" + session.stem
    server = f"host={host} port={port} user=tidewire"
    with psycopg.connect(f"{server} dbname=tidewire", autocommit=True) as c:
        c.execute(f'CREATE DATABASE "{name}"')
    done = subprocess.run(
        [*PSQL, "-f", str(session), f"{server} dbname={name}"],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT_S, text=True, check=False,
        env={**os.environ, "PGTZ": "UTC", "PGOPTIONS": ""},
    )  # fmt: skip
    # Where PostgreSQL's own source raised it is the one field of an error that nobody else has.
    return re.sub(r"^psql:[^ ]* |^LOCATION: .*\n", "", done.stdout, flags=re.MULTILINE)


@needs_psql
@pytest.mark.parametrize("session", SESSIONS, ids=lambda p: p.stem)
def test_a_session_is_alike(server: ServerProcess, postgres: str, session: Path) -> None:
    there = conninfo_to_dict(postgres)
    expected = played(str(there["host"]), int(str(there["port"])), session)
    assert played("127.0.0.1", server.port, session) == expected
