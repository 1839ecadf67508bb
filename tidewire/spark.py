"""Tidewire for Spark: what programs import.

    from tidewire.spark import Snapshot, register, write

    register(spark)                                   # spark.read.format("tidewire"), and the other three
    with Snapshot(spark, url, ["orders", "items"]) as snapshot:
        snapshot.table("orders")                      # native scans, several tables at one timestamp
    write(frame, "orders", url=url, mode="upsert")    # native parts, one transaction

See docs/pipeline.md. Needs the extra `tidewire[spark]`.
"""

from pipeline.spark.creating import Creation
from pipeline.spark.server import TidewireError
from pipeline.spark.session import register, spark_session
from pipeline.spark.snapshot import Snapshot
from pipeline.spark.writing import Write, write, write_tables

__all__ = [
    "Creation",
    "Snapshot",
    "TidewireError",
    "Write",
    "register",
    "spark_session",
    "write",
    "write_tables",
]
