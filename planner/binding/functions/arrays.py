"""Arrays: subscripts from one, slices, containment, and the functions of chapter 9.19; set-returning functions."""

from __future__ import annotations

from planner import types as t
from planner.abc import TypeRef
from planner.binding import ir
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, join, sql
from planner.binding.functions.registry import implements, natively, templates
from planner.binding.functions.value_texts import to_text
from planner.binding.numeric_forms import as_text_numeric
from planner.binding.series import asked_for

templates("""
generate_series(numeric, numeric) => tw_num_series({0}, {1}, '1', 1152921504606846976)
generate_series(numeric, numeric, numeric) => tw_num_series({0}, {1}, {2}, 1152921504606846976)
_pg_expandarray(anyarray) => list_transform({0}, lambda tw_x, tw_i: struct_pack(x := tw_x, n := CAST(tw_i AS INTEGER)))
""")


@implements(
    "generate_series(int4, int4)",
    "generate_series(int4, int4, int4)",
    "generate_series(int8, int8)",
    "generate_series(int8, int8, int8)",
)
def _series(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    step = sql("tw_step(", args[2], ")") if len(args) == 3 else sql("1")
    last = args[1]
    if not any(map(ir.varies, call.args)):  # what draws is said once
        last = sql("tw_series_last(", args[0], ", ", last, ", ", step, ")")
    made = sql("generate_series(", args[0], ", ", last, ", ", step, ")")
    return sql("CAST(", made, " AS INTEGER[])") if "int4" in call.op else made


@natively("generate_series(numeric, numeric)", "generate_series(numeric, numeric, numeric)")
def _numeric_series(call: ir.Call, args: list[Frag]) -> Frag | None:
    """One that is told how many of its elements LIMIT asks for (`planner.binding.series`)."""
    *given, limit, offset = args
    if len(given) != call.op.count("numeric"):
        return None
    given = [as_text_numeric(a) for a in given] + [sql("'1'")] * (len(given) == 2)
    return sql("tw_num_series(", join(", ", [*given, asked_for([limit, offset])]), ")")


@implements("vector subscript")
def _vector_subscript(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    # int2vector, oidvector and the characters of a name count from zero.
    if call.args[0].type.oid == t.NAME:
        return sql("CASE WHEN ", args[1], " >= 0 THEN substring(", args[0], ", ", args[1], " + 1, 1) END")
    return sql("CASE WHEN ", args[1], " >= 0 THEN list_extract(", args[0], ", ", args[1], " + 1) END")


@implements("array_to_string(anyarray, text)")
def _to_string(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    element = TypeRef(t.element_of(call.args[0].type.oid))
    inner = _shown(element)
    kept = sql("list_filter(", args[0], ", lambda tw_x: tw_x IS NOT NULL)")
    return strung(sql("list_transform(", kept, ", lambda tw_x: ", inner, ")"), args[1], call.args[1])


@implements("array_to_string(anyarray, text, text)")
def _to_string_null(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    element = TypeRef(t.element_of(call.args[0].type.oid))
    inner = _shown(element)
    shown = sql("list_transform(", args[0], ", lambda tw_x: coalesce(", inner, ", ", args[2], "))")
    kept = sql("list_filter(", shown, ", lambda tw_x: tw_x IS NOT NULL)")
    return strung(kept, args[1], call.args[1])


def _shown(element: TypeRef) -> Frag:
    """An element as an array's text has it: a boolean is one letter."""
    if element.oid == t.BOOL:
        return sql("CASE WHEN tw_x THEN 't' WHEN NOT tw_x THEN 'f' END")
    return to_text(Frag(("tw_x",)), element, t.CSTRING)


def strung(texts: Frag, separator: Frag, said: ir.Node) -> Frag:
    """Texts in a row. DuckDB's string_agg takes constants for separators only: another one goes before each text but the first."""
    if not isinstance(said, ir.Lit):
        texts = sql(
            "list_transform(", texts, ", lambda tw_part, tw_nth: CASE WHEN tw_nth = 1 THEN tw_part ELSE concat(", separator, ", tw_part) END)"
        )  # fmt: skip
        return sql("CASE WHEN ", separator, " IS NOT NULL THEN array_to_string(", texts, ", '') END")
    return sql("CASE WHEN ", separator, " IS NOT NULL THEN array_to_string(", texts, ", ", separator, ") END")
