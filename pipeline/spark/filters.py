"""Filters that Spark offers, as Arrow expressions: only those on which the two cannot differ.

Comparisons with NULL are unknown in both, so a row that a filter does not keep here is one that Spark would not keep.
NaN is another matter (greater than everything in Spark), so filters on floating-point values stay with Spark.
"""

from __future__ import annotations

import datetime
import decimal
from collections.abc import Sequence
from typing import Any

import pyarrow.compute as pc
from pyspark.sql import datasource as ds

_EXACT = (bool, int, str, bytes, decimal.Decimal, datetime.date)


def pushed(filters: Sequence[Any], columns: set[str]) -> tuple[Any, list[Any]]:
    """(an expression for those that Arrow takes or None, the filters that it does not take)."""
    condition: Any = None
    left = []
    for one in filters:
        made = _expression(one, columns)
        if made is None:
            left.append(one)
        else:
            condition = made if condition is None else condition & made
    return condition, left


def _expression(one: Any, columns: set[str]) -> Any:
    if isinstance(one, ds.Not):
        return None
    attribute: Sequence[str] = getattr(one, "attribute", ())
    if len(attribute) != 1 or attribute[0] not in columns:
        return None
    column = pc.field(attribute[0])
    if isinstance(one, ds.IsNull):
        return column.is_null()
    if isinstance(one, ds.IsNotNull):
        return column.is_valid()
    value = one.value
    if isinstance(one, ds.In):
        fits = all(isinstance(v, _EXACT) and not isinstance(v, datetime.datetime) for v in value)
        return column.isin(list(value)) if fits and value else None
    if not isinstance(value, _EXACT) or isinstance(value, datetime.datetime):
        return None
    if isinstance(one, ds.EqualTo):
        return column == value
    if isinstance(one, ds.GreaterThan):
        return column > value
    if isinstance(one, ds.GreaterThanOrEqual):
        return column >= value
    if isinstance(one, ds.LessThan):
        return column < value
    if isinstance(one, ds.LessThanOrEqual):
        return column <= value
    if isinstance(one, ds.StringStartsWith):
        return pc.starts_with(column, value)
    return None
