"""Tables in Spark: read as native parts at one timestamp, written as parts in one transaction."""

from __future__ import annotations

import datetime
import threading
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import psycopg
import pyarrow.parquet as pq
import pytest

from tests.pipeline.spark_case import skip_without_spark, small_session
from tests.server.process import ServerProcess

skip_without_spark()

from pyspark.sql import DataFrame, SparkSession  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402
from pyspark.sql import types as T  # noqa: E402

from pipeline.spark import blobs, commits  # noqa: E402
from pipeline.spark.source import Staged, TableWriter  # noqa: E402
from pipeline.spark.writing import describe  # noqa: E402
from tidewire.spark import Creation, Snapshot, TidewireError, Write, write, write_tables  # noqa: E402

Client = psycopg.Connection[Any]

HANG_S = 300

TYPED = """
CREATE TABLE typed (id int PRIMARY KEY, s int2, b bigint, f4 float4, f8 float8, n numeric(12,3), nn numeric, t text,
  v varchar(20), c char(5), bo boolean, by bytea, d date, ti time, ts timestamp, tz timestamptz, u uuid, j json,
  jb jsonb, iv interval, ia int[], ta text[], na numeric(5,2)[]);
INSERT INTO typed VALUES (1, 2, 3, 1.5, 2.25, 12.345, 1.10, 'text', 'var', 'c', true, '\\xdeadbeef', '2024-02-29',
  '12:34:56.789', '2024-02-29 12:34:56.123456', '2024-02-29 12:34:56.123456+00', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
  '{"a": 1}', '{"b": [1,2]}', '1 mon 2 days 03:04:05', '{1,2,NULL}', '{a,"b c"}', '{1.25}');
INSERT INTO typed (id) VALUES (2);
"""


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    session = small_session()
    yield session
    session.stop()


@pytest.fixture(scope="module", autouse=True)
def tables(server: ServerProcess) -> None:
    with server.connect() as client:
        client.execute(TYPED)
        client.execute("CREATE TABLE big (k bigint PRIMARY KEY, v float8, name text)")
        client.execute("INSERT INTO big SELECT i, i * 0.5, 'n' || i FROM generate_series(1, 60000) i")
        client.execute("DELETE FROM big WHERE k % 10 = 0")
        client.execute("UPDATE big SET v = -1 WHERE k < 100")
        client.execute("ALTER TABLE big RENAME name TO label")
        client.execute("ALTER TABLE big ADD more int")
        client.execute("INSERT INTO big VALUES (1000000, 1, 'late', 5)")


@pytest.fixture
def orders(client: Client) -> Iterator[str]:
    client.execute("DROP TABLE IF EXISTS orders")
    client.execute(
        "CREATE TABLE orders (id int PRIMARY KEY, name text NOT NULL, total numeric(10,2) DEFAULT 1, CHECK (total < 1000))"
    )
    yield "orders"
    client.execute("DROP TABLE orders")


def native(spark: SparkSession, url: str, table: str, **options: Any) -> DataFrame:
    made = spark.read.format("tidewire").option("url", url).option("table", table)
    return made.options(**options).load()


def rows(client: Client, query: str) -> list[tuple[Any, ...]]:
    return client.execute(query).fetchall()


def new_orders(spark: SparkSession, first: int, count: int, partitions: int = 3) -> DataFrame:
    return spark.range(first, first + count, 1, partitions).select(
        F.col("id").cast("int").alias("id"),
        F.concat(F.lit("n"), F.col("id")).alias("name"),
        (F.col("id") / 100).cast("decimal(10,2)").alias("total"),
    )


def fails(action: Any) -> str:
    with pytest.raises(Exception) as failed:
        action()
    return str(failed.value)


# --- reading -------------------------------------------------------------------------------------


def test_both_doors_read_every_type(spark: SparkSession, url: str) -> None:
    types = (
        "struct<id:int,s:smallint,b:bigint,f4:float,f8:double,n:decimal(12,3),nn:string,t:string,v:string,c:string,"
        "bo:boolean,by:binary,d:date,ti:string,ts:timestamp_ntz,tz:timestamp,u:string,j:string,jb:string,"
        "iv:struct<months:int,days:int,micros:bigint>,ia:string,ta:string,na:string>"
    )
    with Snapshot(spark, url, "typed") as snapshot:
        for frame in (native(spark, url, "typed"), snapshot.table("typed")):
            assert frame.schema.simpleString() == types
            one, two = frame.orderBy("id").collect()
            assert set(two) == {2, None}
            assert one[1:13] == (
                2, 3, 1.5, 2.25, Decimal("12.345"), "1.10", "text", "var", "c    ", True, b"\xde\xad\xbe\xef",
                datetime.date(2024, 2, 29),
            )  # fmt: skip
            assert (one.ti, one.ts) == ("12:34:56.789", datetime.datetime(2024, 2, 29, 12, 34, 56, 123456))
            assert one.u == "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"
            assert (one.j, one.jb, tuple(one.iv)) == ('{"a": 1}', '{"b": [1, 2]}', (1, 2, 11_045_000_000))
            assert (one.ia, one.ta, one.na) == ("{1,2,NULL}", '{a,"b c"}', "{1.25}")
            instant = frame.where("id = 1").select(F.unix_micros("tz")).collect()[0][0]
            assert instant == 1709210096123456


def test_the_end_of_a_day_is_its_text(spark: SparkSession, url: str, client: Client) -> None:
    client.execute("CREATE TABLE clock (id int, ti time)")
    client.execute("INSERT INTO clock VALUES (1, '24:00'), (2, '00:00'), (3, NULL), (4, '23:59:59.5')")
    assert [row.ti for row in native(spark, url, "clock").orderBy("id").collect()] == [
        "24:00:00", "00:00:00", None, "23:59:59.5"
    ]  # fmt: skip
    client.execute("DROP TABLE clock")


@pytest.mark.parametrize("kind", ["money", "money[]", "pg_lsn", "tid"])
def test_types_whose_numbers_are_not_their_texts_are_refused(
    spark: SparkSession, url: str, client: Client, kind: str
) -> None:
    client.execute(f"CREATE TABLE odd (id int, what {kind})")
    frame = spark.range(1).selectExpr("CAST(id AS int) AS id", "'1' AS what")
    said = f'column "what" of type {kind.removesuffix("[]")} is not supported by Spark'
    for attempt in (
        lambda: Snapshot(spark, url, "odd").table("odd"),
        lambda: native(spark, url, "odd"),
        lambda: write(frame, "odd", url=url),
        lambda: by_format(frame, "odd", url, "append"),
    ):
        assert said in fails(attempt)
    assert rows(client, "SELECT count(*) FROM odd") == [(0,)]
    client.execute("DROP TABLE odd")


def test_updates_deletions_and_altered_columns_are_seen(
    spark: SparkSession, url: str, client: Client
) -> None:
    expected = rows(client, "SELECT count(*), sum(k), sum(v), count(more), max(label) FROM big")[0]
    aggregates = ["count(*)", "sum(k)", "sum(v)", "count(more)", "max(label)"]
    with Snapshot(spark, url, ["big"]) as snapshot:
        for frame in (native(spark, url, "big"), snapshot.table("big")):
            assert tuple(frame.selectExpr(*aggregates).collect()[0]) == expected
            assert frame.where("k < 12").orderBy("k").select("k", "v").collect() == [
                (k, -1.0) for k in range(1, 12) if k != 10
            ]
            assert [tuple(r) for r in frame.where("more = 5").collect()] == [(1000000, 1.0, "late", 5)]


@pytest.mark.parametrize("broadcast_rows_max", [0, 4_000_000])
def test_deletions_of_files_that_lie_as_they_were_written(
    spark: SparkSession, url: str, client: Client, monkeypatch: pytest.MonkeyPatch, broadcast_rows_max: int
) -> None:
    """Whole words of 64 rows, their first and last bits, rows across files; as bits for all tasks, and as a join."""
    monkeypatch.setattr("pipeline.spark.snapshot.BROADCAST_ROWS_MAX", broadcast_rows_max)
    client.execute("CREATE TABLE lain (k bigint, t text)")
    frame = spark.range(0, 3000, 1, 3).selectExpr("id AS k", "concat('t', id) AS t")
    write(frame, "lain", url=url)
    with Snapshot(spark, url, "lain") as before:
        client.execute("DELETE FROM lain WHERE k BETWEEN 900 AND 1100 OR k % 64 IN (0, 63) OR k IN (0, 2999)")
        client.execute("UPDATE lain SET t = 'anew' WHERE k = 5")
        client.execute("DELETE FROM lain WHERE k = 7")
        expected = rows(client, "SELECT k, t FROM lain ORDER BY k")
        with Snapshot(spark, url, "lain") as snapshot:
            found = snapshot.table("lain").orderBy("k").collect()
            assert [tuple(r) for r in found] == expected and (5, "anew") in expected
            assert snapshot.table("lain").where("k > 2000").count() == sum(k > 2000 for k, _ in expected)
        assert before.table("lain").count() == 3000
    client.execute("DROP TABLE lain")


def test_the_read_helper_is_sparks_own_scan_with_pruning_and_pushdown(spark: SparkSession, url: str) -> None:
    with Snapshot(spark, url, "typed") as snapshot:
        plan = snapshot.table("typed").where("id > 1").select("t")._jdf.queryExecution().toString()
        assert "Format: Parquet" in plan
        assert "PushedFilters: [IsNotNull(c1), GreaterThan(c1,1)]" in plan
        assert "ReadSchema: struct<c1:int,c8:string>" in plan


def test_all_tables_and_tasks_see_one_timestamp(spark: SparkSession, url: str, client: Client) -> None:
    client.execute(
        "CREATE TABLE a (n int); CREATE TABLE b (n int); INSERT INTO a VALUES (1); INSERT INTO b VALUES (1)"
    )
    frame = native(spark, url, "a")
    with Snapshot(spark, url, ["a", "b"]) as snapshot:
        client.execute("BEGIN; INSERT INTO a VALUES (2); INSERT INTO b VALUES (2); COMMIT")
        client.execute("DELETE FROM a WHERE n = 1")
        assert [r.n for r in snapshot.table("a").collect()] == [1]
        assert [r.n for r in snapshot.table("b").collect()] == [1]
        assert [r.n for r in native(spark, url, "a", asOf=str(snapshot.as_of)).collect()] == [1]
        assert [r.n for r in frame.collect()] == [1], "pinned when it was made"
        with Snapshot(spark, url, "a", as_of=snapshot.as_of) as again:
            assert again.table("a").count() == 1
    assert [r.n for r in native(spark, url, "a").collect()] == [2]
    client.execute("DROP TABLE a; DROP TABLE b")


def test_columns_can_be_chosen_and_filters_reach_the_source(spark: SparkSession, url: str) -> None:
    frame = native(spark, url, "big", columns="k, label")
    assert frame.columns == ["k", "label"]
    found = frame.where("k > 59990 AND label LIKE 'n5999%' AND k IN (59991, 59995, 60000)").orderBy("k")
    assert [r.k for r in found.collect()] == [59991, 59995]
    assert "no column nobody" in fails(lambda: native(spark, url, "big", columns="nobody"))


def test_an_empty_table(spark: SparkSession, url: str, client: Client) -> None:
    client.execute("CREATE TABLE empty (k int, t text)")
    with Snapshot(spark, url, "empty") as snapshot:
        assert snapshot.table("empty").collect() == native(spark, url, "empty").collect() == []
        assert snapshot.table("empty").schema.simpleString() == "struct<k:int,t:string>"
    client.execute("DROP TABLE empty")


# --- writing -------------------------------------------------------------------------------------


def by_format(frame: DataFrame, table: str, url: str, mode: str) -> None:
    writer = frame.write.format("tidewire").option("url", url).option("table", table)
    if mode in ("upsert", "delete"):
        writer.option("mode", mode).mode("append").save()
    else:
        writer.mode(mode).save()


def by_helper(frame: DataFrame, table: str, url: str, mode: str) -> None:
    write(frame, table, url=url, mode=mode)


DOORS = pytest.mark.parametrize("put", [by_format, by_helper], ids=["format", "helper"])


def test_what_is_staged_is_parts_and_nothing_beside_them(
    spark: SparkSession, server: ServerProcess, url: str, client: Client
) -> None:
    """Where the files are local: no checksums beside them, no mark of success; dictionaries for texts only."""
    staging = server.data_dir / "blob" / "staging"
    before = set(staging.rglob("*"))
    client.execute('CREATE TABLE plain (n int, "a.b#c" bigint, v float8, d date, label text)')
    frame = spark.range(0, 1000, 1, 2).selectExpr(
        "CAST(id % 3 AS int) AS n", "id % 5 AS `a.b#c`", "id / 8.0D AS v", "DATE'2026-11-23' AS d",
        "concat('l', id % 4) AS label",
    )  # fmt: skip
    write(frame, "plain", url=url)
    made = [path for path in set(staging.rglob("*")) - before if path.is_file()]
    assert [path.suffix for path in made] == [".parquet"] * 2
    for path in made:
        group = pq.ParquetFile(path).metadata.row_group(0)
        columns = {group.column(i).path_in_schema: group.column(i) for i in range(5)}
        assert {n for n, c in columns.items() if c.has_dictionary_page} <= {"label", "a.b#c"}
        assert columns["label"].has_dictionary_page and columns["n"].statistics.has_min_max
        assert {c.compression for c in columns.values()} == {"LZ4"}
    counted = 'SELECT count(*), sum(n), sum("a.b#c"), sum(v), min(d)::text, count(DISTINCT label) FROM plain'
    assert rows(client, counted) == [(1000, 999, 2000, 62437.5, "2026-11-23", 4)]
    with Snapshot(spark, url, "plain") as snapshot:
        assert snapshot.table("plain").exceptAll(frame).count() == 0
    client.execute("DROP TABLE plain")


@DOORS
def test_pages_of_any_size_and_kind_come_back(
    spark: SparkSession, url: str, client: Client, put: Any
) -> None:
    """Megabytes in one value, what cannot be compressed and what is nearly nothing, large dictionaries."""
    client.execute("CREATE TABLE paged (k bigint, large text, noise bytea, word text, same text)")
    frame = spark.range(0, 60_000, 1, 2).selectExpr(
        "id AS k",
        "CASE WHEN id % 10000 = 1 THEN repeat(sha2(CAST(id AS string), 256), 50000) END AS large",
        "unhex(sha2(CAST(id AS string), 512)) AS noise",
        "sha2(CAST(id % 20000 AS string), 256) AS word",
        "repeat('x', 200) AS same",
    )
    put(frame, "paged", url, "append")
    looked_at = "SELECT count(*), count(large), sum(length(large)), min(md5(large)), min(md5(noise)), max(word) FROM paged"
    expected = frame.selectExpr(
        "count(*)", "count(large)", "sum(length(large))", "min(md5(large))", "min(md5(noise))", "max(word)"
    ).collect()
    with Snapshot(spark, url, "paged") as snapshot:
        table = snapshot.table("paged")
        assert table.where("word = sha2('7', 256)").count() == 3
        assert table.exceptAll(frame).count() == 0 and table.count() == 60_000
    assert native(spark, url, "paged").exceptAll(frame).count() == 0
    assert rows(client, looked_at) == [tuple(expected[0])]
    client.execute("DROP TABLE paged")


@DOORS
def test_append_overwrite_upsert_and_delete(
    spark: SparkSession, url: str, client: Client, orders: str, put: Any
) -> None:
    put(new_orders(spark, 0, 300), orders, url, "append")
    assert rows(client, "SELECT count(*), min(name), max(total) FROM orders") == [
        (300, "n0", Decimal("2.99"))
    ]
    put(new_orders(spark, 1000, 10), orders, url, "overwrite")
    assert rows(client, "SELECT count(*), min(id) FROM orders") == [(10, 1000)]
    changed = new_orders(spark, 1005, 10).select("id", F.lit("new").alias("name"))
    put(changed, orders, url, "upsert")
    fresh = rows(client, "SELECT count(*), sum(total) FROM orders WHERE name = 'new'")
    assert fresh == [(10, sum(Decimal(i) / 100 for i in range(1005, 1010)) + 5)]
    assert rows(client, "SELECT count(*) FROM orders") == [(15,)]
    put(changed.select("id"), orders, url, "delete")
    assert rows(client, "SELECT array_agg(id ORDER BY id) FROM orders") == [([1000, 1001, 1002, 1003, 1004],)]
    assert native(spark, url, orders).count() == 5


@DOORS
@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ("IF(id = 5, 4, id) AS id, name, total", "duplicate key value violates unique constraint"),
        ("id, IF(id = 5, NULL, name) AS name, total", 'null value in column "name"'),
        ("id, name, CAST(5000 AS decimal(10,2)) AS total", "violates check constraint"),
    ],
    ids=["key", "not null", "check"],
)
def test_a_constraint_fails_the_whole_write_with_the_servers_words(
    spark: SparkSession, url: str, client: Client, orders: str, put: Any, wrong: str, words: str
) -> None:
    frame = new_orders(spark, 0, 50).selectExpr(*[c.strip() for c in _split(wrong)])
    assert words in fails(lambda: put(frame, orders, url, "append"))
    assert words in fails(lambda: put(frame, orders, url, "overwrite"))
    assert rows(client, "SELECT count(*) FROM orders") == [(0,)]


def _split(expressions: str) -> list[str]:
    """At commas outside parentheses."""
    out, depth = [""], 0
    for c in expressions:
        depth += (c == "(") - (c == ")")
        if c == "," and not depth:
            out.append("")
        else:
            out[-1] += c
    return out


@DOORS
def test_a_schema_that_does_not_fit_names_each_column(
    spark: SparkSession, url: str, orders: str, put: Any
) -> None:
    frame = spark.range(3).selectExpr("CAST(id AS string) AS id", "true AS total", "1 AS nobody")
    said = fails(lambda: put(frame, orders, url, "append"))
    for line in (
        'column "id" is of type integer, the data are string',
        'column "total" is of type numeric(10,2), the data are boolean',
        'column "nobody" does not exist in table "orders"',
        'column "name" of table "orders" is missing in the data',
    ):
        assert line in said


@DOORS
def test_every_type_goes_in_as_it_came_out(spark: SparkSession, url: str, client: Client, put: Any) -> None:
    client.execute("CREATE TABLE copied (LIKE typed INCLUDING ALL)")
    put(
        native(spark, url, "typed").where("id < 3").withColumn("iv", F.lit("1 mon 2 days 03:04:05")),
        "copied",
        url,
        "append",
    )
    client.execute("UPDATE copied SET iv = NULL WHERE id = 2")
    columns = "id,s,b,f4,f8,n,nn,t,v,c,bo,by,d,ti,ts,tz,u,j::text,jb,iv,ia,ta,na"
    there, here = (rows(client, f"SELECT {columns} FROM {name} ORDER BY id") for name in ("typed", "copied"))
    assert here == there
    client.execute("DROP TABLE copied")


def test_several_tables_at_one_timestamp_or_none(
    spark: SparkSession, url: str, client: Client, orders: str
) -> None:
    client.execute("CREATE TABLE items (k int PRIMARY KEY)")
    before = int(rows(client, "SELECT pg_export_snapshot()")[0][0].partition("-")[0], 16)
    good, twice = spark.range(5).selectExpr("CAST(id AS int) AS k"), spark.range(5).selectExpr("1 AS k")
    said = fails(
        lambda: write_tables([Write(new_orders(spark, 0, 5), orders), Write(twice, "items")], url=url)
    )
    assert said.startswith("duplicate key value violates unique constraint")
    assert rows(client, "SELECT count(*) FROM orders") == [(0,)]
    write_tables([Write(new_orders(spark, 0, 5), orders), Write(good, "items")], url=url)
    with Snapshot(spark, url, [orders, "items"]) as snapshot:
        assert (snapshot.table(orders).count(), snapshot.table("items").count()) == (5, 5)
    stamps = "SELECT DISTINCT _commit_ts FROM tidewire_changes('{}', {}, NULL)"
    found = [rows(client, stamps.format(name, before)) for name in (orders, "items")]
    assert found[0] == found[1] and len(found[0]) == 1
    client.execute("DROP TABLE items")


def test_a_write_with_a_commit_id_happens_once(
    spark: SparkSession, url: str, client: Client, orders: str
) -> None:
    for _ in range(2):
        write(new_orders(spark, 0, 5), orders, url=url, commit_id="monday")
        new_orders(spark, 100, 5).write.format("tidewire").options(
            url=url, table=orders, commitId="tuesday"
        ).mode("append").save()
    assert rows(client, "SELECT count(*) FROM orders") == [(10,)]


def test_a_failing_task_leaves_nothing_and_a_repeated_one_nothing_twice(
    spark: SparkSession, url: str, client: Client, orders: str
) -> None:
    @F.udf("int")
    def breaks(n: int) -> int:
        if n == 40:
            raise ValueError("this row breaks the job")
        return n

    frame = new_orders(spark, 0, 50).withColumn("id", breaks("id"))
    for put in (by_format, by_helper):
        assert "this row breaks the job" in fails(lambda put=put: put(frame, orders, url, "append"))
    assert rows(client, "SELECT count(*) FROM orders") == [(0,)]


def test_of_two_attempts_at_a_task_one_is_written(url: str, client: Client, orders: str) -> None:
    """Speculation: both attempts have staged the task's rows, and Spark hands on the message of the first to end."""
    import pyarrow as pa

    schema = T.StructType([T.StructField("id", T.IntegerType()), T.StructField("name", T.StringType()),
                           T.StructField("total", T.DecimalType(10, 2))])  # fmt: skip
    writer = TableWriter(describe(url, orders), url, schema, "append")

    def attempt(first: int) -> Staged:
        names, totals = pa.array(["x", "y"]), pa.nulls(2, pa.decimal128(10, 2))
        ids = pa.array([first, first + 1], pa.int32())
        return writer.write(iter([pa.record_batch([ids, names, totals], names=schema.names)]))

    won, lost, other = attempt(1), attempt(1), attempt(3)
    assert won.files != lost.files
    writer.commit([won, other])
    writer.abort([lost, None])
    assert rows(client, "SELECT array_agg(id ORDER BY id) FROM orders") == [([1, 2, 3, 4],)]


def test_concurrent_writers_of_one_table_all_get_through(
    spark: SparkSession, url: str, client: Client, orders: str
) -> None:
    errors: list[BaseException] = []

    def one(n: int) -> None:
        try:
            write(new_orders(spark, n * 100, 20, 1), orders, url=url, mode="upsert")
        except BaseException as e:  # noqa: BLE001 - told below
            errors.append(e)

    threads = [threading.Thread(target=one, args=(n,)) for n in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert errors == []
    assert rows(client, "SELECT count(*) FROM orders") == [(60,)]


def test_a_commit_is_not_repeated_when_its_answer_was_lost(url: str, client: Client, orders: str) -> None:
    staged = commits.StagedTable(orders, "staging/none", columns=["id"])
    assert commits.commit(url, "w", 3, [staged])
    assert not commits.commit(url, "w", 3, [staged]), "found in the ledger"
    assert not commits.commit(url, "w", 2, [staged])
    assert commits.commit(url, "w", 4, [staged])


# --- tables that are made ---------------------------------------------------------------------------


def create_by_format(frame: DataFrame, table: str, url: str, *key: str, **options: str) -> None:
    writer = frame.write.format("tidewire").options(url=url, table=table, create="true", **options)
    (writer.option("primaryKey", ",".join(key)) if key else writer).mode("append").save()


def create_by_helper(frame: DataFrame, table: str, url: str, *key: str, **options: str) -> None:
    write(frame, table, url=url, create=Creation(key), **options)


CREATES = pytest.mark.parametrize("make", [create_by_format, create_by_helper], ids=["format", "helper"])


@CREATES
def test_a_table_is_made_from_the_frame(spark: SparkSession, url: str, client: Client, make: Any) -> None:
    client.execute("DROP TABLE IF EXISTS made")
    frame = spark.range(1, 4).selectExpr(
        "id", "CAST(id AS tinyint) AS tiny", "CAST(id AS smallint) AS small", "CAST(id AS int) AS n",
        "CAST(id AS float) AS f4", "CAST(id AS double) AS f8", "CAST(id AS decimal(12,3)) AS num", "id > 1 AS yes",
        "CAST(NULL AS string) AS `Odd name`", "CAST('a' AS binary) AS bin", "DATE '2024-02-29' AS d",
        "TIMESTAMP_NTZ '2024-02-29 12:00:00' AS ts", "TIMESTAMP '2024-02-29 12:00:00Z' AS tz",
        "array(1, NULL, 3) AS ints", "array('x', 'y, z') AS texts",
    )  # fmt: skip
    make(frame, "made", url, "id", "n")
    found = rows(
        client,
        "SELECT a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull FROM pg_attribute a"
        " WHERE attrelid = 'made'::regclass AND attnum > 0 ORDER BY attnum",
    )
    assert found == [
        ("id", "bigint", True), ("tiny", "smallint", True), ("small", "smallint", True), ("n", "integer", True),
        ("f4", "real", True), ("f8", "double precision", True), ("num", "numeric(12,3)", False), ("yes", "boolean", True),
        ("Odd name", "text", False), ("bin", "bytea", True), ("d", "date", True), ("ts", "timestamp without time zone", True),
        ("tz", "timestamp with time zone", True), ("ints", "integer[]", True), ("texts", "text[]", True),
    ]  # fmt: skip
    assert rows(client, "SELECT count(*), sum(num), min(ints), max(texts), max(d) FROM made") == [
        (3, Decimal("6.000"), [1, None, 3], ["x", "y, z"], datetime.date(2024, 2, 29))
    ]
    assert "made_pkey" in fails(lambda: make(frame, "made", url, "id", "n")), "it is there, and keeps its key"
    make(frame.selectExpr("id + 10 AS id", *[f"`{c}`" for c in frame.columns[1:]]), "made", url)
    assert rows(client, "SELECT count(*) FROM made") == [(6,)]
    client.execute("DROP TABLE made")


@CREATES
def test_a_write_that_fails_makes_no_table(spark: SparkSession, url: str, client: Client, make: Any) -> None:
    @F.udf("int")
    def breaks(n: int) -> int:
        raise ValueError("this row breaks the job")

    frame = spark.range(3).selectExpr("CAST(id AS int) AS id")
    assert "this row breaks the job" in fails(lambda: make(frame.withColumn("id", breaks("id")), "made", url))
    assert 'column "nobody" named in key does not exist' in fails(lambda: make(frame, "made", url, "nobody"))
    twice = frame.union(frame)
    assert "duplicate key value" in fails(lambda: make(twice, "made", url, "id"))
    odd = frame.selectExpr("map('a', id) AS m", "array(named_struct('x', 1)) AS s", "array(array(1)) AS a")
    said = fails(lambda: make(odd, "made", url))
    assert (
        'column "m" is of type map<string,int>' in said
        and 'column "s" is of type array<struct<x:int>>' in said
    )
    assert 'column "a" is of type array<array<int>>' in said
    assert 'schema "nowhere" does not exist' in fails(lambda: make(frame, "nowhere.made", url))
    assert rows(client, "SELECT to_regclass('made') IS NULL") == [(True,)]


def test_made_tables_are_upserted_into_and_committed_together(
    spark: SparkSession, url: str, client: Client
) -> None:
    frame = spark.range(5).selectExpr("CAST(id AS int) AS id", "'x' AS name")
    key = Creation(("id",))
    for _ in range(2):
        write(frame, "one", url=url, mode="upsert", create=key)
    assert rows(client, "SELECT count(*) FROM one") == [(5,)]
    write_tables([Write(frame, "two", create=key), Write(frame, "three", "overwrite", key)], url=url)
    assert rows(client, "SELECT (SELECT count(*) FROM two), (SELECT count(*) FROM three)") == [(5, 5)]
    four = [Write(frame, "four", create=key), Write(frame, "two")]
    assert "two_pkey" in fails(lambda: write_tables(four, url=url))
    assert rows(client, "SELECT to_regclass('four') IS NULL") == [(True,)]
    for option, said in (
        ({"create": "perhaps"}, "true or false"),
        ({"primaryKey": "id"}, 'goes with option "create"'),
    ):
        writer = frame.write.format("tidewire").options(url=url, table="four", **option).mode("append")
        assert said in fails(writer.save)
    client.execute("DROP TABLE one; DROP TABLE two; DROP TABLE three")


# --- what can go wrong -----------------------------------------------------------------------------


def test_unknown_tables_wrong_hosts_and_wrong_modes_say_so(
    spark: SparkSession, url: str, client: Client
) -> None:
    assert 'relation "nobody" does not exist' in fails(lambda: native(spark, url, "nobody"))
    assert fails(lambda: Snapshot(spark, url, "nobody")).startswith('relation "nobody" does not exist')
    gone = "postgresql://tidewire@127.0.0.1:1/tidewire"
    assert "connection" in fails(lambda: Snapshot(spark, gone, "big")).splitlines()[0].lower()
    assert "connection" in fails(lambda: native(spark, gone, "big")).lower()
    assert 'role "mallory" does not exist' in fails(
        lambda: native(spark, url.replace("tidewire@", "mallory@"), "big")
    )
    assert 'option "table" is missing' in fails(
        lambda: spark.read.format("tidewire").option("url", url).load()
    )
    client.execute("CREATE TABLE keyless (n int)")
    frame = spark.range(1).selectExpr("CAST(id AS int) AS n")
    assert "has no primary key" in fails(lambda: write(frame, "keyless", url=url, mode="upsert"))
    assert "unknown mode" in fails(lambda: write(frame, "keyless", url=url, mode="replace"))
    client.execute("DROP TABLE keyless")


def test_a_blob_store_that_spark_does_not_reach_is_told_before_anything_runs(spark: SparkSession) -> None:
    for store, words in (
        ("file:///nowhere/blob", "a folder that this machine does not have"),
        ("memory://", "keeps its blobs in memory"),
        ("odd://host/blob", 'No FileSystem for scheme "odd"'),
    ):
        with pytest.raises(TidewireError, match=words):
            blobs.refuse_out_of_reach(spark, store)


def test_history_that_is_gone_is_an_error(spark: SparkSession, url: str) -> None:
    said = fails(lambda: Snapshot(spark, url, "big", as_of="2020-01-01 00:00+00"))
    assert said.startswith("the timestamp is older than the history that is kept")
    assert "DETAIL: History is kept from" in said
    again = fails(lambda: native(spark, url, "big", asOf="1"))
    assert "older than the history" in again and "DETAIL: History is kept from" in again


def test_a_hold_that_was_lost_is_told_by_name(spark: SparkSession, url: str, client: Client) -> None:
    frame = native(spark, url, "big")
    snapshot = Snapshot(spark, url, "big")
    reader = snapshot._reader
    snapshot.close()
    snapshot.close()
    assert "the snapshot is closed" in fails(lambda: snapshot.table("big"))
    with pytest.raises(psycopg.Error, match="has expired"):
        client.execute("SELECT tidewire_renew_snapshot(%s, 60)", [reader])
    assert frame.limit(1).count() == 1, "another reader's hold is its own"


def test_the_hold_is_renewed_until_the_block_ends(
    monkeypatch: pytest.MonkeyPatch, spark: SparkSession
) -> None:
    asked: list[str] = []
    thrice = threading.Event()

    def ask(_url: str, text: str, *_arguments: object) -> None:
        asked.append(text.partition("(")[0])
        if asked.count("SELECT tidewire_renew_snapshot") == 3:
            thrice.set()
        if len(asked) == 2:
            raise TidewireError("the server cannot be reached")  # it may be back before the lease is over

    held = {"as_of": 1, "reader": "r", "blob": "file:///", "tables": [{}]}
    monkeypatch.setattr("pipeline.spark.snapshot.open_snapshot", lambda *_: held)
    monkeypatch.setattr("pipeline.spark.snapshot.ask", ask)
    monkeypatch.setattr(blobs, "refuse_out_of_reach", lambda *_: None)
    with Snapshot(spark, "postgresql://nowhere", "t", lease_s=1) as opened:
        assert thrice.wait(HANG_S)
    opened._renewer.join(HANG_S)
    assert not opened._renewer.is_alive()
    assert asked.count("SELECT tidewire_close_snapshot") == 1


def test_errors_survive_being_sent(spark: SparkSession) -> None:
    import pickle

    error = pickle.loads(pickle.dumps(TidewireError("why", "22023")))
    assert (str(error), error.sqlstate) == ("why", "22023")
