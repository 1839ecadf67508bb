"""Random transactions of several clients that ask indexes, and a judge: is there an order of those that committed which explains what each saw?

There is one that must do, by the way that commits are admitted: the order of the commits, of those that wrote nothing that of their
snapshots. So they are played again in that order, one after the other, on a copy of the tables, and each has to see the same.

    a  BEGIN  SELECT ... WHERE k = 3   |                        | UPDATE ... WHERE id = 7   COMMIT
    b         BEGIN                    | INSERT ... (k = 3)     | COMMIT
                                         again: b, a            a sees the row with k = 3, and has not: refuted
"""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Sequence
from typing import Any

from tests.executor.sql import Client, Failed

SCHEMA = (
    "CREATE TABLE {x}s (id int PRIMARY KEY, g int, name text)",
    "CREATE INDEX ON {x}s (g)",
    "CREATE TABLE {x}t (id int PRIMARY KEY, k int, p int NOT NULL, v int NOT NULL, w text, done boolean NOT NULL, u int UNIQUE)",
    "CREATE INDEX ON {x}t (k, p)",
    "CREATE INDEX ON {x}t (p)",
    "CREATE INDEX ON {x}t (v) WHERE NOT done",
    "CREATE INDEX ON {x}t (lower(w))",
    "INSERT INTO {x}s SELECT i, i % 3, 'n' || i FROM generate_series(0, 7) i",
    "INSERT INTO {x}t SELECT i, nullif(i % 6, 5), i % 4, i % 5, 'W' || i % 4, i % 3 = 0, 1000 + i FROM generate_series(0, 29) i",
)
READS = (
    "SELECT id, v FROM {x}t WHERE k = {a} ORDER BY id",
    "SELECT count(*), sum(v) FROM {x}t WHERE k = {a}",
    "SELECT id FROM {x}t WHERE k = {a} AND p = {b} ORDER BY id",
    "SELECT id, p FROM {x}t WHERE k = {a} AND p BETWEEN 1 AND {b} ORDER BY id",
    "SELECT id, v FROM {x}t WHERE k IN ({a}, {b}) ORDER BY id",
    "SELECT id FROM {x}t WHERE p = ANY (ARRAY[{a}, {b}]) AND v > 2 ORDER BY id",
    "SELECT id, p FROM {x}t WHERE k = {a} ORDER BY p, id LIMIT 2",
    "SELECT id, p FROM {x}t WHERE k = {a} ORDER BY p DESC, id DESC LIMIT 2",
    "SELECT id, p FROM {x}t WHERE p >= {a} ORDER BY p, id LIMIT 3",
    "SELECT id FROM {x}t WHERE k IS NULL ORDER BY id",
    "SELECT id, k FROM {x}t WHERE v = {a} AND NOT done ORDER BY id",
    "SELECT id FROM {x}t WHERE lower(w) = 'w{a}' ORDER BY id",
    "SELECT id, v FROM {x}t WHERE u = {key}",
    "SELECT id, v FROM {x}t WHERE id = {id}",
    "SELECT id, v FROM {x}t WHERE id BETWEEN {id} AND {id} + 3 ORDER BY id",
    "SELECT s.id, t.id, t.v FROM {x}s s JOIN {x}t t ON t.k = s.id WHERE s.g = {a} ORDER BY s.id, t.id",
    "SELECT s.id, (SELECT count(*) FROM {x}t t WHERE t.k = s.id) FROM {x}s s WHERE s.id = {a}",
    "SELECT id FROM {x}s s WHERE s.g = {a} AND NOT EXISTS (SELECT 1 FROM {x}t t WHERE t.k = s.id AND t.v > {b}) ORDER BY id",
    "SELECT count(*) FROM {x}t WHERE v % 2 = {b} % 2",
    "SELECT id, v FROM {x}t WHERE k = {a} ORDER BY p, id LIMIT 1 FOR UPDATE",
    "SELECT id FROM {x}t WHERE k = {a} AND v > {b} ORDER BY id FOR UPDATE",
)
WRITES = (
    "INSERT INTO {x}t VALUES ({new}, {a}, {b}, {b}, 'W{a}', false, {new} + 1000)",
    "INSERT INTO {x}t SELECT {new}, t.k, t.p + 1, t.v, t.w, true, NULL FROM {x}t t WHERE t.k = {a} ORDER BY t.p, t.id LIMIT 1",
    "UPDATE {x}t SET k = {b} WHERE id = {id} RETURNING v",
    "UPDATE {x}t SET k = NULL WHERE k = {a} AND p = {b} RETURNING id",
    "UPDATE {x}t SET v = v + 1 WHERE k = {a} RETURNING id, v",
    "UPDATE {x}t SET v = v + 1 WHERE id = {id} RETURNING v",
    "UPDATE {x}t SET w = 'W{b}' WHERE id = {id}",
    "UPDATE {x}t SET done = NOT done WHERE id = {id}",
    "UPDATE {x}t SET p = {a} WHERE p = {b} AND v = {a} RETURNING id",
    "UPDATE {x}t SET u = {key} + 500 WHERE u = {key}",
    "UPDATE {x}t t SET v = t.v + s.g FROM {x}s s WHERE t.k = s.id AND s.id = {a} RETURNING t.id, t.v",
    "UPDATE {x}t SET v = 0 WHERE id IN (SELECT id FROM {x}t WHERE k = {a} ORDER BY p, id LIMIT 1 FOR UPDATE) RETURNING id",
    "UPDATE {x}s SET g = {b} % 3 WHERE id = {a}",
    "DELETE FROM {x}t WHERE k = {a} AND p = {b} RETURNING id",
    "DELETE FROM {x}t WHERE id = {id}",
    "WITH gone AS (DELETE FROM {x}t WHERE id = {id} RETURNING k) UPDATE {x}s SET g = 1 FROM gone WHERE {x}s.id = gone.k",
    "UPDATE {x}t SET k = {b} WHERE lower(w) = 'w{a}' AND v = {b}",
)
SAVED = "SAVEPOINT a"
BACK = "ROLLBACK TO a"
_WAIT_S = 0.02


class Transaction:
    """What one client does, and what it saw."""

    def __init__(self, statements: Sequence[str]) -> None:
        self.statements = statements
        self.seen: list[Any] = []
        self.place: tuple[int, int] | None = None
        """Its place in the order; None: it has come to nothing."""


def made(rng: random.Random, new: int) -> list[str]:
    """The statements of a transaction. `new`: a key that nobody else brings."""
    out: list[str] = []
    for n in range(rng.randrange(1, 6)):
        text = rng.choice(READS if rng.random() < 0.6 else WRITES)
        a, b, id = rng.randrange(5), rng.randrange(5), rng.randrange(30)
        out.append(text.format(x="{x}", a=a, b=b, id=id, key=1000 + id, new=new + n))
    if rng.random() < 0.15 and len(out) > 1:
        out[1:1] = [SAVED]
        out.append(BACK)
        out.append(rng.choice(READS).format(x="{x}", a=1, b=2, id=3, key=1003, new=new))
    return out


async def filled(client: Client, prefix: str) -> None:
    for text in SCHEMA:
        await client.query(text.format(x=prefix))


def sorted_where_unordered(text: str, rows: Any) -> Any:
    return rows if "ORDER BY" in text and "RETURNING" not in text else sorted(rows, key=repr)


class Played:
    """Transactions of several clients side by side, step by step as `rng` says."""

    def __init__(self, clients: Sequence[Client], rng: random.Random, level: str) -> None:
        self.clients, self.rng, self.level = clients, rng, level
        self.committed: list[Transaction] = []
        self.refused = 0
        self._ends = 0
        self._new = 10_000

    async def run(self, transactions_max: int) -> None:
        left = transactions_max
        turns: list[asyncio.Event] = [asyncio.Event() for _ in self.clients]

        async def one(n: int, client: Client) -> None:
            nonlocal left
            while left > 0:
                left -= 1
                self._new += 20
                await self._play(client, Transaction(made(self.rng, self._new)), turns[n])

        tasks = [asyncio.ensure_future(one(n, c)) for n, c in enumerate(self.clients)]
        while not all(t.done() for t in tasks):
            n = self.rng.randrange(len(tasks))
            turns[n].set()
            for _ in range(self.rng.randrange(1, 30)):
                await asyncio.sleep(0)
            if self.rng.random() < 0.02:
                await asyncio.sleep(_WAIT_S)
        await asyncio.gather(*tasks)

    async def _play(self, client: Client, txn: Transaction, turn: asyncio.Event) -> None:
        try:
            await client.query(f"BEGIN ISOLATION LEVEL {self.level}")
            for text in txn.statements:
                await turn.wait()
                turn.clear()
                answer = await client.query(text.format(x=""))
                txn.seen.append(sorted_where_unordered(text, answer[-1][1]))
            await turn.wait()
            turn.clear()
            block = client.session.block
            await client.query("COMMIT")
            assert block is not None
            self._ends += 1
            wrote = block.txn is not None and block.txn.commit_ts is not None and bool(block.commit_ts)
            ts = block.commit_ts if wrote else (block.txn.read_ts if block.txn is not None else 0)
            # What only read at a timestamp comes after what was written then, and members of one group as they were admitted.
            txn.place = (2 * ts if wrote else 2 * ts + 1), self._ends
            self.committed.append(txn)
        except Failed as failed:
            assert failed.sqlstate in ("40001", "40P01", "23505", "25P02"), failed
            self.refused += failed.sqlstate == "40001"
            with contextlib.suppress(Failed):
                await client.query("ROLLBACK")


async def judge(client: Client, played: Played, prefix: str) -> list[str]:
    """What the serial order does not explain."""
    wrong: list[str] = []
    for txn in sorted(played.committed, key=lambda t: t.place or (0, 0)):
        await client.query("BEGIN")
        for text, seen in zip(txn.statements, txn.seen, strict=True):
            answer = await client.query(text.format(x=prefix))
            now = sorted_where_unordered(text, answer[-1][1])
            if now != seen:
                wrong.append(
                    f"{txn.place}: {text.format(x='')}: saw {seen}, and {now} in the order of commits; all: {txn.statements}"
                )
        await client.query("COMMIT")
    for table in ("s", "t"):
        both = [await client.rows(f"SELECT * FROM {x}{table} ORDER BY id") for x in ("", prefix)]
        if both[0] != both[1]:
            wrong.append(f"the rows of {table} differ")
    return wrong
