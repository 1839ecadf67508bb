"""`f(VARIADIC array)`: the elements of an array as the arguments of a function that takes any number of them.

How many there are shows when the statement runs, so each such function has a form over a list here. An array that is NULL
gives NULL; only format() takes it for no arguments.
"""

from __future__ import annotations

from planner.binding import ir
from planner.binding.dimensions import element_ref
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, sql
from planner.binding.functions.arrays import strung
from planner.binding.functions.json import key_json, type_json
from planner.binding.functions.registry import implements, register
from planner.binding.functions.value_texts import record_item

_ELEMENT = Frag(("tw_x",))


def _each(items: Frag, made: Frag) -> Frag:
    return sql("list_transform(", items, ", lambda tw_x: ", made, ")")


def _texts(call: ir.Call, items: Frag) -> Frag:
    return _each(items, record_item(_ELEMENT, element_ref(call.args[-1].type)))


@implements("format(variadic text, any)")
def _format(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_format(", args[0], ", coalesce(", _texts(call, args[1]), ", CAST([] AS VARCHAR[])))")


@implements("concat(variadic any)")
def _concat(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    return sql("array_to_string(", _texts(call, args[0]), ", '')")


@implements("concat_ws(variadic text, any)")
def _concat_ws(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    shown = sql("list_filter(", _texts(call, args[1]), ", lambda tw_x: tw_x IS NOT NULL)")
    return strung(shown, args[0], call.args[0])


def _counted(name: str, test: str) -> None:
    def made(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
        return sql("CAST(len(list_filter(", args[0], f", lambda tw_x: tw_x {test})) AS INTEGER)")

    register(f"{name}(variadic any)", made)


_counted("num_nulls", "IS NULL")
_counted("num_nonnulls", "IS NOT NULL")


def _json_array(word: str) -> None:
    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        value = type_json(_ELEMENT, element_ref(call.args[0].type))
        text = sql("tw_json_array(", _each(args[0], sql("coalesce(", value, ", 'null')")), ")")
        return sql("tw_jsonb(", text, ")") if word == "jsonb" else text

    register(f"{word}_build_array(variadic any)", made)


_ODD = (
    "error('[22023] argument list must have even number of elements [HINT] "
    "The arguments of {}_build_object() must consist of alternating keys and values.')"
)


def _json_object(word: str) -> None:
    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        items, element = args[0], element_ref(call.args[0].type)
        at = sql("list_extract(", items, ", tw_i)")
        after = sql("list_extract(", items, ", tw_i + 1)")
        pair = sql(
            "{'k': ", key_json(at, element), ", 'v': coalesce(", type_json(after, element), ", 'null')}"
        )  # fmt: skip
        pairs = sql("list_transform(range(1, len(", items, ") + 1, 2), lambda tw_i: ", pair, ")")
        built = sql(f"tw_{word}_built(CAST(", pairs, " AS STRUCT(k VARCHAR, v VARCHAR)[]))")
        odd = _ODD.format(word)
        return sql(
            "CASE WHEN len(", items, f") % 2 = 1 THEN {odd} WHEN ", items, " IS NOT NULL THEN ", built, " END"
        )  # fmt: skip

    register(f"{word}_build_object(variadic any)", made)


def _extract_path(word: str, suffix: str) -> None:
    def made(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
        found = sql("tw_json_path(", args[0], ", ", args[1], ")")
        return sql("tw_json_text(", found, ")") if suffix else found

    register(f"{word}_extract_path{suffix}(variadic {word}, _text)", made)


for _word in ("json", "jsonb"):
    _json_array(_word)
    _json_object(_word)
    for _suffix in ("", "_text"):
        _extract_path(_word, _suffix)
