"""One server for a file's tests that only talk to it, so that no file meets what another has left; those that kill servers start their own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.server.process import ServerProcess


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("server") / "data") as process:
        yield process
        assert process.running, process.log.read_text()[-4000:]
        assert process.unexpected() == [], "the log tells of defects"
        assert process.stop() == 0
