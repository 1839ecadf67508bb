"""The order of values that are made of others, where Python has to tell which comes first: arrays and composites.

    {1,2} < {1,2,0} < {1,NULL} < {2}      element by element, NULL behind all values, and then by how many there are
    {1,2} < {{1,2}}                       of the same elements: by dimensions, their sizes, and where they begin
    (1,a) < (1,b) < (1,)                  field by field

What they are made of is looked up for each value: a composite type is altered, an enum gets a label.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from planner.abc import Oid, TypeRef
from planner.types import registry
from planner.types.array_values import parse
from planner.types.arrays import ArrayType
from planner.types.composites import CompositeSqlType, split_record
from planner.types.declared import base_of
from planner.types.orders import Order, Parts, order_of
from planner.types.settings import DEFAULT_SETTINGS
from storage.abc import Datum


def has_order(oid: Oid) -> bool:
    """Whether values of the type are ordered here: by themselves, or part by part."""
    if order_of(oid) is not None:
        return True
    kind = registry.TYPES.get(oid)
    if isinstance(kind, ArrayType):
        return has_order(base_of(TypeRef(kind.element.oid)).oid)
    if isinstance(kind, CompositeSqlType):
        return all(has_order(base_of(ref).oid) for _, ref in kind.fields)
    return False


def order_by_parts(oid: Oid) -> Order:
    """That of an array or composite type which `has_order`."""
    return lambda value: _key(oid, value)


def _key(oid: Oid, value: Datum) -> Any:
    order = order_of(oid)
    if order is not None:
        return order(value)
    kind = registry.sql_type(oid)
    if isinstance(kind, ArrayType):
        shape = parse(value)
        return Parts(
            _keys((kind.element.oid, x) for x in kind.items(value)),
            (len(shape.dims), *shape.dims, *shape.lows),
        )
    assert isinstance(kind, CompositeSqlType), "what has an order is one of these"
    fields = zip(kind.fields, split_record(value), strict=False)  # of the transaction that alters the type
    return Parts(
        _keys(
            (ref.oid, None if x is None else registry.input_text(x, ref, DEFAULT_SETTINGS))
            for (_, ref), x in fields
        )
    )


def _keys(parts: Iterable[tuple[Oid, Datum]]) -> tuple[tuple[int, Any], ...]:
    return tuple((1, 0) if x is None else (0, _key(base_of(TypeRef(oid)).oid, x)) for oid, x in parts)


__all__ = ["has_order", "order_by_parts"]
