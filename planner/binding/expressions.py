"""Expressions: every name resolved, every operator and function chosen, every type known.

`ExpressionBinder.bind(node, scope)` is one dispatch by node class; each branch makes a typed node of
`ir`. Subqueries go back to the query binder. Errors carry the position of what they complain of.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import geometry_subscripts, hstore_subscripts, ir, jsonb_subscripts, system_columns
from planner.binding.collating import collated, named
from planner.binding.collations_met import look_at
from planner.binding.dimensions import VECTORS, array_over
from planner.binding.domains import checked
from planner.binding.facts import type_name
from planner.binding.missing_names import hint_for_column, missing_relation
from planner.binding.naming import identifier
from planner.binding.records import field_names, field_of, row_of
from planner.binding.resolve import common_type
from planner.binding.row_comparisons import items
from planner.binding.scope import Relation, Scope, find_column, no_column, similar_column
from planner.binding.xml_forms import SERIALIZED
from planner.catalog import domains
from planner.catalog.row_types import row_type
from planner.catalog.user_types import meet_rows
from planner.parse import position as first_position
from planner.types.array_values import DIMENSIONS_MAX, too_many_dimensions
from planner.types.bits import bits_in
from planner.types.geometry import INSIDE
from planner.types.orders import UNORDERED

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder
    from planner.binding.variables import Variables

from planner.binding.predicates import PredicateBinder

BOOL, INT4, TEXT, UNKNOWN = TypeRef(t.BOOL), TypeRef(t.INT4), TypeRef(t.TEXT), TypeRef(t.UNKNOWN)
_INFIX: dict[type[exp.Expression], str] = {
    exp.Add: "+", exp.Sub: "-", exp.Mul: "*", exp.Div: "/", exp.Mod: "%", exp.Pow: "^", exp.EQ: "=", exp.NEQ: "<>",
    exp.LT: "<", exp.LTE: "<=", exp.GT: ">", exp.GTE: ">=", exp.DPipe: "||", exp.BitwiseAnd: "&", exp.BitwiseOr: "|",
}  # fmt: skip
_NEGATIONS = {"=": "<>", "<>": "=", "<": ">=", "<=": ">", ">": "<=", ">=": "<"}
_INT4_MAX, _INT8_MAX = (1 << 31) - 1, (1 << 63) - 1

_CLOCKS = {
    exp.CurrentDate: "current_date", exp.CurrentTimestamp: "current_timestamp", exp.CurrentTime: "current_time",
    exp.Localtime: "localtime", exp.Localtimestamp: "localtimestamp", exp.CurrentUser: "current_user",
    exp.SessionUser: "session_user", exp.CurrentSchema: "current_schema", exp.CurrentCatalog: "current_catalog",
    exp.CurrentRole: "current_role",
}  # fmt: skip


def start_of(node: exp.Expression) -> int:
    meta = node.meta if node._meta is not None else None
    start = meta.get("start") if meta else None
    return 0 if start is None else start + 1


def _unless_missing(relation: Relation, row: ir.Logic) -> ir.Node:
    """The whole row of a relation for which an outer join may have found nothing: it is NULL then.

    That shows in a column that cannot be NULL in a row; where there is none, in all of them.
    """
    columns = relation.table.columns if relation.table is not None else ()
    sure = [item for item, column in zip(row.args, columns, strict=False) if column.not_null]
    tests = tuple(ir.Logic(BOOL, "is not null", (item,)) for item in sure[:1] or row.args)
    if not tests:
        return row
    present = tests[0] if len(tests) == 1 else ir.Logic(BOOL, "or", tests)
    return ir.Logic(row.type, "case", (present, row, ir.Lit(row.type, None)))


class ExpressionBinder(PredicateBinder):
    def __init__(self, queries: QueryBinder) -> None:
        super().__init__(queries)
        self._handlers: dict[type[exp.Expression], Callable[[Any, Scope], ir.Node]] = {
            exp.Literal: self._literal,
            exp.BitString: lambda n, s: ir.Lit(TypeRef(t.BIT), bits_in("b" + str(n.this)), start_of(n)),
            exp.HexString: lambda n, s: ir.Lit(TypeRef(t.BIT), bits_in("x" + str(n.this)), start_of(n)),
            exp.Null: lambda n, s: ir.Lit(UNKNOWN, None, start_of(n)),
            exp.Boolean: lambda n, s: ir.Lit(BOOL, bool(n.this), start_of(n)),
            exp.Parameter: self._parameter,
            exp.Column: self._column,
            exp.Paren: lambda n, s: self.bind(n.this, s),
            exp.Alias: lambda n, s: self.bind(n.this, s),
            exp.And: self._connective,
            exp.Or: self._connective,
            exp.Not: self._not,
            exp.Neg: self._negative,
            exp.BitwiseNot: lambda n, s: self.prefix("~", self.bind(n.this, s), first_position(n)),
            exp.Operator: self._operator,
            exp.Like: self._like,
            exp.ILike: self._like,
            exp.SimilarTo: self._like,
            exp.Escape: self._escape,
            exp.Is: self._is,
            exp.NullSafeEQ: self._distinct,
            exp.NullSafeNEQ: self._distinct,
            exp.Between: self._between,
            exp.In: self._in,
            exp.Case: self._case,
            exp.Coalesce: lambda n, s: self._common("coalesce", [n.this, *n.expressions], s, "COALESCE"),
            exp.Greatest: lambda n, s: self._common("greatest", [n.this, *n.expressions], s, "GREATEST"),
            exp.Least: lambda n, s: self._common("least", [n.this, *n.expressions], s, "LEAST"),
            exp.Nullif: self._nullif,
            exp.Cast: self._cast,
            exp.Interval: self._interval,
            exp.Array: self._array,
            exp.Bracket: self._subscript,
            exp.Tuple: lambda n, s: self._row(n.expressions, s),
            exp.Subquery: self._scalar_subquery,
            exp.Select: self._scalar_subquery,
            exp.Union: self._scalar_subquery,
            exp.Values: self._scalar_subquery,
            exp.Exists: self._exists,
            exp.Extract: self._extract,
            exp.Overlay: self._overlay,
            exp.StrPosition: lambda n, s: self.function(
                "position", [self.bind(n.this, s), self.bind(n.args["substr"], s)], first_position(n)
            ),
            exp.Substring: self._substring,
            exp.Trim: self._trim,
            exp.AtTimeZone: lambda n, s: self.function(
                "timezone", [self.bind(n.args["zone"], s), self.bind(n.this, s)], first_position(n)
            ),
            exp.Collate: self._collate,
            exp.Anonymous: self.call,
            exp.Filter: self.call,
            exp.WithinGroup: self.call,
            exp.Window: self.call,
            exp.IgnoreNulls: self.call,
            exp.Dot: self._dot,
            exp.Overlaps: self._overlaps,
        }
        for kind, op in _INFIX.items():
            self._handlers[kind] = partial(self._infix_of, op)
        for kind, name in _CLOCKS.items():
            self._handlers[kind] = partial(self.value_function, name)

    def _collate(self, node: exp.Collate, scope: Scope) -> ir.Node:
        position = self.operator_position(node, "collate")
        name = named(node, position, self.queries)
        value = self.coercions.settled(self.bind(node.this, scope))
        return collated(value, name, position, kept=self.queries.only_written)

    def _infix_of(self, op: str, node: exp.Binary, scope: Scope) -> ir.Node:
        return self._infix(node, op, scope)

    def bind(self, node: exp.Expression, scope: Scope) -> ir.Node:
        handler = self._handlers.get(type(node))
        if handler is None:
            raise PlanError(
                "0A000", f"{type(node).__name__} expressions are not supported", position=first_position(node)
            )
        made = handler(node, scope)
        if self.queries.tells_collations:
            look_at(made)
        return made

    def _literal(self, node: exp.Literal, _scope: Scope) -> ir.Node:
        position = start_of(node)
        text = str(node.this)
        if node.is_string:
            return ir.Lit(UNKNOWN, text, position)
        if text.isdigit():
            value = int(text)
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
        return ir.Parm(self.parameters.use(number, position), number, position)

    @property
    def _variables(self) -> Variables | None:
        """Those that the text at hand may name: not a view's text, nor a function's."""
        return self.queries.variables if self.queries.routines.own else None

    def _variable(self, words: Sequence[str], position: int, found: bool = False) -> ir.Node | None:
        variables = self._variables
        return None if variables is None else variables.node(self.parameters, words, position, found)

    def _column(self, node: exp.Column, scope: Scope) -> ir.Node:
        name = identifier(node.this)
        relation = node.args.get("table")
        if relation is None:
            position = start_of(node.this)
            found, at = find_column(scope, name, position)
            if found is None or at is None:
                whole = self._whole_row(name, scope)
                if self._variables is not None:
                    whole = self._variable((name,), position, whole is not None) or whole
                if whole is not None:
                    return whole
                raise no_column(f'"{name}"', position, hint_for_column(scope, name))
            node_found = found.node
            if self._variables is not None:
                variable = self._variable((name,), position, True)
                if variable is not None:
                    return variable
            if isinstance(node_found, ir.Var | ir.Collated):
                node_found = replace(node_found, position=position)
            return self.reach(node_found, scope, at)
        schema = node.args.get("db")
        if isinstance(node.this, exp.Star):
            whole = self._whole_row(identifier(relation), scope)
            if whole is None:
                raise missing_relation(scope, identifier(relation), start_of(relation))
            return whole
        position = start_of(relation if schema is None else schema)
        called = identifier(schema) if schema is not None else ""
        if self._variables is not None:
            words = (*((called,) if called else ()), identifier(relation), name)
            try:
                column = self.qualified(identifier(relation), name, scope, position, called)
            except PlanError as e:
                if e.sqlstate not in ("42P01", "42703"):
                    raise
                variable = self._variable(words, position)
                if variable is None:
                    raise
                return variable
            return self._variable(words, position, True) or column
        return self.qualified(identifier(relation), name, scope, position, called)

    def qualified(self, relation: str, name: str, scope: Scope, position: int, schema: str = "") -> ir.Node:
        """`relation.name`. Raises 42P01 for the relation, 42703 for the column."""
        at: Scope | None = scope
        while at is not None:
            found = at.find_relation(relation, schema) or self._unaliased(relation, schema, at)
            if found is not None:
                matches = [i for i, c in enumerate(found.columns) if c.name == name]
                if not matches:
                    hint = similar_column(scope, name, relation)
                    raise no_column(f"{relation}.{name}", position, hint)
                if len(matches) > 1:
                    raise PlanError("42702", f'column reference "{name}" is ambiguous', position=position)
                if found.values:
                    return self.reach(found.values[matches[0]], scope, at)
                column = found.columns[matches[0]]
                i = system_columns.place(found, matches[0])
                return self.reach(column.value(found.number, i, position), scope, at)
            at = at.parent
        field = self._parameter_field((*((schema,) if schema else ()), relation, name), position)
        if field is not None:
            return field
        raise missing_relation(scope, relation, position)

    def _parameter_field(self, words: Sequence[str], position: int) -> ir.Node | None:
        """In a function's body, where no relation is called so: `parameter.field`, also behind the function's name."""
        if not self.queries.routines.frames:
            return None
        frame = self.queries.routines.frames[-1]
        if len(words) == 3:
            if words[0] != frame.function.name:
                return None
            words = words[1:]
        called, name = words
        for p, argument in zip(frame.function.inputs, frame.arguments, strict=False):
            if p.name == called and name in field_names(argument.type):
                return field_of(argument, name, position)
        return None

    def _unaliased(self, name: str, schema: str, at: Scope) -> Relation | None:
        """The table `schema.name` that the statement calls by its name alone: as a target, or found on the path."""
        home = self.queries.ctx.catalog.find_schema(schema) if schema else None
        if home is None:
            return None
        for r in at.relations:
            if (
                r.visible
                and r.table is not None
                and r.name == r.table.name == name
                and r.table.schema_oid == home.oid
            ):
                return r
        return None

    def reach(self, node: ir.Node, scope: Scope, at: Scope) -> ir.Node:
        """Notes the columns used, and in each scope on the way that they are outer ones."""
        for n in ir.walk(node):
            if isinstance(n, ir.Var):
                self.queries.use(n)
                inner: Scope | None = scope
                while inner is not None and inner is not at:
                    inner.outer.append(n)
                    inner = inner.parent
        return node

    def _whole_row(self, name: str, scope: Scope) -> ir.Node | None:
        at: Scope | None = scope
        while at is not None:
            found = at.find_relation(name)
            if found is not None:
                columns = [
                    self.reach(found.value(i), scope, at) for i, c in enumerate(found.columns) if not c.hidden
                ]
                if found.scalar and len(columns) == 1:
                    return columns[0]
                names = found.own_names or tuple(c.name for c in found.columns if not c.hidden)
                rows = 0
                if found.table is not None and found.table.materialized is None and not found.values:
                    made = row_type(found.table)
                    if [x.type for x in columns] == [c.type for c in made.columns]:
                        meet_rows(made)
                        rows = made.oid
                row = row_of(tuple(columns), names, rows)
                return row if not found.nullable else _unless_missing(found, row)
            at = at.parent
        return None

    def _dot(self, node: exp.Dot, scope: Scope) -> ir.Node:
        if isinstance(node.expression, exp.Anonymous):
            return self.call(node, scope)
        if (
            isinstance(node.this, exp.Paren)
            and isinstance(node.this.this, exp.Column)
            and node.this.this.args.get("table") is None
        ):
            name = identifier(node.this.this.this)
            if scope.find_relation(name) is not None and isinstance(node.expression, exp.Identifier):
                return self.qualified(name, identifier(node.expression), scope, first_position(node))
        if (
            isinstance(node.this, exp.Paren)
            and isinstance(node.this.this, exp.Column)
            and isinstance(node.this.this.this, exp.Star)
            and isinstance(node.expression, exp.Identifier)
        ):  # (t.*).a
            name = identifier(node.this.this.args["table"])
            return self.qualified(name, identifier(node.expression), scope, first_position(node))
        inner = exp.Paren | exp.Dot | exp.Parameter | exp.Bracket
        if isinstance(node.this, inner) and isinstance(node.expression, exp.Identifier):
            whole = node.this.this if isinstance(node.this, exp.Paren) else node.this
            made = field_of(self.bind(whole, scope), identifier(node.expression), first_position(whole))
            if made is not None:
                return made
        raise self._no_composite(node, scope)

    def _no_composite(self, node: exp.Dot, scope: Scope) -> PlanError:
        position = first_position(node)
        if not isinstance(node.expression, exp.Identifier):
            return PlanError("0A000", "composite field selection is not supported", position=position)
        kind = self.bind(node.this, scope).type
        return PlanError(
            "42809",
            f"column notation .{identifier(node.expression)} applied to type {t.type_in_words(kind.oid)}, "
            "which is not a composite type",
            position=position,
        )

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
        place = first_position(node)  # of what is behind the sign, whose own place the tree has not kept
        sign = self.text.rfind("-", 0, max(place - 1, 0))
        if sign >= 0 and not self.text[sign + 1 : place - 1].strip(" \t\r\n("):
            place = sign + 1
        return self.prefix("-", self.bind(node.this, scope), place)

    def to_common(
        self, nodes: Sequence[ir.Node], what: str, positions: Sequence[int]
    ) -> tuple[list[ir.Node], TypeRef]:
        """All of one type, by section 10.5. Raises 42804."""
        names = [type_name(n.type.oid) for n in nodes]
        common = common_type(names)
        if common is None:
            first = next(n for n in nodes if n.type.oid != t.UNKNOWN)
            for n, p in zip(nodes, positions, strict=True):
                if (
                    n.type.oid != t.UNKNOWN
                    and common_type([type_name(first.type.oid), type_name(n.type.oid)]) is None
                ):
                    a, b = (t.type_in_words(x.type.oid) for x in (first, n))
                    raise PlanError("42804", f"{what} types {a} and {b} cannot be matched", position=p)
            raise PlanError("42804", f"{what} types cannot be matched")
        from planner.binding.facts import type_oid

        oid = type_oid(common)
        mods = {n.type.typmod for n in nodes if n.type.oid == oid}
        if oid in (t.RECORD, t.RECORD_ARRAY) and len(mods) > 1:
            raise PlanError("0A000", f"{what} of records with different columns is not supported")
        alike = (
            (oid, t.UNKNOWN) if oid in (t.RECORD, t.RECORD_ARRAY) else (oid,)
        )  # a NULL has no fields to differ
        ref = TypeRef(oid, mods.pop() if len(mods) == 1 and all(n.type.oid in alike for n in nodes) else -1)
        made = [
            self.coercions.coerce(n, ref if n.type.oid == oid else TypeRef(oid), "i", p)
            for n, p in zip(nodes, positions, strict=True)
        ]
        return made, ref

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
            a = equal.args[0]  # as the comparison has it: nullif(1, 2.0) is a numeric
        nothing = ir.Lit(a.type, None)
        return ir.Logic(a.type, "case", (equal, nothing, a))

    def _case(self, node: exp.Case, scope: Scope) -> ir.Node:
        subject = self.bind(node.this, scope) if node.this is not None else None
        conditions: list[ir.Node] = []
        values: list[ir.Node] = []
        positions: list[int] = []
        for branch in node.args["ifs"]:
            if subject is None:
                conditions.append(self.boolean(branch.this, scope, "CASE/WHEN"))
            else:
                when = self.bind(branch.this, scope)
                conditions.append(self.infix("=", subject, when, first_position(branch.this)))
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

    def _cast(self, node: exp.Cast, scope: Scope) -> ir.Node:
        declared = self.queries.type_of(node.args["to"])
        target, use = domains.underneath(self.queries.ctx.catalog, declared)
        if use is not None:
            return checked(self.queries, self._cast_to(node, target, scope), use)
        return self._cast_to(node, target, scope)

    def _cast_to(self, node: exp.Cast, target: TypeRef, scope: Scope) -> ir.Node:
        inner = node.this
        while isinstance(inner, exp.Paren):
            inner = inner.this
        if isinstance(inner, exp.Array) and t.element_of(target.oid):
            return self._array(inner, scope, target)
        if isinstance(inner, exp.Array) and target.oid in VECTORS:  # of no other array is one made
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
            made = self.coercions.coerce(arg, TypeRef(target.oid), "e", position)
            return self.coercions.coerce(made, target, "e", position)
        return self.coercions.coerce(arg, target, "e", position)

    def _cast_position(self, node: exp.Cast) -> int:
        """Where `::` is, if that is how the cast is said."""
        at = self.operator_position(node, "::")
        if self.text[at - 1 : at + 1] != "::":
            return first_position(node)
        ends = [
            n.meta["end"] for n in node.this.walk() if n._meta is not None and n.meta.get("end") is not None
        ]
        between = self.text[max(ends, default=at) + 1 : at - 1]
        return at if not between.strip(" \t\r\n)") else first_position(node)

    def _interval(self, node: exp.Interval, scope: Scope) -> ir.Node:
        from planner.binding.typenames import type_of

        arg = self.bind(node.this, scope)
        if isinstance(arg, ir.Parm):
            return self.coercions.coerce(arg, TypeRef(t.INTERVAL), "e", first_position(node))
        return self.coercions.coerce(arg, type_of(node), "e", first_position(node))

    def _array(self, node: exp.Array, scope: Scope, target: TypeRef | None = None) -> ir.Node:
        items = node.expressions
        if len(items) == 1 and isinstance(items[0], exp.Select | exp.Union):
            return self.array_query(items[0], scope)
        if target is not None:
            element = TypeRef(t.element_of(target.oid), target.typmod)
            bound = [None if isinstance(i, exp.Array) else self.bind(i, scope) for i in items]
            # Beside an array what is in quotes is one as well: `ARRAY['{NULL}', ARRAY[1]]::int[]`.
            beside = any(v is None or t.element_of(v.type.oid) for v in bound)
            made = []
            for item, value in zip(items, bound, strict=True):
                if value is None:  # one dimension further in
                    assert isinstance(item, exp.Array)
                    made.append(self._array(item, scope, target))
                    continue
                nested = t.element_of(value.type.oid) or (beside and value.type.oid == t.UNKNOWN)
                made.append(
                    self.coercions.coerce(value, target if nested else element, "e", first_position(item))
                )
            return ir.Logic(target, "array", tuple(made))
        if not items:
            raise PlanError(
                "42P18",
                "cannot determine type of empty array",
                hint="Explicitly cast to the desired type, for example ARRAY[]::integer[].",
                position=first_position(node),
            )
        nodes = [self.bind(i, scope) for i in items]
        made, ref = self.to_common(nodes, "ARRAY", [first_position(i) for i in items])
        return ir.Logic(array_over(ref), "array", tuple(made))

    def _subscript(self, node: exp.Bracket, scope: Scope) -> ir.Node:
        position = first_position(node)
        inner: exp.Expression = node
        subscripts: list[exp.Expression] = []
        while isinstance(inner, exp.Bracket):
            subscripts = list(inner.expressions) + subscripts
            inner = inner.this
        base = self.bind(inner, scope)
        if t.element_of(base.type.oid) and len(subscripts) > 1:
            return self._subscripts(base, subscripts, scope, position)
        if base.type.oid == t.JSONB:
            return jsonb_subscripts.element(self, base, subscripts, scope)
        if base.type.oid == t.HSTORE:
            return hstore_subscripts.element(self, base, subscripts, scope)
        if base.type.oid in INSIDE:
            return geometry_subscripts.element(self, base, subscripts, scope)
        if inner is not node.this:
            base = self.bind(node.this, scope)
        vector = {t.INT2VECTOR: t.INT2, t.OIDVECTOR: t.OID, t.NAME: t.CHAR}.get(base.type.oid, 0)
        element = vector or t.element_of(base.type.oid)
        if not element:
            kind = t.type_in_words(base.type.oid)
            raise PlanError(
                "42804",
                f"cannot subscript type {kind} because it does not support subscripting",
                position=position,
            )
        if len(node.expressions) != 1:
            raise PlanError("0A000", "multidimensional subscripts are not supported", position=position)
        index = node.expressions[0]
        if isinstance(index, exp.Slice):
            if vector:
                raise PlanError("0A000", "slices of catalog vectors are not supported", position=position)
            low, high = (
                self.coercions.coerce(self.bind(x, scope), INT4, "a", position)
                if x is not None
                else ir.Lit(UNKNOWN, None)
                for x in (index.this, index.expression)
            )
            return ir.Call(base.type, "array slice", (base, low, high))
        at = self.coercions.coerce(self.bind(index, scope), INT4, "a", position)
        if vector:
            return ir.Call(TypeRef(vector), "vector subscript", (base, at))
        return ir.Call(TypeRef(element, base.type.typmod), "array subscript", (base, at))

    def _subscripts(
        self, base: ir.Node, subscripts: list[exp.Expression], scope: Scope, position: int
    ) -> ir.Node:
        """`a[i][j]`, or with any slice among them a part of the array: `a[1:2][2:3]`, where `[n]` means `[1:n]`."""
        element = TypeRef(t.element_of(base.type.oid), base.type.typmod)
        if len(subscripts) > DIMENSIONS_MAX:
            raise too_many_dimensions(len(subscripts))

        def number(x: exp.Expression | None) -> ir.Node:
            if x is None:
                return ir.Lit(UNKNOWN, None)  # not NULL, but not given
            return self.coercions.coerce(self.bind(x, scope), INT4, "a", position)

        if not any(isinstance(x, exp.Slice) for x in subscripts):
            places = tuple(number(x) for x in subscripts)
            return ir.Call(element, "array subscript", (base, *places))
        bounds: list[ir.Node] = []
        for x in subscripts:
            if isinstance(x, exp.Slice):
                bounds += [number(x.this), number(x.expression)]
            else:
                bounds += [ir.Lit(INT4, 1), number(x)]
        return ir.Call(base.type, "array slice", (base, *bounds))

    def _extract(self, node: exp.Extract, scope: Scope) -> ir.Node:
        unit = node.this
        field = str(unit.this if isinstance(unit, exp.Literal) else unit.name).lower()
        value = self.bind(node.expression, scope)
        return self.function("extract", [ir.Lit(UNKNOWN, field), value], first_position(node))

    def _overlay(self, node: exp.Overlay, scope: Scope) -> ir.Node:
        args = [node.this, node.expression, node.args["from_"]]
        if node.args.get("for_") is not None:
            args.append(node.args["for_"])
        return self.function("overlay", [self.bind(a, scope) for a in args], first_position(node))

    def _substring(self, node: exp.Substring, scope: Scope) -> ir.Node:
        start, length = node.args.get("start"), node.args.get("length")
        args = [self.bind(node.this, scope)]
        if start is not None:
            args.append(self.bind(start, scope))
        elif length is not None:
            args.append(ir.Lit(INT4, 1))
        if length is not None:
            args.append(self.bind(length, scope))
        return self.function("substring", args, first_position(node))

    def _trim(self, node: exp.Trim, scope: Scope) -> ir.Node:
        side = str(node.args.get("position") or "BOTH").upper()
        name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(side, "btrim")
        args = [self.bind(node.this, scope)]
        if node.expression is not None and node.args.get("expression") is not None:
            args.append(self.bind(node.expression, scope))
        return self.function(name, args, first_position(node))

    def _overlaps(self, node: exp.Binary, scope: Scope) -> ir.Node:
        (a, b), (c, d) = items(node.this), items(node.expression)
        args = [self.bind(x, scope) for x in (a, b, c, d)]
        return self.function("overlaps", args, first_position(node))


__all__ = ["ExpressionBinder", "start_of"]
