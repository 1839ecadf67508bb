"""Window functions and the OVER clause.

DuckDB's windows are PostgreSQL's but for result types (`ntile` is an integer) and the forms of numerics; the
default frame and the order of NULLs are written out.
"""

from __future__ import annotations

from planner.abc import PlanError
from planner.binding import ir
from planner.binding.collating import told_apart
from planner.binding.comparable import comparable
from planner.binding.emit import Emitter, display_signature
from planner.binding.fragments import Frag, Item, join, sql
from planner.binding.functions.aggregates import aggregate

_RANKS = {
    "row_number()": "row_number", "rank()": "rank", "dense_rank()": "dense_rank", "percent_rank()": "percent_rank",
    "cume_dist()": "cume_dist",
}  # fmt: skip
_VALUES = {
    "lag(anyelement)", "lag(anyelement, int4)", "lag(anycompatible, int4, anycompatible)", "lead(anyelement)",
    "lead(anyelement, int4)", "lead(anycompatible, int4, anycompatible)", "first_value(anyelement)", "last_value(anyelement)",
    "nth_value(anyelement, int4)",
}  # fmt: skip


def window(emitter: Emitter, node: ir.Window) -> Frag:
    over = specification(emitter, node)
    call = node.call
    if isinstance(call, ir.Aggregate):
        if call.direct:
            name = call.op.partition("(")[0]
            raise PlanError(
                "0A000", f"OVER is not supported for ordered-set aggregate {name}", position=call.position
            )
        if call.distinct:
            raise PlanError(
                "0A000", "DISTINCT is not implemented for window functions", position=call.position
            )
        if call.order:
            raise PlanError(
                "0A000", "aggregate ORDER BY is not implemented for window functions", position=call.position
            )
        return aggregate(emitter, call, over)
    assert isinstance(call, ir.Call)
    args = [emitter.frag(a) for a in call.args]
    if call.op in _RANKS:
        return sql(f"{_RANKS[call.op]}() OVER (", over, ")")
    if call.op == "ntile(int4)":
        return sql(
            "CAST(ntile(",
            _positive(call.args[0], args[0], "22014", "ntile"),
            ") OVER (",
            over,
            ") AS INTEGER)",
        )
    if call.op in _VALUES:
        name = call.op.partition("(")[0]
        form = args[0].form
        if name == "nth_value":
            args[1] = _positive(call.args[1], args[1], "22016", name)
        if len(args) == 3:
            frags, form = emitter.unified([call.args[0], call.args[2]], call.type)
            args = [frags[0], args[1], frags[1]]
        return sql(f"{name}(", join(", ", args), ") OVER (", over, ")", form=form)
    raise PlanError("0A000", f"{display_signature(call.op)} is not supported", position=call.position)


def _positive(node: ir.Node, argument: Frag, sqlstate: str, name: str) -> Frag:
    """An argument of a window function that counts from one. A constant that does is not asked at run time."""
    if isinstance(node, ir.Lit) and isinstance(node.value, int) and node.value > 0:
        return argument
    complaint = f"error('[{sqlstate}] argument of {name} must be greater than zero')"
    return sql("CASE WHEN ", argument, f" <= 0 THEN {complaint} ELSE ", argument, " END")


def specification(emitter: Emitter, node: ir.Window) -> Frag:
    items: list[Item] = []
    if node.partition:
        keys = [comparable(emitter.frag(p), p.type, told_apart(p)) for p in node.partition]
        items += ["PARTITION BY ", join(", ", keys)]
    if node.order:
        ranged = node.frame is not None and node.frame[0] == "RANGE"
        items += [" " if items else "", "ORDER BY ", emitter.order(node.order, ranged)]
    if node.frame is not None:
        kind, start, end, exclude = node.frame
        items += [f" {kind} BETWEEN ", _bound(emitter, start), " AND ", _bound(emitter, end)]
        if exclude and exclude != "NO OTHERS":
            items.append(f" EXCLUDE {exclude}")
    return sql(*items)


def _bound(emitter: Emitter, bound: tuple[str, ir.Node | None]) -> Frag:
    side, offset = bound
    if offset is None:
        return sql(side)
    return sql(emitter.frag(offset), f" {side}")
