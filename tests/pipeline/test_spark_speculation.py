"""`spark.speculation`: a task that is slow is attempted a second time, and what is written is one of both attempts.

The first attempt that meets a certain row waits, so Spark begins another one on the other host, which overtakes it. Then
there are rows of two attempts in the staging area, or on their way there: those of the winner become the table's.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.pipeline.spark_case import skip_without_spark, small_session

skip_without_spark()

from pyspark.sql import Column, DataFrame, SparkSession  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402
from pyspark.sql.streaming import StreamingQuery  # noqa: E402

from tests.pipeline import spark_cluster  # noqa: E402
from tests.pipeline.spark_streaming import ended, feed  # noqa: E402
from tidewire.spark import write  # noqa: E402

Client = psycopg.Connection[Any]
ROWS, SLOW_ROW = 2000, 700
PARTITIONS = 4
TIMEOUT_S = 600

pytestmark = pytest.mark.skipif(bool(spark_cluster.why_not()), reason=spark_cluster.why_not())


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    with spark_cluster.running_cluster(tmp_path_factory.mktemp("cluster")) as master:
        session = small_session(
            master=master,
            driver_host=spark_cluster.HOSTS[0],
            driver_bindAddress=spark_cluster.HOSTS[0],
            executor_memory="512m",
            cores_max="2",
            # No task begins before both hosts are there.
            scheduler_minRegisteredResourcesRatio="1.0",
            scheduler_maxRegisteredResourcesWaitingTime=f"{TIMEOUT_S}s",
            speculation="true",
            speculation_interval="100ms",
            speculation_quantile="0.5",
            speculation_multiplier="1.1",
            speculation_efficiency_enabled="false",
        )
        yield session
        for query in session.streams.active:
            query.stop()
        session.stop()


class Overtaken:
    """A column of numbers that is there at once, but for one row: who computes that first waits for the end of the test."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.first, self.second, self.over = (str(folder / n) for n in ("first", "second", "over"))

    def begin(self) -> None:
        for mark in (self.first, self.second):
            Path(mark).unlink(missing_ok=True)

    def column(self, name: str) -> Column:
        first, second, over = self.first, self.second, self.over

        @F.udf("int")
        def waited(n: int) -> int:
            if n != SLOW_ROW:
                return n
            try:
                os.close(os.open(first, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                os.close(os.open(second, os.O_CREAT))
                return n
            deadline = time.monotonic() + TIMEOUT_S
            while not os.path.exists(over) and time.monotonic() < deadline:
                time.sleep(0.05)
            return n

        return waited.asNondeterministic()(name)

    def check(self) -> None:
        assert os.path.exists(self.first) and os.path.exists(self.second), "nobody was overtaken"


@pytest.fixture
def overtaken(tmp_path: Path) -> Iterator[Overtaken]:
    made = Overtaken(tmp_path)
    yield made
    Path(made.over).touch()


@pytest.fixture
def orders(client: Client) -> Iterator[str]:
    client.execute("CREATE TABLE orders (id int PRIMARY KEY, name text)")
    client.execute("CREATE TABLE copied (id int, name text)")
    yield "orders"
    client.execute("DROP TABLE orders; DROP TABLE copied")


def counted(client: Client, table: str) -> tuple[Any, ...] | None:
    return client.execute(f"SELECT count(*), count(DISTINCT id), sum(id) FROM {table}").fetchone()  # type: ignore[arg-type]


ALL = (ROWS, ROWS, ROWS * (ROWS - 1) // 2)


def by_format(frame: DataFrame, table: str, url: str) -> None:
    frame.write.format("tidewire").options(url=url, table=table).mode("append").save()


def by_helper(frame: DataFrame, table: str, url: str) -> None:
    write(frame, table, url=url)


@pytest.mark.parametrize("put", [by_format, by_helper], ids=["format", "helper"])
def test_a_write_has_each_row_once(
    spark: SparkSession, url: str, client: Client, orders: str, overtaken: Overtaken, put: Any
) -> None:
    """To a table without a key, where nothing but the commit keeps a row from being there twice."""
    frame = spark.range(0, ROWS, 1, PARTITIONS).selectExpr("CAST(id AS int) AS id", "concat('n', id) AS name")
    put(frame.withColumn("id", overtaken.column("id")), "copied", url)
    overtaken.check()
    assert counted(client, "copied") == ALL


def test_a_stream_has_each_row_once(
    spark: SparkSession, url: str, client: Client, orders: str, overtaken: Overtaken, tmp_path: Path
) -> None:
    client.execute(f"INSERT INTO orders SELECT i, 'n' || i FROM generate_series(0, {ROWS - 1}) i")
    stream = feed(spark, url).repartition(PARTITIONS, "id").select(overtaken.column("id").alias("id"), "name")

    def start() -> StreamingQuery:
        overtaken.begin()
        sink = stream.writeStream.format("tidewire").options(url=url, table="copied")
        place = (tmp_path / "checkpoint").as_uri()
        return sink.option("checkpointLocation", place).trigger(availableNow=True).start()

    failed = ended(start)
    assert failed is None, failed
    overtaken.check()
    assert counted(client, "copied") == ALL
