"""Conditions as elements of ROLLUP, CUBE and GROUPING SETS, which sqlglot reads as arithmetic only: they are given brackets.

GROUP BY ROLLUP (n > 5, g)       =>      GROUP BY ROLLUP ((n > 5), g)
"""

from __future__ import annotations

from operator import attrgetter
from typing import Final

from sqlglot.tokens import Token, TokenType

_SETS: Final = frozenset((TokenType.CUBE, TokenType.ROLLUP, TokenType.GROUPING_SETS))
_OPEN: Final = frozenset((TokenType.L_PAREN, TokenType.L_BRACKET))
_CLOSE: Final = frozenset((TokenType.R_PAREN, TokenType.R_BRACKET))
_CONDITION: Final = frozenset(
    (
        TokenType.EQ, TokenType.NEQ, TokenType.LT, TokenType.GT, TokenType.LTE, TokenType.GTE, TokenType.IS, TokenType.IN,
        TokenType.BETWEEN, TokenType.LIKE, TokenType.ILIKE, TokenType.SIMILAR_TO, TokenType.AND, TokenType.OR, TokenType.NOT,
    )
)  # fmt: skip


_kind: Final = attrgetter("token_type")


def bracketed(tokens: list[Token]) -> list[Token]:
    if _SETS.isdisjoint(map(_kind, tokens)):
        return tokens
    opened, closed = _brackets(tokens)
    if not opened:
        return tokens
    out: list[Token] = []
    for i, t in enumerate(tokens):
        if i in opened:
            out.append(Token(TokenType.L_PAREN, "(", len(out), 0, t.start, t.start))
        if i in closed:
            end = tokens[i - 1].end
            out.append(Token(TokenType.R_PAREN, ")", len(out), 0, end, end))
        out.append(Token(t.token_type, t.text, len(out), 0, t.start, t.end))
    return out


def _brackets(tokens: list[Token]) -> tuple[set[int], set[int]]:
    """Before which tokens brackets open, and close."""
    opened: set[int] = set()
    closed: set[int] = set()
    for i in range(len(tokens) - 1):
        if tokens[i].token_type not in _SETS or tokens[i + 1].token_type != TokenType.L_PAREN:
            continue
        depth, first, is_condition = 0, i + 2, False
        for at in range(i + 2, len(tokens)):
            kind = tokens[at].token_type
            if depth == 0 and (kind == TokenType.COMMA or kind in _CLOSE):
                if is_condition:
                    opened.add(first)
                    closed.add(at)
                if kind != TokenType.COMMA:
                    break
                first, is_condition = at + 1, False
            elif kind in _OPEN:
                depth += 1
            elif kind in _CLOSE:
                depth -= 1
            elif depth == 0 and kind in _CONDITION:
                is_condition = True
    return opened, closed
