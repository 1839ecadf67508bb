"""A function in SQL in FROM: its body is a subquery with the columns that the function returns.

    FROM f(t.a) AS x (n)             LATERAL (body, with t.a for its parameter) AS x
    FROM f(1) WITH ORDINALITY        ... and the numbers of its rows
    FROM f(1)  (no SETOF)            one row always: NULLs where the body finds none

A function that returns single values is an expression of the same subquery.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from planner import types as t
from planner.abc import Oid, PlanError, TypeRef
from planner.binding import expanded, ir, ordinality, shapes
from planner.binding.emit import EmittedColumn
from planner.binding.fragments import Form, Frag, Item, join, sql
from planner.binding.from_items import Source, star_of
from planner.binding.functions.value_texts import record_text
from planner.binding.naming import function_name, identifier
from planner.binding.records import each_field, told_type
from planner.binding.routines import inlined as routines
from planner.binding.routines import resolution as routine_resolution
from planner.binding.routines import runs as routine_runs
from planner.binding.routines import values as routine_values
from planner.binding.routines.bodies import mismatch
from planner.binding.scope import Relation, RelationColumn, Scope
from planner.catalog import Function
from planner.catalog.domains import underneath
from planner.catalog.row_types import relation_of
from planner.parse import position as first_position
from planner.relations import of_domain

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder
    from planner.binding.sources import SourceBinder
    from planner.binding.state import BoundQuery

_RECORD = TypeRef(t.RECORD)
"""A record that nobody describes: its text."""


def fitted(
    queries: QueryBinder, f: Function, bound: BoundQuery, columns: Sequence[tuple[str, TypeRef]] | None
) -> BoundQuery:
    """The body's rows with the declared columns' types. `columns` None: one value. Raises 42P13."""
    wanted = list(columns) if columns is not None else [("", f.result)]
    found = bound.columns
    if columns is None and len(found) != 1:
        raise mismatch(f, "Final statement must return exactly one column.")
    number = queries.anonymous_relation(bound)
    values: list[ir.Node] = []
    for i, (c, (_, ref)) in enumerate(zip(found, wanted, strict=False)):
        value = RelationColumn("", c.type, collation=c.collation).value(number, i)
        made = queries.coercions.try_coerce(value, TypeRef(ref.oid), "a")
        if made is None:
            a, b = t.type_in_words(told_type(c.type).oid), t.type_in_words(ref.oid)
            detail = f"Final statement returns {a} instead of {b} at column {i + 1}."
            raise mismatch(f, detail if columns is not None else f"Actual return type is {a}.")
        values.append(routines.of_domain(queries, made, _domain(f, i, columns is None)))
    if len(found) != len(wanted):
        few = "few" if len(found) < len(wanted) else "many"
        raise mismatch(f, f"Final statement returns too {few} columns.")
    plain = not any(isinstance(v, ir.DomainCheck) for v in values)
    undescribed: list[int] = []  # an OUT parameter of type record
    if columns is not None:
        undescribed = [i for i, (_, ref) in enumerate(wanted) if ref == _RECORD and values[i].type != _RECORD]
    if plain and not undescribed and all(v.type == c.type for v, c in zip(values, found, strict=True)):
        return bound
    frags = [queries.emitter.frag(v) for v in values]
    types = [v.type for v in values]
    for i in undescribed:
        frags[i], types[i] = record_text(frags[i], types[i]), _RECORD
    items: list[Item] = [sql(frag, f" AS c{i}") for i, frag in enumerate(frags)]
    more = ", tw_n" if bound.numbered else ""
    text = sql("SELECT ", join(", ", items), more, " FROM (", bound.frag, f") AS r{number}")
    kept = [type(c)(c.name, ref, collation=c.collation) for c, ref in zip(found, types, strict=True)]
    return type(bound)(text, kept, [x.form for x in frags], bound.outer, numbered=bound.numbered)


def whole_rows(queries: QueryBinder, f: Function, bound: BoundQuery) -> BoundQuery | None:
    """A body of one column that is a row of the type returned: `SELECT t FROM t`, `SELECT ROW(1, 'x')`. None where it is none."""
    if len(bound.columns) != 1 or t.composite_fields(f.result.oid) is None:
        return None
    column = bound.columns[0].type
    if column.oid != t.RECORD and t.composite_fields(column.oid) is None:
        return None
    value = RelationColumn("", column).value(queries.anonymous_relation(bound), 0)
    if queries.coercions.try_coerce(value, f.result, "a") is None:
        return None
    return fitted(queries, f, bound, None)


def in_columns(queries: QueryBinder, bound: BoundQuery) -> BoundQuery:
    """Rows of one column, a composite value, as rows of its fields."""
    (column,) = bound.columns
    number = queries.anonymous_relation(bound)
    value = RelationColumn("", column.type).value(number, 0)
    named = each_field(value, 0) or []
    fields = [f for _, f in named]
    frags = [queries.emitter.frag(f) for f in fields]
    items: list[Item] = [sql(frag, f" AS c{i}") for i, frag in enumerate(frags)]
    more = ", tw_n" if bound.numbered else ""
    text = sql("SELECT ", join(", ", items), more, " FROM (", bound.frag, f") AS r{number}")
    kept = [type(column)(name, f.type) for name, f in named]
    return type(bound)(text, kept, [x.form for x in frags], bound.outer, numbered=bound.numbered)


def _domain(f: Function, place: int, single: bool) -> Oid:
    """The domain of a column that a function returns."""
    if single:
        return f.domain
    return f.outputs[place].domain if place < len(f.outputs) and f.result.oid == t.RECORD else 0


def source(sources: SourceBinder, call: exp.Expression, node: exp.Expression, scope: Scope) -> Source | None:
    """A call in FROM; None where it is not one of a function in SQL."""
    queries = sources.queries
    schema_node = node.args.get("db") if isinstance(node, exp.Table) else None
    if isinstance(call, exp.Dot) and isinstance(call.expression, exp.Anonymous):
        schema_node, call = call.this, call.expression
    if not isinstance(call, exp.Anonymous):
        return None
    name = function_name(call)
    schema = queries.called_schema(identifier(schema_node)) if schema_node is not None else ""
    found = routine_resolution.known(queries, name, schema)
    if not found:
        return None
    position = first_position(schema_node if schema_node is not None else call)
    if schema:
        queries.accesses.enters(schema, position)
    clause, scope.clause = scope.clause, "functions in FROM"
    made = routine_resolution.resolved(
        queries.expressions, found, name, schema, list(call.expressions), scope, position
    )
    if made is not None and any(isinstance(n, ir.SetReturning) for a in made.args for n in ir.walk(a)):
        raise PlanError(
            "0A000", "set-returning functions must appear at top level of FROM", position=position
        )
    scope.clause = clause
    if made is None:
        return None
    if made.function.kind == "a":
        raise PlanError(
            "42803", "aggregate functions are not allowed in functions in FROM", position=position
        )
    return _Rows(sources, made, node, scope, position).source()


class _Rows:
    def __init__(
        self,
        sources: SourceBinder,
        made: routine_resolution.Resolved,
        node: exp.Expression,
        scope: Scope,
        position: int,
    ) -> None:
        self.sources, self.queries, self.made = sources, sources.queries, made
        self.f = made.function
        self.scope, self.position = scope, position
        self.alias: exp.Expression | None = node.args.get("alias")
        self.numbered = bool(node.args.get("ordinality") or node.args.get("offset"))
        self.given = expanded.definitions(self.alias)

    def source(self) -> Source:

        f, queries = self.f, self.queries
        columns = self._columns()
        own = self.alias is not None and self.alias.args.get("this") is not None
        called = identifier(self.alias.this) if own and self.alias is not None else f.name
        text = sql("SELECT NULL AS c0")
        forms: list[Form] = [None for _ in columns or ("",)]
        if not queries.routines.expand:  # whoever writes the query down again asks for the columns alone
            pass
        elif (
            f.runs
            or routines.calls_itself(queries, f)
            or any(shapes.varies(n) for a in self.made.args for n in ir.walk(a))
        ):  # an argument that is another value each time is handed over, and so is there once
            routines.noted(queries, f)
            text, forms = self._run(columns)
        elif columns is None and not f.returns_set:
            value = routines.call(queries, self.made, self.scope, self.position)
            frag = queries.emitter.frag(value)
            text, forms = sql("SELECT ", frag, " AS c0"), [frag.form]
            if self.numbered:
                text = sql("SELECT ", frag, f" AS c0, CAST(1 AS BIGINT) AS {ordinality.NUMBER}")
        else:
            text, forms = self._rows(columns)
        if columns is None:
            name = f.outputs[0].name if f.outputs and f.outputs[0].name else called if own else f.name
            columns = [(name, f.result)]
        number = queries.next_relation()
        relation = Relation(
            number, called, [RelationColumn(n, ref) for n, ref in columns], scalar=len(columns) == 1
        )
        emitted = [EmittedColumn(f"c{i}", form) for i, form in enumerate(forms)]
        fields = t.composite_fields(f.result.oid)
        if fields is not None and not self.numbered:
            relation.own_names = tuple(n for n, _ in fields)
            relation.returned = relation_of(f.result.oid)
            relation.composite = 0 if relation.returned else f.result.oid
        if self.numbered:
            relation.columns.append(RelationColumn("ordinality", TypeRef(t.INT8)))
            relation.scalar = False
            emitted.append(EmittedColumn(ordinality.NUMBER))
        if not self.given:
            self.sources.rename(relation, self.alias)
        queries.declare(number, emitted)
        return Source(sql("LATERAL (", text, f") AS r{number}"), [relation], star_of(relation))

    def _columns(self) -> list[tuple[str, TypeRef]] | None:
        """The columns of its rows; None where it returns single values. Raises 42601."""
        f = self.f
        if f.result.oid == t.RECORD and not f.outputs:
            if not self.given:
                raise PlanError(
                    "42601",
                    'a column definition list is required for functions returning "record"',
                    position=self.position,
                )
            return [(identifier(c.this), self._type_given(c)) for c in self.given]
        if self.given:
            what = (
                "a column definition list is redundant for a function with OUT parameters"
                if f.result.oid == t.RECORD
                else "a column definition list is redundant for a function returning a named composite type"
                if t.composite_fields(f.result.oid) is not None
                else 'a column definition list is only allowed for functions returning "record"'
            )
            raise PlanError("42601", what, position=first_position(self.given[0]))
        return routines.fields_returned(self.queries, f)

    def _type_given(self, c: exp.ColumnDef) -> TypeRef:
        """Values of a domain are those of the type underneath."""
        ref, use = underneath(self.queries.ctx.catalog, self.queries.type_of(c.args["kind"]))
        return ref if use is None else of_domain(ref, use.oid)

    def _run(self, columns: list[tuple[str, TypeRef]] | None) -> tuple[Frag, list[Form]]:
        numbered = ordinality.NUMBER if self.numbered else ""
        return routine_runs.rows(self.queries, self.made, columns, numbered, self.position)

    def _rows(self, columns: list[tuple[str, TypeRef]] | None) -> tuple[Frag, list[Form]]:
        f, queries, args = self.f, self.queries, self.made.args
        routines.noted(queries, f)
        queries.emitter.takes_queries_of_functions(self.position)
        number, relation, scope = routines.parameters(queries, f, args)
        outer = any(isinstance(n, ir.Var) for a in args for n in ir.walk(a)) or any(
            isinstance(n, ir.Argument) for a in args for n in ir.walk(a)
        )
        calls = queries.routines.calls
        with routines.body(queries, f, relation, self.position) as frame:
            queries.numbering = self.numbered
            bound = routines.rows(queries, f, scope, columns, spread=True)
            queries.numbering = False
        if frame.recurs:
            queries.routines.calls = calls
            return self._run(columns)
        text, forms = bound.frag, bound.forms
        texts = [queries.emitter.frag(a) for a in args]
        text = routine_values.in_text(text, number, texts)
        width = len(bound.columns)
        names = ", ".join(f"c{i}" for i in range(width))
        if self.numbered:
            if bound.numbered:
                text = sql(f"SELECT {names}, tw_n AS {ordinality.NUMBER} FROM (", text, ")")
            elif outer:
                struct = ", ".join(f"'c{i}': c{i}" for i in range(width))
                listed = sql(f"(SELECT list({{{struct}}}) FROM (", text, "))")
                fields = ", ".join(f"v.c{i} AS c{i}" for i in range(width))
                text = sql(
                    f"SELECT {fields}, {ordinality.NUMBER} FROM (", ordinality.unnested([(listed, "v")]), ")"
                )
            else:
                text = sql(f"SELECT {names}, row_number() OVER () AS {ordinality.NUMBER} FROM (", text, ")")
            names += f", {ordinality.NUMBER}"
        if f.strict and args:
            tests = join(" AND ", [sql("(", x, ") IS NOT NULL") for x in texts])
            text = sql(f"SELECT {names} FROM (", text, ") WHERE ", tests)
        if not f.returns_set:
            text = sql(f"SELECT {names} FROM (SELECT 1) AS tw_one LEFT JOIN (", text, ") AS tw_row ON true")
        return text, forms
