"""What the Spark tests share: skipping where there is no Spark, a session, and a server with its URL."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

from pipeline.spark.java import NoJava, java_home


def why_not() -> str:
    """Why Spark cannot run here; empty if it can."""
    if importlib.util.find_spec("pyspark") is None:
        return "pyspark is not installed: make test-spark"
    try:
        java_home()
    except NoJava as e:
        return str(e)
    return ""


def skip_without_spark() -> None:
    """At the top of a module that imports PySpark."""
    reason = why_not()
    if reason:
        pytest.skip(reason, allow_module_level=True)


def end_jvm() -> None:
    """The next session has a JVM of its own: environment and class path are those of when it was started."""
    from pyspark import SparkContext

    gateway: Any = SparkContext._gateway
    if gateway is not None:
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait(timeout=240)
        SparkContext._gateway = SparkContext._jvm = None


def small_session(**conf: str) -> Any:
    """Two cores, two shuffle partitions, little memory."""
    from pipeline.spark.session import register, spark_session

    given = {f"spark.{k.replace('_', '.')}": v for k, v in conf.items()}
    spark = spark_session(
        "tests",
        master=given.pop("spark.master", "local[2]"),
        conf={
            "spark.driver.memory": "1g",
            "spark.sql.shuffle.partitions": "2",
            "spark.default.parallelism": "2",
            "spark.sql.streaming.stopTimeout": "60s",
            **given,
        },
    )
    spark.sparkContext.setLogLevel("OFF")
    return register(spark)
