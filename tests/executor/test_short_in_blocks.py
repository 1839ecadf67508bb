"""What asks for little in a transaction block: the keyed engine answers and writes it, and says what DuckDB says."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from executor.abc import Rows
from executor.keyed.lookup import LookupPlan
from executor.session import queries, relations
from executor.session.blocks.short_reads import WRITTEN_ROWS_MAX, writes_few
from tests.executor.sql import Client, Failed, Server

SIDE = 30
"""Rows of one `a`, and how many `a` there are."""

READS = [
    ("a, b, c", "a = {x} AND b BETWEEN 3 AND {x}", "ORDER BY b DESC"),
    ("a, b, c", "a = {x} AND b < 9 AND c > 2", "ORDER BY b LIMIT 3"),
    ("count(*), count(c), sum(c), min(c), max(b), sum(n)", "a = {x}", ""),
    ("sum(n), count(*)", "a = {x} AND b = 4", ""),
    ("sum(n), count(*)", "a = {x} AND b = 1000", ""),
    ("b, u", "u = 'u{x}/7'", ""),
    ("b, u", "u = 'u{x}3' AND b > 5", ""),
    ("DISTINCT c, t", "a = {x}", "ORDER BY t NULLS FIRST, c LIMIT 4"),
    ("DISTINCT c", "a = {x} AND b < 20", "ORDER BY c DESC OFFSET 2"),
    ("a, b, n", "a = {x}", "ORDER BY n DESC, b LIMIT 3 OFFSET 4"),
    ("a, b, n", "a = {x}", "ORDER BY b OFFSET 25"),
    ("a, b, n", "c = 3", "ORDER BY n NULLS FIRST, a, b LIMIT 5 OFFSET 1"),
    (
        "coalesce(max(b), 0) + 1, coalesce(sum(n), 0), avg(n), avg(b), min(n), max(t), bool_and(b > 0)",
        "a = {x}",
        "",
    ),
    ("max(b) + min(b), count(*) > 3, bool_or(c = 3), min(t), round(avg(c), 2)", "c = 5 AND a = {x}", ""),
    ("coalesce(max(b), 0) + 1, avg(n), count(DISTINCT c)", "a = 1000", ""),
    ("b, u", "u = ANY ('{{u{x}/7,u1/1,u{x}3,NULL}}')", "ORDER BY u"),
    ("a, b, t", "c = ANY ('{{3,5}}') AND a = {x}", "ORDER BY b"),
    ("a, b, t", "c IN (3, 5, NULL) AND a IN ({x}, 2)", "ORDER BY b DESC, a LIMIT 7"),
    ("a, b, c", "c = 4 AND a = {x}", "ORDER BY t, b DESC"),
    ("a, b", "c = {x} % 7", "ORDER BY t DESC NULLS LAST, b, a LIMIT 5"),
]


async def _filled(server: Server) -> Client:
    client = server.client()
    await client.query(
        "CREATE TABLE r (a int, b int, c int, t varchar(9), u text UNIQUE, n numeric(9, 2), PRIMARY KEY (a, b))"
    )
    await client.query("CREATE INDEX ON r (c, a)")
    await client.query(
        "INSERT INTO r SELECT a, b, nullif((a * b) % 7, 6), nullif('t' || b % 5, 't3'), 'u' || a || '/' || b,"
        f" nullif(a * b / 4.0, 2) FROM generate_series(1, {SIDE}) a, generate_series(1, {SIDE}) b"
    )
    return client


async def _same(client: Client, outputs: str, where: str, rest: str) -> None:
    """The statement at the fast door, and in a form that only DuckDB can answer."""
    session = client.session
    text = f"SELECT {outputs} FROM r WHERE {where} {rest}"
    plan = session.executor.plans.prepared(text, session.context(), ())
    now = session.execute_now(plan, (), lambda _: None, autocommit=False)
    assert isinstance(now, Rows), text
    wide = await client.rows(f"SELECT {outputs} FROM (SELECT * FROM r OFFSET 0) r WHERE {where} {rest}")
    assert list(now.rows) == wide, text


@pytest.mark.parametrize("seed", range(3))
def test_reads(seed: int) -> None:
    async def run() -> None:
        rng = random.Random(seed)
        async with Server() as server:
            client = await _filled(server)
            await client.query("BEGIN")
            for outputs, where, rest in READS:
                await _same(client, outputs, where.format(x=rng.randrange(1, SIDE)), rest)
            for _ in range(3):
                x = rng.randrange(1, SIDE)
                await client.query(f"UPDATE r SET c = c + 1, n = n - 0.25 WHERE a = {x} AND b > 5")
                await client.query(f"DELETE FROM r WHERE a = {x} AND b BETWEEN 3 AND 4")
                await client.query(f"INSERT INTO r VALUES ({x}, 900, 3, 'own', 'u{x}3', 1.5)")
                for outputs, where, rest in READS:
                    await _same(client, outputs, where.format(x=x), rest)
                await client.query(f"DELETE FROM r WHERE a = {x} AND b = 900")
            await client.query("COMMIT")

    asyncio.run(run())


WRITES = [
    ("UPDATE r SET c = 1 WHERE a = 3", True),
    ("UPDATE r SET c = 1 WHERE a = 3 AND b > 5 AND c = 2", True),
    ("DELETE FROM r WHERE a BETWEEN 3 AND 4", True),
    (f"UPDATE r SET c = 1 WHERE a BETWEEN 1 AND {SIDE}", False),
    ("UPDATE r SET c = 1 WHERE a > 1", None),
    ("UPDATE r SET c = 1 WHERE c = 1", True),
    ("DELETE FROM r WHERE c IN (1, 3) AND b > 3", False),
    ("DELETE FROM r WHERE c = ANY ('{3,NULL}') AND t <> 'x'", True),
    ("UPDATE r SET c = 1 WHERE t = 't1'", None),
    ("UPDATE r SET c = (SELECT max(b) FROM r) WHERE a = 3", None),
    ("DELETE FROM r", None),
]
"""Statements, and whether they are of few rows; None: of what nobody can say it beforehand."""


@pytest.mark.parametrize(("text", "few"), WRITES, ids=[w[0] for w in WRITES])
def test_writes_of_few_rows_are_told_from_others(text: str, few: bool | None) -> None:
    async def run() -> None:
        async with Server() as server:
            client = await _filled(server)
            await client.query("BEGIN")
            assert WRITTEN_ROWS_MAX < SIDE * SIDE
            session = client.session
            compiled = session.compiled(session.executor.plans.prepared(text, session.context(), ())).by_range
            block: Any = session.block
            assert (None if compiled is None else writes_few(session, block, compiled, ())) is few
            await client.query("ROLLBACK")

    asyncio.run(run())


BY_INDEX = [
    "UPDATE {t} SET b = b + 100, n = n + 1 WHERE c{c} = {x}",
    "UPDATE {t} SET c = c + 1 WHERE c{c} = {x} AND a < 20",
    "UPDATE {t} SET c = NULL WHERE c{c} = {x} AND a = {y}",
    "DELETE FROM {t} WHERE c{c} = {x} AND a{c} IN ({x}, {y})",
    "UPDATE {t} SET a = a + 1000 WHERE c{c} IN ({x}, NULL) AND b = {y}",
    "DELETE FROM {t} WHERE c{c} = ANY ('{{{x},NULL}}') AND t = 't1'",
    "INSERT INTO {t} SELECT 500 + {x}, 500 + max(b), {x}, 'new' FROM {t}",
]
"""In two forms, of which DuckDB alone can find the rows of one (c = 0)."""


@pytest.mark.parametrize("in_blocks", [False, True], ids=["autocommit", "in blocks"])
@pytest.mark.parametrize("seed", range(2))
def test_writes_by_an_index(seed: int, in_blocks: bool) -> None:
    async def run() -> None:
        rng = random.Random(seed)
        async with Server() as server:
            client = server.client()
            for t in "de":
                await client.query(
                    f"CREATE TABLE {t} (a int, b int, c int, t text, n int DEFAULT 0, PRIMARY KEY (a, b))"
                )
                await client.query(f"CREATE INDEX ON {t} (c, t)")
                await client.query(
                    f"INSERT INTO {t} SELECT a, b, nullif((a * b) % 9, 6), 't' || b % 3 FROM generate_series(1, 20) a, generate_series(1, 9) b"
                )
            for _ in range(4):
                if in_blocks:
                    await client.query("BEGIN")
                for _ in range(5):
                    statement, x, y = rng.choice(BY_INDEX), rng.randrange(9), rng.randrange(1, 10)
                    found = [
                        (await client.query(statement.format(t=t, c=c, x=x, y=y)))[-1][0]
                        for t, c in (("d", ""), ("e", " + 0"))
                    ]
                    assert found[0] == found[1], statement
                    rows = [await client.rows(f"SELECT * FROM {t} ORDER BY a, b, c, t, n") for t in "de"]
                    assert rows[0] == rows[1], statement
                if in_blocks:
                    await client.query(rng.choice(("COMMIT", "ROLLBACK")))

    asyncio.run(run())


def test_rows_that_come_beside_a_write_by_an_index() -> None:
    """Each of two has not seen the row that the other brought: no order of them explains both."""

    async def run() -> None:
        async with Server() as server:
            a, b = server.client("a"), server.client("b")
            await a.query("CREATE TABLE w (id int PRIMARY KEY, c int, n int)")
            await a.query("CREATE INDEX ON w (c)")
            await a.query("INSERT INTO w VALUES (1, 1, 0), (2, 2, 0)")
            await a.query("BEGIN")
            await b.query("BEGIN")
            await a.query("UPDATE w SET n = 1 WHERE c = 1")
            await b.query("UPDATE w SET n = 1 WHERE c = 2")
            await a.query("INSERT INTO w VALUES (3, 2, 0)")
            await b.query("INSERT INTO w VALUES (4, 1, 0)")
            await a.query("COMMIT")
            with pytest.raises(Failed, match="serialize"):
                await b.query("COMMIT")

    asyncio.run(run())


def test_what_a_query_reads_is_compiled_once_and_noted_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Found by an index, noted as the range of the primary key that WHERE leaves: of this execution's values."""
    compiled: list[object] = []

    class Counted(LookupPlan):
        def __init__(self, *args: Any, **more: Any) -> None:
            compiled.append(args)
            super().__init__(*args, **more)

    async def run() -> None:
        async with Server() as server:
            client, other = await _filled(server), server.client("b")
            session = client.session
            plan = session.executor.plans.prepared(
                "SELECT a, b FROM r WHERE c = $1 AND a = $2 ORDER BY b DESC LIMIT 2",
                session.context(),
                (23, 23),
            )
            monkeypatch.setattr(relations, "LookupPlan", Counted)
            await client.query("CREATE TABLE seen (v int)")
            for a in (1, 2, 3):
                for theirs, refused in ((a + 10, False), (a, True)):
                    await client.query("BEGIN")
                    now = session.execute_now(plan, (4, a), lambda _: None, autocommit=False)
                    assert isinstance(now, Rows) and len(compiled) == 1
                    await client.query("INSERT INTO seen VALUES (1)")
                    # It does not see that, so it is before it, and writes what was read, so it is after it.
                    await other.query("BEGIN")
                    await other.query("SELECT count(*) FROM seen")
                    await other.query(f"INSERT INTO r VALUES ({theirs}, {800 + a}, 4)")
                    await other.query("COMMIT")
                    if refused:
                        with pytest.raises(Failed) as failed:
                            await client.query("COMMIT")
                        assert failed.value.sqlstate == "40001"
                    else:
                        await client.query("COMMIT")

    asyncio.run(run())


def test_what_reads_nothing_asks_nothing_of_duckdb(monkeypatch: pytest.MonkeyPatch) -> None:
    """In a block, and in a routine's body: PERFORM of an expression, SELECT INTO without FROM, EXECUTE."""

    async def unwanted(*_args: Any, **_more: Any) -> Any:
        raise AssertionError("DuckDB was asked")

    async def run() -> None:
        async with Server() as server:
            client = server.client()
            await client.query("CREATE TABLE seen (v text)")
            monkeypatch.setattr(queries, "read", unwanted)
            await client.query("BEGIN")
            assert await client.rows("SELECT 1, 'a' || 2") == [(1, "a2")]
            with pytest.raises(
                Failed, match="SET TRANSACTION ISOLATION LEVEL must be called before any query"
            ):
                await client.query("SET TRANSACTION ISOLATION LEVEL SERIALIZABLE")
            await client.query("ROLLBACK")
            await client.query(
                "DO $$ DECLARE a int; b text; BEGIN FOR i IN 1..3 LOOP PERFORM abs(i); END LOOP;"
                " SELECT length('a'), 'z' INTO a, b; EXECUTE 'SELECT $1 + 1' INTO a USING a;"
                " INSERT INTO seen VALUES (a || b); END $$"
            )
            monkeypatch.undo()
            assert await client.rows("SELECT v FROM seen") == [("2z",)]

    asyncio.run(run())
