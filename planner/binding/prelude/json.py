"""Python functions on json and jsonb, whose values are texts: json as written, jsonb in canonical form."""

from __future__ import annotations

import json
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from planner.abc import SqlError
from planner.binding.prelude import json_changes as changes
from planner.binding.prelude import one_document as jsonb
from planner.binding.prelude.jsonb_columns import same_text
from planner.types.json_errors import refuse_escapes
from planner.types.jsons import json_in, jsonb_in, parts_of, read_string, written

Entry = tuple[str, Callable[..., Any], tuple[str, ...], str]
_V = "VARCHAR"

load: Callable[[str], Any] = json.JSONDecoder(parse_float=Decimal).decode
_raw: Callable[[str, int], Any] = json.JSONDecoder().raw_decode


_quote: Callable[[str], str] = json.encoder.encode_basestring


def _plain(v: Any) -> str:
    if isinstance(v, str):
        return v if v.__class__ is _Written else _quote(v)
    if isinstance(v, dict):
        return "{" + ",".join(f"{_quote(k)}:{_plain(x)}" for k, x in v.items()) + "}"
    if isinstance(v, _Members):
        return "{" + ",".join(f"{_quote(k)}:{_plain(x)}" for k, x in v) + "}"
    if isinstance(v, list):
        return "[" + ",".join(map(_plain, v)) + "]"
    if isinstance(v, Decimal):
        return format(v, "f")
    return json.dumps(v, ensure_ascii=False)


def spans(text: str) -> Any:
    """An object or array of json as its parts' own texts, spacing kept; None for a scalar."""
    body = text.strip()
    if not body or body[0] not in "{[":
        return None
    at, out = 1, []
    closing = "}" if body[0] == "{" else "]"
    while True:
        at = _skip(body, at)
        if body[at] == closing:
            break
        key = None
        if closing == "}":
            key, at = _raw(body, at)
            at = _skip(body, at) + 1
            at = _skip(body, at)
        _, end = _raw(body, at)
        out.append((key, body[at:end]))
        at = _skip(body, end)
        if body[at] == ",":
            at += 1
    return out


def _skip(body: str, at: int) -> int:
    while body[at] in " \t\r\n":
        at += 1
    return at


def _member(text: str, key: str) -> str | None:
    refuse_escapes(text)
    return _named(text, key)


def _named(text: str, key: str) -> str | None:
    body = text.strip()
    if not body.startswith("{"):
        return None
    found = None
    for k, v in spans(body):
        if k == key:
            found = v
    return found


def _element(text: str, index: int) -> str | None:
    refuse_escapes(text)
    return _at(text, index)


def _jsonb_element(text: str, index: int) -> str | None:
    """To PostgreSQL a scalar is an array of one, if it is jsonb."""
    if text[0] in "{[":
        return _element(text, index)
    return text if index in (0, -1) else None


def _at(text: str, index: int) -> str | None:
    body = text.strip()
    if not body.startswith("["):
        return None
    parts = spans(body)
    if index < 0:
        index += len(parts)
    return parts[index][1] if 0 <= index < len(parts) else None


def shown(value: str | None) -> str | None:
    """A part as `->>` shows it."""
    if value is None or value == "null":
        return None
    return read_string(value) if value.startswith('"') else value


def _path(text: str, path: list[str | None]) -> str | None:
    refuse_escapes(text)
    at: str | None = text.strip()
    for step in path:
        if at is None or step is None:
            return None
        body = at.strip()
        if body.startswith("{"):
            at = _named(body, step)
        elif body.startswith("["):
            try:
                at = _at(body, int(step))
            except ValueError:
                return None
        else:
            return None
    return at


def _kind(text: str) -> str:
    c = text.strip()[:1]
    return {"{": "object", "[": "array", '"': "string", "t": "boolean", "f": "boolean", "n": "null"}.get(
        c, "number"
    )


def _length(text: str) -> int:
    body = text.strip()
    if not body.startswith("["):
        raise SqlError(
            "22023",
            "cannot get array length of a non-array"
            if body.startswith("{")
            else "cannot get array length of a scalar",
        )
    return len(spans(body))


def _keys(text: str, kind: str = "json") -> list[str]:
    body = text.strip()
    if not body.startswith("{"):
        what = "an array" if body.startswith("[") else "a scalar"
        raise SqlError("22023", f"cannot call {kind}_object_keys on {what}")
    refuse_escapes(text)
    return [k for k, _ in spans(body)]


def members_of(text: str, function: str) -> list[tuple[str, str]]:
    """An object's keys with the texts of their values. Raises 22023."""
    body = text.lstrip()
    if not body.startswith("{"):
        if function.startswith("jsonb"):
            raise SqlError("22023", f"cannot call {function} on a non-object")
        raise SqlError(
            "22023", f"cannot deconstruct {'an array as an object' if body.startswith('[') else 'a scalar'}"
        )
    refuse_escapes(text)
    return spans(text)  # type: ignore[no-any-return]


def _elements(text: str, function: str = "json_array_elements") -> list[str]:
    body = text.strip()
    if body.startswith("["):
        if function.endswith("text"):
            refuse_escapes(text)
        return [v for _, v in spans(body)]
    is_object = body.startswith("{")
    if function.startswith("jsonb"):
        message = f"cannot extract elements from {'an object' if is_object else 'a scalar'}"
    else:
        message = f"cannot call {function} on a {'non-array' if is_object else 'scalar'}"
    raise SqlError("22023", message)


def _records(text: str, function: str) -> list[str]:
    """The objects of an array all of whose strings are read. Raises 22023 for what is none, and has others in it."""
    refuse_escapes(text)
    body = text.strip()
    if not body.startswith("["):
        what = "an object" if body.startswith("{") else "a scalar"
        what = "a non-array" if function.startswith("jsonb") else what
        raise SqlError("22023", f"cannot call {function} on {what}")
    found = [v for _, v in spans(body)]
    if not all(v.startswith("{") for v in found):
        raise SqlError("22023", f"argument of {function} must be an array of objects")
    return found


def _without_nulls(text: str) -> str:
    refuse_escapes(text)
    return _compact(_strip_nulls(_pairs_of(text)))


class _Members(list[tuple[str, Any]]):
    """An object of json, whose keys may be there twice."""


class _Written(str):
    """A number of json, which stays as it was written: 1e3, -0.0."""


_pairs_of: Callable[[str], Any] = json.JSONDecoder(
    parse_float=_Written, parse_int=_Written, object_pairs_hook=_Members
).decode


def _strip_nulls(v: Any) -> Any:
    if isinstance(v, _Members):
        return _Members((k, _strip_nulls(x)) for k, x in v if x is not None)
    if isinstance(v, dict):
        return {k: _strip_nulls(x) for k, x in v.items() if x is not None}
    return [_strip_nulls(x) for x in v] if isinstance(v, list) else v


def _pretty(v: Any, depth: int = 0) -> str:
    pad = "    " * (depth + 1)
    if isinstance(v, dict):
        if not v:
            return "{\n" + "    " * depth + "}"
        return (
            "{\n"
            + ",\n".join(f"{pad}{_quote(k)}: {_pretty(x, depth + 1)}" for k, x in v.items())
            + "\n"
            + "    " * depth
            + "}"
        )
    if isinstance(v, list):
        if not v:
            return "[\n" + "    " * depth + "]"
        return "[\n" + ",\n".join(pad + _pretty(x, depth + 1) for x in v) + "\n" + "    " * depth + "]"
    return written(v)


def _object(pairs: list[Any]) -> str:
    parts = []
    for p in pairs:
        if p["k"] is None:
            raise SqlError("22023", "field name must not be null")
        parts.append(f"{_quote(p['k'])} : {p['v']}")
    return "{ " + ", ".join(parts) + " }"


def _compact(v: Any) -> str:
    """json without blanks, keys in their order."""
    return _plain(v)


def _row(pairs: list[Any]) -> str:
    return "{" + ",".join(f"{_quote(p['k'])}:{p['v']}" for p in pairs) + "}"


def _rows(items: list[str]) -> str:
    """json_agg begins a line for each array or record."""
    return "[" + items[0] + "".join(", " + ("" if i == "null" else "\n ") + i for i in items[1:]) + "]"


def _lines(text: str) -> str:
    """An array's or row's outermost parts on lines of their own."""
    pad = ",\n "
    if text.startswith("["):
        return "[" + pad.join(v for _, v in spans(text)) + "]"
    return "{" + pad.join(f"{_quote(k)}:{v}" for k, v in spans(text)) + "}"


def _pairs(items: list[str | None]) -> str:
    if len(items) % 2:
        raise SqlError("2202E", "array must have even number of elements")
    return _zip(items[::2], items[1::2])


def _zip(keys: list[str | None], values: list[str | None]) -> str:
    if bool(keys) != bool(values):  # an empty array has no dimension
        raise SqlError("2202E", "wrong number of array subscripts")
    if len(keys) != len(values):
        raise SqlError("2202E", "mismatched array dimensions")
    out = []
    for k, v in zip(keys, values, strict=True):
        if k is None:
            raise SqlError("22004", "null value not allowed for object key")
        out.append(f"{_quote(k)} : {'null' if v is None else _quote(v)}")
    return "{" + ", ".join(out) + "}"


def _built(pairs: list[Any]) -> str:
    """json_build_object: no blanks within the braces."""
    for i, p in enumerate(pairs):
        if p["k"] is None:
            raise SqlError(
                "22023", f"argument {2 * i + 1} cannot be null", hint="Object keys should be text."
            )
    return "{" + ", ".join(f"{_quote(p['k'])} : {p['v']}" for p in pairs) + "}"


def jsonb_built(pairs: list[Any]) -> str:
    for i, p in enumerate(pairs):
        if p["k"] is None:
            raise SqlError("22023", f"argument {2 * i + 1}: key must not be null")
    return jsonb_in(_built(pairs))


def sort_key(text: str) -> bytes:
    """Bytes whose order is jsonb's: object > array > boolean > number > string > null."""
    return _key(load(text))


def _key(v: Any) -> bytes:
    from planner.binding.numerics import sort_key as number_key

    if isinstance(v, dict):
        items = sorted(v.items(), key=lambda kv: (len(kv[0].encode()), kv[0].encode()))
        body = b"".join(k.encode() + b"\0" + _key(x) for k, x in items)
        return b"\x15" + len(v).to_bytes(4, "big") + body
    if isinstance(v, list):
        return (b"\x14" if v else b"\x00") + len(v).to_bytes(4, "big") + b"".join(_key(x) for x in v)
    if isinstance(v, bool):
        return b"\x13" + bytes([v])
    if isinstance(v, int | Decimal):
        return b"\x12" + number_key(Decimal(v)) + b"\0"
    if isinstance(v, str):
        return b"\x11" + v.encode() + b"\0"
    return b"\x10"


def _scalar(word: str, pick: Callable[[Any], Any]) -> Callable[[str], Any]:
    def convert(text: str) -> Any:
        v = load(text)
        made = pick(v)
        if made is None:
            raise SqlError(
                "22023", f"cannot cast jsonb {_kind(text).replace('number', 'numeric')} to type {word}"
            )
        return made

    return convert


def _number(v: Any) -> Any:
    return None if isinstance(v, bool) or not isinstance(v, int | Decimal) else v


def _whole(word: str, bits: int) -> Callable[[str], int]:
    from planner.binding.numerics import to_integer

    convert = _scalar(word, _number)
    bound = 1 << (bits - 1)
    return lambda text: to_integer(Decimal(convert(text)), -bound, bound - 1, word)


FUNCTIONS: list[Entry] = [
    ("tw_in_json", json_in, (_V,), _V),
    ("tw_jsonb", jsonb_in, (_V,), _V),
    ("tw_jsonb_key", sort_key, (_V,), "BLOB"),
    ("tw_jsonb_same", same_text, (_V,), _V),
    ("tw_json_member", _member, (_V, _V), _V),
    ("tw_json_element", _element, (_V, "INTEGER"), _V),
    ("tw_jsonb_element", _jsonb_element, (_V, "INTEGER"), _V),
    ("tw_json_text", shown, (_V,), _V),
    ("tw_json_path", _path, (_V, "VARCHAR[]"), _V),
    ("tw_json_typeof", _kind, (_V,), _V),
    ("tw_json_length", _length, (_V,), "INTEGER"),
    ("tw_json_quote", _quote, (_V,), _V),
    ("tw_json_keys", _keys, (_V,), "VARCHAR[]"),
    ("tw_json_records", _records, (_V, _V), "VARCHAR[]"),
    ("tw_jsonb_keys", lambda v: _keys(v, "jsonb"), (_V,), "VARCHAR[]"),
    *(
        (f"tw_{name}", lambda v, name=name: _elements(v, name), (_V,), "VARCHAR[]")
        for name in (f"{kind}_array_elements{text}" for kind in ("json", "jsonb") for text in ("", "_text"))
    ),
    *(
        (f"tw_{name}_keys", lambda v, name=name: [k for k, _ in members_of(v, name)], (_V,), "VARCHAR[]")
        for name in (f"{kind}_each{text}" for kind in ("json", "jsonb") for text in ("", "_text"))
    ),
    ("tw_json_array", lambda items: "[" + ", ".join(items) + "]", ("VARCHAR[]",), _V),
    ("tw_json_rows", _rows, ("VARCHAR[]",), _V),
    ("tw_json_lines", _lines, (_V,), _V),
    ("tw_json_row", _row, ("STRUCT(k VARCHAR, v VARCHAR)[]",), _V),
    ("tw_json_number", lambda v: f'"{v}"' if v in ("NaN", "Infinity", "-Infinity") else v, (_V,), _V),
    ("tw_json_strip_nulls", _without_nulls, (_V,), _V),
    ("tw_json_pairs", _pairs, ("VARCHAR[]",), _V),
    # A key of json may be there twice, each time with a value of its own.
    *(
        (
            f"tw_{name}_members",
            lambda v, name=name: [list(m) for m in members_of(v, name)],
            (_V,),
            "VARCHAR[][]",
        )
        for name in ("json_each", "json_each_text")
    ),
    ("tw_json_zip", _zip, ("VARCHAR[]", "VARCHAR[]"), _V),
    ("tw_json_list", lambda items: "[" + ",".join(items) + "]", ("VARCHAR[]",), _V),
    ("tw_json_built", _built, ("STRUCT(k VARCHAR, v VARCHAR)[]",), _V),
    ("tw_jsonb_built", jsonb_built, ("STRUCT(k VARCHAR, v VARCHAR)[]",), _V),
    ("tw_json_object", _object, ("STRUCT(k VARCHAR, v VARCHAR)[]",), _V),
    ("tw_jsonb_object", lambda pairs: jsonb_in(_object(pairs)), ("STRUCT(k VARCHAR, v VARCHAR)[]",), _V),
    # Mostly by columns (`prelude.jsonb_columns`).
    ("tw_jsonb_contains", lambda a, b: jsonb.container(b)(load(a)), (_V, _V), "BOOLEAN"),
    ("tw_jsonb_has", lambda a, key: jsonb.among(load(a), key), (_V, _V), "BOOLEAN"),
    (
        "tw_jsonb_has_any",
        lambda a, keys: any(jsonb.among(load(a), k) for k in keys if k is not None),
        (_V, "VARCHAR[]"),
        "BOOLEAN",
    ),
    (
        "tw_jsonb_has_all",
        lambda a, keys: all(jsonb.among(load(a), k) for k in keys if k is not None),
        (_V, "VARCHAR[]"),
        "BOOLEAN",
    ),
    *changes.FUNCTIONS,
    ("tw_jsonb_strip_nulls", lambda a: written(_strip_nulls(parts_of(a))), (_V,), _V),
    ("tw_jsonb_pretty", lambda a: _pretty(parts_of(a)), (_V,), _V),
    ("tw_jsonb_bool", _scalar("boolean", lambda v: v if isinstance(v, bool) else None), (_V,), "BOOLEAN"),
    (
        "tw_jsonb_numeric",
        _scalar("numeric", lambda v: None if _number(v) is None else format(Decimal(v), "f")),
        (_V,),
        _V,
    ),
    ("tw_jsonb_int2", _whole("smallint", 16), (_V,), "SMALLINT"),
    ("tw_jsonb_int4", _whole("integer", 32), (_V,), "INTEGER"),
    ("tw_jsonb_int8", _whole("bigint", 64), (_V,), "BIGINT"),
    (
        "tw_jsonb_float8",
        _scalar("double precision", lambda v: None if _number(v) is None else float(v)),
        (_V,),
        "DOUBLE",
    ),
    ("tw_jsonb_float4", _scalar("real", lambda v: None if _number(v) is None else float(v)), (_V,), "FLOAT"),
]
