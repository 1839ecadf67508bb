"""Parameters where there are no values for them: in the simple protocol and in definitions."""

from __future__ import annotations

from typing import Final

from planner.abc import PlanError
from planner.lexer import PARAMETER, tokenize

UNDECIDED_PARAMETER: Final = "42P18"


def no_parameter(text: str) -> PlanError:
    """42P02 for the first `$n` of a statement."""
    first = next((token for token in tokenize(text) if token.kind == PARAMETER), None)
    if first is None:
        return PlanError("42P02", "there is no parameter $1")
    return PlanError("42P02", f"there is no parameter ${first.value}", position=first.start + 1)


__all__ = ["UNDECIDED_PARAMETER", "no_parameter"]
