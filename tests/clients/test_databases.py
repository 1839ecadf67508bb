"""The tools that make, list and drop databases; they connect to one named `postgres` without being asked to."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import psycopg
import pytest

from tests.server.process import ServerProcess

TOOLS = ("createdb", "dropdb", "psql")
needs_tools = pytest.mark.skipif(
    any(shutil.which(tool) is None for tool in TOOLS), reason=f"not installed: one of {', '.join(TOOLS)}"
)


def run(server: ServerProcess, *command: str, database: str = "") -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in server.client_environment().items() if k != "PGDATABASE"}
    return subprocess.run(
        command,
        env=environment | ({"PGDATABASE": database} if database else {}),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def names(server: ServerProcess) -> list[str]:
    with server.connect() as connection:
        return [name for (name,) in connection.execute("select datname from pg_database order by 1")]


@needs_tools
def test_tools_find_the_database_that_they_connect_to(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        assert names(server) == ["postgres", "tidewire"]
        for arguments in (["shop"], ["-T", "template0", "-E", "UTF8", "-O", "tidewire", "other"]):
            assert run(server, "createdb", *arguments).stderr == ""
        again = run(server, "createdb", "shop")
        assert again.returncode == 1 and 'database "shop" already exists' in again.stderr
        listed = run(server, "psql", "-X", "-l", "-A", "-t").stdout.splitlines()
        assert [row.split("|")[0] for row in listed] == ["other", "postgres", "shop", "tidewire"]
        assert run(server, "dropdb", "other").stderr == ""
        assert run(server, "dropdb", "--force", "shop").stderr == ""
        assert names(server) == ["postgres", "tidewire"]


@needs_tools
def test_it_is_a_database_like_others(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        for database, table in (("postgres", "here"), ("tidewire", "there")):
            with server.connect(dbname=database) as connection:
                connection.execute(f"create table {table} (id int)")
                shown = connection.execute("select tablename from pg_tables where schemaname = 'public'")
                assert shown.fetchall() == [(table,)]
        with server.connect(dbname="postgres") as connection:
            connection.execute("create database made_from_there")
        assert run(server, "dropdb", "--maintenance-db=tidewire", "postgres").stderr == ""
        assert server.stop() == 0
        # An environment without it, dropped or from before there was one, stays so.
        server.start()
        assert names(server) == ["made_from_there", "tidewire"]
        assert 'database "postgres" does not exist' in run(server, "psql", "-X", "-l").stderr


COMMENTED = (
    "create schema s; create table s.t (id int primary key check (id > 0)); create view s.v as select id from s.t;"
    "create function s.f() returns int language sql as 'select 1'; create type s.mood as enum ('a');"
    "create extension hstore;"
    "comment on schema s is 'x'; comment on table s.t is 'x'; comment on column s.t.id is 'x';"
    "comment on constraint t_pkey on s.t is 'x'; comment on column s.v.id is 'x'; comment on function s.f() is 'x';"
    "comment on type s.mood is 'x'; comment on extension hstore is 'x'"
)
"""What COMMENT ON can say something of, of each kind that is found in another way."""
SAID = "select count(*) from pg_description where description = 'x'"


def test_comments_are_of_the_database_they_were_made_in(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server:
        with server.connect(dbname="tidewire") as connection:
            connection.execute(COMMENTED)
            assert connection.execute(SAID).fetchall() == [(8,)]
        with server.connect(dbname="postgres") as connection:
            assert connection.execute(SAID).fetchall() == [(0,)]


def test_of_an_empty_template_alone(tmp_path: Path) -> None:
    """What would have to be copied is refused: test runners that clone a database would otherwise find nothing in theirs."""
    with ServerProcess(tmp_path / "data") as server, server.connect() as connection:
        connection.execute("create database empty")
        connection.execute("create database filled")
        with server.connect(dbname="filled") as inside:
            inside.execute("create table t (id int)")
        connection.execute("create database one template empty")
        with pytest.raises(psycopg.errors.FeatureNotSupported, match="copies of databases are not supported"):
            connection.execute("create database two template filled")
        with server.connect(dbname="filled") as inside:
            inside.execute("drop table t")
            inside.execute("create cast (int as point) with inout")
        with pytest.raises(psycopg.errors.FeatureNotSupported):
            connection.execute("create database two template filled")
        assert names(server) == ["empty", "filled", "one", "postgres", "tidewire"]
