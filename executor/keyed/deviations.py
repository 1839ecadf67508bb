"""Sums of float8 and of intervals, and how far values are from their average, over a few rows as PostgreSQL computes them.

sum(float8)       one after the other, in the order of the rows
avg, stddev       N, Sx and Sxx as its float8_accum keeps them (Youngs and Cramer), so the last digit is the same, too
stddev(numeric)   exactly, by the function that DuckDB's queries call
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from executor.abc import ExecutionError
from executor.keyed.numbers import number
from planner.binding import numerics

Interval = tuple[int, int, int]


def _overflow() -> ExecutionError:
    return ExecutionError("22003", "value out of range: overflow")


def float_sum(values: Sequence[float]) -> float:
    out = values[0]
    for v in values[1:]:
        made = out + v
        if math.isinf(made) and not (math.isinf(out) or math.isinf(v)):
            raise _overflow()
        out = made
    return out


def _accumulated(values: Sequence[float]) -> tuple[int, float, float]:
    """(N, Sx, Sxx); Sxx of what has infinities or NaN in it is NaN."""
    n, total, spread = 0, 0.0, 0.0
    for v in values:
        n, before = n + 1, total
        total = before + v
        if n == 1:
            spread = math.nan if math.isinf(v) or math.isnan(v) else 0.0
            continue
        if math.isinf(total) and not (math.isinf(before) or math.isinf(v)):
            raise _overflow()
        apart = v * n - total
        spread += apart * apart / (n * (n - 1))
        if math.isinf(total) or math.isnan(total):
            spread = math.nan
        elif math.isinf(spread):
            raise _overflow()
    return n, total, spread


def float_average(values: Sequence[float]) -> float:
    n, total, _ = _accumulated(values)
    return total / n


def float_deviation(values: Sequence[float], *, sample: bool, root: bool) -> float | None:
    n, _, spread = _accumulated(values)
    if sample and n == 1:
        return None
    made = spread / (n - 1 if sample else n)
    return math.sqrt(made) if root else made


def exact_deviation(values: Sequence[Any], *, sample: bool, root: bool) -> str | None:
    """Of integers and numerics."""
    return numerics.deviation([numerics.text(number(v)) for v in values], sample=sample, root=root)


def interval_sum(values: Sequence[Interval]) -> Interval:
    months, days, micros = (sum(part) for part in zip(*values, strict=True))
    whole = all(-(1 << 31) <= x < 1 << 31 for x in (months, days))
    if not whole or not -(1 << 63) <= micros < 1 << 63:
        raise ExecutionError("22008", "interval out of range")
    return months, days, micros


__all__ = ["exact_deviation", "float_average", "float_deviation", "float_sum", "interval_sum"]
