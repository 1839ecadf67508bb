"""Drivers and executors that are killed: what was committed is there once, what was not is not there."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.pipeline.spark_case import skip_without_spark, small_session

skip_without_spark()

from pyspark.sql import functions as F  # noqa: E402

from tidewire.spark import write  # noqa: E402

Client = psycopg.Connection[Any]
TIMEOUT_S = 900


@pytest.fixture
def orders(client: Client) -> Iterator[None]:
    client.execute("CREATE TABLE orders (id int PRIMARY KEY, name text)")
    yield
    client.execute("DROP TABLE orders")


def driver(moment: str, url: str, commit_id: str) -> int:
    """Runs a driver to its end, whichever that is; its exit code. What Spark leaves behind goes with its group."""
    command = [sys.executable, "-m", "tests.pipeline.spark_driver", moment, url, commit_id]
    process = subprocess.Popen(
        command,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=os.environ | {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )
    try:
        return process.wait(TIMEOUT_S)
    finally:
        # The JVM outlives its Python by a moment: nothing of this job may go on.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)


def rows(client: Client) -> tuple[int, int]:
    found = client.execute("SELECT count(*), count(DISTINCT id) FROM orders").fetchone()
    assert found is not None
    return found[0], found[1]


@pytest.mark.parametrize(
    ("moment", "then"),
    [("task", 0), ("staged", 0), ("committed", 2000)],
    ids=["in a task", "before", "after"],
)
def test_a_driver_that_is_killed(client: Client, url: str, orders: None, moment: str, then: int) -> None:
    assert driver(moment, url, f"job of {moment}") == -signal.SIGKILL
    assert rows(client) == (then, then)
    assert driver("never", url, f"job of {moment}") == 0, "the job is run again"
    assert rows(client) == (2000, 2000)


def test_an_executor_that_is_killed_while_it_writes(
    client: Client, url: str, orders: None, tmp_path: Path
) -> None:
    """A cluster of two processes, of which one kills itself in its first attempt at a task."""
    spark = small_session(
        master="local-cluster[2,1,512]",
        executor_memory="512m",
        task_maxFailures="4",
    )
    mark = str(tmp_path / "killed")
    try:

        @F.udf("int")
        def deadly(n: int) -> int:
            if n == 700:
                try:
                    os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    return n  # the second attempt
                time.sleep(0.2)
                parent = os.getppid()
                os.kill(parent, signal.SIGKILL)
            return n

        frame = spark.range(0, 2000, 1, 4).selectExpr("CAST(id AS int) AS id", "concat('n', id) AS name")
        frame = frame.withColumn("id", deadly("id"))
        frame.write.format("tidewire").options(url=url, table="orders").mode("append").save()
        assert os.path.exists(mark), "nobody was killed"
        assert rows(client) == (2000, 2000)
        os.unlink(mark)
        write(frame, "orders", url=url, mode="overwrite")
        assert rows(client) == (2000, 2000)
    finally:
        spark.stop()
