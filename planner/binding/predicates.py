"""Predicates: comparisons, LIKE, IN, BETWEEN, IS, rows, ANY and ALL."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir, long_lists
from planner.binding.clauses import refuse_sets
from planner.binding.dimensions import VECTORS
from planner.binding.emit import EmittedColumn
from planner.binding.facts import type_name, type_oid
from planner.binding.naming import lowered
from planner.binding.records import row_of, told_type
from planner.binding.resolve import common_type
from planner.binding.routines.own_operators import EACH
from planner.binding.row_comparisons import is_row, items
from planner.binding.scope import Scope
from planner.binding.subqueries import SubqueryBinder
from planner.listed_parameters import element_oid
from planner.parse import position as first_position
from planner.parse.dialect import IS_NOT, IS_UNKNOWN
from planner.parse.xml_forms import IS_DOCUMENT
from planner.records import replace

BOOL = TypeRef(t.BOOL)


_COMPARED_EXACTLY = ({"int2", "int4", "int8", "numeric"}, {"text", "varchar", "unknown"})
"""Types whose values compare the same whichever of them they are converted to."""

_WORDS: Final = {
    w: re.compile(rf"\b(not\s+)?{w}\b")
    for w in ("at", "between", "ilike", "in", "is", "like", "overlaps", "similar")
}
_Sides: TypeAlias = Callable[[str, str, exp.Expression, exp.Expression], tuple[ir.Node, ...]]
"""What asks on which side of one bound, by an operator, and of another one something is."""
_WITHOUT_SETS = {"WHERE": "WHERE", "HAVING": "HAVING", "JOIN/ON": "JOIN conditions"}


def _is_quantified(node: exp.Expression) -> bool:
    """Whether it is ANY, SOME or ALL of something; behind signs that only we know ALL is read as a call."""
    if isinstance(node, exp.Any | exp.All):
        return True
    return isinstance(node, exp.Anonymous) and str(node.this).lower() in ("any", "all", "some")


class PredicateBinder(SubqueryBinder):
    """What answers true, false or NULL."""

    def boolean(self, node: exp.Expression, scope: Scope, what: str) -> ir.Node:
        """An expression that must be boolean. Raises 42804 as `argument of WHERE must be ...`."""
        bound = self.bind(node, scope)
        if what in _WITHOUT_SETS:
            refuse_sets(bound, _WITHOUT_SETS[what])
        return self.as_boolean(bound, what, first_position(node) if bound.type.oid != t.BOOL else 0)

    def _last_place(self, node: exp.Expression) -> int:
        """Where the last of its tokens ends; -1: unknown. Found for all in it at once, and kept: `a + b + c + ...` asks it of
        each sum in the next one."""
        known = node.meta.get("last_place") if node._meta is not None else None
        if known is not None:
            return int(known)
        down, pending = [], [node]
        while pending:
            n = pending.pop()
            down.append(n)
            pending.extend(n.iter_expressions())
        for n in reversed(down):
            inner = (c.meta["last_place"] for c in n.iter_expressions())
            n.meta["last_place"] = max(n.meta.get("end", -1), *inner, -1)
        return int(node.meta["last_place"])

    def operator_position(self, node: exp.Expression, op: str) -> int:
        """Where the operator stands: the first place after its left operand that reads like it."""
        last = self._last_place(node.this)
        if last < 0:
            return first_position(node)
        at = lowered(self.text).find(op, last + 1)
        return at + 1 if at >= 0 else first_position(node)

    def word_position(self, node: exp.Expression, word: str) -> tuple[int, bool]:
        """Where an operator stands that is a word, or the NOT that is said with it (`a NOT IN ...`), and whether that is."""
        last = self._last_place(node.this)
        found = _WORDS[word].search(lowered(self.text), last + 1) if last >= 0 else None
        if found is None:
            return first_position(node), False
        return found.start() + 1, found[1] is not None

    def _infix(self, node: exp.Binary, op: str, scope: Scope) -> ir.Node:
        left, right = node.this, node.expression
        if _is_quantified(right):
            return self._quantified(node, op, left, right, scope)
        if op == "<>" and self.text:
            shown = "!=" if self.text.find("!=", 0) >= 0 and "<>" not in self.text else "<>"
        else:
            shown = op
        if is_row(left) and isinstance(right, exp.Subquery):
            return self.row_query(items(left), op, right, scope, self.operator_position(node, shown))
        return self.compared(op, left, right, scope, self.operator_position(node, shown))

    def _operator(self, node: exp.Operator, scope: Scope) -> ir.Node:
        op = str(node.args["operator"])
        schema, _, op = op.rpartition(".")
        if node.this is None:
            operand = self.bind(node.expression, scope)
            return self.prefix(op, operand, first_position(node), schema)
        right = node.expression
        if _is_quantified(right):
            return self._quantified(node, op, node.this, right, scope, schema)
        position = self.operator_position(node, "operator" if schema else op)
        if is_row(node.this) and isinstance(right, exp.Subquery):
            return self.row_query(items(node.this), op, right, scope, position, schema)
        return self.compared(op, node.this, right, scope, position, schema)

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
        if isinstance(inner, exp.Is) and IS_NOT in node.meta:
            return self._is(inner, scope, negated=True)
        if isinstance(inner, exp.In):
            return self._in(inner, scope, denied=True)
        if isinstance(inner, exp.Between):
            return self._between(inner, scope, denied=True)
        matching = inner.this if isinstance(inner, exp.Escape) else inner
        if isinstance(matching, exp.SimilarTo) and self.word_position(matching, "similar")[1]:
            matching.set("negate", True)  # which the tree says of LIKE alone
            return self.bind(inner, scope)
        return ir.Logic(BOOL, "not", (self.boolean(inner, scope, "NOT"),))

    def _is(self, node: exp.Is, scope: Scope, negated: bool = False) -> ir.Node:
        negated = negated != bool(node.args.get("negate"))
        word = "is not" if negated else "is"
        test = node.expression
        if isinstance(test, exp.Null) and IS_UNKNOWN in test.meta:  # of booleans the same as NULL
            return ir.Logic(
                BOOL, f"{word} unknown", (self.boolean(node.this, scope, f"{word} unknown".upper()),)
            )
        if isinstance(test, exp.Null):
            arg = self.bind(node.this, scope)
            if isinstance(arg, ir.Lit) and arg.type.oid == t.UNKNOWN:
                arg = self.coercions.settled(arg)
            if isinstance(arg, ir.Parm) and arg.type.oid == t.UNKNOWN:
                arg = self.coercions.known(arg)
            return ir.Logic(BOOL, f"{word} null", (arg,))
        if isinstance(test, exp.Boolean):
            value = "true" if test.this else "false"
            arg = self.boolean(node.this, scope, f"{word} {value}".upper())
            return ir.Logic(BOOL, f"{word} {value}", (arg,))
        if isinstance(test, exp.Column) and test.name == IS_DOCUMENT:
            tested = self.coercions.try_coerce(given := self.bind(node.this, scope), TypeRef(t.XML), "i")
            if tested is None:
                kind = t.type_in_words(given.type.oid)
                message = f"argument of IS DOCUMENT must be type xml, not type {kind}"
                raise PlanError("42804", message, position=first_position(node))
            asked = ir.Call(BOOL, "xml is document", (tested,))
            return ir.Logic(BOOL, "not", (asked,)) if negated else asked
        if isinstance(test, exp.Column) and test.name.lower().endswith("normalized"):
            form, among, _ = test.name.rpartition(" ")
            args = [self.bind(node.this, scope), *([ir.Lit(TypeRef(t.UNKNOWN), form)] if among else [])]
            made = self.standard("is_normalized", args, self.word_position(node, "is")[0])
            return ir.Logic(BOOL, "not", (made,)) if negated else made
        raise PlanError("0A000", "this IS test is not supported", position=first_position(node))

    def _distinct(self, node: exp.Binary, scope: Scope) -> ir.Node:
        negated = isinstance(node, exp.NullSafeEQ)
        return self.distinct(node.this, node.expression, negated, scope, self.word_position(node, "is")[0])

    def _between(self, node: exp.Between, scope: Scope, denied: bool = False) -> ir.Node:
        """`denied`: NOT is before it, or within it, which is the opposite comparisons."""
        position, within_it = self.word_position(node, "between")
        outside = denied and within_it
        if is_row(node.this):
            ask = self._row_sides(node, scope, position)
        else:
            ask = self._sides(node, scope, position)
        low, high = node.args["low"], node.args["high"]
        bounds = [(low, high), (high, low)] if node.args.get("symmetric") else [(low, high)]
        signs, joined, of_all = ("<", ">"), "or", "and"
        if not outside:
            signs, joined, of_all = (">=", "<="), "and", "or"
        tests = tuple(ir.Logic(BOOL, joined, ask(*signs, a, b)) for a, b in bounds)
        made = tests[0] if len(tests) == 1 else ir.Logic(BOOL, of_all, tests)
        return ir.Logic(BOOL, "not", (made,)) if denied and not outside else made

    def _sides(self, node: exp.Between, scope: Scope, position: int) -> _Sides:
        value = self.bind(node.this, scope)
        bounds = {id(n): self.bind(n, scope) for n in (node.args["low"], node.args["high"])}

        def ask(above: str, below: str, low: exp.Expression, high: exp.Expression) -> tuple[ir.Node, ...]:
            # PostgreSQL asks for the value twice, which `random() BETWEEN 0.2 AND 0.4` shows. What the first comparison has
            # found a parameter to be, the second one knows.
            varies = ir.varies(value)
            first = value if low is node.args["low"] or not varies else self.bind(node.this, scope)
            first = self.infix(above, met(first), met(bounds[id(low)]), position)
            again = self.bind(node.this, scope) if varies else met(value)
            return first, self.infix(below, again, met(bounds[id(high)]), position)

        def met(x: ir.Node) -> ir.Node:
            stated = self.parameters.type_of(x.number) if isinstance(x, ir.Parm) else None
            return replace(x, type=stated) if isinstance(x, ir.Parm) and stated is not None else x

        return ask

    def _row_sides(self, node: exp.Between, scope: Scope, position: int) -> _Sides:
        """`(a, b) BETWEEN (1, 2) AND (3, 4)`: column by column, where the bounds are row constructors, too."""

        def ask(above: str, below: str, low: exp.Expression, high: exp.Expression) -> tuple[ir.Node, ...]:
            return (
                self.compared(above, node.this, low, scope, position),
                self.compared(below, node.this, high, scope, position),
            )

        return ask

    def _in(self, node: exp.In, scope: Scope, denied: bool = False) -> ir.Node:
        """`denied`: NOT is before it, or within it. PostgreSQL looks for `<>` then, and says that it is not there."""
        position, within_it = self.word_position(node, "in")
        outside = denied and within_it
        query = node.args.get("query")
        if (
            query is None
            and len(node.expressions) == 1
            and isinstance(node.expressions[0], exp.Select | exp.Subquery | exp.Values)
        ):
            query = node.expressions[0]
        if query is not None:
            made = self.quantified_query(node.this, "=", query, "any", scope, position)
            return ir.Logic(BOOL, "not", (made,)) if denied else made
        if is_row(node.this) and any(is_row(e) for e in node.expressions):

            def test(op: str, e: Any) -> ir.Node:
                return self.compared(op, node.this, e, scope, position)

            each: list[Any] = node.expressions
        else:
            left = self.bind(node.this, scope)
            if self._has_lists and (given := self._list_given(left, node.expressions)) is not None:
                of_each = self._with_each("=", left, TypeRef(t.element_of(given.type.oid)), position)
                listed = ir.AnyAll(BOOL, of_each, given, False)
                return ir.Logic(BOOL, "not", (listed,)) if denied else listed
            among = self._of_one_type(left, node.expressions, scope)
            if (array := long_lists.array_of(left, among)) is not None:
                element = TypeRef(t.element_of(array.type.oid))
                of_each = self._with_each("=", left, element, position)
                listed = ir.AnyAll(BOOL, of_each, array, False, long_lists.elements(among, element))
                return ir.Logic(BOOL, "not", (listed,)) if denied else listed

            alike: dict[tuple[str, TypeRef], ir.Call] = {}

            def test(op: str, e: Any) -> ir.Node:
                """Parameters of one type are compared alike: there may be thousands."""
                known = alike.get((op, e.type)) if type(e) is ir.Parm else None
                if known is not None:
                    return replace(known, args=(known.args[0], e))
                made = self.infix(op, left, e, position)
                if type(e) is ir.Parm and type(made) is ir.Call and len(made.args) == 2 and made.args[1] is e:
                    alike[op, e.type] = made
                return made

            each = list(among)
        if outside:
            unequal = test("<>", each[0])
            if len(each) == 1:
                return unequal
        tests = tuple(test("=", e) for e in each)
        found = tests[0] if len(tests) == 1 else ir.Logic(BOOL, "or", tests)
        return ir.Logic(BOOL, "not", (found,)) if denied else found

    @property
    def _has_lists(self) -> bool:
        return bool(self.parameters.lists or self.parameters.listed)

    def _list_given(self, left: ir.Node, among: Sequence[exp.Expression]) -> ir.Parm | None:
        """The list of literals or parameters that the text is planned without, if it is one."""
        (only, *others) = among
        if others or not isinstance(only, exp.Parameter) or self.queries.routines.frames:
            return None  # `$1` in a function's body is its argument
        number, position = int(str(only.this.name)), first_position(only)
        kind, stated = self.parameters.lists.get(number), self.parameters.listed.get(number)
        array: TypeRef | None = None
        element: TypeRef | None = None
        if stated is not None:
            array, element = long_lists.of_parameters(left, element_oid(stated))
        elif kind is not None:
            array = long_lists.parameter(left, kind)
        if array is None:
            return None
        return ir.Parm(self.parameters.decide_list(number, array, element), number, position)

    def _of_one_type(
        self, left: ir.Node, listed: Sequence[exp.Expression], scope: Scope
    ) -> Sequence[ir.Node]:
        """The elements of a list as `left` is compared with them: several that name no columns are an array to PostgreSQL.

        So `0.1::real IN (0.1)` compares doubles and is false, and `0.1::real IN (0.1, 0.2)` compares reals and is true."""
        among = [self.bind(e, scope) for e in listed]
        free = [
            n
            for n in among
            if type(n) in (ir.Lit, ir.Parm) or not any(isinstance(x, ir.Var) for x in ir.walk(n))
        ]
        if len(free) > 1 and (rows := _rows_type((left, *free))) is not None:
            return [
                self.coercions.coerce(n, rows, "i", first_position(e))
                if isinstance(n, ir.Lit) and n.type.oid == t.UNKNOWN
                else n
                for n, e in zip(among, listed, strict=True)
            ]
        names = [type_name(oid) for oid in dict.fromkeys([n.type.oid for n in (left, *free)])]
        common = common_type(names)
        exact = any({*names} <= kinds for kinds in _COMPARED_EXACTLY)
        if len(free) < 2 or common is None or common == "record":
            return among
        # Of those that compare the same only a parameter shows what it was made.
        changing = [n for n in free if isinstance(n, ir.Parm) and n.type.oid == t.UNKNOWN] if exact else free
        to, chosen = TypeRef(type_oid(common)), {id(n) for n in changing}
        return [
            self.coercions.coerce(n, to, "i", first_position(e))
            if id(n) in chosen and n.type.oid != to.oid
            else n
            for n, e in zip(among, listed, strict=True)
        ]

    def _like(self, node: exp.Binary, scope: Scope, escape: ir.Node | None = None) -> ir.Node:
        negated = bool(node.args.get("negate"))
        right_ast = node.expression
        word = (
            "similar"
            if isinstance(node, exp.SimilarTo)
            else "like"
            if isinstance(node, exp.Like)
            else "ilike"
        )
        position, _ = self.word_position(node, word)
        if isinstance(node, exp.SimilarTo):
            left, right = self.bind(node.this, scope), self.bind(right_ast, scope)
            args = [right] if escape is None else [right, escape]
            pattern = self.standard("similar_to_escape", args, position)
            return self.infix("!~" if negated else "~", left, pattern, position)
        op = "~~" if isinstance(node, exp.Like) else "~~*"
        if isinstance(right_ast, exp.Any | exp.All):
            sign = ("!" if negated else "") + op
            return self._quantified(node, sign, node.this, right_ast, scope, position=position)
        left, right = self.bind(node.this, scope), self.bind(right_ast, scope)
        if escape is not None:
            right = self.standard("like_escape", [right, escape], position)
        return self.infix(("!" if negated else "") + op, left, right, position)

    def _escape(self, node: exp.Escape, scope: Scope) -> ir.Node:
        return self._like(node.this, scope, self.bind(node.expression, scope))

    def _quantified(
        self, node: exp.Expression, op: str, left: exp.Expression, right: exp.Expression, scope: Scope, schema: str = "",
        position: int = 0,
    ) -> ir.Node:  # fmt: skip
        """`position`: of an operator that is a word."""
        every = isinstance(right, exp.All) or str(getattr(right, "this", "")).lower() == "all"
        inner = right.expressions[0] if isinstance(right, exp.Anonymous) else right.this
        while isinstance(inner, exp.Paren):
            inner = inner.this
        position = position or self.operator_position(node, "operator" if schema else op)
        if isinstance(inner, exp.Query | exp.Values):
            return self.quantified_query(left, op, inner, "all" if every else "any", scope, position, schema)
        a, array = self.bind(left, scope), self.bind(inner, scope)
        if array.type.oid == t.UNKNOWN:
            if a.type.oid == t.UNKNOWN:
                a = self.coercions.settled(a)
            item_of = self._right_of(op, a, position, schema)
            if item_of == t.VARCHAR and isinstance(array, ir.Parm):
                item_of = t.TEXT  # what its operators take, so clients are told and send that
            array = self.coercions.coerce(array, TypeRef(t.array_of(item_of)), "i", position)
        element = t.element_of(array.type.oid) or VECTORS.get(array.type.oid, 0)
        if not element:
            raise PlanError("42809", "op ANY/ALL (array) requires array on right side", position=position)
        compare = self._with_each(op, a, _element_type(array, element), position, schema)
        if compare.type.oid != t.BOOL:
            raise PlanError(
                "42809", "op ANY/ALL (array) requires operator to yield boolean", position=position
            )
        return ir.AnyAll(BOOL, compare, array, every)

    def _with_each(
        self, op: str, left: ir.Node, element: TypeRef, position: int, schema: str = ""
    ) -> ir.Node:
        """The comparison with an element of an array."""
        emitter = self.queries.emitter
        emitter.aliases[-1], emitter.columns[-1] = "", [EmittedColumn("tw_e", whole=True)]
        return self.infix(op, left, ir.Var(element, -1, 0), position, schema, where=EACH)

    def _right_of(self, op: str, a: ir.Node, position: int, schema: str) -> int:
        """The type of the elements of `'{...}'`: that of the left side, or of what else the operator takes on its right."""
        same = ir.Lit(a.type, None)
        try:
            self.infix(op, a, same, position, schema)
        except PlanError:
            other = self.infix(op, a, ir.Lit(TypeRef(t.UNKNOWN), None), position, schema)
            if isinstance(other, ir.Call) and len(other.args) == 2:
                return other.args[1].type.oid
        return a.type.oid

    def _row(self, items: Sequence[exp.Expression], scope: Scope) -> ir.Node:
        return row_of(self.row_items(items, scope))


def _rows_type(nodes: Sequence[ir.Node]) -> TypeRef | None:
    """The composite type that all of these are of but for constants whose type nobody has said."""
    told = {told_type(n.type) for n in nodes if n.type.oid != t.UNKNOWN}
    one = told.pop() if len(told) == 1 else None
    return one if one is not None and t.composite_fields(one.oid) is not None else None


def _element_type(array: ir.Node, element: int) -> TypeRef:
    """What an array is of; of rows, which fields they have."""
    return TypeRef(element, array.type.typmod if element == t.RECORD else -1)
