"""Big SELECTs on Spark give what the columnar engine gives: names, types, rows, errors. What might not is refused.

The expressions here cover every line of the table of what Spark computes (`planner.binding.spark.functions`); one that
is added there without a line here fails `test_every_signature_is_compared`.
"""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.pq import DiagnosticField, ExecStatus

from planner.abc import PlanError
from planner.binding import bind
from planner.binding.spark.emitter import SparkEmitter
from planner.binding.spark.functions import TABLE
from planner.binding.statements import bind_statement
from planner.parse import parse_query
from tests.binding.tpch import QUERIES
from tests.binding.world import World, make_table
from tests.server.process import ServerProcess, wait_until
from tests.tpch.data import NoGenerator, generated
from tests.tpch.data import load as load_tpch

needs_spark = pytest.mark.skipif(
    importlib.util.find_spec("pyspark") is None, reason="PySpark is not installed: make test-spark"
)
Client = psycopg.Connection[Any]

COLUMNS = (
    "id int4; i2 int2; j2 int2; i4 int4; j4 int4; i8 int8; j8 int8; f4 float4; g4 float4; f8 float8; g8 float8;"
    " n numeric(10,2); m numeric(12,4); big numeric(38,6); x numeric; y numeric; b bool; o bool; s text; r text; v varchar(12);"
    " c char(6); k char(9); d date; e date; ts timestamp; us timestamp; tz timestamptz; uz timestamptz; u uuid; w uuid; h bytea; q bytea"
)
_TYPES = {
    "int2": "smallint",
    "int4": "integer",
    "int8": "bigint",
    "float4": "real",
    "float8": "double precision",
}
ROWS = (
    # Nothing here overflows or divides by zero: errors have their own test.
    "1, 3, 2, 7, 2, 4000000000, 3, 1.5, 0.25, 1e10, 3, 12.34, 0.0005, 12345.678901, 1.10, 3, true, false, 'abc', 'b', 'Straße', 'ab', 'ab', "
    "'2024-02-29', '2023-12-31', '2024-02-29 23:59:59.999999', '1999-01-01', '2024-02-29 12:00:00+02', '2000-01-01 00:00:00Z', "
    "'00000000-0000-0000-0000-000000000001', 'ffffffff-0000-0000-0000-000000000001', '\\x00ff', '\\x00'",
    "2, -3, 2, -7, 2, -4000000000, -3, -1.5, 3, -2.5, 0.5, -12.345, 99.99995, -0.000001, -1.5, 0.0000001, false, false, '', 'x', '', '', 'ab', "
    "'1969-12-31', '1969-12-31', '1969-12-31 23:59:59', '1970-01-01', '1969-12-31 23:59:59.5Z', '1970-01-01Z', "
    "'ffffffff-0000-0000-0000-000000000001', 'ffffffff-0000-0000-0000-000000000001', '\\x', '\\x80'",
    "3, 100, -7, 100, -7, 100, -7, 3.4e38, 1, 1.7976931348623157e308, 1, 99999999.99, 9.9999, 9999999999999999999999999999.999999, "
    "12345678901234567890.123456789, 7, true, true, E'ünïcode 字 %_\\\\', 'n', '  pad  ', ' x', ' x', '0001-01-01', '9999-12-31', "
    "'0001-01-01 00:00:00', '9999-12-31 23:59:59.999999', '0001-01-01 00:00:00Z', '9999-12-31 00:00:00Z', NULL, "
    "'00000000-0000-0000-0000-000000000000', '\\xdeadbeef', '\\xdeadbeef00'",
    "4, 0, 1, 0, 1, 0, 1, 'NaN', 1, 'NaN', 2, 0.00, 0.5000, 0, 0.00, 0.5, NULL, true, 'aXbXc', 'X', 'ab%cd', 'a  b', 'a  b', '2000-02-29', "
    "'2001-02-28', '2000-02-29 00:00:00', '2000-02-29 00:00:00.000001', '2000-06-15 12:30:00Z', '2000-06-15 12:30:00.1Z', "
    "'12345678-1234-1234-1234-123456789abc', NULL, NULL, '\\x01'",
    "5, NULL, 5, NULL, 5, NULL, 5, NULL, 5, NULL, 5, NULL, 5, NULL, NULL, 5, NULL, NULL, NULL, 'abc', NULL, NULL, 'x', NULL, '2020-01-31', "
    "NULL, '2020-03-31 10:00:00', NULL, '2020-03-31 10:00:00Z', NULL, NULL, NULL, NULL",
    "6, 5, 5, 2147483000, 5, 9007199254740993, 5, 'Infinity', 2, '-Infinity', 2, 0.01, 0.0100, 0.01, 0.010, 0.01, false, true, 'ABCdef', 'abc', "
    "'ABC', 'zz', 'ZZ', '2024-01-31', '2024-01-31', '2024-01-31 10:20:30.5', '2024-01-31 10:20:30.5', '2024-01-31Z', '2024-01-31Z', "
    "'12345678-1234-1234-1234-123456789abc', '12345678-1234-1234-1234-123456789abc', '\\x01', '\\x01'",
    "7, -1, 3, -1, 3, -1, 3, -0.0, 0.5, -0.0, 0.5, -0.01, 0.0001, 1, -0.5, -0.5, true, NULL, 'tail   ', ' ', 'x', 'same', 'same', '2024-12-31', "
    "'2024-01-01', '2024-12-31 23:00:00', '2024-12-31', '2024-12-31 23:00:00Z', '2024-12-31Z', NULL, NULL, '\\xff', '\\x00'",
    # A tab sorts before the blanks that a char(n) is filled up with, and after the end of it.
    "8, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, "
    "E'ab\\t', E'ab\\t', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL",
)  # fmt: skip


def both(template: str, pairs: str) -> list[str]:
    """The template for each pair of columns `a:b`."""
    return [template.format(*pair.split(":")) for pair in pairs.split()]


NUMBERS = "i2:j2 i2:j4 i2:j8 i4:j2 i4:j4 i4:j8 i8:j2 i8:j4 i8:j8"
FLOATS = "f4:g4 f4:g8 f8:g4 f8:g8"
SAME = f"{NUMBERS} {FLOATS} b:o s:r d:e ts:us tz:uz u:w h:q n:m x:y c:k c:c d:us ts:e n:x big:n s:v"
EXPRESSIONS: dict[str, list[str]] = {
    "integers": [
        *(e for op in "+-" for e in both(f"{{}} {op} {{}}", NUMBERS.replace("i4:j4", "id:j4").replace("i4:j2", "id:j2"))),
        *both("{} * {}", "i2:j2 i2:j4 i2:j8 id:j2 id:j4 i4:j8 id:j8 i8:j2 i8:j4 i8:j8"),
        *both("{} / {}", NUMBERS), *both("{} % {}", "i2:j2 i4:j4 i8:j8"), *both("mod({}, {})", "i2:j2 i4:j4 i8:j8"),
        *(e for op in "&|#" for e in both(f"{{}} {op} {{}}", "i2:j2 i4:j4 i8:j8")),
        *(f"{op}{c}" for op in ("-", "+ ", "~", "@ ") for c in ("i2", "i4", "i8")), "abs(i2)", "abs(i4)", "abs(i8)",
        "CASE WHEN i4 > 3 THEN i4 END", "coalesce(i4, j2)", "nullif(i4, 7)", "greatest(i4, j4, 3)", "least(i8, j4)",
    ],
    "comparisons": [
        *(e for op in ("=", "<>", "<", "<=", ">", ">=") for e in both(f"{{}} {op} {{}}", SAME)),
        *both("{} IS DISTINCT FROM {}", "i2:j2 i4:j4 i8:j8 b:o s:r d:e ts:us tz:uz f4:g4 f8:g8"),
        *both("{} IS NOT DISTINCT FROM {}", "i2:j2 i4:j4 i8:j8 b:o s:r d:e ts:us tz:uz f4:g4 f8:g8"),
        "f8 = 'NaN'", "f8 < 'NaN'", "f8 > 1", "f8 = 0", "b AND o", "b OR o", "NOT b", "b IS TRUE", "b IS NOT FALSE", "b IS UNKNOWN",
        "i4 BETWEEN 0 AND 7", "i4 IN (7, -7, NULL)", "s IN ('', 'abc')", "c = 'ab'", "c <> 'ab   '", "c < 'b'", "c < 'ab'", "'ab' >= c", "n = 12.34", "x = 1.1",
        "m < 0.5", "d >= '2024-01-01'", "ts < '2000-03-01'",
    ],
    "numerics": [
        *(e for op in "+-*" for e in both(f"{{}} {op} {{}}", "n:m m:n x:y n:x n:i4")), "big + n", "big - n", "n / m", "x / y", "n / 3", "n % 7.1", "mod(x, y)",
        "-n", "-x", "+ n", "abs(n)", "abs(x)", "@ n", "round(n)", "round(n, 1)", "round(m, 2)", "round(m, 3)", "round(x, 2)", "round(x)", "trunc(n, 1)", "trunc(x)",
        "floor(n)", "ceil(m)", "ceiling(x)", "sign(n)", "sqrt(abs(n))", "power(n / 1000000, 2)", "n::int4", "n::int8", "n::float8", "m::float4",
        "big::float8", "x::float8", "n::text", "x::text", "m::numeric(10,2)", "x::numeric(30,5)", "i4::numeric", "i8::numeric(20,3)",
        "coalesce(n, m)", "greatest(n, 5.00)", "CASE WHEN b THEN n ELSE 0 END", "scale(x)", "div(n, 3)",
    ],
    "floats": [
        *(e for op in "+-" for e in both(f"{{}} {op} {{}}", FLOATS)), *both("{} * {}", "f4:g4 f4:g8"), "(f8 / 4) * g4", "(f8 / 4) * g8",
        *both("{} / nullif({}, 0)", "f4:g8 f8:g8"), "(f4 / 2::float4) / 2::float4", "(f4 / 8) / g4", "(f8 / 8) / g4", "-f4", "-f8", "+ f4", "+ f8", "abs(f4)", "abs(f8)", "@ f4", "@ f8", "sign(f8)",
        "round(g8)", "round(f8)", "g8::int4", "g4::int8", "(g8 / 4)::int2", "f4::float8", "g8::numeric", "i4::float8", "i8::float8", "i8::float4", "i2::float4",
        "power(g8, 2.5)", ],
    "text": [
        "s || r", "s || v", "length(s)", "char_length(s)", "character_length(s)", "textlen(s)", "length(c)", "char_length(c)", "character_length(c)",
        "octet_length(s)", "octet_length(c)", "substr(s, 2)", "substring(s, -1)", "substr(s, 2, 3)", "substring(s, 0, 2)", "substring(s, i4, abs(j4))", "substr(s, i2, 3)", "substr(s, -2, 4)",
        "substring(s FROM 2 FOR 2)", "position(r IN s)", "strpos(s, r)", "strpos(s, '')", "replace(s, r, '<>')", "replace(s, '', 'x')", "btrim(v)", "ltrim(v)", "rtrim(s)",
        "trim(s)", "c::text", "text(c)", "repeat(r, i2)", "repeat(r, 3)", "starts_with(s, r)", "s ^@ 'a'", "md5(s)", "lower(s)", "upper(s)", "lower(v)", "upper(v)", "s LIKE 'a%'", "s NOT LIKE '%X_%'",
        "s LIKE '%\\%%'", "s LIKE '_bc'", "v LIKE '%ß%'", "c LIKE 'a%'", "c NOT LIKE '%b'", "\"like\"(s, 'a%')", "notlike(s, 'a%')", "lpad(s, 5, '*')", "s::varchar(3)", "i4::text", "b::text", "initcap(s)",
        "regexp_replace(s, '[a-z]', '#', 'g')", ],
    "dates": [
        "d + 30", "d - 30", "d + i2", "d - e", "d + interval '1 month'", "e + interval '1 month'", "d - interval '1 year 2 days'", "ts + interval '1 mon 3 days 04:05:06.789'",
        "ts - interval '13 months'", "us + interval '-5 days'", "d::timestamp", *(f"extract({f} FROM {c})" for f in ("year", "month", "day", "quarter", "doy") for c in ("d", "ts")),
        "extract(hour FROM ts)", "extract(minute FROM ts)", "date_part('year', d)", "date_part('month', ts)", "d = '2024-02-29'", "greatest(d, e)", "tz", "u", "h", "v", "c",
    ],
}  # fmt: skip
AGGREGATES = [
    "SELECT count(*), count(i4), count(DISTINCT s), count(DISTINCT n), sum(i2), sum(id), sum(i8), sum(n), sum(m), sum(big / 2) IS NULL FROM edge"
    .replace(", sum(big / 2) IS NULL", ""),
    "SELECT avg(i2), avg(i4), avg(i8), avg(n), avg(m), avg(n) FILTER (WHERE n > 0), sum(n) FILTER (WHERE false) FROM edge",
    "SELECT min(i2), max(i4), min(i8), max(f4), min(f8), min(n), max(m), min(s), max(s), min(d), max(ts), min(tz) FROM edge",
    "SELECT min(c), max(c), min(k), max(k), max(c) FILTER (WHERE id < 3), min(c) FILTER (WHERE false), length(max(c)), max(k) = 'ZZ' FROM edge",
    "SELECT max(c) FROM edge WHERE c <= 'ab' OR c LIKE 'ab%'",
    "SELECT b, min(c), max(c) FROM edge GROUP BY b HAVING max(c) > 'a' ORDER BY 2 DESC, 1",
    "SELECT id, min(c) OVER (ORDER BY id), max(c) OVER (PARTITION BY b), rank() OVER (ORDER BY c), sum(i8) OVER (ORDER BY id) FROM edge ORDER BY id",
    "SELECT c, count(*) FROM edge GROUP BY c ORDER BY c DESC",
    "SELECT DISTINCT c FROM edge ORDER BY c",
    "SELECT bool_and(b), bool_or(b), every(o) FROM edge",
    "SELECT j4 % 2 AS k, count(*), sum(n), avg(m) FROM edge GROUP BY 1 HAVING count(*) > 1 ORDER BY 1",
    "SELECT b, o, count(*), grouping(b) FROM edge GROUP BY ROLLUP (b, o) ORDER BY 1 NULLS FIRST, 2 NULLS LAST, 4, 3",
    "SELECT DISTINCT b, o FROM edge ORDER BY 1, 2",
    "SELECT id, row_number() OVER (ORDER BY id DESC), rank() OVER (ORDER BY b), dense_rank() OVER (ORDER BY o), sum(n) OVER (PARTITION BY b ORDER BY id),"
    " lag(s) OVER (ORDER BY id), lead(i4, 2) OVER (ORDER BY id), first_value(s) OVER (PARTITION BY o ORDER BY id), ntile(3) OVER (ORDER BY id),"
    " count(*) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING), percent_rank() OVER (ORDER BY j4), cume_dist() OVER (ORDER BY j4),"
    " last_value(s) OVER (ORDER BY id), avg(i4) OVER (ORDER BY id), lag(i4, 1) OVER (ORDER BY id), lead(d) OVER (ORDER BY id) FROM edge ORDER BY id",
    "WITH a AS (SELECT id, n FROM edge WHERE n > 0), z AS (SELECT max(n) AS top FROM a) SELECT a.id, z.top - a.n FROM a, z ORDER BY 1",
    "SELECT id FROM edge a WHERE EXISTS (SELECT 1 FROM edge z WHERE z.id = a.id + 1 AND z.b) ORDER BY 1",
    "SELECT id FROM edge WHERE i4 NOT IN (SELECT i4 FROM edge WHERE i4 IS NOT NULL AND b) ORDER BY 1",
    "SELECT id FROM edge WHERE n > (SELECT avg(n) FROM edge) ORDER BY id",
    "SELECT id, (SELECT max(z.id) FROM edge z WHERE z.b = a.b) FROM edge a ORDER BY 1",
    "SELECT a.id, z.s FROM edge a LEFT JOIN edge z ON a.id = z.id + 3 AND z.b ORDER BY 1",
    "SELECT a.id, z.id FROM edge a FULL JOIN edge z ON a.id = z.id + 5 ORDER BY 1 NULLS FIRST, 2",
    "SELECT id, n FROM edge WHERE id < 3 UNION ALL SELECT id, m FROM edge WHERE id > 5 ORDER BY 1, 2",
    "SELECT i4 FROM edge INTERSECT SELECT i4 FROM edge WHERE id < 4 ORDER BY 1",
    "SELECT s FROM edge EXCEPT SELECT r FROM edge ORDER BY 1",
    "SELECT id, n FROM edge ORDER BY n DESC NULLS LAST, id LIMIT 3 OFFSET 1",
    "SELECT id FROM edge ORDER BY x, id",
    "SELECT id, f8 FROM edge ORDER BY f8 DESC, id",
    "SELECT q.a, (VALUES (1)) FROM (SELECT id AS a FROM edge) q ORDER BY 1 LIMIT 2",
]  # fmt: skip
ERRORS = [
    "SELECT id / (id - id) FROM edge", "SELECT id % (id - id) FROM edge", "SELECT n / 0 FROM edge", "SELECT g8 / 0 FROM edge",
    "SELECT i4 * 2000000000 FROM edge WHERE id = 1", "SELECT (id * 30000)::int2 FROM edge",
    "SELECT i8::int4 FROM edge WHERE id = 1", "SELECT f8 * 10 FROM edge WHERE id = 3", "SELECT (n * 100)::numeric(4,2) FROM edge WHERE id = 1", "SELECT substr(s, 1, -1 * id) FROM edge",
    "SELECT (SELECT id FROM edge) FROM edge", "SELECT f8::int4 FROM edge WHERE id = 4", "SELECT d + 2000000000 FROM edge WHERE id = 1",
]  # fmt: skip
REFUSED = [
    ("SELECT stddev(n) FROM edge", "aggregate stddev(numeric)"),
    ("SELECT sum(f8) FROM edge", "aggregate sum(double precision)"),
    ("SELECT string_agg(s, ',') FROM edge", "aggregate string_agg(text, text)"),
    ("SELECT array_agg(id) FROM edge", "aggregate array_agg(anynonarray)"),
    ("SELECT greatest(c, c) FROM edge", "greatest of character(6)"),
    ("SELECT x FROM (SELECT c AS x FROM edge UNION ALL SELECT k FROM edge) q GROUP BY x", "type bpchar"),
    ("SELECT sum(f8) OVER (ORDER BY id) FROM edge", "aggregate sum(double precision)"),
    ("SELECT random() FROM edge", "function random()"),
    ("SELECT s ~ r, now() - tz FROM edge", "type interval"),
    ("SELECT cosh(f8) FROM edge", "function cosh(double precision)"),
    ("SELECT DISTINCT ON (b) b, id FROM edge ORDER BY b, id", "DISTINCT ON"),
    ("SELECT CASE WHEN m <> 0 THEN n / m END FROM edge", "CASE around something that may fail (tw_num_div)"),
    ("SELECT s LIKE r FROM edge", "a pattern that is not a constant"),
    ("SELECT sin(f8) FROM edge", "function sin(double precision)"),
    ("SELECT '{\"a\": 1}'::jsonb FROM edge", "type jsonb"),
    ("WITH RECURSIVE t AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM t WHERE n < 3) SELECT t.n FROM t, edge", "RECURSIVE"),
]  # fmt: skip


def answer(client: Client, query: str, engine: str) -> tuple[Any, ...]:
    """(names, types with modifiers, rows as text), or (SQLSTATE, message)."""
    client.execute(f"SET execution_engine = '{engine}'")  # type: ignore[arg-type]
    result = client.pgconn.exec_(query.encode())
    if result.status != ExecStatus.TUPLES_OK:
        return tuple(
            (result.error_field(f) or b"").decode()
            for f in (
                DiagnosticField.SQLSTATE,
                DiagnosticField.MESSAGE_PRIMARY,
                DiagnosticField.MESSAGE_DETAIL,
            )
        )
    fields = range(result.nfields)
    rows = [tuple(result.get_value(r, c) for c in fields) for r in range(result.ntuples)]
    return [result.fname(c) for c in fields], [(result.ftype(c), result.fmod(c)) for c in fields], rows


def fill(client: Client) -> None:
    columns = []
    for column in COLUMNS.split(";"):
        name, kind = column.split()
        columns.append(f"{name} {_TYPES.get(kind, kind)}")
    client.execute(f"CREATE TABLE edge ({', '.join(columns)})")  # type: ignore[arg-type]
    for row in ROWS:
        client.execute(f"INSERT INTO edge VALUES ({row})")  # type: ignore[arg-type]


# --- without Spark --------------------------------------------------------------------------------------------


class _Recording(SparkEmitter):
    seen: set[str]

    def call(self, node: Any) -> Any:
        self.seen.add(node.op)
        return super().call(node)


def test_every_signature_is_compared() -> None:
    world = World([make_table(99001, "edge", COLUMNS)])
    recording = _Recording()
    recording.seen = set()
    for expressions in EXPRESSIONS.values():
        for e in expressions:
            text = f"SELECT {e} FROM edge"
            bind_statement(
                parse_query(text), world.context, (), text, None, prefer_keyed=False, emitter=recording
            )
    assert set(TABLE) - recording.seen == set()


@pytest.mark.parametrize("number", sorted(QUERIES))
def test_tpch_is_answered(number: int) -> None:
    from planner.binding.spark.plan import spark_query
    from tests.binding.tpch import TABLES

    world = World(TABLES)
    plan = bind(parse_query(QUERIES[number]), world.context, (), QUERIES[number], None, prefer_keyed=False)
    assert spark_query(plan, world.context).pieces


@pytest.mark.parametrize(("query", "named"), REFUSED)
def test_what_is_not_the_same_is_refused_by_name(query: str, named: str) -> None:
    from planner.binding.spark.plan import spark_query

    world = World([make_table(99001, "edge", COLUMNS)])
    plan = bind(parse_query(query), world.context, (), query, None, prefer_keyed=False)
    with pytest.raises(PlanError) as refused:
        spark_query(plan, world.context)
    assert refused.value.sqlstate == "0A000"
    assert (
        named in refused.value.message and "not supported by the distributed engine" in refused.value.message
    )


@pytest.mark.skipif(importlib.util.find_spec("pyspark") is not None, reason="PySpark is installed here")
def test_without_pyspark_the_error_says_what_to_install(client: Client) -> None:
    client.execute("CREATE TABLE lonely (a int)")
    client.execute("SET execution_engine = 'distributed'")
    assert client.execute("SELECT 1").fetchone() == (1,)
    with pytest.raises(psycopg.errors.FeatureNotSupported) as error:
        client.execute("SELECT count(*) FROM lonely")
    assert "tidewire[spark]" in (error.value.diag.message_hint or "")
    client.execute("SET execution_engine = 'auto'; SET distributed_min_size = 0")
    assert client.execute("SELECT count(*) FROM lonely").fetchone() == (0,)


# --- with Spark -----------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def big(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[ServerProcess, Client]]:
    """A server, its Spark on two cores, and the table of edges."""
    folder: Path = tmp_path_factory.mktemp("distributed")
    with (
        ServerProcess(folder / "data", environment={"TIDEWIRE_SPARK_MASTER": "local[2]"}) as server,
        server.connect() as client,
    ):
        fill(client)
        yield server, client
        assert server.unexpected() == []


@needs_spark
@pytest.mark.parametrize("family", EXPRESSIONS)
def test_expressions_are_the_columnar_engines(big: tuple[ServerProcess, Client], family: str) -> None:
    _, client = big
    expressions = EXPRESSIONS[family]
    for start in range(0, len(expressions), 60):
        some = expressions[start : start + 60]
        query = f"SELECT id, {', '.join(some)} FROM edge ORDER BY id"
        wanted, found = answer(client, query, "columnar"), answer(client, query, "distributed")
        assert len(wanted[0]) == len(some) + 1, f"columnar: {wanted}"
        assert len(found) == 3 and found[0] == wanted[0], found
        for i, e in enumerate(some, 1):
            assert found[1][i] == wanted[1][i], e
            assert [r[i] for r in found[2]] == [r[i] for r in wanted[2]], e


@needs_spark
@pytest.mark.parametrize("query", AGGREGATES)
def test_queries_are_the_columnar_engines(big: tuple[ServerProcess, Client], query: str) -> None:
    _, client = big
    assert answer(client, query, "distributed") == answer(client, query, "columnar")


@needs_spark
@pytest.mark.parametrize("query", ERRORS)
def test_errors_are_the_columnar_engines(big: tuple[ServerProcess, Client], query: str) -> None:
    _, client = big
    found, wanted = answer(client, query, "distributed"), answer(client, query, "columnar")
    assert found[:2] == wanted[:2], found


@needs_spark
def test_a_product_that_overflows_may_name_another_integer_type(big: tuple[ServerProcess, Client]) -> None:
    """Spark says that something overflowed, and not what: the SQLSTATE is right, the word may be the usual one."""
    query = "SELECT i8 * 9000000000000000000 FROM edge WHERE id = 1"
    sqlstate, message, _ = answer(big[1], query, "distributed")
    assert sqlstate == "22003" and message in ("bigint out of range", "integer out of range")


@needs_spark
def test_auto_falls_back_and_explain_says_who_answers(big: tuple[ServerProcess, Client]) -> None:
    _, client = big
    client.execute("SET execution_engine = 'auto'; SET distributed_min_size = 0")

    def engine(query: str) -> str:
        lines = [r[0] for r in client.execute(f"EXPLAIN {query}").fetchall()]  # type: ignore[arg-type]
        return next(line for line in lines if line.startswith("Engine: "))

    assert engine("SELECT sum(n) FROM edge") == "Engine: distributed"
    assert engine("SELECT stddev(n) FROM edge") == "Engine: columnar"
    assert client.execute("SELECT stddev(n) IS NULL FROM edge").fetchone() == (False,)
    client.execute("SET distributed_min_size = '1GB'")
    assert engine("SELECT sum(n) FROM edge") == "Engine: columnar"
    assert engine("SELECT count(*) FROM pg_class") == "Engine: columnar"
    client.execute("RESET distributed_min_size")


@needs_spark
def test_rows_that_are_older_than_a_column_have_what_is_missing(big: tuple[ServerProcess, Client]) -> None:
    """In files from before it, in those that compaction makes, and in rows that are in none yet."""
    _, client = big
    client.execute("CREATE TABLE grown (id int PRIMARY KEY, v text, gone int)")
    client.execute("INSERT INTO grown SELECT g, 'v' || g, g FROM generate_series(1, 20000) g")
    defaults = {
        "i": "bigint DEFAULT 7", "t": "text DEFAULT 'it''s \u00e9'", "n": "numeric(8,2) DEFAULT -1.50", "f": "float8 DEFAULT 0.1",
        "b": "boolean DEFAULT true", "d": "date DEFAULT '2020-02-29'", "ts": "timestamp DEFAULT '2001-02-03 04:05:06.789'",
        "tz": "timestamptz DEFAULT '2001-02-03 04:05:06+03'", "nothing": "int",
    }  # fmt: skip
    for name, definition in defaults.items():
        client.execute(f"ALTER TABLE grown ADD COLUMN {name} {definition}")  # type: ignore[arg-type]
    client.execute("ALTER TABLE grown DROP COLUMN gone")
    client.execute("INSERT INTO grown (id, i, t) VALUES (30001, 8, 'late'), (30002, NULL, NULL)")
    client.execute("UPDATE grown SET n = 3, d = NULL WHERE id % 1000 = 0")
    sums = "count(i), sum(i), min(t), max(t), sum(n), count(d), min(d), max(ts), min(tz), count(nothing), count(b), min(f)"
    for query in (
        f"SELECT count(*), {sums} FROM grown",
        "SELECT * FROM grown WHERE id IN (1, 2000, 30001, 30002) ORDER BY id",
    ):
        found = answer(client, query, "distributed")
        assert len(found) == 3 and found == answer(client, query, "columnar")


@needs_spark
def test_updates_deletions_new_columns_and_the_past(big: tuple[ServerProcess, Client]) -> None:
    """Parts, rows that are in none yet, deletions, another schema, transactions: one snapshot."""
    _, client = big
    client.execute("CREATE TABLE moving (id int PRIMARY KEY, v text)")
    client.execute("INSERT INTO moving SELECT g, 'v' || g FROM generate_series(1, 20000) g")
    client.execute("DELETE FROM moving WHERE id % 10 = 0")
    client.execute("UPDATE moving SET v = 'new' WHERE id % 7 = 0")
    row = client.execute("SELECT pg_export_snapshot()").fetchone()
    assert row is not None
    client.execute("DELETE FROM moving WHERE id > 19000")
    past = "SELECT count(*), max(id), count(CASE WHEN v = 'new' THEN 1 END) FROM moving"
    client.execute("SELECT set_config('tidewire.as_of', %s, false)", [row[0]])
    then = answer(client, past, "distributed")
    assert then == answer(client, past, "columnar") and then[2][0][1] == b"19999"
    client.execute("RESET tidewire.as_of")
    client.execute("ALTER TABLE moving ADD COLUMN w numeric(8,2)")
    client.execute("INSERT INTO moving VALUES (30001, 'late', 1.25), (30002, NULL, -1)")
    query = "SELECT count(*), count(v), count(w), sum(w), min(id), max(id), sum(length(v)) FROM moving"
    assert answer(client, query, "distributed") == answer(client, query, "columnar")
    client.execute("SELECT set_config('tidewire.as_of', %s, false)", [row[0]])
    assert answer(client, past, "columnar") == then
    sqlstate, message, _ = answer(client, past, "distributed")
    assert sqlstate == "0A000" and "as they were before they were altered" in message
    client.execute("RESET tidewire.as_of; SET execution_engine = 'distributed'")
    with client.transaction():
        assert client.execute("SELECT count(*) FROM moving WHERE id > 30000").fetchone() == (2,)
        client.execute("SET LOCAL execution_engine = 'columnar'")
        client.execute("DELETE FROM moving WHERE id = 30001")
        client.execute("SET LOCAL execution_engine = 'distributed'")
        with (
            pytest.raises(psycopg.errors.FeatureNotSupported, match="which this transaction has changed"),
            client.transaction(),
        ):
            client.execute("SELECT count(*) FROM moving WHERE id > 30000")
        client.execute("SET LOCAL execution_engine = 'auto'; SET LOCAL distributed_min_size = 0")
        assert client.execute("SELECT count(*) FROM moving WHERE id > 30000").fetchone() == (1,)


@needs_spark
def test_parameters_and_large_results(big: tuple[ServerProcess, Client]) -> None:
    """Extended protocol, and a result that comes in order and in pieces."""
    server, _ = big
    with server.connect() as client:
        client.execute("CREATE TABLE series (id int, v text)")
        client.execute("INSERT INTO series SELECT g, 'x' || g FROM generate_series(1, 30000) g")
        client.execute("SET execution_engine = 'distributed'")
        found = client.execute(
            "SELECT id, v FROM series WHERE id > %s AND v <> %s ORDER BY id", [10, "x12"]
        ).fetchall()
        assert found == [(i, f"x{i}") for i in range(11, 30001) if i != 12]
        with client.cursor(binary=True) as cursor:
            assert cursor.execute("SELECT max(id), min(v) FROM series").fetchone() == (30000, "x1")
        with client.transaction(), client.cursor(name="portal") as portal:
            portal.itersize = 500
            portal.execute("SELECT id FROM series ORDER BY id DESC")
            assert portal.fetchmany(3) == [(30000,), (29999,), (29998,)]


@needs_spark
def test_a_cancelled_query_ends_at_spark_too(big: tuple[ServerProcess, Client]) -> None:
    server, other = big
    with server.connect() as client:
        client.execute("CREATE TABLE heavy AS SELECT g AS id FROM generate_series(1, 20000) g")
        client.execute("SET execution_engine = 'distributed'")
        failed: list[BaseException] = []

        def work() -> None:
            try:
                client.execute("SELECT count(*) FROM heavy a, heavy b, heavy c WHERE a.id + b.id > c.id")
            except psycopg.Error as e:
                failed.append(e)

        thread = threading.Thread(target=work)
        thread.start()
        other.execute("SET execution_engine = 'columnar'")
        active = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT count(*) FROM heavy%'"
        wait_until(lambda: other.execute(active).fetchone() == (1,), 60)
        client.cancel_safe()
        thread.join(120)
        assert [type(e) for e in failed] == [psycopg.errors.QueryCanceled]
        # The worker is free again: a small query is answered although two cores were at work on the large one.
        assert client.execute("SELECT count(*) FROM heavy").fetchone() == (20000,)


@needs_spark
def test_a_worker_that_dies_takes_no_server_with_it(big: tuple[ServerProcess, Client]) -> None:
    import psutil

    server, client = big
    client.execute("SET execution_engine = 'distributed'")
    assert client.execute("SELECT count(*) FROM edge").fetchone() == (len(ROWS),)
    [worker] = [
        p
        for p in psutil.Process(server.pid).children()
        if "pipeline.spark.selects.worker" in " ".join(p.cmdline())
    ]
    java = worker.children(recursive=True)
    for process in [worker, *java]:
        process.kill()
    psutil.wait_procs([worker, *java], timeout=60)
    for _ in range(2):  # the first may still meet the dead one
        try:
            assert client.execute("SELECT count(*) FROM edge").fetchone() == (len(ROWS),)
            break
        except psycopg.errors.SystemError as e:
            assert "distributed engine" in str(e)
    else:
        raise AssertionError("the worker was not started again")


@needs_spark
@pytest.mark.parametrize("number", [1, 8, 13, 17, 21, 22])
def test_tpch_answers_are_the_columnar_engines(tpch: Client, number: int) -> None:
    """The others: `make test-spark ARGS="-m soak"`."""
    assert answer(tpch, QUERIES[number], "distributed") == answer(tpch, QUERIES[number], "columnar")


@needs_spark
@pytest.mark.soak
@pytest.mark.parametrize("number", sorted(QUERIES))
def test_all_tpch_answers_are_the_columnar_engines(tpch: Client, number: int) -> None:
    assert answer(tpch, QUERIES[number], "distributed") == answer(tpch, QUERIES[number], "columnar")


@pytest.fixture(scope="module")
def tpch(big: tuple[ServerProcess, Client], tmp_path_factory: pytest.TempPathFactory) -> Client:
    _, client = big
    try:
        load_tpch(client, generated(0.01, tmp_path_factory.mktemp("tpch")))
    except NoGenerator as missing:
        pytest.skip(str(missing))
    return client
