"""`p[0]`, `box[1]`: the numbers of a point or a line and the points of an lseg or a box, by fixed places from 0.

A place that there is not is NULL where it is read and an error where it is written. NULL written changes nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.facts import type_name
from planner.binding.scope import Scope
from planner.parse import position as first_position
from planner.types.geometry import INSIDE

if TYPE_CHECKING:
    from planner.binding.array_expressions import ArrayBinder

_INT4: Final = TypeRef(t.INT4)


def element(
    binder: ArrayBinder, base: ir.Node, subscripts: Sequence[exp.Expression], scope: Scope
) -> ir.Node:
    """What is at the place. Raises 0A000 for slices."""
    inner = TypeRef(INSIDE[base.type.oid])
    places = [_place(binder, x, scope) for x in subscripts]
    if len(places) != 1:
        return ir.Lit(inner, None)
    return ir.Call(inner, f"subscript({type_name(base.type.oid)}, int4)", (base, places[0]))


def put(
    binder: ArrayBinder,
    base: ir.Node,
    subscripts: Sequence[exp.Expression],
    value: ir.Node,
    scope: Scope,
) -> ir.Node:
    """With another value there. Raises 0A000, 2202E."""
    kind = base.type.oid
    places = [_place(binder, x, scope) for x in subscripts]
    if len(places) != 1:
        raise PlanError("2202E", "wrong number of array subscripts")
    if not isinstance(places[0], ir.Lit):
        position = first_position(subscripts[0])
        raise PlanError(
            "0A000",
            f"assignment to a part of a {t.format_type(base.type)} by an expression is not supported",
            position=position,
        )
    if places[0].value is None:
        raise PlanError("22004", "array subscript in assignment must not be null")
    inner = type_name(INSIDE[kind])
    made = ir.Call(base.type, f"put({type_name(kind)}, int4, {inner})", (base, places[0], value))
    return ir.Logic(base.type, "coalesce", (made, base))


def _place(binder: ArrayBinder, node: exp.Expression, scope: Scope) -> ir.Node:
    position = first_position(node)
    if isinstance(node, exp.Slice):
        raise PlanError("0A000", "slices of fixed-length arrays not implemented")
    return binder.coercions.coerce(binder.bind(node, scope), _INT4, "a", position)
