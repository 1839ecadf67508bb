"""`tidewire export`: files hold what the table held at one timestamp, or there are no files."""

from __future__ import annotations

import csv
import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from pipeline.jobs.export import ExportError, ExportOptions, export
from pipeline.jobs.load import LoadOptions, load
from tidewire.cli import app

Client = psycopg.Connection[Any]

TYPED = """
CREATE TABLE t (id int PRIMARY KEY, s int2, b bigint, f4 float4, f8 float8, n numeric(12,3), nn numeric, t text,
  c char(3), bo bool, by bytea, d date, ti time, ts timestamp, tz timestamptz, u uuid, jb jsonb, a int[]);
INSERT INTO t VALUES
  (1, 2, 3, 1.5, 'NaN', 12.345, 1.10, E'a "b",\\nc', 'x', true, '\\x00ff', '2024-02-29', '12:34:56.789',
   '2024-02-29 12:34:56.123456', '2024-02-29 12:34:56.123456+02', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"k": 1}', '{1,NULL}'),
  (2, NULL, NULL, NULL, 'Infinity', NULL, NULL, '', NULL, false, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL)
"""


def typed(client: Client) -> None:
    client.execute("DROP TABLE IF EXISTS t")
    client.execute(TYPED)  # type: ignore[arg-type]


def now(client: Client) -> str:
    row = client.execute("SELECT pg_export_snapshot()").fetchone()
    assert row is not None
    return str(int(row[0][:16], 16))


def test_parquet_by_type(client: Client, url: str, tmp_path: Path) -> None:
    typed(client)
    summary = export(url, str(tmp_path / "t.parquet"), table="t")
    assert (summary.rows, summary.files) == (2, 1)
    table = pq.read_table(tmp_path / "t.parquet")
    assert {f.name: str(f.type) for f in table.schema} == {
        "id": "int32", "s": "int16", "b": "int64", "f4": "float", "f8": "double", "n": "decimal128(12, 3)",
        "nn": "string", "t": "string", "c": "string", "bo": "bool", "by": "binary", "d": "date32[day]",
        "ti": "time64[us]", "ts": "timestamp[us]", "tz": "timestamp[us, tz=UTC]", "u": "string",
        "jb": "string", "a": "string",
    }  # fmt: skip
    first, second = sorted(table.to_pylist(), key=lambda r: r["id"])
    at = datetime.datetime(2024, 2, 29, 12, 34, 56, 123456)
    assert first.pop("f8") != first.get("f8"), "NaN"
    assert first == {
        "id": 1, "s": 2, "b": 3, "f4": 1.5, "n": Decimal("12.345"), "nn": "1.10", "t": 'a "b",\nc', "c": "x  ",
        "bo": True, "by": b"\x00\xff", "d": datetime.date(2024, 2, 29), "ti": datetime.time(12, 34, 56, 789000), "ts": at,
        "tz": (at - datetime.timedelta(hours=2)).replace(tzinfo=datetime.UTC),
        "u": "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11", "jb": '{"k": 1}', "a": "{1,NULL}",
    }  # fmt: skip
    assert {k: v for k, v in second.items() if v is not None} == {
        "id": 2, "f8": float("inf"), "t": "", "bo": False, "by": b"",
    }  # fmt: skip


@pytest.mark.parametrize("name", ["t.csv", "t.parquet"])
def test_what_was_exported_can_be_loaded_again(client: Client, url: str, tmp_path: Path, name: str) -> None:
    typed(client)
    export(url, str(tmp_path / name), table="t")
    before = client.execute("SELECT t::text FROM t ORDER BY id").fetchall()
    client.execute("TRUNCATE t")
    load(url, "t", [str(tmp_path / name)], LoadOptions())
    assert client.execute("SELECT t::text FROM t ORDER BY id").fetchall() == before


def test_as_of_reads_what_was(client: Client, url: str, tmp_path: Path) -> None:
    client.execute("DROP TABLE IF EXISTS t")
    client.execute("CREATE TABLE t (id int PRIMARY KEY)")
    client.execute("INSERT INTO t SELECT * FROM generate_series(1, 100)")
    then = now(client)
    client.execute("DELETE FROM t WHERE id > 10")
    old = export(url, str(tmp_path / "old.parquet"), table="t", options=ExportOptions(as_of=then))
    new = export(url, str(tmp_path / "new.parquet"), table="t")
    assert (old.rows, old.as_of, new.rows) == (100, int(then), 10)
    assert new.as_of > old.as_of
    again = ExportOptions(as_of=str(new.as_of), overwrite=True)
    client.execute("DELETE FROM t")
    assert export(url, str(tmp_path / "new.parquet"), table="t", options=again).rows == 10


def test_a_query_in_partitions(client: Client, url: str, tmp_path: Path) -> None:
    query = "SELECT i, i % 3 AS part FROM generate_series(1, 30) AS i"
    target = tmp_path / "folder"
    summary = export(url, str(target), query=query, options=ExportOptions(partition_by=["part"]))
    assert (summary.rows, summary.files) == (30, 3)
    assert sorted(p.name for p in target.iterdir()) == ["part=0", "part=1", "part=2"]
    assert sorted(pq.read_table(target).column("i").to_pylist()) == list(range(1, 31))
    by_count = export(url, str(tmp_path / "n"), query=query, options=ExportOptions(rows_per_file=10))
    assert by_count.files == 3


def test_csv_is_the_server_s_own(client: Client, url: str, tmp_path: Path) -> None:
    query = "SELECT 1 AS a, 'x,\"y\"' AS \"B c\", NULL::int AS n, '' AS e"
    export(url, str(tmp_path / "q.csv"), query=query)
    text = (tmp_path / "q.csv").read_text()
    assert text == 'a,B c,n,e\n1,"x,""y""",,""\n'
    assert list(csv.reader(text.splitlines()))[1] == ["1", 'x,"y"', "", ""]


@pytest.mark.parametrize("query", ["SELECT 1 AS a WHERE false", "SELECT NULL::int AS a UNION ALL SELECT 1"])
def test_few_rows_and_lone_nulls(url: str, client: Client, tmp_path: Path, query: str) -> None:
    expected = [r[0] for r in client.execute(query).fetchall()]  # type: ignore[arg-type]
    assert export(url, str(tmp_path / "q.parquet"), query=query).rows == len(expected)
    table = pq.read_table(tmp_path / "q.parquet")
    assert table.schema == pa.schema([("a", pa.int32())])
    assert sorted(table.column("a").to_pylist(), key=str) == sorted(expected, key=str)


@pytest.mark.parametrize(
    ("arguments", "options", "error"),
    [
        ({"table": "t", "query": "SELECT 1"}, ExportOptions(), ExportError),
        ({}, ExportOptions(), ExportError),
        ({"query": "SELECT 1 AS a, 2 AS a"}, ExportOptions(), ExportError),
        ({"query": "SELECT 1 AS a"}, ExportOptions(partition_by=["b"]), ExportError),
        ({"query": "SELECT 1 AS a"}, ExportOptions(format="xml"), ExportError),
        ({"query": "SELECT 1 AS a"}, ExportOptions(as_of="2200-01-01"), psycopg.errors.InvalidParameterValue),
        ({"table": "nonesuch"}, ExportOptions(), psycopg.errors.UndefinedTable),
        ({"query": "SELECT 1/(i-900) AS a FROM generate_series(1,1000) i"}, ExportOptions(), psycopg.Error),
    ],
)
def test_what_fails_leaves_nothing_behind(
    url: str, tmp_path: Path, arguments: dict[str, str], options: ExportOptions, error: type[Exception]
) -> None:
    with pytest.raises(error):
        export(url, str(tmp_path / "out"), **arguments, options=options)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("query", "reason"),
    [
        ("DELETE FROM t", "one query with columns"),
        ("DELETE FROM t RETURNING id", "one query with columns"),
        ("CREATE TABLE made (a int)", "one query with columns"),
        ("", "one query with columns"),
        ("SELECT 1; DELETE FROM t", "multiple commands"),
        ("SELECT id FROM t WHERE", "syntax error at end of input"),
        ("SELECT id FORM t", 'syntax error at or near "t"'),
    ],
)
def test_what_is_no_query_is_not_run(
    client: Client, url: str, tmp_path: Path, query: str, reason: str
) -> None:
    typed(client)
    result = CliRunner().invoke(
        app, ["export", str(tmp_path / "x.csv"), "--url", url, "--query", query or ";"]
    )
    assert result.exit_code == 1 and reason in result.stderr, result.stderr
    assert client.execute("SELECT count(*), to_regclass('made') FROM t").fetchall() == [(2, None)]
    assert list(tmp_path.iterdir()) == []


def test_a_query_may_end_with_a_comment(url: str, tmp_path: Path) -> None:
    for name in ("x.csv", "x.parquet"):
        assert export(url, str(tmp_path / name), query="SELECT 1 AS a -- one").rows == 1


def test_a_folder_that_is_not_there_is_named(url: str, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match=r"there is no folder .*none"):
        export(url, str(tmp_path / "none" / "x.csv"), query="SELECT 1 AS a")


def test_what_is_there_stays_unless_told_otherwise(url: str, tmp_path: Path) -> None:
    target = tmp_path / "x.csv"
    target.write_text("precious")
    runner = CliRunner()
    command = ["export", str(target), "--query", "SELECT 1 AS a", "--url", url]
    refused = runner.invoke(app, command)
    assert refused.exit_code == 1 and "--overwrite" in refused.stderr
    assert target.read_text() == "precious"
    done = runner.invoke(app, [*command, "--overwrite"])
    assert done.exit_code == 0 and done.stdout.startswith(f"{target}: 1 rows as of ")
    assert target.read_text() == "a\n1\n"


@pytest.mark.parametrize(
    "given",
    [
        [],
        ["--table", "t", "--query", "SELECT 1"],
        ["--query", "SELECT 1", "--format", "xml"],
    ],
)
def test_wrong_usage_is_told_from_failure(url: str, tmp_path: Path, given: list[str]) -> None:
    result = CliRunner().invoke(app, ["export", str(tmp_path / "x.csv"), "--url", url, *given])
    assert result.exit_code == 2 and result.stderr.startswith("tidewire: ")
