"""What the room's tests share: a clock that stands still until told, and one PostgreSQL for the session."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.postgres import NoPostgres, running_postgres


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    try:
        with running_postgres() as url:
            yield url
    except NoPostgres as e:
        pytest.skip(str(e))
