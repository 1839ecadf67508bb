"""Whether a range has an element, asked of the bounds: two comparisons, where these are at hand.

    tstzrange(a, b) @> x          x >= a AND x < b, of bounds that are there; an error where a > b
    '[1,10)'::int4range @> x      the same, of what is in the literal
    during @> x                   a column's ranges are texts, which are read: `tw_range_has`

Only where a bound is a value as it is, and may be named twice. A discrete range of other than `[)` bounds may overflow, and is made.
"""

from __future__ import annotations

from typing import Final

from planner import types as t
from planner.abc import TypeRef
from planner.binding import ir
from planner.binding.emit import Emitter
from planner.binding.facts import type_name
from planner.binding.fragments import Frag, join, sql
from planner.types.ranges import BUILT_IN, End, RangeType

_BOOL: Final = TypeRef(t.BOOL)
_CONSTRUCTORS: Final = {
    f"{name}({type_name(sub)}, {type_name(sub)}{flags})": sub
    for name, sub in ((x[1], x[2]) for x in BUILT_IN)
    for flags in ("", ", text")
}
_DISCRETE: Final = (t.INT4, t.INT8, t.DATE)
_COMPARED: Final = (*_DISCRETE, t.TIMESTAMP, t.TIMESTAMPTZ, t.NUMERIC)
_NODES_MAX: Final = 8


def has(emitter: Emitter, held: ir.Node, element: ir.Node) -> Frag | None:
    """`held @> element`; None where it is to be asked of the range itself."""
    sub = element.type.oid
    if sub not in _COMPARED or not _is_short(element):
        return None
    if isinstance(held, ir.Lit) and isinstance(held.value, str):
        return _of_literal(emitter, held, element)
    if (
        not isinstance(held, ir.Call)
        or _CONSTRUCTORS.get(held.op) != sub
        or not all(map(_is_short, held.args))
    ):
        return None
    flags = held.args[2] if len(held.args) > 2 else None
    marks = "[)" if flags is None else flags.value if isinstance(flags, ir.Lit) else None
    if marks not in ("[)", "[]", "(]", "()") or (sub in _DISCRETE and marks != "[)"):
        return None
    low, high = held.args[:2]
    if low.type.oid != sub or high.type.oid != sub:
        return None
    tests = [
        sql("(", emitter.frag(bound), " IS NULL OR ", _compared(emitter, element, sign, bound), ")")
        for bound, sign in ((low, ">=" if marks[0] == "[" else ">"), (high, "<=" if marks[1] == "]" else "<"))
    ]
    wrong = "error('[22000] range lower bound must be less than or equal to range upper bound')"
    return sql(
        "CASE WHEN ", _compared(emitter, low, ">", high), f" THEN CAST({wrong} AS BOOLEAN) WHEN ", emitter.frag(element),
        " IS NOT NULL THEN ", join(" AND ", tests), " END",
    )  # fmt: skip


def _of_literal(emitter: Emitter, held: ir.Lit, element: ir.Node) -> Frag | None:
    found = t.sql_type(held.type.oid)
    if not isinstance(found, RangeType) or found.multi or found.kind.subtype.oid != element.type.oid:
        return None
    spans = found.spans(str(held.value))
    given = emitter.frag(element)
    if not spans:
        return sql("CASE WHEN ", given, " IS NOT NULL THEN false END")
    (low, high), *_ = spans
    tests = [sql(given, " IS NOT NULL")]  # of no bound is asked anything else
    for end, signs in ((low, (">=", ">")), (high, ("<", "<="))):
        if not end.rank:
            tests.append(_compared(emitter, element, signs[end.side], _value(end, element.type)))
    return sql("CASE WHEN ", given, " IS NOT NULL THEN ", join(" AND ", tests), " END")


def _value(end: End, ref: TypeRef) -> ir.Lit:
    return ir.Lit(TypeRef(ref.oid), end.value)


def _compared(emitter: Emitter, a: ir.Node, sign: str, b: ir.Node) -> Frag:
    name = type_name(a.type.oid)
    return emitter.frag(ir.Call(_BOOL, f"{name} {sign} {name}", (a, b)))


def _is_short(node: ir.Node) -> bool:
    """Whether it may be named several times: no more than a few calls of what is the same each time."""
    nodes = ir.walk(node)
    return len(nodes) <= _NODES_MAX and all(
        isinstance(n, ir.Lit | ir.Parm | ir.Var | ir.Cast | ir.Session | ir.Call) and not ir.is_volatile(n)
        for n in nodes
    )


__all__ = ["has"]
