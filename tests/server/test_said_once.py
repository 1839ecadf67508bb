"""A statement that nobody has sent before goes through the door that it goes through when it comes again (`pgwire.simple`).

Test-suites and migrations say most things once, of tables that have just been made. DuckDB would be told of these tables for each.
"""

from __future__ import annotations

import asyncio

import pytest

from executor.columnar.engine import ColumnarEngine
from tests.server.test_repeated_reads import Both, between_two

MADE = (
    "CREATE TABLE s (id int PRIMARY KEY, a text, b int)",
    "CREATE INDEX ON s (b)",
    "INSERT INTO s VALUES (1, 'one', 7), (2, 'two', 7), (3, 'three', 8)",
)
ONCE = {
    "SELECT a FROM s WHERE id = 2": [b"two"],
    "SELECT a FROM s WHERE b = 7 ORDER BY id": [b"one", b"two"],
    "SELECT a FROM s ORDER BY id DESC LIMIT 1": [b"three"],
    "SELECT count(*) FROM s": [b"3"],
    "SELECT x.a FROM s x JOIN s y ON y.id = x.b - 6 ORDER BY x.id": [b"one", b"two", b"three"],
    "INSERT INTO s VALUES (4, 'four', 9) RETURNING a": [b"four"],
    "UPDATE s SET a = 'vier' WHERE id = 4 RETURNING a": [b"vier"],
    "DELETE FROM s WHERE id = 4 RETURNING a": [b"vier"],
}


def _rows(said: bytes) -> list[bytes]:
    """The one column's values."""
    assert b"SERROR" not in said, said
    found, at = [], 0
    while at < len(said):
        end = at + 1 + int.from_bytes(said[at + 1 : at + 5], "big")
        if said[at : at + 1] == b"D":
            found.append(said[at + 11 : end])
        at = end
    return found


@pytest.mark.parametrize("in_block", [False, True])
def test_what_is_little_needs_no_duckdb(in_block: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def noted(name: str) -> None:
        whole = getattr(ColumnarEngine, name)

        def note(self: ColumnarEngine, sql: str, *rest: object, **more: object) -> object:
            asked.append(sql)
            return whole(self, sql, *rest, **more)

        monkeypatch.setattr(ColumnarEngine, name, note)

    @between_two
    async def run(both: Both) -> None:
        client = both[0]
        for text in MADE:
            await client.run(text)
        noted("start")
        noted("table")
        await client.run("BEGIN" if in_block else "SELECT 1")
        for text, rows in ONCE.items():
            assert _rows(await client.run(text)) == rows, text
        assert asked == []

    run()


@between_two
async def test_who_waits_is_told_the_time_and_may_be_cancelled(both: Both) -> None:
    one, other = both
    for text in MADE:
        await one.run(text)
    await one.run("BEGIN")
    await one.run("UPDATE s SET b = 1 WHERE id = 1")
    await other.run("BEGIN; SET LOCAL lock_timeout = 50")
    assert b"C55P03" in await other.run("UPDATE s SET b = 2 WHERE id = 1")
    assert b"C25P02" in await other.run("UPDATE s SET b = 2 WHERE id = 2")  # the block has failed
    await other.run("ROLLBACK")
    await other.run("SET statement_timeout = 50")
    assert b"C57014" in await other.run("UPDATE s SET b = 4 WHERE id = 1")
    await other.run("BEGIN")
    assert b"C57014" in await other.run("UPDATE s SET b = 5 - 1 WHERE id = 1")
    await other.run("ROLLBACK")
    await other.run("RESET statement_timeout")
    await other.run("BEGIN")
    waiting = asyncio.ensure_future(other.run("UPDATE s SET b = 3 WHERE id = 1"))
    await asyncio.sleep(0.05)
    assert not waiting.done()
    other.conversation.cancel()
    assert b"C57014" in await waiting
    await other.run("ROLLBACK")
    # Outside of a block it is its own transaction, and comes after the one it has waited for.
    waiting = asyncio.ensure_future(other.run("UPDATE s SET b = b + 40 WHERE id = 1 RETURNING b"))
    await asyncio.sleep(0.05)
    await one.run("COMMIT")
    assert _rows(await waiting) == [b"41"]


@between_two
async def test_errors_point_into_what_was_sent(both: Both) -> None:
    client = both[0]
    for text in MADE:
        await client.run(text)
    again = "  /* first */ SELECT 10 / (b - 7) FROM s WHERE id = 1"
    assert [await client.run(again) for _ in range(2)] == [await client.run(again)] * 2
    assert b"C22012" in await client.run(again)
    assert b"C23505" in await client.run("INSERT INTO s VALUES (1, 'again', 0)")
    # Text of several statements is one transaction: nothing of it stays.
    assert b"C22012" in await client.run(
        "INSERT INTO s VALUES (9, 'nine', 0); SELECT 1 / b FROM s WHERE id = 9"
    )
    assert _rows(await client.run("SELECT a FROM s WHERE id = 9")) == []


@between_two
async def test_definitions_between_are_seen(both: Both) -> None:
    client, other = both
    for text in MADE:
        await client.run(text)
    await other.run("ALTER TABLE s ADD c int DEFAULT 5")
    assert _rows(await client.run("SELECT c FROM s WHERE id = 1")) == [b"5"]
    await other.run("ALTER TABLE s DROP c")
    assert b"C42703" in await client.run("SELECT c FROM s WHERE id = 2")
    await client.run("TRUNCATE s")
    assert _rows(await client.run("SELECT a FROM s WHERE id = 3")) == []


@between_two
async def test_types_of_the_transactions_own(both: Both) -> None:
    """Labels and fields that nobody else knows yet are known to whatever the transaction says, each time that it says it."""
    client = both[0]
    await client.run("CREATE TYPE mood AS ENUM ('sad', 'ok')")
    await client.run("CREATE TYPE pair AS (a int, b int)")
    await client.run("BEGIN")
    await client.run("ALTER TYPE mood ADD VALUE 'glad'")
    await client.run("ALTER TYPE mood RENAME VALUE 'ok' TO 'fine'")
    await client.run("ALTER TYPE pair ADD ATTRIBUTE c int")
    for _ in range(3):
        assert _rows(await client.run("SELECT 'fine'::text::mood")) == [b"fine"]
        assert _rows(await client.run("SELECT ('(1,2,3)'::text::pair).c")) == [b"3"]
        await client.run("SAVEPOINT s")
        assert b"C55P04" in await client.run("SELECT 'glad'::text::mood")
        await client.run("ROLLBACK TO s")
    await client.run("ROLLBACK")
    assert b"C22P02" in await client.run("SELECT 'fine'::text::mood")
    assert _rows(await client.run("SELECT 'ok'::text::mood")) == [b"ok"]
