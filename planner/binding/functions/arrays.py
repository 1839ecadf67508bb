"""Arrays: subscripts from one, slices, containment, and the functions of chapter 9.19; set-returning functions."""

from __future__ import annotations

from planner import types as t
from planner.abc import TypeRef
from planner.binding import ir
from planner.binding.dimensions import flat
from planner.binding.emit import Emitter, Frag, sql
from planner.binding.functions.conversions import to_text
from planner.binding.functions.registry import implements, template, templates

templates("""
array_append(anycompatiblearray, anycompatible) => list_append(coalesce({0}, []), {1})
array_prepend(anycompatible, anycompatiblearray) => list_prepend({0}, coalesce({1}, []))
anycompatiblearray || anycompatible => list_append(coalesce({0}, []), {1})
anycompatible || anycompatiblearray => list_prepend({0}, coalesce({1}, []))
array_position(anycompatiblearray, anycompatible) => CAST(list_position({0}, {1}) AS INTEGER)
array_remove(anycompatiblearray, anycompatible) => list_filter({0}, lambda tw_x: tw_x IS DISTINCT FROM {1})
array_replace(anycompatiblearray, anycompatible, anycompatible) => list_transform({0}, lambda tw_x: CASE WHEN tw_x IS NOT DISTINCT FROM {1} THEN {2} ELSE tw_x END)
array_positions(anycompatiblearray, anycompatible) => list_filter(CAST(range(1, len({0}) + 1) AS INTEGER[]), lambda tw_i: list_extract({0}, tw_i) IS NOT DISTINCT FROM {1})
anyarray @> anyarray => list_has_all({0}, {1})
anyarray <@ anyarray => list_has_all({1}, {0})
anyarray && anyarray => list_has_any({0}, {1})
trim_array(anyarray, int4) => {0}[1:len({0}) - {1}]
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


@implements("record field")
def _field(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql("struct_extract(", args[0], ", ", args[1], ")")


@implements("array_to_string(anyarray, text)")
def _to_string(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    element = TypeRef(t.element_of(call.args[0].type.oid))
    inner = to_text(Frag(("tw_x",)), element, t.TEXT)
    args = [flat(args[0]), *args[1:]]
    kept = sql("list_filter(", args[0], ", lambda tw_x: tw_x IS NOT NULL)")
    return sql(
        "CASE WHEN ",
        args[1],
        " IS NULL THEN NULL WHEN len(",
        kept,
        ") = 0 AND ",
        args[0],
        " IS NOT NULL THEN '' ELSE array_to_string(list_transform(",
        kept,
        ", lambda tw_x: ",
        inner,
        "), ",
        args[1],
        ") END",
    )


@implements("array_to_string(anyarray, text, text)")
def _to_string_null(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    args = [flat(args[0]), *args[1:]]
    element = TypeRef(t.element_of(call.args[0].type.oid))
    inner = to_text(Frag(("tw_x",)), element, t.TEXT)
    shown = sql("list_transform(", args[0], ", lambda tw_x: coalesce(", inner, ", ", args[2], "))")
    kept = sql("list_filter(", shown, ", lambda tw_x: tw_x IS NOT NULL)")
    return sql(
        "CASE WHEN ", args[1], " IS NULL THEN NULL WHEN len(", kept, ") = 0 AND ", args[0],
        " IS NOT NULL THEN '' ELSE array_to_string(", kept, ", ", args[1], ") END",
    )  # fmt: skip
