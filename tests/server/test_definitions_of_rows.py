"""Definitions in blocks that are made of rows (a new shape, a constraint, a partition beside a DEFAULT) while somebody else writes.

Whatever the block's level: who comes second waits, what was committed is there, and what is defined is true of it.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from tests.server.process import ServerProcess

MADE = (
    "DROP TABLE IF EXISTS p, q, d, d_8, elsewhere CASCADE",
    "CREATE TABLE q (id int PRIMARY KEY)",
    "CREATE TABLE elsewhere (id int PRIMARY KEY)",
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
    """Who comes second waits for the first one, and then is what he would be had he come then; or he is refused."""
    with server.connect() as writer, server.connect() as definer, ThreadPoolExecutor(1) as beside:
        for text in MADE:
            writer.execute(text.encode())

        def end(connection: psycopg.Connection[tuple[object, ...]], text: str) -> str:
            try:
                connection.execute(text.encode())
                connection.execute("COMMIT")
                return "committed"
            except psycopg.Error as error:
                connection.execute("ROLLBACK")
                return error.sqlstate or ""

        writer.execute("BEGIN")
        definer.execute(f"BEGIN ISOLATION LEVEL {level}".encode())
        one, text, other, its = writer, WRITES, definer, definition
        if first == "the definition":
            one, text, other, its = other, its, one, text
        one.execute(text.encode())
        second = beside.submit(end, other, its)
        with server.connect() as c:
            while c.execute("SELECT pg_blocking_pids(%s)", (other.info.backend_pid,)).fetchone() == ([],):
                if second.done():
                    break
        ends = [end(one, "SELECT"), second.result()]
        rows = writer.execute("SELECT (SELECT count(*) FROM p), (SELECT count(*) FROM d)").fetchall()
        assert "committed" in ends and "25P02" not in ends
        if first == "the write":
            assert (ends[0], rows) == ("committed", [(4, 2)])
            assert ends[1] in ("committed", "23502", "23514", "23505", "23503"), "the definition has waited"
        wrong = WRONG[definition]
        if wrong and ends == ["committed", "committed"]:
            assert writer.execute(f"SELECT count(*) FROM ({wrong}) w".encode()).fetchall() == [(0,)]


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
        writer.execute("DELETE FROM elsewhere WHERE id = 7")
        definer.execute("COMMIT")
        assert definer.execute("SELECT (SELECT count(*) FROM p), (SELECT count(*) FROM d)").fetchall() == [
            (2, 1)
        ]
        if wrong := WRONG[definition]:
            assert definer.execute(f"SELECT count(*) FROM ({wrong}) w".encode()).fetchall() == [(0,)]
