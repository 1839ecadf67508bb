"""Files as rows of text, whatever their format: what COPY takes, and what inference needs.

    CSV          every field as it stands in the file; an empty field is NULL, "" is an empty string
    JSON lines   a member's text; nested values as JSON; absent and null are NULL
    Parquet      each value as PostgreSQL's input functions read it (bytea as \\x.., lists as {..})

The server's own input functions turn text into values, so nothing is rounded or guessed on the way: a
number keeps its digits. Types are inferred only to create a table. DuckDB reads the files, in order, in bounded memory.
"""

from __future__ import annotations

import glob
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

FORMATS = {".csv": "csv", ".tsv": "csv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
LINE_BYTES_MAX = 16 << 20


class SourceError(Exception):
    """A file that cannot be read, or files that cannot be meant."""


@dataclass(frozen=True, slots=True)
class SourceColumn:
    """A column found in the files, and the PostgreSQL type that would hold it."""

    name: str
    sql_type: str
    expression: str
    """Its text, in DuckDB SQL over the file."""
    source: str
    """Its name in the files; `name` is the table's."""
    json_expression: str
    """Its text for a column of type json or jsonb, where strings keep their quotes."""


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that is no row."""

    file: str
    line: int
    text: str
    reason: str


def expand(paths: Sequence[str], format: str | None = None) -> tuple[list[str], str]:
    """The files behind files, folders and globs, in order, and their one format. Raises SourceError."""
    files: list[str] = []
    for path in paths:
        if Path(path).is_dir():
            inside = [str(p) for p in sorted(Path(path).rglob("*")) if p.is_file() and p.suffix in FORMATS]
            found = [p for p in inside if format is None or FORMATS[Path(p).suffix] == format]
        else:
            found = [path] if Path(path).is_file() else sorted(glob.glob(path, recursive=True))
        if not found:
            raise SourceError(f"no files to load at {path}")
        files += [f for f in found if f not in files]
    if format is not None:
        return files, format
    formats = {FORMATS.get(Path(f).suffix, "") for f in files}
    if "" in formats:
        unknown = next(f for f in files if Path(f).suffix not in FORMATS)
        raise SourceError(f"the format of {unknown} is not known from its name: say --format")
    if len(formats) > 1:
        raise SourceError(f"files of several formats ({', '.join(sorted(formats))}): load them one by one")
    return files, formats.pop()


class Source:
    """Files of one format that have the same columns."""

    def __init__(
        self, files: Sequence[str], format: str, *, delimiter: str = "", header: bool = True
    ) -> None:
        self.files, self.format = list(files), format
        self._delimiter, self._header = delimiter, header
        self._duckdb = duckdb.connect(config={"threads": 2})

    def close(self) -> None:
        self._duckdb.close()

    def columns(self) -> list[SourceColumn]:
        """Columns of all files together, with inferred types; none if there is nothing in the files. Raises SourceError."""
        told = [f for f in self.files if not self._blank(f)]
        if not told:
            return []
        listed = "[" + ", ".join(_quoted(f) for f in told) + "]"
        if self.format == "csv":
            relation = f"read_csv({listed}, {self._csv_options()}, union_by_name=true, ignore_errors=true)"
        elif self.format == "jsonl":
            relation = (
                f"read_json({listed}, format='newline_delimited', union_by_name=true, ignore_errors=true,"
                f" maximum_object_size={LINE_BYTES_MAX})"
            )
        else:
            relation = f"read_parquet({listed}, union_by_name=true)"
        described = self._run(f"DESCRIBE SELECT * FROM {relation}").fetchall()
        return [
            SourceColumn(name, self._type(kind), self._expression(name, kind), name, self._json(name, kind))
            for name, kind, *_ in described
        ]

    def _blank(self, file: str) -> bool:
        """Whether a file of lines has none. DuckDB would take it for one of a column that it makes up. Raises SourceError."""
        blank, bare = self.format != "parquet", self.format == "csv" and not self._header
        try:
            with open(file, "rb") as lines:
                while blank and (block := lines.read(1 << 16)):
                    block = block.removeprefix(b"\xef\xbb\xbf")
                    blank = not (block if bare else block.strip())  # without a header an empty line is a row
        except OSError as e:
            raise SourceError(str(e)) from e
        if blank and self.format == "csv" and self._header:
            raise SourceError(
                f"{file} is empty: CSV begins with a line of column names, unless you say --no-header"
            )
        return blank

    def batches(self, file: str, columns: Sequence[SourceColumn], rows: int) -> Iterator[pa.RecordBatch]:
        """The columns of one file as text, so many rows at a time; columns it has not are NULL.

        Lines that are no rows are left out: `malformed` has them afterwards. Raises SourceError.
        """
        if not columns:
            return  # of empty files
        self._run("DROP TABLE IF EXISTS reject_errors; DROP TABLE IF EXISTS reject_scans")
        relation = self._relation(file)
        present = {name for name, *_ in self._run(f"DESCRIBE SELECT * FROM {relation}").fetchall()}
        cells = [
            f"{c.expression if self.format == 'jsonl' or c.source in present else 'NULL::VARCHAR'} AS c{i}"
            for i, c in enumerate(columns)
        ]
        condition = " WHERE json_valid(line)" if self.format == "jsonl" else ""
        try:
            reader = self._run(f"SELECT {', '.join(cells)} FROM {relation}{condition}").to_arrow_reader(rows)
            yield from reader
        except (duckdb.Error, pa.ArrowException, OSError) as e:
            raise SourceError(f"{file}: {e}") from e

    def malformed(self, file: str, limit: int) -> list[Malformed]:
        """The lines of the file read last that are no rows, at most `limit`."""
        if self.format == "csv":
            query = f"SELECT line, csv_line, error_message FROM reject_errors ORDER BY line LIMIT {limit * 8}"
        elif self.format == "jsonl":
            query = (
                f"SELECT number, line, 'invalid JSON' FROM (SELECT line, row_number() OVER () AS number"
                f" FROM {self._relation(file)}) WHERE NOT json_valid(line) LIMIT {limit}"
            )
        else:
            return []
        found: dict[int, Malformed] = {}
        for line, text, reason in self._run(query).fetchall():
            found.setdefault(line, Malformed(file, line, text, reason))
        return list(found.values())[:limit]

    def _relation(self, file: str) -> str:
        name = _quoted(file)
        if self.format == "csv":
            return f"read_csv({name}, {self._csv_options()}, all_varchar=true, store_rejects=true)"
        if self.format == "jsonl":
            return (
                f"(SELECT line FROM read_csv({name}, header=false, delim='', quote='', escape='',"
                f" columns={{'line': 'VARCHAR'}}, auto_detect=false, max_line_size={LINE_BYTES_MAX})"
                " WHERE trim(line) <> '')"
            )
        return f"read_parquet({name})"

    def _csv_options(self) -> str:
        options = f"header={str(self._header).lower()}, allow_quoted_nulls=false"
        return options + (f", delim={_quoted(self._delimiter)}" if self._delimiter else "")

    def _type(self, kind: str) -> str:
        """Members that are now a number and now a string are text."""
        return "text" if kind == "JSON" and self.format == "jsonl" else sql_type_of(kind)

    def _json(self, name: str, kind: str) -> str:
        if self.format == "csv":
            return self._expression(name, kind)
        if self.format == "parquet":
            return (
                f"CAST(to_json({_identifier(name)}) AS VARCHAR)" if kind != "VARCHAR" else _identifier(name)
            )
        return f"nullif(CAST(json_extract(line, {_path(name)}) AS VARCHAR), 'null')"

    def _expression(self, name: str, kind: str) -> str:
        if self.format == "csv":
            return _identifier(name)
        if self.format == "jsonl":
            path = _path(name)
            if kind.endswith("[]") and sql_type_of(kind) != "jsonb":
                return _array_text(f"CAST(json_extract_string(line, {path}) AS JSON)::VARCHAR[]")
            return f"json_extract_string(line, {path})"
        column = _identifier(name)
        if kind == "BLOB":
            return f"'\\x' || lower(hex({column}))"
        if kind.endswith("[]") and sql_type_of(kind) != "jsonb":
            return _array_text(column)
        if sql_type_of(kind) == "jsonb":
            return f"CAST(to_json({column}) AS VARCHAR)"
        return f"CAST({column} AS VARCHAR)"

    def _run(self, query: str) -> Any:
        try:
            return (
                self._duckdb.sql(query)
                if query.startswith(("SELECT", "DESCRIBE"))
                else self._duckdb.execute(query)
            )
        except (duckdb.Error, OSError) as e:
            raise SourceError(str(e)) from e


_TYPES = {
    "BOOLEAN": "boolean",
    "TINYINT": "smallint", "UTINYINT": "smallint", "SMALLINT": "smallint",
    "USMALLINT": "integer", "INTEGER": "integer", "UINTEGER": "bigint", "BIGINT": "bigint",
    "UBIGINT": "numeric(20,0)", "HUGEINT": "numeric(38,0)", "UHUGEINT": "numeric",
    "FLOAT": "real", "DOUBLE": "double precision",
    "DATE": "date", "TIME": "time", "INTERVAL": "interval",
    "TIMESTAMP": "timestamp", "TIMESTAMP_S": "timestamp", "TIMESTAMP_MS": "timestamp", "TIMESTAMP_NS": "timestamp",
    "TIMESTAMP WITH TIME ZONE": "timestamptz",
    "BLOB": "bytea", "UUID": "uuid", "JSON": "jsonb", "VARCHAR": "text",
}  # fmt: skip


def sql_type_of(kind: str) -> str:
    """The PostgreSQL type for what DuckDB found: text where nothing fits better, jsonb for what is nested."""
    if kind.endswith("[]"):
        element = sql_type_of(kind[:-2])
        return "jsonb" if element == "jsonb" or element.endswith("[]") else f"{element}[]"
    if kind.startswith(("STRUCT", "MAP", "UNION")):
        return "jsonb"
    if kind.startswith("DECIMAL"):
        return "numeric" + kind.removeprefix("DECIMAL")
    return _TYPES.get(kind, "text")


def _array_text(values: str) -> str:
    """A list as PostgreSQL writes an array, every element quoted."""
    element = "'\"' || replace(replace(CAST(e AS VARCHAR), '\\', '\\\\'), '\"', '\\\"') || '\"'"
    elements = f"list_transform({values}, lambda e: coalesce({element}, 'NULL'))"
    return f"CASE WHEN {values} IS NOT NULL THEN '{{' || array_to_string({elements}, ',') || '}}' END"


def _path(member: str) -> str:
    """A member of a JSON object, as a quoted path."""
    return _quoted('$."' + member.replace("\\", "\\\\").replace('"', '\\"') + '"')


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _identifier(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
