"""A column in which the same arguments come again and again: functions are called for each of them once, and nobody can tell."""

from __future__ import annotations

import random
import struct
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from planner.binding.prelude import installation as prelude
from planner.binding.prelude.repeated_arguments import FEW, repeats

KINDS = {
    "words": (pa.string(), ["", "a", "b", "NULL", None]),
    "numbers": (pa.int64(), [0, 1, -1, 1 << 62, None]),
    "floats": (pa.float64(), [0.0, -0.0, 1.5, float("nan"), float("inf"), None]),
    "single floats": (pa.float32(), [0.0, -0.0, 1.5, float("nan"), None]),
    "truth": (pa.bool_(), [True, False, None]),
    "moments": (pa.timestamp("us"), [0, 1, -1, None]),
    "the same": (pa.string(), ["one"]),
    "nothing": (pa.string(), [None]),
}


def _bits(value: Any) -> Any:
    return struct.pack("!d", value) if isinstance(value, float) else value


@given(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=4), st.integers(0, 300), st.randoms())
def test_the_rows_that_are_left_say_what_every_row_is(
    kinds: list[str], count: int, dice: random.Random
) -> None:
    columns = [pa.array(dice.choices(KINDS[k][1], k=count), KINDS[k][0]) for k in kinds]
    found = repeats(columns)
    if found is None:
        return
    rows, places = found
    assert len(rows) * 2 <= count and count >= FEW
    for column in columns:
        again = column.take(pa.array(rows)).take(pa.array(places))
        assert list(map(_bits, again.to_pylist())) == list(map(_bits, column.to_pylist()))


def test_what_hardly_repeats_is_left_as_it_is() -> None:
    assert repeats([pa.array(range(1_000))]) is None
    assert repeats([pa.array(["a"] * (FEW - 1))]) is None
    halves = pa.array([i // 40 for i in range(1_000)])
    assert repeats([halves, pa.array([i % 40 for i in range(1_000)])]) is None, (
        "each is few, the pairs are not"
    )
    assert repeats([halves, halves]) is not None


@pytest.fixture(scope="module")
def connection() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect(":memory:")
    prelude.install(made)
    made.execute(
        "CREATE TABLE few AS SELECT i, CASE WHEN i % 11 = 0 THEN NULL ELSE (i % 5 - 2)::VARCHAR || '.50' END AS n,"
        " CASE i % 4 WHEN 0 THEN -0.0::DOUBLE WHEN 1 THEN 0.0::DOUBLE WHEN 2 THEN NULL ELSE 'nan'::DOUBLE END AS f,"
        " i % 3 + 1 AS k FROM range(5000) r(i)"
    )
    return made


@pytest.mark.parametrize(
    "call",
    ["tw_num_floor(n)", "tw_num_div(n, k::VARCHAR)", "tw_num_round(n, k::INTEGER)", "tw_out_float8(f)"],
)
def test_a_function_says_of_many_rows_what_it_says_of_one(
    connection: duckdb.DuckDBPyConnection, call: str
) -> None:
    together = connection.execute(f"SELECT {call} FROM few ORDER BY i").fetchall()
    alone = []
    for n, f, k in connection.execute("SELECT n, f, k FROM few ORDER BY i LIMIT 60").fetchall():
        alone += connection.execute(
            f"SELECT {call} FROM (SELECT ?::VARCHAR AS n, ?::DOUBLE AS f, ?::BIGINT AS k)", [n, f, k]
        ).fetchall()
    assert together[:60] == alone


def test_what_varies_varies(connection: duckdb.DuckDBPyConnection) -> None:
    ((count,),) = connection.execute(
        "SELECT count(DISTINCT tw_random_bytes(16, random())) FROM few"
    ).fetchall()
    assert count == 5_000


def test_an_error_is_said_as_ever(connection: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.Error, match=r"\[22012\] division by zero"):
        connection.execute("SELECT tw_num_div(n, (k - 1)::VARCHAR) FROM few").fetchall()
