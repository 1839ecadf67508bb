"""One server for the jobs that are its clients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tests.server.process import ServerProcess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("pipeline") / "data") as process:
        yield process
        assert process.running, process.log.read_text()[-4000:]
        assert process.unexpected() == [], "the log tells of defects"


@pytest.fixture(scope="module")
def url(server: ServerProcess) -> str:
    return f"postgresql://tidewire@{server.host}:{server.port}/tidewire"


@pytest.fixture
def client(server: ServerProcess) -> Iterator[psycopg.Connection[Any]]:
    with server.connect() as connection:
        yield connection
