"""Ranges and multiranges: operators, bounds, constructors. Values are texts; `prelude.ranges` computes with them."""

from __future__ import annotations

from planner import types as t
from planner.abc import TypeRef
from planner.binding import ir
from planner.binding.comparable import comparable
from planner.binding.dimensions import SHAPED, as_list
from planner.binding.emit import Emitter, Implementation
from planner.binding.facts import type_name
from planner.binding.fragments import Frag, join, quote_text, sql
from planner.binding.functions import ranges_by_bounds
from planner.binding.functions.registry import register
from planner.binding.functions.value_texts import stored_text, stored_value
from planner.binding.numeric_forms import as_text_numeric
from planner.types.ranges import BUILT_IN
from planner.types.user_ranges import equal_as_text

_SETS = ("anyrange", "anymultirange")


def _element(frag: Frag, ref: TypeRef) -> Frag:
    return stored_text(as_text_numeric(frag) if ref.oid == t.NUMERIC else frag, ref)


def _test(op: str) -> Implementation:
    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        oid = str(call.args[0].type.oid)
        return sql("tw_range_test(", quote_text(op), ", ", oid, ", ", args[0], ", ", args[1], ")")

    return made


for _op in ("&&", "@>", "<@", "<<", ">>", "&<", "&>", "-|-"):
    for _a in _SETS:
        for _b in _SETS:
            register(f"{_a} {_op} {_b}", _test(_op))


def _contains(swapped: bool) -> Implementation:
    def made(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        (x, y), (a, b) = call.args, args
        if swapped:
            x, y, a, b = y, x, b, a
        of_bounds = ranges_by_bounds.has(emitter, x, y)
        if of_bounds is not None:
            return of_bounds
        return sql("tw_range_has(", str(x.type.oid), ", ", a, ", ", _element(b, y.type), ")")

    return made


def _ordered(op: str) -> Implementation:
    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        ref = call.args[0].type
        if op in ("=", "<>", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"):
            a, b = (f if equal_as_text(ref.oid) else comparable(f, ref) for f in args)
            return sql("(", a, f" {op} ", b, ")")
        return sql("(tw_range_compared(", str(ref.oid), ", ", args[0], ", ", args[1], f") {op} 0)")

    return made


def _combined(op: str) -> Implementation:
    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        oid = str(call.type.oid)
        return sql("tw_range_combined(", quote_text(op), ", ", oid, ", ", args[0], ", ", args[1], ")")

    return made


def _bound(high: str) -> Implementation:
    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        found = sql("tw_range_bound(", str(call.args[0].type.oid), ", ", args[0], f", {high})")
        return stored_value(found, TypeRef(call.type.oid))

    return made


def _fact(what: str) -> Implementation:
    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        return sql("tw_range_is(", str(call.args[0].type.oid), ", ", args[0], f", '{what}')")

    return made


for _s in _SETS:
    register(f"{_s} @> anyelement", _contains(False))
    register(f"anyelement <@ {_s}", _contains(True))
    SHAPED.update((f"{_s} @> anyelement", f"anyelement <@ {_s}"))
    for _op in ("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"):
        register(f"{_s} {_op.lower()} {_s}", _ordered(_op))
    for _op in ("+", "*", "-"):
        register(f"{_s} {_op} {_s}", _combined(_op))
    register(f"lower({_s})", _bound("false"))
    register(f"upper({_s})", _bound("true"))
    register(f"isempty({_s})", _fact("empty"))
    for _what in ("lower_inc", "upper_inc", "lower_inf", "upper_inf"):
        register(f"{_what}({_s})", _fact(_what))


def _simple(name: str) -> Implementation:
    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        return sql(f"{name}(", str(call.args[0].type.oid), ", ", join(", ", args), ")")

    return made


register("range_merge(anyrange, anyrange)", _simple("tw_range_merged"))
register("range_merge(anymultirange)", _simple("tw_range_hull"))
register("unnest(anymultirange)", _simple("tw_range_split"))


def _collected(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_range_collected(", str(call.type.oid), ", CAST([", join(", ", args), "] AS VARCHAR[]))")


def _alone(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    made = _collected(_emitter, call, args)
    return sql("CASE WHEN ", args[0], " IS NOT NULL THEN ", made, " END")


register("multirange(anyrange)", _alone)


def _made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    bounds = [_element(f, a.type) for f, a in zip(args[:2], call.args[:2], strict=True)]
    flags = args[2] if len(args) > 2 else sql("'[)'")
    return sql(
        "tw_range_make(", str(call.type.oid), ", CAST([", join(", ", bounds), "] AS VARCHAR[]), CAST([", flags,
        "] AS VARCHAR[]))",
    )  # fmt: skip


def _of_array(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_range_collected(", str(call.type.oid), ", ", as_list(args[0], call.args[0].type), ")")


register("#(range)", _made)
register("#(multirange)", _collected)
register("#(multirange of one)", _alone)
register("#(multirange of array)", _of_array)
for _oid, _name, _sub, _, _multi_oid in BUILT_IN:
    _of, _multi = type_name(_sub), type_name(_multi_oid)
    register(f"{_name}({_of}, {_of})", _made)
    register(f"{_name}({_of}, {_of}, text)", _made)
    register(f"{_multi}({_name})", _alone)
    register(f"{_multi}()", _collected)
    register(f"{_multi}(_{_name})", _collected)
    register(f"{_multi}(variadic _{_name})", _of_array)
