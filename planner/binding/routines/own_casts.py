"""Casts of users: a function called, or a value written out and read again.

    CREATE CAST (celsius AS fahrenheit) WITH FUNCTION warm(celsius) AS ASSIGNMENT
    c::fahrenheit                    warm(c)
    CREATE CAST (varchar AS mood) WITH INOUT AS IMPLICIT
    INSERT INTO t (mood_column) SELECT varchar_column ...

What may be cast into what, and where, is asked of `resolve.castable`, which knows these too; so they take part in choosing functions and
operators. What is kept as a query (views, bodies of the standard's form) was bound when it was made, and knows no cast that came
later (`Casts.among`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.facts import category, procs, type_name
from planner.binding.routines.inlined import call as call_routine
from planner.binding.routines.resolution import Resolved
from planner.catalog import Cast, Function

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder

CAST = "cast:"
"""What the name of a call begins with that is a cast's, where nobody computes it; the cast's OID follows."""


def applied(
    queries: QueryBinder, cast: Cast, node: ir.Node, target: TypeRef, context: str, position: int
) -> ir.Node:
    """The value as the target's type; its modifier is the caller's to apply, unless the function does. Raises 0A000."""
    plain, explicit = TypeRef(target.oid), context == "e"
    if queries.routines.own:
        queries.routines.used.add(cast.oid)
    if cast.method == "i":
        strings = any(category(type_name(oid)) == "S" for oid in (cast.source, cast.target))
        value = node if strings else ir.Cast(TypeRef(t.TEXT), node, True, position)
        return ir.Cast(plain, value, explicit, position)
    f = queries.ctx.catalog.get(cast.function)
    if not queries.routines.expand:
        if isinstance(f, Function):
            queries.accesses.executes(f)
        return ir.Cast(plain, ir.Call(plain, f"{CAST}{cast.oid}", (node,)), explicit, position)
    more = (ir.Lit(TypeRef(t.INT4), target.typmod), ir.Lit(TypeRef(t.BOOL), explicit))
    coercions = queries.coercions
    if isinstance(f, Function):
        taken = [TypeRef(p.type.oid) for p in f.inputs]
        first = coercions.coerce(node, taken[0], "i", position)
        args = [first, *more[: len(taken) - 1]]
        made = call_routine(queries, Resolved(f, list(args), list(range(len(args)))), None, position)
        typmod = target.typmod if len(taken) > 1 else -1
    else:
        proc = next(p for rows in procs().values() for p in rows if p.oid == cast.function)
        given = [node, *more[: len(proc.args) - 1]]
        resolved, _ = queries.expressions.resolve(proc.name, given, position)
        if resolved.oid != proc.oid:
            raise PlanError(
                "0A000", f"a cast by function {proc.name} is not supported here", position=position
            )
        made = queries.expressions.function(proc.name, given, position)
        typmod = target.typmod if len(proc.args) > 1 else -1
    if made.type.oid != target.oid:
        made = coercions.coerce(made, plain, "e", position)
    return ir.Cast(TypeRef(target.oid, typmod), made, explicit, position) if typmod >= 0 else made


__all__ = ["CAST", "applied"]
