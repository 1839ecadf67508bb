"""One server for a file of clients, so that no file meets what another has left."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess


@pytest.fixture(scope="module")
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
