"""Aggregates of users: their rows are listed as any aggregate's, and folded outside of DuckDB.

    first(x ORDER BY y) FILTER (WHERE z)
    tw_routine_fold('16400', '', list([x as text] ORDER BY y) FILTER (WHERE z), ...)

So DISTINCT, ORDER BY, FILTER, GROUP BY and OVER are what they are for `array_agg`; the functions that an aggregate is made of are
called one row after the other (`executor.procedural.folds`), whichever language they are in. Neither the keyed engine nor Spark
knows such an aggregate: the one leaves it to DuckDB, the other refuses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir, outer_aggregates
from planner.binding.comparable import refuse_unordered
from planner.binding.evaluation import has_query, let
from planner.binding.facts import type_name
from planner.binding.fragments import ARRAY_TEXT, Frag, Item, join, sql
from planner.binding.routines import inlined as routines
from planner.binding.routines import resolution as routine_resolution
from planner.binding.routines import runs as routine_runs
from planner.binding.routines.runs import asking
from planner.binding.scope import Scope
from planner.binding.windows import INSIDE
from planner.binding.written_calls import WrittenCall
from planner.catalog import Function, polymorphic

if TYPE_CHECKING:
    from planner.binding.calls import CallBinder
    from planner.binding.functions.aggregates import Around

_TEXT = TypeRef(t.TEXT)


OVER: Final = "over"
"""What a fold is told that is one of a window's: its rows are the last one's and more, mostly."""
_SAID: Final = {
    "int8inc": "({0} + 1)",
    "int8_sum": "coalesce({0} + {1}, {1}::numeric, {0})",
    "int4_sum": "coalesce({0} + {1}, {1}::bigint, {0})",
    "int2_sum": "coalesce({0} + {1}, {1}::bigint, {0})",
    "boolor_statefunc": "({0} OR {1})",
    "booland_statefunc": "({0} AND {1})",
    "int4_avg_accum": "ARRAY[{0}[1] + 1, {0}[2] + {1}]",
    "int2_avg_accum": "ARRAY[{0}[1] + 1, {0}[2] + {1}]",
    "int8_avg": "CASE WHEN {0}[1] > 0 THEN {0}[2]::numeric / {0}[1] END",
}


def said_otherwise(name: str, arguments: Sequence[str]) -> str:
    """What stands for a call of a function that only PostgreSQL's own aggregates call; "" for all others."""
    if name in _SAID:
        return _SAID[name].format(*arguments)
    for end, word in (("larger", "greatest"), ("smaller", "least")):
        if name.endswith(end):
            return f"{word}({', '.join(arguments)})"
    return ""


def called(
    calls: CallBinder, found: Sequence[Function], call: WrittenCall, scope: Scope
) -> ir.Node | routine_resolution.Resolved | None:
    """A call of an aggregate; what was found where it turns out to be of a function; None: of one of PostgreSQL's own."""
    name, over, position = call.name, call.over, call.start
    queries, clause = calls.queries, scope.clause
    before = outer_aggregates.marks(scope)
    if over is None:
        scope.clause = INSIDE
    try:
        made = routine_resolution.resolved(calls, found, name, call.schema, call.arguments, scope, position)
        keys = calls.sort_keys(call.order, scope)
    finally:
        scope.clause = clause
    if made is None or made.function.kind != "a":
        return made
    f = made.function
    if queries.calling:
        raise routine_runs.no_procedure(f, position)
    if call.within is not None:
        message = f"{name} is not an ordered-set aggregate, so it cannot have WITHIN GROUP"
        raise PlanError("42809", message, position=position)
    if not f.inputs and not call.star:
        message = f"{name}(*) must be used to call a parameterless aggregate function"
        raise PlanError("42809", message, position=position)
    args = tuple(made.args)
    calls.refuse_nested(args, keys, over is not None, position)
    test = None
    if call.condition is not None:
        scope.clause = "FILTER"
        test = calls.filter_of(call.condition, scope)
        scope.clause = clause
    calls.refuse_unsorted(args, args, keys, call.order, call.distinct)
    routines.noted(queries, f)
    result = TypeRef(f.result.oid)
    if queries.routines.expand:
        queries.running = queries.volatile = True
    else:  # whoever writes it down again names it as it is declared
        f = polymorphic.declared(f)
    types = ", ".join(type_name(p.type.oid) for p in f.inputs)
    node = ir.Aggregate(
        result, f"{routines.ROUTINE}{f.oid}({types})", args, call.distinct, keys, test, (),
        scope.number, position,
    )  # fmt: skip
    if over is not None:
        _refuse_modified(f)
        return calls.over(node, over, scope, position)
    return outer_aggregates.placed(queries, node, scope, before)


def _refuse_modified(f: Function) -> None:
    """A final function that changes the state leaves none for the next row. Raises 0A000."""
    assert f.aggregate is not None
    moving = f.aggregate.moving
    if f.aggregate.final_modify == "r" or (moving is not None and moving.final_modify == "r"):
        return
    kinds = ", ".join(t.type_in_words(p.type.oid) for p in f.inputs)
    message = f"aggregate function {f.name}({kinds}) does not support use as a window function"
    raise PlanError("0A000", message)


def emitted(around: Around) -> Frag:
    """Its value of the rows that are listed."""
    from planner.binding.functions.conversions import convert, read_again

    node, emitter = around.node, around.emitter
    for key in node.order:
        refuse_unordered(key.expr.type)
    items: list[Item] = []
    for a in node.args:
        frag = emitter.frag(a)
        items.append(read_again(frag, a.type))
    rows = around.values(sql("CAST([", join(", ", items), "] AS VARCHAR[])"))
    oid = node.op.removeprefix(routines.ROUTINE).partition("(")[0]
    how = OVER if around.over is not None else ""
    text = sql(f"tw_routine_fold('{oid}', '{how}', ", rows, ", ", *asking(), ")")
    if node.type.oid == t.TEXT:
        return text
    if t.element_of(node.type.oid):
        return text.with_form(ARRAY_TEXT)
    made = convert(Frag(("tw_answer",)), _TEXT, node.type, True)
    if has_query(made):
        shown = t.format_type(node.type)
        raise PlanError("0A000", f"an aggregate of type {shown} is not supported", position=node.position)
    return let("tw_answer", text, made)


__all__ = ["OVER", "called", "emitted", "said_otherwise"]
