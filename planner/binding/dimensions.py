"""The two forms that an array has while a query computes with it.

    form None         DuckDB's list: one dimension, from one         ARRAY[1, 2], array_agg(x), string_to_array(...)
    form ARRAY_TEXT   PostgreSQL's text, whatever its shape          columns, parameters, literals, ARRAY[[1], [2]]

PostgreSQL's `int[]` says nothing of dimensions and bounds, so what comes from outside is text, which has them all
(`planner.types.array_values`). A function to which the shape means nothing (`= ANY`, unnest, `@>`, array_to_string, ...)
gets the elements as a list, row by row; texts without quotes and braces are split by DuckDB itself. One to which it
does (subscripts, `||`, array_dims, ...) says that it is `shaped` and gets the fragment as it is. What leaves the
statement or meets an array of the other form is text again.
"""

from __future__ import annotations

from typing import Final

from planner import types as t
from planner.abc import TypeRef
from planner.binding import shapes
from planner.binding.emit import Emitter
from planner.binding.evaluation import let
from planner.binding.fragments import ARRAY_TEXT, Form, Frag, sql
from planner.relations import domain_in, of_domain

SHAPED: Final[set[str]] = set()
"""Signatures whose implementations take arrays in both forms."""

ONE_DIMENSIONAL: Final[set[str]] = set()
"""Signatures that refuse arrays of more dimensions (2202E)."""

VECTORS: Final = {t.INT2VECTOR: t.INT2, t.OIDVECTOR: t.OID}
"""The arrays of the system catalogs that are types of their own, and count from zero."""

# Element types of which equal values have equal texts.
_EXACT: Final = frozenset(
    (
        t.BOOL, t.INT2, t.INT4, t.INT8, t.TEXT, t.VARCHAR, t.NAME, t.UUID, t.OID, t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ,
        t.TIME, t.BYTEA, t.CHAR,
    )
)  # fmt: skip
_CAST: Final = frozenset((t.BOOL, t.INT2, t.INT4, t.INT8, t.OID))


def array_over(element: TypeRef) -> TypeRef:
    """The type of ARRAY[...] over elements: over arrays, the same type with a dimension more."""
    if t.element_of(element.oid):
        return element
    made = TypeRef(t.array_of(element.oid), element.typmod if element.oid == t.RECORD else -1)
    domain = domain_in(element)
    return of_domain(made, t.ARRAY_OF.get(domain, 0)) if domain else made


def is_text(frag: Frag) -> bool:
    return frag.form == ARRAY_TEXT


def held_form(ref: TypeRef) -> Form:
    """The form that a field of this type has within a record: arrays are texts there."""
    return ARRAY_TEXT if t.element_of(ref.oid) and _has_text(ref) else None


def _has_text(ref: TypeRef) -> bool:
    """Records of unknown fields stay what DuckDB has made of them."""
    return ref.oid != t.RECORD_ARRAY or ref.typmod >= 0


def element_ref(ref: TypeRef) -> TypeRef:
    """The element type of an array type; of records, with their fields."""
    return TypeRef(t.element_of(ref.oid), ref.typmod if ref.oid == t.RECORD_ARRAY else -1)


def as_list(frag: Frag, ref: TypeRef) -> Frag:
    """The elements as a list, row by row."""
    if not is_text(frag):
        return frag
    from planner.binding.functions.value_texts import stored_value

    element = element_ref(ref)
    items = sql("tw_list(", frag, ")")
    if element.oid in _CAST:
        return sql("CAST(", items, f" AS {t.duckdb_type(element)}[])")
    inner = stored_value(Frag(("tw_x",)), element)
    return items if inner.text == "tw_x" else sql("list_transform(", items, ", lambda tw_x: ", inner, ")")


def single(frag: Frag) -> Frag:
    """The texts of an array in text form, which may have one dimension. Raises 2202E where it has more."""
    return sql("tw_array_single(", frag, ")")


def as_text(frag: Frag, ref: TypeRef) -> Frag:
    """The array as it is stored."""
    if is_text(frag) or not t.element_of(ref.oid):
        return frag
    if not _has_text(ref):
        return frag
    if shapes.asked_again(frag.parts):  # DuckDB's array_to_string is a macro, which names its argument twice
        once = as_text(Frag(("tw_drawn",), frag.form), ref)
        return let("tw_drawn", frag, once).with_form(ARRAY_TEXT)
    items = stored_items(frag, element_ref(ref))
    bare = element_ref(ref).oid in _CAST
    return sql("tw_bare_array(" if bare else "tw_array_text(", items, ")", form=ARRAY_TEXT)


def stored_items(frag: Frag, element: TypeRef) -> Frag:
    """The texts of a list's elements."""
    from planner.binding.functions.value_texts import stored_text

    inner = stored_text(Frag(("tw_x",)), element)
    return frag if inner.text == "tw_x" else sql("list_transform(", frag, ", lambda tw_x: ", inner, ")")


def with_items(frag: Frag, items: Frag) -> Frag:
    """An array in text form with other elements (a list of texts) in the same places."""
    return sql("tw_array_with(", frag, ", ", items, ")", form=ARRAY_TEXT)


def array_key(frag: Frag, ref: TypeRef) -> Frag:
    """What compares as the arrays do: the elements, then the shape."""
    from planner.binding.comparable import comparable

    element = element_ref(ref)
    text = as_text(frag, ref)
    inner = comparable(Frag(("tw_x",)), element)
    items = as_list(text, ref)
    if inner.text != "tw_x":
        items = sql("list_transform(", items, ", lambda tw_x: ", inner, ")")
    return sql("{'i': ", items, ", 'd': tw_array_shape(", text, ")}")


def is_exact(ref: TypeRef) -> bool:
    """Whether arrays of the type are equal just where their texts are."""
    element = t.element_of(ref.oid)
    return element in _EXACT or t.labels_of(element) is not None


def list_type(emitter: Emitter, ref: TypeRef) -> str:
    """DuckDB's type of an array's list form: numerics in it are texts."""
    return emitter.duck(TypeRef(t.element_of(ref.oid))) + "[]"
