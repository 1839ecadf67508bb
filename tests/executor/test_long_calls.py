"""Patterns, paths and texts that take long are given up by the keyed engine, and answered by DuckDB all the same."""

from __future__ import annotations

import pytest

from executor.keyed import long_calls
from executor.keyed.long_calls import LONG
from executor.snapshot.abc import TooFarToLook
from tests.executor.sql import Server
from tests.executor.test_staged import session


class _At:
    """A session whose statements begin at these times."""

    def __init__(self, now_us: int) -> None:
        self.now = now_us

    def now_us(self) -> int:
        return self.now


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


def test_a_statement_has_so_long_for_all_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0]

    def now_ns() -> int:
        clock[0] += 100_000
        return clock[0]

    monkeypatch.setattr(long_calls, "perf_counter_ns", now_ns)
    for statement in (10, 11):  # the second has its own time
        made = 0
        with pytest.raises(TooFarToLook):
            while made < 1_000:
                assert LONG["long matches"](_At(statement), "abc", "b", "") is True
                made += 1
        assert made == long_calls.STATEMENT_MS_MAX * 10 + 1


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
