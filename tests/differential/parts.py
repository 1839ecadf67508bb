"""Random expressions over arrays, ranges, bit strings, jsonb, paths and intervals: the same ones for the same seed.

statements(7, 300)   ->   SELECT (('[1,5)'::int4range * int4range(2, NULL)) && 'empty'), ...
"""

from __future__ import annotations

import random
from collections.abc import Iterator

LITERALS = {
    "int4": ("0", "1", "2", "3", "-1", "NULL::int4"),
    "int4[]": (
        "'{}'",
        "'{1,2,3}'",
        "'{{1,2},{3,4}}'",
        "'[0:2]={7,NULL,9}'",
        "ARRAY[2,NULL]",
        "ARRAY[[5],[6]]",
        "NULL",
    ),
    "text[]": ("'{}'", "'{a,\"b c\",NULL}'", "'{{x,y},{z,\"\"}}'", "ARRAY['q', 'NULL']", "NULL"),
    "numeric[]": ("'{1.0,2.50}'", "'{1.00,2.5}'", "'{{NaN},{3}}'", "'{}'"),
    "int4range": ("'[1,5)'", "'(1,5]'", "'empty'", "'(,3]'", "'[4,)'", "'(,)'", "NULL"),
    "numrange": ("'[1.0,2.50)'", "'(1.00,2.5]'", "'[2.5,2.50]'", "'empty'", "'(,0]'", "'[1,NaN]'"),
    "daterange": ("'[2020-01-01,2020-02-01)'", "'(,2020-01-15]'", "'[2020-01-31,infinity)'", "'empty'"),
    "int4multirange": ("'{}'", "'{[1,3),[5,7)}'", "'{(,2],[6,)}'", "'{[2,6)}'", "NULL"),
    "jsonb": (
        "'{}'",
        "'[]'",
        '\'{"a": 1, "b": [1, 2.50, null]}\'',
        '\'[1, "x", {"a": null}]\'',
        "'null'",
        "'1.0'",
        "'\"a\"'",
        "NULL",
    ),
    "jsonpath": (
        "'$'",
        "'$.a'",
        "'strict $.a'",
        "'$[*] ? (@ > 1)'",
        "'$.**.a'",
        "'$.b[last]'",
        "'$.b.size() + 1'",
        "'$.keyvalue().key'",
        "'$.a == 1'",
        "'exists($.b[*] ? (@ == null))'",
    ),
    "interval": ("'1 day'", "'-1 mon 2 days'", "'03:04:05.5'", "'0'", "'1 year -1 sec'", "NULL"),
    "key": ("'a'", "'b'", "'0'", "''"),
    "varbit": ("B'101'", "B'0110'", "B''", "X'f0'", "B'111'"),
}
_ARRAYS = ("int4[]", "text[]", "numeric[]")
_RANGES = ("int4range", "numrange", "daterange")
_SETS = (*_RANGES, "int4multirange")
_COMPARED = (*_ARRAYS, *_SETS, "varbit", "jsonb", "interval")
# (result, template, argument kinds)
FORMS = (
    *(("bool", f"({{0}} {op} {{1}})", (k, k)) for k in _COMPARED for op in ("=", "<>", "<", ">=", "IS DISTINCT FROM")),
    *(("bool", f"({{0}} {op} {{1}})", (k, k)) for k in _SETS for op in ("&&", "@>", "<@", "<<", ">>", "&<", "&>", "-|-")),
    *(("bool", f"({{0}} {op} {{1}})", (k, k)) for k in _ARRAYS for op in ("&&", "@>", "<@")),
    *((k, f"({{0}} {op} {{1}})", (k, k)) for k in _SETS for op in "+-*"),
    *((k, "({0} || {1})", (k, k)) for k in (*_ARRAYS, "varbit")),
    *((k, f"{f}({{0}}, {{1}})", (k, k)) for k in _COMPARED for f in ("coalesce", "nullif")),
    *((k, "CASE WHEN {0} = 1 THEN {1} ELSE {2} END", ("int4", k, k)) for k in _COMPARED),
    *(("int4", f"{f}({{0}}, {{1}})", (k, "int4")) for k in _ARRAYS for f in ("array_length", "array_lower", "array_upper")),
    *(("int4", f"{f}({{0}})", (k,)) for k in _ARRAYS for f in ("cardinality", "array_ndims")),
    *(("text", f"{f}({{0}})", (k,)) for k in _ARRAYS for f in ("array_dims",)),
    *(("text", "({0})::text", (k,)) for k in _COMPARED),
    *(("text", "to_json({0})::text", (k,)) for k in (*_ARRAYS, *_SETS)),
    *((k, "({0})[{1}:{2}]", (k, "int4", "int4")) for k in _ARRAYS),
    ("int4", "({0})[{1}]", ("int4[]", "int4")),
    ("int4", "({0})[{1}][{2}]", ("int4[]", "int4", "int4")),
    ("int4[]", "array_append({0}, {1})", ("int4[]", "int4")),
    ("int4[]", "({1} || {0})", ("int4[]", "int4")),
    ("int4[]", "array_replace({0}, {1}, {2})", ("int4[]", "int4", "int4")),
    ("int4[]", "array_remove({0}, {1})", ("int4[]", "int4")),
    ("int4[]", "array_positions({0}, {1})", ("int4[]", "int4")),
    ("int4[]", "ARRAY[{0}, {1}]", ("int4[]", "int4[]")),
    ("int4[]", "array_fill({0}, ARRAY[2, 1])", ("int4",)),
    ("bool", "({1} = ANY({0}))", ("int4[]", "int4")),
    *(("bool", f"({{0}} {op} {{1}})", ("jsonb", "jsonb")) for op in ("@>", "<@")),
    *(("bool", f"({{0}} {op} {{1}})", ("jsonb", "key")) for op in ("?",)),
    *(("bool", f"({{0}} {op} {{1}})", ("jsonb", "jsonpath")) for op in ("@?", "@@")),
    *(("jsonb", f"({{0}} {op} {{1}})", ("jsonb", k)) for op in ("->", "-") for k in ("key", "int4")),
    *(("text", f"({{0}} {op} {{1}})", ("jsonb", k)) for op in ("->>",) for k in ("key", "int4")),
    ("jsonb", "({0} || {1})", ("jsonb", "jsonb")),
    ("jsonb", "({0})[{1}]", ("jsonb", "key")),
    ("jsonb", "({0})[{1}][{2}]", ("jsonb", "int4", "key")),
    ("jsonb", "to_jsonb({0})", ("int4[]",)),
    ("jsonb", "to_jsonb({0})", ("interval",)),
    ("jsonb", "jsonb_path_query_array({0}, {1}, '{{}}', true)", ("jsonb", "jsonpath")),
    ("jsonb", "jsonb_path_query_first({0}, {1})", ("jsonb", "jsonpath")),
    ("bool", "jsonb_path_exists({0}, {1})", ("jsonb", "jsonpath")),
    ("jsonb", "jsonb_build_object('k', {0}, 'v', {1})", ("int4", "jsonb")),
    ("text", "jsonb_typeof({0})", ("jsonb",)),
    ("jsonb", "jsonb_strip_nulls({0})", ("jsonb",)),
    *(("interval", f"({{0}} {op} {{1}})", ("interval", "interval")) for op in "+-"),
    ("interval", "({0} * {1})", ("interval", "int4")),
    ("interval", "(- {0})", ("interval",)),
    *(("interval", f"{f}({{0}})", ("interval",)) for f in ("justify_days", "justify_hours", "justify_interval")),
    ("text", "extract(epoch from {0})::text", ("interval",)),
    ("interval", "make_interval(days => {0}, hours => {1})", ("int4", "int4")),
    ("bool", "({1} <> ALL({0}))", ("int4[]", "int4")),
    ("text[]", "({0})::text[]", ("int4[]",)),
    ("numeric[]", "({0})::numeric[]", ("int4[]",)),
    ("text", "array_to_string({0}, ',', '*')", ("text[]",)),
    *(("bool", f"{f}({{0}})", (k,)) for k in _SETS for f in ("isempty", "lower_inc", "upper_inc", "lower_inf", "upper_inf")),
    *((k, "range_merge({0}, {1})", (k, k)) for k in _RANGES),
    ("int4", "lower({0})", ("int4range",)),
    ("int4", "upper({0})", ("int4multirange",)),
    ("int4range", "int4range({0}, {1}, '[]')", ("int4", "int4")),
    ("bool", "({0} @> {1})", ("int4range", "int4")),
    ("int4multirange", "multirange({0})", ("int4range",)),
    *(("varbit", f"({{0}} {op} {{1}})", ("varbit", "varbit")) for op in "&|#"),
    ("varbit", "(~ {0})", ("varbit",)),
    ("varbit", "({0} << {1})", ("varbit", "int4")),
    ("varbit", "substring({0} from {1})", ("varbit", "int4")),
    ("int4", "length({0})", ("varbit",)),
)  # fmt: skip


def expression(rng: random.Random, kind: str, depth: int) -> str:
    forms = [f for f in FORMS if f[0] == kind]
    if not depth or not forms or (kind in LITERALS and rng.random() < 0.4):
        literal = rng.choice(LITERALS[kind]) if kind in LITERALS else "true"
        return literal if kind in ("int4", "varbit", "bool") else f"{literal}::{kind}"
    _, template, kinds = rng.choice(forms)
    return template.format(*[expression(rng, k, depth - 1) for k in kinds])


def statements(seed: int, count: int) -> Iterator[str]:
    rng = random.Random(seed)
    kinds = (*_COMPARED, "bool", "int4", "text")
    for _ in range(count):
        yield "SELECT " + expression(rng, rng.choice(kinds), 3)
