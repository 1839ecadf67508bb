"""Streams: the change feed as a source, exactly once into a table, whatever dies in between."""

from __future__ import annotations

import pickle
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.pipeline.spark_case import skip_without_spark, small_session
from tests.server.process import ServerProcess

skip_without_spark()

from pyspark.sql import DataFrame, SparkSession  # noqa: E402
from pyspark.sql.streaming import StreamingQuery  # noqa: E402

from pipeline.spark import streams  # noqa: E402
from pipeline.spark.server import TidewireError  # noqa: E402
from pipeline.spark.source import Staged  # noqa: E402
from pipeline.spark.streams import ChangeReader, StreamWriter  # noqa: E402
from pipeline.spark.writing import describe  # noqa: E402
from tests.pipeline.spark_streaming import TIMEOUT_S, ended, feed  # noqa: E402

Client = psycopg.Connection[Any]


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    session = small_session()
    yield session
    for query in session.streams.active:
        query.stop()
    session.stop()


@pytest.fixture
def tables(client: Client) -> Iterator[None]:
    client.execute("CREATE TABLE orders (id int PRIMARY KEY, name text, price numeric(8,2))")
    client.execute(
        "CREATE TABLE log (_change text, _commit_ts bigint, id int, name text, price numeric(8,2))"
    )
    yield
    client.execute("DROP TABLE orders; DROP TABLE log")


def into(frame: DataFrame, url: str, table: str, checkpoint: Path, **options: str) -> StreamingQuery:
    sink = frame.writeStream.format("tidewire").options(url=url, table=table, **options)
    return sink.option("checkpointLocation", checkpoint.as_uri()).trigger(availableNow=True).start()


def run(frame: DataFrame, url: str, table: str, checkpoint: Path, **options: str) -> None:
    """Everything that is there now."""
    failed = ended(lambda: into(frame, url, table, checkpoint, **options))
    assert failed is None, failed


def rows(client: Client, query: str) -> list[tuple[Any, ...]]:
    return client.execute(query).fetchall()


FEED = "SELECT _change, id, name FROM log ORDER BY _commit_ts, _change, id"


def test_a_snapshot_then_every_change_once(
    spark: SparkSession, url: str, client: Client, tables: None, tmp_path: Path
) -> None:
    client.execute("INSERT INTO orders VALUES (1, 'a', 1.5), (2, 'b', NULL)")
    stream = feed(spark, url)
    assert stream.schema.simpleString() == (
        "struct<_change:string,_commit_ts:bigint,id:int,name:string,price:decimal(8,2)>"
    )
    run(stream, url, "log", tmp_path)
    first = [("insert", 1, "a"), ("insert", 2, "b")]
    assert rows(client, FEED) == first
    client.execute("UPDATE orders SET name = 'B' WHERE id = 2")
    client.execute("BEGIN; DELETE FROM orders WHERE id = 1; INSERT INTO orders VALUES (3, 'c', 3); COMMIT")
    for _ in range(2):  # the second time there is nothing new
        run(feed(spark, url), url, "log", tmp_path)
        assert rows(client, FEED) == [
            *first, ("delete", 2, "b"), ("insert", 2, "B"), ("delete", 1, "a"), ("insert", 3, "c"),
        ]  # fmt: skip
    assert rows(client, "SELECT count(DISTINCT _commit_ts) FROM log") == [(3,)]


def test_a_stream_may_start_at_a_time(
    spark: SparkSession, url: str, client: Client, tables: None, tmp_path: Path
) -> None:
    client.execute("INSERT INTO orders VALUES (1, 'before', 1)")
    start = int(rows(client, "SELECT pg_export_snapshot()")[0][0].partition("-")[0], 16)
    client.execute("INSERT INTO orders VALUES (2, 'after', 2)")
    run(feed(spark, url, startingFrom=str(start)), url, "log", tmp_path)
    assert rows(client, FEED) == [("insert", 2, "after")]


def test_history_that_is_gone_stops_the_stream_with_the_cause(
    spark: SparkSession, url: str, tables: None, tmp_path: Path
) -> None:
    failed = ended(lambda: into(feed(spark, url, startingFrom="1000"), url, "log", tmp_path))
    assert "older than the history that is kept" in str(failed)


def test_where_nothing_happens_the_offset_still_follows_the_present(
    url: str, client: Client, tables: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = ChangeReader(url, "orders")
    first = reader.latestOffset({"ts": 0})
    assert reader.latestOffset(first) == first, "a micro-batch without rows costs something too"
    monkeypatch.setattr(streams, "IDLE_US", 0)
    client.execute("INSERT INTO log (id) VALUES (1)")  # time goes on elsewhere
    later = reader.latestOffset(first)
    assert later["ts"] > first["ts"]
    client.execute("INSERT INTO orders VALUES (1, 'a', 1)")
    (stamp,) = rows(client, f"SELECT _commit_ts FROM tidewire_changes('orders', {first['ts']}, NULL)")
    assert reader.latestOffset(later) == {"ts": stamp[0]}
    reader.stop()


def test_a_running_stream_keeps_the_history_that_it_has_not_read(tmp_path: Path) -> None:
    """On a server of its own: what is held is held for all tables."""
    with ServerProcess(tmp_path / "data") as server, server.connect() as client:
        url = f"postgresql://tidewire@{server.host}:{server.port}/tidewire"
        client.execute("CREATE TABLE t (n int) WITH (retention = '100 ms')")
        reader = ChangeReader(url, "t", "latest")
        start = reader.initialOffset()
        reader.partitions(start, start)  # as the driver does before a micro-batch
        assert len(pickle.dumps(reader)) > 0, "tasks get it without the hold"
        client.execute("INSERT INTO t VALUES (1)")
        feed = f"SELECT _change, n FROM tidewire_changes('t', {start['ts']}, NULL)"

        def readable() -> bool:
            try:
                return rows(client, feed) == [("insert", 1)]
            except psycopg.errors.InvalidParameterValue:
                return False

        time.sleep(5)  # many times as long as the history is kept
        assert readable()
        reader.stop()
        deadline = time.monotonic() + TIMEOUT_S
        while readable():  # let go: it goes
            assert time.monotonic() < deadline
            time.sleep(0.2)
        with pytest.raises(TidewireError, match="older than the history"):
            reader.partitions(start, start)


def test_the_sink_upserts_too(
    spark: SparkSession, url: str, client: Client, tables: None, tmp_path: Path
) -> None:
    client.execute(
        "INSERT INTO orders SELECT i, 'n' || i, i FROM generate_series(1, 20) i; CREATE TABLE copy (LIKE orders INCLUDING ALL)"
    )
    for n in range(2):
        stream = feed(spark, url).where("_change = 'insert'").drop("_change", "_commit_ts")
        run(stream, url, "copy", tmp_path, mode="upsert")
        assert rows(client, "SELECT count(*), count(DISTINCT name) FROM copy") == [(20, 20 - 4 * n)]
        client.execute("UPDATE orders SET name = 'same' WHERE id <= 5")
    client.execute("DROP TABLE copy")


def test_the_sink_never_keeps_the_last_batch_only(
    spark: SparkSession, url: str, client: Client, tables: None, tmp_path: Path
) -> None:
    client.execute("INSERT INTO log (id) VALUES (7)")
    failed = ended(lambda: into(feed(spark, url), url, "log", tmp_path, mode="overwrite"))
    assert 'option "mode" of a stream is append, upsert or delete, not overwrite' in str(failed)
    assert rows(client, "SELECT id FROM log") == [(7,)]


def test_a_batch_that_is_committed_again_is_committed_once_and_abort_takes_nothing_back(
    spark: SparkSession, url: str, client: Client, tables: None
) -> None:
    import pyarrow as pa
    from pyspark.sql import types as T

    schema = T.StructType([T.StructField("id", T.IntegerType()), T.StructField("name", T.StringType()),
                           T.StructField("price", T.DecimalType(8, 2))])  # fmt: skip

    def staged(first: int) -> tuple[StreamWriter, Staged]:
        from pipeline.spark.source import StagedFiles

        writer = StreamWriter(describe(url, "orders"), url, schema, "append")
        batch = writer.batch
        rows = pa.record_batch(
            [
                pa.array([first, first + 1], pa.int32()),
                pa.array(["x", "y"]),
                pa.nulls(2, pa.decimal128(8, 2)),
            ],
            names=schema.names,
        )
        files, count = StagedFiles(batch.target, schema).write(iter([rows]))
        return writer, Staged(batch.target.folder, files, count, "q1")

    writer, message = staged(1)
    writer.commit([message, None], 7)
    writer.abort([message, None], 7)
    again, other = staged(1)  # after a restart: the same rows in other files
    again.commit([other], 7)
    assert rows(client, "SELECT array_agg(id ORDER BY id) FROM orders") == [([1, 2],)]
    later, message = staged(3)
    later.commit([message], 8)
    again.commit([other], 7)
    assert rows(client, "SELECT array_agg(id ORDER BY id) FROM orders") == [([1, 2, 3, 4],)]


def test_a_server_that_is_killed_under_a_stream_loses_and_doubles_nothing(
    spark: SparkSession, tmp_path: Path
) -> None:
    with ServerProcess(tmp_path / "data") as server:
        url = f"postgresql://tidewire@{server.host}:{server.port}/tidewire"
        with server.connect() as client:
            client.execute("CREATE TABLE orders (id int PRIMARY KEY, name text)")
            client.execute("CREATE TABLE log (_change text, _commit_ts bigint, id int, name text)")
            client.execute("INSERT INTO orders SELECT i, 'first' FROM generate_series(1, 500) i")
        checkpoint = (tmp_path / "checkpoint").as_uri()

        def start() -> StreamingQuery:
            sink = feed(spark, url).writeStream.format("tidewire").options(url=url, table="log")
            return (
                sink.option("checkpointLocation", checkpoint)
                .trigger(processingTime="100 milliseconds")
                .start()
            )

        def logged() -> int:
            with server.connect() as client:
                return int(rows(client, "SELECT count(*) FROM log")[0][0])

        def until_logged(count: int, query: StreamingQuery) -> StreamingQuery:
            deadline = time.monotonic() + TIMEOUT_S
            while logged() < count:
                assert time.monotonic() < deadline, logged()
                if not query.isActive:  # what anybody would do is to start it again
                    query = start()
                time.sleep(0.2)
            return query

        query = until_logged(500, start())
        for n in range(2):
            with server.connect() as client:
                client.execute(f"UPDATE orders SET name = 'n{n}' WHERE id % 2 = {n}")
            server.kill()
            server.start()
        query = until_logged(500 + 2 * 500, query)
        query.stop()
        with server.connect() as client:
            net = (
                "SELECT id, name FROM log GROUP BY id, name"
                " HAVING sum(CASE _change WHEN 'insert' THEN 1 ELSE -1 END) <> 0 ORDER BY id, name"
            )
            assert rows(client, net) == rows(client, "SELECT id, name FROM orders ORDER BY id, name")
            assert rows(client, "SELECT count(*), count(DISTINCT (_change, _commit_ts, id)) FROM log") == [
                (1500, 1500)
            ]
