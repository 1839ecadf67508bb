# ruff: noqa: SIM905 (lists of words read better as words)
"""Each of PostgreSQL's words in each place where a name may stand: taken, or refused with the same SQLSTATE, as PostgreSQL does.

    all       a reserved word       SELECT * FROM m all        42601
    between   a column's name       SELECT between(1)          42601       SELECT between FROM m    42703
    left      a function's name     SELECT left('a', 1)        taken       SELECT left FROM m       42601
    string    some other dialect's  SELECT 1::string           42704, for nobody has made such a type

What sqlglot reads otherwise than PostgreSQL shows here, whichever word and place it is.
"""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from tests.clients.test_alike import postgres as postgres
from tests.server.process import ServerProcess

PLACES = {
    "a table's alias": "SELECT 1 FROM words_m {}",
    "a table's alias after AS": "SELECT 1 FROM words_m AS {}",
    "a query's alias": "SELECT 1 FROM (SELECT 1) {}",
    "a joined table's alias": "SELECT 1 FROM words_m JOIN words_m {} ON true",
    "a column's alias": "SELECT a {} FROM words_m",
    "a column's alias after AS": "SELECT a AS {} FROM words_m",
    "a constant's alias": "SELECT 1 {}",
    "what RETURNING calls it": "DELETE FROM words_m RETURNING a {}",
    "what SET assigns": "UPDATE words_m SET {} = 1",
    "what INSERT assigns": "INSERT INTO words_m ({}) VALUES (1)",
    "a cast's type": "SELECT CAST(NULL AS {})",
    "a column's type": "CREATE TABLE words_n (a {})",
    "a column": "SELECT {} FROM words_m",
    "a qualified column": "SELECT words_m.{} FROM words_m",
    "a qualifier": "SELECT {}.a FROM words_m",
    "a field": "SELECT (words_m).{} FROM words_m",
    "a key of groups": "SELECT 1 FROM words_m GROUP BY {}",
    "a key of the order": "SELECT 1 FROM words_m ORDER BY {}",
    "a table": "SELECT 1 FROM {}",
    "a table of a schema": "SELECT 1 FROM public.{}",
    "a new table": "CREATE TABLE {} (a int)",
    "a new column": "CREATE TABLE words_n ({} int)",
    "a constraint": "CREATE TABLE words_n (a int CONSTRAINT {} CHECK (a > 0))",
    "a window": "SELECT 1 FROM words_m WINDOW {} AS (ORDER BY a)",
    "an alias's column": "SELECT 1 FROM words_m x ({})",
    "an argument": "SELECT words_f({} => 1)",
    "a collation": "SELECT a::text COLLATE {} FROM words_m",
    "a column renamed": "ALTER TABLE words_m RENAME a TO {}",
    "a column dropped": "ALTER TABLE words_m DROP COLUMN {}",
    "a view": "CREATE VIEW {} AS SELECT 1",
    "a schema": "CREATE SCHEMA {}",
    "a savepoint": "SAVEPOINT {}",
    "a cursor": "DECLARE {} CURSOR FOR SELECT 1",
    "a prepared statement": "PREPARE {} AS SELECT 1",
    "a value of SET": "SET application_name = {}",
    "a function made": "CREATE FUNCTION {}() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "a parameter": "CREATE FUNCTION words_f({} int) RETURNS int LANGUAGE sql AS 'SELECT 1'",
}  # fmt: skip
OTHER_TYPES = (
    "string number blob clob long short double binary varbinary tinyint int16 int32 int64 hugeint byte datetime fixed str "
    "longvarchar varchar2 nvarchar2 nullable serial smallserial bigserial timestamp_ntz vector variant object map list struct enum"
).split()  # fmt: skip
"""Types of other dialects, and what only a new column may be of."""


@pytest.fixture
def both(server: ServerProcess, postgres: str) -> Iterator[tuple[psycopg.Connection, psycopg.Connection]]:
    with server.connect() as first:
        first.execute("CREATE DATABASE words")  # where no test has made an extension, whose types have names
    with psycopg.connect(postgres, autocommit=True) as there, server.connect(dbname="words") as here:
        for connection in (there, here):
            connection.execute("CREATE TABLE words_m (a int)")
        yield there, here


def answer(connection: psycopg.Connection, text: str) -> str:
    """The SQLSTATE of a statement that is taken back, or that it was taken."""
    connection.execute("BEGIN")
    try:
        connection.execute(text.encode())
    except psycopg.Error as e:
        return e.sqlstate or "?"
    finally:
        connection.execute("ROLLBACK")
    return "taken"


def test_words_are_names_where_they_are_in_postgresql(
    both: tuple[psycopg.Connection, psycopg.Connection],
) -> None:
    there, here = both
    told = "SELECT word, catcode FROM pg_get_keywords() ORDER BY 1"
    words = there.execute(told).fetchall()
    assert here.execute(told).fetchall() == words
    asked = [(place, word) for place in PLACES for word, drawer in words if drawer != "U"]
    asked += [(place, word) for place in PLACES for word in OTHER_TYPES]
    different = {
        (place, word): (expected, got)
        for place, word in asked
        if (expected := answer(there, PLACES[place].format(word)))
        != (got := answer(here, PLACES[place].format(word)))
    }
    assert different == {}
