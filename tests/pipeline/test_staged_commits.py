"""What a Spark driver says to the server, without Spark: staged files committed once, whoever asks how often."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipeline.spark import blobs, commits
from pipeline.spark.server import TidewireError, ask_json, url_of
from tests.server.process import ServerProcess

Client = psycopg.Connection[Any]


def staged(url: str, keys: list[int], table: str = "t", mode: str = "append") -> commits.StagedTable:
    """Keys as a file in a fresh folder."""
    found = ask_json(url, "SELECT tidewire_describe(%s)", table)
    path = Path(unquote(urlsplit(found["blob"]).path), found["folder"], "a.parquet")
    path.parent.mkdir(parents=True)
    field = pa.field("k", pa.int32(), metadata={"PARQUET:field_id": "1"})
    pq.write_table(pa.table([pa.array(keys, pa.int32())], schema=pa.schema([field])), path)
    return commits.StagedTable(table, found["folder"], ["a.parquet"], ["k"], mode)


def keys(client: Client, table: str = "t") -> list[int]:
    return [k for (k,) in client.execute(f"SELECT k FROM {table} ORDER BY k").fetchall()]


@pytest.fixture(autouse=True)
def table(client: Client) -> None:
    client.execute("DROP TABLE IF EXISTS t; CREATE TABLE t (k int PRIMARY KEY)")


def test_a_batch_is_committed_once_by_its_number(url: str, client: Client) -> None:
    assert commits.commit(url, "q", 0, [staged(url, [1, 2])])
    assert not commits.commit(url, "q", 0, [staged(url, [1, 2])])
    assert commits.commit(url, "q", 1, [staged(url, [3])])
    assert not commits.commit(url, "q", 0, [staged(url, [9])])
    assert keys(client) == [1, 2, 3]
    assert commits.commit(url, "another", 0, [staged(url, [4])], last=True), "writers count for themselves"
    assert commits.commit(url, "another", 0, [staged(url, [5])])


def test_a_role_without_rights_to_the_ledger_is_told_which(url: str, client: Client) -> None:
    assert commits.commit(url, "first", 0, [staged(url, [1])]), "a superuser's makes it"
    client.execute("DROP ROLE IF EXISTS plain; CREATE ROLE plain LOGIN; GRANT SELECT, INSERT ON t TO plain")
    own = url.replace("tidewire@", "plain@")
    for grant, missing in (
        ("GRANT USAGE ON SCHEMA tidewire_spark", "permission denied for schema tidewire_spark"),
        (f"GRANT SELECT, INSERT, UPDATE, DELETE ON {commits.LEDGER}", "permission denied for table commits"),
    ):
        with pytest.raises(TidewireError, match=f"{missing}.*\n.*{grant.split(' ON ')[0]} ON") as failed:
            commits.commit(own, "second", 0, [staged(own, [2])])
        assert failed.value.sqlstate == "42501"
        client.execute(f"{grant} TO plain")
    assert keys(client) == [1]
    assert commits.commit(own, "second", 0, [staged(own, [2])], last=True)
    assert keys(client) == [1, 2]
    # What the table itself refuses is no matter of the ledger.
    client.execute("REVOKE INSERT ON t FROM plain")
    with pytest.raises(TidewireError, match="permission denied for table t") as failed:
        commits.commit(own, "third", 0, [staged(own, [3])])
    assert "GRANT" not in str(failed.value)
    client.execute(
        f"REVOKE ALL ON {commits.LEDGER} FROM plain; REVOKE ALL ON SCHEMA tidewire_spark FROM plain"
    )
    client.execute("REVOKE ALL ON t FROM plain; DROP ROLE plain")


def test_whoever_hears_of_a_commit_reads_it(url: str, client: Client) -> None:
    """When a commit is reported, the time that any snapshot is taken at has reached its own."""

    def now() -> int:
        (name,) = client.execute("SELECT pg_export_snapshot()").fetchone() or ("",)
        return int(name[:16], 16)

    for n in range(5):
        before = now()
        assert commits.commit(url, "heard", n, [staged(url, [n])])
        heard = now()
        assert keys(client) == list(range(n + 1))
        changes = client.execute(
            f"SELECT k, _commit_ts FROM tidewire_changes('t', {before}, NULL)"
        ).fetchall()
        ((key, ts),) = changes
        assert key == n and before < ts <= heard


def test_what_the_server_refuses_leaves_neither_rows_nor_number(url: str, client: Client) -> None:
    client.execute("DROP TABLE IF EXISTS u; CREATE TABLE u (k int PRIMARY KEY)")
    both = [staged(url, [1]), staged(url, [2, 2], "u")]
    with pytest.raises(TidewireError, match="duplicate key value") as failed:
        commits.commit(url, "w", 0, both)
    assert failed.value.sqlstate == "23505"
    assert keys(client) == keys(client, "u") == []
    assert commits.commit(url, "w", 0, [both[0], staged(url, [2], "u")])
    assert (keys(client), keys(client, "u")) == ([1], [2])


def test_overwriting_is_one_step(url: str, client: Client) -> None:
    client.execute("INSERT INTO t SELECT i FROM generate_series(1, 100) i")
    one = staged(url, [50, 500])
    replaced = commits.StagedTable("t", one.folder, one.files, one.columns, "append", True)
    assert commits.commit(url, "o", 0, [replaced])
    assert keys(client) == [50, 500]


def test_several_at_once_who_commit_the_same_batch(url: str, client: Client) -> None:
    """A driver that everybody believed to be dead, and its successors."""
    batches = [staged(url, [1, 2, 3]) for _ in range(2)]
    answers: list[Any] = []

    def one(batch: commits.StagedTable) -> None:
        try:
            answers.append(commits.commit(url, "zombies", 7, [batch]))
        except TidewireError as e:
            answers.append(e)

    threads = [threading.Thread(target=one, args=(batch,)) for batch in batches]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(600)
    assert keys(client) == [1, 2, 3]
    assert answers.count(True) == 1, answers
    # Who came second has either found the number, or been told of the keys that the first had written.
    assert all(a in (True, False) or getattr(a, "sqlstate", "") == "23505" for a in answers), answers


def test_a_server_that_is_killed_around_the_commit(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        url = f"postgresql://tidewire@{server.host}:{server.port}/tidewire"
        with server.connect() as client:
            client.execute("CREATE TABLE t (k int PRIMARY KEY)")
        before, after = staged(url, [1, 2]), staged(url, [3])
        server.kill()
        server.start()
        assert commits.commit(url, "w", 0, [before]), "what was staged is still there"
        server.kill()
        server.start()
        assert not commits.commit(url, "w", 0, [before])
        assert commits.commit(url, "w", 1, [after])
        with server.connect() as client:
            assert keys(client) == [1, 2, 3]


def test_a_server_that_is_killed_before_anybody_has_read_what_it_committed(tmp_path: Path) -> None:
    """Of a table at whose rows nobody looks nothing is decoded but for a check: neither when it is killed, nor before it stops."""
    with ServerProcess(tmp_path / "data") as server:
        url = f"postgresql://tidewire@{server.host}:{server.port}/tidewire"
        with server.connect() as client:
            client.execute("CREATE TABLE t (k int)")
        for n, end in enumerate((server.kill, server.stop, server.kill)):
            assert commits.commit(url, "w", n, [staged(url, [10 * n, 10 * n + 1])])
            end()
            server.start()
        with server.connect() as client:
            assert keys(client) == [0, 1, 10, 11, 20, 21]
            client.execute("DELETE FROM t WHERE k = 10")
        assert commits.commit(url, "w", 3, [staged(url, [30])])
        server.kill()
        server.start()
        with server.connect() as client:
            assert keys(client) == [0, 1, 11, 20, 21, 30]


def test_errors_say_the_cause_first() -> None:
    gone = "postgresql://tidewire@127.0.0.1:1/tidewire"
    with pytest.raises(TidewireError, match="connection") as failed:
        ask_json(gone, "SELECT 1")
    assert failed.value.__cause__ is None
    with pytest.raises(TidewireError, match=r"memory: nobody else can read"):
        blobs.get("memory://", "x")
    with pytest.raises(TidewireError, match="is not there"):
        blobs.get("file:///tmp", "no/such/blob")


def test_a_url_is_given_whole_or_in_parts() -> None:
    assert url_of({"url": "postgresql://x"}) == "postgresql://x"
    assert url_of({"host": "h", "port": "1", "database": "d"}) == "host=h port=1 dbname=d"
    assert url_of({}).startswith("postgresql://tidewire@127.0.0.1")


def test_paths_for_sparks_own_readers() -> None:
    assert blobs.spark_path("file:///var/lib/x", "t1/a") == "file:///var/lib/x/t1/a"
    assert blobs.spark_path("s3://bucket/prefix/", "t1/a") == "s3a://bucket/prefix/t1/a"
