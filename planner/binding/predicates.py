"""Predicates: comparisons, LIKE, IN, BETWEEN, IS, rows, ANY and ALL, subqueries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.calls import CallBinder
from planner.binding.dimensions import array_over
from planner.binding.facts import type_name
from planner.binding.records import row_of
from planner.binding.resolve import common_type
from planner.binding.scope import Scope
from planner.parse import position as first_position

if TYPE_CHECKING:
    pass


BOOL = TypeRef(t.BOOL)


# The arrays of the system catalogs that are types of their own.
_VECTORS = {t.INT2VECTOR: t.INT2, t.OIDVECTOR: t.OID}


class PredicateBinder(CallBinder):
    """What answers true, false or NULL."""

    def boolean(self, node: exp.Expression, scope: Scope, what: str) -> ir.Node:
        """An expression that must be boolean. Raises 42804 as `argument of WHERE must be ...`."""
        bound = self.bind(node, scope)
        return self.as_boolean(bound, what, first_position(node))

    def operator_position(self, node: exp.Expression, op: str) -> int:
        """Where the operator stands: the first place after its left operand that reads like it."""
        left = node.this
        last = -1
        for n in left.walk():
            meta = n.meta if n._meta is not None else None
            if meta and meta.get("end") is not None:
                last = max(last, meta["end"])
        if last < 0:
            return first_position(node)
        at = self.text.lower().find(op, last + 1)
        return at + 1 if at >= 0 else first_position(node)

    def _infix(self, node: exp.Binary, op: str, scope: Scope) -> ir.Node:
        left, right = node.this, node.expression
        if isinstance(right, exp.Any | exp.All) or (
            isinstance(right, exp.Anonymous) and str(right.this).lower() in ("any", "all", "some")
        ):
            return self._quantified(node, op, left, right, scope)
        if op == "<>" and self.text:
            shown = "!=" if self.text.find("!=", 0) >= 0 and "<>" not in self.text else "<>"
        else:
            shown = op
        if isinstance(left, exp.Tuple) or isinstance(right, exp.Tuple) or is_row(left) or is_row(right):
            return self._row_comparison(node, op, scope)
        a, b = self.bind(left, scope), self.bind(right, scope)
        return self.infix(op, a, b, self.operator_position(node, shown))

    def _operator(self, node: exp.Operator, scope: Scope) -> ir.Node:
        op = str(node.args["operator"])
        op = op.rsplit(".", 1)[-1] if "." in op else op
        if node.this is None:
            return self.prefix(op, self.bind(node.expression, scope), first_position(node))
        right = node.expression
        if isinstance(right, exp.Any | exp.All):
            return self._quantified(node, op, node.this, right, scope)
        return self.infix(
            op, self.bind(node.this, scope), self.bind(right, scope), self.operator_position(node, op)
        )

    def _connective(self, node: exp.Connector, scope: Scope) -> ir.Node:
        op = "and" if isinstance(node, exp.And) else "or"
        flat: list[exp.Expression] = []
        pending: list[exp.Expression] = [node]
        while pending:
            n = pending.pop()
            if type(n) is type(node):
                pending += [n.expression, n.this]
            else:
                flat.append(n)
        return ir.Logic(BOOL, op, tuple(self.boolean(n, scope, op.upper()) for n in flat))

    def _not(self, node: exp.Not, scope: Scope) -> ir.Node:
        inner = node.this
        if isinstance(inner, exp.Is):
            return self._is(inner, scope, negated=True)
        return ir.Logic(BOOL, "not", (self.boolean(inner, scope, "NOT"),))

    def _is(self, node: exp.Is, scope: Scope, negated: bool = False) -> ir.Node:
        negated = negated != bool(node.args.get("negate"))
        word = "is not" if negated else "is"
        test = node.expression
        if isinstance(test, exp.Null):
            arg = self.bind(node.this, scope)
            if isinstance(arg, ir.Lit) and arg.type.oid == t.UNKNOWN:
                arg = self.coercions.settled(arg)
            if isinstance(arg, ir.Parm) and arg.type.oid == t.UNKNOWN:
                arg = self.undecided(arg)
            return ir.Logic(BOOL, f"{word} null", (arg,))
        if isinstance(test, exp.Boolean):
            value = "true" if test.this else "false"
            arg = self.boolean(node.this, scope, f"{word} {value}".upper())
            return ir.Logic(BOOL, f"{word} {value}", (arg,))
        raise PlanError("0A000", "this IS test is not supported", position=first_position(node))

    def undecided(self, arg: ir.Parm) -> ir.Node:
        if self.parameters.literals:
            return self.coercions.settled(arg)
        raise PlanError(
            "42P18", f"could not determine data type of parameter ${arg.number}", position=arg.position
        )

    def _distinct(self, node: exp.Binary, scope: Scope) -> ir.Node:
        a, b = self.bind(node.this, scope), self.bind(node.expression, scope)
        equal = self.infix("=", a, b, first_position(node))
        assert isinstance(equal, ir.Call)
        op = "is distinct from" if isinstance(node, exp.NullSafeNEQ) else "is not distinct from"
        return ir.Call(BOOL, equal.op.replace(" = ", f" {op} "), equal.args)

    def _between(self, node: exp.Between, scope: Scope) -> ir.Node:
        value, low, high = (self.bind(n, scope) for n in (node.this, node.args["low"], node.args["high"]))
        position = first_position(node)

        def within(a: ir.Node, b: ir.Node) -> ir.Node:
            return ir.Logic(
                BOOL, "and", (self.infix(">=", value, a, position), self.infix("<=", value, b, position))
            )

        if node.args.get("symmetric"):
            return ir.Logic(BOOL, "or", (within(low, high), within(high, low)))
        return within(low, high)

    def _in(self, node: exp.In, scope: Scope) -> ir.Node:
        position = first_position(node)
        query = node.args.get("query")
        if query is not None:
            return self.quantified_query(node.this, "=", query, "any", scope, position)
        if len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Select | exp.Subquery):
            return self.quantified_query(node.this, "=", node.expressions[0], "any", scope, position)
        if isinstance(node.this, exp.Tuple) or is_row(node.this):
            tests = tuple(
                self._row_equality("=", self._items(node.this), self._items(e), scope, position)
                for e in node.expressions
            )
            return tests[0] if len(tests) == 1 else ir.Logic(BOOL, "or", tests)
        left = self.bind(node.this, scope)
        items = [self.bind(e, scope) for e in node.expressions]
        names = [type_name(n.type.oid) for n in (left, *items)]
        common = common_type(names)
        if common is not None and common != "unknown" and left.type.oid != t.UNKNOWN:
            tests = tuple(self.infix("=", left, i, position) for i in items)
        else:
            tests = tuple(self.infix("=", left, i, position) for i in items)
        return tests[0] if len(tests) == 1 else ir.Logic(BOOL, "or", tests)

    def _like(self, node: exp.Binary, scope: Scope, escape: ir.Node | None = None) -> ir.Node:
        negated = bool(node.args.get("negate"))
        right_ast = node.expression
        if isinstance(node, exp.SimilarTo):
            left, right = self.bind(node.this, scope), self.bind(right_ast, scope)
            args = [right] if escape is None else [right, escape]
            pattern = self.function("similar_to_escape", args, first_position(node))
            made = self.infix("~", left, pattern, first_position(node))
            return ir.Logic(BOOL, "not", (made,)) if negated else made
        op = "~~" if isinstance(node, exp.Like) else "~~*"
        if isinstance(right_ast, exp.Any | exp.All):
            return self._quantified(node, ("!" if negated else "") + op, node.this, right_ast, scope)
        left, right = self.bind(node.this, scope), self.bind(right_ast, scope)
        if escape is not None:
            right = self.function("like_escape", [right, escape], first_position(node))
        return self.infix(("!" if negated else "") + op, left, right, first_position(node))

    def _escape(self, node: exp.Escape, scope: Scope) -> ir.Node:
        inner = node.this
        if isinstance(inner, exp.Not):
            return ir.Logic(BOOL, "not", (self._like(inner.this, scope, self.bind(node.expression, scope)),))
        return self._like(inner, scope, self.bind(node.expression, scope))

    def _quantified(
        self, node: exp.Expression, op: str, left: exp.Expression, right: exp.Expression, scope: Scope
    ) -> ir.Node:
        every = isinstance(right, exp.All) or str(getattr(right, "this", "")).lower() == "all"
        inner = right.expressions[0] if isinstance(right, exp.Anonymous) else right.this
        while isinstance(inner, exp.Paren):
            inner = inner.this
        position = self.operator_position(node, op)
        if isinstance(inner, exp.Subquery | exp.Select | exp.Union | exp.Values):
            return self.quantified_query(left, op, inner, "all" if every else "any", scope, position)
        a, array = self.bind(left, scope), self.bind(inner, scope)
        if array.type.oid == t.UNKNOWN:
            if a.type.oid == t.UNKNOWN:
                a = self.coercions.settled(a)
            array = self.coercions.coerce(array, TypeRef(t.array_of(a.type.oid)), "i", position)
        element = t.element_of(array.type.oid) or _VECTORS.get(array.type.oid, 0)
        if not element:
            raise PlanError("42809", "op ANY/ALL (array) requires array on right side", position=position)
        item = ir.Var(TypeRef(element), -1, 0)
        compare = self.infix(op, a, item, position)
        if compare.type.oid != t.BOOL:
            raise PlanError(
                "42809", "op ANY/ALL (array) requires operator to yield boolean", position=position
            )
        return ir.AnyAll(BOOL, compare, array, every)

    def _items(self, node: exp.Expression) -> list[exp.Expression]:
        while isinstance(node, exp.Paren):
            node = node.this
        if isinstance(node, exp.Tuple | exp.Anonymous):
            return list(node.expressions)
        return [node]

    def _row(self, items: Sequence[exp.Expression], scope: Scope) -> ir.Node:
        bound = tuple(self.coercions.settled(self.bind(i, scope)) for i in items)
        return row_of(bound)

    def _row_comparison(self, node: exp.Binary, op: str, scope: Scope) -> ir.Node:
        position = first_position(node)
        if isinstance(node.this, exp.Subquery):
            self._scalar_subquery(node.this, scope)  # PostgreSQL takes several columns on the right side only
        if isinstance(node.expression, exp.Subquery):
            return self.row_query(self._items(node.this), op, node.expression, scope, position)
        left, right = self._items(node.this), self._items(node.expression)
        if op in ("=", "<>"):
            same = self._row_equality("=", left, right, scope, position)
            return same if op == "=" else ir.Logic(BOOL, "not", (same,))
        self._same_length(left, right, position)
        pairs = [(self.bind(a, scope), self.bind(b, scope)) for a, b in zip(left, right, strict=True)]
        return self._compared(op, pairs, position)

    def _compared(self, op: str, pairs: Sequence[tuple[ir.Node, ir.Node]], position: int) -> ir.Node:
        """A comparison of rows, column by column."""
        if op in ("=", "<>"):
            tests = tuple(self.infix(op, a, b, position) for a, b in pairs)
            return tests[0] if len(tests) == 1 else ir.Logic(BOOL, "and" if op == "=" else "or", tests)
        if op not in ("<", "<=", ">", ">="):
            raise PlanError(
                "0A000", f"could not determine interpretation of row comparison operator {op}",
                hint="Row comparison operators must be associated with btree operator families.", position=position,
            )  # fmt: skip
        strict = op.rstrip("=")
        made: ir.Node = self.infix(op, *pairs[-1], position)
        for a, b in reversed(pairs[:-1]):
            less = self.infix(strict, a, b, position)
            equal = self.infix("=", a, b, position)
            made = ir.Logic(BOOL, "or", (less, ir.Logic(BOOL, "and", (equal, made))))
        return made

    def _same_length(self, left: Sequence[Any], right: Sequence[Any], position: int) -> None:
        if len(left) != len(right):
            raise PlanError("42601", "unequal number of entries in row expressions", position=position)

    def _row_equality(
        self,
        op: str,
        left: Sequence[exp.Expression],
        right: Sequence[exp.Expression],
        scope: Scope,
        position: int,
    ) -> ir.Node:
        self._same_length(left, right, position)
        tests = tuple(
            self.infix(op, self.bind(a, scope), self.bind(b, scope), position)
            for a, b in zip(left, right, strict=True)
        )
        return tests[0] if len(tests) == 1 else ir.Logic(BOOL, "and", tests)

    def _scalar_subquery(self, node: exp.Expression, scope: Scope) -> ir.Node:
        bound = self.queries.subquery(node, scope)
        if len(bound.columns) != 1:
            at = self.queries.parenthesis_before(first_position(node))
            raise PlanError("42601", "subquery must return only one column", position=at)
        column = bound.columns[0]
        return ir.SubQuery(
            column.type, "scalar", bound.frag, outer_from=bound.outer, outer=bound.outer, form=bound.forms[0]
        )

    def _exists(self, node: exp.Exists, scope: Scope) -> ir.Node:
        return self.exists_query(node.this, scope)

    def exists_query(self, node: exp.Expression, scope: Scope) -> ir.Node:
        bound = self.queries.subquery(node, scope)
        return ir.SubQuery(BOOL, "exists", bound.frag, outer_from=bound.outer, outer=bound.outer)

    def array_query(self, node: exp.Expression, scope: Scope) -> ir.Node:
        bound = self.queries.subquery(node, scope)
        if len(bound.columns) != 1:
            raise PlanError("42601", "subquery must return only one column", position=first_position(node))
        ref = array_over(TypeRef(bound.columns[0].type.oid))
        return ir.SubQuery(
            ref, "array", bound.frag, outer_from=bound.outer, outer=bound.outer, form=bound.forms[0]
        )

    def quantified_query(
        self, left: exp.Expression, op: str, query: exp.Expression, kind: str, scope: Scope, position: int
    ) -> ir.Node:
        """`left op ANY (query)`, ALL, or (kind `row`) the query's only row."""
        items = self._items(left) if isinstance(left, exp.Tuple) or is_row(left) else [left]
        nodes = [self.bind(i, scope) for i in items]
        bound = self.queries.subquery(query, scope)
        if len(bound.columns) != len(nodes):
            many = "too many" if len(bound.columns) > len(nodes) else "too few"
            raise PlanError("42601", f"subquery has {many} columns", position=position)
        relation = self.queries.anonymous_relation(bound)
        columns = [ir.Var(c.type, relation, i) for i, c in enumerate(bound.columns)]
        if len(nodes) == 1:
            compare = self.infix(op, nodes[0], columns[0], position)
        else:
            compare = self._compared(op, list(zip(nodes, columns, strict=True)), position)
        return ir.SubQuery(
            BOOL,
            kind,
            bound.frag,
            relation=relation,
            compare=compare,
            outer_from=bound.outer,
            outer=bound.outer,
        )

    def row_query(
        self, items: Sequence[exp.Expression], op: str, query: exp.Expression, scope: Scope, position: int
    ) -> ir.Node:
        """A row compared with the one row of a query: NULL if it has none, 21000 if it has more."""
        return self.quantified_query(exp.Tuple(expressions=list(items)), op, query, "row", scope, position)


def is_row(node: exp.Expression) -> bool:
    return isinstance(node, exp.Anonymous) and str(node.this).lower() == "row"
