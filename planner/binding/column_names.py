"""Names in expressions: columns of whatever relation is in reach, whole rows, fields of records, variables of PL/pgSQL.

    a            a column of one relation in reach, the innermost scope that has it; else a relation's whole row
    r.a          a column of the relation r; else a field of the parameter r, in a function's body
    (r).a        a field of a composite value

A name found in an outer scope is noted in all scopes on the way (`reach`): that is what makes a subquery a correlated one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, Table, TypeRef
from planner.binding import attribute_notation, ir, locked_each, system_columns
from planner.binding.missing_names import barred_column, missing_relation
from planner.binding.naming import identifier
from planner.binding.records import field_names, field_of, row_of, told_type
from planner.binding.scope import Relation, Scope, find_column, no_column, similar_column
from planner.catalog import View
from planner.catalog.row_types import row_type
from planner.catalog.user_types import meet_rows
from planner.parse import position as first_position
from planner.records import replace
from planner.remembered import RememberedPath

if TYPE_CHECKING:
    from planner.binding.routines.variables import Variables
from planner.binding.predicates import PredicateBinder

BOOL = TypeRef(t.BOOL)


def start_of(node: exp.Expression) -> int:
    meta = node.meta if node._meta is not None else None
    start = meta.get("start") if meta else None
    return 0 if start is None else start + 1


def _are_fields(columns: Sequence[ir.Node], composite: int) -> bool:
    """Whether these are what a composite type is made of."""
    fields = t.composite_fields(composite) or ()
    return [told_type(x.type) for x in columns] == [ref for _, ref in fields]


def _unless_missing(relation: Relation, row: ir.Logic, named: Callable[[ir.Var], ir.Node]) -> ir.Node:
    """The whole row of a relation for which an outer join may have found nothing: it is NULL then.

    That shows in a column that cannot be NULL in a row; where there is none, in the place of a table's row, or in all columns of other rows.
    """
    columns = relation.table.columns if relation.table is not None else ()
    sure: list[ir.Node] = [item for item, column in zip(row.args, columns, strict=False) if column.not_null]
    if not sure and relation.table is not None and len(relation.columns) > len(columns):
        sure.append(named(ir.Var(TypeRef(t.TID), relation.number, system_columns.NUMBERS["ctid"])))
    tests = tuple(ir.Logic(BOOL, "is not null", (item,)) for item in sure[:1] or row.args)
    if not tests:
        return row
    present = tests[0] if len(tests) == 1 else ir.Logic(BOOL, "or", tests)
    return ir.Logic(row.type, "case", (present, row, ir.Lit(row.type, None)))


class NameBinder(PredicateBinder):
    """What a name means."""

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
                barred = barred_column(scope, name, position)
                raise barred or no_column(f'"{name}"', position, similar_column(scope, name))
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
            return self._starred(relation, schema, scope)
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

    def _starred(self, relation: exp.Expression, schema: exp.Expression | None, scope: Scope) -> ir.Node:
        """`relation.*` within an expression: its row, or the composite value of that name (`NEW.*`). Raises 42P01, 42702."""
        words = (identifier(relation),) if schema is None else (identifier(schema), identifier(relation))
        position = start_of(relation if schema is None else schema)
        whole = self._whole_row(words[-1], scope)
        value = self._variable(words, position, whole is not None) if self._variables is not None else None
        if value is None and whole is None:
            value = self.argument_named(words)
        if value is not None and (
            value.type.oid == t.RECORD or t.composite_fields(value.type.oid) is not None
        ):
            return value
        if whole is None:
            raise missing_relation(scope, words[-1], position)
        return whole

    def qualified(self, relation: str, name: str, scope: Scope, position: int, schema: str = "") -> ir.Node:
        """`relation.name`. Raises 42P01 for the relation, 42703 for the column."""
        at: Scope | None = scope
        while at is not None:
            found = at.find_relation(relation, schema) or self._unaliased(relation, schema, at)
            if found is not None:
                matches = [i for i, c in enumerate(found.columns) if c.name == name]
                if not matches:
                    hint = similar_column(scope, name, relation)
                    missing = no_column(f"{relation}.{name}", position, hint)
                    whole = self._whole_row(relation, scope)
                    if whole is None:
                        raise missing
                    return attribute_notation.as_call(self, name, whole, scope, missing)
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
        argument = self.argument_named(words[:-1])
        if argument is None or words[-1] not in field_names(argument.type):
            return None
        return field_of(argument, words[-1], position)

    def argument_named(self, words: Sequence[str]) -> ir.Node | None:
        """In a function's body, the argument for a parameter: `name`, or `function.name`."""
        if not self.queries.routines.frames:
            return None
        frame = self.queries.routines.frames[-1]
        if len(words) == 2 and words[0] != frame.function.name:
            return None
        named = zip(frame.function.inputs, frame.arguments, strict=False)
        return next((argument for p, argument in named if p.name == words[-1]), None)

    def _unaliased(self, name: str, schema: str, at: Scope) -> Relation | None:
        """The table `schema.name` that the statement calls by its name alone: as a target, or found on the path."""
        home = self.queries.ctx.catalog.find_schema(schema) if schema else None
        if home is None:
            return None
        for r in at.relations:
            if (
                r.visible
                and r.table is not None
                and r.name == name
                and (
                    (r.table.name == name and r.table.schema_oid == home.oid)
                    or self._was_called(schema, name, r.table.oid)
                )
            ):
                return r
        return None

    def _was_called(self, schema: str, name: str, oid: int) -> bool:
        """Whether that is what a stored query calls the relation, which may have been renamed since."""
        path = self.queries.search_path
        return isinstance(path, RememberedPath) and path.found.get((schema, name)) == oid

    def reach(self, node: ir.Node, scope: Scope, at: Scope) -> ir.Node:
        """Notes the columns used, and in each scope on the way that they are outer ones."""
        standing = locked_each.between(scope, at)
        if standing is not None:
            return standing.instead(self.queries, node, at)
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
                held = found.table or self.queries.ctx.catalog.get(found.rows_of)
                if isinstance(held, Table | View) and not found.values:
                    made = row_type(held)
                    if [told_type(x.type) for x in columns] == [c.type for c in made.columns]:
                        meet_rows(made)
                        rows = made.oid
                elif found.composite and _are_fields(columns, found.composite):
                    rows = found.composite
                row = row_of(tuple(columns), names, rows)
                if not found.nullable:
                    return row
                return _unless_missing(found, row, partial(self.reach, scope=scope, at=at))
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
        inner = exp.Paren | exp.Dot | exp.Parameter | exp.Bracket | exp.Subquery
        if isinstance(node.this, inner) and isinstance(node.expression, exp.Identifier):
            whole = node.this.this if isinstance(node.this, exp.Paren) else node.this
            name, record = identifier(node.expression), self.bind(whole, scope)
            try:
                made = field_of(record, name, first_position(whole))
                missing = self._no_composite(node, record)
            except PlanError as e:
                made, missing = None, e
            return made or attribute_notation.as_call(self, name, record, scope, missing)
        raise self._no_composite(node, self.bind(node.this, scope))

    def _no_composite(self, node: exp.Dot, record: ir.Node) -> PlanError:
        position = first_position(node)
        if not isinstance(node.expression, exp.Identifier):
            return PlanError("0A000", "composite field selection is not supported", position=position)
        name = identifier(node.expression)
        if record.type.oid == t.RECORD:
            return PlanError(
                "42703", f'could not identify column "{name}" in record data type', position=position
            )
        return PlanError(
            "42809",
            f"column notation .{name} applied to type {t.type_in_words(record.type.oid)}, "
            "which is not a composite type",
            position=position,
        )
