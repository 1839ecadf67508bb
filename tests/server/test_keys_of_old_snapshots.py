"""Keys that come in a transaction whose snapshot is older than what memory has of the table: others have written to it in bulk.

PostgreSQL's answer is 40001 where the statement would change, or pass over, a row that the snapshot does not see; a plain INSERT
asks the present. None of it is an internal error.
"""

from __future__ import annotations

import psycopg
import pytest

from tests.server.process import ServerProcess

MERGE = "MERGE INTO t USING (VALUES (1, 'x'), (-5, 'y')) v (id, s) ON t.id = v.id "
STATEMENTS = [
    (MERGE + "WHEN MATCHED THEN UPDATE SET s = v.s WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.s)", ("", "40001")),
    ("INSERT INTO t SELECT -6, 'q'", ("",)),
    ("INSERT INTO t SELECT 12, 'q'", ("23505",)),
    ("INSERT INTO t SELECT -7, 'q' ON CONFLICT (id) DO UPDATE SET s = 'z'", ("", "40001")),
    ("INSERT INTO t VALUES (-8, 'a') ON CONFLICT DO NOTHING", ("", "40001")),
    ("INSERT INTO t VALUES (-9, 'a'), (-10, 'b')", ("",)),
    ("DO $$ BEGIN INSERT INTO t VALUES (-11, 'p'); END $$", ("",)),
    ("UPDATE t SET id = -12 WHERE id = 2", ("", "40001")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "repeatable"), STATEMENTS)
@pytest.mark.parametrize("level", ["READ COMMITTED", "REPEATABLE READ"])
def test_keys_beside_bulk(server: ServerProcess, text: str, repeatable: tuple[str, ...], level: str) -> None:
    with server.connect() as a, server.connect() as b:
        b.execute("DROP TABLE IF EXISTS t")
        b.execute("CREATE TABLE t (id int PRIMARY KEY, s text)")
        b.execute("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
        a.execute(f"BEGIN ISOLATION LEVEL {level}".encode())
        a.execute("SELECT * FROM t WHERE id = 1")
        for first in range(10, 42_000, 7_000):
            b.execute(
                f"INSERT INTO t SELECT i, 'bulk' FROM generate_series({first}, {first + 6999}) i".encode()
            )
        ended = ""
        try:
            a.execute(text.encode())
            a.execute("COMMIT")
        except psycopg.Error as error:
            ended = error.sqlstate or "none"
            a.execute("ROLLBACK")
        wanted = repeatable if level == "REPEATABLE READ" else tuple(x for x in repeatable if x != "40001")
        assert ended in wanted
