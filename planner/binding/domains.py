"""Casts to domains: the value as the type underneath, and the domain's conditions over it.

    $1::posint   ->   DomainCheck(Cast(int4, $1), [(VALUE > 0, "value for domain posint violates ...")])

What is computed further is the type underneath: operators and functions have no domains among their arguments. The
conditions of a table's own columns are not here; see `planner.catalog.domains`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner import types as t
from planner.abc import DomainUse, TypeRef
from planner.binding import ir
from planner.binding.dimensions import as_list
from planner.binding.emit import EmittedColumn, Emitter
from planner.binding.fragments import Frag, Item, quote_text, sql
from planner.binding.numeric_forms import column_form
from planner.binding.scope import Relation, RelationColumn, Scope, StarColumn
from planner.catalog import domains
from planner.parse import parse_expression

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder

_VALUE = "tw_domain"


def checked(queries: QueryBinder, value: ir.Node, use: DomainUse) -> ir.Node:
    """The value, which is of the type underneath already, with the domain's conditions around it."""
    ref = TypeRef(t.element_of(value.type.oid), value.type.typmod) if use.over_elements else value.type
    number = queries.next_relation()
    queries.declare(number, [EmittedColumn(_VALUE, column_form(ref), whole=True)])
    column = RelationColumn(domains.VALUE, ref)
    scope = Scope(None, 0, [Relation(number, "", [column])], clause="check constraints")
    scope.columns = [StarColumn(domains.VALUE, ir.Var(ref, number, 0), column)]
    tests: list[tuple[ir.Node, str]] = []
    texts = [("", f"{domains.VALUE} IS NOT NULL")] if use.not_null else []
    for name, text in (*texts, *use.checks):
        code, message = domains.refusal(use, name)
        saved = queries.text, queries.expressions.text
        queries.text = queries.expressions.text = text
        try:
            test = queries.expressions.boolean(parse_expression(text), scope, "CHECK")
        finally:
            queries.text, queries.expressions.text = saved
        tests.append((test, f"[{code}] {message}"))
    if not tests:
        return value
    return ir.DomainCheck(value.type, value, number, tuple(tests), use.over_elements, use.oid)


def emitted(emitter: Emitter, node: ir.DomainCheck) -> Frag:
    value = emitter.frag(node.arg)
    if node.each:
        return _each(emitter, node, value)
    emitter.columns[node.relation] = [EmittedColumn(_VALUE, value.form, whole=True)]
    items: list[Item] = ["CASE"]
    for test, message in node.tests:
        items += [" WHEN NOT ", emitter.frag(test), f" THEN error({quote_text(message)})"]
    return sql(
        "list_transform([", value, f"], lambda {_VALUE}: ", *items, f" ELSE {_VALUE} END)[1]", form=value.form
    )


def _each(emitter: Emitter, node: ir.DomainCheck, value: Frag) -> Frag:
    items: list[Item] = ["CASE"]
    for test, message in node.tests:
        passes = sql(
            "list_transform(",
            as_list(value, node.type),
            f", lambda {_VALUE}: coalesce(",
            emitter.frag(test),
            ", true))",
        )
        items += [" WHEN NOT coalesce(list_bool_and(", passes, f"), true) THEN error({quote_text(message)})"]
    return sql(*items, " ELSE ", value, " END", form=value.form)
