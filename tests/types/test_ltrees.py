"""ltree against PostgreSQL: texts of chance as paths and as both kinds of patterns, and what fits what."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import psycopg
import pytest

from planner.abc import SqlError
from planner.extensions import ltree_patterns, ltrees

TRIED = """
CREATE OR REPLACE FUNCTION tried_{0}(t text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE more text; BEGIN RETURN t::{0}::text; EXCEPTION WHEN OTHERS THEN
GET STACKED DIAGNOSTICS more = PG_EXCEPTION_DETAIL; RETURN '!' || sqlstate || ' ' || sqlerrm || ' ' || more; END $$
"""
LABELS = ("a", "b", "A", "ab", "a_b", "b_a", "é", "_")
INPUT: dict[str, Callable[[str], str]] = {
    "ltree": ltrees.ltree_in,
    "lquery": ltree_patterns.lquery_in,
    "ltxtquery": ltree_patterns.ltxtquery_in,
}


def path(r: Random) -> str:
    return ".".join(r.choice(LABELS) for _ in range(r.randrange(6)))


def level(r: Random) -> str:
    flags = "".join(r.choice("@%*") for _ in range(r.choice((0, 0, 1, 2))))
    words = "|".join(r.choice(LABELS) + flags for _ in range(r.choice((1, 1, 2))))
    shown = r.choice(("*", "*", words, words, "!" + words))
    return shown + r.choice(("", "", "", "{2}", "{,2}", "{1,}", "{0,3}", "{,}"))


def asked(r: Random, depth: int = 0) -> str:
    kind = r.random()
    if kind < 0.4 or depth > 3:
        return r.choice(LABELS) + r.choice(("", "", "@", "*", "%", "%@*"))
    if kind < 0.55:
        return "!" + asked(r, depth + 1)
    if kind < 0.7:
        return f"({asked(r, depth + 1)})"
    return f"{asked(r, depth + 1)} {r.choice('&|')} {asked(r, depth + 1)}"


def noise(r: Random, signs: str) -> str:
    return "".join(r.choice(signs) for _ in range(r.randrange(9)))


def answered(kind: str, text: str) -> str:
    try:
        return INPUT[kind](text)
    except SqlError as e:
        return f"!{e.sqlstate} {e.message} {e.detail or ''}"


@pytest.mark.postgres
def test_texts_of_chance(postgres: psycopg.Connection) -> None:
    postgres.execute("CREATE EXTENSION IF NOT EXISTS ltree")
    r = Random(1)
    given = {
        "ltree": [path(r) for _ in range(500)] + [noise(r, "ab._ é-") for _ in range(1500)],
        "lquery": [".".join(level(r) for _ in range(r.randrange(1, 5))) for _ in range(1000)]
        + [noise(r, "aé.*|!@%{},012") for _ in range(3000)],
        "ltxtquery": [asked(r) for _ in range(1000)] + [noise(r, "ab &|!()@*%") for _ in range(3000)],
    }
    good: dict[str, list[str]] = {}
    for kind, texts in given.items():
        postgres.execute(TRIED.format(kind).encode())
        query = f"SELECT tried_{kind}(t) FROM unnest(%s::text[]) WITH ORDINALITY AS x(t, i) ORDER BY i"
        wanted = [row[0] for row in postgres.execute(query.encode(), (texts,))]
        assert [answered(kind, t) for t in texts] == wanted
        good[kind] = [w for w in wanted if not w.startswith("!") or (kind != "ltree" and "!4" not in w)]
        assert len(good[kind]) > 500
    for kind in ("lquery", "ltxtquery"):
        pairs = [(r.choice(good["ltree"]), r.choice(good[kind])) for _ in range(4000)]
        sign, fits = ("~", ltree_patterns.matches) if kind == "lquery" else ("@", ltree_patterns.contains)
        query = f"SELECT a::ltree {sign} b::{kind} FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS x(a, b, i) ORDER BY i"
        found = [row[0] for row in postgres.execute(query.encode(), [*map(list, zip(*pairs, strict=True))])]
        assert [fits(a, b) for a, b in pairs] == found
        assert 200 < sum(found) < 3800


@pytest.mark.postgres
def test_paths_compared_and_joined(postgres: psycopg.Connection) -> None:
    postgres.execute("CREATE EXTENSION IF NOT EXISTS ltree")
    r = Random(2)
    pairs = [(path(r), path(r)) for _ in range(3000)]
    query = (
        "SELECT ltree_cmp(a, b), a < b, a @> b, (a || b)::text, lca(a, b)::text, index(a, b), index(a, b, -2) "
        "FROM (SELECT x::ltree AS a, y::ltree AS b, i FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS p(x, y, i)) AS o ORDER BY i"
    )
    found = postgres.execute(query, [*map(list, zip(*pairs, strict=True))]).fetchall()
    for (a, b), row in zip(pairs, found, strict=True):
        assert row == (
            ltrees.compared(a, b), a.encode() < b.encode(), ltrees.is_ancestor(a, b), ltrees.joined(a, b),
            ltrees.in_common([a, b]), ltrees.place(a, b, 0), ltrees.place(a, b, -2),
        ), (a, b)  # fmt: skip


def test_a_pattern_of_many_stars_ends() -> None:
    tree, query = ".".join(["a"] * 2000), ".".join(["*", "a"] * 30 + ["b"])
    assert not ltree_patterns.matches(tree, query)


def test_long_and_deep_queries_have_a_limit_of_parts_alone() -> None:
    deep = ltree_patterns.ltxtquery_in("(" * 5000 + "a" + ")" * 5000 + "|b" * 5000)
    assert ltree_patterns.ltxtquery_in(deep) == deep
    assert ltree_patterns.contains("b.c", deep)
    with pytest.raises(SqlError) as refused:
        ltree_patterns.ltxtquery_in("a" + "&a" * 40_000)
    assert refused.value.sqlstate == "54000"
