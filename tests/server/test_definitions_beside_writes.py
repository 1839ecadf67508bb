"""Blocks whose tables others define something about: which definitions wait for them, and which go on beside a block at READ COMMITTED,
that commits as if it had come first.

PostgreSQL's definitions all wait; `tests/clients/together` has those that wait here as well.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

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
    ("INSERT INTO p VALUES (3, 3)", "CREATE TABLE c (id int REFERENCES p)", False),
    ("DELETE FROM p WHERE id = 2", "CREATE TABLE c (id int REFERENCES p)", False),
    ("UPDATE p SET id = 7 WHERE id = 2", "CREATE TABLE c (id int REFERENCES p)", False),
    ("INSERT INTO p VALUES (3, 3)", "ALTER TABLE p ADD CHECK (n < 3)", False),
    ("INSERT INTO p VALUES (3, 3)", "ALTER TABLE p ADD COLUMN x int", False),
    ("INSERT INTO p VALUES (3, 3)", "CREATE TRIGGER x BEFORE INSERT ON p EXECUTE FUNCTION x()", False),
]


REFUSED = {"ALTER TABLE pk DETACH PARTITION pk1", "ALTER TABLE p ADD CHECK (n < 3)"}
"""Definitions that cannot be, after what the block has written."""


@pytest.mark.parametrize(("write", "definition", "goes_on"), CASES)
@pytest.mark.parametrize("level", ["READ COMMITTED", "SERIALIZABLE"])
def test_a_definition_waits_unless_the_block_is_right_under_it(
    server: ServerProcess, write: str, definition: str, goes_on: bool, level: str
) -> None:
    path = "-c search_path=beside"
    with server.connect() as c:
        c.execute("DROP SCHEMA IF EXISTS beside CASCADE")
        c.execute(SETUP.encode())
        c.execute("CREATE FUNCTION x() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'")
    with server.connect(options=path) as a, server.connect(options=path) as b:
        a.execute(f"BEGIN ISOLATION LEVEL {level}".encode())
        a.execute(write.encode())
        if goes_on and level == "READ COMMITTED":
            b.execute(definition.encode())
            a.execute("COMMIT")
        else:
            with ThreadPoolExecutor(1) as beside, server.connect() as c:
                defined = beside.submit(lambda: b.execute(definition.encode()))
                pid, blocker = b.info.backend_pid, a.info.backend_pid
                while c.execute("SELECT pg_blocking_pids(%s)", (pid,)).fetchone() != ([blocker],):
                    assert not defined.done(), "it waits for the block"
                asked = "SELECT pg_isolation_test_session_is_blocked(%s, %s)"
                assert c.execute(asked, (pid, [0, blocker])).fetchone() == (True,)
                assert c.execute(asked, (pid, [0])).fetchone() == (False,), "not for one of these"
                a.execute("COMMIT")
                if definition in REFUSED:
                    with pytest.raises(psycopg.errors.IntegrityError):
                        defined.result()
                else:
                    defined.result()
        assert b.execute("SELECT count(*) FROM fk WHERE id NOT IN (SELECT id FROM pk)").fetchall() == [(0,)]
