"""Numbers of transactions, and who is told that they are over: outboxes that are read in the order of numbers miss nobody.

    writers   BEGIN; INSERT (its number); ... COMMIT      in any order
    reader    WHERE sent_by >= bookmark AND sent_by < pg_snapshot_xmin(pg_current_snapshot()), bookmark moved behind

A row whose number is below the snapshot's xmin is visible, or never will be: nothing may turn up behind the bookmark.
What one session sees of itself is compared with PostgreSQL in `tests/clients/alike/numbers_of_transactions_and_abbreviations.sql`.
"""

from __future__ import annotations

import random
import threading
from typing import Any

import psycopg
import pytest

from executor.session.blocks.transaction_numbers import ENDED_MAX, TransactionNumbers
from planner.abc import SqlError
from tests.server.process import ServerProcess

WRITERS, ROWS = 4, 60
OUTBOX = "CREATE TABLE outbox (id int PRIMARY KEY, sent_by xid8 NOT NULL DEFAULT pg_current_xact_id())"
TAKE = """
WITH s AS MATERIALIZED (SELECT pg_snapshot_xmin(pg_current_snapshot()) AS xmin)
SELECT (SELECT xmin::text FROM s), array(SELECT id FROM outbox, s WHERE sent_by >= %s::xid8 AND sent_by < s.xmin)
"""


def _write(server: ServerProcess, name: str, number: int) -> None:
    chance = random.Random(number)
    with server.connect(dbname=name) as c:
        for i in range(ROWS):
            row = number * ROWS + i
            if chance.random() < 0.4:
                c.execute("INSERT INTO outbox (id) VALUES (%s)", [row])
                continue
            c.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
            c.execute("INSERT INTO outbox (id) VALUES (%s)", [row])
            for _ in range(chance.randrange(4)):
                c.execute("SELECT count(*) FROM outbox")
            c.execute("COMMIT" if chance.random() < 0.8 else "ROLLBACK")


@pytest.mark.parametrize("level", ["READ COMMITTED", "REPEATABLE READ"])
def test_an_outbox_read_by_numbers_misses_nobody(server: ServerProcess, level: str) -> None:
    name = f"outbox_{level.split()[0].lower()}"
    with server.connect() as admin:
        admin.execute(f"CREATE DATABASE {name}".encode())
    with server.connect(dbname=name) as reader:
        reader.execute(OUTBOX)
        writers = [threading.Thread(target=_write, args=(server, name, i)) for i in range(WRITERS)]
        for w in writers:
            w.start()
        taken: list[int] = []
        bookmark, last = "0", False
        while True:
            last = not any(w.is_alive() for w in writers)
            reader.execute(f"BEGIN ISOLATION LEVEL {level}".encode())
            row = reader.execute(TAKE, [bookmark]).fetchone()
            reader.execute("COMMIT")
            assert row is not None
            bookmark = row[0]
            taken += row[1]
            if last:
                break
        rows = [r[0] for r in reader.execute("SELECT id FROM outbox")]
        assert sorted(taken) == sorted(rows)


def test_what_others_are_told_of_a_transaction(server: ServerProcess) -> None:
    with server.connect() as one, server.connect() as two:

        def told(c: psycopg.Connection[Any], number: str) -> tuple[Any, ...]:
            row = c.execute(
                "SELECT pg_xact_status(%s::xid8), pg_visible_in_snapshot(%s::xid8, pg_current_snapshot())",
                [number, number],
            ).fetchone()
            assert row is not None
            return row

        ends = {"COMMIT": "committed", "ROLLBACK": "aborted"}
        for end, status in ends.items():
            two.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            two.execute("SELECT count(*) FROM pg_class")
            one.execute("BEGIN")
            row = one.execute("SELECT pg_current_xact_id()::text").fetchone()
            assert row is not None
            assert told(one, row[0]) == ("in progress", False)
            one.execute("CREATE TEMP TABLE IF NOT EXISTS t AS SELECT 1")
            with server.connect() as three:
                assert told(three, row[0]) == ("in progress", False)
                one.execute(end.encode())
                assert told(three, row[0]) == (status, True)
            if end == "COMMIT":  # the snapshot of one who began before sees nothing of it
                assert told(two, row[0]) == (status, False)
            two.execute("COMMIT")
            assert told(two, row[0]) == (status, True)


def test_numbers_grow_and_old_ones_are_forgotten() -> None:
    clock = 1_000_000
    numbers = TransactionNumbers(lambda: clock)
    first = numbers.begin(1)
    assert numbers.begin(1) > first  # in the same microsecond
    numbers.end(first, 10)
    assert numbers.status(first) == "committed"
    for i in range(ENDED_MAX):
        numbers.end(numbers.begin(2), 11 + i)
    assert numbers.status(first) is None
    with pytest.raises(SqlError, match="snapshot too old"):
        numbers.snapshot(9)
    low, _, _ = numbers.snapshot(10**9).split(":")
    assert int(low) == first + 1  # the other of the beginning is still in progress
