"""Spark with a blob store in S3: `format("tidewire")` as everywhere, Spark's own scans with `hadoop-aws` or a clear word."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.pipeline.object_store import running_object_store
from tests.pipeline.spark_case import end_jvm, skip_without_spark, small_session
from tests.server.process import ServerProcess

skip_without_spark()

from pyspark.sql import SparkSession  # noqa: E402

from tidewire.spark import Snapshot, TidewireError, write  # noqa: E402

Client = psycopg.Connection[Any]


@pytest.fixture(scope="module")
def access() -> Iterator[dict[str, str]]:
    """The environment of everybody who reaches the store; in this process's own too, for Spark's workers inherit it."""
    from urllib.request import Request, urlopen

    with running_object_store() as (endpoint, _), pytest.MonkeyPatch.context() as patch:
        urlopen(Request(f"{endpoint}/lake", method="PUT"), timeout=30).close()
        given = {
            "AWS_ENDPOINT": endpoint,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "spark",
            "AWS_SECRET_ACCESS_KEY": "spark",
        }
        for name, value in given.items():
            patch.setitem(os.environ, name, value)
        yield given


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, access: dict[str, str]) -> Iterator[ServerProcess]:
    folder: Path = tmp_path_factory.mktemp("s3")
    with ServerProcess(folder / "data", "--blob=s3://lake/parts", environment=access) as process:
        yield process


@pytest.fixture(scope="module")
def spark(access: dict[str, str]) -> Iterator[SparkSession]:
    """A session of a JVM of its own: workers have the environment of their JVM, and that of when it was started."""
    end_jvm()
    session = small_session()
    yield session
    session.stop()
    end_jvm()


def test_the_format_reads_and_writes(spark: SparkSession, url: str, client: Client) -> None:
    def put(frame: Any, **options: str) -> None:
        frame.write.format("tidewire").options(url=url, table="t", **options).mode("append").save()

    def read() -> Any:
        return spark.read.format("tidewire").options(url=url, table="t").load()

    frame = spark.range(0, 3000, 1, 2).selectExpr("id", "concat('n', id) AS name")
    put(frame, create="true", primaryKey="id")
    client.execute("DELETE FROM t WHERE id % 3 = 0")
    assert read().selectExpr("count(*)", "sum(id)").collect() == [
        (2000, sum(i for i in range(3000) if i % 3))
    ]
    put(frame.selectExpr("id", "'same' AS name").where("id < 10"), mode="upsert")
    assert read().where("name = 'same'").count() == 10
    put(frame.select("id").where("id >= 10"), mode="delete")
    assert client.execute("SELECT count(*), max(id) FROM t").fetchone() == (10, 9)


def test_sparks_own_scans_say_what_they_need(spark: SparkSession, url: str, client: Client) -> None:
    client.execute("CREATE TABLE own (id bigint)")
    try:
        spark._jvm.java.lang.Class.forName("org.apache.hadoop.fs.s3a.S3AFileSystem")
    except Exception:  # noqa: BLE001 - py4j's, for there is none
        pass
    else:
        pytest.skip("hadoop-aws is there")
    for attempt in (lambda: write(spark.range(3), "own", url=url), lambda: Snapshot(spark, url, "own")):
        with pytest.raises(
            TidewireError, match="cannot reach the server's blob store s3://lake/parts"
        ) as failed:
            attempt()
        assert "org.apache.hadoop:hadoop-aws:" in str(failed.value)
    assert client.execute("SELECT count(*) FROM own").fetchone() == (0,)
