"""pg_dump of a database here, and what it wrote taken in again, here and by PostgreSQL."""

from __future__ import annotations

import subprocess

from tests.server.process import ServerProcess


def dumped(server: ServerProcess, *arguments: str) -> str:
    """What pg_dump writes."""
    done = subprocess.run(
        ["pg_dump", *arguments],
        env=server.client_environment(), capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def restored(server: ServerProcess, dump: str, database: str, dsn: str) -> None:
    """Takes a dump in: into a database here, and into PostgreSQL's at `dsn`. Every statement must go through."""
    script = server.data_dir.parent / f"{database}.sql"
    script.write_text(dump)
    again = server.psql("-d", database, "-q", "-v", "ON_ERROR_STOP=1", "-f", str(script))
    assert (again.returncode, again.stderr) == (0, "")
    back = subprocess.run(
        ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", str(script), dsn],
        capture_output=True, text=True, timeout=600, check=False,
    )  # fmt: skip
    assert (back.returncode, back.stderr) == (0, "")
