"""Queries over system relations by the wide door: where the fast one was shut, they need no DuckDB either.

It is shut while a server that shares its environment has yet to read what others have written, and for a statement that others follow
before the Sync. Afterwards the answer is the keyed engine's as ever (`planner.binding.keyed.catalog`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from executor.abc import Rows
from executor.keyed.compile import NotCompilable
from executor.keyed.join import JoinPlan
from executor.session.blocks.block import Block
from executor.snapshot.abc import NoKeyedAnswer
from planner.abc import KeyedJoin, Plan
from storage.abc import Datum

if TYPE_CHECKING:
    from executor.session.session import Session


def join_of(body: KeyedJoin) -> JoinPlan:
    """The compiled join; of system relations alone once for good, for it hangs on no catalog. Raises NotCompilable."""
    if body.compiled and body.compiled[0] is not None:
        known: JoinPlan = body.compiled[0]
        return known
    made = JoinPlan(body)
    if not made.tables and not body.compiled:
        body.compiled.append(made)
    return made


def answered(session: Session, block: Block | None, plan: Plan, params: Sequence[Datum]) -> Rows | None:
    """The answer, if the plan is for this catalog and asks for little of system relations alone."""
    body = plan.extra.get("keyed")
    if not isinstance(body, KeyedJoin) or session.pinned is not None:
        return None
    if plan.catalog_version != session.catalog.version or (block is not None and block.as_of is not None):
        return None
    try:
        join = join_of(body)
        if join.tables or join.handed:
            return None
        if block is not None:
            block.statement()
        rows = join.short(params, session, (), 0)
    except (NotCompilable, NoKeyedAnswer):
        return None
    return Rows(f"SELECT {len(rows)}", plan.columns, rows)


__all__ = ["answered", "join_of"]
