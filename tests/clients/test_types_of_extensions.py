"""Types that extensions bring, as drivers, COPY and pg_dump see them, over a restart and in the past."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator

import psycopg
import pytest
from psycopg import sql
from psycopg.types import TypeInfo
from psycopg.types.hstore import register_hstore
from psycopg.types.string import TextLoader

from tests.clients.dumps import dumped, restored
from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess, needs_psql

DDL = """
CREATE EXTENSION citext;
CREATE TABLE people (email citext PRIMARY KEY, tags citext[], note citext DEFAULT 'None');
INSERT INTO people VALUES ('Ann@Example.com', '{Red,GREEN}'), ('bob@example.com', NULL);
CREATE EXTENSION hstore;
CREATE TABLE things (id int PRIMARY KEY, h hstore DEFAULT 'x=>1', hs hstore[]);
CREATE INDEX things_h ON things USING gin (h);
INSERT INTO things VALUES (1, 'b=>NULL, aa=>"2 \\" 3"', ARRAY['a=>1'::hstore, NULL]), (2, '', NULL);
CREATE EXTENSION ltree;
CREATE TABLE places (path ltree PRIMARY KEY, above ltree[], watched lquery, asked ltxtquery);
CREATE INDEX places_above ON places USING gist (above);
INSERT INTO places VALUES ('Top.A', '{"",Top}', '*.a@{1}', 'a & !( b | c )'), ('Top', NULL, NULL, NULL);
"""
ROWS = {"citext": [("Ann@Example.com", ["Red", "GREEN"], "None"), ("bob@example.com", None, "None")]}
THINGS = "SELECT id, h::text, hs::text FROM things ORDER BY id"
THERE = [(1, '"b"=>NULL, "aa"=>"2 \\" 3"', '{"\\"a\\"=>\\"1\\"",NULL}'), (2, "", None)]

PLACES = "SELECT path::text, above::text, watched::text, asked::text FROM places ORDER BY path"
PLACED = [("Top", None, None, None), ("Top.A", '{"",Top}', "*.a@{1}", "a & !( b | c )")]


class AsText(TextLoader):
    """citext in binary is its text; psycopg knows that of built-in types only."""

    format = psycopg.pq.Format.BINARY


def dsn_of(server: ServerProcess) -> str:
    return f"postgresql://tidewire@{server.host}:{server.port}/tidewire"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("extended") / "data") as made:
        with psycopg.connect(dsn_of(made), autocommit=True) as connection:
            connection.execute(DDL)
        yield made


@pytest.mark.parametrize("binary", [False, True])
def test_psycopg_reads_and_writes_citext(server: ServerProcess, binary: bool) -> None:
    with psycopg.connect(dsn_of(server), autocommit=True) as connection:
        info = TypeInfo.fetch(connection, "citext")
        assert info is not None
        info.register(connection)
        connection.adapters.register_loader(info.oid, AsText)
        form = sql.SQL("%b" if binary else "%t")
        cursor = connection.cursor(binary=binary)
        asked = sql.SQL("SELECT email, tags, note FROM people WHERE email = {}::citext").format(form)
        assert cursor.execute(asked, ("ANN@example.COM",)).fetchall() == ROWS["citext"][:1]
        assert cursor.description is not None and cursor.description[0].type_code == info.oid
        arrays = sql.SQL("SELECT {}::citext[] = '{{a,B}}'").format(form)
        assert cursor.execute(arrays, (["A", "b"],)).fetchone() == (True,)


def test_a_recursion_does_not_take_equal_texts_for_others(server: ServerProcess) -> None:
    asked = (
        "WITH RECURSIVE r (k, n) AS (SELECT {0}, 1 UNION{2} SELECT {1}, 1 FROM r{3}) SELECT count(*) FROM r"
    )
    letters = "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    with psycopg.connect(dsn_of(server), autocommit=True) as connection:
        connection.execute(f"CREATE COLLATION letters {letters}")
        for form in ("'{}'::citext", "ARRAY['{}'::citext]", "'{}'::text COLLATE letters"):
            small, large = form.format("a"), form.format("A")
            with pytest.raises(psycopg.errors.FeatureNotSupported, match=r"UNION of .* in a recursive query"):
                connection.execute(asked.format(small, large, "", ""))
            every = asked.format(small, large, " ALL", " WHERE false")
            assert connection.execute(every).fetchone() == (1,)
        assert connection.execute(asked.format("'a'", "'A'", "", "")).fetchone() == (2,)


@pytest.mark.parametrize("binary", [False, True])
def test_psycopg_reads_and_writes_hstore(server: ServerProcess, binary: bool) -> None:
    with psycopg.connect(dsn_of(server), autocommit=True) as connection:
        info = TypeInfo.fetch(connection, "hstore")
        assert info is not None
        register_hstore(info, connection)
        given = {"a b": "1", "c": None, 'q"': "\\"}
        cursor = connection.cursor(binary=binary)
        asked = sql.SQL("SELECT {}::hstore, h -> 'aa' FROM things WHERE id = 1").format(
            sql.SQL("%b" if binary else "%t")
        )
        assert cursor.execute(asked, (given,)).fetchone() == (given, '2 " 3')


@pytest.mark.parametrize(("table", "asked", "rows"), [("things", THINGS, THERE), ("places", PLACES, PLACED)])
def test_values_in_copy(
    server: ServerProcess, table: str, asked: str, rows: list[tuple[object, ...]]
) -> None:
    with psycopg.connect(dsn_of(server), autocommit=True) as connection:
        connection.execute(f"CREATE TABLE copied_too (LIKE {table})".encode())
        for form in ("text", "csv", "binary"):
            connection.execute("DELETE FROM copied_too")
            with connection.cursor().copy(f"COPY {table} TO STDOUT ({form_of(form)})".encode()) as copy:
                data = b"".join(bytes(block) for block in copy)
            with connection.cursor().copy(f"COPY copied_too FROM STDIN ({form_of(form)})") as copy:
                copy.write(data)
            assert connection.execute(asked.replace(table, "copied_too").encode()).fetchall() == rows
        connection.execute("DROP TABLE copied_too")


def test_citext_in_copy(server: ServerProcess) -> None:
    with psycopg.connect(dsn_of(server), autocommit=True) as connection:
        connection.execute("CREATE TABLE copied (email citext UNIQUE, tags citext[])")
        for form in ("text", "csv", "binary"):
            connection.execute("DELETE FROM copied")
            with connection.cursor().copy(f"COPY people (email, tags) TO STDOUT ({form_of(form)})") as copy:
                data = b"".join(bytes(block) for block in copy)
            with connection.cursor().copy(f"COPY copied FROM STDIN ({form_of(form)})") as copy:
                copy.write(data)
            wanted = [row[:2] for row in ROWS["citext"]]
            assert (
                connection.execute("SELECT email, tags::text[] FROM copied ORDER BY email").fetchall()
                == wanted
            )
            with pytest.raises(psycopg.errors.UniqueViolation):
                connection.execute("INSERT INTO copied VALUES ('BOB@EXAMPLE.COM')")


def form_of(name: str) -> str:
    return f"FORMAT {name}"


def test_asyncpg_learns_of_citext(server: ServerProcess) -> None:
    asyncpg = pytest.importorskip("asyncpg")

    async def ask() -> None:
        connection = await asyncpg.connect(dsn_of(server))
        try:
            found = await connection.fetch(
                "SELECT email, tags FROM people WHERE email = $1", "BOB@example.com"
            )
            assert [tuple(row) for row in found] == [("bob@example.com", None)]
            assert await connection.fetchval("SELECT tags FROM people WHERE 'RED' = ANY (tags)") == [
                "Red",
                "GREEN",
            ]
            assert await connection.fetchval("SELECT $1::citext[] @> '{a}'", ["A", "B"])
        finally:
            await connection.close()

    asyncio.run(ask())


def test_another_encoding_is_spoken(server: ServerProcess) -> None:
    with psycopg.connect(dsn_of(server), autocommit=True, client_encoding="latin1") as connection:
        assert connection.execute("SELECT 'É'::citext, 'é' = %t::citext", ("É",)).fetchone() == ("É", True)


def test_values_outlast_a_restart_and_are_seen_in_the_past(server: ServerProcess) -> None:
    with psycopg.connect(dsn_of(server), autocommit=True) as connection:
        connection.execute("CREATE TABLE kept (email citext PRIMARY KEY, n int)")
        connection.execute("INSERT INTO kept VALUES ('Ann', 1)")
        (then,) = connection.execute("SELECT clock_timestamp()::text").fetchone() or ("",)
        connection.execute("UPDATE kept SET n = 2 WHERE email = 'ANN'")
    server.stop()
    server.start()
    with psycopg.connect(dsn_of(server), autocommit=True) as connection:
        assert connection.execute("SELECT * FROM kept WHERE email = 'aNN'").fetchall() == [("Ann", 2)]
        past = f"SELECT n FROM kept WHERE email = 'ANN' AS OF TIMESTAMP '{then}'"
        assert connection.execute(past.encode()).fetchall() == [(1,)]
        assert connection.execute(THINGS.encode()).fetchall() == THERE
        with pytest.raises(psycopg.errors.UniqueViolation):
            connection.execute("INSERT INTO kept VALUES ('ANN', 3)")


@needs_psql
@pytest.mark.skipif(shutil.which("pg_dump") is None, reason="pg_dump is not installed")
def test_a_dump_is_restored_in_postgres_and_here(server: ServerProcess) -> None:
    try:
        with running_postgres({"fsync": "off"}) as dsn, psycopg.connect(dsn, autocommit=True) as there:
            here = server.connect()
            for name in ("dumped", "restored"):
                here.execute(f"CREATE DATABASE {name}".encode())
            with server.connect(dbname="dumped") as first:
                first.execute(DDL.encode())
            dump = dumped(server, "--no-owner", "-d", "dumped")
            assert "CREATE TYPE" not in dump
            restored(server, dump, "restored", dsn)
            with server.connect(dbname="restored") as copy:
                for connection in (copy, there):
                    found = connection.execute(
                        "SELECT email::text, tags::text[], note::text FROM people ORDER BY email"
                    )
                    assert found.fetchall() == ROWS["citext"]
                    assert connection.execute(THINGS.encode()).fetchall() == THERE
                    assert connection.execute(PLACES.encode()).fetchall() == PLACED
            there.execute("DROP TABLE people, things, places")
            there.execute("DROP EXTENSION citext, hstore, ltree")
    except NoPostgres as e:
        pytest.skip(str(e))
