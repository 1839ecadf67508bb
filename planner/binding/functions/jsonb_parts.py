"""Parts of jsonb by constant keys and places: DuckDB's functions, where they say what PostgreSQL says.

    data -> 'a' ->> 'b'     json_extract_string(data, '$."a"."b"')      a text, a whole number, true, false, null or nothing
                            tw_json_text(tw_json_path ...)              what else is there: objects, arrays, other numbers

DuckDB reads a document in a twentieth of a microsecond where Python takes three. It writes objects without PostgreSQL's blanks and
numbers without their zeros (`1.50`), so these, and strings with escapes of `->`, are the Python function's, row by row. A document is named
several times, so it has to be a column; keys and places have to be the same for all rows, or else DuckDB reads a path for each.
"""

from __future__ import annotations

import re
from typing import Final

from planner import types as t
from planner.binding import ir
from planner.binding.emit import Emitter
from planner.binding.fragments import Frag, Item, join, quote_text, sql
from planner.binding.functions.registry import register
from planner.binding.prelude.jsonb_parts import PLACE_MAX

_PLAIN: Final = re.compile(r'[^"\\*]+')
"""Keys that a path in quotes names as they are."""

_Step = tuple[Frag, Frag | None]
"""(a step of a path, whether it is one: None where that is known)"""


def _step(emitter: Emitter, key: ir.Node) -> _Step | None:
    """A step by a key or place that is the same for all rows; None: it is not, or no path says it."""
    if isinstance(key, ir.Lit):
        if isinstance(key.value, str) and _PLAIN.fullmatch(key.value):
            return Frag((quote_text(f'."{key.value}"'),)), None
        if isinstance(key.value, int) and abs(key.value) <= PLACE_MAX:
            return Frag((quote_text(f"[{'#' if key.value < 0 else ''}{key.value}]"),)), None
        return None
    if not isinstance(key, ir.Parm):
        return None
    said = emitter.frag(key)
    if key.type.oid == t.TEXT:
        return sql("tw_jsonb_by_key(", said, ")"), sql("tw_jsonb_is_key(", said, ")")
    return sql("tw_jsonb_by_place(", said, ")"), sql("tw_jsonb_is_place(", said, ")")


def _path(emitter: Emitter, node: ir.Node) -> tuple[ir.Var, list[_Step]] | None:
    """The column that a chain of arrows begins with, and its steps."""
    steps: list[_Step] = []
    while isinstance(node, ir.Call) and node.op in _ARROWS:
        step = _step(emitter, node.args[1])
        if step is None:
            return None
        steps.append(step)
        node = node.args[0]
    return (node, steps[::-1]) if isinstance(node, ir.Var) else None


def _said(emitter: Emitter, node: ir.Node) -> list[Item] | None:
    """Document, path and whether the path is one, as the macros take them; None for what no path leads to."""
    found = _path(emitter, node)
    if found is None:
        return None
    column, steps = found
    path = join(" || ", [quote_text("$"), *(step for step, _ in steps)])
    asked: list[Item] = [said for _, said in steps if said is not None]
    if _by_place(node):  # what no path leads to may be the first element of a scalar
        asked.append(sql("json_type(", emitter.frag(column), ", ", path, ") IS NOT NULL"))
    return [emitter.frag(column), ", ", path, ", ", join(" AND ", asked or ["true"])]


def _part(op: str, slowly: str, macro: str) -> None:
    before, between, after = re.split(r"\{\d\}", slowly)

    def made(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        slow = sql(before, args[0], between, args[1], after)
        said = _said(emitter, call)
        return sql(f"{macro}(", *said, ", ", slow, ")") if said is not None else slow

    register(op, made)


def _measure(op: str, slowly: str, macro: str) -> None:
    """What is asked of a part, and not the part itself."""

    def made(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        slow = sql(f"{slowly}(", args[0], ")")
        said = _said(emitter, call.args[0])
        return sql(f"{macro}(", *said, ", ", slow, ")") if said is not None else slow

    register(op, made)


def _by_place(node: ir.Node) -> bool:
    return (
        isinstance(node, ir.Call)
        and node.op in _ARROWS
        and (node.op.endswith("int4") or _by_place(node.args[0]))
    )


_ARROWS: Final = ("jsonb -> text", "jsonb -> int4", "jsonb ->> text", "jsonb ->> int4")

_part("jsonb -> text", "tw_json_member({0}, {1})", "tw_jsonb_part")
_part("jsonb -> int4", "tw_jsonb_element({0}, {1})", "tw_jsonb_part")
_part("jsonb ->> text", "tw_json_text(tw_json_member({0}, {1}))", "tw_jsonb_text")
_part("jsonb ->> int4", "tw_json_text(tw_jsonb_element({0}, {1}))", "tw_jsonb_text")
_measure("jsonb_typeof(jsonb)", "tw_json_typeof", "tw_jsonb_kind")
_measure("jsonb_array_length(jsonb)", "tw_json_length", "tw_jsonb_count")


def _along(op: str, slowly: str, macro: str) -> None:
    """`#>` and `#>>`: a step that is a number is one of objects and arrays alike, which no path says."""
    before, after = slowly.split("{0}, {1}")

    def made(emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        slow = sql(before, args[0], ", ", args[1], after)
        if not isinstance(call.args[0], ir.Var) or not _is_constant(call.args[1]):
            return slow
        path, known = sql("tw_jsonb_by_keys(", args[1], ")"), sql("tw_jsonb_are_keys(", args[1], ")")
        return sql(f"{macro}(", args[0], ", ", path, ", ", known, ", ", slow, ")")

    register(op, made)


def _is_constant(node: ir.Node) -> bool:
    if isinstance(node, ir.Logic) and node.op == "array":
        return all(map(_is_constant, node.args))
    return isinstance(node, ir.Lit | ir.Parm)


_along("jsonb #> _text", "tw_json_path({0}, {1})", "tw_jsonb_part")
_along("subscript(jsonb, _text)", "tw_json_path({0}, {1})", "tw_jsonb_part")
_along("jsonb #>> _text", "tw_json_text(tw_json_path({0}, {1}))", "tw_jsonb_text")
