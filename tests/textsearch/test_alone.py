"""What holds without PostgreSQL to ask: columns are searched as values are, and bytes are read back."""

from __future__ import annotations

from random import Random

import pyarrow as pa
import pytest

from planner.abc import SqlError
from planner.textsearch import documents, matching, queries, tokens, vectors
from tests.textsearch import generated


def test_columns_are_searched_as_values_are() -> None:
    r = Random(7)
    rows = [vectors.vector_in(generated.vector(r)) for _ in range(400)]
    column = pa.array([*rows, None])
    asks = [queries.query_in(generated.query(r, 3)) for _ in range(200)]
    for query in asks:
        wanted = [matching.matches(v, query) for v in rows]
        asked = pa.array([query] * len(column))
        assert matching.match_columns(column, asked).to_pylist() == [*wanted, None], query
        needles = {
            matching.needle_columns(asked, pa.array([n] * len(asked)))[0].as_py()
            for n in range(matching.NEEDLES)
        }
        assert all(any(n in v for n in needles) for v, found in zip(rows, wanted, strict=True) if found), (
            query
        )
    each = [r.choice(asks) for _ in rows]
    wanted = [matching.matches(v, q) for v, q in zip(rows, each, strict=True)]
    assert matching.match_columns(pa.array(rows), pa.array(each)).to_pylist() == wanted


def test_what_is_sent_is_read_back() -> None:
    r = Random(8)
    for _ in range(500):
        v, q = vectors.vector_in(generated.vector(r)), queries.query_in(generated.query(r, 4))
        assert vectors.from_binary(vectors.to_binary(v)) == v
        assert queries.from_binary(queries.to_binary(q)) == q


@pytest.mark.parametrize("data", [b"", b"\0\0\0\1", b"\0\0\0\1a\0\0\1", b"\xff\xff\xff\xff", b"\0\0\0\0x"])
def test_bytes_that_are_no_value(data: bytes) -> None:
    for read in (vectors.from_binary, queries.from_binary):
        with pytest.raises(SqlError):
            read(data)


def test_tokens_make_up_the_text() -> None:
    parts = {tokens.NUMPART, tokens.PART, tokens.ASCIIPART, tokens.URL_PATH}
    r = Random(9)
    for _ in range(300):
        text = generated.text(r)
        rebuilt, inside = "", 0
        for kind, token in tokens.tokens(text):
            if inside > 0:
                inside -= len(token)
                continue
            rebuilt += token
            if kind in (tokens.URL, tokens.NUMHWORD, tokens.ASCIIHWORD, tokens.HWORD):
                inside = len(token)
        assert rebuilt == text
    assert parts <= {kind for _ in range(200) for kind, _ in tokens.tokens(generated.text(r))}


@pytest.mark.parametrize("text", [" & ".join("a" * 2000), "!" * 2000 + "a", "(" * 2000 + "a" + ")" * 2000])
def test_what_is_too_deep_is_refused(text: str) -> None:
    for read in (queries.query_in, lambda t: documents.query("english", t)):
        with pytest.raises(SqlError, match="inside of one another"):
            read(text)
    deep = " | ".join(f"w{i}" for i in range(queries.DEPTH_MAX))
    query = queries.query_in(deep)
    assert matching.matches("'w7'", query) and queries.from_binary(queries.to_binary(query)) == query
    assert (
        documents.query("simple", deep)
        == query
        == documents.websearch("simple", " or ".join(f"w{i}" for i in range(queries.DEPTH_MAX)))
    )


@pytest.mark.parametrize(
    ("query", "kept"),
    [
        ("the & cats", "'cat'"),
        ("the", ""),
        ("cats <-> of <-> dogs", "'cat' <2> 'dog'"),
        ("!the | a", ""),
        ("state-of-the-art", "'state-of-the-art' <-> 'state' <3> 'art'"),
    ],
)
def test_stop_words_leave_their_room(query: str, kept: str) -> None:
    assert documents.query("english", query) == kept
