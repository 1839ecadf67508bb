"""A rule's statements bound before anybody writes its relation: for what is wrong with them, and what they stand on.

NEW and OLD are rows that nobody makes: columns of the right types under the name that they will have (`planner.binding.writes.new_and_old`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from planner import types as t
from planner.abc import Oid, Plan, PlanError, Table
from planner.binding.fragments import sql
from planner.binding.from_items import CommonTable
from planner.binding.numeric_forms import column_form
from planner.binding.parameters import Parameters
from planner.binding.queries import QueryBinder
from planner.binding.writes import new_and_old
from planner.binding.writes.rule_actions import event_of, parse_notify, target_of, type_rows, without_defaults
from planner.catalog import View
from planner.parse import parse_query
from planner.records import replace


@dataclass(frozen=True, slots=True)
class Sketch:
    """A statement of a rule: its tree as it was said, and the plan (None: NOTIFY)."""

    tree: exp.Expression | None
    plan: Plan | None
    returns: int = 0
    columns: frozenset[tuple[Oid, int]] = frozenset()
    """What it names: relations with the numbers of columns."""


def condition(ctx: Any, holder: Table | View, event: str, text: str) -> Sketch:
    """A rule's WHERE. Raises what binding raises."""
    tree = new_and_old.condition(text, holder, event)
    test = new_and_old.replaced(tree.copy(), holder, event)
    select = new_and_old.joined(exp.Select(expressions=[exp.Literal.number(1)]), [test])
    plan, columns = _bound(ctx, holder, event, text, select)
    return Sketch(tree, plan, columns=columns | new_and_old.columns_named(tree, holder))


def action(ctx: Any, holder: Table | View, event: str, text: str, *, returning: str) -> Sketch:
    """A statement of a rule. `returning`: why it may have no RETURNING; "": it may."""
    if parse_notify(text.lstrip()) is not None:
        return Sketch(None, None)
    tree = parse_query(text)
    if isinstance(tree, exp.Merge):
        raise PlanError("0A000", "MERGE in rules is not supported")
    said = tree.args.get("returning")
    if said is not None and returning:
        raise PlanError("0A000", returning)
    if any(isinstance(cte.this, exp.DML) for cte in tree.find_all(exp.CTE)):
        raise PlanError("0A000", "data-modifying WITH in rules is not supported")
    if any(new_and_old.names_rows(cte) for cte in tree.find_all(exp.CTE)):
        raise PlanError("0A000", "cannot refer to OLD or NEW within WITH query")
    changed = tree.copy()
    type_rows(changed, ctx.catalog, ctx.search_path)
    changed = new_and_old.replaced(changed, holder, event)
    if new_and_old.names_rows(tree):
        without_defaults(changed, ctx.catalog, ctx.search_path)
        changed = new_and_old.joined(changed, [])
    plan, columns = _bound(ctx, holder, event, text, changed)
    if said is not None and plan.tag != "SELECT":
        _refuse_returning(holder, plan)
    columns |= new_and_old.columns_named(tree, holder)
    return Sketch(tree, plan, int(said is not None), columns)


def _bound(
    ctx: Any, holder: Table | View, event: str, text: str, tree: exp.Expression
) -> tuple[Plan, frozenset[tuple[Oid, int]]]:
    from planner.binding.statements import bound_plan

    queries = QueryBinder(replace(ctx, trusted=True), text, Parameters((), None))
    queries.prefer_keyed = queries.keeps_selects = False
    shown = new_and_old.columns_of(holder, event)
    forms = [column_form(column.type) for _, column, _ in shown]
    columns = ", ".join(f"c{i}" for i in range(len(shown)))
    known = CommonTable("w0", [c for _, _, c in shown], forms)
    target = target_of(tree, ctx.catalog, ctx.search_path) if event_of(tree) else None
    if isinstance(target, View) and any(r.event == event_of(tree) for r in target.rules):
        tree = _plain(tree)
    around: dict[str, object] = {new_and_old.ROWS: known}
    plan = bound_plan(
        tree, ctx, queries, queries.parameters, text, around, [sql(f"w0({columns}) AS (SELECT 1)")]
    )
    return plan, queries.accesses.columns_named()


def _plain(tree: exp.Expression) -> exp.Expression:
    """A write of a relation that has rules itself, perhaps a view that is written by them alone: what it selects is looked at."""
    if isinstance(tree, exp.Insert) and isinstance(tree.expression, exp.Select):
        return tree.expression
    return exp.Select(expressions=[exp.Literal.number(1)])


def _refuse_returning(holder: Table | View, plan: Plan) -> None:
    """RETURNING stands for the relation's columns. Raises 42P17."""
    found = plan.columns or ()
    columns = [c for c in holder.columns if not c.hidden]
    if len(found) < len(columns):
        raise PlanError("42P17", "RETURNING list has too few entries")
    if len(found) > len(columns):
        raise PlanError("42P17", "RETURNING list has too many entries")
    for i, (got, column) in enumerate(zip(found, columns, strict=True), 1):
        if got.type.oid == column.type.oid:
            continue
        has, wants = (t.type_in_words(x.type.oid) for x in (got, column))
        raise PlanError(
            "42P17",
            f'RETURNING list\'s entry {i} has different type from column "{column.name}"',
            detail=f"RETURNING list entry has type {has}, but column has type {wants}.",
        )


__all__ = ["Sketch", "action", "condition"]
