"""pgbench: PostgreSQL's own benchmark, its three built-in scripts, and scripts of ours run by it.

    -S      one SELECT by primary key              scale 10 (1M rows) and 100 (10M), keys uniformly random
    -N      a transaction of five statements       without the contended tables
    TPC-B   the same with them                     scale 10, and 1 where all fight over one row

Both servers get the transactions as they are, never again: what fails is counted, and more than one in a hundred
fails the workload. After a writing script the sums of the four tables must agree.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Callable

from bench.peers import Peer, pgbench_program
from bench.workload import NOTED, Workload, at_least

CLIENTS = (1, 8, 32, 64)
FAILED_MAX = 0.01
HANG_S = 600
"""A run that outlives its time by so much has hung."""

_TPS = re.compile(r"tps = ([0-9.]+) \(without initial")
_FAILED = re.compile(r"number of failed transactions: (\d+)")
_DONE = re.compile(r"number of transactions actually processed: (\d+)")


def pgbench(peer: Peer, *arguments: str, timeout_s: float = HANG_S) -> str:
    """Runs the program against a peer; what it printed. Raises RuntimeError."""
    program = pgbench_program()
    if program is None:
        raise RuntimeError("pgbench is not installed: it comes with PostgreSQL's client packages")
    done = subprocess.run(
        [program, *peer.pg_arguments, *arguments, peer.dbname],
        capture_output=True,
        text=True,
        env={**os.environ, "PGOPTIONS": ""},
        timeout=timeout_s,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"pgbench on {peer.name} failed: {done.stderr[-2000:]}")
    return done.stdout


def initialised(scale: int) -> Callable[[Peer], None]:
    """Makes the four tables as pgbench makes them."""

    def prepare(peer: Peer) -> None:
        pgbench(peer, "-i", "-q", "-s", str(scale), timeout_s=HANG_S + 10 * scale)

    return prepare


def transactions(out: str) -> tuple[float, int, int]:
    """(transactions per second, done, failed), from what pgbench printed."""
    tps, done, failed = _TPS.search(out), _DONE.search(out), _FAILED.search(out)
    assert tps is not None and done is not None, out
    return float(tps.group(1)), int(done.group(1)), int(failed.group(1)) if failed else 0


def _check_sums(peer: Peer) -> None:
    """Accounts, tellers, branches and the history's deltas tell the same story."""
    with peer.connect() as conn:
        row = conn.execute(
            "SELECT (SELECT sum(abalance) FROM pgbench_accounts), (SELECT sum(tbalance) FROM pgbench_tellers), "
            "(SELECT sum(bbalance) FROM pgbench_branches), (SELECT coalesce(sum(delta), 0) FROM pgbench_history)"
        ).fetchone()
    assert row is not None
    if len(set(row)) != 1:
        raise AssertionError(f"{peer.name}: the sums disagree: {row}")


def run_of(clients: int, mode: str, *script: str, check: bool = False) -> Callable[[Peer, float], float]:
    """Transactions per second of so many clients."""

    def run(peer: Peer, seconds: float) -> float:
        length = str(max(1, round(seconds)))
        out = pgbench(peer, "-n", "-M", mode, "-c", str(clients), "-j", "1", "-T", length, *script)
        tps, done, failed = transactions(out)
        if failed:
            share = failed / max(1, done + failed)
            NOTED.lines.append(f"{peer.name}: {share:.2%} failed")
            if share > FAILED_MAX:
                raise AssertionError(f"{peer.name}: {failed} of {done + failed} transactions failed")
        if check:
            _check_sums(peer)
        return tps

    return run


def script_run(clients: int, text: str, mode: str = "prepared") -> Callable[[Peer, float], float]:
    """The same of a script of ours."""

    def run(peer: Peer, seconds: float) -> float:
        with tempfile.NamedTemporaryFile("w", suffix=".sql", prefix="tidewire-bench-") as file:
            file.write(text)
            file.flush()
            return run_of(clients, mode, "-f", file.name)(peer, seconds)

    return run


def workloads() -> list[Workload]:
    return _reads() + _writes()


def _reads() -> list[Workload]:
    ten = initialised(10)
    return [
        Workload(
            f"pgbench -S {mode} c{clients}",
            "tps",
            run_of(clients, mode, "-S"),
            ten,
            "pgbench-10",
            at_least(1.0 if clients == 1 else 1.25),
            quick=clients == 8 or (clients in (1, 32) and mode != "extended"),
        )
        for mode in ("simple", "extended", "prepared")
        for clients in CLIENTS
    ]


def _writes() -> list[Workload]:
    found = []
    for name, script, check in (("-N", ("-N",), False), ("TPC-B", ("-b", "tpcb-like"), True)):
        for clients in CLIENTS:
            found.append(
                Workload(
                    f"pgbench {name} prepared c{clients}",
                    "tps",
                    run_of(clients, "prepared", *script, check=check),
                    initialised(10),
                    f"pgbench-10 {name}",
                    at_least(1.5),
                    quick=clients in (8, 32),
                )
            )
    found.append(
        Workload(
            "pgbench TPC-B prepared c32, one branch",
            "tps",
            run_of(32, "prepared", "-b", "tpcb-like", check=True),
            initialised(1),
            "pgbench-1",
            at_least(1.5),
        )
    )
    return found


def large() -> list[Workload]:
    """Scale 100: ten million accounts, more than anybody keeps as Python objects."""
    return [
        Workload(
            f"pgbench -S {mode} c{clients}, scale 100",
            "tps",
            run_of(clients, mode, "-S"),
            initialised(100),
            "pgbench-100",
            at_least(1.0 if clients == 1 else 1.25),
            quick=False,
        )
        for mode, clients in (*(("prepared", c) for c in CLIENTS), ("simple", 8), ("extended", 8))
    ]
