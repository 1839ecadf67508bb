"""A policy's condition as CREATE POLICY looks at it: bound over its table's rows, for its errors and for what it calls."""

from __future__ import annotations

from typing import Any

from planner.abc import Oid, PlanError, Table
from planner.binding import ir
from planner.binding.clauses import refuse_sets
from planner.binding.parameters import Parameters
from planner.binding.queries import QueryBinder
from planner.binding.rights.row_security import CLAUSE
from planner.binding.scope import Relation, Scope
from planner.binding.writes.clauses import RowBinder
from planner.parse import parse_expression
from planner.records import replace


def bind(ctx: Any, table: Table, text: str) -> frozenset[Oid]:
    """The functions that a condition calls. Raises what binding it raises; nobody's policies and privileges are looked at for it."""
    queries = QueryBinder(replace(ctx, trusted=True, partition=None), text, Parameters((), None))
    queries.routines.expand = False
    _, scope = scope_over(queries, table)
    node = queries.expressions.boolean(parse_expression(text), scope, "POLICY")
    refuse_sets(node, CLAUSE)
    for inner in ir.walk(node):
        if isinstance(inner, ir.Aggregate):
            raise PlanError(
                "42803", f"aggregate functions are not allowed in {CLAUSE}", position=inner.position
            )
        if isinstance(inner, ir.Window):
            raise PlanError("42P20", f"window functions are not allowed in {CLAUSE}")
    return frozenset(queries.routines.used)


def scope_over(queries: QueryBinder, table: Table) -> tuple[Relation, Scope]:
    """A table's rows, and what names see of them."""
    rows = RowBinder(queries)
    relation = rows.relation(table, table.name, "new", of_table=False)
    scope = rows.plain_scope(relation)
    scope.clause = CLAUSE
    return relation, scope


__all__ = ["bind", "scope_over"]
