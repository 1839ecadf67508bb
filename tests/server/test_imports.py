"""A server starts without what it does not need: drivers, certificates, and what libraries import because it is there."""

from __future__ import annotations

import subprocess
import sys

import pytest

_SERVER = """
import gc, sys
from tidewire.imports import quick_imports

with quick_imports():
    import tidewire.assembly
import pyarrow as pa

pa.array([1, None])
assert gc.isenabled() and gc.get_freeze_count() > 0
print(*sorted({"pandas", "rich", "psycopg", "cryptography"} & set(sys.modules)))
import rich
"""


def test_what_a_server_does_without_and_whoever_asks_later_finds() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _SERVER], capture_output=True, text=True, timeout=600, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


@pytest.mark.parametrize(
    "first",
    [
        "executor.session.session",
        "executor.procedural.calls",
        "executor.session.locks.fetched_rows",
        "executor.ddl.run",
    ],
)
def test_modules_that_need_each_other_may_be_imported_first(first: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", f"import {first}"], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 0, done.stderr
