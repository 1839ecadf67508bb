"""A value that answers yes to a condition has the terms that the condition asks for: values and conditions of chance."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from typing import Any

import duckdb
import pytest

from planner import types as t
from planner.abc import Const, Sought, TypeRef
from planner.binding.prelude.one_document import among, container, read
from planner.searches import ARRAY, JSONB, TRIGRAMS, WORDS, TermsIndex
from planner.terms import All, Some, Term, Terms, Wanted, asked, terms_sql
from planner.textsearch import documents, matching
from planner.types.jsons import jsonb_in

SIGNS = [
    "a",
    "b",
    "'",
    '"',
    "\\",
    ",",
    "{",
    "}",
    " ",
    ": ",
    "ü",
    "É",
    "1",
    ".",
    "0",
    "%",
    "_",
    "\n",
    "K",
    "ſ",
    "null",
    "tt",
    "é😀",
]


def _terms(kind: str, values: Sequence[str]) -> list[set[str]]:
    con = duckdb.connect()
    con.execute("CREATE TABLE v (n INT, v VARCHAR)")
    con.executemany("INSERT INTO v VALUES (?, ?)", list(enumerate(values)))
    return [set(x) for (x,) in con.execute(f"SELECT {terms_sql(kind, 'v')} FROM v ORDER BY n").fetchall()]


def _has(terms: set[str], wanted: Terms | None) -> bool:
    if wanted is None:
        return True
    if isinstance(wanted, Term):
        return any(x.startswith(wanted.text) for x in terms) if wanted.begins else wanted.text in terms
    every = [_has(terms, part) for part in wanted.parts]
    return all(every) if isinstance(wanted, All) else any(every)


def _asked(kind: str, how: str, value: str, oid: int) -> Wanted:
    index = TermsIndex(1, "i", 0, kind, "r1", "v", (1,))
    return asked(Sought(index, how, (Const(value, TypeRef(oid)),), "", TypeRef(oid)), (), str)


def _check(
    kind: str,
    how: str,
    oid: int,
    values: list[str],
    conditions: list[str],
    says: Callable[[str, str], bool],
    *,
    decides: bool = False,
) -> None:
    """`decides`: terms say of many values whether the condition is true of them."""
    found = _terms(kind, values)
    yes = decided = 0
    for condition in conditions:
        wanted = _asked(kind, how, condition, oid)
        for value, terms in zip(values, found, strict=True):
            if says(value, condition):
                yes += 1
                decided += wanted.decides
                assert _has(terms, wanted.terms), (value, condition, terms, wanted)
            elif wanted.decides and wanted.terms is not None:
                assert not _has(terms, wanted.terms), (value, condition, terms, wanted)
    assert yes > 20, "conditions of chance say yes of some"
    assert (decided > 20) == decides


def _text(rng: random.Random, length: int = 4) -> str:
    return "".join(rng.choice(SIGNS) for _ in range(rng.randrange(length + 1)))


def _document(rng: random.Random, depth: int = 3) -> Any:
    kind = rng.randrange(7 if depth else 4)
    if kind < 2:
        return _text(rng, 2)
    if kind == 2:
        return rng.choice([0, 1, -1, 10, 1.5, 100, True, False, None])
    if kind == 3:
        return rng.choice(["a", "b", 1])
    if kind == 4:
        return [_document(rng, depth - 1) for _ in range(rng.randrange(3))]
    return {rng.choice(["a", "b", _text(rng, 2)]): _document(rng, depth - 1) for _ in range(rng.randrange(4))}


def _part(rng: random.Random, document: Any) -> Any:
    """What a document surely contains, in most cases."""
    if isinstance(document, dict):
        return {k: _part(rng, v) for k, v in document.items() if rng.random() < 0.6}
    if isinstance(document, list):
        return [_part(rng, v) for v in document if rng.random() < 0.6]
    return document


def _zeros(rng: random.Random, text: str) -> str:
    """The same numbers, some of them written with zeros behind the point."""
    return (
        text.replace("1.5", "1.50")
        if rng.random() < 0.5
        else text.replace(": 1}", ": 1.00}").replace("[1]", "[1.0]")
    )


def test_documents() -> None:
    rng = random.Random(1)
    documents = [_document(rng) for _ in range(300)]
    parts = [_part(rng, rng.choice(documents)) for _ in range(300)]
    texts = [_zeros(rng, jsonb_in(json.dumps(d))) for d in documents]
    conditions = [_zeros(rng, jsonb_in(json.dumps(p))) for p in parts]
    _check(JSONB, "@>", t.JSONB, texts, conditions, lambda d, c: container(c)(read(d, 0)[0]))
    keys = [_text(rng, 2) for _ in range(200)] + ["a", "b"]
    _check(JSONB, "?", t.TEXT, texts, keys, lambda d, k: among(read(d, 0)[0], k))


@pytest.mark.parametrize("how", ["@>", "&&", "="])
def test_arrays(how: str) -> None:
    rng = random.Random(2)
    oid = t.array_of(t.TEXT)

    def items(most: int) -> list[str | None]:
        return [rng.choice([None, _text(rng, 2), "a", "NULL", "b c"]) for _ in range(rng.randrange(most))]

    def says(value: str, condition: str) -> bool:
        whole, part = t.array_items(value, oid), t.array_items(condition, oid)
        if how == "=":
            return whole == part
        known = {x for x in whole if x is not None}
        return set(part) <= known if how == "@>" else bool(known & set(part))

    values = [str(t.array_datum(items(5), oid)) for _ in range(300)] + ["[0:1]={a,b}", "{{a,b},{c,d}}"]
    conditions = [str(t.array_datum(items(3), oid)) for _ in range(200)] + ["[3:3]={a}"]
    _check(ARRAY, how, oid, values, conditions, says, decides=how != "=")


@pytest.mark.parametrize("how", ["@>", "&&", "="])
def test_elements_of_a_text_array_are_what_its_text_has(how: str) -> None:
    rng = random.Random(how)
    texts = TypeRef(t.array_of(t.TEXT))
    index = TermsIndex(1, "i", 0, ARRAY, "tw_p", "c0", (1,))
    for _ in range(300):
        items = [
            rng.choice(
                (None, "", "null", "NULL", "".join(rng.choices('ab,{}"\\ \n[1', k=rng.randrange(1, 6))))
            )
            for _ in range(rng.randrange(4))
        ]
        values = tuple(Const(x, TypeRef(t.TEXT)) for x in items)
        written = Const(t.array_datum(items, texts.oid), texts)
        one_by_one = asked(Sought(index, how, values, "array", texts), (), str)
        assert one_by_one == asked(Sought(index, how, (written,), "", texts), (), str), items


def test_words() -> None:
    rng = random.Random(3)
    words = ["fat", "fate", "o'neil", "back\\slash", "ü", "x" * 100, "x" * 100 + "y"]
    vectors = [
        documents.vector("simple", " ".join(rng.sample(words, rng.randrange(1, 5)))) for _ in range(200)
    ]
    queries = []
    for _ in range(200):
        text = (
            "'"
            + rng.choice(words).replace("\\", "\\\\").replace("'", "''")
            + "'"
            + rng.choice(["", ":*", ":A"])
        )
        for _ in range(rng.randrange(3)):
            other = "'" + rng.choice(words).replace("\\", "\\\\").replace("'", "''") + "'"
            text = f"({text}) {rng.choice(['&', '|', '<->'])} {rng.choice(['', '!'])}{other}"
        queries.append(documents.query("simple", text))
    _check(WORDS, "@@", t.TSQUERY, vectors, queries, matching.matches, decides=True)


@pytest.mark.parametrize("how", ["LIKE", "ILIKE"])
def test_patterns(how: str) -> None:
    rng = random.Random(4)
    values = [_text(rng, 8) + rng.choice(["abc", "ABC", "xaBcx", ""]) for _ in range(200)]
    patterns = []
    for _ in range(200):
        value = rng.choice(values).replace("\\", "\\\\").replace("%", "\\%")
        start = rng.randrange(len(value) + 1)
        pattern = rng.choice(["%", ""]) + value[start : start + 6] + rng.choice(["%", "%bc%"])
        if len(pattern) - len(pattern.rstrip("%").rstrip("\\")) < 2 and how == "ILIKE":
            pattern = pattern.swapcase()
        patterns.append(pattern)
    con = duckdb.connect()

    def says(value: str, pattern: str) -> bool:
        try:
            found = con.execute(f"SELECT ? {how} ? ESCAPE '\\'", [value, pattern]).fetchone()
        except duckdb.Error:  # it ends with half a pair
            return False
        return bool(found and found[0])

    _check(TRIGRAMS, "~~", t.TEXT, values, patterns, says)


def test_what_is_asked_of_nothing() -> None:
    assert _asked(JSONB, "@>", "{}", t.JSONB) == Wanted(None)
    assert _asked(ARRAY, "&&", "{}", t.array_of(t.TEXT)).terms == Some(())
    assert _asked(TRIGRAMS, "~~", "%ab%c_d%", t.TEXT) == Wanted(None)
    assert _asked(WORDS, "@@", "!'fat'", t.TSQUERY) == Wanted(None)
    assert _asked(WORDS, "@@", "'fat' | !'rat'", t.TSQUERY) == Wanted(None)


def test_what_decides() -> None:
    """What is cut off, null, of weights or beside one another is asked again; so is an element that looks like dimensions."""
    texts = t.array_of(t.TEXT)
    for how, value, decides in (
        ("@>", '{a,"b c"}', True),
        ("&&", "{a,NULL}", False),
        ("@>", '{"NULL"}', True),
        ("@>", "{[0:1]=}", False),
        ("=", "{a}", False),
        ("@>", "{" + "x" * 63 + "}", True),
        ("@>", "{" + "x" * 64 + "}", False),
    ):
        assert _asked(ARRAY, how, value, texts).decides == decides, value
    for query, decides in (
        ("'fat' & ( 'rat' | 'ca':* )", True),
        ("'fat':A", False),
        ("'fat' <-> 'rat'", False),
        ("'fat' & !'rat'", False),
        ("'" + "x" * 70 + "'", False),
    ):
        assert _asked(WORDS, "@@", query, t.TSQUERY).decides == decides, query
