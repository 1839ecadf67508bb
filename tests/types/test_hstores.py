"""hstore against PostgreSQL: thousands of texts of chance, read, shown, put together and sent alike."""

from __future__ import annotations

from random import Random

import psycopg
import pytest

from planner.abc import SqlError
from planner.extensions import hstores as h

TRIED = """
CREATE OR REPLACE FUNCTION tried(t text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN RETURN t::hstore::text; EXCEPTION WHEN OTHERS THEN RETURN '!' || sqlstate || ' ' || sqlerrm; END $$
"""
KEYS = ["a", "bb", None, "é"]
WORDS = (
    "a",
    "bb",
    '"c d"',
    "NULL",
    "null",
    '"null"',
    "=>",
    " => ",
    ",",
    ", ",
    "1",
    "-2.5",
    "t",
    '"',
    "\\",
    "é",
    '="',
    "=",
    ">",
)
VALUES = ("1", "NULL", "t", "f", "1.5", "007", "-3e5", '"q\\""', '""', "null")


def generated(r: Random) -> str:
    kind = r.random()
    if kind < 0.3:
        return "".join(r.choice("a=\"> ,\\b'é1nNuULl") for _ in range(r.randrange(12)))
    if kind < 0.5:
        return "".join(r.choice(WORDS) for _ in range(r.randrange(9)))
    keys = ("a", "bb", "é", "cc", '"x y"', '""', "d", "ee")
    return ", ".join(f"{r.choice(keys)}=>{r.choice(VALUES)}" for _ in range(r.randrange(6)))


def answered(text: str) -> str:
    try:
        return h.hstore_in(text)
    except SqlError as e:
        return f"!{e.sqlstate} {e.message}"


@pytest.mark.postgres
def test_texts_of_chance(postgres: psycopg.Connection) -> None:
    postgres.execute("CREATE EXTENSION IF NOT EXISTS hstore")
    postgres.execute(TRIED)
    r = Random(1)
    texts = [generated(r) for _ in range(3000)]
    query = "SELECT tried(t) FROM unnest(%s::text[]) WITH ORDINALITY AS x(t, i) ORDER BY i"
    wanted = [row[0] for row in postgres.execute(query, (texts,))]
    assert [answered(t) for t in texts] == wanted
    good = [w for w in wanted if not w.startswith("!")]
    pairs = [(r.choice(good), r.choice(good)) for _ in range(1500)]
    found = postgres.execute(
        "SELECT (a::hstore || b::hstore)::text, a::hstore @> b::hstore, (a::hstore - b::hstore)::text, (a::hstore - 'a'::text)::text, "
        "(a::hstore - %s::text[])::text, slice(a::hstore, %s)::text, a::hstore -> %s::text[], akeys(a::hstore), avals(a::hstore), "
        "hstore_to_array(a::hstore), hstore_to_json(a::hstore)::text, hstore_to_json_loose(a::hstore)::text, hstore_send(a::hstore), "
        "sign(hstore_cmp(a::hstore, b::hstore)), a::hstore ?& %s::text[], a::hstore ?| %s::text[] "
        "FROM unnest(%s::text[], %s::text[]) WITH ORDINALITY AS x(a, b, i) ORDER BY i",
        (KEYS, KEYS, KEYS, KEYS, KEYS, *map(list, zip(*pairs, strict=True))),
    ).fetchall()
    for (a, b), row in zip(pairs, found, strict=True):
        x, y = h.order_key(a), h.order_key(b)
        assert row == (
            h.concatenated(a, b), h.contains(a, b), h.without_pairs(a, b), h.without(a, "a"), h.without_all(a, KEYS),
            h.slice_of(a, KEYS), h.values_of(a, KEYS), h.keys_of(a), h.all_values(a), h.flat(a), h.to_json(a),
            h.to_json_loose(a), h.to_binary(a), (x > y) - (x < y), h.has_all(a, KEYS), h.has_any(a, KEYS),
        ), (a, b)  # fmt: skip
        assert h.from_binary(h.to_binary(a)) == a


@pytest.mark.parametrize(
    "data", [b"", b"\0\0\0\1", b"\0\0\0\1\xff\xff\xff\xff", b"\xff\xff\xff\xff", b"\0\0\0\0x"]
)
def test_bytes_that_are_no_value(data: bytes) -> None:
    with pytest.raises(SqlError):
        h.from_binary(data)
