"""Functions in FROM: set-returning ones give rows, others one row.

    FROM unnest($1, $2) WITH ORDINALITY    LATERAL (SELECT unnest(a) AS c0, unnest(b) AS c1, ...) AS r3
    FROM f(x) AS (a int, b text)           a record's fields, by their definition
    FROM generate_series(1, n)             streamed, where the engine can

Arguments may name items of FROM before it: a function is LATERAL by itself. Functions of users' whose body is a query are
`routines.rows`; several side by side, `rows_from`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import (
    changes,
    effects,
    expanded,
    ir,
    listed_rows,
    ordinality,
    queried_texts,
    rows_from,
    series,
)
from planner.binding.clauses import refuse_sets_below
from planner.binding.dimensions import held_form
from planner.binding.emit import EmittedColumn
from planner.binding.facts import procs, type_name, type_oid
from planner.binding.fragments import Frag, Item, join, sql
from planner.binding.from_items import Source, star_of
from planner.binding.keyed import calls as keyed_calls
from planner.binding.keyed import documents as keyed_documents
from planner.binding.naming import figure_name, function_name, identifier
from planner.binding.records import fields_of
from planner.binding.routines import rows as routine_rows
from planner.binding.scope import FromStep, Relation, RelationColumn, Scope
from planner.binding.xml import tables as xml_tables
from planner.parse import position as first_position

if TYPE_CHECKING:
    from planner.binding.sources import SourceBinder


def function(sources: SourceBinder, call: exp.Expression, node: exp.Expression, scope: Scope) -> Source:
    """A function in FROM: set-returning ones give rows, others one row."""
    if isinstance(call, exp.Anonymous) and function_name(call) == changes.NAME:
        return changes.source(sources.queries, call, node.args.get("alias"), sources)
    alias = node.args.get("alias")
    numbered = bool(node.args.get("ordinality") or node.args.get("offset"))
    defined = expanded.definitions(alias)
    if defined and numbered:
        raise PlanError(
            "42601",
            "WITH ORDINALITY cannot be used with a column definition list",
            hint="Put the column definition list inside ROWS FROM().",
            position=first_position(defined[0]),
        )
    queried = queried_texts.source(sources, call, node) or listed_rows.source(sources, call, node)
    if queried is not None:
        return queried
    in_xml = xml_tables.source(sources, call, node, scope)
    if in_xml is not None:
        return in_xml
    in_sql = routine_rows.source(sources, call, node, scope)
    if in_sql is not None:
        return in_sql
    if isinstance(node, exp.Table) and node.args.get("db") is not None:
        call = exp.Dot(this=node.args["db"], expression=call)
    clause, scope.clause = scope.clause, "functions in FROM"
    lists = _given(sources, call, scope)
    scope.clause = clause
    shown = identifier(alias.this) if alias is not None and alias.this is not None else lists[0][0]
    number = sources.queries.next_relation()
    if len(lists) == 1:
        made = _expanded(sources, lists[0][1], alias, shown, number, numbered)
        if made is not None:
            return made
    if node.args.get("schema") is not None or defined:
        raise PlanError("0A000", "column definition lists are not supported", position=first_position(call))
    beside = _Beside(sources, numbered)
    for name, each in lists:
        beside.add(each, shown if len(lists) == 1 and alias is not None else name, alone=len(lists) == 1)
    return beside.source(shown, alias, number)


def _given(sources: SourceBinder, call: exp.Expression, scope: Scope) -> list[tuple[str, ir.Node]]:
    """What rows are made of, and what each is called: a function's value, or for `unnest(a, b)` each list."""
    expressions = sources.queries.expressions
    several = (
        isinstance(call, exp.Anonymous) and function_name(call) == "unnest" and len(call.expressions) > 1
    )
    if not several and not isinstance(call, exp.Unnest):
        made = expressions.bind(call, scope)
        refuse_sets_below(made)
        return [(function_name(call) if isinstance(call, exp.Anonymous) else figure_name(call), made)]
    lists: list[tuple[str, ir.Node]] = []
    for e in call.expressions:
        array = expressions.bind(e, scope)
        rows_from.refuse_arrays(e, array)
        lists.append((rows_from.called(e), expressions.function("unnest", [array], first_position(call))))
    return lists


def _expanded(
    sources: SourceBinder,
    made: ir.Node,
    alias: exp.Expression | None,
    shown: str,
    number: int,
    numbered: bool,
) -> Source | None:
    """Rows of a record's fields, as a definition says them or its type does; None: what is made has no such rows."""
    queries = sources.queries
    given = expanded.definitions(alias)
    wide = (
        expanded.by_definition(queries, made, given, numbered)
        if given
        else expanded.by_fields(queries, made, numbered)
    )
    if wide is None:
        return None
    fields, forms, text, spare = wide
    relation = Relation(number, shown, [RelationColumn(n, ref) for n, ref in fields])
    emitted = [EmittedColumn(f"c{i}", f) for i, f in enumerate(forms)]
    if numbered:
        relation.columns.append(RelationColumn("ordinality", TypeRef(t.INT8)))
        emitted.append(EmittedColumn(ordinality.NUMBER))
    elif not given:
        expanded.of_their_type(relation, made.type)
    if not given:
        sources.rename(relation, alias)
    queries.declare(number, emitted)
    asked_by_engine = numbered or spare is None  # domains are asked by DuckDB's text
    return Source(
        _lateral(text, number),
        [relation],
        star_of(relation),
        () if asked_by_engine else keyed_documents.steps(queries, relation, made, fields),
        padded=spare and _lateral(spare, number),
    )


class _Beside:
    """Lists side by side, the elements of each a column or several, and a single value in the first row."""

    def __init__(self, sources: SourceBinder, numbered: bool) -> None:
        self._sources, self._numbered = sources, numbered
        self._lists: list[ir.Node] = []
        self._columns: list[RelationColumn] = []
        self._emitted: list[EmittedColumn] = []
        self._items: list[Item] = []
        self._listed: list[tuple[Frag, str]] = []
        self._split: list[Item] = []  # the columns of composite values
        self._acts: list[int] = []

    def add(self, made: ir.Node, name: str, *, alone: bool) -> None:
        """One more. `name`: what its column is called, where it says no other."""
        self._lists.append(made)
        emit, first = self._sources.queries.emitter, len(self._columns)
        outs = _record_columns(made)
        if outs is not None:
            frag = (
                emit.set_returning_list(made)
                if isinstance(made, ir.SetReturning)
                else sql("[", emit.frag(made), "]")
            )
            self._unnest(frag, f"u{first}")
            for out_name, out_type in outs:
                out = TypeRef(type_oid(out_type))
                self._column(out_name, out, EmittedColumn(f"u{first}.{out_name}", held_form(out)))
            return
        attributes = None if alone else t.composite_fields(made.type.oid)
        if attributes is not None and isinstance(made, ir.SetReturning):
            self._unnest(emit.set_returning_list(made), f"u{first}")
            for i, cell in enumerate(expanded.cells(f"u{first}", attributes), first):
                self._split.append(sql(cell, f" AS c{i}"))
                self._column(*attributes[i - first], EmittedColumn(f"c{i}", cell.form))
            return
        if isinstance(made, ir.SetReturning):
            self._unnest(emit.set_returning_list(made), f"c{first}")
            form = emit.set_returning_form(made)
        else:
            frag = emit.frag(made)
            self._items.append(sql(frag, f" AS c{first}"))
            form = frag.form
            if effects.does_something(made):
                self._acts.append(first)
        self._column(_single_column(made) or name, made.type, EmittedColumn(f"c{first}", form))

    def _unnest(self, frag: Frag, column: str) -> None:
        self._listed.append((frag, column))
        self._items.append(sql("unnest(", frag, f") AS {column}"))

    def _column(self, name: str, ref: TypeRef, emitted: EmittedColumn) -> None:
        self._columns.append(RelationColumn(name, ref))
        self._emitted.append(emitted)

    def source(self, shown: str, alias: exp.Expression | None, number: int) -> Source:
        sources, lists, numbered = self._sources, self._lists, self._numbered
        if numbered:
            self._column("ordinality", TypeRef(t.INT8), EmittedColumn(ordinality.NUMBER))
        relation = Relation(number, shown, self._columns, scalar=len(self._columns) == 1)
        sources.rename(relation, alias)
        sources.queries.declare(number, self._emitted)
        streamed = series.streamed(sources.queries.emitter, lists[0]) if len(lists) == 1 else None
        spare = self._padded() if streamed is None else None
        inner = self._rows(streamed)
        if self._acts:
            inner = effects.asked(inner, self._acts, number)
        wide_rows = len(lists) == 1 and keyed_calls.is_wide(lists[0])
        plain = (wide_rows or len(self._columns) == len(lists) + numbered) and not self._split
        steps = (FromStep(relation, spread=tuple(lists), numbered=numbered),) if plain else ()
        return Source(
            _lateral(inner, number),
            [relation],
            star_of(relation),
            steps,
            padded=spare and _lateral(spare, number),
        )

    def _rows(self, streamed: Frag | None) -> Frag:
        """The query that gives the rows. `streamed`: one that gives a single list's."""
        if streamed is not None and self._numbered:  # of no outer row: they come in their order
            return sql(f"SELECT *, row_number() OVER () AS {ordinality.NUMBER} FROM (", streamed, ")")
        if streamed is not None:
            return streamed
        if self._listed and self._numbered:
            inner = ordinality.unnested(self._listed)
        else:
            one = [f"CAST(1 AS BIGINT) AS {ordinality.NUMBER}"] if self._numbered else []
            inner = sql("SELECT ", join(", ", [*self._items, *one]))
        return sql("SELECT *, ", join(", ", self._split), " FROM (", inner, ")") if self._split else inner

    def _padded(self) -> Frag | None:
        """The same with a row of NULLs where there are none, for an outer join."""
        if len(self._listed) != len(self._lists) or self._split:
            return None
        if self._numbered or len(self._listed) > 1:
            return ordinality.unnested(self._listed, at_least_one=True)
        ((frag, column),) = self._listed
        return sql("SELECT unnest(", ordinality.padded(frag), f") AS {column}")


def _lateral(query: Frag, number: int) -> Frag:
    return sql("LATERAL (", query, f") AS r{number}")


def _single_column(made: ir.Node) -> str:
    """The name of a function's only OUT parameter (`value` of json_array_elements)."""
    if not isinstance(made, ir.SetReturning):
        return ""
    name, _, declared = made.op[:-1].partition("(")
    for p in procs().get(name, ()):
        if ", ".join(p.args) == declared and len(p.out) == 1:
            return p.out[0][0]
    return ""


def _record_columns(made: ir.Node) -> list[tuple[str, str]] | None:
    if not isinstance(made, ir.SetReturning | ir.Call) or made.type.oid != t.RECORD:
        return None
    fields = fields_of(made.type)
    return None if fields is None else [(n, type_name(ref.oid)) for n, ref in fields]


__all__ = ["function"]
