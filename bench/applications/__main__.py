"""`python -m bench.applications [PATTERN ...]`: asks both servers, prints CPU of each by the statement, the greatest ratio first.

--dsn NAME=DSN   a server that runs already and may keep its tables (name: tidewire, postgres); both, to ask again and again
--rounds N       how often each statement is asked while it is counted

CPU, because a machine may be shared: of all threads of Tidewire's process, of PostgreSQL's backend (without workers in
parallel, and without what writes its log). The first execution stands beside it: what is planned then, and never again.
"""

from __future__ import annotations

import argparse
import contextlib
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from random import Random

import psycopg

from bench.applications.schema import load
from bench.applications.statements import STATEMENTS, Ask
from bench.peers import postgres_peer, process_tree, tidewire_peer

WARM_UP = 12
"""Executions before the count: drivers prepare at the fifth, PostgreSQL looks for a plan for all values until then."""


def _cpu_ns(pid: int) -> int:
    """Nanoseconds on a processor so far, of a process, its threads (those that have ended too) and the processes below it."""
    return sum(
        time.clock_gettime_ns(~one << 3 | 2) for one in process_tree(pid)
    )  # the clock of a process: CPUCLOCK_SCHED


@dataclass
class Side:
    """One server: a connection for each way of sending values, and whose CPU counts."""

    name: str
    prepared: psycopg.Connection
    text: psycopg.ClientCursor[tuple[object, ...]]
    cpu: Callable[[], int]

    @classmethod
    def of(cls, name: str, dsn: str, pid: int | None) -> Side:
        prepared, text = (psycopg.connect(dsn, autocommit=True, options="-c timezone=UTC") for _ in range(2))
        if name == "postgres":
            for conn in (prepared, text):
                conn.execute("SET max_parallel_workers_per_gather = 0")
            pids = [c.info.backend_pid for c in (prepared, text)]
        else:
            pids = [pid if pid is not None else _listener(prepared.info.port)]
        return cls(name, prepared, psycopg.ClientCursor(text), lambda: sum(map(_cpu_ns, pids)))

    def ask(self, ask: Ask, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        if ask.text:
            cursor: psycopg.Cursor[tuple[object, ...]] = self.text.execute(ask.sql, values)
        else:
            cursor = self.prepared.execute(ask.sql, values)
        return cursor.fetchall() if cursor.description else []

    def count(self, ask: Ask, rounds: int) -> tuple[float, float, list[tuple[object, ...]]]:
        """Milliseconds of the first execution and of a later one, and the rows of the last."""
        random, rows = Random(1), []
        before = self.cpu()
        self.ask(ask, ask.values(random))
        first = self.cpu() - before
        for _ in range(WARM_UP):
            self.ask(ask, ask.values(random))
        taken = []
        for _ in range(3):  # what the server does beside it is not to count: the least of three
            before = self.cpu()
            for _ in range(rounds):
                rows = self.ask(ask, ask.values(random))
            taken.append((self.cpu() - before) / rounds)
        return first / 1e6, min(taken) / 1e6, rows


def _listener(port: int) -> int:
    """The process that listens at a port of this machine, by the sockets it has open."""
    inodes = {
        f"socket:[{fields[9]}]"
        for line in Path("/proc/net/tcp").read_text().splitlines()[1:]
        if (fields := line.split())[3] == "0A" and int(fields[1].rpartition(":")[2], 16) == port
    }
    for fd in Path("/proc").glob("[0-9]*/fd/*"):
        with contextlib.suppress(OSError):
            if str(fd.readlink()) in inodes:
                return int(fd.parts[2])
    raise SystemExit(f"nobody listens at {port}")


def main() -> None:
    arguments = argparse.ArgumentParser(
        prog="bench.applications", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    arguments.add_argument("patterns", nargs="*")
    arguments.add_argument("--dsn", action="append", default=[])
    arguments.add_argument("--rounds", type=int, default=30)
    options = arguments.parse_args()
    with contextlib.ExitStack() as stack:
        sides = []
        for name, start in (("tidewire", tidewire_peer), ("postgres", postgres_peer)):
            dsn, pid = dict(d.split("=", 1) for d in options.dsn).get(name, ""), None
            if not dsn:
                peer = stack.enter_context(start())
                dsn, pid = peer.dsn, peer.process.pid if peer.process is not None else None
            load(dsn)
            sides.append(Side.of(name, dsn, pid))
        _tell(
            sides,
            [a for a in STATEMENTS if not options.patterns or any(p in a.name for p in options.patterns)],
            options.rounds,
        )


def _tell(sides: list[Side], asks: list[Ask], rounds: int) -> None:
    found = []
    for ask in asks:
        counted = []
        for side in sides:
            try:
                counted.append(side.count(ask, rounds))
            except psycopg.Error as error:
                print(f"{side.name}: {ask.name}: {error}")
        if len(counted) == 2:
            (f0, t0, r0), (f1, t1, r1) = counted
            found.append((t0 / t1, f"{t0:9.3f} {t1:9.3f} {t0 / t1:7.1f} {f0:9.2f} {f1:9.2f}  {ask.name}"))
            if len(r0) != len(r1):
                print(f"{ask.name}: {len(r0)} rows and {len(r1)}")
            print(found[-1][1], flush=True)
    print(f"{'tidewire':>9} {'postgres':>9} {'ratio':>7} {'first':>9} {'first':>9}  ms of CPU")
    print("\n".join(line for _, line in sorted(found, reverse=True)))
    print(
        f"{statistics.geometric_mean(r for r, _ in found):.2f} times PostgreSQL's CPU, geometric mean of {len(found)}"
    )


main()
