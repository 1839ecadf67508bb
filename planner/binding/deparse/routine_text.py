"""A body of the standard's form as PostgreSQL writes it out.

RETURN (a + 1)

BEGIN ATOMIC
 INSERT INTO log (said)
   VALUES (note.what);
 DELETE FROM log
   WHERE log.old;
END
"""

from __future__ import annotations

from typing import Any

from planner.abc import SqlError, TypeRef
from planner.binding.deparse.expressions import NotWritable, TypeName
from planner.binding.deparse.rule_text import StatementWriter
from planner.binding.deparse.view_expressions import Renaming, ViewBinder
from planner.binding.deparse.view_from import RelationName
from planner.binding.deparse.view_text import QueryWriter
from planner.binding.parameters import Parameters
from planner.binding.routines.bodies import statements_in, statements_of
from planner.binding.routines.inlined import scope_of_body
from planner.binding.scope import Scope
from planner.binding.writes.clauses import RowBinder
from planner.catalog import Function
from planner.parse import parse_query


def routine_text(
    ctx: Any, f: Function, type_name: TypeName, relation_name: RelationName, renaming: Renaming | None = None
) -> str:
    """RETURN or BEGIN ATOMIC. Raises NotWritable."""
    text = statements_of(f)

    def write(one: str) -> str:
        binder = ViewBinder(ctx, one, Parameters((), None))
        start = len(one) - len(one.lstrip())
        if f.body[start : start + len("return")].lower() == "return":
            return " RETURN " + _returned(binder, f, one, type_name, relation_name, renaming)
        return written(binder, f, one, type_name, relation_name, renaming).replace("\n", "\n ")

    try:
        statements = [write(one) for one in statements_in(text)]
    except SqlError as e:
        raise NotWritable(text) from e
    if not f.body.lower().startswith("begin"):
        return statements[0].lstrip()
    return "\n".join(("BEGIN ATOMIC", *(f"{one};" for one in statements))) + "\nEND"


def _returned(
    binder: ViewBinder,
    f: Function,
    text: str,
    type_name: TypeName,
    relation_name: RelationName,
    renaming: Renaming | None,
) -> str:
    scope = _scope(binder, f, text)
    node = binder.expressions.bind(parse_query(text).expressions[0], binder.new_scope(scope))
    made = binder.coercions.try_coerce(node, TypeRef(f.result.oid), "a")
    writer = QueryWriter(binder, text, type_name, relation_name, False, 0)
    writer.renaming, writer.by_lines = renaming, False
    return writer.write(node if made is None else made)


def written(
    binder: ViewBinder,
    f: Function,
    text: str,
    type_name: TypeName,
    relation_name: RelationName,
    renaming: Renaming | None = None,
) -> str:
    """One statement of a body. Raises NotWritable, SqlError."""
    scope = _scope(binder, f, text)
    writer = StatementWriter(binder, text, type_name, relation_name, False, 0)
    writer.renaming, writer.rows = renaming, RowBinder(binder)
    writer.statement(parse_query(text), scope, named=False)
    return "".join(writer.out)


def _scope(binder: ViewBinder, f: Function, text: str) -> Scope:
    """What a statement of the body sees, which the binder binds from now on."""
    scope = scope_of_body(binder, f)
    binder.text = binder.expressions.text = text
    return scope


__all__ = ["routine_text", "written"]
