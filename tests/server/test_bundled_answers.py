"""Many clients in transactions at once: each hears its own answers, all of them, in their order, errors and notices among them."""

from __future__ import annotations

import threading
from collections.abc import Callable

import psycopg
import pytest

from tests.server.process import ServerProcess

CLIENTS, TRANSACTIONS = 6, 30
FIND = "SELECT v, %s::int FROM bundled WHERE id = %s"
COUNT = "UPDATE bundled SET v = v + 1 WHERE id = %s"
DIVIDE = "SELECT v / %s FROM bundled WHERE id = %s"


def _transactions(server: ServerProcess, n: int, pipelined: bool) -> None:
    noticed: list[str | None] = []
    with server.connect(prepare_threshold=0) as connection:
        connection.add_notice_handler(lambda notice: noticed.append(notice.message_primary))
        for i in range(TRANSACTIONS):
            with connection.transaction():
                if pipelined:
                    with connection.pipeline():
                        found = [connection.execute(FIND, (i, n)) for _ in range(3)]
                    assert [cursor.fetchone() for cursor in found] == [(i, i)] * 3
                assert connection.execute(FIND, (i, n)).fetchone() == (i, i)
                connection.execute(COUNT, (n,))
                if i % CLIENTS == n:
                    connection.execute("DROP TABLE IF EXISTS bundled_no_more")
                    assert len(noticed) == i // CLIENTS + 1
                    with pytest.raises(psycopg.errors.DivisionByZero), connection.transaction():
                        connection.execute(DIVIDE, (0, n))


def _run(work: Callable[[int], None]) -> None:
    failures: list[BaseException] = []

    def attempt(n: int) -> None:
        try:
            work(n)
        except BaseException as error:
            failures.append(error)
            raise

    threads = [threading.Thread(target=attempt, args=(n,)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures


@pytest.mark.parametrize("pipelined", [False, True], ids=["one by one", "several at once"])
def test_each_client_hears_its_own_answers(server: ServerProcess, pipelined: bool) -> None:
    with server.connect() as first:
        first.execute("DROP TABLE IF EXISTS bundled")
        first.execute("CREATE TABLE bundled (id int PRIMARY KEY, v int)")
        first.execute("INSERT INTO bundled SELECT i, 0 FROM generate_series(0, %s) i", (CLIENTS - 1,))
    _run(lambda n: _transactions(server, n, pipelined))
    with server.connect() as last:
        row = last.execute("SELECT array_agg(v ORDER BY id) FROM bundled").fetchone()
        assert row == ([TRANSACTIONS] * CLIENTS,)
        last.execute("DROP TABLE bundled")


@pytest.mark.parametrize("prepared", [False, True])
def test_reads_outside_of_transactions_are_whose_they_are(server: ServerProcess, prepared: bool) -> None:
    with server.connect() as first:
        first.execute("DROP TABLE IF EXISTS bundled_reads")
        first.execute("CREATE TABLE bundled_reads (id int PRIMARY KEY, v int)")
        first.execute("INSERT INTO bundled_reads SELECT i, i FROM generate_series(1, 1000) i")
    keys = list(range(1, 990, 12))
    query = f"SELECT sum(v), %s::int FROM bundled_reads WHERE id IN ({', '.join(['%s'] * len(keys))})"

    def work(n: int) -> None:
        with server.connect(prepare_threshold=0 if prepared else None) as connection:
            for i in range(TRANSACTIONS):
                row = connection.execute(
                    query.encode(), (n * TRANSACTIONS + i, *(key + n for key in keys))
                ).fetchone()
                assert row == (sum(keys) + n * len(keys), n * TRANSACTIONS + i)

    _run(work)
    with server.connect() as last:
        last.execute("DROP TABLE bundled_reads")
