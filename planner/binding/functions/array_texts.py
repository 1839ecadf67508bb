"""Elements of arrays that are texts, as long as these are simple: `{1,NULL,3}`, without quotes inside, braces or bounds.

    a[2]             string_split('1,NULL,3', ',')[2], whose NULL is none
    3 = ANY (a)      contains(',1,NULL,3,', ',3,')

An element that looks like `NULL`, is empty, or has a comma, a brace, a blank or a quote in it, is in quotes; what is not simple is taken apart. Half a
million look-ups take 0.2 s of CPU so, 1.9 one by one.
"""

from __future__ import annotations

import re
from typing import Final

from planner import types as t
from planner.binding import ir
from planner.binding.fragments import Frag, quote_text, sql

_EQUAL: Final = frozenset(("int2 = int2", "int4 = int4", "int8 = int8", "text = text"))
_BARE: Final = re.compile(r"[A-Za-z0-9_.:-]+")
_PLACES_MAX: Final = 1_000


def _is_simple(array: Frag) -> Frag:
    return sql(
        "starts_with(",
        array,
        ", '{') AND NOT starts_with(",
        array,
        ", '{{') AND NOT contains(",
        array,
        ", chr(34))",
    )


def _inside(array: Frag) -> Frag:
    return sql("substring(", array, ", 2, length(", array, ") - 2)")


def element_at(array: Frag, node: ir.Node, place: ir.Node, otherwise: Frag) -> Frag:
    """The text of one element, at a place that is written out."""
    number = place.value if isinstance(place, ir.Lit) else None
    if not isinstance(node, ir.Var) or not isinstance(number, int) or not 1 <= number <= _PLACES_MAX:
        return otherwise
    if t.element_of(node.type.oid) in (t.BOX, t.RECORD):
        return otherwise
    # Not split_part, a macro: two of them in a CASE of a CASE fail in DuckDB where a column is known to be NULL in all rows.
    found = sql(
        "nullif(nullif(list_extract(string_split(", _inside(array), f", ','), {number}), ''), 'NULL')"
    )
    return sql("CASE WHEN ", _is_simple(array), " THEN ", found, " ELSE ", otherwise, " END")


def constant_of_any(node: ir.AnyAll) -> str | None:
    """What `constant = ANY (column)` looks for, as it stands in arrays without quotes; None where it is not that."""
    test = node.compare
    if (
        node.all
        or not isinstance(test, ir.Call)
        or test.op not in _EQUAL
        or not isinstance(node.array, ir.Var)
    ):
        return None
    left, element = test.args
    if not isinstance(left, ir.Lit) or not isinstance(element, ir.Var) or isinstance(left.value, bool):
        return None
    if isinstance(left.value, int):
        return str(left.value)
    if not isinstance(left.value, str) or left.value.lower() == "null" or not _BARE.fullmatch(left.value):
        return None
    return left.value


def has_element(array: Frag, text: str, otherwise: Frag) -> Frag:
    all_of_them = sql("',' || ", _inside(array), " || ','")
    return sql(
        "CASE WHEN ", _is_simple(array), " THEN CASE WHEN contains(", all_of_them, f", {quote_text(f',{text},')}) THEN true WHEN contains(",
        all_of_them, ", ',NULL,') THEN NULL ELSE false END ELSE ", otherwise, " END",
    )  # fmt: skip


__all__ = ["constant_of_any", "element_at", "has_element"]
