"""A parameter that cannot be read: the CONTEXT says which, as PostgreSQL says it."""

from __future__ import annotations

from psycopg import pq
from psycopg.conninfo import make_conninfo

from tests.server.process import ServerProcess

CASES: tuple[tuple[bytes, list[bytes | None], list[int]], ...] = (
    (b"SELECT $1::int", [b"abc"], [0]),
    (b"SELECT $1::int, $2::date", [b"1", b"x'y"], [0, 0]),
    (b"SELECT $1::int, $2::text, $3::int", [None, b"a", b"99999999999"], [0, 0, 0]),
    (b"SELECT $1::int", [b"abc"], [1]),
    (b"SELECT $1::text, $2::int", [b"a", b"123"], [0, 1]),
    (b"SELECT $1::json", [b"{"], [0]),
    (b"SELECT $1::text", [b"\xff"], [0]),
    (b"SELECT $1::text", [b"\xff"], [1]),
)


def errors(dsn: str) -> list[bytes]:
    c = pq.PGconn.connect(make_conninfo(dsn, client_encoding="UTF8").encode())
    try:
        told = [
            c.exec_params(text, values, param_formats=forms).error_message for text, values, forms in CASES
        ]
        c.prepare(b"known", b"SELECT $1::int")
        told.append(c.exec_prepared(b"known", [b"q"]).error_message)
        c.exec_(b"BEGIN")
        c.exec_(b"SELECT 1/0")  # from here on no value is read
        told += [c.exec_prepared(name, [b"q"]).error_message for name in (b"known", b"unknown")]
        return [*told, c.exec_prepared(b"known", []).error_message]
    finally:
        c.finish()


def test_the_context_names_the_parameter(server: ServerProcess, postgres: str) -> None:
    here = f"host=127.0.0.1 port={server.port} user=tidewire dbname=tidewire"
    assert errors(here) == errors(postgres)


def outdated(dsn: str) -> list[tuple[str, str]]:
    """(SQLSTATE, tag) of a prepared statement whose columns have changed, in a block that has failed and after it."""
    c = pq.PGconn.connect(dsn.encode())
    try:
        c.exec_(b"CREATE TEMP TABLE outdated (a int)")
        c.prepare(b"all", b"SELECT * FROM outdated")
        c.exec_(b"ALTER TABLE outdated ADD b int")
        c.exec_(b"BEGIN")
        c.exec_(b"SELECT 1/0")
        told = [c.exec_prepared(b"all", []), c.exec_(b"ROLLBACK"), c.exec_prepared(b"all", [])]
        return [
            (
                (r.error_field(pq.DiagnosticField.SQLSTATE) or b"").decode(),
                (r.command_status or b"").decode(),
            )
            for r in told
        ]
    finally:
        c.finish()


def test_a_failed_block_comes_before_a_statement_that_is_outdated(
    server: ServerProcess, postgres: str
) -> None:
    here = f"host=127.0.0.1 port={server.port} user=tidewire dbname=tidewire"
    assert outdated(here) == outdated(postgres)
