"""The generator behind setseed(): PostgreSQL 15's numbers."""

from __future__ import annotations

import pytest

from executor.abc import ExecutionError
from executor.session.chance import seeded, unseeded


@pytest.mark.parametrize(
    ("seed", "numbers"),
    [(0.5, [0.9851677175347999, 0.825301858027981])],
)
def test_numbers_of_a_seed(seed: float, numbers: list[float]) -> None:
    drawn = seeded(seed)
    assert [drawn.number() for _ in numbers] == numbers
    one, other = seeded(seed), seeded(seed)
    assert [one.number() for _ in range(100)] == [other.number() for _ in range(100)]


def test_numbers_are_within_one() -> None:
    drawn = unseeded()
    numbers = [drawn.number() for _ in range(10_000)]
    assert all(0 <= x < 1 for x in numbers)
    assert len(set(numbers)) == len(numbers)


@pytest.mark.parametrize("seed", [1.01, -2, float("nan"), float("inf")])
def test_seeds_that_are_none(seed: float) -> None:
    with pytest.raises(ExecutionError) as e:
        seeded(seed)
    assert e.value.sqlstate == "22023"
