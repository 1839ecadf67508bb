"""A server of each kind, empty, for one suite: addresses are all that a suite learns of it."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg

from tests.postgres import running_postgres
from tests.server.process import ServerProcess

TIDEWIRE, POSTGRES = "Tidewire", "PostgreSQL"


@dataclass(frozen=True)
class Server:
    """Where it listens; `user` may do everything, `database` is empty (and the one that suites expect to be there)."""

    kind: str
    host: str
    port: int
    user: str
    database: str = "postgres"

    @property
    def dsn(self) -> str:
        return f"host={self.host} port={self.port} user={self.user} dbname={self.database}"

    def url(self, scheme: str = "postgresql") -> str:
        return f"{scheme}://{self.user}@{self.host}:{self.port}/{self.database}"

    @property
    def environment(self) -> dict[str, str]:
        """libpq's variables, which drivers in other languages read too."""
        return {
            "PGHOST": self.host,
            "PGPORT": str(self.port),
            "PGUSER": self.user,
            "PGDATABASE": self.database,
        }

    def execute(self, *statements: str) -> None:
        with psycopg.connect(self.dsn, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement)

    def version(self) -> str:
        with psycopg.connect(self.dsn) as connection:
            row = connection.execute("show server_version").fetchone()
        assert row is not None
        return str(row[0]).split()[0]


@contextlib.contextmanager
def running(kind: str) -> Iterator[Server]:
    """A server with its own empty folder. Raises tests.postgres.NoPostgres."""
    with contextlib.ExitStack() as stack:
        if kind == POSTGRES:
            parts = psycopg.conninfo.conninfo_to_dict(stack.enter_context(running_postgres({"fsync": "off"})))
            host, port, user = str(parts["host"]), int(str(parts["port"])), str(parts["user"])
        else:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="tw-suite-"))
            process = stack.enter_context(ServerProcess(Path(folder) / "data"))
            host, port, user = process.host, process.port, "tidewire"
        yield Server(kind, host, port, user)
