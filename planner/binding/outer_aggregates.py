"""To which query an aggregate belongs: to the innermost one that its argument takes columns of (manual, 4.2.7).

    SELECT (SELECT sum(o.pay) FROM u) FROM o        sum is of the outer query: its groups, its rows
    SELECT (SELECT sum(o.pay + u.x) FROM u) FROM o  of the inner one

An aggregate of an outer query is computed there, below its grouping. To the subquery that it is written in it is an
outer column: a column of a relation of its own, for which the aggregate stands where the subquery is an expression.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.emit import EmittedColumn
from planner.binding.scope import Scope
from planner.binding.windows import NO_AGGREGATES
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder

_BOOL: Final = TypeRef(t.BOOL)

Marks = list[tuple[Scope, int]]


def marks(scope: Scope) -> Marks:
    """How many outer columns each scope has used before the aggregate's argument is bound."""
    out = []
    at: Scope | None = scope
    while at is not None:
        out.append((at, len(at.outer)))
        at = at.parent
    return out


def placed(queries: QueryBinder, made: ir.Aggregate, scope: Scope, before: Marks) -> ir.Node:
    """The aggregate, or the outer column that it is in `scope`. Raises 42803 where it may not be."""
    named = [
        n
        for a in (*made.args, *(k.expr for k in made.order), *((made.filter,) if made.filter else ()))
        for n in ir.walk(a)
    ]
    used = [n for n in named if isinstance(n, ir.Var)]
    if not used and any(isinstance(n, ir.Argument) for n in named):  # its columns may be another query's
        raise PlanError(
            "0A000",
            "aggregates in functions over nothing but parameters are not supported",
            position=made.position,
        )
    owner = _owner(queries, scope, used)
    _refuse_nested(queries, used, owner)
    where = "FROM clause of their own query level" if owner.forming else owner.clause
    if owner.forming or owner.clause in NO_AGGREGATES:
        what = "grouping operations" if made.op == "grouping" else "aggregate functions"
        raise PlanError("42803", f"{what} are not allowed in {where}", position=made.position)
    if owner.number == scope.number:
        return _kept(queries, made, scope)
    if any(
        _level_of(queries, scope, n) is scope
        for d in made.direct
        for n in ir.walk(d)
        if isinstance(n, ir.Var)
    ):
        raise PlanError(
            "42803",
            "outer-level aggregate cannot contain a lower-level variable in its direct arguments",
            position=made.position,
        )
    made = ir.Aggregate(
        made.type, made.op, made.args, made.distinct, made.order, made.filter, made.direct, owner.number,
        made.position,
    )  # fmt: skip
    column = _column(queries, made)
    for inner, known in before:
        if inner is owner:
            break
        del inner.outer[known:]
        inner.outer.append(column)
    return column


def _kept(queries: QueryBinder, made: ir.Aggregate, scope: Scope) -> ir.Aggregate:
    """The same aggregate, which DuckDB takes for one of this query as well.

    It looks at columns that stand outside of subqueries alone, and would put sum(o.pay) FILTER (WHERE EXISTS (... = u.x)) into the query
    around. So a column of this query is named in a condition that is always true.
    """
    parts = (*made.args, *(k.expr for k in made.order), *((made.filter,) if made.filter is not None else ()))
    within = [n for a in parts for n in ir.walk(a) if isinstance(n, ir.SubQuery)]
    if not within or made.op == "grouping":
        return made
    own = [v for q in within for n in ir.children(q) for v in ir.walk(n) if _is_of(queries, scope, v)]
    if not own or any(_is_of(queries, scope, n) for a in parts for n in _outside(a)):
        return made
    true = ir.Lit(_BOOL, True)
    named = ir.Logic(_BOOL, "case", (ir.Logic(_BOOL, "is null", (own[0],)), true, true))
    test = named if made.filter is None else ir.Logic(_BOOL, "and", (named, made.filter))
    return replace(made, filter=test)


def _is_of(queries: QueryBinder, scope: Scope, node: ir.Node) -> bool:
    return isinstance(node, ir.Var) and _level_of(queries, scope, node) is scope


def _outside(node: ir.Node) -> Iterator[ir.Node]:
    """The nodes of a tree that are in no subquery."""
    if not isinstance(node, ir.SubQuery):
        yield node
        for child in ir.children(node):
            yield from _outside(child)


def standing(queries: QueryBinder, outer: Iterable[ir.Var], scope: Scope) -> tuple[ir.Node, ...]:
    """The outer columns of a subquery in `scope`, with the aggregates that are of `scope`."""
    known = queries.outer_aggregates
    if not known:
        return tuple(outer)
    out: list[ir.Node] = []
    for v in outer:
        found = known.get(v.relation)
        out.append(found if found is not None and found.scope == scope.number else v)
    return tuple(out)


def _column(queries: QueryBinder, made: ir.Aggregate) -> ir.Var:
    number = queries.next_relation()
    form = queries.emitter.aggregate(made).form if made.op != "grouping" else None
    queries.declare(number, [EmittedColumn("a", form)])
    queries.outer_aggregates[number] = made
    return ir.Var(made.type, number, 0, made.position)


def _owner(queries: QueryBinder, scope: Scope, used: list[ir.Var]) -> Scope:
    levels = [x for v in used if (x := _level_of(queries, scope, v)) is not None]
    at: Scope | None = scope
    while at is not None:
        if any(x is at for x in levels):
            return at
        at = at.parent
    return scope


def _level_of(queries: QueryBinder, scope: Scope, column: ir.Var) -> Scope | None:
    """The scope that a column is of; None where it is of no scope, as an element of ANY."""
    aggregate = queries.outer_aggregates.get(column.relation)
    at: Scope | None = scope
    while at is not None:
        if aggregate is not None and aggregate.scope == at.number:
            return at
        if any(r.number == column.relation for r in at.relations):
            return at
        at = at.parent
    return None


def _refuse_nested(queries: QueryBinder, used: list[ir.Var], owner: Scope) -> None:
    for v in used:
        inner = queries.outer_aggregates.get(v.relation)
        if inner is not None and inner.scope == owner.number:
            raise PlanError("42803", "aggregate function calls cannot be nested", position=inner.position)
