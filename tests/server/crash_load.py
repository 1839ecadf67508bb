"""Work of every kind on a server that is about to die, and a ledger of what may be there afterwards.

history     list appends and reads by several clients (tests.histories), for the checker
ledger      tables made, filled and dropped; batches of rows inserted in bulk, deleted, rolled back: each is a
            *thing* with a set of states that it may be in. Before a statement is sent its outcome joins the set,
            after the answer the set is one state again. A lost answer leaves both.

thing           before       COMMIT sent       "COMMIT"      no answer
batch 7         {0}          {0, 5000}         {5000}        {0, 5000}
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import psycopg

from tests.histories.checker import check
from tests.histories.history import History
from tests.histories.workload import Plan, create, record
from tests.server.process import ServerProcess

KEYS = 3
BATCH_ROWS = 6_000
"""Enough to be staged as a part."""

SETUP = """
CREATE TABLE bulk (batch int, n int, PRIMARY KEY (batch, n));
CREATE TABLE numbers (n bigint PRIMARY KEY);
CREATE SEQUENCE numbered;
"""


def dsn(server: ServerProcess) -> str:
    return f"host={server.host} port={server.port} user=tidewire dbname=tidewire"


def prepare(server: ServerProcess) -> None:
    create(dsn(server), KEYS)
    with server.connect() as connection:
        connection.execute(SETUP)


@dataclass
class Ledger:
    """What may be there: states by thing."""

    batches: dict[int, set[int]] = field(default_factory=dict)
    """Rows of a batch."""
    tables: dict[str, set[int]] = field(default_factory=dict)
    """Rows of a table; -1: it does not exist."""
    numbers: list[int] = field(default_factory=list)
    """Values of the sequence that were seen."""

    @staticmethod
    @contextlib.contextmanager
    def change(states: set[int], after: int) -> Iterator[None]:
        """Around the statement that makes a thing so: an error that came back as an answer means that it did not."""
        before = set(states)
        states.add(after)
        try:
            yield
        except psycopg.OperationalError:
            raise  # no answer: either
        except psycopg.Error:
            states.clear()
            states.update(before)
            raise
        states.clear()
        states.add(after)


class Builder(threading.Thread):
    """One client that makes, fills, empties and drops, until its connection breaks or it is told to stop."""

    def __init__(self, server: ServerProcess, ledger: Ledger, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self.server, self.ledger, self.stop = server, ledger, stop
        self.failure: BaseException | None = None

    def run(self) -> None:
        try:
            with self.server.connect() as connection:
                round_number = 0
                while not self.stop.is_set():
                    round_number += 1
                    self.bulk(connection, round_number)
                    self.table(connection, round_number)
                    self.sequence(connection)
        except psycopg.OperationalError:
            return  # the server is gone, as it was to be
        except BaseException as error:  # noqa: BLE001 - told by the test's own thread
            self.failure = error

    def bulk(self, connection: psycopg.Connection[tuple[object, ...]], number: int) -> None:
        states = self.ledger.batches.setdefault(number, {0})
        connection.execute("BEGIN")
        connection.execute(
            "INSERT INTO bulk SELECT %s, g FROM generate_series(1, %s) AS g", (number, BATCH_ROWS)
        )
        if number % 4 == 3:
            connection.execute("ROLLBACK")
        else:
            with Ledger.change(states, BATCH_ROWS):
                connection.execute("COMMIT")
        if number > 2:
            old = self.ledger.batches[number - 2]
            with Ledger.change(old, 0):
                connection.execute("DELETE FROM bulk WHERE batch = %s", (number - 2,))

    def table(self, connection: psycopg.Connection[tuple[object, ...]], number: int) -> None:
        name, rows = f"made{number}", BATCH_ROWS if number % 2 else 3
        connection.execute("BEGIN")
        connection.execute(f"CREATE TABLE {name} (id int PRIMARY KEY)")
        connection.execute(f"INSERT INTO {name} SELECT g FROM generate_series(1, {rows}) AS g")
        with Ledger.change(self.ledger.tables.setdefault(name, {-1}), rows):
            connection.execute("COMMIT")
        connection.execute(f"ALTER TABLE {name} ADD COLUMN more int")
        if number > 1:
            old = f"made{number - 1}"
            with Ledger.change(self.ledger.tables[old], -1):
                connection.execute(f"DROP TABLE {old}")

    def sequence(self, connection: psycopg.Connection[tuple[object, ...]]) -> None:
        for _ in range(40):
            row = connection.execute("SELECT nextval('numbered')").fetchone()
            assert row is not None and isinstance(row[0], int)
            self.ledger.numbers.append(row[0])


@dataclass
class Evidence:
    """What was recorded while the server died, and by whom."""

    history: History
    ledger: Ledger


class Load:
    """Histories and a builder on one server, from `start` to `end`. In between the server may die and come back."""

    def __init__(self, server: ServerProcess, seed: int) -> None:
        self.server = server
        self.ledger = Ledger()
        self.plan = Plan([dsn(server)], clients=3, keys=KEYS, transactions=1_000_000, seed=seed)
        self.builder = Builder(server, self.ledger, self.plan.stop)
        self._history: History | None = None
        self._failure: BaseException | None = None
        self._recorder = threading.Thread(target=self._record, daemon=True)

    def _record(self) -> None:
        try:
            self._history = record(self.plan)
        except BaseException as error:  # noqa: BLE001 - told by the test's own thread
            self._failure = error

    def start(self) -> None:
        self._recorder.start()
        self.builder.start()

    def end(self) -> Evidence:
        """Stops the clients; the server must be there, for they read once more."""
        self.plan.stop.set()
        self.builder.join(600)
        self._recorder.join(600)
        assert self.builder.failure is None, self.builder.failure
        assert self._failure is None, self._failure
        assert self._history is not None, "the clients did not come to an end"
        return Evidence(self._history, self.ledger)


def check_evidence(server: ServerProcess, evidence: Evidence) -> None:
    """Acknowledged is there, failed left no trace, unknown is whole or not there; and nothing was seen that never was."""
    assert any(t.outcome == "ok" for t in evidence.history.txns), "nothing was done before it died"
    assert [str(a) for a in check(evidence.history)] == []
    ledger = evidence.ledger
    with server.connect() as connection:
        found = dict(connection.execute("SELECT batch, count(*) FROM bulk GROUP BY batch").fetchall())
        assert set(found) <= set(ledger.batches)
        for batch, states in ledger.batches.items():
            assert found.get(batch, 0) in states, f"batch {batch} has {found.get(batch, 0)} rows of {states}"
        names = {
            str(name)
            for (name,) in connection.execute("SELECT relname FROM pg_class WHERE relname ~ '^made[0-9]+$'")
        }
        assert names <= set(ledger.tables)
        for name, states in ledger.tables.items():
            rows = -1
            if name in names:
                row = connection.execute(f"SELECT count(*) FROM {name}").fetchone()
                assert row is not None
                rows = row[0]
            assert rows in states, f"{name} has {rows} rows of {states}"
        row = connection.execute("SELECT nextval('numbered')").fetchone()
        assert row is not None
        assert len(set(ledger.numbers)) == len(ledger.numbers), "a sequence gave a value twice"
        assert row[0] > max(ledger.numbers, default=0), "a sequence went back"
