"""Letters are mapped alike in Python and in DuckDB: keys of citext are made in both."""

from __future__ import annotations

import duckdb
import pyarrow as pa

from planner.types.letter_case import lowered, uppered


def test_every_character_is_mapped_as_duckdb_maps_it() -> None:
    every = [chr(code) for code in range(1, 0x110000) if not 0xD800 <= code < 0xE000]
    given = pa.table({"c": every})
    small = duckdb.from_arrow(given).project("lower(c)").fetchall()
    assert [c for c, (d,) in zip(every, small, strict=True) if lowered(c) != d] == []


def test_texts_keep_their_lengths() -> None:
    assert lowered("ÀBİẞ") == "àbiß"
    assert uppered("àß") == "Àß"
