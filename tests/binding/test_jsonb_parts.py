"""Parts of jsonb that DuckDB reads are what Python's functions, and so PostgreSQL's, say."""

from __future__ import annotations

import json
import random
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner import types as t
from planner.abc import SqlError
from planner.binding.prelude import json as prelude_json
from planner.binding.prelude import jsonb_columns as prelude_jsonb_columns
from planner.binding.prelude.one_document import contained
from planner.types.jsons import jsonb_in
from tests.binding.world import World, make_table

KEYS = [
    "a",
    "b",
    "a b",
    "é",
    "$x",
    "a.b",
    "a[0]",
    "a'b",
    "*",
    "a*",
    'q"',
    "\\",
    "",
    "0",
    "-1",
    "1",
    "A",
    "~1",
    "/a",
    "\n",
]
TEXTS = ["", "x", "1", "null", "é", "\n", 'q"q', "\\", "{", "[1]", "1.5", "\x01", "\x7f", "😀", "a/b"]
scalars = st.sampled_from(
    [*(json.dumps(x, ensure_ascii=False) for x in TEXTS), "null", "true", "false", "0", "-5", "1.50", "1e3", "-0", "1e400",
     "18446744073709551615", "18446744073709551616", "9223372036854775808", "-9223372036854775809", "0.1000"]
)  # fmt: skip
documents = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda xs: "[" + ",".join(xs) + "]"),
        st.dictionaries(st.sampled_from(KEYS), inner, max_size=4).map(
            lambda d: "{" + ",".join(f"{json.dumps(k)}:{v}" for k, v in d.items()) + "}"
        ),
    ),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def world() -> World:
    return World([make_table(20000, "parts", "id int4; d jsonb", key="id")])


def _said(world: World, text: str, rows: list[str | None], params: list[str | None], types: list[int]) -> Any:
    world.duckdb.execute("DELETE FROM parts")
    world.duckdb.executemany("INSERT INTO parts VALUES (?, ?, ?)", [(i, i, d) for i, d in enumerate(rows)])
    answer = world.tidewire(text, params, types)
    return answer.sqlstate or [row[0] for row in answer.rows]


def _by_python(rows: list[str | None], step: Any, shown: bool) -> Any:
    out: list[str | None] = []
    try:
        for d in rows:
            found = None if d is None else step(d)
            out.append(prelude_json.shown(found) if shown and found is not None else found)
    except SqlError as e:
        return e.sqlstate
    return out


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.one_of(st.none(), documents), min_size=1, max_size=6),
    st.sampled_from(KEYS),
    st.sampled_from(KEYS),
)
def test_members_of_documents_of_chance(world: World, texts: list[str | None], key: str, other: str) -> None:
    rows = [None if x is None else jsonb_in(x) for x in texts]
    quoted = "'" + key.replace("'", "''") + "'"
    for shown, arrow in ((False, "->"), (True, "->>")):
        expected = _by_python(rows, lambda d: prelude_json._member(d, key), shown)
        for said, params in (("$1", [key]), (quoted, [])):
            text = f"SELECT d {arrow} {said} FROM parts ORDER BY id"
            assert _said(world, text, rows, params, [t.TEXT] * len(params)) == expected, text

    def two(d: str) -> str | None:
        first = prelude_json._member(d, key)
        return None if first is None else prelude_json._member(first, other)

    for shown, arrow in ((False, "->"), (True, "->>")):
        expected = _by_python(rows, two, shown)
        text = f"SELECT d -> $1 {arrow} $2 FROM parts ORDER BY id"
        assert _said(world, text, rows, [key, other], [t.TEXT, t.TEXT]) == expected
    path = [key, other]
    for shown, arrow in ((False, "#>"), (True, "#>>")):
        expected = _by_python(rows, lambda d: prelude_json._path(d, path), shown)
        text = f"SELECT d {arrow} ARRAY[$1, $2] FROM parts ORDER BY id"
        assert _said(world, text, rows, [key, other], [t.TEXT, t.TEXT]) == expected


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.one_of(st.none(), documents), min_size=1, max_size=6),
    st.sampled_from([0, 1, 2, -1, -2, -4, 1_000_001, -(1 << 31)]),
)
def test_elements_of_documents_of_chance(world: World, texts: list[str | None], place: int) -> None:
    rows = [None if x is None else jsonb_in(x) for x in texts]
    for shown, arrow in ((False, "->"), (True, "->>")):
        expected = _by_python(rows, lambda d: prelude_json._jsonb_element(d, place), shown)
        text = f"SELECT d {arrow} $1 FROM parts ORDER BY id"
        assert _said(world, text, rows, [str(place)], [t.INT4]) == expected


def test_duckdb_reads_what_it_can(world: World) -> None:
    plan = world.plan("SELECT 1 FROM parts WHERE d -> 'a' ->> 'b' = $1", [t.TEXT])
    text = world.sql(plan.body, ["x"])  # type: ignore[arg-type]
    assert "tw_jsonb_text(" in text
    assert """'$' || '."a"' || '."b"'""" in text


def _within(a: Any, b: Any, top: bool = False) -> bool:
    """Containment, as the manual says it."""
    if isinstance(b, dict):
        return isinstance(a, dict) and all(k in a and _within(a[k], v) for k, v in b.items())
    if isinstance(b, list):
        return isinstance(a, list) and all(any(_within(x, y) for x in a) for y in b)
    if isinstance(a, list) and top:
        return any(_within(x, b) for x in a)
    return type(a) is type(b) and a == b if isinstance(b, bool) or isinstance(a, bool) else bool(a == b)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(st.one_of(st.none(), documents), min_size=1, max_size=6),
    st.lists(documents, min_size=1, max_size=6),
)
def test_containment_of_documents_of_chance(texts: list[str | None], asked: list[str]) -> None:
    rows = [None if x is None else jsonb_in(x) for x in texts]
    for one in map(jsonb_in, asked):
        expected = [
            None if d is None else _within(prelude_json.load(d), prelude_json.load(one), True) for d in rows
        ]
        found = prelude_jsonb_columns.contains(pa.array(rows, pa.string()), pa.array([one] * len(rows)))
        assert found.to_pylist() == expected, (rows, one)
    others = [jsonb_in(asked[i % len(asked)]) for i in range(len(rows))]
    expected = [
        None if d is None else _within(prelude_json.load(d), prelude_json.load(o), True)
        for d, o in zip(rows, others, strict=True)
    ]
    assert (
        prelude_jsonb_columns.contains(pa.array(rows, pa.string()), pa.array(others)).to_pylist() == expected
    )


PIECES = ["a", "b", '"', "\\", "{", "}", "[", ": ", ", ", '"a": 1', ': {"b": ', '{"a": ', "1"]


def _odd(rng: random.Random, depth: int = 3) -> Any:
    """Documents whose strings look like documents."""
    kind = rng.randrange(6 if depth else 3)
    if kind == 0:
        return rng.choice([1, 17, 1.0, 171, True, None, "a", "1"])
    if kind < 3:
        return "".join(rng.choice(PIECES) for _ in range(rng.randrange(4)))
    if kind == 3:
        return [_odd(rng, depth - 1) for _ in range(rng.randrange(3))]
    odd = "".join(rng.choice(PIECES) for _ in range(rng.randrange(3)))
    return {rng.choice(["a", "b", "aa", odd]): _odd(rng, depth - 1) for _ in range(rng.randrange(4))}


def _path(rng: random.Random, document: Any) -> Any:
    """A part of it that is deep rather than wide."""
    if not isinstance(document, dict) or not document:
        return document
    keys = rng.sample([*document], min(len(document), rng.choice([1, 1, 1, 2])))
    return {key: _path(rng, document[key]) for key in keys}


def test_containment_that_is_seen_in_texts() -> None:
    """Members that look like others, in strings and keys, before and behind those that are asked for."""
    rng = random.Random(5)
    documents = [_odd(rng) for _ in range(1_500)]
    texts = [jsonb_in(json.dumps(d)) for d in documents]
    leaves: list[Any] = ["a", 1, 17, True, None, "1", '"a": 1', '{"a": ', "\\"]
    asked = [{"a": leaf} for leaf in leaves] + [{"b": {"a": leaf, "aa": "a"}} for leaf in leaves]
    asked += [_path(rng, rng.choice(documents)) for _ in range(250)]
    yes = 0
    for one in (jsonb_in(json.dumps(a)) for a in asked):
        test = contained(one)
        for text in texts:
            expected = _within(prelude_json.load(text), prelude_json.load(one), True)
            assert test(text) == expected, (text, one)
            yes += expected
    assert yes > 500


@settings(max_examples=150, deadline=None)
@given(
    st.lists(st.one_of(st.none(), documents), min_size=1, max_size=6),
    st.lists(st.one_of(st.none(), st.sampled_from(KEYS)), max_size=6),
)
def test_keys_of_documents_of_chance(texts: list[str | None], keys: list[str | None]) -> None:
    rows = [None if x is None else jsonb_in(x) for x in texts]
    column, lists = pa.array(rows, pa.string()), pa.array([keys] * len(rows), pa.list_(pa.string()))
    told = [[k for k in keys if k is not None and _has(d, k)] if d is not None else None for d in rows]
    wanted = [k for k in keys if k is not None]
    assert prelude_jsonb_columns.has_any(column, lists).to_pylist() == [
        None if x is None else bool(x) for x in told
    ]
    assert prelude_jsonb_columns.has_all(column, lists).to_pylist() == [
        None if x is None else x == wanted for x in told
    ]
    for k in wanted:
        found = prelude_jsonb_columns.has(column, pa.array([k] * len(rows)))
        assert found.to_pylist() == [None if d is None else _has(d, k) for d in rows]


def _has(text: str, key: str) -> bool:
    v = prelude_json.load(text)
    return key in v if isinstance(v, dict | list) else v == key


@settings(max_examples=300, deadline=None)
@given(st.lists(documents, min_size=1, max_size=6), documents)
def test_equality_of_documents_of_chance(texts: list[str], other: str) -> None:
    rows, one = [jsonb_in(x) for x in texts], jsonb_in(other)
    alike = prelude_jsonb_columns.same(pa.array([*rows, None, one])).to_pylist()
    keys = [prelude_json.sort_key(x) for x in (*rows, one)]
    assert alike[-2] is None
    assert [x == alike[-1] for x in alike[:-2]] == [k == keys[-1] for k in keys[:-1]]
