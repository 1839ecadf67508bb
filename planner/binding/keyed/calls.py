"""Calls that the keyed engine answers by the functions that DuckDB's text calls: one table for both doors.

    jsonb_set(jsonb, _text, jsonb)      DuckDB   tw_jsonb_set({0}, {1}, {2}, true)        a function of Arrow columns
                                        keyed    the same text, read: Call("tw_jsonb_set", ...)   the same function, of datums

What `planner.binding.functions` says of a signature is a text of calls. Where all of them are Python functions of the prelude, that text
is a tree of calls here, and nothing is written twice: `executor.keyed.prelude_calls` calls them one by one. `_MORE` are texts for what has
another text (or a function of fragments) there: DuckDB's own functions, and those that are told the session's time zone. Names of `OWN` are
such functions of DuckDB's and macros, written in Python beside the caller; tests compare both doors.

A prelude's array is a list of texts and its numeric a text; `Call("items of", ...)` and `Call("digits of number", ...)` make them of datums.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, lru_cache
from typing import Final, NamedTuple

from planner import types as t
from planner.binding import ir
from planner.binding.collating import uncollated
from planner.binding.dimensions import ONE_DIMENSIONAL
from planner.binding.facts import type_oid
from planner.keyed_plans import Call, Const, Expr
from planner.relations import TypeRef

_TEXT: Final = TypeRef(t.TEXT)
_FAMILIES: Final = (
    "json", "text", "encodings", "format", "instants", "dates", "numbers", "records", "internals",
)  # fmt: skip
"""Whose functions take microseconds."""
_LONG: Final = re.compile(
    "tw_similar|tw_num_(power|exp|ln|log|log10|sqrt|factorial|series|gcd|lcm).*|tw_.*factorial.*|tw_string_agg|tw_record_.*|tw_send_.*|tw_hash_(record|value).*"
)
"""Whose time goes by more than the length of what they are given, and what belongs to other calls."""
OWN: Final = frozenset(
    (
        "tw_finite", "tw_age", "tw_today", "tw_split_part", "tw_chr", "tw_translate", "tw_ascii", "tw_md5", "tw_sha256", "tw_extract",
        "tw_extract_zoned", "tw_extract_interval", "tw_extract_date", "tw_texts_shown",
        "tw_bits", "tw_to_hex_of", "tw_overlay_all", "tw_midnight", "tw_epoch_moment", "tw_make_interval", "tw_delimiter",
        "tw_json_each", "tw_jsonb_each", "tw_json_each_text", "tw_jsonb_each_text",
    )
)  # fmt: skip
"""What executor.keyed.prelude_calls has itself."""
_MORE: Final = """
jsonb -> text => tw_json_member({0}, {1})
jsonb -> int4 => tw_jsonb_element({0}, {1})
jsonb ->> text => tw_json_text(tw_json_member({0}, {1}))
jsonb ->> int4 => tw_json_text(tw_jsonb_element({0}, {1}))
jsonb #> _text => tw_json_path({0}, {1})
subscript(jsonb, _text) => tw_json_path({0}, {1})
jsonb #>> _text => tw_json_text(tw_json_path({0}, {1}))
text ~ text => tw_regexp_like({0}, {1}, '')
text ~* text => tw_regexp_like({0}, {1}, 'i')
string_to_array(text, text) => tw_string_to_array({0}, tw_delimiter({1}))
split_part(text, text, int4) => tw_split_part({0}, {1}, {2})
chr(int4) => tw_chr({0})
translate(text, text, text) => tw_translate({0}, {1}, {2})
ascii(text) => tw_ascii({0})
md5(text) => tw_md5({0})
sha256(bytea) => tw_sha256({0})
bit_length(text) => tw_bits({0})
to_hex(int8) => tw_to_hex({0})
to_hex(int4) => tw_to_hex_of({0})
overlay(text, text, int4) => tw_overlay_all({0}, {1}, {2})
to_char(int4, text) => tw_to_char_numeric({0}, {1})
to_char(int8, text) => tw_to_char_numeric({0}, {1})
to_char(float8, text) => tw_to_char_float({0}, {1}, 15)
to_char(timestamp, text) => tw_to_char_timestamp(tw_finite({0}), {1})
to_char(timestamptz, text) => tw_to_char_timestamptz(tw_finite({0}), {1}, {zone})
to_timestamp(text, text) => tw_to_timestamp({0}, {1}, {zone})
to_timestamp(float8) => tw_epoch_moment({0})
age(timestamp) => tw_age(tw_today({zone}, {now}), {0})
age(timestamptz) => tw_age(tw_today({zone}, {now}), tw_at_zone({zone}, {0}))
age(timestamptz, timestamptz) => tw_age(tw_at_zone({zone}, {0}), tw_at_zone({zone}, {1}))
make_date(int4, int4, int4) => tw_make_date_of({0}, {1}, {2})
make_interval(int4, int4, int4, int4, int4, int4, float8) => tw_make_interval({0}, {1}, {2}, {3}, {4}, {5}, {6})
make_timestamptz(int4, int4, int4, int4, int4, float8) => tw_from_session_zone({zone}, tw_make_timestamp({0}, {1}, {2}, {3}, {4}, {5}))
date_trunc(text, timestamp) => tw_date_trunc({0}, {1})
date_trunc(text, timestamptz) => tw_date_trunc_zoned({0}, {1}, {zone})
date_trunc(text, timestamptz, text) => tw_date_trunc_in({0}, {1}, {2})
timezone(text, timestamptz) => tw_at_zone({0}, {1})
timezone(text, timestamp) => tw_from_zone({0}, {1})
extract(text, timestamp) => tw_extract({0}, {1})
extract(text, timestamptz) => tw_extract_zoned({0}, {1}, {zone})
extract(text, date) => tw_extract_date({0}, {1})
extract(text, interval) => tw_extract_interval({0}, {1})
date_part(text, timestamp) => tw_date_part({0}, {1})
date_part(text, timestamptz) => tw_date_part_zoned({0}, {1}, {zone})
date_part(text, date) => tw_date_part({0}, tw_midnight({1}))
date_part(text, interval) => tw_interval_part({0}, {1})
json_array_elements_text(json) => tw_texts_shown(tw_json_array_elements_text({0}))
jsonb_array_elements_text(jsonb) => tw_texts_shown(tw_jsonb_array_elements_text({0}))
json records(text, text) => tw_json_records({0}, {1})
json field(text, text, int4) => tw_json_field({0}, {1}, {2})
"""
_ROWS: Final = {
    f"{kind}_each{text}({kind})": f"tw_{kind}_each{text}({{0}})"
    for kind in ("json", "jsonb")
    for text in ("", "_text")
}
"""Of whose rows each is a tuple."""
_MOMENTS: Final = {
    f"generate_series({kind}, {kind}, interval)": kind for kind in ("timestamp", "timestamptz")
}
_PIECE: Final = re.compile(
    r"\s*(?:(tw_\w+)\(|\{(\w+)\}|'([^']*)'|(-?\d+)|(true|false)\b|([,)])|CAST\((\{\d\}) AS (?:BIGINT|INTEGER)\))"
)
_SESSION: Final = {
    "zone": Call("session", (Const("time_zone", _TEXT),), _TEXT),
    "now": Call("now", (), TypeRef(t.TIMESTAMPTZ)),
}
"""`executor.keyed.compile` knows these."""


class _Said(NamedTuple):
    """A call in a text: its function, and texts' numbers of arguments, words of the session, constants and calls."""

    name: str
    args: tuple[_Said | int | str | Const, ...]


@lru_cache(maxsize=1)
def prelude_functions() -> Mapping[str, tuple[Callable[..., object], tuple[str, ...], str]]:
    """The prelude's functions that are called here: (function of values, DuckDB's types of its arguments and of its result)."""
    from importlib import import_module

    found = {}
    for family in _FAMILIES:
        for name, function, arguments, result in import_module(f"planner.binding.prelude.{family}").FUNCTIONS:
            if not _LONG.fullmatch(name) and not any(
                "STRUCT" in x or "[][]" in x for x in (*arguments, result)
            ):
                found[name] = (function, tuple(arguments), result)
    return found


@lru_cache(maxsize=1)
def _texts() -> Mapping[str, str]:
    from planner.binding.functions.registry import texts

    more = dict(line.split(" => ", 1) for line in _MORE.strip().splitlines())
    return {**texts(), **more, **_ROWS}


@cache
def _said(signature: str) -> _Said | None:
    """The calls that a signature's text consists of; None where there is something else in it."""
    text = _texts().get(signature)
    if text is None or not text.startswith("tw_"):
        return None
    made, end = _read(text, 0)
    return made if isinstance(made, _Said) and end == len(text) else None


def _read(text: str, at: int) -> tuple[_Said | int | str | Const | None, int]:
    m = _PIECE.match(text, at)
    if m is None:
        return None, -1
    name, hole, quoted, number, truth, _, cast = m.groups()
    if cast is not None:
        return int(cast[1:-1]), m.end()
    if hole is not None:
        return (int(hole) if hole.isdigit() else hole), m.end()
    if quoted is not None:
        return Const(quoted, _TEXT), m.end()
    if number is not None:
        return Const(int(number), TypeRef(t.INT4)), m.end()
    if truth is not None:
        return Const(truth == "true", TypeRef(t.BOOL)), m.end()
    if name is None or (name not in OWN and name not in prelude_functions()):
        return None, -1
    args: list[_Said | int | str | Const] = []
    end = m.end()
    while True:
        made, end = _read(text, end)
        if made is None:
            return None, -1
        args.append(made)
        mark = _PIECE.match(text, end)
        if mark is None or mark[6] is None:
            return None, -1
        end = mark.end()
        if mark[6] == ")":
            return _Said(name, tuple(args)), end


def declared(signature: str) -> tuple[str, ...]:
    """The names of the types that a signature is declared with."""
    if signature.endswith(")"):
        inside = signature[signature.index("(") + 1 : -1]
        return tuple(inside.split(", ")) if inside else ()
    words = signature.split(" ")
    return (words[0], words[2]) if len(words) == 3 else (words[1],)


_PLAIN: Final = {
    t.TEXT: "VARCHAR", t.VARCHAR: "VARCHAR", t.JSON: "VARCHAR", t.JSONB: "VARCHAR", t.NAME: "VARCHAR", t.UUID: "VARCHAR", t.BYTEA: "BLOB",
    t.BOOL: "BOOLEAN", t.FLOAT8: "DOUBLE", t.DATE: "DATE", t.TIME: "TIME", t.TIMESTAMP: "TIMESTAMP",
    t.TIMESTAMPTZ: "TIMESTAMP WITH TIME ZONE", t.INTERVAL: "INTERVAL", t.INT2: "SMALLINT", t.INT4: "INTEGER", t.INT8: "BIGINT",
}  # fmt: skip
"""Types whose datums are what a prelude's function is given."""
_LISTS: Final = {t.TEXT_ARRAY: "VARCHAR[]"}


def signatures() -> Iterator[str]:
    """All that is answered so, of types that are known (for the tests)."""
    for signature in sorted(_texts()):
        if _said(signature) is not None and all(map(_is_known, declared(signature))):
            yield signature


def _is_known(name: str) -> bool:
    return name in t.BY_NAME and (t.BY_NAME[name].oid in (*_PLAIN, *_LISTS, t.NUMERIC))


def expression(node: ir.Call | ir.SetReturning, inner: Callable[[ir.Node], Expr]) -> Expr | None:
    """The calls that answer a call; None where there are none, or of other types. `inner`: what its arguments are; raises NotKeyed."""
    said = _said(node.op)
    if said is None or not all(map(_is_known, declared(node.op))) or len(declared(node.op)) != len(node.args):
        return None
    if "regexp" in str(said) and not _is_soon_known(node.args[1]):
        return None
    types = [type_oid(name) for name in declared(node.op)]
    if any(
        a.type.oid != oid and not (oid == t.TEXT and a.type.oid == t.VARCHAR)
        for a, oid in zip(node.args, types, strict=True)
    ):
        return None
    args = [given(inner(a), oid, node.op in ONE_DIMENSIONAL) for a, oid in zip(node.args, types, strict=True)]
    made = _put(said, args)
    result = prelude_functions()[said.name][2] if said.name in prelude_functions() else ""
    if result.endswith("[]") and isinstance(node, ir.Call):
        return Call("array of", (Const(node.type.oid, TypeRef(t.OID)), made), node.type)
    return Call(made.op, made.args, node.type)


_PATTERN: Final = re.compile(
    r"(?:\\\\[.dwsDWS^$*+?(){}|\[\]\\-]|\[\^?[A-Za-z0-9 _.@:,;%+-]+\]|\^|\$|[A-Za-z0-9 _.@:,;<>=%#&'\"!~/-]|[()|]|(?<![(|)])[*+?])+"
)
_TO_THE_END: Final = re.compile(r"[*+]\)*\Z|(?<!\\)\.[*+]\)*\$\Z")
"""What is repeated is the last of all: wherever it begins to be found, it is found."""
_REPEATED: Final = re.compile(r"(?<!\\)[*+]")


def _is_soon_known(node: ir.Node) -> bool:
    """Whether a pattern is written out that leaves little choice: all sessions wait while Python tries the ways to divide a text among
    what may be repeated."""
    node = uncollated(node)
    return isinstance(node, ir.Lit) and isinstance(node.value, str) and is_soon_known(node.value)


def is_soon_known(pattern: str) -> bool:
    """The same of a pattern."""
    repeated = len(_REPEATED.findall(pattern))
    if repeated > 1 or _PATTERN.fullmatch(pattern) is None:
        return False
    return (
        not repeated or (pattern[0] == "^" and "|" not in pattern) or _TO_THE_END.search(pattern) is not None
    )


def listed(node: ir.SetReturning, inner: Callable[[ir.Node], Expr]) -> Expr | None:
    """The list of what a function returns; None as above."""
    if node.op in _MOMENTS:
        return Call(
            "moments",
            (
                *map(inner, node.args),
                _SESSION["zone"] if _MOMENTS[node.op] == "timestamptz" else Const("UTC", _TEXT),
            ),
            node.type,
        )
    return expression(node, inner)


def is_wide(node: ir.Node) -> bool:
    """Whether the function's rows have several columns, which `listed` has as tuples."""
    return isinstance(node, ir.SetReturning) and node.op in _ROWS


def given(made: Expr, oid: int, one_dimension: bool = False) -> Expr:
    """A value as a prelude's function wants it."""
    if oid in _LISTS:
        return Call("items of one dimension" if one_dimension else "items of", (made,), made.type)
    if oid == t.NUMERIC:
        return Call("digits of number", (made,), _TEXT)
    return made


def _put(said: _Said, args: list[Expr]) -> Call:
    made: list[Expr] = []
    for a in said.args:
        if isinstance(a, _Said):
            made.append(_put(a, args))
        elif isinstance(a, Const):
            made.append(a)
        else:
            made.append(args[a] if isinstance(a, int) else _SESSION[a])
    return Call(said.name, tuple(made), _TEXT)


__all__ = [
    "OWN",
    "declared",
    "expression",
    "given",
    "is_soon_known",
    "is_wide",
    "listed",
    "prelude_functions",
    "signatures",
]
