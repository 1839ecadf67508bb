"""Parameters where there are no values for them: in the simple protocol and in definitions."""

from __future__ import annotations

from typing import Final

from planner.abc import Plan, PlanError
from planner.lexer import PARAMETER, Token, tokenize

UNDECIDED_PARAMETER: Final = "42P18"


def named(text: str) -> Token | None:
    """The first `$n` of a statement, if there is one."""
    return next((token for token in tokenize(text) if token.kind == PARAMETER), None)


def prepares(text: str) -> bool:
    """Whether it is a PREPARE, whose parameters are of the statement within: its types are decided there."""
    return tokenize(text)[0].value == "prepare"


def no_parameter(text: str) -> PlanError:
    """42P02 for the first `$n` of a statement, which has one."""
    first = named(text)
    assert first is not None, "a plan with parameters is of a text that names them"
    return PlanError("42P02", f"there is no parameter ${first.value}", position=first.start + 1)


def refuse_parameters(plan: Plan, text: str) -> None:
    """A definition is kept, and nobody will give it values. Raises 42P02."""
    if plan.parameters:
        raise no_parameter(text)


__all__ = ["UNDECIDED_PARAMETER", "named", "no_parameter", "prepares", "refuse_parameters"]
