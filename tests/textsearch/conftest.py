from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from tests.postgres import NoPostgres, running_postgres


@pytest.fixture(scope="module")
def postgres() -> Iterator[psycopg.Connection]:
    try:
        with running_postgres({"fsync": "off"}) as dsn, psycopg.connect(dsn, autocommit=True) as connection:
            yield connection
    except NoPostgres as e:
        pytest.skip(str(e))
