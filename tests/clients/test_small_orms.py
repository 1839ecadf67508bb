"""peewee and Pony (`pip install peewee pony psycopg2-binary`): what they are told here is what PostgreSQL tells them."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.server.process import ServerProcess

PROGRAM = Path(__file__).parent / "programs" / "small_orms.py"
NEEDED = ("peewee", "pony", "psycopg2")
MISSING = [name for name in NEEDED if importlib.util.find_spec(name) is None]
TIMEOUT_S = 600


def played(host: str, port: int) -> str:
    with psycopg.connect(host=host, port=port, user="tidewire", dbname="postgres", autocommit=True) as c:
        c.execute("CREATE DATABASE small_orms")
    done = subprocess.run(
        [sys.executable, str(PROGRAM), host, str(port), "small_orms"],
        capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(bool(MISSING), reason=f"{', '.join(MISSING)} not installed")
def test_small_orms(server: ServerProcess, postgres: str) -> None:
    there = conninfo_to_dict(postgres)
    with psycopg.connect(postgres, autocommit=True) as c:
        if c.execute("SELECT 1 FROM pg_roles WHERE rolname = 'tidewire'").fetchone() is None:
            c.execute("CREATE ROLE tidewire SUPERUSER LOGIN")
    expected = played(str(there["host"]), int(str(there["port"])))
    assert "'Writer'" in expected or "writer" in expected, "models were made of what was found"
    assert played(server.host, server.port) == expected
