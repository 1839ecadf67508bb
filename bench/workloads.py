"""What is measured. Each workload prepares both peers, runs on one, and checks its answer.

A workload is a function from a peer to one figure; it raises when the peer's answer is wrong,
for a fast wrong answer is worth nothing. `figures()` lists them all; `python -m bench --list`
prints the names, `--only PATTERN` runs some.
"""

from __future__ import annotations

import fnmatch
import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psycopg

from bench.peers import Peer, pgbench_program, start_tidewire, stop


@dataclass(frozen=True)
class Workload:
    name: str
    unit: str
    run: Callable[[Peer, float], float]
    prepare: Callable[[Peer], None] | None = None
    group: str = ""  # workloads of one group share what `prepare` made
    aim: float | None = None
    lower_is_better: bool = False
    quick: bool = True  # part of `make bench`; the others only of `make bench-full`
    peers: tuple[str, ...] = ("tidewire", "postgres")


# --- pgbench -------------------------------------------------------------------------------------

_TPS = re.compile(r"tps = ([0-9.]+) \(without initial")
_FAILED = re.compile(r"number of failed transactions: (\d+)")


def _pgbench(peer: Peer, *arguments: str) -> str:
    program = pgbench_program()
    if program is None:
        raise RuntimeError("pgbench is not installed: it comes with PostgreSQL's client packages")
    done = subprocess.run(  # noqa: PLW1510 - the code is looked at below, with the message
        [program, *peer.pg_arguments, *arguments, peer.dbname],
        capture_output=True,
        text=True,
        env={**os.environ, "PGOPTIONS": ""},
    )
    if done.returncode != 0:
        raise RuntimeError(f"pgbench on {peer.name} failed: {done.stderr[-2000:]}")
    return done.stdout


def _initialise(scale: int) -> Callable[[Peer], None]:
    def prepare(peer: Peer) -> None:
        _pgbench(peer, "-i", "-q", "-s", str(scale))

    return prepare


def _check_pgbench_invariant(peer: Peer) -> None:
    """Accounts, tellers, branches and the history's deltas tell the same story."""
    with peer.connect() as conn:
        row = conn.execute(
            "SELECT (SELECT sum(abalance) FROM pgbench_accounts), (SELECT sum(tbalance) FROM pgbench_tellers), "
            "(SELECT sum(bbalance) FROM pgbench_branches), (SELECT coalesce(sum(delta), 0) FROM pgbench_history)"
        ).fetchone()
    assert row is not None
    if len(set(row)) != 1:
        raise AssertionError(f"{peer.name}: the sums disagree: {row}")


def pgbench_run(clients: int, mode: str, *script: str, check: bool = False) -> Callable[[Peer, float], float]:
    def run(peer: Peer, seconds: float) -> float:
        out = _pgbench(
            peer, "-n", "-M", mode, "-c", str(clients), "-j", "1", "-T", str(max(1, round(seconds))), *script
        )
        failed = _FAILED.search(out)
        if failed and int(failed.group(1)):
            raise AssertionError(f"{peer.name}: {failed.group(1)} transactions failed")
        if check:
            _check_pgbench_invariant(peer)
        found = _TPS.search(out)
        assert found is not None, out
        return float(found.group(1))

    return run


def _pgbench_workloads() -> list[Workload]:
    found = []
    for mode in ("simple", "extended", "prepared"):
        for clients in (1, 8, 32, 64):
            found.append(
                Workload(
                    f"pgbench -S {mode} c{clients}",
                    "tps",
                    pgbench_run(clients, mode, "-S"),
                    _initialise(10),
                    "pgbench-10",
                    1.0 if clients == 1 else 1.25,
                    quick=mode != "extended" and clients in (1, 8, 32),
                )
            )
    for clients in (1, 8, 32, 64):
        quick = clients in (8, 32)
        found.append(
            Workload(
                f"pgbench -N prepared c{clients}",
                "tps",
                pgbench_run(clients, "prepared", "-N"),
                _initialise(10),
                "pgbench-10n",
                1.5,
                quick=quick,
            )
        )
        found.append(
            Workload(
                f"pgbench TPC-B prepared c{clients}",
                "tps",
                pgbench_run(clients, "prepared", "-b", "tpcb-like", check=True),
                _initialise(10),
                "pgbench-10b",
                1.5,
                quick=quick,
            )
        )
    return found


# --- single statements ---------------------------------------------------------------------------


def _script(text: str) -> str:
    with tempfile.NamedTemporaryFile("w", suffix=".sql", prefix="tidewire-bench-", delete=False) as f:
        f.write(text)
    return f.name


def _prepare_insert(peer: Peer) -> None:
    with peer.connect() as conn:
        conn.execute("DROP TABLE IF EXISTS bench_insert")
        conn.execute("CREATE TABLE bench_insert (a int, b bigint, c text)")


def _insert(clients: int) -> Callable[[Peer, float], float]:
    script = (
        "\\set a random(1, 1000000)\nINSERT INTO bench_insert (a, b, c) VALUES (:a, 17, 'a few words');\n"
    )

    def run(peer: Peer, seconds: float) -> float:
        path = _script(script)
        try:
            return pgbench_run(clients, "prepared", "-f", path)(peer, seconds)
        finally:
            os.unlink(path)

    return run


def _prepare_hot(peer: Peer) -> None:
    with peer.connect() as conn:
        conn.execute("DROP TABLE IF EXISTS bench_hot")
        conn.execute("CREATE TABLE bench_hot (id int PRIMARY KEY, n bigint NOT NULL)")
        conn.execute("INSERT INTO bench_hot VALUES (1, 0)")


def _hot(clients: int) -> Callable[[Peer, float], float]:
    def run(peer: Peer, seconds: float) -> float:
        def count() -> int:
            with peer.connect() as conn:
                row = conn.execute("SELECT n FROM bench_hot WHERE id = 1").fetchone()
            assert row is not None
            return int(str(row[0]))

        path = _script("UPDATE bench_hot SET n = n + 1 WHERE id = 1;\n")
        before = count()
        try:
            out = _pgbench(
                peer,
                "-n",
                "-M",
                "prepared",
                "-c",
                str(clients),
                "-T",
                str(max(1, round(seconds))),
                "-f",
                path,
            )
        finally:
            os.unlink(path)
        done = re.search(r"number of transactions actually processed: (\d+)", out)
        assert done is not None
        if count() - before != int(done.group(1)):
            raise AssertionError(
                f"{peer.name}: {count() - before} increments for {done.group(1)} acknowledged"
            )
        found = _TPS.search(out)
        assert found is not None
        return float(found.group(1))

    return run


def _connections(peer: Peer, seconds: float) -> float:
    end = time.perf_counter() + seconds
    n = 0
    start = time.perf_counter()
    while time.perf_counter() < end:
        with psycopg.connect(peer.dsn, autocommit=True) as conn:
            row = conn.execute("SELECT 1").fetchone()
            assert row == (1,)
        n += 1
    return n / (time.perf_counter() - start)


# --- bulk ----------------------------------------------------------------------------------------


def _copy_data(rows: int) -> Path:
    path = Path(tempfile.gettempdir()) / f"tidewire-bench-copy-{rows}.tsv"
    if not path.exists():
        partial = path.with_suffix(".partial")
        with partial.open("w") as f:
            for i in range(rows):
                f.write(f"{i}\t{(i * 7919) % 100003}\tsome text {i % 1000}\t{i / 8}\n")
        partial.rename(path)
    return path


def _copy_in(rows: int, key: str) -> Callable[[Peer, float], float]:
    def run(peer: Peer, seconds: float) -> float:
        data = _copy_data(rows)
        with peer.connect() as conn:
            conn.execute("DROP TABLE IF EXISTS bench_copy")
            conn.execute(f"CREATE TABLE bench_copy (a bigint {key}, b int, c text, d double precision)")
            start = time.perf_counter()
            with conn.cursor().copy("COPY bench_copy FROM STDIN") as copy, data.open("rb") as f:
                while block := f.read(1 << 17):
                    copy.write(block)
            took = time.perf_counter() - start
            row = conn.execute("SELECT count(*), sum(a) FROM bench_copy").fetchone()
            assert row is not None and int(str(row[0])) == rows, (peer.name, row)
            assert int(str(row[1])) == rows * (rows - 1) // 2, (peer.name, row)
        return rows / took

    return run


def _prepare_copied(peer: Peer) -> None:
    _copy_in(1_000_000, "")(peer, 0)


def _copy_out(peer: Peer, seconds: float) -> float:
    """By psql: a client that spends as much on each row as the server would be measured instead of it."""
    with tempfile.NamedTemporaryFile() as sink:
        start = time.perf_counter()
        subprocess.run(
            ["psql", *peer.pg_arguments, "-qX", "-c", "COPY bench_copy TO STDOUT", peer.dbname],
            stdout=sink,
            check=True,
        )
        took = time.perf_counter() - start
        lines = Path(sink.name).read_bytes().count(b"\n")
    assert lines == 1_000_000, (peer.name, lines)
    return lines / took


def _drain(binary: bool) -> Callable[[Peer, float], float]:
    def run(peer: Peer, seconds: float) -> float:
        with peer.connect() as conn:
            start = time.perf_counter()
            result = conn.pgconn.exec_params(b"SELECT * FROM bench_copy", None, result_format=int(binary))
            took = time.perf_counter() - start
            assert result.ntuples == 1_000_000, (peer.name, result.ntuples, result.error_message)
        return 1_000_000 / took

    return run


def _aggregate(peer: Peer, seconds: float) -> float:
    with peer.connect() as conn:
        end = time.perf_counter() + seconds
        n = 0
        start = time.perf_counter()
        while time.perf_counter() < end:
            row = conn.execute("SELECT count(*), sum(b), max(d) FROM bench_copy WHERE b % 10 = 3").fetchone()
            assert row is not None and int(str(row[0])) > 0
            n += 1
        return n / (time.perf_counter() - start)


# --- restart -------------------------------------------------------------------------------------


RESTART_TABLES = 8


def _restart(rows: int, to: str) -> Callable[[Peer, float], float]:
    """Seconds from starting the process to its ready line, the first point read, or all tables counted."""
    each = rows // RESTART_TABLES

    def run(peer: Peer, seconds: float) -> float:
        assert peer.process is not None and peer.data_dir is not None
        with peer.connect() as conn:
            row = conn.execute("SELECT to_regclass('bench_restart_0') IS NULL").fetchone()
            if row is not None and row[0]:
                for i in range(RESTART_TABLES):
                    conn.execute(f"CREATE TABLE bench_restart_{i} (a bigint PRIMARY KEY, b int)")
                    conn.execute(
                        f"INSERT INTO bench_restart_{i} SELECT i, i % 1000 FROM generate_series(1, {each}) g(i)"
                    )
        stop(peer.process)
        start = time.perf_counter()
        peer.process = start_tidewire(peer.data_dir, peer.port)
        if to == "ready line":
            return time.perf_counter() - start
        last = RESTART_TABLES - 1
        with peer.connect() as conn:
            answer = conn.execute(f"SELECT b FROM bench_restart_{last} WHERE a = {each // 2}").fetchone()
            assert answer == (each // 2 % 1000,), answer
            if to == "first answer":
                return time.perf_counter() - start
            for i in range(RESTART_TABLES):
                counted = conn.execute(f"SELECT count(*) FROM bench_restart_{i}").fetchone()
                assert counted == (each,), (i, counted)
        return time.perf_counter() - start

    return run


def figures() -> list[Workload]:
    """Every workload, in the order in which they run."""
    found = _pgbench_workloads()
    for clients, aim in ((1, 1.0), (8, 1.0), (32, 1.5), (64, 2.0)):
        found.append(
            Workload(
                f"INSERT one row prepared c{clients}",
                "tps",
                _insert(clients),
                _prepare_insert,
                f"insert-{clients}",
                aim,
                quick=clients != 64,
            )
        )
    found.append(Workload("UPDATE one hot row c32", "tps", _hot(32), _prepare_hot, "hot", 3.0))
    found.append(Workload("new connection for each query", "per s", _connections, None, "", 5.0))
    found.append(Workload("COPY in, 1M rows, no key", "rows/s", _copy_in(1_000_000, ""), None, "", 3.0))
    found.append(
        Workload("COPY in, 1M rows, primary key", "rows/s", _copy_in(1_000_000, "PRIMARY KEY"), None, "", 2.0)
    )
    found.append(Workload("COPY out, 1M rows", "rows/s", _copy_out, _prepare_copied, "copied", 1.3))
    found.append(
        Workload("SELECT of 1M rows drained, text", "rows/s", _drain(False), _prepare_copied, "copied", 1.0)
    )
    found.append(
        Workload("SELECT of 1M rows drained, binary", "rows/s", _drain(True), _prepare_copied, "copied", 1.5)
    )
    found.append(Workload("aggregate over 1M rows", "per s", _aggregate, _prepare_copied, "copied", 10.0))
    for to in ("ready line", "first answer", "all tables counted"):
        found.append(
            Workload(
                f"restart with 10M rows in {RESTART_TABLES} tables, to the {to}",
                "s",
                _restart(10_000_000, to),
                lower_is_better=True,
                peers=("tidewire",),
            )
        )
    from bench import analytics, bulk, footprint, isolation  # they use this module's names

    return found + bulk.workloads() + analytics.workloads() + footprint.workloads() + isolation.workloads()


def chosen(patterns: list[str], full: bool) -> list[Workload]:
    """The workloads whose names match any pattern; without patterns all that are quick (or all)."""
    everything = figures()
    if patterns:
        return [w for w in everything if any(fnmatch.fnmatch(w.name, f"*{p}*") for p in patterns)]
    return [w for w in everything if full or w.quick]
