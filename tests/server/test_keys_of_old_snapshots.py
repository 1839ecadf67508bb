"""Keys that come in a transaction whose snapshot is older than what memory has of the table: others have written to it in bulk.

PostgreSQL's answer is 40001 where the statement would change, or pass over, a row that the snapshot does not see; a plain INSERT
asks the present. None of it is an internal error.
"""

from __future__ import annotations

import psycopg
import pytest

from tests.server.process import ServerProcess

MERGE = "MERGE INTO old_keys USING (VALUES (1, 'x'), (-5, 'y')) v (id, s) ON old_keys.id = v.id "
STATEMENTS = [
    (MERGE + "WHEN MATCHED THEN UPDATE SET s = v.s WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.s)", ("", "40001")),
    ("INSERT INTO old_keys SELECT -6, 'q'", ("",)),
    ("INSERT INTO old_keys SELECT 12, 'q'", ("23505",)),
    ("INSERT INTO old_keys SELECT -7, 'q' ON CONFLICT (id) DO UPDATE SET s = 'z'", ("", "40001")),
    ("INSERT INTO old_keys VALUES (-8, 'a') ON CONFLICT DO NOTHING", ("", "40001")),
    ("INSERT INTO old_keys VALUES (-9, 'a'), (-10, 'b')", ("",)),
    ("DO $$ BEGIN INSERT INTO old_keys VALUES (-11, 'p'); END $$", ("",)),
    ("UPDATE old_keys SET id = -12 WHERE id = 2", ("", "40001")),
]  # fmt: skip


@pytest.mark.parametrize(("text", "repeatable"), STATEMENTS)
@pytest.mark.parametrize("level", ["READ COMMITTED", "REPEATABLE READ"])
def test_keys_beside_bulk(server: ServerProcess, text: str, repeatable: tuple[str, ...], level: str) -> None:
    with server.connect() as a, server.connect() as b:
        b.execute("DROP TABLE IF EXISTS old_keys")
        b.execute("CREATE TABLE old_keys (id int PRIMARY KEY, s text)")
        b.execute("INSERT INTO old_keys VALUES (1, 'a'), (2, 'b')")
        a.execute(f"BEGIN ISOLATION LEVEL {level}".encode())
        a.execute("SELECT * FROM old_keys WHERE id = 1")
        for first in range(10, 42_000, 7_000):
            b.execute(
                f"INSERT INTO old_keys SELECT i, 'bulk' FROM generate_series({first}, {first + 6999}) i".encode()
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
