"""XMLTABLE written out, of the call that its grammar has become (`planner.parse.xml_tables`).

xmltable('/r', d, 'columns', 'a', 'not null', '@a', CAST(0 AS integer), 'b', '', 'b', CAST(NULL AS text))

XMLTABLE(('/r'::text) PASSING (t.d) COLUMNS a integer DEFAULT (0) PATH ('@a'::text) NOT NULL, b text)
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlglot import exp

from planner import types as t
from planner.abc import TypeRef
from planner.binding import ir
from planner.binding.naming import function_name
from planner.binding.scope import Scope
from planner.binding.xml import tables
from planner.catalog import quote_identifier
from planner.parse import position
from planner.parse.xml_tables import COLUMNS

if TYPE_CHECKING:
    from planner.binding.deparse.view_from import FromWriter


def is_one(call: exp.Expression) -> bool:
    return (
        isinstance(call, exp.Anonymous) and function_name(call) == tables.NAME and len(call.expressions) > 2
    )


def written(writer: FromWriter, call: exp.Expression, here: Scope) -> tuple[str, list[ir.Node]]:
    """Its text, and what it was given, bound among what stands before it."""
    met: list[ir.Node] = []

    def text(e: exp.Expression, oid: int = 0) -> str:
        node = writer.binder.expressions.bind(e, here)
        if oid:
            node = writer.binder.coercions.coerce(node, TypeRef(oid), "a", position(e))
        met.append(node)
        return writer.write(node)

    given = list(call.expressions)
    at = next(i for i in range(2, len(given), 2) if tables.literal(given[i]) == COLUMNS)
    path, document = text(given[0], t.TEXT), text(given[1], t.XML)
    spaces = [
        f"{text(given[i], t.TEXT)} AS {quote_identifier(tables.literal(given[i + 1]))}"
        for i in range(2, at, 2)
    ]

    def columns() -> Iterator[str]:
        for i in range(at + 1, len(given), 4):
            name, asked, found, default = given[i : i + 4]
            shown = quote_identifier(tables.literal(name))
            if tables.literal(asked) == "ordinality":
                yield f"{shown} FOR ORDINALITY"
                continue
            kind = writer.binder.expressions.bind(default, here).type
            shown += f" {writer.type_name(kind)}"
            if not isinstance(default.this, exp.Null):
                shown += f" DEFAULT ({text(default)})"
            if position(found) != position(name):  # where none is said, the name is the path
                shown += f" PATH ({text(found, t.TEXT)})"
            yield shown + " NOT NULL" * (tables.literal(asked) == "not null")

    named = f"XMLNAMESPACES ({', '.join(spaces)}), " if spaces else ""
    whole = f"XMLTABLE({named}({path}) PASSING ({document}) COLUMNS {', '.join(columns())})"
    return whole, met


__all__ = ["is_one", "written"]
