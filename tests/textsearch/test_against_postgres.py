"""Thousands of texts of chance: the same tokens, vectors, queries, matches and ranks as PostgreSQL's, to the float."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any

import psycopg
import pytest

from planner.abc import SqlError
from planner.catalog import TokenMapping, text_search
from planner.textsearch import (
    chains,
    documents,
    headline_options,
    headlines,
    json_documents,
    matching,
    queries,
    ranking,
    rewriting,
    tokens,
    vectors,
)
from planner.textsearch.configurations import CONFIGURATIONS
from tests.textsearch import generated

pytestmark = pytest.mark.postgres

TRIED = """
CREATE OR REPLACE FUNCTION tried(t text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN RETURN {}; EXCEPTION WHEN OTHERS THEN RETURN '!' || sqlstate || ' ' || sqlerrm; END $$
"""


def asked(postgres: psycopg.Connection, expression: str, texts: list[str]) -> list[str]:
    """What PostgreSQL makes of each text, or the error that it raises."""
    postgres.execute(TRIED.format(expression).encode())
    found = postgres.execute(
        "SELECT tried(t) FROM unnest(%s::text[]) WITH ORDINALITY AS x(t, i) ORDER BY i", (texts,)
    )
    return [row[0] for row in found]


def answered(made: Callable[[str], str], text: str) -> str:
    try:
        return made(text)
    except SqlError as e:
        return f"!{e.sqlstate} {e.message}"


def test_tokens(postgres: psycopg.Connection) -> None:
    r = Random(1)
    texts = [generated.text(r) for _ in range(1500)]
    query = (
        "SELECT (SELECT array_agg(tokid || ' ' || token) FROM ts_parse('default', t)) "
        "FROM unnest(%s::text[]) WITH ORDINALITY AS x(t, i) ORDER BY i"
    )
    for text, (wanted,) in zip(texts, postgres.execute(query, (texts,)), strict=True):
        assert [f"{x.kind} {x.text}" for x in tokens.tokens(text)] == (wanted or []), text


@pytest.mark.parametrize("configuration", ["simple", *documents.LANGUAGES])
def test_vectors_of_documents(postgres: psycopg.Connection, configuration: str) -> None:
    r = Random(2)
    texts = [generated.text(r) for _ in range(1000 if configuration == "english" else 100)]
    stops = documents.stop_words().get(configuration, frozenset())
    texts += [" ".join(sorted(stops)), "быстрые лисы φίλος çalışma straße niños eläimet כלב किताब"]
    wanted = asked(postgres, f"to_tsvector('{configuration}', t)::text", texts)
    for text, vector in zip(texts, wanted, strict=True):
        assert documents.vector(configuration, text) == vector, text


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("to_tsquery", documents.query),
        ("plainto_tsquery", documents.plain),
        ("phraseto_tsquery", documents.phrase),
        ("websearch_to_tsquery", documents.websearch),
    ],
)
def test_queries_of_texts(postgres: psycopg.Connection, name: str, made: Callable[[str, str], str]) -> None:
    r = Random(3)
    texts = [generated.said(r) for _ in range(2000)]
    for text, wanted in zip(texts, asked(postgres, f"{name}('english', t)::text", texts), strict=True):
        assert answered(lambda t: made("english", t), text) == wanted, text


def test_what_is_read_is_what_is_read_there(postgres: psycopg.Connection) -> None:
    r = Random(4)
    odd = [
        "".join(r.choice("ab'\\ :1,2A*dé!&|()<\t\"-0") for _ in range(r.randrange(14))) for _ in range(1500)
    ]
    asks = [generated.query(r, 4) for _ in range(500)] + odd
    for text, wanted in zip(asks, asked(postgres, "t::tsquery::text", asks), strict=True):
        assert answered(queries.query_in, text) == wanted, text
    given = [generated.vector(r) for _ in range(500)] + odd
    for text, wanted in zip(given, asked(postgres, "t::tsvector::text", given), strict=True):
        assert answered(vectors.vector_in, text) == wanted, text


def test_matches_and_ranks(postgres: psycopg.Connection) -> None:
    r = Random(5)
    pairs = [(generated.vector(r), generated.query(r, r.randrange(4)), r.randrange(64)) for _ in range(3000)]
    found = postgres.execute(
        "SELECT v::tsvector::text, q::tsquery::text, n, v::tsvector @@ q::tsquery, ts_rank(v::tsvector, q::tsquery)::float8, "
        "ts_rank('{0.3,0.5,0.7,0.9}', v::tsvector, q::tsquery, n)::float8, ts_rank_cd(v::tsvector, q::tsquery)::float8, "
        "ts_rank_cd('{0.2,-1,0.3,1}', v::tsvector, q::tsquery, n)::float8, tsvectorsend(v::tsvector), tsquerysend(q::tsquery) "
        "FROM unnest(%s::text[], %s::text[], %s::int[]) AS x(v, q, n)",
        tuple(map(list, zip(*pairs, strict=True))),
    ).fetchall()
    for v, q, n, *wanted in found:
        got: list[Any] = [
            matching.matches(v, q),
            ranking.rank(v, q),
            ranking.rank(v, q, (0.3, 0.5, 0.7, 0.9), n),
            ranking.rank_cd(v, q),
            ranking.rank_cd(v, q, (0.2, -1, 0.3, 1), n),
            vectors.to_binary(v),
            queries.to_binary(q),
        ]
        if (
            len(queries.words(queries.tree_of(q))) > 6
        ):  # of several with one text PostgreSQL's sorting keeps any
            del got[1:3], wanted[1:3]
        assert got == wanted, (v, q, n)


def test_operators(postgres: psycopg.Connection) -> None:
    r = Random(6)
    pairs = [
        (vectors.vector_in(generated.vector(r)), vectors.vector_in(generated.vector(r))) for _ in range(1000)
    ]
    found = postgres.execute(
        "SELECT (a::tsvector || b::tsvector)::text, a::tsvector < b::tsvector, a::tsvector = b::tsvector, strip(a::tsvector)::text "
        "FROM unnest(%s::text[], %s::text[]) AS x(a, b)",
        tuple(map(list, zip(*pairs, strict=True))),
    ).fetchall()
    for (a, b), wanted in zip(pairs, found, strict=True):
        less = vectors.order_key(a) < vectors.order_key(b)
        assert (vectors.concatenated(a, b), less, a == b, vectors.stripped(a)) == wanted, (a, b)
    asks = [tuple(queries.query_in(generated.query(r, 3)) for _ in range(2)) for _ in range(1000)]
    found = postgres.execute(
        "SELECT (a::tsquery && b::tsquery)::text, (a::tsquery || b::tsquery)::text, tsquery_phrase(a::tsquery, b::tsquery, 4)::text, "
        "(!! a::tsquery)::text, numnode(a::tsquery), querytree(a::tsquery), a::tsquery @> b::tsquery "
        "FROM unnest(%s::text[], %s::text[]) AS x(a, b)",
        tuple(map(list, zip(*asks, strict=True))),
    ).fetchall()
    for (a, b), wanted in zip(asks, found, strict=True):
        made = (
            queries.joined("&", a, b), queries.joined("|", a, b), queries.joined("<->", a, b, 4), queries.negated(a),
            queries.count(a), queries.searchable(a), queries.contains(a, b),
        )  # fmt: skip
        assert made == wanted, (a, b)


@pytest.mark.parametrize("configuration", ["english", "simple"])
def test_headlines(postgres: psycopg.Connection, configuration: str) -> None:
    r = Random(10)
    given = [generated.headlined(r) for _ in range(4000)]
    split = "split_part(t, '\x01', {})"
    wanted = asked(
        postgres,
        f"ts_headline('{configuration}', {split.format(1)}, {split.format(2)}::tsquery, {split.format(3)})",
        ["\x01".join(x) for x in given],
    )
    for (text, query, options), headline in zip(given, wanted, strict=True):
        made = lambda t: headlines.headline(configuration, t, queries.query_in(query), options)  # noqa: E731, B023
        assert answered(made, text) == headline, (text, query, options)


def test_options_of_headlines(postgres: psycopg.Connection) -> None:
    r = Random(11)
    parts = (
        "MaxWords", "minwords", "StartSel", "StopSel", "=", "=", "=", "=", ",", " ", "'", '"', "E'", "\\", "<b>", "20", "7", "+5", "x y", "é", "3.5",
        "=1, StartSel='[', ", "HighlightAll=", "true", "''", '""',
    )  # fmt: skip
    texts = ["".join(r.choice(parts) for _ in range(r.randrange(7))) for _ in range(3000)]
    wanted = asked(postgres, "ts_headline('english', 'The fat cats sat', 'cat'::tsquery, t)", texts)
    for text, headline in zip(texts, wanted, strict=True):
        assert (
            answered(lambda t: headlines.headline("english", "The fat cats sat", "'cat'", t), text)
            == headline
        ), text
    assert (
        len(
            {
                headline_options.options_of(t).start
                for t in texts
                if "!42601" not in t and "!" not in wanted[texts.index(t)]
            }
        )
        > 5
    )


def test_queries_are_rewritten_and_ordered(postgres: psycopg.Connection) -> None:
    r = Random(12)
    made = [tuple(queries.query_in(generated.query(r, d)) for d in (5, 2, 2)) for _ in range(2000)]
    made += [(a, queries.query_in(r.choice(generated.WORDS)), c) for a, _, c in made]
    found = postgres.execute(
        "SELECT ts_rewrite(a::tsquery, b::tsquery, c::tsquery)::text, a::tsquery < b::tsquery, a::tsquery = b::tsquery "
        "FROM unnest(%s::text[], %s::text[], %s::text[]) AS x(a, b, c)",
        tuple(map(list, zip(*made, strict=True))),
    ).fetchall()
    changed = 0
    for (a, b, c), wanted in zip(made, found, strict=True):
        x, y, (rewritten, *_) = rewriting.order_key(a), rewriting.order_key(b), wanted
        got = rewriting.rewrite(a, b, c)
        if queries.count(a) > 6:  # PostgreSQL's sorting of many leaves equal ones in any order
            got, rewritten = rewriting.bare(got), rewriting.bare(rewritten)
        assert (got, x < y, x == y) == (rewritten, *wanted[1:]), (a, b, c)
        assert (rewriting.bare(a) == rewriting.bare(b)) == wanted[2], (a, b)
        changed += queries.count(wanted[0]) != queries.count(a)
    assert changed > 100


def test_json_as_documents(postgres: psycopg.Connection) -> None:
    r = Random(13)

    def value(depth: int) -> str:
        kind = r.randrange(6 if depth else 4)
        if kind < 2:
            return json.dumps(
                " ".join(r.choice(generated.PROSE) for _ in range(r.randrange(4))),
                ensure_ascii=r.random() < 0.5,
            )
        if kind < 4:
            return r.choice(("1", "-2.50", "1e3", "true", "false", "null"))
        if kind == 4:
            return "[ " + ", ".join(value(depth - 1) for _ in range(r.randrange(4))) + "]"
        return (
            "{" + ", ".join(f'"k {r.randrange(9)}" : {value(depth - 1)}' for _ in range(r.randrange(4))) + "}"
        )

    texts = [value(3) for _ in range(800)]
    for flags in ('"all"', '["key", "numeric"]', '"String"'):
        wanted = asked(postgres, f"json_to_tsvector('english', t::json, '{flags}')::text", texts)
        for text, vector in zip(texts, wanted, strict=True):
            assert json_documents.vector("english", text, flags) == vector, text
    wanted = asked(postgres, "ts_headline('english', t::json, 'fox|run|2000|name')::text", texts)
    for text, headline in zip(texts, wanted, strict=True):
        asked_for = queries.query_in("fox|run|2000|name")
        assert json_documents.headline("english", text, asked_for) == headline, text


CHAINS = {
    "unaccented": ("french", dict.fromkeys(("hword", "hword_part", "word"), ("unaccent", "french_stem"))),
    "stopped": ("simple", dict.fromkeys(("asciiword", "word", "asciihword"), ("stopping", "english_stem"))),
    "filtered_last": ("english", dict.fromkeys(("word", "numword"), ("english_stem", "unaccent"))),
    "left_out": ("german", {"word": ("rejecting",), "asciiword": ("rejecting", "unaccent", "german_stem")}),
}
STEPS = {
    "unaccent": chains.Step("unaccent"),
    "stopping": chains.Step("simple", stops="english", accept=False),
    "rejecting": chains.Step("simple", stops="german", accept=False),
}


@pytest.mark.parametrize("name", CHAINS)
def test_chains_of_dictionaries(postgres: psycopg.Connection, name: str) -> None:
    copied, altered = CHAINS[name]
    postgres.execute("CREATE EXTENSION IF NOT EXISTS unaccent")
    for made, of in {"stopping": "english", "rejecting": "german"}.items():
        postgres.execute(f"DROP TEXT SEARCH DICTIONARY IF EXISTS {made} CASCADE".encode())
        postgres.execute(
            f"CREATE TEXT SEARCH DICTIONARY {made} (TEMPLATE = simple, STOPWORDS = {of}, ACCEPT = false)".encode()
        )
    postgres.execute(f"DROP TEXT SEARCH CONFIGURATION IF EXISTS {name}".encode())
    postgres.execute(f"CREATE TEXT SEARCH CONFIGURATION {name} (COPY = {copied})".encode())
    steps = {m.kind: [chains.built_in(copied_by(m, copied))] for m in text_search.own_mappings(OIDS[copied])}
    for kind, by in altered.items():
        postgres.execute(
            f"ALTER TEXT SEARCH CONFIGURATION {name} ALTER MAPPING FOR {kind} WITH {', '.join(by)}".encode()
        )
        steps[text_search.KIND_OF[kind]] = [STEPS.get(d) or chains.built_in(d) for d in by]
    definition = chains.definition(steps)
    r = Random(12)
    texts = [generated.text(r) for _ in range(500)] + ["Hôtel de la Mer, œuvres d'été", "the Größe der Dinge"]
    for function, made_of in (("to_tsvector", documents.vector), ("plainto_tsquery", documents.plain)):
        wanted = asked(postgres, f"{function}('{name}', t)::text", texts)
        for text, said in zip(texts, wanted, strict=True):
            assert made_of(definition, text) == said, text
    wanted = asked(postgres, f"ts_headline('{name}', t, plainto_tsquery('{name}', 'été größe cats'))", texts)
    query = documents.plain(definition, "été größe cats")
    for text, said in zip(texts, wanted, strict=True):
        assert headlines.headline(definition, text, query, "") == said, text


OIDS = {name: oid for oid, name in CONFIGURATIONS.items()}


def copied_by(mapping: TokenMapping, configuration: str) -> str:
    return documents.dictionary_of(configuration, mapping.kind)
