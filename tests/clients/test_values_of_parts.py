"""Domains, arrays of any shape, composites, ranges and bit strings as drivers read and write them."""

from __future__ import annotations

import asyncio
import datetime
import shutil
import subprocess
from collections.abc import Iterator

import psycopg
import pytest
from psycopg.types.composite import CompositeInfo, register_composite
from psycopg.types.multirange import Multirange, MultirangeInfo, register_multirange
from psycopg.types.range import Range, RangeInfo, register_range

from tests.server.process import ServerProcess

DDL = """
CREATE DOMAIN posint AS int CHECK (VALUE > 0);
CREATE TYPE pair AS (x int, y text);
CREATE TYPE span AS RANGE (subtype = float8);
CREATE TABLE v (id posint PRIMARY KEY, m int[], c pair, cs pair[], r int4range, d daterange, mr int4multirange, b bit(3));
INSERT INTO v VALUES (1, '{{1,2},{3,4}}', (7, 'a b'), ARRAY[(1, 'p')::pair], '[1,5)', '[2020-01-01,2020-02-01)', '{[1,2),[5,7)}', '101');
INSERT INTO v VALUES (2, '[0:1]={5,6}', NULL, '{}', 'empty', '(,)', '{}', '000');
"""
DAY = datetime.date


def dsn_of(server: ServerProcess) -> str:
    return f"postgresql://tidewire@{server.host}:{server.port}/tidewire"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    with ServerProcess(tmp_path_factory.mktemp("parts") / "data") as made:
        with psycopg.connect(dsn_of(made), autocommit=True) as connection:
            connection.execute(DDL)
        yield made


@pytest.mark.parametrize("binary", [False, True])
def test_psycopg_learns_of_a_range_type(server: ServerProcess, binary: bool) -> None:
    with psycopg.connect(dsn_of(server), autocommit=True) as connection:
        one, many = RangeInfo.fetch(connection, "span"), MultirangeInfo.fetch(connection, "span_multirange")
        assert one is not None and many is not None
        assert many.range_oid == one.oid
        register_range(one, connection)
        register_multirange(many, connection)
        given = (Range(1.5, 2.5, "[]"), Multirange([Range(1.0, 2.0)]), [Range(1.0, None), None])
        form = "%b" if binary else "%t"
        cursor = connection.cursor(binary=binary)
        cursor.execute(f"SELECT {form}::span, {form}::span_multirange, {form}::span[]", given)
        assert cursor.fetchone() == given


def test_snapshots_in_binary(server: ServerProcess) -> None:
    asyncpg = pytest.importorskip("asyncpg")

    async def ask() -> None:
        connection = await asyncpg.connect(dsn_of(server))
        try:
            for kind in ("pg_snapshot", "txid_snapshot"):
                given = (100, 1000, (100, 200))
                assert await connection.fetchval(f"SELECT $1::{kind}", given) == given
                assert await connection.fetchval(f"SELECT '10:20:'::{kind}") == (10, 20, ())
            with pytest.raises(
                asyncpg.InvalidBinaryRepresentationError, match="invalid external pg_snapshot data"
            ):
                await connection.fetchval("SELECT $1::pg_snapshot", (100, 50, ()))
        finally:
            await connection.close()

    asyncio.run(ask())


def test_asyncpg_learns_of_a_range_type(server: ServerProcess) -> None:
    asyncpg = pytest.importorskip("asyncpg")

    async def ask() -> list[object]:
        connection = await asyncpg.connect(dsn_of(server))
        try:
            row = await connection.fetchrow(
                "SELECT $1::span, $2::span_multirange, ARRAY[$1::span]",
                asyncpg.Range(1.0, 3.0, upper_inc=True), [asyncpg.Range(1.0, 3.0)],
            )  # fmt: skip
            return list(row)
        finally:
            await connection.close()

    whole = asyncpg.Range(1.0, 3.0, upper_inc=True)
    assert asyncio.run(ask()) == [whole, [asyncpg.Range(1.0, 3.0)], [whole]]


@pytest.mark.parametrize("binary", [False, True])
def test_psycopg(server: ServerProcess, binary: bool) -> None:
    with psycopg.connect(dsn_of(server), autocommit=True) as connection:
        info = CompositeInfo.fetch(connection, "pair")
        assert info is not None
        register_composite(info, connection)
        pair = info.python_type
        assert pair is not None
        cursor = connection.cursor(binary=binary)
        row = cursor.execute("SELECT id, m, c, cs, r, d FROM v WHERE id = 1").fetchone()
        assert row == (
            1,
            [[1, 2], [3, 4]],
            pair(7, "a b"),
            [pair(1, "p")],
            Range(1, 5),
            Range(DAY(2020, 1, 1), DAY(2020, 2, 1)),
        )
        form = "%b" if binary else "%t"
        cursor.execute(
            f"INSERT INTO v (id, m, c, r) VALUES (%s, {form}, {form}, {form}) RETURNING m, c, r",
            (3 + binary, [[1, 2]], pair(5, "q"), Range(2, 3, "[]")),
        )
        assert cursor.fetchone() == ([[1, 2]], pair(5, "q"), Range(2, 4))
        with pytest.raises(psycopg.errors.CheckViolation):
            cursor.execute("INSERT INTO v (id) VALUES (%s)", (-1,))


def test_copy_both_ways(server: ServerProcess) -> None:
    with psycopg.connect(dsn_of(server), autocommit=True) as connection:
        connection.execute("CREATE TABLE w AS SELECT * FROM v LIMIT 0")
        for form in ("text", "csv", "binary"):
            with connection.cursor().copy(
                f"COPY (SELECT * FROM v WHERE id < 3) TO STDOUT (FORMAT {form})"
            ) as out:
                data = b"".join(bytes(block) for block in out)
            with connection.cursor().copy(f"COPY w FROM STDIN (FORMAT {form})") as into:
                into.write(data)
        same = connection.execute("SELECT DISTINCT * FROM w ORDER BY id").fetchall()
        assert same == connection.execute("SELECT * FROM v WHERE id < 3 ORDER BY id").fetchall()
        with (
            pytest.raises(psycopg.errors.CheckViolation),
            connection.cursor().copy("COPY v (id) FROM STDIN") as bad,
        ):
            bad.write("-5\n")


def test_asyncpg(server: ServerProcess) -> None:
    asyncpg = pytest.importorskip("asyncpg")

    async def run() -> None:
        connection = await asyncpg.connect(dsn_of(server))
        try:
            row = await connection.fetchrow("SELECT id, m, c, cs, r, d, b FROM v WHERE id = 1")
            assert row["m"] == [[1, 2], [3, 4]]
            assert tuple(row["c"]) == (7, "a b")
            assert [tuple(c) for c in row["cs"]] == [(1, "p")]
            assert (row["r"].lower, row["r"].upper) == (1, 5)
            assert row["d"].lower == DAY(2020, 1, 1)
            assert row["b"].as_string().replace(" ", "") == "101"
            await connection.execute(
                "INSERT INTO v (id, m, c, r) VALUES ($1, $2, $3, $4)",
                20,
                [[9], [8]],
                (1, "z"),
                asyncpg.Range(1, 2),
            )
            back = await connection.fetchrow("SELECT m, c, r FROM v WHERE id = 20")
            assert (back["m"], tuple(back["c"]), back["r"].upper) == ([[9], [8]], (1, "z"), 2)
            with pytest.raises(asyncpg.CheckViolationError):
                await connection.execute("INSERT INTO v (id) VALUES ($1)", -3)
        finally:
            await connection.close()

    asyncio.run(run())


@pytest.mark.skipif(shutil.which("psql") is None, reason="psql is not installed")
def test_psql_and_pg_dump_show_the_types(server: ServerProcess) -> None:
    def run(*command: str) -> str:
        done = subprocess.run(
            [*command, "-d", dsn_of(server)], capture_output=True, text=True, timeout=600, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    shown = run("psql", "-X", "-c", r"\d v", "-c", r"\dD", "-c", r"\dT", "-c", r"\d pair")
    for words in ("posint", "int4multirange", "pair[]", "bit(3)", "CHECK (VALUE > 0)", "integer[]"):
        assert words in shown, shown
    if shutil.which("pg_dump") is not None:
        dump = run("pg_dump")
        assert "CREATE DOMAIN public.posint AS integer" in dump
        assert "CREATE TYPE public.pair AS (" in dump
        assert "{{1,2},{3,4}}" in dump


def test_labels_in_binary_are_looked_at(server: ServerProcess) -> None:
    with psycopg.connect(dsn_of(server), autocommit=True) as c:
        c.execute("CREATE TYPE light AS ENUM ('red', 'green')")
        c.execute("CREATE TABLE lights (l light, ls light[])")
        found = c.execute("SELECT 'light'::regtype::oid, 'light[]'::regtype::oid").fetchone()
        assert found is not None
        one, many = found

        def sent(text: bytes, data: bytes, oid: int) -> str:
            done = c.pgconn.exec_params(text, [data], [oid], [1], 0)
            return done.error_message.decode() if done.error_message else "done"

        row = bytes((0, 0, 0, 1, 0, 0, 0, 0)) + one.to_bytes(4) + bytes((0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 3))
        for text, oid, good, bad in (
            (b"INSERT INTO lights (l) VALUES ($1)", one, b"red", b"rot"),
            (b"INSERT INTO lights (ls) VALUES ($1)", many, row + b"red", row + b"rot"),
        ):
            assert sent(text, good, oid) == "done"
            assert 'invalid input value for enum light: "rot"' in sent(text, bad, oid)
        assert c.execute("SELECT l::text, ls::text FROM lights").fetchall() == [
            ("red", None),
            (None, "{red}"),
        ]
