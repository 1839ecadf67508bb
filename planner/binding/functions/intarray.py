"""intarray: operators and functions of arrays of whole numbers (`planner.extensions.numbers`).

What asks of sets of elements DuckDB asks of many rows at once. An array with a NULL is refused, where PostgreSQL's own operators of the
same signs take it. Each operator is the function that PostgreSQL says it calls.
"""

from __future__ import annotations

import re
from typing import Final

from planner import types as t
from planner.abc import TypeRef
from planner.binding import ir
from planner.binding.dimensions import SHAPED, as_list, as_text
from planner.binding.emit import Emitter
from planner.binding.fragments import ARRAY_TEXT, Frag, sql
from planner.binding.functions.registry import register
from planner.extensions import facts

_INT4_ARRAY: Final = TypeRef(t.INT4_ARRAY)
_OF_ELEMENTS: Final = {
    "icount(_int4)": "CAST(len({r0}) AS INTEGER)",
    "intset(int4)": "[{0}]",
    "idx(_int4, int4)": "CAST(coalesce(list_position({0}, {1}), 0) AS INTEGER)",
    "subarray(_int4, int4)": "tw_int_part({0}, {1}, 0)",
    "subarray(_int4, int4, int4)": "tw_int_part({0}, {1}, {2})",
    "intarray_push_elem(_int4, int4)": "list_append({0}, {1})",
    "intarray_push_array(_int4, _int4)": "list_concat({0}, {1})",
    "intset_union_elem(_int4, int4)": "list_sort(list_distinct(list_append({0}, {1})))",
    "intset_subtract(_int4, _int4)": "list_sort(list_distinct(list_filter({0}, lambda tw_x: NOT list_contains({1}, tw_x))))",
    "_int_union(_int4, _int4)": "list_sort(list_distinct(list_concat({0}, {1})))",
    "_int_inter(_int4, _int4)": "list_sort(list_distinct(list_filter({0}, lambda tw_x: list_contains({1}, tw_x))))",
    "_int_contains(_int4, _int4)": "list_has_all({0}, {1})",
    "_int_contained(_int4, _int4)": "list_has_all({1}, {0})",
    "_int_overlap(_int4, _int4)": "list_has_any({0}, {1})",
    "_int_same(_int4, _int4)": "(list_sort({0}) = list_sort({1}))",
    "_int_different(_int4, _int4)": "(list_sort({0}) <> list_sort({1}))",
    "boolop(_int4, query_int)": "tw_int_holds({0}, {1})",
    "rboolop(query_int, _int4)": "tw_int_holds({1}, {0})",
    "querytree(query_int)": "tw_int_querytree({0})",
}
"""`{0}`: elements of which none is NULL; `{r0}`: of which some may be."""
_OF_TEXTS: Final = {
    "sort(_int4)": "tw_int_ordered({0}, 'asc')",
    "sort(_int4, text)": "tw_int_ordered({0}, {1})",
    "sort_asc(_int4)": "tw_int_ordered({0}, 'asc')",
    "sort_desc(_int4)": "tw_int_ordered({0}, 'desc')",
    "uniq(_int4)": "tw_int_uniq({0})",
    "intarray_del_elem(_int4, int4)": "tw_int_without({0}, {1})",
}
_HOLE: Final = re.compile(r"\{(r?)(\d)\}")


def _elements(frag: Frag, *, checked: bool) -> Frag:
    items = as_list(frag, _INT4_ARRAY)
    if not checked:
        return items
    refused = "error('[22004] array must not contain nulls')"
    return sql(
        "CASE WHEN len(list_filter(",
        items,
        f", lambda tw_n: tw_n IS NULL)) > 0 THEN {refused} ELSE ",
        items,
        " END",
    )


def _declare(signature: str, function: str) -> None:
    SHAPED.add(signature)
    text = _OF_ELEMENTS.get(function) or _OF_TEXTS[function]
    pieces = _HOLE.split(text)

    def given(call: ir.Call, args: list[Frag], raw: str, at: int) -> Frag:
        if call.args[at].type.oid != t.INT4_ARRAY:
            return args[at]
        if function in _OF_TEXTS:
            return as_text(args[at], _INT4_ARRAY)
        return _elements(args[at], checked=not raw)

    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        holes = zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True)
        found = [given(call, args, raw, int(at)) if i else after for raw, at, after in holes for i in (1, 0)]
        if function in _OF_TEXTS:
            return sql(pieces[0], *found, form=ARRAY_TEXT)
        unknown = [item for arg in args for item in (" AND ", arg, " IS NOT NULL")][1:]
        return sql("CASE WHEN ", *unknown, " THEN ", pieces[0], *found, " END")

    register(signature, made)


for _function in (*_OF_ELEMENTS, *_OF_TEXTS):
    _declare(_function, _function)
for _extension, _sign, _left, _right, _, _name in facts("operators"):
    if _extension == "intarray":
        _both = ", ".join(x for x in (_left, _right) if x)
        _declare(f"{_left} {_sign} {_right}".lstrip(), f"{_name}({_both})")
