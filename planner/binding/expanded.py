"""Composite values in FROM: a function's rows become columns.

    unnest(ARRAY[...]::address[]) AS x         the fields of address
    json_to_recordset('[...]') AS x(a int)     the columns of the definition list

The function's rows are a list of texts, one unnested column `j`; each column of the relation is read out of it. With
`numbered`, WITH ORDINALITY's column is beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir, ordinality
from planner.binding.domains import obeying
from planner.binding.fragments import ARRAY_TEXT, Form, Frag, Item, join, quote_text, sql
from planner.binding.functions.conversions import modified
from planner.binding.functions.json import objects_of, populated_texts
from planner.binding.functions.value_texts import from_text, record_text, stored_text, stored_value
from planner.binding.naming import identifier
from planner.binding.records import fields_of
from planner.binding.scope import Relation
from planner.catalog.domains import underneath
from planner.catalog.row_types import relation_of
from planner.parse import position as first_position

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder

_RECORDS = {
    "json_to_record(json)": False,
    "jsonb_to_record(jsonb)": False,
    "json_to_recordset(json)": True,
    "jsonb_to_recordset(jsonb)": True,
}
_POPULATED = {
    f"{kind}_populate_record{several}(anyelement, {declared})": bool(several)
    for kind, declared in (("json", "json"), ("json", "json, bool"), ("jsonb", "jsonb"))
    for several in ("", "set")
}
"""Whether they make several rows."""
Columns = list[tuple[str, TypeRef]]
Wide = tuple[Columns, list[Form], Frag, Frag | None]
"""Columns, what they are held as, the query, and the query that has a row of NULLs where that one has none."""


def definitions(alias: exp.Expression | None) -> list[exp.ColumnDef]:
    """The column definition list of `AS x(a int, b text)`."""
    if alias is None:
        return []
    return [c for c in alias.args.get("columns") or () if isinstance(c, exp.ColumnDef)]


def by_definition(
    queries: QueryBinder, made: ir.Node, given: Sequence[exp.ColumnDef], numbered: bool
) -> Wide | None:
    """A function that returns records, with the columns that the query says they have."""
    op = made.op if isinstance(made, ir.SetReturning | ir.Call) else ""
    if op in _POPULATED and made.type.oid == t.RECORD:
        return _populated(queries, made, given, numbered)
    if op not in _RECORDS or not isinstance(made, ir.SetReturning | ir.Call):
        if made.type.oid != t.RECORD:
            raise PlanError(
                "42601",
                'a column definition list is only allowed for functions returning "record"',
                position=first_position(given[0]),
            )
        return None
    argument = queries.emitter.frag(made.args[0])
    rows = objects_of(argument, op.partition("(")[0]) if _RECORDS[op] else sql("[", argument, "]")
    columns: Columns = []
    cells = []
    free = True
    for c in given:
        name = identifier(c.this)
        ref, use = underneath(queries.ctx.catalog, queries.type_of(c.args["kind"]))
        free = free and use is None
        cell = _as_value(sql("tw_json_field(j, ", quote_text(name), f", {ref.oid})"), ref)
        columns.append((name, ref))
        cells.append(obeying(queries, cell, ref, use))
    return _made(columns, rows, cells, numbered, free=free)


def _populated(queries: QueryBinder, made: ir.Node, given: Sequence[exp.ColumnDef], numbered: bool) -> Wide:
    """json_populate_record(set) of a record: its fields are those of its base, else those that the query says."""
    assert isinstance(made, ir.SetReturning | ir.Call)
    base, several = made.args[0], _POPULATED[made.op]
    columns: Columns = []
    uses = []
    for c in given:
        ref, use = underneath(queries.ctx.catalog, queries.type_of(c.args["kind"]))
        columns.append((identifier(c.this), ref))
        uses.append(use)
    known = fields_of(base.type)
    if known is not None:
        _refuse_others(known, columns)
    emitter = queries.emitter
    argument = emitter.frag(made.args[1])
    text = sql("NULL") if known is None else record_text(emitter.frag(base), base.type, stored_text)
    objects = objects_of(argument, made.op.partition("(")[0]) if several else sql("[", argument, "]")
    cells = [
        obeying(queries, _as_value(sql(f"tw_record_item(j, {i})"), ref), ref, use)
        for i, ((_, ref), use) in enumerate(zip(columns, uses, strict=True))
    ]
    rows = populated_texts(text, objects, known or tuple(columns))
    return _made(columns, rows, cells, numbered, free=not any(uses))


def _refuse_others(known: Sequence[tuple[str, TypeRef]], columns: Columns) -> None:
    """Raises 42804 for a column definition list that is not what the function returns."""
    message = "function return row and query-specified return row do not match"
    if len(known) != len(columns):
        word = "attribute" if len(known) == 1 else "attributes"
        detail = f"Returned row contains {len(known)} {word}, but query expects {len(columns)}."
        raise PlanError("42804", message, detail=detail)
    for i, ((_, a), (_, b)) in enumerate(zip(known, columns, strict=True), 1):
        if a.oid != b.oid:
            shown = t.type_in_words(a.oid), t.type_in_words(b.oid)
            detail = f"Returned type {shown[0]} at ordinal position {i}, but query expects {shown[1]}."
            raise PlanError("42804", message, detail=detail)


def _as_value(cell: Frag, ref: TypeRef) -> Frag:
    value = from_text(cell, TypeRef(ref.oid))
    return modified(value, ref, False) if ref.typmod >= 0 else value


def by_fields(queries: QueryBinder, made: ir.Node, numbered: bool) -> Wide | None:
    """A function that returns composite values: a column for each field."""
    fields = t.composite_fields(made.type.oid)
    if fields is None:
        return None
    emitter = queries.emitter
    rows = (
        emitter.set_returning_list(made)
        if isinstance(made, ir.SetReturning)
        else sql("[", emitter.frag(made), "]")
    )
    made_of = cells("j", fields)
    return _made(list(fields), rows, made_of, numbered)


def of_their_type(relation: Relation, ref: TypeRef) -> None:
    """A whole row of the relation, whose columns are the fields of composite values, is one of these again."""
    relation.own_names = tuple(name for name, _ in t.composite_fields(ref.oid) or ())
    relation.returned = relation_of(ref.oid)
    relation.composite = 0 if relation.returned else ref.oid


def cells(column: str, fields: Sequence[tuple[str, TypeRef]]) -> list[Frag]:
    """The fields of a column of composite values."""
    made = []
    for i, (_, ref) in enumerate(fields):
        cell = sql(f"tw_record_item({column}, {i})")
        is_array = bool(t.element_of(ref.oid))
        value = cell.with_form(ARRAY_TEXT) if is_array else stored_value(cell, TypeRef(ref.oid))
        made.append(modified(value, ref, False) if ref.typmod >= 0 else value)
    return made


def _made(columns: Columns, rows: Frag, made: Sequence[Frag], numbered: bool, *, free: bool = True) -> Wide:
    """`free`: no domain is asked, which might refuse the NULLs of a row that is not there."""
    spare = _relation(rows, made, numbered, at_least_one=True) if free else None
    return columns, [c.form for c in made], _relation(rows, made, numbered), spare


def _relation(rows: Frag, cells: Sequence[Frag], numbered: bool, *, at_least_one: bool = False) -> Frag:
    items: list[Item] = [sql(c, f" AS c{i}") for i, c in enumerate(cells)]
    if not numbered:
        if at_least_one:
            rows = ordinality.padded(rows)
        return sql("SELECT ", join(", ", items), " FROM (SELECT unnest(", rows, ") AS j)")
    made = ordinality.unnested([(rows, "j")], at_least_one=at_least_one)
    return sql("SELECT ", join(", ", [*items, ordinality.NUMBER]), " FROM (", made, ")")
