"""Joins whose first rows are enough: one table is walked along in the order asked for, and each row of it joined as it is met.

    SELECT o.id, o.total, c.name FROM orders o JOIN customers c ON c.id = o.customer
     WHERE o.status = $1 ORDER BY o.created_at DESC LIMIT 20                        CREATE INDEX ON orders (status, created_at)

        orders     along (status, created_at), from the end     a row
        customers  points (o.customer)                          one row for it      ... until there are twenty

Every application's list page, whose rows are shown with what belongs to them. All that ORDER BY begins with has to be of that one
table; what else it names orders rows that are alike so far. So are rows that are grouped, if the keys of the groups tell the table's rows
apart: each row of it then has groups of its own, and LIMIT counts these.

    SELECT p.id, p.title, count(c.id) FROM posts p LEFT JOIN comments c ON c.post = p.id GROUP BY p.id ORDER BY p.id DESC LIMIT 20

Where keys lead to fewer rows than the walk would meet
(`WHERE c.id = $2` and an index of orders by customer), they are followed instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from planner.abc import JoinStep, KeyedWalk, Points, Range, Table
from planner.binding import ir
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed.index_order import index_walk, key_walk, pinned_by
from planner.catalog import Catalog
from planner.keyed_plans import Either, Whole, narrowed
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.scope import FromStep
    from planner.binding.state import Below, Parts


class Walked(NamedTuple):
    """The way along one of the tables."""

    step: FromStep
    walk: KeyedWalk
    used: tuple[ir.Node, ...]
    """What was asked that the walk sees to."""


def walked(
    catalog: Catalog, parts: Parts, steps: Sequence[FromStep], pool: Sequence[ir.Node]
) -> Walked | None:
    """The way to the first rows of a join; None if there is none, or all rows are asked for. `pool`: what is asked of inner joins."""
    limited = parts.limit is not None and not (isinstance(parts.limit, ir.Lit) and parts.limit.value is None)
    if not limited or not parts.order or parts.distinct or parts.distinct_on:
        return None
    if any(isinstance(x.node, ir.SetReturning) for x in parts.targets):
        return None
    order = [replace(k, expr=_of_groups(parts, k.expr)) for k in parts.order]
    by = order[0].expr
    step = next((s for s in steps if isinstance(by, ir.Var) and s.relation.number == by.relation), None)
    if step is None or step.outer or step.handed or step.made_of or step.spread or step.system is not None:
        return None
    table, number = step.relation.table, step.relation.number
    if table is None or not table.key_indexes or step.rid:
        return None
    if parts.below is not None and not _tells_apart(parts.below, table, number):
        return None
    used = tuple(c for c in pool if _of_it_alone(c, number))
    where = ir.all_of(used)
    by_index = index_walk(catalog, table, number, where, order)
    by_key = key_walk(table, number, where, order)
    walk = by_index or by_key
    if by_index is not None and by_key is not None and pinned_by(by_key) >= pinned_by(by_index):
        walk = by_key
    return None if walk is None else Walked(step, walk, used)


def _of_groups(parts: Parts, node: ir.Node) -> ir.Node:
    """What a column of groups is of the rows in them, where it is one of theirs."""
    if parts.below is None or not isinstance(node, ir.Var) or node.relation != parts.grouping:
        return node
    of_rows = parts.below.columns[node.column]
    return of_rows if isinstance(of_rows, ir.Var) else node


def _tells_apart(below: Below, table: Table, number: int) -> bool:
    """Whether rows of the table are never of one group."""
    keys = {n.column for n in below.columns[: below.keys] if isinstance(n, ir.Var) and n.relation == number}
    return len(below.sets) == 1 and keys.issuperset(table.key_indexes)


def _of_it_alone(node: ir.Node, number: int) -> bool:
    """Whether something asked is about this relation and no other, and asks no query."""
    found = list(ir.walk(node))
    if any(isinstance(n, ir.SubQuery) for n in found):
        return False
    return {n.relation for n in found if isinstance(n, ir.Var)} - keyed.ELEMENT.keys() == {number}


def meets_fewer(walk: KeyedWalk, first: JoinStep) -> bool:
    """Whether the walk is the better way to rows that look-ups lead to, too: these begin with `first`."""
    lookup, pinned = first.lookup, pinned_by(walk)
    if first.table is None or (isinstance(lookup, Points) and not first.index):
        return False
    if isinstance(lookup, Whole):
        return True
    if first.index and isinstance(lookup, Range):
        return len(lookup.prefix) <= pinned
    if first.index:
        return pinned >= narrowed(first.index, len(first.index))
    if isinstance(lookup, Either):
        return False
    assert isinstance(lookup, Range)
    return len(lookup.prefix) < pinned or (not lookup.prefix and None in (lookup.low, lookup.high))


__all__ = ["Walked", "meets_fewer", "walked"]
