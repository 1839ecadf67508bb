"""A domain's CHECK as PostgreSQL writes it out: an expression over VALUE, which is no column but a word.

CHECK (VALUE IS NULL OR 0 <= VALUE)        ((VALUE IS NULL) OR (0 <= VALUE))
"""

from __future__ import annotations

from typing import Any

from planner.abc import SqlError, TypeRef
from planner.binding import ir
from planner.binding.deparse.constants import NotWritable, TypeName
from planner.binding.deparse.expressions import Writer
from planner.binding.parameters import Parameters
from planner.binding.queries import QueryBinder
from planner.binding.scope import Relation, RelationColumn, Scope, StarColumn
from planner.binding.writes.dml import DmlBinder
from planner.catalog import domains
from planner.records import replace


def shown(ctx: Any, base: TypeRef, text: str, type_name: TypeName, pretty: bool) -> str:
    """The condition of values of the type `base`. Raises NotWritable."""
    try:
        node = _bound(QueryBinder(ctx, text, Parameters((), None)), base, text)
    except SqlError as e:
        raise NotWritable(text) from e
    writer = _DomainWriter([], text, type_name, pretty)
    writer.catalog = ctx.catalog
    return writer.top(node)


def called_functions(ctx: Any, base: TypeRef, text: str) -> frozenset[int]:
    """Users' functions that the condition calls. Raises SqlError."""
    queries = QueryBinder(ctx, text, Parameters((), None))
    _bound(queries, base, text)
    return frozenset(queries.routines.used)


def _bound(queries: QueryBinder, base: TypeRef, text: str) -> ir.Node:
    queries.routines.expand = False
    queries.only_written = True
    column = RelationColumn(domains.VALUE, base)
    value: ir.Node = ir.Var(base, 0, 0)
    under, use = domains.underneath(queries.ctx.catalog, base)
    if use is not None:  # a domain's values are those of the type underneath, and written so
        value, column = ir.Cast(under, value), RelationColumn(domains.VALUE, under)
    scope = Scope(None, 0, [Relation(0, "", [column])], clause="check constraints")
    scope.columns = [StarColumn(domains.VALUE, value, column)]
    return DmlBinder(queries).stored_expression(text, scope)


class _DomainWriter(Writer):
    def write(self, node: ir.Node) -> str:
        return "VALUE" if isinstance(node, ir.Var) else super().write(node)

    def cast(self, node: ir.Cast) -> str:
        return super().cast(replace(node, arg=_value(node.arg)))

    def logic(self, node: ir.Logic) -> str:
        if node.op in ("is null", "is not null"):  # which ask of the value whatever its type is
            return super().logic(replace(node, args=tuple(map(_value, node.args))))
        return super().logic(node)

    def held(self, node: ir.Node) -> str:
        return "(VALUE)" if isinstance(_value(node), ir.Var) else super().held(node)


def _value(node: ir.Node) -> ir.Node:
    return node.arg if isinstance(node, ir.Cast) and isinstance(node.arg, ir.Var) else node
