"""COPY in a block is in a definition's way, as INSERT is, and queues behind one that is not over."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.server.process import ServerProcess

DEFINITIONS = (
    "ALTER TABLE t ADD COLUMN w int DEFAULT 5",
    "ALTER TABLE t ALTER v TYPE bigint",
    "TRUNCATE t",
)


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path / "data") as process, connected(process) as c:
        c.execute("CREATE TABLE t (id int PRIMARY KEY, v int)")
        c.execute("INSERT INTO t VALUES (1, 1)")
        yield process


def connected(server: ServerProcess, **options: Any) -> psycopg.Connection[Any]:
    where = f"postgresql://tidewire@{server.host}:{server.port}/tidewire"
    return psycopg.connect(where, **{"autocommit": True, **options})


def copied(connection: psycopg.Connection[Any], key: int) -> None:
    with connection.cursor().copy("COPY t (id, v) FROM STDIN") as copy:
        copy.write_row((key, key))


def wait_until_it_waits(server: ServerProcess, pid: int) -> None:
    with connected(server) as c:
        asked = "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = %s AND NOT granted)"
        while c.execute(asked, (pid,)).fetchone() != (True,):
            pass


@pytest.mark.parametrize("level", ["READ COMMITTED", "SERIALIZABLE"])
@pytest.mark.parametrize("definition", DEFINITIONS)
def test_a_definition_waits_for_a_block_that_has_copied(
    server: ServerProcess, definition: str, level: str
) -> None:
    with connected(server) as loader, connected(server) as definer:
        loader.execute(f"BEGIN ISOLATION LEVEL {level}".encode())
        copied(loader, 50)
        defining = threading.Thread(target=definer.execute, args=(definition.encode(),))
        defining.start()
        wait_until_it_waits(server, definer.info.backend_pid)
        assert loader.execute("SELECT count(*) FROM t").fetchone() == (2,)
        loader.execute("INSERT INTO t (id, v) VALUES (51, 51)")
        loader.execute("COMMIT")
        defining.join()
        left = 0 if definition.startswith("TRUNCATE") else 3
        assert loader.execute("SELECT count(*) FROM t").fetchone() == (left,)


@pytest.mark.parametrize("begins", [False, True], ids=["alone", "in a block"])
def test_copy_queues_behind_a_definition_that_is_not_over(server: ServerProcess, begins: bool) -> None:
    with connected(server) as loader, connected(server) as definer:
        definer.execute("BEGIN")
        definer.execute("ALTER TABLE t ADD COLUMN w int DEFAULT 5")
        if begins:
            loader.execute("BEGIN ISOLATION LEVEL READ COMMITTED")
        copying = threading.Thread(target=copied, args=(loader, 60))
        copying.start()
        wait_until_it_waits(server, loader.info.backend_pid)
        definer.execute("COMMIT")
        copying.join()
        if begins:
            loader.execute("COMMIT")
        assert loader.execute("SELECT id, v, w FROM t ORDER BY id").fetchall() == [(1, 1, 5), (60, 60, 5)]
