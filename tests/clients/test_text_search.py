"""Columns of tsvector and tsquery as drivers, COPY, restarts and pg_dump see them."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Iterator

import psycopg
import pytest

from tests.clients.dumps import dumped, restored
from tests.postgres import NoPostgres, running_postgres
from tests.server.process import ServerProcess, needs_psql

DDL = """
CREATE TABLE docs (id int PRIMARY KEY, body text, q tsquery,
    v tsvector GENERATED ALWAYS AS (setweight(to_tsvector('english', coalesce(body, '')), 'A')) STORED);
CREATE INDEX docs_v ON docs USING gin (v);
INSERT INTO docs (id, body, q) VALUES (1, 'It''s a fat cat', 'fat & !dog:*A'), (2, 'Fat dogs', 'a <-> b'), (3, NULL, NULL);
"""
FOUND = "SELECT id, v::text, q::text, v @@ to_tsquery('english', 'fat <-> cats') FROM docs ORDER BY id"
ROWS = [
    (1, "'cat':5A 'fat':4A", "'fat' & !'dog':*A", True),
    (2, "'dog':2A 'fat':1A", "'a' <-> 'b'", False),
    (3, "", None, False),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("searched") / "data") as made:
        made.connect().execute(DDL.encode())
        yield made


def test_parameters_and_copy_in_binary(server: ServerProcess) -> None:
    with server.connect() as connection:
        connection.execute("CREATE TABLE copied (v tsvector, q tsquery, vs tsvector[])")
        with connection.cursor().copy(
            "COPY (SELECT v, q, ARRAY[v, NULL] FROM docs) TO STDOUT (FORMAT binary)"
        ) as copy:
            data = b"".join(bytes(block) for block in copy)
        with connection.cursor().copy("COPY copied FROM STDIN (FORMAT binary)") as copy:
            copy.write(data)
        same = "SELECT count(*) FROM copied c JOIN docs d ON c.v = d.v AND c.q IS NOT DISTINCT FROM d.q AND c.vs = ARRAY[d.v, NULL]"
        assert connection.execute(same).fetchall() == [(3,)]
        (sent,) = connection.execute("SELECT tsvectorsend(v) FROM docs WHERE id = 1").fetchone() or (b"",)
        raw = connection.pgconn.exec_params(b"SELECT $1::tsvector::text", [sent], param_formats=[1])
        assert raw.get_value(0, 0) == b"'cat':5A 'fat':4A"
        with pytest.raises(psycopg.errors.SyntaxError):
            connection.execute("SELECT %t::text::tsquery", ("a &",))


def test_asyncpg(server: ServerProcess) -> None:
    asyncpg = pytest.importorskip("asyncpg")

    async def ask() -> None:
        connection = await asyncpg.connect(
            host=server.host, port=server.port, user="tidewire", database="tidewire"
        )
        try:
            query = "SELECT id FROM docs WHERE v @@ websearch_to_tsquery('english', $1) ORDER BY ts_rank(v, plainto_tsquery($1))"
            assert [row["id"] for row in await connection.fetch(query, "fat -cat")] == [2]
            assert await connection.fetchval("SELECT v FROM docs WHERE id = 1") == "'cat':5A 'fat':4A"
            assert await connection.fetchval("SELECT $1::tsvector @@ 'b'", "b:1 a") is True
        finally:
            await connection.close()

    asyncio.run(ask())


def test_another_encoding_is_spoken_in_text_only(server: ServerProcess) -> None:
    with psycopg.connect(
        host=server.host, port=server.port, user="tidewire", dbname="tidewire", client_encoding="latin1"
    ) as connection:
        assert connection.execute("SELECT 'é:1'::tsvector").fetchone() == ("'é':1",)
        with pytest.raises(psycopg.errors.FeatureNotSupported):
            connection.cursor(binary=True).execute("SELECT 'é:1'::tsvector")


def test_values_outlast_a_restart_and_are_seen_in_the_past(server: ServerProcess) -> None:
    with server.connect() as connection:
        assert connection.execute(FOUND).fetchall() == ROWS
        (then,) = connection.execute("SELECT clock_timestamp()::text").fetchone() or ("",)
        connection.execute("UPDATE docs SET body = 'gone' WHERE id = 1")
    server.stop()
    server.start()
    with server.connect() as connection:
        assert connection.execute(f"{FOUND} AS OF TIMESTAMP '{then}'".encode()).fetchall() == ROWS
        assert connection.execute("SELECT v::text FROM docs WHERE id = 1").fetchall() == [("'gone':1A",)]
        connection.execute("UPDATE docs SET body = 'It''s a fat cat' WHERE id = 1")


@needs_psql
@pytest.mark.skipif(shutil.which("pg_dump") is None, reason="pg_dump is not installed")
def test_a_dump_is_restored_in_postgres_and_here(server: ServerProcess) -> None:
    try:
        with running_postgres({"fsync": "off"}) as dsn, psycopg.connect(dsn, autocommit=True) as there:
            server.connect().execute("CREATE DATABASE restored")
            dump = dumped(server, "--no-owner", "-t", "docs", "-d", "tidewire")
            restored(server, dump, "restored", dsn)
            there.execute("SET search_path = public")
            with server.connect(dbname="restored") as copy:
                for connection in (copy, there):
                    assert connection.execute(FOUND).fetchall() == ROWS
            there.execute("DROP TABLE docs")
    except NoPostgres as e:
        pytest.skip(str(e))


OWN = """
CREATE EXTENSION unaccent;
CREATE SCHEMA "Of ours";
CREATE TEXT SEARCH DICTIONARY "Of ours".st (TEMPLATE = snowball, LANGUAGE = french, STOPWORDS = 'french');
CREATE TEXT SEARCH CONFIGURATION "Of ours".fr (COPY = french);
ALTER TEXT SEARCH CONFIGURATION "Of ours".fr ALTER MAPPING FOR hword, hword_part, word WITH unaccent, "Of ours".st;
COMMENT ON TEXT SEARCH CONFIGURATION "Of ours".fr IS 'without accents';
CREATE TABLE t (id int PRIMARY KEY, a text, v tsvector GENERATED ALWAYS AS (to_tsvector('"Of ours".fr', a)) STORED);
INSERT INTO t VALUES (1, 'Hôtel de la Mer'), (2, 'Été');
CREATE INDEX tj ON t USING gin (to_tsvector('"Of ours".fr', a));
CREATE VIEW tv AS SELECT id, to_tsvector('"Of ours".fr', a)::text AS v FROM t;
ALTER DATABASE own SET default_text_search_config = '"Of ours".fr';
"""
OWN_ROWS = [(1, "'hotel':1 'mer':4"), (2, "'ete':1")]


@needs_psql
@pytest.mark.skipif(shutil.which("pg_dump") is None, reason="pg_dump is not installed")
def test_configurations_are_dumped_and_restored_and_outlive_a_restart(server: ServerProcess) -> None:
    try:
        with running_postgres({"fsync": "off"}) as dsn:
            with server.connect() as here:
                here.execute("CREATE DATABASE own")
                here.execute("CREATE DATABASE own_again")
            made = server.psql("-d", "own", "-v", "ON_ERROR_STOP=1", "-c", OWN)
            assert made.returncode == 0, made.stderr
            dump = dumped(server, "--no-owner", "own")
            restored(server, dump, "own_again", dsn)
            assert _without_keys(dumped(server, "--no-owner", "own_again")) == _without_keys(dump)
            with psycopg.connect(dsn) as there:
                assert there.execute("SELECT * FROM tv ORDER BY id").fetchall() == OWN_ROWS
    except NoPostgres as e:
        pytest.skip(str(e))
    server.kill()
    server.start()
    with server.connect(dbname="own") as again:
        assert again.execute("SELECT id, v::text FROM t ORDER BY id").fetchall() == OWN_ROWS
        assert again.execute("SELECT to_tsvector('Été')::text").fetchall() == [("'ete':1",)]


def test_prepared_statements_see_what_others_alter(server: ServerProcess) -> None:
    with server.connect() as reads, server.connect() as alters:
        alters.execute("CREATE TEXT SEARCH CONFIGURATION moving (COPY = simple)")
        alters.execute(
            "CREATE TABLE moved (id int PRIMARY KEY, v tsvector GENERATED ALWAYS AS (to_tsvector('moving', 'the cats')) STORED)"
        )
        reads.prepare_threshold = 0
        ask = "SELECT to_tsvector('moving', %s)::text, to_tsvector(%s::regconfig, 'the cats')::text"
        write = "INSERT INTO moved VALUES (%s) RETURNING v::text"
        assert reads.execute(ask, ("the cats", "moving")).fetchall() == [("'cats':2 'the':1",) * 2]
        assert reads.execute(write, (1,)).fetchall() == [("'cats':2 'the':1",)]
        alters.execute("ALTER TEXT SEARCH CONFIGURATION moving ALTER MAPPING FOR asciiword WITH english_stem")
        assert reads.execute(ask, ("the cats", "moving")).fetchall() == [("'cat':2",) * 2]
        assert reads.execute(write, (2,)).fetchall() == [("'cat':2",)]


def _without_keys(dump: str) -> list[str]:
    """pg_dump draws a key anew each time, so that nobody can end its meta-commands."""
    return [line for line in dump.splitlines() if not line.startswith(("\\restrict", "\\unrestrict"))]
