"""Memory that rows in bulk pass through is used again: a server asks the kernel for no huge pages, and keeps large blocks."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.process import ServerProcess

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the kernel is another one")

_BLOCKS = """
import ctypes, resource
from tidewire.allocation import reuse_memory
reuse_memory()
library = ctypes.CDLL(None)
library.malloc.restype, library.malloc.argtypes = ctypes.c_void_p, [ctypes.c_size_t]
library.free.argtypes = [ctypes.c_void_p]
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    block = library.malloc(8 << 20)
    ctypes.memset(block, 1, 8 << 20)
    library.free(block)
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
print(faults(), faults())
"""


def _huge_pages(pid: int) -> str:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next((line.split()[1] for line in lines if line.startswith("THP_enabled:")), "unknown")


def test_a_server_has_no_huge_pages(tmp_path: Path) -> None:
    with ServerProcess(tmp_path) as server:
        assert _huge_pages(server.pid) in ("0", "unknown")


@pytest.mark.skipif(not hasattr(ctypes.CDLL(None), "mallopt"), reason="another C library")
def test_a_large_block_that_was_let_go_of_is_not_cleared_again() -> None:
    done = subprocess.run([sys.executable, "-c", _BLOCKS], capture_output=True, text=True, check=True)
    first, second = map(int, done.stdout.split())
    assert first > 1000  # pages of four kilobytes
    assert second < 100
