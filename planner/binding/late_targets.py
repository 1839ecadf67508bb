"""Targets that are computed behind ORDER BY: those that change something, answer otherwise each time, or return sets.

    SELECT a, nextval('s') FROM t ORDER BY a LIMIT 2 OFFSET 1

    SELECT r7.c0, nextval('s')                          numbers in the order of the rows, and for no others
    FROM (SELECT r1.a AS c0 FROM t AS r1 ORDER BY r1.a LIMIT 2 + 1) AS r7
    OFFSET 1

PostgreSQL does so with each of these that is no key of the order (`make_sort_input_target`). It computes what is
volatile for the rows that OFFSET passes over as well, and counts the rows of sets after they have come. Where DISTINCT
needs all values first, nothing is late.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import PlanError, ResultColumn, TypeRef
from planner.binding import ir
from planner.binding.collating import carried, standing_for
from planner.binding.fragments import sql
from planner.binding.keyed.expressions import conjuncts
from planner.binding.routines.onlookers import is_called
from planner.binding.scope import Scope
from planner.binding.state import Apart, BoundQuery, Parts, QueryState, Target
from planner.records import replace

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder
    from planner.binding.writing import QueryWriter

_BOOL: Final = TypeRef(t.BOOL)


def _sets(nodes: Iterable[ir.Node]) -> bool:
    return any(isinstance(n, ir.SetReturning) for n in nodes)


def _is_steady_call(node: ir.Node) -> bool:
    if not isinstance(node, ir.Call) or node.op != ir.RUN or node.volatile:
        return False
    return not any(isinstance(n, ir.Call) and n.volatile for n in ir.walk(node))


def put_off(writer: QueryWriter, parts: Parts, scope: Scope, top: bool) -> BoundQuery | None:
    """The query in two storeys, if some of its targets come late; otherwise None."""
    if not (parts.order or parts.distinct_on) or parts.distinct or parts.ties or parts.cut is not None:
        return None
    if not any(
        isinstance(n, ir.SetReturning) or ir.is_volatile(n) for x in parts.targets for n in ir.walk(x.node)
    ):
        return None
    if any(ir.is_tangled(x.node) for x in parts.targets):
        raise PlanError("54001", "statement too complex")
    said = bool(parts.order) and not parts.sorted_itself
    keys = [k.expr for k in parts.order] + list(parts.distinct_on or ())
    below = Below({r.number for r in scope.relations} | {parts.grouping})
    left = [n for x in parts.targets if x.node not in keys for n in below.left(x.node)]
    sets = _sets(left)
    if sets and not said:  # what the firsts are chosen of, where no ORDER BY chooses
        return None
    if any(_sets(ir.walk(k)) for k in keys) or not (sets or any(map(ir.is_volatile, left))):
        return None
    for x in parts.targets:
        below.gather(x.node, whole=x.node in keys)
    inner = replace(parts, targets=[Target("", n) for n in below.nodes], prefix=None)
    if sets:
        inner.limit = inner.offset = None
    elif parts.offset is not None:
        limit, offset = writer.limits_of(parts)
        inner.limit = inner.offset = None
        inner.cut = [" LIMIT ", limit, " + ", offset]
    bound = writer.written(inner, scope, False)
    number = writer.anonymous_relation(bound)
    targets = [replace(x, node=below.seen_from_above(x.node, number)) for x in parts.targets]
    hidden = [(sql(f"r{number}.{name}"), name) for _, name in parts.hidden]
    above = Parts(
        sql("(", bound.frag, f") AS r{number}"), None, targets, limit=parts.limit if sets else None,
        offset=parts.offset, hidden=hidden, rows=parts.rows, prefix=parts.prefix,
    )  # fmt: skip
    return writer.written(above, writer.new_scope(scope.parent), top)


def set_apart(writer: QueryBinder, parts: Parts, scope: Scope) -> BoundQuery | None:
    """The lower storey alone of a query that asks a function which looks at the table that its rows are written to, with what is
    above that: targets and conditions of WHERE. None: it asks none, or all rows must be there before any goes on."""
    if parts.distinct or parts.ties or parts.distinct_on or parts.offset is not None or parts.cut is not None:
        return None
    nodes = [x.node for x in parts.targets]
    if _sets(n for node in nodes for n in ir.walk(node)):
        return None
    windows = any(isinstance(n, ir.Window) for node in nodes for n in ir.walk(node))
    flows = parts.below is None and parts.limit is None and not parts.order and not windows
    where, tests = split(writer, parts.where) if flows else (parts.where, [])
    if not tests and not any(is_called(writer, n) for n in nodes):
        return None
    columns = [
        ResultColumn(x.name, x.node.type, x.table_oid, x.attnum, carried(x.node)) for x in parts.targets
    ]
    keys = [k.expr for k in parts.order]
    below = Below({r.number for r in scope.relations} | {parts.grouping}, steady=True)
    for node in (*nodes, *tests):
        below.gather(node, whole=node in keys)
    targets = [Target("", n) for n in below.nodes] or [Target("", ir.Lit(_BOOL, True))]
    inner = replace(parts, targets=targets, where=where)
    bound = writer.in_column_forms(writer.written(inner, scope, False))
    number = writer.anonymous_relation(bound)
    made, asked = ([below.seen_from_above(n, number) for n in some] for some in (nodes, tests))
    return replace(
        bound, columns=columns, apart=Apart(number, [x.node.type for x in targets], made, ir.all_of(asked))
    )


def split(queries: QueryState, where: ir.Node | None) -> tuple[ir.Node | None, list[ir.Node]]:
    """A condition without those parts of it that ask a function which looks at the written table, and these."""
    asked = [n for n in conjuncts(where) if is_called(queries, n)]
    if not asked:
        return where, []
    return ir.all_of([n for n in conjuncts(where) if n not in asked]), asked


class Below:
    """What the lower storey computes: targets by which it orders, and the columns that others are made of.

    `steady`: calls of functions that run and see all rows as the statement does belong to it, too, where they are made for certain.
    """

    def __init__(self, own: set[int], *, steady: bool = False) -> None:
        self._own, self._steady = own, steady
        self.nodes: list[ir.Node] = []

    def left(self, node: ir.Node) -> Iterator[ir.Node]:
        """What of a target is not there before the rows are in order."""
        if not self._is_given(node):
            yield node
            for child in ir.children(node):
                yield from self.left(child)

    def gather(self, node: ir.Node, *, whole: bool, certain: bool = True) -> None:
        if whole or self._is_given(node) or (certain and self._steady and _is_steady_call(node)):
            if node not in self.nodes:
                self.nodes.append(node)
            return
        for child in ir.children(node):
            self.gather(child, whole=False, certain=certain and not isinstance(node, ir.Logic))

    def _is_given(self, node: ir.Node) -> bool:
        """A column of FROM, or a window's value: it is there before the rows are in order."""
        return isinstance(node, ir.Window) or (isinstance(node, ir.Var) and node.relation in self._own)

    def seen_from_above(self, node: ir.Node, number: int) -> ir.Node:
        if node in self.nodes:
            var = ir.Var(node.type, number, self.nodes.index(node))
            return standing_for(node, var)
        return ir.replace_children(node, lambda n: self.seen_from_above(n, number))


__all__ = ["Below", "put_off", "set_apart", "split"]
