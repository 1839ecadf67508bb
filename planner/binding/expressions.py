"""Expressions: every name resolved, every operator and function chosen, every type known.

`ExpressionBinder.bind(node, scope)` is one dispatch by node class; each branch makes a typed node of
`ir`. Subqueries go back to the query binder. Errors carry the position of what they complain of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any, Final

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir
from planner.binding.array_expressions import ArrayBinder
from planner.binding.coerce import read_as
from planner.binding.collating import collated, named
from planner.binding.collations_met import look_at
from planner.binding.column_names import start_of
from planner.binding.deparse import sql_syntax
from planner.binding.dimensions import VECTORS
from planner.binding.domains import checked, of_no_domain
from planner.binding.naming import lowered
from planner.binding.row_comparisons import items
from planner.binding.scope import Scope
from planner.binding.xml.forms import SERIALIZED
from planner.catalog import domains
from planner.lexer import WORD, tokenize
from planner.parse import position as first_position
from planner.types.bits import bits_in
from planner.types.orders import UNORDERED

BOOL, INT4, TEXT, UNKNOWN = TypeRef(t.BOOL), TypeRef(t.INT4), TypeRef(t.TEXT), TypeRef(t.UNKNOWN)
_INFIX: dict[type[exp.Expression], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%", exp.Pow: "^", exp.EQ: "=", exp.NEQ: "<>",
    exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.DPipe: "||", exp.BitwiseAnd: "&", exp.BitwiseOr: "|",
}  # fmt: skip
_NEGATIONS = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_CAST = re.compile(r"\bcast\s*\([\s(]*(?:(?:array\s*)?\[[\s(]*)*(?:[\w\s]*\s)?$", re.IGNORECASE)
"""What stands before the first that has a place of what CAST is given."""
_TO_TYPE = re.compile(r"[\s()]*(?:::|\bas\b)\s*", re.IGNORECASE)
_COLONS = re.compile(r"[\s()\]]*::")
"""Behind a value of which the tree knows the last word's place."""
_PAST_TYPE = re.compile(
    _TO_TYPE.pattern + r"[\w.$\"]+(?:\s*\([\d\s,]*\))?(?:\s*\[\s*\d*\s*\])*", re.IGNORECASE
)
_TYPE_BEFORE = re.compile(r"[\w.$\"]+\s*$")
_INT4_MAX, _INT8_MAX = (1 << 31) - 1, (1 << 63) - 1
_INT8_DIGITS = 19

_CLOCKS = {
    exp.CurrentDate: "current_date", exp.CurrentTimestamp: "current_timestamp", exp.CurrentTime: "current_time",
    exp.Localtime: "localtime", exp.Localtimestamp: "localtimestamp", exp.CurrentUser: "current_user",
    exp.SessionUser: "session_user", exp.CurrentSchema: "current_schema", exp.CurrentCatalog: "current_catalog",
    exp.CurrentRole: "current_role",
}  # fmt: skip


class ExpressionBinder(ArrayBinder):
    def _collate(self, node: exp.Collate, scope: Scope) -> ir.Node:
        position = self.operator_position(node, "collate")
        name = named(node, position, self.queries)
        value = self.coercions.settled(self.bind(node.this, scope))
        return collated(value, name, position, kept=self.queries.only_written)

    def bind(self, node: exp.Expression, scope: Scope) -> ir.Node:
        handler = _HANDLERS.get(type(node))
        if handler is None:
            if isinstance(node, exp.Var) and node.name.lower() == "default":  # in VALUES that are no INSERT's
                words = (x for x in tokenize(self.queries.text) if x.kind == WORD and x.value == "default")
                at = next((x.start + 1 for x in words), 0)
                raise PlanError("42601", "DEFAULT is not allowed in this context", position=at)
            raise PlanError(
                "0A000", f"{type(node).__name__} expressions are not supported", position=first_position(node)
            )
        made: ir.Node = handler(self, node, scope)
        if self.queries.tells_collations:
            look_at(made)
        return made

    def _literal(self, node: exp.Literal, _scope: Scope) -> ir.Node:
        position = start_of(node)
        text = str(node.this)
        if node.is_string:
            return ir.Lit(UNKNOWN, text, position)
        if text.isdigit() and len(digits := text.lstrip("0")) <= _INT8_DIGITS:
            value = int(digits or "0")
            if value <= _INT4_MAX:
                return ir.Lit(INT4, value, position)
            if value <= _INT8_MAX:
                return ir.Lit(TypeRef(t.INT8), value, position)
        return ir.Lit(TypeRef(t.NUMERIC), str(t.input_text(text, TypeRef(t.NUMERIC))), position)

    def _parameter(self, node: exp.Parameter, _scope: Scope) -> ir.Node:
        position = start_of(node.this) or start_of(node)
        number = int(str(node.this.name))
        if self.queries.routines.frames:
            arguments = self.queries.routines.frames[-1].arguments
            if not 0 < number <= len(arguments):
                raise PlanError("42P02", f"there is no parameter ${number}", position=position)
            return arguments[number - 1]
        if self._variables is not None:
            found = self._variable((f"${number}",), position)
            if found is None:
                raise PlanError("42P02", f"there is no parameter ${number}", position=position)
            return found
        made = ir.Parm(self.parameters.use(number, position), number, position)
        if (
            made.type.oid == t.NUMERIC and made.type.typmod >= 0
        ):  # a literal's scale, which no type is told of
            return ir.Cast(TypeRef(t.NUMERIC), made)
        return made

    def _signed(self, node: exp.Literal, negative: bool, scope: Scope) -> ir.Node:
        """A constant with its signs, which belong to it: -9223372036854775808 is a bigint."""
        lit = self._literal(node, scope)
        assert isinstance(lit, ir.Lit)
        if not negative:
            return lit
        if str(node.this).isdigit():
            value = -int(str(node.this))
            for oid, lowest in ((t.INT4, -_INT4_MAX - 1), (t.INT8, -_INT8_MAX - 1)):
                if value >= lowest:
                    return ir.Lit(TypeRef(oid), value, lit.position)
        text = str(lit.value)
        return ir.Lit(lit.type, text if not text.strip("0.") else "-" + text, lit.position)

    def _negative(self, node: exp.Neg, scope: Scope) -> ir.Node:
        inner: exp.Expression = node
        negative = False
        while isinstance(inner, exp.Neg | exp.Paren):
            negative ^= isinstance(inner, exp.Neg)
            inner = inner.this
        if isinstance(inner, exp.Literal) and not inner.is_string:
            return self._signed(inner, negative, scope)
        return self.prefix("-", self.bind(node.this, scope), first_position(node))

    def _common(self, op: str, items: Sequence[exp.Expression], scope: Scope, what: str) -> ir.Node:
        nodes = [self.bind(i, scope) for i in items]
        made, ref = self.to_common(nodes, what, [first_position(i) for i in items])
        if op in ("greatest", "least") and ref.oid in UNORDERED:
            shown = t.format_type(ref)
            raise PlanError("42883", f"could not identify a comparison function for type {shown}")
        return ir.Logic(ref, op, tuple(made))

    def _nullif(self, node: exp.Nullif, scope: Scope) -> ir.Node:
        a, b = self.bind(node.this, scope), self.bind(node.expression, scope)
        equal = self.infix("=", a, b, first_position(node), where="NULLIF")
        if isinstance(equal, ir.Call):
            a = of_no_domain(equal.args[0])  # as the comparison has it: nullif(1, 2.0) is a numeric
        nothing = ir.Lit(a.type, None)
        return ir.Logic(a.type, "case", (equal, nothing, a))

    def _case(self, node: exp.Case, scope: Scope) -> ir.Node:
        subject = self.coercions.settled(self.bind(node.this, scope)) if node.this is not None else None
        conditions: list[ir.Node] = []
        values: list[ir.Node] = []
        positions: list[int] = []
        for branch in node.args["ifs"]:
            if subject is None:
                conditions.append(self.boolean(branch.this, scope, "CASE/WHEN"))
            else:
                when = self.bind(branch.this, scope)
                conditions.append(self.infix("=", subject, when, self._when(branch.this)))
            values.append(self.bind(branch.args["true"], scope))
            positions.append(first_position(branch.args["true"]))
        default = node.args.get("default")
        # PostgreSQL looks at ELSE first when it decides the type.
        last = self.bind(default, scope) if default is not None else ir.Lit(UNKNOWN, None)
        made, ref = self.to_common(
            [last, *values], "CASE", [first_position(default) if default is not None else 0, *positions]
        )
        args: list[ir.Node] = []
        for c, v in zip(conditions, made[1:], strict=True):
            args += [c, v]
        return ir.Logic(ref, "case", (*args, made[0]))

    def _when(self, value: exp.Expression) -> int:
        """Where WHEN stands, before what is compared."""
        at = first_position(value)
        before = lowered(self.text).rfind("when", 0, max(at - 1, 0))
        return before + 1 or at

    def _cast(self, node: exp.Cast, scope: Scope) -> ir.Node:
        try:
            declared = self.queries.type_of(node.args["to"])
        except PlanError as e:
            e.position = e.position or self._type_position(node)
            raise
        target, use = domains.underneath(self.queries.ctx.catalog, declared)
        if use is not None:
            inner, context = node.this.unnest(), "e"
            if isinstance(inner, exp.Parameter):
                arg = self.bind(inner, scope)
                if isinstance(arg, ir.Parm) and self.parameters.meet_domain(arg.number, declared.oid):
                    context = "a"  # the value is read as the domain's: what is too long is not cut off
            return checked(self.queries, self._cast_to(node, target, scope, context), use)
        return of_no_domain(self._cast_to(node, target, scope))

    def _cast_to(self, node: exp.Cast, target: TypeRef, scope: Scope, context: str = "e") -> ir.Node:
        inner = node.this
        while isinstance(inner, exp.Paren):
            inner = inner.this
        if isinstance(inner, exp.Array) and t.element_of(target.oid):
            return self._array(inner, scope, target)
        if isinstance(inner, exp.Array) and target.oid in VECTORS:  # of no other array is one made
            if not inner.expressions:
                raise PlanError("42804", f"array is not a valid {t.type_in_words(target.oid)}")
            return ir.Cast(target, self._array(inner, scope, TypeRef(t.array_of(VECTORS[target.oid]))))
        arg = self.bind(node.this, scope)
        position = self._cast_position(node)
        if isinstance(arg, ir.Call) and arg.op == "xml serialize":
            if target.oid not in SERIALIZED:
                kind = t.type_in_words(target.oid)
                raise PlanError("42846", f"cannot cast XMLSERIALIZE result to {kind}", position=arg.position)
            return self.coercions.coerce(arg, target, "a", position)  # nothing is cut off
        if (
            isinstance(arg, ir.Parm)
            and arg.type.oid == t.UNKNOWN
            and self.parameters.type_of(arg.number) is None
        ):
            made = self.coercions.coerce(arg, read_as(target), "e", position)
            return self.coercions.coerce(made, target, context, position)
        return self.coercions.coerce(arg, target, "e", position)

    def _cast_position(self, node: exp.Cast) -> int:
        """Where `::` is, if that is how the cast is said."""
        said = _COLONS.match(self.text, at) if (at := self._before_type(node)) else None
        if said is not None:
            return said.end() - 1
        value = node.this.unnest()
        inner = self._cast_position(value) if isinstance(value, exp.Cast) else first_position(node)
        word = _CAST.search(self.text, 0, max(inner - 1, 0))
        return inner if word is None else word.start() + 1

    def _type_position(self, node: exp.Cast) -> int:
        """Where a cast's type is named: behind `::` or AS, or before the literal. 0: not found."""
        at = self._before_type(node)
        if not at:
            return 0
        behind = _TO_TYPE.match(self.text, at)
        if behind is not None:
            return behind.end() + 1
        starts = [n.meta["start"] for n in node.this.walk() if n._meta is not None and "start" in n.meta]
        before = _TYPE_BEFORE.search(self.text, 0, min(starts))
        return before.start() + 1 if before is not None else 0

    def _before_type(self, node: exp.Cast) -> int:
        """How far what is cast goes in the text, with the casts within it, of whose types the tree does not know the places. 0: not found."""
        inner, casts = node.this.unnest(), 0
        while isinstance(inner, exp.Cast):
            inner, casts = inner.this.unnest(), casts + 1
        at = self._last_place(inner) + 1
        for _ in range(casts if at else 0):
            passed = _PAST_TYPE.match(self.text, at)
            if passed is None:
                return 0
            at = passed.end()
        return at

    def _interval(self, node: exp.Interval, scope: Scope) -> ir.Node:
        from planner.binding.typenames import type_of

        arg = self.bind(node.this, scope)
        return self.coercions.coerce(arg, type_of(node), "e", first_position(node))

    def _extract(self, node: exp.Extract, scope: Scope) -> ir.Node:
        unit = node.this
        field = str(unit.this if isinstance(unit, exp.Literal) else unit.name).lower()
        value = self.bind(node.expression, scope)
        return self.standard("extract", [ir.Lit(UNKNOWN, field), value], start_of(node))

    def _overlay(self, node: exp.Overlay, scope: Scope) -> ir.Node:
        args = [node.this, node.expression, node.args["from_"]]
        if node.args.get("for_") is not None:
            args.append(node.args["for_"])
        return self._spelled("overlay", [self.bind(a, scope) for a in args], start_of(node))

    def _substring(self, node: exp.Substring, scope: Scope) -> ir.Node:
        start, length = node.args.get("start"), node.args.get("length")
        args = [self.bind(node.this, scope)]
        if start is not None:
            args.append(self.bind(start, scope))
        elif length is not None:
            args.append(ir.Lit(INT4, 1))
        if length is not None:
            args.append(self.bind(length, scope))
        return self._spelled("substring", args, start_of(node))

    def _trim(self, node: exp.Trim, scope: Scope) -> ir.Node:
        side = str(node.args.get("position") or "BOTH").upper()
        name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(side, "btrim")
        args = [self.bind(node.this, scope)]
        if node.expression is not None and node.args.get("expression") is not None:
            args.append(self.bind(node.expression, scope))
        return self.standard(name, args, start_of(node))

    def _spelled(self, name: str, args: list[ir.Node], position: int) -> ir.Node:
        """A call that the standard spells with words, if it is said so: commas are for any function of the name."""
        words = sql_syntax.words_in_call(self.text, position)
        return self.standard(name, args, position) if words else self.function(name, args, position)

    def _overlaps(self, node: exp.Binary, scope: Scope) -> ir.Node:
        (a, b), (c, d) = items(node.this), items(node.expression)
        args = [self.bind(x, scope) for x in (a, b, c, d)]
        return self.standard("overlaps", args, self.word_position(node, "overlaps")[0])


_HANDLERS: Final[dict[type[exp.Expression], Callable[[ExpressionBinder, Any, Scope], ir.Node]]] = {
    exp.Literal: ExpressionBinder._literal,
    exp.BitString: lambda b, n, s: ir.Lit(TypeRef(t.BIT), bits_in("b" + str(n.this)), start_of(n)),
    exp.HexString: lambda b, n, s: ir.Lit(TypeRef(t.BIT), bits_in("x" + str(n.this)), start_of(n)),
    exp.Null: lambda b, n, s: ir.Lit(UNKNOWN, None, start_of(n)),
    exp.Boolean: lambda b, n, s: ir.Lit(BOOL, bool(n.this), start_of(n)),
    exp.Parameter: ExpressionBinder._parameter,
    exp.Column: ExpressionBinder._column,
    exp.Paren: lambda b, n, s: b.bind(n.this, s),
    exp.Alias: lambda b, n, s: b.bind(n.this, s),
    exp.And: ExpressionBinder._connective,
    exp.Or: ExpressionBinder._connective,
    exp.Not: ExpressionBinder._not,
    exp.Neg: ExpressionBinder._negative,
    exp.BitwiseNot: lambda b, n, s: b.prefix("~", b.bind(n.this, s), first_position(n)),
    exp.Operator: ExpressionBinder._operator,
    exp.Like: ExpressionBinder._like,
    exp.ILike: ExpressionBinder._like,
    exp.SimilarTo: ExpressionBinder._like,
    exp.Escape: ExpressionBinder._escape,
    exp.Is: ExpressionBinder._is,
    exp.NullSafeEQ: ExpressionBinder._distinct,
    exp.NullSafeNEQ: ExpressionBinder._distinct,
    exp.Between: ExpressionBinder._between,
    exp.In: ExpressionBinder._in,
    exp.Case: ExpressionBinder._case,
    exp.Coalesce: lambda b, n, s: b._common("coalesce", [n.this, *n.expressions], s, "COALESCE"),
    exp.Greatest: lambda b, n, s: b._common("greatest", [n.this, *n.expressions], s, "GREATEST"),
    exp.Least: lambda b, n, s: b._common("least", [n.this, *n.expressions], s, "LEAST"),
    exp.Nullif: ExpressionBinder._nullif,
    exp.Cast: ExpressionBinder._cast,
    exp.Interval: ExpressionBinder._interval,
    exp.Array: ExpressionBinder._array,
    exp.Bracket: ExpressionBinder._subscript,
    exp.Tuple: lambda b, n, s: b._row(n.expressions, s),
    exp.Subquery: ExpressionBinder._scalar_subquery,
    exp.Select: ExpressionBinder._scalar_subquery,
    exp.Union: ExpressionBinder._scalar_subquery,
    exp.Values: ExpressionBinder._scalar_subquery,
    exp.Exists: ExpressionBinder._exists,
    exp.Extract: ExpressionBinder._extract,
    exp.Overlay: ExpressionBinder._overlay,
    exp.StrPosition: lambda b, n, s: b.standard(
        "position", [b.bind(n.this, s), b.bind(n.args["substr"], s)], start_of(n)
    ),
    exp.Substring: ExpressionBinder._substring,
    exp.Trim: ExpressionBinder._trim,
    exp.AtTimeZone: lambda b, n, s: b.standard(
        "timezone", [b.bind(n.args["zone"], s), b.bind(n.this, s)], b.word_position(n, "at")[0]
    ),
    exp.Collate: ExpressionBinder._collate,
    exp.Anonymous: ExpressionBinder.call,
    exp.Filter: ExpressionBinder.call,
    exp.WithinGroup: ExpressionBinder.call,
    exp.Window: ExpressionBinder.call,
    exp.IgnoreNulls: ExpressionBinder.call,
    exp.Dot: ExpressionBinder._dot,
    exp.Placeholder: lambda b, n, s: n.meta["bound"],
    exp.Overlaps: ExpressionBinder._overlaps,
    **dict.fromkeys(_INFIX, lambda b, n, s: b._infix(n, _INFIX[type(n)], s)),
    **dict.fromkeys(_CLOCKS, lambda b, n, s: b.value_function(_CLOCKS[type(n)], n, s)),
}
"""By class of node; one for all binders, of which each statement has a new one."""


__all__ = ["ExpressionBinder", "start_of"]
