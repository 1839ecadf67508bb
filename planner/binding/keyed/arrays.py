"""Arrays in the keyed engine's words: joined, asked for elements, compared with a value, made of values.

    tags || 'new'        Call("array append", (tags, 'new'))
    tags[2] := 'new'     Call("array put", (1009, tags, 'new', 2))
    tags[:2]             Call("array slice", (tags, [not given, given], 2))
    'new' = ANY (tags)   Call("catalog among", ('new', Call("elements of", (1009, tags))))

An array's datum is its text (`planner.types.array_values`), so these are functions of texts, of whatever shape. Only for elements that are
equal where their texts are, and that are in an array's text what they are in any text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from planner import types as t
from planner.abc import Call, Const, Expr, TypeRef
from planner.binding import ir
from planner.binding.keyed.catalog import among

_ELEMENTS: Final = frozenset((t.INT2, t.INT4, t.INT8, t.TEXT, t.VARCHAR, t.UUID, t.BOOL))
_MADE: Final = _ELEMENTS | {t.NUMERIC, t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ, t.JSONB, t.FLOAT8}
"""Elements that arrays are made of."""
_CALLS: Final = {
    "array_append(anycompatiblearray, anycompatible)": "array append",
    "anycompatiblearray || anycompatible": "array append",
    "array_prepend(anycompatible, anycompatiblearray)": "array prepend",
    "anycompatible || anycompatiblearray": "array prepend",
    "array_cat(anycompatiblearray, anycompatiblearray)": "array cat",
    "anycompatiblearray || anycompatiblearray": "array cat",
    "array_remove(anycompatiblearray, anycompatible)": "array remove",
    "array_position(anycompatiblearray, anycompatible)": "array position",
    "array_length(anyarray, int4)": "array length",
    "array_upper(anyarray, int4)": "array upper",
    "array_lower(anyarray, int4)": "array lower",
    "array_ndims(anyarray)": "array ndims",
    "cardinality(anyarray)": "array cardinality",
    "array_to_string(anyarray, text)": "array strung",
    "array_to_string(anyarray, text, text)": "array strung",
    "anyarray @> anyarray": "array contains",
    "anyarray <@ anyarray": "array contained",
    "anyarray && anyarray": "array overlaps",
}
_PARTS: Final = {"array subscript": "array at", "array put": "array put", "array slice": "array slice"}
"""Also of elements whose datums are no texts."""
_OID: Final = TypeRef(t.OID)


def expression(node: ir.Node, inner: Callable[[ir.Node], Expr]) -> Expr | None:
    """What is computed of arrays; None where it is nothing of that. `inner`: what operands are; raises NotKeyed."""
    if isinstance(node, ir.Logic):
        element = t.element_of(node.type.oid) if node.op == "array" else 0
        if element not in _MADE or any(a.type.oid != element for a in node.args):
            return None
        return of_items(tuple(map(inner, node.args)), node.type)
    if isinstance(node, ir.AnyAll):
        return among(node, inner, items)
    if isinstance(node, ir.Call) and node.op in _PARTS:
        return _part(node, inner)
    if not isinstance(node, ir.Call) or node.op not in _CALLS:
        return None
    if not all(_is_plain(a.type.oid) for a in node.args):
        return None
    return Call(_CALLS[node.op], tuple(map(inner, node.args)), node.type)


def _part(node: ir.Call, inner: Callable[[ir.Node], Expr]) -> Expr | None:
    """An element or a slice, or an array with another element."""
    oid = node.args[0].type.oid
    element = t.element_of(oid)
    if element not in _MADE or oid in (t.INT2VECTOR, t.OIDVECTOR):
        return None
    if node.op == "array slice":
        bounds = node.args[1:]
        given = [not (isinstance(b, ir.Lit) and b.type.oid == t.UNKNOWN) for b in bounds]
        which = Call("catalog tuple", tuple(Const(g, TypeRef(t.BOOL)) for g in given), node.type)
        places = tuple(inner(b) for b, g in zip(bounds, given, strict=True) if g)
        return Call("array slice", (inner(node.args[0]), which, *places), node.type)
    if node.op == "array put" and node.args[1].type.oid != element:
        return None
    if node.op == "array subscript" and element == t.NUMERIC and node.type.typmod >= 0:
        return None  # which is no text
    return Call(_PARTS[node.op], (Const(oid, _OID), *map(inner, node.args)), node.type)


def of_items(items: tuple[Expr, ...], ref: TypeRef) -> Call:
    """An array of type `ref` of these elements' datums."""
    return Call("array of", (Const(ref.oid, _OID), Call("catalog tuple", items, ref)), ref)


def _is_plain(oid: int) -> bool:
    return oid in _ELEMENTS or (t.element_of(oid) in _ELEMENTS and oid not in (t.INT2VECTOR, t.OIDVECTOR))


def items(array: ir.Node, inner: Callable[[ir.Node], Expr], *, unnested: bool = False) -> Expr | None:
    """The list of an array's elements, as datums; None for arrays of other types. `unnested`: they are shown as they are, not compared."""
    oid = array.type.oid
    element = t.element_of(oid)
    shown = unnested and (element in _MADE or t.labels_of(element) is not None)
    if not element or not (_is_plain(oid) or shown):
        return None
    return Call("elements of", (Const(oid, _OID), inner(array)), array.type)


__all__ = ["expression", "items", "of_items"]
