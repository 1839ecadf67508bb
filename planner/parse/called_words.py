"""Words of joins and operators that call a function: those where an operand begins.

    SELECT is(a, b), NOT like(a, b)      FROM join(1)      is("is"(a, b), ...): the word is a name as if it were quoted
    a IS NULL, a NOT LIKE (b)            a JOIN (b JOIN c ON ...) ON ...        the word is grammar

PostgreSQL has these words in its drawer of types' and functions' names (`planner.keywords`), and pgTAP calls its most used
function `is`. What comes after the word does not tell: LIKE and JOIN are followed by brackets as well. What comes before it
does.
"""

from __future__ import annotations

from typing import Final

from planner.keywords import TYPE_FUNCTION_NAME
from planner.lexer import OPERATOR, PUNCTUATION, QUOTED, Token, is_sign

WORDS: Final = TYPE_FUNCTION_NAME - {"current_schema", "left", "right"}
"""Without those that sqlglot takes for functions itself."""
_BEFORE_OPERANDS: Final = frozenset(
    ("all", "and", "any", "between", "both", "case", "distinct", "else", "from", "having", "ilike", "join",
     "lateral", "leading", "like", "limit", "offset", "on", "or", "returning", "select", "symmetric", "then", "trailing",
     "variadic", "when", "where")
)  # fmt: skip


def quoted(tokens: list[Token]) -> list[Token]:
    """The tokens (END last) with such words as quoted names."""
    return [
        Token(QUOTED, token.value, token.start, token.end)
        if token.keyword in WORDS and is_sign(tokens[i + 1], "(") and _operand_begins(tokens, i)
        else token
        for i, token in enumerate(tokens)
    ]


def _operand_begins(tokens: list[Token], at: int) -> bool:
    """Whether the first word of an expression, or of an item of FROM, is at `at`."""
    previous = tokens[at - 1] if at else None
    if previous is None or previous.kind == OPERATOR:
        return True
    if previous.kind == PUNCTUATION:
        return previous.value in ("(", ",", "[", ":=")
    before = tokens[at - 2] if at > 1 else None
    if (
        before is not None and before.kind == PUNCTUATION and before.value == "."
    ):  # t.by JOIN (b JOIN c ON ...)
        return False
    if previous.keyword == "by":  # a column's name elsewhere
        return before is not None and before.keyword in ("group", "order", "partition")
    if previous.keyword == "not":  # NOT like(a, b), but a NOT LIKE (b)
        return _operand_begins(tokens, at - 1)
    return previous.keyword in _BEFORE_OPERANDS


__all__ = ["WORDS", "quoted"]
