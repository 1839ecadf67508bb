"""The clauses of a statement that writes: SET, ON CONFLICT, RETURNING. The rows themselves are in `written_rows`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from sqlglot import exp

from planner import types as t
from planner.abc import (
    Constraint,
    Expr,
    OnConflict,
    PlanError,
    Query,
    ResultColumn,
    Slot,
    Table,
    TypeRef,
)
from planner.binding import ir, told_rows
from planner.binding.clauses import refuse_sets
from planner.binding.collating import carried
from planner.binding.emit import EmittedColumn
from planner.binding.facts import procs
from planner.binding.fragments import Item, join, sql
from planner.binding.keyed import expressions as keyed
from planner.binding.naming import identifier
from planner.binding.numeric_forms import column_form
from planner.binding.outer_aggregates import standing
from planner.binding.records import told
from planner.binding.scope import (
    FromStep,
    Relation,
    RelationColumn,
    Scope,
    no_column,
    similar_column,
)
from planner.binding.state import Parts, Target
from planner.binding.writes import updatable_views
from planner.binding.writes.arbiter_predicates import ClausePredicate
from planner.binding.writes.arbiters import inferred, refuse_deferrable
from planner.binding.writes.assignments import PartBinder, assigned_twice, is_default, target_of, targets_in
from planner.binding.writes.written_rows import JoinedColumns, WrittenRows
from planner.errors import AfterAnalysis
from planner.lexer import tokenize
from planner.parse import position as first_position
from planner.records import replace

Returning = tuple[tuple[ResultColumn, ...] | None, list[Target] | None, int]
"""What RETURNING says: its columns, what computes them (None: there is none), and the relation that its rows are."""


_EXCLUDED: Final = "excluded"
"""What ON CONFLICT calls the row that has not been inserted."""


class RowBinder(WrittenRows):
    """What INSERT, UPDATE and DELETE share."""

    def _check_conflict_column(self, table: Table, alias: str, node: exp.Column, *, updates: bool) -> None:
        """Raises 42703, at the parenthesis as PostgreSQL does."""
        name = identifier(node.this)
        if any(c.name == name for c in (table.columns if self.view is None else self.view.view.columns)):
            return
        names = (alias, _EXCLUDED) if updates else (alias,)
        scope = self.scope_of(*(self.relation(table, x, of_table=False) for x in names))
        position = self.queries.parenthesis_before(first_position(node))
        raise no_column(f'"{name}"', position, similar_column(scope, name))

    def _on_conflict_at(self, clause: exp.Expression) -> int:
        """Where the statement's text says ON CONFLICT."""
        tokens, before = tokenize(self.queries.text), first_position(clause)
        pairs = (a for a, b in pairwise(tokens) if a.keyword == "on" and b.keyword == "conflict")
        return max((a.start + 1 for a in pairs if a.start < before), default=before)

    def on_conflict_of(self, node: exp.Insert, table: Table, alias: str) -> OnConflict | None:
        clause = node.args.get("conflict")
        if clause is None:
            return None
        action = str(clause.args["action"].name if clause.args.get("action") is not None else "").upper()
        nothing = "NOTHING" in action
        keys = clause.args.get("conflict_keys") or ()
        named = clause.args.get("constraint")
        constraint: Constraint | None = None
        unmet: AfterAnalysis | None = None
        if named is not None:
            name = identifier(named)
            constraint = next((c for c in table.constraints if c.name == name and not c.index_only), None)
            if constraint is None:
                raise PlanError("42704", f'constraint "{name}" for table "{table.name}" does not exist')
            if constraint.kind == "x" and not nothing:
                raise PlanError("42809", "ON CONFLICT DO UPDATE not supported with exclusion constraints")
            if constraint.kind not in "pux":
                raise PlanError("42809", "constraint in ON CONFLICT clause has no associated index")
            refuse_deferrable(table, (constraint,))
        elif keys:
            for node in (x for k in keys for x in k.find_all(exp.Column)):
                if not (isinstance(node.parent, exp.Collate) and node.arg_key == "expression"):
                    self._check_conflict_column(table, alias, node, updates=not nothing)
            predicate = clause.args.get("index_predicate")
            if self.view is not None:
                keys = updatable_views.in_the_tables_words(keys, self.view)
            ctx = self.queries.ctx
            asked = None if predicate is None else self._clause_predicate(predicate.this, table, alias)
            try:
                constraint = inferred(ctx.catalog, ctx.search_path, table, keys, predicate, asked)
            except AfterAnalysis as error:
                unmet = error
            if self.queries.arbiter_conditions:
                self.queries.prefer_keyed = False
        elif not nothing:
            raise PlanError(
                "42601",
                "ON CONFLICT DO UPDATE requires inference specification or constraint name",
                hint="For example, ON CONFLICT (column_name).",
                position=self._on_conflict_at(clause),
            )
        else:
            refuse_deferrable(table, table.constraints)
        if nothing:
            if unmet is not None:
                raise unmet
            return OnConflict(constraint, None)
        if alias == _EXCLUDED:
            _refuse_ambiguous(clause)
        old = self.relation(table, alias, "", of_table=False)
        new = self.relation(table, _EXCLUDED, "", of_table=False)
        width = len(table.columns)
        scope = self.scope_of(old, new)
        scope.ctes = self._scope.ctes
        scope.columns = scope.columns[: len(scope.columns) // 2]
        offsets = {old.number: 0, new.number: width}
        where = clause.args.get("where")
        # What no row can give is said of the INSERT, as in PostgreSQL.
        assignments = self.assignments_of(clause.expressions, table, scope, old, "insert into")
        condition = self.expressions.boolean(where.this, scope, "WHERE") if where is not None else None
        if unmet is not None:
            raise unmet
        try:
            if self.whole_conflicts:
                raise keyed.NotKeyed("policies are asked about whole rows")
            done = tuple((i, keyed.expression(n, offsets)) for i, n in assignments.items())
            test: Expr | None = keyed.expression(condition, offsets) if condition is not None else None
        except keyed.NotKeyed:
            query = self._conflict_query(table, old, new, assignments, condition)
            return OnConflict(constraint, None, None, query, tuple(assignments))
        return OnConflict(constraint, done, test)

    def _clause_predicate(self, node: exp.Expression, table: Table, alias: str) -> ClausePredicate:
        relation = self.relation(table, alias, of_table=False)
        own = replace(relation, name=table.name)
        return ClausePredicate(
            self.queries,
            lambda n, scope: self.expressions.boolean(n, scope, "WHERE"),
            (node, self.scope_of(relation)),
            (self.plain_scope(own), relation.number),
        )

    def _conflict_query(
        self,
        table: Table,
        old: Relation,
        new: Relation,
        assignments: dict[int, ir.Node],
        condition: ir.Node | None,
    ) -> Query:
        """DO UPDATE as a query over pairs of rows (see `OnConflict.query`): two relations, side by side in one."""
        name, width = f"r{old.number}", len(table.columns)
        cells: list[Item] = []
        for relation, letter, first in ((old, "o", 0), (new, "e", width)):
            emitted = [
                EmittedColumn(f"{letter}{i}", column_form(c.type)) for i, c in enumerate(table.columns)
            ]
            self.queries.declare(relation.number, emitted)
            self.queries.emitter.aliases[relation.number] = name
            cells += [
                f"{t.store_sql(f'c{first + i}', c.type)} AS {letter}{i}" for i, c in enumerate(table.columns)
            ]
        items: list[Item] = [f"{name}._n"]
        row = [assignments.get(i, ir.Var(c.type, old.number, i)) for i, c in enumerate(table.columns)]
        items += self.row_items(table, row)
        test: list[Item] = [" WHERE ", self.queries.emitter.frag(condition)] if condition is not None else []
        text = sql(
            "SELECT ", join(", ", items), " FROM (SELECT _n, ", join(", ", cells), " FROM ", Slot("conflicts"), f") AS {name}", *test,
        )  # fmt: skip
        return self.queries.finished(self.with_queries(self.completed(table, row, text)))

    def assignments_of(
        self,
        items: Sequence[exp.Expression],
        table: Table,
        scope: Scope,
        relation: Relation,
        what: str = "update",
    ) -> dict[int, ir.Node]:
        """SET: row position -> new value. Raises 42601 for a column assigned twice."""
        out: dict[int, ir.Node] = {}
        parts: set[int] = set()  # columns of which elements are assigned
        for item in items:
            left, right = item.this, item.expression
            values: Sequence[exp.Expression | ir.Node]
            columns = targets_in(left)
            if isinstance(left, exp.Tuple | exp.Paren):
                values = self._row_values(right, len(columns), scope)
            else:
                values = [right]
            for c, v in zip(columns, values, strict=True):
                whole, steps = target_of(c)
                if steps:
                    index = self.column_index(table, whole, what)
                    column = table.columns[index]
                    if index in out and index not in parts:
                        raise assigned_twice(column)
                    parts.add(index)
                    base = out.get(index, ir.Var(column.type, relation.number, index))
                    value = v if isinstance(v, ir.Node) else self.expressions.bind(v, scope)
                    binder = PartBinder(
                        self.expressions, self.coercions, column, scope, first_position(right)
                    )
                    out[index] = binder.put(base, column.type, steps, value, first_position(c))
                    continue
                c = whole
                index = self.column_index(table, c, what)
                column = table.columns[index]
                if index in out:
                    raise assigned_twice(column)
                as_made = isinstance(v, exp.Expression) and is_default(v)
                if as_made and self.view is None:
                    out[index] = self.default(table, index)
                    continue
                if column.generated:
                    raise PlanError(
                        "428C9",
                        f'column "{column.name}" can only be updated to DEFAULT',
                        detail=f'Column "{column.name}" is a generated column.',
                    )
                if column.identity == "a":
                    raise PlanError(
                        "428C9",
                        f'column "{column.name}" can only be updated to DEFAULT',
                        detail=f'Column "{column.name}" is an identity column defined as GENERATED ALWAYS.',
                    )
                if as_made:  # the view's own default, or none: not what is under it
                    assert self.view is not None
                    own = self.view.own_default(index)
                    made = ir.Lit(TypeRef(column.type.oid), None)
                    out[index] = made if own is None else self.default(table, index)
                elif isinstance(v, ir.Node):
                    out[index] = self.assigned(v, column, first_position(_items_of(right)))
                else:
                    out[index] = self.assigned(self.expressions.bind(v, scope), column, first_position(v))
        for node in out.values():
            refuse_sets(node, "UPDATE")
        if any(c.generated for c in table.columns):
            row = [out.get(i, ir.Var(c.type, relation.number, i)) for i, c in enumerate(table.columns)]
            of_heirs = bool(table.children) and not self.only
            done = self.generated(table, row, of_heirs=of_heirs)
            for i, c in enumerate(table.columns):
                if c.generated:
                    out[i] = done[i]
        return out

    def _row_values(
        self, node: exp.Expression, count: int, scope: Scope
    ) -> Sequence[exp.Expression | ir.Node]:
        while isinstance(node, exp.Paren):
            node = node.this
        if isinstance(node, exp.Tuple) or (
            isinstance(node, exp.Anonymous) and str(node.this).lower() == "row"
        ):
            values = self._without_stars(node.expressions, scope)
        elif isinstance(node, exp.Subquery):
            return self._subquery_values(node, count, scope)
        else:
            raise PlanError(
                "0A000",
                "source for a multiple-column UPDATE item must be a sub-SELECT or ROW() expression",
                position=first_position(node),
            )
        if len(values) != count:
            raise self._unequal(node)
        return values

    def _unequal(self, node: exp.Expression) -> PlanError:
        """`SET (a, b) = (1, 2, 3)`: said of the row, or of the query, with its parenthesis."""
        at = first_position(node)
        if isinstance(node, exp.Tuple):
            at = self.queries.parenthesis_before(at)
        return PlanError("42601", "number of columns does not match number of values", position=at)

    def _without_stars(self, items: Sequence[exp.Expression], scope: Scope) -> list[exp.Expression | ir.Node]:
        """The values of a row, `t.*` as the columns of t."""
        out: list[exp.Expression | ir.Node] = []
        for item in items:
            if isinstance(item, exp.Column) and isinstance(item.this, exp.Star):
                out += self.queries.expressions.row_items([item], scope)
            else:
                out.append(item)
        return out

    def _subquery_values(self, node: exp.Expression, count: int, scope: Scope) -> list[ir.Node]:
        """`(SELECT x, y ...)` as one scalar subquery per column."""
        bound = self.queries.subquery(node, scope)
        if len(bound.columns) != count:
            raise self._unequal(node)
        if count > 1:
            _refuse_varying(node)
        number = self.queries.next_relation()
        return [
            ir.SubQuery(
                c.type, "scalar", sql(f"SELECT r{number}.c{i} FROM (", bound.frag, f") AS r{number}"),
                outer_from=bound.outer, outer=standing(self.queries, bound.outer, scope), form=bound.forms[i],
            )
            for i, c in enumerate(bound.columns)
        ]  # fmt: skip

    def _origin_in_view(self, target: Target, alias: str, written: Relation) -> tuple[int, int] | None:
        """A column of the view that is written is the view's own, whatever it is computed of."""
        assert self.view is not None
        if any(isinstance(n, ir.Var) and n.relation != written.number for n in ir.walk(target.node)):
            return None
        syntax = target.syntax
        if syntax is not None and not (isinstance(syntax, exp.Column) and syntax.table in ("", alias)):
            return None
        name = target.name if syntax is None else identifier(syntax.this)
        view = self.view.view
        return next(((view.oid, c.attnum) for c in view.columns if c.name == name), None)

    def returning(
        self, node: exp.Expression, table: Table, alias: str, joined: Scope | None = None
    ) -> Returning:
        clause = node.args.get("returning")
        if clause is None:
            return None, None, 0
        relation = self.relation(table, alias, "new", of_table=False)
        scope = self.scope_of(relation)
        scope.ctes = self._scope.ctes
        scope.clause = "RETURNING"
        conflict = node.args.get("conflict")
        if conflict is not None and "NOTHING" not in str(conflict.args["action"].name).upper():
            scope.beyond = (self.relation(table, _EXCLUDED, of_table=False),)
        if joined is not None and len(joined.relations) > 1:
            scope.relations += joined.relations[1:]
            scope.columns += [
                c
                for c in joined.columns
                if not any(
                    isinstance(n, ir.Var) and n.relation == joined.relations[0].number
                    for n in ir.walk(c.node)
                )
            ]
        targets = self.queries.targets(clause.expressions, scope)
        for x in targets:
            refuse_sets(x.node, "RETURNING")
        self.joined = JoinedColumns(self.queries, {r.number for r in scope.relations[1:]})
        for x in targets:
            if self.view is not None:
                x.table_oid, x.attnum = self._origin_in_view(x, alias, relation) or (x.table_oid, x.attnum)
            x.node = self.joined.taken(x.node)
            if self.view is None and isinstance(x.node, ir.Var) and x.node.relation == relation.number:
                x.table_oid, x.attnum = table.oid, relation.columns[x.node.column].attnum
        columns = tuple(
            ResultColumn(x.name, x.node.type, x.table_oid, x.attnum, carried(x.node)) for x in targets
        )
        return columns if self.common else told(columns), targets, relation.number

    def returning_query(
        self, table: Table, targets: list[Target] | None, number: int, slot: str
    ) -> Query | None:
        if targets is None:
            return None
        parts = Parts(None, None, [replace(x) for x in targets])
        source = told_rows.marked(
            self.queries.emitter, number, [c.type for c in table.columns], sql(Slot(slot), f" AS r{number}")
        )
        if self.joined is not None and self.joined.items:
            j = f"r{self.joined.number}"
            source = sql(source, " JOIN ", Slot("joined"), f" AS {j} ON {j}._rid = r{number}._rid")
        bound = self.queries.written(
            Parts(source, None, targets), self.queries.new_scope(None), not self.common
        )
        if self.common:
            bound = self.queries.in_column_forms(bound)
        self.returned = bound
        query = self.queries.finished(self.with_queries(bound.frag))
        if self.joined is not None and self.joined.items:
            return query
        if self.common and any(t.base_of(x.node.type).oid == t.INTERVAL for x in targets):
            return query  # the keyed engine's intervals are not DuckDB's, which is what reads them next
        relation = Relation(number, "", [RelationColumn(c.name, c.type) for c in table.columns])
        return self.queries.also_by_key(query, parts, (FromStep(relation, handed=slot),))


def _refuse_ambiguous(clause: exp.Expression) -> None:
    """Raises 42P09 where a clause ON CONFLICT says `excluded.x`, and the statement calls its table so, too."""
    for column in clause.find_all(exp.Column):
        table = column.args.get("table")
        if table is not None and identifier(table) == _EXCLUDED:
            raise PlanError(
                "42P09", f'table reference "{_EXCLUDED}" is ambiguous', position=first_position(column)
            )


def _refuse_varying(query: exp.Expression) -> None:
    """Raises 0A000 for a query that is to fill several columns and might find another row for each."""
    for call in query.find_all(exp.Anonymous):
        if any(p.volatility == "v" for p in procs().get(str(call.this).lower(), ())):
            raise PlanError(
                "0A000",
                f"{str(call.this).lower()}() in a sub-SELECT for several columns of an UPDATE is not supported",
                hint="Join the sub-SELECT in the FROM clause.",
                position=first_position(call),
            )


def _items_of(values: exp.Expression) -> exp.Expression:
    """Where the values of `SET (a, b) = (SELECT c, d)` begin: the query's first item."""
    query = values.this if isinstance(values, exp.Subquery) else values
    items = query.expressions if isinstance(query, exp.Select) else ()
    return items[0] if items else values
