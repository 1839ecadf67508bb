"""Queries in FROM that are nothing but joined rows and what is computed of them: their tables are joined like any others.

    SELECT * FROM (SELECT p.id, p.at, u.name FROM posts p JOIN users u ON u.id = p.author) q ORDER BY q.at DESC LIMIT 20
    SELECT p.id, p.at, u.name FROM posts p JOIN users u ON u.id = p.author ORDER BY p.at DESC LIMIT 20

So mappers, views and paginators write, one query around another. What is asked above reaches the tables then: a key leads to their rows, or
their order is walked along. PostgreSQL does the same (it pulls subqueries up). A view behind a security barrier never comes here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from planner.binding import ir
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.keyed.selects import BoundSelect
    from planner.binding.scope import FromStep
    from planner.binding.state import Below, Parts

Given = dict[tuple[int, int], ir.Node]
"""(relation, column) -> what stands for it."""

_OF_ROWS: Final = (ir.Aggregate, ir.Window, ir.SetReturning, ir.Argument)
"""What is not computed of one row alone."""


def flattened(steps: Sequence[FromStep], parts: Parts) -> tuple[tuple[FromStep, ...], Parts] | None:
    """The same SELECT from the tables of such queries. None: there are none among the steps."""
    made, at = list(steps), 0
    while at < len(made):
        step = made[at]
        others = {s.relation.number for s in made if s is not step}
        inner = _simple(step)
        if inner is None or any(
            s.relation.number in others for s in inner.steps
        ):  # a WITH query may be named twice
            at += 1
            continue
        around: Given = {(v.relation, v.column): n for v, n in zip(step.given, step.given_as, strict=True)}
        within, asked = [put_in_step(s, around) for s in inner.steps], put_in_parts(inner.parts, around)
        columns: Given = {(step.relation.number, i): x.node for i, x in enumerate(asked.targets)}
        # What the query asks of its rows comes before what is asked of it: x <> 0, and then 1 / x > 0.
        first = [n for s in within if not s.outer for n in s.on]
        within = [s if s.outer else replace(s, on=()) for s in within]
        within[0] = replace(within[0], on=step.on)
        made[at : at + 1] = within
        made = [put_in_step(s, columns) for s in made]
        parts = put_in_parts(parts, columns)
        tests = [n for n in (*first, asked.where, parts.asked_of_rows) if n is not None]
        parts = parts.asking_of_rows(ir.all_of(tests))
    return None if made == list(steps) else (tuple(made), parts)


def _simple(step: FromStep) -> BoundSelect | None:
    """The query that a step has the rows of, if it asks for joined rows alone."""
    if len(step.made_of) != 1 or step.outer or step.guards:
        return None
    query = step.made_of[0]
    targets = [x.node for x in query.parts.targets]
    if not query.steps or not is_bare(query.parts) or query.parts.ties or query.parts.hidden:
        return None
    tables = [s.relation.table for s in query.steps]
    if any(table is not None and table.partitioning is not None for table in tables):
        return None  # which leaves it reads was found out by what its own WHERE says
    if [c.type for c in step.relation.columns] != [n.type for n in targets]:
        return None
    nodes = [n for node in targets for n in ir.walk(node)]
    if any(isinstance(n, _OF_ROWS) or ir.is_volatile(n) for n in nodes):
        return None
    return query


def is_bare(parts: Parts) -> bool:
    """Whether a SELECT has but targets, FROM and WHERE."""
    asked = (parts.below, parts.distinct_on, parts.limit, parts.offset, parts.having)
    return all(x is None for x in asked) and not (parts.order or parts.distinct or parts.grouped)


def put(node: ir.Node, given: Given) -> ir.Node:
    """The node with what stands for columns in their places."""
    if isinstance(node, ir.Var):
        return given.get((node.relation, node.column), node)
    return ir.replace_children(node, lambda n: put(n, given))


def put_all(nodes: Sequence[ir.Node], given: Given) -> tuple[ir.Node, ...]:
    return tuple(put(n, given) for n in nodes)


def put_in_parts(parts: Parts, given: Given) -> Parts:
    if not given:
        return parts
    return replace(
        parts,
        targets=[replace(x, node=put(x.node, given)) for x in parts.targets],
        where=put(parts.where, given) if parts.where is not None else None,
        order=[replace(k, expr=put(k.expr, given)) for k in parts.order],
        distinct_on=[*put_all(parts.distinct_on, given)] if parts.distinct_on is not None else None,
        below=_put_below(parts.below, given) if parts.below is not None else None,
    )


def _put_below(below: Below, given: Given) -> Below:
    return replace(
        below,
        where=put(below.where, given) if below.where is not None else None,
        columns=tuple(n if n is None else put(n, given) for n in below.columns),
    )


def put_in_step(step: FromStep, given: Given) -> FromStep:
    if not given:
        return step
    guards, on, spread = (put_all(nodes, given) for nodes in (step.guards, step.on, step.spread))
    return replace(step, guards=guards, on=on, spread=spread, given_as=put_all(step.given_as, given))


__all__ = ["flattened", "is_bare", "put", "put_in_parts", "put_in_step"]
