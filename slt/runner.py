"""Records -> a server -> outcomes, over psycopg's libpq connection in text format.

The simple protocol sends each record as one Query message; the extended one as Parse, Bind and
Execute without parameters, except for records with several commands. State carries over from
record to record on one connection, and a failed record does not end the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import pq

from slt.compare import Labels, Result, compare, compare_error
from slt.format import ENGINES, Record, TestFile, read


@dataclass(slots=True)
class Failure:
    file: str
    line: int
    sql: str
    reason: str


@dataclass(slots=True)
class Outcome:
    file: str
    passed: int
    failures: list[Failure]
    skipped: int

    @property
    def total(self) -> int:
        return self.passed + len(self.failures)


def _several(sql: str) -> bool:
    bare = re.sub(r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|/\*.*?\*/", " ", sql, flags=re.DOTALL)
    return ";" in bare.strip().rstrip(";").strip()


def _send(conn: psycopg.Connection[tuple[object, ...]], sql: str, extended: bool) -> pq.abc.PGresult:
    encoded = sql.encode()
    if extended and not _several(sql):
        return conn.pgconn.exec_params(encoded, [], result_format=0)
    return conn.pgconn.exec_(encoded)


def _result(raw: pq.abc.PGresult) -> Result:
    width = raw.nfields
    names = [(raw.fname(i) or b"").decode() for i in range(width)]
    rows: list[list[str | None]] = []
    for r in range(raw.ntuples):
        row: list[str | None] = []
        for c in range(width):
            value = raw.get_value(r, c)
            row.append(None if value is None else bytes(value).decode())
        rows.append(row)
    return Result(names, [raw.ftype(i) for i in range(width)], rows, raw.command_tuples or 0)


_OK = (pq.ExecStatus.COMMAND_OK, pq.ExecStatus.TUPLES_OK, pq.ExecStatus.EMPTY_QUERY)


def _judge(
    record: Record, raw: pq.abc.PGresult, flavor: str, labels: Labels, known: str | None
) -> str | None:
    failed = raw.status not in _OK
    if failed:
        sqlstate = (raw.error_field(pq.DiagnosticField.SQLSTATE) or b"").decode()
        primary = (raw.error_field(pq.DiagnosticField.MESSAGE_PRIMARY) or b"").decode()
        full = re.sub(r"\nLINE \d+:.*\n.*", "", (raw.error_message or b"").decode())
        if not record.expect_error:
            return f"failed with {sqlstate}: {primary or full}"
        return compare_error(record, flavor, sqlstate, primary, full, known)
    if record.expect_error:
        return f"succeeded, expected an error {known or record.error_sqlstate or record.error_pattern}"
    if record.kind == "statement":
        if record.count is not None and (raw.command_tuples or 0) != record.count:
            return f"{raw.command_tuples} rows, expected {record.count}"
        return None
    return compare(record, _result(raw), flavor, labels)


def run_file(
    file: TestFile,
    conn: psycopg.Connection[tuple[object, ...]],
    *,
    extended: bool,
    sqlstates: dict[str, str] | None = None,
    reconnect: Callable[[], psycopg.Connection[tuple[object, ...]]] | None = None,
) -> Outcome:
    """Runs all records of a file. A server that goes away fails the rest, or `reconnect` goes on."""
    engines = {*ENGINES, "pg-wire-extended" if extended else "pg-wire-simple"}
    labels = Labels()
    outcome = Outcome(file.path.name, 0, [], 0)
    for record in file.records:
        if not record.applies(engines):
            outcome.skipped += 1
            continue
        known = (sqlstates or {}).get(str(record.line))
        try:
            reason = _judge(record, _send(conn, record.sql, extended), file.flavor, labels, known)
        except psycopg.OperationalError as error:
            reason = f"the connection broke: {error}"
        if conn.pgconn.status != pq.ConnStatus.OK:
            reason = reason or "the connection broke"
            if reconnect is not None:
                conn = reconnect()
        if reason is None:
            outcome.passed += 1
        else:
            outcome.failures.append(Failure(file.path.name, record.line, record.sql, reason))
    return outcome


def known_sqlstates(folder: Path) -> dict[str, dict[str, str]]:
    """`sqlstates.json` beside the files: {file: {line: SQLSTATE}}."""
    path = folder / "sqlstates.json"
    if not path.exists():
        return {}
    found: dict[str, dict[str, str]] = json.loads(path.read_text())
    return found


def empty_database(conn: psycopg.Connection[tuple[object, ...]]) -> None:
    """Drops every user schema and makes `public` anew."""
    conn.execute("ROLLBACK")
    rows = conn.execute(
        "SELECT nspname FROM pg_namespace WHERE nspname NOT LIKE 'pg\\_%' AND nspname <> 'information_schema'"
    ).fetchall()
    for (name,) in rows:
        conn.execute(f'DROP SCHEMA "{name}" CASCADE')
    conn.execute("CREATE SCHEMA public")


def run_files(
    paths: list[Path],
    connect: Callable[[], psycopg.Connection[tuple[object, ...]]],
    *,
    extended: bool,
    prepare: Callable[[psycopg.Connection[tuple[object, ...]]], None] = empty_database,
) -> Iterator[Outcome]:
    """Each file on a connection of its own, on an empty database."""
    states: dict[Path, dict[str, dict[str, str]]] = {}
    for path in paths:
        known = states.setdefault(path.parent, known_sqlstates(path.parent)).get(path.name)
        with connect() as cleaner:
            prepare(cleaner)
        conn = connect()
        try:
            yield run_file(read(path), conn, extended=extended, sqlstates=known, reconnect=connect)
        finally:
            conn.close()
