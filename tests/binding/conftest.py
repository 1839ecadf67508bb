"""One PostgreSQL and one world per session of tests; without a PostgreSQL the comparing tests skip."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tests.binding import fixtures, tpch
from tests.binding.world import World
from tests.postgres import NoPostgres, running_postgres


@pytest.fixture(scope="session")
def postgres() -> Iterator[Any]:
    """A libpq connection to a PostgreSQL of our own."""
    try:
        with (
            running_postgres({"fsync": "off", "timezone": "UTC"}) as dsn,
            psycopg.connect(dsn, autocommit=True) as connection,
        ):
            yield connection.pgconn
    except NoPostgres as e:
        pytest.skip(f"no PostgreSQL to compare with: {e}")


def _made(pg: Any, ddl: str, tables: Any, fill: Any) -> World:
    result = pg.exec_(ddl.encode())
    assert not result.error_message, result.error_message
    world = World(tables, pg)
    fill(world)
    return world


@pytest.fixture(scope="session")
def company(postgres: Any) -> World:
    """Departments, employees, numbers, events; the same rows on both sides."""
    return _made(postgres, fixtures.DDL, fixtures.TABLES, fixtures.fill)


@pytest.fixture(scope="session")
def warehouse(postgres: Any) -> World:
    return _made(postgres, tpch.DDL, tpch.TABLES, tpch.fill)


@pytest.fixture(scope="session")
def catalog_only() -> World:
    """The company's tables without rows and without PostgreSQL."""
    return World(fixtures.TABLES)
