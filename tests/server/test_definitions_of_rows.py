"""Definitions in blocks that are made of rows (a new shape, a constraint, a partition beside a DEFAULT) while somebody else writes.

Whatever the block's level: what was committed is there, and what is defined is true of it, or somebody hears 40001.
"""

from __future__ import annotations

import psycopg
import pytest

from tests.server.process import ServerProcess

MADE = (
    "DROP TABLE IF EXISTS p, q, d, d_8 CASCADE",
    "CREATE TABLE q (id int PRIMARY KEY)",
    "INSERT INTO q VALUES (1), (2)",
    "CREATE TABLE p (id int PRIMARY KEY, v text, r int)",
    "INSERT INTO p VALUES (1, 'a', 1)",
    "CREATE TABLE d (k int PRIMARY KEY) PARTITION BY LIST (k)",
    "CREATE TABLE d_rest PARTITION OF d DEFAULT",
    "CREATE TABLE d_8 (k int PRIMARY KEY)",
)
WRITES = "INSERT INTO p VALUES (2, 'a', 77), (3, NULL, 1), (4, 'bad', 2); INSERT INTO d VALUES (8), (9)"
WRONG = {
    "ALTER TABLE p ALTER v TYPE int USING length(v)": "",
    "ALTER TABLE p DROP COLUMN v": "",
    "ALTER TABLE p ADD COLUMN n serial": "",
    "ALTER TABLE p ALTER v SET NOT NULL": "SELECT FROM p WHERE v IS NULL",
    "ALTER TABLE p ADD CHECK (v <> 'bad')": "SELECT FROM p WHERE v = 'bad'",
    "CREATE UNIQUE INDEX ON p (v)": "SELECT FROM p GROUP BY v HAVING v IS NOT NULL AND count(*) > 1",
    "ALTER TABLE p ADD FOREIGN KEY (r) REFERENCES q": "SELECT FROM p WHERE r NOT IN (SELECT id FROM q)",
    "CREATE TABLE d_9 PARTITION OF d FOR VALUES IN (9)": "SELECT FROM d_rest WHERE k = 9",
    "ALTER TABLE d ATTACH PARTITION d_8 FOR VALUES IN (8)": "SELECT FROM d_rest WHERE k = 8",
}
"""By definition, what must not be there when it is."""


@pytest.mark.parametrize("level", ["READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE"])
@pytest.mark.parametrize("first", ["the write", "the definition"])
@pytest.mark.parametrize("definition", WRONG)
def test_committed_rows_are_kept_and_are_as_defined(
    server: ServerProcess, definition: str, first: str, level: str
) -> None:
    with server.connect() as writer, server.connect() as definer:
        for text in MADE:
            writer.execute(text.encode())
        writer.execute("BEGIN")
        if first == "the write":
            writer.execute(WRITES)
        definer.execute(f"BEGIN ISOLATION LEVEL {level}".encode())
        definer.execute(definition.encode())
        if first == "the definition":
            writer.execute(WRITES)
        writer.execute("COMMIT")
        with pytest.raises(psycopg.errors.SerializationFailure):
            definer.execute("COMMIT")
        assert writer.execute("SELECT (SELECT count(*) FROM p), (SELECT count(*) FROM d)").fetchall() == [
            (4, 2)
        ]


@pytest.mark.parametrize("level", ["READ COMMITTED", "REPEATABLE READ"])
@pytest.mark.parametrize("definition", WRONG)
def test_a_definition_of_rows_that_nobody_writes_is_committed(
    server: ServerProcess, definition: str, level: str
) -> None:
    with server.connect() as writer, server.connect() as definer:
        for text in MADE:
            writer.execute(text.encode())
        definer.execute(f"BEGIN ISOLATION LEVEL {level}".encode())
        definer.execute("INSERT INTO p VALUES (5, 'five', 2); INSERT INTO d VALUES (5)")
        definer.execute(definition.encode())
        writer.execute("DELETE FROM q WHERE id = 7")
        definer.execute("COMMIT")
        assert definer.execute("SELECT (SELECT count(*) FROM p), (SELECT count(*) FROM d)").fetchall() == [
            (2, 1)
        ]
        if wrong := WRONG[definition]:
            assert definer.execute(f"SELECT count(*) FROM ({wrong}) w".encode()).fetchall() == [(0,)]
