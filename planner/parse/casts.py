"""The grammar of casts: CREATE CAST, DROP CAST, and naming one.

CREATE CAST (celsius AS fahrenheit) WITH FUNCTION warm(celsius) AS ASSIGNMENT
CREATE CAST (varchar AS mood) WITH INOUT AS IMPLICIT
DROP CAST IF EXISTS (celsius AS fahrenheit)
"""

from __future__ import annotations

from planner import statements as st
from planner.parse import clauses, routines
from planner.parse.cursor import Cursor


def pair(c: Cursor) -> tuple[st.TypeName, st.TypeName]:
    """`(source AS target)`."""
    c.expect_symbol("(")
    source = c.type_name()
    c.expect("as")
    target = c.type_name()
    c.expect_symbol(")")
    return source, target


def create_cast(c: Cursor) -> st.CreateCast:
    """After CREATE CAST."""
    source, target = pair(c)
    function = None
    if c.accept("without"):
        c.expect("function")
        method = "b"
    else:
        c.expect("with")
        if c.accept("inout"):
            method = "i"
        else:
            c.expect("function")
            method, function = "f", routines.signature(c)
    context = "e"
    if c.accept("as"):
        context = "i" if c.accept("implicit") else "a"
        if context == "a":
            c.expect("assignment")
    return st.CreateCast(source, target, method, function, context)


def drop_cast(c: Cursor) -> st.DropCast:
    """After DROP CAST."""
    exists = c.accept("if", "exists")
    source, target = pair(c)
    return st.DropCast(source, target, exists, clauses.drop_behaviour(c))


__all__ = ["create_cast", "drop_cast", "pair"]
