"""pgcli: its backslash commands, the queries that fill its completer, and what it then completes.

Needs pgcli (`pip install pgcli`, anywhere that PYTHONPATH names); what it finds in PostgreSQL it has to find here.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.server.process import ServerProcess

PROGRAM = Path(__file__).parent / "programs" / "pgcli_program.py"
TIMEOUT_S = 600


def played(host: str, port: int, home: Path) -> str:
    clean = {k: v for k, v in os.environ.items() if not k.startswith("PG")}
    done = subprocess.run(
        [sys.executable, str(PROGRAM), host, str(port)],
        capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
        env={**clean, "HOME": str(home), "XDG_CONFIG_HOME": str(home), "PYTHONIOENCODING": "utf-8", "TZ": "UTC"},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(importlib.util.find_spec("pgcli") is None, reason="pgcli is not installed")
def test_pgcli(server: ServerProcess, postgres: str, tmp_path: Path) -> None:
    there = conninfo_to_dict(postgres)
    with psycopg.connect(postgres, autocommit=True) as c:
        if c.info.server_version // 10000 != 15:
            pytest.skip("what pgcli finds is compared with PostgreSQL 15")
        if c.execute("SELECT 1 FROM pg_roles WHERE rolname = 'tidewire'").fetchone() is None:
            c.execute("CREATE ROLE tidewire SUPERUSER LOGIN")
        if c.execute("SELECT 1 FROM pg_database WHERE datname = 'tidewire'").fetchone() is None:
            c.execute("CREATE DATABASE tidewire OWNER tidewire")
    expected = played(str(there["host"]), int(str(there["port"])), tmp_path)
    assert "parents.id = children.parent_id" in expected, "the completer was filled"
    assert played(server.host, server.port, tmp_path) == expected
