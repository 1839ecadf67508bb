"""What goes wrong in the middle of a job: the exception has the cause, and no row of the job is there.

One server that asks for passwords, one Spark session; the server is killed and comes back.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.pipeline.spark_case import skip_without_spark, small_session
from tests.server.process import ServerProcess

skip_without_spark()

from pyspark.sql import DataFrame, SparkSession  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402
from pyspark.sql.streaming import DataStreamReader  # noqa: E402

from pipeline.spark.java import java_home  # noqa: E402
from pipeline.spark.snapshot import open_snapshot  # noqa: E402
from pipeline.spark.source import TidewireSource  # noqa: E402
from tidewire.spark import Creation, Snapshot, TidewireError, write  # noqa: E402


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder = tmp_path_factory.mktemp("guarded")
    users = folder / "users"
    users.write_text("tidewire:sesame\n")
    with ServerProcess(folder / "data", "--password-file", str(users), "--no-trust-loopback") as server:
        with server.connect(password="sesame") as client:
            client.execute("CREATE TABLE orders (id int PRIMARY KEY, name text)")
            client.execute("CREATE TABLE kept (id int PRIMARY KEY, name text)")
            client.execute("INSERT INTO kept SELECT i, 'n' || i FROM generate_series(1, 20000) i")
            client.execute("CREATE TABLE doomed AS TABLE kept")
        yield server


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    session = small_session()
    yield session
    session.stop()


def url_of(server: ServerProcess, password: str = "sesame") -> str:
    return f"postgresql://tidewire:{password}@{server.host}:{server.port}/tidewire"


def native(spark: SparkSession, url: str, table: str) -> DataFrame:
    return spark.read.format("tidewire").options(url=url, table=table).load()


def by_format(frame: DataFrame, table: str, url: str) -> None:
    options = {"url": url, "table": table, "create": "true", "primaryKey": "id"}
    frame.write.format("tidewire").options(**options).mode("append").save()


def by_helper(frame: DataFrame, table: str, url: str) -> None:
    write(frame, table, url=url, create=Creation(("id",)))


def fails(action: Callable[[], Any]) -> str:
    with pytest.raises(Exception) as failed:
        action()
    return str(failed.value)


def test_a_wrong_password_is_the_first_that_is_said(spark: SparkSession, guarded: ServerProcess) -> None:
    url = url_of(guarded, "xyzzy")
    frame = spark.range(3).selectExpr("CAST(id AS int) AS id", "'x' AS name")
    for action in (
        lambda: native(spark, url, "kept"),
        lambda: Snapshot(spark, url, "kept"),
        lambda: by_format(frame, "orders", url),
        lambda: by_helper(frame, "orders", url),
    ):
        said = fails(action)
        assert 'password authentication failed for user "tidewire"' in said
        assert "xyzzy" not in said, "a password is nobody's to read"


@pytest.mark.parametrize("put", [by_format, by_helper], ids=["format", "helper"])
@pytest.mark.parametrize("table", ["orders", "made"])
def test_a_server_that_dies_under_a_write(
    spark: SparkSession, guarded: ServerProcess, put: Callable[..., None], table: str
) -> None:
    pid = guarded.pid

    @F.udf("int")
    def deadly(n: int) -> int:
        if n == 700:
            os.kill(pid, signal.SIGKILL)
        return n

    frame = spark.range(0, 1000, 1, 2).selectExpr("CAST(id AS int) AS id", "concat('n', id) AS name")
    try:
        said = fails(lambda: put(frame.withColumn("id", deadly("id")), table, url_of(guarded)))
    finally:
        guarded.kill()
        guarded.start()
    assert "the server cannot be reached" in said and "refused" in said
    with guarded.connect(password="sesame") as client:
        assert client.execute("SELECT count(*), to_regclass('made') FROM orders").fetchone() == (0, None)
    put(frame, table, url_of(guarded))
    with guarded.connect(password="sesame") as client:
        assert client.execute(f"SELECT count(*) FROM {table}").fetchone() == (1000,)
        client.execute("DROP TABLE IF EXISTS made; DELETE FROM orders")


def test_a_hold_that_ends_under_a_scan_is_the_cause(spark: SparkSession, guarded: ServerProcess) -> None:
    """The parts are gone with it: Spark misses a file, and why is said first."""
    with (
        pytest.raises(TidewireError, match="the hold on the snapshot has expired") as failed,
        Snapshot(spark, url_of(guarded), "doomed") as snapshot,
    ):
        frame = snapshot.table("doomed")
        ended(guarded, snapshot._reader)
        for part in snapshot._tables["doomed"]["parts"]:
            os.unlink(guarded.data_dir / "blob" / part["key"])
        frame.selectExpr("count(name)").collect()
    assert "not exist" in str(failed.value.__cause__)


def test_a_hold_that_ended_before_a_task_reads_is_the_cause(guarded: ServerProcess) -> None:
    source = TidewireSource({"url": url_of(guarded), "table": "kept"})
    reader = source.reader(source.schema())
    part = reader.partitions()[0]
    assert source.snapshot is not None
    ended(guarded, source.snapshot["reader"])
    with pytest.raises(TidewireError, match="the hold on the snapshot has expired"):
        list(reader.read(part))


def ended(server: ServerProcess, reader: str) -> None:
    """As when the driver and all tasks had been silent for longer than the lease."""
    with server.connect(password="sesame") as client:
        client.execute("SELECT tidewire_close_snapshot(%s)", [reader])


def test_a_blob_store_that_tasks_do_not_see(spark: SparkSession, guarded: ServerProcess) -> None:
    """The table's parts are somewhere else while the job runs."""
    frame = native(spark, url_of(guarded), "kept")
    parts = open_snapshot(url_of(guarded), ["kept"])["tables"][0]["parts"]
    places = [guarded.data_dir / "blob" / part["key"] for part in parts]
    for place in places:
        place.rename(f"{place}.away")
    try:
        said = fails(frame.collect)
    finally:
        for place in places:
            Path(f"{place}.away").rename(place)
    assert "this machine does not see the server's blob store" in said
    assert "Traceback" not in said
    assert frame.count() == 20000


# --- what Spark's exception begins with ----------------------------------------------------------


def appended(frame: DataFrame, table: str, url: str) -> None:
    frame.write.format("tidewire").options(url=url, table=table).mode("append").save()


def feed(spark: SparkSession, url: str, **options: str) -> DataStreamReader:
    return spark.readStream.format("tidewire").options(url=url, table="kept", changes="true", **options)


def causes(spark: SparkSession, url: str, checkpoint: Path) -> dict[str, tuple[Callable[[], Any], str]]:
    """What somebody does, and what the first lines of the exception are to say."""
    misfit = spark.range(3).selectExpr("true AS id", "'x' AS label")
    fits = spark.range(1, 2).selectExpr("CAST(id AS int) AS id", "'x' AS name")
    wrong, gone = url.replace("sesame", "xyzzy"), "postgresql://tidewire@127.0.0.1:1/tidewire"
    past = {"url": url, "table": "kept", "asOf": "2001-01-01 00:00+00"}
    return {
        "unknown table, read": (lambda: native(spark, url, "nope"), 'relation "nope" does not exist'),
        "unknown table, written": (lambda: appended(fits, "nope", url), 'relation "nope" does not exist'),
        "columns that do not fit": (
            lambda: appended(misfit, "kept", url),
            "the data do not fit table public.kept:\n"
            '  column "id" is of type integer, the data are boolean\n'
            '  column "label" does not exist in table "kept"\n'
            '  column "name" of table "kept" is missing in the data',
        ),
        "a key that is there": (
            lambda: appended(fits, "kept", url),
            'duplicate key value violates unique constraint "kept_pkey"\nDETAIL: Key (id)=(1) already exists.',
        ),
        "wrong password": (
            lambda: native(spark, wrong, "kept"),
            'password authentication failed for user "tidewire"',
        ),
        "no server": (lambda: native(spark, gone, "kept"), "Connection refused"),
        "history that is gone": (
            lambda: spark.read.format("tidewire").options(**past).load(),
            "(SQLSTATE 22023)",
        ),
        "a change feed of nothing": (
            lambda: spark.readStream.format("tidewire").options(url=url, table="nope", changes="true").load(),
            'relation "nope" does not exist',
        ),
        "a stream of a table": (
            lambda: (
                spark.readStream.format("tidewire")
                .options(url=url, table="kept")
                .load()
                .writeStream.format("noop")
                .start()
                .awaitTermination(60)
            ),
            '.option("changes", "true")',
        ),
        "an option misspelt, read": (
            lambda: spark.read.format("tidewire").options(url=url, table="kept", as0f="2001-01-01").load(),
            'option "as0f" is not known; did you mean "asOf"?',
        ),
        "an option misspelt, written": (
            lambda: (
                fits.write.format("tidewire")
                .options(url=url, table="kept", comitId="once")
                .mode("append")
                .save()
            ),
            'option "comitid" is not known; did you mean "commitId"?',
        ),
        "an option misspelt, streamed from": (
            lambda: feed(spark, url, startFrom="latest").load(),
            'option "startfrom" is not known; did you mean "startingFrom"?',
        ),
        "an option misspelt, of a stream with a schema": (
            lambda: (
                feed(spark, url, startFrom="latest")
                .schema("_change string, _commit_ts long, id int, name string")
                .load()
                .writeStream.format("noop")
                .start()
                .awaitTermination(60)
            ),
            'option "startfrom" is not known; did you mean "startingFrom"?',
        ),
        "an option misspelt, streamed to": (
            lambda: (
                feed(spark, url)
                .load()
                .select("id", "name")
                .writeStream.format("tidewire")
                .options(url=url, table="kept", moed="upsert", checkpointLocation=str(checkpoint))
                .start()
                .awaitTermination(60)
            ),
            'option "moed" is not known; did you mean "mode"?',
        ),
        "an option of another door": (
            lambda: (
                fits.write.format("tidewire")
                .options(url=url, table="kept", asOf="2001-01-01")
                .mode("append")
                .save()
            ),
            'option "asOf" is for read, not for write',
        ),
        "a table of Spark's catalog": (
            lambda: spark.sql(f"CREATE TABLE remembered USING tidewire OPTIONS (url '{url}', table 'kept')"),
            "CREATE TEMPORARY VIEW ... USING tidewire OPTIONS (...) keeps them",
        ),
        "a schema of other columns": (
            lambda: (
                spark.read.format("tidewire")
                .options(url=url, table="kept")
                .schema("id string, nmae string")
                .load()
                .collect()
            ),
            "the schema is not that of table public.kept:\n"
            '  column "id" is int in Spark, not string\n'
            '  column "nmae" does not exist in table "kept"',
        ),
    }


def test_the_cause_comes_before_any_traceback(
    spark: SparkSession, guarded: ServerProcess, tmp_path: Path
) -> None:
    for what, (action, cause) in causes(spark, url_of(guarded), tmp_path / "checkpoint").items():
        said = fails(action)
        assert cause in said, what
        assert "TidewireError: " in said.splitlines()[0], f"{what}: {said}"
        assert "Traceback" not in said and 'File "' not in said, f"{what}: {said}"


def test_other_functions_keep_their_tracebacks(spark: SparkSession, guarded: ServerProcess) -> None:
    @F.udf("int")
    def mistaken(n: int) -> int:
        raise ValueError(f"not {n}")

    said = fails(lambda: native(spark, url_of(guarded), "nope"))
    assert "Traceback" not in said
    said = fails(native(spark, url_of(guarded), "kept").select(mistaken("id")).collect)
    assert "Traceback" in said and "mistaken" in said and "ValueError: not" in said


def test_tasks_run_on_the_python_of_the_program_which_path_need_not_know() -> None:
    program = """
from pyspark.sql import SparkSession
from tidewire.spark import register

spark = register(SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate())
spark.read.format("tidewire").options(url="postgresql://tidewire@127.0.0.1:1/tidewire", table="t").load()
"""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYSPARK_")}
    path = os.pathsep.join(
        folder
        for folder in environment["PATH"].split(os.pathsep)
        if Path(folder).resolve() != Path(sys.executable).parent.resolve()
    )
    ran = subprocess.run(
        [sys.executable, "-c", program],
        check=False,
        env=environment | {"PATH": path, "JAVA_HOME": java_home() or environment.get("JAVA_HOME", "")},
        capture_output=True,
        text=True,
        timeout=240,
    )
    assert "port 1 failed" in ran.stderr and "ModuleNotFoundError" not in ran.stderr
