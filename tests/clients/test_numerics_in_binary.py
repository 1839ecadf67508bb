"""Numerics with and without a modifier are held in two forms, and the binary protocol tells them apart: a query that takes one for the other
breaks its connection. Asked of PostgreSQL, too, three times each, for the later answers may be another engine's.
"""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.server.process import ServerProcess

SETUP = """
CREATE SCHEMA nib; SET search_path = nib;
CREATE TABLE n (id int PRIMARY KEY, a numeric(8,2), b numeric, d numeric(38,38));
INSERT INTO n VALUES (1, 1.5, 2.25, 0.5), (2, 2.5, 3.25, 0.25), (3, 0, 0, 0);
CREATE DOMAIN price AS numeric(8,2);
CREATE FUNCTION priced(v numeric) RETURNS price LANGUAGE plpgsql AS 'BEGIN RETURN v; END';
CREATE FUNCTION written(v numeric) RETURNS price LANGUAGE sql AS
  'INSERT INTO n VALUES (3, 0, 0, 0) ON CONFLICT DO NOTHING; SELECT v';
CREATE FUNCTION priced_rows(v numeric, OUT p price, OUT q numeric) LANGUAGE plpgsql AS 'BEGIN p := v; q := p; END';
"""
ASKED = (
    "SELECT a::numeric, d::numeric, a::numeric(10,3) FROM n WHERE id = 3",
    "SELECT lag(a) OVER w, lag(d, 1, 0) OVER w, lead(a, 1, 0.55555) OVER w FROM n WHERE id IN (1, 2) WINDOW w AS (ORDER BY id)",
    "SELECT first_value(a) OVER w, last_value(d) OVER w, nth_value(a, 1) OVER w FROM n WHERE id IN (1, 2) WINDOW w AS (ORDER BY id)",
    "SELECT a FROM n WHERE id = 1 UNION ALL SELECT d FROM n WHERE id = 2",
    "SELECT a FROM n WHERE id = 1 UNION ALL SELECT b FROM n WHERE id = 2 ORDER BY 1",
    "SELECT x FROM n, LATERAL (VALUES (a), (d), (b)) v (x) WHERE id = 1",
    "WITH RECURSIVE r (x) AS (SELECT a::numeric FROM n WHERE id = 1 UNION ALL SELECT x + 1 FROM r WHERE x < 3) SELECT * FROM r",
    "SELECT priced(1.239), written(1.239)",
    "SELECT * FROM priced_rows(1.239)",
    "SELECT array(SELECT a::numeric FROM n ORDER BY id), array(SELECT a * 1.5 FROM n ORDER BY id)",
    "WITH w AS (UPDATE n SET a = a WHERE id = 2 RETURNING a, a::numeric x, a * 1.5 y) SELECT a, coalesce(a, x), x + y FROM w",
)


@pytest.mark.parametrize("binary", [True, False])
def test_numerics_of_both_forms(server: ServerProcess, postgres: str, binary: bool) -> None:
    def answers(c: psycopg.Connection[Any]) -> list[Any]:
        c.execute(SETUP.encode())
        try:
            return [
                (text, [str(row) for row in c.execute(text.encode(), binary=binary)])
                for text in ASKED
                for _ in range(3)
            ]
        finally:
            c.execute("DROP SCHEMA nib CASCADE")

    with server.connect() as ours, psycopg.connect(postgres, autocommit=True) as theirs:
        assert answers(ours) == answers(theirs)
