"""Which form of a query an execution takes, where its parameters switch conditions off (`planner.binding.keyed.choices`).

    WHERE ($1 IS NULL OR owner = $2) ...      $1 given: owner = $2, a plan of its own      NULL: the plan without that condition

A form is a plan that stands in for the statement's, made once, as a leaf's is for a partitioned table's.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from executor.keyed.compile import compile_tuple
from planner.abc import KeyedJoin, KeyedRead, Plan
from planner.keyed_plans import Choices

if TYPE_CHECKING:
    from executor.session.session import Session

CHOICES: Final = "choices"


class ChosenPlans:
    """The plans that stand in for one."""

    computes = False
    """They have no more parameters than the statement."""

    def __init__(self, plan: Plan, made: Choices) -> None:
        """Raises NotCompilable where the keyed engine cannot compute what parameters say."""
        self._plan, self._forms = plan, made.forms
        self._tests = compile_tuple(made.tests)
        self._plans: dict[int, Plan] = {}

    def find(
        self, session: Session, params: tuple[Any, ...], *, now: bool = False
    ) -> tuple[Plan, tuple[Any, ...]] | None:
        """The plan of these parameters. `now` is nothing to it: it draws no numbers."""
        said = 0
        for answer in self._tests(params, None, session):
            said = said * 2 + (answer is True)
        plan = self._plans.get(said)
        if plan is None:
            plan = self._plans[said] = _plan_of(self._plan, self._forms[said])
        return plan, params


def _plan_of(plan: Plan, form: KeyedRead | KeyedJoin | None) -> Plan:
    extra = {name: value for name, value in plan.extra.items() if name != CHOICES}
    found = replace(plan, compiled=None, wire=None, extra=extra)
    if form is None:
        return found
    if "beyond" in extra:
        found.body = extra.pop("beyond")
    extra["keyed"] = form
    return found


__all__ = ["CHOICES", "ChosenPlans"]
