"""Aggregates over a few rows in Python: what `count` (also of DISTINCT values), `sum`, `min` and `max` come to, with SQL's nulls.

Nulls are passed by; of nothing (or of nulls alone) a count is 0 and all others are null. DuckDB needs some hundred
microseconds before it has begun to add three numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, Final

from executor.keyed.comparison import order_of
from executor.keyed.deviations import (
    exact_deviation,
    float_average,
    float_deviation,
    float_sum,
    interval_sum,
)
from executor.keyed.json_rows import gathered_json
from executor.keyed.numbers import add, number
from executor.keyed.ordered_sets import ordered_set
from planner import types as t
from planner.binding import numerics
from storage.abc import Row


def folded(folds: Sequence[Callable[[Sequence[Any]], Any]], columns: Sequence[Sequence[Any]]) -> Row:
    """One row: each column folded."""
    return tuple([fold(column) for fold, column in zip(folds, columns, strict=True)])


def columns_of(rows: Sequence[Row], count: int) -> Sequence[Sequence[Any]]:
    """The columns of rows, of which there are so many where there are no rows."""
    return tuple(zip(*rows, strict=True)) if rows else ((),) * count


def _counted(values: Sequence[Any]) -> int:
    return len(values) - values.count(None)


def _counted_once(values: Sequence[Any]) -> int:
    return len({v for v in values if v is not None})


def _of_known(fold: Callable[[list[Any]], Any]) -> Callable[[Sequence[Any]], Any]:
    """An aggregate that passes nulls by, and is null where nothing is left."""

    def folded(values: Sequence[Any]) -> Any:
        known = [v for v in values if v is not None]
        return fold(known) if known else None

    return folded


def _numeric_sum(values: list[Any]) -> str:
    return numerics.text(reduce(add, map(number, values)))


def _big_sum(values: list[Any]) -> str:
    return str(sum(values))


def _average(values: list[Any]) -> str:
    return numerics.text(numerics.divide(reduce(add, map(number, values)), number(len(values))))


def _extreme(way: Callable[..., Any], kind: str) -> Callable[[Sequence[Any]], Any]:
    """Of values that are equal and look different it is the last one."""
    order = order_of(kind)
    assert order is not None
    if kind == "numeric":  # of a column it may be a Decimal; what is computed is a text
        return _of_known(lambda values: numerics.text(number(way(reversed(values), key=order))))
    return _of_known(lambda values: way(reversed(values), key=order))


def _gathered(kind: str, oid: int, orders: Sequence[str]) -> Callable[[Sequence[Any]], Any]:
    """array_agg and string_agg: of each row a tuple of the value, the separator, and what they are in the order of; None is left out."""
    kind, once = kind.removesuffix("-once"), kind.endswith("-once")
    first = 2 if kind in ("string", "json-object", "jsonb-object") else 1
    of = [(said[0] == "1", said[1] == "1", _place(i, int(said[2:]))) for i, said in enumerate(orders, first)]

    def gathered(values: Sequence[Any]) -> Any:
        rows = [v for v in values if v is not None]
        for i, (descending, nulls_first, key) in reversed(list(enumerate(of, first))):
            known = sorted([r for r in rows if r[i] is not None], key=key, reverse=descending)
            nulls = [r for r in rows if r[i] is None]
            rows = nulls + known if nulls_first else known + nulls
        if once:
            key = of[0][2]
            rows = [
                r for n, r in enumerate(rows)
                if not n or (r[0] is None) != (rows[n - 1][0] is None) or (r[0] is not None and key(r) != key(rows[n - 1]))
            ]  # fmt: skip
        if kind == "array":
            return t.array_datum([r[0] for r in rows], oid) if rows else None
        if kind.startswith("json"):
            return gathered_json(kind, rows) if rows else None
        known = [r for r in rows if r[0] is not None]
        return known[0][0] + "".join((r[1] or "") + r[0] for r in known[1:]) if known else None

    return gathered


def _place(i: int, oid: int) -> Callable[[Sequence[Any]], Any]:
    """What a row is ordered by, at a place where there is something."""
    order = order_of(t.BY_OID[oid].typname)
    assert order is not None, f"no order of {oid}"
    return lambda row: order(row[i])


def fold_of(name: str) -> Callable[[Sequence[Any]], Any]:
    """What one of `Groups.folds` is computed by."""
    if name.startswith("gather "):
        _, kind, oid, *orders = name.split(" ")
        return _gathered(kind, int(oid), orders)
    if name.startswith("in order "):
        return ordered_set(name.removeprefix("in order "))
    return FOLDS[name]


FOLDS: Final[dict[str, Callable[[Sequence[Any]], Any]]] = {
    "count": _counted,
    "count distinct": _counted_once,
    "sum": _of_known(sum),
    "sum numeric": _of_known(_numeric_sum),
    "sum big": _of_known(_big_sum),
    "avg": _of_known(_average),
    "min": _of_known(min),
    "max": _of_known(max),
    "all": _of_known(all),
    "any": _of_known(any),
    "first": lambda values: values[0] if values else None,
    "sum float8": _of_known(float_sum),
    "avg float8": _of_known(float_average),
    "sum interval": _of_known(interval_sum),
    **{
        f"{name}{kind}": _of_known(partial(deviation, sample=name.endswith("_samp"), root=name[0] == "s"))
        for name in ("stddev_samp", "stddev_pop", "var_samp", "var_pop")
        for kind, deviation in (("", exact_deviation), (" float8", float_deviation))
    },
    **{
        f"{name} {kind}": _extreme(way, kind)
        for name, way in (("min", min), ("max", max))
        for kind in ("numeric", "float4", "float8", "interval")
    },
}
"""What the executor does for each of `Groups.folds`. `first`: what is the same in all rows of a group."""
