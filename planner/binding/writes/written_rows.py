"""The rows of a table that a statement writes: which table it is, and what stands in each of its columns.

    target         the table that the statement names, or that the view it names shows
    assigned       a value as the column's type; `fitted` applies the column's modifier
    default        what a column gets that is given none
    generated      the row with its generated columns computed from the others

What else such statements share, SET, ON CONFLICT and RETURNING, is in `rows`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from sqlglot import exp

from planner import types as t
from planner.abc import (
    Column,
    PlanError,
    Table,
    TypeRef,
)
from planner.binding import ir, system_columns
from planner.binding.coerce import read_as
from planner.binding.common_tables import with_text
from planner.binding.emit import EmittedColumn
from planner.binding.fragments import Frag, Item, join, quote_name, sql
from planner.binding.from_items import CommonTable
from planner.binding.naming import identifier
from planner.binding.numeric_forms import column_form
from planner.binding.queries import QueryBinder
from planner.binding.records import told_type
from planner.binding.scope import (
    Relation,
    RelationColumn,
    Scope,
    StarColumn,
)
from planner.binding.state import BoundQuery
from planner.binding.writes import generated, instead_of, updatable_views
from planner.catalog import View
from planner.catalog.system.relations import relations as system_relations
from planner.lexer import QUOTED, WORD, tokenize
from planner.parse import parse_expression
from planner.parse import position as first_position
from planner.records import replace
from planner.relations import TransitionTable, typed


class NoSuchTarget(PlanError):
    """A column is to be assigned that is not there."""


class JoinedColumns:
    """Columns of FROM's (USING's) relations in RETURNING: the statement's query hands them over with each row.

    RETURNING is a query of its own over the written rows; a column of another relation becomes column
    `x0`, `x1`, ... of the relation `number`, which the executor binds to the slot "joined".
    """

    def __init__(self, queries: QueryBinder, relations: set[int]) -> None:
        self.queries = queries
        self.relations = relations
        self.items: list[Frag] = []
        self.number = queries.next_relation()
        self._columns: list[EmittedColumn] = []
        self._seen: dict[tuple[int, int], int] = {}
        queries.declare(self.number, self._columns)

    def taken(self, node: ir.Node) -> ir.Node:
        """The node with such columns replaced by what stands for them."""
        if isinstance(node, ir.Var) and node.relation in self.relations:
            at = (node.relation, node.column)
            if at not in self._seen:
                i = self._seen[at] = len(self.items)
                frag = self.queries.emitter.frag(node)
                self.items.append(sql(frag, f" AS x{i}"))
                self._columns.append(EmittedColumn(f"x{i}", frag.form))
            return ir.Var(node.type, self.number, self._seen[at], node.position)
        return ir.replace_children(node, self.taken)


class WrittenRows:
    """What INSERT, UPDATE and DELETE share, as far as it is about rows."""

    def __init__(self, queries: QueryBinder) -> None:
        self.queries = queries
        self.expressions = queries.expressions
        self.coercions = queries.coercions
        self.joined: JoinedColumns | None = None
        self.common = False
        """It is a query of WITH: what it returns stays in DuckDB's types, for other queries to read."""
        self.inherited: list[Item] = []
        self.only = False
        """What is written are rows of the table that is named alone: INSERT's, and those of ONLY."""
        self.inherited_recursive = False
        self.around: dict[str, object] = {}
        """The texts and names of the WITH queries around this statement, if it is one of them itself."""
        self.returned: BoundQuery | None = None
        self.made: list[int] = []
        """The relations that stand for rows whose generated columns are computed when they are there."""
        self.view: updatable_views.ViewTarget | None = None
        """The view that the statement writes to, if it is one."""
        self.instead: instead_of.Target | None = None
        """The view whose INSTEAD OF triggers write what the statement says, if it is to one."""
        self.for_rules = False
        """What is bound are the rows that rules know as NEW and OLD (`planner.binding.writes.rules`)."""
        self.rows_text: Frag | None = None
        """These rows."""
        self.whole_conflicts = False
        """ON CONFLICT DO UPDATE is decided by a query, for policies are asked about rows before and after it."""
        self._with: Frag | None = None
        self._scope = queries.new_scope(None)

    def target(self, node: exp.Expression, what: str) -> tuple[Table, str]:
        """The table and the name by which the statement calls it."""
        if isinstance(node, exp.Schema):
            node = node.this
        if not isinstance(node, exp.Table):
            raise PlanError("42601", f"cannot {what} this", position=first_position(node))
        self.only = what == "insert into" or bool(node.args.get("only"))
        found, called = self._target(node, what)
        self.queries.written_table = found
        return found, called

    def _target(self, node: exp.Table, what: str) -> tuple[Table, str]:
        name = identifier(node.this)
        schema_node = node.args.get("db")
        said = identifier(schema_node) if schema_node is not None else ""
        schema = self.queries.called_schema(said)
        if schema and self.queries.ctx.catalog.find_schema(schema) is None:
            raise PlanError(
                "42P01", f'relation "{said}.{name}" does not exist', position=first_position(schema_node)
            )
        found = self.queries.ctx.catalog.find_relation(name, schema, self.queries.search_path)
        position = first_position(schema_node if schema_node is not None else node.this)
        alias = node.args.get("alias")
        called = identifier(alias.this) if alias is not None else name
        if isinstance(found, View):
            if self.for_rules or instead_of.handles(found, what):
                self.instead = instead_of.Target(found)
                return self.instead.rows, called
            self.view = updatable_views.view_target(self.queries.ctx.catalog, found, what)
            updatable_views.refuse_rules(self.view, what)
            if self.view.triggered is not None:
                self.instead = instead_of.Target(self.view.triggered)
            if what != "insert into":
                self.only = self.view.only
                self._not_only_partitioned(self.view.table)
            return (self.view.table if what == "delete from" else self._guarded(self.view)), called
        if found is None or not isinstance(found, Table):
            shown = f"{said}.{name}" if said else name
            if found is None and (schema or "pg_catalog", name) in system_relations():
                raise PlanError("42501", f"permission denied for table {name}")
            raise PlanError("42P01", f'relation "{shown}" does not exist', position=position)
        if isinstance(found, TransitionTable):
            raise PlanError("0A000", f'relation "{name}" cannot be the target of a modifying statement')
        if found.materialized is not None and what == "merge into":
            raise PlanError(
                "0A000",
                f'cannot execute MERGE on relation "{name}"',
                detail="This operation is not supported for materialized views.",
            )
        if found.materialized is not None:
            raise PlanError("42809", f'cannot change materialized view "{name}"')
        if what != "insert into":
            self._not_only_partitioned(found)
        return found, called

    def _not_only_partitioned(self, table: Table) -> None:
        if self.only and table.partitioning is not None:
            raise PlanError("0A000", "writing to ONLY a partitioned table is not supported")

    def _guarded(self, target: updatable_views.ViewTarget) -> Table:
        from planner.binding.writes.check_options import guarded  # which stands on this

        return guarded(self.queries.ctx, target)

    def relation(self, table: Table, name: str, slot: str = "", *, of_table: bool) -> Relation:
        number = self.queries.next_relation()
        slot = slot or (f"s{number}" if of_table else "")
        columns = [
            RelationColumn(c.name, typed(c), table.oid, c.attnum, c.hidden, c.collation)
            for c in table.columns
        ]
        written = [EmittedColumn(quote_name(c.name), column_form(c.type)) for c in table.columns]
        if of_table:
            columns += system_columns.columns(table)
            written += system_columns.emitted(table, only=self._alone(table))
        elif slot:
            columns += system_columns.columns(table)
            written += system_columns.returned(table, only=self._alone(table))
        made = Relation(number, name, columns, table, "", slot, only=self._alone(table))
        self.queries.declare(number, written)
        if of_table:
            self.queries.tables.append(made)
        return made

    def _alone(self, table: Table) -> bool:
        """Whether the rows that are written are the table's own, whatever children it has."""
        return self.only and table.partitioning is None

    def column_index(self, table: Table, node: exp.Expression, what: str = "update") -> int:
        name = identifier(node.this if isinstance(node, exp.Column) else node)
        if self.view is not None:
            index = self.view.position(name)
            if index is not None and index < 0:
                raise self.view.unassignable(name, what)
        else:
            index = next((i for i, c in enumerate(table.columns) if c.name == name), None)
        if index is None:
            shown = table.name if self.view is None else self.view.view.name
            raise NoSuchTarget(
                "42703",
                f'column "{name}" of relation "{shown}" does not exist',
                position=first_position(node),
            )
        return index

    def assigned(self, node: ir.Node, column: Column, position: int) -> ir.Node:
        """The value as the column's type, its modifier left to `fitted`. Raises 42804."""
        if column.domain is not None and isinstance(node, ir.Parm):
            self.coercions.parameters.meet_domain(node.number, column.declared.oid)
        target = read_as(column.type) if node.type.oid == t.UNKNOWN else TypeRef(column.type.oid)
        made = self.coercions.try_coerce(node, target, "a", position)
        if made is None:
            raise PlanError(
                "42804",
                f'column "{column.name}" is of type {t.type_in_words(column.type.oid)} but expression is of type '
                f"{t.type_in_words(told_type(node.type).oid)}",
                hint="You will need to rewrite or cast the expression.",
                position=position,
            )
        return made

    def fitted(self, node: ir.Node, column: Column) -> ir.Node:
        """The value with the column's modifier applied, as an assignment does it (22001, 22003)."""
        if column.type.typmod >= 0 and node.type.typmod != column.type.typmod:
            return ir.Cast(column.type, node, False)
        return node

    def default(self, table: Table, index: int) -> ir.Node:
        """What a column without a value gets."""
        column = table.columns[index]
        if self.view is not None and (said := self.view.default(index)) is not None:
            column = dataclasses.replace(column, default=said, identity="", sequence_oid=0)
        if column.identity or column.sequence_oid:  # by OID: whatever the sequence is called now
            call = ir.Call(
                TypeRef(t.INT8),
                "nextval(regclass)",
                (ir.Lit(TypeRef(t.REGCLASS), column.sequence_oid),),
                True,
            )
            return self.assigned(call, column, 0)
        if column.filling is None or column.generated:
            return ir.Lit(TypeRef(column.type.oid), None)
        bound = self.stored_expression(column.filling, Scope(None, 0, clause="DEFAULT expressions"))
        return self.assigned(self._sequences_named(bound), column, 0)

    def _sequences_named(self, node: ir.Node) -> ir.Node:
        """`nextval('s')` with its sequence looked up: a plan is good for one catalog only."""
        if isinstance(node, ir.Call) and node.op == "nextval(regclass)":
            name = node.args[0]
            if (
                isinstance(name, ir.Cast)
                and name.reads
                and isinstance(name.arg, ir.Lit)
                and isinstance(name.arg.value, str)
            ):
                words = [w.value for w in tokenize(name.arg.value) if w.kind in (WORD, QUOTED)]
                schema = words[-2] if len(words) > 1 else ""
                catalog = self.queries.ctx.catalog
                found = None
                if words and (not schema or catalog.find_schema(schema) is not None):
                    found = catalog.find_relation(words[-1], schema, self.queries.search_path)
                if found is not None:
                    return replace(node, args=(ir.Lit(TypeRef(t.REGCLASS), found.oid),))
        return ir.replace_children(node, self._sequences_named)

    def stored_expression(self, text: str, scope: Scope) -> ir.Node:
        """A definition's text. Names in it are columns': variables of the body whose statement this is are not its business."""
        saved = self.queries.text, self.expressions.text, self.queries.search_path
        variables, self.queries.variables = self.queries.variables, None
        self.queries.text = self.expressions.text = text
        self.queries.search_path = self.queries.ctx.catalog.reaching_extensions(self.queries.search_path)
        try:
            return self.expressions.bind(parse_expression(text), scope)
        finally:
            self.queries.text, self.expressions.text, self.queries.search_path = saved
            self.queries.variables = variables

    def generated(self, table: Table, row: Sequence[ir.Node], *, of_heirs: bool = False) -> list[ir.Node]:
        """The row with its generated columns computed from the other ones.

        `of_heirs`: rows of children are among them, so what enforces the table's own unique indexes is left to who knows whose they are.
        """
        if not any(c.generated for c in table.columns):
            return list(row)
        relation = self.relation(table, table.name, "", of_table=False)
        self.queries.declare(relation.number, generated.emitted(table))
        self.made.append(relation.number)
        scope = self.plain_scope(relation)
        out = list(row)

        def put(n: ir.Node) -> ir.Node:
            if isinstance(n, ir.Var) and n.relation == relation.number:
                return self.fitted(row[n.column], table.columns[n.column])
            return ir.replace_children(n, put)

        computed: dict[int, ir.Node] = {}

        def put_computed(n: ir.Node) -> ir.Node:
            if isinstance(n, ir.Var) and n.relation == relation.number and n.column in computed:
                return self.fitted(computed[n.column], table.columns[n.column])
            return ir.replace_children(n, put_computed)

        for i, c in sorted(enumerate(table.columns), key=lambda at: at[1].hidden):
            if of_heirs and c.hidden:
                out[i] = ir.Lit(TypeRef(c.type.oid), None)
            elif c.generated and c.default is not None:
                value = self.stored_expression(c.default, scope)
                if c.hidden:  # of what indexes are made, generated columns among it
                    value = put_computed(value)
                else:
                    computed[i] = self.assigned(value, c, 0)
                if not any(generated.may_vary(row[k]) for k in generated.reads(value, relation.number)):
                    value = put(value)
                out[i] = self.assigned(value, c, 0)
        return out

    def row_items(self, table: Table, row: Sequence[ir.Node]) -> list[Item]:
        """A row's values as columns of a query: NULL for those that `completed` adds."""
        return [
            sql(
                "NULL" if generated.is_late(n, self.made) else self.canonical(self.fitted(n, c), c),
                f" AS {quote_name(c.name)}",
            )
            for n, c in zip(row, table.columns, strict=True)
        ]

    def completed(self, table: Table, row: Sequence[ir.Node], text: Frag) -> Frag:
        """The query of `row_items` with what is computed from the rows that it makes."""
        late: list[Item] = [
            sql(self.canonical(self.fitted(n, c), c), f" AS {quote_name(c.name)}")
            for n, c in zip(row, table.columns, strict=True)
            if generated.is_late(n, self.made)
        ]
        if not late:
            return text
        return sql("SELECT * REPLACE (", join(", ", late), ") FROM (", text, f") AS {generated.MADE}")

    def scope_of(self, *relations: Relation) -> Scope:
        """A scope of the written table's rows, as the statement knows them."""
        if self.view is None:
            return self.plain_scope(*relations)
        return self.plain_scope(*(updatable_views.shown(self, self.view, r, r.name) for r in relations))

    def plain_scope(self, *relations: Relation) -> Scope:
        scope = self.queries.new_scope(None)
        for r in relations:
            scope.relations.append(r)
            scope.columns += [
                StarColumn(c.name, r.value(i), c) for i, c in enumerate(r.columns) if not c.hidden
            ]
        return scope

    def with_clause(self, node: exp.Expression) -> Frag | None:
        self._scope = self.queries.new_scope(None)
        self._scope.ctes = dict(self.around)
        recursive, items = self.queries.with_items(node, self._scope, self.inherited)
        self._with = with_text(recursive or self.inherited_recursive, [*self.inherited, *items])
        return self._with

    def with_queries(self, text: Frag) -> Frag:
        """A text of the statement's (RETURNING, DO UPDATE) behind the WITH queries, if it names one of them."""
        names = [c.sql_name for c in self._scope.ctes.values() if isinstance(c, CommonTable)]
        named = any(
            f"{name} AS r" in p
            for p in text.parts
            if isinstance(p, str)
            for name in names
            if isinstance(name, str)
        )
        return sql(self._with, text) if named and self._with is not None else text

    def canonical(self, node: ir.Node, column: Column) -> Frag:
        for n in ir.walk(node):
            if isinstance(n, ir.Call) and n.volatile:
                self.queries.volatile = True
        frag = self.queries.emitter.frag(node)
        return self.queries.canonical(frag, column.type)
