"""Casts to domains: the value as the type underneath, and the domain's conditions over it.

    $1::posint   ->   DomainCheck(Cast(int4, $1), [(VALUE > 0, "value for domain posint violates ...")])

What is computed further is the type underneath: operators and functions have no domains among their arguments. That it is of
a domain the node's type says (`planner.relations.DomainRef`), to `pg_typeof` and to who makes columns of it. The
conditions of a table's own columns are not here; see `planner.catalog.domains`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from planner import types as t
from planner.abc import DomainUse, Oid, TypeRef
from planner.binding import ir
from planner.binding.dimensions import as_list
from planner.binding.emit import EmittedColumn, Emitter
from planner.binding.evaluation import let
from planner.binding.fragments import Frag, Item, quote_text, sql
from planner.binding.numeric_forms import column_form
from planner.binding.scope import Relation, RelationColumn, Scope, StarColumn
from planner.catalog import domains
from planner.parse import parse_expression
from planner.records import replace
from planner.relations import domain_in, of_domain

if TYPE_CHECKING:
    from planner.binding.queries import QueryBinder

_VALUE = "tw_domain"


def checked(queries: QueryBinder, value: ir.Node, use: DomainUse) -> ir.Node:
    """The value, which is of the type underneath already, with the domain's conditions around it."""
    texts = [(domains.refusal(use, ""), f"{domains.VALUE} IS NOT NULL")] if use.not_null else []
    texts += [(domains.refusal(use, name), text) for name, text in use.checks]
    made = _asked(queries, value, texts, use.over_elements, use.oid)
    return replace(made, type=of_domain(made.type, use.oid))


def of_no_domain(value: ir.Node) -> ir.Node:
    """The value as one of the type underneath."""
    return replace(value, type=of_domain(value.type, 0)) if domain_in(value.type) else value


_ELEMENTS: Final = ("anyelement", "anynonarray", "anycompatible", "anycompatiblenonarray")
_ARRAYS: Final = ("anyarray", "anycompatiblearray")


def domain_of_result(ref: TypeRef, declared: Sequence[str], result: str, given: Sequence[ir.Node]) -> TypeRef:
    """What a polymorphic function returns, where all that its polymorphic parameters are given is of one domain."""
    found = {domain_in(g.type) for d, g in zip(declared, given, strict=True) if d in _ELEMENTS}
    found |= {element_domain(g.type) for d, g in zip(declared, given, strict=True) if d in _ARRAYS}
    if len(found) != 1 or result not in (*_ELEMENTS, *_ARRAYS):
        return ref
    domain = found.pop()
    return of_domain(ref, t.ARRAY_OF.get(domain, 0) if result in _ARRAYS else domain)


def element_domain(array: TypeRef) -> Oid:
    """The domain that an array's elements are of; 0: of none. A domain over an array has none in it."""
    return t.DOMAIN_ARRAYS.get(domain_in(array), 0)


def of_attributes(queries: QueryBinder, value: ir.Node) -> ir.Node:
    """A composite value, or an array of such, with what the domains of its attributes ask around it."""
    element = t.element_of(value.type.oid)
    asked = t.composite_conditions(element or value.type.oid)
    texts = [(domains.refused(x.domain, x.name, x.check), x.expression) for x in asked]
    return _asked(queries, value, texts, bool(element), 0)


def _asked(
    queries: QueryBinder, value: ir.Node, texts: list[tuple[tuple[str, str], str]], each: bool, domain: Oid
) -> ir.Node:
    ref = TypeRef(t.element_of(value.type.oid), value.type.typmod) if each else value.type
    number = queries.next_relation()
    queries.declare(number, [EmittedColumn(_VALUE, column_form(ref), whole=True)])
    column = RelationColumn(domains.VALUE, ref)
    scope = Scope(None, 0, [Relation(number, "", [column])], clause="check constraints")
    scope.columns = [StarColumn(domains.VALUE, ir.Var(ref, number, 0), column)]
    tests: list[tuple[ir.Node, str]] = []
    for (code, message), text in texts:
        saved = queries.text, queries.expressions.text, queries.variables
        queries.text = queries.expressions.text = text
        queries.variables = None  # a body's variable may be called `value`, too
        try:
            test = queries.expressions.boolean(parse_expression(text), scope, "CHECK")
        finally:
            queries.text, queries.expressions.text, queries.variables = saved
        tests.append((test, f"[{code}] {message}"))
    if not tests:
        return value
    return ir.DomainCheck(value.type, value, number, tuple(tests), each, domain)


def obeying(queries: QueryBinder, cell: Frag, ref: TypeRef, use: DomainUse | None) -> Frag:
    """What a function makes of a column that the query defines: asked what its domain, and those of its attributes, demand."""
    empty = ir.Lit(ref, None)
    asked: list[ir.Node] = [of_attributes(queries, empty)]
    if use is not None:
        asked.append(checked(queries, empty, use))
    for node in asked:
        if isinstance(node, ir.DomainCheck):
            cell = emitted(queries.emitter, node, cell)
    return cell


def emitted(emitter: Emitter, node: ir.DomainCheck, value: Frag | None = None) -> Frag:
    """The check in DuckDB's words, of `value` if it is not the node's own."""
    value = emitter.frag(node.arg) if value is None else value
    if node.each:
        return _each(emitter, node, value)
    emitter.columns[node.relation] = [EmittedColumn(_VALUE, value.form, whole=True)]
    items: list[Item] = ["CASE"]
    for test, message in node.tests:
        items += [" WHEN NOT ", emitter.frag(test), f" THEN error({quote_text(message)})"]
    return let(_VALUE, value, sql(*items, f" ELSE {_VALUE} END", form=value.form))


def emitted_rows(emitter: Emitter, node: ir.DomainCheck, rows: Frag) -> Frag:
    """A list of composite values that a function makes, each asked."""
    if isinstance(node.arg, ir.DomainCheck):
        rows = emitted_rows(emitter, node.arg, rows)
    emitter.columns[node.relation] = [EmittedColumn(_VALUE, column_form(node.type), whole=True)]
    items: list[Item] = ["CASE"]
    for test, message in node.tests:
        items += [" WHEN NOT ", emitter.frag(test), f" THEN error({quote_text(message)})"]
    return sql("list_transform(", rows, f", lambda {_VALUE}: ", *items, f" ELSE {_VALUE} END)")


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
