"""A second leader on the same log: the first one can neither commit nor go on answering."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psycopg
import pytest

from tests.server.process import ServerProcess
from txn.environment import Environment


def test_a_fenced_server_refuses_the_commit_and_stops(tmp_path: Path) -> None:
    async def take_over() -> None:
        other = await Environment.open(
            blob=(data / "blob").as_uri(), consensus=f"log:///{data / 'consensus.log'}"
        )
        await other.close()

    data = tmp_path / "data"
    with ServerProcess(data) as server:
        with server.connect() as conn, server.connect() as idle:
            conn.execute("CREATE TABLE t (a int PRIMARY KEY)")
            asyncio.run(take_over())
            with pytest.raises(psycopg.Error, match="fenced"):  # its own error, or why its connection ends
                conn.execute("INSERT INTO t VALUES (1)")
            with pytest.raises(psycopg.errors.CrashShutdown, match="fenced"):
                while True:
                    idle.execute("SELECT 1")
        assert server.wait() == 1
        assert "the log is lost to this process" in server.log.read_text()
        server.start()
        with server.connect() as conn:
            assert conn.execute("SELECT count(*) FROM t").fetchone() == (0,)
