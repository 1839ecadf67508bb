"""A block whose writes nobody else can read commits at its snapshot; as soon as it writes anything else, its reads must hold."""

from __future__ import annotations

import pytest

from tests.executor.sql import Failed, Server
from tests.executor.test_staged import session

FILLED = "INSERT INTO own SELECT k FROM t"


@pytest.mark.parametrize(
    ("beside", "refused"),
    [
        ("SELECT 1", False),
        ("DELETE FROM own", False),
        ("CREATE TEMP TABLE more AS SELECT * FROM t", False),
        ("DROP TABLE own", False),
        ("ANALYZE own", False),
        ("COMMENT ON COLUMN own.k IS 'x'", False),
        ("GRANT SELECT ON own TO public", False),
        ("SELECT * FROM other FOR UPDATE", False),
        ("LISTEN somebody", False),
        ("NOTIFY somebody", True),
        ("INSERT INTO other VALUES (9)", True),
        ("DELETE FROM other", True),
        ("TRUNCATE other", True),
        ("CREATE TABLE more AS SELECT * FROM own", True),
        ("CREATE VIEW more AS SELECT 1", True),
        ("ALTER TABLE other ADD COLUMN c int", True),
        ("COMMENT ON TABLE other IS 'x'", True),
        ("COMMENT ON COLUMN other.k IS 'x'", True),
        ("GRANT SELECT ON other TO public", True),
        ("ANALYZE other", True),
        ("CREATE ROLE somebody", True),
    ],
)
def test_reads_must_hold_for_what_others_see(beside: str, refused: bool) -> None:
    async def body(server: Server) -> None:
        a, b = server.client("a"), server.client("b")
        await b.query("CREATE TABLE t (k int); INSERT INTO t VALUES (1), (2)")
        await b.query("CREATE TABLE other (k int); INSERT INTO other VALUES (1)")
        await a.query("CREATE TEMP TABLE own (k int)")
        await a.query("BEGIN ISOLATION LEVEL SERIALIZABLE")
        await a.query(FILLED)
        await a.query(beside)
        await b.query("UPDATE t SET k = k + 1")
        told = ""
        try:
            await a.query("COMMIT")
        except Failed as failed:
            told = failed.sqlstate
        assert told == ("40001" if refused else "")

    session(body)
