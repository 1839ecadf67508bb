"""Searching columns of texts word by word, without vectors, finds what vectors find."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.abc import SqlError
from planner.binding.prelude.installation import QueryError
from planner.textsearch import documents, text_columns, tokens

_PARTS = [*"abzAé1 05-_./:@&;%+#?='\"\\()*!,\n\t 中\xa0<>~", "http://", "www.", "&amp;", ".com", "e5", "1.5", "-1", "a-b",
          "x@y.org", "/usr", " ", " ", " ", "..", "./", "cats", "running", "the"]  # fmt: skip
texts = st.lists(st.sampled_from(_PARTS), max_size=14).map("".join)
asked = st.sampled_from(
    [
        "cat",
        "the",
        "",
        "cat & run",
        "cat | !run",
        "!a",
        "a <-> b",
        "ca:*",
        "cat:A",
        "a & (b | 1.5)",
        "x@y.org",
        "!the",
    ]
)


@settings(max_examples=400, deadline=None)
@given(texts)
def test_words_between_blanks_are_read_as_within_the_text(text: str) -> None:
    whole = [
        documents.lexeme(d, token)
        for kind, token in tokens.tokens(text)
        if (d := documents.dictionary_of("english", kind))
    ]
    assert [word for word, _ in documents.placed("english", text)] == whole
    assert documents.words("english", text) == frozenset(whole)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.one_of(st.none(), texts), min_size=1, max_size=5), asked)
def test_texts_of_chance(rows: list[str | None], query: str) -> None:
    shown = documents.query("english", query)
    n = len(rows)
    found = text_columns.match_texts(
        pa.array(["english"] * n), pa.array(rows, pa.string()), pa.array([shown] * n)
    )
    assert found.to_pylist() == [
        None if x is None else text_columns.matches("english", x, shown) for x in rows
    ]
    queries = [shown if i % 2 else "'zebra'" for i in range(n)]
    found = text_columns.match_texts(
        pa.array(["english"] * n), pa.array(rows, pa.string()), pa.array(queries)
    )
    assert found.to_pylist() == [
        None if x is None else text_columns.matches("english", x, q)
        for x, q in zip(rows, queries, strict=True)
    ]


def test_what_is_too_long_for_a_vector_is_refused_as_well() -> None:
    text = " ".join(f"word{i:06d}" for i in range(120_000))
    with pytest.raises(SqlError):
        text_columns.matches("simple", text, "'a'")
    with pytest.raises(QueryError, match="54000"):
        text_columns.match_texts(pa.array(["simple"]), pa.array([text]), pa.array(["'a'"]))
