"""A call whose function is not found: none of its name takes what it is given (42883), or several do equally well (42725).

    SELECT f(1)      function f(integer) does not exist        r.f: perhaps a field, of the one argument that was given
    CALL f(1)        procedure f(integer) does not exist       the same search, told by who knows that a procedure is meant

The error knows what was called and with what, so whoever wanted something else of that name words it anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from planner.abc import PlanError
from planner.binding import ir

NO_MATCH: Final = (
    "No {} matches the given name and argument type{}. You might need to add {}explicit type cast{}."
)


class NoFunction(PlanError):
    """42883, with the name, with the types of its arguments, that was called, and the arguments for which there is no function."""

    def __init__(
        self, called: str, given: Sequence[ir.Node], position: int = 0, kind: str = "function"
    ) -> None:
        super().__init__(
            "42883",
            f"{kind} {called} does not exist",
            hint=NO_MATCH.format(kind, "s", "", "s"),
            position=position,
        )
        self.called, self.given = called, given

    def of_kind(self, kind: str) -> NoFunction:
        return NoFunction(self.called, self.given, self.position, kind)


class NotUnique(PlanError):
    """42725: several functions, and none that fits better than the others."""

    def __init__(self, called: str, position: int = 0, kind: str = "function") -> None:
        super().__init__(
            "42725",
            f"{kind} {called} is not unique",
            hint=f"Could not choose a best candidate {kind}. You might need to add explicit type casts.",
            position=position,
        )
        self.called = called

    def of_kind(self, kind: str) -> NotUnique:
        return NotUnique(self.called, self.position, kind)


__all__ = ["NO_MATCH", "NoFunction", "NotUnique"]
