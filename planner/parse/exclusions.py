"""The grammar of index elements, and of EXCLUDE, which pairs each with an operator.

EXCLUDE [USING method] ( {column | (expression)} [COLLATE c] [opclass] [ASC | DESC] [NULLS ...] WITH operator, ... )
    [INCLUDE (columns)] [WITH (...)] [WHERE (predicate)]
"""

from __future__ import annotations

from typing import Any

from planner import statements as st
from planner.lexer import OPERATOR, PUNCTUATION
from planner.parse import clauses
from planner.parse.cursor import Cursor
from planner.parse.storage import storage_options, storage_pairs


def index_element(c: Cursor) -> st.IndexElement:
    """A column or an expression of an index, and how it is in order there."""
    position = c.position
    column = ""
    expression: st.Sql | None = None
    if c.symbol_is("("):
        expression = c.enclosed()
    else:
        after = c.ahead()
        if after.kind == PUNCTUATION and after.value in ("(", "."):
            expression = c.call()
        else:
            column = c.name()
    collation = c.collation() if c.accept("collate") else ""
    opclass, options = "", tuple[tuple[str, Any], ...]()
    if c.is_name() and c.word not in ("asc", "desc", "nulls"):
        opclass = str(c.qualified())
        if c.symbol_is("("):
            options = tuple(storage_pairs(c))
    order = c.accept_one("asc", "desc")
    nulls: bool | None = None
    if c.accept("nulls"):
        which = c.accept_one("first", "last")
        if not which:
            c.fail()
        nulls = which == "first"
    return st.IndexElement(column, expression, order == "desc", nulls, opclass, collation, position, options)


def exclusion(c: Cursor, fields: dict[str, Any]) -> None:
    """What follows EXCLUDE, up to what every constraint may have behind it."""
    fields["kind"] = "x"
    fields["method"] = c.name() if c.accept("using") else "btree"
    c.expect_symbol("(")
    elements: list[st.IndexElement] = []
    operators: list[str] = []
    while True:
        elements.append(index_element(c))
        c.expect("with")
        operators.append(_operator(c))
        if not c.accept_symbol(","):
            break
    c.expect_symbol(")")
    fields["elements"], fields["operators"] = tuple(elements), tuple(operators)
    if c.accept("include"):
        fields["include"] = c.name_list()
    if c.accept("with"):
        storage_options(c, fields["method"])
    if c.accept("using", "index", "tablespace"):
        clauses.tablespace(c)
    if c.accept("where"):
        fields["expression"] = c.enclosed()


def _operator(c: Cursor) -> str:
    """`=`, or OPERATOR(pg_catalog.=)."""
    named = c.accept("operator")
    if named:
        c.expect_symbol("(")
        if c.accept("pg_catalog"):
            c.expect_symbol(".")
    if c.token.kind != OPERATOR:
        c.fail()
    found = c.advance().value
    if named:
        c.expect_symbol(")")
    return found
