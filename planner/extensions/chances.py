"""normal_rand of tablefunc: numbers of chance around a mean."""

from __future__ import annotations

import random
from typing import Final

from planner.abc import SqlError

_COUNT_MAX: Final = 10_000_000
"""They are made before the first is told."""


def normal(count: int, mean: float, deviation: float) -> list[float]:
    """Raises 22023 and 54000."""
    if count < 0:
        raise SqlError("22023", "number of rows cannot be negative")
    if count > _COUNT_MAX:
        raise SqlError("54000", f"more than {_COUNT_MAX} rows of normal_rand are not supported")
    return [random.gauss(mean, deviation) for _ in range(count)]


__all__ = ["normal"]
