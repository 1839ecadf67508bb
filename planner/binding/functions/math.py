"""Numbers: arithmetic whose overflow, rounding, division and display scale are PostgreSQL's.

DuckDB's typed integers overflow where PostgreSQL's do and its `//` and `%` cut towards zero and refuse
zero; its floats become infinite where PostgreSQL raises 22003; numerics follow their form (`emit`).
"""

from __future__ import annotations

from planner.binding import ir
from planner.binding.emit import Emitter
from planner.binding.fragments import DECIMAL_DIGITS_MAX, Frag, sql
from planner.binding.functions.registry import implements, register, template, templates
from planner.binding.numeric_forms import SMALL_DIGITS_MAX, as_text_numeric, quotient_fits, unscaled

_INTS = {"int2": ("SMALLINT", 0), "int4": ("INTEGER", 1), "int8": ("BIGINT", 2)}


def _rest(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    """The least integer divided by -1 overflows in DuckDB, even where only the rest is asked for."""
    a, b = args
    divisor = call.args[1]
    while isinstance(divisor, ir.Cast):
        divisor = divisor.arg
    if isinstance(divisor, ir.Lit) and isinstance(divisor.value, int) and divisor.value != -1:
        return sql("(", a, " % ", b, ")")
    return sql("(CASE WHEN ", b, " = -1 THEN ", a, " - ", a, " ELSE ", a, " % ", b, " END)")


def _integers() -> None:
    for a, (duck_a, rank_a) in _INTS.items():
        for b, (duck_b, rank_b) in _INTS.items():
            duck = duck_a if rank_a >= rank_b else duck_b
            left = "{0}" if duck == duck_a else f"CAST({{0}} AS {duck})"
            right = "{1}" if duck == duck_b else f"CAST({{1}} AS {duck})"
            for op in "+-*":
                template(f"{a} {op} {b}", f"({left} {op} {right})")
            template(f"{a} / {b}", f"({left} // {right})")
            if a == b:
                implements(f"{a} % {b}", f"mod({a}, {b})")(_rest)
                template(f"{a} << int4" if b != "int4" else f"{a} << {b}", f"tw_shl_{a}({{0}}, {{1}})")
                template(f"{a} >> int4" if b != "int4" else f"{a} >> {b}", f"tw_shr_{a}({{0}}, {{1}})")
        template(f"- {a}", f"(CAST(0 AS {duck_a}) - {{0}})")
        template(f"+ {a}", "{0}")
        template(f"abs({a})", "abs({0})")
        template(f"@ {a}", "abs({0})")


_integers()


def _floats() -> None:
    for a in ("float4", "float8"):
        for b in ("float4", "float8"):
            both = a == b == "float4"
            cast = "FLOAT" if both else "DOUBLE"
            left, right = f"CAST({{0}} AS {cast})", f"CAST({{1}} AS {cast})"
            if a == b:
                left, right = "{0}", "{1}"
            for op, name in (("+", "add"), ("-", "sub"), ("*", "mul"), ("/", "div")):
                template(f"{a} {op} {b}", f"tw_float_{name}({left}, {right})")
        template(f"- {a}", "(-{0})")
        template(f"+ {a}", "{0}")
        template(f"abs({a})", "abs({0})")
        template(f"@ {a}", "abs({0})")


_floats()


_WIDE_DIGITS = 19


def _fits(precision: int, scale: int) -> tuple[int, int] | None:
    """The form of a result that needs so many digits; cut at what DuckDB has, where overflow is an error."""
    return (min(precision, DECIMAL_DIGITS_MAX), scale) if scale <= DECIMAL_DIGITS_MAX - 4 else None


def _sum_like(op: str, name: str) -> None:
    def made(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
        a, b = args
        if a.form is not None and b.form is not None:
            (p1, s1), (p2, s2) = a.form, b.form
            scale = max(s1, s2)
            form = _fits(max(p1 - s1, p2 - s2) + scale + 1, scale)
            if form is not None and max(p1 - s1, p2 - s2) + scale < DECIMAL_DIGITS_MAX:
                return sql("CAST((", a, f" {op} ", b, f") AS DECIMAL({form[0]},{form[1]}))", form=form)
        return sql(f"tw_num_{name}(", as_text_numeric(a), ", ", as_text_numeric(b), ")")

    register(f"numeric {op} numeric", made)


_sum_like("+", "add")
_sum_like("-", "sub")


_NARROW_DIGITS = 18
"""What a DECIMAL of 64 bits holds."""


@implements("numeric * numeric")
def _product(emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    a, b = args
    if a.form is not None and b.form is not None:
        (p1, s1), (p2, s2) = a.form, b.form
        # Beyond 38 digits the product may not fit a DECIMAL. That of two wide numbers often would not; a price
        # times a share does, whatever their types allow.
        wide = p1 + p2 > DECIMAL_DIGITS_MAX and min(p1, p2) >= _WIDE_DIGITS
        if s1 + s2 <= 24 and not wide:
            form = (min(p1 + p2, DECIMAL_DIGITS_MAX), s1 + s2)
            # DuckDB keeps to 18 digits, and fails beyond, unless a factor has more. Under an aggregate that is left
            # to it: 64 bits sum three times as fast.
            if max(p1, p2) <= _NARROW_DIGITS < p1 + p2 and not emitter.aggregating:
                a = sql("CAST(", a, f" AS DECIMAL({_NARROW_DIGITS + 1},{s1}))")
            return sql("(", a, " * ", b, ")", form=form)
    return sql("tw_num_mul(", as_text_numeric(a), ", ", as_text_numeric(b), ")")


@implements("- numeric")
def _negated(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    if args[0].form is not None:
        return sql("(-", args[0], ")", form=args[0].form)
    return sql("tw_num_neg(", args[0], ")")


@implements("+ numeric")
def _itself(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return args[0]


@implements("abs(numeric)", "@ numeric")
def _magnitude(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    if args[0].form is not None:
        return sql("abs(", args[0], ")", form=args[0].form)
    return sql("tw_num_abs(", args[0], ")")


@implements("round(numeric, int4)")
def _rounded(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
    value, places = args[0], call.args[1]
    if value.form is not None and isinstance(places, ir.Lit) and isinstance(places.value, int):
        p, s = value.form
        n = places.value
        if 0 <= n <= s:
            form = (min(p - s + n + 1, DECIMAL_DIGITS_MAX), n)
            return sql("CAST(", value, f" AS DECIMAL({form[0]},{form[1]}))", form=form)
        if n > s and p - s + n <= DECIMAL_DIGITS_MAX:
            form = (p - s + n, n)
            return sql("CAST(", value, f" AS DECIMAL({form[0]},{form[1]}))", form=form)
    return sql("tw_num_round(", as_text_numeric(value), ", ", args[1], ")")


@implements("round(numeric)")
def _rounded_whole(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    if args[0].form is not None:
        p, s = args[0].form
        form = (min(p - s + 1, DECIMAL_DIGITS_MAX), 0)
        return sql("CAST(", args[0], f" AS DECIMAL({form[0]},0))", form=form)
    return sql("tw_num_round(", args[0], ", 0)")


def _whole(signature: str, native: str, name: str, more: str = "") -> None:
    def made(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
        if args[0].form is None:
            return sql(f"tw_num_{name}(", args[0], more, ")")
        p, s = args[0].form
        form = (min(p - s + 1, DECIMAL_DIGITS_MAX), 0)
        return sql(f"CAST({native}(", args[0], f") AS DECIMAL({form[0]},0))", form=form)

    register(signature, made)


_whole("floor(numeric)", "floor", "floor")
_whole("ceil(numeric)", "ceil", "ceil")
_whole("ceiling(numeric)", "ceil", "ceil")
_whole("trunc(numeric)", "trunc", "trunc", ", 0")


@implements("mod(numeric, numeric)", "numeric % numeric")
def _remainder(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    return sql("tw_num_mod(", as_text_numeric(args[0]), ", ", as_text_numeric(args[1]), ")")


@implements("numeric / numeric")
def _quotient(_emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
    a, b = args
    if a.form is None or b.form is None or not quotient_fits(a.form, b.form):
        return sql("tw_num_div(", as_text_numeric(a), ", ", as_text_numeric(b), ")")
    small = max(a.form[0], b.form[0]) <= SMALL_DIGITS_MAX
    name, integer = ("tw_small_quotient", "BIGINT") if small else ("tw_quotient", "HUGEINT")
    top, bottom = unscaled(a, integer), unscaled(b, integer)
    return sql(f"{name}(", top, f", {a.form[1]}, ", bottom, f", {b.form[1]})")


templates("""
div(numeric, numeric) => tw_num_div_trunc({0}, {1})
numeric_div_trunc(numeric, numeric) => tw_num_div_trunc({0}, {1})
numeric_exp(numeric) => tw_num_exp({0})
numeric_ln(numeric) => tw_num_ln({0})
numeric_log(numeric, numeric) => tw_num_log({0}, {1})
numeric_sqrt(numeric) => tw_num_sqrt({0})
trunc(numeric, int4) => tw_num_trunc({0}, {1})
sign(numeric) => tw_num_sign({0})
sqrt(numeric) => tw_num_sqrt({0})
exp(numeric) => tw_num_exp({0})
ln(numeric) => tw_num_ln({0})
log(numeric) => tw_num_log('10', {0})
log10(numeric) => tw_num_log('10', {0})
log(numeric, numeric) => tw_num_log({0}, {1})
power(numeric, numeric) => tw_num_power({0}, {1})
pow(numeric, numeric) => tw_num_power({0}, {1})
numeric ^ numeric => tw_num_power({0}, {1})
factorial(int8) => tw_num_factorial({0})
gcd(int4, int4) => tw_int_int4(gcd(CAST({0} AS BIGINT), {1}))
gcd(int8, int8) => tw_int_int8(gcd(CAST({0} AS HUGEINT), {1}))
lcm(int4, int4) => tw_int_int4(lcm(CAST({0} AS BIGINT), {1}))
lcm(int8, int8) => tw_int_int8(lcm(CAST({0} AS HUGEINT), {1}))
scale(numeric) => tw_num_scale({0})
min_scale(numeric) => tw_num_min_scale({0})
trim_scale(numeric) => tw_num_trim_scale({0})
width_bucket(float8, float8, float8, int4) => tw_width_bucket({0}, {1}, {2}, {3})
width_bucket(numeric, numeric, numeric, int4) => tw_num_width_bucket({0}, {1}, {2}, {3})
round(float8) => round_even({0}, 0)
trunc(float8) => trunc({0})
floor(float8) => floor({0})
ceil(float8) => ceil({0})
ceiling(float8) => ceil({0})
sign(float8) => CAST(sign({0}) AS DOUBLE)
sqrt(float8) => tw_sqrt({0})
|/ float8 => tw_sqrt({0})
cbrt(float8) => cbrt({0})
||/ float8 => cbrt({0})
exp(float8) => tw_exp({0})
dexp(float8) => tw_exp({0})
dlog1(float8) => tw_ln({0})
dlog10(float8) => tw_log10({0})
ln(float8) => tw_ln({0})
log(float8) => tw_log10({0})
log10(float8) => tw_log10({0})
power(float8, float8) => tw_power({0}, {1})
pow(float8, float8) => tw_power({0}, {1})
float8 ^ float8 => tw_power({0}, {1})
sin(float8) => sin(tw_turning({0}))
cos(float8) => cos(tw_turning({0}))
tan(float8) => tan(tw_turning({0}))
cot(float8) => cot(tw_turning({0}))
asin(float8) => tw_asin({0})
acos(float8) => tw_acos({0})
atan(float8) => atan({0})
atan2(float8, float8) => atan2({0}, {1})
sinh(float8) => sinh({0})
cosh(float8) => cosh({0})
tanh(float8) => tanh({0})
asinh(float8) => asinh({0})
acosh(float8) => tw_acosh({0})
atanh(float8) => tw_atanh({0})
degrees(float8) => tw_float_div({0}, 0.017453292519943295e0)
radians(float8) => tw_float_mul({0}, 0.0174532925199432957692e0)
sind(float8) => tw_sind({0})
cosd(float8) => tw_cosd({0})
pi() => pi()
""")
