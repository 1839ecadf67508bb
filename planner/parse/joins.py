"""Joins and their conditions, where sqlglot's parser is more lenient than PostgreSQL's grammar, or knows less.

    a JOIN b                    no condition: an error at the token where it should be; sqlglot takes it for `a, b`
    a CROSS JOIN b ON x         a condition that none of the joins takes: an error at ON
    a JOIN b USING (i) AS x     the columns that USING merges, called x (SQL:2016)

A condition belongs to the last join that waits for one, as parentheses are closed: `a JOIN b JOIN c ON x ON y`. The
alias reaches the binder as a part of the last name in the list, which a unit separator cuts off (as in
`planner.parse.column_lists`).
"""

from __future__ import annotations

from typing import Final

from planner.lexer import END, PUNCTUATION, QUOTED, WORD, Token, is_sign
from planner.parse.column_lists import SEPARATOR

_BEFORE_JOIN: Final = frozenset(("inner", "left", "right", "full", "outer", "cross", "natural"))
_ENDS_FROM: Final = frozenset(
    [
        "where",
        "group",
        "having",
        "window",
        "order",
        "limit",
        "offset",
        "fetch",
        "for",
        "union",
        "intersect",
        "except",
        "returning",
    ]
)


class _Level:
    """What is known inside of one pair of parentheses."""

    __slots__ = ("joined", "waiting")

    def __init__(self) -> None:
        self.waiting = 0
        """Joins without their condition so far."""
        self.joined = False
        """Whether this FROM has a join at all."""


def misplaced_condition(tokens: list[Token]) -> Token | None:
    """The token at which a join's condition is missing, or is one too many; None where all is well."""
    if not any(t.keyword == "join" for t in tokens):
        return None
    merges = any(t.keyword == "merge" for t in tokens)  # whose ON is of no join
    levels = [_Level()]
    for i, token in enumerate(tokens):
        level = levels[-1]
        sign = token.value if token.kind == PUNCTUATION else ""
        if token.keyword and i and (is_sign(tokens[i - 1], ".") or tokens[i - 1].keyword == "as"):
            continue  # a name
        if sign in ("(", "["):
            levels.append(_Level())
        elif token.kind == END or sign in (",", ")", "]") or token.keyword in _ENDS_FROM:
            if level.waiting:
                return token
            level.joined = False
            if sign in (")", "]") and len(levels) > 1:
                levels.pop()
        elif token.keyword == "join":
            level.joined = True
            level.waiting += _takes_condition(tokens, i)
        elif token.keyword == "on" or (token.keyword == "using" and is_sign(tokens[i + 1], "(")):
            if level.waiting:
                level.waiting -= 1
            elif level.joined and not merges and tokens[i + 1].keyword != "conflict":
                return token
    return None


def _takes_condition(tokens: list[Token], at: int) -> bool:
    while at and tokens[at - 1].keyword in _BEFORE_JOIN:
        at -= 1
        if tokens[at].keyword in ("cross", "natural"):
            return False
    return True


def with_aliases(tokens: list[Token]) -> list[Token]:
    """The tokens with `USING (a, b) AS x` folded into `USING (a, b<separator>x)`."""
    if not any(t.keyword == "using" for t in tokens):
        return tokens
    out: list[Token] = []
    i = 0
    while i < len(tokens):
        out.append(tokens[i])
        i += 1
        if tokens[i - 1].keyword != "using" or not is_sign(tokens[i], "("):
            continue
        end = i + 1
        while tokens[end].kind in (WORD, QUOTED) and is_sign(tokens[end + 1], ","):
            end += 2
        last, closing, word, name = (tokens + tokens[-1:] * 4)[end : end + 4]
        if last.kind in (WORD, QUOTED) and is_sign(closing, ")") and word.keyword == "as":
            if name.kind not in (WORD, QUOTED):
                continue
            folded = Token(QUOTED, f"{last.value}{SEPARATOR}{name.value}", last.start, last.end)
            out += [*tokens[i:end], folded, closing]
            i = end + 4
    return out
