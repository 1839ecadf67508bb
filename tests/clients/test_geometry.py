"""Geometric values through drivers: asyncpg's own binary codecs, COPY in binary, a restart and the keyed engine."""

from __future__ import annotations

import asyncio
from pathlib import Path

import psycopg
import pytest

from tests.server.process import ServerProcess

asyncpg = pytest.importorskip("asyncpg")


def _dsn(server: ServerProcess) -> str:
    return f"postgresql://tidewire@{server.host}:{server.port}/tidewire"


def test_asyncpg_reads_and_writes_all_of_them(server: ServerProcess) -> None:
    async def play() -> None:
        c = await asyncpg.connect(_dsn(server))
        try:
            await c.execute(
                "CREATE TABLE drawn (id int PRIMARY KEY, p point, s lseg, b box, l line, w path, g polygon, c circle, ps point[], bs box[])"
            )
            values = (
                asyncpg.Point(1.5, -2),
                asyncpg.LineSegment((0, 0), (3, 4)),
                asyncpg.Box((2, 2), (0, 0)),
                asyncpg.Line(1, -1, 0),
                asyncpg.Path((0, 0), (1, 1), is_closed=False),
                asyncpg.Polygon((0, 0), (0, 2), (2, 0)),
                asyncpg.Circle((1, 1), 2),
                [asyncpg.Point(1, 2), None],
                [asyncpg.Box((1, 1), (0, 0))],
            )
            await c.execute("INSERT INTO drawn VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)", 1, *values)
            assert tuple(await c.fetchrow("SELECT * FROM drawn WHERE id = $1", 1)) == (1, *values)
            near = "SELECT id FROM drawn ORDER BY p <-> $1 LIMIT 1"
            assert await c.fetchval(near, asyncpg.Point(0, 0)) == 1
            await c.execute("UPDATE drawn SET p = $1 WHERE id = 1", asyncpg.Point(7, 8))
            assert await c.fetchval("SELECT p[0] + p[1] FROM drawn WHERE id = 1") == 15
            assert await c.fetchval("SELECT bs::text FROM drawn") == "{(1,1),(0,0)}"
        finally:
            await c.close()

    asyncio.run(play())


def test_copied_in_binary_and_there_after_a_restart(tmp_path: Path) -> None:
    with ServerProcess(tmp_path / "data") as server, psycopg.connect(_dsn(server)) as c:
        c.execute("CREATE TABLE a (id int PRIMARY KEY, p point, w path, bs box[])")
        c.execute("CREATE TABLE b (LIKE a)")
        c.execute("INSERT INTO a VALUES (1, '(1,2)', '[(0,0),(1,1)]', '{(1,1),(0,0);(3,3),(2,2)}')")
        with c.cursor().copy("COPY a TO STDOUT (FORMAT binary)") as out:
            data = b"".join(bytes(block) for block in out)
        with c.cursor().copy("COPY b FROM STDIN (FORMAT binary)") as given:
            given.write(data)
        c.commit()
    with ServerProcess(tmp_path / "data") as server, psycopg.connect(_dsn(server)) as c:
        rows = c.execute("SELECT id, p::text, w::text, bs::text FROM b").fetchall()
        assert rows == [(1, "(1,2)", "[(0,0),(1,1)]", "{(1,1),(0,0);(3,3),(2,2)}")]
