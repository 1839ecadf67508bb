"""Patterns, paths and texts that take long are given up by the keyed engine, and answered by DuckDB all the same."""

from __future__ import annotations

from typing import Any

import pytest

from executor.columnar.engine import ColumnarEngine
from executor.keyed import endings, long_calls
from executor.keyed import join as joins
from executor.keyed.long_calls import LONG
from executor.snapshot.abc import TooFarToLook
from tests.executor.sql import Server
from tests.executor.test_staged import session


class _At:
    """A session whose statements begin at these times."""

    def __init__(self, began_us: int) -> None:
        self.began_us = began_us

    def transaction_began_us(self) -> int:
        return self.began_us


def test_a_pattern_that_tries_all_ways_is_given_up() -> None:
    with pytest.raises(TooFarToLook):
        LONG["long matches"](_At(1), "a" * 40 + "!", "^(a|aa|a?)+(b|a+)+$", "")


def test_a_long_text_is_not_looked_into() -> None:
    for name, given in (
        ("long matches", ("x" * 30_000, "y", "")),
        ("long path exists", ("[" + "1," * 15_000 + "1]", "$.a", "{}", False, "")),
        ("long text has", ("simple", "x " * 15_000, "'y'")),
    ):
        with pytest.raises(TooFarToLook):
            LONG[name](_At(2), *given)


def test_like_regex_has_no_end_of_its_own() -> None:
    with pytest.raises(TooFarToLook):
        LONG["long path exists"](_At(3), '"a"', '$ ? (@ like_regex "a")', "{}", False, "")


@pytest.mark.parametrize("step_ns", [50_000, 400_000], ids=["short calls", "calls longer than a pause"])
def test_a_statement_has_so_long_for_all_its_rows(step_ns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock is looked at before and after each call."""
    clock = [0]

    def now_ns() -> int:
        clock[0] += step_ns
        return clock[0]

    monkeypatch.setattr(long_calls, "perf_counter_ns", now_ns)
    for statement in (10, 11):  # the second has its own time
        made = 0
        with pytest.raises(TooFarToLook):
            while made < 1_000:
                assert LONG["long matches"](_At(statement), "abc", "b", "") is True
                made += 1
        assert made == long_calls.STATEMENT_MS_MAX * 1_000_000 // (2 * step_ns) + 1


@pytest.mark.parametrize("begun", [False, True], ids=["alone", "in a block"])
def test_what_is_given_up_is_answered(begun: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """By a key, an index, a join, in order, and where rows are written."""
    given_up: list[str] = []

    def refused(name: str) -> object:
        def refuse(*_: object) -> object:
            given_up.append(name)
            raise TooFarToLook

        return refuse

    for name in LONG:
        monkeypatch.setitem(LONG, name, refused(name))

    async def body(server: Server) -> None:
        client = server.client()
        for text in (
            "CREATE TABLE t (k int PRIMARY KEY, g int, w text, d jsonb)",
            "CREATE INDEX ON t (g)",
            """INSERT INTO t SELECT i, i % 3, 'word ' || i, jsonb_build_object('n', i) FROM generate_series(1, 9) i""",
        ):
            await client.query(text)
        if begun:
            await client.query("BEGIN")
        for text, found in (
            ("SELECT k FROM t WHERE k = 4 AND w ~ ('w' || k)", []),
            ("SELECT k FROM t WHERE g = 1 AND w ~ ('d ' || k)", [(1,), (4,), (7,)]),
            ("SELECT k FROM t WHERE d @? '$.n ? (@ > 7)' ORDER BY k LIMIT 1", [(8,)]),
            (
                "SELECT a.k FROM t a JOIN t b ON b.k = a.k AND b.w ~* upper(a.w) WHERE a.g = 1",
                [(1,), (4,), (7,)],
            ),
            ("UPDATE t SET g = 9 WHERE k = 4 AND w ~ ('d ' || k) RETURNING k", [(4,)]),
            (
                "UPDATE t SET g = 9 WHERE k IN (SELECT k FROM t WHERE g = 1 AND w ~ ('d ' || k)) RETURNING k",
                [(1,), (7,)],
            ),
            (
                "DELETE FROM t WHERE g = 9 AND to_tsvector('simple', w) @@ plainto_tsquery('simple', 'word 7') RETURNING k",
                [(7,)],
            ),
        ):
            assert sorted(await client.rows(text)) == found, text
        assert {"long matches", "long path exists"} <= set(given_up)

    session(body)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT length(string_agg(repeat('x', 1000000), '')) FROM generate_series(1, 100)",
        "SELECT length(string_agg(lpad('x', 1000000), '')) FROM generate_series(1, 100)",
        "SELECT max(length(repeat('x', 2000000 + n))) FROM generate_series(1, 3) n",
        "SELECT max(length(to_char(g, repeat('9', 30000)))) FROM generate_series(1, 2) g",
        "WITH RECURSIVE r(n) AS (SELECT repeat('x', 1000) UNION ALL SELECT n || n FROM r WHERE length(n) < 50000000) SELECT max(length(n)) FROM r",
    ],
)
def test_long_texts_are_not_made_while_all_wait(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half a gigabyte was made of a short query on the loop, and nobody else was answered meanwhile."""
    monkeypatch.setattr(joins, "RECURSION_S_MAX", 0.0)
    monkeypatch.setattr(long_calls, "STATEMENT_MS_MAX", 0)
    asked: list[str] = []
    start = ColumnarEngine.start

    async def started(self: ColumnarEngine, sql: str, *given: Any, **named: Any) -> Any:
        asked.append(sql)
        return await start(self, sql, *given, **named)

    monkeypatch.setattr(ColumnarEngine, "start", started)

    async def body(server: Server) -> None:
        ((found,),) = await server.client().rows(text)
        assert isinstance(found, int) and found > 2
        assert len(asked) == 1

    session(body)


def test_documents_of_many_rows_are_not_computed_while_all_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endings, "PROJECTED_S_MAX", 0.0)

    async def body(server: Server) -> None:
        client = server.client()
        assert await client.rows("SELECT g + 1 FROM generate_series(1, 100) g") == [
            (n + 1,) for n in range(1, 101)
        ]
        assert await client.rows("SELECT sum(length(g::text)) FROM generate_series(1, 100) g") == [(192,)]

    session(body)
