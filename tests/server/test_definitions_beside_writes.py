"""Blocks at READ COMMITTED whose tables others define something about: who goes on, and who is refused so that nothing dangles.

PostgreSQL's definitions wait for the block; here they do not, and the block commits as if it had come first, or is refused.
"""

from __future__ import annotations

import psycopg
import pytest

from tests.server.process import ServerProcess

SETUP = """
CREATE SCHEMA beside; SET search_path = beside;
CREATE TABLE pk (id int PRIMARY KEY, v text) PARTITION BY RANGE (id);
CREATE TABLE pk1 PARTITION OF pk FOR VALUES FROM (0) TO (10);
CREATE TABLE fk (n int PRIMARY KEY, id int REFERENCES pk);
CREATE TABLE p (id int PRIMARY KEY, n int);
INSERT INTO pk VALUES (1, 'a'), (2, 'b'); INSERT INTO p VALUES (1, 1), (2, 2);
"""
CASES = [
    ("INSERT INTO fk VALUES (1, 2)", "CREATE TABLE pk2 PARTITION OF pk FOR VALUES FROM (10) TO (20)", True),
    ("INSERT INTO fk VALUES (1, 2)", "ALTER TABLE pk DETACH PARTITION pk1", False),
    ("INSERT INTO p VALUES (3, 3)", "CREATE TABLE c (id int REFERENCES p)", True),
    ("DELETE FROM p WHERE id = 2", "CREATE TABLE c (id int REFERENCES p)", False),
    ("UPDATE p SET id = 7 WHERE id = 2", "CREATE TABLE c (id int REFERENCES p)", False),
    ("INSERT INTO p VALUES (3, 3)", "ALTER TABLE p ADD CHECK (n < 3)", False),
    ("INSERT INTO p VALUES (3, 3)", "ALTER TABLE p ADD COLUMN x int", False),
    ("INSERT INTO p VALUES (3, 3)", "CREATE TRIGGER x BEFORE INSERT ON p EXECUTE FUNCTION x()", False),
]


@pytest.mark.parametrize(("write", "definition", "commits"), CASES)
@pytest.mark.parametrize("level", ["READ COMMITTED", "SERIALIZABLE"])
def test_a_block_is_right_under_a_newer_definition_or_refused(
    server: ServerProcess, write: str, definition: str, commits: bool, level: str
) -> None:
    path = "-c search_path=beside"
    with server.connect() as c:
        c.execute("DROP SCHEMA IF EXISTS beside CASCADE")
        c.execute(SETUP.encode())
        c.execute("CREATE FUNCTION x() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'")
    with server.connect(options=path) as a, server.connect(options=path) as b:
        a.execute(f"BEGIN ISOLATION LEVEL {level}".encode())
        a.execute(write.encode())
        b.execute(definition.encode())
        if commits and level == "READ COMMITTED":
            a.execute("COMMIT")
        else:
            with pytest.raises(psycopg.errors.SerializationFailure):
                a.execute("COMMIT")
        assert b.execute("SELECT count(*) FROM fk WHERE id NOT IN (SELECT id FROM pk)").fetchall() == [(0,)]
