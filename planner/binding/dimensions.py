"""Arrays of several dimensions: lists within lists, whose depth is known when a statement is planned.

PostgreSQL's `int[]` says nothing of dimensions, DuckDB's list types say it all. So, like a numeric's scale (see
`emit`), the depth is part of a fragment's form:

    ARRAY[1, 2]                INTEGER[]      form None: one dimension
    ARRAY[[1, 2], [3, 4]]      INTEGER[][]    form (2, DIMENSIONS)

Columns and parameters are of one dimension. An array that leaves a statement goes as PostgreSQL's text when it has
more; the encoders pass that on, or read it again for the binary format.
"""

from __future__ import annotations

from typing import Final

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding.emit import Form, Frag, sql

DIMENSIONS: Final = -1
"""In the scale's place of a form: the first number counts dimensions."""
DEPTH_MAX: Final = 6
"""PostgreSQL's MAXDIM."""


def array_over(element: TypeRef) -> TypeRef:
    """The type of ARRAY[...] over elements: over arrays, the same type with a dimension more."""
    if t.element_of(element.oid):
        return element
    return TypeRef(t.array_of(element.oid), element.typmod if element.oid == t.RECORD else -1)


def depth(frag: Frag) -> int:
    """The dimensions of an array's fragment."""
    return frag.form[0] if frag.form is not None and frag.form[1] == DIMENSIONS else 1


def form_of(dimensions: int) -> Form:
    if dimensions > DEPTH_MAX:
        raise PlanError(
            "54000", f"number of array dimensions ({dimensions}) exceeds the maximum allowed ({DEPTH_MAX})"
        )
    return None if dimensions == 1 else (dimensions, DIMENSIONS)


def flat(frag: Frag) -> Frag:
    """All elements in one list, row by row."""
    for _ in range(depth(frag) - 1):
        frag = sql("flatten(", frag, ")")
    return frag.with_form(None)


def mapped(frag: Frag, change: str, dimensions: int) -> Frag:
    """`list_transform` of the elements; `change` calls each of them tw_x."""
    if dimensions == 1:
        return sql("list_transform(", frag, f", lambda tw_x: {change})")
    inner = mapped(Frag((f"tw_l{dimensions}",)), change, dimensions - 1)
    return sql("list_transform(", frag, f", lambda tw_l{dimensions}: ", inner, ")")


def first_of(frag: Frag, dimension: int) -> Frag:
    """The first subarray at a dimension (the array itself at 1)."""
    for _ in range(dimension - 1):
        frag = sql("list_extract(", frag, ", 1)")
    return frag.with_form(None)
