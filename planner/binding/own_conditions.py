"""What a query asks of each of its tables alone: a row of which this is not true is none that it has read.

    SELECT ... FROM orders o JOIN customers c ON c.id = o.customer WHERE c.id = $1 AND o.state <> 'sent' AND o.total > c.least

    customers    id = $1                                              points of the key
    orders       state <> 'sent', customer = $1, total IS NOT NULL    whose rows are told by what is asked of them

It is for conflict detection: who writes other rows has changed nothing that the query saw, be they looked at or not. So it may say less than
the query asks, and never more. Of a table that others are LEFT JOINed to, WHERE and the inner ONs are asked; of one that is LEFT JOINed itself what
its own ON asks, for of all other rows the query makes nulls. What two columns have to be equal to is asked of both.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import Expr, Table, TypeRef
from planner.binding import ir
from planner.binding.keyed import closed_set, key_conditions
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed.narrowing import inner_where_asked

if TYPE_CHECKING:
    from planner.binding.scope import FromStep
    from planner.binding.state import QueryState

CONDITIONS_MAX: Final = 30
"""Of one table; more of them are left out."""
_CARRIED_MAX: Final = 200
"""Conditions that columns are made equal by, or that go over from one to another."""
_AS_DATUMS: Final = frozenset(
    (t.INT2, t.INT4, t.INT8, t.OID, t.TEXT, t.VARCHAR, t.UUID, t.BOOL, t.DATE, t.TIMESTAMP, t.TIMESTAMPTZ)
)
"""Types whose values are equal if they are the same in every respect."""
_COMPARED: Final = (["="], ["<>"], ["<"], ["<="], [">"], [">="])
"""Of which none is true of a null."""


def note(queries: QueryState, steps: Sequence[FromStep], where: ir.Node | None) -> None:
    """Remembers what is asked of each of the tables in a FROM of plain joins, the first time that they are met: of groups HAVING comes later."""
    known = queries.own_conditions
    if not any(type(s.relation.table) is Table and s.relation.number not in known for s in steps):
        return
    inner = inner_where_asked(steps, where)
    pool = [c for n in (where, *(n for s in inner if not s.outer for n in s.on)) for c in keyed.conjuncts(n)]
    pool = [c for c in pool if not ir.varies(c)]
    pool += _carried_over(pool)
    for step in inner:
        relation = step.relation
        if type(relation.table) is not Table or relation.number in known:
            continue
        asked = pool if not step.outer else [c for n in step.on for c in keyed.conjuncts(n)]
        alone = [c for c in asked if _is_of(c, relation.number)]
        if alone and relation.number not in queries.ranges:
            found = key_conditions.read_ranges(relation.table, relation.number, ir.all_of(alone))
            if found is not None:
                queries.ranges[relation.number] = found
        kept = {id(c) for c in alone}
        alone += [c for a in asked if id(a) not in kept for c in _values_of(a, relation.number)]
        known[relation.number] = tuple(_expressions(alone, relation.number))


def _expressions(asked: Sequence[ir.Node], relation: int) -> Iterator[Expr]:
    """Those that the keyed engine has words for."""
    offsets = keyed.WithAnother({relation: 0})
    for c in dict.fromkeys(asked[:CONDITIONS_MAX]):
        if not ir.varies(c):
            with contextlib.suppress(keyed.NotKeyed):
                yield keyed.expression(c, offsets)


def _relations(node: ir.Node) -> set[int]:
    return {n.relation for n in ir.walk(node) if isinstance(n, ir.Var)}


def _is_of(node: ir.Node, relation: int) -> bool:
    return _relations(node) == {relation}


def _values_of(node: ir.Node, relation: int) -> Iterator[ir.Node]:
    """`o.total IS NOT NULL` of `o.total > c.least`."""
    if isinstance(node, ir.Call) and node.op in closed_set.KEYED_OPS and node.op.split(" ")[1:2] in _COMPARED:
        for a in node.args:
            if isinstance(a, ir.Var) and a.relation == relation and a.column >= 0:
                yield ir.Logic(TypeRef(t.BOOL), "is not null", (a,))


def _carried_over(pool: Sequence[ir.Node]) -> list[ir.Node]:
    """What is asked of one of two columns that have to be equal, of the other."""
    same = [pair for c in pool if (pair := _equal(c)) is not None]
    if not same:
        return []
    asked: dict[tuple[int, int], list[ir.Node]] = {}
    for c in pool:
        of = {(n.relation, n.column) for n in ir.walk(c) if isinstance(n, ir.Var)}
        if len(of) == 1:
            asked.setdefault(of.pop(), []).append(c)
    made: list[ir.Node] = []
    known = set(pool)
    for _ in same:  # each may bring one further
        for a, b in same:
            for x, y in ((a, b), (b, a)):
                for c in list(asked.get((x.relation, x.column), ())):
                    new = _of_other(c, x, y)
                    if new not in known and len(made) < _CARRIED_MAX:
                        known.add(new)
                        made.append(new)
                        asked.setdefault((y.relation, y.column), []).append(new)
    return made


def _equal(node: ir.Node) -> tuple[ir.Var, ir.Var] | None:
    """The columns that a condition makes equal."""
    if not isinstance(node, ir.Call) or len(node.args) != 2 or node.op.split(" ")[1:2] != ["="]:
        return None
    a, b = node.args
    if not isinstance(a, ir.Var) or not isinstance(b, ir.Var) or a.column < 0 or b.column < 0:
        return None
    return (a, b) if a.type.oid == b.type.oid and a.type.oid in _AS_DATUMS else None


def _of_other(node: ir.Node, column: ir.Var, other: ir.Var) -> ir.Node:
    if isinstance(node, ir.Var):
        return other if (node.relation, node.column) == (column.relation, column.column) else node
    return ir.replace_children(node, lambda n: _of_other(n, column, other))


__all__ = ["CONDITIONS_MAX", "note"]
