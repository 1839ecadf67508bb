"""The tools that make, list and drop databases; they connect to one named `postgres` without being asked to."""

from __future__ import annotations

import shutil
import subprocess
import threading
from pathlib import Path

import psycopg
import pytest

from tests.server.process import ServerProcess

TEMPLATE = Path(__file__).with_name("template.sql")
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


@needs_tools
@pytest.mark.skipif(shutil.which("pg_dump") is None, reason="pg_dump is not installed")
def test_a_template_is_copied_with_all_that_is_in_it(tmp_path: Path) -> None:
    def dump(server: ServerProcess, database: str) -> list[str]:
        said = run(server, "pg_dump", "-d", database)
        assert said.stderr == ""
        return [line for line in said.stdout.splitlines() if "restrict " not in line]  # a key by chance

    with ServerProcess(tmp_path / "data") as server:
        with server.connect() as connection:
            connection.execute("create database template")
            done = run(
                server, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-f", str(TEMPLATE), database="template"
            )
            assert done.stderr == ""
            connection.execute("alter database template set search_path = public, s")
            connection.execute("create database one template template")
            connection.execute("create database two template one")
        expected = dump(server, "template")
        assert len(expected) > 50_000  # with the rows
        assert dump(server, "one") == expected
        assert server.stop() == 0
        server.start()
        assert dump(server, "two") == expected
        with server.connect(dbname="one") as one, server.connect(dbname="template") as template:
            assert one.execute("show search_path").fetchall() == [('"$user", public',)]
            made = one.execute(
                "insert into people (name, m) values ('cy', 'sad') returning id, name, e, t2"
            ).fetchall()
            assert made == [(3, "CY", None, 6)]
            with pytest.raises(psycopg.errors.CheckViolation, match="even_check"):
                one.execute("update people set e = 3")
            with pytest.raises(psycopg.errors.ForeignKeyViolation):
                one.execute("insert into pets (owner) values (9)")
            with pytest.raises(psycopg.errors.UniqueViolation):
                one.execute("update people set c = 'CI' where id = 2")
            one.execute("alter type mood add value 'new'")
            one.execute("delete from people where id = 1")
            assert one.execute("select id, owner, whole is null from pets").fetchall() == [(2, 2, False)]
            names_of = "select k::text, k = 'pets'::regclass, n::text from people order by id"
            assert one.execute(names_of).fetchall() == [("pets", True, "now"), (None, None, None)]
            assert one.execute("select nextval('gaps'), count(*) from parts").fetchall() == [(20, 4)]
            assert one.execute(
                "select convert_from(lo_get(oid), 'utf8') from pg_largeobject_metadata"
            ).fetchall() == [("large",)]
            assert template.execute("select max(id) from people").fetchall() == [(2,)]
            assert template.execute("select enum_range(null::mood)::text").fetchall() == [("{sad,ok,happy}",)]
            assert template.execute("select count(*), sum(owner) from pets").fetchall() == [(2, 3)]
        with server.connect(dbname="postgres") as connection:
            connection.execute("drop database template")
            connection.execute("drop database one")
        assert server.stop() == 0
        server.start()
        assert dump(server, "two") == expected


def test_runners_of_tests_copy_one_template_at_once(tmp_path: Path) -> None:
    """Each copy is of one moment, and is made at the first attempt, whoever writes to the template meanwhile."""
    with ServerProcess(tmp_path / "data") as server, server.connect() as connection:
        connection.execute("create database template")
        with server.connect(dbname="template") as inside:
            inside.execute(
                "create table a (id serial primary key, v int); create table b (id int primary key references a)"
            )
            inside.execute("insert into a (v) select 0 from generate_series(1, 100)")
        over, failures = threading.Event(), list[str]()

        def write() -> None:
            with server.connect(dbname="template") as inside:
                while not over.wait(0.005):
                    inside.execute(
                        "with x as (insert into a (v) values (1) returning id) insert into b select id from x"
                    )

        def copy(number: int) -> None:
            with server.connect() as mine:
                try:
                    mine.execute(f"create database copy_{number} template template")
                except psycopg.Error as e:
                    failures.append(str(e))

        threads = [threading.Thread(target=copy, args=(n,)) for n in range(6)]
        writer = threading.Thread(target=write)
        for thread in (*threads, writer):
            thread.start()
        for thread in threads:
            thread.join()
        over.set()
        writer.join()
        assert not failures
        for number in range(6):
            with server.connect(dbname=f"copy_{number}") as inside:
                counted = inside.execute(
                    "select (select count(*) from a) - 100, (select count(*) from b)"
                ).fetchall()
                assert counted[0][0] == counted[0][1]
                inside.execute("insert into a (v) values (2)")


def test_of_no_template_that_is_not_there(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server, server.connect() as connection:
        with pytest.raises(
            psycopg.errors.InvalidCatalogName, match='template database "nowhere" does not exist'
        ):
            connection.execute("create database two template nowhere")
        for said in (
            "create role maker login createdb",
            "create database empty",
            "create database mine owner maker",
        ):
            connection.execute(said)
        with server.connect(user="maker") as maker:
            with pytest.raises(
                psycopg.errors.InsufficientPrivilege, match='permission denied to copy database "empty"'
            ):
                maker.execute("create database two template empty")
            maker.execute("create database two template mine")
        assert names(server) == ["empty", "mine", "postgres", "tidewire", "two"]


def _refused(server: ServerProcess, user: str, database: str) -> str:
    """What a role is told that wants to come into a database; empty: it may."""
    try:
        server.connect(user=user, dbname=database).close()
    except psycopg.OperationalError as e:
        return str(e).partition("FATAL:  ")[2].strip()
    return ""


def test_who_may_come_into_a_database(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server, server.connect(autocommit=True) as connection:

        def run(text: str) -> None:
            connection.execute(text)

        run("create role guest login createdb")
        run("create database house is_template true")
        assert _refused(server, "guest", "house") == ""
        run("revoke connect on database house from public")
        assert _refused(server, "guest", "house").splitlines() == [
            'permission denied for database "house"',
            "DETAIL:  User does not have CONNECT privilege.",
        ]
        assert _refused(server, "tidewire", "house") == ""
        run("grant connect on database house to guest")
        run("alter database house connection limit 1")
        with server.connect(dbname="house"):
            assert _refused(server, "guest", "house") == 'too many connections for database "house"'
            assert _refused(server, "tidewire", "house") == ""
        with server.connect(user="guest", dbname="tidewire", autocommit=True) as guest:
            guest.execute("create database copy template house")
            with pytest.raises(psycopg.errors.WrongObjectType, match="cannot drop a template database"):
                run("drop database house")
            run("alter database house is_template = false allow_connections = false")
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                guest.execute("create database second template house")
        for user in ("guest", "tidewire"):
            assert (
                _refused(server, user, "house") == 'database "house" is not currently accepting connections'
            )
        found = connection.execute(
            "select datconnlimit, datistemplate, datallowconn from pg_database where datname = 'house'"
        )
        assert found.fetchall() == [(1, False, False)]
