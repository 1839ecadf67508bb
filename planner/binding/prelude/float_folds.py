"""Aggregates over floats, added up row by row as PostgreSQL adds them (its float.c): each step rounds, so order and formula show.

    sum(real)       0.1 + 1e7 - 1e7  =>  0        in single precision, step by step (a sum in doubles says 0.1)
    var_pop(x)      N, Sx and Sxx grow with each value (Youngs and Cramer): Sxx += (x*N - Sx)^2 / (N * (N-1))
    corr(y, x)      the same with Syy and Sxy beside

A column of lists comes in, one list for each group; what is NULL in it does not count. A sum of parts
(`numpy.add.reduce` adds by pairs) would have other last digits, `accumulate` goes in order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from planner.abc import SqlError
from planner.types.arrow_columns import one_array

Floats = npt.NDArray[Any]
_SQUARED_SAFELY: Final = 1e150
Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]


def _overflow() -> SqlError:
    return SqlError("22003", "value out of range: overflow")


def _grown(steps: Floats) -> Floats:
    """What a running sum is after each step."""
    return np.add.accumulate(steps)


def _sum(values: Floats) -> float | None:
    """In the precision of the values. Raises 22003 where finite values add up to more than there is."""
    if not len(values):
        return None
    total = _grown(values)[-1]
    if np.isinf(total) and np.isfinite(values).all():
        raise _overflow()
    return float(total)


def _average(values: Floats) -> float | None:
    total = _sum(values)
    return None if total is None else total / len(values)


def _spread(x: Floats, y: Floats) -> float:
    """Sxy, or Sxx of a column with itself. NaN where a value is none, or infinite. Raises 22003."""
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        return math.nan
    n = np.arange(1.0, len(x) + 1.0)
    of_x = x * n - _grown(x)
    of_y = of_x if y is x else y * n - _grown(y)
    steps = np.zeros(len(x))
    if y is x:
        steps[1:] = (of_x * of_x)[1:] / (n[1:] * n[:-1])
    else:
        steps[1:] = (of_x * of_y)[1:] * (1.0 / (n[1:] * n[:-1]))
    out = float(_grown(steps)[-1])
    if not math.isfinite(out):
        raise _overflow()
    return out


def _spread_of_pairs(x: Floats) -> float:
    """Sxx as corr and its kin take it: they multiply by what the others divide by."""
    return _spread(x, x.copy())


def _deviation(sample: bool, root: bool) -> Callable[[Floats], float | None]:
    def of(values: Floats) -> float | None:
        n = len(values)
        if n <= sample:
            return None
        variance = _spread(values, values) / (n - sample)
        return math.sqrt(variance) if root else variance

    return of


def _may_overflow(values: Floats) -> bool:
    """Whether their squares, or the squares of their sums, come near the end of what a float holds."""
    return bool(len(values)) and float(np.abs(values).max()) * len(values) > _SQUARED_SAFELY


Pair = Callable[[Floats, Floats], float | None]


def _accumulated(function: Pair) -> Pair:
    """With the sums and squares of both columns, which PostgreSQL gathers for each of these. Raises 22003 where one overflows."""

    def of(y: Floats, x: Floats) -> float | None:
        if (_may_overflow(x) or _may_overflow(y)) and np.isfinite(x).all() and np.isfinite(y).all():
            for column in (x, y):
                _sum(column)
                _spread_of_pairs(column)
            _spread(x, y)
        return function(y, x)

    return of


def _mean_spread(sample: bool) -> Pair:
    return lambda y, x: None if len(x) <= sample else _spread(x, y) / (len(x) - sample)


def _correlation(y: Floats, x: Floats) -> float | None:
    sxx, syy = _spread_of_pairs(x), _spread_of_pairs(y)
    return None if sxx == 0 or syy == 0 else _spread(x, y) / math.sqrt(sxx * syy)


def _determination(y: Floats, x: Floats) -> float | None:
    sxx, syy, sxy = _spread_of_pairs(x), _spread_of_pairs(y), _spread(x, y)
    if sxx == 0:
        return None
    return 1.0 if syy == 0 else (sxy * sxy) / (sxx * syy)


def _slope(y: Floats, x: Floats) -> float | None:
    sxx = _spread_of_pairs(x)
    return None if sxx == 0 else _spread(x, y) / sxx


def _intercept(y: Floats, x: Floats) -> float | None:
    sxx = _spread_of_pairs(x)
    if sxx == 0:
        return None
    return float((_grown(y)[-1] - _grown(x)[-1] * _spread(x, y) / sxx) / len(x))


_SINGLE: Final[dict[str, Callable[[Floats], float | None]]] = {
    "sum": _sum,
    "avg": _average,
    "stddev_samp": _deviation(True, True),
    "stddev_pop": _deviation(False, True),
    "var_samp": _deviation(True, False),
    "var_pop": _deviation(False, False),
}
_PAIRS: Final[dict[str, Pair]] = {
    name: _accumulated(pair)
    for name, pair in (
        ("corr", _correlation),
        ("covar_pop", _mean_spread(False)),
        ("covar_samp", _mean_spread(True)),
        ("regr_avgx", lambda y, x: _average(x)),
        ("regr_avgy", lambda y, x: _average(y)),
        ("regr_sxx", lambda y, x: _spread_of_pairs(x)),
        ("regr_syy", lambda y, x: _spread_of_pairs(y)),
        ("regr_sxy", lambda y, x: _spread(x, y)),
        ("regr_r2", _determination),
        ("regr_slope", _slope),
        ("regr_intercept", _intercept),
    )
}


def _lists(column: Any) -> list[Floats | None]:
    """The values of each group that are not NULL, in order."""
    array = one_array(column)
    values = array.values.to_numpy(zero_copy_only=False)
    missing = np.asarray(array.values.is_null().to_numpy(zero_copy_only=False), np.bool_)
    some = bool(missing.any())
    ends = array.offsets.to_numpy()
    out: list[Floats | None] = []
    for i, there in enumerate(array.is_valid().to_pylist()):
        of_group = values[ends[i] : ends[i + 1]]
        out.append((of_group[~missing[ends[i] : ends[i + 1]]] if some else of_group) if there else None)
    return out


def _one(function: Callable[[Floats], float | None], kind: Any) -> Callable[[Any], pa.Array]:
    def fold(column: Any) -> pa.Array:
        with np.errstate(all="ignore"):
            return pa.array([None if v is None else function(v) for v in _lists(column)], kind)

    return fold


def _two(function: Pair) -> Callable[[Any, Any], pa.Array]:
    def fold(first: Any, second: Any) -> pa.Array:
        with np.errstate(all="ignore"):
            pairs = zip(_lists(first), _lists(second), strict=True)
            return pa.array(
                [None if y is None or x is None or not len(x) else function(y, x) for y, x in pairs],
                pa.float64(),
            )

    return fold


BY_COLUMN: Final[dict[str, Callable[..., pa.Array]]] = {
    "tw_float4_sum": _one(_sum, pa.float32()),
    **{f"tw_float8_{name}": _one(function, pa.float64()) for name, function in _SINGLE.items()},
    **{f"tw_float8_{name}": _two(function) for name, function in _PAIRS.items()},
}
FUNCTIONS: Final[list[Entry]] = [
    ("tw_float4_sum", _sum, ("FLOAT[]",), "FLOAT"),
    *((f"tw_float8_{name}", function, ("DOUBLE[]",), "DOUBLE") for name, function in _SINGLE.items()),
    *((f"tw_float8_{name}", pair, ("DOUBLE[]", "DOUBLE[]"), "DOUBLE") for name, pair in _PAIRS.items()),
]
