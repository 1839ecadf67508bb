"""Comparing columns of numerics gives what comparing their values gives."""

from __future__ import annotations

from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from planner.binding import numerics
from planner.binding.prelude.columns import compare_numerics

NUMBERS = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False).map(numerics.text),
    st.sampled_from(
        [
            *("NaN", "Infinity", "-Infinity", "0", "0.00", "-0.0", "1", "1.00", "1" + "0" * 400),
            *("9007199254740993", "9007199254740992", "9007199254740992.0000000001", "0." + "0" * 340 + "1"),
            *("0.1", "0.1000000000000000055511151231257827", "0.1000000000000000055511151231257828"),
        ]
    ),
)
CELL = st.none() | NUMBERS


@example(
    [(a, b) for a in ("NaN", "Infinity", "1" + "0" * 400, "7") for b in ("NaN", "-Infinity", None, "7.0")]
)
@given(st.lists(st.tuples(CELL, CELL), max_size=20))
def test_columns_compare_as_their_values_do(pairs: list[tuple[str | None, str | None]]) -> None:
    columns = [pa.array([pair[i] for pair in pairs], pa.string()) for i in (0, 1)]
    expected = [
        None if a is None or b is None else numerics.compare(Decimal(a), Decimal(b)) for a, b in pairs
    ]
    assert compare_numerics(*columns).to_pylist() == expected
    cut = [pa.chunked_array([c.slice(0, 7), c.slice(7)], pa.string()) for c in columns]
    assert compare_numerics(*cut).to_pylist() == expected


def test_values_are_looked_at_only_where_columns_do_not_decide(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[Decimal, Decimal]] = []
    original = numerics.compare

    def compare(a: Decimal, b: Decimal) -> int:
        seen.append((a, b))
        return original(a, b)

    monkeypatch.setattr(numerics, "compare", compare)
    left = pa.array(["1.5", "2.00", "3", None, "4.0"])
    right = pa.array(["1.4999999", "2.00", "3.1", "1", "4"])
    assert compare_numerics(left, right).to_pylist() == [1, 0, -1, None, 0]
    assert seen == [(Decimal("4.0"), Decimal("4"))]
