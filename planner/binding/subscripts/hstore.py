"""`h['a']`: hstore by a subscript, read and assigned. There is one subscript, a text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.scope import Scope
from planner.parse import position as first_position

if TYPE_CHECKING:
    from planner.binding.array_expressions import ArrayBinder

_TEXT, _HSTORE = TypeRef(t.TEXT), TypeRef(t.HSTORE)


def element(
    binder: ArrayBinder, base: ir.Node, subscripts: Sequence[exp.Expression], scope: Scope
) -> ir.Node:
    """The value there, or NULL."""
    return ir.Call(_TEXT, "subscript(hstore, text)", (base, _key(binder, subscripts, scope)))


def put(
    binder: ArrayBinder,
    base: ir.Node,
    subscripts: Sequence[exp.Expression],
    value: ir.Node,
    scope: Scope,
) -> ir.Node:
    """With the value there; NULL begins as nothing."""
    return ir.Call(_HSTORE, "hstore put", (base, _key(binder, subscripts, scope), value))


def _key(binder: ArrayBinder, subscripts: Sequence[exp.Expression], scope: Scope) -> ir.Node:
    """Raises 42804, 0A000."""
    first = subscripts[0]
    if isinstance(first, exp.Slice) or len(subscripts) > 1:
        raise PlanError("0A000", "hstore allows only one subscript")
    position = first_position(first)
    made = binder.coercions.try_coerce(binder.bind(first, scope), _TEXT, "a", position)
    if made is None:
        raise PlanError("42804", "hstore subscript must have type text", position=position)
    return made
