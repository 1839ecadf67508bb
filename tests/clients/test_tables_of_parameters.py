"""CREATE TABLE AS and SELECT INTO of a query with parameters: drivers that bind on the server send their values beside the text."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

import psycopg

from tests.server.process import ServerProcess

Said = tuple[str, Sequence[Any]]

STEPS: tuple[Said, ...] = (
    ("CREATE TABLE of_values AS SELECT i, %s::text AS t FROM generate_series(1, 5) i WHERE i < %s", ["u", 4]),
    ("SELECT * FROM of_values ORDER BY i", []),
    ("CREATE TEMP TABLE of_lists AS SELECT i FROM of_values WHERE i = ANY(%s)", [[1, 3]]),
    ("SELECT * FROM of_lists ORDER BY i", []),
    ("SELECT i, %s::date AS day INTO of_days FROM of_values WHERE t = %s", [date(2024, 2, 29), "u"]),
    ("SELECT * FROM of_days ORDER BY i", []),
    ("CREATE TABLE of_keys (id int PRIMARY KEY, v text)", []),
    ("INSERT INTO of_keys SELECT i, 'v' || i FROM generate_series(1, 100) i", []),
    ("CREATE TABLE of_one_key AS SELECT v, %s::numeric(6,2) AS n FROM of_keys WHERE id = %s", ["1.5", 7]),
    ("SELECT v, n, pg_typeof(n)::text FROM of_one_key", []),
    ("CREATE TABLE undecided AS SELECT %s AS p, %s AS q", ["x", None]),
    ("SELECT p, q, pg_typeof(p)::text FROM undecided", []),
    ("CREATE TABLE without_rows AS SELECT %s::int AS a WITH NO DATA", [1]),
    ("SELECT * FROM without_rows", []),
    ("CREATE TABLE IF NOT EXISTS without_rows AS SELECT %s::int AS a", [1]),
    ("CREATE TABLE too_small AS SELECT %s::smallint AS a", [99999]),
    ("CREATE TABLE divided AS SELECT 1 / %s::int AS a", [0]),
    ("CREATE TABLE of_nothing AS SELECT * FROM not_there WHERE a = %s", [1]),
    ("CREATE MATERIALIZED VIEW kept_of_values AS SELECT i FROM of_values WHERE i < %s", [3]),
    ("CREATE VIEW seen_of_values AS SELECT i FROM of_values WHERE i < %s", [3]),
    ("SELECT count(*) FROM pg_class WHERE relname IN ('too_small', 'divided', 'of_nothing', 'kept_of_values', 'seen_of_values')", []),
    ("DROP TABLE of_values, of_lists, of_days, of_keys, of_one_key, undecided, without_rows", []),
)  # fmt: skip


def answers(dsn: str) -> list[object]:
    told: list[object] = []
    with psycopg.connect(dsn, autocommit=True) as c:
        for text, values in STEPS:
            try:
                cursor = c.execute(text, values)
                told.append((cursor.statusmessage, cursor.fetchall() if cursor.description else []))
            except psycopg.Error as e:
                told.append((e.sqlstate, e.diag.message_primary))
        # One that is prepared is planned once, and makes a table of other values each time.
        for n in (2, 3):
            with c.transaction():
                c.execute("CREATE TABLE again AS SELECT i FROM generate_series(1, 9) i WHERE i < %s", [n], prepare=True)  # fmt: skip
                told.append(c.execute("SELECT count(*) FROM again").fetchall())
                c.execute("DROP TABLE again")
    return told


def test_a_table_is_made_of_a_query_with_values_beside_it(server: ServerProcess, postgres: str) -> None:
    here = f"host=127.0.0.1 port={server.port} user=tidewire dbname=tidewire"
    assert answers(here) == answers(postgres)
