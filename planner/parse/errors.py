"""What PostgreSQL says of text that its grammar does not take."""

from __future__ import annotations

from planner.abc import PlanError
from planner.lexer import END, Token


def syntax_error(token: Token, text: str = "") -> PlanError:
    """PostgreSQL's words for a token that the grammar does not take."""
    if token.kind == END:
        return PlanError("42601", "syntax error at end of input", position=token.start + 1)
    shown = text[token.start : token.end] if text else token.value
    return PlanError("42601", f'syntax error at or near "{shown}"', position=token.start + 1)
