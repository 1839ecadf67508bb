"""A consensus for several servers: a file of SQLite's, or a PostgreSQL of our own."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.postgres import NoPostgres, running_postgres


@contextlib.contextmanager
def consensus(kind: str, folder: Path) -> Iterator[str]:
    """The URL of an empty consensus of that kind. Skips the test where there is no PostgreSQL."""
    if kind == "sqlite":
        yield f"sqlite:///{folder / 'log.sqlite'}"
        return
    try:
        with running_postgres() as url:
            yield url
    except NoPostgres as reason:
        pytest.skip(str(reason))
