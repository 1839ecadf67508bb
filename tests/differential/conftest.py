"""A PostgreSQL and a Tidewire for the sessions of a file; skipped where there is no PostgreSQL."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    try:
        with running_postgres({"fsync": "off", "timezone": "UTC"}) as url:
            yield url
    except NoPostgres as e:
        pytest.skip(f"no PostgreSQL to compare with: {e}")


@pytest.fixture(scope="module")
def tidewire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("sessions") / "data") as server:
        yield server
