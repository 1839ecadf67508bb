"""The first database and its schema `public` are there unasked, and can be dropped like any other: then they stay away.

`DROP SCHEMA public CASCADE; CREATE SCHEMA public` is how many tools empty a database.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.server.process import ServerProcess

_PAST = "SELECT count(*) FROM public.t AS OF TIMESTAMP '{}'"
_SCHEMAS = "SELECT nspname FROM pg_namespace WHERE nspname !~ '^(pg_|information_schema)'"


def _when_two_rows_are_past(client: psycopg.Connection[Any]) -> str:
    """A moment by the clock at which t had its two rows: a crash makes the server's time jump ahead of the clock, by what had been
    reserved."""
    while True:
        row = client.execute("SELECT clock_timestamp()::text").fetchone()
        assert row is not None
        with contextlib.suppress(psycopg.errors.UndefinedTable):
            if client.execute(_PAST.format(row[0])).fetchall() == [(2,)]:
                return str(row[0])


@pytest.mark.parametrize("database", ["tidewire", "postgres"])
def test_a_schema_public_that_was_dropped_stays_away(tmp_path: Path, database: str) -> None:
    data = tmp_path / "data"
    with ServerProcess(data) as server, server.connect(autocommit=True, dbname=database) as client:
        client.execute("CREATE TABLE old (id int)")
        client.execute("DROP SCHEMA public CASCADE")
        server.kill()
    with ServerProcess(data) as server, server.connect(autocommit=True, dbname=database) as client:
        assert client.execute(_SCHEMAS).fetchall() == []
        client.execute("CREATE SCHEMA public")
        client.execute("CREATE TABLE t (id int PRIMARY KEY)")
        client.execute("INSERT INTO t VALUES (1), (2)")
        then = _when_two_rows_are_past(client)
        client.execute("DELETE FROM t WHERE id = 2")
        client.execute("CREATE TABLE later (id int)")
        past = _PAST.format(then)
        assert client.execute(past).fetchall() == [(2,)]
        server.kill()
    with ServerProcess(data) as server, server.connect(autocommit=True, dbname=database) as client:
        assert client.execute(_SCHEMAS).fetchall() == [("public",)]
        assert client.execute("SELECT id FROM t").fetchall() == [(1,)]
        assert client.execute(past).fetchall() == [(2,)]


def test_the_first_database_stays_away(tmp_path: Path) -> None:
    data = tmp_path / "data"
    databases = "SELECT datname FROM pg_database WHERE NOT datistemplate"
    with ServerProcess(data) as server, server.connect(autocommit=True, dbname="postgres") as client:
        client.execute("DROP DATABASE tidewire")
        server.kill()
    with ServerProcess(data) as server, server.connect(autocommit=True, dbname="postgres") as client:
        assert client.execute(databases).fetchall() == [("postgres",)]
        client.execute("CREATE DATABASE tidewire")
        with server.connect(autocommit=True, dbname="tidewire") as inside:
            inside.execute("CREATE TABLE t (id int)")
        server.kill()
    with ServerProcess(data) as server, server.connect(autocommit=True, dbname="tidewire") as client:
        assert client.execute("SELECT count(*) FROM t").fetchall() == [(0,)]
