"""A rule as PostgreSQL writes it out: its condition, and its statements over new and old.

    CREATE RULE r AS
        ON UPDATE TO t
       WHERE (new.a > 0) DO  INSERT INTO log (a, b)
      VALUES (old.a, new.a);

Columns that an INSERT gives values to are named, values are shown as what the columns make of them.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from sqlglot import exp

from planner.abc import Column, SqlError, Table, TypeRef
from planner.binding import ir
from planner.binding.deparse.expressions import NotWritable, TypeName
from planner.binding.deparse.view_expressions import ViewBinder
from planner.binding.deparse.view_from import STEP, RelationName
from planner.binding.deparse.view_text import QueryWriter
from planner.binding.naming import identifier
from planner.binding.parameters import Parameters
from planner.binding.scope import Relation, Scope
from planner.binding.writes.assignments import is_default, target_of, type_of_part
from planner.binding.writes.clauses import RowBinder
from planner.binding.writes.rule_actions import parse_notify
from planner.binding.writes.trigger_conditions import rows_of
from planner.catalog import View, quote_identifier
from planner.parse import parse_expression, parse_query
from planner.types import INT4

_SIDES = {"2": ("old", "new"), "3": ("new",), "4": ("old",)}


def condition_text(
    ctx: Any,
    holder: Table | View,
    event: str,
    text: str,
    type_name: TypeName,
    relation_name: RelationName,
    pretty: bool,
) -> str:
    """A rule's WHERE. Raises NotWritable."""
    try:
        writer, scope = _writer(ctx, holder, event, text, type_name, relation_name, pretty)
        return writer.write(writer.binder.expressions.boolean(parse_expression(text), scope, "WHERE"))
    except SqlError as e:
        raise NotWritable(text) from e


def action_text(
    ctx: Any,
    holder: Table | View,
    event: str,
    text: str,
    type_name: TypeName,
    relation_name: RelationName,
    pretty: bool,
) -> str:
    """A statement, without a semicolon. Raises NotWritable."""
    notify = parse_notify(text)
    if notify is not None:
        return f"\n NOTIFY {quote_identifier(notify.channel)}" + (
            ", '" + notify.payload.replace("'", "''") + "'" if notify.payload else ""
        )
    try:
        writer, scope = _writer(ctx, holder, event, text, type_name, relation_name, pretty)
        scope.columns = []  # here they are never named without their row
        writer.statement(parse_query(text), scope)
    except SqlError as e:
        raise NotWritable(text) from e
    return "".join(writer.out)


def _writer(
    ctx: Any,
    holder: Table | View,
    event: str,
    text: str,
    type_name: TypeName,
    relation_name: RelationName,
    pretty: bool,
) -> tuple[StatementWriter, Scope]:
    binder = ViewBinder(ctx, text, Parameters((), None))
    rows = RowBinder(binder)
    sides = [rows.relation(rows_of(holder), side, side, of_table=False) for side in _SIDES[event]]
    scope = rows.plain_scope(*sides)
    writer = StatementWriter(binder, text, type_name, relation_name, pretty, 0)
    writer.rows = rows
    for relation in sides:
        writer.know_as(relation, relation.name)
    return writer, scope


class _Part(NamedTuple):
    """A column, or a part of one, that a statement gives a value to."""

    shown: str
    type: TypeRef


class StatementWriter(QueryWriter):
    """Writes INSERT, UPDATE and DELETE, too."""

    rows: RowBinder

    def statement(self, tree: exp.Expression, outer: Scope, named: bool = True) -> None:
        """`named`: somebody sees how a query's columns are called."""
        if not isinstance(tree, exp.Insert | exp.Update | exp.Delete):
            self.query(tree, outer, None, named)
            return
        if self.renaming is not None and (self.renaming.old_column or self.renaming.added):
            raise NotWritable("names of after in what writes")
        if tree.args.get("with_") is not None or tree.args.get("conflict") is not None:
            raise NotWritable("WITH or ON CONFLICT")
        table, alias = self._target(tree)
        self.level += STEP
        relation = self.rows.relation(rows_of(table), alias or table.name, "target", of_table=False)
        scope = self.rows.plain_scope(relation)
        scope.parent = outer
        name = self.relation_name(table.schema_oid, table.name)
        if isinstance(tree, exp.Insert):
            self._insert(tree, table, relation, name, alias, outer)
        elif isinstance(tree, exp.Update):
            self.know([relation])
            self._add(f" UPDATE {self._only(tree)}{name}{self._alias(relation, table, alias)} SET ")
            self._assignments(tree, table, self._beside(tree.args.get("from_"), scope))
            self._from_items(tree.args.get("from_"), " FROM ", scope)
            self._where(tree, scope)
        else:
            self.know([relation])
            self._add(f" DELETE FROM {self._only(tree)}{name}{self._alias(relation, table, alias)}")
            self._from_items(tree.args.get("using"), " USING ", scope)
            self._where(tree, scope)
        returning = tree.args.get("returning")
        if returning is not None:
            self._keyword(" RETURNING", plus=1)
            scope.clause = "RETURNING"
            self._targets(self.binder.targets(returning.expressions, scope), None, True)

    def _target(self, tree: exp.Expression) -> tuple[Table | View, str]:
        node = tree.this.this if isinstance(tree.this, exp.Schema) else tree.this
        schema = identifier(node.args["db"]) if node.args.get("db") is not None else ""
        found = self.binder.ctx.catalog.find_relation(identifier(node.this), schema, self.binder.search_path)
        if not isinstance(found, Table | View):
            raise NotWritable("an unknown relation")
        alias = node.args.get("alias")
        return found, identifier(alias.this) if alias is not None else ""

    def _only(self, tree: exp.Expression) -> str:
        return "ONLY " if tree.this.args.get("only") else ""

    def _alias(self, relation: Relation, table: Table | View, alias: str) -> str:
        called, name = self.called(relation), table.name
        if self.renaming is not None and relation.oid:
            name = self.renaming.relation(relation.oid, name)
        return f" {quote_identifier(called)}" if alias or called != name else ""

    def _insert(
        self, tree: exp.Insert, table: Table | View, relation: Relation, name: str, alias: str, outer: Scope
    ) -> None:
        if tree.args.get("overriding"):
            raise NotWritable("OVERRIDING")
        self.know_as(relation, alias or table.name)
        self.taken.add(alias or table.name)
        self._add(f" INSERT INTO {name} " + (f"AS {quote_identifier(alias)} " if alias else ""))
        source = tree.expression
        visible = [c for c in table.columns if not c.hidden]
        listed = [_Part(quote_identifier(c.name), c.type) for c in visible]
        if isinstance(tree.this, exp.Schema):
            names = [identifier(c.this if isinstance(c, exp.Column) else c) for c in tree.this.expressions]
            by_name = {c.name: c for c in visible}
            parts = tree.args.get("targets") or {}
            listed = [self._part(by_name[n], parts.get(i), outer) for i, n in enumerate(names)]
        if source is None or tree.args.get("default"):
            self._add("DEFAULT VALUES")
            return
        if not isinstance(source, exp.Values):
            bound = self.binder.nested(source, outer, [c.type for c in listed])
            self._add(f"({', '.join(c.shown for c in listed[: len(bound.columns)])}) ")
            level = self.level
            self.query(source, outer, None, False)
            self.level = level
            return
        if len(source.expressions) != 1:
            self._several_rows(source, listed, outer)
            return
        row = source.expressions[0]
        cells: list[str] = []
        shown: list[str] = []
        columns = iter(listed)
        for cell in _spread(row.expressions if isinstance(row, exp.Tuple) else [row.this], outer):
            column = next(columns)
            shown.append(column.shown)
            if is_default(cell):
                cells.append("DEFAULT")
                continue
            node = self.binder.expressions.bind(cell, outer)
            cells.append(self._given(node, column.type))
        self._add(f"({', '.join(shown)}) ")
        self._keyword("VALUES (", plus=2)
        self._add(f"{', '.join(cells)})")

    def _part(self, column: Column, target: exp.Expression | None, scope: Scope) -> _Part:
        """What is given a value: a column, or what the target says of it."""
        shown = quote_identifier(column.name)
        if target is None:
            return _Part(shown, column.type)
        _, steps = target_of(target)
        for step in steps:
            shown += (
                f".{quote_identifier(step)}"
                if isinstance(step, str)
                else "".join(self._place(x, scope) for x in step)
            )
        kind = type_of_part(column.type, steps)
        if kind is None:
            raise NotWritable("a part of no known type")
        return _Part(shown, kind)

    def _place(self, subscript: exp.Expression, scope: Scope) -> str:
        if not isinstance(subscript, exp.Slice):
            return f"[{self._subscript(subscript, scope)}]"
        low, high = (
            self._subscript(x, scope) if x is not None else "" for x in (subscript.this, subscript.expression)
        )
        return f"[{low}:{high}]"

    def _subscript(self, tree: exp.Expression, scope: Scope) -> str:
        return self._given(self.binder.expressions.bind(tree, scope), TypeRef(INT4))

    def _several_rows(self, source: exp.Values, listed: list[_Part], outer: Scope) -> None:
        rows: list[str] = []
        for row in source.expressions:
            cells = _spread(row.expressions if isinstance(row, exp.Tuple) else [row.this], outer)
            if any(map(is_default, cells)):
                raise NotWritable("DEFAULT in several rows")
            of = [self.binder.expressions.bind(cell, outer) for cell in cells]
            given = (self._given(node, c.type) for node, c in zip(of, listed, strict=False))
            rows.append(f"({','.join(given)})")
            count = len(of)
        self._add(f"({', '.join(c.shown for c in listed[:count])}) VALUES {', '.join(rows)}")

    def _given(self, node: ir.Node, kind: TypeRef) -> str:
        made = self.binder.coercions.try_coerce(node, TypeRef(kind.oid), "a")
        return self.top(node if made is None else made)

    def _assignments(self, tree: exp.Update, table: Table | View, scope: Scope) -> None:
        by_name = {c.name: c for c in table.columns}
        items = []
        for item in tree.expressions:
            if isinstance(item.this, exp.Tuple | exp.Paren):
                raise NotWritable("assignments of several columns")
            named, steps = target_of(item.this)
            name = identifier(named.this if isinstance(named, exp.Column) else named)
            part = self._part(by_name[name], item.this if steps else None, scope)
            if is_default(item.expression):
                items.append(f"{part.shown} = DEFAULT")
                continue
            node = self.binder.expressions.bind(item.expression, scope)
            items.append(f"{part.shown} = {self._given(node, part.type)}")
        self._add(", ".join(items))

    def _beside(self, said: Any, scope: Scope) -> Scope:
        """The scope of an UPDATE or DELETE, with what FROM or USING adds to it."""
        tables = said if isinstance(said, list) else [said.this] if said else []
        if any(x.args.get("joins") for x in tables) or len(tables) > 1:
            raise NotWritable("several relations beside the written one")
        for x in tables:
            made = self.binder.sources.item(x, scope)
            scope.relations += made.relations
            scope.columns += made.columns
            self.know(made.relations)
        return scope

    def _from_items(self, said: Any, word: str, scope: Scope) -> None:
        if not said:
            return
        if word == " USING ":
            self._beside(said, scope)
        tables = said if isinstance(said, list) else [said.this]
        self._keyword(word, plus=2)
        self._add(self._apart(lambda: self._item(tables[0], iter(scope.relations[1:]), [], scope)))

    def _where(self, tree: exp.Expression, scope: Scope) -> None:
        where = tree.args.get("where")
        if where is not None:
            self._keyword(" WHERE ", plus=1)
            self._add(self.top(self.binder.expressions.boolean(where.this, scope, "WHERE")))


def _spread(cells: list[exp.Expression], outer: Scope) -> list[exp.Expression]:
    """Values of a row, `new.*` as its columns."""
    found: list[exp.Expression] = []
    for cell in cells:
        if isinstance(cell, exp.Column) and isinstance(cell.this, exp.Star):
            side = outer.find_relation(identifier(cell.args["table"]))
            if side is None:
                raise NotWritable("a star")
            found += [
                exp.column(exp.to_identifier(c.name, quoted=True), cell.args["table"].copy())
                for c in side.columns
                if not c.hidden
            ]
        else:
            found.append(cell)
    return found


__all__ = ["StatementWriter", "action_text", "condition_text"]
