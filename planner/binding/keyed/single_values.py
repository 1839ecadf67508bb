"""Functions in FROM that are one value of no table: where they are named, it is as if they were written there.

    FROM articles, websearch_to_tsquery('english', $1) query WHERE tsv @@ query ORDER BY ts_rank(tsv, query) DESC
    FROM articles WHERE tsv @@ websearch_to_tsquery('english', $1) ...

So the one table is read by what is asked of it, and indexes of terms know what they are searched for. The query's text, which is DuckDB's,
goes on naming the relation, whose value is computed once there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from planner.binding import ir
from planner.binding.routines.runs import RUN
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.scope import FromStep
    from planner.binding.state import Parts


def put_in(parts: Parts, steps: Sequence[FromStep]) -> tuple[Parts, Sequence[FromStep]]:
    """The SELECT with these values in their places, and what else it is from."""
    values = _values(steps)
    if not values:
        return parts, steps
    change = _changed(values)

    def all_of(nodes: Sequence[ir.Node]) -> tuple[ir.Node, ...]:
        return tuple(map(change, nodes))

    left = [
        replace(
            s,
            on=all_of(s.on),
            guards=all_of(s.guards),
            given_as=all_of(s.given_as),
            spread=all_of(s.spread),
        )
        for s in steps
        if s.relation.number not in values
    ]
    below = parts.below
    if below is not None:
        columns = tuple(None if n is None else change(n) for n in below.columns)
        below = replace(below, where=_if_any(below.where, change), columns=columns)
    made = replace(
        parts,
        where=_if_any(parts.where, change),
        targets=[replace(x, node=change(x.node)) for x in parts.targets],
        order=[replace(k, expr=change(k.expr)) for k in parts.order],
        distinct_on=None if parts.distinct_on is None else [change(n) for n in parts.distinct_on],
        below=below,
    )
    return made, left


def written_out(where: ir.Node | None, steps: Sequence[FromStep]) -> ir.Node | None:
    """A condition with these values in their places."""
    values = _values(steps) if where is not None else {}
    return _if_any(where, _changed(values)) if values else where


def _values(steps: Sequence[FromStep]) -> Mapping[int, ir.Node]:
    """By their relations; none where there is nothing else in FROM, or what is left would begin with what is joined to a value's row."""
    if len(steps) < 2:
        return {}
    found = {s.relation.number: s.spread[0] for s in steps if _is_value(s)}
    first = next((s for s in steps if s.relation.number not in found), None)
    return {} if first is None or first.outer else found


def _is_value(step: FromStep) -> bool:
    if len(step.spread) != 1 or step.numbered or step.outer or len(step.relation.columns) != 1 or step.on:
        return False
    node = step.spread[0]
    if not isinstance(node, ir.Call | ir.Cast | ir.Lit | ir.Parm):
        return False
    return not any(
        isinstance(n, ir.Var | ir.SubQuery | ir.SetReturning) or (isinstance(n, ir.Call) and n.op == RUN)
        for n in ir.walk(node)
    ) and not ir.varies(node)


def _changed(values: Mapping[int, ir.Node]) -> Callable[[ir.Node], ir.Node]:
    def change(node: ir.Node) -> ir.Node:
        if isinstance(node, ir.Var):
            return values.get(node.relation, node)
        return ir.replace_children(node, change)

    return change


def _if_any(node: ir.Node | None, change: Callable[[ir.Node], ir.Node]) -> ir.Node | None:
    return None if node is None else change(node)


__all__ = ["put_in", "written_out"]
