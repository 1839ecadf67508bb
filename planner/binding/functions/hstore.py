"""hstore: operators and functions of texts by key (`planner.extensions.hstores`)."""

from __future__ import annotations

from planner.binding import ir
from planner.binding.emit import Emitter
from planner.binding.fragments import ARRAY_TEXT, Frag, sql
from planner.binding.functions.registry import implements, templates

templates("""
hstore = hstore => ({0} = {1})
hstore <> hstore => ({0} <> {1})
hstore is distinct from hstore => ({0} IS DISTINCT FROM {1})
hstore is not distinct from hstore => ({0} IS NOT DISTINCT FROM {1})
hstore -> text => tw_hstore_value({0}, {1})
subscript(hstore, text) => tw_hstore_value({0}, {1})
hstore -> _text => tw_hstore_values({0}, {1})
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
hstore(_text) => tw_hstore_array({0})
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
