"""What a list is compared with is computed once, where DuckDB's equality is PostgreSQL's; and NULLs count as ever."""

from __future__ import annotations

import pytest

from planner.abc import Query
from planner.binding.keyed.pairs_listed import GROUP
from tests.binding.world import World, make_table

WORLD = World(
    (make_table(1000, "t", "i int4; s text; c char(4); n numeric; f float8; d date; o oid; a name", key="i"),)
)


def text_of(condition: str) -> str:
    body = WORLD.plan(f"SELECT count(*) FROM t WHERE {condition}").body
    assert isinstance(body, Query)
    return "".join(piece if isinstance(piece, str) else "?" for piece in body.pieces)


@pytest.mark.parametrize(
    ("condition", "times"),
    [
        ("substr(s, 1, 2) IN ('a', 'b', 'c')", 1),
        ("substr(c, 1, 2) IN ('a', 'b', 'c')", 1),
        ("substr(s, 1, 2) = 'a' OR substr(s, 1, 2) = 'b'", 1),
        ("substr(s, 1, 2) NOT IN ('a', 'b')", 1),
        ("substr(s, 1, 2) = 'a' OR substr(s, 1, 3) = 'b'", 2),
        ("substr(s, 1, 2) IN ('a', s)", 2),
        ("substr(s, 1, 2) = 'a' OR substr(s, 1, 2) <> 'b'", 2),
    ],
)
def test_the_left_side_is_written_once(condition: str, times: int) -> None:
    assert text_of(condition).count("tw_substr") == times


@pytest.mark.parametrize(
    "condition",
    ["i IN (1, 2)", "o IN (1, 2)", "o IN ($1, $2)", "a IN ('x', 'y')", "d IN ('2020-01-01', '2020-01-02')"],
)
def test_a_list_stays_one(condition: str) -> None:
    """As an OR of a thousand OIDs, which is how ORMs ask of the catalog, it took DuckDB five times as long."""
    assert " IN (" in text_of(condition)


@pytest.mark.parametrize("condition", ["f IN (1, 2)", "n IN (1, 2.5)"])
def test_what_has_an_equality_of_its_own_keeps_it(condition: str) -> None:
    assert " IN (" not in text_of(condition)


@pytest.mark.parametrize(
    "alternative",
    ["i = $1 AND d = $2", "i > {0} AND f < {0}.5", "(s = '{0}' AND i = {0} AND d > '2020-01-01')"],
)
def test_a_long_or_is_several_to_duckdb(alternative: str) -> None:
    """Its rewriting takes time by the square of the alternatives that it sees in one place."""
    few, many = (" OR ".join(alternative.format(n) for n in range(count)) for count in (GROUP, 10 * GROUP))
    assert "coalesce(" not in text_of(few)
    groups = text_of(many).split("coalesce(")
    assert len(groups) == 11
    assert max(group.count(" OR ") for group in groups) <= GROUP
