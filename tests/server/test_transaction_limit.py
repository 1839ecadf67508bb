"""`transaction_bytes_max`: a transaction that writes more is refused as a whole, whichever way the rows came."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from tests.server.process import ServerProcess

LIMIT_BYTES = 1 << 20
ROWS = 60_000
"""Of 16 bytes or more: about the limit. Twice as many are beyond it in any case, a tenth is not."""

Connection = psycopg.Connection[Any]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    limit = {"TIDEWIRE_TRANSACTION_BYTES_MAX": str(LIMIT_BYTES)}
    with ServerProcess(tmp_path_factory.mktemp("limit") / "data", environment=limit) as process:
        yield process
        assert process.unexpected() == []


def insert(connection: Connection, first: int, count: int) -> None:
    last = first + count - 1
    connection.execute(f"INSERT INTO t SELECT g, 'row ' || g FROM generate_series({first}, {last}) AS g")


def copy(connection: Connection, first: int, count: int) -> None:
    with connection.cursor().copy("COPY t FROM STDIN") as rows:
        for start in range(first, first + count, 1_000):
            rows.write("".join(f"{i}\trow {i}\n" for i in range(start, min(start + 1_000, first + count))))


def insert_in_steps(connection: Connection, first: int, count: int) -> None:
    step = 6_000
    for start in range(first, first + count, step):
        insert(connection, start, min(step, first + count - start))


def update(connection: Connection, first: int, count: int) -> None:
    """Of rows that are written in the same transaction, each half of the limit."""
    insert(connection, first, count // 3)
    for _ in range(3):
        connection.execute("UPDATE t SET v = v || '!'")


@pytest.mark.parametrize("write", [insert, copy, insert_in_steps, update])
def test_more_than_the_limit_is_refused_and_nothing_of_it_stays(
    server: ServerProcess, write: Callable[[Connection, int, int], None]
) -> None:
    with server.connect() as connection:
        connection.execute("DROP TABLE IF EXISTS t")
        connection.execute("CREATE TABLE t (id int PRIMARY KEY, v text)")
        with pytest.raises(psycopg.errors.ProgramLimitExceeded), connection.transaction():
            connection.execute("INSERT INTO t VALUES (0, 'small')")
            write(connection, 1, 2 * ROWS)
        assert connection.execute("SELECT count(*) FROM t").fetchone() == (0,)
        with connection.transaction():  # the next transaction begins at nothing
            write(connection, 1, ROWS // 10)
        row = connection.execute("SELECT count(*) FROM t").fetchone()
        assert row is not None and row[0] in (ROWS // 10, ROWS // 30)
