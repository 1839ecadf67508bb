"""Which columns a stored text names, found by binding it: pg_depend ties views, policies and functions to columns, not to tables.

SELECT v.id FROM v JOIN t ON t.id = v.id    (v, 1), (t, 1)      what v itself reads is v's matter
"""

from __future__ import annotations

from typing import Any

from sqlglot import exp

from planner.abc import Oid, Rule, Table
from planner.binding import ir
from planner.binding.naming import identifier
from planner.binding.parameters import Parameters
from planner.binding.queries import QueryBinder
from planner.binding.rights import policy_conditions
from planner.binding.routines.bodies import body_of
from planner.binding.routines.inlined import scope_of_body
from planner.binding.writes import rule_sketches
from planner.catalog.objects import View
from planner.catalog.routine_objects import Function
from planner.parse import parse_expression, parse_query

Columns = frozenset[tuple[Oid, int]]
"""Relations with the numbers of columns."""


def of_query(ctx: Any, text: str) -> Columns:
    """A view's. Raises SqlError."""
    queries = _binder(ctx, text)
    queries.nested(parse_query(text), None)
    return queries.accesses.columns_read()


def of_function(ctx: Any, f: Function) -> Columns:
    """Those of a body in the standard's form. Raises SqlError."""
    text = body_of(f)
    queries = _binder(ctx, text)
    queries.nested(parse_query(text), scope_of_body(queries, f))
    return queries.accesses.columns_read()


def of_policy(ctx: Any, table: Table, text: str) -> Columns:
    """A policy's condition: its own table's columns too. Raises SqlError."""
    queries = _binder(ctx, text)
    relation, scope = policy_conditions.scope_over(queries, table)
    tree = parse_expression(text)
    node = queries.expressions.boolean(tree, scope, "POLICY")
    places = {n.column for n in ir.walk(node) if isinstance(n, ir.Var) and n.relation == relation.number}
    names = {identifier(c.this) for c in tree.find_all(exp.Column) if c.table == table.name}  # in subqueries
    own = {
        (table.oid, c.attnum)
        for place, c in enumerate(table.columns)
        if place in places or (c.name in names and not c.hidden)
    }
    return queries.accesses.columns_read() | own


def of_rule(ctx: Any, holder: Table | View, rule: Rule) -> Columns:
    """A rule's condition and its statements: what they read, what they write, and what they name of NEW and OLD. Raises SqlError."""
    found: Columns = frozenset()
    if rule.condition:
        found |= rule_sketches.condition(ctx, holder, rule.event, rule.condition).columns
    for text in rule.actions:
        found |= rule_sketches.action(ctx, holder, rule.event, text, returning="").columns
    return found


def _binder(ctx: Any, text: str) -> QueryBinder:
    queries = QueryBinder(ctx, text, Parameters((), None))
    queries.routines.expand = False
    return queries


__all__ = ["Columns", "of_function", "of_policy", "of_query", "of_rule"]
