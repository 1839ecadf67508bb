"""The table of what Spark computes: a signature, and Spark SQL that gives what DuckDB (and PostgreSQL) gives.

    template("int4 / int4", "CAST(({0} div {1}) AS INTEGER)")     text with the arguments' places
    @spark("date + interval")                                     a function of (emitter, call)

Every line has a differential test with the values at its edges. What is not here but is a single call of one of
`prelude`'s Python functions on scalars is supported as well: Spark calls the very same function.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from planner import types as t
from planner.binding import ir
from planner.binding.fragments import DECIMAL_DIGITS_MAX, Frag, Item, Verbatim, sql
from planner.binding.numeric_forms import as_text_numeric
from planner.binding.spark.values import refused, text_literal
from planner.types.texts import TYPMOD_HEADER

if TYPE_CHECKING:
    from planner.binding.spark.emitter import SparkEmitter

Maker = Callable[["SparkEmitter", ir.Call], Frag]
TABLE: dict[str, Maker] = {}
_HOLE = re.compile(r"\{(\d)\}")
_PLAIN = re.compile(r"[()=<>+\-*,.| ]*")


def chunk(text: str) -> Item:
    """A piece of a template: operators as they stand, words as text that nobody rewrites."""
    return text if _PLAIN.fullmatch(text) else Verbatim(text)


def template(signatures: str, text: str) -> None:
    """`signatures`: several, separated by `; `. Numerics reach a template as text."""
    cut = _HOLE.split(text)

    def made(emitter: SparkEmitter, call: ir.Call) -> Frag:
        args = [emitter.frag(a) for a in call.args]
        return sql(*(as_text_numeric(args[int(c)]) if i % 2 else chunk(c) for i, c in enumerate(cut)))

    for signature in signatures.split("; "):
        assert signature not in TABLE, signature
        TABLE[signature] = made


def spark(*signatures: str) -> Callable[[Maker], Maker]:
    def decorate(made: Maker) -> Maker:
        for signature in signatures:
            assert signature not in TABLE, signature
            TABLE[signature] = made
        return made

    return decorate


_INTS = {"int2": ("SMALLINT", 0), "int4": ("INTEGER", 1), "int8": ("BIGINT", 2)}
_COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")

# --- integers: Spark's overflow and division by zero are errors in ANSI mode ------------------------------

for _a, (_spark_a, _rank_a) in _INTS.items():
    for _b, (_spark_b, _rank_b) in _INTS.items():
        _wide = _spark_a if _rank_a >= _rank_b else _spark_b
        _left = "{0}" if _wide == _spark_a else f"CAST({{0}} AS {_wide})"
        _right = "{1}" if _wide == _spark_b else f"CAST({{1}} AS {_wide})"
        for _op in "+-*":
            template(f"{_a} {_op} {_b}", f"({_left} {_op} {_right})")
        template(f"{_a} / {_b}", f"CAST(({_left} div {_right}) AS {_wide})")
        if _a == _b:
            template(f"{_a} % {_b}; mod({_a}, {_b})", "({0} % {1})")
            template(f"{_a} & {_b}", "({0} & {1})")
            template(f"{_a} | {_b}", "({0} | {1})")
            template(f"{_a} # {_b}", "({0} ^ {1})")
        for _op in _COMPARISONS:
            template(f"{_a} {_op} {_b}", f"({{0}} {_op} {{1}})")
    template(f"+ {_a}", "{0}")
    template(f"- {_a}", f"(CAST(0 AS {_spark_a}) - {{0}})")
    template(f"~ {_a}", "(~{0})")
    template(f"abs({_a}); @ {_a}", "abs({0})")

# --- comparisons: NaN is the greatest and equal to itself, -0.0 equals 0.0, text goes by its bytes ---------

for _op in _COMPARISONS:
    for _a in ("bool", "text", "date", "timestamp", "timestamptz", "uuid", "bytea"):
        template(f"{_a} {_op} {_a}", f"({{0}} {_op} {{1}})")
    for _a in ("float4", "float8"):
        for _b in ("float4", "float8"):
            template(f"{_a} {_op} {_b}", f"({{0}} {_op} {{1}})")
    template(f"date {_op} timestamp", f"(CAST({{0}} AS TIMESTAMP_NTZ) {_op} {{1}})")
    template(f"timestamp {_op} date", f"({{0}} {_op} CAST({{1}} AS TIMESTAMP_NTZ))")
for _a in (*_INTS, "bool", "text", "date", "timestamp", "timestamptz", "float4", "float8"):
    template(f"{_a} is not distinct from {_a}", "({0} <=> {1})")
    template(f"{_a} is distinct from {_a}", "(NOT ({0} <=> {1}))")


def _compared(op: str) -> Maker:
    def made(emitter: SparkEmitter, call: ir.Call) -> Frag:
        a, b = (emitter.frag(x) for x in call.args)
        if a.form is not None and b.form is not None:
            (p1, s1), (p2, s2) = a.form, b.form
            if max(p1 - s1, p2 - s2) + max(s1, s2) <= DECIMAL_DIGITS_MAX:
                return sql("(", a, f" {op} ", b, ")")
        if any(isinstance(x, ir.SubQuery) for x in call.args):
            # Python cannot be given a subquery: what sorts like the number is made inside of it.
            return sql("(", _sort_key(call.args[0], a), f" {op} ", _sort_key(call.args[1], b), ")")
        return sql(
            "(",
            Verbatim("tw_num_cmp("),
            as_text_numeric(a),
            ", ",
            as_text_numeric(b),
            f") {op} ",
            Verbatim("0"),
            ")",
        )

    return made


def _sort_key(node: ir.Node, frag: Frag) -> Frag:
    if isinstance(node, ir.SubQuery):
        cell = as_text_numeric(Frag((Verbatim("tw_k.c0"),), frag.form))
        return sql(Verbatim("(SELECT tw_num_key("), cell, Verbatim(") FROM "), frag, Verbatim(" AS tw_k)"))
    return sql(Verbatim("tw_num_key("), as_text_numeric(frag), ")")


def _width(node: ir.Node) -> int:
    """Of a char(n); 0 where it is not known."""
    return max(node.type.typmod - TYPMOD_HEADER, 0)


def unpadded(emitter: SparkEmitter, node: ir.Node) -> Frag:
    """A char(n) as what orders it: a blank that stands at its end does not count, one before a tab does."""
    return sql(Verbatim("TRIM(TRAILING ' ' FROM "), emitter.text(node), ")")


def _blank_padded(op: str) -> Maker:
    """char(n): trailing blanks do not count. Of one width, values are equal as they are."""

    def made(emitter: SparkEmitter, call: ir.Call) -> Frag:
        left, right = call.args
        if op in ("=", "<>"):
            if _width(left) and _width(left) == _width(right):
                return sql("(", emitter.frag(left), f" {op} ", emitter.frag(right), ")")
            for a, b in ((left, right), (right, left)):
                if _width(a) and isinstance(b, ir.Lit) and isinstance(b.value, str):
                    text = text_literal(b.value.rstrip(" ").ljust(_width(a)))
                    return sql("(", emitter.frag(a), f" {op} ", Verbatim(text), ")")
        return sql("(", unpadded(emitter, left), f" {op} ", unpadded(emitter, right), ")")

    return made


for _op in _COMPARISONS:
    TABLE[f"numeric {_op} numeric"] = _compared(_op)
    TABLE[f"bpchar {_op} bpchar"] = _blank_padded(_op)

# --- numerics in a DECIMAL; those in a text are `prelude`'s ------------------------------------------------


def _sum_like(op: str, name: str) -> Maker:
    def made(emitter: SparkEmitter, call: ir.Call) -> Frag:
        a, b = (emitter.frag(x) for x in call.args)
        if a.form is not None and b.form is not None:
            (p1, s1), (p2, s2) = a.form, b.form
            scale = max(s1, s2)
            digits = max(p1 - s1, p2 - s2) + scale + 1
            if digits <= DECIMAL_DIGITS_MAX:
                return sql(
                    Verbatim("CAST("),
                    "(",
                    a,
                    f" {op} ",
                    b,
                    ")",
                    Verbatim(f" AS DECIMAL({digits},{scale}))"),
                    form=(digits, scale),
                )
        return sql(Verbatim(f"tw_num_{name}("), as_text_numeric(a), ", ", as_text_numeric(b), ")")

    return made


template("numeric / numeric", "tw_num_div({0}, {1})")
TABLE["numeric + numeric"] = _sum_like("+", "add")
TABLE["numeric - numeric"] = _sum_like("-", "sub")


@spark("numeric * numeric")
def _product(emitter: SparkEmitter, call: ir.Call) -> Frag:
    a, b = (emitter.frag(x) for x in call.args)
    if a.form is not None and b.form is not None:
        (p1, s1), (p2, s2) = a.form, b.form
        wide = p1 + p2 > DECIMAL_DIGITS_MAX and min(p1, p2) >= 19
        if s1 + s2 <= 24 and not wide:
            form = (min(p1 + p2, DECIMAL_DIGITS_MAX), s1 + s2)
            return sql(
                Verbatim("CAST("),
                "(",
                a,
                " * ",
                b,
                ")",
                Verbatim(f" AS DECIMAL({form[0]},{form[1]}))"),
                form=form,
            )
    return sql(Verbatim("tw_num_mul("), as_text_numeric(a), ", ", as_text_numeric(b), ")")


@spark("+ numeric")
def _signed(emitter: SparkEmitter, call: ir.Call) -> Frag:
    return emitter.frag(call.args[0])


@spark("- numeric")
def _negated(emitter: SparkEmitter, call: ir.Call) -> Frag:
    a = emitter.frag(call.args[0])
    return sql("(-", a, ")", form=a.form) if a.form is not None else sql(Verbatim("tw_num_neg("), a, ")")


@spark("abs(numeric)", "@ numeric")
def _magnitude(emitter: SparkEmitter, call: ir.Call) -> Frag:
    a = emitter.frag(call.args[0])
    return (
        sql(Verbatim("abs("), a, ")", form=a.form)
        if a.form is not None
        else sql(Verbatim("tw_num_abs("), a, ")")
    )


@spark("round(numeric, int4)", "round(numeric)")
def _rounded(emitter: SparkEmitter, call: ir.Call) -> Frag:
    value = emitter.frag(call.args[0])
    places = call.args[1] if len(call.args) > 1 else None
    n = places.value if isinstance(places, ir.Lit) else 0 if places is None else None
    if value.form is not None and isinstance(n, int):
        p, s = value.form
        if 0 <= n <= s:
            form = (min(p - s + n + 1, DECIMAL_DIGITS_MAX), n)
            return sql(Verbatim("CAST("), value, Verbatim(f" AS DECIMAL({form[0]},{form[1]}))"), form=form)
    number = emitter.frag(places) if places is not None else sql(Verbatim("0"))
    return sql(Verbatim("tw_num_round("), as_text_numeric(value), ", ", number, ")")


# --- floats: what leaves the range is an error ----------------------------------------------------------------

_INFINITE = "double('Infinity')"
for _a in ("float4", "float8"):
    for _b in ("float4", "float8"):
        _wide = "FLOAT" if _a == _b == "float4" else "DOUBLE"
        # A lambda, so that each operand is written once: a sum of sums would double with every sign.
        _x, _y = "tw.a", "tw.b"
        for _op in "+-*/":
            # Spark refuses a zero divisor even of NaN, whose quotient is NaN; its quotient of floats is a double.
            _zero = (
                f"WHEN {_y} = 0 AND NOT isnan({_x}) THEN raise_error('[22012] division by zero') "
                f"WHEN {_y} = 0 THEN CAST('NaN' AS {_wide}) "
                if _op == "/"
                else ""
            )
            _value = f"({_x} {_op} {_y})" if _op != "/" else f"CAST({_x} / {_y} AS {_wide})"
            _more = f" AND {_y} <> 0" if _op == "*" else ""
            _under = (
                f"WHEN {_value} = 0 AND {_x} <> 0{_more} AND abs({_y}) <> {_INFINITE} THEN raise_error('[22003] value out of range: underflow') "
                if _op in "*/"
                else ""
            )
            template(
                f"{_a} {_op} {_b}",
                f"element_at(transform(array(named_struct('a', CAST({{0}} AS {_wide}), 'b', CAST({{1}} AS {_wide}))), tw -> (CASE {_zero}"
                f"WHEN abs({_value}) = {_INFINITE} AND abs({_x}) <> {_INFINITE} AND abs({_y}) <> {_INFINITE} "
                f"THEN raise_error('[22003] value out of range: overflow') {_under}ELSE {_value} END)), 1)",
            )
    template(f"+ {_a}", "{0}")
    template(f"- {_a}", "(-{0})")
    template(f"abs({_a}); @ {_a}", "abs({0})")
template("round(float8)", "rint({0})")
template(
    "sign(float8)",
    "(CASE WHEN {0} IS NULL THEN NULL WHEN isnan({0}) OR {0} = 0 THEN CAST(0 AS DOUBLE) WHEN {0} > 0 THEN CAST(1 AS DOUBLE) ELSE CAST(-1 AS DOUBLE) END)",
)

# --- text -------------------------------------------------------------------------------------------------------

template("text || text", "({0} || {1})")
template("length(text); char_length(text); character_length(text); textlen(text)", "char_length({0})")
template(
    "length(bpchar); char_length(bpchar); character_length(bpchar)",
    "char_length(TRIM(TRAILING ' ' FROM {0}))",
)
template("octet_length(text); octet_length(bpchar)", "octet_length({0})")
template(
    "substr(text, int4); substring(text, int4)",
    "(CASE WHEN {1} IS NOT NULL THEN substring({0}, greatest({1}, 1)) END)",
)


@spark("substr(text, int4, int4)", "substring(text, int4, int4)")
def _substring(emitter: SparkEmitter, call: ir.Call) -> Frag:
    value, start, count = call.args
    text = emitter.frag(value)
    if isinstance(start, ir.Lit) and isinstance(count, ir.Lit):
        first, n = start.value, count.value
        if isinstance(first, int) and isinstance(n, int) and first >= 1 and n >= 0:
            return sql(Verbatim("substring("), text, Verbatim(f", {first}, {n})"))
    a, n_ = emitter.frag(start), emitter.frag(count)
    left = sql(Verbatim("greatest("), a, Verbatim(", 1)"))
    return sql(
        Verbatim("(CASE WHEN "), n_, Verbatim(" < 0 THEN raise_error('[22011] negative substring length not allowed') WHEN "),
        a, Verbatim(" IS NOT NULL AND "), n_, Verbatim(" IS NOT NULL THEN substring("), text, ", ", left,
        Verbatim(", CAST(least(greatest(CAST("), a, Verbatim(" AS BIGINT) + "), n_, " - ", left,
        Verbatim(", 0), 2147483647) AS INTEGER)) END)"),
    )  # fmt: skip


template(
    "position(text, text); strpos(text, text)",
    "(CASE WHEN {1} = '' AND {0} IS NOT NULL THEN 1 ELSE instr({0}, {1}) END)",
)
template(
    "replace(text, text, text)",
    "(CASE WHEN {1} = '' AND {2} IS NOT NULL THEN {0} ELSE replace({0}, {1}, {2}) END)",
)
template("btrim(text)", "TRIM(BOTH ' ' FROM {0})")
template("ltrim(text)", "TRIM(LEADING ' ' FROM {0})")
template("rtrim(text)", "TRIM(TRAILING ' ' FROM {0})")
template("repeat(text, int4)", "repeat({0}, {1})")
template("starts_with(text, text); text ^@ text", "startswith({0}, {1})")
template("md5(text)", "md5({0})")
template("floor(numeric)", "tw_num_floor({0})")
template("ceil(numeric); ceiling(numeric)", "tw_num_ceil({0})")
template("trunc(numeric)", "tw_num_trunc({0}, 0)")
template("lower(text)", "tw_lower({0})")
template("upper(text)", "tw_upper({0})")


@spark(
    "text ~~ text",
    "text !~~ text",
    "bpchar ~~ text",
    "bpchar !~~ text",
    "like(text, text)",
    "notlike(text, text)",
)
def _like(emitter: SparkEmitter, call: ir.Call) -> Frag:
    value, pattern = call.args
    if not isinstance(pattern, ir.Lit) or not isinstance(pattern.value, str):
        raise refused("a pattern that is not a constant", call.position)
    text = pattern.value
    if re.search(r"\\(?![\\%_])", text):
        raise refused("a pattern that escapes an ordinary character", call.position)
    word = "NOT LIKE" if "!" in call.op or call.op.startswith("not") else "LIKE"
    return sql("(", emitter.frag(value), Verbatim(f" {word} {text_literal(text)}"), ")")


# --- dates and timestamps ---------------------------------------------------------------------------------------

_FINITE_DATE = "{0} NOT IN (date_from_unix_date(2147483647), date_from_unix_date(-2147483647))"


def _shifted(signature: str, value: str) -> None:
    """date +- int4: the infinite ones stay, and what leaves the range is an error, not another date."""
    n = "CAST({1} AS BIGINT)" if "-" not in value else "-CAST({1} AS BIGINT)"
    day = f"(CAST(unix_date({{0}}) AS BIGINT) + {n})"
    template(
        signature,
        f"(CASE WHEN {{1}} IS NULL THEN NULL WHEN {_FINITE_DATE} THEN (CASE WHEN {day} BETWEEN -2451545 AND 2145031948 THEN "
        f"date_from_unix_date(CAST({day} AS INTEGER)) ELSE raise_error('[22008] date out of range') END) ELSE {{0}} END)",
    )


_shifted("date + int4", "+")
_shifted("date - int4", "-")


@spark("date - date")
def _days(emitter: SparkEmitter, call: ir.Call) -> Frag:
    a, b = (emitter.frag(x) for x in call.args)
    infinite = Verbatim(" IN (date_from_unix_date(2147483647), date_from_unix_date(-2147483647))")
    return sql(
        Verbatim("(CASE WHEN "), a, infinite, Verbatim(" OR "), b, infinite,
        Verbatim(" THEN raise_error('[22008] cannot subtract infinite dates') ELSE datediff("), a, ", ", b, Verbatim(") END)"),
    )  # fmt: skip


@spark("date + interval", "date - interval", "timestamp + interval", "timestamp - interval")
def _moved(emitter: SparkEmitter, call: ir.Call) -> Frag:
    """By an interval that is a constant: months, days, then the time, as PostgreSQL adds them."""
    start, step = call.args
    if not isinstance(step, ir.Lit) or not isinstance(step.value, tuple):
        raise refused("an interval that is not a constant", call.position)
    sign = -1 if " - " in call.op else 1
    months, days, micros = (int(v) * sign for v in step.value)
    made = emitter.frag(start)
    if start.type.oid == t.DATE:
        made = sql(Verbatim("CAST("), made, Verbatim(" AS TIMESTAMP_NTZ)"))
    if months:
        made = sql("(", made, Verbatim(f" + make_ym_interval(0, {months})"), ")")
    if days:
        made = sql("(", made, Verbatim(f" + make_dt_interval({days}, 0, 0, 0)"), ")")
    if micros:
        seconds = f"CAST('{micros // 1_000_000}.{micros % 1_000_000:06d}' AS DECIMAL(18,6))"
        if micros < 0:
            seconds = f"CAST('-{-micros // 1_000_000}.{-micros % 1_000_000:06d}' AS DECIMAL(18,6))"
        if abs(micros) >= 86_400_000_000:
            raise refused("an interval with a time of a day or more", call.position)
        made = sql("(", made, Verbatim(f" + make_dt_interval(0, 0, 0, {seconds})"), ")")
    return made


_FIELDS = {
    "year": "YEAR",
    "month": "MONTH",
    "day": "DAY",
    "quarter": "QUARTER",
    "doy": "DOY",
    "hour": "HOUR",
    "minute": "MINUTE",
}
_FIELDS_INFINITE = {
    t.DATE: "(date_from_unix_date(2147483647), date_from_unix_date(-2147483647))",
    t.TIMESTAMP: "(CAST(timestamp_micros(9223372036854775807) AS TIMESTAMP_NTZ), CAST(timestamp_micros(-9223372036854775807) AS TIMESTAMP_NTZ))",
}


@spark(
    "extract(text, date)", "extract(text, timestamp)", "date_part(text, date)", "date_part(text, timestamp)"
)
def _field(emitter: SparkEmitter, call: ir.Call) -> Frag:
    name, value = call.args
    wanted = str(name.value).lower() if isinstance(name, ir.Lit) else ""
    field = _FIELDS.get(wanted)
    if field is None or (value.type.oid == t.DATE and wanted in ("hour", "minute")):
        raise refused(f"extract({wanted or '...'})", call.position)
    made = emitter.frag(value)
    part = sql(
        Verbatim("(CASE WHEN "), made, Verbatim(f" IN {_FIELDS_INFINITE[value.type.oid]} THEN "),
        Verbatim("raise_error('[0A000] a field of an infinite time is not supported by the distributed engine') ELSE "),
        Verbatim(f"CAST(EXTRACT({field} FROM "), made, Verbatim(") AS DECIMAL(20,0)) END)"), form=(20, 0),
    )  # fmt: skip
    return sql(Verbatim("CAST("), part, Verbatim(" AS DOUBLE)")) if call.op.startswith("date_part") else part
