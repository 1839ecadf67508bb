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


def end_of_input(tokens: list[Token], text: str) -> PlanError:
    """What is said where a statement ends too early: at its semicolon, or behind all of its text."""
    end = next((t.end for t in reversed(tokens) if t.kind != END), 0)
    rest = text[end:].lstrip()
    if rest.startswith(";"):
        return PlanError("42601", 'syntax error at or near ";"', position=len(text) - len(rest) + 1)
    return PlanError("42601", "syntax error at end of input", position=len(text) + 1)


def too_deep() -> PlanError:
    return PlanError(
        "54001",
        "stack depth limit exceeded",
        hint="The statement nests expressions more deeply than the parser can follow.",
    )
