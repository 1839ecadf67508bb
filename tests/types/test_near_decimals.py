"""What stands for a numeric compares with every number of a form as the numeric does."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from planner.types.near_decimals import CEIL, EXACT, FLOOR, near

FORMS = st.integers(1, 37).flatmap(lambda p: st.tuples(st.just(p), st.integers(0, p)))
VALUES = st.one_of(
    st.decimals(allow_nan=False, allow_infinity=False).map(lambda d: format(d, "f") if d else "0"),
    st.tuples(st.integers(-(10**6), 10**6), st.integers(0, 999)).map(lambda x: f"{x[0]}.{x[1]:03}"),
)


@given(FORMS, VALUES, st.integers(-(10**38), 10**38), st.integers(-3, 3))
def test_comparisons_stay(form: tuple[int, int], value: str, units: int, beside: int) -> None:
    precision, scale = form
    mine = Fraction(Decimal(value))
    for candidate in (units % 10**precision, -(units % 10**precision), int(mine * 10**scale) + beside):
        if abs(candidate) >= 10**precision:
            continue
        number = Fraction(candidate, 10**scale)
        low, high, same = (
            Fraction(Decimal(near(value, precision, scale, to))) for to in (FLOOR, CEIL, EXACT)
        )
        assert (number > mine, number <= mine) == (number > low, number <= low)
        assert (number < mine, number >= mine) == (number < high, number >= high)
        assert (number == mine) == (number == same)


def test_what_is_beyond() -> None:
    for to in (FLOOR, CEIL, EXACT):
        assert near("NaN", 3, 1, to) == near("Infinity", 3, 1, to) == near("100", 3, 1, to) == "100.0"
        assert near("-Infinity", 3, 1, to) == near("-100", 3, 1, to) == near("-1000", 3, 1, to) == "-100.0"
    assert near("-0.05", 3, 1, EXACT) == "100.0"
    assert near("99.99", 3, 1, CEIL) == "100.0"
