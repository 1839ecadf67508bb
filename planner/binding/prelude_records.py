"""JSON objects as records: what json_to_record and json_populate_record read, field by field.

A field becomes text that its type's input function reads: a string's contents, the text of other values, an array's
or a composite's own literal for JSON arrays and objects.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from planner import types as t
from planner.abc import SqlError, TypeRef
from planner.binding.prelude_json import spans
from planner.types.array_values import ArrayValue, write
from planner.types.jsons import canonical, decoded, members

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V, _N = "VARCHAR", "INTEGER"


def _input(value: Any, ref: TypeRef, written: str = "") -> str | None:
    """A JSON value, as it was written where that is known, as text for the type's input function."""
    if value is None:
        return None
    if ref.oid in (t.JSON, t.JSONB):
        return written or canonical(value)
    element = t.element_of(ref.oid)
    if element:
        return _array(value, TypeRef(element))
    fields = t.composite_fields(ref.oid)
    found = members(value)
    if fields is not None and found is not None:
        return _shown(t.join_record([_input(found.get(name), kind) for name, kind in fields]), ref)
    return value if type(value) is str else written or canonical(value)


def _shown(text: str, ref: TypeRef) -> str:
    return t.output_text(t.input_text(text, TypeRef(ref.oid)), TypeRef(ref.oid))


def _array(value: Any, element: TypeRef) -> str:
    if isinstance(value, str):
        return value
    if not isinstance(value, list) or members(value) is not None:
        raise SqlError("22P02", "expected JSON array")
    dims: list[int] = []
    inner: Any = value
    while isinstance(inner, list) and members(inner) is None:
        dims.append(len(inner))
        inner = inner[0] if inner else None
    items: list[str | None] = []

    def leaves(part: Any, depth: int) -> None:
        if depth == len(dims):
            items.append(_input(part, element))
            return
        if not isinstance(part, list) or len(part) != dims[depth]:
            raise SqlError(
                "22P02",
                "malformed JSON array",
                detail="Multidimensional arrays must have sub-arrays with matching dimensions.",
            )
        for x in part:
            leaves(x, depth + 1)

    leaves(value, 0)
    return write(ArrayValue(tuple(dims), (1,) * len(dims), items))


def _object(text: str) -> dict[str, Any]:
    value = decoded(text)
    found = members(value)
    if found is None:
        kind = "an array" if isinstance(value, list) else "a scalar"
        raise SqlError("22023", f"cannot call populate_composite on {kind}")
    return found


def _field(text: str, key: str, oid: int) -> str | None:
    found = _object(text)
    return _input(found[key], TypeRef(oid), dict(spans(text))[key]) if key in found else None


def _populated(base: list[str | None], text: str, oid: int) -> str:
    """A composite value with what the object has in place of the base's fields."""
    fields = t.composite_fields(oid)
    if fields is None:
        raise SqlError("42804", "first argument of json_populate_record must be a row type")
    found = _object(text)
    old = [None] * len(fields) if base[0] is None else t.split_record(base[0])
    written = dict(spans(text))
    items = [
        _input(found[name], ref, written[name]) if name in found else kept
        for (name, ref), kept in zip(fields, old, strict=True)
    ]
    return _shown(t.join_record(items), TypeRef(oid))


FUNCTIONS: list[Entry] = [
    ("tw_json_field", _field, (_V, _V, _N), _V),
    ("tw_json_populated", _populated, ("VARCHAR[]", _V, _N), _V),
]
