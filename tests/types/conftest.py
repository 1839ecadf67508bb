from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from tests.postgres import NoPostgres, running_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[psycopg.Connection]:
    """A connection to a PostgreSQL of its own; skips where there is none."""
    try:
        with running_postgres() as dsn, psycopg.connect(dsn, autocommit=True) as connection:
            yield connection
    except NoPostgres as e:
        pytest.skip(f"no PostgreSQL to compare with: {e}")
