"""What the server takes in memory: for who is connected, for rows that lie there, and for rows that pass through.

idle connection      resident memory of eighty of them, each
10M narrow rows      of a server that was started on them and has looked at all, beside DuckDB's own table
drains and COPY      the most that it takes beside what it had, while ten million rows go in or out
large transactions   the same, while a transaction inserts, updates or deletes ten million rows and is rolled back
scale 100            after random reads among ten million accounts
"""

from __future__ import annotations

import contextlib
import re
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.copying import copied
from bench.peers import Peer, free_port, process_tree, start_tidewire, stop
from bench.pgbench import initialised, run_of
from bench.workload import NOTED, OURS, Aim, Workload, at_most

IDLE_CONNECTIONS = 80
ROWS = 10_000_000
_SOURCE = f"SELECT i AS a, (i % 1000)::int AS b FROM generate_series(1::bigint, {ROWS}) g(i)"


def memory_kib(pid: int, what: str = "VmRSS") -> int:
    """Memory of a process and its children, as Linux counts it: all that is resident, or `RssAnon` alone."""
    total = 0
    for each in process_tree(pid):
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            found = re.search(rf"{what}:\s+(\d+) kB", Path(f"/proc/{each}/status").read_text())
            total += int(found.group(1)) if found else 0
    return total


def _idle_connections(peer: Peer, seconds: float) -> float:
    assert peer.process is not None
    with contextlib.ExitStack() as stack:
        for _ in range(10):  # what the first connections bring into memory stays there for all
            # A query of DuckDB's: it waits until a server that has just started knows all functions.
            stack.enter_context(peer.connect()).execute("SELECT count(*) FROM generate_series(1, 10)")
        before = memory_kib(peer.process.pid)
        for _ in range(IDLE_CONNECTIONS):
            row = stack.enter_context(peer.connect()).execute("SELECT 1").fetchone()
            assert row == (1,)
        return max(0, memory_kib(peer.process.pid) - before) / IDLE_CONNECTIONS


# --- rows that lie there ---------------------------------------------------------------------------

_DUCKDB = """
import duckdb, re, sys
def resident():
    return int(re.search(r"VmRSS:\\s+(\\d+) kB", open("/proc/self/status").read()).group(1))
con = duckdb.connect()
con.execute("SET enable_progress_bar = false")  # which would come with the figure, on a slow day
before = resident()
con.execute("CREATE TABLE narrow (a BIGINT " + sys.argv[2] + ", b INTEGER)")
con.execute("INSERT INTO narrow SELECT i, i % 1000 FROM range(1, " + str(int(sys.argv[1]) + 1) + ") g(i)")
assert con.execute("SELECT count(*), sum(a) FROM narrow").fetchone()[0] == int(sys.argv[1])
print(resident() - before)
"""


def _narrow(key: str) -> Callable[[Peer, float], float]:
    """MiB above an empty server, or above a DuckDB without a table."""

    def run(peer: Peer, seconds: float) -> float:
        if peer.name == "duckdb":
            done = subprocess.run(
                [sys.executable, "-c", _DUCKDB, str(ROWS), key], capture_output=True, text=True, check=True
            )
            return int(done.stdout.split()[-1]) / 1024
        with _server_of_its_own() as server:
            return _narrow_server(server, key) / 1024

    return run


@contextlib.contextmanager
def _server_of_its_own() -> Iterator[Peer]:
    """A fresh one, without what other workloads have left in the memory of theirs."""
    with tempfile.TemporaryDirectory(prefix="tidewire-bench-") as root:
        peer = Peer(
            "tidewire", "127.0.0.1", free_port(), "tidewire", "tidewire", data_dir=Path(root) / "data"
        )
        _start(peer)
        try:
            yield peer
        finally:
            assert peer.process is not None
            stop(peer.process)


def _start(peer: Peer) -> int:
    """Starts it, again perhaps (what a load left behind is not the table's); its process id."""
    assert peer.data_dir is not None
    if peer.process is not None:
        stop(peer.process)
    peer.process = start_tidewire(peer.data_dir, peer.port)
    return peer.process.pid


def _narrow_server(peer: Peer, key: str) -> int:
    assert peer.process is not None
    with peer.connect() as conn:
        conn.execute("SELECT count(*) FROM pg_class").fetchone()
        before = memory_kib(peer.process.pid)
        conn.execute(f"CREATE TABLE narrow (a bigint {key}, b int)")
        conn.execute(f"INSERT INTO narrow {_SOURCE}")
    pid = _start(peer)
    with peer.connect() as conn:
        for _ in range(3):
            row = conn.execute("SELECT count(*), sum(a) FROM narrow").fetchone()
            assert row == (ROWS, ROWS * (ROWS + 1) // 2), row
            assert conn.execute(f"SELECT b FROM narrow WHERE a = {ROWS // 2}").fetchone() == (0,)
        conn.execute("CHECKPOINT")  # which a calm moment would bring
    _settle(pid)
    anonymous = memory_kib(pid, "RssAnon") / 1024
    NOTED.lines.append(f"of the whole server {anonymous:,.0f} MiB anonymous, the rest mapped files")
    return memory_kib(pid) - before


def _settle(pid: int) -> None:
    """Until allocators have given back what they will, or half a minute has passed."""
    for _ in range(10):
        before = memory_kib(pid)
        time.sleep(3)
        if memory_kib(pid) > before * 0.99:
            return


# --- rows that pass through ------------------------------------------------------------------------


@contextlib.contextmanager
def _watched(pid: int) -> Iterator[list[float]]:
    """The most anonymous memory above the start, in MiB, once the block is over."""
    start = peak = memory_kib(pid, "RssAnon")
    over, found = threading.Event(), [0.0]

    def watch() -> None:
        nonlocal peak
        while not over.wait(0.02):
            peak = max(peak, memory_kib(pid, "RssAnon"))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield found
    finally:
        over.set()
        watcher.join()
        found[0] = (peak - start) / 1024


def _passing(what: str) -> Callable[[Peer, float], float]:
    def run(peer: Peer, seconds: float) -> float:
        assert peer.process is not None
        with _watched(peer.process.pid) as most:
            if what == "COPY in":
                copied(peer, ROWS)
            else:
                _drained(peer, what)
        return most[0]

    return run


def _drained(peer: Peer, what: str) -> None:
    count = 0
    with peer.connect() as conn:
        if what == "COPY out":
            with conn.cursor().copy("COPY bench_copy TO STDOUT") as copy:
                for block in copy:
                    count += bytes(block).count(b"\n")
        else:
            with conn.cursor() as cursor:
                for _ in cursor.stream("SELECT a FROM bench_copy", size=1000):
                    count += 1
    assert count == ROWS, (what, count)


def _prepare_passing(peer: Peer) -> None:
    copied(peer, ROWS)


LARGE = {
    "INSERT": f"INSERT INTO bench_large SELECT a + {ROWS}, b FROM ({_SOURCE}) s",
    "UPDATE": "UPDATE bench_large SET b = b + 1",
    "DELETE": "DELETE FROM bench_large",
}


def _rolled_back(what: str) -> Callable[[Peer, float], float]:
    """A whole table written in a transaction that leaves nothing."""

    def run(peer: Peer, seconds: float) -> float:
        assert peer.process is not None
        with peer.connect() as conn:
            conn.execute("SELECT count(*) FROM bench_large").fetchone()
            before = memory_kib(peer.process.pid, "RssAnon")
            with _watched(peer.process.pid) as most:
                conn.execute("BEGIN")
                conn.execute(LARGE[what])
                conn.execute("ROLLBACK")
            left = (memory_kib(peer.process.pid, "RssAnon") - before) / 1024
            NOTED.lines.append(f"{left:,.0f} MiB more than before when it is rolled back")
            assert conn.execute("SELECT count(*) FROM bench_large").fetchone() == (ROWS,)
        return most[0]

    return run


def _prepare_large(peer: Peer) -> None:
    with peer.connect() as conn:
        conn.execute("DROP TABLE IF EXISTS bench_large")
        conn.execute("CREATE TABLE bench_large (a bigint PRIMARY KEY, b int)")
        conn.execute(f"INSERT INTO bench_large {_SOURCE}")


def _after_reads(peer: Peer, seconds: float) -> float:
    with _server_of_its_own() as server:
        initialised(100)(server)
        pid = _start(server)
        for _ in range(3):
            run_of(8, "prepared", "-S")(server, seconds)
        NOTED.lines.append(f"{memory_kib(pid, 'RssAnon') / 1024:,.0f} MiB of it anonymous")
        return memory_kib(pid) / 1024


def _bounded(name: str, unit: str, run: Callable[[Peer, float], float], aims: tuple[Aim, ...]) -> Workload:
    return Workload(name, unit, run, aims=aims, lower_is_better=True, peers=OURS, rounds=1, quick=False)


def workloads() -> list[Workload]:
    idle = Workload(
        "resident memory per idle connection",
        "KiB",
        _idle_connections,
        aims=at_most(64),
        lower_is_better=True,
        peers=OURS,
        profiled="",
    )
    found = [idle]
    for key in ("", "PRIMARY KEY"):
        found.append(
            Workload(
                f"memory of 10M narrow rows, {'primary key' if key else 'no key'}",
                "MiB",
                _narrow(key),
                aims=(Aim("duckdb", ratio=round(1 / 1.5, 2)),),
                lower_is_better=True,
                peers=("tidewire", "duckdb"),
                profiled="",
                quick=False,
                rounds=1,
            )
        )
    for what, bound in (("COPY out", 256), ("SELECT drained", 256), ("COPY in", 1024)):
        found.append(
            Workload(
                f"peak memory of a {what}, 10M rows",
                "MiB",
                _passing(what),
                _prepare_passing,
                "copied-10M",
                at_most(bound),
                lower_is_better=True,
                peers=OURS,
                profiled="",
                rounds=1,
                quick=False,
            )
        )
    for what in LARGE:
        found.append(
            Workload(
                f"peak memory of a transaction's {what} of 10M rows, primary key",
                "MiB",
                _rolled_back(what),
                _prepare_large,
                "large-10M",
                at_most(512),
                lower_is_better=True,
                peers=OURS,
                profiled="",
                rounds=1,
                quick=False,
            )
        )
    found.append(
        Workload(
            "resident memory of the server after pgbench -S, scale 100",
            "MiB",
            _after_reads,
            aims=at_most(2048),
            lower_is_better=True,
            peers=OURS,
            profiled="",
            rounds=1,
            quick=False,
        )
    )
    return found
