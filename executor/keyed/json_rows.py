"""Rows as JSON (`planner.binding.keyed_json`): fields in their order, each as to_json says it."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any, Final

from executor.keyed.registry import lax
from planner import types as t
from planner.abc import TypeRef
from planner.types.jsons import jsonb_in

_DEFAULTS: Final = t.TypeSettings()
_NUMBERS: Final = frozenset((t.INT2, t.INT4, t.INT8, t.NUMERIC, t.FLOAT4, t.FLOAT8))
_NO_NUMBERS: Final = frozenset(("NaN", "Infinity", "-Infinity"))
_TIMES: Final = frozenset((t.TIMESTAMP, t.TIMESTAMPTZ))
_OTHERWISE: Final = frozenset((t.FLOAT4, t.FLOAT8, t.JSON))
"""Types whose values jsonb says in other words than json."""
_HOURS: Final = re.compile(r"([+-]\d\d)( BC)?$")


@lru_cache(maxsize=64)
def _in_zone(zone: str) -> t.TypeSettings:
    return t.TypeSettings(time_zone=zone)


def _value(value: Any, oid: int, zone: str) -> str:
    if value is None:
        return "null"
    if oid == t.BOOL:
        return "true" if value else "false"
    if oid in (t.JSON, t.JSONB):
        return str(value)
    settings = _in_zone(zone) if oid == t.TIMESTAMPTZ else _DEFAULTS
    text = t.output_text(value, TypeRef(oid), settings)
    if oid in _NUMBERS:
        return f'"{text}"' if text in _NO_NUMBERS else text
    if oid in _TIMES:
        text = text.replace(" ", "T", 1)
        if oid == t.TIMESTAMPTZ:
            text = _HOURS.sub(r"\1:00\2", text)
    return json.dumps(text, ensure_ascii=False)


@lax("json of row")
def json_of_row(zone: str, *fields: Any) -> str:
    """`fields`: name, type, value, name, type, value, ..."""
    pairs = [
        f"{json.dumps(fields[i], ensure_ascii=False)}:{_value(fields[i + 2], fields[i + 1], zone)}"
        for i in range(0, len(fields), 3)
    ]
    return "{" + ",".join(pairs) + "}"


@lax("jsonb of row")
def jsonb_of_row(zone: str, *fields: Any) -> str:
    """The same in jsonb's form."""
    values = []
    for i in range(0, len(fields), 3):
        oid, value = fields[i + 1], fields[i + 2]
        text = _value(value, oid, zone)
        values.append(jsonb_in(text) if oid in _OTHERWISE and value is not None else text)
    return "{" + ", ".join([f"{key}: {values[at]}" for key, at in _order(fields[::3])]) + "}"


@lru_cache(maxsize=256)
def _order(names: tuple[str, ...]) -> list[tuple[str, int]]:
    """The keys as jsonb has them, quoted, and where their values are."""
    ordered = sorted((len(name.encode()), name.encode(), i) for i, name in enumerate(names))
    return [(json.dumps(names[i], ensure_ascii=False), i) for _, _, i in ordered]
