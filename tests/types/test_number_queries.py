"""query_int against PostgreSQL: queries of chance, how they are shown, and which sets of numbers they fit."""

from __future__ import annotations

from random import Random

import psycopg
import pytest

from planner.abc import SqlError
from planner.extensions.number_queries import holds, query_in

TRIED = """
CREATE OR REPLACE FUNCTION tried_query(t text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN RETURN t::query_int::text; EXCEPTION WHEN OTHERS THEN RETURN '!' || sqlstate || ' ' || sqlerrm; END $$
"""


def asked(r: Random, depth: int = 0) -> str:
    kind = r.random()
    if kind < 0.4 or depth > 4:
        return r.choice(("1", "2", "3", "-1", " 4 ", "010", "09", "-", "2147483647"))
    if kind < 0.55:
        return "!" + asked(r, depth + 1)
    if kind < 0.7:
        return f"({asked(r, depth + 1)})"
    return asked(r, depth + 1) + r.choice(("&", "|", " & ", " |")) + asked(r, depth + 1)


def noise(r: Random) -> str:
    return "".join(r.choice("12-!&|() x") for _ in range(r.randrange(9)))


def answered(text: str) -> str:
    try:
        return query_in(text)
    except SqlError as e:
        return f"!{e.sqlstate} {e.message}"


@pytest.mark.postgres
def test_queries_are_read_as_postgres_reads_them(postgres: psycopg.Connection) -> None:
    r = Random(7)
    texts = [asked(r) for _ in range(2000)] + [noise(r) for _ in range(2000)]
    texts += ["!" * n + "1" for n in (15, 16, 17)] + ["1|" + "!" * 16 + "1", "(" * 300 + "1" + ")" * 300]
    postgres.execute("CREATE EXTENSION IF NOT EXISTS intarray")
    postgres.execute(TRIED)
    query = "SELECT tried_query(t) FROM unnest(%s::text[]) WITH ORDINALITY AS x(t, i) ORDER BY i"
    wanted = [row[0] for row in postgres.execute(query, (texts,))]
    assert [(t, answered(t)) for t in texts] == list(zip(texts, wanted, strict=True))
    assert sum(w.startswith("!4") for w in wanted) > 500


@pytest.mark.postgres
def test_numbers_are_found_as_postgres_finds_them(postgres: psycopg.Connection) -> None:
    r = Random(8)
    postgres.execute("CREATE EXTENSION IF NOT EXISTS intarray")
    found = 0
    for _ in range(3000):
        numbers, query = [r.choice((1, 2, 3, 4, -1, 0, 8)) for _ in range(r.randrange(5))], asked(r)
        row = postgres.execute("SELECT %s::int[] @@ %s::query_int", (numbers, query)).fetchone()
        assert row == (holds(numbers, query_in(query)),), (numbers, query)
        found += bool(row and row[0])
    assert 200 < found < 2800
