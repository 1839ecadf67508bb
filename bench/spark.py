"""Spark in and out of Tidewire, beside Spark JDBC to PostgreSQL and Spark on bare Parquet, in one run.

    .venv-spark/bin/python -m bench.spark                 (make test-spark makes that environment)
    ... --rows 4000000 --rounds 3 --save                  writes bench/spark.md

    read     sum and max of all columns, so that every value is looked at and nothing comes back
    write    the same rows, made by Spark beforehand and kept in its memory, to a fresh table

"native" is `tidewire.spark.Snapshot` and `write`, "format" is `format("tidewire")`. Aims: native read within 1.3 times of
bare Parquet, native write within 1.5 times, both at least 5 times JDBC to PostgreSQL; JDBC to Tidewire on a par with that.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from bench.peers import Peer, postgres_peer, tidewire_peer
from pipeline.spark.session import register, spark_session
from pipeline.spark.snapshot import Snapshot
from pipeline.spark.writing import write
from tests.pipeline import jdbc_driver

COLUMNS = "k bigint {key}, n int, v double precision, name text"
AIMS = {
    "native read": "<= 1.3 x bare Parquet, >= 5 x JDBC to PostgreSQL",
    "native write": "<= 1.5 x bare Parquet, >= 5 x JDBC to PostgreSQL",
    "JDBC read": "on a par with JDBC to PostgreSQL",
    "JDBC write": "on a par with JDBC to PostgreSQL",
}


class Bench:
    """A session, the servers, and the rows that go back and forth."""

    def __init__(self, rows: int, folder: Path, tidewire: Peer, postgres: Peer | None) -> None:
        self.rows, self.folder, self.tidewire, self.postgres = rows, folder, tidewire, postgres
        conf = {"spark.driver.memory": "2g", "spark.sql.shuffle.partitions": "4"}
        jar = jdbc_driver.find()
        self.jdbc = jar is not None
        if jar is not None:
            conf["spark.driver.extraClassPath"] = str(jar)
        self.spark = register(spark_session("bench", conf=conf))
        self.url = f"postgresql://{tidewire.user}@{tidewire.host}:{tidewire.port}/{tidewire.dbname}"
        self.frame = self.spark.range(0, rows, 1, 4).selectExpr(
            "id AS k", "CAST(id % 1000 AS int) AS n", "id / 8.0D AS v", "concat('name ', id % 5000) AS name"
        )
        self.frame.cache()
        self.frame.count()

    def looked_at(self, frame: Any) -> None:
        found = frame.selectExpr("count(*)", "max(k)", "sum(n)", "sum(v)", "max(name)").collect()[0]
        assert found[0] == self.rows and found[1] == self.rows - 1, found

    def fresh(self, peer: Peer, key: str = "") -> None:
        with peer.connect() as client:
            client.execute("DROP TABLE IF EXISTS written")
            client.execute(f"CREATE TABLE written ({COLUMNS.format(key=key)})")  # type: ignore[call-overload]

    def counted(self, peer: Peer) -> None:
        with peer.connect() as client:
            assert client.execute("SELECT count(*) FROM written").fetchone() == (self.rows,)

    # --- reading and writing -------------------------------------------------------------------

    def parquet_write(self) -> None:
        self.frame.write.mode("overwrite").parquet(str(self.folder / "bare"))

    def parquet_read(self) -> None:
        self.looked_at(self.spark.read.parquet(str(self.folder / "bare")))

    def native_write(self) -> None:
        write(self.frame, "written", url=self.url)

    def format_write(self) -> None:
        self.frame.write.format("tidewire").options(url=self.url, table="written").mode("append").save()

    def native_read(self) -> None:
        with Snapshot(self.spark, self.url, "written") as snapshot:
            self.looked_at(snapshot.table("written"))

    def format_read(self) -> None:
        self.looked_at(self.spark.read.format("tidewire").options(url=self.url, table="written").load())

    def _jdbc(self, peer: Peer) -> tuple[str, dict[str, str]]:
        url = f"jdbc:postgresql://{peer.host}:{peer.port}/{peer.dbname}"
        return url, {"user": peer.user, "driver": "org.postgresql.Driver", "reWriteBatchedInserts": "true"}

    def jdbc_write(self, peer: Peer) -> None:
        url, properties = self._jdbc(peer)
        self.frame.write.jdbc(url, "written", "append", properties | {"batchsize": "10000"})

    def jdbc_read(self, peer: Peer) -> None:
        url, properties = self._jdbc(peer)
        frame = self.spark.read.jdbc(
            url,
            "written",
            column="k",
            lowerBound=0,
            upperBound=self.rows,
            numPartitions=4,
            properties=properties | {"fetchsize": "10000"},
        )
        self.looked_at(frame)

    # --- the run -------------------------------------------------------------------------------

    def steps(self) -> Iterator[tuple[str, str, Callable[[], None], Callable[[], None] | None]]:
        """(name, peer, what is timed, what comes before it)."""
        ours = self.tidewire
        yield "bare Parquet write", "parquet", self.parquet_write, None
        yield "bare Parquet read", "parquet", self.parquet_read, None
        yield (
            "native write, primary key",
            "tidewire",
            self.native_write,
            lambda: self.fresh(ours, "PRIMARY KEY"),
        )
        yield "format write", "tidewire", self.format_write, lambda: self.fresh(ours)
        yield "native write", "tidewire", self.native_write, lambda: self.fresh(ours)
        yield "native read", "tidewire", self.native_read, None
        yield "format read", "tidewire", self.format_read, None
        for name, peer in (("tidewire", ours), ("postgres", self.postgres)):
            if peer is not None and self.jdbc:
                yield "JDBC write", name, lambda p=peer: self.jdbc_write(p), lambda p=peer: self.fresh(p)
                yield "JDBC read", name, lambda p=peer: self.jdbc_read(p), lambda p=peer: self.counted(p)


def table(found: dict[tuple[str, str], list[float]]) -> str:
    """Medians in rows per second, and how they stand to bare Parquet and to JDBC to PostgreSQL."""
    medians = {key: statistics.median(values) for key, values in found.items()}
    lines = [
        "| | rows/s | bare Parquet is … times faster | … times JDBC to PostgreSQL | aim |",
        "|---|--:|--:|--:|---|",
    ]
    for (name, peer), rate in medians.items():
        word = "read" if "read" in name else "write"
        bare, other = (
            medians.get((f"bare Parquet {word}", "parquet")),
            medians.get((f"JDBC {word}", "postgres")),
        )
        shown = f"{name}, {peer}" if "JDBC" in name else name
        lines.append(
            f"| {shown} | {rate:,.0f} | {f'{bare / rate:.2f}' if bare else '–'} |"
            f" {f'{rate / other:.2f}' if other else '–'} | {AIMS.get(name, '') if peer == 'tidewire' else ''} |"
        )
    return "\n".join(lines) + "\n"


def main() -> int:
    arguments = argparse.ArgumentParser(prog="bench.spark", description=__doc__)
    arguments.add_argument("--rows", type=int, default=2_000_000)
    arguments.add_argument("--rounds", type=int, default=3)
    arguments.add_argument("--save", action="store_true", help="write bench/spark.md")
    arguments.add_argument("--no-postgres", action="store_true")
    options = arguments.parse_args()
    found: dict[tuple[str, str], list[float]] = {}
    folder = Path(tempfile.mkdtemp(prefix="tidewire-bench-spark-"))
    try:
        with contextlib.ExitStack() as stack:
            ours = stack.enter_context(tidewire_peer())
            theirs = None if options.no_postgres else stack.enter_context(postgres_peer())
            bench = Bench(options.rows, folder, ours, theirs)
            stack.callback(bench.spark.stop)
            for _ in range(options.rounds):
                for name, peer, action, before in bench.steps():
                    if before is not None:
                        before()
                    start = time.perf_counter()
                    action()
                    rate = options.rows / (time.perf_counter() - start)
                    found.setdefault((name, peer), []).append(rate)
                    print(f"{name:28} {peer:10} {rate:14,.0f} rows/s", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    text = table(found)
    print("\n" + text)
    if options.save:
        (Path(__file__).parent / "spark.md").write_text(
            f"# Spark in and out of Tidewire\n\n{options.rows:,} rows of 4 columns, medians of {options.rounds} rounds,"
            f" all in one run.\n\n{text}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
