"""Clients that make a history: list appends and reads through SQL, over real connections.

A list is a column of a row of `lists (k int PRIMARY KEY, v text, w text)`: of n rows, list i is v of row i, and list n + i
is w of it. Appending is an UPDATE of that column, reading is a SELECT of it by key or, every so often, of the whole table,
so that both engines are witnesses, and so are neighbours in a row: who writes one must not bring back the other. A client's
transaction is one autocommit statement, or a block of a few operations at the level under test.
"""

from __future__ import annotations

import itertools
import random
import threading
import time
from dataclasses import dataclass, field

import psycopg
from psycopg import errors

from tests.histories.history import Append, History, Read, Txn

UNKNOWN = ("08007", "40003", "57P01", "57P02", "57P03", "08006", "08003", "08000")


@dataclass
class Plan:
    """What the clients do. `pause_s` between transactions keeps small machines honest."""

    dsns: list[str]
    level: str = "strict serializable"
    clients: int = 6
    keys: int = 4  # rows
    transactions: int = 60  # by each client
    seed: int = 0
    autocommit_share: float = 0.3
    whole_table_share: float = 0.1
    statement_timeout_s: float = 20.0
    tolerated: tuple[str, ...] = ()
    """SQLSTATEs of definite failures, beside those of contention, that the run is to bring about."""
    stop: threading.Event = field(default_factory=threading.Event)


def create(dsn: str, keys: int) -> None:
    with psycopg.connect(dsn, autocommit=True) as conn:
        conn.execute("DROP TABLE IF EXISTS lists")
        conn.execute("CREATE TABLE lists (k int PRIMARY KEY, v text NOT NULL, w text NOT NULL DEFAULT '')")
        for k in range(keys):
            conn.execute("INSERT INTO lists VALUES (%s, '')", (k,))


_APPEND = [f"UPDATE lists SET {c} = {c} || %s WHERE k = %s" for c in "vw"]
_READ = [f"SELECT {c} FROM lists WHERE k = %s" for c in "vw"]
_READ_ALL = [f"SELECT k, {c} FROM lists WHERE length({c}) >= 0" for c in "vw"]


def _list(text: str) -> tuple[int, ...]:
    return tuple(int(x) for x in text.split(",") if x)


class Client(threading.Thread):
    """One client: makes transactions until it has made enough, connecting again when cut off."""

    def __init__(
        self, number: int, plan: Plan, ids: itertools.count[int], values: itertools.count[int]
    ) -> None:
        super().__init__(daemon=True)
        self.plan, self.ids, self.values = plan, ids, values
        self.random = random.Random(plan.seed * 1000 + number)
        self.dsn = plan.dsns[number % len(plan.dsns)]
        self.txns: list[Txn] = []
        self.conn: psycopg.Connection[tuple[object, ...]] | None = None

    def run(self) -> None:
        for _ in range(self.plan.transactions):
            if self.plan.stop.is_set():
                break
            self.transaction()
        if self.conn is not None:
            self.conn.close()

    def connected(self) -> psycopg.Connection[tuple[object, ...]] | None:
        if self.conn is not None and not self.conn.closed:
            return self.conn
        try:
            self.conn = psycopg.connect(self.dsn, autocommit=True, connect_timeout=5)
            self.conn.execute(f"SET default_transaction_isolation = '{self.plan.level}'")
        except psycopg.Error:
            self.conn = None
            time.sleep(0.05)
        return self.conn

    def transaction(self) -> None:
        conn = self.connected()
        if conn is None:
            return
        alone = self.random.random() < self.plan.autocommit_share
        count = 1 if alone else self.random.randint(2, 4)
        txn = Txn(next(self.ids), [self.operation() for _ in range(count)])
        txn.began_s = time.monotonic()
        committing = alone
        try:
            if alone:
                self.perform(conn, txn.operations)
            else:
                conn.execute("BEGIN")
                self.perform(conn, txn.operations)
                committing = True
                conn.execute("COMMIT")
        except psycopg.Error as error:
            sqlstate = error.sqlstate
            txn.error = f"{sqlstate}: {error}"
            broken = conn.closed or sqlstate is None
            if sqlstate in UNKNOWN or broken:
                # Without its COMMIT being sent, a block cannot have happened.
                txn.outcome = "unknown" if committing else "fail"
                conn.close()
            else:
                txn.outcome = "fail"
                if sqlstate not in self.plan.tolerated and not isinstance(
                    error, errors.SerializationFailure | errors.DeadlockDetected | errors.LockNotAvailable
                ):
                    self.plan.stop.set()
                    txn.error = "unexpected " + txn.error
                try:
                    conn.execute("ROLLBACK")
                except psycopg.Error as refused:
                    if not conn.closed:  # whatever else is out of order, giving up is not
                        self.plan.stop.set()
                        txn.error = f"unexpected {refused.sqlstate} at ROLLBACK: {refused} after {txn.error}"
        txn.ended_s = time.monotonic()
        self.txns.append(txn)

    def operation(self) -> Append | Read:
        key = self.random.randrange(2 * self.plan.keys)
        return Append(key, next(self.values)) if self.random.random() < 0.5 else Read(key)

    def perform(self, conn: psycopg.Connection[tuple[object, ...]], operations: list[Append | Read]) -> None:
        for o in operations:
            second, k = divmod(o.key, self.plan.keys)
            if isinstance(o, Append):
                conn.execute(_APPEND[second], (f"{o.value},", k))
            elif self.random.random() < self.plan.whole_table_share:
                rows = dict(conn.execute(_READ_ALL[second]).fetchall())
                o.seen = _list(str(rows[k]))
            else:
                row = conn.execute(_READ[second], (k,)).fetchone()
                assert row is not None
                o.seen = _list(str(row[0]))


def record(plan: Plan) -> History:
    """Runs the clients to their end and adds a last transaction that reads every list."""
    ids, values = itertools.count(1), itertools.count(1)
    clients = [Client(i, plan, ids, values) for i in range(plan.clients)]
    for c in clients:
        c.start()
    for c in clients:
        c.join()
    txns = sorted((t for c in clients for t in c.txns), key=lambda t: t.began_s)
    unexpected = [t.error for t in txns if t.error.startswith("unexpected")]
    assert not unexpected, unexpected[:3]
    last = Txn(next(ids), [], began_s=time.monotonic())
    with psycopg.connect(plan.dsns[0], autocommit=True) as conn:
        for k, v, w in conn.execute("SELECT k, v, w FROM lists").fetchall():
            last.operations.append(Read(int(str(k)), _list(str(v))))
            last.operations.append(Read(int(str(k)) + plan.keys, _list(str(w))))
    last.ended_s = time.monotonic()
    return History([*txns, last])
