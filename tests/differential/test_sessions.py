"""Sessions of SQL on both servers; see `tests.differential.sessions`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.differential.sessions import differences
from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess

pytestmark = pytest.mark.postgres
FOLDER = Path(__file__).parent / "sessions"


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


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.sql")), ids=lambda p: p.stem)
def test_session(path: Path, postgres: str, tidewire: ServerProcess) -> None:
    mine = psycopg.connect(
        host=tidewire.host, port=tidewire.port, user="tidewire", dbname="tidewire", autocommit=True
    )
    with mine, psycopg.connect(postgres, autocommit=True) as theirs:
        found = differences(path, mine, theirs)
    assert not found, "\n".join(found)
