"""How every Spark session of ours is built: one place for what Tidewire needs of Spark.

    spark = spark_session("tidewire", master="local[2]", conf={"spark.driver.memory": "2g"})

* **Time is UTC**, in SQL and in Java, so timestamps mean the same on every machine.
* **Python workers are this Python**: those of another environment would not find the packages of this one.
* **Filters reach Python sources** (`spark.sql.python.filterPushdown.enabled`), and rows travel in Arrow.
* Nothing listens for people (no web interface) unless it is asked for.

Whoever builds a session by itself (`spark-submit`, a notebook, Databricks) needs none of this to read and write
tables; `register(spark)` sets what the source needs. That includes this Python, where Spark would take the first `python3`
of PATH and everything runs on this machine: a virtual environment that is called by its path is not on it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

from pipeline.spark.java import java_home

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER = "local[*]"

SQL_CONF: Mapping[str, str] = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.python.filterPushdown.enabled": "true",
    "spark.sql.execution.arrow.pyspark.enabled": "true",
}
"""Settings that a running session may be given too."""

_BUILD_CONF: Mapping[str, str] = {
    "spark.driver.extraJavaOptions": "-Duser.timezone=UTC",
    "spark.executor.extraJavaOptions": "-Duser.timezone=UTC",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}


class NoSpark(RuntimeError):
    """PySpark is not installed."""


def spark_session(
    name: str = "tidewire", *, master: str = MASTER, conf: Mapping[str, str] | None = None
) -> SparkSession:
    """A session with our settings, which `conf` overrides; the running one, if this process has one already.

    Raises NoSpark, NoJava.
    """
    try:
        from pyspark.sql import SparkSession
    except ImportError as e:
        raise NoSpark("PySpark is not installed: pip install 'tidewire[spark]'") from e
    home = java_home()
    if home is not None:
        os.environ["JAVA_HOME"] = home
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    os.environ.setdefault("PYSPARK_DRIVER_PYTHON", sys.executable)
    builder = SparkSession.builder.appName(name).master(master)
    for key, value in {**SQL_CONF, **_BUILD_CONF, **(conf or {})}.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    return spark


def register(spark: SparkSession) -> SparkSession:
    """Makes `format("tidewire")` known to a session, and sets what it needs there. Returns the session."""
    from pipeline.spark.source import TidewireSource

    # Spark Connect has no context, and whoever said which Python it is to be knows better.
    context = getattr(spark, "sparkContext", None)
    if context is not None and context.master.startswith("local") and "PYSPARK_PYTHON" not in os.environ:
        context.pythonExec = sys.executable
    spark.dataSource.register(TidewireSource)
    spark.conf.set("spark.sql.python.filterPushdown.enabled", "true")
    return spark
