"""Queries through sqlglot: PostgreSQL's precedence, PostgreSQL's words, positions that point."""

from __future__ import annotations

import pytest
from sqlglot import exp

from planner.abc import PlanError
from planner.parse import parse_expression, parse_query, position

_SIGNS = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%", exp.Pow: "^", exp.EQ: "=", exp.NEQ: "<>",
    exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.DPipe: "||", exp.BitwiseAnd: "&",
    exp.BitwiseOr: "|", exp.And: "AND", exp.Or: "OR",
}  # fmt: skip


def shown(n: exp.Expression) -> str:
    """An expression with all its brackets."""
    if isinstance(n, exp.Paren):
        return shown(n.this)
    if type(n) in _SIGNS:
        return f"({shown(n.left)} {_SIGNS[type(n)]} {shown(n.right)})"
    if isinstance(n, exp.Operator):
        left = shown(n.this) + " " if n.args.get("this") is not None else ""
        return f"({left}{n.args['operator']} {shown(n.expression)})"
    if isinstance(n, exp.Not | exp.Neg | exp.BitwiseNot):
        return f"({ {exp.Not: 'NOT', exp.Neg: '-', exp.BitwiseNot: '~'}[type(n)] } {shown(n.this)})"
    if isinstance(n, exp.Cast):
        return f"{shown(n.this)}::{n.to.sql('postgres').lower()}"
    if isinstance(n, exp.Is):
        return f"({shown(n.this)} IS {'NOT ' if n.args.get('negate') else ''}{shown(n.expression)})"
    if isinstance(n, exp.Between):
        return f"({shown(n.this)} BETWEEN {shown(n.args['low'])} AND {shown(n.args['high'])})"
    if isinstance(n, exp.In):
        return f"({shown(n.this)} IN ({', '.join(shown(x) for x in n.expressions)}))"
    if isinstance(n, exp.Like | exp.ILike):
        word = ("NOT " if n.args.get("negate") else "") + type(n).__name__.upper()
        return f"({shown(n.this)} {word} {shown(n.expression)})"
    if isinstance(n, exp.AtTimeZone):
        return f"({shown(n.this)} AT {shown(n.args['zone'])})"
    if isinstance(n, exp.NullSafeNEQ | exp.NullSafeEQ):
        return f"({shown(n.this)} {'DISTINCT' if isinstance(n, exp.NullSafeNEQ) else 'SAME'} {shown(n.expression)})"
    if isinstance(n, exp.Boolean | exp.Null):
        return n.sql().lower()
    if isinstance(n, exp.Anonymous):
        return f"{n.name}({', '.join(shown(x) for x in n.expressions)})"
    assert isinstance(n, exp.Column | exp.Literal), repr(n)
    return n.name


PRECEDENCE = [
    ("a+b*c-d", "((a + (b * c)) - d)"),
    ("-a^b", "((- a) ^ b)"),
    ("a^b^c", "((a ^ b) ^ c)"),
    ("-a::int", "(- a::int)"),
    ("a||b+c", "(a || (b + c))"),
    ("a||b=c", "((a || b) = c)"),
    ("a=b is null", "((a = b) IS null)"),
    ("not a=b", "(NOT (a = b))"),
    ("not a and b or c", "(((NOT a) AND b) OR c)"),
    ("a between b and c and d", "((a BETWEEN b AND c) AND d)"),
    ("a in (1,2) and b", "((a IN (1, 2)) AND b)"),
    ("a||b like c||d", "((a || b) LIKE (c || d))"),
    ("a not like b", "(a NOT LIKE b)"),
    ("a -> b || c", "((a -> b) || c)"),
    ("a || b ->> c", "((a || b) ->> c)"),
    ("a -> b -> c = d", "(((a -> b) -> c) = d)"),
    ("a & b | c", "((a & b) | c)"),
    ("a # b + c", "(a # (b + c))"),
    ("a << b << c", "((a << b) << c)"),
    ("~a + b", "(~ (a + b))"),
    ("@ a || b", "((@ a) || b)"),
    ("a operator(pg_catalog.+) b * c", "(a pg_catalog.+ (b * c))"),
    ("a operator(pg_catalog.*) b + c", "(a pg_catalog.* (b + c))"),
    ("a operator(pg_catalog.~) '^(x)$'", "(a pg_catalog.~ ^(x)$)"),
    ("a operator(s.+) b * c", "(a s.+ (b * c))"),
    ("a + b ### c * d = e", "(((a + b) ### (c * d)) = e)"),
    ("a ### b @#@ c || d", "(((a ### b) @#@ c) || d)"),
    ("a ### ### b + c", "(a ### (### (b + c)))"),
    ("<-> a and b <=> c", "((<-> a) AND (b <=> c))"),
    ("a !~* b and c", "((a !~* b) AND c)"),
    ("a is distinct from b and c", "((a DISTINCT b) AND c)"),
    ("a is not distinct from null", "(a SAME null)"),
    ("a + b at time zone c", "(a + (b AT c))"),
    ("a isnull and b notnull", "((a IS null) AND (b IS NOT null))"),
    ("a is not null", "(a IS NOT null)"),
    ("date '2020-01-01' + 1", "(2020-01-01::date + 1)"),
    ("interval '1 day' * 2", "(1 day::interval * 2)"),
    ("x::numeric(10,2)[]", "x::decimal(10, 2)[]"),
    ("x::int array", "x::int[]"),
    ("x::int[3]", "x::int[]"),
    ("x::timestamp(3) with time zone", "x::timestamptz(3)"),
    ("cast(a as double precision) / 2", "(a::double precision / 2)"),
    ("length(a) + to_char(b, 'YYYY')", "(length(a) + to_char(b, YYYY))"),
    ("left(a, 1) || replace(b, c, d)", "(left(a, 1) || replace(b, c, d))"),
    ("E'a\\'b' || U&'\\0061'", "(a'b || a)"),
]


@pytest.mark.parametrize(("text", "tree"), PRECEDENCE)
def test_precedence(text: str, tree: str) -> None:
    assert shown(parse_expression(text)) == tree


NAMES_THAT_ARE_NO_KEYWORDS_HERE = [
    "pivot",
    "qualify",
    "semi",
    "anti",
    "asof",
    "map",
    "list",
    "struct",
    "string",
    "long",
    "blob",
    "number",
    "tinyint",
    "regexp",
    "rlike",
    "xor",
    "div",
    "use",
    "kill",
    "format",
    "name",
    "text",
    "date",
    "value",
    "year",
    "key",
    "type",
    "first",
    "last",
    "next",
    "rows",
    "range",
    "over",
    "filter",
    "role",
    "level",
    "action",
]


@pytest.mark.parametrize("word", NAMES_THAT_ARE_NO_KEYWORDS_HERE)
def test_other_dialects_words_are_names(word: str) -> None:
    tree = parse_query(f"select t.{word}, {word} from t where {word} = 1 order by {word}")
    assert {c.name for c in tree.find_all(exp.Column)} == {word}


def test_adjacent_parameters() -> None:
    tree = parse_query("select $1,$2+$3")
    assert [p.this.name for p in tree.find_all(exp.Parameter)] == ["1", "2", "3"]


POINTS = [
    ("select aa from t", exp.Column, 8),
    ("select x, t.bb from t", exp.Table, 22),
    ("select\n  upper(zz)", exp.Anonymous, 10),
    ("select 'é' || qq", exp.Column, 15),
]


@pytest.mark.parametrize(("text", "kind", "where"), [p for p in POINTS if p[1] is not exp.Table])
def test_nodes_know_where_they_stand(text: str, kind: type[exp.Expression], where: int) -> None:
    node = parse_query(text).find(kind)
    assert node is not None
    assert position(node) == where


SYNTAX_ERRORS = [
    ("select 1 +", "syntax error at end of input", 11),
    ("select from where", 'syntax error at or near "where"', 13),
    ("select * form t", 'syntax error at or near "form"', 10),
    ("insert into t values (1,", "syntax error at end of input", 25),
    ("select (1", "syntax error at end of input", 10),
    ("select 1 2", 'syntax error at or near "2"', 10),
    ("select a from t whre b=1", 'syntax error at or near "b"', 22),
    ("update t set a=1 whre b=2", 'syntax error at or near "whre"', 18),
    ("select a,, b", 'syntax error at or near ","', 10),
    ("select , a", 'syntax error at or near ","', 8),
    ("select a from t where and b", 'syntax error at or near "and"', 23),
    ("select a from t group by", "syntax error at end of input", 25),
    ("select (a = ) from t", 'syntax error at or near ")"', 13),
    ("insert t values (1)", 'syntax error at or near "t"', 8),
    ("delete t", 'syntax error at or near "t"', 8),
]


@pytest.mark.parametrize(("text", "message", "where"), SYNTAX_ERRORS)
def test_syntax_errors_point_at_the_token(text: str, message: str, where: int) -> None:
    with pytest.raises(PlanError) as caught:
        parse_query(text)
    assert (caught.value.sqlstate, caught.value.message, caught.value.position) == ("42601", message, where)


def test_deep_nesting_is_an_error_and_no_crash() -> None:
    for before, inside, behind in (
        ("(", "1", ")"),
        ("(select * from ", "v", ") q"),
        ("array(", "select 1", ")"),
        ("cast(", "1", " as int)"),
        ("(select ", "1", ")"),
    ):
        for text in ("select * from ", "select ", "insert into v select * from "):
            with pytest.raises(PlanError) as caught:
                parse_query(text + before * 20_000 + inside + behind * 20_000)
            assert caught.value.sqlstate in ("54001", "42601")


def test_brackets_side_by_side_are_no_nesting() -> None:
    parse_query("select " + "+".join(["(1)"] * 400) + " where a in " + "(" + ", ".join(["(1)"] * 5_000) + ")")
