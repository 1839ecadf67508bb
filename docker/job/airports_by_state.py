"""Airports per state: reads a table in four partitions of one snapshot, aggregates in Spark, writes a table.

    spark-submit --master ... --jars postgresql.jar airports_by_state.py jdbc:postgresql://HOST:PORT/tidewire

User and password come from PGUSER and PGPASSWORD.
"""

from __future__ import annotations

import os
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as f


def main(url: str) -> None:
    spark = SparkSession.builder.appName("airports by state").getOrCreate()
    spark.sparkContext.setLogLevel("WARN")
    properties = {"user": os.environ.get("PGUSER", "tidewire"), "driver": "org.postgresql.Driver"}
    if os.environ.get("PGPASSWORD"):
        properties["password"] = os.environ["PGPASSWORD"]
    # Four partitions are four connections: pinned to one time, they read one state of the table.
    [(snapshot,)] = spark.read.jdbc(
        url, "(SELECT pg_export_snapshot() AS s) s", properties=properties
    ).collect()
    airports = spark.read.jdbc(
        url, "airports", column="latitude", lowerBound=10, upperBound=70, numPartitions=4,
        properties=properties | {"options": f"-c tidewire.as_of={snapshot}"},
    )  # fmt: skip
    by_state = airports.groupBy("state").agg(
        f.count("*").alias("airports"), f.round(f.avg("latitude"), 3).alias("latitude")
    )
    by_state.write.jdbc(url, "airports_by_state", mode="overwrite", properties=properties)
    found = spark.read.jdbc(url, "airports_by_state", properties=properties)
    [(states, total)] = found.agg(f.count("*"), f.sum("airports")).collect()
    print(f"airports_by_state: {total} airports in {states} states, as of {snapshot}")
    spark.stop()


if __name__ == "__main__":
    main(sys.argv[1])
