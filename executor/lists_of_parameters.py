"""Which plan a statement with lists of parameters is prepared with: its own, or that of all lengths.

    SELECT ... WHERE id IN ($1, $2, $3)       its own: three keys             planned for each length
                              IN ($1)         an array (`planner.listed_parameters`)

The array's plan is as good where keys lead to the rows of both. Where DuckDB is to look for rows it makes more of a few values than of an
array; from `LONG` on (as of constants, `planner.binding.long_lists`) that is nothing beside planning all of them. Most statements
come in one length, so the first one that comes is planned as it is, and looked at again when another length has come.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from planner.abc import Plan, SqlError, Utility
from planner.binding.long_lists import LONG
from planner.few_rows import narrowness, prunes
from planner.listed_parameters import KEYS_MAX, Listing, shorter
from planner.plan_context import PlanContext

KNOWN_MAX: Final = 2_000
_NEVER: Final = 1 << 30

Prepare = Callable[[str, PlanContext, tuple[int, ...]], Plan]


class ListsOfParameters:
    """What all sessions know of statements with lists. `prepare` plans a text, or has its plan."""

    def __init__(self, prepare: Prepare) -> None:
        self._prepare = prepare
        self._own: dict[tuple[str, tuple[int, ...]], int] = {}
        """Of statements without their lists: how narrow the plan of one length is. It is only ever a matter of time: any plan is right."""

    def prepared(
        self, text: str, context: PlanContext, types: tuple[int, ...]
    ) -> tuple[Plan, Listing | None]:
        """The plan of a statement to be prepared, and how what a client gives becomes its parameters, if they are not the same."""
        short = shorter(text, types)
        if short is None:
            return self._prepare(text, context, types), None
        key = short.text, short.types
        known = self._own.get(key)
        many = short.longest > KEYS_MAX  # an array in any case: no plan has so many keys
        if known == _NEVER or (known is None and not many):
            return self._as_it_is(text, context, types, key, known), None
        try:
            plan: Plan | None = self._prepare(short.text, context, short.types)
        except SqlError:
            plan = None  # planned as it is, which finds what is wrong, or that nothing is
        if plan is None or isinstance(plan.body, Utility):
            return self._as_it_is(text, context, types, key, _NEVER), None
        found = narrowness(plan)
        if many or (not prunes(plan) and found >= (known or 0) and (found > 0 or short.longest >= LONG)):
            return plan, short.listing
        return self._as_it_is(text, context, types, key, known), None

    def _as_it_is(
        self,
        text: str,
        context: PlanContext,
        types: tuple[int, ...],
        key: tuple[str, tuple[int, ...]],
        known: int | None,
    ) -> Plan:
        plan = self._prepare(text, context, types)
        if key not in self._own and len(self._own) >= KNOWN_MAX:
            del self._own[next(iter(self._own))]
        self._own[key] = narrowness(plan) if known is None else known
        return plan


__all__ = ["ListsOfParameters"]
