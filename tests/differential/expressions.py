"""Expressions by grammar: hypothesis strategies for typed SQL texts.

    expression("int4", 3)     ->  "(a + CASE WHEN b THEN 7 ELSE NULL END)"

Each type has its literals (the edges of its range among them), its columns in the table `x`, and the forms that yield
it from others. What PostgreSQL and Tidewire are known to answer differently is not generated; each such thing is named
in `EXCLUDED`, with its reason.
"""

from __future__ import annotations

from hypothesis import strategies as st

EXCLUDED = (
    (
        "order of evaluation",
        "which of two errors in one expression comes first: any error equals any other of the list",
    ),
    (
        "float8 beyond 15 digits",
        "sums and powers may differ in the last bit: the C library's, and the order of addition",
    ),
    (
        "numeric division of huge scales",
        "sqrt and power of numerics beyond 30 digits are rounded once more by PostgreSQL",
    ),
    (
        "overflow within comparisons",
        "DuckDB moves constants over = and <, and then nothing overflows: `a + 1 < 0`",
    ),
    (
        "unary plus over a constant",
        "GROUP BY +(7) is an expression to PostgreSQL; the sign is gone when we see it",
    ),
    (
        "letters beyond ASCII",
        "upper, lower and initcap know them here; the reference server has the C locale",
    ),
    (
        "products beyond 18 digits",
        "DuckDB multiplies DECIMALs of up to 18 digits in 18 digits: 22003 where PostgreSQL has an answer",
    ),
    ("values that no row asks for", "PostgreSQL computes the argument of first_value for the first row only"),
    (
        "constants that no row asks for",
        "PostgreSQL computes `1 / 0` when it plans, whether a row asks for it or not",
    ),
    ("NaN in numeric(p,s)", "a DECIMAL has none: 22P02"),
    ("intervals of mixed signs", "months against days have no order that DuckDB shares"),
    ("collations", "text compares by bytes on both sides: the reference server has the C locale"),
)

COLUMNS = {
    "int4": ("i", "j"),
    "int8": ("b",),
    "int2": ("s",),
    "numeric": ("n", "m"),
    "float8": ("f",),
    "text": ("t", "u"),
    "bool": ("p", "q"),
    "date": ("d",),
    "timestamp": ("ts",),
    "interval": ("iv",),
}
LITERALS = {
    "int4": ("0", "1", "-1", "2", "7", "100", "2147483647", "(-2147483648)", "NULL::int4"),
    "int8": ("0::int8", "3::int8", "-5::int8", "9223372036854775807", "2147483648", "NULL::int8"),
    "int2": ("1::int2", "-3::int2", "32767::int2", "NULL::int2"),
    "numeric": ("0.0", "1.5", "-2.50", "0.001", "10", "123456789.123", "3.14159", "'NaN'::numeric", "NULL::numeric", "7::numeric"),
    "float8": ("0::float8", "1.5::float8", "-2.25::float8", "1e10::float8", "'NaN'::float8", "'Infinity'::float8", "NULL::float8"),
    "text": ("''", "'a'", "'abc'", "'B c'", "'  x '", "'%a_'", "'€日'", "NULL::text", "'12'", "'-7'", "'true'"),
    "bool": ("true", "false", "NULL::bool"),
    "date": ("date '2000-01-01'", "date '2024-02-29'", "date '1999-12-31'", "date '0001-01-01'", "NULL::date"),
    "timestamp": ("timestamp '2000-01-01 00:00:00'", "timestamp '2024-02-29 23:59:59.999999'", "timestamp '1969-07-20 20:17:40'", "NULL::timestamp"),
    "interval": ("interval '1 day'", "interval '2 months'", "interval '1 year 3 months'", "interval '90 minutes'", "interval '0'", "interval '1.5 seconds'", "NULL::interval"),
}  # fmt: skip
NUMBERS = ("int2", "int4", "int8", "numeric", "float8")
# (result, template, argument types): every {n} is an expression of the n-th type.
FORMS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    *((t, f"({{0}} {op} {{1}})", (t, t)) for t in NUMBERS for op in "+-*/"),
    *((t, "({0} % {1})", (t, t)) for t in ("int2", "int4", "int8", "numeric")),
    *((t, f"{f}({{0}})", (t,)) for t in NUMBERS for f in ("abs", "-")),
    *(("int8", f"({{0}} {op} {{1}})", ("int8", "int4")) for op in "+-*/"),
    *(("int4", f"({{0}} {op} {{1}})", ("int2", "int4")) for op in "+-*"),
    *(("numeric", f"({{0}} {op} {{1}})", ("numeric", "int4")) for op in "+-*/"),
    *(("float8", f"({{0}} {op} {{1}})", ("float8", "int4")) for op in "+-*/"),
    *(("int4", f"({{0}} {op} {{1}})", ("int4", "int4")) for op in "&|#"),
    ("int4", "(~ {0})", ("int4",)),
    *((t, f"CAST({{0}} AS {t})", (s,)) for t in NUMBERS for s in NUMBERS if s != t),
    *((t, f"CAST({{0}} AS {t})", ("text",)) for t in ("int4", "int8", "numeric", "float8", "bool")),
    *(("text", "CAST({0} AS text)", (t,)) for t in COLUMNS if t not in ("text", "float8")),
    *((t, f"{f}({{0}})", (t,)) for t in ("numeric", "float8") for f in ("floor", "ceil", "round", "trunc", "sign")),
    ("numeric", "round({0}, 2)", ("numeric",)),
    ("numeric", "trunc({0}, 1)", ("numeric",)),
    ("numeric", "round({0}, -1)", ("numeric",)),
    ("int4", "mod({0}, {1})", ("int4", "int4")),
    ("numeric", "div({0}, {1})", ("numeric", "numeric")),
    ("int4", "gcd({0}, {1})", ("int4", "int4")),
    ("int4", "int4({0})", ("bool",)),
    ("numeric", "CAST({0} AS numeric(12,2))", ("int4",)),
    ("numeric", "CAST({0} AS numeric(20,1))", ("int8",)),
    # text
    ("text", "({0} || {1})", ("text", "text")),
    ("text", "({0} || {1})", ("text", "int4")),
    *(("text", f"{f}({{0}})", ("text",)) for f in ("lower", "upper", "reverse", "btrim", "ltrim", "rtrim", "initcap", "md5", "quote_literal", "quote_ident")),
    *(("int4", f"{f}({{0}})", ("text",)) for f in ("length", "char_length", "octet_length", "ascii", "bit_length")),
    ("text", "substr({0}, {1})", ("text", "int4")),
    ("text", "substring({0} from {1} for 3)", ("text", "int4")),
    ("text", "left({0}, {1})", ("text", "small")),
    ("text", "right({0}, {1})", ("text", "small")),
    ("text", "lpad({0}, {1}, {2})", ("text", "small", "text")),
    ("text", "rpad({0}, {1}, {2})", ("text", "small", "text")),
    ("text", "repeat({0}, {1})", ("text", "small")),
    ("text", "replace({0}, {1}, {2})", ("text", "text", "text")),
    ("text", "translate({0}, {1}, {2})", ("text", "text", "text")),
    ("text", "split_part({0}, {1}, {2})", ("text", "text", "small")),
    ("text", "overlay({0} placing {1} from 2)", ("text", "text")),
    ("text", "concat({0}, {1}, {2})", ("text", "int4", "bool")),
    ("text", "concat_ws({0}, {1}, {2})", ("text", "text", "numeric")),
    ("text", "format('%s-%L-%5s', {0}, {1}, {2})", ("text", "text", "int4")),
    ("int4", "position({0} in {1})", ("text", "text")),
    ("int4", "strpos({0}, {1})", ("text", "text")),
    ("bool", "starts_with({0}, {1})", ("text", "text")),
    *(("bool", f"({{0}} {op} {{1}})", ("text", "text")) for op in ("LIKE", "NOT LIKE", "ILIKE")),
    ("text", "to_hex({0})", ("int4",)),
    ("text", "CAST({0} AS varchar(2))", ("text",)),
    # comparison and logic
    *(("bool", f"({{0}} {op} {{1}})", (t, t)) for t in COLUMNS for op in ("=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM")),
    *(("bool", f"({{0}} {op} {{1}})", pair) for op in ("=", "<", ">=") for pair in (("int4", "int8"), ("int4", "numeric"), ("int8", "float8"), ("numeric", "float8"), ("date", "timestamp"))),
    *(("bool", "({0} BETWEEN {1} AND {2})", (t, t, t)) for t in ("int4", "numeric", "text", "date")),
    *(("bool", "({0} IN ({1}, {2}))", (t, t, t)) for t in ("int4", "text", "numeric")),
    *(("bool", f"({{0}} {op} {{1}})", ("bool", "bool")) for op in ("AND", "OR", "=", "<")),
    ("bool", "(NOT {0})", ("bool",)),
    *(("bool", f"({{0}} IS {x})", ("bool",)) for x in ("TRUE", "NOT FALSE", "UNKNOWN", "NOT UNKNOWN")),
    *(("bool", f"({{0}} IS {x})", (t,)) for t in COLUMNS for x in ("NULL", "NOT NULL")),
    *((t, "CASE WHEN {0} THEN {1} ELSE {2} END", ("bool", t, t)) for t in COLUMNS),
    *((t, "CASE {0} WHEN 1 THEN {1} WHEN 2 THEN {2} END", ("int4", t, t)) for t in COLUMNS),
    *((t, f"{f}({{0}}, {{1}})", (t, t)) for t in COLUMNS for f in ("coalesce", "nullif")),
    *((t, f"{f}({{0}}, {{1}})", (t, t)) for t in ("int4", "int8", "numeric", "text", "date", "timestamp") for f in ("greatest", "least")),
    ("numeric", "coalesce({0}, {1})", ("int4", "numeric")),
    ("numeric", "CASE WHEN {0} THEN {1} ELSE {2} END", ("bool", "int4", "numeric")),
    ("float8", "coalesce({0}, {1})", ("numeric", "float8")),
    # dates
    ("date", "({0} + {1})", ("date", "small")),
    ("date", "({0} - {1})", ("date", "small")),
    ("int4", "({0} - {1})", ("date", "date")),
    ("timestamp", "({0} + {1})", ("date", "interval")),
    ("timestamp", "({0} + {1})", ("timestamp", "interval")),
    ("timestamp", "({0} - {1})", ("timestamp", "interval")),
    ("interval", "({0} - {1})", ("timestamp", "timestamp")),
    ("interval", "age({0}, {1})", ("timestamp", "timestamp")),
    ("interval", "({0} + {1})", ("interval", "interval")),
    ("interval", "({0} * {1})", ("interval", "small")),
    ("interval", "({0} / 2)", ("interval",)),
    ("interval", "(- {0})", ("interval",)),
    ("interval", "justify_interval({0})", ("interval",)),
    ("date", "CAST({0} AS date)", ("timestamp",)),
    ("timestamp", "CAST({0} AS timestamp)", ("date",)),
    *(("numeric", f"extract({f} from {{0}})", ("timestamp",)) for f in ("year", "month", "day", "hour", "second", "dow", "isodow", "doy", "week", "isoyear", "quarter", "epoch", "century", "millennium", "decade", "milliseconds", "microseconds")),
    *(("numeric", f"extract({f} from {{0}})", ("date",)) for f in ("year", "day", "epoch", "julian", "week")),
    *(("numeric", f"extract({f} from {{0}})", ("interval",)) for f in ("year", "month", "day", "hour", "second", "epoch")),
    *(("timestamp", f"date_trunc('{f}', {{0}})", ("timestamp",)) for f in ("second", "hour", "day", "week", "month", "quarter", "year", "decade", "century", "millennium")),
    ("text", "to_char({0}, 'YYYY-MM-DD HH24:MI:SS.US Day Mon DDD WW IW Q')", ("timestamp",)),
    ("text", "to_char({0}, 'FM999,990.00')", ("numeric",)),
    ("text", "to_char({0}, '0999')", ("int4",)),
    ("date", "make_date(2000 + {0}, 2, 29)", ("small",)),
)  # fmt: skip
SMALL = ("0", "1", "2", "3", "-1", "-2", "5", "NULL::int4")


def expression(kind: str, depth: int) -> st.SearchStrategy[str]:
    """SQL texts of a type, at most `depth` forms deep."""
    if kind == "small":
        return st.sampled_from(SMALL)
    leaves = st.sampled_from(LITERALS[kind] + COLUMNS[kind] * 2)
    forms = [f for f in FORMS if f[0] == kind]
    if depth == 0 or not forms:
        return leaves

    def filled(form: tuple[str, str, tuple[str, ...]]) -> st.SearchStrategy[str]:
        parts = [expression(k, depth - 1) for k in form[2]]
        return st.tuples(*parts).map(lambda args: form[1].format(*args))

    return st.one_of(leaves, *[st.deferred(lambda f=f: filled(f)) for f in forms])  # type: ignore[misc]


def aggregates(depth: int) -> st.SearchStrategy[str]:
    """An aggregate call, now and then DISTINCT or with FILTER."""
    calls = [("count(*)", ())] + [
        (f"{name}({{0}})", (kind,))
        for name, kinds in (
            ("sum", ("int2", "int4", "int8", "numeric")),
            ("avg", ("int4", "int8", "numeric")),
            ("min", ("int4", "numeric", "text", "date", "timestamp")),
            ("max", ("int4", "numeric", "text", "date", "timestamp")),
            ("count", ("int4", "numeric", "text", "bool")),
            ("count", ("int4", "numeric", "text", "bool")),
            ("bool_and", ("bool",)),
            ("bool_or", ("bool",)),
            ("bit_and", ("int4",)),
            ("bit_or", ("int4",)),
            ("var_pop", ("int4", "numeric")),
            ("stddev", ("int4", "numeric")),
        )
        for kind in kinds
    ]

    def filled(call: tuple[str, tuple[str, ...]]) -> st.SearchStrategy[str]:
        arguments = st.tuples(*[expression(k, depth) for k in call[1]])
        plain = arguments.map(lambda args: call[0].format(*args))
        distinct = arguments.map(
            lambda args: call[0].replace("(", "(DISTINCT ", 1).format(*args) if args else call[0]
        )
        filtered = st.tuples(plain, expression("bool", 1)).map(lambda x: f"{x[0]} FILTER (WHERE {x[1]})")
        return st.one_of(plain, plain, distinct, filtered)

    return st.sampled_from(calls).flatmap(filled)
