"""Columns of queries in FROM that nobody asks for, for the keyed engine: they are NULL, and nothing is computed for them.

    SELECT p.id FROM posts p, LATERAL (SELECT p.id AS m, 1 / (p.id - 1) AS e) l         no division

PostgreSQL leaves them out, and so does DuckDB. What tells rows apart (DISTINCT) is asked for by that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from planner import types as t
from planner.binding import ir, shapes
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.scope import FromStep
    from planner.binding.state import Parts


def left_out(steps: Sequence[FromStep], parts: Parts) -> Sequence[FromStep]:
    """The steps, of whose queries the columns are left out that the SELECT and its other steps do not name."""
    if not any(_may_be_left_out(s) for s in steps):
        return steps
    named: dict[int, set[int]] = {}
    for node in _asked(steps, parts):
        for n in ir.walk(node):
            if isinstance(n, ir.Var):
                named.setdefault(n.relation, set()).add(n.column)
    return [_without(s, named.get(s.relation.number, set())) for s in steps]


def _may_be_left_out(step: FromStep) -> bool:
    return any(is_computed(x.node) for q in step.made_of for x in q.parts.targets)


def is_computed(node: ir.Node) -> bool:
    """Whether anything is done for a column that may as well not be done: what varies is, and sets are rows."""
    if isinstance(node, ir.Var | ir.Lit | ir.Parm) or node.type.oid == t.RECORD:
        return False
    return not any(isinstance(n, ir.SetReturning) or shapes.varies(n) for n in ir.walk(node))


def _without(step: FromStep, named: set[int]) -> FromStep:
    made = tuple([q.without(named) for q in step.made_of])
    return step if made == step.made_of else replace(step, made_of=made)


def _asked(steps: Sequence[FromStep], parts: Parts) -> Iterator[ir.Node]:
    for s in steps:
        yield from (*s.on, *s.guards, *s.spread, *s.given_as)
    yield from (x.node for x in parts.targets)
    yield from (k.expr for k in parts.order)
    yield from parts.distinct_on or ()
    below = (parts.below.where, *parts.below.columns) if parts.below is not None else ()
    for node in (parts.where, parts.having, parts.limit, parts.offset, *below):
        if node is not None:
            yield node


__all__ = ["is_computed", "left_out"]
