"""The clauses of UPDATE, DELETE and LIMIT: sqlglot reads those of other dialects, whose meaning here would be another one.

UPDATE t SET ... FROM ... WHERE ... RETURNING ...       in this order, each once
DELETE FROM t USING ... WHERE ... RETURNING ...

DELETE FROM t LIMIT 1           42601 at LIMIT          all rows would go
UPDATE t JOIN u ON ... SET      42601 at JOIN           so would be changed those that have no partner
LIMIT 1, 2                      42601                   an offset comes first in MySQL
"""

from __future__ import annotations

from typing import Final

from planner.abc import PlanError
from planner.lexer import END, OPERATOR, PUNCTUATION, Token, is_sign
from planner.parse.errors import syntax_error

_ORDER: Final = {
    "update": ("set", "from", "where", "returning"),
    "delete": ("using", "where", "returning"),
}
_JOINING: Final = frozenset(("join", "inner", "left", "right", "full", "cross", "natural", "on"))
_OF_QUERIES: Final = frozenset(("order", "limit", "offset", "fetch", "group", "having", "window"))
_AFTER_LIMIT: Final = frozenset(
    ("offset", "fetch", "for", "union", "intersect", "except", "order", "on", "returning")
)


def refuse_foreign_clauses(tokens: list[Token], text: str) -> None:
    """Raises 42601 at the first clause that is out of place. END is the last token."""
    for i, token in enumerate(tokens):
        if token.keyword == "limit" and not _is_name(tokens, i):
            _check_limit(tokens, i, text)
        elif token.keyword in _ORDER and _begins_statement(tokens, i):
            _check_write(tokens, i, text)


def _is_name(tokens: list[Token], i: int) -> bool:
    """Whether a word is what something is called: there any will do."""
    return i > 0 and (is_sign(tokens[i - 1], ".") or tokens[i - 1].keyword == "as")


def _begins_statement(tokens: list[Token], i: int) -> bool:
    if i == 0:
        return True
    if is_sign(tokens[i - 1], "("):
        return i > 1 and tokens[i - 2].keyword in ("as", "materialized")
    return tokens[0].keyword == "with" and is_sign(tokens[i - 1], ")")


def _same_level(tokens: list[Token], start: int) -> list[int]:
    """The tokens behind one, up to the bracket that closes around it, without what is in brackets."""
    out: list[int] = []
    depth = 0
    for i in range(start, len(tokens)):
        token = tokens[i]
        if token.kind == END:
            break
        if token.kind == PUNCTUATION and token.value in (")", "]"):
            depth -= 1
            if depth < 0:
                break
        elif token.kind == PUNCTUATION and token.value in ("(", "["):
            depth += 1
        elif not depth:
            out.append(i)
    return out


def _check_write(tokens: list[Token], start: int, text: str) -> None:
    order = _ORDER[tokens[start].keyword]
    reached = -1
    unassigned = False  # whether SET has named a column that has no `=` yet
    for i in _same_level(tokens, start + 2):  # behind UPDATE and a name's first part, or DELETE FROM
        token, before = tokens[i], tokens[i - 1]
        word = token.keyword
        if _is_name(tokens, i):
            continue
        if word in _OF_QUERIES or (reached < 0 and (word in _JOINING or is_sign(token, ","))):
            raise syntax_error(token, text)
        if reached >= 0 and order[reached] == "set" and word not in order:
            if unassigned and (is_sign(token, ",") or (token.kind == OPERATOR and token.value != "=")):
                raise syntax_error(token, text)
            unassigned = is_sign(token, ",") or (unassigned and token.kind != OPERATOR)
        if word not in order:
            continue
        at = order.index(word)
        is_operand = before.kind in (OPERATOR, PUNCTUATION) and not is_sign(before, ")")
        if word == "set" and reached >= 0 and (is_operand or before.keyword):
            continue  # a column of that name
        if (word == "from" and before.keyword == "distinct") or (word == "using" and reached == at):
            continue
        if unassigned or at <= reached or (reached < 0 and order[0] == "set" and word != "set"):
            raise syntax_error(token, text)
        reached = at
        unassigned = word == "set"


def _check_limit(tokens: list[Token], start: int, text: str) -> None:
    for i in _same_level(tokens, start + 1):
        token = tokens[i]
        if token.keyword in _AFTER_LIMIT:
            return
        if is_sign(token, ","):
            raise PlanError(
                "42601",
                "LIMIT #,# syntax is not supported",
                hint="Use separate LIMIT and OFFSET clauses.",
                position=tokens[start].start + 1,
            )
        if token.keyword == "by":
            raise syntax_error(token, text)
