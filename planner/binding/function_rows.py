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
    position = first_position(call)
    alias = node.args.get("alias")
    numbered = bool(node.args.get("ordinality") or node.args.get("offset"))
    clause, scope.clause = scope.clause, "functions in FROM"
    lists: list[ir.Node] = []
    names: list[str] = []
    several = (
        isinstance(call, exp.Anonymous) and function_name(call) == "unnest" and len(call.expressions) > 1
    )
    if isinstance(call, exp.Unnest) or several:
        for e in call.expressions:
            array = sources.queries.expressions.bind(e, scope)
            rows_from.refuse_arrays(e, array)
            lists.append(sources.queries.expressions.function("unnest", [array], position))
            names.append(rows_from.called(e))
    else:
        made = sources.queries.expressions.bind(call, scope)
        refuse_sets_below(made)
        lists.append(made)
        names.append(function_name(call) if isinstance(call, exp.Anonymous) else figure_name(call))
    scope.clause = clause
    number = sources.queries.next_relation()
    own = names[0]
    shown = identifier(alias.this) if alias is not None and alias.this is not None else own
    columns: list[RelationColumn] = []
    items: list[Item] = []
    emitted: list[EmittedColumn] = []
    emit = sources.queries.emitter
    given = expanded.definitions(alias)
    wide = None
    if len(lists) == 1:
        wide = (
            expanded.by_definition(sources.queries, lists[0], given, numbered)
            if given
            else expanded.by_fields(sources.queries, lists[0], numbered)
        )
    if wide is not None:
        fields, forms, text, spare = wide
        relation = Relation(number, shown, [RelationColumn(n, ref) for n, ref in fields])
        emitted = [EmittedColumn(f"c{i}", f) for i, f in enumerate(forms)]
        if numbered:
            relation.columns.append(RelationColumn("ordinality", TypeRef(t.INT8)))
            emitted.append(EmittedColumn(ordinality.NUMBER))
        elif not given:
            expanded.of_their_type(relation, lists[0].type)
        if not given:
            sources.rename(relation, alias)
        sources.queries.declare(number, emitted)
        return Source(
            _lateral(text, number),
            [relation],
            star_of(relation),
            ()
            if numbered or spare is None  # domains are asked by DuckDB's text
            else keyed_documents.steps(sources.queries, relation, lists[0], fields),
            padded=spare and _lateral(spare, number),
        )
    listed: list[tuple[Frag, str]] = []
    split: list[Item] = []  # the columns of composite values
    acts: list[int] = []
    for made, name in zip(lists, names, strict=True):
        outs = _record_columns(made)
        if outs is not None:
            if isinstance(made, ir.SetReturning):
                frag = emit.set_returning_list(made)
            else:
                frag = sql("[", emit.frag(made), "]")
            i0 = len(columns)
            listed.append((frag, f"u{i0}"))
            items.append(sql("unnest(", frag, f") AS u{i0}"))
            for out_name, out_type in outs:
                out = TypeRef(type_oid(out_type))
                columns.append(RelationColumn(out_name, out))
                emitted.append(EmittedColumn(f"u{i0}.{out_name}", held_form(out)))
            continue
        attributes = t.composite_fields(made.type.oid) if len(lists) > 1 else None
        if attributes is not None and isinstance(made, ir.SetReturning):
            first = len(columns)
            frag = emit.set_returning_list(made)
            listed.append((frag, f"u{first}"))
            items.append(sql("unnest(", frag, f") AS u{first}"))
            for i, cell in enumerate(expanded.cells(f"u{first}", attributes), first):
                split.append(sql(cell, f" AS c{i}"))
                columns.append(RelationColumn(attributes[i - first][0], attributes[i - first][1]))
                emitted.append(EmittedColumn(f"c{i}", cell.form))
            continue
        if isinstance(made, ir.SetReturning):
            frag = emit.set_returning_list(made)
            listed.append((frag, f"c{len(columns)}"))
            items.append(sql("unnest(", frag, f") AS c{len(columns)}"))
            form = emit.set_returning_form(made)
        else:
            frag = emit.frag(made)
            items.append(sql(frag, f" AS c{len(columns)}"))
            form = frag.form
            if effects.does_something(made):
                acts.append(len(columns))
        one = len(lists) == 1
        own_name = _single_column(made)
        columns.append(RelationColumn(own_name or (shown if one and alias is not None else name), made.type))
        emitted.append(EmittedColumn(f"c{len(columns) - 1}", form))
    if numbered:
        columns.append(RelationColumn("ordinality", TypeRef(t.INT8)))
        emitted.append(EmittedColumn(ordinality.NUMBER))
    if node.args.get("schema") is not None or (
        alias is not None and any(isinstance(c, exp.ColumnDef) for c in alias.args.get("columns") or ())
    ):
        raise PlanError("0A000", "column definition lists are not supported", position=position)
    relation = Relation(number, shown, columns, scalar=len(columns) == 1)
    sources.rename(relation, alias)
    sources.queries.declare(number, emitted)
    inner = series.streamed(emit, lists[0]) if len(lists) == 1 else None
    spare = None
    if inner is None and len(listed) == len(lists) and not split:
        if numbered or len(listed) > 1:
            spare = ordinality.unnested(listed, at_least_one=True)
        else:
            spare = sql("SELECT unnest(", ordinality.padded(listed[0][0]), f") AS {listed[0][1]}")
    if inner is not None and numbered:  # of no outer row: they come in their order
        inner = sql(f"SELECT *, row_number() OVER () AS {ordinality.NUMBER} FROM (", inner, ")")
    elif listed and numbered:
        inner = ordinality.unnested(listed)
    elif inner is None:
        if numbered:
            items.append(f"CAST(1 AS BIGINT) AS {ordinality.NUMBER}")
        inner = sql("SELECT ", join(", ", items))
    if split:
        inner = sql("SELECT *, ", join(", ", split), " FROM (", inner, ")")
    if acts:
        inner = effects.asked(inner, acts, number)
    wide_rows = len(lists) == 1 and keyed_calls.is_wide(lists[0])
    plain = (wide_rows or len(columns) == len(lists) + numbered) and not split
    steps = (FromStep(relation, spread=tuple(lists), numbered=numbered),) if plain else ()
    return Source(
        _lateral(inner, number),
        [relation],
        star_of(relation),
        steps,
        padded=spare and _lateral(spare, number),
    )


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
