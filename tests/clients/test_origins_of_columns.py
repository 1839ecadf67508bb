"""Which column of which relation a result's column is, as RowDescription says: what lets grids edit what they show.

A column stays the relation's own through subqueries, WITH and joins; a view's columns are the view's. PostgreSQL says what is right.
"""

from __future__ import annotations

import psycopg

from tests.server.process import ServerProcess

_MADE = """
CREATE TABLE people (id integer PRIMARY KEY, name varchar(40), born date);
CREATE TABLE jobs (id bigint PRIMARY KEY, person integer, wage numeric(12, 2));
CREATE VIEW paid AS SELECT p.id, name, sum(wage) AS wages FROM people p JOIN jobs j ON j.person = p.id GROUP BY p.id;
"""
_QUERIES = (
    "SELECT * FROM paid",
    "SELECT p.id, wages, p.id + 1 FROM paid p",
    "SELECT s.* FROM (SELECT id AS x, name FROM people) s(a)",
    "SELECT a, s.name FROM (SELECT id AS x, name FROM people) s(a)",
    "WITH w AS (SELECT id, name FROM people) SELECT w.id, name, w.* FROM w",
    "WITH w(a) AS (SELECT id, name FROM people) SELECT * FROM w",
    "WITH RECURSIVE w AS (SELECT id FROM people UNION ALL SELECT id + 1 FROM w WHERE id < 0) SELECT * FROM w",
    "SELECT p.id, l.wage FROM people p LEFT JOIN LATERAL (SELECT wage FROM jobs WHERE person = p.id) l ON true",
    "SELECT id, name, wage FROM people JOIN jobs USING (id)",
    "SELECT * FROM people LEFT JOIN jobs USING (id)",
    "SELECT * FROM people FULL JOIN jobs USING (id)",
    "SELECT *, j.id FROM (people JOIN jobs USING (id)) j",
    "SELECT (SELECT name FROM people WHERE id = person), person FROM jobs",
    "SELECT id FROM people UNION SELECT id FROM jobs",
    "SELECT name, max(born) FROM people GROUP BY name",
    "SELECT DISTINCT name FROM people",
    "SELECT name::text, (name), name COLLATE \"C\" FROM people",
    "SELECT relname, c.oid FROM pg_class c LIMIT 0",
    "SELECT table_name, is_typed FROM information_schema.tables LIMIT 0",
    "SELECT * FROM information_schema.triggers LIMIT 0",
    "DELETE FROM jobs j USING people p WHERE false RETURNING j.wage, p.name, p.id + 1",
    "TABLE paid",
)  # fmt: skip


def _told(connection: psycopg.Connection[tuple[object, ...]]) -> list[object]:
    connection.execute(_MADE)
    names = dict(connection.execute("SELECT oid, oid::regclass::text FROM pg_class").fetchall())
    told: list[object] = []
    for query in _QUERIES:
        result = connection.execute(query).pgresult
        assert result is not None
        for i in range(result.nfields):
            home = names.get(result.ftable(i))
            told.append((query, result.fname(i), home, result.ftablecol(i), result.ftype(i), result.fmod(i)))
    return told


def test_columns_say_whose_they_are(server: ServerProcess, postgres: str) -> None:
    with psycopg.connect(postgres, autocommit=True) as c:
        expected = _told(c)
    with server.connect(autocommit=False) as c:
        told = _told(c)
        c.rollback()
    assert told == expected
