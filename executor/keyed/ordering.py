"""Rows in an order, and which of them are alike, as SQL says of their values: of numbers, texts, intervals, nulls.

compiled_order(keys)   in_order(rows, ...)     sorts, the first key's last; nulls where the key wants them
alike_in(types)        row -> what is equal    of rows that are alike (`normal_form`); NULL is like NULL
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter
from typing import Any

from executor.keyed.comparison import normal_form, order_of
from executor.keyed.compile import NotCompilable, compile_expression
from planner import types as t
from planner.abc import Col, OrderKey, TypeRef
from planner.binding.keyed.catalog import ELEMENTS, VALUES, VECTORS
from storage.abc import Row

_Value = Callable[[Row, Sequence[Any], Any], Any]
"""(row, params, session) -> what it is ordered by."""
SortKey = tuple[_Value | int, bool, bool, Callable[[Any], Any]]
"""(what of the row: a place, or computed; descending; nulls first; what Python orders as PostgreSQL orders the type)."""
Alike = Callable[[Row], Any]
"""What rows have in common that are alike."""


def alike_in(types: Sequence[TypeRef]) -> Alike:
    """Of rows that begin with values of these types. Raises NotCompilable."""
    normal = [_normal(x.oid) for x in types]
    if all(form is None for form in normal):
        return itemgetter(0) if len(types) == 1 else itemgetter(slice(len(types)))

    def alike(row: Row) -> Any:
        return tuple(
            v if form is None or v is None else form(v) for form, v in zip(normal, row, strict=False)
        )

    return alike


def _normal(oid: int) -> Callable[[Any], Any] | None:
    if oid in VECTORS:
        return tuple
    if oid in VALUES or t.labels_of(oid) is not None or t.element_of(oid) in ELEMENTS:
        return None  # one value has one text, labels and arrays too
    try:
        return normal_form(t.BY_OID[oid].typname)
    except KeyError:
        raise NotCompilable(f"which values of type {oid} are equal") from None


def compiled_order(keys: Sequence[OrderKey]) -> list[SortKey]:
    """The keys, the last one first. Raises NotCompilable."""
    return [_sort_key(key) for key in reversed(keys)]


def in_order(rows: list[Row], keys: Sequence[SortKey], params: Sequence[Any], session: Any) -> list[Row]:
    """The rows by these keys: sorts are stable, so the last one counts most."""
    for value, descending, nulls_first, order in keys:
        made = itemgetter(value) if isinstance(value, int) else _bound(value, params, session)
        rows = _sorted(rows, made, descending, nulls_first, order)
    return rows


def _sort_key(key: OrderKey) -> SortKey:
    oid = key.value.type.oid
    order = None
    if oid in t.BY_OID and t.labels_of(oid) is None:  # which may be called as another type is
        order = order_of(t.BY_OID[oid].typname)
    if order is None:
        raise NotCompilable(f"order of type {oid}")
    if isinstance(key.value, Col):
        return key.value.index, key.descending, key.nulls_first, order
    compiled = compile_expression(key.value)
    return lambda row, p, s: compiled(p, row, s), key.descending, key.nulls_first, order


def _bound(value: _Value, params: Sequence[Any], session: Any) -> Callable[[Row], Any]:
    return lambda row: value(row, params, session)


def _sorted(
    rows: Iterable[Row],
    value: Callable[[Row], Any],
    descending: bool,
    nulls_first: bool,
    order: Callable[[Any], Any],
) -> list[Row]:
    known: list[tuple[Any, Row]] = []
    nulls: list[Row] = []
    for row in rows:
        v = value(row)
        if v is None:
            nulls.append(row)
        else:
            known.append((order(v), row))
    known.sort(key=itemgetter(0), reverse=descending)
    made = [row for _, row in known]
    return nulls + made if nulls_first else made + nulls


__all__ = ["Alike", "SortKey", "alike_in", "compiled_order", "in_order"]
