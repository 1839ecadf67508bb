"""A driver to be killed: `python -m tests.pipeline.spark_driver MOMENT URL COMMIT_ID`, in a process of its own.

It writes 2,000 rows to `orders` in the way of `tidewire.spark.write`, and dies by its own hand (SIGKILL) at the
moment that it is told: `staged` (the executors are done, nothing is committed), `committed` (the server has said so,
nobody else knows), `task` (in the middle of an executor's work), or `never`.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from pipeline.spark import commits, writing
from tests.pipeline.spark_case import small_session


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def main(moment: str, url: str, commit_id: str) -> None:
    from pyspark.sql import functions as F

    spark = small_session()
    frame = spark.range(0, 2000, 1, 4).selectExpr("CAST(id AS int) AS id", "concat('n', id) AS name")
    commit = commits.commit

    def dying(*args: Any, **more: Any) -> bool:
        if moment == "staged":
            die()
        done = commit(*args, **more)
        if moment == "committed":
            die()
        return done

    commits.commit = dying
    if moment == "task":
        driver = os.getpid()

        @F.udf("int")
        def deadly(n: int) -> int:
            if n == 1500:
                os.kill(driver, signal.SIGKILL)
            return n

        frame = frame.withColumn("id", deadly("id"))
    writing.write(frame, "orders", url=url, commit_id=commit_id)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
