"""`tidewire compact`: fewer parts, no dead rows, and every read gives what it gave."""

from __future__ import annotations

import asyncio
import importlib.util
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from typer.testing import CliRunner

from pipeline.jobs import compact
from pipeline.jobs.compact import CompactError, compact_stores
from pipeline.jobs.verify import WallClock, verify_stores
from storage.blob import open_blob
from storage.consensus import open_consensus
from storage.shard import Shard
from tests.server.process import ServerProcess
from tidewire.cli import app

QUERY = "SELECT count(*), sum(id), min(v), max(v) FROM t"


def filled(client: psycopg.Connection[Any]) -> str:
    """Six parts of 5,000 rows, a tenth of them deleted, some changed. The shard's name."""
    client.execute("CREATE TABLE t (id int PRIMARY KEY, v text)")
    for i in range(6):
        client.execute(
            "INSERT INTO t SELECT g, 'v' || g FROM generate_series(%s::int, %s::int) g",
            [5000 * i, 5000 * i + 4999],
        )
    client.execute("DELETE FROM t WHERE id % 10 = 3")
    client.execute("UPDATE t SET v = 'changed' WHERE id % 100 = 4")
    client.execute("CREATE TABLE small (a int)")
    client.execute("INSERT INTO small VALUES (1)")
    found = client.execute(QUERY).fetchone()
    assert found is not None
    return str(found)


def urls(data: Path) -> tuple[str, str]:
    return (data / "blob").as_uri(), f"log:///{data / 'consensus.log'}"


async def shard_of(data: Path, rows_min: int, work: Callable[[Shard], Any]) -> None:
    """Does something with the shard that holds so many rows."""
    blob_url, consensus_url = urls(data)
    blob, consensus = await open_blob(blob_url), await open_consensus(consensus_url)
    try:
        for folder in (data / "blob").iterdir():
            if folder.name.startswith("t"):
                shard = await Shard.open(
                    folder.name, blob=blob, consensus=consensus, clock=WallClock(), rng=random.Random(1)
                )
                if sum(p.row_count for _, p in shard.state.parts) >= rows_min:
                    await work(shard)
    finally:
        await consensus.close()


async def forget_history(shard: Shard) -> None:
    """What retention does after an hour: nobody asks for the past any more."""
    await shard.allow_since(shard.upper - 1)


@pytest.fixture
def stopped(tmp_path: Path) -> tuple[ServerProcess, str]:
    """A server that was stopped, its history gone, and what it answered."""
    server = ServerProcess(tmp_path / "data")
    with server.start().connect() as client:
        wanted = filled(client)
    assert server.stop() == 0
    asyncio.run(shard_of(server.data_dir, 1000, forget_history))
    return server, wanted


def check(server: ServerProcess, wanted: str) -> None:
    """Nothing is wrong on disk, and a server answers as before, writes included."""
    assert verify_stores(*urls(server.data_dir)).problems == []
    server.port = 0
    with server.start().connect() as client:
        assert str(client.execute(QUERY).fetchone()) == wanted
        client.execute("INSERT INTO t VALUES (3, 'again')")
        with pytest.raises(psycopg.errors.UniqueViolation):
            client.execute("INSERT INTO t VALUES (4, 'twice')")
        assert client.execute("SELECT v FROM t WHERE id = 104").fetchone() == ("changed",)
    assert server.stop() == 0


@pytest.mark.parametrize("group_bytes", [1 << 30, 1])
def test_dead_rows_and_deletions_go(stopped: tuple[ServerProcess, str], group_bytes: int) -> None:
    server, wanted = stopped
    report = compact_stores(*urls(server.data_dir), ["t"], group_bytes=group_bytes)
    [table] = report.tables
    assert table.rows_before > table.rows_after == 27_000
    assert table.parts_after <= (1 if group_bytes > 1 else table.parts_before)
    again = compact_stores(*urls(server.data_dir), ["t"], group_bytes=group_bytes)
    assert again.tables[0].rows_after == 27_000
    check(server, wanted)


def test_killed_between_groups_it_leaves_a_whole_table(
    stopped: tuple[ServerProcess, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    server, wanted = stopped
    left = [2]
    original = compact.run_group

    def dying(group: compact.Group) -> compact.Done:
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        return original(group)

    monkeypatch.setattr(compact, "run_group", dying)
    with pytest.raises(KeyboardInterrupt):
        compact_stores(*urls(server.data_dir), ["t"], group_bytes=1)
    check(server, wanted)


def test_beside_a_running_server(tmp_path: Path) -> None:
    """Reads as of every kept time stay what they were; the server goes on writing."""
    with ServerProcess(tmp_path / "data") as server, server.connect() as client:
        wanted = filled(client)
        row = client.execute("SELECT pg_export_snapshot()").fetchone()
        assert row is not None
        done = CliRunner().invoke(app, ["compact", "--data-dir", str(server.data_dir), "--group-size", "1"])
        assert done.exit_code == 0, done.output
        assert " in " in done.output
        client.execute("UPDATE t SET v = 'later' WHERE id < 500")
        client.execute("SELECT set_config('tidewire.as_of', %s, false)", [row[0]])
        assert str(client.execute(QUERY).fetchone()) == wanted
        client.execute("RESET tidewire.as_of")
        assert client.execute("SELECT count(*) FROM t WHERE v = 'later'").fetchone() == (450,)
        assert server.stop() == 0
        assert verify_stores(*urls(server.data_dir)).problems == []


def test_what_is_not_there(stopped: tuple[ServerProcess, str], tmp_path: Path) -> None:
    server, _ = stopped
    with pytest.raises(CompactError, match='no table "nothing"'):
        compact_stores(*urls(server.data_dir), ["nothing"])
    done = CliRunner().invoke(app, ["compact", "--data-dir", str(tmp_path)])
    assert done.exit_code == 2


@pytest.mark.skipif(
    importlib.util.find_spec("pyspark") is None, reason="PySpark is not installed: make test-spark"
)
def test_groups_are_tasks_of_spark(stopped: tuple[ServerProcess, str]) -> None:
    server, wanted = stopped
    [table] = compact_stores(*urls(server.data_dir), ["t"], group_bytes=1, master="local[2]").tables
    assert table.rows_after == 27_000 and table.disturbed == 0
    check(server, wanted)
