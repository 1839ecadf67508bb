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
from planner.binding.writes.clauses import RowBinder
from planner.catalog import Function
from planner.parse import parse_query


def routine_text(
    ctx: Any, f: Function, type_name: TypeName, relation_name: RelationName, renaming: Renaming | None = None
) -> str:
    """RETURN or BEGIN ATOMIC. Raises NotWritable."""
    text = statements_of(f)

    def write(one: str) -> str:
        start = len(one) - len(one.lstrip())
        if f.body[start : start + len("return")].lower() == "return":
            return " " + _returned(ctx, f, one, type_name, relation_name, renaming)
        return _statement(ctx, f, one, type_name, relation_name, renaming)

    try:
        written = [write(one) for one in statements_in(text)]
    except SqlError as e:
        raise NotWritable(text) from e
    if not f.body.lower().startswith("begin"):
        return written[0].lstrip()
    return "\n".join(("BEGIN ATOMIC", *(f"{one};" for one in written))) + "\nEND"


def _returned(
    ctx: Any,
    f: Function,
    text: str,
    type_name: TypeName,
    relation_name: RelationName,
    renaming: Renaming | None,
) -> str:
    binder = ViewBinder(ctx, text, Parameters((), None))
    scope = scope_of_body(binder, f)
    binder.text = binder.expressions.text = text
    node = binder.expressions.bind(parse_query(text).expressions[0], binder.new_scope(scope))
    made = binder.coercions.try_coerce(node, TypeRef(f.result.oid), "a")
    writer = QueryWriter(binder, text, type_name, relation_name, False, 0)
    writer.renaming, writer.by_lines = renaming, False
    return "RETURN " + writer.write(node if made is None else made)


def _statement(
    ctx: Any,
    f: Function,
    text: str,
    type_name: TypeName,
    relation_name: RelationName,
    renaming: Renaming | None,
) -> str:
    binder = ViewBinder(ctx, text, Parameters((), None))
    return "\n ".join(written(binder, f, text, type_name, relation_name, renaming).split("\n"))


def written(
    binder: ViewBinder,
    f: Function,
    text: str,
    type_name: TypeName,
    relation_name: RelationName,
    renaming: Renaming | None = None,
) -> str:
    """One statement of a body. Raises NotWritable, SqlError."""
    scope = scope_of_body(binder, f)
    binder.text = binder.expressions.text = text
    writer = StatementWriter(binder, text, type_name, relation_name, False, 0)
    writer.renaming, writer.rows = renaming, RowBinder(binder)
    writer.statement(parse_query(text), scope, named=False)
    return "".join(writer.out)


__all__ = ["routine_text", "written"]
