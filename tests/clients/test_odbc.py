"""ODBC, by unixODBC and PostgreSQL's own driver: types, parameters, catalog functions, transactions, errors, escapes.

Needs pyodbc and the driver (`tests.clients.odbc_driver` says where from); what the program prints on PostgreSQL is what
it has to print here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.clients import odbc_driver
from tests.server.process import ServerProcess

PROGRAM = Path(__file__).parent / "programs" / "odbc_program.py"
DRIVER = odbc_driver.find()
TIMEOUT_S = 600


def played(host: str, port: int) -> str:
    assert DRIVER is not None
    done = subprocess.run(
        [sys.executable, str(PROGRAM), str(DRIVER), host, str(port)],
        capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
        env={**os.environ, **odbc_driver.libraries(DRIVER), "PYTHONIOENCODING": "utf-8"},
    )  # fmt: skip
    if "ImportError" in done.stderr or "ModuleNotFoundError" in done.stderr:
        pytest.skip(done.stderr.strip().splitlines()[-1])
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(DRIVER is None, reason="psqlodbcw.so is not there: python -m tests.clients.odbc_driver")
def test_a_program_on_odbc(server: ServerProcess, postgres: str) -> None:
    there = conninfo_to_dict(postgres)
    with psycopg.connect(postgres, autocommit=True) as c:
        if c.info.server_version // 10000 != 15:
            pytest.skip("what the driver learns is compared with PostgreSQL 15")
        if c.execute("SELECT 1 FROM pg_roles WHERE rolname = 'tidewire'").fetchone() is None:
            c.execute("CREATE ROLE tidewire SUPERUSER LOGIN")
        if c.execute("SELECT 1 FROM pg_database WHERE datname = 'tidewire'").fetchone() is None:
            c.execute("CREATE DATABASE tidewire OWNER tidewire")
    expected = played(str(there["host"]), int(str(there["port"])))
    assert "multi [(1,)] True [(2,)]" in expected, "the program came to its end"
    assert played(server.host, server.port) == expected
