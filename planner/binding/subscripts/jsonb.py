"""`j['a'][0]`: jsonb by subscripts, read and assigned.

A subscript is an integer or a text, and together they are a path as `#>` has it. Assignment makes what is not there on
the way: objects for words, arrays (filled with nulls) for numbers; a scalar in the way is an error, NULL assigned is
JSON's null.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.facts import type_name
from planner.binding.resolve import castable
from planner.binding.scope import Scope
from planner.parse import position as first_position

if TYPE_CHECKING:
    from planner.binding.array_expressions import ArrayBinder

_INT4, _TEXT, _JSONB = TypeRef(t.INT4), TypeRef(t.TEXT), TypeRef(t.JSONB)


def element(
    binder: ArrayBinder, base: ir.Node, subscripts: Sequence[exp.Expression], scope: Scope
) -> ir.Node:
    """What is there, or NULL: as `#>` has it, under a name of its own, for definitions show how it was written."""
    steps, _ = _path(binder, subscripts, scope)
    return ir.Call(_JSONB, "subscript(jsonb, _text)", (base, steps))


def put(
    binder: ArrayBinder,
    base: ir.Node,
    subscripts: Sequence[exp.Expression],
    value: ir.Node,
    scope: Scope,
) -> ir.Node:
    """The document with the value there; a NULL document is an empty array if the first subscript is a number."""
    steps, numbered = _path(binder, subscripts, scope)
    return ir.Call(_JSONB, "jsonb put", (base, steps, value, ir.Lit(TypeRef(t.BOOL), numbered)))


def _path(binder: ArrayBinder, subscripts: Sequence[exp.Expression], scope: Scope) -> tuple[ir.Node, bool]:
    """The subscripts as texts, and whether the first is a number. Raises 42804."""
    steps: list[ir.Node] = []
    numbered = False
    if any(isinstance(s, exp.Slice) for s in subscripts):
        first = subscripts[0]
        place = first.expression or first.this if isinstance(first, exp.Slice) else first
        raise PlanError(
            "42804",
            "jsonb subscript does not support slices",
            position=0 if place is None else first_position(place),
        )
    for subscript in subscripts:
        position = first_position(subscript)
        bound = binder.bind(subscript, scope)
        if bound.type.oid == t.UNKNOWN:
            steps.append(binder.coercions.coerce(bound, _TEXT, "i", position))
            continue
        fitting = [x for x in (_INT4, _TEXT) if castable(type_name(bound.type.oid), type_name(x.oid), "i")]
        if len(fitting) != 1:
            choice = "only one type, integer or text" if fitting else "either integer or text"
            raise PlanError(
                "42804",
                f"subscript type {t.type_in_words(bound.type.oid)} is not supported",
                hint=f"jsonb subscript must be coercible to {choice}.",
                position=position,
            )
        numbered = numbered or (not steps and fitting[0] is _INT4)
        made = binder.coercions.coerce(bound, fitting[0], "i", position)
        steps.append(binder.coercions.coerce(made, _TEXT, "e", position))
    return ir.Logic(TypeRef(t.array_of(t.TEXT)), "array", tuple(steps)), numbered
