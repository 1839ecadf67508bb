"""Many clients in transactions at once: each hears its own answers, all of them, in their order, errors and notices among them."""

from __future__ import annotations

import threading

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


@pytest.mark.parametrize("pipelined", [False, True], ids=["one by one", "several at once"])
def test_each_client_hears_its_own_answers(server: ServerProcess, pipelined: bool) -> None:
    failures: list[BaseException] = []

    def work(n: int) -> None:
        try:
            _transactions(server, n, pipelined)
        except BaseException as error:
            failures.append(error)
            raise

    with server.connect() as first:
        first.execute("DROP TABLE IF EXISTS bundled")
        first.execute("CREATE TABLE bundled (id int PRIMARY KEY, v int)")
        first.execute("INSERT INTO bundled SELECT i, 0 FROM generate_series(0, %s) i", (CLIENTS - 1,))
    threads = [threading.Thread(target=work, args=(n,)) for n in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    with server.connect() as last:
        row = last.execute("SELECT array_agg(v ORDER BY id) FROM bundled").fetchone()
        assert row == ([TRANSACTIONS] * CLIENTS,)
        last.execute("DROP TABLE bundled")
