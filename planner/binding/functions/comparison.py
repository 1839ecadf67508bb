"""Comparisons, boolean and bit operators: what DuckDB shares with PostgreSQL, and numerics in both forms."""

from __future__ import annotations

from itertools import permutations
from typing import Final

from planner import types as t
from planner.abc import Param, TypeRef
from planner.binding import ir
from planner.binding.comparable import comparable
from planner.binding.emit import Emitter
from planner.binding.fragments import DECIMAL_DIGITS_MAX, Frag, quote_text, sql
from planner.binding.functions.registry import register, template
from planner.binding.numeric_forms import as_text_numeric, have_common_form
from planner.types.near_decimals import CEIL, EXACT, FLOOR
from planner.types.numeric import typmod_of

_NUMERIC: Final = TypeRef(t.NUMERIC)
_OPERATORS = ("=", "<>", "<", "<=", ">", ">=")
_INTS = ("int2", "int4", "int8")
_PLAIN = [
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
    "macaddr",
    "macaddr8",
    "interval",
    "char",
    "tid",
    "pg_lsn",
    "money",
]


def equality_sides(signature: str, args: list[Frag]) -> list[Frag]:
    """What DuckDB compares for `=` and `<>` of one type: it joins by hashes of what stands on either side."""
    kind = signature.split(" ", 1)[0]
    if kind == "numeric" and not have_common_form(args[0], args[1]):
        near = _near_parameter(args, EXACT, EXACT)
        if near is not None:
            return near
        return [sql("tw_num_same(", as_text_numeric(x), ")") for x in args]
    if kind == "bpchar":
        return [sql("rtrim(", x, ", ' ')") for x in args]
    if kind == "jsonb":
        return [sql("tw_jsonb_same(", x, ")") for x in args]
    return args


_TOWARDS: Final = {"<": (FLOOR, CEIL), "<=": (CEIL, FLOOR), ">": (CEIL, FLOOR), ">=": (FLOOR, CEIL)}
"""Where a parameter on the left, or on the right, may be moved to."""


def _near_parameter(args: list[Frag], left: str, right: str) -> list[Frag] | None:
    """A parameter and a DECIMAL of known digits, as two of these; None where that is not what is compared."""
    for i, towards in enumerate((left, right)):
        given, form = args[i], args[1 - i].form
        (piece, *rest) = given.parts or ("",)
        if rest or not isinstance(piece, Param) or piece.type != _NUMERIC or form is None:
            continue
        precision, scale = form
        if precision < DECIMAL_DIGITS_MAX:
            ref = TypeRef(t.NUMERIC, typmod_of(precision + 1, scale))
            made = Frag((Param(piece.number, ref, towards),), (precision + 1, scale))
            return [made, args[1]] if i == 0 else [args[0], made]
    return None


def _numeric(op: str) -> None:
    def made(emitter: Emitter, _call: ir.Call, args: list[Frag]) -> Frag:
        a, b = args
        if have_common_form(a, b):
            return sql("(", a, f" {op} ", b, ")")
        if op in ("=", "<>") and emitter.for_duckdb:
            left, right = equality_sides(f"numeric {op} numeric", args)
            return sql("(", left, f" {op} ", right, ")")
        near = _near_parameter(args, *_TOWARDS[op]) if emitter.for_duckdb and op in _TOWARDS else None
        if near is not None:
            return sql("(", near[0], f" {op} ", near[1], ")")
        return sql("(tw_num_cmp(", as_text_numeric(a), ", ", as_text_numeric(b), f") {op} 0)")

    register(f"numeric {op} numeric", made)


def _padded_to(node: ir.Node) -> int:
    """The width to which a char(n) is padded; 0: not known."""
    return node.type.typmod - 4 if node.type.typmod >= 5 else 0


def _blank_padded(op: str) -> None:
    """char(n): trailing blanks do not count. Values of one width are equal where their texts are."""

    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        if op in ("=", "<>"):
            left, right = call.args
            if _padded_to(left) and _padded_to(left) == _padded_to(right):
                return sql("(", args[0], f" {op} ", args[1], ")")
            for i, (a, b) in enumerate(((left, right), (right, left))):
                if _padded_to(a) and isinstance(b, ir.Lit) and isinstance(b.value, str):
                    return sql(
                        "(", args[i], f" {op} ", quote_text(b.value.rstrip(" ").ljust(_padded_to(a))), ")"
                    )
        return sql("(rtrim(", args[0], f", ' ') {op} rtrim(", args[1], ", ' '))")

    register(f"bpchar {op} bpchar", made)


_NAMES: Final = (("name", "text"), ("text", "name"))
_MOMENTS: Final = tuple(permutations(("date", "timestamp", "timestamptz"), 2))
"""Days and moments, which compare by when they begin in the session's zone."""
_LAST_US: Final = (1 << 63) - 2


def _moments(a: str, op: str, b: str) -> None:
    kind = "TIMESTAMP WITH TIME ZONE" if "timestamptz" in (a, b) else "TIMESTAMP"
    sides = (
        # A day behind the last moment comes after all moments, where a cast refuses it.
        f"coalesce(TRY_CAST({{{i}}} AS {kind}), CASE WHEN {{{i}}} IS NOT NULL THEN CAST(make_timestamp({_LAST_US}) AS {kind}) END)"
        if side == "date"
        else f"CAST({{{i}}} AS {kind})"
        for i, side in enumerate((a, b))
    )
    template(f"{a} {op.lower()} {b}", f"({f' {op} '.join(sides)})")


def _equal_floats(signature: str) -> None:
    """-0 equals 0, and is not the same. DuckDB takes what it knows of one side of a join (its text is '0') for known of the other, too:
    of two rows' values sums are compared, which are 0 of both and of which nothing else is known."""

    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        left, right = ({n.relation for n in ir.walk(arg) if isinstance(n, ir.Var)} for arg in call.args)
        if left and right and left != right:
            args = [sql("(", arg, " + 0.0::DOUBLE)") for arg in args]
        return sql("(", args[0], " = ", args[1], ")")

    register(signature, made)


for _op in _OPERATORS:
    _numeric(_op)
    for _t in _PLAIN:
        template(f"{_t} {_op} {_t}", f"({{0}} {_op} {{1}})")
    for _a in _INTS:
        for _b in _INTS:
            template(f"{_a} {_op} {_b}", f"({{0}} {_op} {{1}})")
    for _a in ("float4", "float8"):
        for _b in ("float4", "float8"):
            # In DuckDB -0.0 equals 0.0 and NaN is the greatest and equal to itself, as in PostgreSQL.
            if _op == "=":
                _equal_floats(f"{_a} = {_b}")
            else:
                template(f"{_a} {_op} {_b}", f"({{0}} {_op} {{1}})")
    _blank_padded(_op)
    for _a, _b in _NAMES:
        template(f"{_a} {_op} {_b}", f"({{0}} {_op} {{1}})")
    for _a, _b in _MOMENTS:
        _moments(_a, _op, _b)
    _key = "tw_jsonb_same" if _op in ("=", "<>") else "tw_jsonb_key"
    template(f"jsonb {_op} jsonb", f"({_key}({{0}}) {_op} {_key}({{1}}))")

for _signature in (
    "xid = xid",
    "xid <> xid",
    "xid = int4",
    "xid <> int4",
    "cid = cid",
    "oidvector = oidvector",
    "oidvector <> oidvector",
):
    template(_signature, f"({{0}} {_signature.split()[1]} {{1}})")

for _op in ("=", "<>", "<", "<=", ">", ">="):
    template(f"xid8 {_op} xid8", f"({{0}} {_op} {{1}})")
template("xid8cmp(xid8, xid8)", "CASE WHEN {0} < {1} THEN -1 WHEN {0} > {1} THEN 1 WHEN {0} = {1} THEN 0 END")

for _t in _INTS:
    template(f"{_t} & {_t}", "({0} & {1})")
    template(f"{_t} | {_t}", "({0} | {1})")
    template(f"{_t} # {_t}", "xor({0}, {1})")
    template(f"~ {_t}", "(~{0})")


def _distinct(kind: str, negated: bool) -> None:
    word = "IS NOT DISTINCT FROM" if negated else "IS DISTINCT FROM"
    signature = f"{kind} {word.lower()} {kind}"

    def made(_emitter: Emitter, call: ir.Call, args: list[Frag]) -> Frag:
        a, b = args
        if not have_common_form(a, b):
            # Of char(n) and char(m): blanks behind count in neither.
            a, b = (
                comparable(as_text_numeric(x), TypeRef(n.type.oid) if n.type.oid == t.BPCHAR else n.type)
                for x, n in zip(args, call.args, strict=True)
            )
        return sql("(", a, f" {word} ", b, ")")

    register(signature, made)


_TELLABLE = {*_PLAIN, *_INTS, "float4", "float8", "numeric", "bpchar", "timetz", "xid", "xid8", "cid"}
for _t in sorted(_TELLABLE):
    _distinct(_t, False)
    _distinct(_t, True)
for _a in _INTS:
    for _b in _INTS:
        if _a != _b:
            for _w in ("IS DISTINCT FROM", "IS NOT DISTINCT FROM"):
                template(f"{_a} {_w.lower()} {_b}", f"({{0}} {_w} {{1}})")
for _w in ("IS DISTINCT FROM", "IS NOT DISTINCT FROM"):
    for _a, _b in (*_NAMES, ("float4", "float8"), ("float8", "float4")):
        template(f"{_a} {_w.lower()} {_b}", f"({{0}} {_w} {{1}})")
    for _a, _b in _MOMENTS:
        _moments(_a, _w, _b)
    template(f"jsonb {_w.lower()} jsonb", f"(tw_jsonb_key({{0}}) {_w} tw_jsonb_key({{1}}))")
