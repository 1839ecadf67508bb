"""What a client takes in pieces is found by one thread, unless all of it has to be read before the first row."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from executor.columnar.engine import ColumnarEngine
from executor.columnar.plain_rows import finds_rows_only
from tests.executor.sql import Server

PLAIN = [
    "SELECT * FROM t",
    "SELECT a, b + 1, upper(s), n * 2, a::text, round(n, 1), CASE WHEN a > 1 THEN s END FROM t WHERE b < 5 OR b IS NULL",
    "SELECT a FROM t WHERE s LIKE 'a%' AND a IN (1, 2, 3) AND n BETWEEN 1 AND 2 AND coalesce(b, 0) > -1",
    "SELECT q.a FROM (SELECT a, b AS count FROM t) q WHERE q.count > 1",
    "SELECT a FROM t LIMIT 100000",
]
GATHERING = [
    *(
        f"SELECT {call} FROM t"
        for call in (
            "count(*)", "count(a)", "count(DISTINCT a)", "sum(a)", "sum(b)", "sum(n)", "sum(f)", "avg(a)", "avg(n)", "avg(f)", "min(a)",
            "max(s)", "max(n)", "min(c)", "bool_and(a > 1)", "every(a > 1)", "bit_or(a)", "string_agg(s, ',')", "array_agg(a)", "json_agg(a)",
            "jsonb_agg(a)", "stddev(f)", "variance(n)", "var_pop(f)", "corr(f, f)", "regr_slope(f, f)", "covar_pop(f, f)",
            "percentile_cont(0.5) WITHIN GROUP (ORDER BY f)", "mode() WITHIN GROUP (ORDER BY a)", "json_object_agg(s, a)",
        )
    ),
    "SELECT a, count(*) FROM t GROUP BY a",
    "SELECT DISTINCT a FROM t",
    "SELECT a FROM t ORDER BY b",
    "SELECT row_number() OVER (PARTITION BY a) FROM t",
    "SELECT t.a FROM t JOIN t u ON t.a = u.b",
    "SELECT a FROM t UNION SELECT b FROM t",
    "SELECT a FROM t EXCEPT SELECT b FROM t",
]  # fmt: skip


def test_which_queries_find_rows_only(monkeypatch: pytest.MonkeyPatch) -> None:
    texts: list[str] = []
    read: list[int] = []
    start = ColumnarEngine.start

    async def started(self: ColumnarEngine, sql: str, *args: Any, rows: int = 0, **more: Any) -> Any:
        texts.append(sql)
        read.append(rows)
        return await start(self, sql, *args, rows=rows, **more)

    async def inside() -> None:
        async with Server() as server:
            client = server.client()
            await client.query(
                "CREATE TABLE t (a int, b bigint, n numeric(10,2), f float8, s text, c char(3))"
            )
            await client.query("INSERT INTO t SELECT i, i, i, i, 's', 'c' FROM generate_series(1, 5000) i")
            for wanted in (0, 1000):
                client.session.rows_wanted = wanted
                for text in [*PLAIN, *GATHERING]:
                    texts.clear()
                    read.clear()
                    await client.query(text)
                    assert texts, f"{text} is for DuckDB"
                    assert finds_rows_only(texts[-1]) is (text in PLAIN), texts[-1]
                    assert (read[-1] == 0) is (text in PLAIN and wanted > 0), text

    monkeypatch.setattr(ColumnarEngine, "start", started)
    asyncio.run(inside())
