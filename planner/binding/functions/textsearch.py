"""Text search: chapter 9.13. Where no configuration is named, the session's setting says which."""

from __future__ import annotations

import re

from planner import types as t
from planner.abc import SessionValue, TypeRef
from planner.binding import ir
from planner.binding.emit import Emitter, Implementation
from planner.binding.fragments import Frag, Item, quote_text, sql
from planner.binding.functions.registry import implementation, register, template, templates
from planner.binding.functions.value_texts import from_text
from planner.catalog.objects import FIRST_USER_OID
from planner.textsearch.matching import NEEDLES

_DEFAULT = SessionValue("text_search:", TypeRef(t.TEXT))
"""The configuration of the session's setting."""
_ALL = SessionValue("text_search", TypeRef(t.TEXT))
"""What users have made, by number."""

templates("""
tsvector || tsvector => tw_ts_concat({0}, {1})
tsquery && tsquery => tw_tsquery_and({0}, {1})
tsquery || tsquery => tw_tsquery_or({0}, {1})
tsquery <-> tsquery => tw_tsquery_phrase({0}, {1}, 1)
!! tsquery => tw_tsquery_not({0})
tsquery @> tsquery => tw_tsquery_contains({0}, {1})
tsquery <@ tsquery => tw_tsquery_contains({1}, {0})
unnest(tsvector) => list_transform(tw_tsvector_to_array({0}), lambda tw_k: {'lexeme': tw_k, 'positions': tw_ts_places({0}, tw_k), 'weights': tw_ts_weights({0}, tw_k)})
tidewire_rewritten(tsquery, _text) => tw_ts_rewrite_by({0}, {1})
ts_rewrite(tsquery, tsquery, tsquery) => tw_ts_rewrite({0}, {1}, {2})
tsvector = tsvector => ({0} = {1})
tsvector <> tsvector => ({0} <> {1})
tsquery_phrase(tsquery, tsquery, int4) => tw_tsquery_phrase({0}, {1}, {2})
strip(tsvector) => tw_ts_strip({0})
length(tsvector) => tw_ts_length({0})
setweight(tsvector, char) => tw_ts_setweight({0}, {1})
setweight(tsvector, char, _text) => tw_ts_setweight_of({0}, {1}, {2})
ts_delete(tsvector, text) => tw_ts_delete({0}, {1})
ts_delete(tsvector, _text) => tw_ts_delete_all({0}, {1})
ts_filter(tsvector, _char) => tw_ts_filter({0}, {1})
tsvector_to_array(tsvector) => tw_tsvector_to_array({0})
array_to_tsvector(_text) => tw_array_to_tsvector({0})
tsvectorsend(tsvector) => tw_send_tsvector({0})
tsquerysend(tsquery) => tw_send_tsquery({0})
numnode(tsquery) => tw_numnode({0})
querytree(tsquery) => tw_querytree({0})
""")
for _op in ("<", "<=", ">", ">="):
    template(f"tsvector {_op} tsvector", f"(tw_tsvector_key({{0}}) {_op} tw_tsvector_key({{1}}))")
for _op in ("<", "<=", ">", ">=", "=", "<>", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"):
    template(f"tsquery {_op.lower()} tsquery", f"(tw_tsquery_key({{0}}) {_op} tw_tsquery_key({{1}}))")
for _op in ("IS DISTINCT FROM", "IS NOT DISTINCT FROM"):
    template(f"tsvector {_op.lower()} tsvector", f"({{0}} {_op} {{1}})")
for _kind in ("tsvector", "tsquery"):
    _a, _b = f"tw_{_kind}_key({{0}})", f"tw_{_kind}_key({{1}})"
    template(
        f"{_kind}_cmp({_kind}, {_kind})",
        f"CASE WHEN {_a} < {_b} THEN -1 WHEN {_a} > {_b} THEN 1 WHEN {_a} = {_b} THEN 0 END",
    )
for _name in ("ts_rank", "ts_rank_cd"):
    template(f"{_name}(tsvector, tsquery)", f"tw_{_name}({{0}}, {{1}}, 0)")
    template(f"{_name}(tsvector, tsquery, int4)", f"tw_{_name}({{0}}, {{1}}, {{2}})")
    template(f"{_name}(_float4, tsvector, tsquery)", f"tw_{_name}_by({{0}}, {{1}}, {{2}}, 0)")
    template(f"{_name}(_float4, tsvector, tsquery, int4)", f"tw_{_name}_by({{0}}, {{1}}, {{2}}, {{3}})")


def _said(node: ir.Node, value: Frag) -> Frag:
    """A configuration or dictionary as the functions take it: a number that PostgreSQL has, or a definition."""
    if isinstance(node, ir.Lit) and isinstance(node.value, int):
        if node.value < FIRST_USER_OID:
            return sql(quote_text(str(node.value)))
        return sql(SessionValue(f"text_search:{node.value}", TypeRef(t.TEXT)))
    number = sql("CAST(", value, " AS VARCHAR)")
    return sql(
        "CASE WHEN ",
        value,
        f" < {FIRST_USER_OID} THEN ",
        number,
        " ELSE tw_ts_among(",
        number,
        ", ",
        _ALL,
        ") END",
    )


def _with_said(text: str) -> Implementation:
    """A template in which {0} is a configuration or dictionary."""
    cut = re.split(r"\{(\d)\}", text)

    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        said = _said(call.args[0], args[0])
        return sql(*(x if i % 2 == 0 else said if x == "0" else args[int(x)] for i, x in enumerate(cut)))

    return made


register("ts_lexize(regdictionary, text)", _with_said("tw_ts_lexize({0}, {1})"))
register("unaccent(regdictionary, text)", _with_said("tw_ts_unaccent({0}, {1})"))


def _read(name: str) -> None:
    """With a configuration, and with the session's."""
    register(f"{name}(regconfig, text)", _with_said(f"tw_{name}({{0}}, {{1}})"))

    def made(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
        return sql(f"tw_{name}(", _DEFAULT, ", ", args[0], ")")

    register(f"{name}(text)", made)


for _name in ("to_tsvector", "to_tsquery", "plainto_tsquery", "phraseto_tsquery", "websearch_to_tsquery"):
    _read(_name)


def _read_with(name: str, given: str, text: str) -> None:
    """The same of several arguments: in `text` the configuration is {0}."""
    register(f"{name}(regconfig, {given})", _with_said(text))
    cut = re.split(r"\{(\d)\}", text)

    def made(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
        items: list[Item] = []
        for i, piece in enumerate(cut):
            items.append(piece if i % 2 == 0 else _DEFAULT if piece == "0" else args[int(piece) - 1])
        return sql(*items)

    register(f"{name}({given})", made)


for _kind in ("json", "jsonb"):
    _read_with("to_tsvector", _kind, "tw_json_to_tsvector({0}, {1})")
    _read_with(f"{_kind}_to_tsvector", f"{_kind}, jsonb", "tw_json_to_tsvector_of({0}, {1}, {2})")
for _options, _given in (("''", "tsquery"), ("{3}", "tsquery, text")):
    _read_with("ts_headline", f"text, {_given}", f"tw_ts_headline({{0}}, {{1}}, {{2}}, {_options})")
    _made_of_json = f"tw_ts_headline_json({{0}}, {{1}}, {{2}}, {_options})"
    _read_with("ts_headline", f"json, {_given}", _made_of_json)
    _read_with("ts_headline", f"jsonb, {_given}", f"tw_jsonb({_made_of_json})")


def _current(_emitter: Emitter, _call: ir.Call, _args: list[Frag]) -> Frag:
    setting = SessionValue("setting:default_text_search_config", TypeRef(t.TEXT))
    return from_text(sql(setting), TypeRef(t.REGCONFIG))


register("get_current_ts_config()", _current)


def _debugged(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    with_configuration = implementation("ts_debug(regconfig, text)")
    assert with_configuration is not None
    return with_configuration(emitter, call, [_current(emitter, call, []), *args])


register("ts_debug(text)", _debugged)


def _matched(vector: Frag, query: Frag) -> Frag:
    """DuckDB looks for what every match has in it; the rows that have it go to Python."""
    needles: list[Item] = []
    for place in range(NEEDLES):
        needles += [" OR " if place else "", "contains(", vector, ", tw_ts_needle(", query, f", {place}))"]
    return sql("CASE WHEN NOT (", *needles, ") THEN false ELSE tw_ts_match(", vector, ", ", query, ") END")


_OF_TEXT = ("to_tsvector(text)", "to_tsvector(regconfig, text)")


def _match(vector: int) -> Implementation:
    def made(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        made_of = call.args[vector]
        if isinstance(made_of, ir.Call):  # what has to be made of a text is made once
            if made_of.op in _OF_TEXT:
                text = emitter.arguments(made_of.op, made_of.args)
                said = _said(made_of.args[0], text[0]) if len(text) > 1 else _DEFAULT
                return sql("tw_ts_text_match(", said, ", ", text[-1], ", ", args[1 - vector], ")")
            return sql("tw_ts_match(", args[vector], ", ", args[1 - vector], ")")
        return _matched(args[vector], args[1 - vector])

    return made


register("tsvector @@ tsquery", _match(0))
register("tsquery @@ tsvector", _match(1))
register("tsvector @@@ tsquery", _match(0))  # the names of old
register("tsquery @@@ tsvector", _match(1))


def _text_with_query(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_ts_text_match(", _DEFAULT, ", ", args[0], ", ", args[1], ")")


def _text_with_text(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    query = sql("tw_plainto_tsquery(", _DEFAULT, ", ", args[1], ")")
    return sql("tw_ts_text_match(", _DEFAULT, ", ", args[0], ", ", query, ")")


register("text @@ tsquery", _text_with_query)
register("text @@ text", _text_with_text)
