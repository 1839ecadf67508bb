"""INSERT: what its rows are, from VALUES or a query, every column of them.

A column that is not listed gets its default, an identity column its number, a generated one its expression. Rows of VALUES are tried as
a keyed statement first (`InsertValues`); others are a query that yields the new rows in the table's column order (`InsertQuery`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from sqlglot import exp

from planner.abc import (
    Body,
    Expr,
    InsertQuery,
    InsertValues,
    KeyedDelete,
    KeyedUpdate,
    PlanError,
    Query,
    ResultColumn,
    Step,
    Table,
)
from planner.binding import ir, partitioned, values_stars
from planner.binding.fragments import Frag, Item, join, sql
from planner.binding.keyed import expressions as keyed
from planner.binding.naming import identifier
from planner.binding.queries import unwrapped
from planner.binding.scope import FromStep, Relation, RelationColumn, Scope
from planner.binding.state import BoundQuery, Parts, Target
from planner.binding.system_columns import behind_the_row
from planner.binding.writes import generated, stepwise, updatable_views
from planner.binding.writes.assignments import is_default, target_of, targets_in
from planner.binding.writes.insert_targets import InsertTargets
from planner.binding.writes.secured_rows import SecuredRows
from planner.catalog import View
from planner.parse import position as first_position
from planner.records import replace
from planner.relations import GuardedTable

_DEFAULT: Final = re.compile(r"\bdefault\b", re.IGNORECASE)
ROWS_MAX = 100_000
"""Rows of one VALUES list that are planned one by one; more go through a query."""


@dataclass(slots=True)
class Bound:
    body: Body
    columns: tuple[ResultColumn, ...] | None
    tag: str
    by_range: KeyedUpdate | KeyedDelete | None = None
    """The same by a range of the primary key: for the executor to take if it is short."""
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Selected:
    """What INSERT ... SELECT selects, and the rows that it makes of it."""

    bound: BoundQuery
    number: int  # of the relation that it is
    row: list[ir.Node]
    text: Frag
    steps: tuple[Callable[[], Step], ...] = ()
    """What makes the rows of what the text finds, one by one (`stepwise`)."""


def _width(source: exp.Expression | None, selected: _Selected | None) -> int:
    """How many columns an INSERT has values for: without a list of columns that may be fewer than there are."""
    if selected is not None:
        return len(selected.bound.columns)
    return len(values_stars.items_of(source.expressions[0])) if isinstance(source, exp.Values) else 0


class InsertBinder(SecuredRows):
    """The part of binding writes that knows INSERT, and the rights that writes take."""

    def insert(self, node: exp.Insert) -> Bound:
        table, alias = self.target(node.this, "insert into")
        prefix = self.with_clause(node)
        if isinstance(node.this, exp.Schema):
            listed = [self.column_index(table, c, "insert into") for c in node.this.expressions]
            targets = InsertTargets(listed, node.args.get("targets") or {}, node.this.expressions)
            targets.check(table)
        elif self.view is not None:
            listed, beyond = updatable_views.assignable(self.view)
            targets = InsertTargets(listed, {}, beyond=beyond)
        else:
            listed = [i for i, c in enumerate(table.columns) if not c.hidden]
            targets = InsertTargets(listed, {})
        explicit = isinstance(node.this, exp.Schema)
        overriding = self._overriding(node)
        if self.view is not None:
            updatable_views.refuse_defaults(self.view, overriding=overriding == "system")
        source = node.expression
        width = len(table.columns)
        rows: list[list[ir.Node]] | None = None
        query: Frag | None = None
        selected: _Selected | None = None
        extra: dict[str, Any] = {}
        steps: Sequence[Callable[[], Step]] = ()
        self._scope.beyond = (self._target_as_seen(table, alias),)
        if source is None or node.args.get("default"):
            rows = [[self.default(table, i) for i in range(width)]]
        elif (
            isinstance(source, exp.Values) and not _decorated(source) and len(source.expressions) <= ROWS_MAX
        ):
            source = values_stars.spread(self.queries, source, Scope(self._scope, 0, clause="VALUES"))
            _same_length(source)
            rows = [self._values_row(table, targets, r, explicit, overriding) for r in source.expressions]
        else:
            selected = self._selected(table, targets, source, explicit, overriding)
            extra = self.queries.constants(selected.bound.own)
        columns, returning_nodes, returning_relation = self.returning(node, table, alias)
        looks = self.names_target(returning_nodes, returning_relation)
        listed_rows = rows is not None and prefix is None
        table = self.secured_insert(node.args.get("conflict"), table, looks, listed=listed_rows)
        if self.instead is not None and node.args.get("conflict") is not None:
            raise PlanError("0A000", "ON CONFLICT of a view with INSTEAD OF triggers is not supported")
        looked = self.queries.onlooking
        conflict = self.on_conflict_of(node, table, alias)
        asks = self.queries.onlooking > looked and stepwise.may_step(self)
        self._note_insert(node, table, alias, listed[: _width(source, selected)])
        if rows is not None:
            rows = [self.generated(table, r) for r in rows]
            try:
                if prefix is not None or not self.queries.prefer_keyed or self.instead is not None:
                    raise keyed.NotKeyed("not wanted")
                if conflict is not None and (conflict.query is not None or conflict.excluding(table)):
                    raise keyed.NotKeyed("ON CONFLICT")
                made = tuple(tuple(keyed.expression(n, {}) for n in r) for r in rows)
                offsets = {returning_relation: 0}
                outs = (
                    None
                    if returning_nodes is None
                    else tuple(
                        keyed.expression(behind_the_row(x.node, returning_relation, width), offsets)
                        for x in returning_nodes
                    )
                )
                by_key = InsertValues(table, made, outs, conflict)
                if table.partitioning is None:
                    return Bound(by_key, columns, "INSERT")
                extra = partitioned.leafwise(self.queries, [], by_key)
            except keyed.NotKeyed:
                if isinstance(table, GuardedTable) and table.row_checks is not None and conflict is not None:
                    self.queries.prefer_keyed = False
                    self.whole_conflicts = True  # policies are asked by queries
                    conflict = self.on_conflict_of(node, table, alias)
            if len(rows) > 1 and stepwise.looks(self, (n for r in rows for n in r)):
                query = sql(f"SELECT range AS c0 FROM range({len(rows)})")
                steps = [stepwise.row(self, table, r) for r in rows]
            else:
                query = self._rows_query(table, rows)
        else:
            assert selected is not None
            query, steps = selected.text, selected.steps
        if prefix is not None:
            query = sql(prefix, query)
        self.rows_text = query
        body = self.queries.finished(query)
        returns = stepwise.is_returned(self, returning_nodes)
        several = rows is None or len(rows) > 1
        stepped = None
        if steps or (several and (returns or asks)):
            stepped = stepwise.stepwise(steps)
        if steps:
            pass
        elif selected is not None and self.instead is None and self.view is None:
            body = self._selected_by_key(body, table, selected)
        elif rows is not None and len(rows) == 1 and self.instead is None and self.view is None:
            body = self._made_by_key(body, table, rows[0], ())
        returning = self.returning_query(table, returning_nodes, returning_relation, "new")
        return Bound(InsertQuery(table, body, returning, conflict, stepped), columns, "INSERT", extra=extra)

    def _note_insert(self, node: exp.Insert, table: Table, alias: str, listed: list[int]) -> None:
        """What INSERT takes: the right to insert what it has values for, and to change and look at what it conflicts with."""
        if listed or self.view is not None or self.instead is not None:
            self._note_write(table, "INSERT", listed)
        else:  # DEFAULT VALUES
            every = [c.attnum for c in table.columns if not c.hidden]
            self.queries.accesses.writes(table, "INSERT", every, any_column=True)
        self._note_read(table, alias, [node.args.get("returning")])
        clause = node.args.get("conflict")
        if clause is None:
            return
        keys: list[exp.Expression] = list(clause.args.get("conflict_keys") or ())
        if (said := clause.args.get("constraint")) is not None and self.view is None:
            of_key = [n for c in table.constraints if c.name == identifier(said) for n in c.columns]
            keys += [exp.column(table.columns[table.index_of(n)].name, quoted=True) for n in of_key]
        self._note_read(table, alias, [*keys, clause.args.get("where")])
        assigned = [target_of(x)[0] for e in clause.expressions for x in targets_in(e.this)]
        if assigned:
            self._note_write(table, "UPDATE", [self.column_index(table, c, "insert into") for c in assigned])
            values = [e.expression for e in clause.expressions]
            self._note_read(table, alias, values)
            if alias != "excluded":
                self._note_read(table, "excluded", [*values, clause.args.get("where")])

    def _note_write(self, table: Table, privilege: str, indexes: Sequence[int]) -> None:
        """The right to write columns, in the order of rows."""
        accesses = self.queries.accesses
        if self.view is not None:
            updatable_views.note(accesses, self.view, privilege, indexes)
        else:
            thing: Table | View = table if self.instead is None else self.instead.view
            accesses.writes(thing, privilege, [table.columns[i].attnum for i in indexes], only=self.only)

    def _note_read(self, table: Table, alias: str, nodes: Iterable[exp.Expression | None]) -> None:
        """The right to look at the columns of the target that these name."""
        thing: Table | View = table if self.view is None else self.view.view
        if self.instead is not None and self.view is None:
            thing = self.instead.view
        accesses = self.queries.accesses
        if accesses.names_columns(thing, alias, nodes) and self.view is not None:
            updatable_views.note_read(accesses, self.view)

    def _overriding(self, node: exp.Insert) -> str:
        return str(node.args.get("overriding") or "")

    def _target_as_seen(self, table: Table, alias: str) -> Relation:
        """The table for who names it among what is inserted, where it is not to be seen (`planner.binding.missing_names`)."""
        columns = [
            RelationColumn(c.name, c.type, table.oid, c.attnum, c.hidden)
            for c in (table if self.view is None else self.view.view).columns
        ]
        return Relation(0, alias, columns, table)

    def _values_row(
        self, table: Table, targets: InsertTargets, row: exp.Expression, explicit: bool, overriding: str
    ) -> list[ir.Node]:
        listed = targets.indexes
        items = values_stars.items_of(row)
        if len(items) > len(listed):
            if targets.beyond is not None:
                raise targets.beyond
            raise PlanError(
                "42601",
                "INSERT has more expressions than target columns",
                position=first_position(items[len(listed)]) or self._default_at(items, len(listed)),
            )
        if explicit and len(items) < len(listed):
            raise targets.without_value(len(items))
        scope = Scope(self._scope, 0, clause="VALUES")
        given: dict[int, ir.Node] = {}
        for place, (index, item) in enumerate(zip(listed, items, strict=False)):
            column = table.columns[index]
            if is_default(item):
                targets.refuse_default(place)
                continue
            if column.generated:
                raise updatable_views.not_by_default(column)
            if column.identity and overriding == "user":
                continue
            if column.identity == "a" and overriding != "system":
                raise updatable_views.not_by_default(column)
            value, at = self.expressions.bind(item, scope), first_position(item)
            whole = partial(self.assigned, value, column, at)
            targets.take(self, table, given, place, value, at, whole)
        return [given[i] if i in given else self.default(table, i) for i in range(len(table.columns))]

    def _default_at(self, items: Sequence[exp.Expression], place: int) -> int:
        """Where a DEFAULT of VALUES stands, which has no place of its own: it is counted from what has one."""
        at, passed = 0, 0
        for item in reversed(items[:place]):
            at = first_position(item)
            if at:
                break
            passed += 1
        text = self.queries.text
        said = list(_DEFAULT.finditer(text, at or text.lower().find("values")))
        return said[passed].start() + 1 if passed < len(said) else 0

    def _rows_query(self, table: Table, rows: list[list[ir.Node]]) -> Frag:
        texts: list[Item] = []
        for row in rows:
            made = sql("SELECT ", join(", ", self.row_items(table, row)))
            texts.append(self.completed(table, row, made))
        return join(" UNION ALL ", texts)

    def _selected(
        self, table: Table, targets: InsertTargets, source: exp.Expression, explicit: bool, overriding: str
    ) -> _Selected:
        listed = targets.indexes
        self.queries.apart = unwrapped(source) if stepwise.may_step(self) else None
        bound = self.queries.nested(source, self._scope, targets.expected(table))
        self.queries.apart = None
        if len(bound.columns) > len(listed):
            if targets.beyond is not None:
                raise targets.beyond
            beyond = source.expressions[len(listed) :] if isinstance(source, exp.Select) else []
            raise PlanError(
                "42601",
                "INSERT has more expressions than target columns",
                position=first_position(beyond[0] if beyond else source),
            )
        if explicit and len(bound.columns) < len(listed):
            raise targets.without_value(len(bound.columns))
        apart = bound.apart
        number = self.queries.anonymous_relation(bound) if apart is None else apart.relation
        places = _places(source)
        given: dict[int, ir.Node] = {}
        for i, (index, c) in enumerate(zip(listed, bound.columns, strict=False)):
            column = table.columns[index]
            if column.identity and overriding == "user":
                continue
            if column.generated or (column.identity == "a" and overriding != "system"):
                raise updatable_views.not_by_default(column)
            value = ir.Var(c.type, number, i) if apart is None else apart.made[i]
            at = places[i] if i < len(places) else 0
            targets.take(self, table, given, i, value, at, partial(self.assigned, value, column, at))
        row = [given[i] if i in given else self.default(table, i) for i in range(len(table.columns))]
        row = self.generated(table, row)
        if apart is not None or stepwise.looks(self, row):
            bound, found = stepwise.in_steps(self, bound, number)
            step = stepwise.row(self, table, row, found, None if apart is None else apart.where)
            return _Selected(bound, number, row, bound.frag, (step,))
        items = join(", ", self.row_items(table, row)) if row else "NULL AS nothing"
        made = sql("SELECT ", items, " FROM (", bound.frag, f") AS r{number}")
        return _Selected(bound, number, row, self.completed(table, row, made))

    def _selected_by_key(self, query: Query, table: Table, selected: _Selected) -> Query:
        """INSERT ... SELECT, and how keys lead to what it selects; what each row draws (a serial's number) is drawn behind it."""
        bound = selected.bound
        if bound.by_key is None:
            return query
        known = [RelationColumn(c.name, c.type) for c in bound.columns]
        step = FromStep(Relation(selected.number, "", known), made_of=(bound.by_key,))
        return self._made_by_key(query, table, selected.row, (step,))

    def _made_by_key(
        self, query: Query, table: Table, nodes: Sequence[ir.Node], steps: tuple[FromStep, ...]
    ) -> Query:
        """The query, and the same for the keyed engine: a row of these nodes for each row of `steps`; without any it is one."""
        row = list(nodes)
        if any(generated.is_late(n, self.made) for n in row):
            return query
        drawn: dict[int, Expr] = {}
        try:
            for i, n in enumerate(row):
                if ir.varies(n):
                    drawn[i] = keyed.as_column(keyed.expression(n, {}), n.type, table.columns[i].type)
                    row[i] = ir.Lit(table.columns[i].type, None)
        except keyed.NotKeyed:
            return query
        made = self.queries.also_by_key(query, Parts(None, None, [Target("", n) for n in row]), steps)
        if made.by_key is None:
            return made
        outputs = tuple(
            keyed.as_column(v, n.type, c.type)
            for v, n, c in zip(made.by_key.outputs, row, table.columns, strict=True)
        )
        return replace(made, by_key=replace(made.by_key, outputs=outputs, drawn=tuple(drawn.items())))


def _same_length(values: exp.Values) -> None:
    """Raises 42601 for rows of VALUES of which one has more or fewer columns than the first."""
    rows = [r.expressions if isinstance(r, exp.Tuple) else [r] for r in values.expressions]
    for row in rows:
        if len(row) != len(rows[0]):
            raise PlanError(
                "42601", "VALUES lists must all be the same length", position=first_position(row[0])
            )


def _decorated(node: exp.Expression) -> bool:
    return any(node.args.get(k) for k in ("order", "limit", "offset", "with_"))


def _places(source: exp.Expression) -> list[int]:
    """Where the columns of a query stand in the text: those of its first SELECT; none of a list with a star in it."""
    while isinstance(source, exp.SetOperation | exp.Subquery | exp.Paren):
        source = source.this
    items = source.expressions if isinstance(source, exp.Select) else []
    stars = any(isinstance(x, exp.Star) or isinstance(x.this, exp.Star) for x in items)
    return [] if stars else [first_position(x) for x in items]
