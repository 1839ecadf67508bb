"""Pairs of tokens that no PostgreSQL query contains: found before sqlglot, which forgives many of them.

    select a,, b        "," after ","            select , a          "," after SELECT
    where and b         AND after WHERE          a = ) ...           ")" after an operator
    t. where            no name after "."        from where          WHERE after FROM
    'a' 'b'             two strings on a line       select 1 as      nothing after AS

After some tokens an operand must follow, and some tokens never begin one. The error is at the second, as
PostgreSQL's parser, which reads one token ahead, has it.
"""

from __future__ import annotations

from typing import Final

from planner.abc import PlanError
from planner.lexer import END, INTEGER, OPERATOR, PUNCTUATION, QUOTED, STRING, WORD, Token, is_sign
from planner.parse.errors import end_of_input, syntax_error

# Keywords after which something must come that can begin an expression, a name or a list.
_HUNGRY: Final = frozenset(
    ("where", "having", "and", "or", "by", "when", "then", "else", "from", "join", "limit", "like", "ilike",
     "returning", "values", "on", "not", "between")
)  # fmt: skip

# Reserved keywords that begin no expression, name or list.
_NO_BEGINNING: Final = frozenset(
    ("from", "where", "group", "having", "order", "limit", "offset", "fetch", "union", "intersect", "except", "and",
     "or", "as", "on", "using", "when", "then", "else", "end", "is", "in", "desc", "asc", "into", "returning", "window",
     "collate", "isnull", "notnull", "do", "to", "check", "column", "create", "grant", "references", "primary",
     "foreign", "unique", "constraint", "deferrable", "initially", "placing", "symmetric", "asymmetric")
)  # fmt: skip

_OTHER_STARS: Final = frozenset(("except", "exclude", "replace", "rename"))
"""What other dialects put behind the star of a SELECT, to leave columns out or to change them."""

_AFTER_NOT: Final = frozenset(("in", "like", "ilike", "between", "similar"))
_IN_BRACKETS: Final = frozenset(("order", "from", "where", "for", "partition"))
"""What may come first in the brackets of OVER, WITHIN GROUP, FILTER and TRIM."""


def refuse_impossible_pairs(tokens: list[Token], text: str) -> None:
    """Raises 42601 at the first token that cannot follow the one before it. END is the last token."""
    first = tokens[0]
    if first.keyword == "delete" and tokens[1].keyword != "from":
        raise syntax_error(tokens[1], text)
    if first.keyword == "insert" and tokens[1].keyword != "into":
        raise syntax_error(tokens[1], text)
    if first.value == "(" and tokens[1].value == ")" and tokens[1].kind == PUNCTUATION:
        raise syntax_error(tokens[1], text)
    for i in range(len(tokens) - 1):
        a, b = tokens[i], tokens[i + 1]
        if _impossible(a, b, tokens, i):
            raise _pointing(b, tokens, text)


def _pointing(token: Token, tokens: list[Token], text: str) -> PlanError:
    if token.kind == END:
        return end_of_input(tokens, text)
    return syntax_error(token, text)


def _impossible(a: Token, b: Token, tokens: list[Token], i: int) -> bool:
    if a.kind == PUNCTUATION:
        sign = a.value
        if sign == ",":
            return _begins_nothing(b) or (b.kind == PUNCTUATION and b.value in (")", "]"))
        if sign == "(":
            if b.kind == PUNCTUATION:
                nothing_in = b.value == ")" and i > 0 and tokens[i - 1].keyword == "in"
                return nothing_in or b.value in (",", "]", "[")
            if b.keyword in _IN_BRACKETS or (i and tokens[i - 1].keyword == "operator"):
                return False
            return _begins_nothing(b)
        if sign == ".":
            return b.kind not in (WORD, QUOTED, OPERATOR)
        if sign == "::":
            return b.kind not in (WORD, QUOTED)
        return False
    if a.kind == OPERATOR:
        if a.value == "*" and i and (tokens[i - 1].keyword == "select" or tokens[i - 1].value in (",", ".")):
            return b.kind in (STRING, QUOTED, INTEGER) or (
                b.kind == WORD and (not b.keyword or b.keyword in _OTHER_STARS)
            )
        if a.value == "*" and i and tokens[i - 1].value == "(" and b.kind == PUNCTUATION and b.value == ",":
            return True  # count(*, 1)
        if (
            a.value == "*"
            or (i and tokens[i - 1].value in (".", "("))
            or (i and tokens[i - 1].keyword == "using")
        ):
            return False
        if b.kind == PUNCTUATION:
            return b.value in (",", ")", "]", "[")
        return _begins_nothing(b) or (b.kind == OPERATOR and b.value == "*")
    if a.kind == STRING and b.kind == STRING:
        return True  # of one string only across the end of a line
    if not a.keyword or (i and tokens[i - 1].value in (".", "as") and tokens[i - 1].kind != QUOTED):
        return False
    if a.keyword == "as":
        return b.kind == END or (b.kind == PUNCTUATION and b.value in (",", ")"))
    if a.keyword == "by" and not (i and tokens[i - 1].keyword in ("group", "order", "partition")):
        return False
    if a.keyword == "on" and i and tokens[i - 1].keyword == "distinct":
        return not is_sign(b, "(")
    if b.keyword == "by" and (
        a.keyword == "union" or (a.keyword == "all" and tokens[i - 1].keyword == "union")
    ):
        return True
    if a.keyword == "values" and i and not _after_target(tokens, i):
        return False
    if a.keyword == "between" and b.keyword in ("symmetric", "asymmetric"):
        return False
    if a.keyword in _HUNGRY:
        if b.kind == PUNCTUATION:
            return b.value in (",", ")", "]", "::", "[")
        if a.keyword == "not" and b.keyword in _AFTER_NOT:
            return False
        if a.keyword == "then" and b.keyword == "do":
            return False
        if a.keyword == "on" and b.keyword == "constraint" and i and tokens[i - 1].keyword == "conflict":
            return False
        return _begins_nothing(b) or (
            b.kind == OPERATOR and b.value == "*" and a.keyword not in ("returning",)
        )
    if a.keyword == "select":
        return b.kind == PUNCTUATION and b.value in (",", "[")
    return False


def _after_target(tokens: list[Token], i: int) -> bool:
    """Whether VALUES stands behind INSERT's table or its columns, where rows must follow; elsewhere it may be a name."""
    before = tokens[i - 1]
    named = before.kind == QUOTED or is_sign(before, ")") or (before.kind == WORD and not before.keyword)
    return named and tokens[0].keyword == "insert"


def _begins_nothing(b: Token) -> bool:
    if b.kind == END:
        return True
    if b.kind == PUNCTUATION:
        return b.value in (",", "::")
    if b.kind == OPERATOR:
        return b.value in ("=", "<", ">", "<=", ">=", "<>", "/", "%", "^", "||")
    return b.keyword in _NO_BEGINNING
