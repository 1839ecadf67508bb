"""One server for all clients; each test makes a schema or database objects under names of its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("clients") / "data") as process:
        yield process
        assert process.running, process.log.read_text()[-4000:]
        assert process.unexpected() == [], "the log tells of defects"
        assert process.stop() == 0


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """PostgreSQL, to compare with."""
    try:
        with running_postgres({"fsync": "off"}) as dsn:
            yield dsn
    except NoPostgres as e:
        pytest.skip(str(e))
