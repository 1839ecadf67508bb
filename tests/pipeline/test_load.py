"""`tidewire load`: what stands in files is in the table, or it is known why not."""

from __future__ import annotations

import datetime
import io
import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from pipeline.jobs import progress
from pipeline.jobs.load import LoadError, LoadOptions, LoadSummary, load
from pipeline.jobs.sources import SourceError, expand, sql_type_of
from tidewire.cli import app

Client = psycopg.Connection[Any]
CSV = 'id,name,v\n1,"a, ""b""\nc",1.5\n2,"",2\n3,,3e2\n'


def write(path: Path, text: str) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return str(path)


def fresh(client: Client, columns: str) -> str:
    client.execute("DROP TABLE IF EXISTS t")
    if columns:
        client.execute(f"CREATE TABLE t ({columns})")  # type: ignore[arg-type]
    return "t"


def rows(client: Client, query: str = "SELECT * FROM t ORDER BY 1") -> list[tuple[Any, ...]]:
    return client.execute(query).fetchall()  # type: ignore[arg-type]


def types(client: Client) -> dict[str, str]:
    query = "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 0"
    return dict(client.execute(query).fetchall())


def test_csv_keeps_empty_strings_nulls_quotes_and_line_breaks(
    client: Client, url: str, tmp_path: Path
) -> None:
    fresh(client, "id int primary key, name text, v float8")
    summary = load(url, "t", [write(tmp_path / "a.csv", CSV)])
    assert (summary.rows, summary.files, summary.rejected) == (3, 1, 0)
    assert rows(client) == [(1, 'a, "b"\nc', 1.5), (2, "", 2.0), (3, None, 300.0)]


def test_columns_find_each_other_by_name_and_the_rest_takes_defaults(
    client: Client, url: str, tmp_path: Path
) -> None:
    fresh(client, "name text, id serial, added int default 7")
    load(url, "t", [write(tmp_path / "a.csv", "NAME\nx\ny\n")])
    assert rows(client) == [("x", 1, 7), ("y", 2, 7)]
    with pytest.raises(LoadError, match='no column "other"'):
        load(url, "t", [write(tmp_path / "b.csv", "name,other\nx,1\n")])


def test_folders_and_globs_are_one_load(client: Client, url: str, tmp_path: Path) -> None:
    fresh(client, "id int")
    for i in range(4):
        write(tmp_path / f"d/sub{i % 2}/{i}.csv", f"id\n{i}\n")
    write(tmp_path / "d/readme.txt", "not data")
    assert load(url, "t", [str(tmp_path / "d")]).files == 4
    assert load(url, "t", [str(tmp_path / "d/*/[01].csv")]).files == 2
    assert [r[0] for r in rows(client)] == [0, 0, 1, 1, 2, 3]


def test_a_table_is_made_from_what_the_files_hold(client: Client, url: str, tmp_path: Path) -> None:
    fresh(client, "")
    text = "i,f,d,ts,b,s\n1,1.5,2024-02-29,2024-01-01 10:00:00,true,x\n2,2.5,2024-03-01,2024-01-02 10:00:00,false,y\n"
    path = write(tmp_path / "a.csv", text)
    with pytest.raises(LoadError, match="--create"):
        load(url, "t", [path])
    assert load(url, "t", [path], LoadOptions(create=True)).created
    assert types(client) == {
        "i": "bigint", "f": "double precision", "d": "date",
        "ts": "timestamp without time zone", "b": "boolean", "s": "text",
    }  # fmt: skip
    assert len(rows(client)) == 2


def test_json_lines(client: Client, url: str, tmp_path: Path) -> None:
    lines = [
        {
            "id": 1,
            "s": 'q"\\',
            "tags": ["a", 'b"c', None],
            "o": {"k": [1, None]},
            "big": 12345678901234567890,
        },
        {"id": 2, "tags": []},
        {"id": 3, "s": None, "o": None},
    ]
    path = write(tmp_path / "a.jsonl", "".join(json.dumps(x) + "\n" for x in lines))
    fresh(client, "")
    load(url, "t", [path], LoadOptions(create=True))
    assert types(client) == {
        "id": "bigint",
        "s": "text",
        "tags": "text[]",
        "o": "jsonb",
        "big": "numeric(38,0)",
    }
    assert rows(client) == [
        (1, 'q"\\', ["a", 'b"c', None], {"k": [1, None]}, Decimal(12345678901234567890)),
        (2, None, [], None, None),
        (3, None, None, None, None),
    ]


def test_a_json_column_gets_json_whatever_the_member_is(client: Client, url: str, tmp_path: Path) -> None:
    fresh(client, "id int, j jsonb")
    path = write(
        tmp_path / "a.jsonl", '{"id":1,"j":"s"}\n{"id":2,"j":3}\n{"id":3,"j":[1]}\n{"id":4,"j":null}\n'
    )
    load(url, "t", [path])
    assert [r[1] for r in rows(client)] == ["s", 3, [1], None]


def test_parquet_by_type(client: Client, url: str, tmp_path: Path) -> None:
    at = datetime.datetime(2024, 1, 1, 1, 2, 3, 4)
    table = pa.table(
        {
            "id": pa.array([1, 2]),
            "d": pa.array([Decimal("1.50"), None], pa.decimal128(10, 2)),
            "b": pa.array([b"\x00\xff", b""]),
            "ts": pa.array([at, None], pa.timestamp("us")),
            "tz": pa.array([at, None], pa.timestamp("us", "UTC")),
            "l": pa.array([["x", 'y"\\', None], []]),
            "n": pa.array([[[1]], None]),
            "st": pa.array([{"a": 1}, None]),
            "f": pa.array([float("-inf"), -0.0]),
            "tm": pa.array([datetime.time(1, 2, 3), None], pa.time64("us")),
        }
    )
    pq.write_table(table, tmp_path / "a.parquet")
    fresh(client, "")
    load(url, "t", [str(tmp_path / "a.parquet")], LoadOptions(create=True))
    utc = at.replace(tzinfo=datetime.UTC)
    assert rows(client) == [
        (1, Decimal("1.50"), b"\x00\xff", at, utc, ["x", 'y"\\', None], [[1]], {"a": 1}, float("-inf"), datetime.time(1, 2, 3)),
        (2, None, b"", None, None, [], None, None, -0.0, None),
    ]  # fmt: skip


BAD = [
    ("a value that is none", "3,x,notanumber\n", "22P02", "invalid input syntax for type double precision"),
    (
        "a key that is there",
        "1,again,1\n",
        "23505",
        'duplicate key value violates unique constraint "t_pkey"',
    ),
    ("a null that must not be", "3,,1\n", "23502", 'null value in column "name"'),
    ("a check", "3,x,-1\n", "23514", 'violates check constraint "t_v_check"'),
    ("a line of other width", "3,x,1,more\n", None, "Expected Number of Columns: 3 Found: 4"),
]


@pytest.mark.parametrize(("what", "line", "sqlstate", "reason"), BAD, ids=[b[0] for b in BAD])
def test_a_bad_row_ends_the_load_or_goes_to_the_reject_file(
    client: Client, url: str, tmp_path: Path, what: str, line: str, sqlstate: str | None, reason: str
) -> None:
    fresh(client, "id int primary key, name text not null, v float8 check (v > 0)")
    good = [f"{i},n{i},1\n" for i in (1, 2, 4, 5)]
    path = write(tmp_path / "a.csv", "id,name,v\n" + "".join([*good[:2], line, *good[2:]]))
    with pytest.raises(LoadError) as ended:
        load(url, "t", [path])
    assert reason in str(ended.value)
    assert "nothing was loaded" in str(ended.value)
    assert str(ended.value).startswith(f"{path}, row 3" if sqlstate else f"{path}, line 4")
    assert rows(client) == []

    rejects = tmp_path / "rejects.jsonl"
    summary = load(url, "t", [path], LoadOptions(skip_bad=True, reject_file=rejects, batch_rows=3))
    assert (summary.rows, summary.rejected) == (4, 1)
    assert [r[0] for r in rows(client)] == [1, 2, 4, 5]
    (reject,) = [json.loads(x) for x in rejects.read_text().splitlines()]
    assert reject["file"] == path and reason in reject["reason"]
    assert reject.get("sqlstate") == sqlstate
    assert reject["values"]["id"] == line[0] and reject["row"] == 3 if sqlstate else reject["line"] == 4


def test_lines_that_are_no_json_are_rejected(client: Client, url: str, tmp_path: Path) -> None:
    fresh(client, "id int")
    path = write(tmp_path / "a.jsonl", '{"id":1}\n{oops\n\n{"id":2}\n')
    rejects = tmp_path / "rejects.jsonl"
    assert load(url, "t", [path], LoadOptions(skip_bad=True, reject_file=rejects)).rejected == 1
    assert json.loads(rejects.read_text())["text"] == "{oops"
    assert rows(client) == [(1,), (2,)]
    with pytest.raises(LoadError, match="invalid JSON; nothing was loaded"):
        load(url, "t", [path])
    assert rows(client) == [(1,), (2,)]


@pytest.mark.parametrize("text", ["", "\ufeff"])
def test_empty_files(client: Client, url: str, tmp_path: Path, text: str) -> None:
    """CSV without a header says so; elsewhere no rows are no rows, but no columns of a table either."""
    fresh(client, "id int")
    good, csv, lines = (
        write(tmp_path / n, x) for n, x in (("a.csv", "id\n1\n"), ("b.csv", text), ("c.jsonl", text))
    )
    with pytest.raises(SourceError, match=r"e\.csv is empty"):
        load(url, "t", [write(tmp_path / "e.csv", " \n\n")])
    with pytest.raises(SourceError, match=r"b\.csv is empty: CSV begins with a line of column names"):
        load(url, "t", [good, csv])
    bare = LoadOptions(header=False)
    assert (load(url, "t", [csv], bare).rows, load(url, "t", [lines]).rows) == (0, 0)
    assert load(url, "t", [lines], LoadOptions(resume=f"nothing{len(text)}")).files == 1
    bare_good = write(tmp_path / "d.csv", "7\n")
    assert load(url, "t", [csv, bare_good, csv], bare).rows == 1 and rows(client) == [(7,)]
    fresh(client, "")
    for path in (csv, lines):
        with pytest.raises(LoadError, match="the files are empty"):
            load(url, "t", [path], LoadOptions(header=False, create=True))
    assert client.execute("SELECT to_regclass('t')").fetchone() == (None,)


def test_too_many_bad_rows_end_even_a_lenient_load(client: Client, url: str, tmp_path: Path) -> None:
    fresh(client, "id int")
    path = write(tmp_path / "a.csv", "id\n" + "x\n" * 20)
    with pytest.raises(LoadError, match="more than 5 bad rows"):
        load(url, "t", [path], LoadOptions(skip_bad=True, rejects_max=5))


def test_files_that_cannot_be_meant(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no files"):
        expand([str(tmp_path / "none*.csv")])
    write(tmp_path / "a.csv", "x")
    write(tmp_path / "b.jsonl", "{}")
    write(tmp_path / "c.data", "x")
    with pytest.raises(SourceError, match="several formats"):
        expand([str(tmp_path / "a.csv"), str(tmp_path / "b.jsonl")])
    with pytest.raises(SourceError, match="--format"):
        expand([str(tmp_path / "c.data")])
    assert expand([str(tmp_path / "c.data")], "csv") == ([str(tmp_path / "c.data")], "csv")


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("UBIGINT", "numeric(20,0)"),
        ("DECIMAL(10,2)", "numeric(10,2)"),
        ("DECIMAL(10,2)[]", "numeric(10,2)[]"),
        ("STRUCT(a INTEGER)", "jsonb"),
        ("STRUCT(a INTEGER)[]", "jsonb"),
        ("BIGINT[][]", "jsonb"),
        ("ENUM('a')", "text"),
    ],
)
def test_inferred_types(kind: str, expected: str) -> None:
    assert sql_type_of(kind) == expected


def test_the_command(client: Client, url: str, tmp_path: Path) -> None:
    fresh(client, "id int primary key, name text, v float8")
    path = write(tmp_path / "a.csv", CSV)
    runner = CliRunner()
    done = runner.invoke(app, ["load", "t", path, "--url", url])
    assert done.exit_code == 0 and done.stdout.startswith("t: 3 rows from 1 file in ")
    again = runner.invoke(app, ["load", "t", path, "--url", url])
    assert (
        again.exit_code == 1
        and "duplicate key value" in again.stderr
        and "nothing was loaded" in again.stderr
    )
    for wrong in (["--on-error", "maybe"], ["--batch-rows", "0"], ["--rejects-max", "-1"]):
        assert runner.invoke(app, ["load", "t", path, "--url", url, *wrong]).exit_code == 2
    nowhere = runner.invoke(app, ["load", "t", path, "--url", "postgresql://127.0.0.1:1/x"])
    assert nowhere.exit_code == 1 and "Traceback" not in nowhere.stderr


def test_the_summary_counts_in_words() -> None:
    assert str(LoadSummary("t", 2, 1500, 3, True, 0.5)) == (
        "t (created): 1,500 rows from 2 files in 0.5 s (3,000 rows/s), 3 rejected"
    )


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_progress_is_drawn_on_a_terminal_and_nowhere_else(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "REDRAW_S", 0)
    for stream, drawn in ((Terminal(), True), (io.StringIO(), False)):
        shown = progress.Progress("rows", 4_000, stream)
        shown.step(1_000)
        shown.step(1_000)
        shown.done()
        lines = stream.getvalue().split("\r\x1b[K")
        assert len(lines) == (4 if drawn else 1)
        if drawn:
            assert lines[1].startswith(f"[{'#' * 7}{'.' * 23}] 1,000 rows, ")
            assert lines[2].startswith(f"[{'#' * 15}{'.' * 15}] 2,000 rows, ")
            assert lines[3] == ""  # the line is the terminal's again
