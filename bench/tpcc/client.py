"""One client process: runs the mix, prints what was done as JSON.

python -m bench.tpcc.client DSN WAREHOUSES CONNECTIONS SECONDS NUMBER ISOLATION       (empty: the server's default)
"""

from __future__ import annotations

import json
import random
import sys
import threading
import time
from collections import Counter

import psycopg

from bench.tpcc.transactions import MIX, Connection, UnusedItem, Work

TRIES_MAX = 1_000


class Terminals:
    """Some connections, each in a thread with random choices of its own."""

    def __init__(self, dsn: str, warehouses: int, seconds: float, number: int, isolation: str) -> None:
        self.dsn, self.warehouses, self.number = dsn, warehouses, number
        self.seconds, self.isolation = seconds, isolation
        self.done: Counter[str] = Counter(new_order=0)
        self.refused = 0
        self.failures: list[BaseException] = []

    def run(self, connections: int) -> dict[str, object]:
        start_s = time.perf_counter()
        self.end_s = start_s + self.seconds
        threads = [threading.Thread(target=self._terminal, args=(i,)) for i in range(connections)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if self.failures:
            raise self.failures[0]
        return {
            "done": dict(self.done),
            "refused": self.refused,
            "seconds": time.perf_counter() - start_s,
        }

    def _terminal(self, place: int) -> None:
        try:
            seed = 1_000 * self.number + place
            rng, home = random.Random(seed), (self.number + 2 * place) % self.warehouses + 1
            works = list(MIX)
            weights = list(MIX.values())
            with psycopg.connect(self.dsn, autocommit=True) as conn:
                if self.isolation:
                    conn.execute(f"SET default_transaction_isolation = '{self.isolation}'")
                while time.perf_counter() < self.end_s and not self.failures:
                    (work,) = rng.choices(works, weights)
                    self._once(conn, work, rng.getrandbits(32), home)
                    self.done[work.__name__] += 1
        except BaseException as error:  # noqa: BLE001 - raised again by whoever waits
            self.failures.append(error)

    def _once(self, conn: Connection, work: Work, seed: int, home: int) -> None:
        """The same choices at every try."""
        for _ in range(TRIES_MAX):
            try:
                with conn.transaction():
                    work(conn, random.Random(seed), home, self.warehouses)
                return
            except UnusedItem:
                return
            except (psycopg.errors.SerializationFailure, psycopg.errors.DeadlockDetected):
                self.refused += 1
        raise RuntimeError(f"{work.__name__} was refused {TRIES_MAX} times")


def main() -> None:
    dsn, warehouses, connections, seconds, number, isolation = sys.argv[1:]
    terminals = Terminals(dsn, int(warehouses), float(seconds), int(number), isolation)
    print(json.dumps(terminals.run(int(connections))))


if __name__ == "__main__":
    main()
