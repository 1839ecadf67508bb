"""Queries in expressions: as a value, EXISTS, ARRAY, compared by ANY and ALL, or with a row.

    SELECT x IN (SELECT ...), count(*) FROM t GROUP BY x IN (SELECT ...)

A query that GROUP BY or DISTINCT says once more in the words of the target list is the same tree: bound twice it would have relations of
its own, and not be what is grouped by.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir, shapes
from planner.binding.dimensions import array_over, as_text
from planner.binding.fragments import ARRAY_TEXT, Frag, sql
from planner.binding.keyed import asked_locks
from planner.binding.naming import COLUMN
from planner.binding.outer_aggregates import standing
from planner.binding.routines.own_operators import EACH
from planner.binding.row_comparisons import RowComparisonBinder, is_row, items
from planner.binding.scope import RelationColumn, Scope
from planner.parse import position as first_position

BOOL: Final = TypeRef(t.BOOL)


class SubqueryBinder(RowComparisonBinder):
    """Queries whose rows an expression asks for."""

    def _said_again(self, said: tuple[object, ...], scope: Scope, bound: Callable[[], ir.Node]) -> ir.Node:
        """A query in an expression, the same one if it is said in the same words (`said`) as one of the target list: what is grouped
        by and what is shown are one value then; bound twice they would be of two relations. Of targets that draw
        (`random()`) each has a value of its own."""
        if scope.queried is None:
            return bound()
        words = repr([_bare(x) if isinstance(x, exp.Expression) else x for x in said])
        known = scope.queried.get(words)
        if known is None or not (scope.repeats or _is_steady(known[0])):
            made = bound()
            known = scope.queried[words] = made, _name_of(said)
        elif known[1] is not None and isinstance(said[0], exp.Expression):
            said[0].meta[COLUMN] = known[1]
        return known[0]

    def _scalar_subquery(self, node: exp.Expression, scope: Scope) -> ir.Node:
        return self._said_again((node,), scope, lambda: self._scalar_query(node, scope))

    def _scalar_query(self, node: exp.Expression, scope: Scope) -> ir.Node:
        self.queries.single = True
        bound = self.queries.subquery(node, scope)
        self.queries.single = False
        if len(bound.columns) != 1:
            at = first_position(node)
            if not isinstance(node, exp.Subquery):
                at = self.queries.parenthesis_before(at)
            raise PlanError("42601", "subquery must return only one column", position=at)
        column = bound.columns[0]
        node.meta[COLUMN] = column.name
        made = ir.SubQuery(
            column.type,
            "scalar",
            bound.frag,
            outer_from=bound.outer,
            outer=standing(self.queries, bound.outer, scope),
            form=bound.forms[0],
            by_key=bound.by_key,
        )
        return ir.Collated(column.type, made, column.collation) if column.collation else made

    def _exists(self, node: exp.Exists, scope: Scope) -> ir.Node:
        member = asked_locks.as_member(self.queries, node, scope)
        return self.exists_query(node.this, scope) if member is None else self.bind(member, scope)

    def exists_query(self, node: exp.Expression, scope: Scope) -> ir.Node:
        return self._said_again(("exists", node), scope, lambda: self._exists_query(node, scope))

    def _exists_query(self, node: exp.Expression, scope: Scope) -> ir.Node:
        bound = self.queries.subquery(node, scope)
        return ir.SubQuery(
            BOOL,
            "exists",
            bound.frag,
            outer_from=bound.outer,
            outer=standing(self.queries, bound.outer, scope),
            by_key=bound.by_key,
        )

    def array_query(self, node: exp.Expression, scope: Scope) -> ir.Node:
        return self._said_again(("array", node), scope, lambda: self._array_query(node, scope))

    def _array_query(self, node: exp.Expression, scope: Scope) -> ir.Node:
        """`ARRAY(query)`: its elements are in the order of the query's rows.

        Rows of a query that reads outer columns are made for all outer rows in one go: counting them afterwards would
        number them as they come. Its own ORDER BY counts them; without one they are gathered as they come."""
        self.queries.numbering = True
        bound = self.queries.subquery(node, scope)
        self.queries.numbering = False
        if len(bound.columns) != 1:
            raise PlanError("42601", "subquery must return only one column", position=first_position(node))
        element = bound.columns[0].type
        ref = array_over(element if element.oid == t.RECORD else TypeRef(element.oid))
        query, form, numbered = bound.frag, bound.forms[0], bound.numbered
        if not bound.outer:
            query, numbered = sql("SELECT c0, row_number() OVER () AS tw_n FROM (", query, ")"), True
        if element.oid != t.RECORD_ARRAY and t.element_of(element.oid) and form != ARRAY_TEXT:
            # One dimension more than DuckDB's list would say.
            more = ", tw_n" if numbered else ""
            query, form = (
                sql("SELECT ", as_text(Frag(("c0",)), element), " AS c0", more, " FROM (", query, ")"),
                ARRAY_TEXT,
            )
        return ir.SubQuery(
            ref,
            "array",
            query,
            outer_from=bound.outer,
            outer=standing(self.queries, bound.outer, scope),
            form=form,
            numbered=numbered,
            asked=bound.frag,
            by_key=bound.by_key,
        )

    def quantified_query(
        self, left: exp.Expression, op: str, query: exp.Expression, kind: str, scope: Scope, position: int,
        schema: str = "",
    ) -> ir.Node:  # fmt: skip
        """`left op ANY (query)`, ALL, or (kind `row`) the query's only row."""
        said = (left, op, schema, kind, query)
        return self._said_again(
            said, scope, lambda: self._quantified_query(left, op, query, kind, scope, position, schema)
        )

    def _quantified_query(
        self, left: exp.Expression, op: str, query: exp.Expression, kind: str, scope: Scope, position: int, schema: str
    ) -> ir.Node:  # fmt: skip
        nodes = [self.bind(i, scope) for i in (items(left) if is_row(left) else [left])]
        bound = self.queries.subquery(query, scope)
        if len(bound.columns) != len(nodes):
            many = "too many" if len(bound.columns) > len(nodes) else "too few"
            raise PlanError("42601", f"subquery has {many} columns", position=position)
        relation = self.queries.anonymous_relation(bound)
        columns = [
            RelationColumn(c.name, c.type, collation=c.collation).value(relation, i)
            for i, c in enumerate(bound.columns)
        ]
        if len(nodes) == 1:
            compare = self.infix(op, nodes[0], columns[0], position, schema, where=EACH)
        else:
            compare = self.by_columns(op, list(zip(nodes, columns, strict=True)), position, EACH, schema)
        return ir.SubQuery(
            BOOL,
            kind,
            bound.frag,
            relation=relation,
            compare=compare,
            outer_from=bound.outer,
            outer=standing(self.queries, bound.outer, scope),
            by_key=bound.by_key,
        )

    def row_query(
        self, items: Sequence[exp.Expression], op: str, query: exp.Expression, scope: Scope, position: int,
        schema: str = "",
    ) -> ir.Node:  # fmt: skip
        """A row compared with the one row of a query: NULL if it has none, 21000 if it has more."""
        row = exp.Tuple(expressions=list(items))
        return self.quantified_query(row, op, query, "row", scope, position, schema)


def _bare(node: exp.Expression) -> exp.Expression:
    """An expression, or query, without the brackets around it."""
    while isinstance(node, exp.Paren) or (
        isinstance(node, exp.Subquery) and not any(v for k, v in node.args.items() if k != "this")
    ):
        node = node.this
    return node


def _name_of(said: tuple[object, ...]) -> str | None:
    """What a scalar query's value is called."""
    return said[0].meta.get(COLUMN) if isinstance(said[0], exp.Expression) else None


def _is_steady(node: ir.Node) -> bool:
    return not any(
        ir.is_volatile(n) or (isinstance(n, ir.SubQuery) and shapes.asks(n)) for n in ir.walk(node)
    )


__all__ = ["SubqueryBinder"]
