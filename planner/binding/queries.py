"""SELECT, VALUES, set operations and WITH: from scopes to one DuckDB text.

A grouped query is written in two storeys, so that everything above the grouping is an ordinary query over
an ordinary relation:

    SELECT r9.k0, r9.a0 + 1                         outputs, HAVING, windows, ORDER BY
    FROM (SELECT r1."dept" AS k0, sum(r1."pay") AS a0
          FROM SLOT AS r1 WHERE ... GROUP BY r1."dept") AS r9

Expressions are bound against the FROM scope first; `Grouping.lift` then replaces what is grouped or
aggregated by columns of the lower storey and refuses any column that is neither (42803).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import (
    domains,
    folding,
    ir,
    joins,
    late_targets,
    locked_rows,
    locking,
    values_stars,
    window_order,
)
from planner.binding.clauses import refuse_into, refuse_sets
from planner.binding.coerce import read_as
from planner.binding.common_tables import CommonTableBinder
from planner.binding.comparable import refuse_unequal, refuse_unordered
from planner.binding.expressions import ExpressionBinder
from planner.binding.fragments import Item
from planner.binding.grouped_sets import below, spread
from planner.binding.grouping import Grouping
from planner.binding.keyed.selects import BoundSelect
from planner.binding.missing_names import missing_relation
from planner.binding.naming import figure_name, identifier
from planner.binding.output_keys import group_keys, order_key, unassigned
from planner.binding.parameters import Parameters
from planner.binding.records import each_field
from planner.binding.resolve import see_casts
from planner.binding.rights import barriers
from planner.binding.routines import own_casts
from planner.binding.scope import RelationColumn, Scope
from planner.binding.sources import SourceBinder
from planner.binding.state import COLUMNS_MAX, DEPTH_MAX, Below, BoundQuery, Parts, Target
from planner.binding.steadiness import refuse_unsteady_within
from planner.binding.windows import define_windows
from planner.catalog import View
from planner.errors import NotComposite
from planner.parse import parse_query
from planner.parse import position as first_position


class QueryBinder(CommonTableBinder):
    """Binds queries."""

    def __init__(self, ctx: Any, text: str, parameters: Parameters) -> None:
        super().__init__(ctx, text, parameters)
        self.expressions = ExpressionBinder(self)
        self.sources = SourceBinder(self)
        self.coercions.asked = partial(domains.of_attributes, self)
        see_casts(ctx.catalog.casts)
        self.coercions.cast_of_user = partial(own_casts.applied, self)

    def common_write(
        self, cte: exp.CTE, name: str, scope: Scope, recursive: bool, inherited: list[Item]
    ) -> None:
        from planner.binding.writes.common_writes import bind_common_write

        bind_common_write(self, cte, name, scope, recursive, inherited)

    def common_rows(
        self,
        bound: BoundQuery,
        columns: list[RelationColumn],
        name: str,
        scope: Scope,
        recursive: bool,
        inherited: list[Item],
    ) -> None:
        from planner.binding.writes.common_writes import bind_common_rows

        bind_common_rows(self, bound, columns, name, scope, recursive, inherited)

    def view_query(self, view: View) -> BoundQuery:
        """A view's query, in its own words and on its own search path."""
        if self._depth > DEPTH_MAX:
            raise PlanError("54001", "views are nested too deeply")
        if view.oid in self._opened:
            raise PlanError("42P17", f'infinite recursion detected in rules for relation "{view.name}"')
        saved = self.text, self.search_path, self.expressions.text, self.accesses.role
        self.text = self.expressions.text = view.query
        self.search_path = self.ctx.catalog.reaching_extensions(view.path or self.search_path)
        own, self.routines.own = self.routines.own, False
        kept, self.routines.kept = self.routines.kept, view.depends
        casts = see_casts(self.ctx.catalog.casts.among(view.depends))
        if (owner := self.accesses.owner_of(view)) is not None:
            self.accesses.role = owner
        self.accesses.depth += 1
        self._opened.add(view.oid)
        try:
            return self.nested(parse_query(view.query), None)
        finally:
            self._opened.discard(view.oid)
            self.accesses.depth -= 1
            self.text, self.search_path, self.expressions.text, self.accesses.role = saved
            self.routines.own, self.routines.kept = own, kept
            see_casts(casts)

    def subquery(self, node: exp.Expression, scope: Scope) -> BoundQuery:
        """A subquery in an expression. Notes which outer columns its text has."""
        return self.nested(node, scope)

    def nested(
        self,
        node: exp.Expression,
        scope: Scope | None,
        expected: Sequence[TypeRef | None] | None = None,
        *,
        top: bool = False,
    ) -> BoundQuery:
        self._depth += 1
        if self._depth > DEPTH_MAX:
            raise PlanError("54001", "stack depth limit exceeded")
        try:
            inner = self.new_scope(scope)
            select = unwrapped(node)
            if not top and isinstance(select, exp.Select) and locking.is_locking(select):
                self.passed = ()  # it locks its rows itself
                return locking.bind_part(self, select, inner, expected)
            bound = self._query(node, inner, expected, top)
            seen: dict[tuple[int, int], ir.Var] = {}
            for v in inner.outer:
                seen.setdefault((v.relation, v.column), v)
            bound.outer = tuple(seen.values())
            return bound
        finally:
            self._depth -= 1

    def _query(
        self, node: exp.Expression, scope: Scope, expected: Sequence[TypeRef | None] | None, top: bool
    ) -> BoundQuery:
        node = unwrapped(node)
        locking.refuse_compound(node)
        _lift_with(node)
        passed, self.passed = self.passed, ()
        numbering, self.numbering = self.numbering, False
        single, self.single = self.single, False
        prefix = self.with_clause(node, scope)
        if isinstance(node, exp.Select):
            self.passed = passed
            scope.single = single and not any(node.args.get(k) for k in ("distinct", "limit", "offset"))
            parts = self.select(node, scope, expected)
            parts.prefix, parts.numbered = prefix, numbering
            by_key = None if passed else self.by_key(parts, scope)
            own = folding.own_expressions(parts) if parts.source is not None else ()
            if self.parameters.literals and folding.undecided(
                own
            ):  # what a known condition leaves out is to be seen
                self.prefer_keyed, self.undecided = False, True
            if node is self.apart and (bound := late_targets.set_apart(self, parts, scope)) is not None:
                return bound
            bound = self.written(parts, scope, top)
            bound.by_key, bound.own = by_key, own
            return bound
        if isinstance(node, exp.SetOperation):
            locking.refuse_passed(passed, view=scope.parent is None)
            bound = self.set_operation(node, scope, prefix, top)
            bound.unlocked = True
            return bound
        if isinstance(node, exp.Values):
            return self.values(values_stars.spread(self, node, scope), scope, expected, prefix, top)
        if isinstance(node, exp.Subquery | exp.Paren):
            bound = self.nested(node.this, scope, expected)
            scope.outer += bound.outer
            return self.ordered(bound, node, scope, prefix, top)
        if isinstance(node, exp.Table):
            self.passed = passed
            return self._query(exp.select("*").from_(node), scope, expected, top)
        raise PlanError(
            "0A000", f"{type(node).__name__} is not supported here", position=first_position(node)
        )

    def by_key(self, parts: Parts, scope: Scope) -> BoundSelect | None:
        """The SELECT for the keyed engine; None if its FROM is not for that. Before it is written, which changes it."""
        return None if scope.relations and not scope.steps else self.kept(parts, scope.steps)

    def _condition(self, node: exp.Select, condition: exp.Expression, scope: Scope) -> ir.Node:
        """What is wrong with the targets is told before what is wrong here: PostgreSQL reads them first."""
        try:
            return self.expressions.boolean(condition, scope, "WHERE")
        except PlanError:
            scope.clause = self.ctx.clause if scope.parent is None else ""
            self.targets(node.expressions, scope, [None] * len(node.expressions))
            raise

    def select(self, node: exp.Select, scope: Scope, expected: Sequence[TypeRef | None] | None) -> Parts:
        """Binds a SELECT's clauses, grouping included, into `Parts`."""
        refuse_into(node)
        passed, self.passed = self.passed, ()
        with locked_rows.asking(self, (*locking.asked(node), *passed)):
            items = self.sources.from_items(node, scope)
        where_node = node.args.get("where")
        scope.clause = "WHERE"
        where = self._condition(node, where_node.this, scope) if where_node is not None else None
        scope.clause, scope.where = "", where
        source = joins.listed(items, where) if items else None
        barriers.let_through(self, scope.relations, where)
        define_windows(node, scope, self.text)
        scope.clause = definition = self.ctx.clause if scope.parent is None else ""
        if node.args.get("group") is not None or node.args.get("distinct") is not None:
            scope.queried = {}
        distinct = node.args.get("distinct")
        targets = self.targets(node.expressions, scope, unassigned(node, expected))
        scope.clause, scope.repeats = "", True
        for target in targets if definition else ():
            refuse_sets(target.node, definition)
            refuse_unsteady_within(target.node, definition)
        parts = Parts(source, where, targets)
        group = node.args.get("group")
        having = node.args.get("having")
        if having is not None:
            scope.clause = "HAVING"
            parts.having = self.expressions.boolean(having.this, scope, "HAVING")
            scope.clause = ""
        order = node.args.get("order")  # before GROUP BY, as PostgreSQL reads them
        if order is not None:
            for o in order.expressions:
                key = order_key(self, o, targets, scope, "ORDER BY")
                assert key is not None
                refuse_unordered(key.expr.type, first_position(o))
                parts.order.append(key)
        sets = group_keys(self, group, scope, targets, parts.order) if group is not None else None
        if distinct is not None:
            on = distinct.args.get("on")
            if on is not None:
                items = on.expressions if isinstance(on, exp.Tuple) else [on]
                parts.distinct_on = []
                for i in items:
                    key = order_key(self, i, targets, scope, "DISTINCT ON")
                    assert key is not None
                    refuse_unequal(key.expr.type, first_position(i))
                    parts.distinct_on.append(key.expr)
                self._check_distinct_on(parts, items)
                if self._depth <= 1 and not parts.order:
                    # PostgreSQL finds the firsts by sorting, and programs have come to count on the order.
                    parts.order = [ir.SortKey(key) for key in parts.distinct_on]
                    parts.sorted_itself = True
            else:
                parts.distinct = True
                written = node.expressions if len(node.expressions) == len(targets) else ()
                for n, x in enumerate(targets):
                    position = first_position(written[n]) if written else getattr(x.node, "position", 0)
                    refuse_unequal(x.node.type, position)
        self.limits(node, parts, scope)
        self._group(parts, scope, sets)
        below(self, parts, scope)
        if self._depth <= 1 or parts.limit is not None:
            parts.order = window_order.keys(parts) or parts.order
        if passed:
            locking.hand_on(self, node, parts, scope, passed)
        return parts

    def _check_distinct_on(self, parts: Parts, items: Sequence[exp.Expression]) -> None:
        """Raises 42P10 at the first that ORDER BY passes over."""
        assert parts.distinct_on is not None
        heads = [k.expr for k in parts.order[: len(parts.distinct_on)]]
        if any(h not in parts.distinct_on for h in heads):
            passed = [i for i, n in zip(items, parts.distinct_on, strict=True) if n not in heads]
            raise PlanError(
                "42P10",
                "SELECT DISTINCT ON expressions must match initial ORDER BY expressions",
                position=first_position(passed[0] if passed else items[0]),
            )

    def targets(
        self, items: Sequence[exp.Expression], scope: Scope, expected: Sequence[TypeRef | None] | None = None
    ) -> list[Target]:
        """A target list: `*` expanded, names figured out, unknown literals decided."""
        out: list[Target] = []
        for item in items:
            if isinstance(item, exp.Star):
                if not scope.relations:
                    raise PlanError(
                        "42601",
                        "SELECT * with no tables specified is not valid",
                        position=first_position(item),
                    )
                for c in scope.columns:
                    for n in ir.walk(c.node):
                        if isinstance(n, ir.Var):
                            self.use(n)
                    at = first_position(item)
                    out.append(Target(c.name, c.node, None, c.column.table_oid, c.column.attnum, at))
                continue
            relation = _star_of(item)
            if relation is None and isinstance(item, exp.Dot) and isinstance(item.expression, exp.Star):
                inner = item.this
                while isinstance(inner, exp.Paren):
                    inner = inner.this
                out += self._fields_star(self.expressions.bind(inner, scope), item)
                continue
            if relation is not None:
                out += self._relation_star(relation, item, scope)
                continue
            syntax = item.this if isinstance(item, exp.Alias) else item
            node = self.expressions.bind(syntax, scope)
            name = identifier(item.args["alias"]) if isinstance(item, exp.Alias) else figure_name(item)
            if node.type.oid == t.UNKNOWN:
                if expected is None:
                    node = self.coercions.settled(node)
                else:
                    wanted = expected[len(out)] if len(out) < len(expected) else None
                    if wanted is not None:
                        node = self.coercions.coerce(node, read_as(wanted), "a", first_position(syntax))
            table_oid, attnum = (
                (0, 0) if isinstance(syntax.unnest(), exp.Collate) else self._origin(node, scope)
            )
            out.append(Target(name, node, syntax, table_oid, attnum))
        if len(out) > COLUMNS_MAX:
            raise PlanError("54011", f"target lists can have at most {COLUMNS_MAX} entries")
        return out

    def _origin(self, node: ir.Node, scope: Scope) -> tuple[int, int]:
        """The relation's column that a target is, however many subqueries hand it up; zeros for what is computed."""
        at: Scope | None = scope if isinstance(node, ir.Var | ir.Collated) else None
        while at is not None:
            found = self.origin(node, at.relations)
            if found != (0, 0):
                return found
            at = at.parent
        return 0, 0

    def _relation_star(self, name: str, item: exp.Expression, scope: Scope) -> list[Target]:
        at: Scope | None = scope
        while at is not None:
            found = at.find_relation(name)
            if found is not None:
                out = []
                for i, c in enumerate(found.columns):
                    if not c.hidden:
                        value = self.expressions.reach(found.value(i), scope, at)
                        position = first_position(item)
                        out.append(Target(c.name, value, None, c.table_oid, c.attnum, position))
                return out
            at = at.parent
        if isinstance(item, exp.Dot) and isinstance(item.this, exp.Paren):
            return self._fields_star(self.expressions.bind(item.this.this, scope), item)
        variable = self.variables
        if variable is not None and self.routines.own:
            record = variable.node(self.parameters, (name,), first_position(item), False)
            if record is not None:
                return self._fields_star(record, item)
        argument = self.expressions.argument_named((name,))
        if argument is not None:
            return self._fields_star(argument, item)
        raise missing_relation(scope, name, first_position(item))

    def _fields_star(self, record: ir.Node, item: exp.Expression) -> list[Target]:
        """`(expression).*`: a target for each field. Raises 42809."""
        fields = each_field(record, first_position(item))
        if not fields:
            shown = t.type_in_words(record.type.oid)
            raise NotComposite("42809", f"type {shown} is not composite")  # PostgreSQL does not say where
        return [Target(name, node, None) for name, node in fields]

    def limits(self, node: exp.Expression, parts: Parts, scope: Scope) -> None:
        inner = Scope(
            scope.parent, scope.number, relations=scope.relations, columns=scope.columns, ctes=scope.ctes
        )
        inner.standing = scope.standing
        own = {r.number for r in scope.relations}
        for key, what in (("limit", "LIMIT"), ("offset", "OFFSET")):
            clause = node.args.get(key)
            if clause is None:
                continue
            if isinstance(clause, exp.Fetch):
                options = clause.args.get("limit_options")
                parts.ties = bool(options is not None and options.args.get("with_ties"))
                if options is not None and options.args.get("percent"):
                    raise PlanError("42601", "FETCH ... PERCENT is not supported")
                value = clause.args.get("count")
                if value is None:
                    parts.limit = ir.Lit(TypeRef(t.INT8), 1)
                    continue
            else:
                value = clause.expression
            if (
                value is None
                or (isinstance(value, exp.Column) and identifier(value.this) == "all")
                or (isinstance(value, exp.Var) and value.name.lower() == "all")
                or isinstance(value, exp.Null)
            ):
                if parts.ties and key == "limit" and isinstance(value, exp.Null):
                    raise PlanError("2201W", "row count cannot be null in FETCH FIRST ... WITH TIES clause")
                continue
            inner.clause = what
            if isinstance(value, exp.Identifier):  # FETCH FIRST n ROWS
                value = exp.Column(this=value)
            bound = self.expressions.bind(value, inner)
            refuse_sets(bound, what)
            made = self.coercions.count(bound, what, first_position(value))
            for n in ir.walk(bound):
                if isinstance(n, ir.Var) and n.relation in own:
                    raise PlanError(
                        "42P10", f"argument of {what} must not contain variables", position=n.position
                    )
            if isinstance(made, ir.Lit) and isinstance(made.value, int) and made.value < 0:
                code = "2201W" if key == "limit" else "2201X"
                raise PlanError(code, f"{what} must not be negative")
            if key == "limit":
                parts.limit = made
            else:
                parts.offset = made
        scope.outer += inner.outer

    def windowed(self, made: ir.Window, over: exp.Window, scope: Scope) -> None:
        """What a window was made of; who writes queries out again remembers it."""

    def _group(self, parts: Parts, scope: Scope, sets: list[tuple[ir.Node, ...]] | None) -> None:
        above = (
            [x.node for x in parts.targets] + [k.expr for k in parts.order] + list(parts.distinct_on or ())
        )
        if parts.having is not None:
            above.append(parts.having)
        found = any(
            isinstance(n, ir.Aggregate) and n.scope == scope.number for a in above for n in ir.walk(a)
        )
        if sets is None and not found and parts.having is None:
            return
        parts.grouped = True
        sets = spread(self, parts, scope, sets)
        self.note_ranges(parts, scope)
        self.note_asked(parts, scope)
        grouping = Grouping(self, scope, sets)
        for x in parts.targets:
            try:
                x.node = grouping.lift(x.node)
            except PlanError as e:
                e.position = e.position or x.position
                raise
        parts.order = [ir.SortKey(grouping.lift(k.expr), k.descending, k.nulls_first) for k in parts.order]
        if parts.distinct_on is not None:
            parts.distinct_on = [grouping.lift(n) for n in parts.distinct_on]
        having = grouping.lift(parts.having) if parts.having is not None else None
        parts.grouping = grouping.number
        places = {key: i for i, key in enumerate(grouping.keys)}
        in_sets = ((),) if sets is None else tuple(tuple(places[n] for n in s) for s in sets)
        parts.below = Below(parts.where, tuple(grouping.of), len(grouping.keys), in_sets)
        parts.source = grouping.written(parts.source, parts.where)
        parts.where, parts.having = having, None


def unwrapped(node: exp.Expression) -> exp.Expression:
    """A query without the parentheses around it."""
    while isinstance(node, exp.Subquery | exp.Paren) and not any(
        node.args.get(k) for k in ("order", "limit", "offset", "with_")
    ):
        node = node.this
    return node


def _lift_with(node: exp.Expression) -> None:
    """`(WITH w ... SELECT ...) LIMIT n`: what comes after the parentheses sees the WITH queries, as in PostgreSQL."""
    if not isinstance(node, exp.Subquery | exp.Paren) or node.args.get("with_") is not None:
        return
    inner = node.this
    while isinstance(inner, exp.Subquery | exp.Paren) and not inner.args.get("with_"):
        inner = inner.this
    clause = inner.args.get("with_")
    if clause is not None:
        inner.set("with_", None)
        node.set("with_", clause)


def _star_of(item: exp.Expression) -> str | None:
    """`t` of `t.*`."""
    if isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
        table = item.args.get("table")
        return identifier(table) if table is not None else None
    if isinstance(item, exp.Dot) and isinstance(item.expression, exp.Star):
        inner = item.this
        while isinstance(inner, exp.Paren):
            inner = inner.this
        if isinstance(inner, exp.Column) and inner.args.get("table") is None:
            return identifier(inner.this)
        if isinstance(inner, exp.Column) and isinstance(inner.this, exp.Star):  # (t.*).*
            return _star_of(inner)
    return None
