"""Short ranges, unique columns and indexes: the keyed engine's answers are DuckDB's, and it is the one that gives them."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest

from executor.abc import Rows
from executor.keyed.lookup import SMALL_RANGE_ROWS_MAX
from planner.abc import SqlError
from tests.executor.sql import Client, Server

ROWS = 3 * SMALL_RANGE_ROWS_MAX

SHORT = [
    ("a BETWEEN {x} AND {x} + 20", ""),
    ("a > {x} AND a <= {x} + 7", "ORDER BY a DESC"),
    ("a >= {x} AND a < {x} + 50 AND b % 3 = 1", "ORDER BY a"),
    ("a >= {x} AND a < {x} + 50", "LIMIT 500"),
    ("u = 'u{x}'", ""),
    ("u IN ('u{x}', 'u5', 'nobody', NULL)", ""),
    ("w = {x} AND v = {x} % 10", ""),
    ("a IN ({x}, 3, {x} + 1, 3, 0, NULL, 2)", ""),
    ("a IN ({x}, {x} - 1, -{x})", ""),
    ("w = {x} AND v = {x} % 10 AND b IS NULL", ""),
    ("u = 'u{x}' AND b > 5", "LIMIT 1"),
    ("a = ANY ('{{{x}, 3, NULL, 3, 0, 17}}')", ""),
    ("a = ANY ('{{}}') AND b > 1", ""),
    ("a = ANY (NULL::int[])", ""),
    ("a = ANY ('{{{{7, 8}}, {{{x}, 9}}}}'::bigint[]) AND b IS NOT NULL", "ORDER BY b DESC, a LIMIT 3"),
    ("a IN ({x}, {x} + 1, 30, 5)", "ORDER BY b NULLS FIRST, a DESC"),
    ("u = ANY ('{{u{x},u7,\"u 8\",nobody}}')", "ORDER BY u"),
    ("a > {x} AND a < {x} + 40", "ORDER BY a LIMIT 5 OFFSET 30"),
    ("a >= {x} AND a < {x} + 50", "ORDER BY b, a DESC OFFSET 3"),
    ("u = 'u{x}'", "OFFSET 1"),
    ("c IN ({x} % 40, 3)", "ORDER BY a"),
    ("c = ANY ('{{{x},3,NULL}}') AND b > 2", "ORDER BY u DESC LIMIT 4"),
]


async def _both(client: Client, where: str, rest: str) -> None:
    """The statement as it is, and in a form that only DuckDB can answer."""
    session = client.session
    text = f"SELECT a, b, u FROM t WHERE {where} {rest}"
    plan = session.executor.plans.prepared(text, session.context(), ())
    now = session.execute_now(plan, (), lambda _: None, autocommit=True)
    assert isinstance(now, Rows), text
    wide = await client.rows(f"SELECT a, b, u FROM (SELECT * FROM t OFFSET 0) t WHERE {where} {rest}")
    found = list(now.rows)
    assert (found if "ORDER" in rest else sorted(found)) == (wide if "ORDER" in rest else sorted(wide)), text


@pytest.mark.parametrize("seed", range(3))
def test_short_reads(seed: int) -> None:
    async def run() -> None:
        rng = random.Random(seed)
        async with Server() as server:
            client = server.client()
            await client.query(
                "CREATE TABLE t (a int PRIMARY KEY, b int, u text UNIQUE, v int, w bigint, c int, UNIQUE (w, v))"
            )
            await client.query("CREATE INDEX ON t (c)")
            await client.query(
                f"INSERT INTO t SELECT i, nullif(i % 11, 0), 'u' || i, i % 10, i, i % 40 FROM generate_series(1, {ROWS}) g(i)"
            )
            for _ in range(3):
                for where, rest in SHORT:
                    await _both(client, where.format(x=rng.randrange(ROWS)), rest)
                x = rng.randrange(1, ROWS)
                await client.query(f"DELETE FROM t WHERE a = {x}")
                await client.query(f"UPDATE t SET u = 'v' || a, w = -w WHERE a = {rng.randrange(ROWS)}")
                await client.query(
                    f"INSERT INTO t VALUES ({x}, 7, 'u{x}', {x % 10}, {x}, 3) ON CONFLICT DO NOTHING"
                )

    asyncio.run(run())


def test_what_is_not_short_goes_to_duckdb() -> None:
    async def run() -> None:
        async with Server() as server:
            client = server.client()
            await client.query("CREATE TABLE t (a int PRIMARY KEY)")
            await client.query(f"INSERT INTO t SELECT i FROM generate_series(1, {ROWS}) g(i)")
            session = client.session
            text = "SELECT a FROM t WHERE a >= $1 AND a < $2"
            plan = session.executor.plans.prepared(text, session.context(), ())

            def now(low: int | None, high: int | None) -> int | None:
                made = session.execute_now(plan, (low, high), lambda _: None, autocommit=True)
                return len(made.rows) if isinstance(made, Rows) else None

            assert now(5, 10) == 5
            assert now(10, 5) == 0
            assert now(None, 5) == 0
            assert now(1, SMALL_RANGE_ROWS_MAX + 2) is None
            rows = await client.rows(f"SELECT a FROM t WHERE a >= 1 AND a < {SMALL_RANGE_ROWS_MAX + 2}")
            assert len(rows) == SMALL_RANGE_ROWS_MAX + 1

    asyncio.run(run())


BY_INDEX = [
    "SELECT a, b, u FROM t WHERE v = {x} % 10 AND b = {x} % 11",
    "SELECT count(*), sum(b), min(a), max(a), count(b) FROM t WHERE v = {x} % 10 AND b = 3",
    "SELECT count(*), sum(b) FROM t WHERE v = -1",
    "SELECT a FROM t WHERE g = 'g{x}'",
    "SELECT a + 1, u FROM t WHERE g = 'g{x}' AND a > 5",
    "SELECT a FROM t WHERE g = 'g{x}' AND b IS NOT NULL",
    "SELECT sum(a) FROM t WHERE g = 'nobody'",
    "SELECT a FROM t WHERE g = NULL",
]


@pytest.mark.parametrize("seed", range(2))
def test_rows_of_an_index_are_those_that_duckdb_finds(seed: int) -> None:
    async def run() -> None:
        rng = random.Random(seed)
        async with Server() as server:
            client = server.client()
            session = client.session
            await client.query("CREATE TABLE t (a int PRIMARY KEY, b int, u text, v int, g text)")
            await client.query("CREATE INDEX ON t (v, b)")
            await client.query("CREATE INDEX ON t (g) INCLUDE (a)")
            await client.query(
                "INSERT INTO t SELECT i, nullif(i % 11, 0), 'u' || i, i % 10, nullif('g' || i % 500, 'g7')"
                f" FROM generate_series(1, {ROWS}) g(i)"
            )
            for step in range(4):
                for text in BY_INDEX:
                    sql = text.format(x=rng.randrange(500))
                    plan = session.executor.plans.prepared(sql, session.context(), ())
                    now = session.execute_now(plan, (), lambda _: None, autocommit=True)
                    assert isinstance(now, Rows), sql
                    wide = await client.rows(sql.replace("FROM t", "FROM (SELECT * FROM t OFFSET 0) t"))
                    assert sorted(now.rows) == sorted(wide), sql
                x = rng.randrange(1, ROWS)
                await client.query(f"DELETE FROM t WHERE a = {x}")
                await client.query(f"UPDATE t SET g = 'g3', v = 3 WHERE a = {x + 1}")
                await client.query(f"UPDATE t SET g = NULL WHERE g = 'g{x % 500}'")
                await client.query(
                    f"INSERT INTO t VALUES ({ROWS + step + 1}, 1, 'new', {x % 10}, 'g{x % 500}')"
                )
                if step == 1:
                    await client.query("UPDATE t SET b = b + 1 WHERE v = 4")
                if step == 2:
                    await client.query("ALTER TABLE t ADD COLUMN more int DEFAULT 7")
                    await client.rows(
                        "SELECT a FROM t WHERE a = 1"
                    )  # waits until rows are there by key again

    asyncio.run(run())


def test_an_index_with_many_rows_for_a_key_is_not_walked() -> None:
    async def run() -> None:
        async with Server() as server:
            client = server.client()
            session = client.session
            await client.query("CREATE TABLE t (a int PRIMARY KEY, b int)")
            await client.query("CREATE INDEX ON t (b)")
            await client.query(f"INSERT INTO t SELECT i, 1 FROM generate_series(1, {ROWS}) g(i)")
            plan = session.executor.plans.prepared("SELECT a FROM t WHERE b = 1", session.context(), ())
            assert session.execute_now(plan, (), lambda _: None, autocommit=True) is None
            assert len(await client.rows("SELECT a FROM t WHERE b = 1")) == ROWS

    asyncio.run(run())


CONSTANT = [
    ("select 1", [(1,)]),
    ("select 2 + 3 as n, 'x'", [(5, "x")]),
    ("select null::int, true, 'a' || 'b'", [(None, True, "ab")]),
    ("select now() = now()", [(True,)]),
    ("select current_user = session_user, current_schema", [(True, "public")]),
    ("select 1 where 2 > 1", [(1,)]),
    ("select count(*)", [(1,)]),
    ("select x from (values (1), (2)) v (x) order by x desc limit 1", [(2,)]),
]


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("select generate_series(1, 2)", [(1,), (2,)]),
        ("select * from generate_series(1, 2)", [(1,), (2,)]),
        ("select count(*) from generate_series(1, 2)", [(2,)]),
    ],
)
def test_a_few_rows_of_a_series_are_made_at_once(text: str, rows: list[tuple[Any, ...]]) -> None:
    async def main() -> None:
        async with Server() as server:
            session = server.client("a").session
            plan, params = session.plan(text)
            result = session.execute_now(plan, params, _never, autocommit=True)
            assert isinstance(result, Rows) and list(result.rows) == rows

    asyncio.run(main())


@pytest.mark.parametrize("text, expected", CONSTANT, ids=[c[0] for c in CONSTANT])
def test_a_row_that_depends_on_no_table_is_made_at_once(text: str, expected: list[tuple[Any, ...]]) -> None:
    async def main() -> None:
        async with Server() as server:
            session = server.client("a").session
            plan, params = session.plan(text)
            result = session.execute_now(plan, params, _never, autocommit=True)
            assert isinstance(result, Rows) and list(result.rows) == expected and result.tag == "SELECT 1"

    asyncio.run(main())


@pytest.mark.parametrize(
    "text",
    [
        "select random() from generate_series(1, 2)",
        "select 1 where random() > 2",
        "select generate_series(1, 1000000000)",
        "select * from generate_series(1, 1000000000) limit 2",
    ],
)
def test_other_queries_without_a_table_are_not(text: str) -> None:
    async def main() -> None:
        async with Server() as server:
            session = server.client("a").session
            plan, params = session.plan(text)
            assert session.execute_now(plan, params, _never, autocommit=True) is None

    asyncio.run(main())


def test_errors_of_constants_are_postgresqls() -> None:
    async def main() -> None:
        async with Server() as server:
            session = server.client("a").session
            plan, params = session.plan("select 1 / 0")
            with pytest.raises(SqlError) as caught:
                session.execute_now(plan, params, _never, autocommit=True)
            assert caught.value.sqlstate == "22012"

    asyncio.run(main())


def _never(result: object) -> None:
    raise AssertionError("nothing was begun")


def test_a_long_list_of_keys_goes_to_duckdb() -> None:
    async def run() -> None:
        async with Server() as server:
            client = server.client()
            await client.query("CREATE TABLE t (a int PRIMARY KEY, c int)")
            await client.query("CREATE INDEX ON t (c)")
            await client.query(f"INSERT INTO t SELECT i, i FROM generate_series(1, {ROWS}) g(i)")
            keys = "{" + ",".join(map(str, range(1, 30_000))) + "}"
            session = client.session
            for column in "ac":
                text = f"SELECT count(*) FROM t WHERE {column} = ANY ('{keys}')"
                plan = session.executor.plans.prepared(text, session.context(), ())
                assert session.execute_now(plan, (), lambda _: None, autocommit=True) is None
                assert await client.rows(text) == [(ROWS,)]
                assert (await client.query(f"UPDATE t SET c = c WHERE {column} = ANY ('{keys}')"))[-1][
                    0
                ] == f"UPDATE {ROWS}"

    asyncio.run(run())
