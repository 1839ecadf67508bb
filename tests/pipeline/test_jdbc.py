"""Plain Spark JDBC against a running server, with PostgreSQL's own driver. One Spark session for the module."""

from __future__ import annotations

import datetime
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import psycopg
import pytest

from tests.pipeline import jdbc_driver
from tests.pipeline.spark_case import end_jvm
from tests.server.process import ServerProcess

pyspark = pytest.importorskip("pyspark", reason="pyspark is not installed: make test-spark")

from pyspark.errors import PySparkException  # noqa: E402
from pyspark.sql import DataFrame, SparkSession  # noqa: E402
from pyspark.sql import functions as F  # noqa: E402
from pyspark.sql import types as T  # noqa: E402

Client = psycopg.Connection[Any]
JAR = jdbc_driver.find()


def _java_version() -> int:
    java = shutil.which("java")
    if java is None:
        return 0
    text = subprocess.run([java, "-version"], capture_output=True, text=True, check=False).stderr
    digits = text.partition('"')[2].partition('"')[0].partition(".")[0]
    return int(digits) if digits.isdigit() else 0


pytestmark = [
    pytest.mark.skipif(JAR is None, reason="no JDBC driver: python -m tests.pipeline.jdbc_driver"),
    pytest.mark.skipif(_java_version() < 17, reason="Spark needs Java 17 or newer"),
]

TYPED = """
CREATE TABLE typed (id int PRIMARY KEY, s int2, b bigint, f4 float4, f8 float8, n numeric(12,3), nn numeric, t text,
  v varchar(20), c char(5), bo bool, by bytea, d date, ti time, ts timestamp, tz timestamptz, u uuid, j json, jb jsonb,
  iv interval, ia int[], ta text[], na numeric(5,2)[]);
INSERT INTO typed VALUES (1, 2, 3, 1.5, 2.25, 12.345, 1.10, 'text', 'var', 'c', true, '\\xdeadbeef', '2024-02-29',
  '12:34:56.789', '2024-02-29 12:34:56.123456', '2024-02-29 12:34:56.123456+00', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11',
  '{"a": 1}', '{"b": [1,2]}', '1 mon 2 days 03:04:05', '{1,2,NULL}', '{a,"b c"}', '{1.25}');
INSERT INTO typed (id) VALUES (2);
CREATE TABLE nums (id bigint PRIMARY KEY, k int, name text, v float8, d date, ts timestamp);
INSERT INTO nums SELECT i, CASE WHEN i % 11 = 0 THEN NULL ELSE i % 7 END, 'n' || i, i * 0.5,
  date '2024-01-01' + (i % 30), timestamp '2024-01-01' + i * interval '1 minute' FROM generate_series(1, 3000) AS i;
CREATE TABLE labels (k int, label text);
INSERT INTO labels SELECT i, 'l' || i FROM generate_series(0, 6) AS i;
"""


class Jdbc:
    """A Spark session and a server."""

    def __init__(self, spark: SparkSession, server: ServerProcess) -> None:
        self.spark = spark
        self.url = f"jdbc:postgresql://{server.host}:{server.port}/tidewire"
        self.properties = {"user": "tidewire", "driver": "org.postgresql.Driver"}

    def read(self, table: str, **options: Any) -> DataFrame:
        texts = {k: str(v) for k, v in options.items()}
        known = {"url": self.url, "dbtable": table, **self.properties, **texts}
        return self.spark.read.format("jdbc").options(**known).load()

    def write(self, frame: DataFrame, table: str, mode: str, **options: Any) -> None:
        frame.write.jdbc(self.url, table, mode, self.properties | {k: str(v) for k, v in options.items()})


@pytest.fixture(scope="module")
def spark() -> Iterator[SparkSession]:
    """A session of a JVM of its own, with the driver on its class path."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    end_jvm()
    session = (
        SparkSession.builder.master("local[2]")
        .config("spark.driver.memory", "2g")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "2")
        .config("spark.sql.session.timeZone", "UTC")
        .config("spark.driver.extraClassPath", str(JAR))
        .config("spark.driver.extraJavaOptions", "-Duser.timezone=UTC")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    end_jvm()


@pytest.fixture(scope="module")
def jdbc(spark: SparkSession, server: ServerProcess) -> Jdbc:
    with server.connect() as client:
        client.execute(TYPED)  # type: ignore[arg-type]
    made = Jdbc(spark, server)
    prefix = "spark.sql.catalog.tw"
    spark.conf.set(prefix, "org.apache.spark.sql.execution.datasources.v2.jdbc.JDBCTableCatalog")
    pushed = ("Aggregate", "Limit", "Offset", "Predicate", "Join", "TableSample")
    for name, value in {
        "url": made.url,
        **made.properties,
        **{f"pushDown{p}": "true" for p in pushed},
    }.items():
        spark.conf.set(f"{prefix}.{name}", value)
    return made


def fails(action: Any) -> str:
    """The words of a job that fails."""
    with pytest.raises(Exception) as failed:
        action()
    return str(failed.value)


def no_connection(action: Any) -> list[str]:
    """What Spark says, and what it says that comes from."""
    with pytest.raises(PySparkException) as failed:
        action()
    cause: Any = failed.value._origin  # type: ignore[attr-defined]
    said = []
    while cause is not None:
        said.append(cause.getMessage())
        cause = cause.getCause()
    return said


# --- reading ---------------------------------------------------------------------------------------------


def test_every_type_is_inferred_and_read(jdbc: Jdbc) -> None:
    frame = jdbc.read("typed")
    assert frame.schema.simpleString() == (
        "struct<id:int,s:smallint,b:bigint,f4:float,f8:double,n:decimal(12,3),nn:decimal(38,18),t:string,v:string,"
        "c:string,bo:boolean,by:binary,d:date,ti:timestamp,ts:timestamp,tz:timestamp,u:string,j:string,jb:string,"
        "iv:string,ia:array<int>,ta:array<string>,na:array<decimal(5,2)>>"
    )
    full, empty = frame.orderBy("id").collect()
    at = datetime.datetime(2024, 2, 29, 12, 34, 56, 123456)
    assert list(full) == [
        1, 2, 3, 1.5, 2.25, Decimal("12.345"), Decimal("1.10"), "text", "var", "c    ", True, b"\xde\xad\xbe\xef",
        datetime.date(2024, 2, 29), datetime.datetime(1970, 1, 1, 12, 34, 56, 789000), at, at,
        "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", '{"a": 1}', '{"b": [1, 2]}', "1 mon 2 days 03:04:05",
        [1, 2, None], ["a", "b c"], [Decimal("1.25")],
    ]  # fmt: skip
    assert list(empty) == [2] + [None] * 22


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"fetchsize": 0},
        {"fetchsize": 7},
        {"partitionColumn": "id", "lowerBound": 1, "upperBound": 3000, "numPartitions": 4},
        {"partitionColumn": "d", "lowerBound": "2024-01-01", "upperBound": "2024-01-30", "numPartitions": 3},
        {"partitionColumn": "ts", "lowerBound": "2024-01-01 00:00:00", "upperBound": "2024-01-03 00:00:00", "numPartitions": 2},
    ],
    ids=str,
)  # fmt: skip
def test_a_table_is_read_whole_however_it_is_cut(jdbc: Jdbc, options: dict[str, Any]) -> None:
    frame = jdbc.read("nums", **options)
    assert frame.rdd.getNumPartitions() == options.get("numPartitions", 1)
    assert sorted(r.id for r in frame.select("id").collect()) == list(range(1, 3001))


def test_queries_subqueries_and_predicates(jdbc: Jdbc) -> None:
    assert jdbc.read("(SELECT k, count(*) AS c FROM nums GROUP BY k) q").filter("k = 3").count() == 1
    query = jdbc.spark.read.format("jdbc").options(
        url=jdbc.url, query="SELECT id FROM nums WHERE id < 4", **jdbc.properties
    )
    assert [r.id for r in query.load().collect()] == [1, 2, 3]
    predicates = ["id <= 10", "id BETWEEN 11 AND 20", "name = 'n30'"]
    assert (
        jdbc.spark.read.jdbc(jdbc.url, "nums", predicates=predicates, properties=jdbc.properties).count()
        == 21
    )


FILTERS = [
    "k = 3", "k IS NULL", "k IS NOT NULL", "k <=> NULL", "NOT (k <=> 3)", "k = 1 OR v < 3", "NOT k = 1", "k IN (1, 2)",
    f"id IN ({', '.join(map(str, range(1000)))})", "name LIKE 'n1%0'", r"name LIKE 'n1\\_%'", "startswith(name, 'n1')",
    "contains(name, '99')", "endswith(name, '0')", "d = date'2024-01-05'", "ts < timestamp'2024-01-02 00:00:00'",
    "abs(v) > 1400", "upper(name) = 'N12'", "length(name) = 2", "CASE WHEN k > 3 THEN 1 ELSE 0 END = 1", "coalesce(k, 0) = 0",
    "year(d) = 2024 AND month(d) = 1 AND dayofweek(d) = 2 AND weekday(d) = 0", "quarter(d) = 1 AND dayofyear(d) < 9",
    "hour(ts) < 12 AND minute(ts) > 3 AND second(ts) < 50", "date_add(d, 1) = date'2024-01-05'", "(k & 1) = 1", "k % 3 = 1",
    "sqrt(v) > 20 AND ln(v) < 100 AND floor(v) = ceil(v)", "power(k, 2) = 9", "greatest(k, 3) = 3",
    "cast(k AS string) = '3'", "substring(name, 2, 2) = '12'", "concat(name, 'x') = 'n1x'", "trim(name) = 'n5'",
]  # fmt: skip


@pytest.mark.parametrize("condition", FILTERS)
def test_pushed_down_filters_find_what_spark_finds(jdbc: Jdbc, condition: str) -> None:
    count = f"SELECT count(*) FROM TABLE WHERE {condition}"
    jdbc.read("nums").cache().createOrReplaceTempView("local_nums")
    (expected,) = jdbc.spark.sql(count.replace("TABLE", "local_nums")).collect()
    (found,) = jdbc.spark.sql(count.replace("TABLE", "tw.public.nums")).collect()
    assert found == expected


AGGREGATES = [
    "SELECT k, count(*), count(name), sum(v), avg(v), min(name), max(d), max(ts) FROM %s GROUP BY k ORDER BY k",
    "SELECT count(DISTINCT k), sum(DISTINCT k) FROM %s",
    "SELECT k, round(stddev_pop(v), 6), round(stddev_samp(v), 6), round(var_pop(v), 4), round(var_samp(v), 4) FROM %s"
    " GROUP BY k ORDER BY k",
    "SELECT round(corr(v, id), 6), round(covar_pop(v, id), 2), round(covar_samp(v, id), 2), round(regr_slope(v, id), 6),"
    " round(regr_r2(v, id), 6), round(regr_intercept(v, id), 6), round(regr_sxy(v, id), 1) FROM %s",
    "SELECT id FROM %s ORDER BY k ASC NULLS FIRST, id LIMIT 5 OFFSET 3",
    "SELECT id FROM %s ORDER BY k DESC NULLS LAST, id DESC LIMIT 5",
    "SELECT count(*) FROM (SELECT * FROM %s LIMIT 7)",
]


@pytest.mark.parametrize("query", AGGREGATES)
def test_pushed_down_aggregates_and_limits(jdbc: Jdbc, query: str) -> None:
    jdbc.read("nums").cache().createOrReplaceTempView("local_nums")
    found = jdbc.spark.sql(query % "tw.public.nums").collect()
    assert found == jdbc.spark.sql(query % "local_nums").collect()
    assert found


def test_pushed_down_joins(jdbc: Jdbc) -> None:
    query = "SELECT n.k, l.label, count(*) FROM tw.public.nums n JOIN tw.public.labels l ON n.k = l.k GROUP BY 1, 2 ORDER BY 1"
    found = jdbc.spark.sql(query).collect()
    assert [r.label for r in found] == [f"l{i}" for i in range(7)]


def test_pushed_down_samples(jdbc: Jdbc) -> None:
    query = "SELECT count(*) FROM tw.public.nums TABLESAMPLE (10 PERCENT) REPEATABLE (3)"
    (first,), (again,) = (jdbc.spark.sql(query).collect()[0] for _ in range(2))
    assert 150 < first < 450 and first == again


# --- one snapshot for all partitions -------------------------------------------------------------------------


@pytest.mark.parametrize("door", ["option", "session init", "imported snapshot"])
def test_partitions_agree_on_one_snapshot(jdbc: Jdbc, client: Client, door: str) -> None:
    client.execute("DROP TABLE IF EXISTS moving")
    client.execute("CREATE TABLE moving (id int PRIMARY KEY)")
    client.execute("INSERT INTO moving SELECT * FROM generate_series(1, 1000)")
    (name,) = client.execute("SELECT pg_export_snapshot()").fetchone() or ("",)
    ts = int(name[:16], 16)
    client.execute("DELETE FROM moving WHERE id % 2 = 0")
    client.execute("INSERT INTO moving VALUES (5000)")
    pinned = {
        "option": {"options": f"-c tidewire.as_of={name}"},
        "session init": {"sessionInitStatement": f"SET tidewire.as_of = '{ts}'"},
        "imported snapshot": {
            "sessionInitStatement": "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ;"
            f" SET TRANSACTION SNAPSHOT '{name}'"
        },
    }[door]
    parts = {"partitionColumn": "id", "lowerBound": 1, "upperBound": 1000, "numPartitions": 3}
    found = jdbc.read("moving", **pinned, **parts)
    assert sorted(r.id for r in found.collect()) == list(range(1, 1001))
    assert jdbc.read("moving", **parts).count() == 501


@pytest.mark.parametrize(
    ("as_of", "words"),
    [
        ("2200-01-01", "the timestamp lies in the future"),
        ("2020-01-01", "older than the history that is kept"),
    ],
)
def test_history_that_is_gone_is_an_error_and_not_an_empty_frame(jdbc: Jdbc, as_of: str, words: str) -> None:
    assert words in fails(lambda: jdbc.read("nums", options=f"-c tidewire.as_of={as_of}").collect())


# --- writing -------------------------------------------------------------------------------------------------

WRITTEN = T.StructType(
    [
        T.StructField("id", T.LongType(), False),
        T.StructField("s", T.ShortType()),
        T.StructField("b", T.ByteType()),
        T.StructField("i", T.IntegerType()),
        T.StructField("f", T.FloatType()),
        T.StructField("g", T.DoubleType()),
        T.StructField("n", T.DecimalType(12, 3)),
        T.StructField("t", T.StringType()),
        T.StructField("bo", T.BooleanType()),
        T.StructField("by", T.BinaryType()),
        T.StructField("d", T.DateType()),
        T.StructField("ts", T.TimestampType()),
        T.StructField("ai", T.ArrayType(T.IntegerType())),
        T.StructField("at", T.ArrayType(T.StringType())),
    ]
)


@pytest.fixture(scope="module")
def frame(spark: SparkSession) -> DataFrame:
    first = datetime.datetime(2024, 1, 1, 1, 2, 3)
    rows: list[Any] = [
        (
            i, i % 100, i % 50, i * 3, i / 2, i / 4, Decimal(i) / 8, f"t'{i}\\é", i % 2 == 0, bytes([i % 256, 0]),
            first.date() + datetime.timedelta(days=i % 400), first + datetime.timedelta(microseconds=i), [i, None], ['a,"'],
        )
        for i in range(1, 601)
    ]  # fmt: skip
    return spark.createDataFrame([*rows, (0,) + (None,) * 13], WRITTEN).cache()


def count(client: Client, table: str) -> int:
    row = client.execute(f"SELECT count(*) FROM {table}").fetchone()  # type: ignore[arg-type]
    assert row is not None
    return int(row[0])


def test_what_was_written_is_read_back(jdbc: Jdbc, frame: DataFrame) -> None:
    jdbc.write(frame, "round_trip", "errorifexists")
    found = jdbc.read("round_trip").select(frame.columns).orderBy("id").collect()
    assert found == frame.orderBy("id").collect()


def test_the_modes_of_writing(jdbc: Jdbc, client: Client, frame: DataFrame) -> None:
    some = frame.select("id", "t").limit(100).cache()
    jdbc.write(some, "modes", "errorifexists")
    assert "already exists" in fails(lambda: jdbc.write(some, "modes", "errorifexists"))
    jdbc.write(some, "modes", "ignore")
    assert count(client, "modes") == 100
    jdbc.write(some, "modes", "append", batchsize=7)
    jdbc.write(some, "modes", "append", reWriteBatchedInserts="true")
    assert count(client, "modes") == 300
    client.execute("CREATE VIEW on_modes AS SELECT * FROM modes")
    jdbc.write(some, "modes", "overwrite", truncate="true")
    assert count(client, "on_modes") == 100
    client.execute("DROP VIEW on_modes")
    jdbc.write(some.limit(5), "modes", "overwrite")
    assert count(client, "modes") == 5


def test_column_types_of_a_new_table(jdbc: Jdbc, client: Client, frame: DataFrame) -> None:
    jdbc.write(
        frame.select("id", "t", "n"),
        "made",
        "overwrite",
        createTableColumnTypes="t varchar(40), n decimal(20,5)",
    )
    query = "SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'made'::regclass AND attnum > 0 ORDER BY attnum"
    assert [r[0] for r in client.execute(query)] == ["bigint", "character varying(40)", "numeric(20,5)"]


@pytest.mark.parametrize(
    "level", ["NONE", "READ_UNCOMMITTED", "READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE"]
)
def test_parallel_appends_at_every_level(jdbc: Jdbc, client: Client, frame: DataFrame, level: str) -> None:
    client.execute("DROP TABLE IF EXISTS keyed")
    client.execute("CREATE TABLE keyed (id bigint PRIMARY KEY, t text)")
    jdbc.write(frame.select("id", "t").repartition(2), "keyed", "append", isolationLevel=level, batchsize=50)
    assert count(client, "keyed") == 601


BAD = [
    ([(1, "abc")], 'duplicate key value violates unique constraint "strict_pkey"'),
    ([(7, "abcd")], "value too long for type character varying(3)"),
    ([(None, "abc")], 'null value in column "id" of relation "strict" violates not-null constraint'),
    ([(8, "no")], 'new row for relation "strict" violates check constraint'),
]


@pytest.mark.parametrize(("rows", "message"), BAD, ids=[b[1][:20] for b in BAD])
def test_bad_rows_fail_with_the_server_s_words(
    jdbc: Jdbc, client: Client, rows: list[Any], message: str
) -> None:
    client.execute("DROP TABLE IF EXISTS strict")
    client.execute("CREATE TABLE strict (id bigint PRIMARY KEY, s varchar(3) CHECK (s <> 'no'))")
    client.execute("INSERT INTO strict VALUES (1, 'one')")
    bad = jdbc.spark.createDataFrame(rows, "id long, s string")
    assert message in fails(lambda: jdbc.write(bad, "strict", "append"))
    assert count(client, "strict") == 1


def test_text_becomes_whatever_the_column_is(jdbc: Jdbc, client: Client) -> None:
    client.execute("CREATE TABLE odd (id int PRIMARY KEY, u uuid, jb jsonb, d date)")
    row = (1, "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", '{"a": 1}', "2024-01-02")
    jdbc.write(
        jdbc.spark.createDataFrame([row], "id int, u string, jb string, d string"),
        "odd",
        "append",
        stringtype="unspecified",
    )
    assert client.execute("SELECT u::text, jb->>'a', d::text FROM odd").fetchone() == (row[1], "1", row[3])


def test_ddl_through_spark_s_catalog(jdbc: Jdbc, client: Client) -> None:
    sql = jdbc.spark.sql
    sql("CREATE NAMESPACE tw.sp")
    sql("CREATE TABLE tw.sp.made (id bigint, name string) COMMENT 'words'")
    sql("INSERT INTO tw.sp.made VALUES (1, 'a'), (2, 'b')")
    sql("ALTER TABLE tw.sp.made ADD COLUMNS (z double)")
    sql("ALTER TABLE tw.sp.made RENAME COLUMN z TO zz")
    sql("ALTER TABLE tw.sp.made ALTER COLUMN id TYPE decimal(20,0)")
    assert [tuple(r) for r in sql("SELECT * FROM tw.sp.made ORDER BY id").collect()] == [
        (Decimal(1), "a", None),
        (Decimal(2), "b", None),
    ]
    assert client.execute("SELECT obj_description('sp.made'::regclass)").fetchone() == ("words",)
    assert "SCHEMA_NOT_EMPTY" in fails(lambda: sql("DROP NAMESPACE tw.sp"))
    sql("DROP TABLE tw.sp.made")
    assert "TABLE_OR_VIEW_NOT_FOUND" in fails(lambda: sql("SELECT * FROM tw.sp.made").collect())
    sql("DROP NAMESPACE tw.sp")


# --- the driver's metadata -------------------------------------------------------------------------------------


def test_metadata(jdbc: Jdbc, client: Client) -> None:
    client.execute(
        "CREATE TABLE meta (a int, b text, c numeric(5,2) DEFAULT 1.5 NOT NULL, PRIMARY KEY (b, a))"
    )
    client.execute("CREATE INDEX meta_c ON meta (c); COMMENT ON TABLE meta IS 'remark'")
    client.execute("CREATE TABLE child (x int, y text, FOREIGN KEY (y, x) REFERENCES meta)")
    jvm: Any = jdbc.spark._jvm
    properties = jvm.java.util.Properties()
    properties.setProperty("user", "tidewire")
    connection = jvm.org.postgresql.Driver().connect(jdbc.url, properties)
    try:
        data = connection.getMetaData()

        def rows(result: Any, *columns: str) -> list[tuple[str, ...]]:
            out = []
            while result.next():
                out.append(tuple(result.getString(c) for c in columns))
            return out

        tables = rows(data.getTables(None, "public", "meta", None), "TABLE_NAME", "TABLE_TYPE", "REMARKS")
        assert tables == [("meta", "TABLE", "remark")]
        columns = rows(
            data.getColumns(None, "public", "meta", "%"),
            "COLUMN_NAME",
            "TYPE_NAME",
            "COLUMN_SIZE",
            "DECIMAL_DIGITS",
            "IS_NULLABLE",
            "COLUMN_DEF",
        )
        assert columns == [
            ("a", "int4", "10", "0", "NO", None),
            ("b", "text", "2147483647", "0", "NO", None),
            ("c", "numeric", "5", "2", "NO", "1.5"),
        ]
        keys = rows(data.getPrimaryKeys(None, "public", "meta"), "COLUMN_NAME", "KEY_SEQ")
        assert sorted(keys) == [("a", "2"), ("b", "1")]
        indexes = rows(
            data.getIndexInfo(None, "public", "meta", False, False), "INDEX_NAME", "NON_UNIQUE", "COLUMN_NAME"
        )
        assert indexes == [("meta_pkey", "f", "b"), ("meta_pkey", "f", "a"), ("meta_c", "t", "c")]
        keys = rows(
            data.getImportedKeys(None, "public", "child"), "PKTABLE_NAME", "PKCOLUMN_NAME", "FKCOLUMN_NAME"
        )
        assert keys == [("meta", "b", "y"), ("meta", "a", "x")]
        types = {name for (name,) in rows(data.getTypeInfo(), "TYPE_NAME")}
        assert {"int4", "int8", "numeric", "text", "timestamptz", "bytea", "uuid", "jsonb", "_int4"} <= types
        assert ("public",) in rows(data.getSchemas(), "TABLE_SCHEM")
        assert rows(data.getCatalogs(), "TABLE_CAT") == [("tidewire",)]
    finally:
        connection.close()


def test_an_unknown_table_is_said_to_be_one(jdbc: Jdbc) -> None:
    assert 'relation "nonesuch" does not exist' in fails(lambda: jdbc.read("nonesuch"))


def test_whoever_may_not_in_is_told_why(jdbc: Jdbc, frame: DataFrame) -> None:
    wrapped, cause, *_ = no_connection(lambda: jdbc.read("nums", user="mallory"))
    assert "Couldn't connect to the database" in wrapped and 'role "mallory" does not exist' in cause
    nobody = {"url": "jdbc:postgresql://127.0.0.1:1/tidewire"}
    assert "127.0.0.1:1 refused" in no_connection(lambda: jdbc.read("nums", **nobody))[1]


def test_a_frame_that_does_not_fit_writes_nothing(jdbc: Jdbc, client: Client, frame: DataFrame) -> None:
    client.execute("CREATE TABLE narrow (id bigint, t int)")
    assert "nobody" in fails(lambda: jdbc.write(frame.selectExpr("id", "t AS nobody"), "narrow", "append"))
    said = fails(lambda: jdbc.write(frame.select("id", "t"), "narrow", "append"))
    assert 'column "t" is of type integer but expression is of type character varying' in said
    assert count(client, "narrow") == 0
    odd = jdbc.spark.range(3).selectExpr("map('a', id) AS m")
    assert "map" in fails(lambda: jdbc.write(odd, "unmade", "errorifexists")).lower()
    assert client.execute("SELECT to_regclass('unmade')").fetchone() == (None,)


def test_partial_reads_end_cleanly(jdbc: Jdbc) -> None:
    """A frame that is not read to its end closes its portal; the server goes on."""
    assert len(jdbc.read("nums", fetchsize=10).take(3)) == 3
    assert jdbc.read("nums").agg(F.count("*")).collect()[0][0] == 3000
