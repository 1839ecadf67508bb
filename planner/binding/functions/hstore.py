"""hstore: operators and functions of texts by key (`planner.extensions.hstores`)."""

from __future__ import annotations

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.dimensions import SHAPED, held_form, is_text
from planner.binding.emit import Emitter
from planner.binding.fragments import ARRAY_TEXT, Frag, join, quote_text, sql
from planner.binding.functions.registry import implements, templates
from planner.binding.functions.value_texts import (
    record_item,
    record_text,
    record_value,
    stored_text,
    stored_value,
)
from planner.binding.records import called_fields, fields_of

templates("""
hstore = hstore => ({0} = {1})
hstore <> hstore => ({0} <> {1})
hstore is distinct from hstore => ({0} IS DISTINCT FROM {1})
hstore is not distinct from hstore => ({0} IS NOT DISTINCT FROM {1})
hstore -> text => tw_hstore_value({0}, {1})
subscript(hstore, text) => tw_hstore_value({0}, {1})
hstore ? text => tw_hstore_has({0}, {1})
hstore ?& _text => tw_hstore_has_all({0}, {1})
hstore ?| _text => tw_hstore_has_any({0}, {1})
hstore @> hstore => tw_hstore_contains({0}, {1})
hstore <@ hstore => tw_hstore_contains({1}, {0})
hstore || hstore => tw_hstore_concat({0}, {1})
hstore - text => tw_hstore_minus({0}, {1})
hstore - _text => tw_hstore_minus_all({0}, {1})
hstore - hstore => tw_hstore_minus_pairs({0}, {1})
hstore_to_array(hstore) => tw_hstore_flat({0})
%% hstore => tw_hstore_flat({0})
hstore #<# hstore => (tw_hstore_key({0}) < tw_hstore_key({1}))
hstore #<=# hstore => (tw_hstore_key({0}) <= tw_hstore_key({1}))
hstore #># hstore => (tw_hstore_key({0}) > tw_hstore_key({1}))
hstore #>=# hstore => (tw_hstore_key({0}) >= tw_hstore_key({1}))
isexists(hstore, text) => tw_hstore_has({0}, {1})
defined(hstore, text) => tw_hstore_defined({0}, {1})
isdefined(hstore, text) => tw_hstore_defined({0}, {1})
slice(hstore, _text) => tw_hstore_slice({0}, {1})
akeys(hstore) => tw_hstore_keys({0})
avals(hstore) => tw_hstore_all_values({0})
skeys(hstore) => tw_hstore_keys({0})
svals(hstore) => tw_hstore_all_values({0})
each(hstore) => list_transform(tw_hstore_keys({0}), lambda tw_k: {'key': tw_k, 'value': tw_hstore_value({0}, tw_k)})
hstore(text, text) => CASE WHEN {1} IS NULL THEN tw_hstore_null({0}) ELSE tw_hstore_pair({0}, {1}) END
tconvert(text, text) => CASE WHEN {1} IS NULL THEN tw_hstore_null({0}) ELSE tw_hstore_pair({0}, {1}) END
hstore(_text, _text) => CASE WHEN {1} IS NULL THEN tw_hstore_nulls({0}) ELSE tw_hstore_arrays({0}, {1}) END
hstore_to_json(hstore) => tw_hstore_json({0})
hstore_to_json_loose(hstore) => tw_hstore_json_loose({0})
hstore_to_jsonb(hstore) => tw_jsonb(tw_hstore_json({0}))
hstore_to_jsonb_loose(hstore) => tw_jsonb(tw_hstore_json_loose({0}))
hstore_lt(hstore, hstore) => (tw_hstore_key({0}) < tw_hstore_key({1}))
hstore_le(hstore, hstore) => (tw_hstore_key({0}) <= tw_hstore_key({1}))
hstore_gt(hstore, hstore) => (tw_hstore_key({0}) > tw_hstore_key({1}))
hstore_ge(hstore, hstore) => (tw_hstore_key({0}) >= tw_hstore_key({1}))
hstore put => CASE WHEN {1} IS NULL THEN error('[22004] hstore subscript in assignment must not be null') ELSE tw_hstore_concat(coalesce({0}, ''), CASE WHEN {2} IS NULL THEN tw_hstore_null({1}) ELSE tw_hstore_pair({1}, {2}) END) END
hstore_send(hstore) => tw_send_hstore({0})
""")


@implements("hstore_to_matrix(hstore)", "%# hstore")
def _matrix(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_hstore_matrix(", args[0], ")", form=ARRAY_TEXT)


@implements("hstore -> _text")
def _values(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    if is_text(args[1]):
        return sql("tw_hstore_values_text(", args[0], ", ", args[1], ")", form=ARRAY_TEXT)
    return sql("tw_hstore_values(", args[0], ", ", args[1], ")")


@implements("hstore(_text)")
def _of_array(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_hstore_array_text(" if is_text(args[0]) else "tw_hstore_array(", args[0], ")")


SHAPED.update(("hstore -> _text", "hstore(_text)"))


def _parts(emitter: Emitter, node: ir.Node, frag: Frag) -> list[tuple[str, Frag]]:
    """The fields of a row by name, each as the text that it is shown as. Raises 0A000 for a row of unknown fields."""
    if isinstance(node, ir.Cast) and node.type.oid == t.RECORD:
        return _parts(emitter, node.arg, emitter.frag(node.arg))
    if isinstance(node, ir.Logic) and node.op == "row":
        named = called_fields(node.type) or tuple(f"f{i}" for i in range(1, len(node.args) + 1))
        return [
            (name, record_item(emitter.frag(arg), arg.type))
            for name, arg in zip(named, node.args, strict=True)
        ]
    composite = t.composite_fields(node.type.oid)
    if composite is not None:
        return [
            (name, record_item(_cell(sql("tw_record_item(", frag, f", {i})"), ref), TypeRef(ref.oid)))
            for i, (name, ref) in enumerate(composite)
        ]
    fields = fields_of(node.type)
    if fields is None:
        raise PlanError("0A000", "hstore of a record of unknown fields is not supported")
    found = []
    for name, (held, ref) in zip(called_fields(node.type), fields, strict=True):
        cell = sql("struct_extract(", frag, ", ", quote_text(held), ")", form=held_form(ref))
        found.append((name, record_item(cell, ref)))
    return found


def _cell(cell: Frag, ref: TypeRef) -> Frag:
    return cell.with_form(ARRAY_TEXT) if t.element_of(ref.oid) else stored_value(cell, TypeRef(ref.oid))


@implements("hstore(record)")
def _of_row(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    """The fields of a row; of one that is NULL they are all null."""
    parts = _parts(emitter, call.args[0], args[0])
    names = join(", ", [quote_text(name) for name, _ in parts])
    values = join(", ", [text for _, text in parts])
    return sql("tw_hstore_arrays(CAST([", names, "] AS VARCHAR[]), CAST([", values, "] AS VARCHAR[]))")


@implements("populate_record(anyelement, hstore)", "anyelement #= hstore")
def _filled(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    """A row with what there is by its fields' names."""
    of, base, h = call.args[0].type, args[0], args[1]
    fields = t.composite_fields(of.oid) if of.oid != t.RECORD else fields_of(of)
    if fields is None:
        if of.oid == t.RECORD:
            raise PlanError("0A000", "populate_record of a record of unknown fields is not supported")
        raise PlanError("42804", "first argument must be a rowtype")
    composite = of.oid != t.RECORD
    text = base if composite else record_text(base, of, stored_text)
    names = join(", ", [quote_text(name) for name, _ in fields])
    oids = ", ".join(str(ref.oid) for _, ref in fields)
    modifiers = ", ".join(str(ref.typmod if composite else -1) for _, ref in fields)
    made = sql(
        "tw_hstore_filled(CAST([", text, "] AS VARCHAR[]), ", h, ", CAST([", names, "] AS VARCHAR[]), ",
        f"CAST([{oids}] AS INTEGER[]), CAST([{modifiers}] AS INTEGER[]))",
    )  # fmt: skip
    value = made if composite else record_value(made, of)
    return sql("CASE WHEN ", h, " IS NULL THEN ", base, " ELSE ", value, " END")
