"""node-postgres (`npm install pg`, anywhere that `NODE_PATH` names, or beside this file)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.server.process import ServerProcess

HERE = Path(__file__).parent
PATH = os.pathsep.join([os.environ.get("NODE_PATH", ""), str(HERE / "node_modules")])


def _missing() -> str:
    node = shutil.which("node")
    if node is None:
        return "node is not installed"
    looked = subprocess.run(
        [node, "-e", "require.resolve('pg')"],
        env={**os.environ, "NODE_PATH": PATH},
        capture_output=True,
        check=False,
    )
    return "" if looked.returncode == 0 else "the npm package pg is not found (NODE_PATH)"


def test_a_program_on_node_postgres(server: ServerProcess) -> None:
    if missing := _missing():
        pytest.skip(missing)
    done = subprocess.run(
        ["node", str(HERE / "programs" / "node_client.js"), server.host, str(server.port)],
        env={**os.environ, "NODE_PATH": PATH},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {
        "parameters": [{"a": "x", "b": 2}],
        "inserted": {"id": 1, "j": {"k": 1}, "a": [1, 2], "b": "01ff", "n": "1.50"},
        "several": [[{"a": 1}], [{"b": 2}]],
        "named": [[1, "1.50"]],
        "fields": [["id", 23], ["n", 1700]],
        "binary": [{"a": 7, "f": 1.5}],
        "error": ["42P01", "15", "ERROR"],
        "any": [{"n": 1}],
        "heard": ["news", "today"],
        "pool": [1, 2, 3],
    }
