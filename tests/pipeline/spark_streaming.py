"""What tests of streams share: the change feed, and running a query to its end."""

from __future__ import annotations

import time
from collections.abc import Callable

from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming import StreamingQuery

TIMEOUT_S = 600
STARTS_SLOWLY = "Python worker failed to connect back"
"""Spark gives a stream's Python ten seconds to start, however busy the machine is, and has no setting for it."""


def feed(spark: SparkSession, url: str, table: str = "orders", **options: str) -> DataFrame:
    source = spark.readStream.format("tidewire").options(url=url, table=table, changes="true", **options)
    return source.load()


def ended(start: Callable[[], StreamingQuery]) -> Exception | None:
    """Runs a query to its end; what it ended with. One whose Python was too slow to start is started again."""
    deadline = time.monotonic() + 3 * TIMEOUT_S
    while True:
        try:
            assert start().awaitTermination(TIMEOUT_S), "the stream did not come to an end"
            return None
        except StreamingQueryException as e:
            if STARTS_SLOWLY not in str(e) or time.monotonic() > deadline:
                return e
