"""TPC-C's schema and transaction mix: a wholesaler's orders, over psycopg, with the specification's consistency checks.

    schema          nine tables, their rows at a number of warehouses
    transactions    New-Order 45 %, Payment 43 %, Order-Status, Delivery and Stock-Level 4 % each
    client          one process with some connections: runs the mix, tries again what is refused (40001, 40P01)
    checks          what must hold between the tables, whatever ran

No keying and no thinking times, so the figure (New-Orders a minute) is no tpmC of a published result. Each server at its
default isolation: read committed there, strict serializable here; and, to tell the price of that, both at the same level.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from bench.peers import Peer
from bench.tpcc import checks, schema
from bench.workload import NOTED, Workload, at_least

PROCESSES = 2
"""Client processes: one Python would be measured instead of the server."""


def _prepare(warehouses: int) -> Callable[[Peer], None]:
    def prepare(peer: Peer) -> None:
        with peer.connect() as conn:
            schema.load(conn, warehouses)
            checks.check(conn)

    return prepare


def _run(warehouses: int, clients: int, isolation: str = "") -> Callable[[Peer, float], float]:
    def run(peer: Peer, seconds: float) -> float:
        length = str(max(2.0, 3 * seconds))
        running = [
            subprocess.Popen(
                [
                    *(sys.executable, "-m", "bench.tpcc.client", peer.dsn, str(warehouses)),
                    *(str(clients // PROCESSES), length, str(number), isolation),
                ],
                stdout=subprocess.PIPE,
                text=True,
                cwd=Path(__file__).parents[2],
            )
            for number in range(PROCESSES)
        ]
        try:
            told = [p.communicate(timeout=float(length) + 600)[0] for p in running]
        finally:
            for p in running:
                p.kill()
        for p in running:
            assert p.returncode == 0, f"{peer.name}: a client failed (its message is above)"
        counts = [json.loads(t) for t in told]
        done = sum(sum(c["done"].values()) for c in counts)
        refused = sum(c["refused"] for c in counts)
        if refused > 0.005 * (done + refused):
            NOTED.lines.append(f"{peer.name}: {refused / (done + refused):.1%} tried again")
        with peer.connect() as conn:
            checks.check(conn)
        orders = sum(c["done"]["new_order"] for c in counts)
        return 60.0 * float(orders) / max(c["seconds"] for c in counts)

    return run


def workloads() -> list[Workload]:
    return [
        Workload(
            f"TPC-C, {warehouses} warehouse{'s' if warehouses > 1 else ''}, c{clients}"
            + (f", both {isolation}" if isolation else ""),
            "New-Orders/min",
            _run(warehouses, clients, isolation),
            _prepare(warehouses),
            f"tpcc-{warehouses}",
            () if isolation else at_least(1.0),
            quick=warehouses == 2 and not isolation,
            time_limit_s=1800,
        )
        for warehouses, clients, isolation in (
            (1, 8, ""),
            (2, 8, ""),
            (2, 8, "read committed"),
            (2, 8, "serializable"),
            (10, 16, ""),
        )
    ]
