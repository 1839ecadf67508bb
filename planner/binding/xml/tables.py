"""XMLTABLE: rows of what a path finds in a document, with columns of what their paths find there.

    XMLTABLE('/r' PASSING d COLUMNS a int PATH '@a' DEFAULT 0)

    LATERAL (SELECT coalesce(CAST(tw_record_item(v, 0) AS INTEGER), 0) AS c0
             FROM (SELECT unnest(tw_xml_table('/r', d, [], ['@a'], ['a'], 'n')) AS v))

Its grammar has become arguments already (`planner.parse.xml_tables`). A row is the text of a record, as what functions return
that run (`routines.runs`); paths are evaluated by libxml2 (`planner.types.xml_rows`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlglot import exp

from planner import types as t
from planner.abc import PlanError, TypeRef
from planner.binding import ir, ordinality
from planner.binding.emit import EmittedColumn
from planner.binding.fragments import Frag, Item, join, quote_text, sql
from planner.binding.from_items import Source, star_of
from planner.binding.functions.conversions import convert
from planner.binding.naming import function_name, identifier
from planner.binding.scope import Relation, RelationColumn, Scope
from planner.parse import position as first_position
from planner.parse.xml_tables import COLUMNS

if TYPE_CHECKING:
    from planner.binding.sources import SourceBinder

_TEXT = TypeRef(t.TEXT)
_NUMBERS = (t.INT2, t.INT4, t.INT8, t.FLOAT4, t.FLOAT8, t.NUMERIC, t.MONEY, t.OID)
"""Of these, what a path finds to be true is 1."""
NAME: Final = "xmltable"


def source(sources: SourceBinder, call: exp.Expression, node: exp.Expression, scope: Scope) -> Source | None:
    """A call in FROM; None where it is of another function."""
    if not isinstance(call, exp.Anonymous) or function_name(call) != NAME or len(call.expressions) < 3:
        return None
    queries = sources.queries
    clause, scope.clause = scope.clause, "functions in FROM"

    def text_of(e: exp.Expression, oid: int = t.TEXT) -> Frag:
        bound = queries.expressions.bind(e, scope)
        return queries.emitter.frag(queries.coercions.coerce(bound, TypeRef(oid), "a", first_position(e)))

    given = list(call.expressions)
    at = next(i for i in range(2, len(given), 2) if literal(given[i]) == COLUMNS)
    path, document = text_of(given[0]), text_of(given[1], t.XML)
    spaces = [text_of(e) for e in given[2:at]]
    names, paths, kinds, flags = list[str](), list[Frag](), list[TypeRef](), ""
    defaults: list[ir.Node] = []
    required: list[bool] = []
    for i in range(at + 1, len(given), 4):
        name, said = literal(given[i]), literal(given[i + 1])
        default = queries.expressions.bind(given[i + 3], scope)
        names.append(name)
        required.append(said == "not null")
        paths.append(text_of(given[i + 2]))
        kinds.append(default.type)
        defaults.append(default)
        if said == "ordinality":
            flags += "o"
        else:
            flags += "x" if default.type.oid == t.XML else "n" if default.type.oid in _NUMBERS else "t"
    scope.clause = clause
    listed = sql(
        "tw_xml_table(", path, ", ", document, ", ", _texts(spaces), ", ", _texts(paths), ", ",
        _texts([sql(quote_text(n)) for n in names]), f", '{flags}')",
    )  # fmt: skip
    numbered = bool(node.args.get("ordinality") or node.args.get("offset"))
    texts = ordinality.unnested([(listed, "v")]) if numbered else sql("SELECT unnest(", listed, ") AS v")
    items: list[Item] = []
    emitted: list[EmittedColumn] = []
    for i, (ref, default) in enumerate(zip(kinds, defaults, strict=True)):
        made: Frag = sql(f"tw_record_item(v, {i})")
        if ref.oid not in (t.TEXT, t.XML):
            made = convert(made, _TEXT, ref, True)
        if not _is_null(default):
            other = queries.emitter.frag(default)
            if other.form != made.form:
                other = _as_form(other, made, ref)
            made = sql("coalesce(", made, ", ", other, ")", form=made.form)
        if required[i]:
            refusal = quote_text(f'[22004] null is not allowed in column "{names[i]}"')
            made = sql(
                "CASE WHEN ", made, f" IS NULL THEN error({refusal}) ELSE ", made, " END", form=made.form
            )
        items.append(sql(made, f" AS c{i}"))
        emitted.append(EmittedColumn(f"c{i}", made.form))
    columns = [RelationColumn(n, ref) for n, ref in zip(names, kinds, strict=True)]
    if numbered:
        items.append(ordinality.NUMBER)
        emitted.append(EmittedColumn(ordinality.NUMBER))
        columns.append(RelationColumn("ordinality", TypeRef(t.INT8)))
    text = sql("SELECT ", join(", ", items), " FROM (", texts, ")")
    alias: exp.Expression | None = node.args.get("alias")
    shown = identifier(alias.this) if alias is not None and alias.this is not None else NAME
    number = queries.next_relation()
    relation = Relation(number, shown, columns)
    sources.rename(relation, alias)
    queries.declare(number, emitted)
    return Source(sql("LATERAL (", text, f") AS r{number}"), [relation], star_of(relation))


def _as_form(frag: Frag, like: Frag, ref: TypeRef) -> Frag:
    """A default in the form in which the column's values are."""
    if like.form is None:
        return convert(sql("CAST(", frag, " AS VARCHAR)"), _TEXT, ref, True)
    raise PlanError("0A000", f"a default of type {t.format_type(ref)} in XMLTABLE is not supported")


def _texts(items: list[Frag]) -> Frag:
    return sql("CAST([", join(", ", items), "] AS VARCHAR[])")


def _is_null(node: ir.Node) -> bool:
    while isinstance(node, ir.Cast):
        node = node.arg
    return isinstance(node, ir.Lit) and node.value is None


def literal(e: exp.Expression) -> str:
    return str(e.this) if isinstance(e, exp.Literal) else ""


__all__ = ["NAME", "literal", "source"]
