"""Whether a plan that was made still holds.

    made in this catalog                              it holds
    of a statement whose meaning is the same here     it holds
    the catalog answers as the other one did          it holds       (`planner.catalog.reads`)

While a statement is bound its catalog notes what it is asked; the plan keeps that. So whoever defines something leaves all
plans in place that have not asked for it.
"""

from __future__ import annotations

from planner import statements as st
from planner.abc import Plan, StatementKind, Utility
from planner.binding.routines.variables import Variables
from planner.catalog import Catalog
from planner.catalog.reads import Reads, WatchedCatalog, watched, with_rows
from planner.plan_context import PlanContext
from planner.records import replace


def is_current(plan: Plan, catalog: Catalog) -> bool:
    """Whether the plan is one for this catalog: made in it, or of a statement that means the same here as where it was made,
    or of answers that this one gives as well."""
    if plan.catalog_version == catalog.version:
        return True
    if plan.catalog_version < 0:
        return False
    only_parsed = plan.kind is StatementKind.DDL and not plan.extra  # it is bound whenever it runs
    if not only_parsed and plan.extra.get("meaning") != catalog.meaning:
        reads: Reads | None = plan.reads
        if reads is None or not reads.hold(catalog):
            return False
    plan.catalog_version = catalog.version
    return True


def watching(ctx: PlanContext, variables: Variables | None = None) -> PlanContext:
    """A context whose catalog notes what it is asked."""
    return replace(ctx, catalog=watched(ctx.catalog), variables=variables or ctx.variables)


def of_reads(plan: Plan, ctx: PlanContext) -> Plan:
    """The plan, and those in it, with what the catalog was asked for them."""
    assert isinstance(ctx.catalog, WatchedCatalog)
    _note(plan, with_rows(ctx.catalog))
    return plan


def _note(plan: Plan, reads: Reads) -> None:
    if "as_of" in plan.extra:
        return  # what it reads was asked of another catalog
    plan.reads = reads
    if isinstance(query := plan.extra.get("query"), Plan):
        _note(query, reads)
    if isinstance(plan.body, Utility) and isinstance(plan.body.statement, st.Rewritten):
        for step in plan.body.statement.steps:
            _note(step.plan, reads)


__all__ = ["is_current", "of_reads", "watching"]
