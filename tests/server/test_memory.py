"""Bulk data passes through, it does not pile up: resident memory of a server that moves ten million rows.

The bounds are generous: they are to notice that a result or a load is held whole, or twice, not to measure it.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.server.process import ServerProcess

ROWS = 10_000_000
ROW_BYTES = 46
"""In Arrow: two integers, a float, a text of fifteen bytes, a row id."""

SORTING_BYTES = 4 * 8
"""A row of a keyed table while its load is checked: the key, its place in the order, the row id, and one more."""

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="there is no /proc to look at"),
]


def _anonymous_bytes(pid: int) -> int:
    """Memory that is not a mapped file's: what cannot be given back when somebody else needs it."""
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("RssAnon:"):
            return int(line.split()[1]) << 10
    raise AssertionError("no RssAnon in /proc")


@contextmanager
def _watched(server: ServerProcess, bound_bytes: int, what: str) -> Iterator[None]:
    """Looks at the server every 20 ms: it may grow by so much."""
    start = peak = _anonymous_bytes(server.pid)
    over = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not over.wait(0.02):
            peak = max(peak, _anonymous_bytes(server.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        over.set()
        watcher.join()
    assert peak - start < bound_bytes, f"{what}: {(peak - start) >> 20} MiB more than before"


@pytest.mark.parametrize("key", ["", "PRIMARY KEY"])
def test_ten_million_rows_in_and_out(tmp_path: Path, key: str) -> None:
    columns = f"(a bigint {key}, b int, c text, d double precision)"
    load = ROWS * (ROW_BYTES + (SORTING_BYTES if key else 0))
    with ServerProcess(tmp_path / "data") as server, server.connect() as connection:
        connection.execute(f"CREATE TABLE t {columns}")
        with (
            _watched(server, load, "COPY in"),
            connection.cursor().copy("COPY t FROM STDIN") as copy,
        ):
            for at in range(0, ROWS, 5000):
                copy.write(
                    "".join(
                        f"{i}\t{i % 100_003}\tsome text {i % 1000}\t{i / 8}\n" for i in range(at, at + 5000)
                    )
                )
        with _watched(server, 4 * ROWS * ROW_BYTES, "DuckDB's own copy"):
            assert connection.execute("SELECT count(*), sum(a) FROM t").fetchone() == (
                ROWS,
                ROWS * (ROWS - 1) // 2,
            )
        done = server.psql("-qc", f"\\copy t TO '{tmp_path / 'out'}'")
        assert done.returncode == 0, done.stderr
        with _watched(server, ROWS * ROW_BYTES, "COPY out"):
            done = server.psql("-qc", f"\\copy t TO '{tmp_path / 'out'}'")
        assert done.returncode == 0, done.stderr
        connection.execute(f"CREATE TABLE u {columns}")
        with _watched(server, load, "INSERT ... SELECT"):
            connection.execute("INSERT INTO u SELECT * FROM t")
        assert connection.execute("SELECT count(*) FROM u").fetchone() == (ROWS,)
        assert server.unexpected() == []
