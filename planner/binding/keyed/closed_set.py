"""The closed set: which operators, functions and casts the keyed engine compiles, by PostgreSQL's signatures, and of which types.

Nothing but tables. A typed tree in which everything belongs to it becomes an expression of the keyed engine
(`planner/binding/keyed/expressions.py`); a statement with anything else in it is DuckDB's. A member is added here, and to what
compiles it (`executor/keyed/compile.py` and the files beside it).
"""

from __future__ import annotations

from typing import Final

from planner import types as t
from planner.binding.keyed import ordered_forms

_INTS: Final = ("int2", "int4", "int8")
_ORDERED: Final = [
    "bool",
    "oid",
    "text",
    "name",
    "bytea",
    "date",
    "time",
    "timestamp",
    "timestamptz",
    "uuid",
    "float4",
    "float8",
    "numeric",
    "bpchar",
    "citext",
    "interval",
]
_OF_FLOATS: Final = (
    "sin", "cos", "tan", "cot", "atan", "sinh", "cosh", "tanh", "asinh", "radians", "degrees", "sign",
)  # fmt: skip
COMPARE: Final = ("=", "<>", "<", "<=", ">", ">=")
SORT_KEY: Final = "sort_key(text, text)"
"""Of a text and the name of a nondeterministic collation: what a key has in its place."""


def _closed_set() -> frozenset[str]:
    ops: set[str] = set()
    for a in _INTS:
        for b in _INTS:
            ops |= {f"{a} {op} {b}" for op in (*COMPARE, "+", "-", "*", "/")}
        ops |= {f"{a} % {a}", f"mod({a}, {a})", f"- {a}", f"+ {a}", f"abs({a})", f"@ {a}", f"~ {a}"}
        ops |= {f"{a} {op} {a}" for op in "&|#"}
    for a in _ORDERED:
        ops |= {f"{a} {op} {a}" for op in COMPARE}
    for a in (*_ORDERED, *_INTS):
        ops |= {f"{a} is distinct from {a}", f"{a} is not distinct from {a}"}
    ops |= {
        "jsonb = jsonb",
        "jsonb <> jsonb",
        "jsonb is distinct from jsonb",
        "jsonb is not distinct from jsonb",
    }
    ops |= {f"xid {op} {b}" for op in ("=", "<>") for b in ("xid", "int4")}
    for a, b in (("text", "name"), ("float4", "float8"), ("date", "timestamp")):
        ops |= {f"{x} {op} {y}" for op in COMPARE for x, y in ((a, b), (b, a))}
    ops |= {f"{a} {op} {b}" for op in "+-*/" for a, b in (("float4", "float8"), ("float8", "float4"))}
    for a in ("float4", "float8", "numeric"):
        ops |= {f"{a} {op} {a}" for op in "+-*/"} | {f"- {a}", f"+ {a}", f"abs({a})", f"@ {a}"}
    for a in _INTS:
        ops |= {f"{a} {op} int4" for op in ("<<", ">>")}
    ops |= {f"{name}({a}, {a})" for name in ("gcd", "lcm") for a in ("int4", "int8")}
    ops |= {f"{name}(float8)" for name in _OF_FLOATS} | {"atan2(float8, float8)", "pi()"}
    ops |= {
        "numeric % numeric", "mod(numeric, numeric)", "round(numeric, int4)", "round(numeric)", "trunc(numeric)",
        "floor(numeric)", "ceil(numeric)", "ceiling(numeric)", "floor(float8)", "ceil(float8)", "ceiling(float8)",
        "round(float8)", "trunc(float8)", "trunc(numeric, int4)", "sqrt(float8)", "cbrt(float8)", "text || text", "bytea || bytea", "length(bytea)", "octet_length(bytea)", "length(text)", "char_length(text)", "character_length(text)", "length(bpchar)", "char_length(bpchar)", "character_length(bpchar)",
        "octet_length(text)", "lower(text)", "upper(text)", "substr(text, int4)", "substr(text, int4, int4)",
        "substring(text, int4)", "substring(text, int4, int4)", "left(text, int4)", "right(text, int4)", SORT_KEY, "btrim(text)",
        "ltrim(text)", "rtrim(text)", "btrim(text, text)", "ltrim(text, text)", "rtrim(text, text)", "reverse(text)", "repeat(text, int4)", "replace(text, text, text)", "strpos(text, text)", "position(text, text)", "date + int4", "int4 + date", "date - int4",
        "text ~~ text", "text !~~ text", "text ^@ text", "starts_with(text, text)", "text ~~* text", "text !~~* text", "date - date", "timestamp + interval", "timestamp - interval", "timestamp - timestamp",
        "timestamptz - timestamptz", "date + interval", "date - interval", "isfinite(date)", "isfinite(timestamp)", "isfinite(timestamptz)", "interval + timestamp", "interval + interval",
        "interval - interval", "- interval", "interval * float8", "float8 * interval", "interval / float8", "gen_random_uuid()", "uuid_generate_v4()", "uuid_generate_v1()", "uuid_generate_v1mc()",
    }  # fmt: skip
    return frozenset(ops | ordered_forms.OPS)


KEYED_OPS: Final = _closed_set()
SESSION_VALUES: Final = frozenset(
    (
        "current_user", "session_user", "user", "current_role", "current_database", "current_catalog", "current_schema",
        "version", "pid", "backend_pid", "trigger_depth",
    )
)  # fmt: skip
"""What the session knows and does not change in the course of a statement."""
LAZY_OPS: Final = frozenset(
    (
        "and", "or", "not", "is null", "is not null", "is true", "is not true", "is false", "is not false", "case",
        "coalesce", "greatest", "least",
    )
)  # fmt: skip
NUMBERS = (t.INT2, t.INT4, t.INT8, t.FLOAT4, t.FLOAT8, t.NUMERIC)
TEXTS = (t.TEXT, t.VARCHAR)
KEY_TYPES: Final = frozenset(
    (
        t.INT2,
        t.INT4,
        t.INT8,
        t.TEXT,
        t.VARCHAR,
        t.DATE,
        t.TIMESTAMP,
        t.TIMESTAMPTZ,
        t.UUID,
        t.PG_LSN,
        t.MONEY,
        t.OID,
        t.BOOL,
        t.BYTEA,
        t.NAME,
    )
)
"""Key columns whose equality is the equality of datums."""
EXTREMES: Final = KEY_TYPES | {t.NUMERIC, t.FLOAT4, t.FLOAT8, t.BPCHAR, t.CITEXT, t.INTERVAL, t.TIME}
"""Of what the keyed engine finds the greatest: it knows their order."""
_SORTED_ARRAYS: Final = frozenset((t.INT2_ARRAY, t.INT4_ARRAY, t.INT8_ARRAY, t.TEXT_ARRAY, t.VARCHAR_ARRAY))
SORTED_TYPES: Final = EXTREMES | _SORTED_ARRAYS
"""What the keyed engine puts in order."""
_READ: Final = (t.INT2, t.INT4, t.INT8, t.BOOL, t.UUID)
"""What a text is read as without a look at settings: mostly that of a setting, which policies compare columns with."""
SHOWN: Final = frozenset(
    (
        t.BOOL,
        t.DATE,
        t.TIME,
        t.TIMESTAMP,
        t.TIMESTAMPTZ,
        t.INTERVAL,
        t.UUID,
        t.JSON,
        t.JSONB,
        t.TEXT_ARRAY,
        t.INT4_ARRAY,
        t.INT8_ARRAY,
    )
)
"""What a text is made of as a client sees it."""
_READ_TOO: Final = frozenset(
    (t.NUMERIC, t.FLOAT8, t.FLOAT4, t.JSON, t.JSONB, t.BYTEA, t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ)
)
_READ_ARRAYS: Final = (t.INT2_ARRAY, t.INT4_ARRAY, t.INT8_ARRAY, t.UUID_ARRAY, t.NUMERIC_ARRAY)
"""What an array of texts is read as: its text, as that array's."""
OF_JSONB: Final = {
    t.BOOL: "bool", t.NUMERIC: "numeric", t.INT2: "int2", t.INT4: "int4", t.INT8: "int8", t.FLOAT4: "float4", t.FLOAT8: "float8"
}  # fmt: skip


def castable(a: int, b: int) -> bool:
    if a in NUMBERS and b in NUMBERS:
        return True
    if a in (*TEXTS, t.BPCHAR, t.CITEXT) and b in (*TEXTS, t.BPCHAR, t.CITEXT):
        return True
    if a in NUMBERS and b in TEXTS:
        return True
    if a in TEXTS and b in _READ:
        return True
    if b in TEXTS and a in SHOWN:
        return True
    if a in TEXTS and (b in _READ_TOO or t.labels_of(b) is not None):
        return True
    if a in (t.TEXT_ARRAY, t.VARCHAR_ARRAY) and b in _READ_ARRAYS:
        return True
    return (a, b) in (
        (t.JSON, t.JSONB), (t.JSONB, t.JSON), (t.TIMESTAMP, t.TIME), (t.TIMESTAMPTZ, t.TIME),
        (t.DATE, t.TIMESTAMP), (t.DATE, t.TIMESTAMPTZ), (t.TIMESTAMP, t.DATE), (t.TIMESTAMP, t.TIMESTAMPTZ),
        (t.TIMESTAMPTZ, t.TIMESTAMP), (t.TIMESTAMPTZ, t.DATE), (t.BOOL, t.INT4), (t.INT4, t.BOOL),
    )  # fmt: skip


SAME_ARRAYS: Final = frozenset(
    (
        (t.INT2_ARRAY, t.INT4_ARRAY), (t.INT2_ARRAY, t.INT8_ARRAY), (t.INT4_ARRAY, t.INT8_ARRAY),
        (t.VARCHAR_ARRAY, t.TEXT_ARRAY), (t.TEXT_ARRAY, t.VARCHAR_ARRAY),
    )
)  # fmt: skip
"""Arrays whose text is the same as another type's."""
