"""Values and rows as JSON (`planner.binding.keyed.json`): fields in their order, each as to_json says it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import lru_cache, partial
from typing import Any, Final

from executor.abc import ExecutionError
from executor.keyed import text as texts
from executor.keyed.registry import lax, scalar
from planner import types as t
from planner.abc import TypeRef
from planner.binding.records import called_fields, fields_of
from planner.types import array_values as arrays
from planner.types.jsons import jsonb_in, within_bounds

_DEFAULTS: Final = t.TypeSettings()
_NUMBERS: Final = frozenset((t.INT2, t.INT4, t.INT8, t.NUMERIC, t.FLOAT4, t.FLOAT8))
_NO_NUMBERS: Final = frozenset(("NaN", "Infinity", "-Infinity"))
_TIMES: Final = frozenset((t.TIMESTAMP, t.TIMESTAMPTZ))
_SCALARS: Final = frozenset(
    (
        t.INT2, t.INT4, t.INT8, t.OID, t.BOOL, t.NUMERIC, t.TEXT, t.VARCHAR, t.BPCHAR, t.NAME, t.UUID, t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ,
        t.JSONB,
    )
)  # fmt: skip
"""Types whose values jsonb says in the words of json: not so floating points, json and arrays."""
_quote: Final = json.encoder.encode_basestring
_HOURS: Final = re.compile(r"([+-]\d\d)( BC)?$")


_BY_LOOK: Final = frozenset((t.TIMESTAMPTZ, t.FLOAT4, t.FLOAT8))


@lru_cache(maxsize=64)
def _settings(look: str) -> t.TypeSettings:
    zone, _, digits = look.partition("\n")
    return t.TypeSettings(time_zone=zone, extra_float_digits=int(digits) if digits else 1)


def _value(value: Any, oid: int, look: str) -> str:
    if value is None:
        return "null"
    if oid == t.BOOL:
        return "true" if value else "false"
    if oid in (t.JSON, t.JSONB):
        return str(value)
    if oid not in _SCALARS and (element := t.element_of(oid)):
        return _array(value, oid, element, look, ",")
    settings = _settings(look) if oid in _BY_LOOK else _DEFAULTS
    text = t.output_text(value, TypeRef(oid), settings)
    if oid in _NUMBERS:
        return f'"{text}"' if text in _NO_NUMBERS else text
    if oid in _TIMES:
        text = text.replace(" ", "T", 1)
        if oid == t.TIMESTAMPTZ:
            text = _HOURS.sub(r"\1:00\2", text)
    return json.dumps(text, ensure_ascii=False)


def _array(array: str, oid: int, element: int, look: str, between: str) -> str:
    """Elements in their brackets, within as many as there are dimensions."""
    cells = [_value(x, element, look) for x in t.array_items(array, oid)]
    for size in arrays.parse(array).dims[:0:-1]:
        cells = [f"[{between.join(cells[i : i + size])}]" for i in range(0, len(cells), size)]
    return f"[{between.join(cells)}]"


def _binary(value: Any, oid: int, look: str) -> str:
    """The same in jsonb's form."""
    text = _value(value, oid, look)
    return text if value is None or oid in _SCALARS else jsonb_in(text)


lax("json of")(lambda look, oid, value: _value(value, oid, look))
lax("jsonb of")(lambda look, oid, value: _binary(value, oid, look))
scalar("json of value")(lambda look, oid, value: _value(value, oid, look))
scalar("jsonb of value")(lambda look, oid, value: _binary(value, oid, look))


@lax("json cell")
def _cell(text: str | None) -> str:
    return "null" if text is None else text


def _whole(text: str) -> str:
    """A document of json that has been put together."""
    if len(text) > texts.LONGEST:
        raise ExecutionError("54000", "requested length too large")
    return text


@lax("json array")
def _json_array(*values: str) -> str:
    return _whole(f"[{', '.join(values)}]")


@lax("jsonb array")
def _jsonb_array(*values: str) -> str:
    return within_bounds(f"[{', '.join(values)}]")


@lax("json row object")
def _json_row_object(*pairs: Any) -> str:
    return "{" + ",".join([f"{_quote(pairs[i])}:{pairs[i + 1]}" for i in range(0, len(pairs), 2)]) + "}"


@lax("json object")
def _json_object(*pairs: Any) -> str:
    """json_build_object: name, value, name, value, ... Raises 22023."""
    for i in range(0, len(pairs), 2):
        if pairs[i] is None:
            raise ExecutionError(
                "22023", f"argument {i + 1} cannot be null", hint="Object keys should be text."
            )
    made = [f"{_quote(str(pairs[i]))} : {pairs[i + 1]}" for i in range(0, len(pairs), 2)]
    return _whole("{" + ", ".join(made) + "}")


@lax("jsonb object")
def _jsonb_object(*pairs: Any) -> str:
    """jsonb_build_object. Raises 22023."""
    for i in range(0, len(pairs), 2):
        if pairs[i] is None:
            raise ExecutionError("22023", f"argument {i + 1}: key must not be null")
    names = tuple([str(x) for x in pairs[::2]])
    if len(set(names)) < len(names):  # the last one counts
        last = dict(zip(names, pairs[1::2], strict=True))
        pairs = tuple(x for pair in last.items() for x in pair)
        names = tuple(last)
    made: list[str] = [f"{key}: {pairs[2 * at + 1]}" for key, at in _order(names)]
    return within_bounds("{" + ", ".join(made) + "}", "object elements")


@lru_cache(maxsize=1024)
def _fields(shape: int) -> tuple[tuple[str, int, int], ...]:
    """(name, the type that it is said as, its own shape if it is a record) of each field of a record type."""
    ref = TypeRef(t.RECORD, shape)
    return tuple(
        (name, t.TEXT if t.labels_of(f.oid) is not None else f.oid, f.typmod if f.oid == t.RECORD else -1)
        for name, (_, f) in zip(called_fields(ref), fields_of(ref) or (), strict=True)
    )


def _record(kind: str, look: str, shape: int, record: Sequence[Any]) -> str:
    """A record that is held as a value (`Call("record", ...)`)."""
    say, whole = (_value, _json_row_object) if kind == "json" else (_binary, _jsonb_object)
    pairs: list[str] = []
    for (name, oid, inner), value in zip(_fields(shape), record, strict=True):
        if oid == t.RECORD:
            pairs += (name, "null" if value is None else _record(kind, look, inner, value))
        else:
            pairs += (name, say(value, oid, look))
    made: str = whole(*pairs)
    return made


lax("record")(lambda *values: values)
lax("record is null")(lambda record: record is None or all(v is None for v in record))
lax("record is not null")(lambda record: record is not None and all(v is not None for v in record))
scalar("json of record")(partial(_record, "json"))
scalar("jsonb of record")(partial(_record, "jsonb"))


def gathered_json(kind: str, rows: Sequence[Sequence[Any]]) -> str:
    """json_agg and its kin, of texts of JSON. Raises 22023."""
    if kind in ("json", "jsonb"):
        return f"[{', '.join([r[0] for r in rows])}]"
    if kind == "json-rows":  # a line for each, but for those that are NULL
        rest = [f", {r[0]}" if r[0] == "null" else f", \n {r[0]}" for r in rows[1:]]
        return f"[{rows[0][0]}{''.join(rest)}]"
    if any(r[0] is None for r in rows):
        raise ExecutionError("22023", "field name must not be null")
    if kind == "jsonb-object":
        made: str = _jsonb_object(*[x for r in rows for x in r[:2]])
        return made
    return "{ " + ", ".join([f"{_quote(str(r[0]))} : {r[1]}" for r in rows]) + " }"


@lax("json of row")
def json_of_row(look: str, *fields: Any) -> str:
    """`fields`: name, type, value, name, type, value, ..."""
    pairs = [
        f"{json.dumps(fields[i], ensure_ascii=False)}:{_value(fields[i + 2], fields[i + 1], look)}"
        for i in range(0, len(fields), 3)
    ]
    return "{" + ",".join(pairs) + "}"


@lax("jsonb of row")
def jsonb_of_row(look: str, *fields: Any) -> str:
    """The same in jsonb's form."""
    values = []
    for i in range(0, len(fields), 3):
        values.append(_binary(fields[i + 2], fields[i + 1], look))
    return "{" + ", ".join([f"{key}: {values[at]}" for key, at in _order(fields[::3])]) + "}"


@lru_cache(maxsize=256)
def _order(names: tuple[str, ...]) -> list[tuple[str, int]]:
    """The keys as jsonb has them, quoted, and where their values are."""
    ordered = sorted((len(name.encode()), name.encode(), i) for i, name in enumerate(names))
    return [(json.dumps(names[i], ensure_ascii=False), i) for _, _, i in ordered]
