"""Sessions of SQL on both servers; see `tests.differential.sessions`."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.differential import writes
from tests.differential.parts import statements
from tests.differential.sessions import Answer, answer, differences, shown
from tests.server.process import ServerProcess

pytestmark = pytest.mark.postgres
LAZY = ("CASE", "array_length(", "coalesce(", "nullif(", ":array", ":cardinality", ":length", ":NULL")
"""Where constants are folded, an error may come from what PostgreSQL does not compute, or the other way round."""
FOLDER = Path(__file__).parent / "sessions"


@contextmanager
def both(
    postgres: str, tidewire: ServerProcess, database: str
) -> Iterator[tuple[psycopg.Connection[Any], psycopg.Connection[Any]]]:
    """Connections to a new database of this name on each server: Tidewire's and PostgreSQL's."""
    url = f"postgresql://tidewire@{tidewire.host}:{tidewire.port}/tidewire"
    for server in (url, postgres):
        with psycopg.connect(server, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {database}".encode())
    mine, theirs = (psycopg.connect(server, dbname=database, autocommit=True) for server in (url, postgres))
    with mine, theirs:
        yield mine, theirs


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.sql")), ids=lambda p: p.stem)
def test_session(path: Path, postgres: str, tidewire: ServerProcess) -> None:
    with both(postgres, tidewire, f"of_{path.stem}") as (mine, theirs):
        found = differences(path, mine, theirs)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("seed", range(2))
def test_random_expressions_over_values_of_many_parts(
    seed: int, postgres: str, tidewire: ServerProcess
) -> None:
    """Values and SQLSTATEs; of several errors in one expression any may come first."""
    found = []
    with both(postgres, tidewire, f"random_{seed}") as (mine, theirs):
        for text in statements(seed, 200):
            a, b = answer(mine, text), answer(theirs, text)
            if bool(a.sqlstate) != bool(b.sqlstate) and any(word in text for word in LAZY):
                continue
            if bool(a.sqlstate) != bool(b.sqlstate) or (a.columns, a.rows) != (b.columns, b.rows):
                found.append(f"{text}\n    tidewire:   {shown(a)}\n    PostgreSQL: {shown(b)}")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("seed", range(2))
def test_random_writes_and_what_they_return(seed: int, postgres: str, tidewire: ServerProcess) -> None:
    """Rows of RETURNING in any order, tags, SQLSTATEs, and the table after each statement."""
    found = []
    with both(postgres, tidewire, f"writes_{seed}") as (mine, theirs):
        for text in writes.statements(seed, int(os.environ.get("TIDEWIRE_WRITES", "120"))):
            seen = []
            for connection in (mine, theirs):
                if connection.execute("SELECT to_regclass('w')").fetchone() == (None,):
                    connection.execute(writes.TABLE.encode())
                if connection.execute("SELECT count(*) < 4 FROM w").fetchone() == (True,):
                    connection.execute("TRUNCATE w")
                    connection.execute(writes.FIRST.encode())
                said = answer(connection, text)
                seen.append((said, answer(connection, writes.ALL).rows))
            (a, after_a), (b, after_b) = seen
            if _of_rows(a) != _of_rows(b) or after_a != after_b:
                found.append(
                    f"{text}\n    tidewire:   {shown(a)} {after_a}\n    PostgreSQL: {shown(b)} {after_b}"
                )
                break  # the tables have gone apart
    assert not found, "\n".join(found)


def _of_rows(a: Answer) -> tuple[object, ...]:
    """Of several rows that break several constraints either server may meet another first."""
    if a.sqlstate in ("23505", "23514", "21000"):
        return ("a constraint",)
    return a.tag, a.columns, sorted(a.rows, key=repr), a.sqlstate, a.message
