"""Spark in and out of Tidewire, beside Spark JDBC to PostgreSQL and Spark on bare Parquet, in one run.

    .venv-spark/bin/python -m bench.spark                 (make test-spark makes that environment)
    ... --rows 8000000 --rounds 5 --save                  writes bench/spark.md and bench/spark.json

    read     sum and max of all columns, so that every value is looked at and nothing comes back
    write    the same rows, made by Spark beforehand and kept in its memory, to a fresh table

JDBC moves the first eighth of the rows: it is that much slower. What warms up the JVM and the servers is a round of its own
that does not count. What is compared with each other has to see the same machine, and a JVM that is as warm: so a round
goes there and back, with the other steps in between, once, in turns from either end.

    bare  native  JDBC: tidewire postgres postgres tidewire  |  others  |  JDBC: t p p t  native  bare

"native" is `tidewire.spark.Snapshot` and `write`, "format" is `format("tidewire")`. Aims: native read within 1.3 times of
bare Parquet, native write within 1.5 times, both at least 5 times JDBC to PostgreSQL; JDBC to Tidewire on a par with that.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import platform
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
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


ORDER = (
    "bare Parquet write", "bare Parquet read", "native write", "native read", "native read after updates",
    "native write, primary key", "format write", "format read",
    "JDBC write", "JDBC read", "JDBC write, a row a statement",
)  # fmt: skip
"""Of the table's lines."""

JDBC_SHARE = 8


@dataclass(frozen=True)
class Step:
    """Something that is timed, and what comes before it."""

    name: str
    peer: str
    rows: int
    action: Callable[[], None]
    before: Callable[[], None] | None = None


class Bench:
    """A session, the servers, and the rows that go back and forth."""

    def __init__(self, rows: int, folder: Path, tidewire: Peer, postgres: Peer | None) -> None:
        self.rows, self.folder, self.tidewire, self.postgres = rows, folder, tidewire, postgres
        self.few = max(rows // JDBC_SHARE, 1)
        conf = {"spark.driver.memory": "3g", "spark.sql.shuffle.partitions": "4"}
        jar = jdbc_driver.find()
        self.jdbc = jar is not None
        if jar is not None:
            conf["spark.driver.extraClassPath"] = str(jar)
        self.spark = register(spark_session("bench", conf=conf))
        self.url = f"postgresql://{tidewire.user}@{tidewire.host}:{tidewire.port}/{tidewire.dbname}"
        self.frame, self.few_frame = self._made(rows), self._made(self.few)

    def _made(self, rows: int) -> Any:
        frame = self.spark.range(0, rows, 1, 4).selectExpr(
            "id AS k", "CAST(id % 1000 AS int) AS n", "id / 8.0D AS v", "concat('name ', id % 5000) AS name"
        )
        frame.cache()
        assert frame.count() == rows
        return frame

    def looked_at(self, frame: Any, rows: int) -> None:
        found = frame.selectExpr("count(*)", "max(k)", "sum(n)", "sum(v)", "max(name)").collect()[0]
        assert found[0] == rows and found[1] == rows - 1, found

    def fresh(self, peer: Peer, table: str, key: str = "") -> None:
        with peer.connect() as client:
            client.execute(f"DROP TABLE IF EXISTS {table}")  # type: ignore[call-overload]
            client.execute(f"CREATE TABLE {table} ({COLUMNS.format(key=key)})")  # type: ignore[call-overload]

    # --- reading and writing -------------------------------------------------------------------

    def parquet_write(self) -> None:
        self.frame.write.mode("overwrite").parquet(str(self.folder / "bare"))

    def parquet_read(self) -> None:
        self.looked_at(self.spark.read.parquet(str(self.folder / "bare")), self.rows)

    def native_write(self, table: str) -> None:
        write(self.frame, table, url=self.url)

    def format_write(self) -> None:
        self.frame.write.format("tidewire").options(url=self.url, table="formatted").mode("append").save()

    def native_read(self, table: str) -> None:
        with Snapshot(self.spark, self.url, table) as snapshot:
            self.looked_at(snapshot.table(table), self.rows)

    def format_read(self) -> None:
        frame = self.spark.read.format("tidewire").options(url=self.url, table="formatted").load()
        self.looked_at(frame, self.rows)

    def settled(self) -> None:
        """One row in a hundred goes, and comes back: what reads then is parts and deletions of parts."""
        with self.tidewire.connect() as client:
            client.execute("UPDATE native SET v = v WHERE k % 100 = 7")

    def _jdbc(self, peer: Peer, rewritten: bool = True) -> tuple[str, dict[str, str]]:
        url = f"jdbc:postgresql://{peer.host}:{peer.port}/{peer.dbname}"
        driver = {"user": peer.user, "driver": "org.postgresql.Driver"}
        return url, driver | {"reWriteBatchedInserts": str(rewritten).lower()}

    def jdbc_write(self, peer: Peer, rewritten: bool) -> None:
        """Statements of many rows, which the driver makes if asked (`rewritten`), or Spark's own of one row each."""
        url, properties = self._jdbc(peer, rewritten)
        self.few_frame.write.jdbc(url, "moved", "append", properties | {"batchsize": "10000"})

    def jdbc_read(self, peer: Peer) -> None:
        url, properties = self._jdbc(peer)
        frame = self.spark.read.jdbc(
            url,
            "moved",
            column="k",
            lowerBound=0,
            upperBound=self.few,
            numPartitions=4,
            properties=properties | {"fetchsize": "10000"},
        )
        self.looked_at(frame, self.few)

    # --- the run -------------------------------------------------------------------------------

    def often(self) -> list[list[Step]]:
        """What has an aim and what it is measured by, every read after the write that it needs."""
        ours, rows = self.tidewire, self.rows
        made = [
            [
                Step("bare Parquet write", "parquet", rows, self.parquet_write),
                Step("bare Parquet read", "parquet", rows, self.parquet_read),
            ],
            [
                Step(
                    "native write", "tidewire", rows,
                    lambda: self.native_write("native"), lambda: self.fresh(ours, "native"),
                ),
                Step("native read", "tidewire", rows, lambda: self.native_read("native")),
                Step(
                    "native read after updates", "tidewire", rows,
                    lambda: self.native_read("native"), self.settled,
                ),
            ],
        ]  # fmt: skip
        moved = [
            [
                Step(
                    "JDBC write", peer.name, self.few,
                    partial(self.jdbc_write, peer, True), partial(self.fresh, peer, "moved"),
                ),
                Step("JDBC read", peer.name, self.few, partial(self.jdbc_read, peer)),
            ]
            for peer in self._over_jdbc()
        ]  # fmt: skip
        return [*made, *moved, *reversed(moved)]

    def others(self) -> list[list[Step]]:
        ours, rows = self.tidewire, self.rows
        made = [
            [
                Step(
                    "native write, primary key", "tidewire", rows,
                    lambda: self.native_write("keyed"), lambda: self.fresh(ours, "keyed", "PRIMARY KEY"),
                ),
            ],
            [
                Step(
                    "format write", "tidewire", rows,
                    self.format_write, lambda: self.fresh(ours, "formatted"),
                ),
                Step("format read", "tidewire", rows, self.format_read),
            ],
        ]  # fmt: skip
        for peer in self._over_jdbc():
            write, fresh = partial(self.jdbc_write, peer, False), partial(self.fresh, peer, "moved")
            made.append([Step("JDBC write, a row a statement", peer.name, self.few, write, fresh)])
        return made

    def _over_jdbc(self) -> list[Peer]:
        return [peer for peer in (self.tidewire, self.postgres) if peer is not None and self.jdbc]

    def round(self, backwards: bool) -> Iterator[tuple[Step, float]]:
        """Each step and its rows per second. The others go the other way round if asked."""
        often, others = self.often(), self.others()
        groups = [*often, *(reversed(others) if backwards else others), *reversed(often)]
        for step in [step for group in groups for step in group]:
            if step.before is not None:
                step.before()
            start = time.perf_counter()
            step.action()
            yield step, step.rows / (time.perf_counter() - start)


def table(found: dict[tuple[str, str], list[float]]) -> str:
    """Medians in rows per second, and how they stand to bare Parquet and to JDBC to PostgreSQL."""
    places = {name: n for n, name in enumerate(ORDER)}
    ordered = sorted(found.items(), key=lambda x: (x[0][1] == "postgres", places[x[0][0]]))
    medians = {key: statistics.median(values) for key, values in ordered}
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
    arguments.add_argument("--rows", type=int, default=8_000_000)
    arguments.add_argument("--rounds", type=int, default=5)
    arguments.add_argument("--save", action="store_true", help="write bench/spark.md and bench/spark.json")
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
            for number in range(options.rounds + 1):
                print("warming up" if number == 0 else f"round {number}", flush=True)
                for step, rate in bench.round(backwards=number % 2 == 0):
                    if number:
                        found.setdefault((step.name, step.peer), []).append(rate)
                    print(f"{step.name:28} {step.peer:10} {rate:14,.0f} rows/s", flush=True)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    text = table(found)
    print("\n" + text)
    if options.save:
        save(options.rows, options.rounds, found, text)
    return 0


def save(rows: int, rounds: int, found: dict[tuple[str, str], list[float]], text: str) -> None:
    """bench/spark.md for people, bench/spark.json with every figure."""
    home = Path(__file__).parent
    about = f"{rows:,} rows of 4 columns ({rows // JDBC_SHARE:,} over JDBC), medians of {rounds} rounds (there and back) after one to warm up"
    machine = f"{os.cpu_count()} cores, {platform.platform()}"
    (home / "spark.md").write_text(
        f"# Spark in and out of Tidewire\n\n{about}, all in one run on {machine}, Spark in one process beside the servers."
        f" `python -m bench.spark --save` writes this.\n\n{text}"
    )
    steps = [
        {"step": name, "peer": peer, "rows_per_s": [round(r) for r in rates]}
        for (name, peer), rates in found.items()
    ]
    said = {
        "rows": rows,
        "jdbc_rows": rows // JDBC_SHARE,
        "rounds": rounds,
        "machine": machine,
        "steps": steps,
    }
    (home / "spark.json").write_text(json.dumps(said, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
