"""UPDATE and DELETE, and with `inserts` every write: rows of full width, assignment casts, defaults, RETURNING.

Each statement is tried as a keyed one first: the same typed trees are either translated for the keyed
engine or written as a query that yields the rows to write:

    InsertQuery   the new rows, in the table's column order
    UpdateQuery   _rid of the old row, then the whole new row
    DeleteQuery   _rid
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from sqlglot import exp

from planner import types as t
from planner.abc import (
    DeleteQuery,
    KeyedDelete,
    KeyedUpdate,
    Lookup,
    PlanError,
    Points,
    Query,
    Slot,
    Step,
    Table,
    TypeRef,
    UpdateQuery,
)
from planner.binding import ir, joins, locking, own_conditions, partitioned, told_rows
from planner.binding.fragments import Frag, Item, join, quote_name, sql
from planner.binding.from_items import Source
from planner.binding.keyed import expressions as keyed
from planner.binding.keyed import key_conditions, searched
from planner.binding.keyed.index_reads import rows_by_key
from planner.binding.late_targets import split
from planner.binding.rights import barriers
from planner.binding.scope import FromStep, Relation, Scope
from planner.binding.state import Parts, Target
from planner.binding.writes import generated, stepwise, updatable_views
from planner.binding.writes.assignments import is_default
from planner.binding.writes.clauses import Returning
from planner.binding.writes.inserts import Bound, InsertBinder
from planner.binding.writes.written_rows import NoSuchTarget
from planner.inheritance import spreads
from planner.records import replace


class DmlBinder(InsertBinder):
    """Binds whole statements."""

    steps: tuple[FromStep, ...] | None = ()
    """The relations of FROM or USING; None: they are more than plain joins."""

    def _narrowed(
        self, node: exp.Expression, table: Table, alias: str, relation: Relation, scope: Scope, command: str
    ) -> tuple[Table, ir.Node | None, Returning]:
        """What UPDATE ("w") and DELETE ("d") have alike: WHERE, RETURNING, and what policies and views leave of the target's rows."""
        said = node.args.get("where")
        scope.clause = "WHERE"
        where = scope.where = (
            self.expressions.boolean(said.this, scope, "WHERE") if said is not None else None
        )
        looks = bool(relation.used) or (relation.rid and not self.for_rules)
        behind = self.barrier(relation)
        where = where if behind else self._of_the_view(relation, where)
        scope.clause = ""
        returning = _, outs, place = self.returning(node, table, alias, scope)
        table = self.secured(table, relation, command, looks or self.names_target(outs, place))
        self.put_behind(relation, behind)
        barriers.let_through(self.queries, scope.relations, where)
        return table, where, returning

    def _of_the_view(self, relation: Relation, where: ir.Node | None) -> ir.Node | None:
        """A condition on the target's rows with that of the view through which they are seen."""
        if self.view is None:
            return where
        return updatable_views.both(where, updatable_views.conditions(self, self.view, relation))

    def _rows_by_key(
        self, table: Table, relation: Relation, where: ir.Node | None
    ) -> tuple[Lookup, Sequence[ir.Node], tuple[int, ...]]:
        """As `rows_by_key` finds them. Raises NotKeyed."""
        queries = self.queries
        lists = queries.parameters.keys_listed() if not spreads(table, self.only) else ()
        return rows_by_key(queries.ctx.catalog, table, relation.number, where, lists)

    def update(self, node: exp.Update) -> Bound:
        table, alias = self.target(node.this, "update")
        prefix = self.with_clause(node)
        relation = self._target_rows(table, alias)
        scope, source = self._joined_scope(node, relation, node.args.get("from_"))
        scope.clause = "UPDATE"
        try:
            assignments = self.assignments_of(node.expressions, table, scope, relation)
        except NoSuchTarget:
            self._read_the_rest(node, scope)
            raise
        table, where, (columns, outs, returning_relation) = self._narrowed(
            node, table, alias, relation, scope, "w"
        )
        self._note_write(table, "UPDATE", [i for i in sorted(assignments) if not table.columns[i].generated])
        read = [node.args.get("where"), node.args.get("returning"), *(e.expression for e in node.expressions)]
        self._note_read(table, alias, read)
        extra = self.queries.constants([*assignments.values(), where])
        by_range: KeyedUpdate | None = None
        if source is None and prefix is None and self.queries.prefer_keyed and self.instead is None:
            try:
                lookup, rest, index = self._rows_by_key(table, relation, where)
                offsets = {relation.number: 0}
                by_range = KeyedUpdate(
                    table, lookup, key_conditions.condition(rest, offsets),
                    tuple((i, keyed.expression(n, offsets)) for i, n in assignments.items()),
                    None if outs is None else tuple(keyed.expression(x.node, {returning_relation: 0}) for x in outs),
                    index,
                )  # fmt: skip
                if isinstance(lookup, Points) and not index and not spreads(table, self.only):
                    return Bound(by_range, columns, "UPDATE")
            except keyed.NotKeyed:
                pass
        relation.used |= set(range(len(table.columns)))
        row = [assignments.get(i, ir.Var(c.type, relation.number, i)) for i, c in enumerate(table.columns)]
        steps: list[Callable[[], Step]] = []
        items: list[Item] = [f"r{relation.number}._rid AS _rid"]
        where, tests = self._put_off(where)
        if tests or stepwise.looks(self, row):
            below = stepwise.Below(self, {r.number for r in scope.relations}, [*row, *tests])
            asked = ir.all_of([below.of(n) for n in tests])
            steps.append(stepwise.row(self, table, [below.of(n) for n in row], below.found, asked))
            items += below.items
        else:
            items += self.row_items(table, row)
        if self.instead is not None or self.for_rules:
            items += self._old_items(table, relation)
        joined = self.joined.items if self.joined is not None else []
        text = self._target_query(
            prefix, [*items, *joined, *partitioned.home(relation)], relation, source, where
        )
        self.rows_text = text = text if steps else self.completed(table, row, text)
        query = self.queries.finished(text, with_rid=relation.number)
        plain = self.instead is None and not any(generated.is_late(n, self.made) for n in row)
        plain = plain and not spreads(table, self.only)
        if by_range is None and not joined and plain and not self.behind_view and not steps:
            query = self._found_by_key(query, relation, where, row)
        returns = stepwise.is_returned(self, outs)
        body = UpdateQuery(
            table,
            query,
            tuple(sorted(assignments)),
            self.returning_query(table, outs, returning_relation, "new"),
            len(joined),
            self.only,
            stepwise.stepwise(steps) if steps or returns else None,
        )
        if by_range is not None and spreads(table, self.only):
            extra |= partitioned.leafwise(self.queries, [relation], by_range)
            by_range = None
        return Bound(body, columns, "UPDATE", by_range, extra)

    def _put_off(self, where: ir.Node | None) -> tuple[ir.Node | None, list[ir.Node]]:
        """What is asked of all rows before any is written, and of each when those before it are."""
        return split(self.queries, where) if stepwise.may_step(self) else (where, [])

    def _read_the_rest(self, node: exp.Update, scope: Scope) -> None:
        """What an UPDATE computes and asks is read before the columns that it assigns are looked for: its errors come first."""
        for item in node.expressions:
            if isinstance(item.this, exp.Column) and not is_default(item.expression):
                self.expressions.bind(item.expression, scope)
        said = node.args.get("where")
        if said is not None:
            scope.clause = "WHERE"
            self.expressions.boolean(said.this, scope, "WHERE")

    def delete(self, node: exp.Delete) -> Bound:
        table, alias = self.target(node.this, "delete from")
        prefix = self.with_clause(node)
        relation = self._target_rows(table, alias)
        using = node.args.get("using")
        scope, source = self._joined_scope(node, relation, using)
        table, where, (columns, outs, returning_relation) = self._narrowed(
            node, table, alias, relation, scope, "d"
        )
        self._note_write(table, "DELETE", ())
        self._note_read(table, alias, [node.args.get("where"), node.args.get("returning")])
        constants = self.queries.constants([where])
        by_range: KeyedDelete | None = None
        if source is None and prefix is None and self.queries.prefer_keyed and self.instead is None:
            try:
                lookup, rest, index = self._rows_by_key(table, relation, where)
                by_range = KeyedDelete(
                    table, lookup, key_conditions.condition(rest, {relation.number: 0}),
                    None if outs is None else tuple(keyed.expression(x.node, {returning_relation: 0}) for x in outs),
                    index,
                )  # fmt: skip
                if isinstance(lookup, Points) and not index and not spreads(table, self.only):
                    return Bound(by_range, columns, "DELETE")
            except keyed.NotKeyed:
                pass
        items: list[Item] = [f"r{relation.number}._rid AS _rid"]
        steps: list[Callable[[], Step]] = []
        where, tests = self._put_off(where)
        if tests:
            below = stepwise.Below(self, {r.number for r in scope.relations}, tests)
            steps.append(stepwise.test(self, below.found, ir.all_of([below.of(n) for n in tests])))
            items += below.items
        if self.instead is not None or self.for_rules:
            relation.used |= set(range(len(table.columns)))
            items += self._old_items(table, relation)
        elif outs is not None:
            relation.used |= set(range(len(table.columns)))
            for i, c in enumerate(table.columns):
                items.append(
                    sql(self.canonical(ir.Var(c.type, relation.number, i), c), f" AS {quote_name(c.name)}")
                )
        extra = self.joined.items if self.joined is not None else []
        text = self._target_query(
            prefix, [*items, *extra, *partitioned.home(relation)], relation, source, where
        )
        self.rows_text = text
        query = self.queries.finished(text, with_rid=relation.number)
        keyed_way = by_range is None and not extra and self.instead is None and not self.behind_view
        if keyed_way and not spreads(table, self.only) and not steps:
            old = [ir.Var(c.type, relation.number, i) for i, c in enumerate(table.columns)]
            query = self._found_by_key(query, relation, where, [] if outs is None else old)
        returning = self.returning_query(table, outs, returning_relation, "old")
        if by_range is not None and spreads(table, self.only):
            constants |= partitioned.leafwise(self.queries, [relation], by_range)
            by_range = None
        returns = stepwise.is_returned(self, outs)
        stepped = stepwise.stepwise(steps) if steps or returns else None
        return Bound(
            DeleteQuery(table, query, returning, len(extra), self.only, stepped),
            columns,
            "DELETE",
            by_range,
            constants,
        )

    def _found_by_key(
        self, query: Query, relation: Relation, where: ir.Node | None, row: Sequence[ir.Node]
    ) -> Query:
        """The query, and how keys lead to the target's rows: the id of each once, then what is made of it."""
        assert relation.table is not None
        if self.steps is None:
            return query
        rid = ir.Var(TypeRef(t.INT8), relation.number, len(relation.table.columns))
        targets = [Target("", n) for n in (rid, *row)]
        parts = Parts(None, where, targets, distinct_on=[rid] if self.steps else None)
        made = self.queries.also_by_key(
            query, parts, (FromStep(relation, rid=True, guards=self.guards), *self.steps)
        )
        if made.by_key is None:
            return made
        rid_of, *values = made.by_key.outputs
        fitted = [
            keyed.as_column(v, n.type, c.type)
            for v, n, c in zip(values, row, relation.table.columns, strict=bool(row))
        ]
        return replace(made, by_key=replace(made.by_key, outputs=(rid_of, *fitted)))

    def _joined_scope(
        self, node: exp.Expression, relation: Relation, others: Any
    ) -> tuple[Scope, Frag | None]:
        """The target's scope with the relations of FROM or USING beside it."""
        target = self.scope_of(relation)
        target.ctes, target.parent = self._scope.ctes, None
        self.steps = ()
        before = self._asked_of(relation, target)
        if not others:
            target.before = before
            return target, None
        tables = (
            others if isinstance(others, list) else [others.this, *(others.args.get("expressions") or ())]
        )
        frags = []
        scope = self.queries.new_scope(None)
        scope.ctes, scope.target = self._scope.ctes, relation
        for x in tables:
            joined = list(x.args.get("joins") or ())
            if len(tables) == 1 and joined and not node.args.get("joins"):
                # `FROM a, b JOIN c USING (k)`: sqlglot hangs all on `a`, but the comma binds less than JOIN.
                first = x.copy()
                first.set("joins", None)
                listed = exp.Select(from_=exp.From(this=first), joins=joined)
                frag = self.queries.sources.from_clause(listed, scope)
                assert frag is not None
                frags.append(frag)
                self.steps = tuple(scope.steps) or None
                continue
            made = self.queries.sources.item(x, scope)
            for j in node.args.get("joins") or ():
                made = joins.joined(self.queries.sources, made, j, scope)
            scope.relations += made.relations
            scope.columns += made.columns
            frags.append(made.frag)
            self.steps = (*self.steps, *made.steps) if self.steps is not None and made.steps else None
        for r in scope.relations:
            if r.name == relation.name:
                raise PlanError("42712", f'table name "{r.name}" specified more than once')
        target.relations += scope.relations
        target.columns += scope.columns
        beside = join(", ", frags)
        if before:
            target.before = (*before, Source(beside, scope.relations, scope.columns))
        return target, beside

    def _asked_of(self, relation: Relation, scope: Scope) -> tuple[Source, ...]:
        """The target as an item of FROM, whose columns a locking query may name; none if it is not for all to see."""
        table = relation.table
        if self.instead is not None or self.view is not None or table is None or table.row_security:
            return ()
        rows = sql(Slot(relation.slot), f" AS r{relation.number}")
        return (Source(rows, list(scope.relations), list(scope.columns)),)

    def _target_query(
        self,
        prefix: Frag | None,
        items: list[Item],
        relation: Relation,
        source: Frag | None,
        where: ir.Node | None,
    ) -> Frag:
        emit = self.queries.emitter
        head: list[Item] = [prefix] if prefix is not None else []
        once = source is not None and not self.for_rules and self.instead is None
        distinct = f"DISTINCT ON (r{relation.number}._rid) " if once else ""
        rows = Slot(relation.slot) if self.instead is None else self.instead.source
        item = sql(rows, f" AS r{relation.number}")
        tables: list[Item] = [
            told_rows.marked(emit, relation.number, [c.type for c in relation.columns], item)
        ]
        if self.seen_by_policies is not None:
            tables = [self.seen_by_policies]
        if source is not None:
            tables += [", ", source]
        test: list[Item] = [" WHERE ", emit.where(where)] if where is not None else []
        text = sql(*head, f"SELECT {distinct}", join(", ", items), " FROM ", *tables, *test)
        if self.instead is not None and source is not None:
            # Nothing tells a view's rows apart: its triggers fire for each row that is found, also for one that is joined twice.
            text = sql(
                "SELECT row_number() OVER () AS _rid, * EXCLUDE (_rid) FROM (", text, ") AS joined_rows"
            )
        if self.instead is None:
            self.queries.ranges[relation.number] = locking.ranges(self.queries, relation, where)
            if self.steps is not None:
                own_conditions.note(self.queries, (FromStep(relation), *self.steps), where)
            partitioned.note(self.queries, [relation], where)
            searched.note(self.queries, [relation], where)
            table = relation.table
            if isinstance(where, ir.Lit) and not where.value and table is not None and table.partitioning:
                self.queries.accesses.unchanged.add(table.oid)
        return text

    def _target_rows(self, table: Table, alias: str) -> Relation:
        """The rows that an UPDATE or DELETE may be of."""
        if self.instead is None:
            relation = self.relation(table, alias, of_table=True)
            relation.rid = self.for_rules
            told_rows.declared(self.queries.emitter, relation.number, [c.type for c in relation.columns])
            return relation
        return self.instead.relation(self.queries, alias)

    def _old_items(self, table: Table, relation: Relation) -> list[Item]:
        """A view's rows as they are, behind what they are to become."""
        return [
            sql(self.canonical(ir.Var(c.type, relation.number, i), c), f" AS {quote_name(f'old {i}')}")
            for i, c in enumerate(table.columns)
        ]
