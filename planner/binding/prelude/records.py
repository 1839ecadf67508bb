"""JSON objects as records: what json_to_record and json_populate_record read, field by field.

A field becomes text that its type's input function reads: a string's contents, other values as they are written, an
array's or a composite's own literal for JSON arrays and objects. So values are taken apart by their texts, one level at a time:

    {"a": [1, [2]], "b": {"c": 3}}    a int[], b t    ->    at "a" two levels were promised: [1] is no array
                                                            "b" is asked of t's fields, beside what the base has in b

So does hstore fill rows up, whose values are such texts already.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from planner import types as t
from planner.abc import SqlError, TypeRef
from planner.binding.prelude.json import spans
from planner.extensions.hstores import pairs_of
from planner.types.array_values import ArrayValue, write
from planner.types.json_errors import refuse_escapes
from planner.types.jsons import decoded

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V, _N = "VARCHAR", "INTEGER"
Fields = Sequence[tuple[str, TypeRef]]


def _input(raw: str, ref: TypeRef, key: str, base: str | None = None) -> str | None:
    """A JSON value, as it is written, as text for the type's input function; `base` is what the field had."""
    raw = raw.strip()
    if raw == "null":
        return None
    if ref.oid in (t.JSON, t.JSONB):
        return raw
    if raw.startswith('"'):
        return str(decoded(raw))
    element = t.element_of(ref.oid)
    if element:
        return _Array(TypeRef(element), key).read(raw)
    fields = t.composite_fields(ref.oid)
    return raw if fields is None else _shown(_filled(base, raw, fields), ref)


def _shown(text: str, ref: TypeRef) -> str:
    return t.output_text(t.input_text(text, TypeRef(ref.oid)), TypeRef(ref.oid))


class _Array:
    """A JSON array on its way to become one of PostgreSQL's, which has as many elements everywhere on one level."""

    def __init__(self, element: TypeRef, key: str) -> None:
        self._element, self._key = element, key
        self._dims: list[int] = []
        self._depth = 0
        """How many levels there are, once the first that is no array has been met."""
        self._counted = [0]
        """How many elements have been read, level by level."""
        self._items: list[str | None] = []

    def read(self, raw: str) -> str:
        """Raises 22P02 for what is no array, or not on all levels."""
        self._level(raw, 0)
        dims = tuple(self._dims)
        return write(ArrayValue(dims, (1,) * len(dims), self._items)) if self._items else "{}"

    def _level(self, raw: str, level: int) -> None:
        if not raw.startswith("["):
            self._refuse(level)
        parts = [part for _, part in spans(raw)]
        if not self._depth and not (parts and parts[0].startswith("[")):
            self._depth = level + 1
            self._dims = [-1] * self._depth
        while len(self._counted) <= level:
            self._counted.append(0)
        for part in parts:
            if self._depth == level + 1:
                self._items.append(_input(part, self._element, ""))
            else:
                self._level(part, level + 1)
            self._counted[level] += 1
        if self._dims[level] not in (-1, len(parts)):
            raise SqlError(
                "22P02",
                "malformed JSON array",
                detail="Multidimensional arrays must have sub-arrays with matching dimensions.",
            )
        self._dims[level], self._counted[level] = len(parts), 0

    def _refuse(self, level: int) -> NoReturn:
        of = f'key "{self._key}"' if self._key else ""
        if level:
            place = "".join(f"[{n}]" for n in self._counted[:level])
            hint = f"See the array element {place}{of and f' of {of}'}."
        else:
            hint = f"See the value of {of}." if of else ""
        raise SqlError("22P02", "expected JSON array", hint=hint)


def _object(text: str) -> dict[str, str]:
    """The texts of an object's values. Raises 22023 for what is none."""
    if not text.lstrip().startswith("{"):
        kind = "an array" if text.lstrip().startswith("[") else "a scalar"
        raise SqlError("22023", f"cannot call populate_composite on {kind}")
    return dict(spans(text))


def _field(text: str, key: str, oid: int) -> str | None:
    refuse_escapes(text)
    found = _object(text).get(key)
    return None if found is None else _input(found, TypeRef(oid), key)


def _filled(base: str | None, text: str, fields: Fields) -> str:
    """A record with what the object has in place of the base's fields."""
    found = _object(text)
    old = [None] * len(fields) if base is None else t.split_record(base)
    return t.join_record(
        [
            _input(found[name], ref, name, kept) if name in found else kept
            for (name, ref), kept in zip(fields, old, strict=True)
        ]
    )


def _populated(base: list[str | None], text: str, oid: int) -> str:
    """The same of a composite value."""
    fields = t.composite_fields(oid)
    if fields is None:
        raise SqlError("42804", "first argument of json_populate_record must be a row type")
    refuse_escapes(text)
    return _shown(_filled(base[0], text, fields), TypeRef(oid))


def _populated_record(base: list[str | None], text: str, names: list[str], oids: list[int]) -> str:
    refuse_escapes(text)
    return _filled(base[0], text, [(name, TypeRef(oid)) for name, oid in zip(names, oids, strict=True)])


def _filled_by_pairs(
    base: list[str | None], h: str, names: list[str], oids: list[int], modifiers: list[int]
) -> str:
    """A row with what its fields' input functions make of an hstore's values. If there are none it stays as it is."""
    found, row = pairs_of(h), base[0]
    if not found and row is not None:
        return row
    old = [None] * len(names) if row is None else t.split_record(row)
    fields = zip(names, map(TypeRef, oids, modifiers), old, strict=True)
    return t.join_record([_held(found[n], ref) if n in found else kept for n, ref, kept in fields])


def _held(text: str | None, ref: TypeRef) -> str | None:
    return None if text is None else t.output_text(t.input_text(text, ref), ref)


FUNCTIONS: list[Entry] = [
    ("tw_json_field", _field, (_V, _V, _N), _V),
    ("tw_json_populated", _populated, ("VARCHAR[]", _V, _N), _V),
    ("tw_hstore_filled", _filled_by_pairs, ("VARCHAR[]", _V, "VARCHAR[]", "INTEGER[]", "INTEGER[]"), _V),
    ("tw_json_populated_record", _populated_record, ("VARCHAR[]", _V, "VARCHAR[]", "INTEGER[]"), _V),
]
