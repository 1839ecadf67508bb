"""Arrays: subscripts from one, slices, containment, and the functions of chapter 9.19; set-returning functions."""

from __future__ import annotations

from planner import types as t
from planner.abc import TypeRef
from planner.binding import ir
from planner.binding.dimensions import SHAPED
from planner.binding.emit import ARRAY_TEXT, Emitter, Frag, as_text_numeric, sql
from planner.binding.functions.conversions import stored_text, to_text
from planner.binding.functions.registry import implements, template, templates

templates("""
_pg_expandarray(anyarray) => list_transform({0}, lambda tw_x, tw_i: struct_pack(x := tw_x, n := CAST(tw_i AS INTEGER)))
generate_series(int4, int4) => CAST(generate_series({0}, {1}) AS INTEGER[])
generate_series(int4, int4, int4) => CAST(generate_series({0}, {1}, tw_step({2})) AS INTEGER[])
generate_series(int8, int8) => generate_series({0}, {1})
generate_series(int8, int8, int8) => generate_series({0}, {1}, tw_step({2}))
generate_series(numeric, numeric) => tw_num_series({0}, {1}, '1')
generate_series(numeric, numeric, numeric) => tw_num_series({0}, {1}, {2})
""")


@implements("vector subscript")
def _vector_subscript(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    # int2vector, oidvector and the characters of a name count from zero.
    if call.args[0].type.oid == t.NAME:
        return sql("CASE WHEN ", args[1], " >= 0 THEN substring(", args[0], ", ", args[1], " + 1, 1) END")
    return sql("CASE WHEN ", args[1], " >= 0 THEN list_extract(", args[0], ", ", args[1], " + 1) END")


template("composite field", "tw_record_item({0}, {1})")


@implements("composite put")
def _put_field(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    """UPDATE ... SET c.f = x: the composite, the field's value, its place, how many fields there are."""
    nothing = "(" + "," * (int(call.args[3].value) - 1) + ")" if isinstance(call.args[3], ir.Lit) else "()"
    cell = stored_text(
        as_text_numeric(args[1]) if call.args[1].type.oid == t.NUMERIC else args[1], call.args[1].type
    )
    return sql(
        "tw_record_put(coalesce(", args[0], f", '{nothing}'), ", args[2], ", CAST([", cell, "] AS VARCHAR[]))"
    )


@implements("record field")
def _field(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql(
        "struct_extract(",
        args[0],
        ", ",
        args[1],
        ")",
        form=ARRAY_TEXT if t.element_of(call.type.oid) else None,
    )


@implements("array_to_string(anyarray, text)")
def _to_string(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    element = TypeRef(t.element_of(call.args[0].type.oid))
    inner = to_text(Frag(("tw_x",)), element, t.TEXT)
    kept = sql("list_filter(", args[0], ", lambda tw_x: tw_x IS NOT NULL)")
    return _strung(sql("list_transform(", kept, ", lambda tw_x: ", inner, ")"), args[1])


@implements("array_to_string(anyarray, text, text)")
def _to_string_null(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    element = TypeRef(t.element_of(call.args[0].type.oid))
    inner = to_text(Frag(("tw_x",)), element, t.TEXT)
    shown = sql("list_transform(", args[0], ", lambda tw_x: coalesce(", inner, ", ", args[2], "))")
    kept = sql("list_filter(", shown, ", lambda tw_x: tw_x IS NOT NULL)")
    return _strung(kept, args[1])


def _strung(texts: Frag, separator: Frag) -> Frag:
    return sql("CASE WHEN ", separator, " IS NOT NULL THEN array_to_string(", texts, ", ", separator, ") END")


SHAPED.add("composite put")
